//! `classroom`.

use super::server::{Line, reopen, run_server};
use super::{Console, args};
use boardroom_serve::ServerMode;
use boardroom_serve::classroom::{Classroom, ClassroomOptions};
use boardroom_serve::sessions::{SessionLimits, SessionManager, SessionOptions};
use clap::Args;
use run_engine::error::RunError;
use run_engine::plan::{Plan, RunRequest};
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::fresh::RunDirGuard;
use run_engine::run_dir::manifest::MANIFEST;
use serde_json::Value;
use sim_core::{Effort, Limits, Seed};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time for which a game may be idle: people take as long as they take.
const IDLE: Duration = Duration::from_secs(31_536_000);

/// Arguments of `classroom`.
#[derive(Debug, Args)]
pub struct ClassroomArgs {
    /// Environment, as `list` names it
    environment: String,
    /// Preset (the first by default)
    #[arg(long)]
    preset: Option<String>,
    /// Replace a setting: dotted path and JSON value
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = args::setting)]
    settings: Vec<(String, Value)>,
    #[command(flatten)]
    instance: args::InstanceArgs,
    /// Seed of the episodes
    #[arg(long, default_value_t = 0, value_parser = args::whole)]
    seed: u64,
    /// The episode that every team plays
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..1_000_000))]
    episode: u64,
    /// Number of teams, 1 to 200
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=200))]
    teams: u32,
    /// The policy that plays empty seats, and decides when the time is up [default: the first that
    /// `describe` lists and that knows nothing hidden]
    #[arg(long, value_name = "POLICY")]
    bot: Option<String>,
    /// Time for a decision [seconds; default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Port of the page (0 picks one)
    #[arg(long, default_value_t = 8517)]
    port: u16,
    /// Address at which other machines reach the page, such as 0.0.0.0 for all networks. The connection
    /// is not encrypted, and the page says so [default: this machine only]
    #[arg(long, value_name = "IP")]
    bind: Option<IpAddr>,
    /// Run folder [default: a new one, runs/classroom-..]; with the folder of an earlier classroom, that
    /// one continues with the same links
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn classroom(
    args: &ClassroomArgs,
    registry: &Registry,
    stop: &AtomicBool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let wanted = RunRequest {
        environment: args.environment.clone(),
        preset: args.preset.clone(),
        settings: args.settings.clone(),
        suite: args.instance.suite.clone(),
        instance: args.instance.instance.clone(),
        agent: "classroom".to_owned(),
        episodes: Some(args.episode + 1),
        seed: Seed(args.seed),
        // A person may look things up and mistype any number of times before a decision.
        limits: Limits {
            tries_per_period: 1_000,
            ..Limits::default()
        },
        effort: Effort::Quick,
        ..RunRequest::default()
    };
    let plan = Plan::new(registry, wanted)?;
    let dir = args.out.clone().unwrap_or_else(|| new_folder(&plan));
    let fresh = RunDirGuard::before(Some(&dir));
    let served = hold(args, plan, &dir, registry, stop, console);
    RunDirGuard::settle(fresh, served)
}

fn hold(
    args: &ClassroomArgs,
    plan: Plan,
    dir: &Path,
    registry: &Registry,
    stop: &AtomicBool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let bot = match &args.bot {
        Some(bot) => bot.clone(),
        None => default_bot(registry, &plan)?,
    };
    let folder = if dir.join(MANIFEST).exists() {
        reopen(dir, &plan)?
    } else {
        Folder::create(dir, plan.clone())?
    };
    let options = SessionOptions {
        follows: true,
        ..SessionOptions::new(ServerMode::Play, SessionLimits::of(1_000, IDLE))
    };
    let own = crate::registry::Registry::new().into();
    let sessions = Arc::new(SessionManager::with(own, plan, options, Some(folder))?);
    let bound = args.bind.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let options = ClassroomOptions {
        teams: args.teams,
        episode: args.episode,
        bot,
        limit: args.limit.map(|limit| Duration::from_secs(limit.into())),
        is_open: !bound.is_loopback(),
    };
    let is_open = options.is_open;
    let classroom = Classroom::open(Arc::clone(&sessions), options, Some(dir))?;
    console.remark(&format!("the games are saved in {}\n", dir.display()))?;
    if is_open {
        console
            .remark("the connection is not encrypted: everybody who reads a link can use it\n")?;
    }
    let links = classroom.links();
    run_server(&sessions, stop, console, move |say, waiting| {
        let ready = |address: SocketAddr| {
            let base = SocketAddr::new(reachable(address.ip()), address.port());
            for link in links {
                // Sending fails only if the program is ending.
                let _ = say.send(Line::Print(format!(
                    "{}: http://{base}/#{}\n",
                    link.of, link.token
                )));
            }
        };
        classroom.serve(SocketAddr::new(bound, args.port), ready, waiting)
    })
}

/// The first policy that knows nothing hidden, draws no random numbers, and needs no argument.
fn default_bot(registry: &Registry, plan: &Plan) -> Result<String, RunError> {
    let kind = registry.kind(&plan.environment)?;
    let mut policies = kind.policy_list().into_iter();
    let plain = policies.find(|p| !p.oracle && !p.random && p.argument.is_none());
    let plain = plain.map(|policy| policy.name.to_owned());
    plain.ok_or_else(|| RunError::usage("name the policy for empty seats with --bot"))
}

/// A folder that does not exist yet.
fn new_folder(plan: &Plan) -> PathBuf {
    let mut number = 1_u32;
    loop {
        let name = format!("classroom-{}-{number}", plan.environment);
        let dir = Path::new("runs").join(name);
        if !dir.exists() || number == u32::MAX {
            return dir;
        }
        number += 1;
    }
}

/// An address that other machines can name: that of the network interface in use, where the server
/// listens on all of them.
fn reachable(ip: IpAddr) -> IpAddr {
    if !ip.is_unspecified() {
        return ip;
    }
    // Nothing is sent: connecting a datagram socket only chooses the interface.
    let socket = UdpSocket::bind((ip, 0)).ok();
    let local = socket.and_then(|socket| {
        socket.connect(("192.0.2.1", 9)).ok()?;
        socket.local_addr().ok()
    });
    local.map_or(ip, |address| address.ip())
}
