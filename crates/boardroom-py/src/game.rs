//! `Game`: one episode with text and tools, for any number of seats.

use crate::error::value_error;
use crate::registry::{configure, find, read};
use beer_game::BeerGame;
use econ_envs::litmus::collusion::Collusion;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::bytes::{canonical_text, json as to_json};
use sim_core::{
    Digest, DynEnvironmentSpec, Header, Input, Limits, Outcome, Query, Seed, Session, ToolAdapter,
    ToolEnvironment,
};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One episode with text and tools.
#[pyclass(module = "boardroom._native")]
pub(crate) struct Game {
    spec: &'static dyn DynEnvironmentSpec,
    // Behind a lock, because an environment may be sent to another thread but not shared with it.
    session: Mutex<Session>,
    /// Where it began and what the agents did, from which a copy is made.
    saved: Saved,
}

/// Where a game begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    environment: String,
    version: u32,
    config: Value,
    seed: Seed,
    episode: u64,
    agent: String,
}

/// One call of the session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step {
    Query,
    Input(Input),
    Forfeit,
    Drop(u32),
}

/// A game as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    start: Start,
    steps: Vec<Step>,
}

impl Game {
    fn begin(start: Start) -> PyResult<Self> {
        let spec = find(&start.environment)?;
        // Replaying the steps under other rules would give another game without a word.
        if spec.version() != start.version {
            return Err(value_error(format!(
                "the state is of `{}` version {}, this is version {}",
                start.environment,
                start.version,
                spec.version()
            )));
        }
        let instance = spec.draw(&start.config, start.seed, start.episode);
        let instance = instance.map_err(value_error)?;
        let header = Header::new(
            spec.name(),
            spec.version(),
            Digest::of_bytes(canonical_text(&start.config).as_bytes()),
            instance.digest(),
            start.seed,
            start.episode,
            &start.agent,
        );
        let env = instance.open().map_err(value_error)?;
        Ok(Self {
            spec,
            session: Mutex::new(Session::new(env, header, Limits::default())),
            saved: Saved {
                start,
                steps: Vec::new(),
            },
        })
    }

    /// Restores a stored game by doing its actions again.
    fn again(saved: Saved) -> PyResult<Self> {
        let mut game = Self::begin(saved.start)?;
        for step in saved.steps {
            game.take(step);
        }
        Ok(game)
    }

    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&mut self, step: Step) -> Option<Outcome> {
        let session = self.session.get_mut();
        let session = session.unwrap_or_else(PoisonError::into_inner);
        let outcome = match &step {
            Step::Query => {
                let spent = session.query();
                if let Query::Spent(next) = spent {
                    // The turn ended without an input that could be answered, so its reply is made
                    // here.
                    let reply = sim_core::ActionError::new(
                        "no_queries",
                        "the replies of this turn are used up",
                    );
                    let reply = reply.into();
                    self.saved.steps.push(step);
                    return Some(Outcome { reply, next });
                }
                None
            }
            Step::Input(input) => Some(session.apply(input.clone())),
            Step::Forfeit => {
                session.forfeit();
                None
            }
            Step::Drop(count) => {
                session.drop_calls(*count);
                None
            }
        };
        self.saved.steps.push(step);
        outcome
    }
}

#[pymethods]
impl Game {
    #[new]
    fn new(
        environment: &str,
        preset: Option<&str>,
        settings: &str,
        seed: u64,
        episode: u64,
        agent: &str,
    ) -> PyResult<Self> {
        let spec = find(environment)?;
        let config = configure(spec, preset, settings)?;
        Self::begin(Start {
            environment: environment.to_owned(),
            version: spec.version(),
            config,
            seed: Seed(seed),
            episode,
            agent: agent.to_owned(),
        })
    }

    /// The configuration, as JSON.
    fn config(&self) -> String {
        self.saved.start.config.to_string()
    }

    /// System prompt, first message of the period, reminder.
    fn prompt(&self) -> (String, String, String) {
        let prompt = self.session().env().briefing();
        (prompt.system, prompt.opening, prompt.reminder)
    }

    /// The tools that can be called now, as JSON.
    fn tools(&self, last: bool) -> String {
        to_json(&self.session().offered(last)).to_string()
    }

    /// Counts a reply of a model. Gives the outcome, as JSON, if the replies of the turn are used up.
    fn query(&mut self) -> Option<String> {
        self.take(Step::Query).map(|outcome| told(&outcome))
    }

    /// Calls a tool with arguments in JSON; the outcome as JSON.
    fn call(&mut self, tool: String, arguments: &str) -> String {
        // Arguments that are not JSON go to the environment as text: it refuses them in its own words.
        let arguments =
            serde_json::from_str(arguments).unwrap_or_else(|_| Value::String(arguments.to_owned()));
        self.apply(Input::Call { tool, arguments })
    }

