//! The CEO environment as the runner sees it: name, presets, generator, reference and policies.

use crate::batch::Batch;
use crate::config::{Config, Visibility};
use crate::env::CeoReallocation;
use crate::instance::Instance;
use crate::scenario::AUTHORED_IDS;
use crate::{policy, reference};
use sim_core::{
    BatchEnvironment, ConfigError, Effort, EnvironmentSpec, Episode, PolicySpec, Preset, Reference,
    Seed, Sense,
};
use std::sync::Arc;

/// Implements [`EnvironmentSpec`] for the CEO environment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spec;

impl EnvironmentSpec for Spec {
    const NAME: &'static str = "ceo";
    const VERSION: u32 = 1;
    const SENSE: Sense = Sense::Maximise;
    const ABOUT: &'static str =
        "move capital between business units against four advisors who contradict each other";
    const UNIT: &'static str = "points";

    type Env = CeoReallocation;
    type Config = Config;
    type Instance = Instance;

    fn presets(&self) -> Vec<Preset<Config>> {
        Config::presets()
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        config.check()
    }

    fn generate(&self, config: &Config, episode: Episode) -> Result<Instance, ConfigError> {
        Instance::generate(config, episode)
    }

    fn distinct(&self, config: &Config) -> Option<u64> {
        config.distinct()
    }

    fn suites(&self) -> Vec<&'static str> {
        vec!["authored"]
    }

    fn suite(&self, name: &str, config: &Config) -> Result<Vec<Instance>, ConfigError> {
        if name != "authored" {
            return Err(ConfigError::new(
                "suite",
                format!(
                    "`ceo` has no suite `{}`; there is authored (the authors' own scenarios have no \
                     licence and are not part of this project)",
                    sim_core::error::clip(name)
                ),
            ));
        }
        AUTHORED_IDS
            .into_iter()
            .map(|id| {
                let config = Config {
                    scenario: id.to_owned(),
                    ..config.clone()
                };
                Instance::generate(&config, Episode::of_run(Seed(0), 0))
            })
            .collect()
    }

    fn begin(&self, instance: Arc<Instance>) -> Result<CeoReallocation, ConfigError> {
        CeoReallocation::new(instance)
    }

    fn reference(&self, instance: &Instance, effort: Effort) -> Reference {
        reference::reference(instance, effort)
    }

    fn policies(&self) -> Vec<PolicySpec<CeoReallocation, Instance>> {
        policy::policies()
    }

    fn batch(
        &self,
        config: &Config,
        lanes: usize,
        seed: Seed,
    ) -> Result<Option<Box<dyn BatchEnvironment>>, ConfigError> {
        config.check()?;
        if config.visibility == Visibility::Deliberation {
            return Ok(None);
        }
        Batch::new(config, lanes, seed)
            .map(|batch| Some(Box::new(batch) as Box<dyn BatchEnvironment>))
    }
}
