//! The commands `replay`, `verify`, `rescore`, `report` and `export`, which read stored records.

use super::output::{Output, OutputKind};
use super::{Console, line, pretty};
use qa_runner::labels::read_labels;
use run_engine::engine::workload::RecordChoice;
use run_engine::error::RunError;
use run_engine::files::lock;
use run_engine::plan::Plan;
use run_engine::registry::Registry;
use run_engine::run_dir::members::SWEEP;
use run_engine::run_dir::outcome::Verified;
use run_engine::run_dir::{Folder, RunPlan as _, manifest};
use run_engine::terminal::{shell_path, shown_path};
use run_engine::words::counted;
use run_report::export::ExportTable;
use run_report::items::{ItemRun, is_items, is_questions, read_items, unfinished_items};
use run_report::picture::main_plot_of;
use run_report::rescore;
use run_report::runs::unfinished::{never_begun, unfinished};
use run_report::runs::{Pool, expand, read_runs};
use std::path::{Path, PathBuf};

pub(super) fn replay(
    dir: &Path,
    wanted: RecordChoice,
    registry: &Registry,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    lock::read_running();
    let value = manifest::value(dir)?;
    let read = registry.workload(&value).replay(registry, dir, wanted)?;
    if read.torn > 0 {
        console.remark(&torn("", read.torn))?;
    }
    console.print(&read.text)?;
    if manifest::kind(&value) != Some(Plan::KEY) {
        return Ok(());
    }
    console.print(&main_plot_of(registry, dir, wanted)?)
}

/// The warning about a truncated last line of `bytes` bytes.
fn torn(of: &str, bytes: u64) -> String {
    format!("{of}the last line is truncated ({bytes} bytes) and does not count as a record\n")
}

