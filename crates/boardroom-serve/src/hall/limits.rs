//! How much a server takes on.

use std::time::Duration;

/// How many games there may be, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct HallLimits {
    /// Games at a time (default 1,000).
    pub games: usize,
    /// A game that nobody touched for so long is closed (default one hour).
    pub idle: Duration,
    /// Bytes that one game takes in (default 8 MiB), of which the last sixteenth is there for
    /// decisions only. All that a client sends is kept for the record, so without an end to it one
    /// client could fill the memory.
    pub bytes: usize,
    /// Bytes that all games together take in (default 1 MiB for each game that there may be, at
    /// least 64 MiB); each game holds the part that is for decisions from its beginning.
    pub total: usize,
}

impl HallLimits {
    /// The limits of a server for `games` games at a time that may each be idle for `idle`.
    #[must_use]
    pub fn of(games: usize, idle: Duration) -> Self {
        Self {
            games,
            idle,
            bytes: 8 << 20,
            total: games.saturating_mul(1 << 20).max(64 << 20),
        }
    }
}

impl Default for HallLimits {
    fn default() -> Self {
        Self::of(1_000, Duration::from_secs(3_600))
    }
}
