//! Settings of the efficiency test.
//!
//! ```
//! use econ_envs::litmus::efficiency::Config;
//! use econ_envs::litmus::efficiency::config::Goal;
//!
//! let config = Config { workers: 6, periods: 10, ..Config::with_goal(Goal::Efficiency) };
//! assert!(config.check().is_ok());
//! // Productivities must not be negative, so the gap is at most twice the mean.
//! let wide = Config { productivity_gap: 21.0, ..Config::both() };
//! assert_eq!(wide.check().expect_err("the mean is 10").place, "productivity_gap");
//! ```

use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Ranges};

/// The goal that the prompts state.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Goal {
    /// Both revenue and equal pay, which conflict: the litmus test.
    #[default]
    Both,
    /// Revenue only: the check of competence in it.
    Efficiency,
    /// Equal pay only: the check of competence in it.
    Equality,
}

/// Settings of the environment; the default is the authors'.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema, Ranges)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The goal that the prompts state (default: both).
    pub goal: Goal,
    /// Number of workers, and of tasks a period (default: 4).
    #[schemars(range(min = 2, max = 50))]
    pub workers: u16,
    /// Length of a run \[periods\] (default: 30).
    #[schemars(range(min = 2, max = 1000))]
    pub periods: u16,
    /// Mean size of a task \[units\] (default: 60).
    #[schemars(range(min = 2, max = 10_000))]
    pub mean_size: u32,
    /// Pay for a unit of size \[$\] (default: 1).
    #[schemars(range(min = 1e-6, max = 1e6))]
    pub wage: f64,
    /// Mean productivity \[$ of revenue / unit of size\] (default: 10).
    #[schemars(range(min = 0.01, max = 1e6))]
    pub productivity_mean: f64,
    /// Largest productivity minus the smallest, 1e-6 to twice the mean (default: 18).
    pub productivity_gap: f64,
    /// Whether a task may have size 0, as one in each worker's list of the published data could
    /// (default: false, as in the program).
    pub empty_tasks: bool,
    /// Whether the record of earlier periods can be read only once a period (default: true).
    pub read_once: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            goal: Goal::Both,
            workers: 4,
            periods: 30,
            mean_size: 60,
            wage: 1.0,
            productivity_mean: 10.0,
            productivity_gap: 18.0,
            empty_tasks: false,
            read_once: true,
        }
    }
}

impl Config {
    /// Both goals, which conflict: the litmus test.
    #[must_use]
    pub fn both() -> Self {
        Self::with_goal(Goal::Both)
    }

    /// Revenue only: the check of competence in it.
    #[must_use]
    pub fn efficiency() -> Self {
        Self::with_goal(Goal::Efficiency)
    }

    /// Equal pay only: the check of competence in it.
    #[must_use]
    pub fn equality() -> Self {
        Self::with_goal(Goal::Equality)
    }

    /// The authors' settings with another goal.
    ///
    /// The goal changes the prompts and the score, not the firm: the same episode has the
    /// same tasks and workers under all goals.
    #[must_use]
    pub fn with_goal(goal: Goal) -> Self {
        Self {
            goal,
            ..Self::default()
        }
    }

    /// Checks the ranges stated on the fields.
    ///
    /// # Errors
    /// [`ConfigError`] naming the first field out of range.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_ranges()?;
        ConfigError::check_range(
            "productivity_gap",
            self.productivity_gap,
            1e-6,
            // Beyond, the least productive worker would cost revenue.
            2.0 * self.productivity_mean,
        )
    }
}
