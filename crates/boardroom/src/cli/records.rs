//! The commands `replay`, `verify`, `rescore`, `report` and `export`, which read stored records.

use super::output::{Output, OutputKind};
use super::{Console, pretty};
use run_engine::engine::episodes::RecordChoice;
use run_engine::engine::verify::transcript;
use run_engine::error::RunError;
use run_engine::files::lock;
use run_engine::plan::Plan;
use run_engine::run_dir::members::SWEEP;
use run_engine::run_dir::outcome::Verified;
use run_engine::run_dir::{Folder, manifest};
use run_engine::terminal::{shell_path, shown_path};
use run_engine::verify::{Programs, verify_with};
use run_engine::words::counted;
use run_report::export::ExportTable;
use run_report::picture::main_plot_of;
use run_report::questions::labels::read_labels;
use run_report::rescore;
use run_report::runs::unfinished::{never_begun, unfinished};
use run_report::runs::{Pool, expand, read_runs};
use std::path::{Path, PathBuf};

pub(super) fn replay(
    dir: &Path,
    wanted: RecordChoice,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    lock::read_running();
    let folder = Folder::read(dir)?;
    let torn_bytes = folder.torn_bytes()?;
    if torn_bytes > 0 {
        console.remark(&torn("", torn_bytes))?;
    }
    console.print(&transcript(console.registry, &folder, wanted)?)?;
    console.print(&main_plot_of(console.registry, dir, wanted)?)
}

/// The warning about a truncated last line of `bytes` bytes.
fn torn(of: &str, bytes: u64) -> String {
    format!("{of}the last line is truncated ({bytes} bytes) and does not count as a record\n")
}

pub(super) fn verify(
    dirs: &[PathBuf],
    programs: Programs,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    for dir in dirs.iter().filter(|dir| dir.join(SWEEP).exists()) {
        if let Some(open) = never_begun(console.registry, dir)? {
            console.remark(&format!("{open}\n"))?;
        }
    }
    let folders = expand(dirs)?;
    // A wrong name among several folders is reported before the checks, which can take minutes.
    for folder in &folders {
        manifest::find(folder)?;
    }
    // All folders are checked, whatever the first ones hold or need.
    let (mut wrong, mut error) = (Vec::new(), None);
    for folder in &folders {
        let of = place(folder, folders.len());
        let found = match verify_with(console.registry, folder, programs) {
            Ok(found) => found,
            Err(e @ (RunError::Interrupted(_) | RunError::Left(_))) => return Err(e.at(&of)),
            Err(e) => {
                if folders.len() > 1 {
                    console.print(&format!("{of}not verified: {e}\n"))?;
                }
                error.get_or_insert(e.at(&of));
                continue;
            }
        };
        remark_unfinished(&found, folder, &of, console)?;
        for line in found.to_string().lines() {
            console.print(&format!("{of}{line}\n"))?;
        }
        if !found.is_sound() {
            wrong.push(format!("{of}{}", found.in_short()));
        }
    }
    match error {
        Some(error) if wrong.is_empty() => Err(error),
        Some(error) => Err(error.at(&format!("{}; ", wrong.join("; ")))),
        None if wrong.is_empty() => Ok(()),
        None => Err(RunError::Failed(wrong.join("; "))),
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
        let missing = counted(missing, Plan::UNIT);
        console.remark(&format!("{of}{missing} {has} no record yet; {plays}\n"))?;
    }
    Ok(())
}

pub(super) fn rescore(
    dirs: &[PathBuf],
    json: bool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    for run in read_runs(&expand(dirs)?)? {
        console.show(json, &rescore::rescore(console.registry, &run)?)?;
    }
    Ok(())
}

/// The pooled runs in `dirs`, and what they lack, which is also printed.
pub(super) fn pools(
    dirs: &[PathBuf],
    console: &mut Console<'_>,
) -> Result<(Vec<Pool>, Vec<String>), RunError> {
    let runs = read_runs(&expand(dirs)?)?;
    let open = unfinished(console.registry, dirs, &runs)?;
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
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    // The file is checked before the runs are read, which may take long.
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
    let (pools, open) = pools(dirs, console)?;
    let report = run_report::report::report(console.registry, pools, open, &labels)?;
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
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let file = Output::named(output, OutputKind::TABLE)?;
    let runs = read_runs(&expand(dirs)?)?;
    let mut table = ExportTable::default();
    table.episodes(console.registry, &runs)?;
    remark_all(&unfinished(console.registry, dirs, &runs)?, console)?;
    let mut text = Vec::new();
    // In a file, the form of the table keeps a line end in a name within its cell; on a terminal it would begin a line.
    table.write(&mut text, file.is_none())?;
    match file {
        Some(file) => file.write(text),
        None => console.print(&String::from_utf8_lossy(&text)),
    }
}
