//! Companies of the office on the disk (folders in the published form, company files), and
//! breakdowns of office runs by kind of task.

use crate::registry::Registry;
use enterprise_sandbox::Spec;
use enterprise_sandbox::data::company::Company;
use enterprise_sandbox::data::export::export;
use enterprise_sandbox::data::import::{ImportOptions, ImportReport, NativeTree, import};
use enterprise_sandbox::data::synth::CompanyConfig;
use run_engine::error::RunError;
use run_engine::files::{regular, run_file};
use run_engine::interrupt::Finishing;
use run_engine::plan::source::InstanceSource;
use run_engine::terminal::shown_path;
use run_report::runs::Run;
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Digest, EnvironmentSpec as _, Stored, strict};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

mod breakdown;
mod embeddings;
mod judge;
mod pipeline;
mod wording;

pub use breakdown::breakdown;
pub use embeddings::Embeddings;
pub use judge::judge_run;
pub use pipeline::{Pipeline, PipelineCounts};
pub use wording::ModelRephraser;

/// A generated company as a recipe; `boardroom office generate -o` writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompanyFile {
    /// Version of the file format.
    pub schema: u32,
    /// Version of the office whose numbers this recipe gives.
    pub version: u32,
    /// The recipe.
    pub company: CompanyConfig,
    /// Digest of the company that the recipe gives.
    pub digest: Digest,
}

impl Stored for CompanyFile {
    const WHAT: &'static str = "company file";
    const SCHEMA: u32 = 1;
}

impl CompanyFile {
    /// Reads the company file at `path`.
    ///
    /// # Errors
    /// When it cannot be read, is not a company file, or was written by another version of the office.
    pub fn read_at(path: &Path) -> Result<Self, RunError> {
        let text = regular::json_text(path, regular::MOST_DATA).map_err(RunError::file(path))?;
        let place = shown_path(path);
        let value = strict::json(text.as_bytes())
            .map_err(|e| RunError::usage(format!("{place} is not JSON: {e}")))?;
        let file = Self::read(value);
        let file = file.map_err(|e: ConfigError| RunError::usage(format!("{place}: {e}")))?;
        // A recipe makes another company under another version, and its digest would not fit.
        if file.version != Spec::ABOUT.version {
            return Err(RunError::usage(format!(
                "{place} was written by version {} of the office, this program has version {}: generate it again",
                file.version,
                Spec::ABOUT.version
            )));
        }
        Ok(file)
    }
}

/// Extensions of the files that an importer may read.
const ENDINGS: [&str; 4] = ["json", "jsonl", "csv", "txt"];

/// Largest size of a file, and of all files together (bytes).
const MOST_FILE: u64 = 2 << 30;
const MOST_READ: u64 = 4 << 30;
/// Maximum number of files and folders.
const MOST_ENTRIES: usize = 100_000;

/// The texts below `dir` that an importer may read, and the paths of the other files (documents, pictures) from the
/// folder, sorted. Links to folders are not followed.
///
/// # Errors
/// When a folder or file cannot be read, a text is not UTF-8, a link leads out of the folder, or
/// there is more than is read: 2 GiB in a file, 4 GiB or 100,000 entries in all.
fn read_folder(dir: &Path) -> Result<(NativeTree, Vec<String>), RunError> {
    let (mut texts, mut others) = (NativeTree::new(), Vec::new());
    // Targets of links are compared with the folder itself: `dir` may be a link.
    let root = dir.canonicalize().map_err(RunError::file(dir))?;
    let (mut entries, mut bytes) = (0, 0u64);
    let mut ahead = vec![PathBuf::new()];
    while let Some(place) = ahead.pop() {
        let at = dir.join(&place);
        for entry in std::fs::read_dir(&at).map_err(RunError::file(&at))? {
            let entry = entry.map_err(RunError::file(&at))?;
            let (path, from_root) = (entry.path(), place.join(entry.file_name()));
            let kind = entry.file_type().map_err(RunError::file(&path))?;
            entries += 1;
            if entries > MOST_ENTRIES {
                return Err(RunError::usage(format!(
                    "{} holds more than {MOST_ENTRIES} files and folders",
                    shown_path(dir)
                )));
            }
            if kind.is_dir() {
                ahead.push(from_root);
                continue;
            }
            if kind.is_symlink() {
                let target = path.canonicalize().map_err(RunError::file(&path))?;
                if !target.starts_with(&root) {
                    return Err(RunError::usage(format!(
                        "{} is a link that leads out of the folder; copy the file into the folder instead",
                        shown_path(&path)
                    )));
                }
            }
            let name = from_root.to_string_lossy().into_owned();
            let ending = path.extension().and_then(|e| e.to_str());
            let known = ending.is_some_and(|e| ENDINGS.contains(&e.to_lowercase().as_str()));
            // Of what a link leads to, not of the link. Reading a pipe or a device could block; a link to a folder is not a text.
            let about = std::fs::metadata(&path).map_err(RunError::file(&path))?;
            if known && about.is_file() {
                let most = MOST_FILE.min(MOST_READ - bytes);
                let text = regular::text(&path, most).map_err(RunError::file(&path))?;
                bytes += text.len() as u64;
                texts.insert(name, text);
            } else {
                others.push(name);
            }
        }
    }
    others.sort();
    Ok((texts, others))
}

