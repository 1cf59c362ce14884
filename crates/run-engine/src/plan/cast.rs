//! Who plays: one agent, and others at single seats.
//!
//! The agent of a run plays every seat that no other agent was given. Each agent has its own model, method and way of
//! being asked.

use super::Plan;
use super::agent::{AgentSpec, is_model};
use super::model::{ModelPlan, recorded_cast};
use super::options::ModelOptions;
use crate::error::RunError;
use crate::executor::{self, PYTHON};
use agent_client::request::ModelRole;
use agent_client::wire::Dialect;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sim_core::error::clip;
use sim_core::{Digest, DynEnvironmentSpec, Seat};
use std::collections::{BTreeMap, BTreeSet};

/// An agent at a seat of its own, as the manifest keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatPlan {
    /// Who plays the seat.
    pub agent: String,
    /// How the model is asked, where one plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelPlan>,
}

/// An agent at a seat of its own, as asked for: its name and the options of its model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SeatRequest {
    /// Who plays the seat.
    pub agent: String,
    /// How its model is asked.
    pub model: ModelOptions,
}

impl SeatRequest {
    /// The seats of a command line: agents as `(seat, agent)`, options as `(seat.option, value)`.
    ///
    /// # Errors
    /// When a seat is named twice, or an option has no seat with an agent, does not exist, or has a wrong value.
    pub fn all(
        agents: &[(String, String)],
        options: &[(String, Value)],
    ) -> Result<BTreeMap<String, Self>, RunError> {
        let mut tables: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
        for (seat, agent) in agents {
            let table = Map::from_iter([(AGENT.to_owned(), agent.as_str().into())]);
            if tables.insert(seat, table).is_some() {
                let text = format!("the seat `{}` has two agents; give only one", clip(seat));
                return Err(RunError::usage(text));
            }
        }
        for (path, value) in options {
            let no_seat = || {
                RunError::usage(format!(
                    "--seat-set {}: begin with a seat that has an agent, such as \
                     `--seat cfo=openai:m --seat-set cfo.temperature=1`",
                    clip(path)
                ))
            };
            let (seat, option) = path.split_once('.').ok_or_else(no_seat)?;
            let table = tables.get_mut(seat).ok_or_else(no_seat)?;
            if option.split('.').count() > MOST_PARTS {
                return Err(RunError::usage(format!(
                    "--seat-set {}: an option has at most {MOST_PARTS} names with dots between them",
                    clip(path)
                )));
            }
            set(table, option, value.clone());
        }
        let read = |(seat, table): (&str, Map<String, Value>)| {
            let read = Self::of_table(table);
            let read = read.map_err(|e| e.at(&format!("seat {}: ", clip(seat))))?;
            Ok((seat.to_owned(), read))
        };
        tables.into_iter().map(read).collect()
    }

    /// The seat of a table: `agent`, and the options of [`ModelOptions`] by name.
    ///
    /// # Errors
    /// When the agent is missing, or an option does not exist or has a wrong value.
    pub fn of_table(mut table: Map<String, Value>) -> Result<Self, RunError> {
        let Some(Value::String(agent)) = table.remove(AGENT) else {
            return Err(RunError::usage("name its agent: `agent = \"...\"`"));
        };
        let model = ModelOptions::of_table(table).map_err(RunError::usage)?;
        if !model.is_default() && !is_model(&agent) {
            return Err(RunError::usage(format!(
                "`{}` is not a model, so it has no options",
                clip(&agent)
            )));
        }
        Ok(Self { agent, model })
    }
}

/// The method of a seat that is not under test, unless it is given another one.
pub const DIRECT: &str = "direct";

/// The temperature of a model at `seat` that is given none: judges have 0, so that marks can be repeated.
#[must_use]
pub fn usual_temperature(seat: &str) -> Option<f64> {
    (ModelRole::of_seat(seat) == ModelRole::Judge).then_some(0.0)
}

/// The key of the agent in the table of a seat.
const AGENT: &str = "agent";

/// Most names in the path of an option: each is a table in a table.
const MOST_PARTS: usize = 16;

/// Sets `path` in `table`; `method_set.rounds` is the entry `rounds` of the table `method_set`.
fn set(table: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            table.insert(path.to_owned(), value);
        }
        Some((name, rest)) => {
            let inner = table
                .entry(name.to_owned())
                .or_insert_with(|| Map::new().into());
            match inner {
                Value::Object(inner) => set(inner, rest, value),
                other => *other = Value::Object(Map::from_iter([(rest.to_owned(), value)])),
            }
        }
    }
}

