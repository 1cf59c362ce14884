//! Verifying a folder of episodes.

use super::models;
use super::outcome::{Check, Verified};
use crate::episode::Table;
use crate::error::RunError;
use crate::folder::Folder;
use crate::registry::Registry;
use crate::source::Source;
use sim_core::EpisodeRecord;
use std::collections::BTreeMap;

/// Plays every record of a run folder again and compares.
///
/// # Errors
/// When the folder cannot be read or was made by another version.
pub(super) fn verify(registry: &Registry, folder: &Folder) -> Result<Verified, RunError> {
    let plan = &folder.manifest.plan;
    let source = Source::of(registry.kind(&plan.environment)?, plan)?;
    let table = Table::new(plan, &source)?;
    let scanned = folder.scan(|record| {
        let played = verify_one(&table, &record);
        Ok((record.header.episode, played, record.digest))
    })?;
    let mut found = Verified {
        torn: scanned.torn,
        records: scanned.results.len() as u64,
        planned: (plan.agent != "mcp").then(|| plan.indices().count() as u64),
        ..Verified::default()
    };
    let mut seen = BTreeMap::new();
    for (episode, played, digest) in scanned.results {
        let place = format!("episode {episode}");
        if seen.insert(episode, digest).is_some() {
            let twice = "there are two records of it: remove one of the two lines";
            found.find(Check::Records, &*place, twice);
        }
        if let Err(what) = played {
            found.find(Check::Replay, place, what);
        }
    }
    if let Some(model) = &plan.model {
        models::verify(registry, folder, model, &mut found)?;
    }
    Ok(found)
}

fn verify_one(table: &Table<'_>, record: &EpisodeRecord) -> Result<(), String> {
    let index = record.header.episode;
    let case = table.case(index).map_err(|e| e.to_string())?;
    if record.header != table.header(&*case, index) {
        return Err("its header is not that of the manifest's run".to_owned());
    }
    let env = case.open().map_err(|e| e.to_string())?;
    record
        .verify_within(env, table.limits())
        .map_err(|e| e.to_string())
}
