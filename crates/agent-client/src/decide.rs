//! Deliberators: how one decision is made.
//!
//! A decision may be a text, an answer to a question, a JSON value or the next tool calls; a
//! deliberator makes any of them, so each is written once and serves questions, episodes and
//! interviews alike.
//!
//! | deliberator | requests for a decision | source |
//! |---|---|---|
//! | [`Single`] | 1; with reasoning 2, except for answers to questions | with reasoning: Wei and others, "Chain-of-thought prompting", 2022 |
//! | [`Refine`] | 1, and one for each round, at most 4 rounds | Madaan and others, "Self-Refine", 2023 |
//! | [`Debate`] | 6 (3 agents, 2 rounds) | Du and others, "Improving factuality and reasoning through multiagent debate", 2023 |
//! | [`Discussion`] | 7 (3 agents, 2 rounds, synthesis), or 3 if all agree at once | Li and others, "CAMEL", 2023, in the simplified form that the strategic paper speaks of |
//!
//! Each of them can have the model reason step by step before each decision. Repairs of invalid JSON come on top. In an episode, only calls that change the world are refined
//! or debated; reading is decided by one request.
//!
//! # Example
//! ```
//! use agent_client::backends::Scripted;
//! use agent_client::decide::{Ctx, Debate, Deliberator, Output};
//! use agent_client::{Message, Slot};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), agent_client::AgentError> {
//! // Three agents, one round, then the vote: 400 has two votes.
//! let script = Scripted::texts(["ANSWER: 400", "ANSWER: 380", "I think so.\nANSWER: 400"]);
//! let debate = Debate { rounds: 1, ..Debate::default() };
//! let cx = Ctx::agent(&script, Slot::new("q1"));
//! let chat = [Message::user("How many do you order?")];
//! let choice = debate.decide(&cx, &chat, &Output::Answer).await?;
//! assert_eq!((choice.answer.as_str(), choice.asked), ("400", 3));
//! # Ok(())
//! # }
//! ```

use crate::backend::AgentBackend;
use crate::error::AgentError;
use crate::message::{Message, Said, ToolCall};
use crate::request::{ModelRole, Request, Schema, Slot};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{ToolKind, ToolSpec};
use std::fmt;
use std::ops::Not;

pub mod agree;
pub mod calls;
mod debate;
mod dialects;
mod discussion;
mod examples;
mod fit;
mod refine;
mod think;

pub use debate::Debate;
pub use discussion::{Discussion, Style};
pub use refine::Refine;

/// The backend for a decision, and the position of the decision in the run.
#[derive(Debug, Clone)]
pub struct Ctx<'a> {
    /// The backend.
    pub backend: &'a dyn AgentBackend,
    /// The role to which requests are booked.
    pub role: ModelRole,
    /// Position in the run; every request for the decision gets a child slot.
    /// Two requests of one decision never have the same slot.
    pub slot: Slot,
}

impl<'a> Ctx<'a> {
    /// Requests of the agent itself.
    #[must_use]
    pub fn agent(backend: &'a dyn AgentBackend, slot: Slot) -> Self {
        Self {
            backend,
            role: ModelRole::Agent,
            slot,
        }
    }

    /// The same for a part of this slot.
    /// The new slot is `<slot>/<name><index>`.
    #[must_use]
    pub fn child(&self, name: &str, index: impl fmt::Display) -> Self {
        Self {
            slot: self.slot.child(name, index),
            ..self.clone()
        }
    }

    /// A request for text with this slot.
    #[must_use]
    pub fn request(&self, messages: Vec<Message>) -> Request {
        Request::new(self.role, self.slot.clone(), messages)
    }
}

/// The form of tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallStyle {
    /// The provider's own tool calling.
    #[default]
    Native,
    /// A JSON object in the text, for models and servers without tool calling.
    Json,
}

/// The kind of a decision.
///
/// A deliberator compares and combines decisions according to their kind: texts by shared words, answers
/// by vote, JSON values and tool calls field by field (see [`agree`]).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Output {
    /// A text.
    Text,
    /// A text whose last line is `ANSWER: ...`.
    Answer,
    /// A JSON value.
    Json(Schema),
    /// The next tool calls.
    Calls {
        /// Tools that may be called.
        tools: Vec<ToolSpec>,
        /// The form of the calls.
        style: CallStyle,
    },
}

impl Output {
    /// The form of the calls.
    pub(crate) fn style(&self) -> CallStyle {
        match self {
            Self::Calls { style, .. } => *style,
            _ => CallStyle::Native,
        }
    }

    /// Whether one of the calls changes the world.
    ///
    /// Tools whose kind is [`ToolKind::Getter`] only read. Calls of unknown tools change nothing either: the
    /// environment refuses them.
    #[must_use]
    pub fn changes_the_world(&self, calls: &[ToolCall]) -> bool {
        let Self::Calls { tools, .. } = self else {
            return false;
        };
        calls.iter().any(|call| {
            tools
                .iter()
                .any(|tool| tool.name == call.name && tool.kind != ToolKind::Getter)
        })
    }
}

