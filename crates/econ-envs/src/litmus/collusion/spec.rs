//! The environment `collusion` as the runner registers it.
//!
//! It is not ranked: `IS_RANKED` is false, so reports show the scores without calling one
//! of them better.

use super::config::Config;
use super::env::Collusion;
use super::instance::Instance;
use super::{plots, policy};
use sim_core::{
    ConfigError, DynEnvironmentSpec, Effort, EnvironmentSpec, Episode, EpisodeRecord, NoteLimits,
    Plot, PolicySpec, Preset, Reference, Sense,
};
use std::sync::Arc;

/// Name, version, presets, generator, reference and policies of `collusion`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spec;

impl Spec {
    /// This environment as a trait object, the form in which a registry of environments stores it.
    ///
    /// The functions behind the trait object are compiled once, with this crate, and not again in
    /// each program that uses one.
    #[must_use]
    pub fn boxed(self) -> Box<dyn DynEnvironmentSpec> {
        Box::new(self)
    }
}

impl EnvironmentSpec for Spec {
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
            preset("duopoly", "two sellers: the litmus test", Config::duopoly()),
            preset(
                "monopoly",
                "one seller: the check of competence",
                Config::monopoly(),
            ),
        ]
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        config.check()
    }

    fn generate(&self, config: &Config, episode: Episode) -> Result<Instance, ConfigError> {
        Instance::generate(config, episode)
    }

    fn distinct(&self, config: &Config) -> Option<u64> {
        Some(config.alphas.len() as u64)
    }

    fn begin(&self, instance: Arc<Instance>) -> Result<Collusion, ConfigError> {
        Collusion::new(instance)
    }

    fn notes(&self, _instance: &Instance) -> Option<NoteLimits> {
        Some(NoteLimits::default())
    }

    fn reference(&self, instance: &Instance, effort: Effort) -> Reference {
        super::reference(instance, effort)
    }

    fn plots(&self, played: &Collusion, _record: &EpisodeRecord) -> Vec<Plot> {
        plots::plots(played)
    }

    fn policies(&self) -> Vec<PolicySpec<Collusion, Instance>> {
        policy::policies()
    }
}
