//! Playing one episode.

use crate::error::RunError;
use crate::executor::Recorded;
use crate::plan::Plan;
use crate::plan::agent::AgentSpec;
use crate::plan::script::Script;
use crate::plan::source::InstanceSource;
use crate::run_dir::Folder;
use crate::run_dir::references::References;
use serde_json::{Value, json};
use sim_core::{
    Digest, DynInstance, DynPolicy, EpisodeRecord, Header, Input, Next, ReplyKind, Rollout, Seat,
    Seed, Session, ToolEnvironment,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Plays the episodes of one run.
#[derive(Debug)]
pub struct EpisodeRunner<'a> {
    pub(crate) plan: &'a Plan,
    /// Where the instances come from.
    pub(crate) source: &'a InstanceSource<'a>,
    /// Who plays the seats that no other agent was given; [`AgentSpec::Model`] if a model plays any seat, because
    /// requests then decide how the run is played.
    pub(crate) agent: AgentSpec,
    /// The agents with seats of their own.
    seats: BTreeMap<Seat, AgentSpec>,
    config: Digest,
    settings: Option<Digest>,
}

/// An episode that was played.
#[derive(Debug)]
pub struct Played {
    /// Its record.
    pub record: EpisodeRecord,
    /// Each step with action and feedback, where they were asked for.
    pub steps: Vec<Value>,
    /// What the game took of the script, where a script played.
    pub script: Option<ScriptUse>,
    /// Number of inputs that the environment refused.
    pub refused: u64,
}

/// What a game took of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptUse {
    /// Number of its inputs that were used.
    pub used: usize,
    /// Index of the first input that the environment refused (from 0), and why.
    pub first_refused: Option<(usize, String)>,
}

impl<'a> EpisodeRunner<'a> {
    /// A runner of the episodes of `plan`.
    ///
    /// # Errors
    /// When the agent cannot be made, or the plan was made with other numbers of the environment.
    pub fn new(plan: &'a Plan, source: &'a InstanceSource<'a>) -> Result<Self, RunError> {
        plan.check_version(source.kind())?;
        Self::with(plan, source, AgentSpec::parse(&plan.agent)?)
    }

    /// A table with an agent that was made before.
    ///
    /// # Errors
    /// When the agent of a seat cannot be made.
    pub(crate) fn with(
        plan: &'a Plan,
        source: &'a InstanceSource<'a>,
        agent: AgentSpec,
    ) -> Result<Self, RunError> {
        let settings = match (&plan.model, &agent) {
            (Some(model), _) => model.digest(&plan.limits, plan.streams.map(|_| plan.episodes)),
            // The content of a script is part of the work, not its name alone.
            (None, AgentSpec::Script { script, .. }) => Some(script.digest()),
            _ => None,
        };
        // Seats and routing are hashed in only where there are any: a plan without them has the
        // digest of its agent alone, which is what the records of such plans carry.
        let settings = match plan.seats_digest() {
            Some(seats) => Digest::of(&(settings, seats)).ok(),
            None => settings,
        };
        let settings = match &plan.routing {
            Some(routing) => Digest::of(&(settings, routing)).ok(),
            None => settings,
        };
        Ok(Self {
            plan,
            source,
            agent: if plan.asks_models() {
                AgentSpec::Model
            } else {
                agent
            },
            seats: plan.seat_specs(source.kind())?,
            config: plan.config_digest(),
            settings,
        })
    }

    /// The references of the run; what a search finds is kept in `folder`.
    ///
    /// # Errors
    /// When their file cannot be read or written.
    pub(crate) fn references(&self, folder: Option<&Folder>) -> Result<References, RunError> {
        let file = folder.map(Folder::references);
        let repeats = self.source.distinct().is_some();
        References::open(self.plan.effort, repeats, file.as_deref())
    }

    /// The header that the record of episode `index` on `case` must have.
    #[must_use]
    pub fn header(&self, case: &dyn DynInstance, index: u64) -> Header {
        Header {
            environment: self.plan.environment.clone(),
            version: self.plan.version,
            config: self.config,
            instance: case.digest(),
            seed: self.plan.seed,
            episode: index,
            agent: self.names(),
            settings: self.settings,
            method: self.plan.method_of(index).map(|m| m.name.clone()),
            feedback: self.plan.model.as_ref().map(|m| m.feedback.to_string()),
            stream: self.plan.stream(index),
            trial: 0,
        }
    }

