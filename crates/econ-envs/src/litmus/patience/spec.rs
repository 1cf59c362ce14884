//! The environment `patience` as the runner registers it.
//!
//! It is not ranked: a high rate is neither better nor worse than a low one.

use super::config::Config;
use super::env::Patience;
use super::instance::Instance;
use sim_core::{EnvironmentAbout, EnvironmentSpec, Preset, ScoreRange, Sense};

/// Name, version, presets, generator, reference and policies of `patience`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spec;

sim_core::boxed_spec!(Spec);

impl EnvironmentSpec for Spec {
    const ABOUT: EnvironmentAbout = EnvironmentAbout {
        name: "patience",
        version: 1,
        about: "litmus test: $100 now or more later; the yearly discount rate, neither end is better",
        unit: "% a year",
        sense: Sense::Minimise,
        is_ranked: false,
        range: ScoreRange::new(0.0, 20.0),
        ..EnvironmentAbout::DEFAULT
    };

    type Env = Patience;
    type Config = Config;
    type Instance = Instance;

    sim_core::facade_methods!(check generate begin reference plots policies);

    fn presets(&self) -> Vec<Preset<Config>> {
        vec![
            Preset::new("paper", "240 amounts, 20 questions each", Config::paper()),
            Preset::new(
                "short",
                "every fifth amount, once in each order: 96 questions",
                Config::short(),
            ),
        ]
    }

    fn distinct(&self, _config: &Config) -> Option<u64> {
        Some(1)
    }
}