/// The agents of a run with every choice made.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cast {
    pub(super) agent: String,
    pub(super) model: Option<ModelPlan>,
    pub(super) seats: BTreeMap<String, SeatPlan>,
}

impl Cast {
    /// The cast that is asked for. The agent `replay:DIR` alone stands for all agents of the recorded run.
    pub(super) fn new(
        agent: String,
        request: &ModelOptions,
        seats: &BTreeMap<String, SeatRequest>,
        aside: &[(&str, &str)],
    ) -> Result<Self, RunError> {
        let mut all = seats.clone();
        let mut agent = agent;
        // A recording stands for its whole cast. Who names a seat chooses the cast; what runs
        // programs is no such choice.
        if seats.values().all(|seat| seat.agent == PYTHON)
            && let Some((first, recorded)) = recorded_cast(&agent)
        {
            let recording = std::mem::replace(&mut agent, first);
            // The recorded models answer from the recording; the recorded policies play anew.
            if is_model(&agent) {
                agent.clone_from(&recording);
            }
            for (seat, mut name) in recorded {
                if is_model(&name) {
                    name.clone_from(&recording);
                }
                all.entry(seat).or_default().agent = name;
            }
        }
        let model = ModelPlan::new(&agent, request)?;
        let seat = |(name, mut wanted): (String, SeatRequest)| {
            let is_aside = aside.iter().any(|(seat, _)| *seat == name);
            let is_recorded = wanted.agent.starts_with("replay:");
            let method = wanted.model.method.method.as_deref();
            if is_aside
                && ModelRole::of_seat(&name) == ModelRole::Judge
                && method.is_some_and(|method| method != DIRECT)
            {
                return Err(RunError::usage(format!(
                    "seat {}: a judge is asked directly and has no method; its options are those of sampling, such as \
                     temperature and max_tokens",
                    clip(&name)
                )));
            }
            // A recording is asked as it was recorded: other requests would find no reply.
            if is_aside && !is_recorded && wanted.model.method.method.is_none() {
                // Interviewers and judges are asked directly, as in the papers.
                wanted.model.method.method = is_model(&wanted.agent).then(|| DIRECT.to_owned());
            }
            let model = ModelPlan::of_seat(&name, &wanted.agent, &wanted.model);
            let mut model = model.map_err(|e| e.at(&format!("seat {}: ", clip(&name))))?;
            if let Some(ModelPlan { dialect, .. }) = &mut model
                && dialect.temperature.is_none()
                && !is_recorded
            {
                dialect.temperature = usual_temperature(&name);
            }
            let agent = one_name(&wanted.agent).to_owned();
            Ok((name, SeatPlan { agent, model }))
        };
        let seats = all.into_iter().map(seat);
        let seats = seats.collect::<Result<_, RunError>>()?;
        Ok(Self {
            agent: one_name(&agent).to_owned(),
            model,
            seats,
        })
    }

    /// The same cast in one form, for a game with these `seats`: a seat whose agent is that of the run is not named, and
    /// where every seat has an agent of its own, the one of the first seat is that of the run. The seats `aside` are
    /// not under test: they are named where their agent is not the usual one.
    pub(super) fn settled(mut self, seats: &[Seat], aside: &[(&str, &str)]) -> Self {
        // One cast may be named in several ways (`--agent a --seat cfo=a` is `--agent a`). The plan has one, because
        // its digest names folders, and tables group runs by it.
        let usual = |seat: &str| aside.iter().find(|(name, _)| *name == seat);
        let mut tested = seats.iter().filter(|seat| usual(seat.name()).is_none());
        if let Some(first) = tested.clone().next()
            && tested.all(|seat| self.seats.contains_key(seat.name()))
            && let Some(plan) = self.seats.remove(first.name())
        {
            (self.agent, self.model) = (plan.agent, plan.model);
        }
        self.seats.retain(|name, seat| match usual(name) {
            Some((_, usual)) => seat.agent != *usual,
            None => seat.agent != self.agent || seat.model != self.model,
        });
        self
    }
}

