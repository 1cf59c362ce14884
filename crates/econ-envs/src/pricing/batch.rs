//! Many markets stepped together.

// Not a `LaneBatch`: a market takes 45 ns here and 238 ns in the environment (docs/benchmarks.md, `pricing/step/lockstep`
// and `pricing/step/period`), because many markets are computed at once.
//
// Lanes are grouped in blocks of sixteen. Inside a block the numbers lie product by product, with the
// sixteen markets side by side (structure of arrays), so that the compiler turns every loop over
// markets into vector instructions. One market at a time cannot be vectorised well: it has 1 to 10
// products, and the loops over them are shorter than a vector.

mod block;

use super::action::Action;
use super::config::Config;
use super::env::Pricing;
use super::generate::generate;
use super::instance::{Instance, Shift};
use super::market::Market;
use crate::protocol::single;
use block::{Block, Place, Row, WIDTH, Work};
use serde_json::Value;
use sim_core::batch::{Reward, no_lane};
use sim_core::{
    BatchEnvironment, BatchLayout, ConfigError, Episode, Field, Layout, Seed, ShapeError,
    ToolAdapter, ToolEnvironment,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Fields of an observation before those of the products: attempt and ceiling.
const BEFORE: usize = 2;

/// Independent runs of the pricing environment, one per lane.
///
/// Where linear and periodic movement alternate, they do so by the number of the episode.
#[derive(Debug, Clone)]
pub struct Batch {
    config: Config,
    layout: BatchLayout,
    arranged: Layout,
    patterns: Patterns,
    /// The lanes, in groups of [`WIDTH`].
    groups: Vec<Group>,
    work: Work,
}

/// The factors of all periods, for each pattern of movement.
///
/// A batch has at most eleven lengths of a season, so the sines are computed once and not in every
/// lane and period.
#[derive(Debug, Clone)]
struct Patterns {
    line: Arc<[f64]>,
    seasons: BTreeMap<u32, Arc<[f64]>>,
}

impl Patterns {
    fn new(config: &Config) -> Self {
        let line = Shift::Linear { steps: Vec::new() };
        Self {
            line: line.factors(config.periods).into(),
            seasons: BTreeMap::new(),
        }
    }

    /// The factors of an instance's movement.
    fn of(&mut self, instance: &Instance) -> Arc<[f64]> {
        let shift = &instance.shift;
        let factors = match shift {
            Shift::Linear { .. } => &self.line,
            Shift::Periodic { length, .. } => self
                .seasons
                .entry(*length)
                .or_insert_with(|| shift.factors(instance.config.periods).into()),
        };
        Arc::clone(factors)
    }
}

/// Up to [`WIDTH`] lanes and the block that holds their numbers.
///
/// What a step reads lies in rows beside each other; the lanes are read when a ceiling changes.
#[derive(Debug, Clone)]
struct Group {
    lanes: Vec<Lane>,
    block: Block,
    /// The period of each lane.
    periods: [u32; WIDTH],
    /// Rounded profits of the scored periods \[$\].
    scored: Row,
    /// The highest profit that the scored periods can earn together \[$\].
    best: Row,
    /// The printed ceiling of each lane's period \[$\], and the periods until it changes.
    ceilings: [f32; WIDTH],
    until_next: [u32; WIDTH],
}

/// What a lane keeps of its market beside the numbers in the block. The rest of the instance is drawn again
/// in the rare case that a reference environment is asked for.
#[derive(Debug, Clone)]
struct Lane {
    episode: Episode,
    /// The printed ceiling of each block of periods \[$\].
    ceilings: Box<[f32]>,
}

impl Lane {
    fn new(market: &Market, episode: Episode) -> Self {
        Self {
            episode,
            ceilings: market.ceilings().iter().map(|x| single(*x)).collect(),
        }
    }

    /// The printed ceiling of a block of periods; after the last one, still the last one \[$\].
    fn ceiling(&self, block: u32) -> f32 {
        let ceiling = self.ceilings.get(block as usize);
        ceiling.or(self.ceilings.last()).copied().unwrap_or(0.0)
    }
}

/// The market of a lane, with the factors of its movement.
fn market(
    config: &Config,
    patterns: &mut Patterns,
    episode: Episode,
) -> Result<(Market, Arc<[f64]>), ConfigError> {
    let (instance, demand, best) = generate(config, episode)?;
    let factors = patterns.of(&instance);
    let market = Market::of_parts(instance, demand, best, &factors);
    Ok((market, factors))
}

impl Batch {
    /// `lanes` runs; lane `k` starts with episode `k` of the run with seed `run`.
    ///
    /// # Errors
    /// When the configuration is out of range.
    pub fn new(config: &Config, lanes: usize, run: Seed) -> Result<Self, ConfigError> {
        config.check()?;
        let layout = layout(config, lanes);
        let mut patterns = Patterns::new(config);
        let mut groups = Vec::with_capacity(lanes.div_ceil(WIDTH));
        for first in (0..lanes).step_by(WIDTH) {
            let episodes: Vec<_> = (first..lanes.min(first + WIDTH))
                .map(|lane| Episode::of_run(run, lane as u64))
                .collect();
            let drawn: Vec<_> = episodes
                .iter()
                .map(|episode| market(config, &mut patterns, *episode))
                .collect::<Result<_, _>>()?;
            let markets: Vec<_> = drawn
                .iter()
                .map(|(market, factors)| (market, factors))
                .collect();
            if let Some(block) = Block::new(&markets) {
                let mut group = Group {
                    block,
                    lanes: drawn
                        .iter()
                        .zip(episodes)
                        .map(|((market, _), episode)| Lane::new(market, episode))
                        .collect(),
                    periods: [0; WIDTH],
                    scored: [0.0; WIDTH],
                    best: [1.0; WIDTH],
                    ceilings: [0.0; WIDTH],
                    until_next: [0; WIDTH],
                };
                for (column, (market, _)) in drawn.iter().enumerate() {
                    group.restart(column, market);
                }
                groups.push(group);
            }
        }
        Ok(Self {
            config: config.clone(),
            layout,
            arranged: Layout::default(),
            patterns,
            groups,
            work: Work::default(),
        })
    }

    fn group(&self, lane: usize) -> Option<(&Group, usize)> {
        let group = self.groups.get(lane / WIDTH)?;
        let column = lane % WIDTH;
        (column < group.lanes.len()).then_some((group, column))
    }

    /// The place of a group's lanes in the buffer of observations.
    fn place(&self, group: usize) -> Place {
        let first = group * WIDTH;
        Place {
            first,
            count: WIDTH.min(self.layout.lanes.saturating_sub(first)),
            lanes: self.layout.lanes,
            before: BEFORE,
            fields: self.layout.observation.len(),
        }
    }
}

impl Group {
    /// Puts the counters of a column to the start of a market.
    fn restart(&mut self, column: usize, market: &Market) {
        let block = market.instance.config.ceiling_block;
        if let Some(period) = self.periods.get_mut(column) {
            *period = 0;
        }
        for (row, value) in [
            (&mut self.scored, 0.0),
            (&mut self.best, market.scored_optimum()),
        ] {
            if let Some(slot) = row.get_mut(column) {
                *slot = value;
            }
        }
        let mut ceilings = self.ceilings.iter_mut().zip(&mut self.until_next);
        if let Some((ceiling, until_next)) = ceilings.nth(column) {
            (*ceiling, *until_next) = (single(market.ceiling(0)), block);
        }
    }

    /// Reads the prices of the group's lanes.
    fn read(layout: Layout, place: &Place, high: f32, actions: &[f32], prices: &mut [Row]) {
        let n = prices.len();
        let lanes = place.first..place.first + place.count;
        match layout {
            Layout::LaneMajor => {
                let actions = actions.chunks_exact(n.max(1));
                for (column, action) in actions.skip(lanes.start).take(place.count).enumerate() {
                    for (row, &x) in prices.iter_mut().zip(action) {
                        if let Some(slot) = row.get_mut(column) {
                            *slot = decode(high, x);
                        }
                    }
                }
            }
            Layout::FieldMajor => {
                let fields = actions.chunks_exact(place.lanes.max(1));
                for (row, field) in prices.iter_mut().zip(fields) {
                    let field = field.get(lanes.clone()).unwrap_or_default();
                    for (slot, &x) in row.iter_mut().zip(field) {
                        *slot = decode(high, x);
                    }
                }
            }
        }
    }

    /// One period of all lanes that are not over, at the prices in `work`. The block always computes
    /// all sixteen columns; `live` decides which results are kept, because a branch per column would
    /// prevent vectorisation.
    fn step(&mut self, config: &Config, work: &mut Work, rewards: &mut [f64], dones: &mut [bool]) {
        let live = self.periods.map(|period| period < config.periods);
        self.block.step(work, &self.periods, &live);
        let outs = rewards.iter_mut().zip(dones.iter_mut());
        for (column, ((reward, done), live)) in outs.zip(live).enumerate() {
            *reward = 0.0;
            if live {
                self.close(config, column, &work.profit, reward);
            }
            *done = self
                .periods
                .get(column)
                .is_none_or(|period| *period >= config.periods);
        }
    }

    /// Ends the period of a column that is not over.
    #[inline(always)]
    fn close(&mut self, config: &Config, column: usize, profit: &Row, reward: &mut f64) {
        let (Some(period), Some(scored), Some(best), Some(profit), Some(until_next)) = (
            self.periods.get_mut(column),
            self.scored.get_mut(column),
            self.best.get(column),
            profit.get(column),
            self.until_next.get_mut(column),
        ) else {
            return;
        };
        if *period >= config.first_scored() {
            *scored += profit;
            *reward = profit / best;
        }
        *period += 1;
        // Counted down, because a division of the period in every lane takes longer.
        *until_next -= 1;
        if *until_next == 0 {
            *until_next = config.ceiling_block;
            if let Some((lane, slot)) = self.lanes.get(column).zip(self.ceilings.get_mut(column)) {
                *slot = lane.ceiling(*period / config.ceiling_block);
            }
        }
    }

    /// Writes the observation of one column.
    fn observe_column(&self, column: usize, obs: &mut [f32]) {
        let fields = obs.len();
        let mut all = vec![0.0; WIDTH * fields];
        let place = Place {
            first: 0,
            count: WIDTH,
            lanes: WIDTH,
            before: BEFORE,
            fields,
        };
        self.observe(Layout::LaneMajor, &place, &mut all);
        if let Some(own) = all.get(column * fields..(column + 1) * fields) {
            obs.copy_from_slice(own);
        }
    }

    /// Writes the observations of the group's lanes.
    fn observe(&self, layout: Layout, place: &Place, obs: &mut [f32]) {
        let attempts = self.periods.map(|period| {
            // A run has at most 10,000 periods (`Config::check`).
            f32::from(u16::try_from(period).unwrap_or(u16::MAX))
        });
        let columns = attempts.iter().zip(&self.ceilings).take(place.count);
        for (column, (attempt, ceiling)) in columns.enumerate() {
            let lane = place.first + column;
            let slots = match layout {
                Layout::LaneMajor => [lane * place.fields, lane * place.fields + 1],
                Layout::FieldMajor => [lane, place.lanes + lane],
            };
            for (slot, value) in slots.into_iter().zip([attempt, ceiling]) {
                if let Some(slot) = obs.get_mut(slot) {
                    *slot = *value;
                }
            }
        }
        self.block.observe(layout, place, obs);
    }
}

/// Highest price of the action space \[$\]: a hundred times the largest sensitivity. At the presets optimal real prices
/// are below 20, so the range includes every sensible price.
fn highest_price(config: &Config) -> f64 {
    100.0 * config.alpha_high
}

fn layout(config: &Config, lanes: usize) -> BatchLayout {
    let high = single(highest_price(config));
    let typical = single(3.0 * config.alpha_high);
    let size = single(config.market_size);
    let periods = f32::from(u16::try_from(config.periods).unwrap_or(u16::MAX));
    let mut observation = vec![
        Field::new("attempt", "attempts", 0.0, periods, periods).whole(),
        // Not limited by `high`: it is a multiple of the best price, which settings can move anywhere.
        Field::new("ceiling", "$", 0.0, f32::MAX, typical),
    ];
    for product in 1..=config.products {
        observation.push(Field::new(
            format!("price_{product}"),
            "$",
            0.0,
            high,
            typical,
        ));
        observation.push(Field::new(
            format!("quantity_{product}"),
            "units",
            0.0,
            size,
            size,
        ));
        let max_profit = size * high;
        observation.push(Field::new(
            format!("profit_{product}"),
            "$",
            -max_profit,
            max_profit,
            size,
        ));
        observation.push(Field::new(format!("cost_{product}"), "$", 0.0, 1e4, 2.0));
    }
    let action = (1..=config.products)
        .map(|product| {
            // At the presets the best prices lie below seven times the largest sensitivity.
            let price = Field::new(format!("price_{product}"), "$", 0.0, high, typical);
            price.useful(3.0 * typical)
        })
        .collect();
    BatchLayout {
        lanes,
        horizon: config.periods,
        observation,
        action,
        reward: Reward {
            about: "recorded profit over the best profit of all scored periods together in those \
                    periods, 0 before them: rewards sum to the score",
            sign: 1.0,
            scale: 1.0 / f64::from(config.periods.saturating_sub(config.first_scored()).max(1)),
        },
    }
}

impl BatchEnvironment for Batch {
    fn layout(&self) -> &BatchLayout {
        &self.layout
    }

    fn arrange(&mut self, layout: Layout) -> bool {
        self.arranged = layout;
        true
    }

    fn reset_lane(&mut self, lane: usize, episode: Episode) -> Result<(), ConfigError> {
        let (fresh, factors) = market(&self.config, &mut self.patterns, episode)?;
        let column = lane % WIDTH;
        if let Some(group) = self.groups.get_mut(lane / WIDTH)
            && let Some(slot) = group.lanes.get_mut(column)
        {
            *slot = Lane::new(&fresh, episode);
            group.block.put(column, &fresh, &factors);
            group.restart(column, &fresh);
            return Ok(());
        }
        Err(no_lane(lane, self.layout.lanes))
    }

    fn observe_into(&self, obs: &mut [f32]) -> Result<(), ShapeError> {
        ShapeError::check("obs", obs.len(), self.layout.observation_len())?;
        for (number, group) in self.groups.iter().enumerate() {
            group.observe(self.arranged, &self.place(number), obs);
        }
        Ok(())
    }

    fn observe_lane(&self, lane: usize, obs: &mut [f32]) -> Result<(), ShapeError> {
        ShapeError::check("obs", obs.len(), self.layout.observation.len())?;
        if let Some((group, column)) = self.group(lane) {
            group.observe_column(column, obs);
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
        let n = usize::from(self.config.products);
        let high = single(highest_price(&self.config));
        // Columns without a lane get a price too, because every column is computed.
        self.work.prices.resize(n, [1.0; WIDTH]);
        let outs = rewards.chunks_mut(WIDTH).zip(dones.chunks_mut(WIDTH));
        for (number, (rewards, dones)) in outs.enumerate() {
            let place = self.place(number);
            let Some(group) = self.groups.get_mut(number) else {
                break;
            };
            Group::read(self.arranged, &place, high, actions, &mut self.work.prices);
            group.step(&self.config, &mut self.work, rewards, dones);
            // While the group is in the cache.
            group.observe(self.arranged, &place, obs);
        }
        Ok(())
    }

    fn lane_value(&self, lane: usize) -> Option<f64> {
        let (group, column) = self.group(lane)?;
        Some(group.scored.get(column)? / group.best.get(column)?)
    }

    fn reference_env(&self, lane: usize) -> Option<Box<dyn ToolEnvironment>> {
        let (group, column) = self.group(lane)?;
        let episode = group.lanes.get(column)?.episode;
        let instance = Instance::generate(&self.config, episode).ok()?;
        let env = Pricing::new(Arc::new(instance)).ok()?;
        Some(Box::new(ToolAdapter::new(env)))
    }

    fn action_value(&self, action: &[f32]) -> Value {
        let high = single(highest_price(&self.config));
        let prices = action.iter().map(|&x| decode(high, x)).collect();
        sim_core::bytes::json(&Action { prices })
    }

    fn fork(&self) -> Box<dyn BatchEnvironment> {
        Box::new(self.clone())
    }
}

/// The price that a number of an action vector encodes \[$\]; NaN counts as 0.
#[inline(always)]
fn decode(high: f32, x: f32) -> f64 {
    // Comparisons that are false for NaN, because `clamp` would keep it.
    let x = if x >= 0.0 { x } else { 0.0 };
    f64::from(if x > high { high } else { x })
}
