//! The scheduling environment as one family of the workspace.

use super::batch::SchedulingBatch;
use super::config::Config;
use super::env::Scheduling;
use super::instance::Instance;
use super::{generate, paper, policy};
use sim_core::{
    BatchEnvironment, ConfigError, Effort, EnvironmentSpec, Episode, NoteLimits, PolicySpec,
    Preset, Reference, Seed, Sense, Status,
};
use std::sync::Arc;

/// The family `scheduling`.
#[derive(Debug, Clone, Copy, Default)]
pub struct SchedulingFamily;

impl EnvironmentSpec for SchedulingFamily {
    const NAME: &'static str = "scheduling";
    const VERSION: u32 = 1;
    const SENSE: Sense = Sense::Maximise;
    const ABOUT: &'static str = "match workers to tasks under hidden preferences, from a few \
                                 blocking pairs an attempt";
    const UNIT: &'static str = "1 is stable, 0 as many blocking pairs as a random assignment";

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
                "10 workers, 1 pair shown an attempt",
                Config::basic(),
            ),
            preset(
                "medium",
                "20 workers, 2 pairs shown an attempt",
                Config::medium(),
            ),
            preset(
                "hard",
                "50 workers, 5 pairs shown an attempt",
                Config::hard(),
            ),
        ]
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        config.check()
    }

    fn generate(&self, config: &Config, episode: Episode) -> Result<Instance, ConfigError> {
        generate::generate(config, episode.seed, episode.index)
    }

    fn suites(&self) -> Vec<&'static str> {
        vec!["paper"]
    }

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
        instance.check()?;
        Ok(Scheduling::new(instance))
    }

    fn notes(&self, _instance: &Instance) -> Option<NoteLimits> {
        Some(NoteLimits::default())
    }

    fn reference(&self, _instance: &Instance, _effort: Effort) -> Reference {
        Reference {
            optimum: Some(1.0),
            bound: Some(1.0),
            baseline: Some(0.0),
            status: Status::Proven,
            method: "deferred acceptance always finds a stable assignment; the baseline is the \
                     exact mean of a random one"
                .to_owned(),
        }
    }

    fn policies(&self) -> Vec<PolicySpec<Scheduling, Instance>> {
        policy::specs()
    }

    fn batch(
        &self,
        config: &Config,
        lanes: usize,
        seed: Seed,
    ) -> Result<Option<Box<dyn BatchEnvironment>>, ConfigError> {
        Ok(Some(Box::new(SchedulingBatch::new(config, lanes, seed)?)))
    }
}