impl Plan {
    /// The agents in words: the one of the run, then those with seats of their own (`sterman, brewery=openai:a`).
    #[must_use]
    pub fn cast(&self) -> String {
        let seats = self.named_seats();
        let seats = seats.map(|(seat, plan)| format!(", {seat}={}", plan.agent));
        std::iter::once(self.agent.clone()).chain(seats).collect()
    }

    /// The seats with agents of their own that tell runs apart: what runs programs does not.
    pub(crate) fn named_seats(&self) -> impl Iterator<Item = (&String, &SeatPlan)> {
        self.seats.iter().filter(|(_, plan)| plan.agent != PYTHON)
    }

    /// Who plays the seats that are not under test, in the order of the environment, with how their models are sampled.
    #[must_use]
    pub fn cast_aside(&self, kind: &dyn DynEnvironmentSpec) -> Vec<(&'static str, String)> {
        let aside = kind.default_cast().iter();
        aside
            .map(|(seat, usual)| {
                let Some(plan) = self.seats.get(*seat) else {
                    return (*seat, (*usual).to_owned());
                };
                let traits = plan.model.iter().flat_map(ModelPlan::traits);
                let traits = traits.filter(|(_, words)| words != DIRECT);
                let words: Vec<String> = std::iter::once(plan.agent.clone())
                    .chain(traits.map(|(_, words)| words))
                    .collect();
                (*seat, words.join(" "))
            })
            .collect()
    }

    /// The agents of those of `seats` that people and clients do not play, in words: `interviewer=rules,
    /// judge_1=rules`. Empty if there are none; what runs programs is left out.
    pub(crate) fn cast_beside(&self, kind: &dyn DynEnvironmentSpec, seats: &[Seat]) -> String {
        let usual = kind.default_cast().iter();
        let mut agents: BTreeMap<&str, &str> = usual.map(|(seat, agent)| (*seat, *agent)).collect();
        let own = self.seats.iter();
        agents.extend(own.map(|(seat, plan)| (seat.as_str(), plan.agent.as_str())));
        let is_there = |name: &str| seats.iter().any(|seat| seat.name() == name);
        let named = agents.into_iter();
        let named = named.filter(|(seat, agent)| is_there(seat) && *agent != PYTHON);
        let words: Vec<String> = named
            .map(|(seat, agent)| format!("{seat}={agent}"))
            .collect();
        words.join(", ")
    }

    /// How each model is asked: that of the run's agent, then those of the seats by name.
    pub fn models(&self) -> impl Iterator<Item = &ModelPlan> {
        let seats = self.seats.values();
        let seats = seats.filter_map(|seat| seat.model.as_ref());
        self.model.iter().chain(seats)
    }

    /// How the models are asked that play seats under test: not interviewers and judges.
    pub fn tested_models(&self) -> impl Iterator<Item = &ModelPlan> {
        let seats = self.seats.iter();
        let tested = seats.filter(|(name, _)| ModelRole::of_seat(name) == ModelRole::Agent);
        let seats = tested.filter_map(|(_, seat)| seat.model.as_ref());
        self.model.iter().chain(seats)
    }

    /// Language, model and sampling of each model, in the order of [`models`](Self::models).
    #[must_use]
    pub fn dialects(&self) -> Vec<&Dialect> {
        self.models().map(|model| &model.dialect).collect()
    }

    /// Whether a model plays a seat.
    #[must_use]
    pub fn asks_models(&self) -> bool {
        self.models().next().is_some()
    }

    /// Whether servers are asked. A recording answers without one and costs nothing.
    #[must_use]
    pub fn asks_servers(&self) -> bool {
        self.asks_models() && !self.asked_agent().starts_with("replay:")
    }

    /// Whether the agent `python` plays a seat.
    pub(crate) fn runs_programs(&self) -> bool {
        self.seats.values().any(|seat| seat.agent == PYTHON)
    }

    /// Checks that programs can be run, if the plan needs it.
    ///
    /// # Errors
    /// When the system has no Python 3, or no jail and programs are not trusted.
    pub(crate) fn check_python(&self) -> Result<(), RunError> {
        if self.runs_programs() {
            executor::check()?;
        }
        Ok(())
    }

    /// Names of the agents.
    pub fn agents(&self) -> impl Iterator<Item = &str> {
        let seats = self.seats.values();
        std::iter::once(&*self.agent).chain(seats.map(|seat| &*seat.agent))
    }

    /// Name and argument of the policy that is the run's agent.
    pub(crate) fn policy(&self) -> &str {
        self.agent.strip_prefix("policy:").unwrap_or(&self.agent)
    }

