//! Kinds of runs: episodes of an environment, questions, interviews.

use crate::engine::finished::{Finished, RunSummary};
use crate::environments::Environments;
use crate::error::RunError;
use crate::files::torn::TruncatedLine;
use crate::plan::model::RunBudget;
use crate::run_dir::outcome::Verified;
use sim_core::Header;
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

/// Which record of a run is meant; the first one that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordChoice {
    /// Number of the episode, question or interview.
    pub number: Option<u64>,
    /// Repetition of an episode by the clients of a server, from 0.
    pub trial: Option<u32>,
}

impl RecordChoice {
    /// Whether the record with this header fits.
    #[must_use]
    pub fn is(&self, header: &Header) -> bool {
        let number = self.number.is_none_or(|number| number == header.episode);
        number && self.trial.is_none_or(|trial| trial == header.trial)
    }

    /// The number, for runs without repetitions.
    ///
    /// # Errors
    /// When a repetition is asked for.
    pub fn without_trial(self) -> Result<Option<u64>, RunError> {
        match self.trial {
            None => Ok(self.number),
            Some(_) => Err(RunError::usage(
                "--trial is for games of `serve` and `classroom`: only they repeat an episode",
            )),
        }
    }
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

    /// The record `wanted` of the run in the folder at `path` as readable text.
    ///
    /// # Errors
    /// When there is no such record, or it does not replay.
    fn replay(
        &self,
        registry: &Environments,
        path: &Path,
        wanted: RecordChoice,
    ) -> Result<Read, RunError>;
}
