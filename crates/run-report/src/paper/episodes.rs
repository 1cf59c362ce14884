//! Rows of episodes: the one place that reads run folders of environments for papers.

use super::paths::{Roots, fault_below, is_described, is_path, needs, settings};
use super::rows::{Row, RunOf};
use super::settings::{RunSettings, in_all_words};
use super::spec::{SourceKind, SourceSpec, Spec, known};
use super::{PaperInputs, RunNote};
use crate::runs::{Run, read_runs};
use run_engine::engine::summary::ratio_metrics;
use run_engine::error::RunError;
use run_engine::plan::agent::{AgentSpec, is_served};
use run_engine::plan::setting::Setting;
use run_engine::plan::source::InstanceSource;
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::references::References;
use run_engine::terminal::shown_path;
use serde_json::Value;
use sim_core::{DynEnvironmentSpec, EpisodeRecord};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

impl SourceSpec {
    /// The paths of its labels and figures, each with the words that name it in errors.
    fn paths(&self) -> impl Iterator<Item = (String, &str)> {
        let labels = self.labels.iter();
        let labels = labels.map(|(name, path)| (format!("label `{name}`"), path.as_str()));
        // A figure may also be the name of another one.
        let figures = self.figures.iter().filter(|(_, path)| is_path(path));
        let figures = figures.map(|(name, path)| (format!("figure `{name}`"), path.as_str()));
        labels.chain(figures)
    }

    /// Checks the names that the environment decides: its own, of presets and suites, and of settings.
    fn check(&self, registry: &Registry) -> Result<(), RunError> {
        let kind = registry.kind(&self.environment)?;
        let at = |e: String| RunError::usage(format!("source `{}`: {e}", self.environment));
        let presets: BTreeSet<&str> = kind
            .preset_list()
            .iter()
            .map(|preset| preset.name)
            .collect();
        // An instance from a file has its name and its digest in place of a preset.
        let mut named = self.presets.iter().filter(|preset| !preset.contains('@'));
        named
            .try_for_each(|preset| known("preset", preset, &presets))
            .map_err(at)?;
        if let Some(suite) = &self.suite {
            known("suite", suite, &kind.suite_names().into_iter().collect()).map_err(at)?;
        }
        let configs = presets
            .iter()
            .map(|preset| kind.configure(Some(preset), &[]));
        let configs: Vec<Value> = configs.filter_map(Result::ok).collect();
        let schema = kind.config_schema();
        let policies = policies_of(kind);
        let mut named = self.policies.iter().flatten();
        named
            .try_for_each(|policy| known_agent(policy, &policies))
            .map_err(at)?;
        let fault = |path: &str| {
            let steps: Vec<&str> = path.split('.').collect();
            // A setting that is not written at its default is in the schema alone, and so is one of another kind of
            // demand than those of the presets.
            if is_described(&schema, &schema, &steps) {
                return None;
            }
            let faults = configs.iter().map(|config| fault_below(config, &steps));
            faults.collect::<Option<Vec<_>>>()?.into_iter().next()
        };
        let free = self.free.iter().map(String::as_str);
        let free = free.filter(|path| !["*", "planning"].contains(path));
        let free = free.map(|path| ("`free`".to_owned(), path));
        let labels = self.paths().flat_map(|(name, path)| {
            let settings = settings(path).into_iter();
            settings.map(move |setting| (name.clone(), setting))
        });
        for (name, setting) in free.chain(labels) {
            if let Some(fault) = fault(setting) {
                return Err(at(format!("{name}: `{setting}`: {fault}")));
            }
        }
        Ok(())
    }

