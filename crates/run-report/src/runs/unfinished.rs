//! What the runs that are read lack: records, shards, members of a sweep. A table or a page over a part
//! must not look like one over the whole.

use super::Run;
use crate::runs::QUESTIONS;
use run_engine::error::RunError;
use run_engine::plan::Plan;
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::manifest::environment_of;
use run_engine::run_dir::members::{SWEEP, is_run, members};
use run_engine::sweep::Sweep;
use run_engine::terminal::{shell_path, shown_path};
use run_engine::words::counted;
use std::path::{Path, PathBuf};

/// Sentences that are shown; the last one counts the others.
const SHOWN: usize = 6;

/// One sentence on each thing that `runs`, read from `dirs`, lack; none where they are whole.
///
/// # Errors
/// When a folder cannot be read.
pub fn unfinished(
    registry: &Registry,
    dirs: &[PathBuf],
    runs: &[Run],
) -> Result<Vec<String>, RunError> {
    let mut found = Vec::new();
    for dir in dirs.iter().filter(|dir| dir.join(SWEEP).exists()) {
        found.extend(never_begun(registry, dir)?);
    }
    for run in runs {
        found.extend(other_shards(run));
        // By folder and not by run: each has a plan of its own share, and a command that finishes
        // it.
        for folder in &run.folders {
            let Some(asked) = folder.plan().asked() else {
                continue;
            };
            let missing = asked.saturating_sub(folder.records()?);
            if missing > 0 {
                let has = if missing == 1 { "has" } else { "have" };
                found.push(format!(
                    "{}: {missing} of {} {has} no record yet; {}",
                    run.name(),
                    counted(asked, Plan::UNIT),
                    folder.how_to_finish()
                ));
            }
        }
    }
    Ok(shorten(found))
}

/// A sentence if shards of the run are not among its folders.
fn other_shards(run: &Run) -> Option<String> {
    let plans = || run.folders.iter().map(Folder::plan);
    // Unknown as soon as one folder states no number.
    let held = plans().map(Plan::asked).sum::<Option<u64>>()?;
    let total = run.plan.total();
    let shards: Vec<String> = plans().map(|plan| plan.shard.to_string()).collect();
    (held < total).then(|| {
        format!(
            "{}: this is {}, {held} of {}; name the folders of the other shards as well",
            run.name(),
            shards.join(" and "),
            counted(total, Plan::UNIT)
        )
    })
}

/// The first sentences, and one that counts the others.
fn shorten(mut found: Vec<String>) -> Vec<String> {
    if found.len() > SHOWN {
        let more = found.len() - SHOWN + 1;
        found.truncate(SHOWN - 1);
        found.push(format!("{more} more remarks of this kind are left out"));
    }
    found
}

/// The runs of a sweep that have no folder yet, of the shards that were begun in `dir`.
pub fn never_begun(registry: &Registry, dir: &Path) -> Result<Option<String>, RunError> {
    let (sweep, _) = Sweep::read(&dir.join(SWEEP))?;
    let mut names = match planned_members(&sweep, registry, dir) {
        Ok(names) => names,
        // What was played can still be shown.
        Err(e) => {
            return Ok(Some(format!(
                "{}: whether all runs of its plan were begun cannot be told: {e}",
                shown_path(dir)
            )));
        }
    };
    names.retain(|name| !is_run(&dir.join(name)));
    let count = names.len() as u64 + questions_never_begun(&sweep, registry, dir)?;
    let (was, them) = if count == 1 {
        ("was", "it")
    } else {
        ("were", "them")
    };
    let such = names
        .first()
        .map_or_else(String::new, |name| format!(", such as {name}"));
    Ok((count > 0).then(|| {
        format!(
            "{}: {} of the plan {was} never begun{such}; `boardroom resume {}` plays {them}",
            shown_path(dir),
            counted(count, "run"),
            shell_path(dir)
        )
    }))
}

/// How many runs of questions have no folder yet, of the shards that were begun in `dir`. They are counted and not
/// looked for by name, because the name holds the digest of their data, which may have been moved.
fn questions_never_begun(sweep: &Sweep, registry: &Registry, dir: &Path) -> Result<u64, RunError> {
    let tables = sweep.question_tables()?;
    if tables.is_empty() {
        return Ok(0);
    }
    // A list stands for one run with each of its values.
    let runs = tables.iter().map(|table| {
        let lengths = table
            .values()
            .map(|value| value.as_array().map_or(1, Vec::len));
        lengths.product::<usize>()
    });
    let planned = runs.sum::<usize>() * sweep.shards(registry, dir)?.len();
    let asked = |path: &PathBuf| environment_of(path).as_deref() == Some(QUESTIONS);
    let begun = members(dir)?.iter().filter(|path| asked(path)).count();
    // A run of questions that was played into the folder by hand counts as one of the plan. So the number may be too
    // small, but a run that was begun is never among those that were not.
    Ok(planned.saturating_sub(begun) as u64)
}

/// Names of all runs of the shards that were begun in `dir`, in the order of the plan.
///
/// # Errors
/// When the folder cannot be read, or a run of the plan cannot be made any more.
pub fn planned_members(
    sweep: &Sweep,
    registry: &Registry,
    dir: &Path,
) -> Result<Vec<String>, RunError> {
    let mut names = Vec::new();
    for shard in sweep.shards(registry, dir)? {
        let plans = sweep.plans(registry, shard)?;
        names.extend(plans.into_iter().map(|(name, _)| name));
    }
    Ok(names)
}
