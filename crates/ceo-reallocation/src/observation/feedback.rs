//! The feedback of a seat.

use crate::plan::Violation;
use crate::scenario::Officer;
use serde::Serialize;

/// The feedback that the seat in turn gets right after its decision.
///
/// ```
/// use ceo_reallocation::Feedback;
///
/// /// The points of the round, when it is over.
/// fn points(feedback: &Feedback) -> Option<f64> {
///     match feedback {
///         Feedback::Decided { score, .. } => Some(*score),
///         Feedback::Passed { officer: None, .. } => Some(0.0),
///         // More is to come in this round. The enum may grow, so other cases are here as well.
///         _ => None,
///     }
/// }
/// assert_eq!(points(&Feedback::Passed { officer: None, round: 2 }), Some(0.0));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "feedback", rename_all = "snake_case")]
#[non_exhaustive]
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
        /// Whether the company is in distress, which ends the episode.
        distress: bool,
    },
    /// The reply could not be read and may be repeated.
    Again {
        /// The reasons.
        violations: Vec<Violation>,
        /// Number of repeats left.
        retries_left: u32,
    },
    /// The report or messages of an advisor were recorded.
    Heard {
        /// The advisor.
        officer: Officer,
        /// Stage of the deliberation.
        stage: u32,
    },
    /// The seat in turn did not decide (a forfeit).
    Passed {
        /// The advisor that said nothing; none where the chief executive let the round pass.
        officer: Option<Officer>,
        /// Round of the company.
        round: u32,
    },
}
