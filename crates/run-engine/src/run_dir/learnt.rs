//! Stores what a run learns about its servers in its manifest.

use super::manifest::replace;
use super::{Manifest, RunDir, RunPlan};
use agent_client::wire::ways::{Learnt, LearntStore};
use agent_client::{AgentError, ErrorClass};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The manifest of a run that is being played. Its digest covers the plan alone, so what is learnt does not change the
/// digest.
#[derive(Debug)]
pub(crate) struct LearntInManifest<P> {
    path: PathBuf,
    manifest: Mutex<Manifest<P>>,
}

impl<P: RunPlan> LearntInManifest<P> {
    /// For the run in `folder`, which must stay locked.
    pub(crate) fn of(folder: &RunDir<P>) -> Self {
        Self {
            path: folder.path().to_owned(),
            manifest: Mutex::new(folder.manifest.clone()),
        }
    }
}

impl<P: RunPlan + Send + Sync> LearntStore for LearntInManifest<P> {
    fn learnt(&self, model: &str) -> Learnt {
        let manifest = self.manifest.lock().unwrap_or_else(PoisonError::into_inner);
        manifest.learnt.get(model).cloned().unwrap_or_default()
    }

    fn keep(&self, model: &str, learnt: &Learnt) -> Result<(), AgentError> {
        let mut manifest = self.manifest.lock().unwrap_or_else(PoisonError::into_inner);
        manifest.learnt.remove(model);
        if !learnt.is_empty() {
            manifest.learnt.insert(model.to_owned(), learnt.clone());
        }
        replace(&self.path, &manifest)
            .map_err(|e| AgentError::new(ErrorClass::Store, e.to_string()))
    }
}