    /// The agents as records name them: a model by its own name, also where its replies come from a recording.
    fn names(&self) -> String {
        let first = match (&self.plan.model, &self.agent) {
            (Some(model), _) => model.name(),
            // A policy plays beside models.
            (None, AgentSpec::Model) => AgentSpec::Policy(self.plan.policy().to_owned()).name(),
            (None, agent) => agent.name(),
        };
        let seats = self.plan.named_seats().map(|(seat, plan)| {
            let agent = match &plan.model {
                Some(model) => model.name(),
                None => plan.agent.clone(),
            };
            format!(", {seat}={agent}")
        });
        std::iter::once(first).chain(seats).collect()
    }

    /// The instance of episode `index`.
    ///
    /// # Errors
    /// When it cannot be drawn.
    pub fn case(&self, index: u64) -> Result<Arc<dyn DynInstance>, RunError> {
        self.source.case(index)
    }

    /// Plays episode `index` on `case` without a log; `None` where only [`play`](Self::play) can.
    ///
    /// # Errors
    /// When the agent cannot go on.
    pub fn rollout(&self, case: &dyn DynInstance, index: u64) -> Result<Option<Rollout>, RunError> {
        let AgentSpec::Policy(name) = &self.agent else {
            return Ok(None);
        };
        // A rollout knows one policy and the usual cast. Seats with agents of their own, and
        // scripts and people, need the session of `play`.
        if !self.plan.seats.is_empty() {
            return Ok(None);
        }
        let episode = self.episode_seed(index);
        let seed = |seat: &Seat| episode.of_policy(seat);
        Ok(case.rollout(name, &seed, self.plan.policy_effort, self.plan.limits)?)
    }

    /// From the run's seed and the number alone, never from the thread or the order of play: an episode that is
    /// resumed, verified or played in another shard must draw the same numbers.
    fn episode_seed(&self, index: u64) -> Seed {
        self.plan.seed.child("episode", index)
    }

    /// Plays episode `index` on `case`, with each step when `steps` says so.
    ///
    /// # Errors
    /// When the agent cannot go on (a script that ends early, an unusable action).
    pub fn play(
        &self,
        case: &dyn DynInstance,
        index: u64,
        steps: bool,
    ) -> Result<Played, RunError> {
        self.play_with(case, index, steps, None)
    }

    /// Plays the episode of `record` on `case` again. Programs are not run: their values are those of the record.
    ///
    /// # Errors
    /// As [`play`](Self::play).
    pub(crate) fn play_again(
        &self,
        case: &dyn DynInstance,
        record: &EpisodeRecord,
    ) -> Result<Played, RunError> {
        self.play_with(case, record.header.episode, false, Some(record))
    }

    fn play_with(
        &self,
        case: &dyn DynInstance,
        index: u64,
        steps: bool,
        record: Option<&EpisodeRecord>,
    ) -> Result<Played, RunError> {
        let env = case.open()?;
        let episode = self.episode_seed(index);
        let mut seats = BTreeMap::new();
        for seat in env.seats() {
            let agent = self.seats.get(&seat).unwrap_or(&self.agent);
            let player = match (agent, record) {
                (AgentSpec::Python, Some(record)) => Some(Box::new(Recorded::of(record)) as _),
                _ => agent.player(case, &seat, episode, self.plan.policy_effort)?,
            };
            seats.insert(seat, player);
        }
        let session = Session::new(env, self.header(case, index), self.plan.limits);
        let mut script_use = None;
        let mut game = Game {
            session,
            index,
            steps: steps.then(Vec::new),
            refused: 0,
        };
        match &self.agent {
            AgentSpec::Policy(_) | AgentSpec::Own { make: Some(_), .. } => {
                game.policies(&mut seats)?;
            }
            AgentSpec::Script { script, .. } => script_use = Some(game.script(script)?),
            AgentSpec::LostScript { why, .. } => return Err(RunError::usage(why.clone())),
            AgentSpec::Human
            | AgentSpec::Client
            | AgentSpec::Classroom
            | AgentSpec::Own { make: None, .. }
            | AgentSpec::Python
            | AgentSpec::Model => {
                return Err(RunError::usage(
                    "only policies and scripts can play here, not people, MCP clients or models",
                ));
            }
        }
        let record = game.session.finish();
        Ok(Played {
            record: record.map_err(RunError::failed)?,
            steps: game.steps.unwrap_or_default(),
            script: script_use,
            refused: game.refused,
        })
    }
}

