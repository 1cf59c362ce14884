//! `serve`.

use super::serving::{Line, TICK, serving};
use super::{Console, args, game};
use boardroom_serve::clients::Clients;
use boardroom_serve::openenv::Reward;
use boardroom_serve::sessions::{SessionLimits, SessionManager, SessionOptions};
use boardroom_serve::transport::{serve_http, serve_stdio};
use boardroom_serve::{Server, ServerMode, client_config};
use clap::Args;
use run_engine::error::RunError;
use run_engine::interrupt::Finishing;
use run_engine::plan::Plan;
use run_engine::run_dir::Folder;
use run_engine::run_dir::fresh::RunDirGuard;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

/// Episodes that a server in mode `play` gives out, where the instances are not a list.
const PLAY_EPISODES: u64 = 1_000_000;

/// Maximum number of open games: together they may hold 10 GB, about the memory of one machine.
const MOST_GAMES: u16 = 10_000;

/// Longest time that a game may be idle \[s\]: one year.
const LONGEST_IDLE: u32 = 31_536_000;

/// Address of OpenEnv's servers.
const OPENENV: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8000);

/// Arguments of `serve`.
pub type ServeArgs = game::GameOf<ServeOptions>;

/// Options of `serve` besides the game.
#[derive(Debug, Args)]
pub struct ServeOptions {
    /// The episode that is played: in mode eval the only one (default 0), in mode play the one for clients
    /// that do not name one (default: the next one)
    #[arg(long, value_name = "K", value_parser = args::from_to(0, PLAY_EPISODES - 1))]
    episode: Option<u64>,
    /// Serve over HTTP at this address (port 0 picks one) instead of standard input and output; it
    /// must be a loopback address, unless there is a --token-file
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Serve OpenEnv's protocol as well, over HTTP (at 127.0.0.1:8000 without --http)
    #[arg(long)]
    openenv: bool,
    /// Reward of OpenEnv. score: how much each step improves the score; unit: the unit score (0 to 1)
    /// at the end
    #[arg(long, default_value = "score", requires = "openenv", value_parser = args::named::<Reward>([
        ("score", "How much each step improves the score"), ("unit", "The unit score, at the end"),
    ]))]
    reward: Reward,
    /// Clients over HTTP: a file with a name and a token per line, separated by a space. The client
    /// `host` opens and closes games
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// play: clients open games and see scores; eval: one game, score hidden until it is over
    #[arg(long, default_value = "play", value_parser = args::named::<ServerMode>([
        ("play", "Clients open games and see scores"), ("eval", "One game, score hidden until it is over"),
    ]))]
    mode: ServerMode,
    /// Run folder for the records of games; a server on the same folder continues unfinished games.
    /// An episode may be played any number of times, each time as another trial
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Maximum number of open games, 1 to 10,000; together they may hold 1 MiB of calls per game,
    /// at least 64 MiB
    #[arg(long, default_value = "1000", value_parser = args::from_to(1, MOST_GAMES))]
    games: u16,
    /// Maximum number of open games of one client; the host may have all [default: all, or an equal
    /// share with a --token-file]
    #[arg(long, value_name = "N", value_parser = args::from_to(1, MOST_GAMES))]
    games_per_client: Option<u16>,
    /// Seconds without a call after which a game is closed, 1 to 31,536,000 (a year): the rest of it is
    /// forfeited, scored and recorded
    #[arg(long, default_value = "3600", value_parser = args::from_to(1, LONGEST_IDLE))]
    idle: u32,
    /// When the server ends, close unfinished games as after --idle instead of keeping them for the
    /// next server
    #[arg(long)]
    close_at_end: bool,
    /// Print the text for the configuration of a client, and exit
    #[arg(long)]
    print_config: bool,
}

pub(super) fn serve(game: &ServeArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let args = game.options();
    let mode = args.mode;
    let episodes = match mode {
        // Episode K is the last of K + 1.
        ServerMode::Eval => Some(args.episode.unwrap_or(0) + 1),
        ServerMode::Play => None,
    };
    let wanted = game.request("mcp", episodes, PLAY_EPISODES, console)?;
    if args.openenv && mode == ServerMode::Eval {
        return Err(RunError::usage(
            "--openenv opens games and shows rewards: leave out --mode eval",
        ));
    }
    let plan = Plan::new(console.registry, wanted)?;
    if args.print_config {
        // The words of this call, so that the client starts the same server.
        let arguments: Vec<String> = std::env::args()
            .skip(1)
            .filter(|word| word != "--print-config")
            .collect();
        return console.print(&client_config(&plan, &arguments)?);
    }
    let (record, fresh) = game::folder(args.record.as_deref(), &plan)?;
    let served = serve_plan(plan, record, args, console);
    RunDirGuard::settle(fresh, served)
}

