//! The runs of a model by method: answers to questions, interviews, games.

use crate::items::{ItemRun, read_items};
use crate::paper::episodes::{PlayedGroup, mean_by, mean_of, rate_by};
use crate::paper::table::{Measure, PaperCell};
use qa_scoring::load;
use qa_scoring::taxonomy::TaxonomyLabel;
use run_engine::error::RunError;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

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

/// An answer to a question.
pub(super) struct Answer {
    pub(super) item: String,
    pub(super) label: Option<TaxonomyLabel>,
    pub(super) score: f64,
}

/// The answers of a method of a model.
#[derive(Default)]
pub(super) struct MethodRuns<'a> {
    pub(super) answers: Vec<Answer>,
    pub(super) interviews: Vec<&'a ItemRun>,
    pub(super) beer: Option<&'a PlayedGroup>,
    pub(super) firm: Option<&'a PlayedGroup>,
    /// Whether the method learns from one episode for the next.
    pub(super) online: bool,
}

/// A model with its methods.
pub(super) struct Model<'a> {
    pub(super) name: String,
    pub(super) methods: BTreeMap<String, MethodRuns<'a>>,
}

impl<'a> Model<'a> {
    /// The methods of the paper, then the others of the runs; the routed runs are not among them.
    pub(super) fn columns(&self) -> Vec<(String, String)> {
        let paper = METHODS
            .iter()
            .map(|(method, name)| ((*method).to_owned(), (*name).to_owned()));
        let others = self.methods.keys().filter(|method| {
            *method != ROUTED && !METHODS.iter().any(|(known, _)| known == method)
        });
        paper
            .chain(others.map(|method| (method.clone(), method.clone())))
            .collect()
    }

    pub(super) fn runs(&self, method: &str) -> Option<&MethodRuns<'a>> {
        self.methods.get(method)
    }

    pub(super) fn questions(
        &self,
        method: &str,
        keep: impl Fn(&TaxonomyLabel) -> bool,
    ) -> Option<Measure> {
        let answers = self.runs(method)?.answers.iter();
        let kept = answers.filter(|answer| answer.label.as_ref().is_some_and(&keep));
        rate_by(kept.map(|answer| (answer.item.as_str(), answer.score)))
    }

    /// The mean score of all answers, labelled or not.
    pub(super) fn all_questions(&self, method: &str) -> Option<Measure> {
        let answers = self.runs(method)?.answers.iter();
        rate_by(answers.map(|answer| (answer.item.as_str(), answer.score)))
    }

    /// The mean of a mark of interviews, 0 to 1, over cases; `overall` is the score itself.
    pub(super) fn mark(&self, method: &str, mark: &str) -> Option<Measure> {
        let runs = self.runs(method)?.interviews.iter();
        let rows = runs.flat_map(|run| run.rows());
        let values = rows.filter_map(|row| {
            let value = if mark == "overall" {
                row.score?
            } else {
                *row.metrics.get(mark)?
            };
            Some((row.header.item.as_str(), value / 10.0))
        });
        mean_by(values).map(|mean| mean.within(0.0, 1.0))
    }

    /// The mean range of the judges' overall marks, 0 to 1.
    pub(super) fn spread(&self, method: &str) -> Option<Measure> {
        let runs = self.runs(method)?.interviews.iter();
        let rows = runs.flat_map(|run| run.rows());
        let spreads = rows.filter_map(|row| Some((row.header.item.as_str(), row.spread? / 10.0)));
        mean_by(spreads).map(|mean| mean.within(0.0, 1.0))
    }

    /// The mean cost of the Beer Game.
    pub(super) fn cost(&self, method: &str) -> Option<Measure> {
        episodes_mean(self.runs(method)?.beer?)
    }

    /// The mean earnings of the firm.
    pub(super) fn earnings(&self, method: &str) -> Option<Measure> {
        episodes_mean(self.runs(method)?.firm?)
    }

    /// The best and the worst mean cost of its methods.
    pub(super) fn costs(&self) -> Option<[f64; 2]> {
        let costs: Vec<f64> = self
            .methods
            .keys()
            .filter_map(|method| Some(self.cost(method)?.value))
            .collect();
        let best = costs.iter().copied().reduce(f64::min)?;
        Some([best, costs.iter().copied().reduce(f64::max)?])
    }

    /// The best mean earnings of its methods.
    pub(super) fn most(&self) -> Option<f64> {
        let all = self
            .methods
            .keys()
            .filter_map(|method| Some(self.earnings(method)?.value));
        all.reduce(f64::max)
    }

    /// Cost in the Beer Game between the worst (0) and the best (1) of the methods.
    pub(super) fn beer(&self, method: &str) -> Option<PaperCell> {
        let cost = self.cost(method)?;
        let [best, worst] = self.costs()?;
        if worst <= best {
            return Some(PaperCell::words("all methods alike"));
        }
        let place = |cost: f64| (worst - cost) / (worst - best);
        let measure = Measure {
            value: place(cost.value),
            ci95: cost.ci95.map(|[low, high]| [place(high), place(low)]),
            n: cost.n,
        };
        Some(PaperCell::measured(measure, 3))
    }

    /// Earnings as a part of those of the best method.
    pub(super) fn firm(&self, method: &str) -> Option<Measure> {
        let (earnings, most) = (self.earnings(method)?, self.most()?);
        (most > 0.0).then(|| earnings.times(1.0 / most))
    }
}

