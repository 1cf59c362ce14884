//! Length of the longest common subsequence, 64 words of one text at a time.
//!
//! Hyyro's bit-parallel algorithm. A column of the usual table of lengths is stored as a row of
//! bits, 0 where the length grows from one place to the next. A word of the other text updates it
//! by `V = (V + (V & M)) | (V & !M)`, where `M` marks the word's places. Each run of ones ends at a
//! 0, a place where the length grows. The addition clears the lowest match in the run and carries
//! up to that 0, so the growth moves down to the match; the `|` restores the other ones of the run.
//! In the last run the carry leaves the row, and the length grows by one. So 64 cells of the table
//! cost a few operations. The first text is cut into strips of up to four machine words. The next
//! strip needs only the carries of the previous one, one per word of the second text, so memory
//! stays linear.

/// Width of a strip in machine words.
const WIDE: usize = 4;

/// Memory for the computation.
#[derive(Debug, Clone, Default)]
pub(super) struct Subsequence {
    numbers: Vec<u32>,
    long: Vec<u32>,
    short: Vec<u32>,
    carries: Vec<u8>,
    masks: Vec<[u64; WIDE]>,
}

impl Subsequence {
    /// Length of the longest common subsequence. `common` is 0 for words that are not in both texts.
    pub(super) fn length(&mut self, a: &[u32], b: &[u32], common: &[u32]) -> usize {
        // Words in one text only are removed; the others get small numbers, so that there are few
        // masks.
        self.numbers.clear();
        self.numbers.resize(common.len(), 0);
        let mut next = 0_u32;
        for (number, &count) in self.numbers.iter_mut().zip(common) {
            if count == 0 {
                *number = u32::MAX;
            } else {
                *number = next;
                next += 1;
            }
        }
        keep(a, &self.numbers, &mut self.long);
        keep(b, &self.numbers, &mut self.short);
        if self.long.len() < self.short.len() {
            // Strips are cut from the longer one: each hands on a carry for every word of the other.
            std::mem::swap(&mut self.long, &mut self.short);
        }
        self.masks.clear();
        self.masks.resize(super::counts::index(next), [0; WIDE]);
        self.carries.clear();
        self.carries.resize(self.short.len(), 0);

        let mut length = 0;
        let mut rest = self.long.as_slice();
        while !rest.is_empty() {
            let (strip, later) = rest.split_at(rest.len().min(64 * WIDE));
            rest = later;
            // Compiled for each width, so that the inner loop has a fixed length.
            length += match strip.len() {
                0..=64 => Self::strip::<1>(strip, &self.short, &mut self.masks, &mut self.carries),
                65..=128 => {
                    Self::strip::<2>(strip, &self.short, &mut self.masks, &mut self.carries)
                }
                _ => Self::strip::<WIDE>(strip, &self.short, &mut self.masks, &mut self.carries),
            };
        }
        length
    }

    /// Processes one strip; returns its contribution to the length. `carries` is read and replaced.
    fn strip<const N: usize>(
        strip: &[u32],
        other: &[u32],
        masks: &mut [[u64; WIDE]],
        carries: &mut [u8],
    ) -> usize {
        for (place, &word) in strip.iter().enumerate() {
            if let Some(entry) = masks
                .get_mut(super::counts::index(word))
                .and_then(|mask| mask.get_mut(place / 64))
            {
                *entry |= 1 << (place % 64);
            }
        }
        // All ones: before the first word of the other text the length grows nowhere.
        let mut column = [u64::MAX; N];
        for (&word, carry) in other.iter().zip(carries.iter_mut()) {
            let Some(mask) = masks
                .get(super::counts::index(word))
                .and_then(|m| m.first_chunk::<N>())
            else {
                continue;
            };
            *carry = u8::from(step(&mut column, mask, *carry != 0));
        }
        // Clear only the masks that this strip has set: there may be far more masks than places.
        for &word in strip {
            if let Some(mask) = masks.get_mut(super::counts::index(word)) {
                *mask = [0; WIDE];
            }
        }
        // Each 0 is a place where the length grows.
        let zeros: u32 = column.iter().map(|v| v.count_zeros()).sum();
        super::counts::index(zeros)
    }
}

/// Moves a column on by a word of the other text. `over` is the carry of the strip before; returns that for the next one.
// Inlined, so that the loop has the fixed length of the column where that is known.
#[inline(always)]
pub(super) fn step(column: &mut [u64], mask: &[u64], mut over: bool) -> bool {
    for (v, &m) in column.iter_mut().zip(mask) {
        let (sum, first) = v.overflowing_add(*v & m);
        let (sum, second) = sum.overflowing_add(u64::from(over));
        over = first | second;
        *v = sum | (*v & !m);
    }
    over
}

/// The numbers of the words of `text` that are in both texts.
fn keep(text: &[u32], numbers: &[u32], into: &mut Vec<u32>) {
    into.clear();
    into.extend(
        text.iter()
            .filter_map(|&word| numbers.get(super::counts::index(word)).copied())
            .filter(|&number| number != u32::MAX),
    );
}
