//! Items as a table for other programs: one row an interview or an answer.

use super::{ItemRow, ItemRun};
use crate::export::{ExportTable, cause_cells};
use qa_runner::qa::routed::NAME;

/// Columns that every run of items has.
const COLUMNS: [&str; 22] = [
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
    "replies_said",
    "replies_cut_off",
    "replies_filtered",
    "replies_no_room",
    "replies_refused",
    "replies_malformed",
    "replies_failed",
    "score",
    "verified",
    "rules",
    "interviewer",
    "judge",
];

impl ExportTable {
    /// Adds the items of `runs`; an absent score is an empty cell. Questions have rules and no
    /// interviewer, interviews have an interviewer and no rules.
    pub fn items(&mut self, runs: &[ItemRun]) {
        for run in runs {
            let measured = |part: &str| {
                let part = run.measure.get(part);
                part.map_or_else(String::new, |(_, words)| words.clone())
            };
            let row = |row: &ItemRow| {
                let header = &row.header;
                let [said, cut_off, filtered, no_room, refused, malformed, failed] =
                    cause_cells(&row.used.causes());
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
                    said,
                    cut_off,
                    filtered,
                    no_room,
                    refused,
                    malformed,
                    failed,
                    row.score
                        .map_or_else(String::new, |score| score.to_string()),
                    run.verified.to_string(),
                    measured("rules"),
                    measured("interviewer"),
                    measured("judge"),
                ];
                let metrics = row.metrics.iter();
                let metrics = metrics.map(|(name, value)| (name.clone(), *value));
                (cells, metrics.collect())
            };
            self.add(COLUMNS, run.rows.iter().map(row));
        }
    }
}
