//! Records as a table for other programs: one row an episode.

use crate::csv::Table;
use crate::others::others;
use crate::questions::QUESTIONS;
use crate::runs::Run;
use crate::runs::labels::options_in_words;
use run_engine::engine::summary::{
    BestReached, Kept, MetricNames, RowReference, raise, ratio_metrics,
};
use run_engine::error::RunError;
use run_engine::plan::cast::is_oracle;
use run_engine::plan::setting::{Setting, in_words};
use run_engine::plan::source::InstanceSource;
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::references::References;
use run_engine::run_dir::stamp::VerifyStatus;
use run_engine::terminal::{shown_name, shown_path};
use serde_json::Value;
use sim_core::stats::normalise;
use sim_core::{Cause, Digest, Ending, Header, Reference, Sense};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Columns that every run of episodes has.
const COLUMNS: [&str; 31] = [
    "environment",
    "version",
    "preset",
    "suite",
    "settings",
    "set",
    "agent",
    "method",
    "options",
    "run",
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

/// Those whose players measure: runs with others of them do not measure the same.
const MEASURING: [&str; 2] = ["interviewer", "judge"];

/// Records of one or several kinds as a table.
#[derive(Debug, Default)]
pub struct ExportTable {
    columns: Vec<&'static str>,
    rows: Vec<ExportRow>,
    names: MetricNames,
    best: BestReached,
}

/// A row before its cells are written; small, because there may be a million.
#[derive(Debug)]
struct ExportRow {
    common: Arc<Common>,
    seed: u64,
    episode: u64,
    trial: u32,
    instance: Digest,
    ending: Ending,
    inputs: u32,
    kept: Kept,
    /// Further columns, such as the labels of the instance.
    further: Box<[(&'static str, String)]>,
    /// Absent if the score is not measured by a reference.
    against: Option<RowReference>,
}

/// What rows have in common.
#[derive(Debug)]
struct Common {
    /// The cells of the first columns, to that of the run.
    first: [String; 10],
    /// The cells of the last columns: whether the agent is an oracle, and whether the records are verified.
    last: [String; 2],
    /// Further columns: who plays the seats that are not under test.
    others: Vec<(&'static str, String)>,
    sense: Sense,
    is_ranked: bool,
    shows_ratio: bool,
}

impl ExportTable {
    /// Adds the episodes of `runs`. `run` is the folder of a run, `method` and `options` say how its model was asked,
    /// as far as that is not the usual way. Instances with labels, such as the task and the name of a question, have a
    /// column for each, a learning stream has `stream`, and questions and interviews have `rules`, `judge` and
    /// `interviewer`. `reference` says how certain the reference of the episode's instance is, `optimum` and `bound`
    /// are its values, and `regret` is what the score lost against the optimum, or against the bound where no optimum
    /// is known; a cell is empty where there is none. They are those that the run stored, or else quick ones, and a
    /// best known optimum counts as the best score that any of `runs` reached, where that is better. Where an
    /// environment shows the score over the optimum, `ratio` and `solved` are among the metrics. `replies_said` and so
    /// on count the agent's replies by cause; they are empty where no model was asked. `settings` is the digest of the
    /// whole configuration: together with environment, version and suite it says which task was played. `set` names the
    /// settings that are not those of the preset. `trial` is the repetition of an episode by the clients of a server,
    /// from 0. `oracle` says whether the agent knows hidden state, and `verified` what the stamp of `verify` says.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn episodes(&mut self, registry: &Registry, runs: &[Run]) -> Result<(), RunError> {
        self.columns.extend(COLUMNS);
        for run in runs {
            let spec = registry.kind(&run.plan.environment)?;
            let source = InstanceSource::of(spec, &run.plan)?;
            let files: Vec<_> = run.folders.iter().map(Folder::references).collect();
            let references = References::recorded(&files)?;
            let verified = VerifyStatus::of_all(run.folders.iter().map(Folder::path))?.to_string();
            let is_oracle = is_oracle(spec, &run.plan).to_string();
            let method = run.plan.model.as_ref().map(|model| model.method.label());
            let method = method.unwrap_or_default();
            let options = options_in_words(&run.plan)?;
            let set = Setting::of(spec, &run.plan).settings;
            let set = set.iter().map(|(path, value)| in_words(path, value));
            // Not with commas, which would have every such cell quoted.
            let set = set.collect::<Vec<_>>().join("; ");
            let folder = shown_path(run.folder());
            let mut others = others(&run.plan, spec);
            let others: Vec<(&'static str, String)> = MEASURING
                .into_iter()
                .filter_map(|role| Some((role, others.remove(role)?)))
                .collect();
            let common = |header: &Header| Common {
                first: [
                    header.environment.clone(),
                    header.version.to_string(),
                    run.plan.preset.clone(),
                    run.plan.suite.clone().unwrap_or_default(),
                    run.plan.config_digest().short(),
                    set.clone(),
                    header.agent.clone(),
                    method.clone(),
                    options.clone(),
                    folder.clone(),
                ],
                last: [is_oracle.clone(), verified.clone()],
                others: others.clone(),
                sense: spec.sense(),
                is_ranked: spec.is_ranked(),
                shows_ratio: spec.about().shows_ratio,
            };
            // Records of somebody else may have other headers than the plan.
            let met = Mutex::new(BTreeMap::new());
            let names = &self.names;
            let found = run.scan(|record| {
                let tally = record.tally();
                let header = record.header;
                // Threads read the records, and a million of them have a few headers: what rows
                // have in common is made once for each.
                let key = (
                    header.environment.clone(),
                    header.version,
                    header.agent.clone(),
                );
                let mut met = met.lock().unwrap_or_else(PoisonError::into_inner);
                let held = met.entry(key).or_insert_with(|| Arc::new(common(&header)));
                let common = Arc::clone(held);
                // Released here: the reference may take long, and the other threads wait for this
                // lock.
                drop(met);
                // Scores of another version are not measured by the references of this one.
                let against = if spec.version() == run.plan.version && record.score.is_scored() {
                    let against = references.of(&*source.case(header.episode)?)?;
                    Some(RowReference::new(&against))
                } else {
                    None
                };
                let mut further = Vec::new();
                if source.distinct().is_some() {
                    let case = source.case(header.episode)?;
                    further = case.labels();
                    if header.environment == QUESTIONS {
                        let rules = case.instance().pointer("/scoring/profile");
                        let rules = rules.and_then(Value::as_str);
                        further.extend(rules.map(|rules| ("rules", rules.to_owned())));
                    }
                }
                let stream = header.stream.filter(|_| !further.is_empty());
                further.extend(stream.map(|stream| ("stream", stream.to_string())));
                // A policy may have chosen another method for this question.
                further.extend(header.method.map(|method| ("method", method)));
                Ok(ExportRow {
                    common,
                    seed: header.seed.0,
                    episode: header.episode,
                    trial: header.trial,
                    instance: header.instance,
                    ending: record.ending,
                    inputs: tally.inputs,
                    kept: names.keep(&record.score, tally, None),
                    further: further.into(),
                    against,
                })
            })?;
            // After the scan and not in it, because `best` is of all runs and threads would have to
            // take turns.
            for row in &found {
                if let Some(against) = &row.against {
                    raise(&mut self.best, spec.sense(), row.kept.value(), against);
                }
                for (column, _) in row.further.iter().chain(&row.common.others) {
                    if !self.columns.contains(column) {
                        self.columns.push(column);
                    }
                }
            }
            self.rows.extend(found);
        }
        Ok(())
    }

    /// Writes the table as CSV, with a column for every metric that any record has. The cell of a column
    /// or metric that a record does not have is empty. For a terminal, line ends, tabs and characters that it does not
    /// show are escapes, so that no name looks like another row or another name; a file keeps the exact names.
    ///
    /// # Errors
    /// When `to` cannot be written.
    pub fn write(&self, to: &mut dyn Write, is_for_terminal: bool) -> Result<(), RunError> {
        let (names, places) = self.names.places();
        let known = |row: &ExportRow| row.against.as_ref().map(|row| row.raised(&self.best));
        let ratios = |row: &ExportRow, known: &Option<Reference>| {
            let known = known.as_ref().filter(|_| row.common.shows_ratio)?;
            ratio_metrics(row.kept.value(), known)
        };
        let mut metrics: BTreeSet<&str> = names.iter().map(AsRef::as_ref).collect();
        // One row says which ratios there are: all rows of an environment with ratios have both.
        let measured = self.rows.iter().find_map(|row| ratios(row, &known(row)));
        metrics.extend(measured.into_iter().flatten().map(|(name, _)| name));
        let at: BTreeMap<&str, usize> = metrics.iter().copied().zip(0..).collect();
        let mut table = Table::new(to);
        table.row(self.columns.iter().chain(&metrics))?;
        for row in &self.rows {
            let known = known(row);
            // Made for each row when it is written: a map of all columns is many times as large as
            // a row.
            let cells = row.cells(known.as_ref());
            let cell = |name: &&str| {
                let cell = cells.get(name).cloned().unwrap_or_default();
                if is_for_terminal {
                    shown_name(&cell)
                } else {
                    cell
                }
            };
            let mut values = vec![String::new(); metrics.len()];
            let own = row.kept.metrics(&places);
            let own = own.filter_map(|(place, value)| Some((names.get(place)?.as_ref(), value)));
            for (name, value) in own.chain(ratios(row, &known).into_iter().flatten()) {
                if let Some(cell) = at.get(name).and_then(|at| values.get_mut(*at)) {
                    *cell = value.to_string();
                }
            }
            table.row(self.columns.iter().map(cell).chain(values))?;
        }
        table.finish()
    }
}

impl ExportRow {
    /// The cells by column, but for the metrics; `known` is the reference of the score.
    fn cells(&self, known: Option<&Reference>) -> BTreeMap<&'static str, String> {
        let common = &self.common;
        let number = |value: Option<f64>| value.map_or_else(String::new, |x| x.to_string());
        let replies = |cause| {
            let causes = self.kept.causes();
            causes.map_or_else(String::new, |causes| causes.of(cause).to_string())
        };
        let score = Some(self.kept.value()).filter(|_| self.kept.is_scored());
        let lost = known.and_then(|known| normalise(self.kept.value(), known, common.sense).regret);
        let own = [
            self.seed.to_string(),
            self.episode.to_string(),
            self.trial.to_string(),
            self.instance.short(),
            self.ending.to_string(),
            self.kept.forfeits().to_string(),
            self.inputs.to_string(),
            replies(Cause::Said),
            replies(Cause::CutOff),
            replies(Cause::Filtered),
            replies(Cause::NoRoom),
            replies(Cause::Refused),
            replies(Cause::Malformed),
            replies(Cause::Failed),
            number(score),
            known.map_or_else(String::new, |known| known.status.to_string()),
            number(known.and_then(|known| known.optimum)),
            number(known.and_then(|known| known.bound)),
            number(lost.filter(|_| common.is_ranked)),
        ];
        let cells = common.first.iter().chain(&own).chain(&common.last).cloned();
        let further = common.others.iter().chain(self.further.iter()).cloned();
        COLUMNS.into_iter().zip(cells).chain(further).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::{Score, Tally};

    #[test]
    fn a_name_is_one_line_on_a_terminal_and_exact_in_a_file() {
        let names = MetricNames::default();
        let score = Score::new(0.0).unwrap();
        let row = ExportRow {
            common: Arc::new(Common {
                first: std::array::from_fn(|at| match COLUMNS[at] {
                    "agent" => "a\n=b\tc\u{200b}".to_owned(),
                    _ => String::new(),
                }),
                last: Default::default(),
                others: Vec::new(),
                sense: Sense::Maximise,
                is_ranked: true,
                shows_ratio: false,
            }),
            seed: 0,
            episode: 0,
            trial: 0,
            instance: Digest([0; 32]),
            ending: Ending::Complete,
            inputs: 0,
            kept: names.keep(&score, Tally::default(), None),
            further: Box::default(),
            against: None,
        };
        let table = ExportTable {
            columns: vec!["agent"],
            rows: vec![row],
            names,
            ..ExportTable::default()
        };
        let written = |is_for_terminal| {
            let mut text = Vec::new();
            table.write(&mut text, is_for_terminal).unwrap();
            String::from_utf8(text).unwrap()
        };
        assert_eq!(written(false), "agent\n\"a\n=b\tc\u{200b}\"\n");
        assert_eq!(written(true), "agent\na\\u000a=b\\u0009c\\u200b\n");
    }
}
