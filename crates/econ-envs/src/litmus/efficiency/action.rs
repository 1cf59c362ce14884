//! What the agent decides: an assignment of the tasks of a period.

use crate::scheduling::preferences::is_permutation;
use serde::{Deserialize, Serialize};
use sim_core::ActionError;

/// An assignment of the tasks of a period to workers.
///
/// ```
/// use econ_envs::litmus::efficiency::Action;
///
/// // The first task goes to worker 2, the second to worker 0, the third to worker 1.
/// assert!(Action { worker_of: vec![2, 0, 1] }.check(3).is_ok());
/// assert!(Action { worker_of: vec![2, 2, 1] }.check(3).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// `worker_of[i]` is the 0-based worker of the i-th task of the period.
    pub worker_of: Vec<u16>,
}

impl Action {
    /// Checks that every one of `workers` workers has exactly one task.
    ///
    /// # Errors
    /// `not_a_matching`.
    pub fn check(&self, workers: usize) -> Result<(), ActionError> {
        if is_permutation(&self.worker_of, workers) {
            return Ok(());
        }
        Err(ActionError::new(
            "not_a_matching",
            format!(
                "`worker_of` must hold each of 0 to {} exactly once",
                workers.saturating_sub(1)
            ),
        ))
    }
}
