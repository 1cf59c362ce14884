//! The folder of a run of interviews.
//!
//! ```text
//! DIR/manifest.json      the plan, the program's version, the start time
//! DIR/items.jsonl        one InterviewRecord a line, appended and synced when the interview ends
//! DIR/memory/            what each stream had learnt after each of its interviews
//! DIR/calls.jsonl        model requests and replies, keys scrubbed
//! DIR/errors.jsonl       what failed, and why
//! ```

use super::plan::InterviewPlan;
use agent_client::interview::InterviewRecord;
use run_engine::error::RunError;
use run_engine::files::lock::Lock;
use run_engine::files::store::FileStore;
use run_engine::files::torn::{Torn, set_torn_aside, torn_bytes};
use run_engine::run_dir::manifest;
use run_engine::run_dir::write_errors;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{Digest, Stored};
use std::path::{Path, PathBuf};

pub(crate) const ITEMS: &str = "items.jsonl";

/// What stands in `manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterviewManifest {
    /// Form of this file.
    pub schema: u32,
    /// Version of the program that began the run.
    pub boardroom: String,
    /// When it began (seconds since 1970-01-01 UTC).
    pub started_unix: u64,
    /// Digest of the plan.
    pub plan_digest: Digest,
    /// What is held.
    pub interviews: InterviewPlan,
}

impl Stored for InterviewManifest {
    const WHAT: &'static str = "manifest of a run of interviews";
    const SCHEMA: u32 = 1;
}

/// The folder of a run of interviews, locked for this process.
#[derive(Debug)]
pub struct InterviewFolder {
    path: PathBuf,
    /// Held for the lock on it.
    _lock: Lock,
    items: FileStore,
    /// The manifest.
    pub manifest: InterviewManifest,
    /// A torn last line that was set aside on opening; that interview is held again.
    pub set_aside: Option<Torn>,
    /// Length of a torn last line that was met on reading and left where it is (bytes).
    pub torn: u64,
}

/// Whether `path` holds a run of interviews.
#[must_use]
pub fn is_interview_run(path: &Path) -> bool {
    manifest::has(path, "interviews")
}

/// The manifest in `path`; its plan gets the same checks as a new plan.
fn read(path: &Path) -> Result<InterviewManifest, RunError> {
    let manifest: InterviewManifest = manifest::read(path, manifest::value(path)?)?;
    let place = path.display().to_string();
    manifest
        .interviews
        .check()
        .map_err(|e| e.at(&format!("{place}: ")))?;
    Ok(manifest)
}

impl InterviewFolder {
    /// Begins a run in `path`, which must not hold one yet.
    ///
    /// # Errors
    /// When the folder cannot be made or written, or holds a run.
    pub fn create(path: &Path, plan: InterviewPlan) -> Result<Self, RunError> {
        let (manifest, lock) = manifest::begin(path, plan, |beginning, plan| InterviewManifest {
            schema: InterviewManifest::SCHEMA,
            boardroom: beginning.boardroom,
            started_unix: beginning.started_unix,
            plan_digest: beginning.plan_digest,
            interviews: plan,
        })?;
        Self::with(path, lock, manifest)
    }

    /// Opens the run in `path` to go on with it.
    ///
    /// # Errors
    /// When there is none, it was written by a newer program, or another process works on it.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        manifest::check_digest(path, &manifest::value(path)?)?;
        let manifest = read(path)?;
        Self::with(path, manifest::lock(path)?, manifest)
    }

    /// Opens the run in `path` to read it, and changes nothing in it; any number of readers may.
    ///
    /// # Errors
    /// When there is none, it was written by a newer program, or a process is writing it.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let manifest = read(path)?;
        let lock = manifest::lock_shared(path)?;
        let items = path.join(ITEMS);
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
            torn: torn_bytes(&items)?,
            items: FileStore::to_read(&items),
            manifest,
            set_aside: None,
        })
    }

    fn with(path: &Path, lock: Lock, manifest: InterviewManifest) -> Result<Self, RunError> {
        let items = path.join(ITEMS);
        let set_aside = set_torn_aside(&items)?;
        let items = FileStore::open(&items)?;
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
            items,
            manifest,
            set_aside,
            torn: 0,
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every record, in the order of the file.
    ///
    /// # Errors
    /// When the file cannot be read or a whole line is no record.
    pub fn records(&self) -> Result<Vec<InterviewRecord>, RunError> {
        self.items
            .every(|value| InterviewRecord::read(value).map_err(|e| e.to_string()))
    }

    /// Keeps a record.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, record: &InterviewRecord) -> Result<(), RunError> {
        self.items.keep(record)
    }

    /// Writes the list of failures, which begins anew with each attempt.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_errors(&self, lines: &[Value]) -> Result<(), RunError> {
        write_errors(&self.path, lines)
    }
}
