//! The environment `scheduling` as the runner registers it.

use super::batch::Batch;
use super::config::Config;
use super::env::Scheduling;
use super::instance::Instance;
use super::{paper, plots, policy};
use sim_core::{
    BatchEnvironment, ConfigError, DynEnvironmentSpec, Effort, EnvironmentSpec, Episode,
    EpisodeRecord, NoteLimits, Plot, PolicySpec, Preset, Reference, ScoreRange, Seed, Sense,
};
use std::sync::Arc;

/// Name, version, presets, generator, reference, policies and batch of `scheduling`.
///
/// ```
/// use econ_envs::scheduling::{Config, Spec};
/// use sim_core::EnvironmentSpec;
///
/// let paper = Spec.suite("paper", &Config::hard())?;
/// assert_eq!((paper.len(), paper[11].preferences.size()), (12, 50));
/// assert!(Spec.suite("paper", &Config { workers: 7, ..Config::basic() }).is_err());
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
    const NAME: &'static str = "scheduling";
    const VERSION: u32 = 1;
    const SENSE: Sense = Sense::Maximise;
    const ABOUT: &'static str = "match workers to tasks under hidden preferences, from a few \
                                 blocking pairs shown after each attempt";
    const UNIT: &'static str = "1 is stable, 0 as many blocking pairs as a random assignment";
    const RANGE: ScoreRange = ScoreRange::new(f64::NEG_INFINITY, 1.0);

    type Env = Scheduling;
    type Config = Config;
    type Instance = Instance;

    fn presets(&self) -> Vec<Preset<Config>> {
        let preset = |name, about, config| Preset {
            name,
            about,
            config,
        };
        vec![
            preset(
                "basic",
                "10 workers, 1 pair shown after each attempt",
                Config::basic(),
            ),
            preset(
                "medium",
                "20 workers, 2 pairs shown after each attempt",
                Config::medium(),
            ),
            preset(
                "hard",
                "50 workers, 5 pairs shown after each attempt",
                Config::hard(),
            ),
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

    /// `paper`: the authors' twelve instances with the number of workers of `config` (10,
    /// 20 or 50).
    fn suite(&self, name: &str, config: &Config) -> Result<Vec<Instance>, ConfigError> {
        match name {
            "paper" => paper::instances(config),
            _ => Err(ConfigError::new(
                "suite",
                format!("`scheduling` has no suite `{name}`; there is paper"),
            )),
        }
    }

    fn begin(&self, instance: Arc<Instance>) -> Result<Scheduling, ConfigError> {
        Scheduling::new(instance)
    }

    fn notes(&self, _instance: &Instance) -> Option<NoteLimits> {
        Some(NoteLimits::default())
    }

    fn reference(&self, instance: &Instance, effort: Effort) -> Reference {
        super::reference(instance, effort)
    }

    fn plots(&self, played: &Scheduling, _record: &EpisodeRecord) -> Vec<Plot> {
        plots::plots(played)
    }

    fn policies(&self) -> Vec<PolicySpec<Scheduling, Instance>> {
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
