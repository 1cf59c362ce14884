//! The environments of this program.

use enterprise_sandbox::Spec;
use std::ops::Deref;

/// The registry of this program.
#[derive(Debug)]
pub struct Registry {
    all: run_engine::Registry,
    office: Spec,
}

impl Registry {
    /// All environments of the workspace, one line each.
    #[must_use]
    pub fn new() -> Self {
        Self::with(Spec::default())
    }

    /// The same environments for a server, whose threads cannot borrow these. The office is the same one: a new one would
    /// not have the companies that were registered for this.
    #[must_use]
    pub fn for_server(&self) -> run_engine::Registry {
        Self::with(self.office.clone()).into()
    }

    fn with(office: Spec) -> Self {
        let all = run_engine::Registry::new()
            .with_boxed(beer_game::Spec.boxed())
            .with_boxed(ceo_reallocation::Spec.boxed())
            .with_boxed(econ_envs::litmus::collusion::Spec.boxed())
            .with_boxed(econ_envs::litmus::efficiency::Spec.boxed())
            .with_boxed(econ_envs::litmus::patience::Spec.boxed())
            .with_boxed(econ_envs::pricing::Spec.boxed())
            .with_boxed(econ_envs::procurement::Spec.boxed())
            .with_boxed(econ_envs::scheduling::Spec.boxed())
            .with_boxed(edt::Spec.boxed())
            .with_boxed(office.clone().boxed())
            .with_boxed(qa_scoring::env::Spec.boxed())
            .with_boxed(qa_scoring::interview::Spec.boxed());
        Self { all, office }
    }

    /// The office, with the companies that were registered for it.
    #[must_use]
    pub fn office(&self) -> &Spec {
        &self.office
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for Registry {
    type Target = run_engine::Registry;

    fn deref(&self) -> &run_engine::Registry {
        &self.all
    }
}

impl From<Registry> for run_engine::Registry {
    fn from(registry: Registry) -> Self {
        registry.all
    }
}
