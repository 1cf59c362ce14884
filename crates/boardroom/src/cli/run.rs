//! `run` and `resume`.

use super::Console;
use super::args::{MeansArgs, ModelArgs, limits, setting, shard, whole};
use super::conclude::conclude;
use super::sweep::SweepCall;
use clap::{Args, Subcommand, ValueEnum};
use run_engine::engine::episodes::play_with;
use run_engine::engine::execute::RunOptions;
use run_engine::engine::workload::Resume;
use run_engine::error::RunError;
use run_engine::files::torn::Torn;
use run_engine::plan::model::ModelRequest;
use run_engine::plan::{Plan, RunRequest, Shard};
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::fresh::RunDirGuard;
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
        "success", "planning", "temperature", "max_tokens", "method_set", "top_p",
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
    /// The agent: a policy, policy:NAME, script:FILE, openai:MODEL (OPENAI_BASE_URL,
    /// OPENAI_API_KEY), anthropic:MODEL (likewise), replay:DIR (a run folder or a cassette)
    #[arg(long, default_value = "random")]
    agent: String,
    /// Number of episodes (default: each distinct instance once, or 100 if instances are drawn)
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
    /// Queries and attempts that an agent has in a period
    #[arg(long, value_name = "CALLS,TRIES", value_parser = limits)]
    limits: Option<Limits>,
    /// Effort for the reference: quick bounds, or a search
    #[arg(long, value_enum, default_value = "quick")]
    reference: ReferenceArg,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    means: MeansArgs,
    /// Run folder to write
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON instead of a table: one object, or one object per line for each run of a plan
    #[arg(long)]
    json: bool,
    /// With --json: after the object, each step's action and feedback as JSON lines
    #[arg(long, requires = "json")]
    steps: bool,
}

/// Workloads that are not environments.
#[derive(Debug, Subcommand)]
enum Stage {
    /// Ask questions of the data sets, and judge the answers
    Qa(super::qa::QaRunArgs),
    /// Hold consulting interviews and judge them
    Consulting(super::consulting::ConsultingArgs),
}

/// Effort for the reference value.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ReferenceArg {
    /// Bounds and fast exact methods
    Quick,
    /// A search in addition
    Search,
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
    let request = RunRequest {
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
    let asks = request.model != ModelRequest::default();
    let means = args.means.means();
    let plan = Plan::new(registry, request)?;
    if plan.model.is_none() && (asks || !means.is_default()) {
        return Err(RunError::usage(format!(
            "`{}` is a built-in policy; --method, --planning, --temperature, --concurrency and \
             --max-cost apply to models only",
            plan.agent
        )));
    }
    if plan.model.is_some() && args.steps {
        return Err(RunError::usage(
            "--steps does not apply to models; use `boardroom replay`",
        ));
    }
    let fresh = RunDirGuard::before(args.out.as_ref());
    let folder = match &args.out {
        Some(path) => Some(Folder::create(path, plan.clone())?),
        None => None,
    };
    let options = RunOptions {
        steps: args.steps,
        progress: !args.json,
        stop,
    };
    let finished = play_with(registry, &plan, &means, folder.as_ref(), options);
    let finished = RunDirGuard::settle(fresh, finished)?;
    if finished.unplayed > 0 && folder.is_none() {
        console.remark("results were not saved (no --out)\n")?;
    }
    conclude(&finished.of_any_kind(), args.json, console)
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
    conclude(&finished, json, console)
}
