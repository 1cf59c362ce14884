//! What the runs that are read lack: records, shards, members of a sweep. A table or a page over a part
//! must not look like one over the whole.

use super::Run;
use run_engine::error::RunError;
use run_engine::plan::agent::is_served;
use run_engine::plan::{Plan, Shard};
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::members::{SWEEP, is_run};
use run_engine::sweep::Sweep;
use run_engine::terminal::{shell_path, shown_path};
use run_engine::words::counted;
use std::path::{Path, PathBuf};

/// Sentences that are shown; the last one counts the others.
const SHOWN: usize = 6;

/// What a run lacks, whatever it consists of.
#[derive(Debug)]
pub(crate) struct Whole {
    /// Name of the run.
    pub(crate) name: String,
    /// Name of a unit (`episode`).
    pub(crate) unit: &'static str,
    /// Number of units of all shards, if known.
    pub(crate) total: Option<u64>,
    /// Its folders.
    pub(crate) parts: Vec<Part>,
}

/// How far a run came, as its reader says.
pub(crate) struct RunProgress {
    /// Environment.
    pub(crate) environment: String,
    /// Preset.
    pub(crate) preset: String,
    /// Who played.
    pub(crate) agent: String,
    /// Number of records.
    pub(crate) records: u64,
    /// Number of units to be done, if stated.
    pub(crate) planned: Option<u64>,
    /// Mean score of the records.
    pub(crate) score: Option<f64>,
    /// Whether `resume` does not do what is missing.
    pub(crate) is_open: bool,
}

/// A folder of a run.
#[derive(Debug)]
pub(crate) struct Part {
    /// The part of the run that it holds.
    pub(crate) shard: Shard,
    /// Number of units that it is to hold; absent if no number is stated.
    pub(crate) asked: Option<u64>,
    /// Number of its records.
    pub(crate) records: u64,
    /// The command that does the missing units, as the end of a sentence.
    pub(crate) how_to_finish: String,
}

impl Whole {
    /// One sentence for each folder that lacks records, and one if shards are not among the folders.
    pub(crate) fn missing(&self) -> Vec<String> {
        let mut found: Vec<String> = self.other_shards().into_iter().collect();
        for part in &self.parts {
            let Some(asked) = part.asked else {
                continue;
            };
            let missing = asked.saturating_sub(part.records);
            if missing > 0 {
                let has = if missing == 1 { "has" } else { "have" };
                found.push(format!(
                    "{}: {missing} of {} {has} no record yet; {}",
                    self.name,
                    counted(asked, self.unit),
                    part.how_to_finish
                ));
            }
        }
        found
    }

    fn other_shards(&self) -> Option<String> {
        let held: Option<u64> = self.parts.iter().map(|part| part.asked).sum();
        let (held, total) = held.zip(self.total)?;
        let shards: Vec<String> = self.parts.iter().map(|p| p.shard.to_string()).collect();
        (held < total).then(|| {
            format!(
                "{}: this is {}, {held} of {}; name the folders of the other shards as well",
                self.name,
                shards.join(" and "),
                counted(total, self.unit)
            )
        })
    }
}

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
        let part = |folder: &Folder| {
            let plan = folder.plan();
            Ok(Part {
                shard: plan.shard,
                // A server gives out games as long as clients ask for them: none of them is missing.
                asked: (!is_served(&plan.agent)).then(|| plan.indices().count() as u64),
                records: folder.records()?,
                how_to_finish: folder.how_to_finish(),
            })
        };
        let whole = Whole {
            name: run.name(),
            unit: Plan::UNIT,
            total: Some(run.plan.total()),
            parts: run
                .folders
                .iter()
                .map(part)
                .collect::<Result<_, RunError>>()?,
        };
        found.extend(whole.missing());
    }
    Ok(shorten(found))
}

/// The first sentences, and one that counts the others.
pub(crate) fn shorten(mut found: Vec<String>) -> Vec<String> {
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
    let count = names.len() as u64;
    Ok(names.first().map(|first| {
        let was = if count == 1 { "was" } else { "were" };
        format!(
            "{}: {} of the plan {was} never begun, such as {first}; `boardroom resume {}` plays {}",
            shown_path(dir),
            counted(count, "run"),
            shell_path(dir),
            if count == 1 { "it" } else { "them" }
        )
    }))
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
