//! `run` and `resume`.

use super::sweep::SweepCall;
use super::{Console, line};
use crate::about::{method_names, method_parts};
use agent_client::memory::Feedback;
use agent_client::money::Money;
use agent_client::play::{PlanMode, PlaySettings};
use clap::{Args, Subcommand, ValueEnum};
use run_engine::engine::episodes::play_with;
use run_engine::engine::execute::Options;
use run_engine::engine::finished::{Finished, Shown};
use run_engine::engine::workload::Resume;
use run_engine::error::RunError;
use run_engine::files::torn::Torn;
use run_engine::plan::model::{Means, ModelRequest};
use run_engine::plan::{Plan, Request, Shard};
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::fresh::Fresh;
use run_engine::run_dir::manifest;
use run_engine::run_dir::members::SWEEP;
use serde_json::Value;
use sim_core::{Effort, Limits, Seed};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What to run.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct RunArgs {
    #[command(subcommand)]
    stage: Option<Stage>,
    /// Environment, as `list` names it
    #[arg(required_unless_present = "plan", conflicts_with = "plan")]
    environment: Option<String>,
    /// A plan file with many runs (TOML); --out is then the folder of the sweep
    #[arg(long, value_name = "FILE", requires = "out", conflicts_with_all = [
        "preset", "settings", "instance", "suite", "agent", "episodes", "seed", "limits",
        "reference", "steps", "method", "instruction", "feedback", "streams", "update_every",
        "success", "planning", "temperature", "max_tokens",
    ])]
    plan: Option<PathBuf>,
    /// Preset (the first by default)
    #[arg(long)]
    preset: Option<String>,
    /// Replace a setting: dotted path and JSON value
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    settings: Vec<(String, Value)>,
    /// Play one instance from a file that `generate` wrote
    #[arg(long, value_name = "FILE", conflicts_with = "suite")]
    instance: Option<PathBuf>,
    /// Play a published list of instances
    #[arg(long)]
    suite: Option<String>,
    /// Who plays: a policy, policy:NAME, script:FILE, openai:MODEL (OPENAI_BASE_URL,
    /// OPENAI_API_KEY), anthropic:MODEL (likewise), replay:DIR (a run folder or a cassette)
    #[arg(long, default_value = "random")]
    agent: String,
    /// Number of episodes (each distinct instance once, or 100 where they are drawn)
    #[arg(long, value_parser = whole)]
    episodes: Option<u64>,
    /// Seed of the run
    #[arg(long, default_value_t = 0, value_parser = whole)]
    seed: u64,
    /// Play only part i of n, numbered from 0; `auto` reads the variables of Slurm arrays
    /// (SLURM_ARRAY_TASK_ID and _COUNT) and Kubernetes indexed jobs (JOB_COMPLETION_INDEX, with
    /// JOB_COMPLETIONS)
    #[arg(long, value_name = "i/n", default_value = "0/1", value_parser = shard)]
    shard: Shard,
    /// Queries and tries an agent has in a period
    #[arg(long, value_name = "CALLS,TRIES", value_parser = limits)]
    limits: Option<Limits>,
    /// Work for the reference: quick bounds, or a search
    #[arg(long, value_enum, default_value = "quick")]
    reference: ReferenceArg,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    means: MeansArgs,
    /// Run folder to write
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON instead of a table: one object, of a plan one a run, a line each
    #[arg(long)]
    json: bool,
    /// With --json: each step's action and feedback as JSON lines behind the object
    #[arg(long, requires = "json")]
    steps: bool,
}

/// What is no environment and runs all the same.
#[derive(Debug, Subcommand)]
enum Stage {
    /// Ask questions of the data sets, and judge the answers
    Qa(super::qa::QaRunArgs),
    /// Hold consulting interviews, and have them judged
    Consulting(super::consulting::ConsultingArgs),
}

