//! Items as a table for other programs: one row an interview or an answer.

use super::ItemRun;
use crate::csv::Table;
use qa_runner::qa::routed::NAME;
use run_engine::error::RunError;
use std::collections::BTreeSet;
use std::io::Write;

/// Columns that every run of items has.
const COLUMNS: [&str; 15] = [
    "environment",
    "version",
    "preset",
    "agent",
    "method",
    "seed",
    "item",
    "stream",
    "place",
    "trial",
    "score",
    "verified",
    "rules",
    "interviewer",
    "judge",
];

/// Writes the items of `runs` as CSV, with a column for every metric that any of them has; an
/// absent score or metric is an empty cell. Questions have rules and no interviewer, interviews have an
/// interviewer and no rules.
///
/// # Errors
/// When `to` cannot be written.
pub fn items_csv(runs: &[ItemRun], to: &mut dyn Write) -> Result<(), RunError> {
    let rows = runs.iter().flat_map(|run| &run.rows);
    let names: BTreeSet<&String> = rows.flat_map(|row| row.metrics.keys()).collect();
    let mut table = Table::new(to);
    let names_text = names.iter().map(|name| name.as_str());
    table.row(COLUMNS.into_iter().chain(names_text))?;
    for run in runs {
        let measured = |part: &str| {
            let part = run.measure.get(part);
            part.map_or_else(String::new, |(_, words)| words.clone())
        };
        for row in &run.rows {
            let header = &row.header;
            let shown = |value: Option<f64>| value.map_or_else(String::new, |x| x.to_string());
            let cells = [
                run.about.workload.to_owned(),
                run.about.version.to_string(),
                run.about.preset.clone(),
                header.agent.clone(),
                match &run.about.method {
                    // With its settings, and under its present name.
                    Some(method) if method != NAME => method.clone(),
                    _ => header.method.clone(),
                },
                run.about.seed.0.to_string(),
                header.item.clone(),
                header.stream.to_string(),
                header.place.to_string(),
                header.trial.to_string(),
                shown(row.score),
                run.verified.to_string(),
                measured("rules"),
                measured("interviewer"),
                measured("judge"),
            ];
            let metrics = names
                .iter()
                .map(|name| shown(row.metrics.get(*name).copied()));
            table.row(cells.into_iter().chain(metrics))?;
        }
    }
    table.finish()
}
