//! `serve`.

use super::{Console, args};
use boardroom_serve::sessions::{SessionLimits, SessionManager};
use boardroom_serve::transport::{serve_http, serve_stdio};
use boardroom_serve::{Server, ServerMode, client_config};
use clap::{Args, ValueEnum};
use run_engine::error::RunError;
use run_engine::interrupt::Finishing;
use run_engine::plan::{Plan, RunRequest};
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::fresh::RunDirGuard;
use serde_json::Value;
use sim_core::{Effort, Seed};
use std::fmt::Display;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Episodes that a server in mode `play` gives out.
const PLAY_EPISODES: u64 = 1_000_000;

/// Maximum number of open games: together they may hold 10 GB, about the memory of one machine.
const MOST_GAMES: u16 = 10_000;

/// Longest time that a game may be idle \[s\]: one year.
const LONGEST_IDLE: u32 = 31_536_000;

/// Interval at which the stop flag of Ctrl-C and the queue of messages are checked.
const TICK: Duration = Duration::from_millis(100);

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Environment, as `list` names it
    environment: String,
    /// Preset (the first by default)
    #[arg(long)]
    preset: Option<String>,
    /// Replace a setting: dotted path and JSON value
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = args::setting)]
    settings: Vec<(String, Value)>,
    /// Seed of the episodes
    #[arg(long, default_value_t = 0, value_parser = args::whole)]
    seed: u64,
    /// Serve over HTTP at this loopback address (port 0 picks one) instead of standard input and
    /// output
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// play: clients open games and see scores; eval: one game, score hidden until it is over
    #[arg(long, value_enum, default_value = "play")]
    mode: ModeArg,
    /// Run folder for the records of games; a server on the same folder continues unfinished games
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Maximum number of open games, 1 to 10,000; together they may hold 1 MiB of calls per game,
    /// at least 64 MiB
    #[arg(long, default_value = "1000", value_parser = games)]
    games: u16,
    /// Seconds after which an untouched game is closed, 1 to 31,536,000 (a year)
    #[arg(long, default_value = "3600", value_parser = seconds)]
    idle: u32,
    /// Print the text for a client's configuration, and end
    #[arg(long)]
    print_config: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ModeArg {
    /// Clients open games and see scores
    Play,
    /// One game, score hidden until it is over
    Eval,
}

pub(super) fn serve(
    args: &ServeArgs,
    registry: &Registry,
    stop: &AtomicBool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let mode = match args.mode {
        ModeArg::Play => ServerMode::Play,
        ModeArg::Eval => ServerMode::Eval,
    };
    let wanted = RunRequest {
        environment: args.environment.clone(),
        preset: args.preset.clone(),
        settings: args.settings.clone(),
        agent: "mcp".to_owned(),
        episodes: Some(if mode == ServerMode::Eval {
            1
        } else {
            PLAY_EPISODES
        }),
        seed: Seed(args.seed),
        effort: Effort::Quick,
        ..RunRequest::default()
    };
    let plan = Plan::new(registry, wanted)?;
    if args.print_config {
        let arguments: Vec<String> = std::env::args()
            .skip(1)
            .filter(|word| word != "--print-config")
            .collect();
        return console.print(&client_config(&plan, &arguments)?);
    }
    let fresh = RunDirGuard::before(args.record.as_ref());
    let served = serve_plan(plan, mode, args, stop, console);
    RunDirGuard::settle(fresh, served)
}

fn serve_plan(
    plan: Plan,
    mode: ServerMode,
    args: &ServeArgs,
    stop: &AtomicBool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let record = match &args.record {
        Some(path) if path.join("manifest.json").exists() => Some(reopen(path, &plan)?),
        Some(path) => Some(Folder::create(path, plan.clone())?),
        None => None,
    };
    let limits = SessionLimits::of(args.games.into(), Duration::from_secs(args.idle.into()));
    let hall = Arc::new(SessionManager::new(
        crate::registry::Registry::new().into(),
        plan,
        mode,
        limits,
        record,
    )?);
    let server = Server::new(Arc::clone(&hall));
    let stopping = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stopping);
    let waiting = async move {
        while !seen.load(Ordering::Relaxed) {
            tokio::time::sleep(TICK).await;
        }
    };
    let (say, said) = mpsc::channel();
    let http = args.http;
    let (mut told, mut unkept) = (Ok(()), 0);
    let finishing = Finishing::begin();
    std::thread::scope(|scope| {
        // The server runs on its own thread, so that this thread can print its messages.
        let serving = scope.spawn(move || {
            let ready = |address| {
                // Sending fails only if the receiver is gone, which means that the program is
                // ending.
                let _ = say.send(format!("serving at http://{address}/mcp\n"));
            };
            match http {
                Some(address) => serve_http(&server, address, ready, waiting),
                None => serve_stdio(&server, waiting),
            }
        });
        loop {
            let ended = serving.is_finished();
            if stop.load(Ordering::Relaxed) {
                stopping.store(true, Ordering::Relaxed);
            }
            let mut lines: Vec<String> = said.try_iter().collect();
            for line in hall.take_unkept() {
                unkept += 1;
                lines.push(format!("warning: {line}\n"));
            }
            for line in lines {
                let shown = console.remark(&line);
                told = std::mem::replace(&mut told, Ok(())).and(shown);
            }
            if ended {
                break;
            }
            std::thread::park_timeout(TICK);
        }
        let crashed = |_| Err(RunError::Failed("the server crashed".to_owned()));
        serving.join().unwrap_or_else(crashed)
    })?;
    drop(finishing);
    if unkept > 0 {
        return Err(RunError::Failed(format!(
            "{unkept} writes of games failed, see the messages above"
        )));
    }
    told
}

/// Reads a number of games, at least 1.
fn games(text: &str) -> Result<u16, String> {
    from_one_to(MOST_GAMES, text)
}

/// Reads the time that a game may be idle.
fn seconds(text: &str) -> Result<u32, String> {
    from_one_to(LONGEST_IDLE, text)
}

fn from_one_to<N>(most: N, text: &str) -> Result<N, String>
where
    N: Copy + FromStr + From<u8> + PartialOrd + Display,
{
    let number = text.parse::<N>().ok();
    let number = number.filter(|number| (N::from(1)..=most).contains(number));
    number.ok_or_else(|| format!("must be a whole number from 1 to {most}"))
}

/// Opens the folder of an earlier server of the same games.
fn reopen(path: &std::path::Path, plan: &Plan) -> Result<Folder, RunError> {
    let folder = Folder::open(path)?;
    if folder.manifest.plan != *plan {
        return Err(RunError::usage(format!(
            "{} holds other games; name another folder",
            path.display()
        )));
    }
    Ok(folder)
}