/// How a model is asked.
#[derive(Debug, Clone, Args)]
pub struct ModelArgs {
    #[arg(long, help = format!(
        "How a model decides and what it keeps: {}, or {} [default: cot]",
        method_names(), method_parts()
    ))]
    method: Option<String>,
    /// The instruction of method gepa: a text file, or the folder that `evolve` wrote
    #[arg(long, value_name = "FILE")]
    instruction: Option<PathBuf>,
    /// What a method that learns may learn from: none, env, outcome or ground_truth [default:
    /// outcome where the method learns, else none]
    #[arg(long, value_name = "MODE")]
    feedback: Option<Feedback>,
    /// How often a method that learns meets the episodes, each time in another order and with an
    /// empty memory [default: 1; what it scores depends on the order, so take 3 or more]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    streams: Option<u64>,
    /// Let the memory learn every K periods of an episode as well, not at its end only
    #[arg(long, value_name = "K")]
    update_every: Option<u32>,
    /// Score from which an episode is a success [default: one that beats all before it is]
    #[arg(long, value_name = "SCORE", allow_hyphen_values = true)]
    success: Option<f64>,
    #[command(flatten)]
    ask: AskArgs,
}

/// The words and the sampling of a model.
#[derive(Debug, Clone, Args)]
pub struct AskArgs {
    /// How a model comes to its calls [default: none]
    #[arg(long, value_enum)]
    planning: Option<PlanningArg>,
    /// Sampling temperature of a model
    #[arg(long)]
    temperature: Option<f64>,
    /// Most tokens of a model's reply [default: 2048]
    #[arg(long)]
    max_tokens: Option<u32>,
}

/// How much at once, and for how much money.
#[derive(Debug, Args)]
pub struct MeansArgs {
    /// Episodes that a model plays at a time [default: 8]
    #[arg(long)]
    concurrency: Option<usize>,
    /// Most money that the whole run may cost; needs --prices
    #[arg(long, value_name = "USD")]
    max_cost: Option<Money>,
    /// Prices by model (TOML or JSON)
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
}

/// How a model comes to its calls.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum PlanningArg {
    /// It calls without further ado
    None,
    /// It writes a plan first
    Cot,
    /// It writes a thought before every call
    React,
    /// It is shown what the reference policy would do: a ceiling
    Gold,
}

impl ModelArgs {
    pub(super) fn is_empty(&self) -> bool {
        let Self {
            method: None,
            instruction: None,
            feedback: None,
            streams: None,
            update_every: None,
            success: None,
            ask:
                AskArgs {
                    planning: None,
                    temperature: None,
                    max_tokens: None,
                },
        } = self
        else {
            return false;
        };
        true
    }

    pub(super) fn request(&self) -> ModelRequest {
        ModelRequest {
            method: self.method.clone(),
            instruction: self.instruction.clone(),
            feedback: self.feedback,
            streams: self.streams,
            update_every: self.update_every,
            success: self.success,
            ..self.ask.request()
        }
    }
}

impl AskArgs {
    pub(super) fn request(&self) -> ModelRequest {
        let plan = match self.planning {
            None | Some(PlanningArg::None) => PlanMode::None,
            Some(PlanningArg::Cot) => PlanMode::Cot,
            Some(PlanningArg::React) => PlanMode::React,
            Some(PlanningArg::Gold) => PlanMode::Gold,
        };
        ModelRequest {
            play: PlaySettings {
                plan,
                ..PlaySettings::default()
            },
            temperature: self.temperature,
            max_tokens: self.max_tokens,
            ..ModelRequest::default()
        }
    }
}

impl MeansArgs {
    pub(super) fn means(&self) -> Means {
        Means {
            concurrency: self.concurrency,
            max_cost: self.max_cost,
            prices: self.prices.clone(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.concurrency.is_none() && self.max_cost.is_none() && self.prices.is_none()
    }
}

/// How much work the reference may cost.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ReferenceArg {
    /// Bounds and quick exact methods
    Quick,
    /// A search as well
    Search,
}

/// Reads a whole number from 0.
pub(super) fn whole(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("a whole number from 0 to {} is wanted", u64::MAX))
}

pub(super) fn setting(text: &str) -> Result<(String, Value), String> {
    let (key, value) = text
        .split_once('=')
        .ok_or_else(|| format!("`{}` is not KEY=VALUE", sim_core::error::clip(text)))?;
    // A bare word is text; everything that reads as JSON is that.
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    Ok((key.to_owned(), value))
}

pub(super) fn limits(text: &str) -> Result<Limits, String> {
    let parsed = text.split_once(',').and_then(|(calls, tries)| {
        Some(Limits {
            calls_per_period: calls.trim().parse().ok()?,
            tries_per_period: tries.trim().parse().ok()?,
            ..Limits::default()
        })
    });
    parsed.ok_or_else(|| format!("`{text}` is not CALLS,TRIES (such as 40,10)"))
}

