//! Records as a table for other programs: one row an episode.

use crate::csv::Table;
use crate::runs::Run;
use run_engine::engine::summary::{BestReached, raise, raised, ratio_metrics};
use run_engine::error::RunError;
use run_engine::plan::cast::is_oracle;
use run_engine::plan::source::InstanceSource;
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::references::References;
use run_engine::run_dir::stamp::VerifyStatus;
use run_engine::terminal::shown_name;
use sim_core::Cause;
use sim_core::score::Metrics;
use sim_core::stats::normalise;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// Columns that every run of episodes has.
const COLUMNS: [&str; 27] = [
    "environment",
    "version",
    "preset",
    "suite",
    "settings",
    "agent",
    "seed",
    "episode",
    "trial",
    "instance",
    "ending",
    "forfeits",
    "inputs",
    "replies_said",
    "replies_cut_off",
    "replies_filtered",
    "replies_no_room",
    "replies_refused",
    "replies_malformed",
    "replies_failed",
    "score",
    "reference",
    "optimum",
    "bound",
    "regret",
    "oracle",
    "verified",
];

/// Records of one or several kinds as a table.
#[derive(Debug, Default)]
pub struct ExportTable {
    columns: Vec<&'static str>,
    rows: Vec<ExportRow>,
}

#[derive(Debug)]
struct ExportRow {
    cells: BTreeMap<&'static str, String>,
    metrics: Metrics,
}

