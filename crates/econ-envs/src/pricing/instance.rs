//! One market: rules, products and the movement of their price sensitivities.
//!
//! ```
//! use econ_envs::pricing::{Config, Instance};
//! use sim_core::{Episode, Seed};
//!
//! let even = Instance::generate(&Config::medium(), Episode::of_run(Seed(3), 0))?;
//! let odd = Instance::generate(&Config::medium(), Episode::of_run(Seed(3), 1))?;
//! assert_eq!(even.alpha_at(0), even.alpha);
//! // Episode 0 drifts linearly: the change of two periods is twice that of one.
//! let step = |period| even.alpha_at(period)[0] - even.alpha[0];
//! assert!((step(2) - 2.0 * step(1)).abs() < 1e-12);
//! // Episode 1 swings: after half of an even season the sensitivity is back at its start.
//! assert!(matches!(odd.shift, econ_envs::pricing::instance::Shift::Periodic { length, .. } if length >= 10));
//! // One printed ceiling for every ten periods.
//! assert_eq!(odd.ceilings()?.len(), 10);
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use super::action::MAX_PRICE;
use super::config::{Config, MOST_MARKET_SIZE};
use super::demand::MarketDemand;
use super::money::round_cents;
use super::optimum::{Optimum, optimum};
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Episode, math};

/// How the price sensitivity of each product changes from period to period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Shift {
    /// `alpha + step * period`.
    Linear {
        /// Change of each product's sensitivity a period.
        steps: Vec<f64>,
    },
    /// `alpha + amplitude * sin(2 pi period / length)`.
    Periodic {
        /// Amplitude of each product's season.
        amplitudes: Vec<f64>,
        /// Length of the season \[periods\], the same for all products.
        length: u32,
    },
}

/// Smallest profit of a period at the best prices \[$\]. Records are rounded to cents, so a market
/// that earns less has no score that means anything.
pub const LEAST_PROFIT: f64 = 1e-3;

impl Shift {
    /// What the factor of [`factor`](Self::factor) is multiplied by, for each product.
    pub(super) fn sizes(&self) -> &[f64] {
        match self {
            Self::Linear { steps } => steps,
            Self::Periodic { amplitudes, .. } => amplitudes,
        }
    }

    /// The number that moves all sensitivities in `period`: the period, or the sine of the season.
    pub(super) fn factor(&self, period: u32) -> f64 {
        let at = f64::from(period);
        match self {
            Self::Linear { .. } => at,
            Self::Periodic { length, .. } => {
                math::sin(2.0 * std::f64::consts::PI * at / f64::from(*length))
            }
        }
    }

    /// The [`factor`](Self::factor) of each of the first `periods` periods.
    pub(super) fn factors(&self, periods: u32) -> Vec<f64> {
        (0..periods).map(|period| self.factor(period)).collect()
    }
}

/// One market with all its hidden parameters: what `generate` prints and `--instance` reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The rules of the run. Fields that are used for drawing only have no further effect.
    pub config: Config,
    /// Unit cost of each product \[$ at sensitivity 1\].
    pub costs: Vec<f64>,
    /// Quality of each product.
    pub quality: Vec<f64>,
    /// Category of each product, counted from 1.
    pub categories: Vec<u16>,
    /// Price sensitivity of each product in period 0.
    pub alpha: Vec<f64>,
    /// How the sensitivities change.
    pub shift: Shift,
    /// The printed ceiling of a block of periods divided by the highest optimal price in it, 1 to
    /// 100.
    pub ceiling_factor: f64,
}

impl Instance {
    /// Draws the market of an episode. `episode.index` selects linear (even) or periodic (odd) when
    /// they alternate.
    ///
    /// # Errors
    /// When the configuration is out of range, or the market that it draws for this episode earns less
    /// than [`LEAST_PROFIT`] at any price, so that [`Pricing::new`](super::Pricing::new) would refuse
    /// it.
    ///
    /// # Source
    /// Section 3.3.3, appendix E and the authors' program; see [`CostLaw`](super::config::CostLaw),
    /// [`SeasonLaw`](super::config::SeasonLaw) and [`OutsideLaw`](super::config::OutsideLaw) for
    /// where they differ. Ceiling and categories are drawn as in the program, because the paper does
    /// not say how they are drawn.
    pub fn generate(config: &Config, episode: Episode) -> Result<Self, ConfigError> {
        let (instance, ..) = super::generate::generate(config, episode)?;
        Ok(instance)
    }

    /// Number of products.
    #[must_use]
    pub fn size(&self) -> usize {
        self.costs.len()
    }

    /// Price sensitivity of every product in `period`.
    ///
    /// Positive for every period of the run in a checked instance. Periods beyond the run
    /// continue the same law.
    #[must_use]
    pub fn alpha_at(&self, period: u32) -> Vec<f64> {
        let factor = self.shift.factor(period);
        let products = self.alpha.iter().zip(self.shift.sizes());
        products
            .map(|(start, size)| start + size * factor)
            .collect()
    }

    /// The demand of this market.
    ///
    /// # Errors
    /// When `quality`, `costs` and `categories` differ in length.
    ///
    /// Each call prepares it anew; [`Pricing`](super::Pricing) keeps one.
    pub fn demand(&self) -> Result<MarketDemand, ConfigError> {
        MarketDemand::new(
            self.config.mu,
            self.config.sigma,
            self.config.ln_outside(),
            self.config.market_size,
            &self.quality,
            &self.costs,
            &self.categories,
        )
    }

    /// The best real prices and their profit, the same in every period.
    ///
    /// # Errors
    /// As [`demand`](Self::demand).
    ///
    /// Multiply the real prices by [`Instance::alpha_at`] to get the prices of a period.
    pub fn optimum(&self) -> Result<Optimum, ConfigError> {
        Ok(optimum(&self.demand()?))
    }

