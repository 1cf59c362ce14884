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

// The lane keeps the figures of the last plan. It is not the environment, whose history holds every plan: that takes
// 128 KB at the end of a run of `hard`, ten times as much (docs/benchmarks.md, memory of a lane).
//
// The menu takes most of an observation and never changes in an episode, so it is encoded once per
// episode and copied. A step evaluates a list of counts with the evaluator's vector loop; it does not
// build a plan. The instance is drawn again in the rare case that a reference environment is asked for.

use super::action::Action;
use super::config::Config;
use super::env::Procurement;
use super::evaluate::Evaluator;
use super::instance::Instance;
use super::menu::dollars;
use crate::protocol::single;
use sim_core::batch::{LaneBatch, LaneSpec, Reward};
use sim_core::{BatchLayout, ConfigError, Episode, Field, Seed};
use std::sync::Arc;

/// Largest number of copies of an offer in an action vector.
const MOST: f32 = 10_000.0;
/// Number of fields before those of the offers.
const OWN_FIELDS: usize = 6;

/// Independent runs of the procurement environment, one per lane.
///
/// Copies are rounded and clipped to 0 to 10,000; NaN counts as 0.
pub type Batch = LaneBatch<Vectors>;

/// The plans of a run as vectors.
#[derive(Debug, Clone)]
pub struct Vectors {
    config: Config,
    /// Working memory: the copies of the lane that is stepped.
    copies: Vec<u32>,
}

/// One run in numbers.
#[derive(Debug, Clone)]
pub struct Lane {
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

impl LaneSpec for Vectors {
    type Config = Config;
    type Env = Procurement;
    type Lane = Lane;

    fn new(config: &Config, _: Seed) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self {
            config: config.clone(),
            copies: Vec::new(),
        })
    }

    fn layout(&self, lanes: usize) -> BatchLayout {
        layout(&self.config, lanes)
    }

    fn begin(&self, episode: Episode) -> Result<Lane, ConfigError> {
        let instance = Instance::generate(&self.config, episode)?;
        Ok(Lane {
            episode,
            market: Arc::new(Market {
                // The draw has checked it.
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

    fn read(&self, action: &[f32]) -> Action {
        let copies: Vec<u32> = action.iter().map(|&copies| count(copies)).collect();
        // So many copies are allowed, so the empty plan is unreachable.
        Action::from_counts(&copies).unwrap_or_default()
    }

    fn step(&mut self, lane: &mut Lane, action: &[f32]) -> f64 {
        // One list for all lanes: after the first step its memory is never allocated again.
        self.copies.clear();
        self.copies
            .extend(action.iter().map(|&copies| count(copies)));
        let result = lane.market.evaluator.evaluate_counts(&self.copies);
        lane.attempt += 1;
        lane.allowed = result.is_feasible();
        lane.cost_cents = result.cost_cents;
        lane.workers = if lane.allowed { result.workers } else { 0.0 };
        let before = lane.best;
        lane.best = before.max(lane.workers);
        lane.best - before
    }

    fn is_over(&self, lane: &Lane) -> bool {
        lane.attempt >= self.config.rules.periods
    }

    fn write(&self, lane: &Lane, row: &mut [f32]) {
        let own = [
            f64::from(lane.attempt),
            dollars(lane.market.evaluator.budget_cents()),
            f64::from(u8::from(lane.allowed)),
            hundredths(lane.workers),
            // Other agents do not learn the cost of a plan that is not allowed either.
            if lane.allowed {
                dollars(lane.cost_cents)
            } else {
                0.0
            },
            hundredths(lane.best),
        ];
        let (first, rest) = row.split_at_mut(OWN_FIELDS.min(row.len()));
        for (field, value) in first.iter_mut().zip(own) {
            *field = single(value);
        }
        let menu = &lane.market.menu;
        if rest.len() == menu.len() {
            rest.copy_from_slice(menu);
        }
    }

    fn value(&self, lane: &Lane) -> f64 {
        lane.best
    }

    fn reference_env(&self, lane: &Lane) -> Result<Procurement, ConfigError> {
        Procurement::new(Arc::new(Instance::generate(&self.config, lane.episode)?))
    }
}

/// The number of copies in a field of an action vector, rounded.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clipped to 0..=MOST already"
)]
fn count(copies: f32) -> u32 {
    // Adding a half is exact in double precision, so this equals `round`, which is a slow function call
    // on processors without a rounding instruction.
    (f64::from(copies) + 0.5) as u32
}

/// Rounded to two decimals, as other agents see it.
fn hundredths(workers: f64) -> f64 {
    (workers * 100.0).round() / 100.0
}

fn menu_fields(instance: &Instance) -> Vec<f32> {
    let menu = &instance.menu;
    let mut fields = Vec::with_capacity(menu.offers.len() * (3 + menu.categories()));
    let mut units = vec![0_u32; menu.categories()];
    for offer in &menu.offers {
        fields.push(single(dollars(offer.unit_cents)));
        fields.push(single(dollars(offer.upfront_cents())));
        fields.push(single(f64::from(offer.min_copies())));
        units.fill(0);
        for &(product, count) in &offer.contents {
            if let Some(sum) = units.get_mut(usize::from(product.category)) {
                *sum += count;
            }
        }
        fields.extend(units.iter().map(|&units| single(f64::from(units))));
    }
    fields
}

fn layout(config: &Config, lanes: usize) -> BatchLayout {
    let field = |name: &str, unit, high, scale| Field::new(name, unit, 0.0, high, scale);
    let periods = single(f64::from(config.rules.periods));
    let mut observation = vec![
        field("attempt", "attempts", periods, periods).whole(),
        field("budget", "$", 1e10, 100.0),
        field("last_plan_allowed", "", 1.0, 1.0).whole(),
        field("last_workers", "workers", 1e12, 100.0),
        field("last_cost", "$", 1e10, 100.0),
        field("best_workers", "workers", 1e12, 100.0),
    ];
    let mut action = Vec::new();
    for number in 1..=config.offer_count() {
        let own = |what: &str| format!("offer_{number}_{what}");
        observation.push(field(&own("price"), "$", 1e6, 10.0));
        observation.push(field(&own("upfront"), "$", 1e6, 10.0));
        observation.push(field(&own("minimum"), "copies", 1e4, 5.0).whole());
        for category in 1..=config.categories {
            let name = own(&format!("units_of_category_{category}"));
            observation.push(field(&name, "units", 1e9, 10.0).whole());
        }
        // A budget buys a few dozen copies of an offer.
        action.push(
            field(&own("copies"), "copies", MOST, 10.0)
                .whole()
                .useful(50.0),
        );
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
