//! What the agent sees before an action and learns from it.
//!
//! ```
//! use econ_envs::scheduling::{Feedback, Observation};
//!
//! // For a test of a policy: the second period, after an assignment with one shown pair.
//! let seen = Observation {
//!     workers: 3,
//!     attempt: 1,
//!     final_attempt: false,
//!     previous: Some(Feedback {
//!         attempt: 0,
//!         task_of: Some(vec![0, 1, 2]),
//!         stable: false,
//!         problems: vec![(0, 2)],
//!     }),
//! };
//! assert_eq!(seen.previous.map(|past| past.problems.len()), Some(1));
//! ```

use super::blocking::Pair;
use serde::{Deserialize, Serialize};

/// What the agent sees at the start of a period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Number of workers and of tasks.
    pub workers: u16,
    /// Number of this period (attempt), from 0.
    pub attempt: u32,
    /// Whether it is the last one (the opening text of that period says so too).
    pub final_attempt: bool,
    /// Feedback of the period before; absent in the first period.
    pub previous: Option<Feedback>,
}

/// The result of one period.
///
/// Pairs are a worker and a task, in numbers from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// Number of the period (attempt), from 0.
    pub attempt: u32,
    /// The task of each worker; absent when the period was forfeited.
    pub task_of: Option<Vec<u16>>,
    /// Whether the assignment was stable, which ends the run.
    pub stable: bool,
    /// Up to the configured number of blocking pairs.
    pub problems: Vec<Pair>,
}
