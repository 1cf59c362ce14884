//! The reference that scores are measured against.

use super::config::Goal;
use super::instance::Instance;
use sim_core::{Effort, Reference, Status};

/// The reference of an instance: none with both goals, because neither end of the scale is better; 1 with
/// a single goal.
#[must_use]
pub fn reference(instance: &Instance, _effort: Effort) -> Reference {
    match instance.config.goal {
        Goal::Both => Reference::none(),
        Goal::Efficiency | Goal::Equality => Reference {
            optimum: Some(1.0),
            bound: Some(1.0),
            baseline: None,
            status: Status::Proven,
            method: "sorting sizes to productivities; equal pay by construction".to_owned(),
        },
    }
}
