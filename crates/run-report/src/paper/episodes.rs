//! Episodes of runs, grouped by what was played and who played it.

use super::settings::{
    EPISODES, RunSettings, Words, differing, in_all_words, labelled, options, said,
};
use super::table::{Measure, PaperCell};
use super::{PaperInputs, RunNote};
use crate::runs::{Run, read_runs};
use run_engine::engine::summary::ends;
use run_engine::error::RunError;
use run_engine::plan::agent::is_served;
use run_engine::plan::setting::Setting;
use run_engine::plan::source::InstanceSource;
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::references::References;
use run_engine::terminal::shown_path;
use run_engine::words::name_of;
use serde_json::Value;
use sim_core::score::Metrics;
use sim_core::stats::{cluster_mean, mean};
use sim_core::{Digest, DynEnvironmentSpec, EpisodeRecord, Reference, ScoreRange, Seed};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Coverage of the intervals.
pub(super) const LEVEL: f64 = 0.95;

/// What a table needs of an episode besides its score and metrics.
pub(super) type Look = fn(&Value, Option<&Value>) -> Value;

/// What is appended to the name of an agent that was not played under the paper's settings.
pub(super) const OTHER: &str = ", other settings";

/// The settings under which a paper plays an environment.
#[derive(Debug, Clone, Copy)]
pub(super) struct PaperSetting {
    /// Its presets; every preset if there are none.
    pub(super) presets: &'static [&'static str],
    /// Whether the tables have a place for other presets, which are then marked.
    pub(super) has_other_presets: bool,
    /// Its list of instances.
    pub(super) suite: Option<&'static str>,
    /// Paths of the settings that the tables distinguish.
    pub(super) free: &'static [&'static str],
}

/// Whether a run has the settings of the paper.
#[derive(Debug, PartialEq)]
enum Fit {
    /// It has.
    Paper,
    /// It has others, in words.
    Other(String),
    /// No table has a place for it, and why.
    No(String),
}

impl PaperSetting {
    fn fit(&self, setting: &Setting) -> Fit {
        let mut differ = Vec::new();
        let preset = setting.preset.as_str();
        if !self.presets.is_empty() && !self.presets.contains(&preset) {
            let presets = self.presets.join(", ");
            if !self.has_other_presets {
                return Fit::No(format!(
                    "the tables have no place for preset {preset}, only for {presets}"
                ));
            }
            differ.push(format!("preset {preset}, not {presets}"));
        }
        let mut words = in_all_words(setting);
        words.retain(|path, _| !self.free.contains(&path.as_str()));
        if let Some(suite) = self.suite {
            match setting.suite.as_deref() {
                Some(held) if held == suite => words.retain(|path, _| path != " suite"),
                Some(_) => {}
                None => differ.push(format!("drawn instances, not those of suite {suite}")),
            }
        }
        differ.extend(words.into_values());
        if differ.is_empty() {
            Fit::Paper
        } else {
            Fit::Other(differ.join(", "))
        }
    }
}

/// What is read of the episodes of an environment.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// Name of the environment.
    pub(super) environment: &'static str,
    /// The settings of the paper.
    pub(super) paper: PaperSetting,
    /// Whether the reference of the instance is needed.
    pub(super) reference: bool,
    /// Whether the episode is played again, so that `look` gets the state at its end.
    pub(super) state: bool,
    /// Takes what is needed out of the instance and the state at the end of the episode.
    pub(super) look: Option<Look>,
}

impl Wanted {
    /// Score and metrics of an environment under the settings of the paper.
    pub(super) const fn scores(environment: &'static str, paper: PaperSetting) -> Self {
        Self {
            environment,
            paper,
            reference: false,
            state: false,
            look: None,
        }
    }
}

/// An episode.
#[derive(Debug, Clone)]
pub(super) struct Played {
    /// Digest of the instance.
    pub(super) instance: Digest,
    /// Seed and number of the attempt; streams meet the same ones.
    pub(super) attempt: (u64, u64),
    /// The score \[unit of the environment\].
    pub(super) score: f64,
    /// The metrics.
    pub(super) metrics: Metrics,
    /// Codes of the incidents.
    pub(super) incidents: Vec<String>,
    /// What the score is measured against; absent if it was not asked for.
    pub(super) reference: Option<Reference>,
    /// What `look` took out of it; `null` without one.
    pub(super) seen: Value,
}

