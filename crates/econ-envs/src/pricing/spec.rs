//! The environment `pricing` as the runner registers it.

use super::batch::Batch;
use super::config::Config;
use super::env::Pricing;
use super::instance::Instance;
use super::{paper, plots, policy};
use sim_core::{
    BatchEnvironment, ConfigError, DynEnvironmentSpec, Effort, EnvironmentSpec, Episode,
    EpisodeRecord, NoteLimits, Plot, PolicySpec, Preset, Reference, Seed, Sense,
};
use std::sync::Arc;

/// Name, version, presets, generator, reference, policies and batch of `pricing`.
///
/// ```
/// use econ_envs::pricing::{Config, Spec};
/// use sim_core::EnvironmentSpec;
///
/// assert_eq!((Spec::NAME, Spec::UNIT), ("pricing", "share of the best profit in the last periods"));
/// let paper = Spec.suite("paper", &Config::hard())?;
/// assert_eq!((paper.len(), paper[0].size()), (12, 10));
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
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
    const NAME: &'static str = "pricing";
    const VERSION: u32 = 1;
    const SENSE: Sense = Sense::Maximise;
    const ABOUT: &'static str = "set prices while hidden demand shifts by a pattern";
    const UNIT: &'static str = "share of the best profit in the last periods";

    type Env = Pricing;
    type Config = Config;
    type Instance = Instance;

    fn presets(&self) -> Vec<Preset<Config>> {
        let preset = |name, about, config| Preset {
            name,
            about,
            config,
        };
        vec![
            preset("basic", "1 product", Config::basic()),
            preset("medium", "4 products in one category", Config::medium()),
            preset("hard", "10 products in three categories", Config::hard()),
        ]
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        config.check()
    }

    fn generate(&self, config: &Config, episode: Episode) -> Result<Instance, ConfigError> {
        Instance::generate(config, episode)
    }

    fn suites(&self) -> Vec<&'static str> {
        vec!["paper"]
    }

    /// `paper`: the authors' twelve instances with the number of products of `config` (1,
    /// 4 or 10).
    fn suite(&self, name: &str, config: &Config) -> Result<Vec<Instance>, ConfigError> {
        match name {
            "paper" => paper::instances(config),
            _ => Err(ConfigError::new(
                "suite",
                format!("`pricing` has no suite `{name}`; there is paper"),
            )),
        }
    }

    fn begin(&self, instance: Arc<Instance>) -> Result<Pricing, ConfigError> {
        Pricing::new(instance)
    }

    fn notes(&self, _instance: &Instance) -> Option<NoteLimits> {
        Some(NoteLimits::default())
    }

    fn reference(&self, instance: &Instance, effort: Effort) -> Reference {
        super::reference(instance, effort)
    }

    fn plots(&self, played: &Pricing, _record: &EpisodeRecord) -> Vec<Plot> {
        plots::plots(played)
    }

    fn policies(&self) -> Vec<PolicySpec<Pricing, Instance>> {
        policy::policies()
    }

    fn batch(
        &self,
        config: &Config,
        lanes: usize,
        seed: Seed,
    ) -> Result<Option<Box<dyn BatchEnvironment>>, ConfigError> {
        Ok(Some(Box::new(Batch::new(config, lanes, seed)?)))
    }
}
