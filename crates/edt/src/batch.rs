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

use crate::action::{Action, Window};
use crate::config::Config;
use crate::engine::Engine;
use crate::env::Edt;
use crate::firm::Firm;
use crate::instance::Instance;
use serde_json::Value;
use sim_core::batch::{Reward, ValueKind, no_lane};
use sim_core::{
    BatchEnvironment, BatchLayout, ConfigError, Episode, Field, Seed, ShapeError, ToolAdapter,
    ToolEnvironment,
};
use std::sync::Arc;

/// Many episodes of one decision each, stepped together; lane `k` is episode `k` of the run.
///
/// Observation: firm and projects as an agent sees them with everything disclosed. Action:
/// consultants, risk level, and for each project whether to accept it, its start and its deadline;
/// a deadline before the start counts as the start. Reward: the accumulated earnings.
///
/// `accept` is 1 from 0.5 on. Values outside a field's range are clipped, NaN counts as
/// the lowest value. An episode is one step, so every lane is done after the first call
/// of `step_batch`.
#[derive(Debug, Clone)]
pub struct Batch {
    layout: BatchLayout,
    config: Config,
    worlds: Vec<World>,
    lanes: Vec<Lane>,
    /// Whether all lanes play the same world.
    shared: bool,
}

/// A firm, the engine that runs it, and its observation.
#[derive(Debug, Clone)]
struct World {
    instance: Arc<Instance>,
    engine: Engine,
    seen: Vec<f32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Lane {
    value: f64,
    done: bool,
}

/// Numbers about the firm at the front of an observation, then numbers about each project.
const FIRM_FIELDS: usize = 6;
const PROJECT_FIELDS: usize = 9;

impl World {
    fn new(instance: Instance) -> Self {
        Self {
            engine: Engine::new(&instance.firm),
            seen: seen(&instance.firm),
            instance: Arc::new(instance),
        }
    }
}

impl Batch {
    /// `lanes` lanes; lane `k` starts with episode `k` of the run with seed `seed`.
    ///
    /// # Errors
    /// When the settings cannot be used.
    ///
    /// When the configuration has one instance only ([`Config::is_fixed`]), all lanes
    /// share one firm and one engine; otherwise each lane has its own, and the firms are
    /// drawn here.
    pub fn new(config: &Config, lanes: usize, seed: Seed) -> Result<Self, ConfigError> {
        config.check()?;
        let shared = config.is_fixed();
        let draw = |k: u64| {
            let episode = Episode::of_run(seed, k);
            Instance::generate(config, episode).map(World::new)
        };
        // All firms of one configuration have the same shapes, so the first one gives the layout.
        let first = draw(0)?;
        let layout = layout(&first.instance.firm, lanes);
        let mut worlds = vec![first];
        // When the seed decides nothing, all lanes share one engine: its buffers stay in the cache.
        if !shared {
            for k in (1..).take(lanes.saturating_sub(1)) {
                worlds.push(draw(k)?);
            }
        }
        let lanes = vec![Lane::default(); lanes];
        Ok(Self {
            layout,
            config: config.clone(),
            worlds,
            lanes,
            shared,
        })
    }

    fn world_of(&self, lane: usize) -> usize {
        if self.shared { 0 } else { lane }
    }

    /// The decision that an action vector stands for; every value is clipped into its field, so that
    /// no vector is refused.
    fn decision(&self, action: &[f32]) -> Action {
        // Values are read in the order of the layout. A NaN counts as the lowest value, as in every batch.
        let mut values = action.iter().zip(&self.layout.action).map(|(x, field)| {
            let x = if x.is_nan() {
                field.low
            } else {
                x.clamp(field.low, field.high)
            };
            f64::from(if field.kind == ValueKind::Real {
                x
            } else {
                x.round()
            })
        });
        let mut next = || values.next().unwrap_or(0.0);
        let consultants = i64::from(crate::clock::whole(next()));
        let risk_level = next();
        let projects = (self.layout.action.len() - 2) / 3;
        let projects = (0..projects)
            .map(|_| {
                let (accept, start, deadline) = (next(), next(), next());
                // A deadline before the start would be refused. Moving it to the start keeps every vector
                // playable, and the same vector means the same window in the reference environment.
                (accept >= 0.5).then(|| Window {
                    start,
                    deadline: deadline.max(start),
                })
            })
            .collect();
        Action {
            consultants,
            risk_level,
            projects,
        }
    }
}

impl BatchEnvironment for Batch {
    fn layout(&self) -> &BatchLayout {
        &self.layout
    }

