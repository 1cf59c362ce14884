//! `replay`, `verify`, `rescore`, `compare` and `export`: what can be done with records.

use super::{Console, line};
use crate::compare;
use crate::error::RunError;
use crate::export::export_csv;
use crate::folder::Folder;
use crate::registry::Registry;
use crate::rescore;
use crate::runs::read_runs;
use crate::verify::{self, Verified};
use std::path::{Path, PathBuf};

/// Differences that are shown of a folder; the count says how many there are.
const SHOWN: usize = 5;

pub(super) fn replay(
    dir: &Path,
    episode: Option<u64>,
    registry: &Registry,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let folder = Folder::read(dir)?;
    console.print(&verify::transcript(registry, &folder, episode)?)
}

pub(super) fn verify(
    dirs: &[PathBuf],
    registry: &Registry,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let mut broken = Vec::new();
    for run in read_runs(dirs)? {
        for folder in &run.folders {
            let found = verify::verify(registry, folder)?;
            remark_unfinished(&found, folder, console)?;
            if found.broken.is_empty() {
                let s = if found.sound == 1 { "" } else { "s" };
                console.print(&format!("{} record{s} verified\n", found.sound))?;
            } else {
                broken.push(what_is_broken(&found));
            }
        }
    }
    if broken.is_empty() {
        Ok(())
    } else {
        Err(RunError::Failed(broken.join("; ")))
    }
}

fn remark_unfinished(
    found: &Verified,
    folder: &Folder,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    if found.torn > 0 {
        console.remark(&format!(
            "a torn last line of {} bytes is no record\n",
            found.torn
        ))?;
    }
    // A server gives out games as long as clients ask for them: none of them is missing.
    if found.missing > 0 && folder.manifest.plan.agent != "mcp" {
        console.remark(&format!(
            "{} episodes have no record yet; `boardroom resume {}` plays them\n",
            found.missing,
            folder.path().display()
        ))?;
    }
    Ok(())
}

fn what_is_broken(found: &Verified) -> String {
    let shown: Vec<String> = found
        .broken
        .iter()
        .take(SHOWN)
        .map(|(episode, what)| format!("episode {episode}, {what}"))
        .collect();
    format!(
        "{} of {} records do not verify: {}",
        found.broken.len(),
        found.broken.len() + found.sound,
        shown.join("; ")
    )
}

pub(super) fn rescore(
    dirs: &[PathBuf],
    json: bool,
    registry: &Registry,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    for run in read_runs(dirs)? {
        let rescored = rescore::rescore(registry, &run)?;
        console.print(&if json {
            line(&rescored)?
        } else {
            rescored.to_string()
        })?;
    }
    Ok(())
}

pub(super) fn compare(
    dirs: &[PathBuf],
    json: bool,
    registry: &Registry,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let comparison = compare::compare(registry, &read_runs(dirs)?)?;
    console.print(&if json {
        line(&comparison)?
    } else {
        comparison.to_string()
    })
}

pub(super) fn report(
    dirs: &[PathBuf],
    output: &Path,
    registry: &Registry,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let page = crate::report::report(registry, read_runs(dirs)?)?;
    std::fs::write(output, page).map_err(RunError::file(output))?;
    console.print(&format!("report in {}\n", output.display()))
}

pub(super) fn export(
    dirs: &[PathBuf],
    output: Option<&Path>,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let runs = read_runs(dirs)?;
    let mut table = Vec::new();
    export_csv(&runs, &mut table)?;
    match output {
        Some(path) => std::fs::write(path, table).map_err(RunError::file(path)),
        None => console.print(&String::from_utf8_lossy(&table)),
    }
}
