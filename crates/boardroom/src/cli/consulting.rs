//! `run consulting` and `cases`: interviews and their cases.

use super::args::{BudgetArgs, Heat, PartArg, SeatArgs, shard};
use super::beginner;
use super::conclude::{SummaryForm, conclude};
use super::saving::{SavingArgs, folder_of};
use super::{Console, line, pretty, training_note};
use agent_client::interview::{CandidateScript, CaseKind, CaseStudy, InterviewSettings, cases};
use agent_client::wire::Dialect;
use clap::{Args, Subcommand};
use qa_runner::interview::case_files::{CasePart, CaseRequest, check};
use qa_runner::interview::plan::{
    CandidatePlan, InterviewPlan, MAX_INTERVIEWS, VERSION, described,
};
use qa_runner::interview::run::execute;
use run_engine::engine::model::backends::check_prices;
use run_engine::engine::workload::Resume;
use run_engine::error::RunError;
use run_engine::plan::Shard;
use run_engine::plan::cast::{asked_at, check_known};
use run_engine::plan::model::{ModelPlan, dialect};
use run_engine::plan::options::{MethodOptions, ModelOptions, Sampling};
use run_engine::run_dir::fresh::RunDirGuard;
use run_engine::terminal::shown_path;
use serde_json::json;
use sim_core::Seed;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Which interviews are held, and who takes part.
#[derive(Debug, Args)]
pub struct ConsultingArgs {
    #[command(flatten)]
    cases: CaseArgs,
    /// Only the cases for training, or only the other ones; drawn with --seed
    #[arg(long, value_name = "PART")]
    split: Option<PartArg>,
    /// Number of cases for training, with --split
    #[arg(long, value_name = "N", default_value_t = 12, requires = "split")]
    train: usize,
    /// The candidate: openai:MODEL, anthropic:MODEL, replay:DIR, or a scripted candidate (ideal,
    /// never-recommends, shotgun, silent, spoofer, partial:NUMBERS)
    #[arg(long, alias = "model", default_value = "ideal")]
    agent: String,
    #[command(flatten)]
    team: TeamArgs,
    /// Number of interviews [default: one per case]
    #[arg(long, alias = "limit", value_parser = super::args::from_to(1, MAX_INTERVIEWS))]
    episodes: Option<u64>,
    /// Seed of --split and of the order in which a learning method gets the cases
    #[arg(long, default_value_t = 0, value_parser = super::args::whole)]
    seed: u64,
    /// Conduct only part i of n, numbered from 0
    #[arg(long, value_name = "i/n", default_value = "0/1", value_parser = shard)]
    shard: Shard,
    #[command(flatten)]
    method: MethodOptions,
    #[command(flatten)]
    sampling: Sampling,
    #[command(flatten)]
    means: BudgetArgs,
    #[command(flatten)]
    saving: SavingArgs,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Print everything that was measured: minimum and maximum, and the marks of the rubric
    #[arg(long, conflicts_with = "json")]
    metrics: bool,
}

/// Which cases there are to choose from.
#[derive(Debug, Args)]
pub(super) struct CaseArgs {
    /// Which cases: all, short, medium or long
    #[arg(long, default_value = "all")]
    preset: String,
    /// Your own cases: a folder of *.json files, or one file (see `cases check`)
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
    /// Only cases of this industry, as `cases list` names it
    #[arg(long)]
    industry: Option<String>,
    /// Only cases of this kind, as `cases list` names it
    #[arg(long)]
    kind: Option<CaseKind>,
}

/// Who interviews and judges, and for how long.
#[derive(Debug, Args)]
pub(super) struct TeamArgs {
    /// The interviewer: rules, openai:MODEL or anthropic:MODEL; short for --seat interviewer=X
    #[arg(long, default_value = "rules")]
    interviewer: String,
    /// A judge: rules, or a model; short for --seat judge_N=X with the next number. With several, the median counts
    /// [default: rules]
    #[arg(long = "judge", value_name = "JUDGE")]
    judges: Vec<String>,
    /// Sampling temperature of the models that judge, or `omitted`, which sends none [default: 0]
    #[arg(long, value_name = "T", requires = "judges")]
    judge_temperature: Option<Heat>,
    #[command(flatten)]
    seats: SeatArgs,
    /// Maximum number of rounds of an interview
    #[arg(long, default_value_t = 12, value_parser = super::args::from_to(1, 100_u32))]
    rounds: u32,
}

const INTERVIEWER: &str = "interviewer";

/// The seats besides the candidate's.
const SEATS: [&str; 6] = [
    INTERVIEWER,
    "judge_1",
    "judge_2",
    "judge_3",
    "judge_4",
    "judge_5",
];