    /// The settings in which a run differs from those of the paper, in words; empty if there are none.
    ///
    /// # Errors
    /// Why no table has a place for the run.
    fn differing(&self, setting: &Setting) -> Result<String, String> {
        let mut differ = Vec::new();
        if !self.presets.is_empty() && !self.presets.contains(&setting.preset) {
            let (preset, presets) = (&setting.preset, self.presets.join(", "));
            if !self.other_presets {
                return Err(format!(
                    "the tables have no place for preset {preset}, only for {presets}"
                ));
            }
            differ.push(format!("preset {preset}, not {presets}"));
        }
        let mut words = in_all_words(setting);
        // `*` frees settings alone: who names presets or a suite expects that other runs are not used.
        let all_free = self.free.iter().any(|path| path == "*");
        let is_named = |path: &str| path == " suite" && self.suite.is_some();
        words.retain(|path, _| is_named(path) || !(all_free || self.free.contains(path)));
        if let Some(suite) = &self.suite {
            match &setting.suite {
                Some(held) if held == suite => words.retain(|path, _| path != " suite"),
                Some(_) => {}
                None => differ.push(format!("drawn instances, not those of suite {suite}")),
            }
        }
        differ.extend(words.into_values());
        Ok(differ.join(", "))
    }
}

/// Names of the policies of an environment.
fn policies_of(kind: &dyn DynEnvironmentSpec) -> BTreeSet<&'static str> {
    let policies = kind.policy_list().into_iter();
    policies.map(|policy| policy.name).collect()
}

/// Checks that an agent, perhaps with words after its name, is one of `policies` if it is a policy.
fn known_agent(agent: &str, policies: &BTreeSet<&str>) -> Result<(), String> {
    let name = agent.split([' ', ',']).next().unwrap_or(agent);
    // With a colon it is a model, a script or a policy with an argument, any of which may still be played.
    if name.contains(':') || !matches!(AgentSpec::parse(name), Ok(AgentSpec::Policy(_))) {
        return Ok(());
    }
    known("policy", name, policies)
}

/// Checks the values of conditions on the labels whose values the environments decide. Other values may be those of
/// runs that are still to be played.
fn check_values(registry: &Registry, spec: &Spec) -> Result<(), RunError> {
    let (mut presets, mut suites) = (BTreeSet::new(), BTreeSet::new());
    let (mut environments, mut policies) = (BTreeSet::new(), BTreeSet::new());
    let has_episodes = |source: &&SourceSpec| source.rows == SourceKind::Episodes;
    for source in spec.sources.iter().filter(has_episodes) {
        let kind = registry.kind(&source.environment)?;
        presets.extend(kind.preset_list().iter().map(|preset| preset.name));
        suites.extend(kind.suite_names());
        environments.insert(source.environment.as_str());
        policies.extend(policies_of(kind));
    }
    let only_episodes = spec.sources.iter().all(|source| has_episodes(&source));
    let check = |label: &str, value: &str| match label {
        // An instance from a file has its name and its digest in place of a preset.
        "preset" if !value.contains('@') => known("preset", value, &presets),
        "suite" => known("suite", value, &suites),
        "environment" => known("environment", value, &environments),
        // Other sources have agents of their own.
        "agent" | "player" if only_episodes => known_agent(value, &policies),
        _ => Ok(()),
    };
    for table in &spec.tables {
        for (label, condition) in table.conditions().into_iter().flatten() {
            // A label of the spec has the values of its path.
            if spec
                .sources
                .iter()
                .any(|source| source.labels.contains_key(label))
            {
                continue;
            }
            let values = condition.0.iter();
            let values = values.map(|value| value.strip_prefix('!').unwrap_or(value));
            let mut values = values.filter(|value| !value.is_empty() && *value != "*");
            values
                .try_for_each(|value| check(label, value))
                .map_err(|e| RunError::usage(format!("{}: label `{label}`: {e}", table.place)))?;
        }
    }
    Ok(())
}

/// Rows, and remarks on runs.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) rows: Vec<Row>,
    /// Runs that no table uses.
    pub(super) unused: Vec<RunNote>,
    /// Runs with other settings than those of the paper that are used, with their settings.
    pub(super) others: Vec<RunNote>,
    /// Remarks for the tables at a place; the first table has those without a place.
    pub(super) notes: Vec<(Option<&'static str>, String)>,
    /// Printed figures that are computed: place, row, column and figure.
    pub(super) printed: Vec<[String; 4]>,
}

/// The rows of a run that is being put together: labels, figures.
type Parts = (BTreeMap<String, Vec<String>>, BTreeMap<String, f64>);

