//! The block and column in which each lane is stored.

use super::block::{Lanes, Table};
use super::compact::Games;
use super::row::WIDTH;
use crate::chain::Setup;
use crate::config::Demand;
use sim_core::Seed;
use std::sync::Arc;

/// Finds the block and the column of a lane.
// Computed and not stored: a table of places would take as much memory as a fifth of a game.
#[derive(Debug, Clone)]
pub(super) struct Places {
    lanes: usize,
    /// The first block of each group of lanes with equal opponents; empty where every lane has a block of
    /// its own.
    groups: Vec<usize>,
}

impl Places {
    /// The block and the column of a lane; `None` when there is no such lane.
    pub(super) fn get(&self, lane: usize) -> Option<(usize, usize)> {
        if lane >= self.lanes {
            return None;
        }
        if self.groups.is_empty() {
            return Some((lane, 0));
        }
        let turns = self.groups.len();
        let first = self.groups.get(lane.checked_rem(turns)?)?;
        let place = lane.checked_div(turns)?;
        Some((first + place / WIDTH, place % WIDTH))
    }

    /// Whether every lane has a block of its own.
    pub(super) fn are_alone(&self) -> bool {
        self.groups.is_empty()
    }

    /// The places of `lanes` lanes with a block each.
    pub(super) fn alone(lanes: usize) -> Self {
        Self {
            lanes,
            groups: Vec::new(),
        }
    }

    /// The places of all lanes, in their order.
    pub(super) fn all(&self) -> impl ExactSizeIterator<Item = Option<(usize, usize)>> {
        (0..self.lanes).map(|lane| self.get(lane))
    }
}

/// Blocks for `lanes` games: lanes are dealt in turn to the groups with equal opponents, and each
/// group is filled block by block.
///
/// A lane plays every `lanes`-th episode. Where that number is not a multiple of the number of lineups, its
/// opponents change from one episode to the next, so every lane gets a block of its own.
pub(super) fn blocks(
    setups: &[Arc<Setup>],
    table: &Table,
    demand: &Demand,
    lanes: usize,
) -> (Vec<Games>, Places) {
    let mut blocks = Vec::new();
    let mut groups = Vec::with_capacity(setups.len());
    // Demand that does not differ between episodes is stored once for all lanes.
    let common: Option<Arc<[u32]>> =
        (!demand.is_drawn()).then(|| demand.draw(table.weeks, Seed(0)).into());
    // Lane k plays against lineup k modulo their number, so the lanes of one lineup are `stride` apart.
    // A block has one lineup: its formulas are constants of the loop over its columns.
    let stride = setups.len();
    if !lanes.is_multiple_of(stride.max(1)) {
        for (lane, setup) in setups.iter().cycle().take(lanes).enumerate() {
            blocks.push(Games::new(setup, table, common.as_ref(), Lanes::one(lane)));
        }
        return (blocks, Places { lanes, groups });
    }
    for (turn, setup) in setups.iter().enumerate() {
        groups.push(blocks.len());
        for first in (turn..lanes).step_by(stride * WIDTH) {
            let left = lanes.saturating_sub(first).div_ceil(stride);
            let columns = Lanes {
                first,
                stride,
                count: left.min(WIDTH),
            };
            blocks.push(Games::new(setup, table, common.as_ref(), columns));
        }
    }
    (blocks, Places { lanes, groups })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::role::{ByRole, Role};

    /// The places that are computed against the lanes that the blocks hold.
    #[test]
    fn every_lane_is_where_its_block_says() {
        let config = Config::paper();
        let lineups = config.opponents.iter();
        let setups: Vec<_> = lineups
            .map(|lineup| Arc::new(Setup::new(&config.board, &config.cost, lineup)))
            .collect();
        for lanes in [0, 1, 2, 31, 32, 33, 77] {
            let table = Table {
                role: Some(Role::Retailer),
                counted: ByRole::all(true),
                weeks: config.weeks,
                sees_running_week: false,
            };
            let (blocks, places) = blocks(&setups, &table, &config.demand, lanes);
            let mut found = vec![None; lanes];
            for (number, block) in blocks.iter().enumerate() {
                let columns = block.lanes();
                for column in 0..columns.count {
                    found[columns.first + column * columns.stride] = Some((number, column));
                }
            }
            assert!(found.iter().all(Option::is_some));
            assert!(places.all().eq(found), "{lanes} lanes");
            assert_eq!(places.get(lanes), None);
        }
    }
}
