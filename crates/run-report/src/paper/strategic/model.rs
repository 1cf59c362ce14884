//! The runs of a model by method: answers to questions, interviews, games.

use super::normal::{Place, Scores, by_cost, by_earnings, places};
use crate::items::{ItemRow, ItemRun, read_items};
use crate::paper::episodes::{OTHER, PlayedGroup, mean_by, rate_by};
use crate::paper::settings::{RunSettings, Words, differing, digest, labelled, options, said};
use crate::paper::table::Measure;
use qa_runner::labels::{Labels, label_of};
use qa_scoring::taxonomy::TaxonomyLabel;
use run_engine::error::RunError;
use run_engine::run_dir::RunPlan as _;
use run_engine::terminal::shown_path;
use sim_core::Digest;
use sim_core::stats::mean;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The methods of the paper: name on the command line and heading.
pub(super) const METHODS: [(&str, &str); 9] = [
    ("cot", "CoT"),
    ("self-refine", "Self-refine"),
    ("reflexion", "Reflexion"),
    ("amem", "AMEM"),
    ("debate", "Debate"),
    ("discussion", "Discussion"),
    ("dc", "DC"),
    ("gepa", "GEPA"),
    ("ace", "ACE"),
];

/// Name of the runs that a routing policy answered.
pub(super) const ROUTED: &str = "AOA";

/// The parts of the paper. Settings are compared within a part: rounds of an interview say nothing of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Questions,
    Interviews,
    Beer,
    Firm,
}

/// What was found of a model: a run of items, or the episodes of a game.
#[derive(Clone, Copy)]
enum Of<'a> {
    Items(&'a ItemRun),
    Game(&'a PlayedGroup),
}

/// A run with what decides its place in the tables.
struct Found<'a> {
    agent: &'a str,
    part: Part,
    method: String,
    settings: RunSettings,
    of: Of<'a>,
}

/// An answer to a question. Within a model one name stands for one question: see [`mark_sets`].
struct Answer<'a> {
    item: &'a str,
    label: Option<TaxonomyLabel>,
    score: f64,
}

/// The runs of a method of a model.
#[derive(Default)]
pub(super) struct MethodRuns<'a> {
    /// The method as tables name it, with its settings.
    method: String,
    /// What distinguishes it from other runs of the method.
    mark: String,
    has_questions: bool,
    answers: Vec<Answer<'a>>,
    interviews: Vec<&'a ItemRun>,
    beer: Option<&'a PlayedGroup>,
    pub(super) firm: Option<&'a PlayedGroup>,
}

/// A column of a table: a method, or one of its settings.
#[derive(Debug, Clone)]
pub(super) struct Column {
    /// Key of its runs.
    pub(super) key: String,
    /// The method as tables name it.
    pub(super) method: String,
    /// Its heading, that of the paper where it has one.
    pub(super) heading: String,
}

/// A model with its methods.
pub(super) struct Model<'a> {
    /// The model as its tables name it, with what distinguishes it from others.
    pub(super) name: String,
    agent: String,
    sampling: Words,
    methods: BTreeMap<String, MethodRuns<'a>>,
    /// Costs in the Beer Game on the scale of the paper, by column.
    beer: BTreeMap<String, Measure>,
    /// The same of the earnings of the firm.
    firm: BTreeMap<String, Measure>,
}

impl<'a> Model<'a> {
    /// A model without runs.
    pub(super) fn nobody() -> Self {
        Self::of("MODEL".to_owned(), "MODEL", Words::new(), BTreeMap::new())
    }