    /// The agent whose name says where replies come from: the one that names a recording, if any does.
    #[must_use]
    pub fn asked_agent(&self) -> &str {
        let mut agents = self.agents();
        agents
            .find(|agent| agent.starts_with("replay:"))
            .unwrap_or(&self.agent)
    }

    /// The agents of the seats that the run's agent does not play in the environment `kind`, ready to play.
    pub(crate) fn seat_specs(
        &self,
        kind: &dyn DynEnvironmentSpec,
    ) -> Result<BTreeMap<Seat, AgentSpec>, RunError> {
        let usual = kind.default_cast().iter();
        let mut specs: BTreeMap<Seat, AgentSpec> = usual
            .map(|(seat, agent)| Ok((Seat::named(seat), AgentSpec::parse(agent)?)))
            .collect::<Result<_, RunError>>()?;
        for (name, seat) in &self.seats {
            let spec = AgentSpec::parse(&seat.agent)?;
            specs.insert(Seat(name.clone().into()), spec);
        }
        Ok(specs)
    }

    /// Digest of how the seats are played, for the headers of records; `None` without seats of their own. A model that
    /// answers from a recording is the model that was recorded.
    pub(crate) fn seats_digest(&self) -> Option<Digest> {
        let seat = |(name, seat): (&String, &SeatPlan)| match &seat.model {
            Some(model) => {
                let prompts = agent_client::prompt::digest(model.method.reasons());
                json!([name, model, prompts])
            }
            None => json!([name, seat.agent]),
        };
        let seats: Vec<Value> = self.seats.iter().map(seat).collect();
        (!seats.is_empty()).then(|| Digest::of(&seats).ok())?
    }

    /// Checks the agents of the seats, apart from their places in the environment.
    pub(super) fn check_seats(&self) -> Result<(), RunError> {
        if self.seats.is_empty() {
            return Ok(());
        }
        let of = |seat: &str| format!("seat {}: ", clip(seat));
        for (name, seat) in &self.seats {
            let is_asked = is_model(&seat.agent);
            let wrong = |text: &str| Err(RunError::usage(text).at(&of(name)));
            match AgentSpec::parse(&seat.agent)? {
                AgentSpec::Policy(_) | AgentSpec::Model | AgentSpec::Python => {}
                _ => return wrong("a seat of its own is for a policy or a model"),
            }
            if seat.model.is_some() != is_asked {
                return wrong("its agent does not match the plan's settings for asking a model");
            }
            let Some(model) = &seat.model else { continue };
            model.check(&seat.agent).map_err(|e| e.at(&of(name)))?;
            if model.is_online()? {
                return wrong(
                    "a method that learns goes with --method, for the agent that plays the other seats; the \
                     method of a seat learns nothing",
                );
            }
        }
        match AgentSpec::parse(&self.agent)? {
            AgentSpec::Policy(_) | AgentSpec::Model => {}
            AgentSpec::Human | AgentSpec::Client | AgentSpec::Classroom => {
                if let Some((name, seat)) =
                    self.seats.iter().find(|(_, seat)| is_model(&seat.agent))
                {
                    return Err(RunError::usage(format!(
                        "{}`{}` is a model; beside people and clients, only policies can play (`boardroom run` seats models)",
                        of(name),
                        clip(&seat.agent)
                    )));
                }
            }
            _ => {
                return Err(RunError::usage(format!(
                    "--seat goes with a policy or a model as --agent, not with `{}`",
                    clip(&self.agent)
                )));
            }
        }
        let mut asked = self.agents().filter(|agent| is_model(agent));
        let first = asked.next();
        let is_recorded = |agent: &str| agent.starts_with("replay:");
        if let Some(other) = asked.find(|agent| {
            first.is_some_and(|first| (is_recorded(first) || is_recorded(agent)) && first != *agent)
        }) {
            return Err(RunError::usage(format!(
                "`{}` and `{}` cannot play together: where one model answers from a recording, all must, and \
                 from the same one",
                clip(first.unwrap_or_default()),
                clip(other)
            )));
        }
        Ok(())
    }
}

/// The one name of an agent in plans, records and tables: a policy is `sterman`, also where it was called
/// `policy:sterman`.
#[must_use]
pub fn one_name(agent: &str) -> &str {
    let name = agent.strip_prefix("policy:");
    // `policy:human` keeps its beginning, without which it would be the person.
    let name = name.filter(|name| matches!(AgentSpec::parse(name), Ok(AgentSpec::Policy(_))));
    name.unwrap_or(agent)
}

