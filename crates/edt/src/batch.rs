//! Many firms stepped together, for reinforcement learning: one decision per lane, as a vector.
//!
//! A vector of the observation has 6 numbers about the firm and 9 about each project; a
//! vector of the action has 2 numbers and 3 for each project. [`BatchLayout`] names them
//! in order, with unit and range. All lanes have the same shapes because the numbers of
//! projects and of consultants follow from the configuration.
//!
//! ```
//! use edt::{Batch, Config};
//! use sim_core::{BatchEnvironment, Seed};
//!
//! let config = Config::preset("small").ok_or("no such preset")?;
//! let mut batch = Batch::new(&config, 3, Seed(1))?;
//! let layout = batch.layout().clone();
//! assert_eq!((layout.observation.len(), layout.action.len()), (6 + 9 * 5, 2 + 3 * 5));
//!
//! // The middle of every range: half of the staff, half of the risk, all projects.
//! let plan: Vec<f32> = layout.action.iter().map(|field| f32::midpoint(field.low, field.high)).collect();
//! let mut obs = vec![0.0; layout.observation_len()];
//! let (mut rewards, mut dones) = ([0.0; 3], [false; 3]);
//! batch.step_batch(&plan.repeat(3), &mut obs, &mut rewards, &mut dones)?;
//! assert_eq!(dones, [true; 3]);
//! assert_eq!(batch.lane_value(0), Some(rewards[0]));
//! // A finished lane earns nothing until it is reset.
//! batch.step_batch(&plan.repeat(3), &mut obs, &mut rewards, &mut dones)?;
//! assert_eq!(rewards, [0.0; 3]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// The lane is the firm's engine and not the environment, whose feedback holds every series of the run: a step of that
// takes 4.4 times as long (docs/benchmarks.md, `edt/paper/environment` and `edt/lanes/1024`).
//
// A lane takes 16 bytes: a pointer that only drawn firms need, and one number. A flag beside the number for "the plan
// was played" would make it 24, because of the alignment of the number.

use crate::action::{Action, Window};
use crate::config::Config;
use crate::engine::Engine;
use crate::env::Edt;
use crate::firm::Firm;
use crate::instance::Instance;
use sim_core::batch::{LaneBatch, LaneSpec, Reward};
use sim_core::{BatchLayout, ConfigError, Episode, Field, Seed};
use std::sync::Arc;

/// Many episodes of one decision each, stepped together; lane `k` is episode `k` of the run.
///
/// Observation: firm and projects as an agent sees them with everything disclosed. Action:
/// consultants, risk level, and for each project whether to accept it, its start and its deadline, each of which is
/// moved to the nearest step; a deadline before the start counts as the start. Reward: the accumulated earnings.
///
/// `accept` is 1 from 0.5 on. Values outside a field's range are clipped, NaN counts as
/// the lowest value. An episode is one step, so every lane is done after the first call
/// of `step_batch`.
///
/// When the configuration has one instance only ([`Config::is_fixed`]), all lanes share one firm and
/// one engine; otherwise each lane has its own, and the firms are drawn when the batch is made.
pub type Batch = LaneBatch<Vectors>;

/// The firm's decision as a vector.
#[derive(Debug, Clone)]
pub struct Vectors {
    config: Config,
    /// The firm of the first episode. It gives the layout, because all firms of one configuration have the same
    /// shapes, and it is the firm of all lanes if there is only one: its engine's buffers stay in the cache.
    first: World,
}

/// A firm, the engine that runs it, and its observation.
#[derive(Debug, Clone)]
struct World {
    instance: Arc<Instance>,
    engine: Engine,
    seen: Vec<f32>,
}

/// One decision and its result.
#[derive(Debug, Clone)]
pub struct Lane {
    /// `None` if all lanes have the first firm.
    own: Option<Box<World>>,
    /// The accumulated earnings; NaN before the decision, which no run of a firm that was checked earns.
    earned: f64,
}

const _: () = assert!(size_of::<Lane>() <= 16, "see the head of the file");

/// Numbers about the firm at the front of an observation, then numbers about each project.
const FIRM_FIELDS: usize = 6;
const PROJECT_FIELDS: usize = 9;

impl World {
    fn draw(config: &Config, episode: Episode) -> Result<Self, ConfigError> {
        let instance = Instance::generate(config, episode)?;
        Ok(Self {
            engine: Engine::new(&instance.firm),
            seen: seen(&instance.firm),
            instance: Arc::new(instance),
        })
    }
}

impl Vectors {
    fn world<'a>(&'a self, lane: &'a Lane) -> &'a World {
        lane.own.as_deref().unwrap_or(&self.first)
    }
}

impl LaneSpec for Vectors {
    type Config = Config;
    type Env = Edt;
    type Lane = Lane;

