//! Reads the files of the router: policies and labels of questions. Collects what is known of a question
//! before it is answered.

use aoa_router::sample::short_capability;
use aoa_router::{Agents, Borders, Features, RoutingPlaybook, Sample, Strictness};
use qa_scoring::load;
use qa_scoring::taxonomy::TaxonomyLabel;
use qa_scoring::{Item, Task};
use run_engine::error::RunError;
use std::collections::BTreeMap;
use std::path::Path;

/// Largest file that is read [bytes].
const MOST_BYTES: u64 = 1 << 30;

/// Reads a policy file, with what was left out of it.
///
/// # Errors
/// When it cannot be read or is not a policy for these agents; names the place.
pub fn read_policy(
    path: &Path,
    agents: &Agents,
    strictness: Strictness,
) -> Result<(RoutingPlaybook, Vec<String>), RunError> {
    let text = read_text(path)?;
    let reading = RoutingPlaybook::read(&text, agents, strictness)
        .map_err(|e| RunError::usage(format!("{}: {e}", path.display())))?;
    Ok((reading.value, reading.left_out))
}

/// Reads a file of text that is not larger than any sensible one.
pub(crate) fn read_text(path: &Path) -> Result<String, RunError> {
    let size = std::fs::metadata(path).map_err(RunError::file(path))?.len();
    if size > MOST_BYTES {
        let text = format!("{}: {size} bytes; at most {MOST_BYTES}", path.display());
        return Err(RunError::usage(text));
    }
    std::fs::read_to_string(path).map_err(RunError::file(path))
}

/// Labels of questions by name.
///
/// # Errors
/// When the file cannot be read; says where.
pub(crate) fn read_labels(path: &Path) -> Result<BTreeMap<String, TaxonomyLabel>, RunError> {
    let bytes = std::fs::read(path).map_err(RunError::file(path))?;
    let loaded =
        load::labels(&bytes).map_err(|e| RunError::usage(format!("{}: {e}", path.display())))?;
    let records = loaded.records.into_iter();
    Ok(records.map(|record| (record.id, record.label)).collect())
}

/// The label of a question: under its name over all tasks, or, where there is `only` one task, under
/// its own.
pub(crate) fn label_of<'l>(
    labels: &'l BTreeMap<String, TaxonomyLabel>,
    name: &str,
    id: &str,
    only: bool,
) -> Option<&'l TaxonomyLabel> {
    let by_name = labels.get(name);
    by_name.or_else(|| labels.get(id).filter(|_| only))
}

/// What is known of a question before it is answered.
#[must_use]
pub fn sample(task: Task, item: &Item, label: Option<&TaxonomyLabel>) -> Sample {
    let capability = label.and_then(|label| label.capability);
    Sample {
        task_name: Some(short_name(task)),
        capability: capability.map(|it| short_capability(it.name()).to_owned()),
        difficulty_bucket: Borders::default().bucket(label.and_then(|label| label.difficulty)),
        features: Features::of(&item.question, item.context.as_deref()),
    }
}

/// The task without its family: `FinCode` of `finance/FinCode`.
fn short_name(task: Task) -> String {
    let name = task.to_string();
    match name.split_once('/') {
        Some((_, short)) => short.to_owned(),
        None => name,
    }
}
