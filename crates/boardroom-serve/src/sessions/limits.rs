//! Limits and options of a server.

use crate::ServerMode;
use std::time::Duration;

/// Limits on the number of games, their idle time and their memory.
#[derive(Debug, Clone, Copy)]
pub struct SessionLimits {
    /// Maximum number of open games (default 1,000).
    pub games: usize,
    /// Maximum number of open games of one client that is not the host (default: no limit of its own).
    pub per_client: usize,
    /// Idle time after which the rest of a game is forfeited and the game ends (default one hour).
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
            per_client: games,
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

/// What a server does, besides its limits.
#[derive(Debug, Clone, Copy)]
pub struct SessionOptions {
    /// What its clients may do.
    pub mode: ServerMode,
    /// Its limits.
    pub limits: SessionLimits,
    /// The episode of every game that names none: in mode `eval` the only one (default 0), in mode
    /// `play` the next one by default.
    pub episode: Option<u64>,
    /// Whether the decisions and results of every period are kept in memory, for pages that plot
    /// them.
    pub follows: bool,
}

impl SessionOptions {
    /// The options of a server in `mode` with `limits`.
    #[must_use]
    pub fn new(mode: ServerMode, limits: SessionLimits) -> Self {
        Self {
            mode,
            limits,
            episode: None,
            follows: false,
        }
    }
}