    fn reset_lane(&mut self, lane: usize, episode: Episode) -> Result<(), ConfigError> {
        let Some(state) = self.lanes.get_mut(lane) else {
            return Err(no_lane(lane, self.layout.lanes));
        };
        // The shared world is the same for every episode.
        if !self.shared {
            let instance = Instance::generate(&self.config, episode)?;
            if let Some(world) = self.worlds.get_mut(lane) {
                *world = World::new(instance);
            }
        }
        *state = Lane::default();
        Ok(())
    }

    fn observe_lane(&self, lane: usize, obs: &mut [f32]) -> Result<(), ShapeError> {
        ShapeError::check("obs", obs.len(), self.layout.observation.len())?;
        if let Some(world) = self.worlds.get(self.world_of(lane)) {
            obs.copy_from_slice(&world.seen);
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
        let width = self.layout.action.len();
        let rows = actions
            .chunks_exact(width)
            .zip(rewards)
            .zip(dones)
            .enumerate();
        for (lane, ((action, reward), done)) in rows {
            *reward = 0.0;
            if self.lanes.get(lane).is_some_and(|lane| !lane.done) {
                let decision = self.decision(action);
                let world = self.world_of(lane);
                if let (Some(world), Some(state)) =
                    (self.worlds.get_mut(world), self.lanes.get_mut(lane))
                {
                    // In range by construction. The clamping rule may still move it, and must: the
                    // reference environment applies the rule too.
                    let instance = &world.instance;
                    let decision = instance
                        .decision_rule
                        .settle(&instance.firm, &decision)
                        .unwrap_or(decision);
                    let chance = instance.chance(decision.risk_level);
                    state.value = world.engine.run(&decision, &chance).accumulated_earnings;
                    state.done = true;
                    *reward = state.value;
                }
            }
            // Every episode has one decision, so a lane is done after any step.
            *done = true;
        }
        self.observe_into(obs)
    }

    fn lane_value(&self, lane: usize) -> Option<f64> {
        self.lanes.get(lane).map(|lane| lane.value)
    }

    fn reference_env(&self, lane: usize) -> Option<Box<dyn ToolEnvironment>> {
        self.lanes.get(lane)?;
        let world = self.worlds.get(self.world_of(lane))?;
        let env = Edt::new(Arc::clone(&world.instance)).ok()?;
        Some(Box::new(ToolAdapter::new(env)))
    }

    fn action_value(&self, action: &[f32]) -> Value {
        sim_core::bytes::json(&self.decision(action))
    }

    fn fork(&self) -> Box<dyn BatchEnvironment> {
        Box::new(self.clone())
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
    let (first, last) = (clock.start() as f32, clock.stop() as f32);
    let heads = firm.head_count() as f32;
    let field = |name: &str, unit, low, high, scale, whole| {
        let field = Field::new(name, unit, low, high, scale);
        if whole { field.whole() } else { field }
    };
    let cost = firm.staff_cost(firm.head_count()) + firm.fixed_cost;
    let cost_of_a_run = cost * (clock.stop() - clock.start());
    let unlimited = f32::MAX;
    let mut observation = Vec::with_capacity(FIRM_FIELDS + PROJECT_FIELDS * firm.projects.len());
    observation.extend([
        field("consultants", "consultants", 0.0, unlimited, 10.0, true),
        field("cost_of_a_consultant", "$/time", 0.0, unlimited, 1e4, false),
        field("fixed_cost", "$/time", 0.0, unlimited, 1e5, false),
        field("risk_level", "", 0.0, 1.0, 1.0, false),
        field("start", "time", 0.0, unlimited, 100.0, true),
        field("stop", "time", 0.0, unlimited, 100.0, true),
    ]);
    let mut action = vec![
        field(
            "consultants",
            "consultants",
            0.0,
            heads,
            heads.max(1.0),
            true,
        ),
        field("risk_level", "", 0.0, 1.0, 1.0, false),
    ];
    for number in 1..=firm.projects.len() {
        let name = |what: &str| format!("project_{number}.{what}");
        let mut seen = |what, unit, high, scale| {
            observation.push(field(&name(what), unit, 0.0, high, scale, false));
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
        action.push(field(&name("accept"), "", 0.0, 1.0, 1.0, true));
        action.push(field(&name("start"), "time", first, last, last, true));
        action.push(field(&name("deadline"), "time", first, last, last, true));
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
