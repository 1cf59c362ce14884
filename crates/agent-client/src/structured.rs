//! Replies that are JSON with a given schema.
//!
//! A backend is asked in the strictest way that it supports: a schema on its text, a tool that must
//! be called, or a description in words. The reply is parsed into the Rust type; if that fails, the
//! model is told where and why, at most twice. If a backend refuses the strict way, the next weaker
//! one is used.
//!
//! # Example
//! ```
//! use agent_client::backends::Scripted;
//! use agent_client::{Message, ModelRole, Request, Schema, Slot, structured};
//! use serde::Deserialize;
//! use serde_json::json;
//!
//! #[derive(Debug, Deserialize)]
//! struct Order {
//!     cases: u32,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), agent_client::AgentError> {
//! // The first reply is not usable, the second is: one repair.
//! let model = Scripted::texts(["about forty", r#"Sure: {"cases": 40}"#]);
//! let chat = vec![Message::user("How many cases?")];
//! let request = Request::new(ModelRole::Agent, Slot::new("week1"), chat);
//! let schema = Schema::new(
//!     "order",
//!     "an order",
//!     json!({"type": "object", "properties": {"cases": {"type": "integer"}}, "required": ["cases"]}),
//! );
//! let check = |order: &Order| match order.cases {
//!     0..=1_000 => Ok(()),
//!     n => Err(format!("{n} cases are too many")),
//! };
//! let typed = structured::ask(&model, request, &schema, check).await?;
//! assert_eq!((typed.value.cases, typed.repairs()), (40, 1));
//! # Ok(())
//! # }
//! ```

use crate::backend::{AgentBackend, Structured};
use crate::error::{AgentError, ErrorClass};
use crate::json_text;
use crate::message::{Arguments, Message};
use crate::reply::Reply;
use crate::request::{Format, Request, Schema, Tool, ToolChoice};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sim_core::bytes::canonical_text;

/// Maximum number of repairs of one value.
pub const REPAIRS: u32 = 2;

/// A value that a model wrote.
///
/// Attempts that the server refused because of their form are not counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Typed<T> {
    /// The value.
    pub value: T,
    /// The model's texts: first attempt and repairs.
    pub written: Vec<String>,
    /// The last reply.
    pub reply: Reply,
    /// Number of answered requests.
    pub asked: u32,
}

impl<T> Typed<T> {
    /// Number of repairs.
    #[must_use]
    pub fn repairs(&self) -> u32 {
        self.asked.saturating_sub(1)
    }
}

/// Requests JSON with `schema` and parses it as `T`; `check` may refuse a parsed value.
///
/// # Errors
/// [`ErrorClass::Unusable`] when it is still invalid after two repairs; else the backend's error.
///
/// The value is checked by its type and by `check`; the schema itself is for the server and the model.
pub async fn ask<T: DeserializeOwned>(
    backend: &dyn AgentBackend,
    request: Request,
    schema: &Schema,
    check: impl Fn(&T) -> Result<(), String> + Sync,
) -> Result<Typed<T>, AgentError> {
    ask_with(backend, request, schema, check, REPAIRS).await
}

