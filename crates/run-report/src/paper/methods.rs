//! Rows of answers, interviews and games by model and method.
//!
//! A model has a table of its own for each combination of settings under which its parts were run; within it, a method
//! that was run under several settings has a mark for each of them. So runs under different settings never become
//! one figure.

use super::episodes::Reading;
use super::rows::{OTHER, Row, RunOf, names};
use super::settings::{RunSettings, Words, differing, digest, labelled, said};
use super::{PaperInputs, RunNote};
use crate::questions::labels::{Labels, read_labels};
use crate::questions::sets::{ItemSet, contents, whole_of, whole_sets};
use crate::questions::{INTERVIEWS, LabelledRow, labelled_rows};
use crate::runs::{Run, read_runs};
use agent_client::request::ModelRole;
use aoa_router::RoutingPlaybook;
use run_engine::error::RunError;
use run_engine::plan::cast::SeatPlan;
use run_engine::plan::routing::Routing;
use run_engine::registry::Registry;
use run_engine::terminal::shown_path;
use sim_core::{Digest, ScoreRange};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;

/// Name of the method of runs that a routing policy answered.
const ROUTED: &str = "AOA";

/// Metrics of an interview that are marks.
const MARKS: [&str; 5] = [
    "structure",
    "quant",
    "business_sense",
    "communication",
    "mean4",
];

/// A run with its rows; settings are compared within what was run: rounds of an interview say nothing of a game.
struct RunRows {
    run: Rc<RunOf>,
    rows: Vec<Row>,
}

impl RunRows {
    /// The name of the method of a model.
    fn method(&self) -> &str {
        self.run.method.as_deref().unwrap_or_default()
    }
}

/// Adds the rows of questions and interviews, and gives all rows the labels `model`, `method` and `mark`.
///
/// # Errors
/// When a folder or the labels cannot be read, or a plan was run in two folders.
pub(super) fn arrange(
    registry: &Registry,
    reading: &mut Reading,
    inputs: &PaperInputs,
) -> Result<(), RunError> {
    let labels = inputs
        .labels
        .as_deref()
        .map(read_labels)
        .transpose()?
        .unwrap_or_default();
    let questions = LabelledRun::all(registry, &inputs.questions)?;
    let interviews = LabelledRun::all(registry, &inputs.interviews)?;
    let runs: Vec<&LabelledRun> = questions.iter().chain(&interviews).collect();
    refuse_twice(&runs)?;
    // Taken out, because a row of a policy comes back once for each model.
    let all = by_run(std::mem::take(&mut reading.rows)).into_iter();
    let (mut found, policies): (Vec<_>, Vec<_>) = all.partition(|one| one.run.method.is_some());
    for one in &mut found {
        // How the model plans is not in the label of its method, so it must be a mark.
        let planning = one.run.planning.clone().filter(|mode| mode != "none");
        if let Some(planning) = planning {
            let settings = &mut Rc::make_mut(&mut one.run).settings;
            let words = format!("planning {planning}");
            settings.method.insert("planning".to_owned(), words);
        }
    }
    reading.rows.extend(rules(&questions)?);
    let sets = different_sets(&runs);
    // After the greatest and not after their number: a run without a record has a number and no row.
    let numbers = found.iter().chain(&policies).map(|one| one.run.at);
    let free = numbers.max().map_or(0, |at| at + 1);
    for (at, run) in (free..).zip(&runs) {
        let one = labelled_run(registry, at, run, &labels, &sets)?;
        if one.run.method.is_some() {
            found.push(one);
        } else {
            let remark = format!("`{}` is a script, not a model with a method", run.who());
            reading.unused.push(RunNote::of(&run.run, remark));
        }
    }
    let mut models = models(&found);
    // Policies alone still fill a table, whose other cells then name the commands for a model.
    if models.is_empty() && !policies.is_empty() {
        models.push(("MODEL".to_owned(), Vec::new()));
    }
    let of_policies = policies.iter().map(|one| Rc::clone(&one.run));
    let marks = names(&of_policies.collect::<Vec<_>>(), &[]);
    for (name, runs) in models {
        let marked = runs
            .into_iter()
            .map(|(one, mark)| (one.method(), mark, &one.rows));
        // A policy stands beside the methods of every model, because no model is its own.
        let policies = policies.iter().map(|one| {
            let agent = one.run.agent.as_str();
            let mark = marks
                .get(&one.run.at)
                .and_then(|name| name.strip_prefix(agent));
            (agent, mark.unwrap_or_default().to_owned(), &one.rows)
        });
        for (method, mark, rows) in marked.chain(policies) {
            reading.rows.extend(rows.iter().cloned().map(|mut row| {
                row.label("model", name.as_str());
                row.label("method", method);
                row.label("mark", mark.as_str());
                row
            }));
        }
    }
    Ok(())
}

