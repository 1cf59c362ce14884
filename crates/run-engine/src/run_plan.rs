//! What the plans of all kinds of runs have in common.

use crate::error::RunError;
use crate::shard::Shard;
use crate::terminal::shown_path;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sim_core::Stored;
use std::path::Path;

/// The plan of a run, of whatever kind: episodes of an environment, questions, interviews.
pub trait RunPlan: Clone + std::fmt::Debug + Serialize + DeserializeOwned {
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

    /// The command that does the missing units of the run in `dir`, as the end of a sentence.
    fn how_to_finish(&self, dir: &Path) -> String {
        format!("`boardroom resume {}` continues the run", shown_path(dir))
    }
}
