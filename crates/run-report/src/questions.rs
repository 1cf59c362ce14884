//! Questions and interviews beyond what all episodes have: files of answers, labels, figures of a set of answers.

pub mod build;
pub mod data;
pub mod judge;
pub mod labels;
pub mod measured;
pub mod official;
pub mod plots;
mod rows;
pub mod score;
pub(crate) mod sets;

pub use crate::runs::QUESTIONS;
pub use rows::{Answered, LabelledRow, answers, labelled_rows};

/// The environment of interviews.
pub const INTERVIEWS: &str = "consulting";