/// What is wrong with each path of a source, by the words that name it; `None` for a path that led somewhere in at
/// least one episode.
type Faults = BTreeMap<String, Option<String>>;

/// Notes what is wrong with a path in one more episode.
fn note(faults: &Mutex<Faults>, name: &str, roots: &Roots<'_>, path: &str) {
    // Not by the first episode alone: states of one environment need not have the same parts.
    let mut faults = faults.lock().unwrap_or_else(PoisonError::into_inner);
    if faults.get(name) == Some(&None) {
        return;
    }
    let fault = roots.fault(path);
    let fault = fault.map(|fault| format!("{name}: `{path}`: {fault}"));
    // The least of several, so that the order of threads does not decide which is told. `None`, the least of all, stays:
    // the path led somewhere.
    let held = faults.remove(name).unwrap_or_else(|| fault.clone());
    faults.insert(name.to_owned(), held.min(fault));
}

/// Runs that differ in their seed only, with the rows of each seed.
type SameRuns = (RunOf, BTreeMap<u64, Vec<Parts>>);

/// Reads the episodes of the sources of `spec`. Runs of other environments and versions, and runs with other
/// settings than the paper's unless the inputs ask for them, are not used.
///
/// # Errors
/// When a folder cannot be read, or a plan was played twice with one seed.
pub(super) fn read(
    registry: &Registry,
    inputs: &PaperInputs,
    spec: &Spec,
) -> Result<Reading, RunError> {
    let mut reading = Reading::default();
    let mut found: Vec<SameRuns> = Vec::new();
    let episodes = |source: &&SourceSpec| source.rows == SourceKind::Episodes;
    let at = |e: RunError| e.at(&format!("{}: ", spec.name));
    for source in spec.sources.iter().filter(episodes) {
        source.check(registry).map_err(at)?;
    }
    check_values(registry, spec).map_err(at)?;
    let mut faults: BTreeMap<&str, Mutex<Faults>> = BTreeMap::new();
    // `read_runs` refuses an empty list, and without a folder the tables still show their commands.
    let runs = if inputs.episodes.is_empty() {
        Vec::new()
    } else {
        read_runs(&inputs.episodes)?
    };
    for run in runs {
        let environment = run.plan.environment.as_str();
        let is_wanted =
            |source: &&SourceSpec| episodes(source) && source.environment == environment;
        let Some(source) = spec.sources.iter().find(is_wanted) else {
            let of = if spec.sources.iter().any(|source| episodes(&source)) {
                format!("runs of `{environment}`")
            } else {
                "episodes".to_owned()
            };
            reading
                .unused
                .push(RunNote::of(&run, format!("no table of the paper has {of}")));
            continue;
        };
        let kind: &dyn DynEnvironmentSpec = registry.kind(environment)?;
        let setting = Setting::of(kind, &run.plan);
        // A version of other numbers has no place at all, whatever its settings are.
        let why_not = why_not(kind, &run, source);
        let fit = why_not.map_or_else(|| source.differing(&setting), Err);
        let is_other = fit.as_ref().is_ok_and(|words| !words.is_empty());
        match fit {
            Ok(words) if words.is_empty() => {}
            Ok(words) if inputs.other_settings => reading.others.push(RunNote::of(&run, words)),
            fit => {
                let remark = fit.map_or_else(|reason| reason, |words| {
                    format!("its settings are not those of the paper: {words} (`--other-settings` shows such runs)")
                });
                reading.unused.push(RunNote::of(&run, remark));
                continue;
            }
        }
        let mut of = run_of(kind, &run, &setting)?;
        of.is_other = is_other;
        // The preset is a setting of the run here, because the tables name only presets of the
        // paper.
        if is_other && !source.presets.contains(&setting.preset) {
            let words = format!("preset {}", setting.preset);
            of.settings.task.insert(" preset".to_owned(), words);
        }
        let faults = faults.entry(&source.environment).or_default();
        let rows = rows(registry, &run, (source, faults), &of)?;
        add(&mut found, of, (run.plan.seed.0, rows))?;
    }
    for (environment, faults) in faults {
        let faults = faults.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(fault) = faults.into_values().flatten().next() {
            let name = &spec.name;
            return Err(RunError::usage(format!(
                "{name}: source `{environment}`: {fault}"
            )));
        }
    }
    // Numbered when all runs are there: runs that differ in their seed are one. Their rows are in the order of the
    // seeds, as in a report, whatever the folders are called: resamples go by place.
    for (at, (run, parts)) in found.into_iter().enumerate() {
        let run = Rc::new(RunOf { at, ..run });
        reading
            .rows
            .extend(parts.into_values().flatten().map(|(labels, figures)| Row {
                run: Rc::clone(&run),
                place: 0,
                labels,
                figures,
            }));
    }
    Ok(reading)
}

