//! The instruction of method `gepa`, as `boardroom evolve` writes it.

use crate::error::RunError;
use agent_client::method::Evolved;
use serde::{Deserialize, Serialize};
use sim_core::Seed;
use std::path::Path;

/// Name of the file with the instruction in the folder of a search.
pub(crate) const INSTRUCTION: &str = "instruction.txt";

/// Name of the file that says how it was found.
pub(crate) const EVOLVED: &str = "evolved.json";

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
