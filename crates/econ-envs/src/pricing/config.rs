//! Settings of the pricing environment.
//!
//! The record has 25 fields, and all have a default: write those that differ and
//! `..Config::basic()` (or another preset).
//!
//! ```
//! use econ_envs::pricing::Config;
//! use econ_envs::pricing::config::{OutsideLaw, ShiftKind};
//!
//! let config = Config {
//!     products: 6,
//!     shift: ShiftKind::Periodic,
//!     outside: OutsideLaw::Textbook,
//!     ..Config::basic()
//! };
//! config.check()?;
//! // Six products in groups of four need two categories; the last 50 of 100 periods count.
//! assert_eq!((config.categories(), config.first_scored()), (2, 50));
//! // exp(0 / 1) = 1: the logarithm of the weight of buying nothing is 0 under this law.
//! assert_eq!(config.ln_outside(), 0.0);
//!
//! let late = Config { scored_periods: 200, ..config };
//! assert_eq!(late.check().expect_err("longer than the run").place, "scored_periods");
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

pub use crate::procurement::config::{Horizon, Wording};

use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Ranges, math};

/// Largest size of a market \[units / period\].
pub(super) const MOST_MARKET_SIZE: f64 = 1e9;

/// How unit costs are drawn. The paper and the authors' program differ.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CostLaw {
    /// Uniform on [1, 2], as in the authors' program and in their printed example.
    #[default]
    Program,
    /// Uniform on [1, 10], as in section 3.3.3 of the paper.
    Paper,
}

/// The weight of buying nothing in the demand formula, next to the categories. The paper and the
/// authors' program differ.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum OutsideLaw {
    /// `(exp(a0 / mu) / (1 - sigma))^(1 - sigma)`, as in the authors' program (the square root of
    /// 2 at their setting).
    #[default]
    Program,
    /// `exp(a0 / (1 - sigma))`, the formula that the paper prints.
    Paper,
    /// `exp(a0 / mu)`, the textbook's nested logit.
    Textbook,
}

/// Possible lengths of a season \[whole periods\]. The paper and the authors' program differ.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SeasonLaw {
    /// 10 to 19, as in the authors' program.
    #[default]
    Program,
    /// 10 to 20, as in appendix E.
    Paper,
}

/// How the price sensitivities change over time.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ShiftKind {
    /// Linear in episodes with an even number, periodic in the others, as with the authors' seeds.
    #[default]
    Alternate,
    /// The sensitivity of each product changes by a constant step per period.
    Linear,
    /// The sensitivity of each product follows a sine; all products share its length.
    Periodic,
}

/// Settings of the pricing environment; the default is the authors' BASIC level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema, Ranges)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Number of products (default: 1).
    #[schemars(range(min = 1, max = 1000))]
    pub products: u16,
    /// Length of a run \[periods\] (default: 100).
    #[schemars(range(min = 1, max = 10_000))]
    pub periods: u32,
    /// Number of periods at the end that count for the score, 1 to `periods` (default: 50).
    pub scored_periods: u32,
    /// How alike products of one category are, where 0 is not at all (default: 0.5).
    #[schemars(range(min = 0.0, max = 0.99))]
    pub sigma: f64,
    /// Scale of taste differences between buyers \[units of quality\] (default: 1).
    #[schemars(range(min = 0.01, max = 100.0))]
    pub mu: f64,
    /// Quality of buying nothing (default: 0).
    #[schemars(range(min = -50.0, max = 50.0))]
    pub outside_quality: f64,
    /// Size of the market \[units / period\] (default: 100).
    #[schemars(range(min = 1e-6, max = MOST_MARKET_SIZE))]
    pub market_size: f64,
    /// The weight of the outside option (default: the program's).
    pub outside: OutsideLaw,
    /// How unit costs are drawn (default: the program's).
    pub costs: CostLaw,
    /// How the price sensitivities change (default: linear and periodic in turn).
    pub shift: ShiftKind,
    /// Possible lengths of a season (default: the program's).
    pub season: SeasonLaw,
    /// Smallest initial price sensitivity (default: 1).
    #[schemars(range(min = 0.01, max = 1000.0))]
    pub alpha_low: f64,
    /// Largest initial price sensitivity, at least `alpha_low` (default: 10).
    #[schemars(range(min = 0.01, max = 1000.0))]
    pub alpha_high: f64,
    /// Largest total drift over a whole run, as a share of the initial sensitivity (default: 0.5; the step a period
    /// is uniform up to that share divided by `periods`).
    #[schemars(range(min = 0.0, max = 0.9))]
    pub drift: f64,
    /// Smallest amplitude of a season, as a share of the initial sensitivity (default: 0.25).
    #[schemars(range(min = 0.0, max = 0.9))]
    pub swing_low: f64,
    /// Largest amplitude of a season, as a share of the initial sensitivity, at least `swing_low` (default: 0.5).
    #[schemars(range(min = 0.0, max = 0.9))]
    pub swing_high: f64,
    /// Products for each category: `ceil(products / this)` categories (default: 4).
    #[schemars(range(min = 1, max = 1000))]
    pub products_per_category: u16,
    /// Success probability of the truncated geometric law of category membership, below 1 where there are several
    /// categories (default: 0.2).
    #[schemars(range(min = 0.001, max = 1.0))]
    pub category_p: f64,
    /// Smallest factor between the highest optimal price and the printed ceiling (default: 1.5).
    #[schemars(range(min = 1.0, max = 100.0))]
    pub ceiling_low: f64,
    /// Largest such factor, at least `ceiling_low` (default: 2.5).
    #[schemars(range(min = 1.0, max = 100.0))]
    pub ceiling_high: f64,
    /// Whether the factor has a draw of its own. When false it rises with the sensitivity of the
    /// first product, because the authors' program draws both from the same number
    /// (default: false).
    pub ceiling_independent: bool,
    /// The printed ceiling holds for blocks of this many periods (default: 10).
    #[schemars(range(min = 1, max = 10_000))]
    pub ceiling_block: u32,
    /// Whether the record of earlier attempts can be read only once a period (default: true, as
    /// in the authors' program).
    pub read_once: bool,
    /// Wording of the prompts (default: standard).
    pub wording: Wording,
    /// What the prompts say about the horizon and the goal (default: nothing).
    pub horizon: Horizon,
}

