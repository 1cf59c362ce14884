//! `serve`: every environment as a server. [`transport`] serves MCP over standard input and output or
//! HTTP, with [`openenv`] the protocol of OpenEnv for training as well; [`classroom`] lets people play in
//! their browsers. All of them play games of one [`sessions::SessionManager`].
//!
//! MCP has two modes. In mode `play` clients open episodes and may see the score. In mode `eval`
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

pub mod classroom;
pub mod clients;
mod cors;
mod handler;
mod host;
mod http;
mod line;
mod media_types;
mod message;
mod mode;
pub mod openenv;
mod replies;
mod request_checks;
pub mod sessions;
pub mod transport;

pub use mode::ServerMode;

use clients::{Clients, HOST};
use handler::Handler;
use openenv::Reward;
use run_engine::error::RunError;
use run_engine::plan::Plan;
use sessions::SessionManager;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Interval at which a server looks for idle games.
const TICK: Duration = Duration::from_secs(1);

/// A server for one setting of one environment.
#[derive(Debug, Clone)]
pub struct Server {
    sessions: Arc<SessionManager>,
    /// Permits for calls in progress, over all connections.
    places: Arc<Semaphore>,
    /// The clients over HTTP.
    clients: Clients,
    /// Whether OpenEnv is served over HTTP, and its reward.
    openenv: Option<Reward>,
}

impl Server {
    /// A server for the games of `sessions`.
    #[must_use]
    pub fn new(sessions: Arc<SessionManager>) -> Self {
        let places = Arc::new(Semaphore::new(request_checks::AT_A_TIME));
        Self {
            sessions,
            places,
            clients: Clients::default(),
            openenv: None,
        }
    }

    /// Serves only `clients` over HTTP.
    #[must_use]
    pub fn with_clients(self, clients: Clients) -> Self {
        Self { clients, ..self }
    }

    /// Serves OpenEnv over HTTP as well, with this reward.
    #[must_use]
    pub fn with_openenv(self, reward: Reward) -> Self {
        Self {
            openenv: Some(reward),
            ..self
        }
    }

    /// Closes idle games from time to time until the result is dropped; requests do it as well.
    fn close_idle_games(&self) -> tokio::task::JoinSet<()> {
        let sessions = Arc::clone(&self.sessions);
        let mut tasks = tokio::task::JoinSet::new();
        tasks.spawn(async move {
            let mut tick = tokio::time::interval(TICK);
            loop {
                tick.tick().await;
                let sessions = Arc::clone(&sessions);
                // An error means that it panicked; the next tick tries again.
                let _ = tokio::task::spawn_blocking(move || sessions.close_idle()).await;
            }
        });
        tasks
    }

    /// Answers the protocol for one client over standard input and output.
    pub(crate) fn handler(&self) -> Handler {
        Handler {
            sessions: Arc::clone(&self.sessions),
            places: Arc::clone(&self.places),
            unnamed: self.sessions.bound().map(|opened| opened.id.clone()),
            hides_scores: false,
        }
    }

    /// Answers the protocol for the clients over HTTP. With several seats each client has the identifier
    /// of its own, so a call that names none is nobody's.
    pub(crate) fn http_handler(&self) -> Handler {
        let bound = self.sessions.bound();
        Handler {
            // The game as a whole only: an identifier of a seat is that of its client.
            unnamed: bound
                .filter(|opened| opened.seats.is_empty())
                .map(|opened| opened.id.clone()),
            hides_scores: self.clients.names().any(|name| name == HOST),
            ..self.handler()
        }
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
        "mcpServers": {name: {"command": program.to_string_lossy(), "args": arguments}}
    });
    serde_json::to_string_pretty(&entry)
        .map(|text| text + "\n")
        .map_err(RunError::failed)
}
