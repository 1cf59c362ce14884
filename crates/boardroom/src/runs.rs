//! Run folders read side by side: shards of one run put together, runs of one setting compared.

use crate::error::RunError;
use crate::folder::Folder;
use crate::plan::{Plan, Shard};
use sim_core::{Digest, EpisodeRecord};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// One run, put together from one folder or from the folders of its shards.
#[derive(Debug)]
pub struct Run {
    /// The plan, with the shard of the whole.
    pub plan: Plan,
    /// The folders that hold it.
    pub folders: Vec<Folder>,
}

impl Run {
    /// How the run is called in tables: its agent, with the setting where that differs.
    #[must_use]
    pub fn name(&self) -> String {
        let Plan {
            environment,
            preset,
            agent,
            ..
        } = &self.plan;
        format!("{environment} {preset} {agent}")
    }

    /// What `see` makes of every record, in the order of episodes.
    ///
    /// # Errors
    /// When a file cannot be read, and what `see` refuses.
    pub fn scan<R: Send>(
        &self,
        see: impl Fn(EpisodeRecord) -> Result<R, RunError> + Sync,
    ) -> Result<Vec<R>, RunError> {
        let mut all = BTreeMap::new();
        for folder in &self.folders {
            let numbered = |record: EpisodeRecord| Ok((record.header.episode, see(record)?));
            for (episode, result) in folder.scan(numbered)?.results {
                if all.insert(episode, result).is_some() {
                    return Err(RunError::usage(format!(
                        "episode {episode} of {} is in {} twice: its shards overlap",
                        self.name(),
                        folder.path().display()
                    )));
                }
            }
        }
        Ok(all.into_values().collect())
    }
}

/// Reads folders and puts shards of one run together, in the order in which runs first appear.
///
/// # Errors
/// When a folder is no run, or two shards of a run overlap.
pub fn read_runs(paths: &[PathBuf]) -> Result<Vec<Run>, RunError> {
    let mut runs: Vec<(Digest, Run)> = Vec::new();
    for path in expand(paths)? {
        let folder = Folder::read(&path)?;
        let mut plan = folder.manifest.plan.clone();
        plan.shard = Shard::default();
        let whole = Digest::of(&plan).map_err(|e| RunError::usage(e.to_string()))?;
        match runs.iter_mut().find(|(digest, _)| *digest == whole) {
            Some((_, run)) => run.folders.push(folder),
            None => runs.push((
                whole,
                Run {
                    plan,
                    folders: vec![folder],
                },
            )),
        }
    }
    if runs.is_empty() {
        return Err(RunError::usage("there is no run in these folders"));
    }
    Ok(runs.into_iter().map(|(_, run)| run).collect())
}

/// Replaces the folder of a sweep by the run folders in it, by name.
fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>, RunError> {
    let mut all = Vec::new();
    for path in paths {
        if !path.join(crate::sweep::SWEEP).exists() {
            all.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(RunError::file(path))?;
        let mut inside = Vec::new();
        for entry in entries {
            let entry = entry.map_err(RunError::file(path))?.path();
            if entry.join("manifest.json").exists() {
                inside.push(entry);
            }
        }
        inside.sort();
        all.extend(inside);
    }
    Ok(all)
}
