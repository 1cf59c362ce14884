//! The CEO environment as the runner sees it: name, presets, generator, reference and policies.
//!
//! [`Spec`] serves programs that handle all environments of the workspace alike. A
//! program that plays only this one uses [`Instance::generate`] and
//! [`CeoReallocation::new`]; both ways give the same episodes.

use crate::batch::Batch;
use crate::config::{Config, Visibility};
use crate::env::CeoReallocation;
use crate::instance::Instance;
use crate::plots;
use crate::scenario::AUTHORED_IDS;
use sim_core::{
    BatchEnvironment, ConfigError, EnvironmentAbout, EnvironmentSpec, Episode, EpisodeRecord, Plot,
    ScoreRange, Seed, Sense,
};

/// Implements [`EnvironmentSpec`] for the CEO environment.
///
/// The name on the command line is `ceo`, the unit of the score is points, higher is
/// better.
///
/// ```
/// use ceo_reallocation::{Config, Spec};
/// use sim_core::EnvironmentSpec;
///
/// assert_eq!(Spec::ABOUT.name, "ceo");
/// assert_eq!(Spec.presets().len(), 15);
/// assert_eq!(Spec.distinct(&Config::default()), Some(13));
/// assert_eq!(Spec.distinct(&Config::generated()), None);
/// assert_eq!(Spec.suite("authored", &Config::default()).map(|list| list.len()), Ok(13));
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Spec;

sim_core::boxed_spec!(Spec);

impl EnvironmentSpec for Spec {
    const ABOUT: EnvironmentAbout = EnvironmentAbout {
        name: "ceo",
        version: 1,
        about: "move capital between business units against four advisors who contradict each other",
        unit: "points",
        sense: Sense::Maximise,
        range: ScoreRange::new(0.0, 100.0),
        ..EnvironmentAbout::DEFAULT
    };

    type Env = CeoReallocation;
    type Config = Config;
    type Instance = Instance;

    sim_core::facade_methods!(presets check generate begin reference policies);

    /// 13 for `all`, 1 for a named scenario, `None` for generated companies and for
    /// rolling mode with noise.
    fn distinct(&self, config: &Config) -> Option<u64> {
        config.distinct()
    }

    fn suites(&self) -> Vec<&'static str> {
        vec!["authored"]
    }

    /// `authored`: the 13 scenarios in the order of [`AUTHORED_IDS`], each under
    /// `config`.
    fn suite(&self, name: &str, config: &Config) -> Result<Vec<Instance>, ConfigError> {
        if name != "authored" {
            return Err(ConfigError::new(
                "suite",
                format!(
                    "`ceo` has no suite `{}`; there is authored (the authors' own scenarios have no \
                     licence and are not part of this project)",
                    sim_core::error::clip(name)
                ),
            ));
        }
        AUTHORED_IDS
            .into_iter()
            .map(|id| {
                let config = Config {
                    scenario: id.to_owned(),
                    ..config.clone()
                };
                Instance::generate(&config, Episode::of_run(Seed(0), 0))
            })
            .collect()
    }

    fn plots(&self, played: &CeoReallocation, record: &EpisodeRecord) -> Vec<Plot> {
        plots::plots(played, record)
    }

    /// `None` in deliberation, whose reports are text.
    fn batch(
        &self,
        config: &Config,
        lanes: usize,
        seed: Seed,
    ) -> Result<Option<Box<dyn BatchEnvironment>>, ConfigError> {
        config.check()?;
        if config.visibility == Visibility::Deliberation {
            // `Batch::new` tells a caller who asked for lanes why there are none; here the answer
            // is that this configuration has no batch form.
            return Ok(None);
        }
        Batch::new(config, lanes, seed)
            .map(|batch| Some(Box::new(batch) as Box<dyn BatchEnvironment>))
    }
}
