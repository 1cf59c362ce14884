//! The page: figures as words, and the template around them.

use super::collect::RunData;
use crate::compare::Comparison;
use crate::error::RunError;
use crate::summary::{Summary, number};
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;
use sim_core::{Kind, Sense, Status};

/// Everything that the template shows.
#[derive(Debug, Serialize)]
pub(super) struct Page {
    groups: Vec<GroupPage>,
    agents: Vec<String>,
    tasks: Vec<String>,
    /// Agents x tasks: raw mean, and place between the worst (0) and the best (1) of the task.
    matrix: Vec<MatrixRow>,
    episodes: u64,
}

#[derive(Debug, Serialize)]
struct MatrixRow {
    agent: String,
    cells: Vec<Option<Cell>>,
    mean: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
struct Cell {
    raw: String,
    normalised: Option<String>,
}

/// One environment in one setting.
#[derive(Debug, Serialize)]
pub(super) struct GroupPage {
    title: String,
    about: String,
    unit: String,
    better: &'static str,
    headline: String,
    rows: Vec<RowPage>,
    plots: Vec<String>,
    legend: String,
    #[serde(skip)]
    raw: Vec<(String, Option<f64>)>,
    #[serde(skip)]
    sense: Sense,
    #[serde(skip)]
    episodes: u64,
}

#[derive(Debug, Serialize)]
struct RowPage {
    place: usize,
    agent: String,
    episodes: u64,
    mean: String,
    interval: String,
    regret: String,
    verdict: String,
    sort: f64,
    labels: Vec<String>,
    refusals: Vec<String>,
    replayed: usize,
    metrics: Vec<(String, String)>,
    usage: String,
    best: Option<String>,
    worst: Option<String>,
}

impl GroupPage {
    pub(super) fn new(
        kind: &dyn Kind,
        data: &[RunData],
        comparison: Option<&Comparison>,
        plots: [String; 3],
    ) -> Self {
        let rows: Vec<RowPage> = data
            .iter()
            .enumerate()
            .map(|(place, run)| row(place, run, verdict(place, comparison)))
            .collect();
        let first = data.first().map(|run| &run.summary);
        Self {
            title: first.map_or_else(String::new, |s| format!("{} · {}", s.environment, s.preset)),
            about: kind.about().to_owned(),
            unit: kind.unit().to_owned(),
            better: match kind.sense() {
                Sense::Maximise => "more is better",
                Sense::Minimise => "less is better",
            },
            headline: headline(data, comparison),
            legend: first.map_or_else(String::new, legend),
            rows,
            plots: plots.into_iter().filter(|plot| !plot.is_empty()).collect(),
            raw: data
                .iter()
                .map(|run| (run.summary.agent.clone(), run.summary.score.mean))
                .collect(),
            sense: kind.sense(),
            episodes: data.iter().map(|run| run.summary.episodes).sum(),
        }
    }
}

fn verdict(place: usize, comparison: Option<&Comparison>) -> String {
    let other = place
        .checked_sub(1)
        .and_then(|at| comparison?.others.get(at));
    match (place, other) {
        (0, _) => "first".to_owned(),
        (_, None) => "not compared: no shared instances".to_owned(),
        (_, Some(other)) => {
            let interval = other.ci95.map_or_else(String::new, |[low, high]| {
                format!(" ({} to {})", number(low), number(high))
            });
            let difference = other.difference.map_or_else(String::new, number);
            format!("{}: {difference}{interval}", other.verdict)
        }
    }
}

fn headline(data: &[RunData], comparison: Option<&Comparison>) -> String {
    let Some(best) = data.first() else {
        return String::new();
    };
    let second = comparison.and_then(|c| c.others.first());
    let lead = match second {
        Some(other) if other.distinguishable => format!("{} is best", best.summary.agent),
        Some(other) => {
            let tied = other.side.name.rsplit(' ').next().unwrap_or_default();
            format!(
                "{} leads, but {tied} is not distinguishable from it",
                best.summary.agent
            )
        }
        None => format!("{} was played", best.summary.agent),
    };
    let reference = &best.summary.reference;
    match (reference.regret, reference.optimum.or(reference.bound)) {
        (Some(regret), Some(against)) if against != 0.0 => format!(
            "{lead}; it is {} ({} %) from the {}.",
            number(regret),
            number((1000.0 * regret / against.abs()).round() / 10.0),
            status(reference.status)
        ),
        _ => format!("{lead}."),
    }
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Proven => "proven optimum",
        Status::Bound => "bound that no play can beat",
        Status::BestKnown => "best known play",
        Status::None => "reference",
    }
}

