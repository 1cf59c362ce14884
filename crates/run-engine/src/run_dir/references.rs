//! References, computed once for each instance.

use crate::error::RunError;
use crate::files::jsonl::{Jsonl, each_line};
use crate::files::torn::set_torn_aside;
use crate::run_dir::stamp;
use crate::secrets;
use serde::{Deserialize, Serialize};
use sim_core::{Digest, DynInstance, Effort, Reference, strict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// What the scores of one instance are measured against.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredAgainst {
    /// The instance, if a run may beat the best value known ([`Reference::is_open`]). `None` otherwise: taking
    /// the digest of a drawn instance takes longer than a short game.
    pub open: Option<Digest>,
    /// Optimum, bound and baseline.
    pub reference: Reference,
    /// Score of the best known play that uses only what its seat observes, if there is one.
    pub own_information: Option<f64>,
}

impl MeasuredAgainst {
    fn of(case: &dyn DynInstance, effort: Effort) -> Self {
        let reference = case.reference(effort);
        Self {
            open: reference.is_open().then(|| case.digest()),
            reference,
            own_information: case.own_information(effort),
        }
    }
}

/// References by instance. What a search found is kept in a file as well, where there is one.
#[derive(Debug)]
pub struct References {
    effort: Effort,
    /// What runs wrote down before.
    recorded: BTreeMap<Digest, Arc<MeasuredAgainst>>,
    known: RwLock<BTreeMap<Digest, Arc<MeasuredAgainst>>>,
    /// Most instances of which a reference is remembered: drawn ones do not come back.
    most: usize,
    /// Where the results of searches are kept; opened when the first one is.
    file: Option<(PathBuf, Mutex<Option<Jsonl>>)>,
}

/// Most references that are remembered where nobody knows whether instances come back.
const MOST_UNKNOWN: usize = 4_096;

/// A line of `references.jsonl`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    /// The instance.
    pub(crate) instance: Digest,
    /// The work that was allowed.
    pub(crate) effort: Effort,
    /// The reference that the search found.
    pub(crate) reference: Reference,
    /// Score of the best known play that uses only its own observations; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) own_information: Option<f64>,
}

/// The whole lines of the file at `path`, each as a line or the error of reading it; empty if there is
/// no file.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn lines(path: &Path) -> Result<Vec<Result<Line, String>>, RunError> {
    let read = |line: &[u8]| {
        let value = strict::json(line).map_err(|e| e.to_string())?;
        serde_json::from_value(value).map_err(|e| e.to_string())
    };
    let mut found = Vec::new();
    each_line(path, |line| {
        found.push(read(line));
        Ok(())
    })?;
    Ok(found)
}

/// The references in the file at `path`; empty if there is no file.
fn read(path: &Path) -> Result<Vec<Line>, RunError> {
    // A truncated or foreign line only costs a new search.
    Ok(lines(path)?.into_iter().filter_map(Result::ok).collect())
}

/// Opens the file at `path` for appending. The stamp of its folder no longer holds then, and a truncated
/// last line must not grow into a line that cannot be read.
fn opened(path: &Path) -> Result<Jsonl, RunError> {
    if let Some(dir) = path.parent() {
        stamp::remove(dir)?;
    }
    set_torn_aside(path)?;
    Jsonl::open(path.to_owned())
}

impl References {
    /// An empty store, or what an earlier search left in `file`. `repeats` says whether instances
    /// come back in the run.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open(effort: Effort, repeats: bool, file: Option<&Path>) -> Result<Self, RunError> {
        let file = file.filter(|_| effort == Effort::Search);
        let lines = file.map(read).transpose()?.unwrap_or_default();
        let ours = lines.into_iter().filter(|line| line.effort == effort);
        let recorded = ours
            .map(|line| (line.instance, Arc::new(line.into())))
            .collect();
        Ok(Self {
            effort,
            recorded,
            known: RwLock::default(),
            // A search is remembered in any case: it may take seconds, and its file must not have
            // an instance twice. Quick references of drawn instances would fill the memory and
            // never be asked for again.
            most: if repeats || effort == Effort::Search {
                usize::MAX
            } else {
                0
            },
            file: file.map(|path| (path.to_owned(), Mutex::default())),
        })
    }

    /// What finished runs wrote to `files`, and quick references where they wrote none: who looks at
    /// runs afterwards measures them by what they were measured by when they were played.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn recorded(files: &[PathBuf]) -> Result<Self, RunError> {
        let mut recorded = BTreeMap::new();
        for file in files {
            let lines = read(file)?.into_iter();
            recorded.extend(lines.map(|line| (line.instance, Arc::new(line.into()))));
        }
        Ok(Self {
            effort: Effort::Quick,
            recorded,
            known: RwLock::default(),
            most: MOST_UNKNOWN,
            file: None,
        })
    }

    /// What the scores of an instance are measured against.
    ///
    /// # Errors
    /// When a found reference cannot be kept.
    pub fn of(&self, case: &dyn DynInstance) -> Result<Arc<MeasuredAgainst>, RunError> {
        // No digest without need: that of a drawn instance takes longer than a short game.
        if !self.recorded.is_empty()
            && let Some(held) = self.recorded.get(&case.digest())
        {
            return Ok(Arc::clone(held));
        }
        if self.most == 0 {
            return Ok(Arc::new(MeasuredAgainst::of(case, self.effort)));
        }
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = known.get(&case.digest()) {
            return Ok(Arc::clone(held));
        }
        drop(known);
        // Outside of the lock, so that all cores search. Two may search the same instance; the file
        // gets the first result only.
        let found = Arc::new(MeasuredAgainst::of(case, self.effort));
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= self.most {
            return Ok(found);
        }
        let new = known.insert(case.digest(), Arc::clone(&found)).is_none();
        drop(known);
        if let (true, Some((path, file))) = (new, &self.file) {
            let line = Line {
                instance: case.digest(),
                effort: self.effort,
                reference: found.reference.clone(),
                own_information: found.own_information,
            };
            let text = serde_json::to_string(&line).map_err(|e| RunError::usage(e.to_string()))?;
            let text = secrets::scrub().clean_line(text);
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            let file = match &mut *file {
                Some(file) => file,
                None => file.insert(opened(path)?),
            };
            file.line(&text)?;
            file.sync()?;
        }
        Ok(found)
    }
}

impl From<Line> for MeasuredAgainst {
    fn from(line: Line) -> Self {
        Self {
            open: line.reference.is_open().then_some(line.instance),
            reference: line.reference,
            own_information: line.own_information,
        }
    }
}
