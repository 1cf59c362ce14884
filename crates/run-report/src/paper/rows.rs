//! The rows that tables are made of: one for an episode, a decision in it, an answer or an interview.

use super::settings::{EPISODES, RunSettings, Words, differing, labelled, options, said};
use sim_core::ScoreRange;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;

/// What is appended to the name of an agent that was not played under the paper's settings.
pub(super) const OTHER: &str = ", other settings";

/// What the rows of a run have in common, over all seeds.
#[derive(Debug, Clone)]
pub(super) struct RunOf {
    /// Its place among the runs.
    pub(super) at: usize,
    /// What was played, such as an environment.
    pub(super) what: String,
    /// Preset, for the reader.
    pub(super) preset: String,
    /// Who played, as on the command line.
    pub(super) agent: String,
    /// Method of a model.
    pub(super) method: Option<String>,
    /// What a model does before its calls: `none`, `cot`, `react`, `gold`.
    pub(super) planning: Option<String>,
    /// The settings that can change its figures.
    pub(super) settings: RunSettings,
    /// Whether its settings are not those of the paper.
    pub(super) is_other: bool,
    /// Its seeds, each with the folder in which it was played.
    pub(super) seeds: BTreeMap<u64, PathBuf>,
    /// What a score can be.
    pub(super) range: ScoreRange,
}

impl RunOf {
    /// What rows have in common that come from no single run.
    pub(super) fn bare(at: usize, what: &str, agent: &str) -> Self {
        Self {
            at,
            what: what.to_owned(),
            preset: String::new(),
            agent: agent.to_owned(),
            method: None,
            planning: None,
            settings: RunSettings::default(),
            is_other: false,
            seeds: BTreeMap::new(),
            range: ScoreRange::UNLIMITED,
        }
    }

    /// The agent with its method, and with its planning unless that is `free`.
    pub(super) fn name(&self, free: &[&str]) -> String {
        let method = self.method.iter().map(|method| format!(" {method}"));
        let planning = self
            .planning
            .iter()
            .filter(|mode| *mode != "none" && !free.contains(&"planning"));
        let planning = planning.map(|planning| format!(", planning {planning}"));
        std::iter::once(self.agent.clone())
            .chain(method)
            .chain(planning)
            .collect()
    }

    /// The options of `boardroom run` that name the agent, a method and its sampling.
    pub(super) fn options(&self, method: Option<&str>) -> String {
        options(&self.agent, method, &self.settings.model)
    }

    /// Whether all but the seeds are those of `other`.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        // The name holds agent, method and planning; the settings hold all else that can change a
        // figure.
        let what = |run: &Self| (run.what.clone(), run.preset.clone(), run.name(&[]));
        what(self) == what(other) && self.settings == other.settings
    }
}

/// One observation.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) run: Rc<RunOf>,
    /// Its place among the rows; tables do not depend on the order in which rows are given.
    pub(super) place: usize,
    /// Labels by name, each with its values.
    pub(super) labels: BTreeMap<String, Vec<String>>,
    /// Figures by name.
    pub(super) figures: BTreeMap<String, f64>,
}

impl Row {
    /// A row of a run, without a place.
    pub(super) fn of(run: &Rc<RunOf>, source: &str) -> Self {
        let mut row = Self {
            run: Rc::clone(run),
            place: 0,
            labels: BTreeMap::new(),
            figures: BTreeMap::new(),
        };
        row.label("source", source);
        row
    }

    /// Sets a label with one value.
    pub(super) fn label(&mut self, name: &str, value: impl Into<String>) {
        self.labels.insert(name.to_owned(), vec![value.into()]);
    }

    /// Sets a figure where there is one.
    pub(super) fn figure(&mut self, name: &str, value: Option<f64>) {
        self.figures
            .extend(value.map(|value| (name.to_owned(), value)));
    }

    /// The values of a label; none if it is absent.
    pub(super) fn values(&self, name: &str) -> &[String] {
        self.labels.get(name).map_or(&[], Vec::as_slice)
    }
}

/// The name of the agent of each run, by the run's place. An agent that played under several settings has a name
/// for each of them; settings whose paths are in `free` do not count, because the table itself distinguishes them.
pub(super) fn names(runs: &[Rc<RunOf>], free: &[&str]) -> BTreeMap<usize, String> {
    let mut named: BTreeMap<String, Vec<&RunOf>> = BTreeMap::new();
    for run in runs {
        named.entry(run.name(free)).or_default().push(run);
    }
    let mut names = BTreeMap::new();
    for (name, runs) in named {
        // Within one name, so that a setting that all of its runs share is not said.
        let keys = keys_apart(&runs, free);
        for run in runs {
            let mut label = labelled(&name, &said(&run.settings.all(), &keys));
            if run.is_other {
                label.push_str(OTHER);
            }
            names.insert(run.at, label);
        }
    }
    names
}

/// The settings in which the runs of one agent differ: those of its model and method over all runs, those of an
/// environment over the runs of that environment.
fn keys_apart(runs: &[&RunOf], free: &[&str]) -> BTreeSet<String> {
    let asked: Vec<Words> = runs
        .iter()
        .map(|run| {
            let parts = [&run.settings.model, &run.settings.method];
            let words = parts.into_iter().flatten();
            // Environments have different numbers of instances to learn from.
            let words = words.filter(|(key, _)| *key != EPISODES);
            words
                .map(|(key, words)| (key.clone(), words.clone()))
                .collect()
        })
        .collect();
    let mut keys = differing(&asked.iter().collect::<Vec<_>>());
    // `*` frees all settings of an environment; those of a model still tell agents apart.
    let environments: BTreeSet<&str> = match free.contains(&"*") {
        true => BTreeSet::new(),
        false => runs.iter().map(|run| run.what.as_str()).collect(),
    };
    for environment in environments {
        let here = runs.iter().filter(|run| run.what == environment);
        let all: Vec<Words> = here.map(|run| run.settings.all()).collect();
        keys.extend(differing(&all.iter().collect::<Vec<_>>()));
    }
    keys.retain(|key| !free.contains(&key.as_str()));
    keys
}
