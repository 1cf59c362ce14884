//! One market: rules and preferences.

use super::config::{Config, PreferenceFamily};
use super::preferences::Preferences;
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Seed};

/// One market, complete: what `generate` prints and `--instance` reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The rules of the run. `family`, `score_ratio` and `law` have had their effect already.
    pub config: Config,
    /// The family that the preferences come from.
    pub family: PreferenceFamily,
    /// The hidden preferences.
    pub preferences: Preferences,
    /// Seed of the draws of shown pairs.
    pub feedback_seed: Seed,
}

impl Instance {
    /// Checks the rules, the preferences and that they fit each other.
    ///
    /// # Errors
    /// [`ConfigError`] with the place of what does not fit.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.config.check().map_err(|e| e.within("config"))?;
        self.preferences
            .check()
            .map_err(|e| e.within("preferences"))?;
        if self.preferences.size() != usize::from(self.config.workers) {
            return Err(ConfigError::new(
                "config.workers",
                format!(
                    "`{}` does not fit the {} rankings of the preferences",
                    self.config.workers,
                    self.preferences.size()
                ),
            ));
        }
        Ok(())
    }
}