/// The episodes of one agent in one setting, over all seeds.
#[derive(Debug, Clone)]
pub(super) struct PlayedGroup {
    /// Environment.
    pub(super) environment: String,
    /// Preset, for the reader.
    pub(super) preset: String,
    /// The whole configuration.
    pub(super) config: Value,
    /// Who played, as on the command line.
    pub(super) agent: String,
    /// Method of a model.
    pub(super) method: Option<String>,
    /// What a model does before its calls: `none`, `cot`, `react`, `gold`.
    pub(super) planning: Option<String>,
    /// Whether the agent learns from one episode for the next.
    pub(super) online: bool,
    /// The settings that can change its figures.
    pub(super) settings: RunSettings,
    /// Whether its settings are not those of the paper.
    pub(super) is_other: bool,
    /// Its seeds, each with the folder in which it was played.
    pub(super) seeds: BTreeMap<u64, PathBuf>,
    /// What a score can be.
    pub(super) range: ScoreRange,
    /// The episodes, by seed and number.
    pub(super) episodes: Vec<Played>,
}

impl PlayedGroup {
    /// The agent with its method.
    pub(super) fn agent(&self) -> String {
        match &self.method {
            Some(method) => format!("{} {method}", self.agent),
            None => self.agent.clone(),
        }
    }

    /// The options of `boardroom run` that name the agent, its method and its sampling.
    pub(super) fn options(&self) -> String {
        options(&self.agent, self.method.as_deref(), &self.settings.model)
    }

    /// The same with its planning where there is one.
    pub(super) fn name(&self) -> String {
        match &self.planning {
            Some(planning) if planning != "none" => {
                format!("{}, planning {planning}", self.agent())
            }
            _ => self.agent(),
        }
    }

    /// Whether all but the seeds are those of `other`.
    fn is_like(&self, other: &Self) -> bool {
        let what = |group: &Self| {
            (
                group.environment.clone(),
                group.preset.clone(),
                group.name(),
            )
        };
        what(self) == what(other) && self.settings == other.settings
    }

    /// A setting of the configuration by its dotted path.
    pub(super) fn setting(&self, path: &str) -> Option<&Value> {
        let mut value = &self.config;
        for part in path.split('.') {
            value = value.get(part)?;
        }
        Some(value)
    }
}

/// The mean of values in `range`, each first averaged within its group; groups are the observations.
pub(super) fn mean_by<K: Ord>(
    values: impl IntoIterator<Item = (K, f64)>,
    range: ScoreRange,
) -> Option<Measure> {
    let mut groups: BTreeMap<K, Vec<f64>> = BTreeMap::new();
    for (key, value) in values {
        groups.entry(key).or_default().push(value);
    }
    // Groups have the same weight, however often they were played.
    let means = groups
        .iter()
        .filter_map(|(key, values)| Some((key, mean(values)?)));
    let found = cluster_mean(means, range, LEVEL, Seed(0))?;
    Some(Measure {
        value: found.value,
        ci95: ends(&found),
        n: found.clusters as u64,
    })
}

/// The mean of scores from 0 to 1, such as graded answers, each first averaged within its group.
pub(super) fn rate_by<K: Ord>(values: impl IntoIterator<Item = (K, f64)>) -> Option<Measure> {
    mean_by(values, ScoreRange::SHARE)
}

/// The shares of groups in which something holds; groups are the observations.
///
/// Shown as a count: a group in which it holds for a part of its values counts with that part.
pub(super) fn share_by<K: Ord>(values: impl IntoIterator<Item = (K, bool)>) -> Option<PaperCell> {
    let number = |holds| if holds { 1.0 } else { 0.0 };
    let values = values.into_iter().map(|(key, holds)| (key, number(holds)));
    rate_by(values).map(PaperCell::share_of)
}

