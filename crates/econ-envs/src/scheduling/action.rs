//! What the agent decides: an assignment of every worker to a task.

use super::preferences::is_permutation;
use serde::{Deserialize, Serialize};
use sim_core::ActionError;

/// An assignment of every worker to a task.
///
/// ```
/// use econ_envs::scheduling::Action;
///
/// // Worker W1 gets task T3, W2 gets T1, W3 gets T2; in numbers from 0.
/// let assignment = Action::new(vec![2, 0, 1]);
/// assert!(assignment.check(3).is_ok());
/// assert_eq!(Action::new(vec![0, 0, 1]).check(3).expect_err("T1 twice").code, "not_a_matching");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// `task_of[w]` is the 0-based task of worker `w`.
    pub task_of: Vec<u16>,
    /// The workers in the order in which the agent wrote them, for the record that it reads
    /// later; empty for W1, W2, and so on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<u16>,
}

impl Action {
    /// The assignment that gives worker `w` the task `task_of[w]`.
    ///
    /// Not checked here; the environment refuses what is not an assignment.
    #[must_use]
    pub fn new(task_of: Vec<u16>) -> Self {
        Self {
            task_of,
            written: Vec::new(),
        }
    }

    /// Checks that `task_of` holds each of `0..workers` exactly once, and that `written` is empty or
    /// does so too.
    ///
    /// # Errors
    /// `not_a_matching`.
    pub fn check(&self, workers: usize) -> Result<(), ActionError> {
        if !is_permutation(&self.task_of, workers) {
            return Err(ActionError::new(
                "not_a_matching",
                format!(
                    "`task_of` must hold each of 0 to {} exactly once",
                    workers.saturating_sub(1)
                ),
            ));
        }
        if !self.written.is_empty() && !is_permutation(&self.written, workers) {
            return Err(ActionError::new(
                "not_a_matching",
                format!(
                    "`written` must be empty or hold each of 0 to {} exactly once",
                    workers.saturating_sub(1)
                ),
            ));
        }
        Ok(())
    }
}
