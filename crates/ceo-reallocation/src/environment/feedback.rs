//! What a seat learns right after its decision.

use crate::plan::Violation;
use crate::scenario::Officer;
use serde::Serialize;

/// What the seat in turn learns right after its decision.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "feedback", rename_all = "snake_case")]
pub enum Feedback {
    /// The plan was evaluated and the round is over.
    Decided {
        /// Round of the company.
        round: u32,
        /// Whether the board accepts the plan, that is, whether it breaks no hard rule.
        accepted: bool,
        /// The rules it breaks.
        violations: Vec<Violation>,
        /// Total moved \[pp\].
        moved_pp: f64,
        /// Score of the round. It is part of the typed feedback, for programs that learn; the text
        /// for an agent does not show it.
        score: f64,
        /// Whether the company came to its end.
        distress: bool,
    },
    /// The reply could not be read and may be repeated.
    Again {
        /// Why.
        violations: Vec<Violation>,
        /// How often it may still be repeated.
        retries_left: u32,
    },
    /// An advisor was heard.
    Heard {
        /// Who.
        officer: Officer,
        /// In which stage.
        stage: u32,
    },
    /// Nobody decided.
    Passed {
        /// The advisor that said nothing; none where the chief executive let the round pass.
        officer: Option<Officer>,
        /// Round of the company.
        round: u32,
    },
}