/// Groups by agent, in the order in which the agents first appear. `name` is how an agent is called. If its
/// groups were played under several settings, it stands once for each of them, with what differs in its
/// name; settings whose paths are in `free` do not count, because the table itself distinguishes them.
pub(super) fn by_agent<'a>(
    groups: &[&'a PlayedGroup],
    name: impl Fn(&PlayedGroup) -> String,
    free: &[&str],
) -> Vec<(String, Vec<&'a PlayedGroup>)> {
    let mut named: BTreeMap<String, Vec<&'a PlayedGroup>> = BTreeMap::new();
    for group in groups {
        named.entry(name(group)).or_default().push(group);
    }
    let keys: BTreeMap<String, BTreeSet<String>> = named
        .into_iter()
        .map(|(name, groups)| (name, keys_apart(&groups, free)))
        .collect();
    let mut all: Vec<(String, Vec<&'a PlayedGroup>)> = Vec::new();
    for group in groups {
        let name = name(group);
        let words = keys
            .get(&name)
            .map(|keys| said(&group.settings.all(), keys));
        let mut label = labelled(&name, &words.unwrap_or_default());
        if group.is_other {
            label.push_str(OTHER);
        }
        match all.iter_mut().find(|(held, _)| *held == label) {
            Some((_, held)) => held.push(group),
            None => all.push((label, vec![group])),
        }
    }
    all
}

/// The settings in which the groups of one agent differ: those of its model and method over all groups,
/// those of an environment over the groups of that environment.
fn keys_apart(groups: &[&PlayedGroup], free: &[&str]) -> BTreeSet<String> {
    let asked: Vec<Words> = groups
        .iter()
        .map(|group| {
            let parts = [&group.settings.model, &group.settings.method];
            let words = parts.into_iter().flatten();
            // Environments have different numbers of instances to learn from.
            let words = words.filter(|(key, _)| *key != EPISODES);
            words
                .map(|(key, words)| (key.clone(), words.clone()))
                .collect()
        })
        .collect();
    let mut keys = differing(&asked.iter().collect::<Vec<_>>());
    let environments: BTreeSet<&str> = groups.iter().map(|g| g.environment.as_str()).collect();
    for environment in environments {
        let here = groups.iter().filter(|g| g.environment == environment);
        let all: Vec<Words> = here.map(|group| group.settings.all()).collect();
        keys.extend(differing(&all.iter().collect::<Vec<_>>()));
    }
    keys.retain(|key| !free.contains(&key.as_str()));
    keys
}

/// Episodes of runs, and the runs that no table uses.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The episodes.
    pub(super) groups: Vec<PlayedGroup>,
    /// Runs that no table uses.
    pub(super) unused: Vec<RunNote>,
    /// Runs with other settings than those of the paper that are used, with their settings.
    pub(super) others: Vec<RunNote>,
}

/// Reads the episodes of the environments that are wanted. Runs of other environments and versions, and runs
/// with other settings than the paper's unless `others` asks for them, are not used.
///
/// # Errors
/// When a folder cannot be read, or a plan was played twice with one seed.
pub(super) fn read(
    registry: &Registry,
    inputs: &PaperInputs,
    wanted: &[Wanted],
) -> Result<Reading, RunError> {
    let mut reading = Reading::default();
    if inputs.episodes.is_empty() {
        return Ok(reading);
    }
    for run in read_runs(&inputs.episodes)? {
        let environment = run.plan.environment.as_str();
        let mut all = wanted.iter();
        let Some(wanted) = all.find(|wanted| wanted.environment == environment) else {
            let reason = format!("no table of the paper has runs of `{environment}`");
            reading.unused.push(RunNote::of(&run, reason));
            continue;
        };
        let kind: &dyn DynEnvironmentSpec = registry.kind(environment)?;
        if kind.version() != run.plan.version {
            let reason = format!(
                "it was made with version {} of its environment, this program has version {}; see `boardroom \
                 rescore`",
                run.plan.version,
                kind.version()
            );
            reading.unused.push(RunNote::of(&run, reason));
            continue;
        }
        let setting = Setting::of(kind, &run.plan);
        let fit = wanted.paper.fit(&setting);
        let is_other = match fit {
            Fit::Paper => false,
            Fit::Other(words) if inputs.other_settings => {
                reading.others.push(RunNote::of(&run, words));
                true
            }
            Fit::Other(words) => {
                let reason = format!(
                    "its settings are not those of the paper: {words} (`--other-settings` shows such runs)"
                );
                reading.unused.push(RunNote::of(&run, reason));
                continue;
            }
            Fit::No(reason) => {
                reading.unused.push(RunNote::of(&run, reason));
                continue;
            }
        };
        let mut group = group(registry, &run, &setting)?;
        group.is_other = is_other;
        if is_other && !wanted.paper.presets.contains(&setting.preset.as_str()) {
            let words = format!("preset {}", setting.preset);
            group.settings.task.insert(" preset".to_owned(), words);
        }
        group.episodes = episodes(registry, &run, *wanted)?;
        add(&mut reading.groups, group)?;
    }
    Ok(reading)
}

