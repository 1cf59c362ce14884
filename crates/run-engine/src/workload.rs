//! What a run consists of besides episodes: questions, interviews.

use crate::engine::verify::Verified;
use crate::error::RunError;
use serde_json::Value;
use std::path::Path;

/// A kind of run that is not made of episodes.
pub trait Workload: Send + Sync {
    /// Its name on the command line (`qa`).
    fn name(&self) -> &'static str;

    /// What it is and which commands take it, as a sentence for somebody who took it for an
    /// environment.
    fn about(&self) -> &'static str;

    /// Whether `manifest` is that of a run of this kind.
    fn is_kept_in(&self, manifest: &Value) -> bool;

    /// Runs every check of the run in the folder at `path`, which is locked.
    ///
    /// # Errors
    /// When a file cannot be read.
    fn verify(&self, path: &Path) -> Result<Verified, RunError>;
}
