//! `evolve`: the search for an instruction.

use super::args::{ConfigArgs, RuleArgs, SeatArgs, changed_settings, limits, task};
use super::consulting::{self, TeamArgs};
use super::{Console, line, qa};
use clap::{Args, Subcommand};
use qa_scoring::env::{Config, Part, Question, training_order};
use qa_scoring::interview::{CaseStudy, split};
use qa_scoring::{Metric, Task};
use run_engine::engine::model::evolve::{EvolveRequest, SearchRequest, evolve_instruction};
use run_engine::error::RunError;
use run_engine::plan::RunRequest;
use run_engine::plan::instruction::EvolvedFile;
use run_engine::plan::model::RunBudget;
use run_engine::plan::options::{AskOptions, Sampling};
use run_engine::terminal::shown_path;
use run_engine::words::number;
use run_report::case_files::CaseRequest;
use run_report::questions::{INTERVIEWS, QUESTIONS};
use sim_core::Limits;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

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
    seats: SeatArgs,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    search: SearchArgs,
}

/// Searches on environments with options of their own.
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
    #[command(flatten)]
    search: SearchRequest,
    #[command(flatten)]
    means: RunBudget,
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
    cases: CaseRequest,
    #[command(flatten)]
    team: TeamArgs,
    #[command(flatten)]
    sampling: Sampling,
    #[command(flatten)]
    search: SearchArgs,
}

pub(super) fn evolve(args: EvolveArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    match args.stage {
        Some(Stage::Qa(args)) => return on_questions(&args, console),
        Some(Stage::Consulting(args)) => return on_interviews(&args, console),
        None => {}
    }
    let request = EvolveRequest {
        run: RunRequest {
            environment: args.environment.unwrap_or_default(),
            preset: args.config.preset,
            settings: args.config.settings,
            limits: args.limits.unwrap_or_default(),
            model: args.ask.into(),
            seats: args.seats.request()?,
            ..RunRequest::default()
        },
        lists: None,
        search: args.search.search.clone(),
    };
    args.search.carry_out(&request, Vec::new(), console)
}

fn on_questions(args: &QaEvolveArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let search = args.search.search.clone();
    let (train, validation) = search.sizes();
    let tasks = qa::tasks(&args.data, &args.task)?;
    args.rules.check(&tasks)?;
    let seats = args.rules.seats(&tasks, console)?;
    let config = Config {
        scoring: args.rules.settings(),
        ..Config::default()
    };
    let (mut training, mut validating): (Vec<Question>, Vec<Question>) = Default::default();
    let mut remarks = Vec::new();
    for task in tasks {
        // A run without a judge is merely unscored; a search without scores would end as it began.
        if task.metric() == Metric::Judged && args.rules.judge()?.is_none() {
            return Err(RunError::usage(format!(
                "a model has to judge the answers to {task}; name it with --judge"
            )));
        }
        let read = qa::read(&args.data, task, console)?;
        let count = read.items.len();
        if count < train + validation {
            return Err(RunError::usage(format!(
                "{task} has {count} questions with a right answer, too few for --train {train} and \
                 --validation {validation}"
            )));
        }
        // Said and not refused: the instruction may be meant for other questions.
        if count == train + validation {
            remarks.push(format!("no question of {task} is left for a test"));
        }
        // The order of `run qa --split`, so that its test part holds nothing that was seen here.
        let order = training_order(search.seed, count).into_iter();
        let mut chosen = order.filter_map(|place| read.items.get(place));
        let question = |item: &qa_scoring::Item| config.question(task, item.clone());
        training.extend(chosen.by_ref().take(train).map(question));
        validating.extend(chosen.take(validation).map(question));
    }
    let lists = [
        qa::questions(console.registry, &training)?,
        qa::questions(console.registry, &validating)?,
    ];
    let request = EvolveRequest {
        run: RunRequest {
            environment: QUESTIONS.to_owned(),
            settings: changed_settings(&config),
            model: args.sampling.clone().into(),
            seats,
            ..RunRequest::default()
        },
        lists: Some(lists),
        search,
    };
    args.search.carry_out(&request, remarks, console)
}

fn on_interviews(args: &ConsultingEvolveArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let search = args.search.search.clone();
    let (train, validation) = search.sizes();
    let seed = search.seed;
    let cases = args.cases.cases(None)?;
    let (count, needed) = (cases.len(), train + validation);
    if count < needed {
        return Err(RunError::usage(format!(
            "there are {count} cases, too few for --train {train} and --validation {validation}"
        )));
    }
    // As `run consulting --split` does, for the same reason.
    let (chosen, left) = split(cases, seed, needed);
    let mut remarks = Vec::new();
    if left.is_empty() {
        remarks.push("no case is left for a test".to_owned());
    }
    // The catalogue is sorted by length, and both halves get cases of every length.
    let order = seed.child("evolve", 0).order(0, chosen.len());
    let mut drawn = order.iter().filter_map(|place| chosen.get(*place)).cloned();
    let training: Vec<CaseStudy> = drawn.by_ref().take(train).collect();
    let validating: Vec<CaseStudy> = drawn.collect();
    let seats = args.team.seats()?;
    let config = args.team.settings(&seats);
    let name = args.cases.label(Some((Part::Train, needed, seed)));
    let list = |cases: &[CaseStudy]| {
        consulting::interviews(console.registry, &config, name.clone(), cases)
    };
    let request = EvolveRequest {
        run: RunRequest {
            environment: INTERVIEWS.to_owned(),
            settings: changed_settings(&config),
            model: args.sampling.clone().into(),
            seats,
            ..RunRequest::default()
        },
        lists: Some([list(&training)?, list(&validating)?]),
        search,
    };
    args.search.carry_out(&request, remarks, console)
}

impl SearchArgs {
    /// Carries out the search and prints its result, with `remarks` on its items.
    fn carry_out(
        &self,
        request: &EvolveRequest,
        mut remarks: Vec<String>,
        console: &mut Console<'_>,
    ) -> Result<(), RunError> {
        let out = self.out.clone().unwrap_or_default();
        let (file, more) =
            evolve_instruction(console.registry, request, &self.means, &out, console.stop)?;
        remarks.extend(more);
        for remark in remarks {
            console.remark(&format!("note: {remark}\n"))?;
        }
        console.print(&if self.json {
            line(&file)?
        } else {
            words(&file, &out)
        })
    }
}

fn words(file: &EvolvedFile, out: &Path) -> String {
    let found = &file.found;
    let accepted = found.history.iter().filter(|step| step.accepted).count();
    let (unit, items, best) = match file.environment.as_str() {
        INTERVIEWS => ("interview", "cases", "the best mark"),
        QUESTIONS => ("question", "questions", "a right answer"),
        _ => ("episode", "instances", "the reference"),
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
