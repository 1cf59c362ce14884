//! `serve`: every environment as an MCP server, over standard input and output or HTTP.
//!
//! There are two modes. In mode `play` clients open episodes and may see the score. In mode `eval`
//! the server has exactly one episode: no client can open, restart or seed one, and the score stays
//! hidden until the episode is over.
//!
//! The protocol has no sessions any more, so every tool has an argument `episode_id`, and all games
//! are in one [`sessions::SessionManager`], independent of the connection. The tools themselves are
//! those of the environment: the same list that the agent loop and the terminal use.
//!
//! Rules belong to a game and to the seat in turn, so a client gets them with the game: when the
//! game is opened, whenever its status is requested, and when the turn passes to another seat. The
//! instructions that a client gets when it connects hold for every game.

mod handler;
mod http;
mod line;
mod message;
mod mode;
pub mod sessions;
pub mod transport;

pub use mode::ServerMode;

use handler::Handler;
use run_engine::error::RunError;
use run_engine::plan::Plan;
use sessions::SessionManager;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// A server for one setting of one environment.
#[derive(Debug, Clone)]
pub struct Server {
    sessions: Arc<SessionManager>,
    /// Permits for calls in progress, over all connections.
    places: Arc<Semaphore>,
}

impl Server {
    /// A server for the games of `sessions`.
    #[must_use]
    pub fn new(sessions: Arc<SessionManager>) -> Self {
        let places = Arc::new(Semaphore::new(http::AT_A_TIME));
        Self { sessions, places }
    }

    pub(crate) fn handler(&self) -> Handler {
        Handler::new(Arc::clone(&self.sessions), Arc::clone(&self.places))
    }
}

/// The configuration of common clients for this server, as JSON to paste.
///
/// # Errors
/// When the path of this program is unknown.
pub fn client_config(plan: &Plan, arguments: &[String]) -> Result<String, RunError> {
    let program = std::env::current_exe().map_err(|source| RunError::File {
        place: "this program".to_owned(),
        source,
    })?;
    let name = format!("boardroom-{}", plan.environment);
    let entry = serde_json::json!({
        "mcpServers": {name: {"command": program.display().to_string(), "args": arguments}}
    });
    serde_json::to_string_pretty(&entry)
        .map(|text| text + "\n")
        .map_err(|e| RunError::Failed(e.to_string()))
}
