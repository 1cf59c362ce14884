//! People play in their browsers, one link per seat; policies or models take the seats that stay empty,
//! and a teacher starts, pauses and looks at every team.
//!
//! ```text
//! GET  /, /page.js, /page.css                       one static page; the token stands behind the `#`
//! GET  /api/me                                      whose token it is
//! GET  /api/teams/{team}/seats/{seat}               what the seat sees
//! GET  /api/teams/{team}/seats/{seat}/events        the same with every change (server-sent events)
//! POST /api/teams/{team}/seats/{seat}/join          {"name": ".."}
//! POST /api/teams/{team}/seats/{seat}/act           {"tool", "arguments", "turn"}
//! GET  /api/teacher, /api/teacher/events            all teams
//! POST /api/teacher/{start, pause, limit, bot, end}
//! ```
//!
//! The server decides everything: a page only shows what it is sent. The token of a seat opens the paths
//! of that seat alone; every other path answers 403. Decisions of a period are sealed until all are in,
//! as [`SessionManager`] keeps them. The games are stored like those of any server, and the links in
//! `progress/classroom.json` of the run folder, so that a server that starts again on the folder
//! continues with the same links.

mod api;
mod models;
mod page;
mod plots;
mod room;
mod store;
mod views;

use super::sessions::SessionManager;
use super::transport::listen;
use boardroom_http::{Limits, ServerOptions, plain_error};
pub use models::{ModelFuture, ModelPlayer, ModelTurn};
use room::Room;
use run_engine::error::RunError;
use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The games of a classroom.
#[derive(Debug, Clone)]
pub struct ClassroomOptions {
    /// Number of teams; all of them play the same episode.
    pub teams: u32,
    /// The episode.
    pub episode: u64,
    /// Who plays empty seats: a policy, or one of `models`.
    pub bot: String,
    /// The policy that decides for people whose time is up, and for models that cannot decide.
    pub stand_in: String,
    /// Plays seats with models, if there are any.
    pub models: Option<Arc<dyn ModelPlayer>>,
    /// Time limit for a decision. Without one, there is none in a new classroom, and one that is
    /// continued keeps its own.
    pub limit: Option<Duration>,
    /// Whether the page is reachable from other machines. It then says that it is not encrypted.
    pub is_open: bool,
}

/// The link of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Whose it is: `teacher`, or `team 1, retailer`.
    pub of: String,
    /// The token.
    pub token: String,
}

/// A classroom.
#[derive(Debug, Clone)]
pub struct Classroom {
    room: Arc<Room>,
}

impl Classroom {
    /// Opens a game for every team, or continues those of an earlier server in the run folder `dir`.
    /// `sessions` must keep the results of periods
    /// ([`SessionOptions::follows`](super::sessions::SessionOptions::follows)).
    ///
    /// # Errors
    /// When a game cannot be opened, a policy or model does not exist, or the folder cannot be read or
    /// written.
    pub fn open(
        sessions: Arc<SessionManager>,
        options: ClassroomOptions,
        dir: Option<&Path>,
    ) -> Result<Self, RunError> {
        let room = Arc::new(Room::open(sessions, options, dir)?);
        Ok(Self { room })
    }

    /// The link of the teacher, and those of all seats.
    #[must_use]
    pub fn links(&self) -> Vec<Link> {
        self.room.links()
    }

    /// Serves the page at the address of `listener`, which [`bind`](super::transport::bind) binds, until
    /// `stop` ends. `ready` is called with the address.
    ///
    /// # Errors
    /// When the system refuses to serve it.
    pub fn serve(
        &self,
        listener: TcpListener,
        ready: impl FnOnce(SocketAddr),
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), RunError> {
        let room = Arc::clone(&self.room);
        let router = api::router(&room);
        let options = ServerOptions {
            limits: Limits {
                longest_body: api::LONGEST,
                ..Limits::default()
            },
            error_text: plain_error,
        };
        listen(listener, router, options, ready, stop, move || {
            let mut tasks = room::keep_time(Arc::clone(&room));
            // While the class joins and plays: it may take long, and no page waits for it.
            let of = Arc::clone(&room);
            tasks.spawn_blocking(move || views::solve(&of));
            tasks.spawn(models::play(room));
            tasks
        })
    }
}
