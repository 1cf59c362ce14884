//! Many markets stepped together, for reinforcement learning.
//!
//! The observation of a lane holds its menu (prices, conditions, units by category), the attempt and the
//! result of the last plan; the action is the number of copies of every offer. The reward is the increase
//! of the best number of workers so far, so the rewards of an episode add up to its score.
//!
//! ```
//! use econ_envs::procurement::{Batch, Config};
//! use sim_core::{BatchEnvironment, Seed};
//!
//! let mut batch = Batch::new(&Config::basic(), 2, Seed(4))?;
//! let layout = batch.layout().clone();
//! // 6 numbers, then price, upfront, minimum and units by category of each of 12 offers.
//! assert_eq!(layout.observation.len(), 6 + 12 * (3 + 3));
//! let mut obs = vec![0.0; layout.observation_len()];
//! let (mut rewards, mut dones) = ([0.0; 2], [false; 2]);
//! // Nothing in lane 0, and ten thousand copies of everything in lane 1: more than any budget.
//! let actions: Vec<f32> = [0.0; 12].into_iter().chain([1e9; 12]).collect();
//! batch.step_batch(&actions, &mut obs, &mut rewards, &mut dones)?;
//! assert_eq!((rewards, dones), ([0.0; 2], [false; 2]));
//! let allowed = |lane: usize| obs[lane * layout.observation.len() + 2];
//! assert_eq!((allowed(0), allowed(1)), (1.0, 0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// The menu takes most of an observation and never changes in an episode, so it is encoded once per
// episode and copied. A step evaluates a list of counts with the evaluator's vector loop; it does not
// build a plan. The instance is drawn again in the rare case that a reference environment is asked for.

use super::action::Action;
use super::config::Config;
use super::env::Procurement;
use super::evaluate::Evaluator;
use super::instance::Instance;
use serde_json::Value;
use sim_core::batch::{Reward, no_lane};
use sim_core::{
    BatchEnvironment, BatchLayout, ConfigError, Episode, Field, Seed, ShapeError, ToolEnvironment,
};
use std::sync::Arc;

/// Largest number of copies of an offer in an action vector.
const MOST: f32 = 10_000.0;
/// Number of fields before those of the offers.
const OWN_FIELDS: usize = 6;

/// Independent runs of the procurement environment, one per lane.
///
/// Copies are rounded and clipped to 0 to 10,000; NaN counts as 0.
#[derive(Debug, Clone)]
pub struct Batch {
    config: Config,
    layout: BatchLayout,
    lanes: Vec<Lane>,
    /// Working memory: the copies of the lane that is stepped.
    copies: Vec<u32>,
}

#[derive(Debug, Clone)]
struct Lane {
    episode: Episode,
    /// Shared with the forks of the lane.
    market: Arc<Market>,
    attempt: u32,
    best: f64,
    workers: f64,
    cost_cents: i64,
    allowed: bool,
}

/// What never changes in an episode.
#[derive(Debug)]
struct Market {
    evaluator: Evaluator,
    /// The part of the observation that shows it.
    menu: Vec<f32>,
}

impl Batch {
    /// `lanes` runs; lane `k` starts with episode `k` of the run with seed `run`.
    ///
    /// # Errors
    /// When the configuration is out of range.
    pub fn new(config: &Config, lanes: usize, run: Seed) -> Result<Self, ConfigError> {
        config.check()?;
        let lanes: Vec<Lane> = (0..lanes as u64)
            .map(|lane| Lane::new(config, Episode::of_run(run, lane)))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            layout: layout(config, lanes.len()),
            config: config.clone(),
            lanes,
            copies: Vec::new(),
        })
    }
}

impl Lane {
    fn new(config: &Config, episode: Episode) -> Result<Self, ConfigError> {
        let instance = Instance::generate(config, episode)?;
        Ok(Self {
            episode,
            market: Arc::new(Market {
                evaluator: Evaluator::of_checked(&instance),
                menu: menu_fields(&instance),
            }),
            attempt: 0,
            best: 0.0,
            workers: 0.0,
            cost_cents: 0,
            allowed: false,
        })
    }

    fn is_over(&self, config: &Config) -> bool {
        self.attempt >= config.rules.periods
    }

    /// Submits a plan and returns the reward.
    fn step(&mut self, copies: &[u32]) -> f64 {
        let result = self.market.evaluator.evaluate_counts(copies);
        self.attempt += 1;
        self.allowed = result.is_feasible();
        self.cost_cents = result.cost_cents;
        self.workers = if self.allowed { result.workers } else { 0.0 };
        let before = self.best;
        self.best = before.max(self.workers);
        self.best - before
    }

    fn observe(&self, fields: &mut [f32]) {
        let own = [
            f64::from(self.attempt),
            dollars(self.market.evaluator.budget_cents()),
            f64::from(u8::from(self.allowed)),
            hundredths(self.workers),
            // Other agents do not learn the cost of a plan that is not allowed either.
            if self.allowed {
                dollars(self.cost_cents)
            } else {
                0.0
            },
            hundredths(self.best),
        ];
        let (first, rest) = fields.split_at_mut(OWN_FIELDS.min(fields.len()));
        for (field, value) in first.iter_mut().zip(own) {
            *field = narrow(value);
        }
        let menu = &self.market.menu;
        if rest.len() == menu.len() {
            rest.copy_from_slice(menu);
        }
    }
}

