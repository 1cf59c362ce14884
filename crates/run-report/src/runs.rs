//! Run folders read side by side: shards of one run put together, runs that differ in their seed
//! pooled.

pub mod labels;
pub mod parts;
pub(crate) mod pool;
pub mod unfinished;
pub mod walk;

use parts::put_together;
pub use pool::Pool;
use run_engine::error::RunError;
use run_engine::plan::Plan;
use run_engine::run_dir::members::{SWEEP, is_run, members};
use run_engine::run_dir::{FailedUnit, Folder, failures_in};
use run_engine::terminal::shown_path;
use sim_core::{EpisodeRecord, Header};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The environment of questions.
pub const QUESTIONS: &str = "qa";

/// One run, put together from one folder or from the folders of its shards.
#[derive(Debug)]
pub struct Run {
    /// The plan, with the shard of the whole.
    pub plan: Plan,
    /// The folders that hold it.
    pub folders: Vec<Folder>,
    /// What distinguishes it from other runs of the same name that were read with it.
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

    /// Who played, with what distinguishes this run from others of the same name.
    #[must_use]
    pub fn agent(&self) -> String {
        labels::labelled(&self.plan.cast(), self.mark.as_deref().unwrap_or_default())
    }

    /// Its first folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folders.first().map_or(Path::new(""), Folder::path)
    }

    /// What `see` makes of every record, in the order of episodes and repetitions.
    ///
    /// # Errors
    /// When a file cannot be read, and what `see` refuses.
    pub fn scan<R: Send>(
        &self,
        see: impl Fn(EpisodeRecord) -> Result<R, RunError> + Sync,
    ) -> Result<Vec<R>, RunError> {
        let mut all = Vec::new();
        // Folders are read one after the other: each of them is read on all cores.
        for (folder, number) in self.folders.iter().zip(0..) {
            let read = folder.scan(|record| {
                let place = Place::of(&record.header, number);
                Ok((place, see(record)?))
            });
            let mut found = read?.results;
            // A million results are not copied.
            if all.is_empty() {
                all = found;
            } else {
                all.append(&mut found);
            }
        }
        // Records of a whole run are in order already.
        if !all.is_sorted_by_key(|(place, _)| place.order()) {
            all.sort_by_key(|(place, _)| place.order());
        }
        // A line that stands twice in a file, or in the files of two shards, would count double.
        let twice = all.windows(2).find_map(|pair| match pair {
            [(one, _), (other, _)] if one.order() == other.order() => Some(*other),
            _ => None,
        });
        if let Some(second) = twice {
            let mut folders = self.folders.iter().zip(0..);
            let folder = folders.find(|(_, number)| *number == second.folder);
            return Err(RunError::usage(format!(
                "episode {} of {} has two records, the second in the record file of {}; remove one of \
                 the two lines",
                second.episode,
                self.name(),
                shown_path(folder.map_or(Path::new(""), |(folder, _)| folder.path()))
            )));
        }
        Ok(all.into_iter().map(|(_, result)| result).collect())
    }
}

/// Which record of a run it is; small, because there may be a million.
#[derive(Debug, Clone, Copy)]
struct Place {
    episode: u64,
    trial: u32,
    /// Number of the folder that holds it.
    folder: u32,
}

impl Place {
    fn of(header: &Header, folder: u32) -> Self {
        Self {
            episode: header.episode,
            trial: header.trial,
            folder,
        }
    }

    fn order(&self) -> (u64, u32) {
        (self.episode, self.trial)
    }
}

/// Reads folders and puts shards of one run together, in the order in which runs first appear.
/// A folder whose episodes a run holds already is a run of its own, with its folder in its name:
/// the same plan was played twice.
///
/// # Errors
/// When a folder is not a run, is named twice, is a shard of two runs of one plan alike, or overlaps a
/// shard of another division of its plan.
pub fn read_runs(paths: &[PathBuf]) -> Result<Vec<Run>, RunError> {
    let mut runs = Vec::new();
    for folders in put_together(&expand(paths)?)? {
        let Some(first) = folders.first() else {
            continue;
        };
        let plan = first.manifest.plan.whole();
        runs.push(Run {
            plan,
            folders,
            mark: None,
        });
    }
    if runs.is_empty() {
        return Err(RunError::usage("there is no run in these folders"));
    }
    labels::tell_apart(runs.iter_mut().map(|run| {
        let seed = run.plan.seed.0;
        (run, vec![seed])
    }));
    Ok(runs)
}

/// Replaces the folder of a sweep, or any other folder of run folders, by the run folders in it, by
/// name.
///
/// # Errors
/// When a folder cannot be read, or a log of `inspect_ai` is named.
pub fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>, RunError> {
    let mut all = Vec::new();
    for path in paths {
        let inside = if !is_run(path) && path.is_dir() {
            members(path)?
        } else {
            Vec::new()
        };
        // Asked here, because a log of `inspect_ai` would be read as a folder without a manifest.
        if path.extension().is_some_and(|name| name == "eval") && path.is_file() {
            return Err(RunError::usage(format!(
                "{} is a log of inspect_ai; `boardroom.inspect.runs` of the Python package writes its episodes \
                 into a run folder",
                shown_path(path)
            )));
        }
        // A folder without runs is named in the error of its reader.
        if inside.is_empty() && !path.join(SWEEP).exists() {
            all.push(path.clone());
        }
        all.extend(inside);
    }
    Ok(all)
}

/// What the servers of the models of `dirs` refused, each line once.
pub(crate) fn refused_by_servers<'a>(
    dirs: impl IntoIterator<Item = &'a Folder>,
) -> BTreeSet<String> {
    let dirs = dirs.into_iter();
    dirs.flat_map(|dir| dir.manifest.refusals()).collect()
}

/// The failures of all of a run's folders.
pub(crate) fn all_failures<'a>(
    dirs: impl IntoIterator<Item = &'a Folder>,
) -> Result<Vec<FailedUnit>, RunError> {
    let mut all = Vec::new();
    for dir in dirs {
        all.extend(failures_in(dir.path())?);
    }
    Ok(all)
}
