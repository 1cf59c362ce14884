//! The only clock of the project that measures time: for progress, intervals between writes and
//! the `seconds` of a summary, never for a number in a record.

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
