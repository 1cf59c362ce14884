//! Rules written by a model, and a model that routes.
//!
//! This crate calls no model: it builds requests and evaluates replies. The steps of the paper:
//!
//! ```text
//!  traces ─strata─► one request a trace ─► experiences ─┐
//!                                                        ├─ map: one playbook a bundle ─► reduce ─► Playbook ─guard─► kept or not
//!  matrix ─► table of accuracies ────────────────────────┘
//! ```
//!
//! The prompts are Boardroom's own; the forms of the answers are the paper's (A.3). The texts of
//! samples, traces and experiences are inserted into requests unchanged and are never expanded as
//! templates.

mod choose;
mod extract;
mod guard;
mod strata;
mod synthesize;

pub use choose::{Pick, choice};
pub use extract::{TRACE_CHARS, extraction};
pub use guard::{Guarded, guard, hold_out};
pub use strata::{PER_STRATUM, strata};
pub use synthesize::{BUNDLE, accuracies, bundles, merging, synthesis};

/// A request to a model.
///
/// Send it with the JSON Schema of the expected answer ([`Pick::schema`], `Experience::schema`,
/// `Playbook::schema`), and check the answer with the `check` or `read` of that type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The task of the model.
    pub system: String,
    /// The material.
    pub user: String,
}

/// The beginning and the end of a text that is longer than `most` characters.
pub(crate) fn head_and_tail(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let (head, tail) = (most - most / 3, most / 3);
    let first: String = text.chars().take(head).collect();
    let last: String = text.chars().skip(count - tail).collect();
    format!(
        "{first}\n[... {} characters left out ...]\n{last}",
        count - head - tail
    )
}
