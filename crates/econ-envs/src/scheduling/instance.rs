//! One market: rules and preferences.

use super::config::{Config, PreferenceFamily};
use super::preferences::Preferences;
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Episode, Seed};

/// One market with its hidden preferences: what `generate` prints and `--instance` reads.
///
/// Preferences may come from data of your own: fill the fields, and
/// [`Scheduling::new`](super::Scheduling::new) checks them.
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
    ///
    /// ```
    /// use econ_envs::scheduling::{Config, Instance};
    /// use sim_core::{Episode, Seed};
    ///
    /// // Three episodes of the family with identical task priorities.
    /// for k in 9..12 {
    ///     let instance = Instance::generate(&Config::basic(), Episode::of_run(Seed(0), k))?;
    ///     assert!(instance.preferences.tasks.windows(2).all(|pair| pair[0] == pair[1]));
    ///     assert!(instance.check().is_ok());
    /// }
    /// # Ok::<(), sim_core::ConfigError>(())
    /// ```
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
