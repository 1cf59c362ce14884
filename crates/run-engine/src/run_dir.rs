//! The run folder: the files that hold a run.
//!
//! ```text
//! DIR/manifest.json      the plan, the program's version, the start time
//! DIR/instances.jsonl    the instances, where they come from outside the program
//! DIR/episodes.jsonl     one record a line, appended; `resume` moves a truncated last line to a file of its own
//! DIR/errors.jsonl       units that failed, with the reason
//! DIR/references.jsonl   references that a search found, by instance
//! DIR/verified.json      the stamp of `verify`, see [`stamp`]
//! ```

mod extend;
pub mod fresh;
pub(crate) mod learnt;
mod line;
pub mod manifest;
pub mod members;
mod order;
pub mod outcome;
pub mod parts;
pub mod place;
pub mod progress;
pub mod references;
mod scan;
pub mod search;
pub mod stamp;

pub use line::record_of;
pub use scan::Scanned;

use crate::error::RunError;
use crate::files::Jsonl;
use crate::files::jsonl::every;
use crate::files::lock::Lock;
use crate::files::regular::if_there;
use crate::files::run_file;
use crate::files::torn::{self, TruncatedLine};
use crate::plan::Plan;
use crate::secrets;
use crate::terminal::shown_path;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::{Cause, Causes, Digest, Stored};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The content of `manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Format of this file.
    pub schema: u32,
    /// Version of the program that began the run.
    pub boardroom: String,
    /// Start of the run \[seconds since 1970-01-01 UTC\].
    pub started_unix: u64,
    /// Digest of the plan.
    pub plan_digest: Digest,
    /// The plan.
    pub plan: Plan,
    /// What was to be said of the run when it was begun. It changes no record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What the servers of its models refused, by model (`openai:some-model`), beyond what the plan says. It changes
    /// no record.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub learnt: BTreeMap<String, Learnt>,
}

/// What a run has learnt of the server of a model.
pub use agent_client::wire::ways::Learnt;

impl Manifest {
    /// What the servers of its models refused, in one line each.
    #[must_use]
    pub fn refusals(&self) -> Vec<String> {
        let learnt = self.learnt.iter();
        let lines = learnt.flat_map(|(model, learnt)| learnt.notes(model));
        lines.collect()
    }
}

impl Stored for Manifest {
    const WHAT: &'static str = "manifest";
    const SCHEMA: u32 = 1;
}

/// A run folder, locked for this process.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    lock: Lock,
    /// The lines that were moved out of its files and not reported yet.
    aside: Mutex<Vec<TruncatedLine>>,
    /// The manifest.
    pub manifest: Manifest,
    /// The manifest of the shorter run that this one extends.
    shorter: Option<Box<Manifest>>,
}

/// A unit that failed when a run was last played or continued: a line of `errors.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedUnit {
    /// Number of the episode.
    pub unit: String,
    /// The reason.
    pub error: String,
    /// Number of attempts; absent in files that do not state it.
    pub tries: Option<u64>,
    /// The role whose request failed (`agent`, `judge`, `interviewer`, `reflector`); absent if no request failed.
    pub role: Option<String>,
}

/// The role that a summary counts in `causes`; it counts the others in `causes_of_others`.
const AGENT: &str = "agent";

impl FailedUnit {
    /// The cause of the failure; `None` if no reply of a model was at fault.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        // The reason begins with the class of the failed request.
        agent_client::ErrorClass::in_message(&self.error)?.cause()
    }

    /// Counts the failure for the role whose request failed: in `agent`, or by role in `others`.
    pub fn count(&self, agent: &mut Causes, others: &mut BTreeMap<String, Causes>) {
        let Some(cause) = self.cause() else {
            return;
        };
        match &self.role {
            Some(role) if role != AGENT => others.entry(role.clone()).or_default().count(cause),
            _ => agent.count(cause),
        }
    }

    /// The line of `errors.jsonl` for episode number `episode`.
    #[must_use]
    pub fn line(&self, episode: u64) -> Value {
        let mut line = json!({(Plan::UNIT): episode, "error": self.error, "tries": self.tries});
        if let (Some(role), Some(line)) = (&self.role, line.as_object_mut()) {
            line.insert("role".to_owned(), role.as_str().into());
        }
        line
    }
}

