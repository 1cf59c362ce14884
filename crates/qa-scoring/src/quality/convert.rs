//! From an open question to a choice.

use super::SLACK;
use serde::{Deserialize, Serialize};

/// Total from which an open question becomes a choice.
pub const CONVERT_AT: f64 = 9.0;

/// How fit a question is for options, 0 to 10 each.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversion {
    /// How far the answer can be caught by one option.
    pub clarity: f64,
    /// How many common mistakes there are to make distractors of.
    pub misconception: f64,
}

impl Conversion {
    /// The mean of the two.
    #[must_use]
    pub fn total(self) -> f64 {
        0.5 * self.clarity + 0.5 * self.misconception
    }
}

/// Whether a question is converted: its total reaches 9.
#[must_use]
pub fn convert(scores: Conversion) -> bool {
    scores.total() >= CONVERT_AT - SLACK
}
