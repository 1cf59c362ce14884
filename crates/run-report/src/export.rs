//! Records as a table for other programs: one row an episode.

use crate::csv::Table;
use crate::runs::Run;
use run_engine::engine::execute::is_clairvoyant;
use run_engine::engine::summary::ratio_metrics;
use run_engine::error::RunError;
use run_engine::plan::source::InstanceSource;
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::references::References;
use run_engine::run_dir::stamp::VerifyStatus;
use run_engine::words::name_of;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// Columns that every run has.
const COLUMNS: [&str; 15] = [
    "environment",
    "version",
    "preset",
    "suite",
    "settings",
    "agent",
    "seed",
    "episode",
    "instance",
    "ending",
    "forfeits",
    "inputs",
    "score",
    "clairvoyant",
    "verified",
];

/// Writes the episodes of `runs` as CSV, with a column for every metric that any of them has; an
/// absent metric is an empty cell. Where an environment shows the score over the optimum, `ratio` and
/// `solved` are among the metrics. `settings` is the digest of the whole configuration: together with
/// environment, version and suite it says which task was played. `clairvoyant` says whether the agent
/// knows hidden state, and `verified` what the stamp of `verify` says.
///
/// # Errors
/// When a folder cannot be read or `to` not be written.
pub fn export_csv(registry: &Registry, runs: &[Run], to: &mut dyn Write) -> Result<(), RunError> {
    let mut rows = Vec::new();
    let mut names = BTreeSet::new();
    for run in runs {
        let settings = run.plan.config_digest().short();
        let kind = registry.kind(&run.plan.environment)?;
        let clairvoyant = is_clairvoyant(kind, &run.plan).to_string();
        let source = InstanceSource::of(kind, &run.plan)?;
        let files: Vec<_> = run.folders.iter().map(Folder::references).collect();
        let references = References::recorded(&files)?;
        let verified = VerifyStatus::of_all(run.folders.iter().map(Folder::path))?.to_string();
        let found = run.scan(|record| {
            let header = &record.header;
            let tally = record.tally();
            let cells = [
                header.environment.clone(),
                header.version.to_string(),
                run.plan.preset.clone(),
                run.plan.suite.clone().unwrap_or_default(),
                settings.clone(),
                header.agent.clone(),
                header.seed.0.to_string(),
                header.episode.to_string(),
                header.instance.short(),
                name_of(&record.ending)?,
                tally.forfeits.to_string(),
                tally.inputs.to_string(),
                record.score.value().to_string(),
                clairvoyant.clone(),
                verified.clone(),
            ];
            let mut metrics: BTreeMap<String, f64> = record.score.metrics().clone();
            if kind.shows_ratio() {
                let against = references.of(&*source.case(header.episode)?)?;
                let ratio = ratio_metrics(record.score.value(), &against.reference);
                let ratio = ratio.into_iter().flatten();
                metrics.extend(ratio.map(|(name, value)| (name.to_owned(), value)));
            }
            Ok((cells, metrics))
        })?;
        names.extend(
            found
                .iter()
                .flat_map(|(_, metrics)| metrics.keys().cloned()),
        );
        rows.extend(found);
    }
    let mut table = Table::new(to);
    table.row(COLUMNS.into_iter().chain(names.iter().map(String::as_str)))?;
    for (cells, metrics) in &rows {
        let metric = |name| metrics.get(name).map_or_else(String::new, f64::to_string);
        table.row(cells.iter().cloned().chain(names.iter().map(metric)))?;
    }
    table.finish()
}
