//! What the plans of all kinds of runs have in common.

use crate::error::RunError;
use crate::shard::Shard;
use crate::terminal::shell_path;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sim_core::Stored;
use std::path::Path;

/// Number of units of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Units {
    /// Those that the finished folder holds.
    pub folder: u64,
    /// Those of all shards together.
    pub run: u64,
}

/// The plan of a run, of whatever kind: episodes of an environment, questions, interviews.
pub trait RunPlan: Clone + PartialEq + std::fmt::Debug + Serialize + DeserializeOwned {
    /// Key of the plan in the manifest; it tells the kinds of runs apart.
    const KEY: &'static str;
    /// Name of a unit of the run (`episode`).
    const UNIT: &'static str;
    /// Name of the record file.
    const RECORDS: &'static str;
    /// The record of a unit.
    type Record: Stored;

    /// Checks everything that can be checked without an environment and without other files.
    ///
    /// # Errors
    /// Names what is out of range or does not fit together.
    fn check_stored(&self) -> Result<(), RunError>;

    /// The part of the run that the folder holds.
    fn shard(&self) -> Shard;

    /// The plan of all shards together.
    #[must_use]
    fn whole(&self) -> Self;

    /// Writes the files that the plan needs beside the manifest to the new folder `dir`.
    ///
    /// # Errors
    /// When one cannot be written.
    fn write_files(&self, dir: &Path) -> Result<(), RunError> {
        let _ = dir;
        Ok(())
    }

    /// Takes up the files that lie beside the manifest in `dir`.
    fn attach(&mut self, dir: &Path) {
        let _ = dir;
    }

    /// Number of units that the finished folder holds.
    ///
    /// # Errors
    /// When a file that decides the number, such as the questions, cannot be read.
    fn planned(&self) -> Result<u64, RunError>;

    /// The number of units as the manifest states it, so that a reader of the folder opens no other file; `None` where
    /// the plan alone decides it.
    ///
    /// # Errors
    /// As [`planned`](Self::planned).
    fn units(&self) -> Result<Option<Units>, RunError> {
        Ok(None)
    }

    /// The number of units in words, as the command states it (`12 episodes`).
    fn size_in_words(&self) -> String;

    /// The same run with the number of units of `other`.
    #[must_use]
    fn sized_as(&self, other: &Self) -> Self;

    /// Whether `other` has more units than this run; the two must be equal otherwise.
    fn is_shorter_than(&self, other: &Self) -> bool;

    /// Why an extension to `longer` would change the units that the run has; `None` if it would not.
    fn why_fixed(&self, longer: &Self) -> Option<String>;

    /// The command that does the missing units of the run in `dir`, as the end of a sentence.
    fn how_to_finish(&self, dir: &Path) -> String {
        format!("`boardroom resume {}` continues the run", shell_path(dir))
    }
}
