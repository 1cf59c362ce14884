//! The twelve instances per level on which the authors report.
//!
//! Rankings are stored as text, one character per agent, which takes much less space than
//! lists of numbers.

use super::config::{Config, PreferenceFamily};
use super::instance::Instance;
use super::preferences::Preferences;
use crate::protocol::{level_of, paper_level};
use serde::Deserialize;
use sim_core::{ConfigError, Seed};

/// Rankings made by the authors' program with its seeds 0 to 11; see `fixtures/README.md`.
const TEXT: &str = include_str!("../../fixtures/scheduling_paper.json");

/// The characters that encode agents 0, 1, 2 ... in a ranking.
const SIGNS: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    seed: u64,
    family: PreferenceFamily,
    workers: Vec<String>,
    tasks: Vec<String>,
}

/// The twelve instances of the level with the number of workers of `config`; the other rules of
/// `config` are kept.
///
/// # Errors
/// When no level has that number of workers.
pub(super) fn instances(config: &Config) -> Result<Vec<Instance>, ConfigError> {
    config.check()?;
    let level = level_of("workers", [10, 20, 50], config.workers)?;
    paper_level::<Written>(TEXT, level)?
        .into_iter()
        .map(|w| {
            let preferences = Preferences {
                workers: read(&w.workers),
                tasks: read(&w.tasks),
            };
            let instance = Instance {
                config: config.clone(),
                family: w.family,
                preferences,
                feedback_seed: Seed(w.seed),
            };
            instance.check().map(|()| instance)
        })
        .collect()
}

fn read(rankings: &[String]) -> Vec<Vec<u16>> {
    let sign = |c: char| {
        (0_u16..)
            .zip(SIGNS.chars())
            .find(|s| s.1 == c)
            // A character that encodes nobody becomes a number that `check` refuses by its place.
            .map_or(u16::MAX, |s| s.0)
    };
    rankings
        .iter()
        .map(|ranking| ranking.chars().map(sign).collect())
        .collect()
}
