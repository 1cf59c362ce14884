//! Many games stepped together, for reinforcement learning.
//!
//! Lane `k` starts with episode `k` of the run: the opponents of the configuration take turns over the
//! lanes. Lanes with the same opponents are stored in blocks of 16 columns, one row of a block for
//! each field, so that one vector instruction computes several lanes and a block stays in the
//! first-level cache. The arithmetic is that of [`Chain`](crate::chain::Chain), operation by
//! operation, so that lanes and single games agree to the last bit.
//!
//! Where all amounts are whole numbers, a block computes in single precision (`f32`), which is exact
//! up to 2^24 and half the size. A block in which an amount grows past 2^18 continues in `f64`.

// Not a `LaneBatch`: a week of a lane takes 3.6 ns here and 84 ns in the environment (docs/benchmarks.md,
// `beer_game/lockstep/paper/typical/1024` and `beer_game/single/environment/paper/typical`).

use crate::action::Action;
use crate::chain::Setup;
use crate::config::{Config, Observe};
use crate::env::BeerGame;
use crate::instance::Instance;
use multiversion::multiversion;
use serde_json::Value;
use sim_core::batch::{Reward, no_lane};
use sim_core::{
    BatchEnvironment, BatchLayout, ConfigError, Episode, Field, Layout, Seed, ShapeError,
    ToolAdapter, ToolEnvironment,
};
use std::sync::Arc;

mod block;
mod compact;
mod demands;
mod memory;
mod places;
mod row;
mod rules_alone;
mod seen;
mod transpose;
mod week;
mod weeks;

use block::{Lanes, Table};
use compact::Games;
use places::{Places, blocks};
pub use rules_alone::RuleGames;
use seen::Observations;
use transpose::FIELDS;

/// Games of one configuration with one controlled role, stepped together.
#[derive(Debug, Clone)]
pub struct Batch {
    config: Config,
    layout: BatchLayout,
    /// The arrangement of observations in the caller's arrays.
    arrangement: Layout,
    table: Table,
    blocks: Vec<Games>,
    places: Places,
    /// The lineups of the configuration.
    setups: Vec<Arc<Setup>>,
    /// The episode that each lane plays.
    episodes: Vec<Episode>,
    /// Working memory of resets: the demand of one episode.
    demand: Vec<u32>,
}

impl Batch {
    /// `lanes` games of `config`; lane `k` starts with episode `k` of the run with seed `run`.
    ///
    /// # Errors
    /// When the configuration cannot be played, or controls several roles: their seats take turns,
    /// and a lane has one action per step.
    pub fn new(config: &Config, lanes: usize, run: Seed) -> Result<Self, ConfigError> {
        config.check()?;
        let &[role] = config.play.controlled.as_slice() else {
            return Err(ConfigError::new(
                "play.controlled",
                "a batch controls exactly one role",
            ));
        };
        let setups: Vec<Arc<Setup>> = config
            .opponents
            .iter()
            // One setup for each lineup, shared by all blocks that play against it.
            .map(|lineup| Arc::new(Setup::new(&config.board, &config.cost, lineup)))
            .collect();
        let table = Table {
            role: Some(role),
            counted: config.play.is_counted(),
            weeks: config.weeks,
            sees_running_week: config.play.observe == Observe::CurrentWeek,
        };
        let (blocks, places) = blocks(&setups, &table, &config.demand, lanes);
        let episodes: Vec<_> = (0..lanes)
            .map(|lane| Episode::of_run(run, lane as u64))
            .collect();
        let mut batch = Self {
            config: config.clone(),
            layout: layout(config, lanes),
            arrangement: Layout::default(),
            table,
            blocks,
            places,
            setups,
            episodes,
            demand: Vec::new(),
        };
        // Blocks are made at the start of a game, so only drawn demand is missing.
        if config.demand.is_drawn() {
            for lane in 0..lanes {
                batch.restart(lane);
            }
        }
        Ok(batch)
    }

    /// Resets a lane to the start of its episode.
    fn restart(&mut self, lane: usize) {
        let (Some((block, column)), Some(&Episode { seed, .. })) =
            (self.places.get(lane), self.episodes.get(lane))
        else {
            return;
        };
        let (demand, weeks) = (&self.config.demand, self.config.weeks);
        if demand.is_drawn() {
            demand.draw_into(weeks, seed, &mut self.demand);
        }
        if let Some(block) = self.blocks.get_mut(block) {
            block.restart(column, &self.demand);
        }
    }

    /// The lineup of an episode.
    fn turn(&self, index: u64) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "below the number of lineups"
        )]
        let turn = index.checked_rem(self.setups.len() as u64).unwrap_or(0) as usize;
        turn
    }

    /// Seats a lane against the lineup of episode `index`.
    fn seat(&mut self, lane: usize, index: u64) -> Result<(), ConfigError> {
        let Some(before) = self.episodes.get(lane) else {
            return Err(no_lane(lane, self.layout.lanes));
        };
        let turn = self.turn(index);
        if turn == self.turn(before.index) {
            return Ok(());
        }
        // The lanes of a block have the same opponents, and which lanes share one follows from their numbers.
        if !self.places.are_alone() {
            self.part();
        }
        if let (Some(setup), Some(block)) = (self.setups.get(turn), self.blocks.get_mut(lane)) {
            let (demand, weeks) = (&self.config.demand, self.config.weeks);
            let common = (!demand.is_drawn()).then(|| demand.draw(weeks, Seed(0)).into());
            *block = Games::new(setup, &self.table, common.as_ref(), Lanes::one(lane));
        }
        Ok(())
    }

    /// Gives every lane a block of its own. All games go on as they are.
    fn part(&mut self) {
        let places = self.places.all().enumerate();
        let blocks = places.filter_map(|(lane, place)| {
            let (block, column) = place?;
            Some(self.blocks.get(block)?.alone(column, lane))
        });
        self.blocks = blocks.collect();
        self.places = Places::alone(self.layout.lanes);
    }

    fn instance(&self, lane: usize) -> Option<Instance> {
        Instance::generate(&self.config, *self.episodes.get(lane)?).ok()
    }
}