/// The units that failed when the run in the folder `path` was last played or continued, as its list of errors says.
///
/// # Errors
/// When the list cannot be read, or a line of it is not a failure.
pub fn failures_in(path: &Path) -> Result<Vec<FailedUnit>, RunError> {
    every(&path.join(ERRORS), |value| {
        let unit = match value.get(Plan::UNIT) {
            Some(Value::String(name)) => name.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => return Err(format!("it does not name the {}", Plan::UNIT)),
        };
        let error = value.get("error").and_then(Value::as_str);
        Ok(FailedUnit {
            unit,
            error: error.ok_or("it does not state the error")?.to_owned(),
            tries: value.get("tries").and_then(Value::as_u64),
            role: value.get("role").and_then(Value::as_str).map(str::to_owned),
        })
    })
}

const ERRORS: &str = "errors.jsonl";
pub(crate) const REFERENCES: &str = "references.jsonl";

/// File in the folder of a run or a sweep with its last cost cap.
pub(crate) const CAP: &str = "cap.json";

/// File of a run folder with the prices that a cap on costs was made of.
pub(crate) const PRICES: &str = "prices.json";

/// File of a run folder that says how its models were reached.
pub(crate) const ACCESS: &str = "access.json";

/// Makes the folder `path`, with those above it.
///
/// # Errors
/// When a file is there, or the folder cannot be made.
pub fn make(path: &Path) -> Result<(), RunError> {
    if path.is_file() {
        return Err(RunError::usage(format!(
            "{} is a file, but a folder must be made there; name another one",
            shown_path(path)
        )));
    }
    std::fs::create_dir_all(path).map_err(RunError::file(path))
}

/// Whether `name` is one that a run uses in its own folder.
pub fn is_own_name(name: &std::ffi::OsStr) -> bool {
    let more = [manifest::MANIFEST, ERRORS, stamp::STAMP, "lock"];
    let set_aside = [
        "episodes.torn",
        "references.torn",
        "calls.torn",
        "times.torn",
    ];
    let mut own = fresh::OURS.into_iter().chain(more).chain(set_aside);
    own.any(|known| name == known)
}

impl Folder {
    /// Begins a run in `path`, which must not hold one yet.
    ///
    /// # Errors
    /// When the folder cannot be made or written, or holds a run.
    pub fn create(path: &Path, plan: Plan) -> Result<Self, RunError> {
        Self::create_noted(path, plan, Vec::new())
    }

