//! Measuring time.

use std::time::{Duration, Instant};

/// Runs from its beginning.
#[derive(Debug, Clone, Copy)]
pub struct Watch(Instant);

impl Watch {
    /// Starts now.
    #[expect(
        clippy::disallowed_methods,
        reason = "a chore measures how long inputs take; no input depends on it"
    )]
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since the start.
    #[must_use]
    pub fn time(&self) -> Duration {
        self.0.elapsed()
    }

    /// Time since the start (seconds).
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.time().as_secs_f64()
    }
}