pub(super) fn shard(text: &str) -> Result<Shard, String> {
    if text != "auto" {
        return text.parse();
    }
    let read = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let found = read("SLURM_ARRAY_TASK_ID")
        .zip(read("SLURM_ARRAY_TASK_COUNT"))
        .map(|(id, count)| {
            (
                id.checked_sub(read("SLURM_ARRAY_TASK_MIN").unwrap_or(0)),
                count,
            )
        })
        .or_else(|| {
            let index = read("JOB_COMPLETION_INDEX");
            index
                .zip(read("JOB_COMPLETIONS"))
                .map(|(index, count)| (Some(index), count))
        });
    match found {
        Some((Some(index), count)) if index < count => Ok(Shard { index, count }),
        _ => Err(
            "auto needs SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT, or \
                  JOB_COMPLETION_INDEX and JOB_COMPLETIONS"
                .to_owned(),
        ),
    }
}

pub(super) fn run(
    args: RunArgs,
    registry: &Registry,
    stop: &AtomicBool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    match args.stage {
        Some(Stage::Qa(args)) => return super::qa::run(&args, stop, console),
        Some(Stage::Consulting(args)) => return super::consulting::run(&args, stop, console),
        None => {}
    }
    if let (Some(plan), Some(out)) = (&args.plan, &args.out) {
        let call = SweepCall {
            shard: args.shard,
            json: args.json,
            means: args.means.means(),
            stop,
        };
        return call.begin(plan, out, registry, console);
    }
    let request = Request {
        environment: args.environment.unwrap_or_default(),
        preset: args.preset,
        settings: args.settings,
        suite: args.suite,
        instance: args.instance,
        agent: args.agent,
        episodes: args.episodes,
        seed: Seed(args.seed),
        shard: args.shard,
        limits: args.limits.unwrap_or_default(),
        effort: match args.reference {
            ReferenceArg::Quick => Effort::Quick,
            ReferenceArg::Search => Effort::Search,
        },
        model: args.model.request(),
    };
    let plan = Plan::new(registry, request)?;
    if plan.model.is_none() && !(args.model.is_empty() && args.means.is_empty()) {
        return Err(RunError::usage(format!(
            "`{}` is no model: method, planning, sampling, concurrency and money are for models",
            plan.agent
        )));
    }
    if plan.model.is_some() && args.steps {
        return Err(RunError::usage(
            "--steps is not for models; use `boardroom replay`",
        ));
    }
    let fresh = Fresh::before(args.out.as_ref());
    let folder = match &args.out {
        Some(path) => Some(Folder::create(path, plan.clone())?),
        None => None,
    };
    let options = Options {
        steps: args.steps,
        progress: !args.json,
        stop,
    };
    let means = args.means.means();
    let finished = play_with(registry, &plan, &means, folder.as_ref(), options);
    let finished = Fresh::settle(fresh, finished)?;
    if finished.unplayed > 0 && folder.is_none() {
        console.remark("nothing was kept: there was no --out\n")?;
    }
    conclude(finished.of_any_kind(), args.json, console)
}

pub(super) fn resume(
    dir: &Path,
    means: &MeansArgs,
    json: bool,
    registry: &Registry,
    stop: &AtomicBool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    if dir.join(SWEEP).exists() {
        let call = SweepCall {
            shard: Shard::default(),
            json,
            means: means.means(),
            stop,
        };
        return call.resume(dir, registry, console);
    }
    let means = means.means();
    let how = Resume {
        means: &means,
        progress: !json,
        stop,
    };
    let work = registry.workload(&manifest::value(dir)?);
    let mut aside = |torn: &Torn| console.remark(&format!("{torn}\n"));
    let finished = work.resume(registry, dir, &how, &mut aside)?;
    conclude(finished, json, console)
}

/// Prints what came of a run and says whether it is whole.
pub(super) fn conclude(
    finished: Finished<Box<dyn Shown>>,
    json: bool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    if json {
        console.print(&(finished.summary.json()? + "\n"))?;
        for step in &finished.steps {
            console.print(&line(step)?)?;
        }
    } else {
        console.print(&finished.summary.to_string())?;
    }
    finished.check()
}
