//! The family.

use super::config::{Config, Goal};
use super::env::EfficiencyEquality;
use super::instance::{Instance, generate};
use super::policy;
use sim_core::{
    ConfigError, Effort, EnvironmentSpec, Episode, NoteLimits, PolicySpec, Preset, Reference,
    Sense, Status,
};
use std::sync::Arc;

/// The family `efficiency-equality`.
#[derive(Debug, Clone, Copy, Default)]
pub struct EfficiencyFamily;

impl EnvironmentSpec for EfficiencyFamily {
    const NAME: &'static str = "efficiency-equality";
    const VERSION: u32 = 1;
    const SENSE: Sense = Sense::Maximise;
    const IS_RANKED: bool = false;
    const ABOUT: &'static str =
        "litmus test: assign tasks where revenue and equal pay conflict; neither end is better";
    const UNIT: &'static str = "1 all for revenue, 0 all for equal pay";

    type Env = EfficiencyEquality;
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
        generate(config, episode.seed)
    }

    fn begin(&self, instance: Arc<Instance>) -> Result<EfficiencyEquality, ConfigError> {
        instance.check()?;
        Ok(EfficiencyEquality::new(instance))
    }

    fn notes(&self, _instance: &Instance) -> Option<NoteLimits> {
        Some(NoteLimits::default())
    }

    fn reference(&self, instance: &Instance, _effort: Effort) -> Reference {
        match instance.config.goal {
            Goal::Both => Reference::none(),
            Goal::Efficiency | Goal::Equality => Reference {
                optimum: Some(1.0),
                bound: Some(1.0),
                baseline: None,
                status: Status::Proven,
                method: "sorting sizes to productivities; equal pay by construction".to_owned(),
            },
        }
    }

    fn policies(&self) -> Vec<PolicySpec<EfficiencyEquality, Instance>> {
        policy::specs()
    }
}
