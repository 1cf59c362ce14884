//! Reads the policy files of the router, and collects what is known of a question before it is answered.

use aoa_router::policy::MAX_BYTES;
use aoa_router::sample::short_capability;
use aoa_router::{Agents, Bucket, Features, RoutingPlaybook, Sample, Strictness};
use qa_scoring::taxonomy::TaxonomyLabel;
use qa_scoring::{Item, Task};
use run_engine::error::RunError;
use run_engine::files::regular;
use std::path::Path;

/// Largest file of traces that is read \[bytes\].
const MOST_TRACES: u64 = 1 << 30;

/// Reads a policy file, with what was left out of it.
///
/// # Errors
/// When it cannot be read or is not a policy for these agents; names the place.
pub fn read_policy(
    path: &Path,
    agents: &Agents,
    strictness: Strictness,
) -> Result<(RoutingPlaybook, Vec<String>), RunError> {
    let text = regular::json_text(path, MAX_BYTES as u64).map_err(RunError::file(path))?;
    let reading =
        RoutingPlaybook::read(&text, agents, strictness).map_err(RunError::in_file(path))?;
    Ok((reading.value, reading.left_out))
}

/// The text of a file of traces.
pub(crate) fn traces_text(path: &Path) -> Result<String, RunError> {
    regular::json_text(path, MOST_TRACES).map_err(RunError::file(path))
}

/// What is known of a question before it is answered.
#[must_use]
pub fn sample(task: Task, item: &Item, label: Option<&TaxonomyLabel>) -> Sample {
    let name = task.to_string();
    // Without its family: `FinCode` of `finance/FinCode`.
    let name = name.split_once('/').map_or(&*name, |(_, short)| short);
    let capability = label.and_then(|label| label.capability);
    Sample {
        task_name: Some(name.to_owned()),
        capability: capability.map(|it| short_capability(it.into()).to_owned()),
        difficulty_bucket: Bucket::of(label.and_then(|label| label.difficulty)),
        features: Features::of(&item.question, item.context.as_deref()),
    }
}
