//! Memories: what an agent is shown before a decision, and what it stores afterwards.
//!
//! | memory | requests before | requests after | source |
//! |---|---|---|---|
//! | [`Nothing`] | 0 | 0 | |
//! | [`Reflections`] | 0 | 1 after a failure | Shinn and others, "Reflexion", 2023 |
//! | [`Notes`] | 1 | 2 (1 while there is no other note) | Xu and others, "A-MEM", 2025 |
//! | [`Cheatsheet`] | 0 | 1 | Suzgun and others, "Dynamic Cheatsheet", 2025 |
//! | [`Instruction`] | 0 | 0 | Agrawal and others, "GEPA", 2025: evolved beforehand, then frozen |
//! | [`Playbook`] | 0 | 2 | Zhang and others, "Agentic Context Engineering", 2025 |
//!
//! One setting, [`FeedbackMode`], says for all memories what they may learn from. The published
//! programs differ in it (one shows its reflector the right answer, one needs to know whether the
//! agent succeeded, one uses nothing), so results with different feedback are not comparable.
//!
//! A memory belongs to one stream of work. Before a decision [`Memory::render`] gives the text that is added to
//! the system message; after the work [`Memory::update`] learns from an [`Experience`], which
//! [`Experience::under`] has reduced to what the feedback allows. [`Memory::snapshot`] and
//! [`Memory::restore`] let a run resume, and undo an update whose unit failed.

use crate::cause::Cause;
use crate::decide::Ctx;
use crate::error::{AgentError, ErrorClass};
use crate::message::Message;
use crate::request::Schema;
use crate::structured;
use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

mod cheatsheet;
mod instruction;
mod notes;
mod nothing;
mod playbook;
mod rank;
mod reflections;

pub use cheatsheet::{Cheatsheet, CheatsheetSettings};
pub use instruction::Instruction;
pub use notes::{Note, Notes, NotesSettings};
pub use nothing::Nothing;
pub use playbook::{Bullet, Playbook, PlaybookSettings};
pub use reflections::{Reflections, ReflectionsSettings};

/// What a memory may learn from. Each level includes the levels before it.
///
/// ```
/// use agent_client::memory::FeedbackMode;
/// assert!(FeedbackMode::Env < FeedbackMode::Outcome);
/// assert_eq!("ground_truth".parse(), Ok(FeedbackMode::GroundTruth));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", parse_err_fn = unknown_mode, parse_err_ty = String)]
pub enum FeedbackMode {
    /// The agent's own instructions and actions.
    None,
    /// The answers of the environment: results, refusals, diagnostics.
    Env,
    /// The score, and whether it is a success.
    #[default]
    Outcome,
    /// The right answer.
    GroundTruth,
}

fn unknown_mode(text: &str) -> String {
    format!("`{text}` is not a feedback mode; there are none, env, outcome, ground_truth")
}

/// The kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkKind {
    /// A question was answered.
    Question,
    /// An episode was played, or a part of one.
    Episode,
    /// The same decision was made again.
    Run,
}

/// A finished piece of work, with the parts of its outcome that the feedback mode allows.
///
/// # Example
/// ```
/// use agent_client::memory::{Experience, FeedbackMode, WorkKind};
/// let seen = Experience {
///     score: Some(0.0),
///     success: Some(false),
///     truth: Some("42".to_owned()),
///     ..Experience::new(WorkKind::Question, "q7", "What is 6 times 7?")
/// };
/// assert_eq!(seen.clone().under(FeedbackMode::Env).outcome(), "");
/// assert_eq!(seen.under(FeedbackMode::Outcome).outcome(), "Score: 0\nThe answer is wrong.");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Experience {
    /// Name of the item or episode.
    pub item: String,
    /// What kind of work it was.
    pub work: WorkKind,
    /// The task.
    pub task: String,
    /// The agent's messages and actions.
    pub transcript: String,
    /// The decision, in short.
    pub decision: String,
    /// The environment's diagnostics, if any.
    pub diagnostics: Option<String>,
    /// Its score.
    /// Its unit and direction are the environment's; questions have 0 to 1.
    pub score: Option<f64>,
    /// Whether it succeeded; for a repeated decision, whether it is better than all runs before it.
    pub success: Option<bool>,
    /// The right answer.
    pub truth: Option<String>,
}

impl Experience {
    /// A piece of work of which only the name and the task are known; set the other fields that are known.
    pub fn new(work: WorkKind, item: impl Into<String>, task: impl Into<String>) -> Self {
        Self {
            item: item.into(),
            work,
            task: task.into(),
            transcript: String::new(),
            decision: String::new(),
            diagnostics: None,
            score: None,
            success: None,
            truth: None,
        }
    }