impl CaseArgs {
    /// These cases, or the `part` of them that a split with `train` cases for training gives.
    pub(super) fn request(
        &self,
        part: Option<CasePart>,
        train: usize,
        seed: Seed,
    ) -> CaseRequest<'_> {
        CaseRequest {
            files: self.cases.as_deref(),
            preset: &self.preset,
            industry: self.industry.as_deref(),
            kind: self.kind,
            part,
            train,
            seed,
        }
    }
}

impl TeamArgs {
    /// The model that interviews, if one does.
    ///
    /// # Errors
    /// When the name is neither `rules` nor a model.
    pub(super) fn interviewer(&self) -> Result<Option<Dialect>, RunError> {
        let seats = self.seats.request()?;
        check_known(&seats, &SEATS)?;
        if !seats.contains_key(INTERVIEWER) {
            return other(&self.interviewer);
        }
        if self.interviewer != "rules" {
            return Err(RunError::usage(
                "--interviewer and --seat interviewer=... name the same seat; give one of them",
            ));
        }
        asked_at(&seats, INTERVIEWER, None)
    }

    /// The models that judge.
    ///
    /// # Errors
    /// When a name is neither `rules` nor a model.
    pub(super) fn judges(&self) -> Result<Vec<Dialect>, RunError> {
        let judges = self.judges.iter();
        let judges = judges.filter_map(|judge| {
            let model = other(judge).transpose()?;
            Some(model.map(|dialect| Heat::or_zero(self.judge_temperature, judge, dialect)))
        });
        let mut judges: Vec<Dialect> = judges.collect::<Result<_, _>>()?;
        let seats = self.seats.request()?;
        for name in SEATS.into_iter().filter(|name| *name != INTERVIEWER) {
            if !self.judges.is_empty() && seats.contains_key(name) {
                return Err(RunError::usage(
                    "--judge and --seat judge_N=... name the same seats; give one of them",
                ));
            }
            judges.extend(asked_at(&seats, name, Some(0.0))?);
        }
        if judges.is_empty() && self.judge_temperature.is_some() {
            return Err(RunError::usage(
                "no judge is a model; --judge-temperature applies to models only",
            ));
        }
        Ok(judges)
    }

    /// How an interview is held.
    pub(super) fn settings(&self) -> InterviewSettings {
        InterviewSettings {
            rounds: self.rounds,
        }
    }
}

