//! References, computed once for each instance.

use crate::error::RunError;
use crate::folder::Appender;
use serde::{Deserialize, Serialize};
use sim_core::{Case, Digest, Effort, Reference};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// References by instance. What a search found is kept in a file as well, where there is one.
#[derive(Debug)]
pub struct References {
    effort: Effort,
    known: Mutex<BTreeMap<Digest, Reference>>,
    /// Whether instances come back: drawn ones are not worth remembering.
    remember: bool,
    file: Option<Mutex<Appender>>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    instance: Digest,
    effort: Effort,
    reference: Reference,
}

impl References {
    /// An empty store, or what an earlier search left in `file`. `repeats` says whether instances
    /// come back in the run.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn open(effort: Effort, repeats: bool, file: Option<&Path>) -> Result<Self, RunError> {
        let file = file.filter(|_| effort == Effort::Search);
        let mut known = BTreeMap::new();
        if let Some(path) = file.filter(|path| path.exists()) {
            let text = std::fs::read_to_string(path).map_err(RunError::file(path))?;
            // A torn or foreign line only costs a new search.
            for line in text
                .lines()
                .filter_map(|l| serde_json::from_str::<Line>(l).ok())
            {
                if line.effort == effort {
                    known.insert(line.instance, line.reference);
                }
            }
        }
        let file = match file {
            Some(path) => Some(Mutex::new(Appender::open(path.to_owned())?)),
            None => None,
        };
        Ok(Self {
            effort,
            known: Mutex::new(known),
            remember: repeats || effort == Effort::Search,
            file,
        })
    }

    /// The reference of an instance.
    ///
    /// # Errors
    /// When a found reference cannot be kept.
    pub fn of(&self, case: &dyn Case) -> Result<Reference, RunError> {
        if !self.remember {
            return Ok(case.reference(self.effort));
        }
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reference) = known.get(&case.digest()) {
            return Ok(reference.clone());
        }
        drop(known);
        let reference = case.reference(self.effort);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let new = known.insert(case.digest(), reference.clone()).is_none();
        drop(known);
        if let (true, Some(file)) = (new, &self.file) {
            let line = Line {
                instance: case.digest(),
                effort: self.effort,
                reference: reference.clone(),
            };
            let text = serde_json::to_string(&line).map_err(|e| RunError::usage(e.to_string()))?;
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            file.line(&text)?;
            file.sync()?;
        }
        Ok(reference)
    }
}
