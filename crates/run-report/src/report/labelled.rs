//! Scores of questions by capability and difficulty.

use super::plot::Plot;
use crate::heat_map::{HeatCell, draw};
use crate::items::ItemRun;
use qa_runner::labels::{Labels, label_of};
use qa_scoring::taxonomy::{LabelAxis, LabelCell, cells};
use run_engine::error::RunError;
use sim_core::Seed;
use std::collections::BTreeSet;

/// A heat map of mean scores with a row for each run and a column for each capability and difficulty. A
/// question without a label in `labels` has the one that a routed run stored; `None` if no answer has
/// a label.
pub(super) fn by_label(runs: &[ItemRun], labels: &Labels) -> Result<Option<Plot>, RunError> {
    let mut known = labels.clone();
    for routing in runs.iter().filter_map(ItemRun::routing) {
        for (item, label) in &routing.labels {
            known.entry(item.clone()).or_insert_with(|| label.clone());
        }
    }
    let by_run: Vec<(String, Vec<LabelCell>)> = runs
        .iter()
        .map(|run| (run.agent(), cells_of(run, &known)))
        .collect();
    let keys: BTreeSet<_> = by_run
        .iter()
        .flat_map(|(_, cells)| cells.iter().map(|cell| cell.key))
        .collect();
    let mut drawn = Vec::new();
    for (agent, cells) in &by_run {
        for key in &keys {
            let bucket = key
                .bucket
                .map(|bucket| format!(", {bucket:?}").to_lowercase());
            let capability = key.capability.map_or("no capability", |it| it.name());
            drawn.push(HeatCell {
                row: agent.clone(),
                column: format!("{capability}{}", bucket.unwrap_or_default()),
                value: cells
                    .iter()
                    .find(|cell| cell.key == *key)
                    .map(|cell| cell.mean),
            });
        }
    }
    if drawn.is_empty() {
        return Ok(None);
    }
    Ok(Some(Plot {
        caption: "Mean score by capability and difficulty of the questions".to_owned(),
        svg: draw(&drawn, 0.0)?,
        keys: Vec::new(),
    }))
}

fn cells_of(run: &ItemRun, labels: &Labels) -> Vec<LabelCell> {
    let task = |item: &'_ str| item.split_once(':').map(|(task, _)| task.to_owned());
    let tasks: BTreeSet<_> = run
        .rows()
        .iter()
        .map(|row| task(&row.header.item))
        .collect();
    let scored = run.rows().iter().filter_map(|row| {
        let item = &row.header.item;
        let id = item.split_once(':').map_or("", |(_, id)| id);
        let label = label_of(labels, item, id, tasks.len() == 1);
        Some((label?, row.score?))
    });
    // The intervals of the cells are not drawn.
    cells(
        scored,
        &[LabelAxis::Capability, LabelAxis::Difficulty],
        Seed(0),
    )
}