/// The rows of each run; those of a run stand together.
fn by_run(rows: Vec<Row>) -> Vec<RunRows> {
    let mut found: Vec<RunRows> = Vec::new();
    for row in rows {
        match found.last_mut().filter(|last| last.run.at == row.run.at) {
            Some(last) => last.rows.push(row),
            None => found.push(RunRows {
                run: Rc::clone(&row.run),
                rows: vec![row],
            }),
        }
    }
    found
}

/// The runs of every model with their marks, by the name of the model.
fn models(found: &[RunRows]) -> Vec<(String, Vec<(&RunRows, String)>)> {
    let mut by_agent: BTreeMap<&str, Vec<&RunRows>> = BTreeMap::new();
    for one in found {
        by_agent.entry(&one.run.agent).or_default().push(one);
    }
    let mut models = Vec::new();
    for (agent, all) in by_agent {
        let keys = differing(
            &all.iter()
                .map(|one| &one.run.settings.model)
                .collect::<Vec<_>>(),
        );
        let mut sampled: BTreeMap<&Words, Vec<&RunRows>> = BTreeMap::new();
        for one in all {
            sampled
                .entry(&one.run.settings.model)
                .or_default()
                .push(one);
        }
        for (sampling, all) in sampled {
            for (words, runs) in variants(&all) {
                let words = std::iter::once(said(sampling, &keys)).chain(words);
                let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
                let mut name = labelled(agent, &words.join(", "));
                if runs.iter().any(|one| one.run.is_other) {
                    name.push_str(OTHER);
                }
                models.push((name, marked(&runs)));
            }
        }
    }
    models
}

/// The runs of a model under each combination of settings of its parts, with what differs.
fn variants<'f>(all: &[&'f RunRows]) -> Vec<(Vec<String>, Vec<&'f RunRows>)> {
    // Each combination: two sets of questions and two settings of a game are four tables, in each
    // of which every part has one meaning.
    let mut combined = vec![(Vec::new(), Vec::new())];
    let parts: BTreeSet<(usize, &str)> = all.iter().map(|one| part(one)).collect();
    for here in parts {
        let runs: Vec<&'f RunRows> = all
            .iter()
            .copied()
            .filter(|one| part(one) == here)
            .collect();
        let keys = differing(
            &runs
                .iter()
                .map(|one| &one.run.settings.task)
                .collect::<Vec<_>>(),
        );
        let mut by_settings: BTreeMap<&Words, Vec<&'f RunRows>> = BTreeMap::new();
        for one in runs {
            by_settings
                .entry(&one.run.settings.task)
                .or_default()
                .push(one);
        }
        let mut longer = Vec::new();
        for (words, runs) in by_settings {
            for (said_before, runs_before) in &combined {
                let mut all_words: Vec<String> = said_before.clone();
                all_words.push(said(words, &keys));
                let all_runs = [runs_before.as_slice(), &runs].concat();
                longer.push((all_words, all_runs));
            }
        }
        combined = longer;
    }
    combined
}

/// What was run, questions and interviews first.
fn part(found: &RunRows) -> (usize, &str) {
    let what = found.run.what.as_str();
    let first = ["questions", "interviews"]
        .iter()
        .position(|known| *known == what);
    (first.unwrap_or(2), what)
}

