//! Seats that are asked in words and answer with text: a question, a message of an interview, the marks of a judge.

use crate::score::{Incident, NotFinite, Score};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a seat is asked in words. A model that plays the seat gets it as a chat and needs no tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The instruction: who is asked, and the form of the answer.
    pub system: String,
    /// The instruction for an agent that reasons step by step first. Absent where the agent is to add its own sentence
    /// to `system`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoned: Option<String>,
    /// The messages so far, in order.
    pub chat: Vec<ChatMessage>,
    /// The form of the reply.
    pub form: ReplyForm,
    /// How often an empty reply is asked for again.
    #[serde(default)]
    pub again: u32,
}

/// A message of the chat of an [`Ask`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChatMessage {
    /// Whether the seat that is asked wrote it.
    pub own: bool,
    /// What it says.
    pub text: String,
}

impl ChatMessage {
    /// A message to the seat.
    pub fn to_seat(text: impl Into<String>) -> Self {
        Self {
            own: false,
            text: text.into(),
        }
    }

    /// An earlier message of the seat.
    pub fn of_seat(text: impl Into<String>) -> Self {
        Self {
            own: true,
            text: text.into(),
        }
    }
}

/// The form of a reply in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyForm {
    /// What is said next in a conversation.
    Speech,
    /// A text that ends with an answer.
    Answer,
    /// A JSON object.
    Json {
        /// Name of the object, in snake case.
        name: String,
        /// What it is, in a few words.
        about: String,
        /// Its JSON Schema.
        schema: Value,
    },
}

/// The action of a seat that is asked in words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextReply {
    /// What it wrote; absent if it gives no reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The answer in the text, where the agent reasoned before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Why there is no reply although one was asked for (`filtered: ..`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl TextReply {
    /// A reply with this text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            ..Self::default()
        }
    }

    /// The reply that an action is, if it is one with a text or a reason why there is none.
    #[must_use]
    pub fn of(action: &Value) -> Option<Self> {
        // Every field has a default, so `{}` reads as a reply too: it is a seat that declines.
        let reply: Self = serde_json::from_value(action.clone()).ok()?;
        (!reply.declines()).then_some(reply)
    }

    /// No reply, for this reason.
    pub fn failed(why: impl Into<String>) -> Self {
        Self {
            failure: Some(why.into()),
            ..Self::default()
        }
    }

    /// Whether the seat declines: it neither replied nor failed to.
    #[must_use]
    pub fn declines(&self) -> bool {
        self.text.is_none() && self.failure.is_none()
    }

    /// The reply for people: the text, or why there is none.
    #[must_use]
    pub fn in_words(&self) -> String {
        match (&self.text, &self.failure) {
            (Some(text), _) => text.clone(),
            (None, Some(why)) => format!("gives no reply: {why}"),
            (None, None) => "gives no reply".to_owned(),
        }
    }

    /// The text; empty without one.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }
}

/// A finished episode in the words of its environment, for memories and searches for instructions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Retold {
    /// The task of the episode, without anything that was found out.
    pub task: String,
    /// What was said.
    pub transcript: String,
    /// The last answer of the agent.
    pub decision: String,
    /// Feedback that does not give the right answer away.
    pub feedback: String,
    /// Whether it counts as a success.
    pub success: bool,
    /// The right answer, where it is known.
    pub truth: Option<String>,
}

/// The code of the incident of an episode without a score: its value says nothing.
pub const UNSCORED: &str = "unscored";

/// Code of the incident of an episode that is scored by fewer judges than were asked: the marks of the others could
/// not be read.
pub const FEWER_JUDGES: &str = "fewer_judges";

impl Score {
    /// The score of an episode that nobody could score, for the reason `why`; means leave it out.
    ///
    /// # Errors
    /// Never: its value is 0.
    pub fn unscored(why: impl Into<String>) -> Result<Self, NotFinite> {
        // An incident beside the value 0, and not an absent value: a record always has a number for
        // its score, and code that takes a mean asks `is_scored` first.
        let incident = Incident {
            code: UNSCORED.to_owned(),
            period: 0,
            note: why.into(),
        };
        Ok(Self::new(0.0)?.incidents([incident]))
    }

    /// Why the episode has no score; `None` if it has one.
    #[must_use]
    pub fn why_unscored(&self) -> Option<&str> {
        let mut incidents = self.all_incidents().iter();
        let found = incidents.find(|incident| incident.code == UNSCORED);
        found.map(|incident| incident.note.as_str())
    }

    /// Whether the episode could be scored.
    #[must_use]
    pub fn is_scored(&self) -> bool {
        self.why_unscored().is_none()
    }
}
