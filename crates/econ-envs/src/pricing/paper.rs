//! The twelve instances per level on which the authors report.
//!
//! Only the drawn numbers are stored; rules and laws come from the configuration. The
//! numbers are those of the authors' generator, which cannot be repeated with the streams
//! of this project.

use super::config::Config;
use super::instance::{Instance, Shift};
use crate::protocol::{level_of, paper_level};
use serde::Deserialize;
use sim_core::ConfigError;

/// Parameters drawn by the authors' program with its seeds 0 to 11; see `fixtures/README.md`.
const TEXT: &str = include_str!("../../fixtures/pricing_paper.json");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(rename = "seed")]
    _seed: u64,
    costs: Vec<f64>,
    quality: Vec<f64>,
    groups: Vec<u16>,
    alpha: Vec<f64>,
    shift: Kind,
    size: Vec<f64>,
    period_length: u32,
    ceiling_factor: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Linear,
    Periodic,
}

/// The twelve instances of the level with the number of products of `config`; the other rules of
/// `config` are kept.
///
/// # Errors
/// When no level has that number of products.
pub(super) fn instances(config: &Config) -> Result<Vec<Instance>, ConfigError> {
    config.check()?;
    let level = level_of("products", [1, 4, 10], config.products)?;
    paper_level::<Written>(TEXT, level)?
        .into_iter()
        .map(|w| {
            let shift = match w.shift {
                Kind::Linear => Shift::Linear { steps: w.size },
                Kind::Periodic => Shift::Periodic {
                    amplitudes: w.size,
                    length: w.period_length,
                },
            };
            let instance = Instance {
                config: config.clone(),
                costs: w.costs,
                quality: w.quality,
                categories: w.groups,
                alpha: w.alpha,
                shift,
                ceiling_factor: w.ceiling_factor,
            };
            instance.check().map(|()| instance)
        })
        .collect()
}