/// Imports the company in the folder `dir`. The report lists files that are not texts with the
/// files without an importer.
///
/// # Errors
/// When `dir` is not a folder that can be read, or does not contain a company.
pub fn import_folder(
    dir: &Path,
    options: &ImportOptions,
) -> Result<(Company, ImportReport), RunError> {
    if dir.is_file() {
        return Err(RunError::usage(format!(
            "{} is a file; name a folder with a company in the published form",
            shown_path(dir)
        )));
    }
    let (texts, others) = read_folder(dir)?;
    let (company, mut report) = import(&texts, options).map_err(RunError::in_file(dir))?;
    report.unknown_files.extend(others);
    report.unknown_files.sort();
    Ok((company, report))
}

/// What was written into a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Written {
    /// Number of files.
    pub files: u64,
    /// Their length together (bytes).
    pub bytes: u64,
}

/// Writes a company into the folder `dir` in the published form, until `stop` is set.
///
/// # Errors
/// When the folder holds something already, or cannot be written, or the user stopped it.
pub fn export_folder(
    company: &Company,
    dir: &Path,
    stop: &AtomicBool,
) -> Result<Written, RunError> {
    make_empty(dir)?;
    // A folder that is not complete must not be taken for one that is, so the writing ends with a message and not at once.
    let _finishing = Finishing::begin();
    let mut written = Written::default();
    let mut open: Option<(String, BufWriter<File>, PathBuf)> = None;
    let mut outcome = Ok(());
    // `outcome` holds the error that ended the export.
    let _ = export(company, &mut |path, piece| {
        outcome = if stop.load(Ordering::Relaxed) {
            let half = format!("{} is not complete; remove it", shown_path(dir));
            Err(RunError::Interrupted(half))
        } else {
            append(dir, &mut open, &mut written, path, piece)
        };
        match outcome {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    outcome?;
    if let Some((_, mut file, at)) = open {
        file.flush().map_err(RunError::file(&at))?;
    }
    Ok(written)
}

fn append(
    dir: &Path,
    open: &mut Option<(String, BufWriter<File>, PathBuf)>,
    written: &mut Written,
    path: &str,
    piece: &str,
) -> Result<(), RunError> {
    if open.as_ref().is_none_or(|(at, ..)| at != path) {
        if let Some((_, mut file, at)) = open.take() {
            file.flush().map_err(RunError::file(&at))?;
        }
        // Names of imported documents are part of paths; none may lead out of the folder.
        let inside = Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        if !inside {
            return Err(RunError::Failed(format!(
                "`{path}` leads out of the folder; nothing is written there"
            )));
        }
        let at = dir.join(path);
        if let Some(folder) = at.parent() {
            std::fs::create_dir_all(folder).map_err(RunError::file(folder))?;
        }
        // Never over a file: the folder was empty, so a name that is taken comes twice in the
        // company.
        let file = run_file::create_new(&at).map_err(RunError::file(&at))?;
        written.files += 1;
        *open = Some((path.to_owned(), BufWriter::new(file), at));
    }
    if let Some((_, file, at)) = open {
        file.write_all(piece.as_bytes())
            .map_err(RunError::file(at))?;
        written.bytes += piece.len() as u64;
    }
    Ok(())
}

/// Makes the folder `dir`, or sees that it is empty.
///
/// # Errors
/// When it holds something already, or cannot be made.
pub fn make_empty(dir: &Path) -> Result<(), RunError> {
    std::fs::create_dir_all(dir).map_err(RunError::file(dir))?;
    let mut inside = std::fs::read_dir(dir).map_err(RunError::file(dir))?;
    match inside.next() {
        None => Ok(()),
        Some(_) => Err(RunError::usage(format!(
            "{} is not empty; name another folder",
            shown_path(dir)
        ))),
    }
}

/// The tasks of `run`.
///
/// # Errors
/// When it is not a run of the office, or its tasks cannot be drawn again.
fn tasks_of<'a>(registry: &'a Registry, run: &'a Run) -> Result<InstanceSource<'a>, RunError> {
    let plan = &run.plan;
    if plan.environment != Spec::ABOUT.name {
        return Err(RunError::usage(format!(
            "{} is not a run in the office",
            run.name()
        )));
    }
    InstanceSource::of(registry.kind(&plan.environment)?, plan)
}
