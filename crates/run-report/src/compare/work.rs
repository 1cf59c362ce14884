//! What is compared, in the words of its kind.

use serde::Serialize;

/// What was done to get a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Episodes of an environment.
    Episodes,
    /// Consulting interviews.
    Interviews,
    /// Answers to questions.
    Answers,
}

impl Work {
    /// One that was done.
    pub(crate) const fn record(self) -> &'static str {
        match self {
            Self::Episodes => "episode",
            Self::Interviews => "interview",
            Self::Answers => "answer",
        }
    }

    /// What both sides met.
    pub(crate) const fn met(self) -> &'static str {
        match self {
            Self::Episodes => "instance",
            Self::Interviews => "case",
            Self::Answers => "question",
        }
    }

    /// What decides what is met.
    pub(super) const fn settings(self) -> &'static str {
        match self {
            Self::Episodes => "settings",
            Self::Interviews => "cases",
            Self::Answers => "questions",
        }
    }

    /// What makes two runs comparable.
    pub(super) const fn advice(self) -> &'static str {
        match self {
            Self::Episodes => "play them with the same preset and seed",
            Self::Interviews => "hold them with the same preset",
            Self::Answers => "put the same questions to both",
        }
    }
}
