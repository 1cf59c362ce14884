//! Conversion of an open question to a choice.

use super::SLACK;
use serde::{Deserialize, Serialize};

/// Total from which an open question is converted to a choice.
pub const CONVERT_AT: f64 = 9.0;

/// Suitability of a question for options, 0 to 10 each.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversion {
    /// How completely one option can express the answer.
    pub clarity: f64,
    /// Number of common mistakes that could become distractors.
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
///
/// ```
/// use qa_scoring::quality::{Conversion, convert};
/// assert!(convert(Conversion { clarity: 10.0, misconception: 8.0 }));
/// assert!(!convert(Conversion { clarity: 9.0, misconception: 8.5 }));
/// ```
#[must_use]
pub fn convert(scores: Conversion) -> bool {
    scores.total() >= CONVERT_AT - SLACK
}