pub(super) fn verify(
    dirs: &[PathBuf],
    registry: &Registry,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    for dir in dirs.iter().filter(|dir| dir.join(SWEEP).exists()) {
        if let Some(open) = never_begun(registry, dir)? {
            console.remark(&format!("{open}\n"))?;
        }
    }
    let folders = expand(dirs)?;
    // A wrong name among several folders is reported before the checks, which can take minutes.
    for folder in &folders {
        manifest::find(folder)?;
    }
    let mut wrong = Vec::new();
    for folder in &folders {
        let of = place(folder, folders.len());
        let found = run_engine::verify::verify(registry, folder).map_err(|e| e.at(&of))?;
        remark_unfinished(&found, folder, &of, console)?;
        for line in found.to_string().lines() {
            console.print(&format!("{of}{line}\n"))?;
        }
        if !found.is_sound() {
            wrong.push(format!("{of}{}", found.in_short()));
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(RunError::Failed(wrong.join("; ")))
    }
}

/// The prefix of a message about one of `count` folders: the folder's name, or nothing if there is
/// only one folder.
pub(super) fn place(folder: &Path, count: usize) -> String {
    if count > 1 {
        format!("{}: ", shown_path(folder))
    } else {
        String::new()
    }
}

fn remark_unfinished(
    found: &Verified,
    folder: &Path,
    of: &str,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    if found.torn > 0 {
        console.remark(&torn(of, found.torn))?;
    }
    for remark in &found.remarks {
        console.remark(&format!("{of}{remark}\n"))?;
    }
    let missing = found.missing();
    if missing > 0 {
        let plays = match Folder::read(folder) {
            Ok(folder) => folder.how_to_finish(),
            Err(_) => format!("`boardroom resume {}` continues it", shell_path(folder)),
        };
        let has = if missing == 1 { "has" } else { "have" };
        let missing = counted(missing, found.unit.unwrap_or("record"));
        console.remark(&format!("{of}{missing} {has} no record yet; {plays}\n"))?;
    }
    Ok(())
}

pub(super) fn rescore(
    dirs: &[PathBuf],
    json: bool,
    registry: &Registry,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let (episodes, items) = by_kind(dirs)?;
    let mut rescored = Vec::new();
    if items.is_empty() || !episodes.is_empty() {
        let runs = read_runs(&episodes)?.into_iter();
        rescored.extend(runs.map(|run| rescore::rescore(registry, &run)));
    }
    rescored.extend(items.iter().map(rescore::rescore_items));
    for rescored in rescored {
        let rescored = rescored?;
        console.print(&if json {
            line(&rescored)?
        } else {
            rescored.to_string()
        })?;
    }
    Ok(())
}

/// The folders of episodes, and the runs of questions and interviews, in `dirs` and in the folders of
/// runs among them.
pub(super) fn by_kind(dirs: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<ItemRun>), RunError> {
    let (items, episodes): (Vec<PathBuf>, Vec<PathBuf>) =
        expand(dirs)?.into_iter().partition(|dir| is_items(dir));
    let (questions, interviews): (Vec<PathBuf>, Vec<PathBuf>) =
        items.into_iter().partition(|dir| is_questions(dir));
    let mut items = Vec::new();
    for dirs in [questions, interviews] {
        items.extend(read_items(&dirs)?.unwrap_or_default());
    }
    Ok((episodes, items))
}

/// The pooled runs of the folders `episodes`, and what they lack, which is also printed; nothing where
/// `dirs` hold only `items`.
pub(super) fn pools(
    episodes: &[PathBuf],
    items: &[ItemRun],
    dirs: &[PathBuf],
    registry: &Registry,
    console: &mut Console<'_>,
) -> Result<(Vec<Pool>, Vec<String>), RunError> {
    if episodes.is_empty() && !items.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let runs = read_runs(episodes)?;
    let open = unfinished(registry, dirs, &runs)?;
    remark_all(&open, console)?;
    Ok((Pool::of(runs, dirs)?, open))
}

/// Prints remarks, one per line.
pub(super) fn remark_all(remarks: &[String], console: &mut Console<'_>) -> Result<(), RunError> {
    for sentence in remarks {
        console.remark(&format!("{sentence}\n"))?;
    }
    Ok(())
}

/// The file of a report if none is named.
const USUAL_REPORT: &str = "report.html";

pub(super) fn report(
    dirs: &[PathBuf],
    (output, json): (Option<&Path>, bool),
    labels: Option<&Path>,
    registry: &Registry,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let usual = (!json).then_some(Path::new(USUAL_REPORT));
    let file = match output {
        Some(named) => Some(Output::at(named, OutputKind::REPORT)?),
        None => usual
            .map(|path| Output::chosen(path, OutputKind::REPORT))
            .transpose()?,
    };
    let output = output.or(usual);
    lock::read_running();
    let labels = labels.map(read_labels).transpose()?.unwrap_or_default();
    let (episodes, items) = by_kind(dirs)?;
    let mut open = unfinished_items(&items)?;
    remark_all(&open, console)?;
    let (pools, lacking) = pools(&episodes, &items, dirs, registry, console)?;
    open.extend(lacking);
    let report = run_report::report::report(registry, pools, items, open, &labels)?;
    if let Some(file) = file {
        file.write(report.html)?;
    }
    match output {
        _ if json => console.print(&pretty(&report.content)?),
        Some(output) => console.print(&format!("report in {}\n", shown_path(output))),
        None => Ok(()),
    }
}

pub(super) fn export(
    dirs: &[PathBuf],
    output: Option<&Path>,
    registry: &Registry,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let file = output
        .map(|path| Output::at(path, OutputKind::TABLE))
        .transpose()?;
    let (episodes, items) = by_kind(dirs)?;
    let mut table = ExportTable::default();
    if items.is_empty() || !episodes.is_empty() {
        let runs = read_runs(&episodes)?;
        table.episodes(registry, &runs)?;
        remark_all(&unfinished(registry, dirs, &runs)?, console)?;
    }
    table.items(&items);
    remark_all(&unfinished_items(&items)?, console)?;
    let mut text = Vec::new();
    table.write(&mut text)?;
    match file {
        Some(file) => file.write(text),
        None => console.print(&String::from_utf8_lossy(&text)),
    }
}
