//! `run qa`, `qa build` and `qa label`.

use super::args::{RuleArgs, changed_settings, model, opened, shard, task};
use super::begin::ModelRunArgs;
use super::output::{Output, OutputKind};
use super::{Console, analyse, beginner, line, pretty};
use agent_client::memory::FeedbackMode;
use agent_client::method::{MemorySpec, MethodSpec};
use clap::{Args, FromArgMatches as _, Subcommand};
use qa_scoring::Task;
use qa_scoring::construct::{ConstructionPlan, to_record};
use qa_scoring::env::{Config, MOST_SHOTS, Part, Question, QuestionChoice, QuestionSplit};
use run_engine::error::RunError;
use run_engine::files::run_file;
use run_engine::plan::agent::AgentSpec;
use run_engine::plan::list::InstanceList;
use run_engine::plan::model::takes_instruction;
use run_engine::plan::options::{ModelOptions, Sampling};
use run_engine::plan::routing::Routing;
use run_engine::plan::{MAX_EPISODES, Plan, RunRequest, Shard};
use run_engine::registry::{Registry, nearest};
use run_engine::terminal::shown_path;
use run_engine::words::counted;
use run_report::questions::data::{self, Questions};
use run_report::questions::{QUESTIONS, build};
use run_report::route::routed::{PREFIX, routed};
use serde_json::{Value, json};
use sim_core::Seed;
use sim_core::error::clip;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Which questions are asked, and by which rules answers are judged.
#[derive(Debug, Args)]
pub(super) struct QuestionArgs {
    /// Folder or file of the questions [default: the three examples of the program]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The tasks, separated by commas; by default all tasks whose file is in the folder
    #[arg(long, value_name = "TASKS", value_delimiter = ',', value_parser = task, requires = "data")]
    task: Vec<Task>,
    /// Show the model N examples of the task with their right answers. They are drawn with the seed
    /// and are not asked
    #[arg(long, value_name = "N", value_parser = super::args::from_to(0, MOST_SHOTS), requires = "data")]
    shots: Option<u32>,
    /// Tell the model the role in which BizCompass asks each task, such as trader or consultant
    #[arg(long)]
    roles: bool,
    #[command(flatten)]
    rules: RuleArgs,
    /// Ask only the training questions of each task, or only the others. The training questions are
    /// drawn with --seed, as by `evolve qa`
    #[arg(long, value_name = "PART", requires = "data", value_parser = super::args::part())]
    split: Option<Part>,
    /// With --split: number of training questions of each task
    #[arg(long, value_name = "N", default_value_t = 12, requires = "split")]
    train: usize,
    /// Questions per task, drawn with the seed (all by default)
    #[arg(long, alias = "limit", value_name = "N", value_parser = super::args::from_to(1, MAX_EPISODES), requires = "data")]
    items: Option<u64>,
    /// Seed of the sample, of --split and of the orders
    #[arg(long, default_value_t = 0, value_parser = super::args::whole)]
    seed: u64,
}

/// Which questions are asked, and which model answers them.
#[derive(Debug, Args)]
#[command(mut_arg("method", |arg| {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    arg.help(format!("{help}; aoa:FILE is a policy that chooses a method for each question"))
}))]
pub struct QaRunArgs {
    #[command(flatten)]
    questions: QuestionArgs,
    /// Who answers: openai:MODEL (OPENAI_BASE_URL, OPENAI_API_KEY), anthropic:MODEL (likewise),
    /// replay:DIR (a run folder or a recording), or a policy: oracle, silent
    #[arg(long, alias = "model")]
    agent: String,
    /// Capability and difficulty of each question, as written by `qa label`; used by the rules of
    /// aoa:FILE
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Ask only part i of n, numbered from 0, or `auto`: parts are single items, or whole streams of
    /// a learning method
    #[arg(long, value_name = "i/n", default_value = "0/1", value_parser = shard)]
    shard: Shard,
    #[command(flatten)]
    run: ModelRunArgs,
}