/// Why no table has a run of this version or policy.
fn why_not(kind: &dyn DynEnvironmentSpec, run: &Run, source: &SourceSpec) -> Option<String> {
    let (held, present) = (run.plan.version, kind.version());
    if held != present {
        return Some(format!(
            "it was made with version {held} of its environment, this program has version {present}; see `boardroom \
             rescore`"
        ));
    }
    let policies = source
        .policies
        .as_ref()
        .filter(|_| run.plan.model.is_none())?;
    let agent = &run.plan.agent;
    (!policies.contains(agent)).then(|| format!("no table of the paper has the policy `{agent}`"))
}

/// Adds the rows of a run to those of the same agent and settings with other seeds.
fn add(
    found: &mut Vec<SameRuns>,
    of: RunOf,
    (own_seed, rows): (u64, Vec<Parts>),
) -> Result<(), RunError> {
    let Some((held, held_rows)) = found.iter_mut().find(|(held, _)| held.is_like(&of)) else {
        found.push((of, BTreeMap::from([(own_seed, rows)])));
        return Ok(());
    };
    for (seed, folder) in of.seeds {
        if let Some(other) = held.seeds.insert(seed, folder.clone()) {
            return Err(RunError::usage(format!(
                "{} and {} are the same run of {}, both with seed {seed}; name one of the two folders",
                shown_path(&other),
                shown_path(&folder),
                held.name(&[])
            )));
        }
    }
    held_rows.insert(own_seed, rows);
    Ok(())
}

/// What the rows of a run have in common.
fn run_of(kind: &dyn DynEnvironmentSpec, run: &Run, setting: &Setting) -> Result<RunOf, RunError> {
    let plan = &run.plan;
    let model = plan.model.as_ref();
    let mut settings = RunSettings::of_episodes(plan, setting)?;
    let folder = run.folder().to_owned();
    if plan.agent == "human" || is_served(&plan.agent) {
        // A plan does not say which person or client plays.
        settings
            .method
            .insert("folder".to_owned(), shown_path(&folder));
    }
    Ok(RunOf {
        at: 0,
        what: plan.environment.clone(),
        preset: plan.preset.clone(),
        agent: plan.cast(),
        method: model.map(|model| model.method.label()),
        planning: model.map(|model| model.play.plan.to_string()),
        settings,
        is_other: false,
        seeds: BTreeMap::from([(plan.seed.0, folder)]),
        range: kind.about().range,
    })
}