/// The name of the policy in the name of an agent: `constant` in `policy:constant:4`.
pub(crate) fn policy_name(agent: &str) -> &str {
    let agent = agent.trim_start_matches("policy:");
    agent.split_once(':').map_or(agent, |(name, _)| name)
}

/// Whether an agent of `plan` knows hidden state: it is a policy that reads hidden state, or a model
/// that is shown the plan of such a policy.
#[must_use]
pub fn is_oracle(kind: &dyn DynEnvironmentSpec, plan: &Plan) -> bool {
    let knows = |agent: &str| {
        let name = policy_name(agent);
        let mut policies = kind.policy_list().into_iter();
        policies.any(|policy| policy.oracle && policy.name == name)
    };
    plan.models().any(ModelPlan::is_gold) || plan.agents().any(knows)
}

/// Checks that the seats in `named` exist among `seats` of `game`.
pub(super) fn check_names(
    game: &str,
    named: &BTreeMap<String, SeatPlan>,
    seats: &[Seat],
    aside: &[(&str, &str)],
) -> Result<(), RunError> {
    // Not every instance has all the seats that are not under test. Of numbered ones, the configuration says how many.
    let stem = |name: &str| name.rsplit_once('_').map(|(stem, _)| stem.to_owned());
    let there: BTreeSet<&str> = seats.iter().map(Seat::name).collect();
    let stems: BTreeSet<String> = there.iter().filter_map(|name| stem(name)).collect();
    let beyond = named.keys().find(|name| {
        aside.iter().any(|(seat, _)| seat == name)
            && !there.contains(name.as_str())
            && stem(name).is_some_and(|stem| stems.contains(&stem))
    });
    if let Some(beyond) = beyond {
        return Err(RunError::usage(format!(
            "`{game}` has no seat `{}` with these settings; its seats are {}. A setting says how many there are \
             (`judges` in `set` of a plan file)",
            clip(beyond),
            there.into_iter().collect::<Vec<_>>().join(", ")
        )));
    }
    let aside = aside.iter().map(|(name, _)| *name);
    let names: BTreeSet<&str> = seats.iter().map(Seat::name).chain(aside).collect();
    let Some(unknown) = named.keys().find(|name| !names.contains(name.as_str())) else {
        return Ok(());
    };
    let names: Vec<&str> = names.into_iter().collect();
    Err(RunError::usage(format!(
        "`{game}` has no seat `{}`; it has {}",
        clip(unknown),
        names.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(seat: &str, agent: &str) -> (String, String) {
        (seat.to_owned(), agent.to_owned())
    }

    #[test]
    fn options_belong_to_the_seat_that_they_name() {
        let agents = [named("cfo", "openai:a"), named("cto", "copy")];
        let options = [
            ("cfo.temperature".to_owned(), json!(0.5)),
            ("cfo.method".to_owned(), json!("refine+none")),
            ("cfo.method_set.rounds".to_owned(), json!(3)),
        ];
        let seats = SeatRequest::all(&agents, &options).unwrap();
        let cfo = seats.get("cfo").unwrap();
        assert_eq!(cfo.model.ask.sampling.temperature, Some(0.5));
        assert_eq!(
            cfo.model.method.method_set,
            [("rounds".to_owned(), json!(3))]
        );
        for (path, value) in [
            ("cfo", json!(1)),
            ("coo.temperature", json!(1)),
            ("cfo.heat", json!(1)),
            ("cfo.temperature", json!("hot")),
            ("cto.temperature", json!(1)),
        ] {
            let wrong = SeatRequest::all(&agents, &[(path.to_owned(), value)]);
            let message = wrong.unwrap_err().to_string();
            let seat = path.split('.').next().unwrap();
            assert!(message.contains(seat), "{message}");
        }
        // Each name is a table in a table.
        let deep = format!("cfo.{}b", "a.".repeat(60_000));
        let error = SeatRequest::all(&agents, &[(deep, json!(1))]).unwrap_err();
        assert!(error.to_string().contains("cfo"), "{error}");
        let twice = [named("cfo", "copy"), named("cfo", "random")];
        assert!(SeatRequest::all(&twice, &[]).is_err());
    }
}
