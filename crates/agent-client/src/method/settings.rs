//! The settings of methods by name: what `--method-set` changes and `describe method` lists.

use super::spec::{DeliberatorSpec, MemorySpec, MethodSpec};
use crate::error::AgentError;
use crate::wire::Dialect;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;

/// A setting of a method.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MethodSetting {
    /// Its name, unique in the method.
    pub key: &'static str,
    /// The values that it takes.
    pub kind: SettingKind,
    /// Its value in the method as it is named.
    pub default: Value,
    /// What it does, in a line.
    pub about: &'static str,
    part: Part,
}

/// The values that a setting of a method takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingKind {
    /// A whole number in a range, both ends included.
    Whole {
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
    },
    /// A sampling temperature from 0 to 2, or `null` for that of the run.
    Temperature,
    /// `true` or `false`.
    Switch,
    /// One of these words.
    Word(&'static [&'static str]),
}

impl fmt::Display for SettingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole { min, max } => write!(f, "a whole number from {min} to {max}"),
            Self::Temperature => write!(f, "a number from 0 to {}, or null", Dialect::HOTTEST),
            Self::Switch => f.write_str("true or false"),
            Self::Word(words) => f.write_str(&words.join(" or ")),
        }
    }
}

impl SettingKind {
    /// Whether `value` is one of its values.
    #[must_use]
    pub fn accepts(self, value: &Value) -> bool {
        match self {
            Self::Whole { min, max } => value
                .as_u64()
                .is_some_and(|number| (min..=max).contains(&number)),
            Self::Temperature => {
                value.is_null()
                    || value
                        .as_f64()
                        .is_some_and(|heat| (0.0..=Dialect::HOTTEST).contains(&heat))
            }
            Self::Switch => value.is_boolean(),
            Self::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        }
    }
}

/// The part of a method that a setting belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Deliberator,
    Memory,
}

type Row = (&'static str, SettingKind, &'static str);

const fn whole(min: u64, max: u64) -> SettingKind {
    SettingKind::Whole { min, max }
}

/// Maximum number of agents, rounds or turns of a decision: each one is a separate request.
const REQUESTS: u64 = 1_000;

/// Number of entries of a memory that are shown at once.
const SHOWN: SettingKind = whole(0, 1_000);

/// Number of words or tokens of a memory.
const KEPT: SettingKind = whole(0, 10_000_000);

const LENGTH: SettingKind = whole(1, Dialect::MOST_TOKENS as u64);
const TEMPERATURE: Row = (
    "temperature",
    SettingKind::Temperature,
    "sampling temperature of its decisions; null takes that of the run (--temperature)",
);
const REASONING: Row = (
    "reasoning",
    SettingKind::Switch,
    "whether the model reasons step by step before each decision, as in `cot`",
);
const AGENTS: Row = ("agents", whole(1, REQUESTS), "number of agents");

impl DeliberatorSpec {
    fn rows(&self) -> Vec<Row> {
        match self {
            Self::Single(_) => vec![TEMPERATURE, REASONING],
            Self::Refine(_) => vec![
                (
                    "rounds",
                    whole(0, REQUESTS),
                    "largest number of rounds in which the critic may change the decision",
                ),
                TEMPERATURE,
                (
                    "critic_temperature",
                    SettingKind::Temperature,
                    "sampling temperature of the critic",
                ),
                REASONING,
            ],
            Self::Debate(_) => vec![
                AGENTS,
                (
                    "rounds",
                    whole(1, REQUESTS),
                    "rounds before the vote; with 1 the agents only vote (self-consistency)",
                ),
                TEMPERATURE,
                REASONING,
            ],
            Self::Discussion(_) => vec![
                AGENTS,
                ("rounds", whole(1, REQUESTS), "rounds before the synthesis"),
                TEMPERATURE,
                (
                    "style",
                    SettingKind::Word(&["table", "roleplay"]),
                    "equal agents and a synthesis, or an instructor and a worker",
                ),
                (
                    "turns",
                    whole(0, REQUESTS),
                    "largest number of messages of a role play",
                ),
                REASONING,
            ],
        }
    }

