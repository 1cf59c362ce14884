//! The environment `patience` as the runner registers it.
//!
//! It is not ranked: a high rate is neither better nor worse than a low one.

use super::config::Config;
use super::env::Patience;
use super::instance::Instance;
use super::{plots, policy};
use sim_core::{
    ConfigError, DynEnvironmentSpec, Effort, EnvironmentSpec, Episode, EpisodeRecord, Plot,
    PolicySpec, Preset, Reference, ScoreRange, Sense,
};
use std::sync::Arc;

/// Name, version, presets, generator, reference and policies of `patience`.
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
    const NAME: &'static str = "patience";
    const VERSION: u32 = 1;
    const SENSE: Sense = Sense::Minimise;
    const IS_RANKED: bool = false;
    const ABOUT: &'static str =
        "litmus test: $100 now or more later; the yearly discount rate, neither end is better";
    const UNIT: &'static str = "% a year";
    const RANGE: ScoreRange = ScoreRange::new(0.0, 20.0);

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
            preset("paper", "240 amounts, 20 questions each", Config::paper()),
            preset(
                "short",
                "every fifth amount, once in each order: 96 questions",
                Config::short(),
            ),
        ]
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        config.check()
    }

    fn generate(&self, config: &Config, episode: Episode) -> Result<Instance, ConfigError> {
        Instance::generate(config, episode)
    }

    fn distinct(&self, _config: &Config) -> Option<u64> {
        Some(1)
    }

    fn begin(&self, instance: Arc<Instance>) -> Result<Patience, ConfigError> {
        Patience::new(instance)
    }

    fn reference(&self, instance: &Instance, effort: Effort) -> Reference {
        super::reference(instance, effort)
    }

    fn plots(&self, played: &Patience, _record: &EpisodeRecord) -> Vec<Plot> {
        plots::plots(played)
    }

    fn policies(&self) -> Vec<PolicySpec<Patience, Instance>> {
        policy::policies()
    }
}