impl Default for Config {
    fn default() -> Self {
        Self::basic()
    }
}

impl Config {
    /// One product.
    #[must_use]
    pub fn basic() -> Self {
        Self {
            products: 1,
            periods: 100,
            scored_periods: 50,
            sigma: 0.5,
            mu: 1.0,
            outside_quality: 0.0,
            market_size: 100.0,
            outside: OutsideLaw::Program,
            costs: CostLaw::Program,
            shift: ShiftKind::Alternate,
            season: SeasonLaw::Program,
            alpha_low: 1.0,
            alpha_high: 10.0,
            drift: 0.5,
            swing_low: 0.25,
            swing_high: 0.5,
            products_per_category: 4,
            category_p: 0.2,
            ceiling_low: 1.5,
            ceiling_high: 2.5,
            ceiling_independent: false,
            ceiling_block: 10,
            read_once: true,
            wording: Wording::Standard,
            horizon: Horizon::Hidden,
        }
    }

    /// Four products, one category.
    #[must_use]
    pub fn medium() -> Self {
        Self {
            products: 4,
            ..Self::basic()
        }
    }

    /// Ten products, three categories.
    #[must_use]
    pub fn hard() -> Self {
        Self {
            products: 10,
            ..Self::basic()
        }
    }

    /// Natural logarithm of the weight of buying nothing.
    ///
    /// With `s = 1 - sigma`: `s (a0 / mu - ln s)` for the program's law, `a0 / s` for the
    /// paper's, `a0 / mu` for the textbook's. A logarithm, because the weight itself
    /// overflows for allowed settings.
    #[must_use]
    pub fn ln_outside(&self) -> f64 {
        let within = 1.0 - self.sigma;
        match self.outside {
            OutsideLaw::Program => within * (self.outside_quality / self.mu - math::ln(within)),
            OutsideLaw::Paper => self.outside_quality / within,
            OutsideLaw::Textbook => self.outside_quality / self.mu,
        }
    }

    /// First period that counts for the score.
    #[must_use]
    pub fn first_scored(&self) -> u32 {
        self.periods.saturating_sub(self.scored_periods)
    }

    /// Number of categories.
    #[must_use]
    pub fn categories(&self) -> u16 {
        self.products.div_ceil(self.products_per_category.max(1))
    }

    /// Checks the ranges stated on the fields.
    ///
    /// # Errors
    /// [`ConfigError`] naming the first field out of range.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_ranges()?;
        ConfigError::check_range("scored_periods", self.scored_periods, 1, self.periods)?;
        for (place, low, high) in [
            ("alpha_high", self.alpha_low, self.alpha_high),
            ("swing_high", self.swing_low, self.swing_high),
            ("ceiling_high", self.ceiling_low, self.ceiling_high),
        ] {
            if high < low {
                let message = format!("`{high}` is below the smallest, `{low}`");
                return Err(ConfigError::new(place, message));
            }
        }
        if self.category_p >= 1.0 && self.categories() > 1 {
            return Err(ConfigError::new(
                "category_p",
                "`1` puts every product into the first category; it must be below 1 when there \
                 are several",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outside_option_of_paper_and_program() {
        let program = Config::hard();
        assert!((math::exp(program.ln_outside()) - std::f64::consts::SQRT_2).abs() < 1e-15);
        for outside in [OutsideLaw::Paper, OutsideLaw::Textbook] {
            assert_eq!(
                Config {
                    outside,
                    ..Config::hard()
                }
                .ln_outside(),
                0.0
            );
        }
    }

    #[test]
    fn categories_of_the_three_levels() {
        let counts = [Config::basic(), Config::medium(), Config::hard()].map(|c| c.categories());
        assert_eq!(counts, [1, 1, 3]);
    }

    #[test]
    fn ranges_are_checked() {
        assert!(Config::hard().check().is_ok());
        for (bad, place) in [
            (
                Config {
                    products: 0,
                    ..Config::basic()
                },
                "products",
            ),
            (
                Config {
                    scored_periods: 101,
                    ..Config::basic()
                },
                "scored_periods",
            ),
            (
                Config {
                    sigma: 1.0,
                    ..Config::basic()
                },
                "sigma",
            ),
            (
                Config {
                    market_size: f64::NAN,
                    ..Config::basic()
                },
                "market_size",
            ),
            (
                Config {
                    category_p: 1.0,
                    ..Config::hard()
                },
                "category_p",
            ),
        ] {
            assert_eq!(bad.check().unwrap_err().place, place);
        }
    }
}
