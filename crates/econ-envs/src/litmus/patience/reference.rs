//! The reference that scores are measured against.

use super::instance::Instance;
use sim_core::{Effort, Reference};

/// There is no reference: neither end of the scale is better.
#[must_use]
pub fn reference(_instance: &Instance, _effort: Effort) -> Reference {
    Reference::none()
}