    fn of(
        name: String,
        agent: &str,
        sampling: Words,
        methods: BTreeMap<String, MethodRuns<'a>>,
    ) -> Self {
        let on_scale = |game: fn(&MethodRuns<'a>) -> Option<&'a PlayedGroup>, place: Place| {
            let scores = methods.iter().map(|(key, runs)| Scores {
                method: key,
                in_paper: METHODS.iter().any(|(method, _)| *method == runs.method),
                scores: game(runs).map(scores).unwrap_or_default(),
            });
            let scores: Vec<Scores<'_>> = scores.collect();
            let places = places(&scores, place);
            let named = scores.iter().zip(places);
            named
                .filter_map(|(scores, place)| Some((scores.method.to_owned(), place?)))
                .collect()
        };
        Self {
            beer: on_scale(|runs| runs.beer, by_cost),
            firm: on_scale(|runs| runs.firm, by_earnings),
            name,
            agent: agent.to_owned(),
            sampling,
            methods,
        }
    }

    /// The methods of the paper, then the others of the runs; the routed runs are not among them.
    pub(super) fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        for (method, heading) in METHODS {
            let found = self
                .methods
                .iter()
                .filter(|(_, runs)| runs.method == method);
            let found = found.map(|(key, runs)| Column {
                key: key.clone(),
                method: method.to_owned(),
                heading: labelled(heading, &runs.mark),
            });
            let before = columns.len();
            columns.extend(found);
            if columns.len() == before {
                columns.push(Column {
                    key: method.to_owned(),
                    method: method.to_owned(),
                    heading: heading.to_owned(),
                });
            }
        }
        let others = self.methods.iter().filter(|(_, runs)| {
            runs.method != ROUTED && !METHODS.iter().any(|(known, _)| *known == runs.method)
        });
        columns.extend(others.map(|(key, runs)| Column {
            key: key.clone(),
            method: runs.method.clone(),
            heading: key.clone(),
        }));
        columns
    }

    /// The columns, and those of runs that a routing policy answered.
    pub(super) fn columns_with_routed(&self) -> Vec<Column> {
        let mut columns = self.columns();
        let routed = self
            .methods
            .iter()
            .filter(|(_, runs)| runs.method == ROUTED);
        let routed: Vec<&String> = routed.map(|(key, _)| key).collect();
        let usual = ROUTED.to_owned();
        let routed = if routed.is_empty() {
            vec![&usual]
        } else {
            routed
        };
        columns.extend(routed.into_iter().map(|key| Column {
            key: key.clone(),
            method: ROUTED.to_owned(),
            heading: key.clone(),
        }));
        columns
    }

    /// The options of a command that makes a run of a method.
    pub(super) fn options(&self, method: &str) -> String {
        options(&self.agent, Some(method), &self.sampling)
    }

    /// The options that name the model alone.
    pub(super) fn agent_options(&self) -> String {
        options(&self.agent, None, &self.sampling)
    }

