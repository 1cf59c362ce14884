//! Converts provider-independent requests to a provider's JSON, and replies back.
//!
//! Both directions work on JSON values, not on typed structures: real servers leave fields out, add
//! fields, and use unknown words, and a usable reply must not be lost because of that. Known fields
//! are read wherever they are, unknown ones are kept in [`Reply::raw`].
//!
//! ```
//! use agent_client::wire::{ApiKind, Dialect};
//! use agent_client::{Message, ModelRole, Request, Slot};
//! use serde_json::json;
//!
//! let dialect = Dialect::new(ApiKind::OpenAi, "some-model");
//! let request = Request::new(ModelRole::Agent, Slot::new("q1"), vec![Message::user("Hi")]);
//! let body = ApiKind::OpenAi.encode(&dialect, &request);
//! assert_eq!(body, json!({
//!     "model": "some-model",
//!     "messages": [{"role": "user", "content": "Hi"}],
//! }));
//! let reply = ApiKind::OpenAi.decode(json!({"choices": [{"message": {"content": "Hello"}}]}))?;
//! assert_eq!(reply.said.text, "Hello");
//! assert!(reply.usage.estimated); // the server sent no counts
//! # Ok::<(), String>(())
//! ```

use crate::backend::Structured;
use crate::error::AgentError;
use crate::message::{Message, Said};
use crate::reply::{Finish, Reply, ReplySource, Usage};
use crate::request::Request;
use crate::tokens::Reported;
use crate::wire::ways::Way;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;

pub mod anthropic;
pub mod embeddings;
pub(crate) mod envelope;
pub mod fault;
pub mod finish;
pub(crate) mod foreign;
pub mod openai;
mod reason;
pub(crate) use reason::duration;
pub(crate) mod stream;
pub mod ways;

/// The API that a server implements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum ApiKind {
    /// Chat completions, as OpenAI and very many others serve them.
    OpenAi,
    /// Messages, as Anthropic serves them.
    Anthropic,
    /// Embeddings, as OpenAI and many others serve them: the texts of the user messages become vectors,
    /// which [`embeddings::vectors`] reads from the reply.
    Embeddings,
}

impl ApiKind {
    /// The environment variable that names the base address of a server.
    #[must_use]
    pub fn base_variable(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Embeddings => "OPENAI_BASE_URL",
            Self::Anthropic => "ANTHROPIC_BASE_URL",
        }
    }

    /// The environment variable that holds the key of the account.
    #[must_use]
    pub fn key_variable(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Embeddings => "OPENAI_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
        }
    }

    /// Path after the base address.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "chat/completions",
            Self::Anthropic => "messages",
            Self::Embeddings => "embeddings",
        }
    }

    /// The body of a request.
    #[must_use]
    pub fn encode(self, dialect: &Dialect, request: &Request) -> Value {
        match self {
            Self::OpenAi => openai::encode(dialect, request),
            Self::Anthropic => anthropic::encode(dialect, request),
            Self::Embeddings => embeddings::encode(dialect, request),
        }
    }

    /// The reply in the body of an answer, also of one in the language of the other API.
    ///
    /// # Errors
    /// When the body is not a reply; the message names the missing part.
    pub fn decode(self, body: Value) -> Result<Reply, String> {
        match (self, foreign::form(&body)) {
            // Never in another language: what answers here is not a chat.
            (Self::Embeddings, _) => embeddings::decode(body),
            (_, Some(foreign::Form::Messages)) => anthropic::decode(body),
            (_, Some(foreign::Form::Chat)) | (Self::OpenAi, _) => openai::decode(body),
            (Self::Anthropic, _) => anthropic::decode(body),
        }
    }

    /// The body of an answer that holds only the used parts of `reply`, in the form that
    /// [`decode`](Self::decode) reads.
    #[must_use]
    pub fn encode_reply(self, reply: &Reply) -> Value {
        match self {
            Self::OpenAi => openai::encode_reply(reply),
            Self::Anthropic => anthropic::encode_reply(reply),
            Self::Embeddings => reply.raw.clone(),
        }
    }

    /// How servers of this kind are best asked for JSON.
    #[must_use]
    pub fn structured(self) -> Structured {
        match self {
            Self::OpenAi | Self::Embeddings => Structured::Native,
            Self::Anthropic => Structured::Tool,
        }
    }
}

/// All settings of a backend that influence the bytes of its requests. It is stored in the
/// cassette, so that a replay makes the same requests.
///
/// Start from [`new`](Self::new) and set single fields; [`Client::new`](crate::client::Client::new) checks
/// them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Dialect {
    /// API of the server.
    pub kind: ApiKind,
    /// Model.
    pub model: String,
    /// Sampling temperature for requests that do not set one; the server's default if absent.
    /// \[0 to 2\]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Share of the probability from which each token is drawn (nucleus sampling); the server's default
    /// if absent. \[above 0, to 1\]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Maximum number of tokens of a reply for requests that do not set one. If absent, none is sent, and
    /// the server's own limit holds; the Messages API demands one ([`MESSAGES_TOKENS`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Name of the field that carries it for `openai` (default `max_tokens`; newer models of
    /// OpenAI want `max_completion_tokens`).
    #[serde(default = "max_tokens_field")]
    pub max_tokens_field: String,
    /// The way in which JSON is requested; the best one for the API if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Structured>,
    /// Weaker ways in which the server is asked from the start, beside those that are learnt from its
    /// refusals. They do not change the key of a request.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub ways: BTreeSet<Way>,
    /// Additional fields of the body, for the server.
    /// Fields that the request sets itself take precedence over them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

