//! A report by capability and difficulty.

use super::SetReport;
use crate::task::Task;
use crate::taxonomy::{LabelAxis, LabelCell, Labels, TaxonomyLabel, cells};
use sim_core::Seed;
use std::collections::BTreeMap;

/// The cells of a report by the labels of its items. An item's label is found under its name over all tasks
/// (`finance/FinCode:3`), its identifier, or a full identifier `Task:split:index` of this task that ends in it, unless
/// two splits have different labels for it; an item without one is in the cell without names.
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
    let mut short: BTreeMap<&str, Option<&TaxonomyLabel>> = BTreeMap::new();
    for (id, label) in labels.iter().filter(|(id, _)| !is_other(id)) {
        if let Some((_, index)) = id.rsplit_once(':') {
            let known = short.entry(index).or_insert(Some(label));
            // The report does not say which split it is of.
            *known = known.filter(|known| *known == label);
        }
    }
    let none = TaxonomyLabel::default();
    let values = report.grades.iter().filter_map(|graded| {
        let label = labels
            .get(&task.uid(&graded.id))
            .or_else(|| labels.get(&graded.id))
            .or_else(|| short.get(graded.id.as_str()).copied().flatten())
            .unwrap_or(&none);
        Some((label, graded.grade.value?))
    });
    cells(values, by, seed)
}
