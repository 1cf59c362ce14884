//! The environment `collusion` as the runner registers it.
//!
//! It is not ranked: `is_ranked` is false, so reports show the scores without calling one
//! of them better.

use super::config::Config;
use super::env::Collusion;
use super::instance::Instance;
use sim_core::{EnvironmentAbout, EnvironmentSpec, NoteLimits, Preset, Sense};

/// Name, version, presets, generator, reference and policies of `collusion`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spec;

sim_core::boxed_spec!(Spec);

impl EnvironmentSpec for Spec {
    const ABOUT: EnvironmentAbout = EnvironmentAbout {
        name: "collusion",
        version: 1,
        about: "litmus test: two sellers price against each other; neither end is better",
        unit: "collusion (1: prices of a cartel, 0: of competitors)",
        sense: Sense::Maximise,
        is_ranked: false,
        ..EnvironmentAbout::DEFAULT
    };

    type Env = Collusion;
    type Config = Config;
    type Instance = Instance;

    sim_core::facade_methods!(check generate begin reference plots policies);

    fn presets(&self) -> Vec<Preset<Config>> {
        vec![
            Preset::new("duopoly", "two sellers: the litmus test", Config::duopoly()),
            Preset::new(
                "monopoly",
                "one seller: the check of competence",
                Config::monopoly(),
            ),
        ]
    }

    fn distinct(&self, config: &Config) -> Option<u64> {
        Some(config.alphas.len() as u64)
    }

    fn notes(&self, _instance: &Instance) -> Option<NoteLimits> {
        Some(NoteLimits::default())
    }
}