    pub(super) fn runs(&self, key: &str) -> Option<&MethodRuns<'a>> {
        self.methods.get(key)
    }

    /// The mean score of answers with a fitting label.
    pub(super) fn questions(
        &self,
        key: &str,
        keep: impl Fn(&TaxonomyLabel) -> bool,
    ) -> Option<Measure> {
        let answers = self.runs(key)?.answers.iter();
        let kept = answers.filter(|answer| answer.label.as_ref().is_some_and(&keep));
        rate_by(kept.map(|answer| (answer.item, answer.score)))
    }

    /// The mean score of all answers, labelled or not.
    pub(super) fn all_questions(&self, key: &str) -> Option<Measure> {
        let answers = self.runs(key)?.answers.iter();
        rate_by(answers.map(|answer| (answer.item, answer.score)))
    }

    /// The mean of a mark of interviews, 0 to 1, over cases; `overall` is the score itself.
    pub(super) fn mark(&self, key: &str, mark: &str) -> Option<Measure> {
        let runs = self.runs(key)?.interviews.iter();
        let rows = runs.flat_map(|run| run.rows());
        let values = rows.filter_map(|row| {
            let value = if mark == "overall" {
                row.score?
            } else {
                *row.metrics.get(mark)?
            };
            Some((row.header.item.as_str(), value / 10.0))
        });
        rate_by(values)
    }

    /// The mean range of the judges' overall marks, 0 to 1.
    pub(super) fn spread(&self, key: &str) -> Option<Measure> {
        let runs = self.runs(key)?.interviews.iter();
        let rows = runs.flat_map(|run| run.rows());
        let spreads = rows.filter_map(|row| Some((row.header.item.as_str(), row.spread? / 10.0)));
        rate_by(spreads)
    }

    /// The mean cost of the Beer Game.
    pub(super) fn cost(&self, key: &str) -> Option<Measure> {
        episodes_mean(self.runs(key)?.beer?)
    }

    /// Cost in the Beer Game between the worst (0) and the best (1) of the methods.
    pub(super) fn beer(&self, key: &str) -> Option<Measure> {
        self.beer.get(key).copied()
    }

    /// Earnings as a part of those of the best method.
    pub(super) fn firm(&self, key: &str) -> Option<Measure> {
        self.firm.get(key).copied()
    }

    /// The best mean earnings of the methods of the paper.
    pub(super) fn most(&self) -> Option<f64> {
        let of_paper = self
            .methods
            .values()
            .filter(|runs| METHODS.iter().any(|(method, _)| *method == runs.method));
        let means = of_paper.filter_map(|runs| Some(episodes_mean(runs.firm?)?.value));
        means.reduce(f64::max)
    }

    /// Why a figure of questions is undefined although there is a run.
    pub(super) fn no_questions(&self, key: &str) -> Option<&'static str> {
        let runs = self.runs(key).filter(|runs| runs.has_questions)?;
        Some(match runs.answers.as_slice() {
            [] => "no score",
            answers if answers.iter().all(|answer| answer.label.is_none()) => {
                "no labels (`--labels`)"
            }
            _ => "no such question",
        })
    }

    /// The same of the marks of interviews.
    pub(super) fn no_marks(&self, key: &str) -> Option<&'static str> {
        let runs = self.runs(key)?;
        (!runs.interviews.is_empty()).then_some("no mark")
    }

    /// The same of the spread of the judges.
    pub(super) fn no_spread(&self, key: &str) -> Option<&'static str> {
        let first = self.runs(key)?.interviews.first()?;
        let judges = first.interviews().map_or(0, |plan| plan.judges.len());
        Some(match judges {
            0 => "no judges: marks by rules",
            1 => "one judge",
            _ => "no case with two marks",
        })
    }

    /// The same of costs in the Beer Game.
    pub(super) fn no_cost(&self, key: &str) -> Option<&'static str> {
        self.runs(key)?
            .beer
            .map(|group| match group.episodes.len() {
                0 => "no episode",
                _ => "no scale: the paper's methods have one cost",
            })
    }

    /// The same of earnings of the firm.
    pub(super) fn no_earnings(&self, key: &str) -> Option<&'static str> {
        self.runs(key)?
            .firm
            .map(|group| match group.episodes.len() {
                0 => "no episode",
                _ => "no scale: no method of the paper earned",
            })
    }
}

/// The score of each attempt: the mean of the streams that met it.
fn scores(group: &PlayedGroup) -> Vec<f64> {
    let mut attempts: BTreeMap<(u64, u64), Vec<f64>> = BTreeMap::new();
    for played in &group.episodes {
        attempts
            .entry(played.attempt)
            .or_default()
            .push(played.score);
    }
    attempts
        .values()
        .filter_map(|scores| mean(scores))
        .collect()
}

/// The mean score of the episodes of a group; each attempt is an observation, because a game repeats
/// one instance.
pub(super) fn episodes_mean(group: &PlayedGroup) -> Option<Measure> {
    let played = group.episodes.iter();
    mean_by(
        played.map(|played| (played.attempt, played.score)),
        group.range,
    )
}

/// Runs of items from folders; none if there are no folders.
pub(super) fn items(dirs: &[PathBuf]) -> Result<Vec<ItemRun>, RunError> {
    if dirs.is_empty() {
        return Ok(Vec::new());
    }
    Ok(read_items(dirs)?.unwrap_or_default())
}