/// Cases of interviews.
#[derive(Debug, Subcommand)]
pub enum CasesCommand {
    /// Check case files: that each can be played, and that its right answers follow from its facts
    Check {
        /// Files, or folders of *.json files
        #[arg(required = true)]
        places: Vec<PathBuf>,
        /// Print one JSON object per file, one per line
        #[arg(long)]
        json: bool,
    },
    /// The cases of the program: length, industry, kind and title
    List {
        /// Print one JSON object per case, one per line
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON Schema of a case file
    Schema,
}

pub(super) fn case_studies(
    command: &CasesCommand,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    match command {
        CasesCommand::Check { places, json } => check_files(places, *json, console),
        CasesCommand::List { json } => list(*json, console),
        CasesCommand::Schema => console.print(&pretty(&CaseStudy::schema())?),
    }
}

fn check_files(
    places: &[PathBuf],
    as_json: bool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let checked = check(places)?;
    let mut wrong = 0;
    for file in &checked {
        let path = shown_path(&file.path);
        let said: Vec<String> = match &file.found {
            Ok(found) => found.iter().map(ToString::to_string).collect(),
            Err(why) => vec![why.clone()],
        };
        wrong += usize::from(!said.is_empty());
        if as_json {
            let playable = file.found.is_ok();
            console.print(&line(
                &json!({"file": path, "playable": playable, "findings": said}),
            )?)?;
            continue;
        }
        let mut text = String::new();
        // Writing to a String cannot fail, hence the ignored results here and below.
        if said.is_empty() {
            let _ = writeln!(text, "{path}: no findings");
        }
        for finding in said {
            let _ = writeln!(text, "{path}: {finding}");
        }
        console.print(&text)?;
    }
    if wrong == 0 {
        return Ok(());
    }
    Err(RunError::Failed(format!(
        "{wrong} of {} files have findings",
        checked.len()
    )))
}

fn list(as_json: bool, console: &mut Console<'_>) -> Result<(), RunError> {
    let all = cases().map_err(RunError::Failed)?;
    let mut text = String::new();
    for case in &all {
        let kind = case.kind.map_or("", CaseKind::name);
        let CaseStudy {
            id,
            title,
            industry,
            length,
            ..
        } = case;
        if as_json {
            text += &line(
                &json!({"id": id, "length": length, "industry": industry, "kind": kind, "title": title}),
            )?;
        } else {
            let length = length.name();
            let _ = writeln!(
                text,
                "{id:<20}  {length:<6}  {industry:<15}  {kind:<13}  {title}"
            );
        }
    }
    console.print(&text)
}

pub(super) fn run(
    args: &ConsultingArgs,
    stop: &AtomicBool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let plan = plan(args)?;
    let cases = || {
        let count = usize::try_from(plan.interviews).unwrap_or(usize::MAX);
        let cases = plan.cases.iter().take(count);
        Ok(cases.map(|case| case.id.clone()).collect())
    };
    let instruction = args.method.instruction.as_deref();
    let notes = training_note(instruction, "consulting", cases, console)?;
    let means = args.means.budget();
    check_prices(&plan.agent, &plan.dialects(), &means)?;
    let saving = &args.saving;
    let place = saving.place("consulting", &args.agent, args.json, console)?;
    let folder = match &place.path {
        Some(path) => {
            let says = args.episodes.is_some() || args.method.streams.is_some();
            let option = (!says).then_some("--episodes N");
            Some(folder_of(path, &plan, option, notes, console)?)
        }
        None => None,
    };
    let how = Resume {
        means: &means,
        progress: !args.json,
        stop,
    };
    let finished = execute(&plan, &how, folder.as_ref());
    let finished = RunDirGuard::settle(place.fresh, finished);
    let finished = match &folder {
        Some(folder) => folder.settle_extension(finished)?,
        None => finished?,
    };
    conclude(
        &finished.of_any_kind(),
        SummaryForm::of(args.json, args.metrics),
        console,
    )
}

/// Fills in all defaults and checks the plan before any model is asked.
fn plan(args: &ConsultingArgs) -> Result<InterviewPlan, RunError> {
    let part = args.split.map(|split| match split {
        PartArg::Train => CasePart::Train,
        PartArg::Test => CasePart::Test,
    });
    let wanted = args.cases.request(part, args.train, Seed(args.seed));
    let cases = wanted.cases()?;
    let request = ModelOptions::of_method(args.method.clone(), args.sampling.clone());
    let candidate = match ModelPlan::new(&args.agent, &request)? {
        Some(model) => CandidatePlan::Model(Box::new(model)),
        None => {
            args.agent.parse::<CandidateScript>().map_err(|e| {
                beginner::meant(&args.agent).unwrap_or_else(|| {
                    RunError::usage(format!(
                        "{e}; or name openai:MODEL, anthropic:MODEL, replay:DIR"
                    ))
                })
            })?;
            if !request.is_default() {
                return Err(RunError::usage(format!(
                    "`{}` is a scripted candidate; --method, --temperature and --max-tokens apply \
                     to models only",
                    args.agent
                )));
            }
            CandidatePlan::Script(args.agent.clone())
        }
    };
    let streams = match &candidate {
        CandidatePlan::Model(model) if model.is_online()? => {
            Some(request.method.streams.unwrap_or(1))
        }
        _ => None,
    };
    let interviews = args.episodes.unwrap_or(cases.len() as u64);
    let plan = InterviewPlan {
        version: VERSION,
        preset: wanted.label(),
        // The run can then be continued from any folder.
        case_files: match &args.cases.cases {
            Some(path) => Some(std::path::absolute(path).map_err(RunError::file(path))?),
            None => None,
        },
        cases: cases.iter().map(described).collect::<Result<_, _>>()?,
        agent: args.agent.clone(),
        candidate,
        interviewer: args.team.interviewer()?,
        judges: args.team.judges()?,
        settings: args.team.settings(),
        interviews,
        streams,
        seed: Seed(args.seed),
        shard: args.shard,
    };
    plan.check()?;
    if plan.dialects().is_empty() && !args.means.budget().is_default() {
        return Err(RunError::usage(
            "no participant is a model; --concurrency, --max-cost and --prices apply to models \
             only",
        ));
    }
    Ok(plan)
}

/// The model of an interviewer or judge; none if it follows rules.
fn other(name: &str) -> Result<Option<Dialect>, RunError> {
    if name == "rules" {
        return Ok(None);
    }
    match name.split_once(':') {
        Some(("openai" | "anthropic", _)) => dialect(name),
        _ => Err(RunError::usage(format!(
            "`{}` neither interviews nor judges; name rules, openai:MODEL or anthropic:MODEL",
            sim_core::error::clip(name)
        ))),
    }
}