    /// Every temperature that is set.
    fn temperatures(&self) -> impl Iterator<Item = f64> {
        let all = match self {
            Self::Single(it) => [it.temperature, None],
            Self::Refine(it) => [it.temperature, it.critic_temperature],
            Self::Debate(it) => [it.temperature, None],
            Self::Discussion(it) => [it.temperature, None],
        };
        all.into_iter().flatten()
    }
}

impl MemorySpec {
    fn rows(&self) -> Vec<Row> {
        match self {
            Self::None | Self::Instruction(_) => Vec::new(),
            Self::Reflections(_) => vec![("shown", SHOWN, "latest reflections that are shown")],
            Self::Notes(_) => vec![
                (
                    "found",
                    SHOWN,
                    "notes that are looked up for a task, without those linked to them",
                ),
                (
                    "neighbours",
                    SHOWN,
                    "near notes that a new note may be linked to and change",
                ),
            ],
            Self::Cheatsheet(_) => vec![
                (
                    "words",
                    KEPT,
                    "largest cheatsheet [words], as the curator is told",
                ),
                (
                    "retrieve",
                    SHOWN,
                    "similar past tasks from which a sheet is written before each task; 0 keeps one sheet for all tasks",
                ),
                (
                    "max_tokens",
                    LENGTH,
                    "largest reply of the curator [tokens]",
                ),
            ],
            Self::Playbook(_) => vec![
                ("tokens", KEPT, "largest playbook [tokens]"),
                (
                    "max_tokens",
                    LENGTH,
                    "largest reply of the reflector and of the curator [tokens]",
                ),
            ],
        }
    }
}

impl MethodSpec {
    /// The settings of the method, those of its deliberator first. The instruction of `gepa` is not among
    /// them.
    ///
    /// ```
    /// use agent_client::method::MethodSpec;
    /// let dc: MethodSpec = "dc".parse()?;
    /// let keys: Vec<&str> = dc.setting_list().iter().map(|setting| setting.key).collect();
    /// assert_eq!(keys, ["temperature", "reasoning", "words", "retrieve", "max_tokens"]);
    /// # Ok::<(), agent_client::AgentError>(())
    /// ```
    #[must_use]
    pub fn setting_list(&self) -> Vec<MethodSetting> {
        // The defaults of the name and not of the type: `cot` is `direct` with another default.
        let named = match self.name.parse() {
            Ok(named) => named,
            // A method of another name (`aoa`) has no defaults but its own values.
            Err(_) => self.clone(),
        };
        let (deliberator, memory) = (fields(&named.deliberator), fields(&named.memory));
        // The names `direct` and `cot` say whether the model reasons.
        let named_by = |key: &str| key == "reasoning" && matches!(&*self.name, "direct" | "cot");
        let rows = |rows: Vec<Row>, values: Option<Value>, part| {
            let rows = rows.into_iter().filter(|row| !named_by(row.0));
            rows.map(|(key, kind, about)| MethodSetting {
                key,
                kind,
                default: value_of(values.as_ref(), key, kind),
                about,
                part,
            })
            .collect::<Vec<_>>()
        };
        let mut all = rows(self.deliberator.rows(), deliberator, Part::Deliberator);
        all.extend(rows(self.memory.rows(), memory, Part::Memory));
        all
    }

