//! The instruction of method `gepa`, as `boardroom evolve` writes it.

use crate::error::RunError;
use crate::run_dir::write_clean;
use agent_client::method::Evolved;
use serde::{Deserialize, Serialize};
use sim_core::Seed;
use std::path::Path;

/// Name of the file with the instruction in the folder of a search.
const INSTRUCTION: &str = "instruction.txt";

/// Name of the file that says how it was found.
const EVOLVED: &str = "evolved.json";

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
    /// Training items: digests of instances, names of questions or cases. Searches of version 0.1 did
    /// not name them.
    #[serde(default)]
    pub training_items: Vec<String>,
    /// Validation items.
    #[serde(default)]
    pub validation_items: Vec<String>,
    /// Budget of trials.
    pub budget: usize,
    /// The instruction, its mean, and the way there.
    pub found: Evolved,
}

/// Writes what was found to the folder of its search.
///
/// # Errors
/// When a file cannot be written.
pub fn write_found(out: &Path, file: &EvolvedFile) -> Result<(), RunError> {
    let text = serde_json::to_string_pretty(file).map_err(|e| RunError::Failed(e.to_string()))?;
    for (name, text) in [
        (INSTRUCTION, file.found.instruction.clone()),
        (EVOLVED, text),
    ] {
        write_clean(&out.join(name), &(text + "\n"))?;
    }
    Ok(())
}

/// Reads an instruction: a text file, the folder of a search, or its `evolved.json`.
///
/// # Errors
/// When it cannot be read or holds nothing.
pub fn read_instruction(path: &Path) -> Result<String, RunError> {
    let file = if path.is_dir() {
        path.join(INSTRUCTION)
    } else {
        path.to_owned()
    };
    let text = std::fs::read_to_string(&file).map_err(RunError::file(&file))?;
    let text = if file.extension().is_some_and(|ext| ext == "json") {
        let read: EvolvedFile = serde_json::from_str(&text)
            .map_err(|e| RunError::usage(format!("{}: {e}", file.display())))?;
        read.found.instruction
    } else {
        text
    };
    match text.trim() {
        "" => Err(RunError::usage(format!(
            "{} holds no instruction",
            file.display()
        ))),
        text => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_read_as_text_folder_or_json() {
        let dir = tempfile::tempdir().unwrap();
        let file = EvolvedFile {
            environment: "beer-game".to_owned(),
            version: 1,
            preset: "random".to_owned(),
            agent: "openai:m".to_owned(),
            seed: Seed(1),
            train: 3,
            validation: 3,
            training_items: Vec::new(),
            validation_items: Vec::new(),
            budget: 30,
            found: Evolved {
                instruction: "Order little.".to_owned(),
                mean: 0.5,
                first_mean: 0.25,
                history: Vec::new(),
                metric_calls: 30,
            },
        };
        write_found(dir.path(), &file).unwrap();
        for name in ["", INSTRUCTION, EVOLVED] {
            let text = read_instruction(&dir.path().join(name)).unwrap();
            assert_eq!(text, "Order little.", "{name}");
        }
        let empty = dir.path().join("empty.txt");
        std::fs::write(&empty, " \n").unwrap();
        let error = read_instruction(&empty).unwrap_err();
        assert!(matches!(error, RunError::Usage(_)), "{error:?}");
        assert!(error.to_string().contains("empty.txt"), "{error}");
    }
}
