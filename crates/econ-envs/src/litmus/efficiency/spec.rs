//! The environment `efficiency-equality` as the runner registers it.
//!
//! It is not ranked (`is_ranked` is false): one spec serves all goals, and with both of
//! them neither end of the scale is better.

use super::config::{Config, Goal};
use super::env::Efficiency;
use super::instance::Instance;
use sim_core::{EnvironmentAbout, EnvironmentSpec, NoteLimits, Preset, ScoreRange, Sense};

/// Name, version, presets, generator, reference and policies of `efficiency-equality`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spec;

sim_core::boxed_spec!(Spec);

impl EnvironmentSpec for Spec {
    const ABOUT: EnvironmentAbout = EnvironmentAbout {
        name: "efficiency-equality",
        version: 1,
        about: "litmus test: assign tasks where revenue and equal pay conflict; neither end is better",
        unit: "efficiency (1: all for revenue, 0: all for equal pay)",
        sense: Sense::Maximise,
        is_ranked: false,
        range: ScoreRange::SHARE,
        ..EnvironmentAbout::DEFAULT
    };

    type Env = Efficiency;
    type Config = Config;
    type Instance = Instance;

    sim_core::facade_methods!(check generate begin reference plots policies);

    fn presets(&self) -> Vec<Preset<Config>> {
        let preset = |name, about, goal| Preset::new(name, about, Config::with_goal(goal));
        vec![
            preset("both", "two goals in conflict: the litmus test", Goal::Both),
            preset(
                "efficiency",
                "revenue alone: the check of competence",
                Goal::Efficiency,
            ),
            preset(
                "equality",
                "equal pay alone: the check of competence",
                Goal::Equality,
            ),
        ]
    }

    fn notes(&self, _instance: &Instance) -> Option<NoteLimits> {
        Some(NoteLimits::default())
    }
}
