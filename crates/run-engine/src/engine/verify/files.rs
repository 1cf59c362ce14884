//! The other files of a run folder: files that do not belong to a run are named and not read.

use crate::error::RunError;
use crate::run_dir::is_own_name;
use crate::run_dir::outcome::{Check, Verified};
use std::path::Path;

/// Most files that are named one by one; the others are counted.
const MOST: usize = 5;

/// Names everything in the folder at `path` that is not a file of a run.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn check(path: &Path, found: &mut Verified) -> Result<(), RunError> {
    let mut foreign = Vec::new();
    for entry in std::fs::read_dir(path).map_err(RunError::file(path))? {
        let name = entry.map_err(RunError::file(path))?.file_name();
        if !is_own_name(&name) {
            foreign.push(name.to_string_lossy().into_owned());
        }
    }
    foreign.sort();
    let more = foreign.len().saturating_sub(MOST);
    foreign.truncate(MOST);
    if more > 0 {
        foreign.push(format!("{more} more files"));
    }
    if !foreign.is_empty() {
        let names = foreign.join(", ");
        found.leave(Check::Files, names, "not part of the run, and not read");
    }
    Ok(())
}
