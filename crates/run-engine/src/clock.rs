//! The clock for what is only shown: progress, intervals between writes and the `seconds` of a
//! summary, never a number in a record. What waits for time to pass (rate limits of models, idle games
//! of the server) reads Tokio's clock, which tests can pause and advance.

use std::time::{Duration, Instant};

/// A stopwatch.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts one.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the runner's clock")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since it was started.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