    /// Gives the setting `key` the value `value`.
    ///
    /// ```
    /// use agent_client::method::MethodSpec;
    /// let mut dc: MethodSpec = "dc".parse()?;
    /// dc.set("retrieve", &3.into())?;
    /// assert_eq!(dc.label(), "dc (retrieve=3)");
    /// assert!(dc.set("retrieve", &"three".into()).is_err());
    /// # Ok::<(), agent_client::AgentError>(())
    /// ```
    ///
    /// # Errors
    /// When the method has no such setting (the message names those it has), or the setting does not take
    /// this value (the message names the values that it takes).
    pub fn set(&mut self, key: &str, value: &Value) -> Result<(), AgentError> {
        let list = self.setting_list();
        let Some(setting) = list.iter().find(|setting| setting.key == key) else {
            let keys: Vec<&str> = list.iter().map(|setting| setting.key).collect();
            return Err(AgentError::setup(format!(
                "method `{self}` has no setting `{}`; it has {}",
                sim_core::error::clip(key),
                keys.join(", ")
            )));
        };
        if !setting.kind.accepts(value) {
            return Err(AgentError::setup(format!(
                "`{key}` of method `{self}` is {}, not `{}`",
                setting.kind,
                sim_core::error::clip(&value.to_string())
            )));
        }
        match setting.part {
            Part::Deliberator => self.deliberator = replaced(&self.deliberator, key, value)?,
            Part::Memory => self.memory = replaced(&self.memory, key, value)?,
        }
        // As a whole: a value may be right by itself and wrong beside another one.
        self.check()
    }

    /// The method as tables name it: its name, with the settings that are not the defaults of the name.
    #[must_use]
    pub fn label(&self) -> String {
        let (deliberator, memory) = (fields(&self.deliberator), fields(&self.memory));
        let changed: Vec<String> = self
            .setting_list()
            .into_iter()
            .filter_map(|setting| {
                let values = match setting.part {
                    Part::Deliberator => &deliberator,
                    Part::Memory => &memory,
                };
                let value = value_of(values.as_ref(), setting.key, setting.kind);
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                // Only what differs, so that a table names a method as its user does.
                (value != setting.default).then(|| format!("{}={text}", setting.key))
            })
            .collect();
        let name = &self.name;
        if changed.is_empty() {
            name.clone()
        } else {
            format!("{name} ({})", changed.join(", "))
        }
    }
}

impl MethodSpec {
    /// Checks that every number of the method lies in its range: a manifest can set them.
    ///
    /// # Errors
    /// Names the number and its range.
    pub(super) fn check_ranges(&self) -> Result<(), AgentError> {
        let hottest = Dialect::HOTTEST;
        // The table is not used here: NaN would be `null` in JSON.
        for heat in self.deliberator.temperatures() {
            if !(0.0..=hottest).contains(&heat) {
                return Err(AgentError::setup(format!(
                    "the temperature of a method must be 0 to {hottest}, not `{heat}`"
                )));
            }
        }
        whole_numbers(self.deliberator.rows(), fields(&self.deliberator).as_ref())?;
        whole_numbers(self.memory.rows(), fields(&self.memory).as_ref())
    }
}

/// Checks the ranges of the whole numbers of a part.
fn whole_numbers(rows: Vec<Row>, fields: Option<&Value>) -> Result<(), AgentError> {
    for (key, kind, _) in rows {
        let value = value_of(fields, key, kind);
        // Switches and words are right by their type, and temperatures are checked above; only a
        // number can be out of its range here.
        if let SettingKind::Whole { min, max } = kind
            && !kind.accepts(&value)
        {
            return Err(AgentError::setup(format!(
                "{key} of a method must be {min} to {max}, not `{value}`"
            )));
        }
    }
    Ok(())
}

/// The fields of a part: the object in `{"debate": {..}}`.
fn fields<T: Serialize>(part: &T) -> Option<Value> {
    match sim_core::bytes::json(part) {
        Value::Object(map) => map.into_values().next(),
        _ => None,
    }
}

/// The value of a setting; a switch that is off is not stored.
fn value_of(fields: Option<&Value>, key: &str, kind: SettingKind) -> Value {
    match (fields.and_then(|fields| fields.get(key)), kind) {
        (Some(value), _) => value.clone(),
        (None, SettingKind::Switch) => Value::Bool(false),
        (None, _) => Value::Null,
    }
}

