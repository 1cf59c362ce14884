//! The environment `scheduling` as the runner registers it.

use super::config::Config;
use super::env::Scheduling;
use super::instance::Instance;
use super::paper;
use sim_core::{
    ConfigError, EnvironmentAbout, EnvironmentSpec, NoteLimits, Preset, ScoreRange, Sense,
};

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

sim_core::boxed_spec!(Spec);

impl EnvironmentSpec for Spec {
    const ABOUT: EnvironmentAbout = EnvironmentAbout {
        name: "scheduling",
        version: 1,
        about: "match workers to tasks under hidden preferences, from a few \
                                 blocking pairs shown after each attempt",
        unit: "stability (1: no blocking pair, 0: as many as a random assignment)",
        sense: Sense::Maximise,
        range: ScoreRange::new(f64::NEG_INFINITY, 1.0),
        ..EnvironmentAbout::DEFAULT
    };

    type Env = Scheduling;
    type Config = Config;
    type Instance = Instance;

    sim_core::facade_methods!(check generate begin reference plots policies batch);

    fn presets(&self) -> Vec<Preset<Config>> {
        vec![
            Preset::new(
                "basic",
                "10 workers, 1 pair shown after each attempt",
                Config::basic(),
            ),
            Preset::new(
                "medium",
                "20 workers, 2 pairs shown after each attempt",
                Config::medium(),
            ),
            Preset::new(
                "hard",
                "50 workers, 5 pairs shown after each attempt",
                Config::hard(),
            ),
        ]
    }

    fn suites(&self) -> Vec<&'static str> {
        vec!["paper"]
    }

    /// `paper`: the authors' twelve instances with the number of workers of `config` (10,
    /// 20 or 50).
    fn suite(&self, name: &str, config: &Config) -> Result<Vec<Instance>, ConfigError> {
        match name {
            "paper" => paper::instances(config),
            _ => Err(self.no_suite(name)),
        }
    }

    fn notes(&self, _instance: &Instance) -> Option<NoteLimits> {
        Some(NoteLimits::default())
    }
}