/// Adds the episodes of a run to those of the same agent and settings with other seeds.
fn add(groups: &mut Vec<PlayedGroup>, group: PlayedGroup) -> Result<(), RunError> {
    let Some(held) = groups.iter_mut().find(|held| held.is_like(&group)) else {
        groups.push(group);
        return Ok(());
    };
    for (seed, folder) in group.seeds {
        if let Some(other) = held.seeds.insert(seed, folder.clone()) {
            return Err(RunError::usage(format!(
                "{} and {} are the same run of {}, both with seed {seed}; name one of the two folders",
                shown_path(&other),
                shown_path(&folder),
                held.name()
            )));
        }
    }
    held.episodes.extend(group.episodes);
    Ok(())
}

/// The group of a run, without its episodes.
fn group(registry: &Registry, run: &Run, setting: &Setting) -> Result<PlayedGroup, RunError> {
    let plan = &run.plan;
    let range = registry.kind(&plan.environment)?.score_range();
    let model = plan.model.as_ref();
    let mut settings = RunSettings::of_episodes(plan, setting)?;
    let folder = run.folders.first().map(|folder| folder.path().to_owned());
    let folder = folder.unwrap_or_default();
    if plan.agent == "human" || is_served(&plan.agent) {
        // A plan does not say which person or client plays.
        let name = shown_path(&folder);
        settings.method.insert("folder".to_owned(), name);
    }
    Ok(PlayedGroup {
        environment: plan.environment.clone(),
        preset: plan.preset.clone(),
        config: plan.config.clone(),
        agent: plan.cast(),
        method: model.map(|model| model.method.label()),
        planning: model.map(|model| name_of(&model.play.plan)).transpose()?,
        online: plan.streams.is_some(),
        settings,
        is_other: false,
        seeds: BTreeMap::from([(plan.seed.0, folder)]),
        range,
        episodes: Vec::new(),
    })
}

fn episodes(registry: &Registry, run: &Run, wanted: Wanted) -> Result<Vec<Played>, RunError> {
    let plan = &run.plan;
    let kind: &dyn DynEnvironmentSpec = registry.kind(&plan.environment)?;
    let source = InstanceSource::of(kind, plan)?;
    let files: Vec<PathBuf> = run.folders.iter().map(Folder::references).collect();
    let references = References::recorded(&files)?;
    run.scan(|record: EpisodeRecord| {
        let instance = record.header.instance;
        let (mut reference, mut seen) = (None, Value::Null);
        if wanted.reference || wanted.look.is_some() {
            let case = source.case(record.header.episode)?;
            if wanted.reference {
                reference = Some(references.of(&*case)?.reference.clone());
            }
            if let Some(look) = wanted.look {
                let state = wanted
                    .state
                    .then(|| end(case.open()?, &record))
                    .transpose()?;
                seen = look(case.instance(), state.as_ref());
            }
        }
        let incidents = record.score.all_incidents().iter();
        let number = record.header.episode % plan.episodes.max(1);
        Ok(Played {
            instance,
            attempt: (record.header.seed.0, number),
            score: record.score.value(),
            metrics: record.score.metrics().clone(),
            incidents: incidents.map(|incident| incident.code.clone()).collect(),
            reference,
            seen,
        })
    })
}

/// The state of an episode at its end, without the notes of the agent.
fn end(
    mut env: Box<dyn sim_core::ToolEnvironment>,
    record: &EpisodeRecord,
) -> Result<Value, RunError> {
    for entry in &record.entries {
        env.apply(&entry.input);
    }
    let mut snapshot = env.snapshot();
    // An environment with notes wraps another environment.
    if let Some(inner) = snapshot.get_mut("inner") {
        snapshot = inner.take();
    }
    let state = snapshot.get_mut("state").map(Value::take);
    state.ok_or_else(|| RunError::Failed("an environment without a state".to_owned()))
}
