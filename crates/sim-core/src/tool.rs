//! The tool side of an environment, for language models, MCP clients and people.

use crate::ask::{Ask, Retold};
use crate::bytes::write_json;
use crate::environment::Seat;
use crate::error::{ActionError, RestoreError, clip, read};
use crate::score::{NotFinite, Score};
use crate::strict;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::any::Any;
use std::sync::Arc;

/// The effect of a tool on the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolKind {
    /// Reads without changing the environment.
    Getter,
    /// Changes the environment without ending the period (`send_email`).
    Write,
    /// The decision that ends the period.
    Action,
}

/// A tool as it is offered to an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name in snake case, unique in the environment.
    pub name: String,
    /// Description for the agent.
    pub description: String,
    /// Its effect on the environment.
    pub kind: ToolKind,
    /// JSON Schema of its arguments, an object with `additionalProperties: false`.
    pub arguments: Value,
    /// Whether it answers only once per period; a second call gets an error that refers to the first
    /// reply.
    #[serde(default)]
    pub once_per_period: bool,
}

impl ToolSpec {
    /// A tool without arguments; see [`with`](Self::with) for adding them.
    #[must_use]
    pub fn new(name: &str, kind: ToolKind, description: &str) -> Self {
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            kind,
            arguments: serde_json::json!({
                "type": "object", "properties": {}, "required": [], "additionalProperties": false
            }),
            once_per_period: false,
        }
    }

    /// Adds a required argument with its JSON Schema.
    #[must_use]
    pub fn with(mut self, argument: &str, schema: Value) -> Self {
        if let Some(required) = self
            .arguments
            .get_mut("required")
            .and_then(Value::as_array_mut)
        {
            required.push(argument.into());
        }
        self.with_optional(argument, schema)
    }

    /// Adds an argument that may be left out.
    #[must_use]
    pub fn with_optional(mut self, argument: &str, schema: Value) -> Self {
        if let Some(properties) = self
            .arguments
            .get_mut("properties")
            .and_then(Value::as_object_mut)
        {
            properties.insert(argument.to_owned(), schema);
        }
        self
    }

    /// Makes it answer only once per period.
    #[must_use]
    pub fn once(mut self) -> Self {
        self.once_per_period = true;
        self
    }
}

/// Text for an agent, optionally with the same content as JSON.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ToolOutput {
    /// What the agent reads.
    pub text: String,
    /// The same as a JSON value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

impl ToolOutput {
    /// Text alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            value: None,
        }
    }
}

/// The prompts of the seat in turn.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Prompt {
    /// The system prompt: the role of the agent and the rules.
    pub system: String,
    /// The first user message of a period.
    pub opening: String,
    /// The reminder after a reply that did not end the period, shown with the results of the tools.
    pub reminder: String,
}

/// Progress of an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PeriodCount {
    /// Periods finished so far; also the 0-based number of the running period.
    pub index: u32,
    /// Number of periods in the episode; `None` when it is not known.
    pub total: Option<u32>,
    /// The environment's name for a period (`week`, `attempt`, `round`).
    pub unit: &'static str,
}

/// The reply to an input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
#[derive(strum::EnumDiscriminants)]
#[strum_discriminants(
    name(ReplyKind),
    derive(Serialize),
    serde(rename_all = "snake_case"),
    doc = "Kind of a [`ToolReply`]."
)]
pub enum ToolReply {
    /// Something was read; the period continues.
    Shown {
        /// The output of the tool.
        shown: ToolOutput,
    },
    /// The environment was changed; the period continues.
    Written {
        /// The output of the tool.
        shown: ToolOutput,
        /// The typed action that was applied.
        action: Value,
    },
    /// The decision was taken and the turn is over.
    PeriodOver {
        /// The output of the tool.
        shown: ToolOutput,
        /// The typed action that was applied; `null` for a forfeit.
        action: Value,
    },
    /// Refused; the environment is unchanged.
    Rejected {
        /// Stable name of the broken rule.
        code: String,
        /// The fault and the remedy, for the agent.
        message: String,
    },
}

impl ToolReply {
    /// What the reply says of the input.
    #[must_use]
    pub fn kind(&self) -> ReplyKind {
        self.into()
    }

    /// Appends the canonical JSON of the reply, of which digests are made.
    pub(crate) fn write_to(&self, log: &mut String) {
        // A reply consists of texts and of values that are JSON already.
        let written = write_json(self, log);
        debug_assert!(written.is_ok(), "a reply without a JSON form");
    }

