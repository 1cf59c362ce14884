//! The stamp that a successful `verify` writes into a folder, and how tables use it.
//!
//! With a stamp, tables do not have to replay everything. A stamp is only a convenience: anyone who can
//! forge records can also forge a stamp. To be sure, run `verify` again.

use super::manifest;
use crate::error::RunError;
use crate::files::lock::Lock;
use crate::files::{regular, run_file};
use crate::plan::list::INSTANCES;
use crate::run_dir::PRICES;
use crate::run_dir::outcome::{Proven, Unproven, Verified};
use crate::run_dir::parts::is_part;
use crate::terminal::shown_path;
use serde::{Deserialize, Serialize, Serializer};
use sim_core::{Digest, Stored, strict};
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// File name of the stamp.
pub(crate) const STAMP: &str = "verified.json";

/// The files that the digest of a stamp covers, in this order; after them come the files in `memory/`,
/// sorted by name. The order is part of the digest: in another one, every stamp so far would say `altered`.
const FILES: [&str; 6] = [
    manifest::MANIFEST,
    "episodes.jsonl",
    INSTANCES,
    "calls.jsonl",
    "references.jsonl",
    PRICES,
];

/// Size of the blocks in which files are digested \[bytes\].
const BLOCK: u64 = 1 << 20;

/// The content of `verified.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stamp {
    /// Format of this file.
    schema: u32,
    /// Version of the program that verified.
    boardroom: String,
    /// Digest of the files that were verified.
    digest: Digest,
    /// Records in the folder.
    records: u64,
    /// Number of records that the plan asks for, if it states one.
    planned: Option<u64>,
    /// What was proven.
    proven: Vec<Proven>,
    /// What was not proven, and why.
    unproven: Vec<Unproven>,
}

impl Stored for Stamp {
    const WHAT: &'static str = "stamp of verify";
    const SCHEMA: u32 = 1;
}

/// What is known about a run without verifying it now.
// From the best to the weakest, because `of_all` takes the greatest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum VerifyStatus {
    /// The stamp of `verify` matches the folder.
    Verified {
        /// The part of the plan that had records at that time, as `3 of 12 records`; absent if all had.
        part: Option<String>,
    },
    /// There is no stamp.
    NotVerified,
    /// The stamp does not match the folder, or the plan does not match its digest.
    Altered,
}

impl VerifyStatus {
    /// What is known about the run in the folder at `path`.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(crate) fn of(path: &Path) -> Result<Self, RunError> {
        // Before the stamp: a plan without its digest was changed, whatever a stamp says.
        let sound = manifest::value(path).and_then(|value| manifest::check_digest(path, &value));
        match sound {
            Ok(()) => {}
            // A disk that fails says nothing about whoever sent the folder.
            Err(error @ RunError::File { .. }) => return Err(error),
            Err(_) => return Ok(Self::Altered),
        }
        match read(path)? {
            None => Ok(Self::NotVerified),
            Some(Ok(stamp)) if stamp.digest == digest(path)? => Ok(Self::Verified {
                part: stamp
                    .planned
                    .filter(|planned| *planned != stamp.records)
                    .map(|planned| crate::run_dir::outcome::extent(stamp.records, Some(planned))),
            }),
            Some(_) => Ok(Self::Altered),
        }
    }

    /// The files on which the status of the run in the folder at `path` depends, whether they exist or not:
    /// the stamp, and the files that its digest covers. As long as none of them changes, the status is the
    /// same.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub fn files(path: &Path) -> Result<Vec<PathBuf>, RunError> {
        let covered = covered(path)?.into_iter();
        let files = std::iter::once(PathBuf::from(STAMP)).chain(covered);
        Ok(files.map(|name| path.join(name)).collect())
    }

    /// What is known about several folders together: the weakest result of any of them.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn of_all<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<Self, RunError> {
        let all = paths.map(Self::of).collect::<Result<Vec<_>, _>>()?;
        Ok(all.into_iter().max().unwrap_or(Self::NotVerified))
    }
}

impl fmt::Display for VerifyStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verified { part: None } => f.write_str("verified"),
            Self::Verified { part: Some(part) } => write!(f, "verified ({part})"),
            Self::NotVerified => f.write_str("not verified"),
            Self::Altered => f.write_str("altered"),
        }
    }
}

impl Serialize for VerifyStatus {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// Whether the stamp in `path` matches the folder; `None` if there is no stamp.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn fits(path: &Path) -> Result<Option<bool>, RunError> {
    Ok(match read(path)? {
        None => None,
        Some(stamp) => {
            let digest = digest(path)?;
            Some(stamp.is_ok_and(|stamp| stamp.digest == digest))
        }
    })
}

