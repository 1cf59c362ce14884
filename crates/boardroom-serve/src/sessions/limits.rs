//! Limits of a server.

use std::time::Duration;

/// Limits on the number of games, their idle time and their memory.
#[derive(Debug, Clone, Copy)]
pub struct SessionLimits {
    /// Maximum number of open games (default 1,000).
    pub games: usize,
    /// Idle time after which a game is closed (default one hour).
    pub idle: Duration,
    /// Bytes of calls that one game accepts (default 8 MiB), of which the last sixteenth is
    /// reserved for decisions. All calls are kept for the record, so without a limit one client
    /// could fill the memory.
    pub bytes: usize,
    /// Bytes of calls that all games together accept (default 1 MiB for each game that may be open,
    /// at least 64 MiB); each game claims its reserve for decisions when it is opened.
    pub total: usize,
}

impl SessionLimits {
    /// The limits of a server for at most `games` open games that may each be idle for `idle`.
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

impl Default for SessionLimits {
    fn default() -> Self {
        Self::of(1_000, Duration::from_secs(3_600))
    }
}
