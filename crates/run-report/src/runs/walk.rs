//! Run folders below folders that were named: sweeps, parents of runs, everything that a shell's `runs/*`
//! names.

use run_engine::error::RunError;
use run_engine::run_dir::members::{SWEEP, is_run, members};
use run_engine::terminal::shown_path;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a search by `boardroom evolve` writes.
const SEARCH: &str = "evolved.json";

/// Runs below the folders that were named.
#[derive(Debug, Default)]
pub struct FoundRuns {
    /// Folders of runs, each once, in the order of the folders that were named, and below them by name.
    pub runs: Vec<PathBuf>,
    /// Folders of sweeps, whose members are among the runs.
    pub sweeps: Vec<PathBuf>,
    /// What holds no run, and why it was passed over.
    pub skipped: Vec<(PathBuf, &'static str)>,
}

/// Walks down `paths` and takes the run folders. Links below a folder are not followed.
///
/// # Errors
/// When one of `paths` does not exist, or a folder cannot be read.
pub fn find_runs(paths: &[PathBuf]) -> Result<FoundRuns, RunError> {
    let mut found = FoundRuns::default();
    let mut seen = BTreeSet::new();
    for path in paths {
        if !path.exists() {
            let text = format!("there is no folder {}", shown_path(path));
            return Err(RunError::usage(text));
        }
        let here = walk(path)?;
        for run in here.runs {
            // A folder and its parent may both be named.
            if seen.insert(std::fs::canonicalize(&run).map_err(RunError::file(&run))?) {
                found.runs.push(run);
            }
        }
        found.sweeps.extend(here.sweeps);
        found.skipped.extend(here.skipped);
    }
    Ok(found)
}

fn walk(path: &Path) -> Result<FoundRuns, RunError> {
    let mut found = FoundRuns::default();
    if is_run(path) {
        found.runs.push(path.to_owned());
        return Ok(found);
    }
    // Members lie in the folder of their sweep itself, so what is below them is not searched.
    if path.join(SWEEP).exists() {
        found.runs = members(path)?;
        found.sweeps.push(path.to_owned());
        return Ok(found);
    }
    if !path.is_dir() {
        found.skipped.push((path.to_owned(), "it is not a folder"));
        return Ok(found);
    }
    let mut inside = Vec::new();
    for entry in std::fs::read_dir(path).map_err(RunError::file(path))? {
        let entry = entry.map_err(RunError::file(path))?;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            inside.push(entry.path());
        }
    }
    inside.sort();
    for folder in inside {
        let below = walk(&folder)?;
        found.runs.extend(below.runs);
        found.sweeps.extend(below.sweeps);
        found.skipped.extend(below.skipped);
    }
    if found.runs.is_empty() && found.sweeps.is_empty() {
        // One remark for the folder instead of one for each folder in it.
        let reason = if path.join(SEARCH).exists() {
            "it holds a search by `boardroom evolve`, not a run"
        } else {
            "it holds no run"
        };
        found.skipped = vec![(path.to_owned(), reason)];
    }
    Ok(found)
}
