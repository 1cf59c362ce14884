//! `evolve`: the search for an instruction.

use super::args::{BudgetArgs, ConfigArgs, RuleArgs, judge, limits, model, task};
use super::consulting::{CaseArgs, TeamArgs};
use super::{Console, line};
use clap::{Args, Subcommand};
use qa_runner::interview::case_files::CasePart;
use qa_runner::interview::evolve::{InterviewSearch, evolve_on_interviews};
use qa_runner::qa::evolve::{QuestionSearch, evolve_on_questions};
use qa_scoring::Task;
use run_engine::engine::model::evolve::{EvolveRequest, SearchRequest, evolve_instruction};
use run_engine::error::RunError;
use run_engine::plan::instruction::EvolvedFile;
use run_engine::plan::options::{AskOptions, Sampling};
use run_engine::registry::Registry;
use run_engine::terminal::shown_path;
use run_engine::words::number;
use sim_core::{Limits, Seed};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What to search for, and where.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct EvolveArgs {
    #[command(subcommand)]
    stage: Option<Stage>,
    /// Environment, as `list` names it; not collusion, efficiency-equality or patience, whose scores do not say how
    /// good an agent is
    #[arg(required = true)]
    environment: Option<String>,
    #[command(flatten)]
    config: ConfigArgs,
    /// Maximum number of queries and of refused decisions of an agent in a period, such as 40,10
    #[arg(long, value_name = "CALLS,TRIES", value_parser = limits)]
    limits: Option<Limits>,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    search: SearchArgs,
}

/// Searches whose items are not episodes.
#[derive(Debug, Subcommand)]
enum Stage {
    /// Search on questions of the data sets
    Qa(QaEvolveArgs),
    /// Search on consulting interviews
    Consulting(ConsultingEvolveArgs),
}

