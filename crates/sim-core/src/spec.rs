//! A family of instances: one environment with its settings, generator, reference and players.

use crate::batch::BatchEnvironment;
use crate::error::ConfigError;
use crate::notes::NoteLimits;
use crate::policy::PolicySpec;
use crate::score::{Effort, Reference, Sense};
use crate::seed::Seed;
use crate::tool_interface::ToolInterface;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use std::sync::Arc;

/// Which episode of a run an instance is drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Episode {
    /// Chance of this episode alone: already derived from the run's seed and the number.
    pub seed: Seed,
    /// Number of the episode in the run, from 0: for settings that take turns.
    pub index: u64,
}

impl Episode {
    /// Episode `index` of the run with seed `run`.
    #[must_use]
    pub fn of_run(run: Seed, index: u64) -> Self {
        Self {
            seed: run.child("episode", index),
            index,
        }
    }
}

/// A named setting.
#[derive(Debug, Clone)]
pub struct Preset<C> {
    /// Name on the command line.
    pub name: &'static str,
    /// One line of description.
    pub about: &'static str,
    /// The setting.
    pub config: C,
}

/// One environment of the workspace: everything the runner needs to list, draw, play and judge
/// it. A family is a small value (it may hold caches behind an `Arc`).
pub trait EnvironmentSpec: Clone + Send + Sync + 'static {
    /// Name on the command line (`beer-game`).
    const NAME: &'static str;
    /// Version of its numbers: any edit that changes a score, a draw or a reply bumps it.
    const VERSION: u32;
    /// Whether larger or smaller scores are better.
    const SENSE: Sense;
    /// Whether one end of the scale is better than the other. A litmus test says how an agent
    /// leans, and ranks nobody; `SENSE` then only orders the scale.
    const IS_RANKED: bool = true;
    /// One line of description.
    const ABOUT: &'static str;
    /// Unit of the score (`$`, `%`).
    const UNIT: &'static str;

    /// The environment.
    type Env: ToolInterface;
    /// Settings; `Default` is the source paper's. Derive `JsonSchema` and document every field:
    /// `describe` shows it.
    type Config: Clone + Default + Serialize + DeserializeOwned + JsonSchema + Send + Sync;
    /// One world to play: what a configuration and a seed draw, or a file holds.
    type Instance: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// Named settings; the first is the default.
    fn presets(&self) -> Vec<Preset<Self::Config>>;

    /// Checks a configuration.
    ///
    /// # Errors
    /// Names the field at fault and what would be right.
    fn check(&self, config: &Self::Config) -> Result<(), ConfigError>;

    /// Draws the instance of an episode.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    fn generate(
        &self,
        config: &Self::Config,
        episode: Episode,
    ) -> Result<Self::Instance, ConfigError>;

    /// How many different instances a configuration has, when the seed decides nothing: episode
    /// k plays instance k modulo this number. `None` when instances are drawn.
    fn distinct(&self, config: &Self::Config) -> Option<u64> {
        let _ = config;
        None
    }

    /// Names of fixed lists of published instances (`paper`).
    fn suites(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// The instances of a published list that fit `config`, in order.
    ///
    /// # Errors
    /// When there is no such list or it has nothing for this configuration.
    fn suite(&self, name: &str, config: &Self::Config) -> Result<Vec<Self::Instance>, ConfigError> {
        let _ = config;
        Err(ConfigError::new(
            "suite",
            format!("`{}` has no suite `{name}`", Self::NAME),
        ))
    }

    /// Checks an instance (it may come from a file) and opens it at its start.
    ///
    /// # Errors
    /// Names the field at fault and what would be right.
    fn begin(&self, instance: Arc<Self::Instance>) -> Result<Self::Env, ConfigError>;

    /// The notes that an agent may keep in this instance; `None` (the default) for none.
    fn notes(&self, instance: &Self::Instance) -> Option<NoteLimits> {
        let _ = instance;
        None
    }

    /// What a score is measured against. May be expensive with [`Effort::Search`]; the runner
    /// caches it by instance.
    fn reference(&self, instance: &Self::Instance, effort: Effort) -> Reference;

    /// The built-in players.
    fn policies(&self) -> Vec<PolicySpec<Self::Env, Self::Instance>>;

    /// Many lanes stepped at once, where the family has a fast form.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    fn batch(
        &self,
        config: &Self::Config,
        lanes: usize,
        seed: Seed,
    ) -> Result<Option<Box<dyn BatchEnvironment>>, ConfigError> {
        let _ = (config, lanes, seed);
        Ok(None)
    }
}