fn serve_plan(
    plan: Plan,
    record: Option<Folder>,
    args: &ServeOptions,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let clients = match &args.token_file {
        Some(path) => Clients::read(path)?,
        None => Clients::default(),
    };
    let http = match (args.http, args.openenv) {
        (None, true) => Some(OPENENV),
        (http, _) => http,
    };
    if http.is_none() && !clients.is_empty() {
        return Err(RunError::usage(
            "--token-file is for clients over HTTP: name an address with --http",
        ));
    }
    let limits = SessionLimits {
        per_client: args.per_client(&clients),
        ..SessionLimits::of(args.games.into(), Duration::from_secs(args.idle.into()))
    };
    let options = SessionOptions {
        episode: args.episode,
        ..SessionOptions::new(args.mode, limits)
    };
    let registry = console.registry.for_server();
    let sessions = Arc::new(SessionManager::with(registry, plan, options, record)?);
    let mut server = Server::new(Arc::clone(&sessions)).with_clients(clients);
    if args.openenv {
        if args.reward == Reward::Unit && !sessions.has_unit_score()? {
            let why = format!(
                "--reward unit needs a reference and a baseline, and {} does not have both, so every \
                 reward would be 0; use --reward score",
                sessions.environment()
            );
            return Err(RunError::usage(why));
        }
        server = server.with_openenv(args.reward);
    }
    if let Some(opened) = sessions.bound().filter(|opened| !opened.seats.is_empty()) {
        console.remark(&format!("episode_id of all seats: {}\n", opened.id))?;
        for (seat, id) in &opened.seats {
            console.remark(&format!("episode_id of seat {seat}: {id}\n"))?;
        }
    }
    let (openenv, at_end) = (args.openenv, args.close_at_end);
    let served = Arc::clone(&sessions);
    run_server(&sessions, console, move |say, waiting| {
        let ready = |address| {
            // Sending fails only if the receiver is gone, which means that the program is ending.
            let _ = say.send(Line::Remark(format!("serving at http://{address}/mcp\n")));
            if openenv {
                let _ = say.send(Line::Remark(format!("OpenEnv at http://{address}\n")));
            }
        };
        let result = match http {
            Some(address) => serve_http(&server, address, ready, waiting),
            None => serve_stdio(&server, waiting),
        };
        if at_end {
            served.close_all();
        }
        result
    })
}

/// Ends with the server's stop flag.
pub(super) type Waiting = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs a server of games until it ends or the user stops it, and prints its lines and the errors of writing games.
pub(super) fn run_server(
    sessions: &SessionManager,
    console: &mut Console<'_>,
    serve: impl FnOnce(mpsc::Sender<Line>, Waiting) -> Result<(), RunError> + Send,
) -> Result<(), RunError> {
    let mut unkept = 0;
    let news = || {
        let lines = sessions.take_unkept();
        unkept += lines.len();
        lines
            .iter()
            .map(|line| format!("warning: {line}\n"))
            .collect()
    };
    let finishing = Finishing::begin();
    let (served, told) = serving(console, news, |say, stopping| {
        let waiting: Waiting = Box::pin(async move {
            while !stopping.load(Ordering::Relaxed) {
                tokio::time::sleep(TICK).await;
            }
        });
        serve(say, waiting)
    });
    drop(finishing);
    served?;
    // Before an error of printing, which loses no game.
    if unkept > 0 {
        return Err(RunError::Failed(format!(
            "{unkept} writes of games failed; see the messages above"
        )));
    }
    told
}

impl ServeOptions {
    /// Maximum number of open games of one client.
    fn per_client(&self, clients: &Clients) -> usize {
        let share = usize::from(self.games).div_ceil(clients.players().max(1));
        self.games_per_client.map_or(share, usize::from)
    }
}
