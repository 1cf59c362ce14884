//! Labels of many questions.

use super::{LabelAxis, LabelCell, TaxonomyLabel, cells};
use crate::env::uid;
use crate::score::SetReport;
use crate::task::Task;
use sim_core::Seed;
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

/// The cells of a report by the labels of its items. An item's label is found under its name over all tasks
/// (`finance/FinCode:3`), its identifier, or a full identifier `Task:split:index` of this task that ends in it; an
/// item without one is in the cell without names.
#[must_use]
pub fn report_cells(
    report: &SetReport,
    labels: &Labels,
    by: &[LabelAxis],
    seed: Seed,
) -> Vec<LabelCell> {
    let task = report.task;
    // Identifiers are unique within a task only: the labels of another task are not looked at.
    let is_other = |id: &str| {
        let named = id
            .split_once(':')
            .and_then(|(name, _)| name.parse::<Task>().ok());
        named.is_some_and(|other| other != task)
    };
    let short: BTreeMap<&str, &TaxonomyLabel> = labels
        .iter()
        .filter(|(id, _)| !is_other(id))
        .filter_map(|(id, label)| Some((id.rsplit_once(':')?.1, label)))
        .collect();
    let none = TaxonomyLabel::default();
    let values = report.grades.iter().filter_map(|graded| {
        let label = labels
            .get(&uid(task, &graded.id))
            .or_else(|| labels.get(&graded.id))
            .or_else(|| short.get(graded.id.as_str()).copied())
            .unwrap_or(&none);
        Some((label, graded.grade.value?))
    });
    cells(values, by, seed)
}