/// As [`ask`], with at most `repairs` repairs.
///
/// # Errors
/// [`ErrorClass::Unusable`] when it is still invalid after them; else the backend's error.
pub async fn ask_with<T: DeserializeOwned>(
    backend: &dyn AgentBackend,
    request: Request,
    schema: &Schema,
    check: impl Fn(&T) -> Result<(), String> + Sync,
    repairs: u32,
) -> Result<Typed<T>, AgentError> {
    let mut way = backend.structured();
    let mut messages = request.messages.clone();
    let mut written = Vec::new();
    let mut answered = 0;
    loop {
        let mut attempt = shaped(&request, &messages, schema, way);
        // Numbered by answers: a refused form is asked again at the same place, where its other
        // body gives it another key.
        attempt.slot = request.slot.child("json", answered);
        let reply = match (backend.ask(attempt).await, way) {
            (Ok(reply), _) => reply,
            (Err(e), Structured::Native) if is_refused(&e) => {
                way = Structured::Tool;
                continue;
            }
            (Err(e), Structured::Tool) if is_refused(&e) => {
                way = Structured::Prompt;
                continue;
            }
            (Err(e), _) => return Err(e),
        };
        answered += 1;
        let (text, value) = value_of(&reply, schema);
        written.push(text.clone());
        let parsed = value.and_then(|value| {
            let typed: T = serde_path_to_error::deserialize(&value).map_err(|e| {
                let place = e.path().to_string();
                if place == "." {
                    e.inner().to_string()
                } else {
                    format!("at `{place}`: {}", e.inner())
                }
            })?;
            check(&typed).map(|()| typed)
        });
        match parsed {
            Ok(value) => {
                return Ok(Typed {
                    value,
                    written,
                    reply,
                    asked: answered,
                });
            }
            Err(why) if answered > repairs => {
                return Err(AgentError::new(
                    ErrorClass::Unusable,
                    format!(
                        "`{}` is still invalid after {repairs} repairs: {why}",
                        schema.name
                    ),
                ));
            }
            Err(why) => {
                // Always as plain text, because a call without its result would be refused.
                let text = if text.is_empty() { "(nothing)" } else { &text };
                messages.push(Message::assistant(text));
                messages.push(Message::user(crate::prompt::repair(schema, &why)?));
            }
        }
    }
}

/// Whether to try a weaker format. A refusal is not recorded, because the operator of a server may
/// fix its cause. So a request that is not in the recording may be one that was refused.
fn is_refused(error: &AgentError) -> bool {
    matches!(error.class, ErrorClass::BadRequest | ErrorClass::Miss)
}

/// The request in the form `way`.
fn shaped(request: &Request, messages: &[Message], schema: &Schema, way: Structured) -> Request {
    let mut out = request.clone();
    out.messages = messages.to_vec();
    // The tools of the caller are left out: a call of one of them would be no value.
    out.tools = Vec::new();
    out.choice = ToolChoice::Auto;
    out.format = Format::Text;
    match way {
        Structured::Native => out.format = Format::Json(schema.clone()),
        Structured::Tool => {
            out.tools = vec![Tool {
                name: schema.name.clone(),
                description: schema.about.clone(),
                schema: schema.schema.clone(),
            }];
            out.choice = ToolChoice::Named(schema.name.clone());
        }
        Structured::Prompt => {
            let words = in_words(schema);
            match out.messages.iter_mut().find_map(|m| match m {
                Message::System { text } => Some(text),
                _ => None,
            }) {
                Some(text) => *text = format!("{text}\n\n{words}"),
                None => out.messages.insert(0, Message::system(words)),
            }
        }
    }
    out
}

/// The demand for a value with `schema`, in words.
pub(crate) fn in_words(schema: &Schema) -> String {
    format!(
        "Answer with one JSON object and nothing else. It is {} and fits this JSON Schema:\n{}",
        schema.about,
        canonical_text(&schema.schema)
    )
}

/// The text of the reply, and the JSON in it.
fn value_of(reply: &Reply, schema: &Schema) -> (String, Result<Value, String>) {
    if let Some(call) = reply.said.calls.first() {
        return match &call.arguments {
            Arguments::Json { value } => (value.to_string(), Ok(value.clone())),
            Arguments::Broken { text, error } => (
                text.clone(),
                last_of(text, schema).map_err(|_| error.clone()),
            ),
        };
    }
    let text = &reply.said.text;
    (text.clone(), last_of(&json_text::spoken(text), schema))
}

/// The last piece of JSON in a text that has a field of the schema, else the last piece: notes may follow it.
fn last_of(text: &str, schema: &Schema) -> Result<Value, String> {
    let mut found = json_text::all(text)?;
    let fields = schema.schema.get("properties").and_then(Value::as_object);
    let fits = |value: &Value| {
        fields.is_some_and(|fields| {
            value
                .as_object()
                .is_some_and(|value| value.keys().any(|key| fields.contains_key(key)))
        })
    };
    // `all` gives the most likely piece first.
    let place = found.iter().position(fits).unwrap_or(0);
    Ok(found.swap_remove(place))
}