    fn new(config: &Config, seed: Seed) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self {
            first: World::draw(config, Episode::of_run(seed, 0))?,
            config: config.clone(),
        })
    }

    fn layout(&self, lanes: usize) -> BatchLayout {
        layout(&self.first.instance.firm, lanes)
    }

    fn begin(&self, episode: Episode) -> Result<Lane, ConfigError> {
        let drawn = !self.config.is_fixed();
        let own = drawn.then(|| World::draw(&self.config, episode).map(Box::new));
        Ok(Lane {
            own: own.transpose()?,
            earned: f64::NAN,
        })
    }

    fn read(&self, action: &[f32]) -> Action {
        // In the order of the layout.
        let mut values = action.iter().map(|&x| f64::from(x));
        let mut next = || values.next().unwrap_or(0.0);
        let consultants = i64::from(crate::clock::whole(next().round()));
        let risk_level = next();
        let firm = &self.first.instance.firm;
        let steps = f64::from(firm.clock().per_unit());
        let on_grid = |time: f64| (time * steps).round() / steps;
        let projects = firm.projects.iter().map(|_| {
            let (accept, start, deadline) = (next(), on_grid(next()), on_grid(next()));
            // A deadline before the start would be refused. Moving it to the start keeps every vector
            // playable, and the same vector means the same window in the reference environment.
            (accept >= 0.5).then(|| Window {
                start,
                deadline: deadline.max(start),
            })
        });
        Action {
            consultants,
            risk_level,
            projects: projects.collect(),
        }
    }

    fn step(&mut self, lane: &mut Lane, action: &[f32]) -> f64 {
        let decision = self.read(action);
        let world = lane.own.as_deref_mut().unwrap_or(&mut self.first);
        let instance = &world.instance;
        // In range by construction. The clamping rule may still move it, and must: the
        // reference environment applies the rule too.
        let decision = instance
            .decision_rule
            .settle(&instance.firm, &decision)
            .unwrap_or(decision);
        let chance = instance.chance(decision.risk_level);
        lane.earned = world.engine.run(&decision, &chance).accumulated_earnings;
        lane.earned
    }

    fn is_over(&self, lane: &Lane) -> bool {
        !lane.earned.is_nan()
    }

    fn write(&self, lane: &Lane, row: &mut [f32]) {
        row.copy_from_slice(&self.world(lane).seen);
    }

    fn value(&self, lane: &Lane) -> f64 {
        if self.is_over(lane) { lane.earned } else { 0.0 }
    }

    fn reference_env(&self, lane: &Lane) -> Result<Edt, ConfigError> {
        Edt::new(Arc::clone(&self.world(lane).instance))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "observations are f32")]
fn seen(firm: &Firm) -> Vec<f32> {
    let clock = firm.clock();
    let heads = firm.head_count();
    let mut out = vec![
        f64::from(heads),
        firm.staff_cost(heads) / f64::from(heads.max(1)),
        firm.fixed_cost,
        firm.risk_level,
        clock.start(),
        clock.stop(),
    ];
    for p in &firm.projects {
        out.extend([
            p.contracted_effort,
            p.contracted_probability,
            p.extension_probability,
            p.extension_effort,
            p.follow_on_probability,
            p.consultants,
            p.billing_rate,
            p.start_time,
            p.deadline,
        ]);
    }
    out.into_iter().map(|x| x as f32).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "ranges are f32")]
fn layout(firm: &Firm, lanes: usize) -> BatchLayout {
    let clock = firm.clock();
    let (first, last) = (clock.start() as f32, clock.last() as f32);
    let time = |name| {
        let field = Field::new(name, "time", first, last, last);
        if clock.per_unit() == 1 {
            field.whole()
        } else {
            field
        }
    };
    let heads = firm.head_count() as f32;
    let cost = firm.staff_cost(firm.head_count()) + firm.fixed_cost;
    let cost_of_a_run = cost * (clock.stop() - clock.start());
    let unlimited = f32::MAX;
    let mut observation = Vec::with_capacity(FIRM_FIELDS + PROJECT_FIELDS * firm.projects.len());
    observation.extend([
        Field::new("consultants", "consultants", 0.0, unlimited, 10.0).whole(),
        Field::new("cost_of_a_consultant", "$/time", 0.0, unlimited, 1e4),
        Field::new("fixed_cost", "$/time", 0.0, unlimited, 1e5),
        Field::new("risk_level", "", 0.0, 1.0, 1.0),
        Field::new("start", "time", 0.0, unlimited, 100.0).whole(),
        Field::new("stop", "time", 0.0, unlimited, 100.0).whole(),
    ]);
    let mut action = vec![
        Field::new("consultants", "consultants", 0.0, heads, heads.max(1.0)).whole(),
        Field::new("risk_level", "", 0.0, 1.0, 1.0),
    ];
    for number in 1..=firm.projects.len() {
        let name = |what: &str| format!("project_{number}.{what}");
        let mut seen = |what, unit, high, scale| {
            observation.push(Field::new(name(what), unit, 0.0, high, scale));
        };
        seen("contracted_effort", "effort", unlimited, 100.0);
        seen("contracted_probability", "", 1.0, 1.0);
        seen("extension_probability", "", 1.0, 1.0);
        seen("extension_effort", "effort", unlimited, 100.0);
        seen("follow_on_probability", "", 1.0, 1.0);
        seen("consultants", "consultants", unlimited, 4.0);
        seen("billing_rate", "$/effort", unlimited, 1e4);
        seen("start", "time", unlimited, 100.0);
        seen("deadline", "time", unlimited, 100.0);
        action.push(Field::new(name("accept"), "", 0.0, 1.0, 1.0).whole());
        action.extend([time(name("start")), time(name("deadline"))]);
    }
    BatchLayout {
        lanes,
        horizon: 1,
        observation,
        action,
        reward: Reward {
            about: "the reward of the one step is the score: the accumulated earnings of the run",
            sign: 1.0,
            // What the firm costs from its start to its stop.
            scale: if cost_of_a_run > 0.0 {
                cost_of_a_run
            } else {
                1.0
            },
        },
    }
}