impl BatchEnvironment for Batch {
    fn layout(&self) -> &BatchLayout {
        &self.layout
    }

    fn arrange(&mut self, layout: Layout) -> bool {
        self.arrangement = layout;
        true
    }

    fn reset_lane(&mut self, lane: usize, episode: Episode) -> Result<(), ConfigError> {
        self.seat(lane, episode.index)?;
        if let Some(slot) = self.episodes.get_mut(lane) {
            *slot = episode;
        }
        self.restart(lane);
        Ok(())
    }

    fn observe_into(&self, obs: &mut [f32]) -> Result<(), ShapeError> {
        ShapeError::check("obs", obs.len(), self.layout.observation_len())?;
        let mut obs = Observations::of(obs, self.arrangement, self.layout.lanes);
        for block in &self.blocks {
            block.observe(&self.table, &mut obs);
        }
        Ok(())
    }

    fn observe_lane(&self, lane: usize, obs: &mut [f32]) -> Result<(), ShapeError> {
        ShapeError::check("obs", obs.len(), FIELDS)?;
        if let Some((block, column)) = self.places.get(lane)
            && let Some(block) = self.blocks.get(block)
        {
            block.observe_column(&self.table, column, obs);
        }
        Ok(())
    }

    fn step_batch(
        &mut self,
        actions: &[f32],
        obs: &mut [f32],
        rewards: &mut [f64],
        dones: &mut [bool],
    ) -> Result<(), ShapeError> {
        self.layout.check(actions, obs, rewards, dones)?;
        let largest = largest_order(&self.config);
        let obs = Observations::of(obs, self.arrangement, self.layout.lanes);
        step_games(
            &mut self.blocks,
            &self.table,
            largest,
            actions,
            (obs, rewards, dones),
        );
        Ok(())
    }

    fn lane_value(&self, lane: usize) -> Option<f64> {
        let (block, column) = self.places.get(lane)?;
        Some(self.blocks.get(block)?.value(column))
    }

    fn reference_env(&self, lane: usize) -> Option<Box<dyn ToolEnvironment>> {
        let game = BeerGame::new(Arc::new(self.instance(lane)?)).ok()?;
        Some(Box::new(ToolAdapter::new(game)))
    }

    fn action_value(&self, action: &[f32]) -> Value {
        let action = action.first().copied().unwrap_or(0.0);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "whole and at most 1,000,000"
        )]
        let order = Action::of(row::to_order(action, largest_order(&self.config)) as i64);
        sim_core::bytes::json(&order)
    }

    fn fork(&self) -> Box<dyn BatchEnvironment> {
        Box::new(self.clone())
    }
}

/// Steps all blocks by one week.
///
/// Compiled once for any `x86_64` processor and once for each kind of wider vectors. All versions do
/// the same operations in the same order, so the results do not depend on the processor.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn step_games(
    games: &mut [Games],
    table: &Table,
    largest: f32,
    actions: &[f32],
    out: (Observations<'_>, &mut [f64], &mut [bool]),
) {
    let (mut obs, rewards, dones) = out;
    for block in games {
        block.step(table, largest, actions, &mut obs, rewards, dones);
    }
}

/// The largest order as `f32`. It is at most 1,000,000, so the conversion is exact.
#[expect(clippy::cast_precision_loss, reason = "at most 1,000,000")]
fn largest_order(config: &Config) -> f32 {
    config.play.largest_order as f32
}

/// Shapes, units and scales of the arrays.
#[expect(clippy::cast_precision_loss, reason = "all at most 1,000,000")]
fn layout(config: &Config, lanes: usize) -> BatchLayout {
    let flow = config.board.initial_flow.max(1) as f32;
    let stock = config.board.initial_inventory.max(1) as f32;
    let units = |name: &str, scale| Field::new(name, "units", 0.0, f32::MAX, scale);
    let weeks = config.weeks as f32;
    let backlog = f64::from(config.board.initial_inventory) * config.cost.backlog;
    BatchLayout {
        lanes,
        horizon: config.weeks,
        observation: vec![
            Field::new("week", "weeks", 1.0, weeks, weeks).whole(),
            units("inventory", stock),
            units("backlog", stock),
            units("incoming_order", flow),
            units("incoming_delivery", flow),
            units("in_transit", stock),
            units("on_order", stock),
            units("last_order", flow),
        ],
        // Orders above a few weeks' demand only fill the warehouse.
        action: vec![
            Field::new("quantity", "units", 0.0, largest_order(config), flow)
                .whole()
                .useful(15.0 * flow),
        ],
        reward: Reward {
            about: "minus the week's part of the score; the rewards of an episode sum to minus the \
                    score",
            sign: -1.0,
            // The cost of a week that lacks the initial stock.
            scale: if backlog > 0.0 { backlog } else { 1.0 },
        },
    }
}
