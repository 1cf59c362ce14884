//! Capability and difficulty of questions.
//!
//! Four capabilities; a difficulty from 0 to 10, which is divided into buckets for two of them. A
//! model labels each item; the labels then divide any result into cells ([`cells`]).
//!
//! # Source
//! The enterprise benchmark's appendix A.2 (categories, reply form) and the buckets of its code: up
//! to 3 easy, up to 6 middle, else hard, for numerical calculation and domain knowledge only.

mod cells;
mod labels;
mod prompt;
mod reply;

pub use cells::{CellKey, LabelAxis, LabelCell, cells};
pub use labels::{Labels, label_of};
pub use prompt::{CONTEXT_LIMIT, PROGRAM_LIMIT, classify_request};
pub use reply::{TaxonomyLabel, read_label};

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// The capability that a question mainly needs.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(ascii_case_insensitive)]
pub enum Capability {
    /// Finding information in the context.
    #[serde(rename = "Information Extraction")]
    #[strum(to_string = "Information Extraction", serialize = "IE")]
    InformationExtraction,
    /// Calculating.
    #[serde(rename = "Numerical Calculation")]
    #[strum(to_string = "Numerical Calculation", serialize = "NC")]
    NumericalCalculation,
    /// Knowledge of the field.
    #[serde(rename = "Domain Knowledge")]
    #[strum(to_string = "Domain Knowledge", serialize = "DK")]
    DomainKnowledge,
    /// Judgement and decisions under constraints.
    #[serde(rename = "Complex Reasoning")]
    #[strum(to_string = "Complex Reasoning", serialize = "CR")]
    ComplexReasoning,
}

impl Capability {
    /// Whether its difficulty is divided into buckets.
    #[must_use]
    pub fn has_buckets(self) -> bool {
        matches!(self, Self::NumericalCalculation | Self::DomainKnowledge)
    }

    /// The bucket of a difficulty, `None` for the capabilities without buckets.
    ///
    /// ```
    /// use qa_scoring::taxonomy::{DifficultyBucket, Capability};
    /// let bucket = Capability::DomainKnowledge.bucket(3.01);
    /// assert_eq!(bucket, Some(DifficultyBucket::Middle));
    /// assert_eq!(Capability::ComplexReasoning.bucket(9.0), None);
    /// ```
    #[must_use]
    pub fn bucket(self, difficulty: f64) -> Option<DifficultyBucket> {
        self.has_buckets().then(|| DifficultyBucket::of(difficulty))
    }
}

/// A difficulty bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(Display, IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum DifficultyBucket {
    /// Up to 3.
    Easy,
    /// Up to 6.
    Middle,
    /// Above 6.
    Hard,
}

impl DifficultyBucket {
    /// The bucket of a difficulty from 0 to 10.
    #[must_use]
    pub fn of(difficulty: f64) -> Self {
        if difficulty <= 3.0 {
            Self::Easy
        } else if difficulty <= 6.0 {
            Self::Middle
        } else {
            Self::Hard
        }
    }
}

/// The identifier of an item over all sets: task, split and index, "FinCode:test:3".
///
/// ```
/// assert_eq!(qa_scoring::taxonomy::uid("FinCode", "test", 3), "FinCode:test:3");
/// ```
#[must_use]
pub fn uid(task: &str, split: &str, index: usize) -> String {
    format!("{task}:{split}:{index}")
}
