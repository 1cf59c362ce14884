//! The family.

use super::config::Config;
use super::env::{Instance, Patience};
use super::policy;
use sim_core::{
    ConfigError, Effort, EnvironmentSpec, Episode, PolicySpec, Preset, Reference, Sense,
};
use std::sync::Arc;

/// The family `patience`.
#[derive(Debug, Clone, Copy, Default)]
pub struct PatienceFamily;

impl EnvironmentSpec for PatienceFamily {
    const NAME: &'static str = "patience";
    const VERSION: u32 = 1;
    const SENSE: Sense = Sense::Minimise;
    const IS_RANKED: bool = false;
    const ABOUT: &'static str =
        "litmus test: $100 now or more later; the yearly discount rate, neither end is better";
    const UNIT: &'static str = "% a year";

    type Env = Patience;
    type Config = Config;
    type Instance = Instance;

    fn presets(&self) -> Vec<Preset<Config>> {
        let preset = |name, about, config| Preset {
            name,
            about,
            config,
        };
        vec![
            preset("paper", "240 amounts, 20 questions each", Config::default()),
            preset(
                "short",
                "every fifth amount, once in each order: 96 questions",
                Config {
                    repeats: 1,
                    every: 5,
                },
            ),
        ]
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        config.check()
    }

    fn generate(&self, config: &Config, _episode: Episode) -> Result<Instance, ConfigError> {
        config.check()?;
        Ok(Instance {
            config: config.clone(),
        })
    }

    fn distinct(&self, _config: &Config) -> Option<u64> {
        Some(1)
    }

    fn begin(&self, instance: Arc<Instance>) -> Result<Patience, ConfigError> {
        instance.check()?;
        Ok(Patience::new(instance))
    }

    fn reference(&self, _instance: &Instance, _effort: Effort) -> Reference {
        Reference::none()
    }

    fn policies(&self) -> Vec<PolicySpec<Patience, Instance>> {
        policy::specs()
    }
}
