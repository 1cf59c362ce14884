//! One environment with everything that a runner needs: settings, generator, reference, policies.

use crate::batch::BatchEnvironment;
use crate::bytes::Digest;
use crate::environment::Environment;
use crate::error::ConfigError;
use crate::notes::NoteLimits;
use crate::plot::Plot;
use crate::policy::{Policy, PolicyContext, PolicySpec};
use crate::record::EpisodeRecord;
use crate::score::{Effort, Reference, ScoreRange, Sense};
use crate::seed::Seed;
use crate::tool_interface::ToolInterface;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
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

impl<C> Preset<C> {
    /// The preset `name`, described by `about`.
    pub fn new(name: &'static str, about: &'static str, config: C) -> Self {
        Self {
            name,
            about,
            config,
        }
    }

    /// The configuration of the preset `name`; `None` when `presets` has no such preset.
    #[must_use]
    pub fn find(presets: Vec<Self>, name: &str) -> Option<C> {
        let mut presets = presets.into_iter();
        presets
            .find(|preset| preset.name == name)
            .map(|preset| preset.config)
    }
}

/// The policy `name` of the list `specs` of `environment`, with its argument after a colon.
pub(crate) fn make_named<E: Environment, I>(
    environment: &str,
    specs: &[PolicySpec<E, I>],
    name: &str,
    context: &PolicyContext<'_, I>,
) -> Result<Box<dyn Policy<E>>, ConfigError> {
    // At the first colon only: an argument may have more of them.
    let (name, argument) = match name.split_once(':') {
        Some((name, argument)) => (name, Some(argument)),
        None => (name, context.argument),
    };
    let Some(spec) = specs.iter().find(|spec| spec.about.name == name) else {
        let names: Vec<&str> = specs.iter().map(|spec| spec.about.name).collect();
        let names = names.join(", ");
        return Err(ConfigError::new(
            "agent",
            format!("`{environment}` has no policy `{name}`; there are {names}"),
        ));
    };
    spec.make(PolicyContext {
        argument,
        ..*context
    })
}

/// Writes the methods of an [`EnvironmentSpec`] that only call the facade of their simulator.
///
/// For a spec in a module `spec` beside `plots`, under a root that exports the facade. The names say which
/// methods are written; a spec writes the others itself.
///
/// | name | calls |
/// |---|---|
/// | `presets` | `Config::presets()` |
/// | `check` | `config.check()` |
/// | `generate` | `Instance::generate(config, episode)` |
/// | `begin` | `Env::new(instance)` |
/// | `reference` | `reference(instance, effort)` |
/// | `plots` | `plots::plots(played)` |
/// | `policies` | `policies()` |
/// | `batch` | `Batch::new(config, lanes, seed)` |
// A macro, because each name is another item in each simulator: a function cannot call an item by its name.
#[macro_export]
macro_rules! facade_methods {
    () => {};
    (presets $($more:ident)*) => {
        fn presets(&self) -> ::std::vec::Vec<$crate::Preset<Self::Config>> {
            <Self::Config>::presets()
        }
        $crate::facade_methods!($($more)*);
    };
    (check $($more:ident)*) => {
        fn check(&self, config: &Self::Config) -> ::std::result::Result<(), $crate::ConfigError> {
            config.check()
        }
        $crate::facade_methods!($($more)*);
    };
    (generate $($more:ident)*) => {
        fn generate(
            &self,
            config: &Self::Config,
            episode: $crate::Episode,
        ) -> ::std::result::Result<Self::Instance, $crate::ConfigError> {
            <Self::Instance>::generate(config, episode)
        }
        $crate::facade_methods!($($more)*);
    };
    (begin $($more:ident)*) => {
        fn begin(
            &self,
            instance: ::std::sync::Arc<Self::Instance>,
        ) -> ::std::result::Result<Self::Env, $crate::ConfigError> {
            <Self::Env>::new(instance)
        }
        $crate::facade_methods!($($more)*);
    };
    (reference $($more:ident)*) => {
        fn reference(&self, instance: &Self::Instance, effort: $crate::Effort) -> $crate::Reference {
            super::reference(instance, effort)
        }
        $crate::facade_methods!($($more)*);
    };
    (plots $($more:ident)*) => {
        fn plots(
            &self,
            played: &Self::Env,
            _record: &$crate::EpisodeRecord,
        ) -> ::std::vec::Vec<$crate::Plot> {
            super::plots::plots(played)
        }
        $crate::facade_methods!($($more)*);
    };
    (policies $($more:ident)*) => {
        fn policies(&self) -> ::std::vec::Vec<$crate::PolicySpec<Self::Env, Self::Instance>> {
            super::policies()
        }
        $crate::facade_methods!($($more)*);
    };
    (batch $($more:ident)*) => {
        fn batch(
            &self,
            config: &Self::Config,
            lanes: usize,
            seed: $crate::Seed,
        ) -> ::std::result::Result<
            ::std::option::Option<::std::boxed::Box<dyn $crate::BatchEnvironment>>,
            $crate::ConfigError,
        > {
            let batch = super::Batch::new(config, lanes, seed)?;
            ::std::result::Result::Ok(::std::option::Option::Some(::std::boxed::Box::new(batch)))
        }
        $crate::facade_methods!($($more)*);
    };
}

