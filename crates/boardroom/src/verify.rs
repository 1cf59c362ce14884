//! Playing records again, to trust them or to read them.
//!
//! ```text
//!  folder ─► episodes │ interviews │ questions ─► Verified: findings, what is proven, what is not
//!                 │
//!                 └► models: decisions made again from the stored calls
//! ```

mod calls;
mod derive;
mod episodes;
mod interviews;
mod lines;
mod memory;
mod models;
pub mod outcome;
mod questions;
mod remade;
pub mod transcript;

pub use outcome::{Check, Finding, Proven, Unproven, Verified};
pub use transcript::{transcript, transcript_of};

use crate::error::RunError;
use crate::folder::Folder;
use crate::interview::folder::InterviewFolder;
use crate::items::{ItemKind, item_kind};
use crate::registry::Registry;
use std::path::Path;

/// Checks the run folder at `path` in every way that its kind allows.
///
/// # Errors
/// When the folder cannot be read at all, or was made by another version. What is wrong in a folder
/// that can be read stands in what is returned.
pub fn verify(registry: &Registry, path: &Path) -> Result<Verified, RunError> {
    match item_kind(path) {
        Some(ItemKind::Interviews) => interviews::verify(&InterviewFolder::read(path)?),
        Some(ItemKind::Questions) => questions::verify(path),
        None => episodes::verify(registry, &Folder::read(path)?),
    }
}
