//! The instruction of method `gepa`, as `boardroom evolve` writes it.

use crate::error::RunError;
use crate::files::names::{EVOLVED, INSTRUCTION};
use crate::files::{regular, run_file};
use crate::terminal::shown_path;
use crate::words::counted;
use agent_client::method::Evolved;
use serde::{Deserialize, Serialize};
use sim_core::Seed;
use std::collections::BTreeSet;
use std::path::Path;

/// What a search found, as `evolved.json` keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolvedFile {
    /// Environment on whose instances it was found; `qa` for questions, `consulting` for interviews.
    pub environment: String,
    /// Version of its numbers.
    pub version: u32,
    /// Preset; the tasks of questions, the choice of cases.
    pub preset: String,
    /// Who played and proposed.
    pub agent: String,
    /// Seed of items and search.
    pub seed: Seed,
    /// Number of training items.
    pub train: usize,
    /// Number of validation items.
    pub validation: usize,
    /// Training items: digests of instances, names of questions or cases.
    pub training_items: Vec<String>,
    /// Validation items.
    pub validation_items: Vec<String>,
    /// Budget of trials.
    pub budget: usize,
    /// The instruction, its mean, and the way there.
    pub found: Evolved,
}

impl EvolvedFile {
    /// The search that found the instruction at `path`, if it is in the folder of one.
    fn behind(path: &Path) -> Option<Self> {
        let dir = if path.is_dir() { path } else { path.parent()? };
        let text = run_file::text(&dir.join(EVOLVED), regular::MOST_SMALL).ok()?;
        let file: Self = serde_json::from_str(&text).ok()?;
        // A text beside the file may have been changed, or be another one.
        (read_instruction(path).ok()? == file.found.instruction.trim()).then_some(file)
    }
}

/// The warning if the instruction at `path` was made on some of the `items` of a run of `environment`.
/// Items have the names of [`EvolvedFile::training_items`]; they are computed only if there was a search.
///
/// # Errors
/// The error of `items`.
pub fn seen_in_training(
    path: &Path,
    environment: &str,
    items: impl FnOnce() -> Result<BTreeSet<String>, RunError>,
) -> Result<Option<String>, RunError> {
    let Some(search) = EvolvedFile::behind(path).filter(|file| file.environment == environment)
    else {
        return Ok(None);
    };
    let items = items()?;
    let among = |held: &[String]| {
        let held: BTreeSet<&String> = held.iter().collect();
        items.iter().filter(|item| held.contains(item)).count() as u64
    };
    let trained = among(&search.training_items);
    if trained == 0 {
        return Ok(None);
    }
    let validated = among(&search.validation_items);
    let validated = match validated {
        0 => String::new(),
        count => format!(", and {count} were validation items"),
    };
    Ok(Some(format!(
        "{trained} of the {} of this run {} of the search behind the instruction in {}{validated}: the score \
         says little about other items",
        counted(items.len() as u64, "item"),
        if trained == 1 {
            "was a training item"
        } else {
            "were training items"
        },
        shown_path(path)
    )))
}

/// Longest instruction \[bytes\]: it is a part of each request, and of the manifest of the run.
const MOST_INSTRUCTION: u64 = 1 << 20;

/// Reads an instruction: a text file, the folder of a search, or its `evolved.json`. Links to a file that the user
/// names are followed; in the folder of a search, which may come from somebody else, they are refused, because the
/// instruction is sent to a model server.
///
/// # Errors
/// When it cannot be read, holds nothing, or more than 1 MiB.
pub fn read_instruction(path: &Path) -> Result<String, RunError> {
    let (file, text) = if path.is_dir() {
        let file = path.join(INSTRUCTION);
        let text = run_file::text(&file, regular::MOST_SMALL);
        (file, text)
    } else {
        let text = regular::json_text(path, regular::MOST_SMALL);
        (path.to_owned(), text)
    };
    let text = text.map_err(RunError::file(&file))?;
    let text = if file.extension().is_some_and(|ext| ext == "json") {
        let read: EvolvedFile = serde_json::from_str(&text).map_err(RunError::in_file(&file))?;
        read.found.instruction
    } else {
        text
    };
    if text.len() as u64 > MOST_INSTRUCTION {
        return Err(RunError::usage(format!(
            "{} is too long: an instruction has at most {MOST_INSTRUCTION} bytes",
            shown_path(&file)
        )));
    }
    match text.trim() {
        "" => Err(RunError::usage(format!(
            "{} holds no instruction",
            shown_path(&file)
        ))),
        text => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_in_the_folder_of_a_search_are_refused_and_a_named_link_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let secret = dir.path().join("id_rsa");
        std::fs::write(&secret, "private\n").unwrap();
        let search = dir.path().join("search");
        std::fs::create_dir(&search).unwrap();
        let inside = search.join(INSTRUCTION);
        std::os::unix::fs::symlink(&secret, &inside).unwrap();
        assert!(read_instruction(&search).is_err(), "a symbolic link");
        // The user named this link.
        assert_eq!(read_instruction(&inside).unwrap(), "private");
        std::fs::remove_file(&inside).unwrap();
        std::fs::hard_link(&secret, &inside).unwrap();
        assert!(read_instruction(&search).is_err(), "a hard link");
        std::fs::remove_file(&inside).unwrap();
        std::fs::write(&inside, "Order little.\n").unwrap();
        assert_eq!(read_instruction(&search).unwrap(), "Order little.");
        // The folder itself may be reached through a link.
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&search, &link).unwrap();
        assert_eq!(read_instruction(&link).unwrap(), "Order little.");
    }
}
