//! Plans that need no search, for policies and for the generator.

use crate::plan::{DecisionType, ReallocationPlan};
use crate::scenario::Officer;

mod maximum;
mod random;

pub use maximum::max_reallocation;
pub use random::random_moves;

/// A plan that keeps the current allocation.
///
/// It is valid in every scenario without a rule that forces a move, and scores 42 to 48
/// in the authored ones.
#[must_use]
pub fn nothing() -> ReallocationPlan {
    ReallocationPlan::from_deltas(
        [],
        DecisionType::Conservative,
        "Keep the current allocation.",
    )
}

/// The rationale of a plan that copies an advisor.
#[must_use]
pub fn follow_text(officer: Officer) -> String {
    format!("We follow the {officer} because this advice fits our position.")
}

/// The rationale of a plan that moves the maximum.
pub const MAXIMUM_TEXT: &str = "Maximise the shift to the units with the best growth.";
