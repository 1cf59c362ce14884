//! Every environment by name: the one place that knows them all.

use crate::error::RunError;
use enterprise_sandbox::OfficeFamily;
use sim_core::Kind;
use std::collections::BTreeMap;

/// The environments that this program can run.
pub struct Registry {
    kinds: BTreeMap<&'static str, Box<dyn Kind>>,
    office: OfficeFamily,
}

impl Registry {
    /// All environments of the workspace, one line each.
    #[must_use]
    pub fn new() -> Self {
        let office = OfficeFamily::default();
        let kinds: Vec<Box<dyn Kind>> = vec![
            Box::new(beer_game::family::BeerGameFamily),
            Box::new(ceo_reallocation::CeoFamily),
            Box::new(econ_envs::litmus::CollusionFamily),
            Box::new(econ_envs::litmus::EfficiencyFamily),
            Box::new(econ_envs::litmus::PatienceFamily),
            Box::new(econ_envs::pricing::PricingFamily),
            Box::new(econ_envs::procurement::ProcurementFamily),
            Box::new(econ_envs::scheduling::SchedulingFamily),
            Box::new(edt::EdtFamily),
            Box::new(office.clone()),
        ];
        Self {
            kinds: kinds.into_iter().map(|kind| (kind.name(), kind)).collect(),
            office,
        }
    }

    /// The environment called `name`.
    ///
    /// # Errors
    /// When there is none; names those that there are.
    pub fn kind(&self, name: &str) -> Result<&dyn Kind, RunError> {
        self.kinds.get(name).map(|kind| &**kind).ok_or_else(|| {
            RunError::usage(format!(
                "there is no environment `{}`; there are {}",
                sim_core::error::clip(name),
                self.kinds.keys().copied().collect::<Vec<_>>().join(", ")
            ))
        })
    }

    /// The office, which can be given companies to play in.
    #[must_use]
    pub fn office(&self) -> &OfficeFamily {
        &self.office
    }

    /// All environments, by name.
    pub fn kinds(&self) -> impl Iterator<Item = &dyn Kind> {
        self.kinds.values().map(|kind| &**kind)
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.kinds.keys()).finish()
    }
}
