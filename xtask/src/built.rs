//! The program `boardroom`, as it was when a chore began.

use crate::command;
use anyhow::{Context, Result};
use cargo_metadata::MetadataCommand;
use std::path::{Path, PathBuf};

/// Builds it as cargo does by default and copies it into `folder`, so that a build elsewhere
/// changes nothing for a chore that runs it many times; returns the copy.
///
/// # Errors
/// If it does not build or cannot be copied.
pub fn boardroom(root: &Path, folder: &Path) -> Result<PathBuf> {
    let mut build = command::cargo(root, ["build", "--quiet", "--package", "boardroom"]);
    command::run(&mut build)?;
    let metadata = MetadataCommand::new()
        .current_dir(root)
        .no_deps()
        .exec()
        .context("`cargo metadata` failed")?;
    let name = format!("boardroom{}", std::env::consts::EXE_SUFFIX);
    let built = metadata.target_directory.join("debug").join(&name);
    let copy = folder.join(&name);
    std::fs::copy(&built, &copy)
        .with_context(|| format!("cannot copy {built} to {}", copy.display()))?;
    Ok(copy)
}
