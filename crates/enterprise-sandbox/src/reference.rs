//! The reference of a task: its gold plan succeeds.
//!
//! There is nothing to search: the optimum of a task is success, and a plan that succeeds is known.

use crate::instance::Instance;
use sim_core::{Effort, Reference, Status};

/// The reference of a task: optimum and bound 1, baseline 0, proven without a search at any
/// `effort`.
///
/// The proof was made when the task was drawn: its gold plan was run on the office as the persona,
/// with access control on, and reached the expected outcome. Where the rules are not enforced, the plan
/// leaves out the writing calls that they would stop ([`Instance::right`]), so the outcome is the same.
#[must_use]
pub fn reference(instance: &Instance, effort: Effort) -> Reference {
    let _ = (instance, effort);
    Reference {
        optimum: Some(1.0),
        bound: Some(1.0),
        baseline: Some(0.0),
        status: Status::Proven,
        method: "the plan of the task, run on the office when it was drawn".to_owned(),
    }
}
