//! Arguments shared by several commands.

use super::{Console, beginner};
use agent_client::backend::AgentBackend;
use agent_client::request::ModelRole;
use agent_client::wire::Dialect;
use agent_client::wire::ways::Way;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use python_snippets::Sandbox;
use qa_scoring::env::{EXECUTOR, JUDGE, Part, runs_programs};
use qa_scoring::grade::{LetterReading, TagRule};
use qa_scoring::rouge::Stemming;
use qa_scoring::{Metric, Profile, Settings, Task};
use run_engine::engine::model::backends::Models;
use run_engine::error::RunError;
use run_engine::executor::PYTHON;
use run_engine::files::run_file;
use run_engine::plan::MAX_EPISODES;
use run_engine::plan::Shard;
use run_engine::plan::agent::is_model;
use run_engine::plan::cast::SeatRequest;
use run_engine::plan::model::{ModelPlan, RunBudget};
use run_engine::plan::options::{ModelOptions, key_and_value};
pub(super) use run_engine::plan::options::{from_to, whole};
use run_engine::run_dir::manifest::MANIFEST;
use run_engine::run_dir::members::SWEEP;
use run_engine::terminal::shown_path;
pub(super) use run_report::questions::score::task;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sim_core::{Limits, Seat};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// The configuration of an environment.
#[derive(Debug, Clone, Args)]
pub struct ConfigArgs {
    /// Preset (the first by default)
    #[arg(long)]
    pub(super) preset: Option<String>,
    /// Replace a setting: dotted path and JSON value
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_and_value)]
    pub(super) settings: Vec<(String, Value)>,
}

/// Agents with seats of their own.
#[derive(Debug, Clone, Args)]
pub(super) struct SeatArgs {
    /// Give one seat an agent of its own, such as brewery=sterman, cfo=openai:MODEL or judge=openai:MODEL
    /// (repeatable); --agent plays the others
    #[arg(long = "seat", value_name = "SEAT=AGENT", value_parser = seat)]
    seats: Vec<(String, String)>,
    /// An option of the model at a seat, such as cfo.temperature=1, cfo.method=direct or cfo.model_args.seed=7
    /// (repeatable)
    #[arg(long = "seat-set", value_name = "SEAT.OPTION=VALUE", value_parser = key_and_value)]
    seat_set: Vec<(String, Value)>,
}

impl SeatArgs {
    /// The agents with their options, by seat.
    pub(super) fn request(&self) -> Result<BTreeMap<String, SeatRequest>, RunError> {
        self.request_with(&[], None)
    }

    /// The agents with their options, by seat, with the agents that shorter options than --seat name, and the
    /// temperature of the models that judge.
    ///
    /// # Errors
    /// When a seat or a temperature is given twice, an option has no seat with an agent, does not exist or has a wrong
    /// value, or a temperature has no judge that is a model.
    pub(super) fn request_with(
        &self,
        short: &[(Seat, String)],
        heat: Option<Heat>,
    ) -> Result<BTreeMap<String, SeatRequest>, RunError> {
        let short = short.iter();
        let short = short.map(|(seat, agent)| (seat.name().to_owned(), agent.clone()));
        let agents: Vec<(String, String)> = self.seats.iter().cloned().chain(short).collect();
        let mut options = self.seat_set.clone();
        // As options of the seats, so that a run stores one form whichever option was given.
        if let Some(heat) = heat {
            let judges = agents.iter().filter(|(seat, agent)| {
                ModelRole::of_seat(seat) == ModelRole::Judge && is_model(agent)
            });
            let mut given = Vec::new();
            for (seat, _) in judges {
                let (key, value) = heat.option();
                // Under both keys: `omitted` is stored as a way of asking and not as a temperature.
                let named = ["temperature", key].map(|key| format!("{seat}.{key}"));
                if self.seat_set.iter().any(|(path, _)| named.contains(path)) {
                    return Err(RunError::usage(format!(
                        "--judge-temperature and --seat-set {seat}.temperature set the same value; give one of them"
                    )));
                }
                given.push((format!("{seat}.{key}"), value));
            }
            if given.is_empty() {
                return Err(RunError::usage(
                    "--judge-temperature applies to models only, and no judge is a model; add --judge openai:MODEL",
                ));
            }
            options.extend(given);
        }
        SeatRequest::all(&agents, &options)
    }
}