/// The models of the runs. A model that was run under several settings stands once for each of them, with
/// what differs in its name; its runs of the parts in which nothing differs are in all of them.
///
/// # Errors
/// When one plan was run twice.
pub(super) fn models<'a>(
    items: impl IntoIterator<Item = &'a ItemRun>,
    games: &'a [PlayedGroup],
    labels: &Labels,
) -> Result<Vec<Model<'a>>, RunError> {
    let mut found = Vec::new();
    for run in items {
        found.extend(found_items(run)?);
    }
    refuse_twice(&found)?;
    found.extend(games.iter().filter_map(found_game));
    mark_sets(&mut found)?;
    let mut by_agent: BTreeMap<&str, Vec<&Found<'a>>> = BTreeMap::new();
    for one in &found {
        by_agent.entry(one.agent).or_default().push(one);
    }
    let mut models = Vec::new();
    for (agent, all) in by_agent {
        let sampling: Vec<&Words> = all.iter().map(|one| &one.settings.model).collect();
        let keys = differing(&sampling);
        let mut sampled: BTreeMap<&Words, Vec<&Found<'a>>> = BTreeMap::new();
        for one in &all {
            sampled.entry(&one.settings.model).or_default().push(one);
        }
        for (sampling, all) in sampled {
            for (words, runs) in variants(&all) {
                let first = said(sampling, &keys);
                let words: Vec<String> = std::iter::once(first).chain(words).collect();
                let words: Vec<String> = words.into_iter().filter(|w| !w.is_empty()).collect();
                let mut name = labelled(agent, &words.join(", "));
                if runs
                    .iter()
                    .any(|one| matches!(one.of, Of::Game(game) if game.is_other))
                {
                    name.push_str(OTHER);
                }
                let methods = methods(&runs, labels);
                models.push(Model::of(name, agent, sampling.clone(), methods));
            }
        }
    }
    Ok(models)
}

fn found_items(run: &ItemRun) -> Result<Option<Found<'_>>, RunError> {
    let part = if run.questions().is_some() {
        Part::Questions
    } else {
        Part::Interviews
    };
    let method = match (run.routing(), run.method()) {
        (Some(_), _) => ROUTED,
        (None, Some(method)) => method,
        // A scripted candidate has no method.
        (None, None) => return Ok(None),
    };
    Ok(Some(Found {
        agent: run.who(),
        part,
        method: method.to_owned(),
        settings: RunSettings::of_items(run)?,
        of: Of::Items(run),
    }))
}

fn found_game(group: &PlayedGroup) -> Option<Found<'_>> {
    let mut settings = group.settings.clone();
    if let Some(planning) = group.planning.as_deref().filter(|mode| *mode != "none") {
        let words = format!("planning {planning}");
        settings.method.insert("planning".to_owned(), words);
    }
    Some(Found {
        agent: &group.agent,
        part: if group.environment == "edt" {
            Part::Firm
        } else {
            Part::Beer
        },
        method: group.method.clone()?,
        settings,
        of: Of::Game(group),
    })
}

