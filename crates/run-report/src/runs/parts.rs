//! Folders put together to runs: the shards of one plan are one run, a plan that was played twice
//! is two. Parts of two divisions of one plan that share episodes are refused: they would count twice.

use run_engine::error::RunError;
use run_engine::plan::{Plan, Shard};
use run_engine::run_dir::Folder;
use run_engine::terminal::shown_path;
use sim_core::Digest;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Reads folders and puts shards of one run together, in the order in which runs first appear.
///
/// # Errors
/// When a folder cannot be read, is named twice, is a shard of two runs of one plan alike, or
/// overlaps a shard of another division of its plan.
pub(crate) fn put_together(paths: &[PathBuf]) -> Result<Vec<Vec<Folder>>, RunError> {
    let mut runs: Vec<(Digest, Vec<Folder>)> = Vec::new();
    let mut seen = BTreeSet::new();
    for path in paths {
        let folder = Folder::read(path)?;
        // The real path: `run` and `./run` are one folder, and a link is what it points to.
        let real = std::fs::canonicalize(path).map_err(RunError::file(path))?;
        if !seen.insert(real) {
            return Err(RunError::usage(format!(
                "{} is named twice",
                shown_path(path)
            )));
        }
        // The plan without its shard tells runs apart: folders may be moved and renamed.
        let whole =
            Digest::of(&folder.plan().whole()).map_err(|e| RunError::usage(e.to_string()))?;
        let held = runs.iter().filter(|(digest, _)| *digest == whole);
        if let Some(other) = held
            .flat_map(|(_, run)| run)
            .find(|other| overlap(other.plan().shard, folder.plan().shard))
        {
            return Err(RunError::usage(format!(
                "{} ({}) and {} ({}) are parts of two divisions of one run: its shards overlap, so some \
                 {}s are in both; name the folders of one division",
                shown_path(other.path()),
                other.plan().shard,
                shown_path(path),
                folder.plan().shard,
                Plan::UNIT
            )));
        }
        let mut open: Vec<&mut Vec<Folder>> = runs
            .iter_mut()
            .filter(|(digest, run)| *digest == whole && lacks(run, folder.plan().shard))
            .map(|(_, run)| run)
            .collect();
        if open.len() > 1 {
            // Shards of one run usually stand in one folder, which is what tells two runs of a plan
            // apart.
            open.retain(|run| run.iter().any(|held| held.path().parent() == path.parent()));
            if open.len() != 1 {
                return Err(RunError::usage(format!(
                    "{} is a shard of a plan that was played more than once, and it is not clear to \
                     which run it belongs; put the shards of a run into one folder",
                    shown_path(path)
                )));
            }
        }
        match open.pop() {
            Some(run) => run.push(folder),
            // Also where every run of the plan has this shard: then it was played once more.
            None => runs.push((whole, vec![folder])),
        }
    }
    Ok(runs.into_iter().map(|(_, run)| run).collect())
}

/// Whether two different parts of one plan share episodes. Equal parts do not overlap: there the
/// plan was played twice.
pub fn overlap(one: Shard, other: Shard) -> bool {
    one != other && one.overlaps(other)
}

/// Whether a folder can be another part of this run: `run` has none of its records yet.
fn lacks(run: &[Folder], shard: Shard) -> bool {
    run.iter()
        .map(|held| held.plan().shard)
        .all(|held| !held.overlaps(shard))
}
