//! Beginning a run and finding it again: what the folders of episodes, questions and interviews
//! share.

use crate::error::RunError;
use serde::Serialize;
use serde_json::Value;
use sim_core::{Digest, Stored};
use std::fs::{File, TryLockError};
use std::path::Path;

/// Name of the file that makes a folder a run.
pub(crate) const MANIFEST: &str = "manifest.json";

/// What every manifest says of its beginning.
pub(crate) struct Beginning {
    /// Version of the program.
    pub(crate) boardroom: String,
    /// The time (seconds since 1970-01-01 UTC).
    pub(crate) started_unix: u64,
    /// Digest of the plan.
    pub(crate) plan_digest: Digest,
}

/// Begins a run of `plan` in `path`, which must not hold one yet; the file is the lock on it.
///
/// # Errors
/// When the folder cannot be made or written, or holds a run.
pub(crate) fn begin<P: Serialize, M: Serialize>(
    path: &Path,
    plan: P,
    manifest: impl FnOnce(Beginning, P) -> M,
) -> Result<(M, File), RunError> {
    std::fs::create_dir_all(path).map_err(RunError::file(path))?;
    let file = path.join(MANIFEST);
    if file.exists() {
        return Err(RunError::usage(format!(
            "{0} holds a run already; finish it with `boardroom resume {0}` or name another folder",
            path.display()
        )));
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "the runner notes when a run began"
    )]
    let now = std::time::SystemTime::now();
    let started = now.duration_since(std::time::UNIX_EPOCH);
    let failed = |e: &dyn std::fmt::Display| RunError::usage(format!("the plan: {e}"));
    let beginning = Beginning {
        boardroom: env!("CARGO_PKG_VERSION").to_owned(),
        started_unix: started.map_or(0, |d| d.as_secs()),
        plan_digest: Digest::of(&plan).map_err(|e| failed(&e))?,
    };
    let manifest = manifest(beginning, plan);
    let text = serde_json::to_string_pretty(&manifest).map_err(|e| failed(&e))?;
    write_whole(&file, &(text + "\n"))?;
    let lock = lock(path)?;
    Ok((manifest, lock))
}

/// The JSON of the manifest in `path`.
///
/// # Errors
/// When there is none, or it is not JSON.
pub(crate) fn value(path: &Path) -> Result<Value, RunError> {
    let file = path.join(MANIFEST);
    if path.join(crate::sweep::SWEEP).exists() {
        return Err(RunError::usage(format!(
            "{0} is the folder of a sweep, not of a run; name one of the folders in it, such as {1}",
            path.display(),
            crate::sweep::members(path)?.first().map_or_else(
                || "none yet".to_owned(),
                |first| first.display().to_string()
            )
        )));
    }
    if !file.exists() && !path.exists() {
        return Err(RunError::usage(format!(
            "there is no folder {}",
            path.display()
        )));
    }
    if !file.exists() {
        return Err(RunError::usage(format!(
            "{} is no run folder: it has no {MANIFEST}",
            path.display()
        )));
    }
    let text = std::fs::read_to_string(&file).map_err(RunError::file(&file))?;
    serde_json::from_str(&text)
        .map_err(|e| RunError::usage(format!("{} is not JSON: {e}", file.display())))
}

/// Reads a manifest of one form.
///
/// # Errors
/// When it is of another form, or was written by a newer program.
pub(crate) fn read<M: Stored>(path: &Path, value: Value) -> Result<M, RunError> {
    M::read(value).map_err(|e| RunError::usage(format!("{}: {e}", path.join(MANIFEST).display())))
}

/// Whether the manifest in `path` has the entry `key`, which tells the kinds of runs apart.
pub(crate) fn has(path: &Path, key: &str) -> bool {
    value(path).is_ok_and(|value| value.get(key).is_some())
}

/// Locks the run in `path` for this process.
///
/// # Errors
/// When another process works on it.
pub(crate) fn lock(path: &Path) -> Result<File, RunError> {
    locked(path, File::try_lock)
}

/// Locks the run in `path` against writers.
///
/// # Errors
/// When another process writes it.
pub(crate) fn lock_shared(path: &Path) -> Result<File, RunError> {
    locked(path, File::try_lock_shared)
}

fn locked(path: &Path, lock: impl Fn(&File) -> Result<(), TryLockError>) -> Result<File, RunError> {
    let name = path.join(MANIFEST);
    let file = File::open(&name).map_err(RunError::file(&name))?;
    match lock(&file) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(RunError::usage(format!(
            "another process works on {}; wait for it to end",
            path.display()
        ))),
        Err(TryLockError::Error(e)) => Err(RunError::file(&name)(e)),
    }
}

/// Writes a file beside and renames it, so that it is there whole or not at all.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn write_whole(path: &Path, text: &str) -> Result<(), RunError> {
    let draft = path.with_extension("json.new");
    std::fs::write(&draft, text).map_err(RunError::file(&draft))?;
    std::fs::rename(&draft, path).map_err(RunError::file(path))
}
