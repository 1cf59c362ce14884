//! `report`: one HTML file that says who is better, by how much, how surely, how far from the
//! optimum, and lets the reader look at single episodes. It needs no network and no other file.

mod collect;
mod page;
mod plot;

use crate::compare::compare;
use crate::error::RunError;
use crate::registry::Registry;
use crate::runs::Run;
use collect::RunData;
use page::{GroupPage, Page};
use sim_core::Digest;
use std::collections::BTreeMap;

/// Episodes of a run that are played again for its curve and its refusals.
const REPLAYED: usize = 200;

/// The report over `runs` as HTML.
///
/// # Errors
/// When a folder cannot be read, a record does not replay, or a plot cannot be drawn.
pub fn report(registry: &Registry, runs: Vec<Run>) -> Result<String, RunError> {
    let mut groups: BTreeMap<(String, String, Digest), Vec<Run>> = BTreeMap::new();
    for run in runs {
        let plan = &run.plan;
        let key = (
            plan.environment.clone(),
            plan.preset.clone(),
            setting(&run)?,
        );
        groups.entry(key).or_default().push(run);
    }
    let mut pages = Vec::new();
    for runs in groups.into_values() {
        pages.push(group(registry, runs)?);
    }
    page::render(&Page::new(pages))
}

/// What must be equal for two runs to stand in one ranking.
fn setting(run: &Run) -> Result<Digest, RunError> {
    let plan = &run.plan;
    let key = (&plan.config, &plan.suite, &plan.instance, plan.version);
    Digest::of(&key).map_err(|e| RunError::usage(e.to_string()))
}

fn group(registry: &Registry, runs: Vec<Run>) -> Result<GroupPage, RunError> {
    let mut all = Vec::new();
    for run in runs {
        let data = RunData::collect(registry, &run, REPLAYED)?;
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
    let comparison = if runs.len() > 1 && data.iter().all(|d| d.summary.episodes > 0) {
        // Runs that share no instance are still ranked, without a verdict.
        compare(registry, &runs).ok()
    } else {
        None
    };
    let plots = [
        plot::intervals(&data)?,
        plot::distributions(&data)?,
        plot::curves(&data)?,
    ];
    Ok(GroupPage::new(kind, &data, comparison.as_ref(), plots))
}
