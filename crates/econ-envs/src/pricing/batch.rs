//! Many markets stepped together.

// Lanes are grouped in blocks of sixteen. Inside a block the numbers lie product by product, with the
// sixteen markets side by side (structure of arrays), so that the compiler turns every loop over
// markets into vector instructions. One market at a time cannot be vectorised well: it has 1 to 10
// products, and the loops over them are shorter than a vector.

mod block;

use super::action::Action;
use super::config::Config;
use super::env::Pricing;
use super::instance::Instance;
use super::market::Market;
use block::{Block, WIDTH};
use serde_json::Value;
use sim_core::{
    BatchEnvironment, BatchLayout, ConfigError, Episode, Field, Seed, ShapeError, ToolAdapter,
    ToolEnvironment,
};
use std::sync::Arc;

/// Independent runs of the pricing environment, one per lane.
///
/// Where linear and periodic movement alternate, lane `i` has the movement of episode `i`.
#[derive(Debug)]
pub struct Batch {
    config: Config,
    layout: BatchLayout,
    /// The lanes, in groups of [`WIDTH`].
    groups: Vec<Group>,
}

/// Up to [`WIDTH`] lanes and the block that holds their numbers.
#[derive(Debug)]
struct Group {
    lanes: Vec<Lane>,
    block: Block,
}

#[derive(Debug)]
struct Lane {
    market: Market,
    period: u32,
    /// Rounded profits of the scored periods \[$\].
    scored: f64,
}

impl Lane {
    fn new(config: &Config, lane: usize, seed: Seed) -> Result<Self, ConfigError> {
        Ok(Self {
            market: Market::of_generated(Instance::generate(
                config,
                Episode {
                    seed,
                    index: lane as u64,
                },
            )?)?,
            period: 0,
            scored: 0.0,
        })
    }

    fn is_over(&self) -> bool {
        self.period >= self.market.instance.config.periods
    }
}

impl Batch {
    /// `lanes` runs. Lane `i` starts with the instance that the child `lane`, `i` of `seed` draws.
    ///
    /// # Errors
    /// When the configuration is out of range.
    pub fn new(config: &Config, lanes: usize, seed: Seed) -> Result<Self, ConfigError> {
        config.check()?;
        let layout = layout(config, lanes);
        let mut groups = Vec::with_capacity(lanes.div_ceil(WIDTH));
        for first in (0..lanes).step_by(WIDTH) {
            let lanes: Vec<Lane> = (first..lanes.min(first + WIDTH))
                .map(|lane| Lane::new(config, lane, seed.child("lane", lane as u64)))
                .collect::<Result<_, _>>()?;
            let markets: Vec<&Market> = lanes.iter().map(|lane| &lane.market).collect();
            if let Some(block) = Block::new(&markets) {
                groups.push(Group { lanes, block });
            }
        }
        Ok(Self {
            config: config.clone(),
            layout,
            groups,
        })
    }

    fn lane(&self, lane: usize) -> Option<&Lane> {
        self.groups.get(lane / WIDTH)?.lanes.get(lane % WIDTH)
    }
}

impl Group {
    /// One period of all lanes that are not over. The block always computes all sixteen columns; `live`
    /// decides which results are kept, because a branch per column would prevent vectorisation.
    fn step(&mut self, config: &Config, actions: &[f32], rewards: &mut [f32], dones: &mut [bool]) {
        let n = usize::from(config.products);
        let mut live = [false; WIDTH];
        let mut periods = [0; WIDTH];
        for ((lane, live), period) in self.lanes.iter().zip(&mut live).zip(&mut periods) {
            *live = !lane.is_over();
            *period = lane.period;
        }
        let high = f64::from(single(highest_price(config)));
        for (column, action) in actions.chunks_exact(n).enumerate() {
            for (row, &x) in self.block.prices.iter_mut().zip(action) {
                if let Some(slot) = row.get_mut(column) {
                    *slot = decode(high, x);
                }
            }
        }
        self.block.step(&periods, &live);
        let mut totals = [0.0; WIDTH];
        for shown in &self.block.shown {
            for (total, profit) in totals.iter_mut().zip(&shown.profit) {
                *total += profit;
            }
        }
        let outs = rewards.iter_mut().zip(dones.iter_mut());
        for (((lane, live), total), (reward, done)) in
            self.lanes.iter_mut().zip(live).zip(totals).zip(outs)
        {
            *reward = 0.0;
            if live {
                if lane.period >= config.first_scored() {
                    lane.scored += total;
                    *reward = single(total / lane.market.scored_optimum());
                }
                lane.period += 1;
            }
            *done = lane.is_over();
        }
    }

