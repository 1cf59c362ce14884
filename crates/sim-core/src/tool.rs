//! The tool side of an environment: what language models, MCP clients and people drive.

use crate::environment::Seat;
use crate::error::{ActionError, RestoreError};
use crate::score::{NotFinite, Score};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::any::Any;
use std::sync::Arc;

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolKind {
    /// Reads; changes nothing in the world.
    Getter,
    /// Changes the world and does not end the period (`send_email`).
    Write,
    /// The decision that the period waits for.
    Action,
}

/// A tool as it is offered to an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name in snake case, unique in the environment.
    pub name: String,
    /// What it does, for the agent.
    pub description: String,
    /// What it does to the world.
    pub kind: ToolKind,
    /// JSON Schema of its arguments, an object with `additionalProperties: false`.
    pub arguments: Value,
    /// Answered once per period; a second call in the same period is told to look at the first
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

    /// Answered once per period.
    #[must_use]
    pub fn once(mut self) -> Self {
        self.once_per_period = true;
        self
    }
}

/// Text for an agent, with the same facts as JSON where a program may want them.
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

/// The texts that frame an agent's work. They belong to the seat in turn.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Prompt {
    /// Who the agent is and what the rules are: the system prompt.
    pub system: String,
    /// What opens a period: the first user message.
    pub opening: String,
    /// What is said when a reply ended nothing: shown with the results of the tools.
    pub reminder: String,
}

/// How far the episode is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PeriodCount {
    /// Periods finished so far; also the 0-based number of the running period.
    pub index: u32,
    /// Periods in the episode where that is known.
    pub total: Option<u32>,
    /// What a period is called in this environment (`week`, `attempt`, `round`).
    pub unit: &'static str,
}

/// The answer to anything an agent does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum ToolReply {
    /// Something was read; the period goes on.
    Shown {
        /// What it says.
        shown: ToolOutput,
    },
    /// The world was changed; the period goes on.
    Written {
        /// What came of it.
        shown: ToolOutput,
        /// The typed action that was applied.
        action: Value,
    },
    /// The decision was taken and the turn is over.
    PeriodOver {
        /// What came of it.
        shown: ToolOutput,
        /// The typed action that was applied; `null` for a forfeit.
        action: Value,
    },
    /// Refused; the environment is exactly as before.
    Rejected {
        /// Stable name of the broken rule.
        code: String,
        /// What was wrong and what would be right, for the agent.
        message: String,
    },
}

impl ToolReply {
    /// What the agent is to read.
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

impl From<ActionError> for ToolReply {
    fn from(error: ActionError) -> Self {
        Self::Rejected {
            code: error.code.into_owned(),
            message: error.message,
        }
    }
}

/// Everything that can be done to an environment from outside, as it stands in a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Input {
    /// A tool call.
    Call {
        /// Name of the tool.
        tool: String,
        /// Its arguments, an object.
        arguments: Value,
    },
    /// Free text, for environments that read plans and answers in prose.
    Say {
        /// What was said.
        text: String,
    },
    /// A typed action as JSON: what policies and scripts send.
    Act(Value),
    /// The period starts anew; what was read in it may be read again.
    Restart,
    /// The seat in turn does not act.
    Forfeit,
}

/// An environment behind its tools. Object-safe: the agent loop, the MCP server, people and the
/// runner hold it as a box. [`ToolAdapter`](crate::ToolAdapter) is its one implementation for simulators and
/// [`WithNotes`](crate::WithNotes) wraps any of them.
///
/// All of it concerns the seat in [`turn`](Self::turn).
pub trait ToolEnvironment: Send {
    /// All seats, in the order in which they act.
    fn seats(&self) -> Vec<Seat>;
    /// The seat that acts next.
    fn turn(&self) -> Seat;
    /// The framing texts.
    fn briefing(&self) -> Prompt;
    /// The tools, action tools last. The list depends on the seat only, not on the moment.
    fn tools(&self) -> Arc<[ToolSpec]>;
    /// Whether a tool of the list can be called at this moment.
    fn offered(&self, tool: &str) -> bool;
    /// A tool call.
    fn call(&mut self, tool: &str, arguments: &Value) -> ToolReply;
    /// Free text; `None` where the environment does not read prose.
    fn say(&mut self, text: &str) -> Option<ToolReply>;
    /// A typed action as JSON.
    fn act(&mut self, action: &Value) -> ToolReply;
    /// What the seat in turn sees, as JSON.
    fn observation(&self) -> Value;
    /// What came of the last action or forfeit, as JSON; `null` before the first.
    fn feedback(&self) -> Value;
    /// Begins the running period anew: forgets which getters were used, undoes its writes.
    fn restart_period(&mut self);
    /// Goes on without a decision.
    fn forfeit_period(&mut self) -> ToolReply;
    /// How far the episode is.
    fn period(&self) -> PeriodCount;
    /// Whether the episode has ended.
    fn is_over(&self) -> bool;
    /// The score so far.
    ///
    /// # Errors
    /// When the value is not a finite number.
    fn score(&self) -> Result<Score, NotFinite>;
    /// The whole state as JSON.
    fn snapshot(&self) -> Value;
    /// Puts a snapshot in place, on an environment opened from the same instance.
    ///
    /// # Errors
    /// When the snapshot does not fit; nothing is changed then.
    fn restore(&mut self, snapshot: &Value) -> Result<(), RestoreError>;
    /// An independent copy.
    fn fork(&self) -> Box<dyn ToolEnvironment>;
    /// The innermost [`ToolAdapter`](crate::ToolAdapter), for policies that know its type.
    fn as_any(&self) -> &dyn Any;

    /// Applies an input: the one entry that play, resume and verify share.
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
