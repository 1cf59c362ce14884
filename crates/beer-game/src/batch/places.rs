//! The block and column in which each lane is stored.

use super::block::{Lanes, Table};
use super::compact::Games;
use super::row::WIDTH;
use crate::chain::Setup;
use std::sync::Arc;

/// The block and the column of each lane.
pub(super) type Places = Vec<(usize, usize)>;

/// Blocks for `lanes` games: lanes are dealt in turn to the groups with equal opponents, and each
/// group is filled block by block.
pub(super) fn blocks(setups: &[Arc<Setup>], table: &Table, lanes: usize) -> (Vec<Games>, Places) {
    let mut blocks = Vec::new();
    let mut places = vec![(0, 0); lanes];
    // Lane k plays against lineup k modulo their number, so the lanes of one lineup are `stride` apart.
    // A block has one lineup: its formulas are constants of the loop over its columns.
    let stride = setups.len();
    for (turn, setup) in setups.iter().enumerate() {
        for first in (turn..lanes).step_by(stride * WIDTH) {
            let left = lanes.saturating_sub(first).div_ceil(stride);
            let columns = Lanes {
                first,
                stride,
                count: left.min(WIDTH),
            };
            for (column, place) in columns.enumerate_mut(&mut places) {
                *place = (blocks.len(), column);
            }
            blocks.push(Games::new(setup, table, columns));
        }
    }
    (blocks, places)
}
