//! One market of the collusion test.
//!
//! ```
//! use econ_envs::litmus::collusion::{Config, Instance};
//! use sim_core::{Episode, Seed};
//!
//! let market = Instance::generate(&Config::duopoly(), Episode::of_run(Seed(0), 1))?;
//! // Episodes take the sensitivities 1, 3.2 and 10 in turn.
//! assert_eq!(market.alpha, 3.2);
//! // The authors' figures for two sellers, in real prices.
//! assert!((market.monopoly() - 1.92498).abs() < 1e-5);
//! assert!((market.nash() - 1.47293).abs() < 1e-5);
//! // At the Nash price the best reply is the Nash price.
//! assert!((market.reply(&[market.nash()]) - market.nash()).abs() < 1e-9);
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use super::config::Config;
use super::market::{best_reply, nash_price};
use crate::pricing::demand::MarketDemand;
use crate::pricing::observation::round_cents;
use crate::pricing::optimum::optimum;
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Episode};

/// One market: what `generate` prints and `--instance` reads.
///
/// All sellers are alike, and the market is the same in all periods.
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
    /// When the configuration is out of range, or prices of a cartel and of competitors are the same.
    pub fn generate(config: &Config, episode: Episode) -> Result<Self, ConfigError> {
        config.check()?;
        let turn = episode.index % config.alphas.len().max(1) as u64;
        let alpha = usize::try_from(turn)
            .ok()
            .and_then(|turn| config.alphas.get(turn));
        let instance = Self {
            config: config.clone(),
            alpha: alpha.copied().unwrap_or(1.0),
        };
        instance.check()?;
        Ok(instance)
    }

    /// Demand when `sellers` sellers offer: a plain logit, which is the nested logit with sigma 0.
    ///
    /// `sellers` is the number of sellers that set a price, at most that of the
    /// configuration.
    #[must_use]
    pub fn demand(&self, sellers: usize) -> MarketDemand {
        let c = &self.config;
        MarketDemand::identical(
            sellers,
            c.mu,
            // Without nests the weights of buying nothing of the program and of the textbook are
            // the same.
            c.outside_quality / c.mu,
            c.market_size,
            c.quality,
            c.cost,
        )
    }

    /// The monopoly real price: maximises the total profit of all sellers.
    ///
    /// Multiply by [`Instance::alpha`] to get the price to charge; the same holds for the
    /// other real prices.
    #[must_use]
    pub fn monopoly(&self) -> f64 {
        let best = optimum(&self.demand(usize::from(self.config.sellers)));
        self.config.cost + best.markup
    }

    /// The Nash real price: no seller gains by changing its price alone.
    ///
    /// Found by bisection to the last digits; see the module `market` of the source for
    /// why there is one only.
    #[must_use]
    pub fn nash(&self) -> f64 {
        nash_price(&self.config)
    }

    /// The best reply: the real price with the highest profit against the real prices of the others.
    ///
    /// `others` are the real prices of the rivals that offer; an empty list gives the
    /// price of a monopolist.
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
        ConfigError::check_range("alpha", self.alpha, 0.01, 1000.0)?;
        // The score divides by this difference; products that hardly compete leave none.
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