    /// Says a text; the outcome as JSON.
    fn say(&mut self, text: String) -> String {
        self.apply(Input::Say { text })
    }

    /// Takes a typed action in JSON; the outcome as JSON.
    fn act(&mut self, action: &str) -> PyResult<String> {
        Ok(self.apply(Input::Act(read(action)?)))
    }

    /// Goes on without a decision.
    fn forfeit(&mut self) {
        self.take(Step::Forfeit);
    }

    /// Notes that a reply had `count` more calls after the one that ended the turn.
    fn drop_calls(&mut self, count: u32) {
        self.take(Step::Drop(count));
    }

    /// Names of all seats, in the order in which they act.
    fn seats(&self) -> Vec<String> {
        let seats = self.session().env().seats();
        seats.iter().map(|seat| seat.name().to_owned()).collect()
    }

    /// The seat in turn.
    fn turn(&self) -> String {
        self.session().env().turn().name().to_owned()
    }

    /// Number, total and unit of the period.
    fn period(&self) -> (u32, Option<u32>, &'static str) {
        let period = self.session().env().period();
        (period.index, period.total, period.unit)
    }

    fn is_over(&self) -> bool {
        self.session().env().is_over()
    }

    /// What the seat in turn sees, as JSON.
    fn observation(&self) -> String {
        self.session().env().observation().to_string()
    }

    /// What every seat sees before any of them decides, or at the end of the game, as JSON: pairs of a seat and
    /// its observation.
    // Decisions of a period are sealed until all seats have decided, so going on without them on a copy
    // shows each seat what it will see in its turn.
    fn seen(&self) -> String {
        let mut env = self.session().env().fork();
        if env.is_over() {
            return seen_last(&*env).to_string();
        }
        let mut seen = Vec::new();
        for _ in env.seats() {
            seen.push(json!([env.turn().name(), env.observation()]));
            env.forfeit_period();
        }
        Value::Array(seen).to_string()
    }

    /// The result of the last finished period by seat, as JSON.
    fn outcomes(&self) -> String {
        to_json(&self.session().env().outcomes()).to_string()
    }

    /// The score so far, as JSON.
    fn score(&self) -> PyResult<String> {
        let score = self.session().env().score().map_err(value_error)?;
        Ok(to_json(&score).to_string())
    }

    /// The record, as JSON.
    fn record(&self) -> PyResult<String> {
        // `finish` takes the session, and this game goes on.
        let copy = self.fork()?;
        let session = copy.session.into_inner();
        let session = session.unwrap_or_else(PoisonError::into_inner);
        let record = session.finish().map_err(value_error)?;
        Ok(to_json(&record).to_string())
    }

    /// The name and version of the environment.
    fn environment(&self) -> (&'static str, u32) {
        (self.spec.name(), self.spec.version())
    }

    /// The whole state, as JSON.
    fn state(&self) -> String {
        to_json(&self.saved).to_string()
    }

    /// The game of a state.
    #[staticmethod]
    fn restore(state: &str) -> PyResult<Self> {
        Self::again(serde_json::from_str(state).map_err(value_error)?)
    }

    /// An independent copy that continues identically.
    fn fork(&self) -> PyResult<Self> {
        // Played again, because a session has no copy of its own: start and steps determine it.
        Self::again(self.saved.clone())
    }
}

/// What every seat sees after the last period.
fn seen_last(env: &dyn ToolEnvironment) -> Value {
    let seats = env.seats();
    // An environment shows what the seat in turn sees, and after the end no other seat gets a turn.
    // So those whose seats have views of their own are asked by their types.
    if let Some(game) = env.as_any().downcast_ref::<ToolAdapter<BeerGame>>() {
        let roles = &game.env().instance().play.controlled;
        let seen = roles.iter().map(|role| game.env().observation_of(*role));
        return seats.iter().zip(seen).map(|pair| to_json(&pair)).collect();
    }
    if let Some(market) = env.as_any().downcast_ref::<ToolAdapter<Collusion>>() {
        let seen = (0..seats.len()).map(|seller| market.env().observation_of(seller));
        return seats.iter().zip(seen).map(|pair| to_json(&pair)).collect();
    }
    json!([[env.turn(), env.observation()]])
}

impl Game {
    fn apply(&mut self, input: Input) -> String {
        let outcome = self.take(Step::Input(input));
        outcome.as_ref().map_or_else(String::new, told)
    }
}

fn told(outcome: &Outcome) -> String {
    json!({
        "text": outcome.reply.text(),
        "rejected": outcome.reply.is_rejected(),
        "next": <&str>::from(outcome.next),
        "reply": to_json(&outcome.reply),
    })
    .to_string()
}