/// Reads `SEAT=AGENT`.
fn seat(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((seat, agent)) if !seat.is_empty() && !agent.is_empty() => {
            Ok((seat.to_owned(), agent.to_owned()))
        }
        _ => Err("write SEAT=AGENT, such as brewery=policy:sterman".to_owned()),
    }
}

/// Instances that are not drawn.
#[derive(Debug, Clone, Args)]
pub(super) struct InstanceArgs {
    /// Play the one instance in this file, which `generate` wrote; it holds every setting, so --preset
    /// and --set are refused
    #[arg(long, value_name = "FILE", conflicts_with = "suite")]
    pub(super) instance: Option<PathBuf>,
    /// Play a fixed list of instances, as `describe` names it
    #[arg(long, value_name = "NAME")]
    pub(super) suite: Option<String>,
}

/// The value of a temperature option: a number, or `omitted`, which sends no temperature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Heat(Option<f64>);

impl Heat {
    /// The option of a seat that says so.
    fn option(self) -> (&'static str, Value) {
        match self.0 {
            Some(value) => ("temperature", value.into()),
            // A temperature of none is the default of a seat and would be filled up again.
            None => ("weaker", json!([Way::NoTemperature])),
        }
    }
}

impl FromStr for Heat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "omitted" {
            return Ok(Self(None));
        }
        let number = text.parse().ok();
        let number = number.filter(|heat| (0.0..=Dialect::HOTTEST).contains(heat));
        number
            .map(|heat| Self(Some(heat)))
            .ok_or_else(|| format!("must be 0 to {}, or `omitted`", Dialect::HOTTEST))
    }
}

/// The settings of `config` that are not the default ones, as `--set` would give them.
pub(super) fn changed_settings<C: Serialize + Default>(config: &C) -> Vec<(String, Value)> {
    let usual = sim_core::bytes::json(&C::default());
    let Value::Object(fields) = sim_core::bytes::json(config) else {
        return Vec::new();
    };
    // Only what differs, so that two ways of giving a run its usual settings make one plan.
    let differs = |(name, value): &(String, Value)| usual.get(name) != Some(value);
    fields.into_iter().filter(differs).collect()
}

/// Reads the name of a value; `names` are those of all values, each with what it means.
pub(super) fn named<T>(
    names: impl IntoIterator<Item = (&'static str, &'static str)>,
) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    let values = names
        .into_iter()
        .map(|(name, about)| PossibleValue::new(name).help((!about.is_empty()).then_some(about)));
    PossibleValuesParser::new(values.collect::<Vec<_>>())
        .try_map(|name| serde_json::from_value(Value::String(name)))
}

/// Reads which part of its items a run has.
pub(super) fn part() -> impl TypedValueParser<Value = Part> {
    named([("train", "The training items"), ("test", "The other items")])
}

fn letters() -> impl TypedValueParser<Value = LetterReading> {
    named(["strict", "published", "api", "local"].map(|name| (name, "")))
}

/// Reads a number of episodes, the product of which with `--streams` the plan checks.
pub(super) fn episodes(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("must be a whole number from 1 to {MAX_EPISODES}"))
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
            // Arrays often count from 1 or in steps (--array=0-9:3), shards from 0 one by one. In a list with gaps the
            // numbers say no places.
            let first = read("SLURM_ARRAY_TASK_MIN").unwrap_or(0);
            let last = read("SLURM_ARRAY_TASK_MAX");
            let step = read("SLURM_ARRAY_TASK_STEP").unwrap_or(1).max(1);
            let is_even = last.is_none_or(|last| {
                let steps = last.saturating_sub(first) / step;
                steps.checked_add(1) == Some(count)
            });
            let place = id
                .checked_sub(first)
                .filter(|place| is_even && place % step == 0);
            (place.map(|place| place / step), count)
        })
        .or_else(|| {
            // Kubernetes: always from 0, one by one.
            let index = read("JOB_COMPLETION_INDEX");
            index
                .zip(read("JOB_COMPLETIONS"))
                .map(|(index, count)| (Some(index), count))
        });
    match found {
        Some((Some(index), count)) if index < count => Ok(Shard { index, count }),
        _ => Err(
            "auto needs SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT of an array without gaps \
                  (--array=0-7), or JOB_COMPLETION_INDEX and JOB_COMPLETIONS"
                .to_owned(),
        ),
    }
}

