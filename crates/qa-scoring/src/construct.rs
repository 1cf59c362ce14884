//! Makes questions from source text.
//!
//! ```text
//! source text ── draft ──> question, answer, quotations ── check quotations ──┐
//!      ┌──────────────────────────────────────────────────────────────────────┘
//!      └─> score (depth, synthesis, centrality) ── filter ──> fit for options? ── no ──> open question
//!                                                                  │ yes
//!                                                              distractors ── lint ──> choice
//! ```
//!
//! Every step is one request to a model through [`Judge`](crate::judge::Judge), with one repair. A
//! draft that cannot be read or does not pass is dropped with the step and the reason, so that a
//! run accounts for every draft.
//!
//! # Source
//! BizCompass, appendix C.2, with the filter of appendix D and the conversion and distractors of
//! appendix E. The prompts are ours.

mod chain;
mod request;
mod step;

pub use chain::{Built, ConstructionReport, DroppedText, QuestionForm, build, to_record};
pub use request::{distractor_request, draft_request, score_request, suitability_request};
pub use step::{
    AnswerOptions, Distractor, QuestionDraft, read_distractors, read_drafts, read_scores,
    read_suitability,
};

use serde::{Deserialize, Serialize};

/// Settings for making questions.
///
/// A choice needs at least one distractor; 25 is the most that letters can name beside the right option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConstructionPlan {
    /// Questions asked for from each source text (default: 3).
    #[serde(default = "three")]
    pub drafts: u32,
    /// Distractors for each choice (default: 3).
    #[serde(default = "three")]
    pub distractors: u32,
    /// Seed for the order of options.
    #[serde(default)]
    pub seed: u64,
}

fn three() -> u32 {
    3
}

impl Default for ConstructionPlan {
    fn default() -> Self {
        Self {
            drafts: 3,
            distractors: 3,
            seed: 0,
        }
    }
}

/// A text from which questions are made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceText {
    /// Its name, part of the questions' identifiers.
    pub name: String,
    /// The text itself.
    pub text: String,
}

/// A step of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum Step {
    /// Questions from a text.
    Draft,
    /// Are the quotations in the text?
    Evidence,
    /// Scores for the three dimensions.
    Score,
    /// The quality filter.
    Filter,
    /// Fitness for options.
    Suitability,
    /// Distractors.
    Distractors,
    /// Format rules.
    Lint,
}
