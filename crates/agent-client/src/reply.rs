//! Replies of a model.

use crate::message::{Message, Said, ToolCall};
use crate::money::Money;
use crate::tokens::RefusedCount;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::cause::Cause;
use std::ops::AddAssign;

/// Why the model stopped.
///
/// A reply that was cut at the length limit is used like any other; its JSON may be incomplete, and is
/// then repaired or refused like invalid JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finish {
    /// The reply is complete.
    Stop,
    /// The model made tool calls.
    Calls,
    /// The length limit was reached.
    Length,
    /// The model's context was full.
    NoRoom,
    /// A content filter cut it.
    Filter,
    /// The model made a call that the server could not read.
    Malformed,
    /// Another reason, as named by the server.
    Other(String),
}

/// Where a reply came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReplySource {
    /// From the server, now, at a cost.
    #[default]
    Server,
    /// From the cache.
    Cache,
    /// From the cassette.
    Cassette,
    /// From a test double.
    Double,
}

/// Tokens of one or many requests.
///
/// `cached` and `stored` are parts of `input`, `thinking` is part of `output`: they are not added to the sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Input tokens, in total.
    pub input: u64,
    /// Part of `input` that the server had cached and charges less for.
    pub cached: u64,
    /// Part of `input` that the server stored in its cache.
    pub stored: u64,
    /// Part of `stored` that is kept for an hour, which some providers charge more for.
    #[serde(skip_serializing_if = "is_zero")]
    pub stored_hour: u64,
    /// Output tokens, including thinking.
    pub output: u64,
    /// Part of `output` for thinking.
    pub thinking: u64,
    /// What the provider itself says that it charges \[US dollars\], where it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billed: Option<Money>,
    /// Whether the server gave no usable counts, so that all or some of these are estimates
    /// (characters / 4).
    pub estimated: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.stored = self.stored.saturating_add(other.stored);
        self.output = self.output.saturating_add(other.output);
        self.thinking = self.thinking.saturating_add(other.thinking);
        self.stored_hour = self.stored_hour.saturating_add(other.stored_hour);
        self.billed = match (self.billed, other.billed) {
            (Some(a), Some(b)) => Some(a.plus(b)),
            // A sum of those that were told: it is a lower bound where some replies had no bill.
            (a, b) => a.or(b),
        };
        // One estimated part makes the sum an estimate.
        self.estimated = self.estimated || other.estimated;
    }
}

/// A reply of a model.
///
/// [`Reply::text`] and [`Reply::calls`] make replies for doubles.
///
/// ```
/// use agent_client::{Finish, Reply, ToolCall};
/// use serde_json::json;
/// let reply = Reply::calls(vec![ToolCall::new("c1", "place_order", json!({"quantity": 400}))]);
/// assert_eq!(reply.finish, Finish::Calls);
/// assert_eq!(reply.attempts, 0); // nothing was sent
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// Text and calls.
    pub said: Said,
    /// Why it ended.
    pub finish: Finish,
    /// Its usage.
    pub usage: Usage,
    /// Thinking, if the server returned it.
    pub thinking: Option<String>,
    /// Where it came from.
    pub source: ReplySource,
    /// Number of times that the request was sent; 0 if it was not sent.
    pub attempts: u32,
    /// Counts of the server that were not usable.
    pub refused: Vec<RefusedCount>,
    /// The whole answer as received, including unknown fields.
    pub raw: Value,
}

impl Reply {
    /// A reply of plain text, for doubles.
    pub fn text(text: impl Into<String>) -> Self {
        Self::double(Said {
            text: text.into(),
            ..Said::default()
        })
    }

    /// A reply of tool calls, for doubles.
    #[must_use]
    pub fn calls(calls: Vec<ToolCall>) -> Self {
        Self::double(Said {
            calls,
            ..Said::default()
        })
    }

    fn double(said: Said) -> Self {
        // As servers say it, so that a double takes the same paths.
        let finish = if said.calls.is_empty() {
            Finish::Stop
        } else {
            Finish::Calls
        };
        Self {
            said,
            finish,
            usage: Usage::default(),
            thinking: None,
            source: ReplySource::Double,
            attempts: 0,
            refused: Vec::new(),
            raw: Value::Null,
        }
    }

    /// Why it is what it is, as far as the wire knows.
    #[must_use]
    pub fn cause(&self) -> Cause {
        self.finish.cause()
    }

    /// Whether it has neither text nor a call.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.said.text.trim().is_empty() && self.said.calls.is_empty()
    }

    /// The message to append to the chat.
    #[must_use]
    pub fn message(&self) -> Message {
        Message::Assistant(self.said.clone())
    }
}