/// Rules and helpers of the scorer.
#[derive(Debug, Args)]
pub(super) struct RuleArgs {
    /// Scoring rules: strict, paper, authors, bizbench
    #[arg(long, default_value = "strict")]
    profile: Profile,
    /// How option letters are read: `strict`, where an explicit final answer counts before mentions,
    /// or one of BizCompass's published rules, `published` (its evaluator), `api`, `local`. Default:
    /// as the profile says
    #[arg(long, value_name = "RULE", value_parser = letters())]
    letters: Option<LetterReading>,
    /// How lists of tags (finer) are compared: `strict`, or the published code of EnterpriseBench
    /// (`firm`) or ACE (`ace`). Default: as the profile says
    #[arg(long, value_name = "RULE", value_parser = named::<TagRule>([("strict", ""), ("firm", ""), ("ace", "")]))]
    tags: Option<TagRule>,
    /// ROUGE with Porter's stemmer
    #[arg(long)]
    stem: bool,
    /// Compute ROUGE-Lsum for ROUGE tasks as well (figure rougeLsum_f)
    #[arg(long)]
    lsum: bool,
    /// Apply per cent signs and words of scale: 12.5 % is right for 0.125, $9 million for 9,000,000
    #[arg(long)]
    lenient: bool,
    /// Who judges free text: openai:MODEL, anthropic:MODEL, replay:DIR or none; short for --seat judge=X
    #[arg(long, value_name = "AGENT")]
    judge: Option<String>,
    #[command(flatten)]
    seats: SeatArgs,
    /// Sampling temperature of the judge, or `omitted`, which sends none [default: 0]
    #[arg(long, value_name = "T")]
    judge_temperature: Option<Heat>,
    /// How many times each answer is judged; the score is the mean, and the spread is stored
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = from_to(1, 100_u32))]
    judges: u32,
    /// What runs the programs in replies [default: system where it can be used, else none]
    #[arg(long, value_enum)]
    python: Option<PythonArg>,
    #[command(flatten)]
    trust: TrustArgs,
}

/// What runs the programs in replies.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum PythonArg {
    /// The system's Python 3 in a jail (Linux with Landlock): no files, network or processes
    System,
    /// Nothing: programs count as unsupported
    None,
}

/// Running programs on a system without a jail.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// Run the programs in replies with all your rights where this system has no jail for them
    #[arg(long)]
    pub(super) trust_programs: bool,
}

impl TrustArgs {
    /// Applies the choice to this process.
    pub(super) fn apply(&self) {
        if self.trust_programs {
            python_snippets::trust_programs();
        }
    }
}

impl RuleArgs {
    /// What runs the programs in replies to `tasks`, if anything does. If nothing was chosen and Python cannot be used,
    /// the reason is printed.
    ///
    /// # Errors
    /// When Python was chosen and cannot be used, or the remark cannot be printed.
    pub(super) fn sandbox(
        &self,
        tasks: &[Task],
        console: &mut Console<'_>,
    ) -> Result<Option<Sandbox>, RunError> {
        self.trust.apply();
        // Before Python is started: most tasks have no programs, and no remark should be made on
        // them.
        let none = matches!(self.python, Some(PythonArg::None));
        if none || !tasks.iter().any(|task| runs_programs(*task)) {
            return Ok(None);
        }
        match (Sandbox::start(), self.python) {
            (Ok(sandbox), _) => return Ok(Some(sandbox)),
            (Err(why), Some(_)) => return Err(RunError::usage(why.to_string())),
            (Err(why), None) => console.remark(&format!(
                "programs in replies are not run and count as unsupported: {why}\n"
            ))?,
        }
        Ok(None)
    }

    /// Who judges, if somebody is named.
    ///
    /// # Errors
    /// When the seat is named twice, or an option of the judge has no judge.
    pub(super) fn judge(&self) -> Result<Option<SeatRequest>, RunError> {
        Ok(self.seats_with_judge()?.remove(JUDGE.name()))
    }

    /// The agents at the seats of a question with these rules.
    ///
    /// # Errors
    /// As [`judge`](Self::judge), and when the remark on programs cannot be printed.
    pub(super) fn seats(
        &self,
        tasks: &[Task],
        console: &mut Console<'_>,
    ) -> Result<BTreeMap<String, SeatRequest>, RunError> {
        let mut seats = self.seats_with_judge()?;
        if self.sandbox(tasks, console)?.is_some() {
            let python = SeatRequest {
                agent: PYTHON.to_owned(),
                ..SeatRequest::default()
            };
            // Only where nobody was put there with --seat.
            seats.entry(EXECUTOR.name().to_owned()).or_insert(python);
        }
        Ok(seats)
    }

