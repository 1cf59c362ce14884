//! Settings of the patience test, and the grid of amounts.
//!
//! ```
//! use econ_envs::litmus::patience::Config;
//! use econ_envs::litmus::patience::config::DELAYS;
//!
//! let amounts: u32 = DELAYS.iter().map(|delay| delay.amounts).sum();
//! assert_eq!(amounts, 240);
//! // Each amount is asked ten times in either order: 4,800 questions.
//! assert_eq!(amounts * 2 * Config::paper().repeats, 4_800);
//! assert!(Config { repeats: 0, every: 1 }.check().is_err());
//! ```

use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Ranges};

/// A delay with the amounts that are offered for it.
///
/// Amounts go down from `largest` in steps; the last one is `largest - (amounts - 1) *
/// step`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delay {
    /// The delay in words.
    pub words: &'static str,
    /// The delay \[years\].
    pub years: f64,
    /// Short name in metrics.
    pub short: &'static str,
    /// Largest amount \[tenths of a dollar\].
    pub largest: u32,
    /// Step down from one amount to the next \[tenths of a dollar\].
    pub step: u32,
    /// Number of amounts.
    pub amounts: u32,
}

/// The four delays of the authors' program.
pub const DELAYS: [Delay; 4] = [
    Delay {
        words: "one month",
        years: 1.0 / 12.0,
        short: "1_month",
        largest: 1050,
        step: 1,
        amounts: 50,
    },
    Delay {
        words: "six months",
        years: 0.5,
        short: "6_months",
        largest: 1150,
        step: 5,
        amounts: 30,
    },
    Delay {
        words: "one year",
        years: 1.0,
        short: "1_year",
        largest: 1200,
        step: 10,
        amounts: 20,
    },
    Delay {
        words: "five years",
        years: 5.0,
        short: "5_years",
        largest: 2500,
        step: 10,
        amounts: 140,
    },
];

/// Settings of the environment; the default is the authors': 240 amounts, 20 questions each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, Ranges)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Number of questions per amount and order of the two options (default: 10).
    #[schemars(range(min = 1, max = 100))]
    pub repeats: u32,
    /// Only every `every`-th amount of each delay is asked, from the largest down (default: 1, all of them).
    #[schemars(range(min = 1, max = 20))]
    pub every: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            repeats: 10,
            every: 1,
        }
    }
}

/// The content of a question: index of the delay, and the later amount \[tenths of a dollar\]. Whole tenths
/// keep the grid exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) delay: usize,
    pub(super) tenths: u32,
}

impl Config {
    /// The authors' questionnaire: 240 amounts, 20 questions each.
    #[must_use]
    pub fn paper() -> Self {
        Self::default()
    }

    /// Every fifth amount, once in each order: 96 questions.
    #[must_use]
    pub fn short() -> Self {
        Self {
            repeats: 1,
            every: 5,
        }
    }

    /// The amounts asked, delay by delay, from the largest down.
    pub(super) fn offers(&self) -> Vec<Offer> {
        let every = self.every.max(1) as usize;
        DELAYS
            .iter()
            .enumerate()
            .flat_map(|(delay, h)| {
                (0..h.amounts).step_by(every).map(move |i| Offer {
                    delay,
                    tenths: h.largest - i * h.step,
                })
            })
            .collect()
    }

    /// Questions for each amount: either order, repeated.
    pub(super) fn times(&self) -> u32 {
        2 * self.repeats
    }

    /// Checks the ranges stated on the fields.
    ///
    /// # Errors
    /// [`ConfigError`] naming the first field out of range.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_ranges()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_is_the_authors() {
        let offers = Config::default().offers();
        assert_eq!(offers.len(), 240);
        for (delay, first, last) in [
            (0, 1050, 1001),
            (1, 1150, 1005),
            (2, 1200, 1010),
            (3, 2500, 1110),
        ] {
            let of: Vec<u32> = offers
                .iter()
                .filter(|o| o.delay == delay)
                .map(|o| o.tenths)
                .collect();
            assert_eq!((of[0], of[of.len() - 1]), (first, last));
        }
    }
}
