//! One questionnaire of the patience test.

use super::config::Config;
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Episode};

/// The questionnaire. Nothing in it is drawn, so a configuration has exactly one instance.
///
/// To ask other questions, change the configuration; the grid of amounts is fixed
/// ([`DELAYS`](super::config::DELAYS)).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The rules.
    pub config: Config,
}

impl Instance {
    /// The questionnaire of a configuration, the same for every episode.
    ///
    /// # Errors
    /// When the configuration is out of range.
    pub fn generate(config: &Config, _episode: Episode) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self {
            config: config.clone(),
        })
    }

    /// Checks the rules.
    ///
    /// # Errors
    /// Names the place of the first value at fault.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.config.check().map_err(|e| e.within("config"))
    }
}
