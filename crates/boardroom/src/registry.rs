//! The environments and kinds of runs of this program.

use enterprise_sandbox::OfficeFamily;
use qa_runner::interview::workload::Interviews;
use qa_runner::qa::workload::QuestionRuns;
use std::ops::Deref;

/// The registry of this program.
#[derive(Debug)]
pub struct Registry {
    all: run_engine::Registry,
    office: OfficeFamily,
}

impl Registry {
    /// All environments of the workspace, one line each.
    #[must_use]
    pub fn new() -> Self {
        let office = OfficeFamily::default();
        let all = run_engine::Registry::new()
            .with(beer_game::family::BeerGameFamily)
            .with(ceo_reallocation::CeoFamily)
            .with(econ_envs::litmus::CollusionFamily)
            .with(econ_envs::litmus::EfficiencyFamily)
            .with(econ_envs::litmus::PatienceFamily)
            .with(econ_envs::pricing::PricingFamily)
            .with(econ_envs::procurement::ProcurementFamily)
            .with(econ_envs::scheduling::SchedulingFamily)
            .with(edt::EdtFamily)
            .with(office.clone())
            .with_workload(Interviews)
            .with_workload(QuestionRuns);
        Self { all, office }
    }

    /// The office, with the companies that were registered for it.
    #[must_use]
    pub fn office(&self) -> &OfficeFamily {
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