/// `part` with another value of one field.
fn replaced<T: Serialize + DeserializeOwned>(
    part: &T,
    key: &str,
    value: &Value,
) -> Result<T, AgentError> {
    let mut json = sim_core::bytes::json(part);
    let fields = json
        .as_object_mut()
        .and_then(|map| map.values_mut().next())
        .and_then(Value::as_object_mut);
    if let Some(fields) = fields {
        fields.insert(key.to_owned(), value.clone());
    }
    serde_json::from_value(json).map_err(|e| AgentError::setup(format!("`{key}`: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::Debate;
    use serde_json::json;
    use sim_core::METHODS;

    fn methods() -> Vec<MethodSpec> {
        let names = METHODS.map(|method| method.name.to_owned());
        let parts = DeliberatorSpec::NAMES.iter().flat_map(|deliberator| {
            MemorySpec::NAMES.map(|memory| format!("{deliberator}+{memory}"))
        });
        let mut specs: Vec<MethodSpec> = names
            .into_iter()
            .chain(parts)
            .map(|name| name.parse().unwrap())
            .collect();
        for spec in &mut specs {
            if let MemorySpec::Instruction(text) = &mut spec.memory {
                *text = Some("Order little.".to_owned());
            }
        }
        specs
    }

    #[test]
    fn every_field_of_every_part_is_a_setting_with_its_true_range() {
        for spec in methods() {
            let list = spec.setting_list();
            for (part, value) in [
                (Part::Deliberator, fields(&spec.deliberator)),
                (Part::Memory, fields(&spec.memory)),
            ] {
                for field in value
                    .iter()
                    .filter_map(Value::as_object)
                    .flat_map(|map| map.keys())
                {
                    let is_listed = list.iter().any(|s| s.part == part && s.key == *field);
                    let is_named = field == "reasoning" && spec.name == "cot";
                    assert!(is_listed || is_named, "{spec}: {field}");
                }
            }
            for setting in list {
                let mut set = spec.clone();
                assert_eq!(set.label(), spec.name);
                set.set(setting.key, &setting.default).unwrap();
                assert_eq!(set, spec, "{}", setting.key);
                let (good, bad) = match setting.kind {
                    SettingKind::Whole { min, max } => {
                        let below = i128::from(min) - 1;
                        (
                            vec![json!(min), json!(max)],
                            vec![json!(i64::try_from(below).unwrap()), json!(max + 1)],
                        )
                    }
                    SettingKind::Temperature => (
                        vec![json!(0), json!(2.0), json!(null)],
                        vec![json!(-0.1), json!(2.1)],
                    ),
                    SettingKind::Switch => (vec![json!(true)], vec![json!("yes")]),
                    SettingKind::Word(words) => (
                        words.iter().map(|w| json!(w)).collect(),
                        vec![json!("other")],
                    ),
                };
                for value in good {
                    set.set(setting.key, &value).unwrap();
                    let text = serde_json::to_string(&set).unwrap();
                    assert_eq!(serde_json::from_str::<MethodSpec>(&text).unwrap(), set);
                    set.make().unwrap();
                }
                for value in bad.into_iter().chain([json!("x"), json!([1])]) {
                    let error = set.set(setting.key, &value).unwrap_err();
                    assert!(error.message.contains(setting.key), "{error}");
                }
            }
        }
    }

    #[test]
    fn an_unknown_setting_is_answered_with_the_known_ones() {
        let mut debate: MethodSpec = "debate".parse().unwrap();
        let error = debate.set("samples", &json!(5)).unwrap_err();
        for key in ["agents", "rounds", "temperature", "reasoning"] {
            assert!(error.message.contains(key), "{error}");
        }
    }

    #[test]
    fn methods_are_within_their_ranges_and_a_debate_of_billions_is_not() {
        for name in METHODS.map(|method| method.name) {
            name.parse::<MethodSpec>().unwrap().check_ranges().unwrap();
        }
        let mut debate: MethodSpec = "debate".parse().unwrap();
        for wrong in [
            Debate {
                agents: u32::MAX,
                ..Debate::default()
            },
            Debate {
                rounds: 1_001,
                ..Debate::default()
            },
            Debate {
                temperature: Some(f64::NAN),
                ..Debate::default()
            },
        ] {
            debate.deliberator = DeliberatorSpec::Debate(wrong);
            assert!(debate.check_ranges().is_err());
            assert!(debate.make().is_err());
        }
    }
}
