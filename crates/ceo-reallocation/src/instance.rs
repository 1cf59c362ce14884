//! One instance to play: a scenario, its company, and its settings.
//!
//! ```
//! use ceo_reallocation::{Config, Instance};
//! use sim_core::{Episode, Seed};
//!
//! // `all` takes the authored scenarios in turn, by the number of the episode.
//! let first = Instance::generate(&Config::default(), Episode::of_run(Seed(5), 0))?;
//! let again = Instance::generate(&Config::default(), Episode::of_run(Seed(5), 13))?;
//! assert_eq!(first.scenario.id, "C1-R1");
//! assert_eq!(first, again);
//! assert_eq!(Instance::authored("C7-R3").map(|i| i.company.name), Some("Vantage Home".to_owned()));
//!
//! // An instance is plain data: stored as JSON, it reads back equal.
//! let text = serde_json::to_string(&first)?;
//! assert_eq!(serde_json::from_str::<Instance>(&text)?, first);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::config::{ALL, Config, GENERATED};
use crate::generator::generate;
use crate::scenario::{AUTHORED_IDS, CatalogueCompany, Scenario, authored};
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Episode, Seed};

/// One instance to play. It holds everything that an episode needs, the seed of its noise included.
///
/// A scenario of your own is an instance too: fill the fields, and
/// [`CeoReallocation::new`](crate::CeoReallocation::new) checks them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The first decision.
    pub scenario: Scenario,
    /// The company; its drift matters in rolling mode.
    pub company: CatalogueCompany,
    /// Settings of the episode. `scenario` and `generator` in it only record the origin.
    #[serde(default)]
    pub config: Config,
    /// Chance of the episode, for noise between rounds.
    #[serde(default)]
    pub seed: Seed,
}

impl Instance {
    /// An authored scenario under default settings, or `None` when there is no such id.
    ///
    /// One decision, `Views`, no noise.
    #[must_use]
    pub fn authored(id: &str) -> Option<Self> {
        Self::of(id, Config::of_scenario(id), Seed(0)).ok()
    }

    /// Draws the instance of an episode: a generated company from the episode's seed, or an authored
    /// scenario, where `all` takes them in turn by the episode's index.
    ///
    /// # Errors
    /// When the configuration is at fault, or the generator finds no scenario for it.
    ///
    /// Authored scenarios do not depend on the seed unless there is noise between rounds.
    /// Generated ones do, and their index has no effect.
    pub fn generate(config: &Config, episode: Episode) -> Result<Self, ConfigError> {
        config.check()?;
        if config.scenario == GENERATED {
            let made = generate(episode.seed, &config.generator)
                .map_err(|error| error.within("generator"))?;
            return Ok(Self {
                scenario: made.scenario,
                company: made.company,
                config: config.clone(),
                seed: episode.seed,
            });
        }
        let id = if config.scenario == ALL {
            let turn = usize::try_from(episode.index % AUTHORED_IDS.len() as u64).unwrap_or(0);
            AUTHORED_IDS.get(turn).copied().unwrap_or(AUTHORED_IDS[0])
        } else {
            config.scenario.as_str()
        };
        // Without noise the seed has no effect; leaving it out keeps equal instances equal.
        let seed = if config.noise_sigma > 0.0 {
            episode.seed
        } else {
            Seed(0)
        };
        Self::of(id, config.clone(), seed)
    }

    fn of(id: &str, config: Config, seed: Seed) -> Result<Self, ConfigError> {
        let unknown = || ConfigError::new("scenario", format!("there is no scenario `{id}`"));
        let scenario = authored().scenario(id).ok_or_else(unknown)?;
        let company = authored()
            .company(&scenario.company_id)
            .ok_or_else(unknown)?;
        Ok(Self {
            scenario: scenario.clone(),
            company: company.clone(),
            config,
            seed,
        })
    }

    /// Checks scenario, company and settings.
    ///
    /// # Errors
    /// Names the first value at fault and what would be right.
    ///
    /// A scenario is checked in full: ranges, sums, names, four advisor preferences that are
    /// valid plans, and a reference plan that is valid and scores at least 85 (see
    /// [`Scenario::check`]).
    pub fn check(&self) -> Result<(), ConfigError> {
        self.config
            .check_settings()
            .map_err(|error| error.within("config"))?;
        self.scenario
            .check()
            .map_err(|error| error.within("scenario"))?;
        if self.company.id != self.scenario.company_id {
            return Err(ConfigError::new(
                "company.id",
                format!(
                    "must be the scenario's company `{}`, got `{}`",
                    self.scenario.company_id, self.company.id
                ),
            ));
        }
        let drift = &self.company.drift;
        for (name, value) in [
            ("runway", drift.runway),
            ("leverage", drift.leverage),
            ("pressure", drift.pressure),
        ] {
            ConfigError::check_range(format!("company.drift.{name}"), value, -100.0, 100.0)?;
        }
        Ok(())
    }
}
