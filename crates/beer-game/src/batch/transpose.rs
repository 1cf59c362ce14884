//! Transposes rows (one field of all lanes) to records (all fields of one lane).

use super::row::WIDTH;

/// Number of fields in the observation of a lane.
pub(super) const FIELDS: usize = 8;

/// Turns rows of lanes into lanes of fields.
// In three rounds of interleaving two halves: a round is a loop that compilers turn into vector
// instructions at every width, which they do not for one loop over lanes and fields.
#[inline(always)]
pub(super) fn transpose(rows: &[[f32; WIDTH]; FIELDS]) -> [[f32; FIELDS]; WIDTH] {
    let [a, b, c, d, e, f, g, h] = rows;
    let evens = interleaved::<{ 2 * WIDTH }, { 4 * WIDTH }>(
        &interleaved::<WIDTH, { 2 * WIDTH }>(a, e),
        &interleaved::<WIDTH, { 2 * WIDTH }>(c, g),
    );
    let odds = interleaved::<{ 2 * WIDTH }, { 4 * WIDTH }>(
        &interleaved::<WIDTH, { 2 * WIDTH }>(b, f),
        &interleaved::<WIDTH, { 2 * WIDTH }>(d, h),
    );
    let all = interleaved::<{ 4 * WIDTH }, { 8 * WIDTH }>(&evens, &odds);
    let mut lanes = [[0.0; FIELDS]; WIDTH];
    lanes.as_flattened_mut().copy_from_slice(&all);
    lanes
}

/// The first number of `a`, the first of `b`, the second of `a` and so on.
#[inline(always)]
fn interleaved<const N: usize, const TWICE: usize>(a: &[f32; N], b: &[f32; N]) -> [f32; TWICE] {
    const { assert!(TWICE == 2 * N, "room for both") };
    let mut both = [0.0; TWICE];
    for ((pair, a), b) in both.as_chunks_mut::<2>().0.iter_mut().zip(a).zip(b) {
        *pair = [*a, *b];
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_finds_its_place() {
        let mut rows = [[0.0; WIDTH]; FIELDS];
        let mut number = 0.0;
        for row in &mut rows {
            for slot in row {
                *slot = number;
                number += 1.0;
            }
        }
        let lanes = transpose(&rows);
        for (field, row) in rows.iter().enumerate() {
            for (lane, expected) in row.iter().enumerate() {
                assert_eq!(lanes[lane][field], *expected);
            }
        }
    }
}
