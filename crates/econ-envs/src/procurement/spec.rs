//! The environment `procurement` as the runner registers it.

use super::config::Config;
use super::env::Procurement;
use super::instance::Instance;
use super::menu::{Menu, OfferId};
use crate::protocol::paper_level;
use serde::Deserialize;
use sim_core::{
    ConfigError, EnvironmentAbout, EnvironmentSpec, NoteLimits, Preset, ScoreRange, Sense,
};
use std::sync::Arc;

/// The authors' markets, by level.
const PAPER: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/fixtures/procurement_paper.json"
));

/// Name, version, presets, generator, suite, reference, policies and batch of `procurement`.
///
/// ```
/// use econ_envs::procurement::{Config, Spec};
/// use sim_core::EnvironmentSpec;
///
/// let paper = Spec.suite("paper", &Config::medium())?;
/// assert_eq!((paper.len(), paper[0].name.as_deref()), (12, Some("MEDIUM_0")));
/// // The suite fixes the markets, so other settings than the rules must be those of a preset.
/// let other = Config { max_effectiveness: 9, ..Config::medium() };
/// assert!(Spec.suite("paper", &other).is_err());
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Spec;

/// An instance without its rules.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaperMarket {
    name: String,
    menu: Menu,
    effectiveness: Vec<Vec<u32>>,
    seed_plan: Vec<(OfferId, u32)>,
}

sim_core::boxed_spec!(Spec);

impl EnvironmentSpec for Spec {
    const ABOUT: EnvironmentAbout = EnvironmentAbout {
        name: "procurement",
        version: 2,
        about: "buy bundles of equipment under a budget without knowing how effective they are",
        unit: "workers",
        sense: Sense::Maximise,
        shows_ratio: true,
        range: ScoreRange::new(0.0, f64::INFINITY),
        ..EnvironmentAbout::DEFAULT
    };

    type Env = Procurement;
    type Config = Config;
    type Instance = Instance;

    sim_core::facade_methods!(check generate begin reference plots policies batch);

    fn presets(&self) -> Vec<Preset<Config>> {
        vec![
            Preset::new(
                "basic",
                "3 categories, 12 products and offers, effectiveness 1 to 3",
                Config::basic(),
            ),
            Preset::new(
                "medium",
                "5 categories, 30 products and offers, effectiveness 1 to 5",
                Config::medium(),
            ),
            Preset::new(
                "hard",
                "10 categories, 100 products and offers, effectiveness 1 to 20",
                Config::hard(),
            ),
        ]
    }

    fn suites(&self) -> Vec<&'static str> {
        vec!["paper"]
    }

    /// `paper`: the authors' twelve markets of the preset that `config` equals, apart
    /// from its rules.
    fn suite(&self, name: &str, config: &Config) -> Result<Vec<Instance>, ConfigError> {
        if name != "paper" {
            return Err(self.no_suite(name));
        }
        config.check()?;
        // The suite fixes the market, not the rules.
        let plain = Config {
            rules: Default::default(),
            ..config.clone()
        };
        let mut levels = [Config::basic(), Config::medium(), Config::hard()].into_iter();
        let Some(level) = levels.position(|level| level == plain) else {
            return Err(ConfigError::new(
                "suite",
                "the authors' markets are those of the presets basic, medium and hard; only \
                 `rules` may differ",
            ));
        };
        let markets = paper_level(PAPER, level)?;
        let instance = |market: PaperMarket| Instance {
            name: Some(market.name),
            rules: config.rules.clone(),
            menu: Arc::new(market.menu),
            effectiveness: market.effectiveness,
            max_effectiveness: config.max_effectiveness,
            seed_plan: market.seed_plan,
        };
        Ok(markets.into_iter().map(instance).collect())
    }

    fn notes(&self, _: &Instance) -> Option<NoteLimits> {
        Some(NoteLimits::default())
    }
}
