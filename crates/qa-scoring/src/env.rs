//! A question as an environment: a prompt is observed, the answer is the action, the grade is the score.
//!
//! ```text
//!  agent answers ─► the rules read the answer ─► executor runs its program, judge judges its text ─► grade
//!                         (only where the rules of the task need them)
//! ```
//!
//! What is outside the rules is a seat. The seat `executor` gets a program that the answer holds and replies with its value
//! ([`SnippetReply`] as JSON); the seat `judge` gets the requests of [`judge`](crate::judge). Their replies are actions
//! like any other, so an environment is pure, and a record is verified without Python or a model. A seat that replies
//! nothing declines: the grade is then that of a [`Grader`](crate::Grader) without a runner or without a judge.
//!
//! # Example
//! ```
//! use qa_scoring::env::{Config, QuestionEnv};
//! use qa_scoring::{Gold, Item, AnswerOutcome};
//! use sim_core::{Environment, TextReply};
//! use std::sync::Arc;
//!
//! let item = Item::new("1", "Rates must rise at once.", Gold::Text("hawkish".into()));
//! let question = Config::default().question("FOMC".parse()?, item);
//! let mut env = QuestionEnv::new(Arc::new(question))?;
//! env.step(&TextReply::text("**Hawkish.**"))?;
//! assert!(env.is_over());
//! assert_eq!(env.score()?.value(), 1.0);
//! assert_eq!(env.grade().map(|grade| grade.outcome), Some(AnswerOutcome::Right));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`SnippetReply`]: crate::snippet::SnippetReply

mod figures;
mod list;
mod question;
mod spec;
mod verdict;

pub use figures::reports;
pub use list::{Part, QuestionChoice, QuestionSplit, training_order};
pub use question::{
    Config, EXECUTOR, JUDGE, MOST_SHOTS, Observation, Question, QuestionEnv, State,
};
pub use spec::Spec;
pub use verdict::{Told, told};

use crate::task::{Metric, Task};
use serde_json::Value;
use sim_core::error::clip;
use sim_core::{ActionError, TextReply};

/// Whether answers to a task may hold code that is run.
#[must_use]
pub fn runs_programs(task: Task) -> bool {
    matches!(
        task.metric(),
        Metric::Program | Metric::Completion | Metric::Quantity
    )
}

/// The reply that a call of a tool with the argument `text` gives.
pub(crate) fn text_argument(arguments: &Value) -> Result<TextReply, ActionError> {
    let text = arguments.get("text").unwrap_or(&Value::Null);
    match text.as_str() {
        Some(text) => Ok(TextReply::text(text)),
        None => Err(ActionError::bad_arguments(format!(
            "`text` must be a text, not `{}`",
            clip(&text.to_string())
        ))),
    }
}
