//! `compare`: runs of episodes, the members of sweeps, interviews, answers.

use super::{Console, line};
use crate::compare::{Comparison, compare as compare_runs, compare_what_can_be};
use crate::error::RunError;
use crate::items::{compare_items, read_items};
use crate::registry::Registry;
use crate::runs::{Run, read_runs};
use crate::sweep::SWEEP;
use sim_core::Digest;
use std::path::PathBuf;

pub(super) fn compare(
    dirs: &[PathBuf],
    json: bool,
    registry: &Registry,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    if let Some(runs) = read_items(dirs)? {
        return show(&compare_items(&runs)?, json, console);
    }
    let runs = read_runs(dirs)?;
    if !dirs.iter().any(|dir| dir.join(SWEEP).exists()) {
        return show(&compare_runs(registry, &runs)?, json, console);
    }
    // The members of a sweep are of many tasks: each task is compared by itself, and a member that
    // has nothing to show yet stops none of the others.
    let mut compared = 0;
    for group in tasks(runs)? {
        let (comparison, left) = compare_what_can_be(registry, &group)?;
        for sentence in left {
            console.remark(&format!("{sentence}\n"))?;
        }
        if let Some(comparison) = comparison {
            show(&comparison, json, console)?;
            compared += 1;
        }
    }
    if compared == 0 {
        return Err(RunError::usage(
            "no two runs of these folders can be compared: of each task there is at most one with records",
        ));
    }
    Ok(())
}

fn show(comparison: &Comparison, json: bool, console: &mut Console<'_>) -> Result<(), RunError> {
    console.print(&if json {
        line(comparison)?
    } else {
        comparison.to_string()
    })
}

/// Runs by task (environment, version, settings and seed), in the order in which tasks appear.
fn tasks(runs: Vec<Run>) -> Result<Vec<Vec<Run>>, RunError> {
    let mut groups: Vec<(Digest, Vec<Run>)> = Vec::new();
    for run in runs {
        let plan = &run.plan;
        let key = (
            (&plan.environment, plan.version, &plan.config),
            (&plan.suite, &plan.instance, plan.seed),
        );
        let key = Digest::of(&key).map_err(|e| RunError::Failed(e.to_string()))?;
        match groups.iter_mut().find(|(held, _)| *held == key) {
            Some((_, group)) => group.push(run),
            None => groups.push((key, vec![run])),
        }
    }
    Ok(groups.into_iter().map(|(_, group)| group).collect())
}
