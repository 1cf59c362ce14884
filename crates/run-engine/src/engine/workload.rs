//! What a run consists of: episodes of an environment, questions, interviews.

use crate::engine::finished::{Finished, Shown};
use crate::environments::Environments;
use crate::error::RunError;
use crate::files::torn::Torn;
use crate::plan::model::Means;
use crate::run_dir::outcome::Verified;
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// How a run is continued.
#[derive(Debug)]
pub struct Resume<'a> {
    /// How much at a time, and for how much money.
    pub means: &'a Means,
    /// Whether a progress line is drawn on a terminal.
    pub progress: bool,
    /// Set from outside to stop after what is under way.
    pub stop: &'a AtomicBool,
}

/// Something to read, with truncated lines that were met on the way.
#[derive(Debug)]
pub struct Read {
    /// The text.
    pub text: String,
    /// Length of a truncated last line of the record file (bytes); 0 when there is none.
    pub torn: u64,
}

/// A kind of run: whatever can be done with the folder of one, can be done with the folder of any.
pub trait Workload: Send + Sync {
    /// Its name on the command line (`qa`).
    fn name(&self) -> &'static str;

    /// What it is and which commands take it, as a sentence for somebody who took it for an
    /// environment.
    fn about(&self) -> &'static str;

    /// Whether `manifest` is that of a run of this kind.
    fn is_kept_in(&self, manifest: &Value) -> bool;

    /// Continues the run in the folder at `path`. `aside` is called for each truncated line that
    /// was set aside before.
    ///
    /// # Errors
    /// When the folder cannot be read or written, or somebody else works on it. Failed units are
    /// listed in what is returned.
    fn resume(
        &self,
        registry: &Environments,
        path: &Path,
        how: &Resume<'_>,
        aside: &mut dyn FnMut(&Torn) -> Result<(), RunError>,
    ) -> Result<Finished<Box<dyn Shown>>, RunError>;

    /// Runs every check of the run in the folder at `path`, which is locked.
    ///
    /// # Errors
    /// When a file cannot be read.
    fn verify(&self, registry: &Environments, path: &Path) -> Result<Verified, RunError>;

    /// Record `number` of the run in the folder at `path` (the first one when absent) as text to
    /// read.
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