/// Stamps the folder at `path` with the result `found`.
///
/// # Errors
/// When a file cannot be read or written.
pub(crate) fn write(path: &Path, found: &Verified) -> Result<(), RunError> {
    let stamp = Stamp {
        schema: Stamp::SCHEMA,
        boardroom: env!("CARGO_PKG_VERSION").to_owned(),
        digest: digest(path)?,
        records: found.records,
        planned: found.planned,
        proven: found.proven.clone(),
        unproven: found.unproven.clone(),
    };
    store(path, &stamp)
}

fn store(path: &Path, stamp: &Stamp) -> Result<(), RunError> {
    let text = serde_json::to_string_pretty(stamp);
    let text = text.map_err(RunError::failed)?;
    run_file::replace(&path.join(STAMP), &(text + "\n"), true)
}

/// Makes a `change` in the folder at `path` that what was verified does not depend on, such as another price for calls
/// that were booked without one. A stamp that fits the folder fits it afterwards.
///
/// # Errors
/// The error of `change`, and when another process works on a folder with a stamp or the stamp cannot be read or
/// written.
pub(crate) fn keeping(
    path: &Path,
    change: impl FnOnce() -> Result<(), RunError>,
) -> Result<(), RunError> {
    // Without a stamp, the caller may hold the lock itself.
    if fits(path)? != Some(true) {
        return change();
    }
    let _lock = Lock::to_write(path)?;
    // Read under the lock: another process may have changed the folder before.
    let Some(Ok(stamp)) = read(path)? else {
        return change();
    };
    if stamp.digest != digest(path)? {
        return change();
    }
    // The stamp goes first: a process that dies half way leaves a folder without a stamp and not with a wrong one.
    remove(path)?;
    change()?;
    store(
        path,
        &Stamp {
            digest: digest(path)?,
            ..stamp
        },
    )
}

/// Removes the stamp of the folder at `path`, if there is one.
///
/// # Errors
/// When it cannot be removed.
pub(crate) fn remove(path: &Path) -> Result<(), RunError> {
    let name = path.join(STAMP);
    run_file::remove(&name).map_err(RunError::file(&name))
}

/// The stamp of the folder at `path`, or why it cannot be read; `None` if there is no stamp.
fn read(path: &Path) -> Result<Option<Result<Stamp, String>>, RunError> {
    let name = path.join(STAMP);
    let text = regular::if_there(run_file::bytes(&name, regular::MOST_SMALL));
    let Some(text) = text.map_err(RunError::file(&name))? else {
        return Ok(None);
    };
    let value = strict::json(&text).map_err(|e| e.to_string());
    let stamp = value.and_then(|value| Stamp::read(value).map_err(|e| e.to_string()));
    Ok(Some(stamp))
}

/// The files of the folder at `path` that the digest of a stamp covers, in its order.
fn covered(path: &Path) -> Result<Vec<PathBuf>, RunError> {
    let mut names: Vec<PathBuf> = FILES.iter().map(PathBuf::from).collect();
    let manifest = manifest::value(path).unwrap_or_default();
    if is_part(&manifest, Path::new("memory")) {
        let streams = run_file::names(&path.join("memory"))?.into_iter();
        names.extend(streams.map(|name| Path::new("memory").join(name)));
    }
    // What the run does not have may be of any length.
    names.retain(|name| is_part(&manifest, name));
    Ok(names)
}

/// Digest of the files of the folder at `path` that hold results.
fn digest(path: &Path) -> Result<Digest, RunError> {
    let mut whole = Digest::of_bytes(b"boardroom folder");
    for name in covered(path)? {
        let file = path.join(&name);
        if let Some(found) = digest_of(&file).map_err(RunError::file(&file))? {
            // With the name, so that two files cannot change places.
            whole = whole.chain(format!("{} {found}\n", shown_path(&name)).as_bytes());
        }
    }
    Ok(whole)
}

/// Digest of a file, block by block; `None` if the file does not exist.
fn digest_of(path: &Path) -> std::io::Result<Option<Digest>> {
    // Without a limit, as only one block of the file is in memory at a time.
    let Some(mut file) = regular::if_there(run_file::open(path, u64::MAX))? else {
        return Ok(None);
    };
    let (mut chain, mut block) = (Digest::of_bytes(b""), Vec::new());
    loop {
        block.clear();
        if file.by_ref().take(BLOCK).read_to_end(&mut block)? == 0 {
            return Ok(Some(chain));
        }
        chain = chain.chain(&block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_that_cannot_be_read_is_not_altered() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = dir.path().join(manifest::MANIFEST);
        std::fs::write(&manifest, "{}").unwrap();
        let status = VerifyStatus::of(dir.path()).unwrap();
        assert_eq!(status, VerifyStatus::Altered);
        std::fs::remove_file(&manifest).unwrap();
        std::fs::create_dir(&manifest).unwrap();
        let error = VerifyStatus::of(dir.path()).unwrap_err();
        assert!(matches!(error, RunError::File { .. }), "{error:?}");
    }
}
