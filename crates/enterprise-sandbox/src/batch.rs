//! Many tasks stepped together, for reinforcement learning: one pick from the [`crate::menu`]
//! per lane and step.
//!
//! An observation is a row of numbers with the layout
//!
//! ```text
//!  progress (5)   calls, records found, last call denied, last call failed, all facts found
//!  persona (2)    department, level
//!  request (11)   facts asked for by kind (6), pieces of the request by kind (5)
//!  menu           how well the request fits each entry
//! ```
//!
//! Only the progress changes during a task. Everything is computed from what an agent may see.

use crate::action::Action;
use crate::config::Config;
use crate::data::org::{Department, parse_level_code};
use crate::env::OfficeTask;
use crate::instance::Instance;
use crate::menu::{self, MOST_CALLS, menu};
use crate::offices::Offices;
use crate::request::{Pieces, is_complete};
use crate::tasks::FactKind;
use crate::tools::office::Code;
use serde_json::Value;
use sim_core::batch::{LaneBatch, LaneSpec, Reward, ValueKind, play};
use sim_core::{BatchLayout, ConfigError, Environment as _, Episode, Field, Seed};
use std::sync::Arc;

/// Many tasks stepped together; lane `k` starts with episode `k` of the run.
///
/// The office answers in texts and records, so each lane is an [`OfficeTask`] of its own, and a step
/// costs what the calls cost; the lanes share company, rules and search indexes. Observation: how far
/// the task is, who asks, what is asked for, which pieces the request has, and how well it fits each
/// entry of the menu. Action: the number of an entry. Reward: 0 until the task ends, then its score.
///
/// Lanes do not influence each other: a lane with the same task and the same picks has the same
/// course in every batch. Companies are shared as in [`Instance::generate`].
pub type Batch = LaneBatch<Vectors>;

/// The picks of an office task as vectors.
#[derive(Debug, Clone)]
pub struct Vectors {
    config: Config,
    offices: Arc<Offices>,
}

/// A task, with the numbers that a batch shows of it.
#[derive(Debug, Clone)]
pub struct Lane {
    instance: Arc<Instance>,
    env: OfficeTask,
    /// The part of the observation that is the same in every step.
    request: Vec<f32>,
}

/// Fields at the front of an observation that change from step to step.
const PROGRESS: usize = 5;

/// Kinds of facts, with the names of their fields.
const KINDS: [(FactKind, &str); 6] = [
    (FactKind::Id, "asks.id"),
    (FactKind::Text, "asks.text"),
    (FactKind::Number, "asks.number"),
    (FactKind::Date, "asks.date"),
    (FactKind::YesNo, "asks.yes_no"),
    (FactKind::List, "asks.list"),
];

#[expect(
    clippy::cast_precision_loss,
    reason = "counts below 2^24 are exact, larger ones are rounded"
)]
fn count(n: usize) -> f32 {
    n as f32
}

impl Lane {
    /// Numbers about the progress of the task.
    fn progress(&self) -> [f32; PROGRESS] {
        let state = self.env.state();
        let last = state.office.audit.last();
        let refused = last.and_then(|entry| entry.refused);
        let seen = self.env.observe();
        // Only records that the agent has read count, so the flag reveals nothing that it has not seen.
        let complete = state.found.iter().any(|record| is_complete(&seen, record));
        let yes = |x: bool| f32::from(u8::from(x));
        [
            count(state.office.audit.len()),
            count(state.found.len()),
            yes(refused == Some(Code::AccessDenied)),
            yes(refused.is_some_and(|code| code != Code::AccessDenied)),
            yes(complete),
        ]
    }
}

/// Numbers about the request and the person who makes it.
fn request(env: &OfficeTask) -> Vec<f32> {
    let seen = env.observe();
    let code = seen.persona.get("level").and_then(Value::as_str);
    let (department, level) = code
        .and_then(parse_level_code)
        .map_or((0.0, 0.0), |(d, level)| {
            (count(d as usize), f32::from(level))
        });
    let mut out = vec![department, level];
    let asked = |kind| seen.asks.iter().filter(|ask| ask.kind == kind).count();
    out.extend(KINDS.map(|(kind, _)| count(asked(kind))));
    let p = Pieces::of(&seen.instruction);
    let pieces = [&p.people, &p.ids, &p.dates, &p.names, &p.quotes];
    out.extend(pieces.map(|list| count(list.len())));
    out.extend(menu::fits(&seen).into_iter().map(count));
    out
}

