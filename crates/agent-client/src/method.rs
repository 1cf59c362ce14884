//! The nine agent methods: a deliberator and a memory each, and the three ways to drive them.
//!
//! | method | deliberator | memory | requests for a question |
//! |---|---|---|---|
//! | `cot` | single | none | 1 |
//! | `self-refine` | refine | none | 1, and one for each round, at most 4 rounds |
//! | `reflexion` | single | reflections | 1, and 1 after a failure |
//! | `amem` | single | notes | 3 for the first, then 4 |
//! | `debate` | debate | none | 6 |
//! | `discussion` | discussion | none | 7, or 3 if all agree at once |
//! | `dc` | single | cheatsheet | 2 |
//! | `gepa` | single | instruction | 1 (and the budget of its evolution, beforehand) |
//! | `ace` | single | playbook | 3 |
//!
//! Every deliberator goes with every memory: `debate+playbook` is a method, too. The drivers are
//! [`QuestionStream`] (questions), [`EpisodeStream`] (episodes; and, with [`Work::Run`], the same
//! decision again and again) and [`evolve`] (the search for an instruction).
//!
//! [`Work::Run`]: crate::memory::Work::Run

use crate::backend::AgentBackend;
use crate::decide::{Debate, Deliberator, Discussion, Refine, Single};
use crate::error::AgentError;
use crate::memory::{
    Cheatsheet, CheatsheetSettings, Feedback, Instruction, Memory, Notes, NotesSettings, Nothing,
    Playbook, PlaybookSettings, Reflections, ReflectionsSettings,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::{Digest, Seed};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

mod episode;
mod evolve;
mod question;
mod range;

pub use episode::{EpisodeNote, EpisodeSettings, EpisodeStream, EpisodeWork};
pub use evolve::{
    Evolution, EvolveSettings, Evolved, QuestionTrials, Split, Trial, TrialSource, evolve,
};
pub use question::{Grade, Grader, Item, ItemHeader, ItemRecord, QuestionSettings, QuestionStream};

/// A deliberator with its settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliberatorSpec {
    /// [`Single`].
    Single(Single),
    /// [`Refine`].
    Refine(Refine),
    /// [`Debate`].
    Debate(Debate),
    /// [`Discussion`].
    Discussion(Discussion),
}

impl DeliberatorSpec {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "single" => Self::Single(Single::default()),
            "refine" => Self::Refine(Refine::default()),
            "debate" => Self::Debate(Debate::default()),
            "discussion" => Self::Discussion(Discussion::default()),
            _ => return None,
        })
    }

    fn make(self) -> Arc<dyn Deliberator> {
        match self {
            Self::Single(it) => Arc::new(it),
            Self::Refine(it) => Arc::new(it),
            Self::Debate(it) => Arc::new(it),
            Self::Discussion(it) => Arc::new(it),
        }
    }
}

/// A memory with its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemorySpec {
    /// [`Nothing`].
    None,
    /// [`Reflections`].
    Reflections(ReflectionsSettings),
    /// [`Notes`].
    Notes(NotesSettings),
    /// [`Cheatsheet`].
    Cheatsheet(CheatsheetSettings),
    /// [`Instruction`] with its text; absent until it is evolved or read.
    Instruction(Option<String>),
    /// [`Playbook`].
    Playbook(PlaybookSettings),
}

impl MemorySpec {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "none" => Self::None,
            "reflections" => Self::Reflections(ReflectionsSettings::default()),
            "notes" => Self::Notes(NotesSettings::default()),
            "cheatsheet" => Self::Cheatsheet(CheatsheetSettings::default()),
            "instruction" => Self::Instruction(None),
            "playbook" => Self::Playbook(PlaybookSettings::default()),
            _ => return None,
        })
    }

    fn make(&self) -> Result<Box<dyn Memory>, AgentError> {
        Ok(match self {
            Self::None => Box::new(Nothing),
            Self::Reflections(settings) => Box::new(Reflections::new(*settings)),
            Self::Notes(settings) => Box::new(Notes::new(*settings)),
            Self::Cheatsheet(settings) => Box::new(Cheatsheet::new(*settings)),
            Self::Instruction(Some(text)) => Box::new(Instruction::new(text.clone())),
            Self::Instruction(None) => {
                return Err(AgentError::setup(
                    "method `gepa` needs an instruction that was evolved beforehand",
                ));
            }
            Self::Playbook(settings) => Box::new(Playbook::new(*settings)),
        })
    }
}

/// A method as it is named and set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodSpec {
    /// Its name in records.
    pub name: String,
    /// How a decision is made.
    pub deliberator: DeliberatorSpec,
    /// What is kept.
    pub memory: MemorySpec,
}

/// Names of the nine, in the order of their cost for a question.
pub const NAMES: [&str; 9] = [
    "cot",
    "gepa",
    "self-refine",
    "reflexion",
    "dc",
    "ace",
    "amem",
    "debate",
    "discussion",
];

impl FromStr for MethodSpec {
    type Err = AgentError;

