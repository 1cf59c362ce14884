//! Sweeps: many settings and agents from one plan file.
//!
//! ```toml
//! seed = 1
//! episodes = 20
//!
//! [[runs]]
//! environment = "beer-game"
//! presets = ["paper", "random"]
//! agents = ["random", "sterman", "order-up-to"]
//! set = { "cost.backlog" = 2.0 }
//! ```
//!
//! Every combination of a preset, an agent, a method (where the agent is a model) and a seed is a
//! run with a folder of its own below the folder of the sweep. The same plan can be run again:
//! finished episodes are not played twice.

use crate::error::RunError;
use crate::files::regular;
use crate::plan::agent::is_model;
use crate::plan::cast::SeatRequest;
use crate::plan::model::takes_instruction;
use crate::plan::options::ModelOptions;
use crate::plan::{Plan, RunRequest, Shard};
use crate::registry::Registry;
use crate::run_dir::manifest;
use crate::run_dir::members::members;
use crate::terminal::shown_path;
use crate::words::file_name;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use sim_core::error::in_json_words;
use sim_core::{Digest, Effort, Limits, Seed};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Maximum number of runs of a plan: lists that are multiplied make many of a few lines, and all are checked before
/// the first begins.
const MOST_RUNS: u64 = 100_000;

/// What is told to those who give several values of a setting in one table.
const ONE_TABLE_EACH: &str =
    "to play several values of a setting, write one table [[runs]] for each value";

/// A plan file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Seed of every run (default 0).
    #[serde(default)]
    pub seed: Option<u64>,
    /// Several seeds instead: every run once with each.
    #[serde(default)]
    pub seeds: Option<Vec<u64>>,
    /// Episodes of every run, unless it says otherwise; by default each distinct instance once,
    /// or 100 where they are drawn.
    #[serde(default)]
    pub episodes: Option<u64>,
    /// What an agent may try.
    #[serde(default)]
    pub limits: Limits,
    /// Work for the references: `quick` (default) or `search`.
    #[serde(default)]
    pub reference: Effort,
    /// What to run.
    #[serde(default)]
    pub runs: Vec<SweepRuns>,
    /// Runs of questions: each table has options of `boardroom run qa` by name, and a list stands for one
    /// run with each of its values. A table without a `seed` has those of the plan.
    #[serde(default)]
    pub questions: Vec<BTreeMap<String, Value>>,
    /// The file that it was read from, for messages.
    #[serde(skip)]
    file: PathBuf,
}

/// Presets x agents of one environment.
#[derive(Debug, Clone, Deserialize)]
pub struct SweepRuns {
    /// Environment, as `list` names it.
    pub environment: String,
    /// Presets (the first of the environment when absent).
    #[serde(default)]
    pub presets: Option<Vec<String>>,
    /// Agents, at least one. Policies and scripts play alike with every method.
    pub agents: Vec<String>,
    /// Methods of the agents that are models (default: `cot`).
    #[serde(default)]
    pub methods: Option<Vec<String>>,
    /// Agents with seats of their own, by seat: each table has `agent` and options of its model by name. The agents
    /// of `agents` play the other seats.
    #[serde(default)]
    pub seats: BTreeMap<String, serde_json::Map<String, Value>>,
    /// Published list of instances.
    #[serde(default)]
    pub suite: Option<String>,
    /// Settings to replace: dotted path and value. A list is the value of a setting that is a list, and not one run for
    /// each of its values.
    #[serde(default, deserialize_with = "settings")]
    pub set: BTreeMap<String, Value>,
    /// Episodes of these runs.
    #[serde(default)]
    pub episodes: Option<u64>,
    /// Options of the agents that are models, by name ([`ModelOptions`]); `instruction` is for those methods alone that
    /// take one, from the folder in which the program is called.
    #[serde(flatten)]
    pub options: serde_json::Map<String, Value>,
}

