//! The environments and kinds of runs of a program.

use crate::engine::episodes::Episodes;
use crate::engine::workload::Workload;
use crate::environments::Environments;
use crate::run_dir::manifest;
use serde_json::Value;
use sim_core::DynEnvironmentSpec;
use std::ops::Deref;

/// The environments that a program can run, and the kinds of runs that do not consist of episodes.
#[derive(Default)]
pub struct Registry {
    environments: Environments,
    workloads: Vec<Box<dyn Workload>>,
}

impl Registry {
    /// A registry without environments.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an environment, or replaces the one of the same name.
    #[must_use]
    pub fn with(mut self, kind: impl DynEnvironmentSpec + 'static) -> Self {
        self.environments = self.environments.with(kind);
        self
    }

    /// As [`with`](Self::with), for a spec that is a trait object already.
    #[must_use]
    pub fn with_boxed(mut self, kind: Box<dyn DynEnvironmentSpec>) -> Self {
        self.environments = self.environments.with_boxed(kind);
        self
    }

    /// Adds a kind of run that does not consist of episodes.
    #[must_use]
    pub fn with_workload(mut self, workload: impl Workload + 'static) -> Self {
        self.environments.note(workload.name(), workload.about());
        self.workloads.push(Box::new(workload));
        self
    }

    /// The kind of run that `manifest` belongs to; [`Episodes`] if it is not that of an added kind.
    #[must_use]
    pub fn workload(&self, manifest: &Value) -> &dyn Workload {
        let mut all = self.workloads.iter();
        let kind = manifest::kind(manifest);
        let found = all.find(|workload| Some(workload.key()) == kind);
        found.map_or(&Episodes, |workload| &**workload)
    }
}

impl Deref for Registry {
    type Target = Environments;

    fn deref(&self) -> &Environments {
        &self.environments
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.environments.fmt(f)
    }
}