    /// The same without the parts that `mode` does not allow.
    ///
    /// Streams call it before every update, so a memory never sees more than the run's feedback setting.
    #[must_use]
    pub fn under(mut self, mode: FeedbackMode) -> Self {
        if mode < FeedbackMode::GroundTruth {
            self.truth = None;
        }
        // Score and success together: either of them tells the other in most environments.
        if mode < FeedbackMode::Outcome {
            self.score = None;
            self.success = None;
        }
        if mode < FeedbackMode::Env {
            self.diagnostics = None;
        }
        self
    }

    /// The outcome in words; empty if nothing is known of it.
    #[must_use]
    pub fn outcome(&self) -> String {
        let mut lines = Vec::new();
        if let Some(text) = self.diagnostics.as_ref().filter(|text| !text.is_empty()) {
            lines.push(text.clone());
        }
        if let Some(score) = self.score {
            lines.push(format!("Score: {score}"));
        }
        if let Some(success) = self.success {
            let word = match (self.work, success) {
                (WorkKind::Question, true) => "The answer is right.",
                (WorkKind::Question, false) => "The answer is wrong.",
                (WorkKind::Episode, true) => "This was a success.",
                (WorkKind::Episode, false) => "This was no success.",
                (WorkKind::Run, true) => "No run before it was as good.",
                (WorkKind::Run, false) => "It is not better than the best run before it.",
            };
            lines.push(word.to_owned());
        }
        if let Some(truth) = &self.truth {
            lines.push(format!("The right answer: {truth}"));
        }
        lines.join("\n")
    }
}

/// A change of a memory, for the record.
///
/// Operations show in records what a memory did; they are not needed to restore it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryOp {
    /// The operation (`add`, `update`, `merge`, `remove`, `tag`, `link`, `rewrite`, `refused`).
    pub op: String,
    /// Its target.
    pub target: String,
}

impl MemoryOp {
    fn new(op: &str, target: impl fmt::Display) -> Self {
        Self {
            op: op.to_owned(),
            target: target.to_string(),
        }
    }
}

/// What an agent stores between decisions.
///
/// Implement it for a new memory; [`Method`](crate::method::Method) combines it with any deliberator.
#[async_trait]
pub trait Memory: Send + Sync + fmt::Debug {
    /// Its name in records.
    fn name(&self) -> &'static str;

    /// Whether one item changes the prompt of the next, so that items must be processed in order.
    ///
    /// Units of one stream with an online memory never run concurrently.
    fn is_online(&self) -> bool {
        true
    }

    /// Its settings, for the digest of a run's settings.
    fn settings(&self) -> Value;

    /// The text that is shown before a decision on `task`; empty for nothing.
    ///
    /// # Errors
    /// When the backend cannot answer.
    ///
    /// It must not change the memory: an interrupted unit renders again and must get the same text.
    async fn render(&self, cx: &Ctx<'_>, task: &str) -> Result<String, AgentError>;

    /// Learns from a finished piece of work. On an error nothing is changed.
    ///
    /// # Errors
    /// When the backend cannot answer.
    ///
    /// A memory that asks a model must ask before it changes anything, so that an error leaves it as it was.
    async fn update(
        &mut self,
        cx: &Ctx<'_>,
        experience: &Experience,
    ) -> Result<Vec<MemoryOp>, AgentError>;

    /// The whole content of the memory.
    ///
    /// Equal memories have equal snapshots: records hold a digest of it.
    fn snapshot(&self) -> Value;

    /// Replaces the content by a snapshot.
    ///
    /// # Errors
    /// When the snapshot is of another memory; nothing is changed then.
    fn restore(&mut self, snapshot: &Value) -> Result<(), AgentError>;
}

/// Reads a snapshot, for [`Memory::restore`].
fn saved<T: DeserializeOwned>(name: &str, snapshot: &Value) -> Result<T, AgentError> {
    serde_path_to_error::deserialize(snapshot).map_err(|e| {
        AgentError::setup(format!(
            "the snapshot of the `{name}` memory is not valid: {e}"
        ))
    })
}

/// Asks for JSON of at most `max_tokens`. A reply that cannot be used after its repairs gives the default.
async fn soft<T: DeserializeOwned + Default>(
    cx: &Ctx<'_>,
    words: String,
    schema: &Schema,
    max_tokens: Option<u32>,
) -> Result<T, AgentError> {
    let mut request = cx.request(vec![Message::user(words)]);
    request.max_tokens = max_tokens;
    match structured::ask::<T>(cx.backend, request, schema, |_| Ok(())).await {
        Ok(typed) => Ok(typed.value),
        Err(e) if e.class == ErrorClass::Unusable => {
            // Counted, so that the summary tells of a memory that learns nothing.
            cx.backend.recount(cx.role, Cause::Malformed);
            Ok(T::default())
        }
        Err(e) => Err(e),
    }
}