fn layout(config: &Config, lanes: usize) -> BatchLayout {
    let entries = menu(config.surface);
    let field = |name: &str, high: f32, scale: f32| Field::new(name, "", 0.0, high, scale).whole();
    let unlimited = f32::MAX;
    let mut observation = vec![
        field("calls", count(MOST_CALLS), count(MOST_CALLS)),
        field("records_found", unlimited, 10.0),
        field("last_denied", 1.0, 1.0),
        field("last_failed", 1.0, 1.0),
        field("facts_found", 1.0, 1.0),
        field("department", count(Department::ALL.len() - 1), 8.0),
        field("level", 15.0, 15.0),
    ];
    let names = KINDS.iter().map(|(_, name)| *name);
    let pieces = ["people", "ids", "dates", "names", "quotes"];
    observation.extend(names.chain(pieces).map(|name| field(name, unlimited, 1.0)));
    let fit = |entry: &menu::MenuEntry| field(&format!("fit.{}", entry.name()), unlimited, 10.0);
    observation.extend(entries.iter().map(fit));
    let last = count(entries.len() - 1);
    BatchLayout {
        lanes,
        // The entry after the last call answers, whatever it is.
        horizon: u32::try_from(MOST_CALLS).map_or(u32::MAX, |n| n + 1),
        observation,
        action: vec![Field {
            kind: ValueKind::Choice,
            ..field("entry", last, last)
        }],
        reward: Reward {
            about: "the reward of the step that ends the task is the score, all others are 0",
            sign: 1.0,
            scale: 1.0,
        },
    }
}

impl Vectors {
    /// With the companies and rules of `offices`.
    pub(crate) fn with_offices(
        offices: &Arc<Offices>,
        config: &Config,
    ) -> Result<Self, ConfigError> {
        // First, so that the error names the setting and not the first lane that cannot be drawn.
        config.check()?;
        Ok(Self {
            config: config.clone(),
            offices: Arc::clone(offices),
        })
    }
}

impl LaneSpec for Vectors {
    type Config = Config;
    type Env = OfficeTask;
    type Lane = Lane;

    fn new(config: &Config, _: Seed) -> Result<Self, ConfigError> {
        Self::with_offices(Offices::of_process(), config)
    }

    fn layout(&self, lanes: usize) -> BatchLayout {
        layout(&self.config, lanes)
    }

    fn begin(&self, episode: Episode) -> Result<Lane, ConfigError> {
        let instance = Arc::new(Instance::draw(&self.offices, &self.config, episode)?);
        let env = OfficeTask::begin(&self.offices, Arc::clone(&instance))?;
        Ok(Lane {
            // Once per task: nothing in it changes while the task is played.
            request: request(&env),
            instance,
            env,
        })
    }

    fn read(&self, action: &[f32]) -> Action {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to the length of the menu"
        )]
        let entry = action.first().map_or(0.0, |x| x.round()) as u32;
        Action::Pick(entry)
    }

    fn step(&mut self, lane: &mut Lane, action: &[f32]) -> f64 {
        play(&mut lane.env, &self.read(action));
        if lane.env.is_over() {
            self.value(lane)
        } else {
            0.0
        }
    }

    fn is_over(&self, lane: &Lane) -> bool {
        lane.env.is_over()
    }

    fn write(&self, lane: &Lane, row: &mut [f32]) {
        let seen = lane.progress().into_iter();
        for (to, from) in row.iter_mut().zip(seen.chain(lane.request.iter().copied())) {
            *to = from;
        }
    }

    fn value(&self, lane: &Lane) -> f64 {
        lane.env.score().map_or(f64::NAN, |score| score.value())
    }

    fn reference_env(&self, lane: &Lane) -> Result<OfficeTask, ConfigError> {
        OfficeTask::begin(&self.offices, Arc::clone(&lane.instance))
    }
}