/// Model, sizes and budget of a search.
#[derive(Debug, Args)]
struct SearchArgs {
    /// The model that is tried and that proposes: openai:MODEL, anthropic:MODEL, replay:DIR
    #[arg(long, required = true)]
    agent: Option<String>,
    /// Seed of the search and of the draw of its items
    #[arg(long, default_value_t = 0, value_parser = super::args::whole)]
    seed: u64,
    /// Items from which instructions are made: instances, cases, or questions of each task [default:
    /// 6, or half of a list of fewer than 12 instances]
    #[arg(long)]
    train: Option<usize>,
    /// Other items, on which instructions are compared [default: as many as for training]
    #[arg(long)]
    validation: Option<usize>,
    /// Maximum number of trials of the search: episodes, questions or interviews
    #[arg(long, default_value_t = 150)]
    metric_calls: usize,
    /// Maximum number of proposals [default: as many as the trials allow]
    #[arg(long)]
    iterations: Option<usize>,
    /// Instruction to begin with: a text file, or the folder of an earlier search
    #[arg(long, value_name = "FILE")]
    first: Option<PathBuf>,
    #[command(flatten)]
    means: BudgetArgs,
    /// Folder to write: search.json, instruction.txt, evolved.json, calls.jsonl. It holds one search, which
    /// the same command continues
    #[arg(long, value_name = "DIR", required = true)]
    out: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Which questions a search has, and how they are judged.
#[derive(Debug, Args)]
struct QaEvolveArgs {
    /// Folder or file of the questions
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The tasks, separated by commas; by default all tasks whose file is in the folder
    #[arg(long, value_name = "TASKS", value_delimiter = ',', value_parser = task)]
    task: Vec<Task>,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    sampling: Sampling,
    #[command(flatten)]
    search: SearchArgs,
}

/// Which interviews a search has, and who takes part.
#[derive(Debug, Args)]
struct ConsultingEvolveArgs {
    #[command(flatten)]
    cases: CaseArgs,
    #[command(flatten)]
    team: TeamArgs,
    #[command(flatten)]
    sampling: Sampling,
    #[command(flatten)]
    search: SearchArgs,
}

pub(super) fn evolve(
    args: EvolveArgs,
    registry: &Registry,
    stop: &AtomicBool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    match args.stage {
        Some(Stage::Qa(args)) => return on_questions(args, stop, console),
        Some(Stage::Consulting(args)) => return on_interviews(&args, stop, console),
        None => {}
    }
    let request = EvolveRequest {
        environment: args.environment.unwrap_or_default(),
        preset: args.config.preset,
        settings: args.config.settings,
        limits: args.limits.unwrap_or_default(),
        model: args.ask.into(),
        search: args.search.request(),
    };
    let (means, out) = (args.search.means.budget(), args.search.out());
    let found = evolve_instruction(registry, &request, &means, &out, stop)?;
    args.search.show(found, "episode", console)
}

fn on_questions(
    args: QaEvolveArgs,
    stop: &AtomicBool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let search = args.search.request();
    let tasks = super::qa::tasks(&args.data, &args.task)?;
    let request = QuestionSearch {
        python: args.rules.python(&tasks, console)?,
        tasks,
        data: args.data,
        model: model(&search.agent, &args.sampling.clone().into())?,
        scoring: args.rules.settings(),
        judge: judge(&args.rules)?,
        search,
    };
    let (means, out) = (args.search.means.budget(), args.search.out());
    let found = evolve_on_questions(&request, &means, &out, stop)?;
    args.search.show(found, "question", console)
}

fn on_interviews(
    args: &ConsultingEvolveArgs,
    stop: &AtomicBool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let search = args.search.request();
    let (train, validation) = search.sizes()?;
    let seed = search.seed;
    let request = InterviewSearch {
        cases: args.cases.request(None, 0, seed).cases()?,
        preset: args
            .cases
            .request(Some(CasePart::Train), train + validation, seed)
            .label(),
        model: model(&search.agent, &args.sampling.clone().into())?,
        interviewer: args.team.interviewer()?,
        judges: args.team.judges()?,
        settings: args.team.settings(),
        search,
    };
    let (means, out) = (args.search.means.budget(), args.search.out());
    let found = evolve_on_interviews(request, &means, &out, stop)?;
    args.search.show(found, "interview", console)
}

impl SearchArgs {
    fn request(&self) -> SearchRequest {
        SearchRequest {
            agent: self.agent.clone().unwrap_or_default(),
            seed: Seed(self.seed),
            train: self.train,
            validation: self.validation,
            metric_calls: self.metric_calls,
            iterations: self.iterations,
            first: self.first.clone(),
        }
    }

    fn out(&self) -> PathBuf {
        self.out.clone().unwrap_or_default()
    }

    /// Prints the result of a search whose items are called `unit`, with remarks on them.
    fn show(
        &self,
        (file, remarks): (EvolvedFile, Vec<String>),
        unit: &str,
        console: &mut Console<'_>,
    ) -> Result<(), RunError> {
        for remark in remarks {
            console.remark(&format!("note: {remark}\n"))?;
        }
        console.print(&if self.json {
            line(&file)?
        } else {
            words(&file, unit, &self.out())
        })
    }
}

fn words(file: &EvolvedFile, unit: &str, out: &Path) -> String {
    let found = &file.found;
    let accepted = found.history.iter().filter(|step| step.accepted).count();
    let (items, best) = match unit {
        "episode" => ("instances", "the reference"),
        "interview" => ("cases", "the best mark"),
        _ => ("questions", "a right answer"),
    };
    let mut text = String::new();
    // Writing to a String cannot fail, hence the ignored results.
    let _ = writeln!(
        text,
        "{} of {} {unit}s, {} proposals, {accepted} accepted",
        found.metric_calls,
        file.budget,
        found.history.len()
    );
    let _ = writeln!(
        text,
        "mean on {} validation {items} {} (first instruction {}); 1 is {best}",
        file.validation,
        number(found.mean),
        number(found.first_mean)
    );
    let _ = writeln!(text, "instruction in {}:\n", shown_path(out));
    let _ = writeln!(text, "{}", found.instruction);
    text
}
