//! What every command that runs something says at its end.

use super::{Console, line};
use run_engine::engine::finished::{Finished, Shown};
use run_engine::error::RunError;

/// Prints what came of a run and says whether it is whole.
pub(super) fn conclude(
    finished: Finished<Box<dyn Shown>>,
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
    finished.check()
}
