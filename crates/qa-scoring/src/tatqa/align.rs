//! Pairs bags of words one to one for the largest total F1.

use std::collections::BTreeSet;

/// Above this number of spans per side they are paired greedily, one right span after the other, instead of
/// optimally, so that an answer of thousands of lines takes no excessive time.
const MAX_OPTIMAL: usize = 128;

/// Mean F1 of the best pairing, over as many places as the longer side has; 0 when both are empty.
pub(super) fn mean_f1(given: &[BTreeSet<String>], wanted: &[BTreeSet<String>]) -> f64 {
    let places = given.len().max(wanted.len());
    if places == 0 {
        return 0.0;
    }
    if let ([a], [b]) = (given, wanted) {
        return bag_f1(a, b);
    }
    let table: Vec<Vec<f64>> = wanted
        .iter()
        .map(|w| given.iter().map(|g| bag_f1(g, w)).collect())
        .collect();
    let total = if places <= MAX_OPTIMAL {
        best_total(&table, wanted.len(), given.len())
    } else {
        greedy_total(&table)
    };
    total / places as f64
}

/// F1 of two bags; an empty one has precision or recall 1.
fn bag_f1(given: &BTreeSet<String>, wanted: &BTreeSet<String>) -> f64 {
    let common = given.intersection(wanted).count() as f64;
    let share = |size: usize| if size == 0 { 1.0 } else { common / size as f64 };
    let (precision, recall) = (share(given.len()), share(wanted.len()));
    if precision == 0.0 && recall == 0.0 {
        0.0
    } else {
        2.0 * precision * recall / (precision + recall)
    }
}

/// Largest total over one-to-one pairings: the Hungarian method with potentials, one row at a time.
/// The potentials keep all reduced costs non-negative, so each row is added with one shortest-path
/// search.
#[expect(
    clippy::indexing_slicing,
    reason = "every index is a row below `size` or a column up to `size`"
)]
fn best_total(table: &[Vec<f64>], rows: usize, columns: usize) -> f64 {
    let size = rows.max(columns);
    let gain = |r: usize, c: usize| {
        table
            .get(r)
            .and_then(|row| row.get(c))
            .copied()
            .unwrap_or(0.0)
    };
    // Column 0 means "no column yet"; the prices keep every reduced cost at or above 0.
    let mut row_price = vec![0.0_f64; size];
    let mut column_price = vec![0.0_f64; size + 1];
    let mut row_of: Vec<Option<usize>> = vec![None; size + 1];
    for row in 0..size {
        let mut slack = vec![f64::INFINITY; size + 1];
        let mut from = vec![0_usize; size + 1];
        let mut done = vec![false; size + 1];
        let mut column = 0;
        row_of[0] = Some(row);
        while let Some(current) = row_of[column] {
            done[column] = true;
            let (mut least, mut next) = (f64::INFINITY, 0);
            for c in (1..=size).filter(|&c| !done[c]) {
                let cost = -gain(current, c - 1) - row_price[current] - column_price[c];
                if cost < slack[c] {
                    slack[c] = cost;
                    from[c] = column;
                }
                if slack[c] < least {
                    (least, next) = (slack[c], c);
                }
            }
            // Changing the prices by `least` brings the reduced cost of the next column to 0,
            // leaves that of the pairs found so far at 0, and makes none negative.
            for c in 0..=size {
                if !done[c] {
                    slack[c] -= least;
                } else if let Some(r) = row_of[c] {
                    row_price[r] += least;
                    column_price[c] -= least;
                }
            }
            column = next;
        }
        // The search has reached a free column. Walking back, each row on the path moves to the
        // next column of the path, which leaves a column for the new row.
        while column != 0 {
            row_of[column] = row_of[from[column]];
            column = from[column];
        }
    }
    (1..=size)
        .filter_map(|c| row_of[c].map(|r| gain(r, c - 1)))
        .sum()
}

/// Total of a pairing in which each row takes the best column that is left.
fn greedy_total(table: &[Vec<f64>]) -> f64 {
    let mut used = BTreeSet::new();
    let mut total = 0.0;
    for row in table {
        let best = row
            .iter()
            .enumerate()
            .filter(|(c, _)| !used.contains(c))
            .max_by(|a, b| a.1.total_cmp(b.1));
        if let Some((c, gain)) = best {
            used.insert(c);
            total += gain;
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Tries every pairing.
    fn brute(table: &[Vec<f64>], columns: usize, row: usize, used: u32) -> f64 {
        let Some(gains) = table.get(row) else {
            return 0.0;
        };
        let mut best = brute(table, columns, row + 1, used);
        for (c, gain) in gains.iter().enumerate().take(columns) {
            if used >> c & 1 == 0 {
                best = best.max(gain + brute(table, columns, row + 1, used | 1 << c));
            }
        }
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn the_pairing_is_the_best_one(rows in 1_usize..6, columns in 1_usize..6, gains in prop::collection::vec(0_u8..5, 36)) {
            let table: Vec<Vec<f64>> = (0..rows)
                .map(|r| (0..columns).map(|c| f64::from(gains[r * 6 + c]) / 4.0).collect())
                .collect();
            let want = brute(&table, columns, 0, 0);
            prop_assert!((best_total(&table, rows, columns) - want).abs() < 1e-9);
        }
    }
}
