//! All runs below a directory, as far as they were read.

use crate::run::{Gap, RunView};
use boardroom_http::lock;
use run_engine::error::RunError;
use run_engine::plan::source::InstanceSource;
use run_engine::registry::Registry;
use run_engine::run_dir::members;
use run_engine::run_dir::references::References;
use run_engine::terminal::shown_path;
use run_report::questions::labels::Labels;
use sim_core::EpisodeRecord;
use sim_core::stats::{NormalisedSum, mean, normalise};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Folders below the directory that are searched for runs.
const DEPTH: usize = 4;

/// Most run folders that are shown.
const MOST_RUNS: usize = 5_000;

/// Most episodes of a run that are measured against their references for the list.
const MOST_MEASURED: usize = 1_000;

/// The runs below a directory.
#[derive(Debug)]
pub struct Site {
    root: PathBuf,
    registry: Registry,
    /// Capability and difficulty of questions.
    labels: Labels,
    runs: Mutex<BTreeMap<String, RunView>>,
    /// Folders that hold no run that can be read, with the reason.
    faults: Mutex<BTreeMap<String, String>>,
}

impl Site {
    /// The runs below `root`, or the run in it, read once.
    ///
    /// # Errors
    /// When there is no folder at `root`.
    pub fn open(root: &Path, registry: Registry) -> Result<Self, RunError> {
        if !root.is_dir() {
            return Err(RunError::usage(format!(
                "there is no folder {}; `boardroom run .. --out DIR` makes run folders, and \
                 `boardroom view DIR` shows those below DIR",
                shown_path(root)
            )));
        }
        let site = Self {
            root: root.to_owned(),
            registry,
            labels: Labels::new(),
            runs: Mutex::default(),
            faults: Mutex::default(),
        };
        site.refresh();
        Ok(site)
    }

    /// The same site, which shows questions by their capability and difficulty in `labels`.
    #[must_use]
    pub fn with_labels(mut self, labels: Labels) -> Self {
        self.labels = labels;
        self
    }

    /// The labels of the questions of `run`: those of the site, and those that a routed run stored.
    pub(crate) fn labels_of(&self, run: &RunView) -> Labels {
        let routing = run.about.plan.routing.as_ref();
        let mut labels = routing.map_or_else(Labels::new, |routing| routing.labels.clone());
        // Own labels win over those of a routed run, as in reports.
        labels.extend(self.labels.clone());
        labels
    }

    /// The directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Looks for new run folders and reads what was added to the known ones; gives the ids of those that
    /// changed.
    pub(crate) fn refresh(&self) -> Vec<String> {
        let mut found = Vec::new();
        search(&self.root, String::new(), DEPTH, &mut found);
        // A copy, so that pages are made from what is known while folders are read.
        let known = self.runs();
        let work: Vec<(String, PathBuf, Option<RunView>)> = found
            .into_iter()
            .map(|(place, dir)| {
                let view = known.get(&crate::name::id(&place)).cloned();
                (place, dir, view)
            })
            .collect();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        // At least one, because pieces of no length cannot be cut.
        let share = work.len().div_ceil(threads).max(1);
        let read = |part: &[(String, PathBuf, Option<RunView>)]| -> Vec<_> {
            let one = |(place, dir, view): &(String, PathBuf, Option<RunView>)| match view {
                Some(view) if !view.is_other_run() => {
                    let mut view = view.clone();
                    let changed = view.refresh();
                    (place.clone(), changed.map(|changed| (view, changed)))
                }
                _ => (
                    place.clone(),
                    RunView::read(dir, place).map(|view| (view.with_preset(&self.registry), true)),
                ),
            };
            part.iter().map(one).collect()
        };
        let parts: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = work
                .chunks(share)
                .map(|part| scope.spawn(move || read(part)))
                .collect();
            threads
                .into_iter()
                // A thread that panics loses its runs for this time; the next look finds them
                // again.
                .filter_map(|thread| thread.join().ok())
                .collect()
        });
        let (mut runs, mut faults, mut changed) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        for (place, read) in parts.into_iter().flatten() {
            match read {
                Ok((view, new)) => {
                    if new {
                        changed.push(view.id.clone());
                    }
                    runs.insert(view.id.clone(), view);
                }
                Err(e) => {
                    faults.insert(place, e.to_string());
                }
            }
        }
        changed.extend(known.into_keys().filter(|id| !runs.contains_key(id)));
        *lock(&self.faults) = faults;
        let mut held = lock(&self.runs);
        // Calls and gaps may have been read in the meantime; they are kept unless records came.
        for (id, view) in &mut runs {
            if let Some(before) = held.get(id) {
                view.calls = before.calls.clone();
                if before.records.len() == view.records.len() {
                    view.gap = before.gap.clone();
                }
            }
        }
        *held = runs;
        changed
    }

    /// All runs by id.
    pub(crate) fn runs(&self) -> BTreeMap<String, RunView> {
        lock(&self.runs).clone()
    }

    /// What `of` makes of each other run of the task of `run`.
    pub(crate) fn partners<T>(&self, run: &RunView, of: impl Fn(&RunView) -> T) -> Vec<T> {
        let held = lock(&self.runs);
        let task = run.task();
        let others = held.values();
        let others = others.filter(|other| other.id != run.id && other.task() == task);
        others.map(of).collect()
    }

    /// The folders that cannot be read, with the reason.
    pub(crate) fn faults(&self) -> BTreeMap<String, String> {
        lock(&self.faults).clone()
    }

    /// A run with its calls.
    pub(crate) fn run(&self, id: &str) -> Option<RunView> {
        // This run alone: a copy of all of them for each page would make an export quadratic.
        let mut view = lock(&self.runs).get(id).cloned()?;
        // A run whose calls cannot be read is still listed.
        let _ = view.refresh_calls();
        self.keep(&view);
        Some(view)
    }

    /// Keeps calls and gap of `view`, if the run is still there.
    fn keep(&self, view: &RunView) {
        if let Some(kept) = lock(&self.runs).get_mut(&view.id) {
            kept.calls = view.calls.clone();
            // Only where no records came meanwhile: the distance would be that of fewer.
            if kept.records.len() == view.records.len() {
                kept.gap = view.gap.clone();
            }
        }
    }

    /// Computes what takes longer than the list may: calls, and distances to references. Gives the ids
    /// of the runs that it added something to.
    pub(crate) fn measure(&self, stop: &dyn Fn() -> bool) -> Vec<String> {
        let mut changed = Vec::new();
        for (id, mut view) in self.runs() {
            if stop() {
                break;
            }
            let before = view.calls.spent;
            let _ = view.refresh_calls();
            let open = view.gap == Gap::Open && !view.records.is_empty();
            if open {
                let gap = gap(&self.registry, &view);
                view.gap = gap.unwrap_or_else(|e| Gap::None(e.to_string()));
            }
            if open || before != view.calls.spent {
                changed.push(id);
            }
            self.keep(&view);
        }
        changed
    }
}