/// The runs with what distinguishes them from other runs of their method.
fn marked<'f>(runs: &[&'f RunRows]) -> Vec<(&'f RunRows, String)> {
    // Within one method and one part only: what differs between methods is no news.
    let mut words: BTreeMap<(&str, &str), Vec<&Words>> = BTreeMap::new();
    for one in runs {
        let of = words.entry((one.method(), &one.run.what)).or_default();
        of.push(&one.run.settings.method);
    }
    let keys: BTreeMap<_, BTreeSet<String>> = words
        .into_iter()
        .map(|(of, words)| (of, differing(&words)))
        .collect();
    let mark = |one: &&'f RunRows| {
        let keys = keys.get(&(one.method(), one.run.what.as_str()));
        let words = keys.map(|keys| said(&one.run.settings.method, keys));
        (*one, labelled("", &words.unwrap_or_default()))
    };
    runs.iter().map(mark).collect()
}

/// Names of tasks and cases that stand for different ones in the runs of an agent, by agent and name, with the sets.
/// Parts of a set (`--items`) are not other sets.
type Sets = BTreeMap<(String, String), Vec<ItemSet>>;

fn different_sets(runs: &[&LabelledRun]) -> Sets {
    let mut parts = Sets::new();
    for run in runs {
        for (name, set) in sets_of(run) {
            let of = parts.entry((run.who().to_owned(), name.to_owned()));
            of.or_default().push(set);
        }
    }
    let sets = parts.into_iter();
    sets.map(|(of, parts)| (of, whole_sets(parts)))
        .filter(|(_, sets)| sets.len() > 1)
        .collect()
}

/// The set of each task and each case of a run.
fn sets_of(run: &LabelledRun) -> BTreeMap<&str, ItemSet> {
    let mut sets: BTreeMap<&str, ItemSet> = BTreeMap::new();
    for row in &run.rows {
        let name = if run.is_interviews() {
            row.item()
        } else {
            row.task()
        };
        let item = (row.item().to_owned(), row.compared_by);
        sets.entry(name).or_default().insert(item);
    }
    sets
}

/// A run of questions or interviews with its records.
struct LabelledRun {
    run: Run,
    rows: Vec<LabelledRow>,
}

impl LabelledRun {
    /// The runs in `folders`.
    fn all(registry: &Registry, folders: &[PathBuf]) -> Result<Vec<Self>, RunError> {
        if folders.is_empty() {
            return Ok(Vec::new());
        }
        let runs = read_runs(folders)?.into_iter();
        runs.map(|run| {
            let rows = labelled_rows(registry, &run)?;
            Ok(Self { run, rows })
        })
        .collect()
    }

    fn is_interviews(&self) -> bool {
        self.run.plan.environment == INTERVIEWS
    }

    fn who(&self) -> &str {
        &self.run.plan.agent
    }

    fn method(&self) -> Option<String> {
        let model = self.run.plan.model.as_ref();
        model.map(|model| match self.routing() {
            Some(_) => ROUTED.to_owned(),
            None => model.method.label(),
        })
    }

    fn routing(&self) -> Option<&Routing> {
        self.run.plan.routing.as_ref()
    }
}