impl Sweep {
    /// Reads a plan file.
    ///
    /// # Errors
    /// When it cannot be read, a key or value is wrong (names the line), or it holds more than 100,000 runs.
    pub fn read(path: &Path) -> Result<(Self, String), RunError> {
        let text = regular::text(path, regular::MOST_TOML).map_err(RunError::file(path))?;
        if text.trim_start().starts_with('{') {
            return Err(RunError::usage(format!(
                "{} begins like JSON; a plan file is TOML, as docs/running.md shows",
                shown_path(path)
            )));
        }
        let mut sweep: Self = toml::from_str(&text).map_err(|e| {
            let line = e.span().map_or(0, |span| {
                text.get(..span.start)
                    .map_or(0, |before| before.matches('\n').count() + 1)
            });
            let message = in_our_words(e.message());
            RunError::usage(format!("{} line {line}: {message}", shown_path(path)))
        })?;
        path.clone_into(&mut sweep.file);
        // Before any list is multiplied: a few hundred bytes of a received folder can stand for more runs than memory
        // holds.
        if sweep.most_runs().is_none_or(|runs| runs > MOST_RUNS) {
            let what = format!("the plan holds more than {MOST_RUNS} runs; divide it into several");
            return Err(sweep.wrong(what));
        }
        Ok((sweep, text))
    }

    /// The number of runs if every agent is a model; `None` if it is above any number.
    fn most_runs(&self) -> Option<u64> {
        let product = |lists: &[usize]| {
            let mut lengths = lists.iter().map(|length| *length as u64);
            lengths.try_fold(1_u64, u64::checked_mul)
        };
        let length = |list: &Option<Vec<String>>| list.as_ref().map_or(1, Vec::len);
        let seeds = self.seeds.as_ref().map_or(1, Vec::len);
        let runs = self.runs.iter().map(|runs| {
            let (presets, methods) = (length(&runs.presets), length(&runs.methods));
            product(&[presets, runs.agents.len(), methods, seeds])
        });
        let questions = self.questions.iter().map(|table| {
            let lists = table
                .values()
                .map(|value| value.as_array().map_or(1, Vec::len));
            let seeds = (!table.contains_key("seed")).then_some(seeds);
            product(&lists.chain(seeds).collect::<Vec<_>>())
        });
        let mut counts = runs.chain(questions);
        counts.try_fold(0_u64, |sum, runs| sum.checked_add(runs?))
    }

    /// Every run of the sweep with the name of its folder, all checked before any begins.
    ///
    /// A shard of a sweep has a shard of each run, the next one from run to run: so shards are alike
    /// in size even where every run has a single episode.
    ///
    /// # Errors
    /// Names the file and the run that cannot be made, or two that are the same.
    pub fn plans(
        &self,
        registry: &Registry,
        shard: Shard,
    ) -> Result<Vec<(String, Plan)>, RunError> {
        self.made(registry, shard).map_err(|e| self.wrong(e))
    }

    /// Checks that settings of models stand only at runs that have a model, an instruction only where a method takes
    /// it, and a method in one place. A new sweep is checked; one that has begun goes on as it is.
    ///
    /// # Errors
    /// Names the file, the runs and the setting.
    pub fn check_settings_of_models(&self) -> Result<(), RunError> {
        for (number, runs) in self.runs.iter().enumerate() {
            let place = |e: RunError| self.wrong(format_args!("runs[{number}]: {e}"));
            let (mut models, mut instructed) = (false, false);
            for agent in &runs.agents {
                models |= is_model(agent);
                for method in listed("methods", runs.methods.as_deref()).map_err(place)? {
                    let options = runs.options_with(method).map_err(place)?;
                    instructed |= takes_instruction(agent, &options).map_err(place)?;
                }
            }
            let has = |option: &str| runs.options.contains_key(option);
            let what = if let Some(option) = runs.option_of_models().filter(|_| !models) {
                format!("{option} is for models, and no agent of these runs is one")
            } else if has("method") && runs.methods.is_some() {
                "`method` and `methods` name the same thing; remove one of the two".to_owned()
            } else if has("instruction") && !instructed {
                "no method of these runs takes an instruction; `gepa` does".to_owned()
            } else {
                continue;
            };
            return Err(place(RunError::usage(what)));
        }
        Ok(())
    }

    /// What is wrong with this plan, with the file that it stands in.
    pub fn wrong(&self, what: impl std::fmt::Display) -> RunError {
        RunError::usage(format!("{}: {what}", shown_path(&self.file)))
    }

