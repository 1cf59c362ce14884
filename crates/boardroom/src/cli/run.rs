//! `run` and `resume`.

use super::args::{TrustArgs, limits, shard};
use super::begin::Begin;
use super::beginner;
use super::conclude::{SummaryForm, conclude};
use super::game::GameArgs;
use super::saving::SavingArgs;
use super::sweep::SweepCall;
use super::{Console, pretty};
use clap::{Args, Subcommand};
use run_engine::engine::episodes;
use run_engine::engine::execute::RunOptions;
use run_engine::error::RunError;
use run_engine::files::lock;
use run_engine::files::torn::TruncatedLine;
use run_engine::plan::cast::one_name;
use run_engine::plan::model::RunBudget;
use run_engine::plan::options::ModelOptions;
use run_engine::plan::source::InstanceSource;
use run_engine::plan::{MAX_EPISODES, Plan, RunRequest, Shard};
use run_engine::registry::Registry;
use run_engine::run_dir::members::SWEEP;
use run_engine::run_dir::place::RUNS;
use run_engine::terminal::shown_path;
use run_report::listing::{list_runs, newest_unfinished, table};
use serde_json::Value;
use sim_core::{Effort, Limits};
use std::path::{Path, PathBuf};

/// What to run.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(mut_arg("environment", |arg| {
    arg.required(false).required_unless_present("plan").conflicts_with("plan")
}))]
pub struct RunArgs {
    #[command(subcommand)]
    stage: Option<Stage>,
    /// A plan file with many runs (TOML); --out is then the folder of the sweep
    #[arg(long, value_name = "FILE", requires = "out", conflicts_with_all = [
        "preset", "settings", "shots", "instance", "suite", "agent", "episodes", "episode", "seed", "limits",
        "reference", "steps", "method", "instruction", "feedback", "streams", "update_every",
        "success", "planning", "calls", "weaker", "temperature", "max_tokens", "method_set", "top_p", "token_field",
        "model_args", "epochs", "seats", "seat_set",
    ])]
    plan: Option<PathBuf>,
    /// The agent: a policy, policy:NAME, script:FILE, openai:MODEL (OPENAI_BASE_URL,
    /// OPENAI_API_KEY), anthropic:MODEL (likewise), replay:DIR (a run folder or a recording)
    /// [default: random]
    #[arg(long, alias = "model")]
    agent: Option<String>,
    #[command(flatten)]
    game: GameArgs,
    /// Office: show the agent N examples of requests with the right steps (the setting `shots`)
    #[arg(long, value_name = "N")]
    shots: Option<u32>,
    /// Number of episodes (default: each distinct instance once, or 100 if instances are drawn)
    #[arg(long, alias = "limit", value_parser = super::args::episodes)]
    episodes: Option<u64>,
    /// Play episode K of the run alone, numbered from 0
    #[arg(long, value_name = "K", conflicts_with_all = ["episodes", "epochs", "shard"],
          value_parser = super::args::from_to(0, MAX_EPISODES - 1))]
    episode: Option<u64>,
    /// How many times each instance of a list is played (the option of this name in inspect)
    #[arg(long, hide = true, value_name = "N", value_parser = super::args::from_to(1, MAX_EPISODES))]
    epochs: Option<u64>,
    /// Play only part i of n, numbered from 0; `auto` reads the variables of Slurm arrays
    /// (SLURM_ARRAY_TASK_ID and _COUNT) and Kubernetes indexed jobs (JOB_COMPLETION_INDEX, with
    /// JOB_COMPLETIONS)
    #[arg(long, value_name = "i/n", default_value = "0/1", value_parser = shard)]
    shard: Shard,
    /// Maximum number of queries and of refused decisions of an agent in a period, such as 40,10
    #[arg(long, value_name = "CALLS,TRIES", value_parser = limits)]
    limits: Option<Limits>,
    /// Effort for the reference: quick bounds, or a search
    #[arg(long, default_value = "quick", value_parser = super::args::named::<Effort>([
        ("quick", "Bounds and fast exact methods"), ("search", "A search in addition"),
    ]))]
    reference: Effort,
    #[command(flatten)]
    model: ModelOptions,
    #[command(flatten)]
    means: RunBudget,
    #[command(flatten)]
    saving: SavingArgs,
    /// Print JSON instead of a table: one object, or one object per line for each run of a plan
    #[arg(long)]
    json: bool,
    /// Print everything that was measured: minimum and maximum, all references, metrics
    #[arg(long, conflicts_with = "json")]
    metrics: bool,
    /// With --json: after the object, each step's action and feedback as JSON lines
    #[arg(long, requires = "json")]
    steps: bool,
    /// With --plan: as in `run qa`
    #[arg(long, requires = "plan")]
    trust_programs: bool,
}

/// Environments with options of their own.
#[derive(Debug, Subcommand)]
enum Stage {
    /// Ask questions of the data sets, and judge the answers
    Qa(super::qa::QaRunArgs),
    /// Conduct consulting interviews and judge them
    Consulting(super::consulting::ConsultingArgs),
}

