//! Requests to a model.
//!
//! A [`Request`] holds a chat, the tools that may be called and the required form of the text. It names no
//! model: the backend adds model, sampling and address.

use crate::message::Message;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// The role that makes a request; costs and tokens are counted by role.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ModelRole {
    /// The agent that is tested.
    #[default]
    Agent,
    /// Its memory: reflection, curation, notes.
    Reflector,
    /// The interviewer.
    Interviewer,
    /// The judge.
    Judge,
}

impl ModelRole {
    /// The role of a model at the seat `name` ([`Seat::role`](sim_core::Seat::role)).
    #[must_use]
    pub fn of_seat(name: &str) -> Self {
        match sim_core::environment::role_of(name) {
            "interviewer" => Self::Interviewer,
            "judge" => Self::Judge,
            _ => Self::Agent,
        }
    }
}

/// Distinguishes equal requests.
///
/// Three debaters, a repeated trial and the first periods of two episodes may send the same text,
/// and each needs its own answer. The slot is the position of the request in the run, and part of
/// every cache and cassette key. It contains no time and no counter that depends on the order of
/// threads, so an interrupted run uses the same slots again.
///
/// ```
/// use agent_client::Slot;
/// let slot = Slot::new("episode17").child("turn", 4).child("query", 2);
/// assert_eq!(slot.as_str(), "episode17/turn4/query2");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Slot(String);

impl Slot {
    /// The slot of a unit of work: an episode, an item, an interview.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// A part of it: `name` number `index`.
    #[must_use]
    pub fn child(&self, name: &str, index: impl fmt::Display) -> Self {
        let join = if self.0.is_empty() { "" } else { "/" };
        Self(format!("{}{join}{name}{index}", self.0))
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A tool as a model sees it.
///
/// Made from a `sim_core::ToolSpec` by `Tool::from`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    pub schema: Value,
}

impl From<&sim_core::ToolSpec> for Tool {
    fn from(spec: &sim_core::ToolSpec) -> Self {
        Self {
            name: spec.name.clone(),
            description: spec.description.clone(),
            schema: spec.arguments.clone(),
        }
    }
}

/// Whether the model has to call a tool.
///
/// It has no effect on a request without tools.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// At least one, any tool.
    Any,
    /// No tool, although tools are offered: the reply is text.
    None,
    /// This tool.
    Named(String),
}

/// Required form of the text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Format {
    /// Free text.
    #[default]
    Text,
    /// JSON with a schema, which the server enforces if it can.
    Json(Schema),
}

/// A named JSON Schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// Name in snake case.
    pub name: String,
    /// Description of the value, for the model.
    pub about: String,
    /// The schema.
    pub schema: Value,
}

impl Schema {
    /// A schema of our own.
    pub fn new(name: &str, about: &str, schema: Value) -> Self {
        Self {
            name: name.to_owned(),
            about: about.to_owned(),
            schema,
        }
    }
}

/// One request.
///
/// # Example
/// ```
/// use agent_client::{Format, Message, ModelRole, Request, Schema, Slot};
/// use serde_json::json;
///
/// let chat = vec![Message::user("How many cases? Answer as JSON.")];
/// let mut request = Request::new(ModelRole::Agent, Slot::new("week1"), chat);
/// request.temperature = Some(0.0);
/// request.format = Format::Json(Schema::new(
///     "order",
///     "the number of cases",
///     json!({"type": "object", "properties": {"cases": {"type": "integer"}}}),
/// ));
/// assert!(request.tools.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    /// Role of the request.
    pub role: ModelRole,
    /// Position in the run.
    pub slot: Slot,
    /// The chat so far.
    pub messages: Vec<Message>,
    /// Tools that may be called.
    pub tools: Vec<Tool>,
    /// Whether a tool must be called.
    pub choice: ToolChoice,
    /// Required form of the text.
    pub format: Format,
    /// Temperature; the backend's default if absent.
    pub temperature: Option<f64>,
    /// Maximum number of tokens of the reply; the backend's default if absent.
    /// A longer reply is cut by the server ([`Finish::Length`](crate::Finish::Length)).
    pub max_tokens: Option<u32>,
}

impl Request {
    /// A request for text.
    #[must_use]
    pub fn new(role: ModelRole, slot: Slot, messages: Vec<Message>) -> Self {
        Self {
            role,
            slot,
            messages,
            ..Self::default()
        }
    }
}
