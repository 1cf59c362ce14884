//! One market of the collusion test.

use super::config::Config;
use super::market::{best_reply, nash_price};
use crate::pricing::demand::Demand;
use crate::pricing::observation::round_cents;
use crate::pricing::optimum::optimum;
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Episode};

/// One market: what `generate` prints and `--instance` reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The rules.
    pub config: Config,
    /// Price sensitivity of all products in all periods.
    pub alpha: f64,
}

impl Instance {
    /// The market of an episode: `episode.index` selects the sensitivities in turn; nothing is drawn.
    ///
    /// # Errors
    /// When the configuration is out of range.
    pub fn generate(config: &Config, episode: Episode) -> Result<Self, ConfigError> {
        config.check()?;
        let turn = episode.index % config.alphas.len().max(1) as u64;
        let alpha = usize::try_from(turn)
            .ok()
            .and_then(|turn| config.alphas.get(turn));
        Ok(Self {
            config: config.clone(),
            alpha: alpha.copied().unwrap_or(1.0),
        })
    }

    /// Demand when `sellers` sellers offer: a plain logit, which is the nested logit with sigma 0.
    #[must_use]
    pub fn demand(&self, sellers: usize) -> Demand {
        let c = &self.config;
        Demand::identical(
            sellers,
            c.mu,
            c.outside_quality / c.mu,
            c.market_size,
            c.quality,
            c.cost,
        )
    }

    /// The monopoly real price: maximises the total profit of all sellers.
    #[must_use]
    pub fn monopoly(&self) -> f64 {
        let best = optimum(&self.demand(usize::from(self.config.sellers)));
        self.config.cost + best.markup
    }

    /// The Nash real price: no seller gains by changing its price alone.
    #[must_use]
    pub fn nash(&self) -> f64 {
        nash_price(&self.config)
    }

    /// The best reply: the real price with the highest profit against the real prices of the others.
    #[must_use]
    pub fn reply(&self, others: &[f64]) -> f64 {
        best_reply(&self.config, others)
    }

    /// The printed ceiling: prices above it are advised against \[$\].
    #[must_use]
    pub fn ceiling(&self) -> f64 {
        round_cents(self.config.ceiling_factor * self.alpha * self.monopoly())
    }

    /// Checks the rules and the sensitivity.
    ///
    /// # Errors
    /// Names the place of the first value at fault.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.config.check().map_err(|e| e.within("config"))?;
        if !(0.01..=1000.0).contains(&self.alpha) {
            return Err(ConfigError::new(
                "alpha",
                format!("`{}` is out of range, it must be 0.01 to 1000", self.alpha),
            ));
        }
        if self.config.sellers > 1 && self.monopoly() - self.nash() < 1e-9 {
            return Err(ConfigError::new(
                "config",
                "prices of a cartel and of competitors are the same here, so there is nothing to \
                 tell apart",
            ));
        }
        Ok(())
    }
}
