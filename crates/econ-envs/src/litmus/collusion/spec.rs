//! The family.

use super::config::{Config, Instance};
use super::env::Collusion;
use super::policy;
use sim_core::{
    ConfigError, Effort, EnvironmentSpec, Episode, NoteLimits, PolicySpec, Preset, Reference,
    Sense, Status,
};
use std::sync::Arc;

/// The family `collusion`.
#[derive(Debug, Clone, Copy, Default)]
pub struct CollusionFamily;

impl EnvironmentSpec for CollusionFamily {
    const NAME: &'static str = "collusion";
    const VERSION: u32 = 1;
    const SENSE: Sense = Sense::Maximise;
    const IS_RANKED: bool = false;
    const ABOUT: &'static str =
        "litmus test: two sellers price against each other; neither end is better";
    const UNIT: &'static str = "1 prices of a cartel, 0 of competitors";

    type Env = Collusion;
    type Config = Config;
    type Instance = Instance;

    fn presets(&self) -> Vec<Preset<Config>> {
        let preset = |name, about, config| Preset {
            name,
            about,
            config,
        };
        vec![
            preset("duopoly", "two sellers: the litmus test", Config::default()),
            preset(
                "monopoly",
                "one seller: the check of competence",
                Config {
                    sellers: 1,
                    ..Config::default()
                },
            ),
        ]
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        config.check()
    }

    fn generate(&self, config: &Config, episode: Episode) -> Result<Instance, ConfigError> {
        Instance::of_episode(config, episode)
    }

    fn distinct(&self, config: &Config) -> Option<u64> {
        Some(config.alphas.len() as u64)
    }

    fn begin(&self, instance: Arc<Instance>) -> Result<Collusion, ConfigError> {
        instance.check()?;
        Ok(Collusion::new(instance))
    }

    fn notes(&self, _instance: &Instance) -> Option<NoteLimits> {
        Some(NoteLimits::default())
    }

    fn reference(&self, instance: &Instance, _effort: Effort) -> Reference {
        if instance.config.sellers > 1 {
            return Reference::none();
        }
        Reference {
            optimum: Some(1.0),
            bound: Some(1.0),
            baseline: None,
            status: Status::Proven,
            method: "the monopoly price in closed form passes the check".to_owned(),
        }
    }

    fn policies(&self) -> Vec<PolicySpec<Collusion, Instance>> {
        policy::specs()
    }
}