    fn seats_with_judge(&self) -> Result<BTreeMap<String, SeatRequest>, RunError> {
        let judge = self.judge.iter().map(|agent| (JUDGE, agent.clone()));
        let short: Vec<(Seat, String)> = judge.collect();
        let seats = self.seats.request_with(&short, self.judge_temperature)?;
        // Without this error the option would be ignored, and a single mark taken for a mean.
        if self.judges > 1 && !seats.contains_key(JUDGE.name()) {
            return Err(RunError::usage(
                "--judges needs a judge: --judge openai:MODEL, or --seat judge=openai:MODEL",
            ));
        }
        Ok(seats)
    }

    /// Checks that the options for one kind of task have a task of that kind.
    ///
    /// # Errors
    /// Names the option and the tasks for which it is.
    pub(super) fn check(&self, tasks: &[Task]) -> Result<(), RunError> {
        let needs = |option: &str, is_of: fn(Metric) -> bool, what: &str| {
            if tasks.iter().any(|task| is_of(task.metric())) {
                return Ok(());
            }
            let names: Vec<String> = tasks.iter().map(Task::to_string).collect();
            Err(RunError::usage(format!(
                "{option} is for {what}; {} has none",
                names.join(", ")
            )))
        };
        if self.lsum {
            let is_rouge = |metric| metric == Metric::Rouge;
            needs(
                "--lsum",
                is_rouge,
                "tasks with ROUGE (SECQUE, EDTSUM, AT_T_Algorithm)",
            )?;
        }
        if self.letters.is_some() {
            let is_letters = |metric| matches!(metric, Metric::Letter | Metric::LetterSet);
            needs(
                "--letters",
                is_letters,
                "BizCompass's questions with option letters",
            )?;
        }
        Ok(())
    }

    pub(super) fn settings(&self) -> Settings {
        Settings {
            profile: self.profile,
            stemming: if self.stem {
                Stemming::Porter
            } else {
                Stemming::Off
            },
            lsum: self.lsum,
            lenient: self.lenient,
            letters: self.letters,
            tags: self.tags,
            judges: self.judges.max(1),
            ..Settings::default()
        }
    }
}

/// A model named on the command line, and how it is asked.
pub(super) fn model(agent: &str, request: &ModelOptions) -> Result<ModelPlan, RunError> {
    match ModelPlan::new(agent, request)? {
        Some(plan) => Ok(plan),
        None => Err(beginner::meant(agent).unwrap_or_else(|| RunError::usage(format!(
            "`{agent}` is not a model; name openai:MODEL, anthropic:MODEL or replay:DIR (answers \
             in a file are judged by `boardroom score`)"
        )))),
    }
}

/// Opens the only model of a command; its replies are stored in the folder `calls`.
pub(super) fn opened(
    agent: &str,
    options: &ModelOptions,
    calls: Option<&Path>,
) -> Result<Arc<dyn AgentBackend>, RunError> {
    open(agent, &model(agent, options)?.dialect, calls)
}

/// As [`opened`], for marks, picks and rules, which should not differ the next time: at the temperature `asked`, or at 0
/// if none was asked for. A recording (`replay:DIR`) keeps the temperature with which it was recorded.
pub(super) fn opened_at(
    asked: Option<Heat>,
    agent: &str,
    options: &ModelOptions,
    calls: Option<&Path>,
) -> Result<Arc<dyn AgentBackend>, RunError> {
    let mut dialect = model(agent, options)?.dialect;
    match asked {
        Some(Heat(value)) => dialect.temperature = value,
        // With another temperature its requests would have other keys, and no reply would be found.
        None if agent.starts_with("replay:") => {}
        None => dialect.temperature = dialect.temperature.or(Some(0.0)),
    }
    open(agent, &dialect, calls)
}

fn open(
    agent: &str,
    dialect: &Dialect,
    calls: Option<&Path>,
) -> Result<Arc<dyn AgentBackend>, RunError> {
    if let Some(calls) = calls {
        // Replies of another command in there would become a part of that run.
        let owner = [MANIFEST, SWEEP].map(|name| calls.join(name));
        if owner.iter().any(|file| run_file::exists(file)) {
            return Err(RunError::usage(format!(
                "{} is the folder of a run or a sweep, which stores its own replies there; name another folder",
                shown_path(calls)
            )));
        }
        std::fs::create_dir_all(calls).map_err(RunError::file(calls))?;
    }
    Models::open(agent, &[dialect], &RunBudget::default(), calls)?.backend(0)
}
