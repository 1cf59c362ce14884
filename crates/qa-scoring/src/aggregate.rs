//! Figures over several tasks.
//!
//! The figure of a family of tasks (accuracy, ROUGE, judged labels, judged scores) is the mean of
//! its tasks' figures weighted by their numbers of items, `sum(n v) / sum(n)`. BizCompass's Table 3
//! prints this for three of its four columns; its accuracy column divides by 300 too few items.

use crate::grade::AnswerOutcome;
use crate::score::SetReport;
use crate::task::{MetricFamily, Task};
use serde::{Deserialize, Serialize};
use sim_core::stats::{mean, normal_quantile, sd};
use std::collections::BTreeMap;

/// The figure of a task.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskFigure {
    /// The task.
    pub task: Task,
    /// Its figure, in any unit that the tasks of its family share (per cent, or 0 to 5).
    pub value: f64,
    /// Its weight \[items\].
    pub weight: f64,
}

/// The figure of a family.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyMean {
    /// Weighted mean of the tasks' figures.
    pub value: f64,
    /// Sum of the weights \[items\].
    pub weight: f64,
    /// Number of tasks.
    pub tasks: usize,
    /// Standard error of the mean, the tasks taken as strata; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
}

impl FamilyMean {
    /// The normal interval at a level such as 0.95; absent without a standard error.
    #[must_use]
    pub fn interval(&self, level: f64) -> Option<(f64, f64)> {
        let z = normal_quantile(0.5 + level / 2.0)?;
        let half = z * self.standard_error?;
        Some((self.value - half, self.value + half))
    }
}

/// The figure of a task with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stratum {
    /// The figure.
    pub figure: TaskFigure,
    /// Its standard error in the unit of the figure; absent if it is not known.
    pub error: Option<f64>,
}

/// The mean of every family that occurs. A family whose weights sum to 0 is left out.
///
/// ```
/// use qa_scoring::aggregate::{TaskFigure, family_means};
/// let figure = |name: &str, value, weight| TaskFigure { task: name.parse().unwrap(), value, weight };
/// let means = family_means(&[figure("FRM", 80.0, 400.0), figure("AP_A", 60.0, 100.0)]);
/// assert_eq!(means.values().next().unwrap().value, 76.0);
/// ```
#[must_use]
pub fn family_means(figures: &[TaskFigure]) -> BTreeMap<MetricFamily, FamilyMean> {
    let bare = |&figure| Stratum {
        figure,
        error: None,
    };
    family_means_with(&figures.iter().map(bare).collect::<Vec<_>>())
}

/// The same from reports, weighted by the numbers of items counted, with standard errors.
///
/// The standard error of a family is `sqrt(sum((n_t e_t)^2)) / sum(n_t)`, with `e_t` the standard deviation of a task's
/// values divided by the root of their number. Reports without a counted item are left out.
#[must_use]
pub fn family_means_of(reports: &[SetReport]) -> BTreeMap<MetricFamily, FamilyMean> {
    let strata: Vec<Stratum> = reports
        .iter()
        .filter_map(|report| {
            let values: Vec<f64> = report.grades.iter().filter_map(|g| g.grade.value).collect();
            let figure = TaskFigure {
                task: report.task,
                value: report.headline.as_ref()?.value,
                weight: values.len() as f64,
            };
            let error = sd(&values).map(|sd| sd / (values.len() as f64).sqrt());
            Some(Stratum { figure, error })
        })
        .collect();
    family_means_with(&strata)
}

/// The weighted mean of every family, from each task's figure with its standard error. A family whose
/// weights sum to 0 is left out.
#[must_use]
pub fn family_means_with(strata: &[Stratum]) -> BTreeMap<MetricFamily, FamilyMean> {
    let mut families: BTreeMap<MetricFamily, Vec<Stratum>> = BTreeMap::new();
    for stratum in strata {
        families
            .entry(stratum.figure.task.family())
            .or_default()
            .push(*stratum);
    }
    families
        .into_iter()
        .filter_map(|(family, strata)| {
            let weight: f64 = strata.iter().map(|s| s.figure.weight).sum();
            let sum: f64 = strata
                .iter()
                .map(|s| s.figure.weight * s.figure.value)
                .sum();
            let squares: Option<f64> = strata
                .iter()
                .map(|s| s.error.map(|e| (s.figure.weight * e).powi(2)))
                .sum();
            let mean = FamilyMean {
                value: sum / weight,
                weight,
                tasks: strata.len(),
                standard_error: squares.map(|s| s.sqrt() / weight),
            };
            (weight > 0.0).then_some((family, mean))
        })
        .collect()
}

/// Accuracy over several sets combined: right answers over items \[per cent\]; `None` without
/// items.
///
/// Table 13 of the paper is this over the four domains' single-choice sets.
///
/// ```
/// use qa_scoring::aggregate::pooled_percent;
/// assert_eq!(pooled_percent(&[(30, 40), (10, 60)]), Some(40.0)); // not the mean of 75 and 16.7
/// assert_eq!(pooled_percent(&[]), None);
/// ```
#[must_use]
pub fn pooled_percent(sets: &[(usize, usize)]) -> Option<f64> {
    let (right, n) = sets
        .iter()
        .fold((0, 0), |(r, n), (right, items)| (r + right, n + items));
    (n > 0).then(|| 100.0 * right as f64 / n as f64)
}

/// The number of right answers of a report, and its items.
#[must_use]
pub fn right_of(report: &SetReport) -> (usize, usize) {
    (report.count(AnswerOutcome::Right), report.n)
}

/// The figure of a ROUGE task: the mean of ROUGE-1, ROUGE-2 and ROUGE-L.
#[must_use]
pub fn rouge_figure(rouge1: f64, rouge2: f64, rouge_l: f64) -> f64 {
    mean(&[rouge1, rouge2, rouge_l]).unwrap_or(f64::NAN)
}
