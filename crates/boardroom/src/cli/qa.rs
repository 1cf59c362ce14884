//! `run qa`, `qa build` and `qa label`.

use super::args::{BudgetArgs, PartArg, RuleArgs, judge, model, shard, task};
use super::conclude::{SummaryForm, conclude};
use super::saving::{SavingArgs, folder_of};
use super::{Console, analyse, line, pretty, training_note};
use agent_client::backend::AgentBackend;
use clap::{Args, FromArgMatches as _, Subcommand};
use qa_runner::qa::folder::{Answers, QaDir};
use qa_runner::qa::plan::{MOST_SHOTS, QaPlan, Questions, TaskPlan};
use qa_runner::qa::routed::{PREFIX, Routing};
use qa_runner::qa::split::{QuestionSplit, SplitPart};
use qa_runner::qa::workload::ask;
use qa_runner::qa::{build, data};
use qa_scoring::construct::{ConstructionPlan, to_record};
use qa_scoring::{Task, VERSION};
use run_engine::engine::finished::{Finished, RunSummary};
use run_engine::engine::model::backends::{Models, check_prices};
use run_engine::engine::workload::Resume;
use run_engine::error::RunError;
use run_engine::plan::model::{ModelPlan, RunBudget};
use run_engine::plan::options::{MethodOptions, ModelOptions, Sampling};
use run_engine::plan::{MAX_EPISODES, Shard};
use run_engine::run_dir::fresh::RunDirGuard;
use run_engine::run_dir::write_clean;
use run_engine::terminal::shown_path;
use run_engine::words::name_of;
use serde_json::{Value, json};
use sim_core::Seed;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Which questions are asked, and which model answers them.
#[derive(Debug, Args)]
#[command(mut_arg("method", |arg| {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    arg.help(format!("{help}; aoa:FILE is a policy that chooses a method for each question"))
}))]
pub struct QaRunArgs {
    /// Folder or file of the questions
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The tasks, separated by commas; by default all tasks whose file is in the folder
    #[arg(long, value_name = "TASKS", value_delimiter = ',', value_parser = task)]
    task: Vec<Task>,
    /// The model: openai:MODEL (OPENAI_BASE_URL, OPENAI_API_KEY), anthropic:MODEL (likewise),
    /// replay:DIR (a run folder or a recording)
    #[arg(long, alias = "model")]
    agent: String,
    #[command(flatten)]
    method: MethodOptions,
    /// Show the model N examples of the task with their right answers. They are drawn with the seed
    /// and are not asked
    #[arg(long, value_name = "N", value_parser = super::args::from_to(1, MOST_SHOTS))]
    shots: Option<u32>,
    /// Tell the model the role in which BizCompass asks each task, such as trader or consultant
    #[arg(long)]
    roles: bool,
    /// Capability and difficulty of each question, as written by `qa label`; used by the rules of
    /// aoa:FILE
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    #[command(flatten)]
    rules: RuleArgs,
    /// Ask only the training questions of each task, or only the others. The training questions are
    /// drawn with --seed, as by `evolve qa`
    #[arg(long, value_name = "PART")]
    split: Option<PartArg>,
    /// With --split: number of training questions of each task
    #[arg(long, value_name = "N", default_value_t = 12, requires = "split")]
    train: usize,
    /// Questions per task, drawn with the seed (all by default)
    #[arg(long, alias = "limit", value_name = "N", value_parser = super::args::from_to(1, MAX_EPISODES))]
    items: Option<u64>,
    /// Seed of the sample, of --split and of the orders
    #[arg(long, default_value_t = 0, value_parser = super::args::whole)]
    seed: u64,
    /// Ask only part i of n, numbered from 0, or `auto`: parts are single items, or whole streams of
    /// a learning method
    #[arg(long, value_name = "i/n", default_value = "0/1", value_parser = shard)]
    shard: Shard,
    #[command(flatten)]
    sampling: Sampling,
    #[command(flatten)]
    means: BudgetArgs,
    #[command(flatten)]
    saving: SavingArgs,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// The subcommands of `qa`.
#[derive(Debug, Subcommand)]
pub enum QaCommand {
    /// Make questions from texts: drafts, filter, conversion, distractors, format rules
    Build(BuildArgs),
    /// Label each question with capability and difficulty, as JSON lines for the option --labels of
    /// `score`, `route learn` and `run qa`
    Label(LabelArgs),
    /// Correlations between columns of figures of several models, and a heat map of them
    Correlate(analyse::CorrelateArgs),
    /// Means of the application tasks by family of metrics, for each model
    Families(analyse::FamiliesArgs),
    /// Weights of quality scores, fitted to preferences of experts
    Weights(analyse::WeightsArgs),
    /// Questions that the quality filter keeps, and how many of the experts' rejections it finds
    Filter(analyse::FilterArgs),
    /// Shares of occupations and coverage of tasks in O*NET
    Onet(analyse::OnetArgs),
}

/// Arguments of `qa build`.
#[derive(Debug, Args)]
pub struct BuildArgs {
    /// Texts, one file each
    #[arg(required = true)]
    texts: Vec<PathBuf>,
    /// The model: openai:MODEL, anthropic:MODEL or replay:DIR
    #[arg(long)]
    agent: String,
    /// Questions asked for from each text
    #[arg(long, default_value_t = 3, value_parser = super::args::from_to(1, 100_u32))]
    drafts: u32,
    /// Number of wrong options of a multiple-choice question
    #[arg(long, default_value_t = 3, value_parser = super::args::from_to(1, 25_u32))]
    distractors: u32,
    /// Seed of the order of the options
    #[arg(long, default_value_t = 0, value_parser = super::args::whole)]
    seed: u64,
    #[command(flatten)]
    sampling: Sampling,
    /// Folder to write: questions by type, the report and the recording
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// Arguments of `qa label`.
#[derive(Debug, Args)]
pub struct LabelArgs {
    /// Folder or file of the questions
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The tasks, separated by commas; by default all tasks whose file is in the folder
    #[arg(long, value_name = "TASKS", value_delimiter = ',', value_parser = task)]
    task: Vec<Task>,
    /// The model: openai:MODEL, anthropic:MODEL or replay:DIR
    #[arg(long)]
    agent: String,
    /// Folder for the model's replies; requests whose reply is in it are not sent again
    #[arg(long, value_name = "DIR")]
    calls: Option<PathBuf>,
}

/// Options of `run qa` that a plan file does not set, because they apply to the whole sweep.
const OF_THE_SWEEP: [&str; 10] = [
    "out",
    "no-save",
    "json",
    "shard",
    "concurrency",
    "max-cost",
    "prices",
    "timeout",
    "retries",
    "trust-programs",
];

/// The runs of a table `[[questions]]` of a plan file: its keys are options of `run qa`, and a list
/// gives one run for each of its values.
///
/// # Errors
/// Names the key or the value that `run qa` does not take.
pub(super) fn of_table(table: &BTreeMap<String, Value>) -> Result<Vec<QaRunArgs>, RunError> {
    let mut calls = vec![vec!["qa".to_owned()]];
    for (key, value) in table {
        if OF_THE_SWEEP.contains(&key.as_str()) {
            return Err(RunError::usage(format!(
                "`{key}` applies to the whole sweep; give it as an option of `run --plan`"
            )));
        }
        let values = match value {
            Value::Array(values) if values.is_empty() => {
                return Err(RunError::usage(format!("{key} is an empty list")));
            }
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        calls = calls
            .iter()
            .flat_map(|call| {
                values
                    .iter()
                    .map(|value| [call.clone(), option(key, value)].concat())
            })
            .collect();
    }
    let command = QaRunArgs::augment_args(clap::Command::new("qa"));
    let read = |call| {
        let matches = command.clone().try_get_matches_from(call)?;
        QaRunArgs::from_arg_matches(&matches)
    };
    calls
        .into_iter()
        .map(|call: Vec<String>| read(call).map_err(|e| RunError::usage(in_a_line(&e))))
        .collect()
}

/// The command-line words for an option with its value from a plan file.
fn option(key: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Bool(true) => vec![format!("--{key}")],
        Value::Bool(false) => Vec::new(),
        Value::String(text) => vec![format!("--{key}={text}")],
        Value::Object(map) => {
            let settings = map.iter();
            settings
                .map(|(name, value)| format!("--{key}={name}={value}"))
                .collect()
        }
        other => vec![format!("--{key}={other}")],
    }
}

/// The message on a wrong command line, joined into one line.
fn in_a_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let text = text.trim_start_matches("error: ");
    let lines = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage"));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// Asks the questions of `plan` into a new folder at `path`.
///
/// # Errors
/// When the folder cannot be made, or asking fails.
pub(super) fn begin(
    plan: &QaPlan,
    questions: &BTreeMap<Task, Questions>,
    notes: &[String],
    path: &Path,
    how: &Resume<'_>,
) -> Result<Finished<Box<dyn RunSummary>>, RunError> {
    let dir = QaDir::create_noted(path, plan.clone(), notes.to_vec())?;
    let folder = Arc::new(Answers::open(dir)?);
    Ok(ask(plan, questions, Some(&folder), how)?.of_any_kind())
}

/// A checked run of questions.
pub(super) struct Planned {
    /// The plan with all settings resolved.
    pub(super) plan: QaPlan,
    /// The questions of its tasks.
    pub(super) questions: BTreeMap<Task, Questions>,
    /// What is to be said of the run in its manifest.
    pub(super) notes: Vec<String>,
}

/// The checked plan of a run with its questions.
///
/// # Errors
/// Names what does not exist or does not fit.
pub(super) fn plan(args: &QaRunArgs, console: &mut Console<'_>) -> Result<Planned, RunError> {
    let tasks = tasks(&args.data, &args.task)?;
    args.rules.check(&tasks)?;
    let mut questions = BTreeMap::new();
    let mut plans = Vec::new();
    for task in tasks {
        let read = Questions::read(&args.data, task)?;
        for remark in &read.remarks {
            console.remark(&format!("note: {task}: {remark}\n"))?;
        }
        plans.push(TaskPlan {
            task,
            digest: read.digest()?,
        });
        questions.insert(task, read);
    }
    let (model, routing) = who(args)?;
    let named: Vec<Task> = questions.keys().copied().collect();
    let python = args.rules.python(&named, console)?;
    let plan = QaPlan {
        version: VERSION,
        // Absolute, so that the run can be continued from any folder.
        data: std::path::absolute(&args.data).map_err(RunError::file(&args.data))?,
        tasks: plans,
        agent: args.agent.clone(),
        dialect: model.dialect,
        method: model.method,
        routing,
        feedback: model.feedback,
        scoring: args.rules.settings(),
        python,
        judge: judge(&args.rules)?,
        items: args.items,
        split: args.split.map(|part| QuestionSplit {
            part: match part {
                PartArg::Train => SplitPart::Train,
                PartArg::Test => SplitPart::Test,
            },
            train: args.train,
        }),
        shots: args.shots,
        roles: args.roles,
        streams: args.method.streams.unwrap_or(1),
        seed: Seed(args.seed),
        shard: args.shard,
    };
    plan.check()?;
    let asked = || plan.items_asked(&questions);
    let notes = training_note(args.method.instruction.as_deref(), "qa", asked, console)?;
    Ok(Planned {
        plan,
        questions,
        notes,
    })
}

pub(super) fn run(
    args: &QaRunArgs,
    stop: &AtomicBool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let Planned {
        plan,
        questions,
        notes,
    } = plan(args, console)?;
    let means = args.means.budget();
    let dialects: Vec<_> = std::iter::once(&plan.dialect).chain(&plan.judge).collect();
    check_prices(&plan.agent, &dialects, &means)?;
    let place = args.saving.place("qa", &plan.agent, args.json, console)?;
    let folder = match &place.path {
        Some(path) => {
            // The default is 1 stream, so a command without `--streams` never extends a run by mistake.
            let dir = folder_of(path, &plan, None, notes, console)?;
            Some(Arc::new(Answers::open(dir)?))
        }
        None => None,
    };
    let how = Resume {
        means: &means,
        progress: !args.json,
        stop,
    };
    let finished = ask(&plan, &questions, folder.as_ref(), &how);
    let finished = RunDirGuard::settle(place.fresh, finished);
    let finished = match &folder {
        Some(folder) => folder.dir.settle_extension(finished)?,
        None => finished?,
    };
    if finished.unplayed > 0 && folder.is_none() {
        console.remark("results were not saved (no --out)\n")?;
    }
    conclude(
        &finished.of_any_kind(),
        SummaryForm::of(args.json, false),
        console,
    )
}

/// The tasks that are named, or all tasks with a file in `data`.
///
/// # Errors
/// When there is no such file or folder, or it is a file and no task is named.
pub(super) fn tasks(data: &Path, named: &[Task]) -> Result<Vec<Task>, RunError> {
    if !data.exists() {
        return Err(RunError::usage(format!(
            "there is no file or folder {}; --data names the questions",
            shown_path(data)
        )));
    }
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    if data.is_dir() {
        return data::tasks(data);
    }
    Err(RunError::usage(
        "name the task of a single file with --task",
    ))
}

/// The model with its method, and the routing policy if the method is one.
fn who(args: &QaRunArgs) -> Result<(ModelPlan, Option<Routing>), RunError> {
    let request = ModelOptions::of_method(
        MethodOptions {
            streams: args.method.streams.filter(|streams| *streams > 1),
            ..args.method.clone()
        },
        args.sampling.clone(),
    );
    let Some(policy) = args
        .method
        .method
        .as_deref()
        .and_then(|it| it.strip_prefix(PREFIX))
    else {
        if args.labels.is_some() {
            return Err(RunError::usage("--labels needs --method aoa:FILE"));
        }
        return Ok((model(&args.agent, &request)?, None));
    };
    if !args.method.method_set.is_empty() {
        return Err(RunError::usage(
            "--method-set applies to one method; a policy (aoa:FILE) chooses among several",
        ));
    }
    let make = |name: &str| {
        let mut request = request.clone();
        request.method.method = Some(name.to_owned());
        // Only gepa takes an instruction; `streams` is valid only for methods that learn.
        request.method.instruction = request.method.instruction.filter(|_| name == "gepa");
        request.method.streams = None;
        let plan = model(&args.agent, &request)?;
        Ok((plan.method, plan.feedback))
    };
    let (routing, feedback) = Routing::read(Path::new(policy), args.labels.as_deref(), make)?;
    let plain = model(&args.agent, &args.sampling.clone().into())?;
    let unknown = || {
        RunError::usage(format!(
            "the default agent of {policy} is not an agent method"
        ))
    };
    let method = routing.whole().ok_or_else(unknown)?;
    let plan = ModelPlan {
        method,
        feedback,
        ..plain
    };
    Ok((plan, Some(routing)))
}

pub(super) fn qa(command: QaCommand, console: &mut Console<'_>) -> Result<(), RunError> {
    match command {
        QaCommand::Build(args) => make(&args, console),
        QaCommand::Label(args) => label(&args, console),
        QaCommand::Correlate(args) => analyse::correlate(&args, console),
        QaCommand::Families(args) => analyse::families(&args, console),
        QaCommand::Weights(args) => analyse::weights(&args, console),
        QaCommand::Filter(args) => analyse::filter(&args, console),
        QaCommand::Onet(args) => analyse::onet(&args, console),
    }
}

/// Opens the only model of a command; its replies are stored in the folder `calls`.
fn one(
    agent: &str,
    request: &ModelOptions,
    calls: Option<&Path>,
) -> Result<Arc<dyn AgentBackend>, RunError> {
    let plan = model(agent, request)?;
    Models::open(agent, &[&plan.dialect], &RunBudget::default(), calls)?.backend(0)
}

fn make(args: &BuildArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let sources = build::sources(&args.texts)?;
    let plan = ConstructionPlan {
        drafts: args.drafts,
        distractors: args.distractors,
        seed: args.seed,
    };
    std::fs::create_dir_all(&args.out).map_err(RunError::file(&args.out))?;
    let model = one(&args.agent, &args.sampling.clone().into(), Some(&args.out))?;
    let report = build::make(&sources, &plan, &model)?;
    let mut files: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for built in &report.built {
        let kind = match built.item.gold_letters() {
            Some(_) => "single.json",
            None => "general.json",
        };
        files.entry(kind).or_default().push(to_record(built));
    }
    for (name, records) in &files {
        let path = args.out.join(name);
        write_clean(&path, &pretty(records)?)?;
    }
    let path = args.out.join("report.json");
    write_clean(&path, &pretty(&report)?)?;
    let dropped = report.dropped_by_step();
    if args.json {
        let counts: BTreeMap<&str, usize> = files
            .iter()
            .map(|(name, list)| (*name, list.len()))
            .collect();
        let out = args.out.to_string_lossy();
        return console.print(&line(
            &json!({"built": counts, "dropped": dropped, "out": out}),
        )?);
    }
    let mut text = format!(
        "{} questions from {} texts in {}\n",
        report.built.len(),
        sources.len(),
        shown_path(&args.out)
    );
    for (name, records) in &files {
        text.push_str(&format!("  {name:<24}{:>6}\n", records.len()));
    }
    for (step, count) in &dropped {
        let step = name_of(step)?;
        text.push_str(&format!(
            "  {:<24}{count:>6}\n",
            format!("dropped at {step}")
        ));
    }
    console.print(&text)
}

fn label(args: &LabelArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let tasks = tasks(&args.data, &args.task)?;
    let questions = tasks
        .into_iter()
        .map(|task| Questions::read(&args.data, task))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(calls) = &args.calls {
        std::fs::create_dir_all(calls).map_err(RunError::file(calls))?;
    }
    let model = one(&args.agent, &ModelOptions::default(), args.calls.as_deref())?;
    let mut unread = 0;
    for questions in &questions {
        for labelled in build::label(questions, &model)? {
            let label = &labelled.label;
            unread += usize::from(label.capability.is_none() || label.difficulty.is_none());
            console.print(&line(&json!({
                "id": labelled.id,
                "capability": label.capability,
                "difficulty": label.difficulty,
                "reasoning": label.reasoning,
            }))?)?;
        }
    }
    if unread > 0 {
        console.remark(&format!("{unread} replies could not be read in full\n"))?;
    }
    Ok(())
}
