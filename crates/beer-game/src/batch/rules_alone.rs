//! Many games in which ordering rules play all roles, for statistics of a rule over many demands.

use super::block::Table;
use super::compact::Games;
use super::places::{Places, blocks};
use crate::chain::Setup;
use crate::config::Config;
use crate::rule::Lineup;
use multiversion::multiversion;
use sim_core::{ConfigError, Episode, Seed};
use std::sync::Arc;

/// Games of one configuration in which every role follows its rule.
///
/// No observations are produced and no agent is asked, so a block of games is played from its first
/// week to its last while it is in the first-level cache. The arithmetic is that of
/// [`Batch`](super::Batch).
///
/// ```
/// use beer_game::Config;
/// use beer_game::batch::RuleGames;
/// use beer_game::rule::{Lineup, OrderingRule};
/// use sim_core::Seed;
///
/// let mut games = RuleGames::new(&Config::paper(), &Lineup::all(OrderingRule::BASE_STOCK), 1_000, Seed(1))?;
/// games.play();
/// let mean = games.costs().sum::<f64>() / 1_000.0;
/// assert!(mean > 0.0);
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RuleGames {
    table: Table,
    blocks: Vec<Games>,
    places: Places,
}

impl RuleGames {
    /// `lanes` games in which all roles follow `lineup`, the controlled ones of `config` too; lane
    /// `k` has the demand of episode `k` of the run with seed `run`.
    ///
    /// # Errors
    /// When the configuration cannot be played.
    pub fn new(
        config: &Config,
        lineup: &Lineup,
        lanes: usize,
        run: Seed,
    ) -> Result<Self, ConfigError> {
        config.check()?;
        let table = Table {
            role: None,
            counted: config.play.is_counted(),
            weeks: config.weeks,
            sees_running_week: false,
        };
        let setup = Arc::new(Setup::new(&config.board, &config.cost, lineup));
        let (mut blocks, places) = blocks(&[setup], &table, &config.demand, lanes);
        // Blocks are made at the start of a game, so only drawn demand is missing.
        if config.demand.is_drawn() {
            let mut demand = Vec::new();
            for (lane, place) in places.all().enumerate() {
                let seed = Episode::of_run(run, lane as u64).seed;
                config.demand.draw_into(config.weeks, seed, &mut demand);
                if let Some((block, column)) = place
                    && let Some(block) = blocks.get_mut(block)
                {
                    block.restart(column, &demand);
                }
            }
        }
        Ok(Self {
            table,
            blocks,
            places,
        })
    }

    /// Plays all games to their end.
    pub fn play(&mut self) {
        play_games(&mut self.blocks, &self.table);
    }

    /// The cost of each lane's game so far \[cost\], in the order of the lanes, summed over the roles
    /// that the configuration's objective counts.
    pub fn costs(&self) -> impl ExactSizeIterator<Item = f64> {
        self.places.all().map(|place| {
            let block = place.and_then(|(block, column)| Some((self.blocks.get(block)?, column)));
            block.map_or(f64::NAN, |(block, column)| block.value(column))
        })
    }
}

/// Plays all weeks of all blocks; compiled like `step_games`.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn play_games(games: &mut [Games], table: &Table) {
    // Block by block, not week by week: a block is loaded into the cache once.
    for block in games {
        block.play_out(table);
    }
}
