//! What the agent sees before an action and learns from it.
//!
//! Tasks are numbered from 1 over the whole run, as the agent's tools name them (`T1` and
//! so on); workers and periods from 0.

use serde::{Deserialize, Serialize};

/// A task without a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskSize {
    /// Number of the task in the whole run, from 1.
    pub task: u32,
    /// Its size \[units\].
    pub size: u32,
}

/// A finished task.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Number of the task in the whole run, from 1.
    pub task: u32,
    /// Its size \[units\].
    pub size: u32,
    /// 0-based worker of the task.
    pub worker: u16,
    /// Pay of the worker for the task \[$\].
    pub pay: f64,
    /// Revenue of the firm from the task \[$\].
    pub revenue: f64,
    /// Total pay of the worker up to and including this period \[$\].
    pub pay_so_far: f64,
}

/// What the agent sees at the start of a period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Number of workers.
    pub workers: u16,
    /// Number of this period, from 0.
    pub period: u16,
    /// The tasks of this period, in the order of their ids.
    pub tasks: Vec<TaskSize>,
    /// Feedback of the period before; absent in the first period.
    pub previous: Option<Feedback>,
}

/// The result of one period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// Number of the period, from 0.
    pub period: u16,
    /// The tasks of the period, in the order of their ids.
    pub jobs: Vec<Job>,
    /// Revenue of the period \[$\].
    pub revenue: f64,
    /// Revenue up to and including the period \[$\].
    pub revenue_so_far: f64,
}