    /// One of the nine names, or `<deliberator>+<memory>`.
    fn from_str(name: &str) -> Result<Self, AgentError> {
        let (deliberator, memory) = match name {
            "cot" => ("single", "none"),
            "self-refine" => ("refine", "none"),
            "reflexion" => ("single", "reflections"),
            "amem" => ("single", "notes"),
            "debate" => ("debate", "none"),
            "discussion" => ("discussion", "none"),
            "dc" => ("single", "cheatsheet"),
            "gepa" => ("single", "instruction"),
            "ace" => ("single", "playbook"),
            other => other.split_once('+').unwrap_or(("", "")),
        };
        let parts = DeliberatorSpec::named(deliberator).zip(MemorySpec::named(memory));
        let Some((deliberator, memory)) = parts else {
            return Err(AgentError::setup(format!(
                "`{}` is no method; there are {}, and <deliberator>+<memory> of single, refine, \
                 debate, discussion and none, reflections, notes, cheatsheet, instruction, playbook",
                sim_core::error::clip(name),
                NAMES.join(", ")
            )));
        };
        Ok(Self {
            name: name.to_owned(),
            deliberator,
            memory,
        })
    }
}

impl fmt::Display for MethodSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl MethodSpec {
    /// Checks that the parts of the method are those of its name; an instruction may have any text.
    ///
    /// # Errors
    /// When its parts differ from those of its name, or it cannot be made.
    pub fn check(&self) -> Result<(), AgentError> {
        let mut named: Self = self.name.parse()?;
        if let MemorySpec::Instruction(text) = &mut named.memory
            && let MemorySpec::Instruction(own) = &self.memory
        {
            text.clone_from(own);
        }
        if named != *self {
            return Err(AgentError::setup(format!(
                "method `{}` has other parts than its name says",
                sim_core::error::clip(&self.name)
            )));
        }
        self.make().map(|_| ())
    }

    /// The method, with an empty memory.
    ///
    /// # Errors
    /// When its memory lacks what it needs from outside, or a number lies outside its range.
    pub fn make(&self) -> Result<Method, AgentError> {
        self.check_ranges()?;
        Ok(Method {
            name: self.name.clone(),
            deliberator: self.deliberator.make(),
            memory: self.memory.make()?,
        })
    }
}

/// A method at work.
#[derive(Debug)]
pub struct Method {
    /// Its name in records.
    pub name: String,
    /// How a decision is made.
    pub deliberator: Arc<dyn Deliberator>,
    /// What is kept.
    pub memory: Box<dyn Memory>,
}

impl Method {
    /// Everything about it that can change an answer.
    #[must_use]
    pub fn settings(&self) -> Value {
        json!({
            "name": self.name,
            "deliberator": [self.deliberator.name(), self.deliberator.settings()],
            "memory": [self.memory.name(), self.memory.settings()],
        })
    }
}

/// Who does the work: the agent itself, and whoever does its reflecting.
#[derive(Debug, Clone)]
pub struct Team {
    /// Decides.
    pub agent: Arc<dyn AgentBackend>,
    /// Reflects, curates, takes notes; often the same.
    pub reflector: Arc<dyn AgentBackend>,
}

impl Team {
    /// One backend for everything.
    #[must_use]
    pub fn of(backend: Arc<dyn AgentBackend>) -> Self {
        Self {
            agent: Arc::clone(&backend),
            reflector: backend,
        }
    }
}

/// The digest of everything about an agent that can change its answers, for the headers of records:
/// backends, method, feedback, the driver's settings and the words of all prompts.
#[must_use]
pub fn settings_digest(
    team: &Team,
    method: &Method,
    feedback: Feedback,
    driver: &impl Serialize,
) -> Digest {
    let value = json!({
        "agent": team.agent.settings(),
        "reflector": team.reflector.settings(),
        "method": method.settings(),
        "feedback": feedback,
        "driver": serde_json::to_value(driver).unwrap_or_default(),
        "prompts": crate::prompt::digest().to_string(),
    });
    Digest::of_bytes(sim_core::bytes::canonical_text(&value).as_bytes())
}

/// The order in which stream `stream` of a run meets `count` items: drawn from the run's seed, so
/// that the order is recorded with it. Methods with memory depend on the order; run several.
#[must_use]
pub fn order(seed: Seed, stream: u64, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    seed.stream("item order", stream).shuffle(&mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_named_by_themselves_or_their_parts() {
        for name in NAMES {
            let spec: MethodSpec = name.parse().unwrap();
            assert_eq!(spec.to_string(), name);
            assert_eq!(spec.make().is_ok(), name != "gepa", "{name}");
            let json = serde_json::to_string(&spec).unwrap();
            assert_eq!(serde_json::from_str::<MethodSpec>(&json).unwrap(), spec);
        }
        let both: MethodSpec = "debate+playbook".parse().unwrap();
        assert_eq!(both.make().unwrap().memory.name(), "playbook");
        for wrong in ["", "cott", "debate+", "+none", "single+none+none"] {
            let error = wrong.parse::<MethodSpec>().unwrap_err();
            assert!(error.message.contains("self-refine"), "{error}");
        }
    }

    #[test]
    fn orders_are_drawn_and_repeatable() {
        let first = order(Seed(1), 0, 20);
        assert_eq!(first, order(Seed(1), 0, 20));
        assert_ne!(first, order(Seed(1), 1, 20));
        let mut sorted = first;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
    }
}
