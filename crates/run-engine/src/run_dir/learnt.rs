//! Stores what a run or a search learns about its servers in its manifest.

use super::manifest::replace;
use super::search::SearchManifest;
use super::{Folder, Manifest};
use crate::error::RunError;
use crate::files::names::SEARCH;
use crate::files::run_file;
use agent_client::wire::ways::{Learnt, LearntStore};
use agent_client::{AgentError, ErrorClass};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A manifest that holds what was learnt, by model.
pub(crate) trait HoldsLearnt: Debug + Send {
    /// What was learnt.
    fn learnt(&mut self) -> &mut BTreeMap<String, Learnt>;

    /// Replaces the file of the manifest in the folder `dir`.
    fn write(&self, dir: &Path) -> Result<(), RunError>;
}

impl HoldsLearnt for Manifest {
    fn learnt(&mut self) -> &mut BTreeMap<String, Learnt> {
        &mut self.learnt
    }

    fn write(&self, dir: &Path) -> Result<(), RunError> {
        replace(dir, self)
    }
}

impl HoldsLearnt for SearchManifest {
    fn learnt(&mut self) -> &mut BTreeMap<String, Learnt> {
        &mut self.learnt
    }

    fn write(&self, dir: &Path) -> Result<(), RunError> {
        run_file::replace(&dir.join(SEARCH), &self.text()?, true)
    }
}

/// The manifest of a run or search in progress. Its digest covers the plan alone, so what is learnt does not change the
/// digest.
#[derive(Debug)]
pub(crate) struct LearntInManifest<M> {
    path: PathBuf,
    manifest: Mutex<M>,
}

impl<M: HoldsLearnt> LearntInManifest<M> {
    /// Stores in `manifest`, which is that of the folder `path`. The folder must stay locked.
    pub(crate) fn new(path: &Path, manifest: M) -> Self {
        Self {
            path: path.to_owned(),
            manifest: Mutex::new(manifest),
        }
    }
}

impl LearntInManifest<Manifest> {
    /// Stores in the manifest of the run in `folder`, which must stay locked.
    pub(crate) fn of(folder: &Folder) -> Self {
        Self::new(folder.path(), folder.manifest.clone())
    }
}

impl<M: HoldsLearnt> LearntStore for LearntInManifest<M> {
    fn learnt(&self, model: &str) -> Learnt {
        let mut manifest = self.manifest.lock().unwrap_or_else(PoisonError::into_inner);
        manifest.learnt().get(model).cloned().unwrap_or_default()
    }

    fn keep(&self, model: &str, learnt: &Learnt) -> Result<(), AgentError> {
        let mut manifest = self.manifest.lock().unwrap_or_else(PoisonError::into_inner);
        // Removed first, so that a model of which nothing is known leaves no empty entry.
        manifest.learnt().remove(model);
        if !learnt.is_empty() {
            manifest.learnt().insert(model.to_owned(), learnt.clone());
        }
        manifest
            .write(&self.path)
            .map_err(|e| AgentError::new(ErrorClass::Store, e.to_string()))
    }
}
