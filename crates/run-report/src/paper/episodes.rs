//! Episodes of runs, grouped by what was played and who played it.

use super::table::Measure;
use crate::runs::labels::settings_apart;
use crate::runs::{Run, read_runs};
use run_engine::error::RunError;
use run_engine::plan::Plan;
use run_engine::plan::source::InstanceSource;
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::RunPlan as _;
use run_engine::run_dir::references::References;
use run_engine::words::name_of;
use serde_json::Value;
use sim_core::stats::{mean, mean_interval, rate_interval};
use sim_core::{Digest, DynEnvironmentSpec, EpisodeRecord, Reference, Seed};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Coverage of the intervals.
pub(super) const LEVEL: f64 = 0.95;

/// What a table needs of an episode besides its score and metrics.
pub(super) type Look = fn(&Value, Option<&Value>) -> Value;

/// What is read of the episodes of an environment.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// Name of the environment.
    pub(super) environment: &'static str,
    /// Whether the reference of the instance is needed.
    pub(super) reference: bool,
    /// Whether the episode is played again, so that `look` gets the state at its end.
    pub(super) state: bool,
    /// Takes what is needed out of the instance and the state at the end of the episode.
    pub(super) look: Option<Look>,
}

impl Wanted {
    /// Score and metrics of an environment.
    pub(super) const fn scores(environment: &'static str) -> Self {
        Self {
            environment,
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
    /// The score \[unit of the environment\].
    pub(super) score: f64,
    /// The metrics.
    pub(super) metrics: BTreeMap<String, f64>,
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
    /// The settings that distinguish the group from others of the same agent and preset; empty if
    /// there are none.
    pub(super) mark: String,
    /// The episodes, by seed and number.
    pub(super) episodes: Vec<Played>,
}

impl PlayedGroup {
    /// The agent, with its method where it is not the usual one.
    pub(super) fn agent(&self) -> String {
        match &self.method {
            Some(method) if method != "cot" => format!("{} {method}", self.agent),
            _ => self.agent.clone(),
        }
    }

    /// The options of `boardroom run` that name the agent and its method.
    pub(super) fn options(&self) -> String {
        let mut options = format!("--agent {}", self.agent);
        let Some(method) = self.method.as_deref().filter(|method| *method != "cot") else {
            return options;
        };
        let (name, settings) = method.split_once(" (").unwrap_or((method, ""));
        options.push_str(&format!(" --method {name}"));
        let settings = settings.trim_end_matches(')').split(", ");
        for setting in settings.filter(|setting| !setting.is_empty()) {
            options.push_str(&format!(" --method-set {setting}"));
        }
        options
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

    /// Whether agent, environment and preset are those of `other`.
    fn is_like(&self, other: &Self) -> bool {
        let what = |group: &Self| {
            (
                group.environment.clone(),
                group.preset.clone(),
                group.name(),
            )
        };
        what(self) == what(other)
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

/// The mean of values, each first averaged within its group; groups are the observations.
pub(super) fn mean_by<K: Ord>(values: impl IntoIterator<Item = (K, f64)>) -> Option<Measure> {
    let mut groups: BTreeMap<K, Vec<f64>> = BTreeMap::new();
    for (key, value) in values {
        groups.entry(key).or_default().push(value);
    }
    let means: Vec<f64> = groups.values().filter_map(|values| mean(values)).collect();
    mean_of(&means)
}

/// The mean of independent values.
pub(super) fn mean_of(values: &[f64]) -> Option<Measure> {
    Some(Measure {
        value: mean(values)?,
        ci95: mean_interval(values, LEVEL, Seed(0)).map(|i| [i.low, i.high]),
        n: values.len() as u64,
    })
}

/// The mean of scores from 0 to 1, such as graded answers, each first averaged within its group.
pub(super) fn rate_by<K: Ord>(values: impl IntoIterator<Item = (K, f64)>) -> Option<Measure> {
    let mut groups: BTreeMap<K, Vec<f64>> = BTreeMap::new();
    for (key, value) in values {
        groups.entry(key).or_default().push(value);
    }
    let means: Vec<f64> = groups.values().filter_map(|values| mean(values)).collect();
    let rate = Measure {
        value: mean(&means)?,
        ci95: rate_interval(&means, LEVEL, Seed(0)).map(|i| [i.low, i.high]),
        n: means.len() as u64,
    };
    Some(rate.within(0.0, 1.0))
}

/// Groups by agent, in the order in which the agents first appear. An agent that played one preset under
/// several settings stands once for each of them, with what differs in its name.
pub(super) fn by_agent<'a>(groups: &[&'a PlayedGroup]) -> Vec<(String, Vec<&'a PlayedGroup>)> {
    let twice = |group: &PlayedGroup| {
        let alike = groups.iter().filter(|other| other.is_like(group));
        alike.count() > 1
    };
    let mut all: Vec<(String, Vec<&'a PlayedGroup>)> = Vec::new();
    for group in groups {
        let mut name = group.name();
        if twice(group) {
            name = format!("{name} ({})", group.mark);
        }
        match all.iter_mut().find(|(held, _)| *held == name) {
            Some((_, held)) => held.push(group),
            None => all.push((name, vec![group])),
        }
    }
    all
}

/// Reads the episodes of the environments that are wanted; runs of others are left out.
///
/// # Errors
/// When a folder cannot be read, a plan was played twice with one seed, or the records are of another
/// version of the environment.
pub(super) fn read(
    registry: &Registry,
    dirs: &[PathBuf],
    wanted: &[Wanted],
) -> Result<Vec<PlayedGroup>, RunError> {
    if dirs.is_empty() {
        return Ok(Vec::new());
    }
    let mut groups: Vec<(Digest, BTreeSet<u64>, Plan, PlayedGroup)> = Vec::new();
    for run in read_runs(dirs)? {
        let mut all = wanted.iter();
        let Some(wanted) = all.find(|wanted| wanted.environment == run.plan.environment) else {
            continue;
        };
        let key = Digest::of(&Plan {
            seed: Seed(0),
            episodes: 0,
            ..run.plan.whole()
        });
        let key = key.map_err(|e| RunError::Failed(e.to_string()))?;
        let episodes = episodes(registry, &run, *wanted)?;
        let seed = run.plan.seed.0;
        match groups.iter_mut().find(|(held, ..)| *held == key) {
            Some((_, seeds, _, group)) => {
                if !seeds.insert(seed) {
                    return Err(RunError::usage(format!(
                        "{} was played twice with seed {seed}; name one of the two folders",
                        run.name()
                    )));
                }
                group.episodes.extend(episodes);
            }
            None => {
                let group = group(&run, episodes)?;
                groups.push((key, BTreeSet::from([seed]), run.plan, group));
            }
        }
    }
    let (plans, mut groups): (Vec<Plan>, Vec<PlayedGroup>) = groups
        .into_iter()
        .map(|(_, _, plan, group)| (plan, group))
        .unzip();
    mark(&mut groups, &plans);
    Ok(groups)
}

/// Marks groups that are alike by the settings in which their plans differ, or by their number.
fn mark(groups: &mut [PlayedGroup], plans: &[Plan]) {
    let mut marks: BTreeMap<usize, String> = BTreeMap::new();
    for group in groups.iter() {
        let alike = groups
            .iter()
            .enumerate()
            .filter(|(_, other)| other.is_like(group));
        let places: Vec<usize> = alike.map(|(place, _)| place).collect();
        let of: Vec<&Plan> = places
            .iter()
            .filter_map(|place| plans.get(*place))
            .collect();
        let settings = settings_apart(&of);
        let different: BTreeSet<&String> = settings.iter().collect();
        let by_number = different.len() < settings.len();
        for (number, (place, settings)) in (1..).zip(places.into_iter().zip(&settings)) {
            let mark = if by_number {
                format!("no. {number}")
            } else {
                settings.clone()
            };
            marks.insert(place, mark);
        }
    }
    for (place, mark) in marks {
        if let Some(group) = groups.get_mut(place) {
            group.mark = mark;
        }
    }
}

fn group(run: &Run, episodes: Vec<Played>) -> Result<PlayedGroup, RunError> {
    let plan = &run.plan;
    let model = plan.model.as_ref();
    Ok(PlayedGroup {
        environment: plan.environment.clone(),
        preset: plan.preset.clone(),
        config: plan.config.clone(),
        agent: plan.agent.clone(),
        method: model.map(|model| model.method.label()),
        planning: model.map(|model| name_of(&model.play.plan)).transpose()?,
        online: plan.streams.is_some(),
        mark: String::new(),
        episodes,
    })
}

fn episodes(registry: &Registry, run: &Run, wanted: Wanted) -> Result<Vec<Played>, RunError> {
    let plan = &run.plan;
    let kind: &dyn DynEnvironmentSpec = registry.kind(&plan.environment)?;
    if kind.version() != plan.version {
        return Err(RunError::usage(format!(
            "{} was made with version {} of its environment, this program has version {}; see \
             `boardroom rescore`",
            run.name(),
            plan.version,
            kind.version()
        )));
    }
    let source = InstanceSource::of(kind, plan)?;
    let files: Vec<PathBuf> = run.folders.iter().map(Folder::references).collect();
    let references = References::recorded(&files)?;
    run.scan(|record: EpisodeRecord| {
        let instance = record.header.instance;
        let (mut reference, mut seen) = (None, Value::Null);
        if wanted.reference || wanted.look.is_some() {
            let case = source.case(record.header.episode)?;
            if wanted.reference {
                reference = Some(references.of(&*case)?.reference);
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
        Ok(Played {
            instance,
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