impl BatchEnvironment for Batch {
    fn layout(&self) -> &BatchLayout {
        &self.layout
    }

    fn reset_lane(&mut self, lane: usize, episode: Episode) -> Result<(), ConfigError> {
        let slot = self.lanes.get_mut(lane);
        *slot.ok_or_else(|| no_lane(lane, self.layout.lanes))? = Lane::new(&self.config, episode)?;
        Ok(())
    }

    fn observe_lane(&self, lane: usize, obs: &mut [f32]) -> Result<(), ShapeError> {
        ShapeError::check("obs", obs.len(), self.layout.observation.len())?;
        if let Some(lane) = self.lanes.get(lane) {
            lane.observe(obs);
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
        let actions = actions.chunks_exact(self.layout.action.len());
        let fields = obs.chunks_exact_mut(self.layout.observation.len());
        let results = rewards.iter_mut().zip(dones.iter_mut());
        for (((lane, action), fields), (reward, done)) in
            self.lanes.iter_mut().zip(actions).zip(fields).zip(results)
        {
            *reward = 0.0;
            if !lane.is_over(&self.config) {
                // One list for all lanes: after the first step its memory is never
                // allocated again.
                self.copies.clear();
                self.copies
                    .extend(action.iter().map(|&copies| count(copies)));
                *reward = lane.step(&self.copies);
            }
            *done = lane.is_over(&self.config);
            lane.observe(fields);
        }
        Ok(())
    }

    fn lane_value(&self, lane: usize) -> Option<f64> {
        self.lanes.get(lane).map(|lane| lane.best)
    }

    fn reference_env(&self, lane: usize) -> Option<Box<dyn ToolEnvironment>> {
        let instance = Instance::generate(&self.config, self.lanes.get(lane)?.episode).ok()?;
        let env = Procurement::new(Arc::new(instance)).ok()?;
        Some(Box::new(sim_core::ToolAdapter::new(env)))
    }

    fn action_value(&self, action: &[f32]) -> Value {
        let copies: Vec<u32> = action.iter().map(|&copies| count(copies)).collect();
        Action::from_counts(&copies)
            .ok()
            .and_then(|plan| serde_json::to_value(plan).ok())
            .unwrap_or(Value::Null)
    }

    fn fork(&self) -> Box<dyn BatchEnvironment> {
        Box::new(self.clone())
    }
}

/// The number of copies in a field of an action vector, rounded; NaN counts as 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0..=MOST; NaN becomes 0"
)]
fn count(copies: f32) -> u32 {
    // Adding a half is exact in double precision, so this equals `round`, which is a slow function call
    // on processors without a rounding instruction.
    (f64::from(copies.clamp(0.0, MOST)) + 0.5) as u32
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "observations and rewards are single precision"
)]
fn narrow(value: f64) -> f32 {
    value as f32
}

/// Rounded to two decimals, as other agents see it.
fn hundredths(workers: f64) -> f64 {
    (workers * 100.0).round() / 100.0
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53 cents")]
fn dollars(cents: i64) -> f64 {
    cents as f64 / 100.0
}

fn menu_fields(instance: &Instance) -> Vec<f32> {
    let menu = &instance.menu;
    let mut fields = Vec::with_capacity(menu.offers.len() * (3 + menu.categories()));
    let mut units = vec![0_u32; menu.categories()];
    for offer in &menu.offers {
        fields.push(narrow(dollars(offer.unit_cents)));
        fields.push(narrow(dollars(offer.upfront_cents())));
        fields.push(narrow(f64::from(offer.min_copies())));
        units.fill(0);
        for &(product, count) in &offer.contents {
            if let Some(sum) = units.get_mut(usize::from(product.category)) {
                *sum += count;
            }
        }
        fields.extend(units.iter().map(|&units| narrow(f64::from(units))));
    }
    fields
}

fn layout(config: &Config, lanes: usize) -> BatchLayout {
    let field = |name: &str, unit, high, scale, whole| {
        let field = Field::new(name, unit, 0.0, high, scale);
        if whole { field.whole() } else { field }
    };
    let periods = narrow(f64::from(config.rules.periods));
    let mut observation = vec![
        field("attempt", "attempts", periods, periods, true),
        field("budget", "$", 1e10, 100.0, false),
        field("last_plan_allowed", "", 1.0, 1.0, true),
        field("last_workers", "workers", 1e12, 100.0, false),
        field("last_cost", "$", 1e10, 100.0, false),
        field("best_workers", "workers", 1e12, 100.0, false),
    ];
    let mut action = Vec::new();
    for number in 1..=config.offer_count() {
        let own = |what: &str| format!("offer_{number}_{what}");
        observation.push(field(&own("price"), "$", 1e6, 10.0, false));
        observation.push(field(&own("upfront"), "$", 1e6, 10.0, false));
        observation.push(field(&own("minimum"), "copies", 1e4, 5.0, true));
        for category in 1..=config.categories {
            let name = own(&format!("units_of_category_{category}"));
            observation.push(field(&name, "units", 1e9, 10.0, true));
        }
        // A budget buys a few dozen copies of an offer.
        action.push(field(&own("copies"), "copies", MOST, 10.0, true).useful(50.0));
    }
    BatchLayout {
        lanes,
        horizon: config.rules.periods,
        observation,
        action,
        reward: Reward {
            about: "by how many workers the plan beats the best feasible one so far; the rewards \
                    of an episode add up to its score",
            sign: 1.0,
            scale: 100.0,
        },
    }
}
