//! Runs of items against each other.

use super::{ItemRun, Measure};
use crate::compare::{Comparison, Measured, compare_measured};
use crate::runs::labels::tell_apart;
use run_engine::error::RunError;
use run_engine::terminal::shown_path;

/// Compares runs of items with the first of them, item by item.
///
/// # Errors
/// When there are fewer than two, they were measured in different ways, or share no item.
pub fn compare_items(runs: &[ItemRun]) -> Result<Comparison, RunError> {
    let Some(first) = runs.first() else {
        return Err(RunError::usage("there is no run in these folders"));
    };
    if let Some(other) = runs.iter().find(|run| run.measure != first.measure) {
        return Err(RunError::usage(format!(
            "{} and {} cannot be compared, because their scores were measured in different ways: {}",
            shown_path(&first.folder),
            shown_path(&other.folder),
            differences(&first.measure, &other.measure)
        )));
    }
    let measured: Vec<Measured> = runs.iter().map(ItemRun::measured).collect();
    compare_measured(first.scale(), &measured)
}

/// The parts in which two ways to measure differ: `judge none and openai:m`.
fn differences(one: &Measure, other: &Measure) -> String {
    let parts = one
        .iter()
        .filter(|(name, part)| other.get(*name) != Some(part));
    let words = parts.map(|(name, (_, ours))| match other.get(name) {
        Some((_, theirs)) if theirs != ours => format!("{name} {ours} and {theirs}"),
        _ => format!("the settings of the {name} {ours}"),
    });
    words.collect::<Vec<_>>().join("; ")
}

/// Groups of runs that can be compared, by title; names tell the runs of a group apart.
#[must_use]
pub fn comparable(runs: Vec<ItemRun>) -> Vec<Vec<ItemRun>> {
    let mut groups: Vec<Vec<ItemRun>> = Vec::new();
    for run in runs {
        let joins = |group: &Vec<ItemRun>| group.iter().any(|other| other.is_comparable(&run));
        let (joined, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(joins);
        let mut joined: Vec<ItemRun> = joined.into_iter().flatten().collect();
        joined.push(run);
        groups = apart;
        groups.push(joined);
    }
    groups
        .iter_mut()
        .for_each(|group| tell_apart(group.as_mut_slice()));
    groups.sort_by_cached_key(|group| group.first().map(|run| run.report_task(group).title));
    groups
}
