//! Parses the names of methods, checks their settings, and builds methods.
//!
//! ```
//! use agent_client::method::{MethodSpec, MemorySpec};
//! let ace: MethodSpec = "ace".parse()?;
//! assert!(matches!(ace.memory, MemorySpec::Playbook(_)));
//! let own: MethodSpec = "debate+reflections".parse()?;
//! assert_eq!(own.make()?.deliberator.name(), "debate");
//! // `gepa` needs its instruction first.
//! assert!("gepa".parse::<MethodSpec>()?.make().is_err());
//! # Ok::<(), agent_client::AgentError>(())
//! ```

use crate::decide::{Debate, Deliberator, Discussion, Refine, Single};
use crate::error::AgentError;
use crate::memory::{
    Cheatsheet, CheatsheetSettings, Instruction, Memory, Notes, NotesSettings, Nothing, Playbook,
    PlaybookSettings, Reflections, ReflectionsSettings,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::METHODS;
use std::fmt;
use std::mem::discriminant;
use std::str::FromStr;
use std::sync::Arc;

/// A deliberator with its settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DeliberatorSpec {
    /// [`Single`], with reasoning under the name `reasoning`.
    Single(Single),
    /// [`Refine`].
    Refine(Refine),
    /// [`Debate`].
    Debate(Debate),
    /// [`Discussion`].
    Discussion(Discussion),
}

impl DeliberatorSpec {
    /// The names of all deliberators.
    pub const NAMES: [&str; 5] = ["single", "reasoning", "refine", "debate", "discussion"];

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "single" => Self::Single(Single::default()),
            "reasoning" => Self::Single(Single {
                reasoning: true,
                ..Single::default()
            }),
            "refine" => Self::Refine(Refine::default()),
            "debate" => Self::Debate(Debate::default()),
            "discussion" => Self::Discussion(Discussion::default()),
            _ => return None,
        })
    }

    /// Whether the model reasons step by step before its decisions.
    #[must_use]
    pub fn reasons(&self) -> bool {
        self.make().reasons()
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
#[non_exhaustive]
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
    /// The names of all memories.
    pub const NAMES: [&str; 6] = [
        "none",
        "reflections",
        "notes",
        "cheatsheet",
        "instruction",
        "playbook",
    ];

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
///
/// Plans store it, with all settings. [`set`](Self::set) changes a setting by its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodSpec {
    /// Its name in records.
    pub name: String,
    /// How decisions are made.
    pub deliberator: DeliberatorSpec,
    /// The memory.
    pub memory: MemorySpec,
}

impl FromStr for MethodSpec {
    type Err = AgentError;

    /// Reads a name of [`METHODS`], or `<deliberator>+<memory>`.
    fn from_str(name: &str) -> Result<Self, AgentError> {
        let parts = match METHODS.iter().find(|method| method.name == name) {
            Some(method) => Some((method.deliberator, method.memory)),
            None => name.split_once('+'),
        };
        let made = parts.and_then(|(deliberator, memory)| {
            DeliberatorSpec::named(deliberator).zip(MemorySpec::named(memory))
        });
        let Some((deliberator, memory)) = made else {
            return Err(AgentError::setup(format!(
                "`{}` is not a method; methods are {}, and <deliberator>+<memory> of {} and {}",
                sim_core::error::clip(name),
                METHODS.map(|method| method.name).join(", "),
                DeliberatorSpec::NAMES.join(", "),
                MemorySpec::NAMES.join(", ")
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
    /// Whether the model is asked to reason step by step before its decisions.
    #[must_use]
    pub fn reasons(&self) -> bool {
        self.deliberator.reasons()
    }

    /// Checks that the parts of the method are those of its name, with any settings and any instruction.
    ///
    /// # Errors
    /// When its parts differ from those of its name, a setting is out of its range, or it cannot be made.
    pub fn check(&self) -> Result<(), AgentError> {
        let named: Self = self.name.parse()?;
        let is_named = discriminant(&named.deliberator) == discriminant(&self.deliberator)
            && discriminant(&named.memory) == discriminant(&self.memory)
            // These two have the same parts; only whether the model reasons tells them apart.
            && (self.name != "direct" || !self.reasons())
            && (self.name != "cot" || self.reasons());
        if !is_named {
            return Err(AgentError::setup(format!(
                "method `{}` has other parts than its name says",
                sim_core::error::clip(&self.name)
            )));
        }
        // Made once for its checks: the ranges, and that `gepa` has its instruction.
        self.make().map(|_| ())
    }

    /// Builds the method with an empty memory.
    ///
    /// # Errors
    /// When its memory lacks external input, or a number is outside its range.
    ///
    /// Each call gives an empty memory, one for each stream.
    pub fn make(&self) -> Result<Method, AgentError> {
        self.check_ranges()?;
        Ok(Method {
            name: self.name.clone(),
            deliberator: self.deliberator.make(),
            memory: self.memory.make()?,
        })
    }
}

/// A method that can be run.
#[derive(Debug)]
pub struct Method {
    /// Its name in records.
    pub name: String,
    /// How decisions are made.
    pub deliberator: Arc<dyn Deliberator>,
    /// The memory.
    pub memory: Box<dyn Memory>,
}

impl Method {
    /// All settings that can change an answer.
    #[must_use]
    pub fn settings(&self) -> Value {
        json!({
            "name": self.name,
            "deliberator": [self.deliberator.name(), self.deliberator.settings()],
            "memory": [self.memory.name(), self.memory.settings()],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_named_by_themselves_or_their_parts() {
        for name in METHODS.map(|method| method.name) {
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
    fn every_part_is_known_by_its_name() {
        for name in DeliberatorSpec::NAMES {
            assert_eq!(DeliberatorSpec::named(name).unwrap().make().name(), name);
        }
        for name in MemorySpec::NAMES {
            assert!(MemorySpec::named(name).is_some(), "{name}");
        }
    }
}
