//! `report`: one HTML file that says who is better, by how much, how surely, how far from the
//! optimum, and lets the reader look at single episodes. It needs no network and no other file.

mod collect;
mod curve;
mod extremes;
mod matrix;
mod page;
mod plot;
mod rows;
mod spending;

use crate::compare::with_first;
use crate::error::RunError;
use crate::registry::Registry;
use crate::runs::Run;
use crate::runs::labels::settings_apart;
use collect::{Depth, RunData};
use page::{GroupPage, Page};
use sim_core::Digest;
use std::collections::BTreeMap;

/// Episodes of a run that are played again for its curve and its refusals.
const REPLAYED: usize = 200;

/// Inputs of a run that are played again, roughly.
const INPUTS: usize = 50_000;

/// Size of all transcripts of a report together \[bytes\]: a report of many runs still opens fast.
const TRANSCRIPTS: usize = 8_000_000;

/// Sizes between which one transcript may be cut \[bytes\].
const TRANSCRIPT: (usize, usize) = (2_000, 200_000);

/// The report over `runs` as HTML; `open` says what they lack, one sentence each, and stands first.
///
/// # Errors
/// When a folder cannot be read, a record does not replay, or a plot cannot be drawn.
pub fn report(registry: &Registry, runs: Vec<Run>, open: Vec<String>) -> Result<String, RunError> {
    let depth = Depth {
        replayed: REPLAYED,
        inputs: INPUTS,
        transcript: (TRANSCRIPTS / (2 * runs.len()).max(1)).clamp(TRANSCRIPT.0, TRANSCRIPT.1),
    };
    let mut tasks: BTreeMap<(String, String), BTreeMap<Digest, Vec<Run>>> = BTreeMap::new();
    for run in runs {
        let key = (run.plan.environment.clone(), run.plan.preset.clone());
        let settings = tasks.entry(key).or_default();
        settings.entry(setting(&run)?).or_default().push(run);
    }
    let mut pages = Vec::new();
    for ((environment, preset), settings) in tasks {
        let plans: Vec<_> = settings
            .values()
            .filter_map(|runs| runs.first().map(|run| &run.plan))
            .collect();
        let apart = settings_apart(&plans);
        for (apart, runs) in apart.into_iter().zip(settings.into_values()) {
            let mut title = format!("{environment} · {preset}");
            if !apart.is_empty() {
                title = format!("{title} · {apart}");
            }
            pages.push(group(registry, title, runs, depth)?);
        }
    }
    page::render(&Page::new(pages, open))
}

/// What must be equal for two runs to stand in one ranking.
fn setting(run: &Run) -> Result<Digest, RunError> {
    let plan = &run.plan;
    let key = (&plan.config, &plan.suite, &plan.instance, plan.version);
    Digest::of(&key).map_err(|e| RunError::usage(e.to_string()))
}

fn group(
    registry: &Registry,
    title: String,
    runs: Vec<Run>,
    depth: Depth,
) -> Result<GroupPage, RunError> {
    let mut all = Vec::new();
    for run in runs {
        let data = RunData::collect(registry, &run, depth)?;
        all.push((run, data));
    }
    let Some((first, _)) = all.first() else {
        return Err(RunError::usage("there is no run to report"));
    };
    let kind = registry.kind(&first.plan.environment)?;
    let sense = kind.sense();
    // Best first; runs without a finished episode last.
    all.sort_by(
        |(_, a), (_, b)| match (a.summary.score.mean, b.summary.score.mean) {
            (Some(a), Some(b)) => sense.regret(a, 0.0).total_cmp(&sense.regret(b, 0.0)),
            (a, b) => b.is_some().cmp(&a.is_some()),
        },
    );
    let (runs, data): (Vec<Run>, Vec<RunData>) = all.into_iter().unzip();
    // A run that shares no instance with the first is still ranked, without a verdict.
    let against = with_first(registry, &runs)?;
    let plots = [
        rows::intervals(&data)?,
        rows::distributions(&data)?,
        curve::curves(&data)?,
    ];
    let plots = plots.into_iter().flatten().collect();
    Ok(GroupPage::new(kind, title, &data, &against, plots))
}
