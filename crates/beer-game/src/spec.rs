//! The Beer Game as the runner sees it: name, presets, generator, reference and policies.
//!
//! A program that handles all environments of the workspace in one way uses [`Spec`]. One
//! that plays only this game uses [`Instance::generate`] and [`BeerGame::new`]; both ways
//! give the same episodes.
//!
//! ```
//! use beer_game::{Config, Spec};
//! use sim_core::{EnvironmentSpec, Seed};
//!
//! // Nothing is drawn in the published game: two opponents, two different games.
//! assert_eq!(Spec.distinct(&Config::paper()), Some(2));
//! assert_eq!(Spec.distinct(&Config::random()), None);
//!
//! // Batches hold games with one seat.
//! assert!(Spec.batch(&Config::paper(), 8, Seed(7))?.is_some());
//! assert!(Spec.batch(&Config::classic(), 8, Seed(7))?.is_none());
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use crate::batch::Batch;
use crate::config::{Config, Demand};
use crate::env::BeerGame;
use crate::instance::Instance;
use crate::reference;
use sim_core::{
    BatchEnvironment, ConfigError, Effort, EnvironmentAbout, EnvironmentSpec, ScoreRange, Seed,
    Sense,
};

/// Implements [`EnvironmentSpec`] for the Beer Game.
///
/// The unit of scores is one unit of the price list; lower is better. The version counts
/// changes after which the same orders in the same game give another cost or another metric.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spec;

sim_core::boxed_spec!(Spec);

impl EnvironmentSpec for Spec {
    const ABOUT: EnvironmentAbout = EnvironmentAbout {
        name: "beer-game",
        version: 2,
        about: "four-stage supply chain: order week by week, pay for stock and for backlog",
        unit: "cost",
        sense: Sense::Minimise,
        range: ScoreRange::new(0.0, f64::INFINITY),
        ..EnvironmentAbout::DEFAULT
    };

    type Env = BeerGame;
    type Config = Config;
    type Instance = Instance;

    sim_core::facade_methods!(presets check generate begin reference plots policies);

    fn distinct(&self, config: &Config) -> Option<u64> {
        match config.demand {
            // Where nothing is drawn, games differ in their opponents alone, who take turns.
            Demand::Script { .. } | Demand::Step { .. } => Some(config.opponents.len() as u64),
            Demand::DrawnStep { .. } | Demand::Uniform { .. } => None,
        }
    }

    fn own_information(&self, instance: &Instance, _effort: Effort) -> Option<f64> {
        reference::own_information(instance)
    }

    fn batch(
        &self,
        config: &Config,
        lanes: usize,
        seed: Seed,
    ) -> Result<Option<Box<dyn BatchEnvironment>>, ConfigError> {
        config.check()?;
        if config.play.controlled.len() != 1 {
            // No error: a game of several seats is played, but its seats decide in turn and a lane
            // has one action a step.
            return Ok(None);
        }
        Ok(Some(Box::new(Batch::new(config, lanes, seed)?)))
    }
}
