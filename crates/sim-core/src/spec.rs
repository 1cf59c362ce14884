//! One environment with everything that a runner needs: settings, generator, reference, policies.

use crate::batch::BatchEnvironment;
use crate::error::ConfigError;
use crate::notes::NoteLimits;
use crate::plot::Plot;
use crate::policy::PolicySpec;
use crate::record::EpisodeRecord;
use crate::score::{Effort, Reference, ScoreRange, Sense};
use crate::seed::Seed;
use crate::tool_interface::ToolInterface;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use std::sync::Arc;

/// One episode of a run, for which an instance is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Episode {
    /// Seed of this episode, derived from the run's seed and the number of the episode.
    pub seed: Seed,
    /// Number of the episode in the run, from 0, for settings that alternate between episodes.
    pub index: u64,
}

impl Episode {
    /// Episode `index` of the run with seed `run`. Use it in loops: different numbers give independent
    /// seeds.
    #[must_use]
    pub fn of_run(run: Seed, index: u64) -> Self {
        Self {
            seed: run.child("episode", index),
            index,
        }
    }
}

/// A named configuration.
#[derive(Debug, Clone)]
pub struct Preset<C> {
    /// Name on the command line.
    pub name: &'static str,
    /// One line of description.
    pub about: &'static str,
    /// The configuration.
    pub config: C,
}

/// One environment of the workspace: everything that the runner needs to list, draw, play and score it.
///
/// A spec is a small value; it may hold caches behind an `Arc`.
pub trait EnvironmentSpec: Clone + Send + Sync + 'static {
    /// Name on the command line (`beer-game`).
    const NAME: &'static str;
    /// Version of its numbers. Every change of a score, a draw or a reply raises it.
    const VERSION: u32;
    /// Whether higher or lower scores are better.
    const SENSE: Sense;
    /// Whether one end of the scale is better than the other. It is not for a litmus test, which describes
    /// the tendency of an agent; `SENSE` then only orders the scale.
    const IS_RANKED: bool = true;
    /// Whether summaries show `ratio` (the score over the optimum) and `solved` (whether the optimum was
    /// reached), because the source reports them. Needs an optimum above 0 and `Sense::Maximise`.
    const SHOWS_RATIO: bool = false;
    /// One line of description.
    const ABOUT: &'static str;
    /// Unit of the score (`$`, `%`).
    const UNIT: &'static str;
    /// What a score can be under every configuration. No interval of a mean reaches beyond it.
    const RANGE: ScoreRange = ScoreRange::UNLIMITED;

    /// The environment.
    type Env: ToolInterface;
    /// Settings; `Default` is the setting of the source paper. Derive `JsonSchema` and document every
    /// field, because `describe` prints the schema.
    type Config: Clone + Default + Serialize + DeserializeOwned + JsonSchema + Send + Sync;
    /// Everything that is fixed before the first action: drawn from a configuration and a seed, or read
    /// from a file.
    type Instance: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// Named settings; the first is the default.
    fn presets(&self) -> Vec<Preset<Self::Config>>;

    /// Checks a configuration.
    ///
    /// # Errors
    /// Names the field at fault and its valid range.
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

    /// Number of different instances of a configuration when they do not depend on the seed: episode `k`
    /// plays instance `k` modulo this number. `None` when instances are drawn.
    fn distinct(&self, config: &Self::Config) -> Option<u64> {
        let _ = config;
        None
    }

    /// Names of fixed lists of published instances (`paper`).
    fn suites(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// The instances of a published list for `config`, in order.
    ///
    /// # Errors
    /// When the list does not exist or holds no instances for this configuration.
    fn suite(&self, name: &str, config: &Self::Config) -> Result<Vec<Self::Instance>, ConfigError> {
        let _ = config;
        Err(ConfigError::new(
            "suite",
            format!("`{}` has no suite `{name}`", Self::NAME),
        ))
    }

    /// Checks an instance, which may come from a file, and returns the environment at its start.
    ///
    /// # Errors
    /// Names the field at fault and its valid range.
    fn begin(&self, instance: Arc<Self::Instance>) -> Result<Self::Env, ConfigError>;

    /// Limits of the notes that an agent may keep; `None` (the default) when it may keep none.
    fn notes(&self, instance: &Self::Instance) -> Option<NoteLimits> {
        let _ = instance;
        None
    }

    /// The reference that scores are measured against. May be expensive with [`Effort::Search`]; the
    /// runner caches it by instance.
    fn reference(&self, instance: &Self::Instance, effort: Effort) -> Reference;

    /// The score in this instance of the best known play that uses only what its seat observes;
    /// `None` (the default) if none is stored or found.
    ///
    /// It splits the distance of a score from a reference that knows hidden state into what that
    /// knowledge is worth and what better decisions could gain. In a single game this play may
    /// score better or worse than on average, so the score is not a bound.
    fn own_information(&self, instance: &Self::Instance, effort: Effort) -> Option<f64> {
        let _ = (instance, effort);
        None
    }

    /// The pictures of an episode, the main one first; none by default.
    ///
    /// `played` is the environment after all inputs of `record`. They show what happened, the best
    /// known play beside it, and nothing about the agent. They take milliseconds: nothing is searched
    /// that a quick reference does not search.
    fn plots(&self, played: &Self::Env, record: &EpisodeRecord) -> Vec<Plot> {
        let _ = (played, record);
        Vec::new()
    }

    /// The built-in policies.
    fn policies(&self) -> Vec<PolicySpec<Self::Env, Self::Instance>>;

    /// A batch of `lanes` lanes; `None` (the default) when there is no batch form.
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
