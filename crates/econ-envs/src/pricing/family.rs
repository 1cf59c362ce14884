//! The pricing environment as one family of the workspace.

use super::batch::PricingBatch;
use super::config::Config;
use super::environment::Pricing;
use super::instance::Instance;
use super::{generate, paper, policy};
use sim_core::{
    BatchEnvironment, ConfigError, Effort, EnvironmentSpec, Episode, NoteLimits, PolicySpec,
    Preset, Reference, Seed, Sense, Status,
};
use std::sync::Arc;

/// The family `pricing`.
#[derive(Debug, Clone, Copy, Default)]
pub struct PricingFamily;

impl EnvironmentSpec for PricingFamily {
    const NAME: &'static str = "pricing";
    const VERSION: u32 = 1;
    const SENSE: Sense = Sense::Maximise;
    const ABOUT: &'static str = "set prices while hidden demand shifts by a pattern";
    const UNIT: &'static str = "share of the best profit in the last periods";

    type Env = Pricing;
    type Config = Config;
    type Instance = Instance;

    fn presets(&self) -> Vec<Preset<Config>> {
        let preset = |name, about, config| Preset {
            name,
            about,
            config,
        };
        vec![
            preset("basic", "1 product", Config::basic()),
            preset("medium", "4 products in one category", Config::medium()),
            preset("hard", "10 products in three categories", Config::hard()),
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
                format!("`pricing` has no suite `{name}`; there is paper"),
            )),
        }
    }

    fn begin(&self, instance: Arc<Instance>) -> Result<Pricing, ConfigError> {
        instance.check()?;
        Ok(Pricing::new(instance))
    }

    fn notes(&self, _instance: &Instance) -> Option<NoteLimits> {
        Some(NoteLimits::default())
    }

    fn reference(&self, instance: &Instance, _effort: Effort) -> Reference {
        let best = instance.optimum();
        // Each recorded profit is off by at most half a cent.
        let rounding = 0.005 * f64::from(instance.config.products) / best.profit;
        Reference {
            optimum: Some(1.0),
            bound: Some(1.0 + rounding),
            baseline: None,
            status: Status::Proven,
            method: "closed form by Lambert's W; the bound adds the rounding of the record"
                .to_owned(),
        }
    }

    fn policies(&self) -> Vec<PolicySpec<Pricing, Instance>> {
        policy::specs()
    }

    fn batch(
        &self,
        config: &Config,
        lanes: usize,
        seed: Seed,
    ) -> Result<Option<Box<dyn BatchEnvironment>>, ConfigError> {
        Ok(Some(Box::new(PricingBatch::new(config, lanes, seed)?)))
    }
}
