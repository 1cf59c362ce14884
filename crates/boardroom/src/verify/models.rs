//! Decisions of a model in a folder of episodes, made again from the calls that the folder holds.

use super::outcome::{Check, Verified};
use crate::error::RunError;
use crate::folder::Folder;
use crate::model::ModelPlan;
use crate::registry::Registry;

/// Plays the episodes that have records again with the model of the plan, whose replies are the
/// stored ones, and compares.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn verify(
    registry: &Registry,
    folder: &Folder,
    model: &ModelPlan,
    found: &mut Verified,
) -> Result<(), RunError> {
    let _ = (registry, folder, model);
    let why = "they are not derived from the stored calls";
    found.leave(Check::Decisions, "the decisions of a model", why);
    Ok(())
}
