//! Run folders read side by side: shards of one run put together, runs of one setting compared.

pub(crate) mod labels;

use crate::error::RunError;
use crate::folder::Folder;
use crate::plan::{Plan, Shard};
use sim_core::{Digest, EpisodeRecord};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One run, put together from one folder or from the folders of its shards.
#[derive(Debug)]
pub struct Run {
    /// The plan, with the shard of the whole.
    pub plan: Plan,
    /// The folders that hold it.
    pub folders: Vec<Folder>,
    /// What tells it from other runs of the same name that were read with it.
    mark: Option<String>,
}

impl Run {
    /// How the run is called in tables: environment, preset and agent.
    #[must_use]
    pub fn name(&self) -> String {
        let Plan {
            environment,
            preset,
            ..
        } = &self.plan;
        format!("{environment} {preset} {}", self.agent())
    }

    /// Who played, with what tells this run from others of the same name.
    #[must_use]
    pub fn agent(&self) -> String {
        let agent = &self.plan.agent;
        let mark = self.mark.as_ref();
        mark.map_or_else(|| agent.clone(), |mark| format!("{agent} ({mark})"))
    }

    /// The name of its first folder, or the whole path of it.
    fn folder_name(&self, whole: bool) -> String {
        let path = self.folders.first().map(Folder::path);
        let name = path.and_then(|path| if whole { None } else { path.file_name() });
        match (name, path) {
            (Some(name), _) => name.to_string_lossy().into_owned(),
            (None, path) => path.map_or_else(String::new, |path| path.display().to_string()),
        }
    }

    /// Whether a folder can be another part of this run: its episodes are not here yet.
    fn lacks(&self, shard: Shard) -> bool {
        let held = |folder: &Folder| folder.manifest.plan.shard;
        self.folders
            .iter()
            .map(held)
            .all(|held| held.count == shard.count && held.index != shard.index)
    }

    fn stands_beside(&self, path: &Path) -> bool {
        self.folders
            .iter()
            .any(|folder| folder.path().parent() == path.parent())
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
/// A folder whose episodes a run holds already is a run of its own, with its folder in its name:
/// the same plan was played twice.
///
/// # Errors
/// When a folder is no run, is named twice, or is a shard of two runs of one plan alike.
pub fn read_runs(paths: &[PathBuf]) -> Result<Vec<Run>, RunError> {
    let mut runs: Vec<(Digest, Run)> = Vec::new();
    let mut seen = BTreeSet::new();
    for path in expand(paths)? {
        let folder = Folder::read(&path)?;
        let real = std::fs::canonicalize(&path).map_err(RunError::file(&path))?;
        if !seen.insert(real) {
            return Err(RunError::usage(format!(
                "{} is named twice",
                path.display()
            )));
        }
        let mut plan = folder.manifest.plan.clone();
        let shard = std::mem::take(&mut plan.shard);
        let whole = Digest::of(&plan).map_err(|e| RunError::usage(e.to_string()))?;
        let mut open: Vec<&mut Run> = runs
            .iter_mut()
            .filter(|(digest, run)| *digest == whole && run.lacks(shard))
            .map(|(_, run)| run)
            .collect();
        if open.len() > 1 {
            open.retain(|run| run.stands_beside(&path));
            if open.len() != 1 {
                return Err(RunError::usage(format!(
                    "{} is a shard of a plan that was played more than once, and it is not clear \
                     of which run; put the shards of a run into one folder",
                    path.display()
                )));
            }
        }
        match open.pop() {
            Some(run) => run.folders.push(folder),
            None => runs.push((
                whole,
                Run {
                    plan,
                    folders: vec![folder],
                    mark: None,
                },
            )),
        }
    }
    if runs.is_empty() {
        return Err(RunError::usage("there is no run in these folders"));
    }
    let mut runs: Vec<Run> = runs.into_iter().map(|(_, run)| run).collect();
    labels::tell_apart(&mut runs);
    Ok(runs)
}

/// Replaces the folder of a sweep by the run folders in it, by name.
fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>, RunError> {
    let mut all = Vec::new();
    for path in paths {
        if !path.join(crate::sweep::SWEEP).exists() {
            all.push(path.clone());
            continue;
        }
        all.extend(crate::sweep::members(path)?);
    }
    Ok(all)
}
