//! The environment `pricing` as the runner registers it.

use super::config::Config;
use super::env::Pricing;
use super::instance::Instance;
use super::paper;
use sim_core::{ConfigError, EnvironmentAbout, EnvironmentSpec, NoteLimits, Preset, Sense};

/// Name, version, presets, generator, reference, policies and batch of `pricing`.
///
/// ```
/// use econ_envs::pricing::{Config, Spec};
/// use sim_core::EnvironmentSpec;
///
/// assert_eq!((Spec::ABOUT.name, Spec::ABOUT.unit), ("pricing", "share of the best profit in the last periods"));
/// let paper = Spec.suite("paper", &Config::hard())?;
/// assert_eq!((paper.len(), paper[0].size()), (12, 10));
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Spec;

sim_core::boxed_spec!(Spec);

impl EnvironmentSpec for Spec {
    const ABOUT: EnvironmentAbout = EnvironmentAbout {
        name: "pricing",
        version: 1,
        about: "set prices while hidden demand shifts by a pattern",
        unit: "share of the best profit in the last periods",
        sense: Sense::Maximise,
        ..EnvironmentAbout::DEFAULT
    };

    type Env = Pricing;
    type Config = Config;
    type Instance = Instance;

    sim_core::facade_methods!(check generate begin reference plots policies batch);

    fn presets(&self) -> Vec<Preset<Config>> {
        vec![
            Preset::new("basic", "1 product", Config::basic()),
            Preset::new("medium", "4 products in one category", Config::medium()),
            Preset::new("hard", "10 products in three categories", Config::hard()),
        ]
    }

    fn suites(&self) -> Vec<&'static str> {
        vec!["paper"]
    }

    /// `paper`: the authors' twelve instances with the number of products of `config` (1,
    /// 4 or 10).
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