/// The mean score of the episodes of a group; each episode is an observation, because a game repeats
/// one instance.
pub(super) fn episodes_mean(group: &PlayedGroup) -> Option<Measure> {
    let scores: Vec<f64> = group.episodes.iter().map(|played| played.score).collect();
    mean_of(&scores)
}

pub(super) fn labels(path: &Path) -> Result<BTreeMap<String, TaxonomyLabel>, RunError> {
    let bytes = std::fs::read(path).map_err(RunError::file(path))?;
    let loaded =
        load::labels(&bytes).map_err(|e| RunError::usage(format!("{}: {e}", path.display())))?;
    let records = loaded.records.into_iter();
    Ok(records.map(|record| (record.id, record.label)).collect())
}

/// Runs of items from folders; none if there are no folders.
pub(super) fn items(dirs: &[PathBuf]) -> Result<Vec<ItemRun>, RunError> {
    if dirs.is_empty() {
        return Ok(Vec::new());
    }
    Ok(read_items(dirs)?.unwrap_or_default())
}

pub(super) fn models<'a>(
    questions: &'a [ItemRun],
    interviews: &'a [ItemRun],
    games: &'a [PlayedGroup],
    labels: &BTreeMap<String, TaxonomyLabel>,
) -> Vec<Model<'a>> {
    let mut all: BTreeMap<String, BTreeMap<String, MethodRuns<'a>>> = BTreeMap::new();
    for run in questions {
        let method = match run.routing() {
            Some(_) => ROUTED,
            None => run.method().unwrap_or("cot"),
        };
        let methods = all.entry(run.who().to_owned()).or_default();
        let known = run.routing().map(|routing| &routing.labels);
        let tasks: BTreeSet<&str> = run
            .rows()
            .iter()
            .filter_map(|row| task_of(&row.header.item))
            .collect();
        for row in run.rows() {
            let Some(score) = row.score else { continue };
            let item = &row.header.item;
            let id = item
                .split_once(':')
                .map(|(_, id)| id)
                .filter(|_| tasks.len() == 1);
            let label = labels
                .get(item)
                .or_else(|| labels.get(id?))
                .or_else(|| known?.get(item));
            methods
                .entry(method.to_owned())
                .or_default()
                .answers
                .push(Answer {
                    item: item.clone(),
                    label: label.cloned(),
                    score,
                });
        }
    }
    for run in interviews {
        // A scripted candidate has no method.
        let Some(method) = run.method() else { continue };
        let methods = all.entry(run.who().to_owned()).or_default();
        methods
            .entry(method.to_owned())
            .or_default()
            .interviews
            .push(run);
    }
    for group in games {
        let Some(method) = &group.method else {
            continue;
        };
        if group.preset != "paper" {
            continue;
        }
        let methods = all.entry(group.agent.clone()).or_default();
        let runs = methods.entry(method.clone()).or_default();
        runs.online |= group.online;
        match group.environment.as_str() {
            "edt" => runs.firm = Some(group),
            _ => runs.beer = Some(group),
        }
    }
    let models = all.into_iter();
    models
        .map(|(name, methods)| Model { name, methods })
        .collect()
}

/// The task of an item's name.
pub(super) fn task_of(item: &str) -> Option<&str> {
    item.split_once(':').map(|(task, _)| task)
}