    /// The text for the agent.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Shown { shown }
            | Self::Written { shown, .. }
            | Self::PeriodOver { shown, .. } => &shown.text,
            Self::Rejected { message, .. } => message,
        }
    }

    /// The typed action that was applied, if any was.
    #[must_use]
    pub fn action(&self) -> Option<&Value> {
        match self {
            Self::Written { action, .. } | Self::PeriodOver { action, .. } => Some(action),
            Self::Shown { .. } | Self::Rejected { .. } => None,
        }
    }

    /// Whether it was refused.
    #[must_use]
    pub fn is_rejected(&self) -> bool {
        matches!(self, Self::Rejected { .. })
    }
}

/// Reads the arguments of a tool call.
///
/// # Errors
/// When they do not have the form of a `T`; names the argument at fault.
///
/// ```
/// use serde_json::json;
/// use sim_core::tool::{from_one, read_arguments};
///
/// #[derive(Debug, serde::Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Page {
///     #[serde(default, deserialize_with = "from_one")]
///     count: Option<u32>,
/// }
///
/// assert_eq!(read_arguments::<Page>(&json!({"count": 3.0}))?.count, Some(3));
/// let refused = read_arguments::<Page>(&json!({"count": 0})).expect_err("none");
/// assert_eq!(refused.message, "`count`: must be a whole number from 1 on, not `0`");
/// # Ok::<(), sim_core::ActionError>(())
/// ```
pub fn read_arguments<T: DeserializeOwned>(arguments: &Value) -> Result<T, ActionError> {
    read(arguments).map_err(|fault| {
        ActionError::bad_arguments(if fault.place.is_empty() {
            fault.message
        } else {
            format!("`{}`: {}", fault.place, fault.message)
        })
    })
}

/// Checks that a call has no other arguments than `names`, so that a wrong one is answered and not ignored.
///
/// # Errors
/// Names the first unknown argument.
///
/// ```
/// use serde_json::json;
/// use sim_core::tool::known_arguments;
///
/// assert!(known_arguments(&json!({}), &[]).is_ok());
/// let refused = known_arguments(&json!({"last": 3}), &[]).expect_err("unknown");
/// assert_eq!(refused.message, "there is no argument `last`; the tool has no arguments");
/// ```
pub fn known_arguments(arguments: &Value, names: &[&str]) -> Result<(), ActionError> {
    let mut given = arguments.as_object().into_iter().flat_map(|map| map.keys());
    let Some(unknown) = given.find(|key| !names.contains(&key.as_str())) else {
        return Ok(());
    };
    let known = if names.is_empty() {
        "no arguments".to_owned()
    } else {
        format!("`{}`", names.join("`, `"))
    };
    Err(ActionError::bad_arguments(format!(
        "there is no argument `{}`; the tool has {known}",
        clip(unknown)
    )))
}

/// A whole number, written as `400` or as `400.0`.
#[must_use]
pub fn whole(value: &Value) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
    let of_float = || {
        let float = value.as_f64();
        let whole = float.filter(|x| x.trunc() == *x && x.abs() < 9e15);
        whole.map(|whole| whole as i64)
    };
    // As an integer first: beyond 2^53 the nearest double is another number.
    value.as_i64().or_else(of_float)
}

/// An optional argument that is a whole number from 1 on; `null` counts as left out. For `deserialize_with`.
///
/// # Errors
/// Shows any other value.
pub fn from_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let number = whole(&value).filter(|number| *number > 0);
    match (&value, number) {
        // Models fill optional arguments with null instead of leaving them out.
        (Value::Null, _) => Ok(None),
        // The largest number stands for larger ones: no list of a game is as long.
        (_, Some(number)) => Ok(Some(u32::try_from(number).unwrap_or(u32::MAX))),
        _ => Err(serde::de::Error::custom(format!(
            "must be a whole number from 1 on, not `{}`",
            clip(&value.to_string())
        ))),
    }
}

impl From<ActionError> for ToolReply {
    fn from(error: ActionError) -> Self {
        Self::Rejected {
            code: error.code.into_owned(),
            message: error.message,
        }
    }
}

/// An input to an environment, in the form in which records store it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Input {
    /// A tool call.
    Call {
        /// Name of the tool.
        tool: String,
        /// Its arguments, an object.
        #[serde(deserialize_with = "strict::value")]
        arguments: Value,
    },
    /// Free text, for environments that read it.
    Say {
        /// The text.
        text: String,
    },
    /// A typed action as JSON, from policies and scripts.
    #[serde(deserialize_with = "strict::value")]
    Act(Value),
    /// Restarts the period; getters may be called again.
    Restart,
    /// The seat in turn does not act.
    Forfeit,
}