/// A run of questions or interviews with its rows.
fn labelled_run(
    registry: &Registry,
    at: usize,
    run: &LabelledRun,
    labels: &Labels,
    sets: &Sets,
) -> Result<RunRows, RunError> {
    let plan = &run.run.plan;
    let mut settings = RunSettings::of_labelled(plan, registry.kind(&plan.environment)?)?;
    // The set to which this run's belongs, also if it has only a part of it.
    let whole = |(name, set): (&str, ItemSet)| {
        let held = sets.get(&(run.who().to_owned(), name.to_owned()))?;
        Some((name.to_owned(), contents(whole_of(held, &set)?)))
    };
    let ambiguous: Vec<(String, BTreeSet<Digest>)> =
        sets_of(run).into_iter().filter_map(whole).collect();
    if let Some((first, _)) = ambiguous.first() {
        let words = format!("{first} of set {}", digest(&ambiguous)?);
        settings.task.insert("set".to_owned(), words);
    }
    let what = if run.is_interviews() {
        "interviews"
    } else {
        "questions"
    };
    let method = run.method();
    let run_of = Rc::new(RunOf {
        at,
        what: what.to_owned(),
        preset: String::new(),
        agent: run.who().to_owned(),
        method: method.clone(),
        planning: None,
        settings,
        is_other: false,
        seeds: BTreeMap::from([(plan.seed.0, run.run.folder().to_owned())]),
        // Shares like scores of questions, because marks are divided by ten below.
        range: ScoreRange::SHARE,
    });
    let known = run.routing().map(|routing| &routing.labels);
    let tasks: BTreeSet<&str> = run.rows.iter().map(LabelledRow::task).collect();
    // Judges by rules do not count: their marks are not the paper's metric.
    let is_judge = |(seat, by): &(&String, &SeatPlan)| {
        by.model.is_some() && ModelRole::of_seat(seat) == ModelRole::Judge
    };
    let judges = run.is_interviews();
    let judges = judges.then(|| plan.seats.iter().filter(is_judge).count().to_string());
    let mut rows = Vec::new();
    for item in &run.rows {
        let name = item.item();
        let mut row = Row::of(&run_of, what);
        row.label("is_model", if method.is_some() { "yes" } else { "no" });
        row.label("player", run.who());
        row.label("instance", name);
        if let Some(judges) = &judges {
            row.label("judges", judges.as_str());
            row.label("case", format!("{name} {}", item.compared_by));
            // Marks run from 0 to 10.
            row.figure("overall", item.score.map(|mark| mark / 10.0));
            let spread = item.metrics.get("judges_spread");
            row.figure("spread", spread.map(|spread| spread / 10.0));
            for (name, value) in &item.metrics {
                let factor = if MARKS.contains(&name.as_ref()) {
                    10.0
                } else {
                    1.0
                };
                row.figure(name, Some(value / factor));
            }
        } else {
            let task = item.task();
            let short = task.rsplit('/').next().unwrap_or(task);
            row.label("data_set", short);
            // Equal names do not make equal questions.
            row.label("question", format!("{name} {}", item.compared_by));
            row.figure("score", item.score);
            if item.score.is_some() {
                row.label("scored", "yes");
            }
            let label = item.label(labels, tasks.len() == 1);
            if let Some(label) = label.or_else(|| known?.get(name)) {
                row.label("labelled", "yes");
                if let Some(capability) = label.capability {
                    row.label("capability", <&str>::from(capability));
                }
                if let Some(bucket) = label.bucket() {
                    row.label("difficulty", <&str>::from(bucket));
                }
            }
        }
        rows.push(row);
    }
    Ok(RunRows { run: run_of, rows })
}

/// A row for each rule of the routing policy of the first routed run.
fn rules(questions: &[LabelledRun]) -> Result<Vec<Row>, RunError> {
    let Some((run, routing)) = questions.iter().find_map(|run| Some((run, run.routing()?))) else {
        return Ok(Vec::new());
    };
    let playbook: RoutingPlaybook =
        serde_json::from_value(routing.policy.clone()).map_err(|e| {
            RunError::usage(format!(
                "{}: the policy of the plan: {e}",
                shown_path(run.run.folder())
            ))
        })?;
    // A place that no run has: names of agents go by the place, and a rule is no agent.
    let of = Rc::new(RunOf::bare(usize::MAX, "rules", run.who()));
    let policy = &playbook.routing_policy;
    let rules = (1..).zip(&policy.rules);
    let rules = rules.map(|(number, rule)| {
        (
            number.to_string(),
            rule.when.to_string(),
            rule.choose.clone(),
        )
    });
    let last = (
        "default".to_owned(),
        "otherwise".to_owned(),
        policy.default_agent.clone(),
    );
    let row = |(number, when, choose): (String, String, String)| {
        let mut row = Row::of(&of, "rules");
        row.label("rule", number);
        row.label("condition", when);
        row.label("choose", choose);
        row
    };
    Ok(rules.chain([last]).map(row).collect())
}

/// Refuses a plan that was run in two folders: its answers are not further questions.
fn refuse_twice(runs: &[&LabelledRun]) -> Result<(), RunError> {
    let mut plans: BTreeMap<String, &LabelledRun> = BTreeMap::new();
    for run in runs {
        let Some(method) = run.method() else {
            continue;
        };
        // The plan holds the seed, so one seed twice is what is refused here, and two seeds are two
        // runs.
        let plan = digest(&run.run.plan.whole())?;
        if let Some(other) = plans.insert(plan, run) {
            return Err(RunError::usage(format!(
                "{} and {} are the same run of {} {method}; name one of the two folders",
                shown_path(other.run.folder()),
                shown_path(run.run.folder()),
                run.who(),
            )));
        }
    }
    Ok(())
}
