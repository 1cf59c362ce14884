//! `classroom`.

mod models;

use super::server::run_server;
use super::serving::Line;
use super::{Console, game};
use agent_client::money::Money;
use boardroom_serve::ServerMode;
use boardroom_serve::classroom::{Classroom, ClassroomOptions, ModelPlayer};
use boardroom_serve::sessions::{SessionLimits, SessionManager, SessionOptions};
use boardroom_serve::transport::bind;
use clap::Args;
use models::SeatModels;
use run_engine::error::RunError;
use run_engine::files::run_file;
use run_engine::plan::agent::is_model;
use run_engine::plan::model::RunBudget;
use run_engine::plan::{Plan, RunRequest};
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::fresh::RunDirGuard;
use run_engine::terminal::shown_path;
use sim_core::Limits;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Time for which a game may be idle: a year, because people need time.
const IDLE: Duration = Duration::from_secs(31_536_000);

/// Longest time for one attempt at a request to a model \[s\], and how often a failed one is sent again:
/// less than in a run, because people wait for their team.
const MODEL_TIMEOUT: f64 = 60.0;
const MODEL_RETRIES: u32 = 2;

/// Arguments of `classroom`.
pub type ClassroomArgs = game::GameOf<ClassOptions>;

/// Options of `classroom` besides the game.
#[derive(Debug, Args)]
pub struct ClassOptions {
    /// The episode that every team plays
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = super::args::from_to(0, 999_999_u64))]
    episode: u64,
    /// Number of teams, 1 to 200
    #[arg(long, default_value_t = 1, value_parser = super::args::from_to(1, 200_u32))]
    teams: u32,
    /// Who plays empty seats: a policy or a model (openai:MODEL, anthropic:MODEL) [default: the first policy
    /// in `describe` that does not know hidden
    /// state, if possible one that does not draw random numbers]. When the
    /// time is up or a model fails, this policy decides; where a model is named, the default policy does
    #[arg(long, value_name = "POLICY|MODEL")]
    bot: Option<String>,
    /// A further model that the teacher can let play seats (repeatable)
    #[arg(long = "model", value_name = "MODEL")]
    models: Vec<String>,
    /// Maximum cost of all models in US dollars, earlier lessons in the folder included; needs --prices
    #[arg(long, value_name = "USD")]
    max_cost: Option<Money>,
    /// File with the prices of each model (TOML or JSON)
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// Time limit for a decision, in seconds [default: none]
    #[arg(long = "time-limit", value_name = "SECONDS", value_parser = super::args::from_to(1, u32::MAX))]
    limit: Option<u32>,
    /// Port of the page (0 picks a free port)
    #[arg(long, default_value_t = 8517)]
    port: u16,
    /// Serve the page to other machines at this address, such as 0.0.0.0 for all networks. The connection
    /// is not encrypted, and the page says so [default: this machine only]
    #[arg(long, value_name = "IP")]
    bind: Option<IpAddr>,
    /// Run folder [default: a new one, runs/classroom-..]; with the folder of an earlier classroom, that
    /// classroom continues with the same links
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn classroom(game: &ClassroomArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let args = game.options();
    let episodes = args.episode + 1;
    let wanted = RunRequest {
        // A person may look things up and mistype any number of times before a decision.
        limits: Limits {
            tries_per_period: 1_000,
            ..Limits::default()
        },
        ..game.request("classroom", Some(episodes), episodes, console)?
    };
    let plan = Plan::new(console.registry, wanted)?;
    let dir = args.out.clone().unwrap_or_else(|| new_folder(&plan));
    hold(args, plan, &dir, console)
}