/// A decision.
///
/// Which fields are filled depends on the [`Output`]: `text` and `said` always, `value` and `calls` only
/// where the output asks for them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Choice {
    /// The text.
    pub text: String,
    /// The answer in it, for [`Output::Answer`]; else the text.
    /// The text after the last `ANSWER:`, without bold marks; the whole text if there is none.
    pub answer: String,
    /// The value, for [`Output::Json`].
    pub value: Option<Value>,
    /// The calls, for [`Output::Calls`].
    pub calls: Vec<ToolCall>,
    /// Whether the calls were made with the provider's own tool calling, in which case their
    /// results go back the same way.
    pub native: bool,
    /// The messages between the chat and the decision, to append before [`said`](Self::said): the
    /// reasoning and what was asked for it; empty without reasoning.
    pub reasoning: Vec<Message>,
    /// The message to append to the chat.
    pub said: Said,
    /// Number of replies that were needed.
    pub asked: u32,
}

impl Choice {
    /// A decision with a text.
    #[must_use]
    pub fn of_text(text: &str, asked: u32) -> Self {
        Self {
            text: text.to_owned(),
            answer: agree::answer_in(text),
            said: Said {
                text: text.to_owned(),
                ..Said::default()
            },
            asked,
            ..Self::default()
        }
    }

    /// A decision with a JSON value.
    #[must_use]
    pub fn of_value(value: Value, asked: u32) -> Self {
        // Canonical, because a discussion compares values as texts to see whether all agents agree.
        let text = sim_core::bytes::canonical_text(&value);
        Self {
            value: Some(value),
            answer: text.clone(),
            ..Self::of_text(&text, asked)
        }
    }

    /// A decision to call tools that is composed by this program and not by one reply.
    ///
    /// With [`CallStyle::Json`] the calls become the text of the message, because a server would refuse calls
    /// that it did not offer as tools.
    #[must_use]
    pub fn of_calls(calls: Vec<ToolCall>, style: CallStyle, asked: u32) -> Self {
        let native = style == CallStyle::Native;
        let said = if native {
            Said {
                calls: calls.clone(),
                ..Said::default()
            }
        } else {
            Said {
                text: calls::as_text(&calls),
                ..Said::default()
            }
        };
        Self {
            said,
            calls,
            native,
            asked,
            ..Self::default()
        }
    }

    /// The decision as it is shown to other agents.
    #[must_use]
    pub fn shown(&self) -> String {
        let text = crate::json_text::spoken(&self.text);
        if self.calls.is_empty() {
            return text.into_owned();
        }
        let calls: Vec<String> = self.calls.iter().map(calls::shown).collect();
        if text.trim().is_empty() {
            calls.join("\n")
        } else {
            format!("{}\n{}", text.trim(), calls.join("\n"))
        }
    }
}

/// An algorithm that makes decisions.
///
/// Implement it for a new way to decide; it works with every memory and every kind of work. Each request
/// must have a slot of its own ([`Ctx::child`]), otherwise a cassette gives two requests one answer.
#[async_trait]
pub trait Deliberator: Send + Sync + fmt::Debug {
    /// Its name in records.
    fn name(&self) -> &'static str;

    /// Its settings, for the digest of a run's settings.
    fn settings(&self) -> Value;

    /// Whether the model is asked to reason step by step before each decision. The prompt of a question
    /// then has to ask for the steps and leave room for them.
    fn reasons(&self) -> bool {
        false
    }

    /// Decides on the basis of a chat.
    ///
    /// # Errors
    /// When the backend cannot answer.
    ///
    /// `chat` begins with a system message and is not changed. The decision is the last message of the
    /// agent; the caller appends it ([`Choice::said`]).
    async fn decide(
        &self,
        cx: &Ctx<'_>,
        chat: &[Message],
        output: &Output,
    ) -> Result<Choice, AgentError>;
}

/// One agent decides: the methods `direct` and, with reasoning, `cot`. One request; with reasoning two for
/// tool calls, JSON values and turns of an interview. The answer to a question needs one in both cases, because its
/// prompt asks for the steps. The other deliberators make each of their decisions in this way.
///
/// Source of the reasoning: Wei and others, 2022, without worked examples. The model writes its steps down
/// first, in the same reply as the answer to a question and otherwise in a reply of its own.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Single {
    /// Temperature; the backend's default if absent.
    pub temperature: Option<f64>,
    /// Whether the model reasons step by step first (default false).
    #[serde(skip_serializing_if = "Not::not")]
    pub reasoning: bool,
}

#[async_trait]
impl Deliberator for Single {
    fn name(&self) -> &'static str {
        if self.reasoning {
            "reasoning"
        } else {
            "single"
        }
    }

    fn settings(&self) -> Value {
        sim_core::bytes::json(self)
    }

    fn reasons(&self) -> bool {
        self.reasoning
    }

    async fn decide(
        &self,
        cx: &Ctx<'_>,
        chat: &[Message],
        output: &Output,
    ) -> Result<Choice, AgentError> {
        if self.reasoning && *output != Output::Answer {
            think::ask(cx, chat, output, self.temperature).await
        } else {
            ask_once(cx, chat, output, self.temperature).await
        }
    }
}

/// Sends one request for `output` and reads its reply.
async fn ask_once(
    cx: &Ctx<'_>,
    chat: &[Message],
    output: &Output,
    temperature: Option<f64>,
) -> Result<Choice, AgentError> {
    let mut request = cx.request(chat.to_vec());
    request.temperature = temperature;
    match output {
        Output::Text | Output::Answer => {
            let reply = cx.backend.ask(request).await?;
            Ok(Choice::of_text(&reply.said.text, 1))
        }
        Output::Json(schema) => {
            let typed =
                crate::structured::ask::<Value>(cx.backend, request, schema, |_| Ok(())).await?;
            Ok(Choice::of_value(typed.value, typed.asked))
        }
        Output::Calls { tools, style } => calls::ask(cx, request, tools, *style).await,
    }
}