/// The limit on a reply that is sent to a server which demands one although the plan names none, and the
/// length of a reply with which a cost or a rate is estimated before any reply was seen \[tokens\].
pub const USUAL_TOKENS: u32 = 2_048;

/// The limit on a reply for the Messages API, which demands one \[tokens\]; the budget of extended thinking
/// comes on top.
pub const MESSAGES_TOKENS: u32 = 8_192;

fn max_tokens_field() -> String {
    OLD_TOKEN_FIELD.to_owned()
}

/// The field with the most tokens of a reply that all servers know.
pub const OLD_TOKEN_FIELD: &str = "max_tokens";

/// The field that newer models of OpenAI want instead of [`OLD_TOKEN_FIELD`].
pub const TOKEN_FIELD: &str = "max_completion_tokens";

/// Fields of a body that a further field of a [`Dialect`] cannot set, and what sets them. A stream of
/// events and several replies could not be read.
const OWN_FIELDS: [(&str, &str); 11] = [
    ("model", "--agent names the model"),
    ("messages", "the environment and the method make the chat"),
    ("system", "the environment and the method make the chat"),
    ("tools", "the environment names its tools"),
    ("tool_choice", "the method chooses"),
    ("response_format", "the method chooses"),
    ("stream", "replies are read whole"),
    ("n", "one reply is read"),
    ("temperature", "use --temperature"),
    (OLD_TOKEN_FIELD, "use --max-tokens"),
    (
        TOKEN_FIELD,
        "use --max-tokens, with --token-field max_completion_tokens",
    ),
];

impl Dialect {
    /// The defaults for a model.
    pub fn new(kind: ApiKind, model: impl Into<String>) -> Self {
        Self {
            kind,
            model: model.into(),
            temperature: None,
            top_p: None,
            max_tokens: None,
            max_tokens_field: max_tokens_field(),
            structured: None,
            ways: BTreeSet::new(),
            extra: Map::new(),
        }
    }

    /// Largest sampling temperature: what the providers allow.
    pub const HOTTEST: f64 = 2.0;

    /// Largest token limit of a reply: ten times the longest context of any model on sale.
    pub const MOST_TOKENS: u32 = 10_000_000;

    /// Checks every number.
    ///
    /// # Errors
    /// Names the value at fault and its range.
    pub fn check(&self) -> Result<(), AgentError> {
        let (hottest, most) = (Self::HOTTEST, Self::MOST_TOKENS);
        if let Some(t) = self.temperature.filter(|t| !(0.0..=hottest).contains(t)) {
            let text = format!("the temperature must be 0 to {hottest}, not `{t}`");
            return Err(AgentError::setup(text));
        }
        if let Some(p) = self.top_p.filter(|p| !(*p > 0.0 && *p <= 1.0)) {
            let text = format!("top-p must be above 0 and at most 1, not `{p}`");
            return Err(AgentError::setup(text));
        }
        if let Some(tokens) = self
            .max_tokens
            .filter(|tokens| !(1..=most).contains(tokens))
        {
            return Err(AgentError::setup(format!(
                "the most tokens of a reply must be 1 to {most}, not `{tokens}`"
            )));
        }
        Ok(())
    }

    /// Adds the field `name` to every request. `top_p` is the setting of that name.
    ///
    /// # Errors
    /// When the program sets the field itself, or the value is out of range.
    ///
    /// ```
    /// use agent_client::wire::{ApiKind, Dialect};
    /// let mut dialect = Dialect::new(ApiKind::OpenAi, "some-model");
    /// dialect.set_field("reasoning_effort", "low".into())?;
    /// dialect.set_field("top_p", 0.9.into())?;
    /// assert_eq!((dialect.extra.len(), dialect.top_p), (1, Some(0.9)));
    /// assert!(dialect.set_field("messages", 3.into()).is_err());
    /// # Ok::<(), agent_client::AgentError>(())
    /// ```
    pub fn set_field(&mut self, name: &str, value: Value) -> Result<(), AgentError> {
        let shown = sim_core::error::clip(name);
        if name.is_empty() {
            return Err(AgentError::setup("a field of the request needs a name"));
        }
        // Refused and not overwritten: an option that has no effect would be reported as the
        // setting of a run.
        if let Some((_, why)) = OWN_FIELDS.iter().find(|(own, _)| *own == name) {
            let text = format!("the program sets the field `{shown}` itself: {why}");
            return Err(AgentError::setup(text));
        }
        // A setting of its own, so that it counts as a sampling setting however it was given.
        if name == "top_p" {
            let number = value.as_f64();
            let wrong = || AgentError::setup(format!("top_p must be a number, not `{value}`"));
            self.top_p = Some(number.ok_or_else(wrong)?);
            return self.check();
        }
        self.extra.insert(name.to_owned(), value);
        Ok(())
    }