/// The facts of an environment: every list, record and page takes them from here.
///
/// ```
/// use sim_core::{EnvironmentAbout, ScoreRange, Sense};
///
/// const ABOUT: EnvironmentAbout = EnvironmentAbout {
///     name: "newsvendor",
///     version: 1,
///     about: "buy papers in the morning without knowing the demand of the day",
///     unit: "$",
///     ..EnvironmentAbout::DEFAULT
/// };
/// assert_eq!((ABOUT.sense, ABOUT.range), (Sense::Maximise, ScoreRange::UNLIMITED));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnvironmentAbout {
    /// Name on the command line (`beer-game`).
    pub name: &'static str,
    /// Version of its numbers. Every change of a score, a draw or a reply raises it.
    pub version: u32,
    /// One line of description.
    pub about: &'static str,
    /// Unit of the score (`$`, `%`).
    pub unit: &'static str,
    /// Whether higher or lower scores are better.
    pub sense: Sense,
    /// Whether one end of the scale is better than the other. It is not for a litmus test, which describes
    /// the tendency of an agent; `sense` then only orders the scale.
    pub is_ranked: bool,
    /// Whether summaries show `ratio` (the score over the optimum) and `solved` (whether the optimum was
    /// reached), because the source reports them. Needs an optimum above 0 and `Sense::Maximise`.
    pub shows_ratio: bool,
    /// What a score can be under every configuration. No interval of a mean reaches beyond it.
    pub range: ScoreRange,
}

impl EnvironmentAbout {
    /// What most environments have in common: higher scores are better, and every number can be a score. Name, version,
    /// description and unit are each environment's own.
    pub const DEFAULT: Self = Self {
        name: "",
        version: 1,
        about: "",
        unit: "",
        sense: Sense::Maximise,
        is_ranked: true,
        shows_ratio: false,
        range: ScoreRange::UNLIMITED,
    };
}

/// One environment of the workspace: everything that the runner needs to list, draw, play and score it.
///
/// A spec is a small value; it may hold caches behind an `Arc`.
pub trait EnvironmentSpec: Clone + Send + Sync + 'static {
    /// Its facts.
    const ABOUT: EnvironmentAbout;

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

    /// Names of fixed lists of instances (`paper`).
    fn suites(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// The instances of a published list for `config`, in order.
    ///
    /// # Errors
    /// When the list does not exist or holds no instances for this configuration.
    fn suite(&self, name: &str, config: &Self::Config) -> Result<Vec<Self::Instance>, ConfigError> {
        let _ = config;
        Err(self.no_suite(name))
    }

    /// The error of a list that does not exist.
    fn no_suite(&self, name: &str) -> ConfigError {
        let mut message = format!("`{}` has no suite `{name}`", Self::ABOUT.name);
        let suites = self.suites();
        if !suites.is_empty() {
            message += &format!("; there is {}", suites.join(", "));
        }
        ConfigError::new("suite", message)
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

    /// The agents of the seats that are not under test, by seat, unless a run names others: `interviewer` is played by
    /// `rules`. Empty (the default) where all seats are under test.
    fn cast(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// What distinguishes an instance in tables, by name, such as the task and the identifier of a question; empty (the
    /// default) where nothing does but its digest.
    fn labels(&self, instance: &Self::Instance) -> Vec<(&'static str, String)> {
        let _ = instance;
        Vec::new()
    }

    /// The group of an instance: memories learn from one instance for the next in its group only, and figures are those
    /// of a group. `None` (the default) where all instances are one group.
    fn group(&self, instance: &Self::Instance) -> Option<String> {
        let _ = instance;
        None
    }

    /// Digest of what two runs must have in common to be compared on an instance, where that is less than the whole
    /// instance: the same question with other examples in its prompt. `None` (the default) for the whole.
    fn compared_by(&self, instance: &Self::Instance) -> Option<Digest> {
        let _ = instance;
        None
    }

    /// Figures over the finished episodes `played` that are not means of scores, such as ROUGE of a set of answers, as
    /// one JSON object for each group; `None` (the default) where there are none.
    fn figures(&self, played: &[&Self::Env]) -> Option<Vec<Value>> {
        let _ = played;
        None
    }

    /// The built-in policies.
    fn policies(&self) -> Vec<PolicySpec<Self::Env, Self::Instance>>;

    /// The built-in policy `name`; the text after a colon (`constant:400`) replaces the argument of
    /// `context`.
    ///
    /// # Errors
    /// When there is no such policy, its argument is wrong, or the instance does not suit it.
    fn make_policy(
        &self,
        name: &str,
        context: PolicyContext<'_, Self::Instance>,
    ) -> Result<Box<dyn Policy<Self::Env>>, ConfigError> {
        make_named(Self::ABOUT.name, &self.policies(), name, &context)
    }

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
