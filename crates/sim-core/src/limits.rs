//! Limits on an agent's attempts before its turn is forfeited.

use crate::error::ConfigError;
use serde::{Deserialize, Serialize};

/// Limits of a [`Session`](crate::Session).
///
/// The defaults are those of the published unknown-markets program (40 model queries per period, 10
/// tries). The consequence differs: here the turn is forfeited and the episode continues, where the
/// program ended the whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Model queries in a period (default 40). With the last one only action tools are offered.
    pub calls_per_period: u32,
    /// Refused decisions in a period (default 10); with [`faithful_errors`](Self::faithful_errors)
    /// the number of times the period is started.
    pub tries_per_period: u32,
    /// Forfeited periods in a row after which the rest of the episode is forfeited (default 3).
    pub forfeits_in_row: u32,
    /// Inputs of any kind in a period (default 2,000). Bounds the memory that a reply with very many calls
    /// can use.
    pub inputs_per_period: u32,
    /// False (default): the agent is shown every error and continues. True: as in the original program,
    /// an error is not shown; the period is restarted, which counts as one try.
    pub faithful_errors: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            calls_per_period: 40,
            tries_per_period: 10,
            forfeits_in_row: 3,
            inputs_per_period: 2_000,
            faithful_errors: false,
        }
    }
}

impl Limits {
    /// Checks that every count is at least 1.
    ///
    /// # Errors
    /// Names the first count that is 0.
    pub fn check(&self) -> Result<(), ConfigError> {
        for (name, count) in [
            ("calls_per_period", self.calls_per_period),
            ("tries_per_period", self.tries_per_period),
            ("forfeits_in_row", self.forfeits_in_row),
            ("inputs_per_period", self.inputs_per_period),
        ] {
            if count == 0 {
                return Err(ConfigError::new(name, "must be at least 1"));
            }
        }
        Ok(())
    }
}
