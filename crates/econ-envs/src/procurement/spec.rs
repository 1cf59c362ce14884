//! The family: presets, generator, suite, reference, players.

use super::batch::MarketBatch;
use super::config::Config;
use super::env::Market;
use super::instance::Instance;
use super::menu::{Menu, OfferId};
use super::optimum::solve;
use super::policy::{self, Greedy};
use serde::Deserialize;
use sim_core::{
    BatchEnvironment, ConfigError, Effort, Environment as _, EnvironmentSpec, Episode, NoteLimits,
    Policy, PolicySpec, Preset, Reference, Seed, Sense, Status,
};
use std::sync::Arc;

/// The authors' markets, by level.
const PAPER: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/fixtures/procurement_paper.json"
));

/// Relaxations for a quick and for a thorough reference.
const QUICK: usize = 20_000;
const THOROUGH: usize = 2_000_000;

/// ProcurementFamily.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProcurementFamily;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Levels {
    basic: Vec<PaperMarket>,
    medium: Vec<PaperMarket>,
    hard: Vec<PaperMarket>,
}

/// An instance without its rules.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaperMarket {
    name: String,
    menu: Menu,
    effectiveness: Vec<Vec<u32>>,
    seed_plan: Vec<(OfferId, u32)>,
}

impl EnvironmentSpec for ProcurementFamily {
    const NAME: &'static str = "procurement";
    const VERSION: u32 = 1;
    const SENSE: Sense = Sense::Maximise;
    const ABOUT: &'static str =
        "buy bundles of equipment under a budget without knowing how effective they are";
    const UNIT: &'static str = "workers";

    type Env = Market;
    type Config = Config;
    type Instance = Instance;

    fn presets(&self) -> Vec<Preset<Config>> {
        vec![
            Preset {
                name: "basic",
                about: "3 categories, 12 products and offers, effectiveness 1 to 3",
                config: Config::basic(),
            },
            Preset {
                name: "medium",
                about: "5 categories, 30 products and offers, effectiveness 1 to 5",
                config: Config::medium(),
            },
            Preset {
                name: "hard",
                about: "10 categories, 100 products and offers, effectiveness 1 to 20",
                config: Config::hard(),
            },
        ]
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        config.check()
    }

    fn generate(&self, config: &Config, episode: Episode) -> Result<Instance, ConfigError> {
        Instance::generate(config, episode.seed)
    }

    fn suites(&self) -> Vec<&'static str> {
        vec!["paper"]
    }

    fn suite(&self, name: &str, config: &Config) -> Result<Vec<Instance>, ConfigError> {
        if name != "paper" {
            return Err(ConfigError::new(
                "suite",
                format!("`{name}` is no suite; there is paper"),
            ));
        }
        config.check()?;
        let levels: Levels = serde_json::from_str(PAPER)
            .map_err(|e| ConfigError::new("suite", format!("the stored markets: {e}")))?;
        // The rules may be any; the market must be that of a level.
        let plain = Config {
            rules: Default::default(),
            ..config.clone()
        };
        let markets = match plain {
            _ if plain == Config::basic() => levels.basic,
            _ if plain == Config::medium() => levels.medium,
            _ if plain == Config::hard() => levels.hard,
            _ => {
                return Err(ConfigError::new(
                    "suite",
                    "the authors' markets are those of the presets basic, medium and hard; only \
                     `rules` may differ",
                ));
            }
        };
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

    fn begin(&self, instance: Arc<Instance>) -> Result<Market, ConfigError> {
        Market::new(instance)
    }

    fn notes(&self, _: &Instance) -> Option<NoteLimits> {
        Some(NoteLimits::default())
    }

    fn reference(&self, instance: &Instance, effort: Effort) -> Reference {
        let relaxations = match effort {
            Effort::Quick => QUICK,
            Effort::Search => THOROUGH,
        };
        let optimum = solve(instance, relaxations);
        let checked = optimum.certificate.verify(instance, &optimum.plan);
        let proven = optimum.is_proven() && checked.is_ok();
        Reference {
            optimum: Some(optimum.workers),
            bound: optimum.bound(),
            baseline: greedy_value(instance),
            status: if proven {
                Status::Proven
            } else {
                Status::BestKnown
            },
            method: "branch and bound with a certificate that is re-checked".to_owned(),
        }
    }

    fn policies(&self) -> Vec<PolicySpec<Market, Instance>> {
        policy::all()
    }

    fn batch(
        &self,
        config: &Config,
        lanes: usize,
        seed: Seed,
    ) -> Result<Option<Box<dyn BatchEnvironment>>, ConfigError> {
        Ok(Some(Box::new(MarketBatch::new(config, lanes, seed)?)))
    }
}

/// Largest product of periods, offers and categories for which the greedy player is run for a baseline:
/// a hundred times that of the largest published level.
const MOST_PLAYED: usize = 10_000_000;

/// The score of the greedy player; `None` if running it is too much work.
fn greedy_value(instance: &Instance) -> Option<f64> {
    let periods = usize::try_from(instance.rules.periods).ok()?;
    let sizes = [instance.menu.offers.len(), instance.menu.categories()];
    let work = sizes.into_iter().fold(periods, usize::saturating_mul);
    if work > MOST_PLAYED {
        return None;
    }
    let mut market = Market::new(Arc::new(instance.clone())).ok()?;
    while !market.is_over() {
        let plan = Greedy.act(&market.observe());
        market.step(&plan).ok()?;
    }
    market.score().ok().map(|score| score.value())
}
