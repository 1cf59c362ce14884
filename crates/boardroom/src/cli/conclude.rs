//! The output of every command at the end of a run.

use super::{Console, line};
use run_engine::engine::finished::{Finished, RunSummary};
use run_engine::error::RunError;

/// Prints the result of a run.
///
/// # Errors
/// When the output cannot be written, or units of the run failed or are missing.
pub(super) fn conclude(
    finished: &Finished<Box<dyn RunSummary>>,
    json: bool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    if json {
        console.print(&(finished.summary.json()? + "\n"))?;
        for step in &finished.steps {
            console.print(&line(step)?)?;
        }
    } else {
        console.print(&finished.summary.to_string())?;
    }
    for note in &finished.notes {
        console.remark(&format!("note: {note}\n"))?;
    }
    finished.check()
}
