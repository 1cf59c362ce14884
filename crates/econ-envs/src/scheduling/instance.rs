//! One market: rules and preferences.

use super::config::{Config, PreferenceFamily};
use super::preferences::Preferences;
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Episode, Seed};

/// One market with its hidden preferences: what `generate` prints and `--instance` reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The rules of the run. `family`, `score_ratio` and `law` are used for drawing only.
    pub config: Config,
    /// The family from which the preferences were drawn.
    pub family: PreferenceFamily,
    /// The hidden preferences.
    pub preferences: Preferences,
    /// Seed of the draws of shown pairs.
    pub feedback_seed: Seed,
}

impl Instance {
    /// Draws the market of an episode. `episode.index` selects the preference family when that is
    /// [`Mixed`](PreferenceFamily::Mixed).
    ///
    /// # Errors
    /// When the configuration is out of range.
    ///
    /// # Source
    /// Appendix D.1 and the authors' program; see [`PreferenceLaw`](super::config::PreferenceLaw) for
    /// where they differ.
    pub fn generate(config: &Config, episode: Episode) -> Result<Self, ConfigError> {
        super::generate::generate(config, episode)
    }

    /// Checks the rules, the preferences and that their sizes agree.
    ///
    /// # Errors
    /// Names the place of the first value at fault.
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
