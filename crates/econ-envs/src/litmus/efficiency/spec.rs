//! The environment `efficiency-equality` as the runner registers it.
//!
//! It is not ranked (`IS_RANKED` is false): one spec serves all goals, and with both of
//! them neither end of the scale is better.

use super::config::{Config, Goal};
use super::env::Efficiency;
use super::instance::Instance;
use super::{plots, policy};
use sim_core::{
    ConfigError, DynEnvironmentSpec, Effort, EnvironmentSpec, Episode, EpisodeRecord, NoteLimits,
    Plot, PolicySpec, Preset, Reference, ScoreRange, Sense,
};
use std::sync::Arc;

/// Name, version, presets, generator, reference and policies of `efficiency-equality`.
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
    const NAME: &'static str = "efficiency-equality";
    const VERSION: u32 = 1;
    const SENSE: Sense = Sense::Maximise;
    const IS_RANKED: bool = false;
    const ABOUT: &'static str =
        "litmus test: assign tasks where revenue and equal pay conflict; neither end is better";
    const UNIT: &'static str = "1 all for revenue, 0 all for equal pay";
    const RANGE: ScoreRange = ScoreRange::SHARE;

    type Env = Efficiency;
    type Config = Config;
    type Instance = Instance;

    fn presets(&self) -> Vec<Preset<Config>> {
        let preset = |name, about, goal| Preset {
            name,
            about,
            config: Config::with_goal(goal),
        };
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

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        config.check()
    }

    fn generate(&self, config: &Config, episode: Episode) -> Result<Instance, ConfigError> {
        Instance::generate(config, episode)
    }

    fn begin(&self, instance: Arc<Instance>) -> Result<Efficiency, ConfigError> {
        Efficiency::new(instance)
    }

    fn notes(&self, _instance: &Instance) -> Option<NoteLimits> {
        Some(NoteLimits::default())
    }

    fn reference(&self, instance: &Instance, effort: Effort) -> Reference {
        super::reference(instance, effort)
    }

    fn plots(&self, played: &Efficiency, _record: &EpisodeRecord) -> Vec<Plot> {
        plots::plots(played)
    }

    fn policies(&self) -> Vec<PolicySpec<Efficiency, Instance>> {
        policy::policies()
    }
}