/// The labels and figures of every row of a run.
fn rows(
    registry: &Registry,
    run: &Run,
    (source, faults): (&SourceSpec, &Mutex<Faults>),
    of: &RunOf,
) -> Result<Vec<Parts>, RunError> {
    let plan = &run.plan;
    let instances = InstanceSource::of(registry.kind(&plan.environment)?, plan)?;
    let files: Vec<PathBuf> = run.folders.iter().map(Folder::references).collect();
    let references = References::recorded(&files)?;
    let paths = || {
        source
            .labels
            .values()
            .chain(source.figures.values())
            .chain(&source.each)
    };
    // An instance is made, and an episode played again, only if a path leads there: without it a
    // row needs no more than the record.
    let (needs_state, needs_instance) = (needs(paths(), "state"), needs(paths(), "instance"));
    let named: Vec<(String, &str)> = source.paths().collect();
    let yes = |is: bool| if is { "yes" } else { "no" };
    let common = [
        ("source", plan.environment.as_str()),
        ("environment", plan.environment.as_str()),
        ("preset", plan.preset.as_str()),
        ("suite", plan.suite.as_deref().unwrap_or_default()),
        ("player", of.agent.as_str()),
        ("method", of.method.as_deref().unwrap_or_default()),
        ("planning", of.planning.as_deref().unwrap_or("none")),
        ("is_model", yes(of.method.is_some())),
        ("online", yes(plan.streams.is_some())),
    ];
    let found = run.scan(|record: EpisodeRecord| {
        let header = &record.header;
        let case = (needs_instance || needs_state || source.reference)
            .then(|| instances.case(header.episode))
            .transpose()?;
        let mut figures: BTreeMap<String, f64> = record
            .score
            .metrics()
            .iter()
            .map(|(name, value)| (name.to_string(), *value))
            .collect();
        if record.score.is_scored() {
            figures.insert("score".to_owned(), record.score.value());
        }
        if let (true, Some(case)) = (source.reference && record.score.is_scored(), &case) {
            let reference = &references.of(&**case)?.reference;
            let ratios = ratio_metrics(record.score.value(), reference)
                .into_iter()
                .flatten();
            figures.extend(ratios.map(|(name, value)| (name.to_owned(), value)));
        }
        let mut labels: BTreeMap<String, Vec<String>> = common
            .iter()
            .map(|(name, value)| ((*name).to_owned(), vec![(*value).to_owned()]))
            .collect();
        labels.insert("instance".to_owned(), vec![header.instance.to_string()]);
        labels.insert("seed".to_owned(), vec![header.seed.0.to_string()]);
        // Streams meet the same attempts.
        // Twenty digits hold every number, so that the attempts are in the order of their words.
        let attempt = format!(
            "{:020} {:020}",
            header.seed.0,
            header.episode % plan.episodes.max(1)
        );
        labels.insert("attempt".to_owned(), vec![attempt]);
        let incidents = record.score.all_incidents().iter();
        labels.insert(
            "incident".to_owned(),
            incidents.map(|incident| incident.code.clone()).collect(),
        );
        let state = match &case {
            Some(case) if needs_state => Some(end(case.open()?, &record)?),
            _ => None,
        };
        let roots = Roots {
            instance: case.as_ref().map(|case| case.instance()),
            state: state.as_ref(),
            each: None,
            config: Some(&plan.config),
        };
        let check = |roots: &Roots<'_>| {
            for (name, path) in &named {
                note(faults, name, roots, path);
            }
        };
        // Where entries of a list are the rows, the paths are checked in each of them, because most begin with `each`.
        let Some(each) = &source.each else {
            check(&roots);
            return Ok(vec![filled(source, &roots, &labels, &figures)]);
        };
        note(faults, "`each`", &roots, each);
        let entries = roots.values(&format!("{each}.*")).into_iter();
        // Entries have no score of the episode: each of them would count it once more.
        let row = |entry| {
            let roots = Roots {
                each: Some(entry),
                ..roots
            };
            check(&roots);
            filled(source, &roots, &labels, &BTreeMap::new())
        };
        Ok(entries.map(row).collect())
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// A row with the further labels and figures of its source.
fn filled(
    source: &SourceSpec,
    roots: &Roots<'_>,
    labels: &BTreeMap<String, Vec<String>>,
    figures: &BTreeMap<String, f64>,
) -> Parts {
    let (mut labels, mut figures) = (labels.clone(), figures.clone());
    for (name, path) in &source.labels {
        labels.insert(name.clone(), roots.words(path));
    }
    for (name, path) in &source.figures {
        if name == "*" {
            let object = roots
                .values(path)
                .into_iter()
                .filter_map(Value::as_object)
                .flatten();
            figures
                .extend(object.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))));
        } else if let Some(value) = figures.get(path).copied().or_else(|| roots.number(path)) {
            figures.insert(name.clone(), value);
        }
    }
    (labels, figures)
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