fn hold(
    args: &ClassOptions,
    plan: Plan,
    dir: &Path,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let models = args.models();
    // Before the folder is made.
    SeatModels::plans(&models)?;
    if models.is_empty() && (args.max_cost.is_some() || args.prices.is_some()) {
        return Err(RunError::usage(
            "--max-cost and --prices are for models: name one with --model or --bot",
        ));
    }
    let (bot, stand_in) = match &args.bot {
        Some(bot) if is_model(bot) => (bot.clone(), default_bot(console.registry, &plan)?),
        Some(bot) => (bot.clone(), bot.clone()),
        None => {
            let bot = default_bot(console.registry, &plan)?;
            (bot.clone(), bot)
        }
    };
    // Before the address, so that a classroom that is open already is told as what it is.
    let earlier = Folder::reopen(dir, &plan)?;
    let ip = args.bind.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    // Before the folder is made, so that an address that cannot be served leaves none behind.
    let listener = bind(SocketAddr::new(ip, args.port))?;
    // The guard is for a folder that this process makes: one that another process made meanwhile is not removed.
    let (folder, fresh) = match earlier {
        Some(folder) => (folder, None),
        None => {
            let fresh = RunDirGuard::before(Some(dir));
            (Folder::create(dir, plan.clone())?, fresh)
        }
    };
    let serve = || {
        // The game of a team that is over tells what others still play, and a reply of a model what a seat decides.
        run_file::keep_private(dir)?;
        let options = SessionOptions {
            follows: true,
            ..SessionOptions::new(ServerMode::Play, SessionLimits::of(1_000, IDLE))
        };
        let models: Option<Arc<dyn ModelPlayer>> = if models.is_empty() {
            None
        } else {
            let means = RunBudget {
                max_cost: args.max_cost,
                prices: args.prices.clone(),
                timeout: Some(MODEL_TIMEOUT),
                retries: Some(MODEL_RETRIES),
                ..RunBudget::default()
            };
            Some(Arc::new(SeatModels::open(&models, &means, &folder)?))
        };
        let registry = console.registry.for_server();
        let sessions = Arc::new(SessionManager::with(registry, plan, options, Some(folder))?);
        let options = ClassroomOptions {
            teams: args.teams,
            episode: args.episode,
            bot,
            stand_in,
            models,
            limit: args.limit.map(|limit| Duration::from_secs(limit.into())),
            is_open: !ip.is_loopback(),
        };
        let is_open = options.is_open;
        let classroom = Classroom::open(Arc::clone(&sessions), options, Some(dir))?;
        console.remark(&format!("the games are saved in {}\n", shown_path(dir)))?;
        if is_open {
            console.remark(
                "the connection is not encrypted: everybody who reads a link can use it\n",
            )?;
        }
        let links = classroom.links();
        run_server(&sessions, console, move |say, waiting| {
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
            classroom.serve(listener, ready, waiting)
        })
    };
    RunDirGuard::settle(fresh, serve())
}

impl ClassOptions {
    /// The models that may play seats.
    fn models(&self) -> Vec<String> {
        let mut models: Vec<String> = Vec::new();
        let bot = self.bot.iter().filter(|bot| is_model(bot));
        for name in bot.chain(&self.models) {
            if !models.contains(name) {
                models.push(name.clone());
            }
        }
        models
    }
}

/// The first policy that neither knows hidden state nor draws random numbers nor needs an argument; if there
/// is none, the first one that does not know hidden state, with an argument that works.
fn default_bot(registry: &Registry, plan: &Plan) -> Result<String, RunError> {
    let policies = registry.kind(&plan.environment)?.policy_list();
    let fair = || policies.iter().filter(|policy| !policy.oracle);
    let plain = fair().find(|policy| !policy.random && policy.argument.is_none());
    let found = plain.or_else(|| fair().next());
    let name = found.map(|policy| match policy.example {
        Some(example) => format!("{}:{example}", policy.name),
        None => policy.name.to_owned(),
    });
    name.ok_or_else(|| RunError::usage("name the policy for empty seats with --bot"))
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
        // An address for documentation, which no host has.
        socket.connect(("192.0.2.1", 9)).ok()?;
        socket.local_addr().ok()
    });
    local.map_or(ip, |address| address.ip())
}
