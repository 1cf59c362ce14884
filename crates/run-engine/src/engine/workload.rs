//! Kinds of runs: episodes of an environment, questions, interviews.

use crate::engine::finished::{Finished, RunSummary};
use crate::environments::Environments;
use crate::error::RunError;
use crate::files::torn::TruncatedLine;
use crate::plan::model::RunBudget;
use crate::run_dir::outcome::Verified;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Settings with which a run is continued.
#[derive(Debug)]
pub struct Resume<'a> {
    /// Concurrency and cost limits.
    pub means: &'a RunBudget,
    /// Whether a progress line is drawn on a terminal.
    pub progress: bool,
    /// Stop flag of the caller: once it is set, no new unit is begun.
    pub stop: &'a AtomicBool,
}

/// A record as readable text.
#[derive(Debug)]
pub struct Read {
    /// The text.
    pub text: String,
    /// Length of the truncated last line of the record file \[bytes\]; 0 if the line is complete.
    pub torn: u64,
}

/// A kind of run. The commands `resume`, `verify` and `replay` call it for the folder of a run.
pub trait Workload: Send + Sync {
    /// Its name on the command line (`qa`).
    fn name(&self) -> &'static str;

    /// The error message for a name that is used as an environment but is the name of this kind of
    /// run: what it is, and which commands take it.
    fn about(&self) -> &'static str;

    /// The key of its plan in a manifest ([`RunPlan::KEY`](crate::run_plan::RunPlan::KEY)).
    fn key(&self) -> &'static str;

    /// Continues the run in the folder at `path`. Truncated lines are moved out of its files, and
    /// `aside` is called for each of them. A run that is refused, or of which nothing is left to do, is
    /// not changed.
    ///
    /// # Errors
    /// When the folder cannot be read or written, or another process has locked it. Failed units are
    /// not an error: they are listed in the returned value.
    fn resume(
        &self,
        registry: &Environments,
        path: &Path,
        how: &Resume<'_>,
        aside: &mut dyn FnMut(&TruncatedLine) -> Result<(), RunError>,
    ) -> Result<Finished<Box<dyn RunSummary>>, RunError>;

    /// Runs every check on the run in the folder at `path`. The caller holds the lock of the folder.
    ///
    /// # Errors
    /// When a file cannot be read.
    fn verify(&self, registry: &Environments, path: &Path) -> Result<Verified, RunError>;

    /// Record `number` of the run in the folder at `path`, or the first one, as readable text.
    ///
    /// # Errors
    /// When there is no such record, or it does not replay.
    fn replay(
        &self,
        registry: &Environments,
        path: &Path,
        number: Option<u64>,
    ) -> Result<Read, RunError>;
}