/// An environment that is used through tools. Object-safe: the agent loop, the MCP server and the runner
/// hold it in a box. [`ToolAdapter`](crate::ToolAdapter) implements it for simulators, and
/// [`WithNotes`](crate::WithNotes) wraps any implementation.
///
/// All methods concern the seat in [`turn`](Self::turn).
pub trait ToolEnvironment: Send {
    /// All seats, in the order in which they act.
    fn seats(&self) -> Vec<Seat>;
    /// The seat that acts next.
    fn turn(&self) -> Seat;
    /// Whether the decisions of a period are simultaneous, see
    /// [`Environment::simultaneous`](crate::Environment::simultaneous).
    fn simultaneous(&self) -> bool {
        false
    }
    /// The prompts.
    fn briefing(&self) -> Prompt;
    /// What the seat in turn is asked in words, where it answers with text ([`TextReply`](crate::TextReply) is its
    /// action then); `None` (the default) where it decides with tools.
    fn ask(&self) -> Option<Ask> {
        None
    }
    /// The episode so far in the words of the environment; `None` (the default) where its log says everything.
    fn retold(&self) -> Option<Retold> {
        None
    }
    /// The tools, action tools last. The list depends on the seat only, not on the state.
    fn tools(&self) -> Arc<[ToolSpec]>;
    /// Whether a tool of the list can be called now.
    fn offered(&self, tool: &str) -> bool;
    /// Calls a tool.
    fn call(&mut self, tool: &str, arguments: &Value) -> ToolReply;
    /// Applies free text; `None` when the environment does not read free text.
    fn say(&mut self, text: &str) -> Option<ToolReply>;
    /// Applies a typed action, given as JSON.
    fn act(&mut self, action: &Value) -> ToolReply;
    /// As [`act`](Self::act), for a log: appends the canonical JSON of the reply to `log` instead of returning it.
    fn act_logged(&mut self, action: &Value, log: &mut String) -> ReplyKind {
        let reply = self.act(action);
        reply.write_to(log);
        reply.kind()
    }
    /// The observation of the seat in turn, as JSON.
    fn observation(&self) -> Value;
    /// The feedback of the last action or forfeit, as JSON; `null` before the first one.
    fn feedback(&self) -> Value;
    /// The result of the last finished period for each seat, as JSON, for people who follow a game;
    /// agents do not see it. Empty (the default) if the feedback of the decisions tells it already,
    /// and before the first period ends.
    fn outcomes(&self) -> Vec<(Seat, Value)> {
        Vec::new()
    }
    /// The text for the `action` that `seat` decided in `period` (counted from 0), now that the period is over; see
    /// [`ToolInterface::feedback_at_end`](crate::ToolInterface::feedback_at_end).
    fn text_at_end(&self, seat: &Seat, period: u32, action: &Value) -> Option<String> {
        let _ = (seat, period, action);
        None
    }
    /// Restarts the current period: forgets which getters were used and undoes its writes.
    fn restart_period(&mut self);
    /// Continues without a decision.
    fn forfeit_period(&mut self) -> ToolReply;
    /// Progress of an episode.
    fn period(&self) -> PeriodCount;
    /// Whether the episode has ended.
    fn is_over(&self) -> bool;
    /// The score so far.
    ///
    /// # Errors
    /// When the value is not a finite number.
    fn score(&self) -> Result<Score, NotFinite>;
    /// Whether the agent of `seat` may know a metric of the score, see
    /// [`Environment::sees_metric`](crate::Environment::sees_metric).
    fn sees_metric(&self, seat: &Seat, metric: &str) -> bool;
    /// The whole state as JSON.
    fn snapshot(&self) -> Value;
    /// Restores a snapshot of an environment that was opened from the same instance.
    ///
    /// # Errors
    /// When the snapshot does not fit. The environment is unchanged then.
    fn restore(&mut self, snapshot: &Value) -> Result<(), RestoreError>;
    /// An independent copy.
    fn fork(&self) -> Box<dyn ToolEnvironment>;
    /// The innermost [`ToolAdapter`](crate::ToolAdapter), for policies that know its type.
    fn as_any(&self) -> &dyn Any;

    /// Applies an input. Play, resume and verify all use this method.
    fn apply(&mut self, input: &Input) -> ToolReply {
        if self.is_over() {
            return ActionError::episode_over().into();
        }
        match input {
            Input::Call { tool, arguments } => self.call(tool, arguments),
            Input::Say { text } => self.say(text).unwrap_or_else(|| {
                ActionError::new(
                    "no_text",
                    "text alone does nothing here; call one of the tools",
                )
                .into()
            }),
            Input::Act(action) => self.act(action),
            Input::Restart => {
                self.restart_period();
                ToolReply::Shown {
                    shown: ToolOutput::text("the period starts anew"),
                }
            }
            Input::Forfeit => self.forfeit_period(),
        }
    }
}