/// Refuses a plan that was run in two folders: its answers are not further questions.
fn refuse_twice(found: &[Found<'_>]) -> Result<(), RunError> {
    let mut plans: BTreeMap<String, &ItemRun> = BTreeMap::new();
    for one in found {
        let Of::Items(run) = one.of else { continue };
        let plan = match (run.questions(), run.interviews()) {
            (Some(plan), _) => digest(&plan.whole())?,
            (None, Some(plan)) => digest(&plan.whole())?,
            (None, None) => continue,
        };
        if let Some(other) = plans.insert(plan, run) {
            let folder = |run: &ItemRun| {
                let paths = run.paths();
                paths.first().map_or_else(String::new, shown_path)
            };
            return Err(RunError::usage(format!(
                "{} and {} are the same run of {} {}; name one of the two folders",
                folder(other),
                folder(run),
                one.agent,
                one.method
            )));
        }
    }
    Ok(())
}

/// Names the set of questions or cases where one name stands for different ones in the runs of an agent.
fn mark_sets(found: &mut [Found<'_>]) -> Result<(), RunError> {
    // Digests of each task and each case, by agent.
    let mut sets: BTreeMap<(String, String), BTreeSet<Digest>> = BTreeMap::new();
    let of = |one: &Found<'_>| -> Vec<(String, Digest)> {
        let Of::Items(run) = one.of else {
            return Vec::new();
        };
        let tasks = run.questions().into_iter().flat_map(|plan| &plan.tasks);
        let tasks = tasks.map(|task| (task.task.to_string(), task.digest));
        let cases = run.interviews().into_iter().flat_map(|plan| &plan.cases);
        tasks
            .chain(cases.map(|case| (case.id.clone(), case.digest)))
            .collect()
    };
    for one in found.iter() {
        for (name, digest) in of(one) {
            let key = (one.agent.to_owned(), name);
            sets.entry(key).or_default().insert(digest);
        }
    }
    for one in found.iter_mut() {
        let several = |(name, _): &(String, Digest)| {
            let key = (one.agent.to_owned(), name.clone());
            sets.get(&key).is_some_and(|digests| digests.len() > 1)
        };
        let ambiguous: Vec<(String, Digest)> = of(one).into_iter().filter(several).collect();
        let Some((first, _)) = ambiguous.first() else {
            continue;
        };
        let words = format!("{first} of set {}", digest(&ambiguous)?);
        one.settings.task.insert("set".to_owned(), words);
    }
    Ok(())
}

/// The runs of a model under each combination of settings of its parts, with what differs.
fn variants<'f, 'a>(all: &[&'f Found<'a>]) -> Vec<(Vec<String>, Vec<&'f Found<'a>>)> {
    let mut combined = vec![(Vec::new(), Vec::new())];
    let parts: BTreeSet<Part> = all.iter().map(|one| one.part).collect();
    for part in parts {
        let runs: Vec<&'f Found<'a>> = all.iter().copied().filter(|one| one.part == part).collect();
        let words: Vec<&Words> = runs.iter().map(|one| &one.settings.task).collect();
        let keys = differing(&words);
        let mut by_settings: BTreeMap<&Words, Vec<&'f Found<'a>>> = BTreeMap::new();
        for one in &runs {
            by_settings.entry(&one.settings.task).or_default().push(one);
        }
        let mut longer = Vec::new();
        for (words, runs) in by_settings {
            for (said_before, runs_before) in &combined {
                let mut all_words: Vec<String> = said_before.clone();
                all_words.push(said(words, &keys));
                let mut all_runs: Vec<&'f Found<'a>> = runs_before.clone();
                all_runs.extend(&runs);
                longer.push((all_words, all_runs));
            }
        }
        combined = longer;
    }
    combined
}

/// The runs by method. A method that was run under several settings has a column for each of them.
fn methods<'a>(runs: &[&Found<'a>], labels: &Labels) -> BTreeMap<String, MethodRuns<'a>> {
    let mut parts: BTreeMap<(&str, Part), Vec<&Words>> = BTreeMap::new();
    for one in runs {
        let of = parts.entry((one.method.as_str(), one.part)).or_default();
        of.push(&one.settings.method);
    }
    let keys: BTreeMap<(&str, Part), BTreeSet<String>> = parts
        .into_iter()
        .map(|(of, words)| (of, differing(&words)))
        .collect();
    let mut methods: BTreeMap<String, MethodRuns<'a>> = BTreeMap::new();
    for one in runs {
        let keys = keys.get(&(one.method.as_str(), one.part));
        let mark = keys.map(|keys| said(&one.settings.method, keys));
        let mark = mark.unwrap_or_default();
        let of = methods.entry(labelled(&one.method, &mark)).or_default();
        of.method.clone_from(&one.method);
        of.mark = mark;
        match (one.of, one.part) {
            (Of::Items(run), Part::Questions) => {
                of.has_questions = true;
                of.answers.extend(answers(run, labels));
            }
            (Of::Items(run), _) => of.interviews.push(run),
            (Of::Game(group), Part::Firm) => of.firm = Some(group),
            (Of::Game(group), _) => of.beer = Some(group),
        }
    }
    methods
}

/// The scored answers of a run, with their labels.
fn answers<'a>(run: &'a ItemRun, labels: &Labels) -> Vec<Answer<'a>> {
    let known = run.routing().map(|routing| &routing.labels);
    let rows = run.rows().iter();
    let tasks: BTreeSet<&str> = rows.filter_map(|row| task_of(&row.header.item)).collect();
    let answer = |row: &'a ItemRow| {
        let name = &row.header.item;
        let id = name.split_once(':').map_or("", |(_, id)| id);
        let label = label_of(labels, name, id, tasks.len() == 1);
        let label = label.or_else(|| known?.get(name));
        Some(Answer {
            item: name,
            label: label.cloned(),
            score: row.score?,
        })
    };
    run.rows().iter().filter_map(answer).collect()
}

/// The task of an item's name.
pub(super) fn task_of(item: &str) -> Option<&str> {
    item.split_once(':').map(|(task, _)| task)
}