    fn made(&self, registry: &Registry, shard: Shard) -> Result<Vec<(String, Plan)>, RunError> {
        let seeds = self.seeds()?;
        let mut plans = Vec::new();
        let mut seen = BTreeSet::new();
        for (number, runs) in self.runs.iter().enumerate() {
            let place = |e: RunError| RunError::usage(format!("runs[{number}]: {e}"));
            if runs.agents.is_empty() {
                return Err(place(RunError::usage(
                    "agents is an empty list; name at least one, such as \"random\"",
                )));
            }
            let presets = listed("presets", runs.presets.as_deref()).map_err(place)?;
            let methods = listed("methods", runs.methods.as_deref()).map_err(place)?;
            for (preset, agent) in presets
                .iter()
                .flat_map(|preset| runs.agents.iter().map(move |agent| (*preset, agent)))
            {
                let model = is_model(agent);
                // A policy has no method; one name stands for all of them.
                let methods: &[Option<&String>] = if model { &methods } else { &[None] };
                for &method in methods {
                    for seed in &seeds {
                        let shard = shard.turned(plans.len() as u64);
                        let asked = RunRequest {
                            environment: runs.environment.clone(),
                            preset: preset.cloned(),
                            settings: runs.set.clone().into_iter().collect(),
                            suite: runs.suite.clone(),
                            agent: agent.clone(),
                            seats: runs.seats().map_err(place)?,
                            episodes: runs.episodes.or(self.episodes),
                            seed: *seed,
                            shard,
                            limits: self.limits,
                            effort: self.reference,
                            model: runs.model(agent, method).map_err(place)?,
                            ..RunRequest::default()
                        };
                        let plan = Plan::new(registry, asked);
                        let plan = plan.map_err(|e| place(runs.of_list(e)))?;
                        let name = folder_name(&plan)?;
                        if !seen.insert(name.clone()) {
                            let text = format!(
                                "the plan names the run of {} {} {agent} with seed {} twice; \
                                 remove one of the two",
                                plan.environment, plan.preset, plan.seed.0
                            );
                            return Err(place(RunError::usage(text)));
                        }
                        plans.push((name, plan));
                    }
                }
            }
        }
        if plans.is_empty() && self.questions.is_empty() {
            return Err(RunError::usage(
                "the plan holds no runs; add a table [[runs]] with `environment` and `agents`",
            ));
        }
        Ok(plans)
    }

    /// The shards that the runs of this sweep in `dir` were made with, each once; none where none has
    /// begun.
    ///
    /// # Errors
    /// When the folder or a manifest cannot be read, or a run cannot be made any more.
    pub fn shards(&self, registry: &Registry, dir: &Path) -> Result<Vec<Shard>, RunError> {
        let mut numbers = BTreeMap::new();
        for (number, (_, plan)) in (0_u64..).zip(self.plans(registry, Shard::default())?) {
            numbers.insert(whole(&plan)?, number);
        }
        let (mut ours, mut all) = (Vec::new(), Vec::new());
        for (_, plan) in begun(dir)? {
            // Another run may lie beside those of the sweep.
            let (shards, shard) = match numbers.get(&whole(&plan)?) {
                Some(number) => (&mut ours, plan.shard.turned_back(*number)),
                None => (&mut all, plan.shard),
            };
            if !shards.contains(&shard) {
                shards.push(shard);
            }
        }
        // None is ours where another version of an environment began them.
        Ok(if ours.is_empty() { all } else { ours })
    }

    /// The tables `[[questions]]`, with the seeds of the plan where a table names none.
    ///
    /// # Errors
    /// As for the seeds of the other runs.
    pub fn question_tables(&self) -> Result<Vec<BTreeMap<String, Value>>, RunError> {
        let mut tables = self.questions.clone();
        if self.seed.is_some() || self.seeds.is_some() {
            let seeds = self.seeds().map_err(|e| self.wrong(e))?;
            let seeds: Vec<Value> = seeds.iter().map(|seed| seed.0.into()).collect();
            for table in &mut tables {
                let named = table.entry("seed".to_owned());
                named.or_insert_with(|| Value::Array(seeds.clone()));
            }
        }
        Ok(tables)
    }

    fn seeds(&self) -> Result<Vec<Seed>, RunError> {
        match (self.seed, &self.seeds) {
            (Some(_), Some(_)) => Err(RunError::usage(
                "the plan has both `seed` and `seeds`; remove one of the two",
            )),
            (seed, None) => Ok(vec![Seed(seed.unwrap_or(0))]),
            (None, seeds) => {
                let seeds = listed("seeds", seeds.as_deref())?;
                Ok(seeds.into_iter().flatten().copied().map(Seed).collect())
            }
        }
    }
}

impl SweepRuns {
    /// The first option of models that is given.
    fn option_of_models(&self) -> Option<&str> {
        let methods = self.methods.as_ref().map(|_| "methods");
        methods.or_else(|| self.options.keys().next().map(String::as_str))
    }

