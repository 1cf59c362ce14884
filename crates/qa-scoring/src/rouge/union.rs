//! ROUGE-Lsum: union of common subsequences, line by line.
//!
//! For each line of the reference: the places that are in its common subsequence with any line of the prediction. A place
//! counts if its word is still left in both texts.

use super::Prf;
use super::counts::{count, index};
use super::lcs::step;

/// Number of steps above which a pair is not scored; a step is one machine word of one column.
const MAX_STEPS: usize = 2_000_000_000;

/// Maximum number of machine words of columns that are stored for one walk back.
const MAX_KEPT: usize = 1 << 20;

/// ROUGE-Lsum of lines of words numbered below `size`; `None` beyond [`MAX_STEPS`].
pub(super) fn score(wanted: &[Vec<u32>], predicted: &[Vec<u32>], size: usize) -> Option<Prf> {
    let total = |lines: &[Vec<u32>]| lines.iter().map(Vec::len).sum::<usize>();
    let (m, n) = (total(wanted), total(predicted));
    if m == 0 || n == 0 {
        return Some(Prf::default());
    }
    let steps = wanted.iter().fold(0_usize, |sum, line| {
        // One more step for each pair of lines, as texts may have many short ones.
        let columns = line.len().div_ceil(64).saturating_mul(n);
        sum.saturating_add(columns.saturating_add(predicted.len()))
    });
    if steps > MAX_STEPS {
        return None;
    }
    let mut left_wanted = Vec::new();
    count(&mut left_wanted, &wanted.concat(), size);
    let mut left_predicted = Vec::new();
    count(&mut left_predicted, &predicted.concat(), size);
    let mut masks = Masks::default();
    let mut in_union = Vec::new();
    let mut hits = 0;
    for line in wanted {
        in_union.clear();
        in_union.resize(line.len(), false);
        masks.set(line, size);
        for other in predicted {
            masks.mark(line, other, &mut in_union);
        }
        for (&word, _) in line.iter().zip(&in_union).filter(|&(_, &is_in)| is_in) {
            let word = index(word);
            if let (Some(a), Some(b)) = (left_wanted.get_mut(word), left_predicted.get_mut(word))
                && *a > 0
                && *b > 0
            {
                *a -= 1;
                *b -= 1;
                hits += 1;
            }
        }
    }
    Some(Prf::of_counts(hits, n, m))
}

/// The positions of words in the current line.
#[derive(Debug, Default)]
struct Masks {
    width: usize,
    /// For every word the index of its row of bits in `bits`, plus one; 0 for none.
    row: Vec<usize>,
    bits: Vec<u64>,
    columns: Vec<u64>,
    line: Vec<u32>,
}

impl Masks {
    fn set(&mut self, line: &[u32], size: usize) {
        if self.row.len() < size {
            self.row.resize(size, 0);
        }
        // Only the rows of the line before: a text has far more words than a line.
        for &word in &self.line {
            if let Some(row) = self.row.get_mut(index(word)) {
                *row = 0;
            }
        }
        self.line.clear();
        self.line.extend_from_slice(line);
        self.width = line.len().div_ceil(64);
        self.bits.clear();
        let mut rows = 0;
        for (place, &word) in line.iter().enumerate() {
            let Some(row) = self.row.get_mut(index(word)) else {
                continue;
            };
            if *row == 0 {
                rows += 1;
                *row = rows;
                self.bits.resize(rows * self.width, 0);
            }
            if let Some(bits) = self.bits.get_mut((*row - 1) * self.width + place / 64) {
                *bits |= 1 << (place % 64);
            }
        }
    }

    /// The bits of a word, `None` when it is not in the line.
    fn of(&self, word: u32) -> Option<&[u64]> {
        let row = self.row.get(index(word)).copied()?.checked_sub(1)?;
        self.bits.get(row * self.width..(row + 1) * self.width)
    }

    /// Marks the places of `line` in its common subsequence with `other`. Of several such
    /// subsequences it takes the one that the package finds by walking back from the end: a match
    /// first, else along the longer side, else up.
    fn mark(&mut self, line: &[u32], other: &[u32], in_union: &mut [bool]) {
        // The walk back needs the column of every word of `other`. Only the column at the start of
        // each stretch is kept; the columns of one stretch at a time are computed again from it, so
        // memory is bounded by `MAX_KEPT` plus one column per stretch.
        let width = self.width;
        let stretch = (MAX_KEPT / width.max(1)).max(1);
        let mut starts = vec![vec![u64::MAX; width]];
        let mut column = vec![u64::MAX; width];
        for (at, &word) in other.iter().enumerate() {
            if at > 0 && at % stretch == 0 {
                starts.push(column.clone());
            }
            advance(&mut column, self.of(word));
        }
        let mut i = line.len();
        let mut j = other.len();
        while let Some(start) = starts.pop() {
            let from = starts.len() * stretch;
            let mut columns = std::mem::take(&mut self.columns);
            columns.clear();
            let mut column = start;
            for &word in other.get(from..j).unwrap_or_default() {
                advance(&mut column, self.of(word));
                columns.extend_from_slice(&column);
            }
            while i > 0 && j > from {
                let (here, there) = (line.get(i - 1), other.get(j - 1));
                if here == there {
                    if let Some(mark) = in_union.get_mut(i - 1) {
                        *mark = true;
                    }
                    i -= 1;
                    j -= 1;
                    continue;
                }
                let bits = columns.get((j - 1 - from) * width + (i - 1) / 64);
                // 0: the length grows at this place, so leaving it out would lose length. The walk
                // then leaves out a word of `other`, as the package does.
                let grows_here = bits.is_some_and(|b| b >> ((i - 1) % 64) & 1 == 0);
                if grows_here {
                    j -= 1;
                } else {
                    i -= 1;
                }
            }
            self.columns = columns;
            if i == 0 {
                break;
            }
        }
    }
}

/// Moves a column on by one word of the other text.
fn advance(column: &mut [u64], mask: Option<&[u64]>) {
    if let Some(mask) = mask {
        step(column, mask, false);
    }
}