    /// Its name in records: `openai:some-model`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}:{}", self.kind, self.model)
    }
}

pub use fault::Fault;

/// Estimated tokens of a text: a quarter of its bytes in UTF-8.
///
/// Rounded up. The estimate only paces requests and fills in for missing counts. It counts bytes, because they
/// fit more scripts: of English, Russian, Chinese and Arabic texts a token of `o200k_base` or `cl100k_base` has 2.6 to
/// 7.2 bytes, but 1.0 to 4.6 characters.
#[must_use]
pub fn estimate(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}

/// A reply that was decoded from `raw`.
///
/// Its usage is what the server counted, or an estimate of the output if the server sent no counts. If the
/// server did not count the input, it stays 0; the caller has the request and estimates it.
fn reply(
    said: Said,
    finish: Finish,
    thinking: Option<String>,
    reported: Reported,
    raw: Value,
) -> Reply {
    let message = Message::Assistant(said.clone());
    let written = estimate(message.size() + thinking.as_deref().map_or(0, str::len));
    // Gateways without counts write 0. A reply of no tokens is none, so it is estimated; the input is not, because such
    // gateways may well have counted it.
    let output = reported.output.filter(|n| *n > 0 || written == 0);
    let total = reported.total;
    let usage = Usage {
        // If the sum is known and the output estimated, the rest is input.
        input: reported
            .input
            .unwrap_or_else(|| total.map_or(0, |total| total.saturating_sub(written))),
        // The parts of an estimate must not exceed the sum that the server counted.
        output: output.unwrap_or_else(|| written.min(total.unwrap_or(written))),
        estimated: reported.input.is_none() || output.is_none(),
        ..reported.parts
    };
    Reply {
        said,
        finish,
        usage,
        thinking,
        source: ReplySource::Server,
        attempts: 1,
        refused: reported.refused,
        raw,
    }
}

/// Adds what is not counted elsewhere to a `usage` that is written again: stored tokens (those of an hour for
/// the Messages API) as `name` in `group`, and the bill.
fn also_counted(usage: &mut Value, used: &Usage, group: &str, name: &str) {
    // Only this API tells how long tokens are kept; what is written is what is read back.
    let stored = if group == "cache_creation" {
        used.stored_hour
    } else {
        used.stored
    };
    let Some(map) = usage.as_object_mut() else {
        return;
    };
    if stored > 0 {
        let group = map
            .entry(group)
            .or_insert_with(|| Value::Object(Map::new()));
        if let Some(group) = group.as_object_mut() {
            group.insert(name.to_owned(), stored.into());
        }
    }
    if let Some(billed) = used.billed {
        map.insert("cost".to_owned(), billed.dollars().into());
    }
}

/// The name of a call that goes back to the server: what a tool may be called, as most servers check it
/// (`[A-Za-z0-9_-]{1,64}`). Another character becomes `_`.
fn echoed_name(name: &str) -> Cow<'_, str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() {
        return "unknown".into();
    }
    if name.len() <= 64 && name.chars().all(fits) {
        return name.into();
    }
    let short = name.chars().take(64);
    short.map(|c| if fits(c) { c } else { '_' }).collect()
}

/// `id` with a number in place of its end: as long and of the same signs, because some servers check both (Mistral takes
/// 9 letters and digits).
fn numbered(id: &str, number: usize) -> String {
    let number = number.to_string();
    let kept = id.chars().count().saturating_sub(number.len());
    id.chars().take(kept).chain(number.chars()).collect()
}

/// The text of a message or of a result; many servers refuse an empty one.
fn not_blank(text: &str) -> &str {
    if text.trim().is_empty() {
        "(nothing)"
    } else {
        text
    }
}

/// The parts of a content: those of a list, or what stands in its place.
fn parts(content: &Value) -> &[Value] {
    match content {
        Value::Null => &[],
        Value::Array(parts) => parts,
        part => std::slice::from_ref(part),
    }
}

/// The text of a string, of a text part or of a list of them, without those of thoughts. An object in place of the
/// content that is neither is what the model wrote as JSON, which some servers read before they send it.
fn joined_text(content: &Value) -> String {
    // Thoughts and calls have places of their own and would be said aloud here.
    let is_read = |part: &&Value| !foreign::is_thought(part) && foreign::call_of(part).is_none();
    let texts = parts(content).iter().filter(is_read);
    let texts = texts.filter_map(|part| match part {
        Value::String(text) => Some(text.clone()),
        part => match part.get("text") {
            Some(Value::String(text)) => Some(text.clone()),
            // `{"text": {"value": ..}}` of the Assistants API.
            Some(text) => text.get("value")?.as_str().map(str::to_owned),
            None if content.is_object() && part.get("type").is_none() => Some(part.to_string()),
            // A text that says a number, which a gateway has read as JSON.
            None if content.is_number() => Some(part.to_string()),
            None => None,
        },
    });
    texts.collect()
}
