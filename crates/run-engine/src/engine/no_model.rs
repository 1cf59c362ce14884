//! Replaces `engine/model.rs` in a build without the feature `models`. No plan of a model exists there,
//! so this function cannot be called.

pub(super) mod run {
    use crate::engine::execute::RunOptions;
    use crate::engine::finished::Finished;
    use crate::environments::Environments;
    use crate::error::RunError;
    use crate::plan::Plan;
    use crate::plan::model::{ModelPlan, RunBudget};
    use crate::run_dir::Folder;

    pub(crate) fn execute_model(
        _: &Environments,
        _: &Plan,
        model: &ModelPlan,
        _: &RunBudget,
        _: Option<&Folder>,
        _: RunOptions<'_>,
    ) -> Result<Finished, RunError> {
        match *model {}
    }
}
