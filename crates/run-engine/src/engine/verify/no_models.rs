//! Replaces `verify/models.rs` in a build without the feature `models`. No plan of a model exists there,
//! so this function cannot be called.

use crate::environments::Environments;
use crate::error::RunError;
use crate::plan::model::ModelPlan;
use crate::run_dir::Folder;
use crate::run_dir::outcome::Verified;

pub(super) fn verify(
    _: &Environments,
    _: &Folder,
    model: &ModelPlan,
    _: &mut Verified,
) -> Result<(), RunError> {
    match *model {}
}