struct Game {
    /// Number of inputs that were refused.
    refused: u64,
    session: Session,
    index: u64,
    steps: Option<Vec<Value>>,
}

impl Game {
    fn policies(
        &mut self,
        seats: &mut BTreeMap<Seat, Option<Box<dyn DynPolicy>>>,
    ) -> Result<(), RunError> {
        while !self.session.env().is_over() {
            let seat = self.session.env().turn();
            let Some(Some(player)) = seats.get_mut(&seat) else {
                return Err(RunError::Failed(format!("nobody plays seat `{seat}`")));
            };
            let action = player.act(self.session.env())?;
            if self.steps.is_some() {
                self.apply(Input::Act(action));
            } else {
                // No policy reads replies in words, and nobody else sees them here: `act` does not
                // make them.
                let (reply, _) = self.session.act(action);
                self.refused += u64::from(reply == ReplyKind::Rejected);
            }
            player.learn(self.session.env());
        }
        Ok(())
    }

    fn script(&mut self, script: &Script) -> Result<ScriptUse, RunError> {
        let mut next = 0;
        let mut first_refused = None;
        let mut refused = String::new();
        while !self.session.env().is_over() {
            let Some(input) = script.get(next) else {
                return Err(RunError::Failed(ended_early(
                    self.session.env(),
                    script.len(),
                    &refused,
                )));
            };
            // A refused line is not repeated and does not end the script: the session counts it as a try, as it
            // would for any agent.
            if let Some(message) = self.apply(input.clone()) {
                refused = format!("; its last refused line: {message}");
                first_refused.get_or_insert((next, message));
            }
            next += 1;
        }
        Ok(ScriptUse {
            used: next,
            first_refused,
        })
    }

    /// Adds what the finished period brought each seat to the seat's last step of that period.
    fn add_outcomes(&mut self, period: u32) {
        let Some(steps) = &mut self.steps else {
            return;
        };
        for (seat, outcome) in self.session.env().outcomes() {
            let (period, seat) = (json!(period), json!(seat));
            let is_its = |step: &&mut Value| {
                step.get("period") == Some(&period) && step.get("seat") == Some(&seat)
            };
            let step = steps.iter_mut().rev().find(is_its);
            if let Some(step) = step.and_then(Value::as_object_mut) {
                step.insert("outcome".to_owned(), outcome);
            }
        }
    }

    /// Applies one input; the message when it was refused.
    fn apply(&mut self, input: Input) -> Option<String> {
        let (period, seat) = (self.session.env().period().index, self.session.env().turn());
        let outcome = self.session.apply(input);
        if let Some(steps) = &mut self.steps {
            let forfeited = matches!(outcome.next, Next::Forfeited);
            // Getters and refused calls are not steps: they change nothing.
            if outcome.reply.action().is_some() || forfeited {
                steps.push(json!({
                    "episode": self.index,
                    "period": period,
                    "seat": seat,
                    "action": outcome.reply.action(),
                    "feedback": self.session.env().feedback(),
                }));
            }
        }
        let env = self.session.env();
        if self.steps.is_some() && (env.is_over() || env.period().index != period) {
            self.add_outcomes(period);
        }
        let is_refused = outcome.reply.is_rejected();
        self.refused += u64::from(is_refused);
        is_refused.then(|| outcome.reply.text().to_owned())
    }
}

fn ended_early(env: &dyn ToolEnvironment, lines: usize, refused: &str) -> String {
    let period = env.period();
    let total = period
        .total
        .map_or_else(String::new, |n| format!(" of {n}"));
    format!(
        "the script ends after {lines} inputs, in {} {}{total}; write one decision for each{refused}",
        period.unit,
        period.index + 1
    )
}
