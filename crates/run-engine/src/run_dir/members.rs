//! The run folders in the folder of a sweep.

use crate::error::RunError;
use crate::files::names::MANIFEST;
use crate::files::run_file;
use std::path::{Path, PathBuf};

pub use crate::files::names::SWEEP;

/// The run folders in the folder of a sweep, by name.
///
/// # Errors
/// When the folder cannot be read.
pub fn members(path: &Path) -> Result<Vec<PathBuf>, RunError> {
    let mut inside = Vec::new();
    for name in run_file::names(path)? {
        let entry = path.join(name);
        // A link may lead to a run that does not belong to the sweep.
        if !entry.is_symlink() && is_run(&entry) {
            inside.push(entry);
        }
    }
    Ok(inside)
}

/// Whether a run was begun in `path`.
pub fn is_run(path: &Path) -> bool {
    run_file::exists(&path.join(MANIFEST))
}