    /// The printed ceiling of each block of periods \[$\]: `ceiling_factor` times the highest
    /// optimal price of the block.
    ///
    /// # Errors
    /// As [`demand`](Self::demand).
    pub fn ceilings(&self) -> Result<Vec<f64>, ConfigError> {
        let factors = self.shift.factors(self.config.periods);
        Ok(self.ceilings_at(&self.optimum()?, &factors))
    }

    /// [`ceilings`](Self::ceilings) for an optimum and for [`factors`](Shift::factors) that are known
    /// already.
    // A price rises or falls with the factor, for every product and however it is rounded. So only the
    // lowest and the highest factor of a block can give its highest price.
    pub(super) fn ceilings_at(&self, best: &Optimum, factors: &[f64]) -> Vec<f64> {
        let sizes = self.shift.sizes();
        let block = self.config.ceiling_block as usize;
        let highest = |factors: &[f64]| {
            let low = factors.iter().copied().fold(f64::INFINITY, f64::min);
            let high = factors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let products = self.alpha.iter().zip(sizes).zip(&best.real_prices);
            products.fold(0.0_f64, |most, ((start, size), x)| {
                let price = |factor: f64| (start + size * factor) * x;
                most.max(price(low)).max(price(high))
            })
        };
        factors
            .chunks(block.max(1))
            .map(|factors| round_cents(self.ceiling_factor * highest(factors)))
            .collect()
    }

    /// Checks that a market with this optimum can earn anything: scores divide by the best profit.
    ///
    /// # Errors
    /// When the best profit of a period is below [`LEAST_PROFIT`].
    pub(super) fn check_profit(config: &Config, best: &Optimum) -> Result<(), ConfigError> {
        let profit = best.profit;
        if profit >= LEAST_PROFIT {
            return Ok(());
        }
        // Profit is proportional to the size of the market. A per cent more, because three digits are printed.
        let size = 1.01 * config.market_size * (LEAST_PROFIT / profit);
        let remedy = if size <= MOST_MARKET_SIZE {
            format!(
                "market_size, which is {}, must be at least {size:.2e}, or qualities higher above costs and the \
                 outside option",
                config.market_size
            )
        } else {
            "qualities must not lie so far below costs and the outside option".to_owned()
        };
        Err(ConfigError::new(
            "",
            format!(
                "the market earns at most `{profit}` a period, and scores need {LEAST_PROFIT}; {remedy}"
            ),
        ))
    }

    /// Checks the rules, the products and that every sensitivity stays positive.
    ///
    /// # Errors
    /// Names the place of the first value at fault.
    ///
    /// Also that the best profit of a period is at least [`LEAST_PROFIT`], and no best price above
    /// [`MAX_PRICE`].
    pub fn check(&self) -> Result<(), ConfigError> {
        self.config.check().map_err(|e| e.within("config"))?;
        let n = self.size();
        if n != usize::from(self.config.products) {
            return Err(ConfigError::new(
                "costs",
                format!("`{n}` entries; there must be {}", self.config.products),
            ));
        }
        let lists = [
            ("costs", &self.costs, 0.0, 1e4),
            ("quality", &self.quality, -1e4, 1e4),
            ("alpha", &self.alpha, 1e-4, 1e6),
        ];
        let sizes = match &self.shift {
            Shift::Linear { steps } => ("shift.steps", steps, -1e6, 1e6),
            Shift::Periodic { amplitudes, length } => {
                if *length == 0 {
                    return Err(ConfigError::new("shift.length", "`0` must be at least 1"));
                }
                ("shift.amplitudes", amplitudes, -1e6, 1e6)
            }
        };
        for (place, list, low, high) in lists.into_iter().chain([sizes]) {
            if list.len() != n {
                return Err(ConfigError::new(
                    place,
                    format!(
                        "`{}` entries; there must be {n}, one for each product",
                        list.len()
                    ),
                ));
            }
            for (index, &value) in list.iter().enumerate() {
                ConfigError::check_range(format_args!("{place}.{index}"), value, low, high)?;
            }
        }
        let many = u32::from(self.config.products);
        if self.categories.len() != n
            || self
                .categories
                .iter()
                .any(|&c| c == 0 || u32::from(c) > many)
        {
            return Err(ConfigError::new(
                "categories",
                format!("must hold {n} numbers from 1 to {n}, one for each product"),
            ));
        }
        ConfigError::check_range("ceiling_factor", self.ceiling_factor, 1.0, 100.0)?;
        let best = self.optimum()?;
        Self::check_profit(&self.config, &best)?;
        for period in 0..self.config.periods {
            let alpha = self.alpha_at(period);
            if alpha.iter().any(|&a| a.is_nan() || a < 1e-4) {
                return Err(ConfigError::new(
                    "shift",
                    format!("a price sensitivity falls below 0.0001 in period {period}"),
                ));
            }
            // Markets that `generate` draws stay below it: their costs are at most 10 and their sensitivities
            // at most 1,900, and no markup that the ranges allow is above 501,000.
            let prices = alpha.iter().zip(&best.real_prices).map(|(a, x)| a * x);
            let highest = prices.fold(0.0, f64::max);
            if highest > MAX_PRICE {
                return Err(ConfigError::new(
                    "alpha",
                    format!(
                        "the best price of a product is `{highest:.2e}` in period {period}, above the highest that can \
                         be set, {MAX_PRICE:e}; the sensitivity, the cost or the quality of some product must be lower"
                    ),
                ));
            }
        }
        Ok(())
    }
}
