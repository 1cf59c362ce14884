//! The environment `collusion` as the runner registers it.
//!
//! It is not ranked: `IS_RANKED` is false, so reports show the scores without calling one
//! of them better.

use super::config::Config;
use super::env::Collusion;
use super::instance::Instance;
use sim_core::{EnvironmentSpec, NoteLimits, Preset, Sense};

/// Name, version, presets, generator, reference and policies of `collusion`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spec;

sim_core::boxed_spec!(Spec);

impl EnvironmentSpec for Spec {
    const NAME: &'static str = "collusion";
    const VERSION: u32 = 1;
    const SENSE: Sense = Sense::Maximise;
    const IS_RANKED: bool = false;
    const ABOUT: &'static str =
        "litmus test: two sellers price against each other; neither end is better";
    const UNIT: &'static str = "collusion (1: prices of a cartel, 0: of competitors)";

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
