//! Judging free text with a model, as a trait: this crate calls none itself.
//!
//! A judge is asked once; a reply that cannot be read is sent back once with the reason; what then
//! still cannot be read leaves the item *unscored* and listed. It never counts 0, as the published
//! evaluation lets it. With several judges the score is the mean of those that could be read, with
//! their spread beside it.

mod panel;
mod published;
mod reply;
mod rubric;

pub use panel::{Verdict, Vote, judge};
pub use published::{PublishedCategory, PublishedVerdict, published_verdict};
pub use reply::{JudgedScore, Unreadable, read_label, read_score};
pub use rubric::{Rubric, Subject, repair, request};

use serde::{Deserialize, Serialize};

/// One question to a judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeRequest {
    /// Which of the judges is asked, from 0; a panel may use one model several times.
    pub judge: u32,
    /// Whether this is the first question or the one chance to mend an unreadable reply.
    pub round: Round,
    /// The system message.
    pub system: String,
    /// The messages in turn: the question, and for a repair the reply and the reason.
    pub messages: Vec<Message>,
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
pub struct Message {
    /// Who speaks.
    pub from: Speaker,
    /// What is said.
    pub text: String,
}

/// Who speaks in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// This program.
    User,
    /// The judge, in its earlier reply.
    Judge,
}

/// A judge that did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the judge gave no reply: {reason}")]
pub struct NoReply {
    /// What the provider or the transport said.
    pub reason: String,
}

/// Asks a model; filled in by the runner with an agent backend.
pub trait Judge {
    /// The reply to a request.
    ///
    /// # Errors
    /// [`NoReply`] when none came, after whatever retries the backend makes.
    fn ask(&mut self, request: &JudgeRequest) -> Result<String, NoReply>;
}

impl<F: FnMut(&JudgeRequest) -> Result<String, NoReply>> Judge for F {
    fn ask(&mut self, request: &JudgeRequest) -> Result<String, NoReply> {
        self(request)
    }
}
