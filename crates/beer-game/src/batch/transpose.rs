//! Transposes rows (one field of all lanes) to records (all fields of one lane).

use super::FIELDS;
use super::row::WIDTH;

/// Edge of a tile: four `f32` fill a register of 128 bits, which every `x86_64` processor has.
const TILE: usize = 4;

/// Turns rows of lanes into lanes of fields.
// Not inlined: otherwise the compiler sees that lanes are written one by one and gives up vectors in
// the arithmetic before it.
#[inline(never)]
pub(super) fn transpose(rows: &[[f32; WIDTH]; FIELDS], lanes: &mut [[f32; FIELDS]; WIDTH]) {
    // Tile by tile: four rows of four numbers are transposed in registers, and each lane is then
    // written with one store for every four fields.
    let (rows, _) = rows.as_chunks::<TILE>();
    let (lanes, _) = lanes.as_chunks_mut::<TILE>();
    for (part, [a, b, c, d]) in rows.iter().enumerate() {
        let columns = tiles(a).iter().zip(tiles(b)).zip(tiles(c)).zip(tiles(d));
        for (lanes, (((a, b), c), d)) in lanes.iter_mut().zip(columns) {
            let tile = [
                [a[0], b[0], c[0], d[0]],
                [a[1], b[1], c[1], d[1]],
                [a[2], b[2], c[2], d[2]],
                [a[3], b[3], c[3], d[3]],
            ];
            for (lane, fields) in lanes.iter_mut().zip(tile) {
                let (parts, _) = lane.as_chunks_mut::<TILE>();
                if let Some(slot) = parts.get_mut(part) {
                    *slot = fields;
                }
            }
        }
    }
}

fn tiles(row: &[f32; WIDTH]) -> &[[f32; TILE]] {
    row.as_chunks().0
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
        let mut lanes = [[0.0; FIELDS]; WIDTH];
        transpose(&rows, &mut lanes);
        for (field, row) in rows.iter().enumerate() {
            for (lane, expected) in row.iter().enumerate() {
                assert_eq!(lanes[lane][field], *expected);
            }
        }
    }
}
