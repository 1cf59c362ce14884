//! Settings of the scheduling environment.
//!
//! ```
//! use econ_envs::scheduling::Config;
//! use econ_envs::scheduling::config::PreferenceFamily;
//!
//! let config = Config { workers: 30, shown: 3, family: PreferenceFamily::Uniform, ..Config::basic() };
//! config.check()?;
//! // The default takes the four families in turn, three episodes each.
//! let mixed = PreferenceFamily::Mixed;
//! assert_eq!(mixed.of_episode(1), PreferenceFamily::Uniform);
//! assert_eq!(mixed.of_episode(4), PreferenceFamily::Correlated);
//! assert_eq!(mixed.of_episode(12), mixed.of_episode(0));
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

pub use crate::procurement::config::{Horizon, Wording};

use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Ranges};

/// Largest number of workers that the environment accepts.
pub const MAX_SIZE: u16 = 1000;

/// How the preferences of the two sides are correlated.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PreferenceFamily {
    /// The four families below in turn, three episodes each: episode `i` has family
    /// `(i mod 12) / 3`, as with the authors' seeds.
    #[default]
    Mixed,
    /// Every ranking is uniformly random.
    Uniform,
    /// Both sides rank by public scores plus chance.
    Correlated,
    /// Workers rank by public scores plus chance; all tasks share one random ranking of workers.
    CorrelatedWorkersIdenticalTasks,
    /// Workers rank uniformly; all tasks share one random ranking of workers.
    UniformWorkersIdenticalTasks,
}

impl PreferenceFamily {
    /// The family of episode `index`: itself, unless it is [`Mixed`](Self::Mixed).
    #[must_use]
    pub fn of_episode(self, index: u64) -> Self {
        match (self, index % 12) {
            (Self::Mixed, 0..=2) => Self::Uniform,
            (Self::Mixed, 3..=5) => Self::Correlated,
            (Self::Mixed, 6..=8) => Self::CorrelatedWorkersIdenticalTasks,
            (Self::Mixed, _) => Self::UniformWorkersIdenticalTasks,
            (family, _) => family,
        }
    }

    /// Whether workers rank tasks by public scores.
    #[must_use]
    pub fn workers_correlated(self) -> bool {
        matches!(
            self,
            Self::Correlated | Self::CorrelatedWorkersIdenticalTasks
        )
    }
}

/// How public scores become rankings. The paper and the authors' program differ: both give the same
/// probability for the order of any two agents, but not for whole rankings.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PreferenceLaw {
    /// The authors' program, which made the published numbers: scores are the fixed set
    /// `ratio^(i/(n-1))` in random order, and a ranking sorts exponential draws of mean *score*
    /// from the largest down.
    #[default]
    Program,
    /// The paper's appendix D.1: scores are independent and uniform on `[1, ratio]`, and a ranking
    /// sorts exponential draws of *rate* score from the smallest up.
    Paper,
}

/// Settings of the scheduling environment; the default is the authors' BASIC level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema, Ranges)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Number of workers and of tasks \[agents a side\] (default: 10).
    #[schemars(range(min = 2, max = MAX_SIZE))]
    pub workers: u16,
    /// Blocking pairs shown after each assignment \[pairs\] (default: 1).
    #[schemars(range(min = 1, max = u16::MAX))]
    pub shown: u16,
    /// Length of a run \[periods\] (default: 100).
    #[schemars(range(min = 1, max = 10_000))]
    pub periods: u32,
    /// How preferences are correlated (default: the four families in turn).
    pub family: PreferenceFamily,
    /// Largest public score divided by the smallest (default: 3).
    #[schemars(range(min = 1.0, max = 1e6))]
    pub score_ratio: f64,
    /// How public scores become rankings (default: the program's law).
    pub law: PreferenceLaw,
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
    /// 10 workers, 1 pair shown.
    #[must_use]
    pub fn basic() -> Self {
        Self {
            workers: 10,
            shown: 1,
            periods: 100,
            family: PreferenceFamily::Mixed,
            score_ratio: 3.0,
            law: PreferenceLaw::Program,
            read_once: true,
            wording: Wording::Standard,
            horizon: Horizon::Hidden,
        }
    }

    /// 20 workers, 2 pairs shown.
    #[must_use]
    pub fn medium() -> Self {
        Self {
            workers: 20,
            shown: 2,
            ..Self::basic()
        }
    }

    /// 50 workers, 5 pairs shown.
    #[must_use]
    pub fn hard() -> Self {
        Self {
            workers: 50,
            shown: 5,
            ..Self::basic()
        }
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
    fn twelve_episodes_go_round_the_families() {
        let families: Vec<_> = (0..12)
            .map(|i| PreferenceFamily::Mixed.of_episode(i).workers_correlated())
            .collect();
        assert_eq!(families.iter().filter(|&&c| c).count(), 6);
        assert_eq!(
            PreferenceFamily::Mixed.of_episode(14),
            PreferenceFamily::Uniform
        );
        assert_eq!(
            PreferenceFamily::Uniform.of_episode(7),
            PreferenceFamily::Uniform
        );
    }

    #[test]
    fn ranges_are_checked() {
        assert!(Config::hard().check().is_ok());
        for (bad, place) in [
            (
                Config {
                    workers: 1,
                    ..Config::basic()
                },
                "workers",
            ),
            (
                Config {
                    shown: 0,
                    ..Config::basic()
                },
                "shown",
            ),
            (
                Config {
                    periods: 0,
                    ..Config::basic()
                },
                "periods",
            ),
            (
                Config {
                    score_ratio: f64::NAN,
                    ..Config::basic()
                },
                "score_ratio",
            ),
        ] {
            assert_eq!(bad.check().unwrap_err().place, place);
        }
    }
}
