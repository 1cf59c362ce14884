//! Decisions of a model, made again from the calls that the folder holds.

use crate::error::RunError;
use crate::folder::Folder;
use crate::registry::Registry;
use sim_core::EpisodeRecord;
use std::collections::BTreeMap;

/// What the stored calls yield for an episode.
#[derive(Debug)]
pub(crate) enum Derived {
    /// The record that the method makes of them; compared as a whole with the stored one.
    Record(Box<EpisodeRecord>),
    /// They yield no record, and why: a reply that the method asks for is not there.
    Nothing(String),
}

/// Plays the episodes of `episodes` (those that have records) again with the model of the plan, whose
/// replies are those in the folder's `calls.jsonl`; nothing is sent. `None` where this is not done.
///
/// # Errors
/// When the calls cannot be read or the method cannot be made.
pub(crate) fn derive_decisions(
    registry: &Registry,
    folder: &Folder,
    episodes: &[u64],
) -> Result<Option<BTreeMap<u64, Derived>>, RunError> {
    let _ = (registry, folder, episodes);
    Ok(None)
}