    fn observe(&self, obs: &mut [f32], fields: usize) {
        for (column, (lane, out)) in self
            .lanes
            .iter()
            .zip(obs.chunks_exact_mut(fields))
            .enumerate()
        {
            if let [attempt, ceiling, rest @ ..] = out {
                *attempt = f32::from(u16::try_from(lane.period).unwrap_or(u16::MAX));
                *ceiling = single(lane.market.ceiling(lane.period));
                for (slots, shown) in rest.chunks_exact_mut(4).zip(&self.block.shown) {
                    let rows = [&shown.price, &shown.quantity, &shown.profit, &shown.cost];
                    for (slot, row) in slots.iter_mut().zip(rows) {
                        *slot = row.get(column).copied().map_or(0.0, single);
                    }
                }
            }
        }
    }
}

/// Highest price of the action space \[$\]: a hundred times the largest sensitivity. At the presets optimal real prices
/// are below 20, so the range includes every sensible price.
fn highest_price(config: &Config) -> f64 {
    100.0 * config.alpha_high
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "observations are single precision"
)]
fn single(x: f64) -> f32 {
    x as f32
}

fn layout(config: &Config, lanes: usize) -> BatchLayout {
    let high = single(highest_price(config));
    let typical = single(3.0 * config.alpha_high);
    let size = single(config.market_size);
    let field = |name: String, unit, low, high, scale, integer| Field {
        name,
        unit,
        low,
        high,
        scale,
        integer,
    };
    let periods = f32::from(u16::try_from(config.periods).unwrap_or(u16::MAX));
    let mut observation = vec![
        field(
            "attempt".to_owned(),
            "attempts",
            0.0,
            periods,
            periods,
            true,
        ),
        field("ceiling".to_owned(), "$", 0.0, high, typical, false),
    ];
    for product in 1..=config.products {
        observation.push(field(
            format!("price_{product}"),
            "$",
            0.0,
            high,
            typical,
            false,
        ));
        observation.push(field(
            format!("quantity_{product}"),
            "units",
            0.0,
            size,
            size,
            false,
        ));
        let max_profit = size * high;
        observation.push(field(
            format!("profit_{product}"),
            "$",
            -max_profit,
            max_profit,
            size,
            false,
        ));
        observation.push(field(format!("cost_{product}"), "$", 0.0, 1e4, 2.0, false));
    }
    let action = (1..=config.products)
        .map(|product| field(format!("price_{product}"), "$", 0.0, high, typical, false))
        .collect();
    BatchLayout {
        lanes,
        horizon: config.periods,
        observation,
        action,
        reward: "recorded profit over the best profit of all scored periods together in those \
                 periods, 0 before them: rewards sum to the score",
    }
}

impl BatchEnvironment for Batch {
    fn layout(&self) -> &BatchLayout {
        &self.layout
    }

    fn reset_lane(&mut self, lane: usize, seed: Seed) {
        let Some(group) = self.groups.get_mut(lane / WIDTH) else {
            return;
        };
        if let Some(slot) = group.lanes.get_mut(lane % WIDTH)
            // The configuration was checked when the batch was made.
            && let Ok(fresh) = Lane::new(&self.config, lane, seed)
        {
            group.block.put(lane % WIDTH, &fresh.market);
            *slot = fresh;
        }
    }

    fn observe_into(&self, obs: &mut [f32]) -> Result<(), ShapeError> {
        ShapeError::check("obs", obs.len(), self.layout.observation_len())?;
        let fields = self.layout.observation.len();
        for (group, out) in self.groups.iter().zip(obs.chunks_mut(WIDTH * fields)) {
            group.observe(out, fields);
        }
        Ok(())
    }

    fn step_batch(
        &mut self,
        actions: &[f32],
        obs: &mut [f32],
        rewards: &mut [f32],
        dones: &mut [bool],
    ) -> Result<(), ShapeError> {
        self.layout.check(actions, obs, rewards, dones)?;
        let n = usize::from(self.config.products);
        let ins = self.groups.iter_mut().zip(actions.chunks(WIDTH * n));
        let outs = rewards.chunks_mut(WIDTH).zip(dones.chunks_mut(WIDTH));
        for ((group, actions), (rewards, dones)) in ins.zip(outs) {
            group.step(&self.config, actions, rewards, dones);
        }
        self.observe_into(obs)
    }

    fn lane_value(&self, lane: usize) -> Option<f64> {
        self.lane(lane)
            .map(|lane| lane.scored / lane.market.scored_optimum())
    }

    fn reference_env(&self, lane: usize) -> Option<Box<dyn ToolEnvironment>> {
        let instance = self.lane(lane)?.market.instance.clone();
        let env = Pricing::new(Arc::new(instance)).ok()?;
        Some(Box::new(ToolAdapter::new(env)))
    }

    fn action_value(&self, action: &[f32]) -> Value {
        let high = f64::from(single(highest_price(&self.config)));
        let prices = action.iter().map(|&x| decode(high, x)).collect();
        sim_core::bytes::json(&Action { prices })
    }
}

/// The price that a number of an action vector encodes \[$\]; NaN counts as 0.
fn decode(high: f64, x: f32) -> f64 {
    if x.is_nan() {
        0.0
    } else {
        f64::from(x).clamp(0.0, high)
    }
}
