//! Cache folders for downloads, outside the build folder.

use anyhow::{Context, Result};
use std::path::PathBuf;

/// The folder of this task in the user's cache; created if it does not exist.
///
/// # Errors
/// If the user has no cache, or the folder cannot be created.
pub fn folder(chore: &str) -> Result<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))
        .with_context(|| {
            format!("neither XDG_CACHE_HOME nor HOME is set, so there is no cache for `{chore}`")
        })?;
    let folder = base.join("boardroom").join(chore);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    Ok(folder)
}
