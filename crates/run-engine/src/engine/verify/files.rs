//! The files of a run folder as such: those that are refused are findings, and those that do not belong to the
//! run are named and not read.

use crate::error::RunError;
use crate::files::run_file::{self, FOLDERS};
use crate::run_dir::outcome::{Check, Verified};
use crate::run_dir::parts::is_part;
use crate::terminal::shown_name;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Most files that are named one by one; the others are counted.
const MOST: usize = 5;

/// Every name in the folder at `path` and in the folders of a run in it, and whether it belongs to the run.
fn names(path: &Path, manifest: &Value) -> Result<Vec<(PathBuf, bool)>, RunError> {
    let mut found = Vec::new();
    for name in run_file::names(path)? {
        let name = PathBuf::from(name);
        let is_part = is_part(manifest, &name);
        let inside = path.join(&name);
        // A link in the place of a folder is named itself.
        if is_part && FOLDERS.iter().any(|folder| name == Path::new(folder)) && !inside.is_symlink()
        {
            for below in run_file::names(&inside)? {
                let name = name.join(below);
                let is_part = self::is_part(manifest, &name);
                found.push((name, is_part));
            }
        } else {
            found.push((name, is_part));
        }
    }
    Ok(found)
}

/// Adds a finding for every file of the run at `path` that must not be opened, such as a link. With one, nothing
/// else in the folder is read.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn refuse(path: &Path, manifest: &Value, found: &mut Verified) -> Result<(), RunError> {
    for (name, is_part) in names(path, manifest)? {
        let file = path.join(&name);
        if !is_part {
            continue;
        }
        if let Some(why) = run_file::refusal(&file).map_err(RunError::file(&file))? {
            found.find(Check::Files, shown_name(&name.to_string_lossy()), why);
        }
    }
    Ok(())
}

/// Names everything in the folder at `path` that is not a file of the run.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn check(path: &Path, manifest: &Value, found: &mut Verified) -> Result<(), RunError> {
    let names = names(path, manifest)?.into_iter();
    let foreign = names.filter(|(_, is_part)| !is_part);
    let mut foreign: Vec<String> = foreign
        .map(|(name, _)| shown_name(&name.to_string_lossy()))
        .collect();
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