impl QaRunArgs {
    /// The file with the instruction of the method, if it has one.
    pub(super) fn instruction(&self) -> Option<&Path> {
        self.run.method.instruction.as_deref()
    }
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
    let command = QaRunArgs::augment_args(clap::Command::new("qa"));
    let options = command.get_arguments().flat_map(|argument| {
        let aliases = argument.get_all_aliases().unwrap_or_default();
        argument.get_long().into_iter().chain(aliases)
    });
    let options: BTreeSet<&str> = options.collect();
    let mut calls = vec![vec!["qa".to_owned()]];
    for (key, value) in table {
        // Refused and not ignored: in one run of several it would look as if it held for that one.
        if OF_THE_SWEEP.contains(&key.as_str()) {
            return Err(RunError::usage(format!(
                "`{key}` applies to the whole sweep; give it as an option of `run --plan`"
            )));
        }
        // Not left to the parser, which speaks of options with dashes, and proposes some that a plan has not.
        if !options.contains(key.as_str()) {
            let known = options.iter().copied();
            let known = known.filter(|option| !OF_THE_SWEEP.contains(option));
            let meant = nearest(key, known.clone());
            let meant = meant.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
            return Err(RunError::usage(format!(
                "there is no key `{}`{meant}; a table [[questions]] has the options of `run qa`: {}",
                clip(key),
                known.collect::<Vec<_>>().join(", ")
            )));
        }
        let values = match value {
            // An empty list would make the table run nothing at all, without a word.
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
    // Read by the same code as the command line, so that a plan file can never mean something else.
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
        // A flag that is not set is left out, because the parser does not take `--flag=false`.
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
        // The rest explains a command line, which the user of a plan file did not write.
        .take_while(|line| !line.starts_with("Usage") && !line.starts_with("For more information"));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// The checked plan of a run of questions.
///
/// # Errors
/// Names what does not exist or does not fit.
pub(super) fn plan(args: &QaRunArgs, console: &mut Console<'_>) -> Result<Plan, RunError> {
    // First: reading a data set may take longer than typing the name again.
    check_agent(&args.agent, console.registry)?;
    let (request, asked) = args.questions.request(console)?;
    let mut options = args.run.options();
    // Taken out of the options, because it names a policy and no method can be made of it.
    let policy = options
        .method
        .method
        .take_if(|name| name.starts_with(PREFIX));
    let routing = match &policy {
        Some(name) => {
            let routing = route(args, &options, name.trim_start_matches(PREFIX), &asked)?;
            let instructed =
                |method: &MethodSpec| matches!(method.memory, MemorySpec::Instruction(_));
            if options.method.instruction.is_some() && !routing.0.methods.values().any(instructed) {
                return Err(RunError::usage(
                    "no method of the policy takes an --instruction; `gepa` does",
                ));
            }
            // These belong to the methods of the policy, which have been made with them.
            options.method.instruction = None;
            options.method.streams = None;
            options.method.feedback = Some(routing.2);
            Some(routing)
        }
        None if args.labels.is_some() => {
            return Err(RunError::usage("--labels needs --method aoa:FILE"));
        }
        None => None,
    };
    let mut request = RunRequest {
        agent: args.agent.clone(),
        shard: args.shard,
        model: options,
        ..request
    };
    let Some((routing, whole, _)) = routing else {
        return Plan::new(console.registry, request);
    };
    request.routing = Some(routing);
    let mut plan = Plan::new(console.registry, request)?;
    // Put in afterwards: no plan can be made with the name of the whole, which is not a method.
    if let Some(model) = &mut plan.model {
        model.method = whole;
    }
    // The plan was made without `--streams`, which a method that learns nothing refuses.
    match (&mut plan.streams, args.run.method.streams) {
        (Some(streams), Some(wanted)) => *streams = wanted,
        (None, Some(wanted)) if wanted > 1 => {
            return Err(RunError::usage(
                "no method of the policy learns: --streams applies only to methods with a memory",
            ));
        }
        _ => {}
    }
    plan.check(console.registry)?;
    Ok(plan)
}

/// Checks that `agent` can answer questions, before they are read.
fn check_agent(agent: &str, registry: &Registry) -> Result<(), RunError> {
    let AgentSpec::Policy(name) = AgentSpec::parse(agent)? else {
        return Ok(());
    };
    let policies = registry.kind(QUESTIONS)?.policy_list();
    if policies.iter().any(|policy| policy.name == name) {
        return Ok(());
    }
    Err(beginner::meant(agent).unwrap_or_else(|| {
        RunError::usage(format!(
            "`{}` does not answer questions; an agent is openai:MODEL, anthropic:MODEL, replay:DIR, or one of the \
             policies oracle and silent",
            clip(&name)
        ))
    }))
}

impl QuestionArgs {
    /// The run of these questions that is asked for, without an agent; and the questions from the data, in the order of
    /// the tasks.
    ///
    /// # Errors
    /// Names what does not exist or does not fit.
    pub(super) fn request(
        &self,
        console: &mut Console<'_>,
    ) -> Result<(RunRequest, Vec<Question>), RunError> {
        let config = Config {
            scoring: self.rules.settings(),
            shots: self.shots.unwrap_or(0),
            roles: self.roles,
        };
        let asked = match &self.data {
            Some(data) => self.asked(data, &config, console)?,
            None => Vec::new(),
        };
        let list = self
            .data
            .as_ref()
            .map(|_| questions(console.registry, &asked));
        let mut tasks: Vec<Task> = asked.iter().map(|question| question.task).collect();
        // The questions of a task stand together, so it is enough to compare neighbours.
        tasks.dedup();
        let request = RunRequest {
            environment: QUESTIONS.to_owned(),
            settings: changed_settings(&config),
            list: list.transpose()?,
            seats: self.rules.seats(&tasks, console)?,
            seed: Seed(self.seed),
            ..RunRequest::default()
        };
        Ok((request, asked))
    }

    fn asked(
        &self,
        data: &Path,
        config: &Config,
        console: &mut Console<'_>,
    ) -> Result<Vec<Question>, RunError> {
        let tasks = tasks(data, &self.task)?;
        self.rules.check(&tasks)?;
        let choice = QuestionChoice {
            items: self.items,
            split: self.split.map(|part| QuestionSplit {
                part,
                train: self.train,
            }),
            seed: Seed(self.seed),
        };
        let mut asked = Vec::new();
        for task in tasks {
            let read = read(data, task, console)?;
            asked.extend(config.questions(task, &read.items, choice)?);
        }
        Ok(asked)
    }
}

/// The questions of `task`, with remarks on the file.
pub(super) fn read(
    data: &Path,
    task: Task,
    console: &mut Console<'_>,
) -> Result<Questions, RunError> {
    let read = Questions::read(data, task)?;
    for remark in &read.remarks {
        console.remark(&format!("note: {task}: {remark}\n"))?;
    }
    if read.without_answer > 0 {
        console.remark(&format!(
            "note: {task}: {} without a right answer not asked\n",
            counted(read.without_answer as u64, "item")
        ))?;
    }
    Ok(read)
}

/// The questions `asked` as the instances of a run, by the names of their tasks.
pub(super) fn questions(registry: &Registry, asked: &[Question]) -> Result<InstanceList, RunError> {
    let mut tasks: Vec<Task> = asked.iter().map(|question| question.task).collect();
    tasks.dedup();
    let name = match tasks.as_slice() {
        // More than three names make a title that no table has room for.
        few @ ([_] | [_, _] | [_, _, _]) => {
            let names: Vec<String> = few.iter().map(Task::to_string).collect();
            names.join(",")
        }
        more => counted(more.len() as u64, "task"),
    };
    let instances = asked.iter().map(sim_core::bytes::json).collect();
    InstanceList::new(registry.kind(QUESTIONS)?, name, instances)
}

pub(super) fn run(args: &QaRunArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let plan = plan(args, console)?;
    args.run.begin(plan, None, false).play(console)
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

/// The methods that the policy at `path` chooses for the questions `asked`, that of its default agent, and what they may
/// learn from.
fn route(
    args: &QaRunArgs,
    options: &ModelOptions,
    path: &str,
    asked: &[Question],
) -> Result<(Routing, MethodSpec, FeedbackMode), RunError> {
    if !options.method.method_set.is_empty() {
        return Err(RunError::usage(
            "--method-set applies to one method; a policy (aoa:FILE) chooses among several",
        ));
    }
    let make = |name: &str| {
        let mut options = options.clone();
        options.method.method = Some(name.to_owned());
        // An instruction and streams are for some of the methods alone; it is checked afterwards that there is one.
        if !takes_instruction(&args.agent, &options)? {
            options.method.instruction = None;
        }
        options.method.streams = None;
        let plan = model(&args.agent, &options)?;
        Ok((plan.method, plan.feedback))
    };
    routed(Path::new(path), args.labels.as_deref(), asked, make)
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

fn make(args: &BuildArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let sources = build::sources(&args.texts)?;
    let plan = ConstructionPlan {
        drafts: args.drafts,
        distractors: args.distractors,
        seed: args.seed,
    };
    // Before anything is paid for.
    let report_path = args.out.join("report.json");
    let report_file = Output::chosen(&report_path, OutputKind::BUILD_REPORT)?;
    // Both, although only one of them may be written: which one is not known before the model has
    // answered.
    let paths = ["single.json", "general.json"].map(|name| (name, args.out.join(name)));
    for (_, path) in &paths {
        Output::chosen(path, OutputKind::QUESTIONS)?;
    }
    let options = args.sampling.clone().into();
    let model = opened(&args.agent, &options, Some(&args.out))?;
    let report = build::make(&sources, &plan, &model)?;
    let mut files: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for built in &report.built {
        let kind = match built.item.gold_letters() {
            Some(_) => "single.json",
            None => "general.json",
        };
        files.entry(kind).or_default().push(to_record(built));
    }
    for (name, path) in &paths {
        let file = Output::chosen(path, OutputKind::QUESTIONS)?;
        match files.get(name) {
            Some(records) => file.write(pretty(records)?)?,
            // The questions of an earlier build, of which the new report says nothing.
            None => run_file::remove(path).map_err(RunError::file(path))?,
        }
    }
    report_file.write(pretty(&report)?)?;
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
    let model = opened(&args.agent, &ModelOptions::default(), args.calls.as_deref())?;
    let mut unread = 0;
    for questions in &questions {
        for labelled in build::label(questions, &model)? {
            let label = &labelled.label;
            // A label of one part is printed and counted: what could be read is of use.
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
