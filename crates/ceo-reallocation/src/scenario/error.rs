//! Why a scenario cannot be used.

use sim_core::ConfigError;

/// A scenario that cannot be used.
///
/// It converts into a [`ConfigError`] with the same place and message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
#[non_exhaustive]
pub struct ScenarioError {
    /// Dotted path of the value at fault.
    pub place: String,
    /// The error, and the values that would be valid.
    pub message: String,
}

impl ScenarioError {
    /// A fault at `place`.
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            message: message.into(),
        }
    }
}

impl From<ScenarioError> for ConfigError {
    fn from(error: ScenarioError) -> Self {
        Self::new(error.place, error.message)
    }
}
