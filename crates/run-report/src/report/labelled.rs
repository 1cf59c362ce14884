//! Plots of instances with labels alone, such as questions and cases: scores by capability and difficulty, agreement of
//! judges, what a routing policy chose.

use super::collect::AgentData;
use super::plots::{drawn, of_mean, ranges};
use crate::heat_map::heat_map;
use crate::questions::LabelledRow;
use crate::questions::labels::Labels;
use pictures::Picture;
use qa_scoring::taxonomy::{CellKey, LabelAxis, LabelCell, cells};
use run_engine::engine::summary::{LEVEL, ends};
use run_engine::error::RunError;
use sim_core::plot::{Axis, RangeRow, SeriesRole};
use sim_core::stats::{cluster_mean, mean};
use sim_core::{Plot, ScoreRange, Seed};
use std::collections::{BTreeMap, BTreeSet};

/// A heat map of mean scores with a row for each run and a column for each capability and difficulty, and the
/// same means with their intervals. A question without a label in `labels` has the one that a routed run
/// stored; nothing if no answer has a label.
///
/// # Errors
/// When a plot cannot be drawn.
pub(super) fn by_label(runs: &[AgentData], labels: &Labels) -> Result<Vec<Picture>, RunError> {
    // The user's own labels win over those that a routed run has stored.
    let mut known = labels.clone();
    for (item, label) in runs.iter().flat_map(|run| &run.labels) {
        known.entry(item.clone()).or_insert_with(|| label.clone());
    }
    let by_run: Vec<(String, Vec<LabelCell>)> = runs
        .iter()
        .map(|run| (run.content.summary.agent.clone(), cells_of(run, &known)))
        .collect();
    let keys: BTreeSet<CellKey> = by_run
        .iter()
        .flat_map(|(_, cells)| cells.iter().map(|cell| cell.key))
        .collect();
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let cell = |cells: &[LabelCell], key: &CellKey| -> Option<LabelCell> {
        cells.iter().find(|cell| cell.key == *key).cloned()
    };
    let map = by_run.iter().flat_map(|(agent, cells)| {
        let cells = keys.iter().map(move |key| (key, cell(cells, key)));
        cells.map(move |(key, cell)| (agent.clone(), name(key), cell.map(|cell| cell.mean)))
    });
    let caption = "Mean score by capability and difficulty of the questions";
    let map = heat_map("labels", caption, "mean score", map);
    let mut rows = Vec::new();
    for key in &keys {
        let of_runs = by_run.iter().enumerate();
        rows.extend(of_runs.map(|(colour, (_, cells))| {
            let row = cell(cells, key).map(|cell| {
                let ends = cell.interval.map(|interval| [interval.low, interval.high]);
                of_mean(cell.mean, ends)
            });
            RangeRow {
                // The runs of a label differ by their colours, which the table names.
                name: if colour == 0 {
                    name(key)
                } else {
                    String::new()
                },
                colour,
                ..row.unwrap_or_default()
            }
        }));
    }
    let caption = format!("{caption}, with 95 % intervals, in the colours of the table");
    let rows = ranges(rows, &caption, Axis::new("mean score", ""), Vec::new())?;
    Ok([drawn(&map)?, rows].into_iter().flatten().collect())
}

/// The difficulty stands first, because the end of a long name is cut.
fn name(key: &CellKey) -> String {
    let capability = key.capability.map_or("no capability", Into::into);
    let bucket = key.bucket.map(|bucket| format!("{bucket}, "));
    format!("{}{capability}", bucket.unwrap_or_default())
}

/// The mean range of the judges' overall marks of an interview, with its 95 % interval, for each run; `None`
/// if no interview had two judges.
///
/// # Errors
/// When it cannot be drawn.
pub(super) fn judges(runs: &[AgentData]) -> Result<Option<Picture>, RunError> {
    let has_judges = |run: &AgentData| {
        let mut rows = run.rows.iter();
        rows.any(|row| row.metrics.contains_key("judges_spread"))
    };
    if !runs.iter().any(has_judges) {
        return Ok(None);
    }
    let rows = runs.iter().enumerate().map(|(colour, run)| {
        let rows = run.rows.iter();
        let ranges = rows.filter_map(|row| Some((row.item(), *row.metrics.get("judges_spread")?)));
        let marks = ScoreRange::new(0.0, 10.0);
        // Interviews of one case are not independent: the case is the observation.
        let found = cluster_mean(ranges, marks, LEVEL, Seed(0).child("judges", 0));
        let row = found.map(|found| of_mean(found.value, ends(&found)));
        RangeRow {
            name: run.content.summary.agent.clone(),
            colour,
            ..row.unwrap_or_default()
        }
    });
    let caption = "Range of the judges' overall marks of an interview: mean and 95 % interval";
    ranges(
        rows.collect(),
        caption,
        Axis::new("range", "of 10"),
        Vec::new(),
    )
}

/// How many questions each routed run gave to each method; `None` if no run is routed.
///
/// # Errors
/// When it cannot be drawn.
pub(super) fn routed(runs: &[AgentData]) -> Result<Option<Picture>, RunError> {
    let routed: Vec<&AgentData> = runs.iter().filter(|run| run.is_routed).collect();
    if routed.is_empty() {
        return Ok(None);
    }
    let methods = |run: &AgentData| {
        let mut counts = BTreeMap::<String, u32>::new();
        for row in &run.rows {
            let method = row.header.method.clone().unwrap_or_default();
            *counts.entry(method).or_default() += 1;
        }
        counts
    };
    let all: BTreeSet<String> = routed
        .iter()
        .flat_map(|run| methods(run).into_keys())
        .collect();
    let (x, y) = (Axis::default(), Axis::new("questions", ""));
    let groups = all.iter().cloned().collect();
    let title = "Questions that the routing policy gave to each method";
    let mut plot = Plot::bars("routed", title, x, y, groups);
    for run in routed {
        let counts = methods(run);
        let count = |method: &String| f64::from(counts.get(method).copied().unwrap_or_default());
        plot = plot.bar(
            SeriesRole::Own,
            run.content.summary.agent.clone(),
            all.iter().map(count),
        );
    }
    drawn(&plot)
}

fn cells_of(run: &AgentData, labels: &Labels) -> Vec<LabelCell> {
    let tasks: BTreeSet<&str> = run.rows.iter().map(LabelledRow::task).collect();
    // The question is the observation, however often it was asked.
    let mut answers: BTreeMap<&str, (Option<_>, Vec<f64>)> = BTreeMap::new();
    for row in &run.rows {
        let label = || (row.label(labels, tasks.len() == 1), Vec::new());
        let (_, scores) = answers.entry(row.item()).or_insert_with(label);
        scores.extend(row.score);
    }
    let answers = answers.into_values();
    let scored = answers.filter_map(|(label, scores)| Some((label?, mean(&scores)?)));
    cells(
        scored,
        &[LabelAxis::Capability, LabelAxis::Difficulty],
        Seed(0),
    )
}
