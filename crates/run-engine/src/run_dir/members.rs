//! The run folders in the folder of a sweep.

use super::manifest::MANIFEST;
use crate::error::RunError;
use std::path::{Path, PathBuf};

/// Name of the plan file in the folder of a sweep; a folder with this file is one.
pub const SWEEP: &str = "sweep.toml";

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
