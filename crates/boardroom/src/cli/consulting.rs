//! `run consulting` and `cases`: interviews and their cases.

use super::args::{Heat, SeatArgs, changed_settings, shard};
use super::begin::ModelRunArgs;
use super::beginner;
use super::{Console, line, pretty};
use clap::{Args, Subcommand};
use qa_scoring::env::Part;
use qa_scoring::interview::{CaseStudy, Config, INTERVIEWER, JUDGES, cases};
use run_engine::error::RunError;
use run_engine::plan::cast::SeatRequest;
use run_engine::plan::list::InstanceList;
use run_engine::plan::{MAX_EPISODES, Plan, RunRequest, Shard};
use run_engine::registry::Registry;
use run_engine::terminal::{shown_name, shown_path};
use run_report::case_files::{CaseRequest, check};
use run_report::questions::INTERVIEWS;
use serde_json::json;
use sim_core::Seed;
use sim_core::error::one_line;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Which interviews are held, and who takes part besides the candidate.
#[derive(Debug, Args)]
pub(super) struct InterviewArgs {
    #[command(flatten)]
    cases: CaseRequest,
    /// Only the cases for training, or only the other ones; drawn with --seed
    #[arg(long, value_name = "PART", value_parser = super::args::part())]
    split: Option<Part>,
    /// Number of cases for training, with --split
    #[arg(long, value_name = "N", default_value_t = 12, requires = "split")]
    train: usize,
    #[command(flatten)]
    team: TeamArgs,
    /// Seed of --split and of the order in which a learning method gets the cases
    #[arg(long, default_value_t = 0, value_parser = super::args::whole)]
    seed: u64,
}

/// Which interviews are held, and who takes part.
#[derive(Debug, Args)]
pub struct ConsultingArgs {
    #[command(flatten)]
    interviews: InterviewArgs,
    /// The candidate: openai:MODEL, anthropic:MODEL, replay:DIR, or a scripted candidate (ideal,
    /// never-recommends, shotgun, silent, spoofer)
    #[arg(long, alias = "model", default_value = "ideal")]
    agent: String,
    /// Number of interviews [default: one per case]
    #[arg(long, alias = "limit", value_parser = super::args::from_to(1, MAX_EPISODES))]
    episodes: Option<u64>,
    /// Conduct only part i of n, numbered from 0
    #[arg(long, value_name = "i/n", default_value = "0/1", value_parser = shard)]
    shard: Shard,
    #[command(flatten)]
    run: ModelRunArgs,
    /// Print everything that was measured: minimum and maximum, and the marks of the rubric
    #[arg(long, conflicts_with = "json")]
    metrics: bool,
}

/// Who interviews and judges, and for how long.
#[derive(Debug, Args)]
pub(super) struct TeamArgs {
    /// The interviewer: rules, openai:MODEL or anthropic:MODEL; short for --seat interviewer=X [default: rules]
    #[arg(long, value_name = "AGENT")]
    interviewer: Option<String>,
    /// A judge: rules, or a model; short for --seat judge_N=X with the next number. With several (at most 5), the
    /// median counts [default: rules]
    #[arg(long = "judge", value_name = "AGENT")]
    judges: Vec<String>,
    /// Sampling temperature of the models that judge, or `omitted`, which sends none [default: 0]
    #[arg(long, value_name = "T")]
    judge_temperature: Option<Heat>,
    #[command(flatten)]
    seats: SeatArgs,
    /// Maximum number of rounds of an interview
    #[arg(long, default_value_t = 12, value_parser = super::args::from_to(1, 100_u32))]
    rounds: u32,
}

impl TeamArgs {
    /// Who interviews and judges, by seat, where it is not the rules.
    ///
    /// # Errors
    /// When a seat is named twice, there are too many judges, or a temperature has no judge.
    pub(super) fn seats(&self) -> Result<BTreeMap<String, SeatRequest>, RunError> {
        if self.judges.len() > JUDGES.len() {
            return Err(RunError::usage(format!(
                "at most {} judges; their median counts",
                JUDGES.len()
            )));
        }
        let interviewer = self.interviewer.iter().map(|agent| (INTERVIEWER, agent));
        let judges = JUDGES.iter().cloned().zip(&self.judges);
        let short = interviewer.chain(judges);
        let short: Vec<_> = short.map(|(seat, agent)| (seat, agent.clone())).collect();
        self.seats.request_with(&short, self.judge_temperature)
    }

    /// How interviews are held.
    pub(super) fn settings(&self, seats: &BTreeMap<String, SeatRequest>) -> Config {
        let judges = (1..).zip(&JUDGES);
        // By the highest number that has somebody; the seats below it are filled by the rules.
        let judges = judges.filter(|(_, seat)| seats.contains_key(seat.name()));
        Config {
            rounds: self.rounds,
            judges: judges.map(|(number, _)| number).max().unwrap_or(1),
            ..Config::default()
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
        // A case that cannot be read has one finding, the reason.
        let said: Vec<String> = match &file.found {
            Ok(found) => found.iter().map(ToString::to_string).collect(),
            Err(why) => vec![why.clone()],
        };
        // A finding names what it is about, in the words of the file, which may be very long.
        let said = said
            .iter()
            .map(|finding| one_line(&shown_name(finding), 1_000));
        let said: Vec<String> = said.collect();
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
        let kind = case.kind.map_or("", Into::into);
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
            let _ = writeln!(
                text,
                "{id:<20}  {length:<6}  {industry:<15}  {kind:<13}  {title}"
            );
        }
    }
    console.print(&text)
}

pub(super) fn run(args: &ConsultingArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let request = RunRequest {
        agent: args.agent.clone(),
        episodes: args.episodes,
        shard: args.shard,
        model: args.run.options(),
        ..args.interviews.request(console.registry)?
    };
    let plan = Plan::new(console.registry, request)
        .map_err(|e| beginner::meant(&args.agent).unwrap_or(e))?;
    let says = args.episodes.is_some() || args.run.method.streams.is_some();
    let option = (!says).then_some("--episodes N");
    args.run.begin(plan, option, args.metrics).play(console)
}

impl InterviewArgs {
    /// The run of interviews that is asked for, without a candidate.
    ///
    /// # Errors
    /// When a file is wrong, no case is left, or a seat is named twice.
    pub(super) fn request(&self, registry: &Registry) -> Result<RunRequest, RunError> {
        let split = self.split.map(|part| (part, self.train, Seed(self.seed)));
        let cases = self.cases.cases(split)?;
        let seats = self.team.seats()?;
        let mut config = self.team.settings(&seats);
        // The cases of the program are instances of its presets; others come along with the run.
        let is_own = self.cases.cases.is_some() || self.split.is_some();
        if !is_own {
            config.industry.clone_from(&self.cases.industry);
            config.kind = self.cases.kind;
        }
        let list = is_own.then(|| interviews(registry, &config, self.cases.label(split), &cases));
        Ok(RunRequest {
            environment: INTERVIEWS.to_owned(),
            preset: (!is_own).then(|| self.cases.preset.clone()),
            settings: changed_settings(&config),
            list: list.transpose()?,
            seats,
            seed: Seed(self.seed),
            ..RunRequest::default()
        })
    }
}

/// `cases` as the instances of a run.
pub(super) fn interviews(
    registry: &Registry,
    config: &Config,
    name: String,
    cases: &[CaseStudy],
) -> Result<InstanceList, RunError> {
    let held = cases.iter().map(|case| config.interview(case.clone()));
    let instances = held.map(|interview| sim_core::bytes::json(&interview));
    InstanceList::new(registry.kind(INTERVIEWS)?, name, instances.collect())
}
