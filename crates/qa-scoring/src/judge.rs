//! Scoring free text with a model. The model is behind a trait: this crate calls none itself.
//!
//! A judge is asked once. An unreadable reply is sent back once with the reason; if the second one
//! is unreadable too, the item is *unscored* and listed. It never counts as 0, unlike in the
//! published evaluation. With several judges the score is the mean of the readable ones, with their
//! standard deviation.

mod panel;
mod published;
mod reply;
mod rubric;

pub use panel::{Verdict, Vote, judge};
pub use published::{PublishedCategory, PublishedVerdict, published_verdict};
pub use reply::{JudgedScore, UnreadableReply, read_label, read_score};
pub use rubric::{Rubric, Subject, repair, request};

pub(crate) use reply::{bad, object};

use serde::{Deserialize, Serialize};

/// One question to a judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeRequest {
    /// Index of the judge, from 0; a panel may use one model several times.
    pub judge: u32,
    /// Whether this is the first request, or the only repair of an unreadable reply.
    pub round: Round,
    /// The system message.
    pub system: String,
    /// The messages: the question, and for a repair the reply and the reason.
    pub messages: Vec<JudgeMessage>,
}

impl JudgeRequest {
    /// The first request to judge number `judge`: one message after the system message.
    pub(crate) fn first(judge: u32, system: &str, text: String) -> Self {
        Self {
            judge,
            round: Round::First,
            system: system.to_owned(),
            messages: vec![JudgeMessage {
                from: JudgeSpeaker::User,
                text,
            }],
        }
    }
}

/// The round of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Round {
    /// The question.
    First,
    /// The one repair.
    Repair,
}

/// A message of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeMessage {
    /// The speaker.
    pub from: JudgeSpeaker,
    /// The text.
    pub text: String,
}

/// The speaker of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JudgeSpeaker {
    /// This program.
    User,
    /// The judge, in its earlier reply.
    Judge,
}

/// The begin of the message of [`NoReply`].
// Votes keep the message as text, and `Verdict::why_unscored` tells a judge that did not reply from
// one that could not be read by this beginning.
const NO_REPLY: &str = "the judge gave no reply: ";

/// The error of a judge that did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{NO_REPLY}{reason}")]
pub struct NoReply {
    /// The message of the provider or the transport.
    pub reason: String,
}

/// Asks a model; implemented by the runner with an agent backend.
///
/// Any closure from a request to a text is a judge, which is how tests script one; see [`judge()`] for an example.
pub trait Judge {
    /// The reply to a request.
    ///
    /// # Errors
    /// [`NoReply`] when there is no reply after the backend's retries.
    ///
    /// The reply is the whole text; thinking and code fences are removed by the reader.
    fn ask(&mut self, request: &JudgeRequest) -> Result<String, NoReply>;
}

impl<F: FnMut(&JudgeRequest) -> Result<String, NoReply>> Judge for F {
    fn ask(&mut self, request: &JudgeRequest) -> Result<String, NoReply> {
        self(request)
    }
}
