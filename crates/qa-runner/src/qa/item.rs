//! Names of items, and whether a task needs the Python sandbox.

use qa_scoring::{Metric, Task};

/// The name of an item over all tasks: `finance/FinCode:3`.
#[must_use]
pub fn uid(task: Task, id: &str) -> String {
    format!("{task}:{id}")
}

/// Whether answers to a task may hold code that is run.
#[must_use]
pub fn runs_programs(task: Task) -> bool {
    matches!(
        task.metric(),
        Metric::Program | Metric::Completion | Metric::Quantity
    )
}
