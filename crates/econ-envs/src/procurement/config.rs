//! Settings of the procurement environment: the draws of a market and the rules of a run.
//!
//! ```
//! use econ_envs::procurement::Config;
//! use econ_envs::procurement::config::{DrawLaw, Rules};
//!
//! // Level HARD by the paper's law, with 20 periods and twice as many offers as products.
//! let config = Config {
//!     offers: Some(200),
//!     law: DrawLaw::Paper,
//!     rules: Rules { periods: 20, ..Rules::default() },
//!     ..Config::hard()
//! };
//! config.check()?;
//! assert_eq!((config.products(), config.offer_count()), (100, 200));
//!
//! let few = Config { offers: Some(5), ..Config::basic() };
//! assert_eq!(few.check().expect_err("12 products need 12 offers").place, "offers");
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Ranges};

/// Largest number of categories of a market.
// The longest row of the solver has 64 entries, and the last one is the price.
pub const MOST_CATEGORIES: u32 = 63;
/// Largest number of offers of a market.
pub const MOST_OFFERS: u32 = 2_000;
/// Largest effectiveness that a product may have.
pub const MOST_EFFECTIVENESS: u32 = 1_000;
/// Largest number of periods of a run.
pub const MOST_PERIODS: u32 = 10_000;

/// Settings of the procurement environment; the default is the authors' BASIC level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Number of categories, k \[BASIC 3, MEDIUM 5, HARD 10\]. Workers are the geometric mean of the categories'
    /// sums.
    #[schemars(range(min = 1, max = MOST_CATEGORIES))]
    pub categories: u32,
    /// Products in each category \[in all, no more than there may be offers; BASIC 4, MEDIUM 6, HARD 10\].
    #[schemars(range(min = 1, max = MOST_OFFERS))]
    pub products_per_category: u32,
    /// Number of offers \[at least one a product\]; `null` (the default) for one a product, as in the paper.
    #[schemars(range(min = 1, max = MOST_OFFERS))]
    pub offers: Option<u32>,
    /// Probability p1 of the geometric law of the number of products in an offer \[BASIC 0.8, MEDIUM 0.5, HARD
    /// 0.1\].
    #[schemars(range(min = 0.01, max = 1.0))]
    pub products_p: f64,
    /// Probability p2 of the geometric law of units in an offer and of copies in the plan that sets the budget
    /// \[BASIC 0.5, MEDIUM 0.2, HARD 0.1\].
    #[schemars(range(min = 0.01, max = 1.0))]
    pub units_p: f64,
    /// Largest effectiveness of a product; it is uniform on 1 to this \[BASIC 3, MEDIUM 5, HARD 20\].
    #[schemars(range(min = 1, max = MOST_EFFECTIVENESS))]
    pub max_effectiveness: u32,
    /// The law of the draws, where the paper and the authors' program differ.
    pub law: DrawLaw,
    /// The rules of the run.
    pub rules: Rules,
}

/// The law of the draws. The paper's appendix C and the authors' program differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum DrawLaw {
    /// The program, which made the published numbers: minimum quantities 2 to 9; further products
    /// of an offer drawn with replacement from all products, so that some coincide; the plan that
    /// sets the budget buys minimum quantities.
    #[default]
    Program,
    /// The paper: minimum quantities 2 to 10; further products without replacement from the
    /// others; the plan that sets the budget ignores minimum quantities. Prices are in cents here
    /// too.
    Paper,
}

/// The rules of a run and the content of the prompts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Number of periods (attempts) \[default 100\].
    #[schemars(range(min = 1, max = MOST_PERIODS))]
    pub periods: u32,
    /// Whether the history and the menu can be read only once per period (default true, as in the
    /// authors' program; the paper does not mention it).
    pub read_once: bool,
    /// Wording of the prompts.
    pub wording: Wording,
    /// What the prompts say about the horizon and the goal.
    pub horizon: Horizon,
}

/// Wording of the prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Wording {
    /// The agent is asked to write down its reasoning in the notes.
    #[default]
    Standard,
    /// The word "reasoning" is left out, for models that reason without being asked.
    WithoutReasoning,
}

impl Wording {
    /// What the prompts of scheduling and pricing ask the agent to write into its notes.
    pub(crate) fn notes(self) -> &'static str {
        match self {
            Self::Standard => "your reasoning, your plans and what you found out",
            Self::WithoutReasoning => "your plans and what you found out",
        }
    }
}

/// What the prompts say about the horizon and the goal (paper, appendix B.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Horizon {
    /// Nothing: neither the number of periods nor how they are scored.
    #[default]
    Hidden,
    /// The number of periods.
    Known,
    /// The number of periods, and that the best plan counts.
    KnownWithGoal,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            periods: 100,
            read_once: true,
            wording: Wording::default(),
            horizon: Horizon::default(),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::basic()
    }
}

impl Config {
    /// Level BASIC: 3 categories of 4 products, 12 offers.
    #[must_use]
    pub fn basic() -> Self {
        Self::level(3, 4, 0.8, 0.5, 3)
    }

    /// Level MEDIUM: 5 categories of 6 products, 30 offers.
    #[must_use]
    pub fn medium() -> Self {
        Self::level(5, 6, 0.5, 0.2, 5)
    }

    /// Level HARD: 10 categories of 10 products, 100 offers.
    #[must_use]
    pub fn hard() -> Self {
        Self::level(10, 10, 0.1, 0.1, 20)
    }

    fn level(k: u32, per_category: u32, p1: f64, p2: f64, max_effectiveness: u32) -> Self {
        Self {
            categories: k,
            products_per_category: per_category,
            offers: None,
            products_p: p1,
            units_p: p2,
            max_effectiveness,
            law: DrawLaw::Program,
            rules: Rules::default(),
        }
    }

    /// Number of products, n.
    ///
    /// [`Config::check`] limits it to 2,000.
    #[must_use]
    pub fn products(&self) -> u32 {
        self.categories.saturating_mul(self.products_per_category)
    }

    /// Number of offers, m.
    #[must_use]
    pub fn offer_count(&self) -> u32 {
        self.offers.unwrap_or_else(|| self.products())
    }

    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field at fault and its range.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_ranges()?;
        // Every product is the first one of some offer, so there are at least as many offers.
        if self.products() > MOST_OFFERS {
            return Err(ConfigError::new(
                "products_per_category",
                format!(
                    "there would be {} products in all; at most {MOST_OFFERS} are possible",
                    self.products()
                ),
            ));
        }
        if let Some(offers) = self.offers {
            ConfigError::check_range("offers", offers, self.products(), MOST_OFFERS)?;
        }
        self.rules.check_ranges().map_err(|e| e.within("rules"))
    }
}