    /// As [`create`](Self::create), with `notes` on the run for its manifest and its summary.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_noted(path: &Path, plan: Plan, notes: Vec<String>) -> Result<Self, RunError> {
        let (mut manifest, lock) = manifest::begin(path, plan, notes)?;
        manifest.plan.attach(path);
        Ok(Self {
            path: path.to_owned(),
            lock,
            aside: Mutex::default(),
            manifest,
            shorter: None,
        })
    }

    /// Opens the run in `path` to continue it. Nothing in the folder is changed yet: a caller may
    /// still find that nothing is left to do, or that it has to refuse.
    ///
    /// # Errors
    /// When there is none, its plan was changed, it was written by a newer program, or another
    /// process works on it.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        Self::open_with(path, Lock::to_write, manifest::check_digest)
    }

    /// Opens the run in `path` to continue the games of `plan`; `None` if there is no run yet.
    ///
    /// # Errors
    /// As [`open`](Self::open), and when the folder holds other games.
    pub fn reopen(path: &Path, plan: &Plan) -> Result<Option<Self>, RunError> {
        if !members::is_run(path) {
            return Ok(None);
        }
        let folder = Self::open(path)?;
        if folder.plan() != plan {
            return Err(RunError::usage(format!(
                "{} holds other games; name another folder",
                shown_path(path)
            )));
        }
        Ok(Some(folder))
    }

    /// Opens the run in `path` to read it; any number of readers may.
    ///
    /// # Errors
    /// When there is none, it was written by a newer program, or a process is writing it.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        // No check of the digest: a changed plan may be looked at, and `verify` names the change.
        // Only going on with it would mix two runs.
        Self::open_with(path, Lock::to_read, |_, _| Ok(()))
    }

    fn open_with(
        path: &Path,
        lock: impl Fn(&Path) -> Result<Lock, RunError>,
        check: impl Fn(&Path, &Value) -> Result<(), RunError>,
    ) -> Result<Self, RunError> {
        manifest::find(path)?;
        // Before the manifest is read: who waits for the lock waits for somebody who may change it.
        let lock = lock(path)?;
        let value = manifest::value(path)?;
        check(path, &value)?;
        Self::of_value(path, lock, value)
    }

    /// The run in `path` with the manifest `value`.
    pub(crate) fn of_value(path: &Path, lock: Lock, value: Value) -> Result<Self, RunError> {
        let mut manifest = manifest::read(path, value)?;
        manifest.plan.attach(path);
        Ok(Self {
            path: path.to_owned(),
            lock,
            aside: Mutex::default(),
            manifest,
            shorter: None,
        })
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.manifest.plan
    }

    /// The command that does the missing units, as the end of a sentence.
    #[must_use]
    pub fn how_to_finish(&self) -> String {
        self.plan().how_to_finish(&self.path)
    }

    fn record_file(&self) -> PathBuf {
        self.path.join(Plan::RECORDS)
    }

    /// Checks that the folder is still where it was when it was opened.
    ///
    /// # Errors
    /// [`RunError::Failed`] when it was removed or replaced.
    pub fn check_still_there(&self) -> Result<(), RunError> {
        self.lock.check()
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of whole lines in the record file, which are not looked into.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn records(&self) -> Result<u64, RunError> {
        let path = self.record_file();
        // A run that was stopped before its first record has no such file.
        let lines = if_there(run_file::lines(&path)).map_err(RunError::file(&path))?;
        Ok(lines.unwrap_or(0))
    }

    /// Moves a truncated last line of the file `name` to a file of its own, so that appending can go on.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn set_torn_aside(&self, name: &str) -> Result<(), RunError> {
        let path = self.path.join(name);
        if torn::torn_bytes(&path)? == 0 {
            return Ok(());
        }
        // The stamp goes first: if moving the line fails half way, no stamp vouches for a changed
        // folder.
        stamp::remove(&self.path)?;
        let mut aside = self.aside.lock().unwrap_or_else(PoisonError::into_inner);
        aside.extend(torn::set_torn_aside(&path)?);
        Ok(())
    }

    /// Calls `tell` for each line that was moved out of a file since the last call.
    ///
    /// # Errors
    /// The first error of `tell`.
    pub fn tell_aside(
        &self,
        tell: &mut dyn FnMut(&TruncatedLine) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let mut aside = self.aside.lock().unwrap_or_else(PoisonError::into_inner);
        aside.drain(..).try_for_each(|torn| tell(&torn))
    }

    /// Length of a truncated last line of the record file \[bytes\]; 0 if the line is complete.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn torn_bytes(&self) -> Result<u64, RunError> {
        torn::torn_bytes(&self.record_file())
    }

    /// Opens the record file for appending. The stamp of an earlier `verify` is removed, and a truncated last line is
    /// moved out of the file.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn appender(&self) -> Result<Jsonl, RunError> {
        stamp::remove(&self.path)?;
        self.set_torn_aside(Plan::RECORDS)?;
        Jsonl::open(self.record_file())
    }

    /// Replaces the list of failures, or removes it if there are none.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_errors(&self, lines: &[Value]) -> Result<(), RunError> {
        let path = self.path.join(ERRORS);
        if lines.is_empty() {
            return run_file::remove(&path).map_err(RunError::file(&path));
        }
        // A server's message may repeat the key that it was sent.
        let clean = |line: &Value| format!("{}\n", secrets::scrub().value(line));
        let text: String = lines.iter().map(clean).collect();
        run_file::replace(&path, &text, false)
    }

    /// Where references that a search found are kept.
    #[must_use]
    pub fn references(&self) -> PathBuf {
        self.path.join(REFERENCES)
    }
}
