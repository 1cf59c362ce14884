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
use crate::error::RunError;
use crate::model::store::FileStore;
use agent_client::interview::InterviewRecord;
use agent_client::store::Store as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{Digest, Stored};
use std::fs::File;
use std::path::{Path, PathBuf};

const MANIFEST: &str = "manifest.json";
const ITEMS: &str = "items.jsonl";
const ERRORS: &str = "errors.jsonl";

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
    _lock: File,
    items: FileStore,
    /// The manifest.
    pub manifest: InterviewManifest,
}

/// Whether `path` holds a run of interviews.
#[must_use]
pub fn is_interview_run(path: &Path) -> bool {
    std::fs::read_to_string(path.join(MANIFEST))
        .ok()
        .and_then(|text| serde_json::from_str::<Value>(&text).ok())
        .is_some_and(|value| value.get("interviews").is_some())
}

impl InterviewFolder {
    /// Begins a run in `path`, which must not hold one yet.
    ///
    /// # Errors
    /// When the folder cannot be made or written, or holds a run.
    pub fn create(path: &Path, plan: InterviewPlan) -> Result<Self, RunError> {
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
        let manifest = InterviewManifest {
            schema: InterviewManifest::SCHEMA,
            boardroom: env!("CARGO_PKG_VERSION").to_owned(),
            started_unix: started.map_or(0, |d| d.as_secs()),
            plan_digest: Digest::of(&plan).map_err(|e| failed(&e))?,
            interviews: plan,
        };
        let text = serde_json::to_string_pretty(&manifest).map_err(|e| failed(&e))?;
        // Written beside and renamed, so that a manifest is there whole or not at all.
        let draft = path.join("manifest.json.new");
        std::fs::write(&draft, text + "\n").map_err(RunError::file(&draft))?;
        std::fs::rename(&draft, &file).map_err(RunError::file(&file))?;
        Self::with(path, manifest)
    }

    /// Opens the run in `path`.
    ///
    /// # Errors
    /// When there is none, it was written by a newer program, or another process works on it.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        let file = path.join(MANIFEST);
        let text = std::fs::read_to_string(&file).map_err(RunError::file(&file))?;
        let value = serde_json::from_str::<Value>(&text)
            .map_err(|e| RunError::usage(format!("{} is not JSON: {e}", file.display())))?;
        let manifest = InterviewManifest::read(value)
            .map_err(|e| RunError::usage(format!("{}: {e}", file.display())))?;
        Self::with(path, manifest)
    }

    fn with(path: &Path, manifest: InterviewManifest) -> Result<Self, RunError> {
        let file = path.join(MANIFEST);
        let lock = File::open(&file).map_err(RunError::file(&file))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                return Err(RunError::usage(format!(
                    "another process works on {}; wait for it to end",
                    path.display()
                )));
            }
            Err(std::fs::TryLockError::Error(e)) => return Err(RunError::file(&file)(e)),
        }
        let items = path.join(ITEMS);
        // A torn last line is ended here and left out on reading: that interview is held again.
        let items = FileStore::open(&items).map_err(RunError::file(&items))?;
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
            items,
            manifest,
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
        let path = self.path.join(ITEMS);
        let mut lines = Vec::new();
        self.items
            .scan(&mut |_, line| lines.push(serde_json::from_str::<Value>(line).ok()))
            .map_err(RunError::file(&path))?;
        let bad = |e: String| RunError::usage(format!("{}: {e}", path.display()));
        lines
            .into_iter()
            .flatten()
            .map(|value| InterviewRecord::read(value).map_err(|e| bad(e.to_string())))
            .collect()
    }

    /// Keeps a record.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, record: &InterviewRecord) -> Result<(), RunError> {
        let line = serde_json::to_string(record).map_err(|e| RunError::Failed(e.to_string()))?;
        let path = self.path.join(ITEMS);
        self.items.append(&line).map_err(RunError::file(&path))?;
        Ok(())
    }

    /// Writes the list of failures, which begins anew with each attempt.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_errors(&self, lines: &[Value]) -> Result<(), RunError> {
        let path = self.path.join(ERRORS);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        match lines {
            [] if !path.exists() => Ok(()),
            [] => std::fs::remove_file(&path).map_err(RunError::file(&path)),
            _ => std::fs::write(&path, text).map_err(RunError::file(&path)),
        }
    }
}
