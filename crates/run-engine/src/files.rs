//! Reads files that a command names, opens the files of run folders, locks folders, appends lines of JSON, and
//! removes truncated lines.

pub mod jsonl;
pub mod lock;
pub mod names;
pub mod regular;
pub mod run_file;
pub mod store;
pub mod torn;

pub use jsonl::Jsonl;

use crate::error::RunError;
use std::path::{Path, PathBuf};

/// `path` itself, or, if it is a folder, the files in it with this extension, in the order of their
/// names.
///
/// # Errors
/// When the folder cannot be read.
pub fn with_extension(path: &Path, extension: &str) -> Result<Vec<PathBuf>, RunError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(RunError::file(path))? {
        let file = entry.map_err(RunError::file(path))?.path();
        if file.extension().is_some_and(|end| end == extension) {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}