impl ExportTable {
    /// Adds the episodes of `runs`. Instances with labels, such as the task and the name of a question, have a column for
    /// each, and a learning stream for `stream`. `reference` says how certain the reference of the episode's instance is,
    /// `optimum` and `bound` are its values, and `regret` is what the score lost against the optimum, or against
    /// the bound where no optimum is known; a cell is empty where there is none. They are those that the run
    /// stored, or else quick ones, and a best known optimum counts as the best score that any of `runs` reached,
    /// where that is better. Where an environment shows the score over the optimum, `ratio` and `solved` are
    /// among the metrics. `replies_said` and so on count the agent's replies by cause; they are empty where no model
    /// was asked. `settings` is the digest of the whole configuration: together with environment, version and suite it
    /// says which task was played. `trial` is the repetition of an episode by the clients of a server, from 0. `oracle`
    /// says whether the agent knows hidden state, and `verified` what the stamp of `verify` says.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn episodes(&mut self, registry: &Registry, runs: &[Run]) -> Result<(), RunError> {
        let mut rows = Vec::new();
        let mut best = BestReached::new();
        for run in runs {
            let settings = run.plan.config_digest().short();
            let spec = registry.kind(&run.plan.environment)?;
            let oracle = is_oracle(spec, &run.plan).to_string();
            let source = InstanceSource::of(spec, &run.plan)?;
            let files: Vec<_> = run.folders.iter().map(Folder::references).collect();
            let references = References::recorded(&files)?;
            let verified = VerifyStatus::of_all(run.folders.iter().map(Folder::path))?.to_string();
            let found = run.scan(|record| {
                let (header, score, tally) = (&record.header, &record.score, record.tally());
                let replies = |cause| match &tally.causes {
                    causes if causes.is_empty() => String::new(),
                    causes => causes.of(cause).to_string(),
                };
                let cells = [
                    header.environment.clone(),
                    header.version.to_string(),
                    run.plan.preset.clone(),
                    run.plan.suite.clone().unwrap_or_default(),
                    settings.clone(),
                    header.agent.clone(),
                    header.seed.0.to_string(),
                    header.episode.to_string(),
                    header.trial.to_string(),
                    header.instance.short(),
                    record.ending.to_string(),
                    tally.forfeits.to_string(),
                    tally.inputs.to_string(),
                    replies(Cause::Said),
                    replies(Cause::CutOff),
                    replies(Cause::Filtered),
                    replies(Cause::NoRoom),
                    replies(Cause::Refused),
                    replies(Cause::Malformed),
                    replies(Cause::Failed),
                    if score.is_scored() {
                        score.value().to_string()
                    } else {
                        String::new()
                    },
                    String::new(),
                    String::new(),
                    String::new(),
                    String::new(),
                    oracle.clone(),
                    verified.clone(),
                ];
                // Scores of another version are not measured by the references of this one.
                let against = if spec.version() == run.plan.version {
                    Some(references.of(&*source.case(header.episode)?)?)
                } else {
                    None
                };
                let mut further = Vec::new();
                if source.is_listed() {
                    further = source.case(header.episode)?.labels();
                }
                let stream = header.stream.filter(|_| !further.is_empty());
                further.extend(stream.map(|stream| ("stream", stream.to_string())));
                if let Some(method) = header.method.as_ref().filter(|_| !further.is_empty()) {
                    further.push(("method", method.clone()));
                }
                Ok((cells, further, record.score, against))
            })?;
            for (_, _, score, against) in &found {
                if let Some(against) = against.as_ref().filter(|_| score.is_scored()) {
                    raise(&mut best, spec.sense(), score.value(), against);
                }
            }
            rows.extend(found.into_iter().map(|row| (spec, row)));
        }
        for column in COLUMNS {
            if !self.columns.contains(&column) {
                self.columns.push(column);
            }
        }
        for (spec, (mut cells, further, score, against)) in rows {
            let mut metrics = score.metrics().clone();
            if let Some(against) = against.filter(|_| score.is_scored()) {
                let known = raised(&against, &best);
                let cell = |value: Option<f64>| value.map_or_else(String::new, |x| x.to_string());
                let [.., reference, optimum, bound, regret, _, _] = &mut cells;
                *reference = known.status.to_string();
                *optimum = cell(known.optimum);
                *bound = cell(known.bound);
                let lost = normalise(score.value(), &known, spec.sense()).regret;
                *regret = cell(lost.filter(|_| spec.is_ranked()));
                let ratio =
                    ratio_metrics(score.value(), &known).filter(|_| spec.about().shows_ratio);
                metrics.extend(ratio.into_iter().flatten());
            }
            for (column, _) in &further {
                if !self.columns.contains(column) {
                    self.columns.push(column);
                }
            }
            self.rows.push(ExportRow {
                cells: COLUMNS.into_iter().zip(cells).chain(further).collect(),
                metrics,
            });
        }
        Ok(())
    }

    /// The same table for a terminal: line ends, tabs and characters that a terminal does not show are escapes, so that
    /// no name looks like another row or another name. A file keeps the exact names.
    #[must_use]
    pub fn shown(mut self) -> Self {
        for cell in self.rows.iter_mut().flat_map(|row| row.cells.values_mut()) {
            *cell = shown_name(cell);
        }
        self
    }

    /// Writes the table as CSV, with a column for every metric that any record has. The cell of a column
    /// or metric that a record does not have is empty.
    ///
    /// # Errors
    /// When `to` cannot be written.
    pub fn write(&self, to: &mut dyn Write) -> Result<(), RunError> {
        let metrics = self.rows.iter().flat_map(|row| row.metrics.keys());
        let metrics: BTreeSet<&str> = metrics.map(AsRef::as_ref).collect();
        let mut table = Table::new(to);
        table.row(self.columns.iter().chain(&metrics))?;
        for row in &self.rows {
            let cell = |name| row.cells.get(name).cloned().unwrap_or_default();
            let metric = |name| {
                row.metrics
                    .get(name)
                    .map_or_else(String::new, f64::to_string)
            };
            let cells = self.columns.iter().map(|name| cell(*name));
            table.row(cells.chain(metrics.iter().map(|name| metric(*name))))?;
        }
        table.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line_on_a_terminal_and_exact_in_a_file() {
        let cells = [("agent", "a\n=b\tc\u{200b}".to_owned())];
        let table = ExportTable {
            columns: vec!["agent"],
            rows: vec![ExportRow {
                cells: cells.into(),
                metrics: Metrics::default(),
            }],
        };
        let written = |table: &ExportTable| {
            let mut text = Vec::new();
            table.write(&mut text).unwrap();
            String::from_utf8(text).unwrap()
        };
        assert_eq!(written(&table), "agent\n\"a\n=b\tc\u{200b}\"\n");
        assert_eq!(
            written(&table.shown()),
            "agent\na\\u000a=b\\u0009c\\u200b\n"
        );
    }
}
