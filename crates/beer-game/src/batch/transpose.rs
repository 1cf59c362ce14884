//! Transposes rows (one field of all lanes) to records (all fields of one lane).

use super::row::WIDTH;
use sim_core::batch::interleaved;

/// Number of fields in the observation of a lane.
pub(super) const FIELDS: usize = 8;

/// Turns rows of lanes into lanes of fields.
// In three rounds of interleaving two halves.
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
