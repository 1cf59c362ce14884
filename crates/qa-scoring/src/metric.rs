//! Figures over many items.

mod classes;
mod entities;
mod sets;

pub use classes::{ClassScores, LabelCounts, class_scores};
pub use entities::{LineCounts, entity_counts, token_tag_counts};
pub use sets::{SetScores, set_f1, set_scores};
