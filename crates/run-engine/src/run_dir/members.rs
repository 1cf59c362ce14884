//! The run folders in the folder of a sweep.

use super::names::MANIFEST;
use crate::error::RunError;
use std::path::{Path, PathBuf};

pub use super::names::SWEEP;

/// The run folders in the folder of a sweep, by name.
///
/// # Errors
/// When the folder cannot be read.
pub fn members(path: &Path) -> Result<Vec<PathBuf>, RunError> {
    let mut inside = Vec::new();
    for entry in std::fs::read_dir(path).map_err(RunError::file(path))? {
        let entry = entry.map_err(RunError::file(path))?.path();
        if is_run(&entry) {
            inside.push(entry);
        }
    }
    inside.sort();
    Ok(inside)
}

/// Whether a run was begun in `path`.
pub fn is_run(path: &Path) -> bool {
    path.join(MANIFEST).exists()
}
