//! Folders put together to runs: the shards of one plan are one run, a plan that was played twice
//! is two. Parts of two divisions of one plan that share episodes are refused: they would count twice.

use run_engine::error::RunError;
use run_engine::plan::Shard;
use sim_core::Digest;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A folder that holds a run or a shard of one.
pub(crate) trait Part {
    /// Where it is.
    fn path(&self) -> &Path;
    /// Which part of the run it holds.
    fn shard(&self) -> Shard;
    /// Digest of the plan of the whole, which all shards have in common.
    ///
    /// # Errors
    /// When the plan has no JSON form: a fault of this program.
    fn whole(&self) -> Result<Digest, RunError>;
}

/// Reads folders and puts shards of one run together, in the order in which runs first appear.
///
/// # Errors
/// When a folder cannot be read, is named twice, is a shard of two runs of one plan alike, or
/// overlaps a shard of another division of its plan.
pub(crate) fn put_together<F: Part>(
    paths: &[PathBuf],
    read: impl Fn(&Path) -> Result<F, RunError>,
) -> Result<Vec<Vec<F>>, RunError> {
    let mut runs: Vec<(Digest, Vec<F>)> = Vec::new();
    let mut seen = BTreeSet::new();
    for path in paths {
        let folder = read(path)?;
        let real = std::fs::canonicalize(path).map_err(RunError::file(path))?;
        if !seen.insert(real) {
            return Err(RunError::usage(format!(
                "{} is named twice",
                path.display()
            )));
        }
        let whole = folder.whole()?;
        let held = runs.iter().filter(|(digest, _)| *digest == whole);
        if let Some(other) = held
            .flat_map(|(_, run)| run)
            .find(|other| overlap(other.shard(), folder.shard()))
        {
            return Err(RunError::usage(format!(
                "{} ({}) and {} ({}) hold episodes of one run twice: its shards overlap; name the \
                 folders of one division",
                other.path().display(),
                other.shard(),
                path.display(),
                folder.shard()
            )));
        }
        let mut open: Vec<&mut Vec<F>> = runs
            .iter_mut()
            .filter(|(digest, run)| *digest == whole && lacks(run, folder.shard()))
            .map(|(_, run)| run)
            .collect();
        if open.len() > 1 {
            open.retain(|run| run.iter().any(|held| held.path().parent() == path.parent()));
            if open.len() != 1 {
                return Err(RunError::usage(format!(
                    "{} is a shard of a plan that was played more than once, and it is not clear \
                     of which run; put the shards of a run into one folder",
                    path.display()
                )));
            }
        }
        match open.pop() {
            Some(run) => run.push(folder),
            None => runs.push((whole, vec![folder])),
        }
    }
    Ok(runs.into_iter().map(|(_, run)| run).collect())
}

/// Whether two different parts of one plan share episodes. Equal parts are no overlap: there the
/// plan was played twice.
pub fn overlap(one: Shard, other: Shard) -> bool {
    one != other && one.overlaps(other)
}

/// Whether a folder can be another part of this run: what it holds is not here yet.
fn lacks<F: Part>(run: &[F], shard: Shard) -> bool {
    run.iter()
        .map(Part::shard)
        .all(|held| !held.overlaps(shard))
}