fn legend(summary: &Summary) -> String {
    let reference = &summary.reference;
    let mut parts = Vec::new();
    if let Some(value) = reference.optimum {
        parts.push(format!(
            "green line: {} {}",
            status(reference.status),
            number(value)
        ));
    } else if let Some(value) = reference.bound {
        parts.push(format!("green line: bound {}", number(value)));
    }
    if let Some(value) = reference.baseline {
        parts.push(format!("grey line: baseline {}", number(value)));
    }
    parts.join("; ")
}

fn row(place: usize, run: &RunData, verdict: String) -> RowPage {
    let summary = &run.summary;
    let show = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
    let counted = |(name, count): (&String, &u64)| format!("{name}: {count}");
    RowPage {
        place: place + 1,
        agent: summary.agent.clone(),
        episodes: summary.episodes,
        mean: show(summary.score.mean),
        interval: summary.score.ci95.map_or_else(
            || {
                if summary.deterministic {
                    "deterministic"
                } else {
                    "–"
                }
                .to_owned()
            },
            |[low, high]| format!("{} to {}", number(low), number(high)),
        ),
        regret: show(summary.reference.regret),
        verdict,
        sort: summary.score.mean.unwrap_or(f64::MAX),
        labels: summary
            .flags
            .iter()
            .filter(|(_, count)| **count > 0)
            .map(counted)
            .collect(),
        refusals: run.refusals.iter().map(counted).collect(),
        replayed: run.replayed,
        metrics: summary
            .metrics
            .iter()
            .map(|(name, metric)| (name.clone(), number(metric.mean)))
            .collect(),
        usage: format!(
            "{} requests, {} + {} tokens, {} USD",
            summary.usage.requests,
            summary.usage.tokens_in,
            summary.usage.tokens_out,
            number(summary.usage.cost_usd)
        ),
        best: run.best.clone(),
        worst: run.worst.clone(),
    }
}

impl Page {
    pub(super) fn new(groups: Vec<GroupPage>) -> Self {
        let mut agents: Vec<String> = Vec::new();
        for (agent, _) in groups.iter().flat_map(|group| &group.raw) {
            if !agents.contains(agent) {
                agents.push(agent.clone());
            }
        }
        let columns: Vec<Column> = groups.iter().map(|group| column(group, &agents)).collect();
        let matrix = agents
            .iter()
            .enumerate()
            .map(|(place, agent)| matrix_row(place, agent, &columns))
            .collect();
        Self {
            tasks: groups.iter().map(|group| group.title.clone()).collect(),
            episodes: groups.iter().map(|group| group.episodes).sum(),
            groups,
            agents,
            matrix,
        }
    }
}

/// Raw mean and min-max place of every agent in one task, where it has one.
type Column = Vec<Option<(f64, Option<f64>)>>;

/// The column of one task.
fn column(group: &GroupPage, agents: &[String]) -> Column {
    let present = group.raw.iter().filter_map(|(_, mean)| *mean);
    let (low, high) = present.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
        (low.min(x), high.max(x))
    });
    agents
        .iter()
        .map(|agent| {
            let mean = group.raw.iter().find(|(name, _)| name == agent)?.1?;
            let place = match group.sense {
                Sense::Maximise => (mean - low) / (high - low),
                Sense::Minimise => (high - mean) / (high - low),
            };
            Some((mean, (high > low).then_some(place)))
        })
        .collect()
}

fn matrix_row(place: usize, agent: &str, columns: &[Column]) -> MatrixRow {
    let cells: Vec<Option<(f64, Option<f64>)>> = columns
        .iter()
        .map(|column| column.get(place).copied().flatten())
        .collect();
    let places: Vec<f64> = cells
        .iter()
        .filter_map(|cell| cell.and_then(|(_, p)| p))
        .collect();
    MatrixRow {
        agent: agent.to_owned(),
        mean: sim_core::stats::mean(&places).map(|mean| format!("{mean:.3}")),
        cells: cells
            .into_iter()
            .map(|cell| {
                cell.map(|(raw, normalised)| Cell {
                    raw: number(raw),
                    normalised: normalised.map(|p| format!("{p:.3}")),
                })
            })
            .collect(),
    }
}

/// Fills the template.
pub(super) fn render(page: &Page) -> Result<String, RunError> {
    let failed = |e: minijinja::Error| RunError::Failed(format!("the page: {e}"));
    let mut env = Environment::new();
    env.set_undefined_behavior(UndefinedBehavior::Strict);
    env.set_auto_escape_callback(|_| AutoEscape::Html);
    env.add_template("report", include_str!("page.html"))
        .map_err(failed)?;
    env.get_template("report")
        .and_then(|template| template.render(minijinja::value::Serde(page)))
        .map_err(failed)
}
