//! What the agent sees before an action and learns from it.
//!
//! `amount` against 100 dollars now is all that a policy needs; `now_first` matters for
//! language models, which may favour the first option.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The question of this period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Number of the question, from 0.
    pub question: u32,
    /// The amount offered later \[$\].
    pub amount: f64,
    /// The delay in words (`one month`).
    pub delay: Cow<'static, str>,
    /// The delay \[years\].
    pub years: f64,
    /// Whether the money now is option A.
    pub now_first: bool,
}

/// What the agent learns from an answer: only that it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// Number of the question, from 0.
    pub question: u32,
}
