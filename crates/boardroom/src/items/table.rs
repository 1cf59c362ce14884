//! Items as a table for other programs: one row an interview or an answer.

use super::ItemRun;
use crate::error::RunError;
use std::collections::BTreeSet;
use std::io::Write;

/// Columns that every run of items has.
const COLUMNS: [&str; 11] = [
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
];

/// Writes the items of `runs` as CSV, with a column for every metric that any of them has; an
/// absent score or metric is an empty cell.
///
/// # Errors
/// When `to` cannot be written.
pub fn items_csv(runs: &[ItemRun], to: &mut dyn Write) -> Result<(), RunError> {
    let rows = runs.iter().flat_map(|run| &run.rows);
    let names: BTreeSet<&String> = rows.flat_map(|row| row.metrics.keys()).collect();
    let mut out = csv::Writer::from_writer(to);
    let failed = |source: std::io::Error| RunError::File {
        place: "the table".to_owned(),
        source,
    };
    let write = |out: &mut csv::Writer<&mut dyn Write>| {
        let names_text = names.iter().map(|name| name.as_str());
        out.write_record(COLUMNS.into_iter().chain(names_text))?;
        for run in runs {
            for row in &run.rows {
                let header = &row.header;
                let shown = |value: Option<f64>| value.map_or_else(String::new, |x| x.to_string());
                let cells = [
                    run.set().to_owned(),
                    run.version.to_string(),
                    run.preset.clone(),
                    header.agent.clone(),
                    header.method.clone(),
                    run.seed.to_string(),
                    header.item.clone(),
                    header.stream.to_string(),
                    header.place.to_string(),
                    header.trial.to_string(),
                    shown(row.score),
                ];
                let metrics = names
                    .iter()
                    .map(|name| shown(row.metrics.get(*name).copied()));
                out.write_record(cells.into_iter().chain(metrics))?;
            }
        }
        Ok::<(), csv::Error>(())
    };
    write(&mut out).map_err(|e| failed(e.into()))?;
    out.flush().map_err(failed)
}
