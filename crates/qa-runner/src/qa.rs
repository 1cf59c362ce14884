//! Questions and answers: scoring files, asking models, running their programs, making questions.
//!
//! ```text
//!  task file ──► items ──► LearningStream (a method over a model) ──► records ──► report
//!                                │ grade                               items.jsonl, grades.jsonl
//!                                ▼
//!            ItemGrader: rules of qa-scoring, programs in the Sandbox, judges behind a backend
//! ```
//!
//! The scorer does not depend on models or processes, and the agent layer does not depend on the scorer; this
//! module joins them.

pub mod build;
pub mod data;
pub mod evolve;
pub mod folder;
pub mod item;
pub mod judge;
mod keep;
pub mod marker;
pub mod measured;
pub mod official;
pub(crate) mod pieces;
pub mod plan;
mod remade;
mod replay;
pub mod routed;
pub mod run;
pub(crate) mod run_state;
pub mod score;
pub mod split;
pub mod summary;
pub mod verify;
pub mod workload;

use folder::QaDir;
use run_engine::error::RunError;

/// Record `number` of the run in `dir`, from 0 in the order of the file, as readable text.
///
/// # Errors
/// When there is no such record, or a file cannot be read.
pub fn text_of(dir: &QaDir, number: u64) -> Result<String, RunError> {
    Ok(replay::transcript(dir, Some(number))?.text)
}
