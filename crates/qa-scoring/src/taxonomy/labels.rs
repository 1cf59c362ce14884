//! Labels of many questions.

use super::TaxonomyLabel;
use std::collections::BTreeMap;

/// Labels of questions. A key is the name of a question over all tasks (`finance/FinCode:3`), or its
/// identifier within its task.
pub type Labels = BTreeMap<String, TaxonomyLabel>;

/// The label of a question: under its `name` over all tasks, or, if there is `only` one task, under its
/// `id` in the task.
#[must_use]
pub fn label_of<'l>(
    labels: &'l Labels,
    name: &str,
    id: &str,
    only: bool,
) -> Option<&'l TaxonomyLabel> {
    let by_name = labels.get(name);
    by_name.or_else(|| labels.get(id).filter(|_| only))
}