/// The run folders below `dir`, by name; the folder itself if it is one.
// Not `find_runs` of the other commands, which has no limits and fails at a folder that cannot be read: this is done twice a
// second while a page is open, and a folder of somebody else must not hide the runs beside it.
fn search(dir: &Path, place: String, depth: usize, found: &mut Vec<(String, PathBuf)>) {
    if found.len() >= MOST_RUNS {
        return;
    }
    if members::is_run(dir) {
        let name = || {
            dir.file_name()
                .map(|name| name.to_string_lossy().into_owned())
        };
        let place = if place.is_empty() {
            name().unwrap_or_default()
        } else {
            place
        };
        found.push((place, dir.to_owned()));
        return;
    }
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    let mut folders: Vec<_> = entries
        .filter_map(Result::ok)
        // Links are not followed: they may lead back up.
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| {
            (
                entry.file_name().to_string_lossy().into_owned(),
                entry.path(),
            )
        })
        .filter(|(name, _)| !name.starts_with('.'))
        .collect();
    // Sorted, so that the same runs are shown each time where there are too many.
    folders.sort();
    for (name, path) in folders {
        let below = if place.is_empty() {
            name
        } else {
            format!("{place}/{name}")
        };
        // A run just below the deepest level is still shown; only what lies in it is not searched.
        if depth > 0 || members::is_run(&path) {
            search(&path, below, depth.saturating_sub(1), found);
        }
    }
}

/// Mean regret and normalised score of a run, by the references that its folder keeps
/// and quick ones for the others.
fn gap(registry: &Registry, view: &RunView) -> Result<Gap, RunError> {
    let plan = &view.about.plan;
    if view.records.len() > MOST_MEASURED {
        let count = view.records.len();
        return Ok(Gap::None(format!(
            "{count} episodes; `boardroom report` measures them"
        )));
    }
    let spec = registry.kind(&plan.environment)?;
    if spec.version() != plan.version {
        return Ok(Gap::None(
            "made with another version of the environment".to_owned(),
        ));
    }
    let source = InstanceSource::of(spec, plan)?;
    let references = References::recorded(&[view.dir.join("references.jsonl")])?;
    let mut by_instance = BTreeMap::new();
    let mut regrets = Vec::new();
    let mut shares = NormalisedSum::new(spec.about().range, spec.sense());
    for record in view.records.iter() {
        let Some(score) = record.score else {
            continue;
        };
        // Once for each instance: a list is played again and again, and to make an instance takes
        // longer than to compare a score with it.
        if !by_instance.contains_key(&record.instance) {
            let against = references.of(&*source.case(record.episode)?)?;
            by_instance.insert(record.instance.clone(), against.reference.clone());
        }
        let Some(reference) = by_instance.get(&record.instance) else {
            continue;
        };
        regrets.extend(normalise(score, reference, spec.sense()).regret);
        if spec.is_ranked() {
            shares.add(&record.instance, score, reference);
        }
    }
    Ok(match mean(&regrets) {
        Some(regret) => Gap::Known(regret, shares.value()),
        None => Gap::None("no reference is known".to_owned()),
    })
}

/// The record in a line of a run.
pub(crate) fn episode(line: &[u8]) -> Result<EpisodeRecord, RunError> {
    use sim_core::Stored as _;
    let value = sim_core::strict::json(line).map_err(|e| RunError::usage(e.to_string()))?;
    EpisodeRecord::read(value).map_err(|e| RunError::usage(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use run_engine::plan::{Plan, RunRequest};
    use run_engine::run_dir::Folder;
    use std::sync::Arc;

    /// With a copy of all runs for each page, an export of a thousand runs took minutes.
    #[test]
    fn a_page_of_a_run_copies_no_other_run() {
        let dir = tempfile::tempdir().unwrap();
        let registry = || Registry::new().with_boxed(beer_game::Spec.boxed());
        for name in ["a", "b", "c"] {
            let request = RunRequest {
                environment: "beer-game".to_owned(),
                agent: "sterman".to_owned(),
                ..RunRequest::default()
            };
            let plan = Plan::new(&registry(), request).unwrap();
            Folder::create_noted(&dir.path().join(name), plan, Vec::new()).unwrap();
        }
        let site = Site::open(dir.path(), registry()).unwrap();
        let run = site.run(&crate::name::id("a")).unwrap();
        // A copy shares the records of the view that it was made of.
        let copies = site.partners(&run, |other| Arc::strong_count(&other.records));
        assert_eq!(copies, [1, 1]);
    }
}