pub(super) fn run(args: RunArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    match args.stage {
        Some(Stage::Qa(args)) => return super::qa::run(&args, console),
        Some(Stage::Consulting(args)) => {
            return super::consulting::run(&args, console);
        }
        None => {}
    }
    let shown = SummaryForm::of(args.json, args.metrics);
    if let (Some(plan), Some(out)) = (&args.plan, &args.saving.out) {
        TrustArgs {
            trust_programs: args.trust_programs,
        }
        .apply();
        let call = SweepCall {
            shard: args.shard,
            shown,
            means: args.means.clone(),
        };
        return call.begin(plan, out, console);
    }
    // Episode K is the last of K + 1, and the only one of its part.
    let (episodes, part) = match args.episode {
        None => (args.episodes, args.shard),
        Some(index) => {
            let count = index + 1;
            (Some(count), Shard { index, count })
        }
    };
    let says_episodes = args.episodes.is_some() || args.epochs.is_some();
    let agent = args.agent.as_deref().unwrap_or("random");
    let mut request = RunRequest {
        shard: part,
        limits: args.limits.unwrap_or_default(),
        effort: args.reference,
        model: args.model,
        ..args.game.request(agent, episodes)?
    };
    let shots = args.shots.map(|n| ("shots".to_owned(), Value::from(n)));
    request.settings.extend(shots);
    // An environment comes first, whatever file has the same name.
    if console.registry.kind(&request.environment).is_err()
        && let Some(refusal) = beginner::not_an_environment(&request.environment)
    {
        return Err(refusal);
    }
    if let Some(epochs) = args.epochs {
        // A plan for this question alone, because only a plan knows how many instances its list
        // has.
        let plan = Plan::new(console.registry, request.clone())?;
        request.episodes = Some(episodes_of(&plan, epochs, console.registry)?);
    }
    let asks = !request.model.is_default();
    let instruction = request.model.method.instruction.clone();
    let has_seats = !request.seats.is_empty();
    let plan = Plan::new(console.registry, request)?;
    if let Some(agent) = args
        .agent
        .filter(|agent| has_seats && one_name(agent) != plan.agent)
    {
        return Err(RunError::usage(format!(
            "every seat has an agent of its own, so `{agent}` would play none; leave out --agent"
        )));
    }
    let begin = Begin {
        plan,
        asks,
        instruction: instruction.as_deref(),
        means: &args.means,
        saving: &args.saving,
        option: (!says_episodes).then_some("--episodes N"),
        shown,
        steps: args.steps,
    };
    begin.play(console)
}

/// Number of episodes with which each instance of `plan` is played `epochs` times.
///
/// # Errors
/// When the instances are drawn, so that each is played once, or the plan has only a part of its list.
fn episodes_of(plan: &Plan, epochs: u64, registry: &Registry) -> Result<u64, RunError> {
    let source = InstanceSource::of(registry.kind(&plan.environment)?, plan)?;
    let Some(count) = source.distinct().map(|count| count as u64) else {
        return Err(RunError::usage(
            "--epochs repeats the instances of a list, and here each episode draws another one; use \
             --episodes N for more of them, or --suite NAME for a list",
        ));
    };
    if plan.episodes != count {
        return Err(RunError::usage(format!(
            "--epochs repeats all {count} instances of the list; use --episodes {} without --epochs",
            count.saturating_mul(epochs)
        )));
    }
    Ok(count.saturating_mul(epochs))
}

/// The folder that `resume` finishes: `dir`, or the newest unfinished run below `runs/`, which is named first.
///
/// # Errors
/// When none is named and none is unfinished.
pub(super) fn to_resume(
    dir: Option<PathBuf>,
    json: bool,
    console: &mut Console<'_>,
) -> Result<PathBuf, RunError> {
    if let Some(dir) = dir {
        return Ok(dir);
    }
    let home = Path::new(RUNS);
    let newest = if home.is_dir() {
        newest_unfinished(home, console.registry)?
    } else {
        None
    };
    let Some(dir) = newest else {
        return Err(RunError::usage(format!(
            "no run below {RUNS}/ is unfinished; name a folder: `boardroom resume DIR` (`boardroom runs DIR` \
             lists the runs in a folder)"
        )));
    };
    if !json {
        console.remark(&format!("finishing {}\n", shown_path(&dir)))?;
    }
    Ok(dir)
}

/// `runs`: the runs below a folder.
pub(super) fn list(
    dir: Option<&Path>,
    json: bool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let home = dir.unwrap_or(Path::new(RUNS));
    if dir.is_none() && !home.exists() {
        return Err(RunError::usage(format!(
            "there is no folder {RUNS} here; runs of models begin one, and `boardroom runs DIR` lists another \
             folder"
        )));
    }
    lock::read_running();
    let runs = list_runs(home, console.registry)?;
    if json {
        return console.print(&pretty(&runs)?);
    }
    if runs.is_empty() {
        return console.remark(&format!("{} holds no run\n", shown_path(home)));
    }
    console.print(&table(&runs))
}

pub(super) fn resume(
    dir: &Path,
    means: &RunBudget,
    shown: SummaryForm,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    if dir.join(SWEEP).exists() {
        let call = SweepCall {
            shard: Shard::default(),
            shown,
            means: means.clone(),
        };
        return call.resume(dir, console);
    }
    let options = RunOptions {
        means,
        steps: false,
        progress: shown.is_for_people(),
        stop: console.stop,
    };
    let registry = console.registry;
    let mut aside = |torn: &TruncatedLine| console.remark(&format!("{torn}\n"));
    let finished = episodes::resume(registry, dir, options, &mut aside);
    let finished = finished.map_err(|error| error.of_run(Some(dir)))?;
    conclude(&finished, shown, console)
}
