//! Companies of the office on the disk (folders in the published form, company files), and runs in
//! it by kind of task.

use crate::error::RunError;
use enterprise_sandbox::export::export;
use enterprise_sandbox::import::{ImportOptions, ImportReport, NativeTree, import};
use enterprise_sandbox::{Company, CompanyConfig};
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Digest, Stored};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Component, Path, PathBuf};

mod breakdown;
mod wording;

pub use breakdown::{Breakdown, Group, breakdown};
pub use wording::ModelRephraser;

/// A made company as a recipe: what `boardroom office generate -o` writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompanyFile {
    /// Form of this file.
    pub schema: u32,
    /// Version of the office's numbers that wrote it.
    pub version: u32,
    /// The recipe.
    pub company: CompanyConfig,
    /// Digest of the company that it gives.
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
    /// When it cannot be read or is no company file.
    pub fn read_at(path: &Path) -> Result<Self, RunError> {
        let text = std::fs::read_to_string(path).map_err(RunError::file(path))?;
        let place = path.display();
        let value = serde_json::from_str(&text)
            .map_err(|e| RunError::usage(format!("{place} is not JSON: {e}")))?;
        Self::read(value).map_err(|e: ConfigError| RunError::usage(format!("{place}: {e}")))
    }
}

/// Texts of a folder, with the paths of what is no text.
#[derive(Debug)]
pub struct Texts {
    /// Files with an ending that an importer may know.
    pub tree: NativeTree,
    /// Other files (documents, pictures), by path from the folder, sorted.
    pub others: Vec<String>,
}

/// Endings of the files that an importer may know.
const ENDINGS: [&str; 4] = ["json", "jsonl", "csv", "txt"];

/// Reads the texts below `dir`. Links to folders are not followed.
///
/// # Errors
/// When a folder or file cannot be read, or a text is not UTF-8.
pub fn read_folder(dir: &Path) -> Result<Texts, RunError> {
    let mut texts = Texts {
        tree: NativeTree::new(),
        others: Vec::new(),
    };
    let mut ahead = vec![PathBuf::new()];
    while let Some(place) = ahead.pop() {
        let at = dir.join(&place);
        for entry in std::fs::read_dir(&at).map_err(RunError::file(&at))? {
            let entry = entry.map_err(RunError::file(&at))?;
            let (path, from_root) = (entry.path(), place.join(entry.file_name()));
            let kind = entry.file_type().map_err(RunError::file(&path))?;
            if kind.is_dir() {
                ahead.push(from_root);
                continue;
            }
            let name = from_root.to_string_lossy().into_owned();
            let ending = path.extension().and_then(|e| e.to_str());
            if ending.is_some_and(|e| ENDINGS.contains(&e.to_lowercase().as_str())) {
                let text = std::fs::read_to_string(&path).map_err(RunError::file(&path))?;
                texts.tree.insert(name, text);
            } else {
                texts.others.push(name);
            }
        }
    }
    texts.others.sort();
    Ok(texts)
}

/// Imports the company in the folder `dir`; the files that are no texts stand in the report among
/// those that no importer knows.
///
/// # Errors
/// When the folder cannot be read or holds no company.
pub fn import_folder(
    dir: &Path,
    options: &ImportOptions,
) -> Result<(Company, ImportReport), RunError> {
    let texts = read_folder(dir)?;
    let (company, mut report) = import(&texts.tree, options)
        .map_err(|e| RunError::usage(format!("{}: {e}", dir.display())))?;
    report.unknown_files.extend(texts.others);
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

/// Writes a company into the folder `dir` in the published form.
///
/// # Errors
/// When the folder holds something already, or cannot be written.
pub fn export_folder(company: &Company, dir: &Path) -> Result<Written, RunError> {
    make_empty(dir)?;
    let mut written = Written::default();
    let mut open: Option<(String, BufWriter<File>, PathBuf)> = None;
    let mut outcome = Ok(());
    export(company, &mut |path, piece| {
        if outcome.is_ok() {
            outcome = append(dir, &mut open, &mut written, path, piece);
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
        let file = File::create(&at).map_err(RunError::file(&at))?;
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
            dir.display()
        ))),
    }
}