    /// The same error, with what would be right if it is about a setting that was given a list.
    fn of_list(&self, error: RunError) -> RunError {
        let text = error.to_string();
        let is_its = |(key, value): (&String, &Value)| value.is_array() && text.contains(key);
        if self.set.iter().any(is_its) {
            return RunError::usage(format!("{text}; {ONE_TABLE_EACH}"));
        }
        error
    }

    /// The agents with seats of their own.
    fn seats(&self) -> Result<BTreeMap<String, SeatRequest>, RunError> {
        let read = |(seat, table): (&String, &serde_json::Map<String, Value>)| {
            let read = SeatRequest::of_table(table.clone());
            Ok((
                seat.clone(),
                read.map_err(|e| e.at(&format!("seat {seat}: ")))?,
            ))
        };
        self.seats.iter().map(read).collect()
    }

    /// How the agent is asked with one of the methods; nothing where it is not a model.
    fn model(&self, agent: &str, method: Option<&String>) -> Result<ModelOptions, RunError> {
        // Read also where no model plays: a wrong name is wrong there as well.
        let mut options = self.options_with(method)?;
        if !is_model(agent) {
            return Ok(ModelOptions::default());
        }
        // The other methods of the list take none.
        if !takes_instruction(agent, &options)? {
            options.method.instruction = None;
        }
        Ok(options)
    }

    /// The options of a model with one of the methods.
    fn options_with(&self, method: Option<&String>) -> Result<ModelOptions, RunError> {
        let mut options = ModelOptions::of_table(self.options.clone()).map_err(|what| {
            RunError::usage(format!(
                "{what} (and environment, presets, agents, methods, seats, suite, set, episodes)"
            ))
        })?;
        if method.is_some() {
            options.method.method = method.cloned();
        }
        Ok(options)
    }
}

/// Reads the table of settings; a list of them is refused with what would be right.
fn settings<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Value>, D::Error> {
    let value = Value::deserialize(from)?;
    if value.is_array() {
        return Err(D::Error::custom(format!(
            "`set` is a list; {ONE_TABLE_EACH}"
        )));
    }
    BTreeMap::deserialize(value).map_err(D::Error::custom)
}

/// What the reader of the file found wrong, in one line and with what would be right.
fn in_our_words(message: &str) -> String {
    let line = message.lines().collect::<Vec<_>>().join("; ");
    let line = in_json_words(&line.replace("a sequence", "a list in square brackets"));
    if line.starts_with("missing field") {
        format!("{line}; a plan holds tables [[runs]], each with `environment` and `agents`")
    } else {
        line
    }
}

/// The items of the list at `key`; a list that is left out gives one `None`. An empty list is refused, because
/// it would play nothing, or something that its writer did not ask for.
fn listed<'a, T>(key: &str, list: Option<&'a [T]>) -> Result<Vec<Option<&'a T>>, RunError> {
    match list {
        None => Ok(vec![None]),
        Some([]) => Err(RunError::usage(format!(
            "{key} is an empty list; name at least one, or leave the line out for the default"
        ))),
        Some(list) => Ok(list.iter().map(Some).collect()),
    }
}

/// The runs that were begun in the folder of a sweep, with their plans. No lock is taken: another process may be playing
/// its shard into the same folder.
///
/// # Errors
/// When the folder or a manifest cannot be read.
pub fn begun(dir: &Path) -> Result<Vec<(PathBuf, Plan)>, RunError> {
    let mut begun = Vec::new();
    for path in members(dir)? {
        let manifest = manifest::read(&path, manifest::value(&path)?)?;
        begun.push((path, manifest.plan));
    }
    Ok(begun)
}

/// Digest of a run in whatever part it is played.
fn whole(plan: &Plan) -> Result<String, RunError> {
    let digest = Digest::of(&plan.whole()).map_err(|e| RunError::usage(e.to_string()))?;
    Ok(digest.to_string())
}

/// A name of the folder of a run in a sweep that a person recognises and no two runs share.
///
/// # Errors
/// When the plan has no digest.
pub fn folder_name(plan: &Plan) -> Result<String, RunError> {
    let digest = Digest::of(plan).map_err(|e| RunError::usage(e.to_string()))?;
    // Two runs may differ in a setting that is in no part of the name; their digests differ.
    let short: String = digest.short().chars().take(8).collect();
    let method = plan
        .model
        .as_ref()
        .map_or_else(String::new, |model| format!("_{}", model.method.name));
    let text = format!(
        "{}_{}_{}{method}_{short}",
        plan.environment,
        plan.preset,
        plan.cast()
    );
    Ok(file_name(&text, "-_"))
}
