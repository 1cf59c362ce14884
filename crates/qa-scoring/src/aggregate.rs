//! Figures over several tasks.
//!
//! The figure of a family of tasks (accuracy, ROUGE, judged labels, judged scores) is the mean of
//! its tasks' figures weighted by their numbers of items, `sum(n v) / sum(n)`. BizCompass's Table 3
//! prints this for three of its four columns; its accuracy column divides by 300 too few items.

use crate::grade::{AnswerOutcome, Detail, Grade};
use crate::metric::set_f1;
use crate::score::SetReport;
use crate::task::{MetricFamily, Task};
use serde::{Deserialize, Serialize};
use sim_core::stats::{effective_share_interval, mean};
use std::collections::BTreeMap;

/// The figure of a task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TaskFigure {
    /// The task.
    pub task: Task,
    /// Its figure, in any unit that the tasks of its family share (per cent, or 0 to 5).
    pub value: f64,
    /// Its weight \[items\].
    pub weight: f64,
    /// Its standard error in the unit of the figure; absent if it is not known.
    pub error: Option<f64>,
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
    /// The interval at a level such as 0.95, for a mean in the unit of tables (per cent, or 0 to 5 for
    /// judged scores); absent without a standard error.
    ///
    /// It is Wilson's, so that its ends lie in the range of the figure. Its number of trials is the one
    /// with which a share has this standard error: for one task of right and wrong answers the number
    /// of items. Right and wrong answers (accuracy, judged labels) never count as more trials than
    /// items, because tasks whose answers are all right or all wrong make the standard error too small.
    #[must_use]
    pub fn interval(&self, level: f64, family: MetricFamily) -> Option<(f64, f64)> {
        let full = family.full();
        let error = self.standard_error? / full;
        let share = (self.value / full).clamp(0.0, 1.0);
        let spread = share * (1.0 - share);
        // The standard deviations behind the error divide by one less than the number of items.
        let rest = self.weight - self.tasks as f64;
        // Without a spread no number of trials has this error; the items are the most there can be.
        let trials = if error > 0.0 && spread > 0.0 && rest > 0.0 {
            spread / (error * error) * self.weight / rest
        } else {
            self.weight
        };
        let trials = match family {
            MetricFamily::Accuracy | MetricFamily::JudgedLabel => trials.min(self.weight),
            MetricFamily::Rouge | MetricFamily::JudgedScore => trials,
        };
        let ends = effective_share_interval(share, trials, level)?;
        Some((full * ends.0, full * ends.1))
    }

    /// Whether every application task of the family is in the mean. Means over fewer tasks are not
    /// comparable with those of Table 3.
    #[must_use]
    pub fn is_whole(&self, family: MetricFamily) -> bool {
        self.tasks >= family.application_tasks()
    }
}

/// A figure of a graded answer that is averaged over questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ItemFigure {
    /// What the headline is the mean of.
    Value,
    /// 1 for a right answer, else 0; answers that are not counted are wrong.
    Right,
    /// F1 of a set of letters.
    F1,
    /// ROUGE-1.
    Rouge1,
    /// ROUGE-2.
    Rouge2,
    /// ROUGE-L.
    RougeL,
}

impl ItemFigure {
    /// The figure of a grade; absent where the grade has none.
    #[must_use]
    pub fn of(self, grade: &Grade) -> Option<f64> {
        match self {
            Self::Value => grade.value,
            Self::Right => Some(f64::from(u8::from(grade.outcome == AnswerOutcome::Right))),
            part => {
                // A grade that is not counted may hold a detail all the same; it must not enter a
                // mean.
                grade.value?;
                match (part, grade.detail.as_ref()?) {
                    (Self::F1, Detail::Letters { right, given }) => Some(set_f1(*right, *given)),
                    (Self::Rouge1, Detail::Rouge(scores)) => Some(scores.rouge1.f),
                    (Self::Rouge2, Detail::Rouge(scores)) => Some(scores.rouge2.f),
                    (Self::RougeL, Detail::Rouge(scores)) => Some(scores.rouge_l.f),
                    _ => None,
                }
            }
        }
    }
}

/// A figure of each question, in the order in which the questions are met first. `reports` may hold
/// answers to the same questions (streams, further settings): answers to one question are averaged,
/// because they are not independent. Questions without the figure are left out.
///
/// A report that uses an identifier twice has two questions of that name.
#[must_use]
pub fn per_question(reports: &[&SetReport], figure: ItemFigure) -> Vec<f64> {
    let mut places: BTreeMap<(Task, &str, usize), usize> = BTreeMap::new();
    // Not in the map, which is sorted by name: the values keep the order of the file.
    let mut questions: Vec<Vec<f64>> = Vec::new();
    for report in reports {
        let mut met: BTreeMap<&str, usize> = BTreeMap::new();
        for graded in &report.grades {
            // Counted before answers without the figure are skipped: otherwise the second question
            // of a name would take the place of the first where the first was not counted.
            let nth = met.entry(&graded.id).or_default();
            *nth += 1;
            let Some(value) = figure.of(&graded.grade) else {
                continue;
            };
            let place = places.entry((report.task, &graded.id, *nth));
            let place = *place.or_insert_with(|| {
                questions.push(Vec::new());
                questions.len() - 1
            });
            if let Some(answers) = questions.get_mut(place) {
                answers.push(value);
            }
        }
    }
    let means = questions.iter().filter_map(|answers| mean(answers));
    means.collect()
}

/// The weighted mean of every family, from each task's figure with its standard error. A family whose
/// weights sum to 0 is left out.
///
/// ```
/// use qa_scoring::aggregate::{TaskFigure, family_means};
/// let means = family_means(&[
///     TaskFigure { task: "FRM".parse()?, value: 80.0, weight: 400.0, error: None },
///     TaskFigure { task: "AP_A".parse()?, value: 60.0, weight: 100.0, error: None },
/// ]);
/// assert!(means.values().map(|mean| mean.value).eq([76.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn family_means(figures: &[TaskFigure]) -> BTreeMap<MetricFamily, FamilyMean> {
    let mut families: BTreeMap<MetricFamily, Vec<TaskFigure>> = BTreeMap::new();
    for figure in figures {
        families
            .entry(figure.task.family())
            .or_default()
            .push(*figure);
    }
    families
        .into_iter()
        .filter_map(|(family, figures)| {
            let weight: f64 = figures.iter().map(|f| f.weight).sum();
            let sum: f64 = figures.iter().map(|f| f.weight * f.value).sum();
            // One task without an error leaves the family without one: that of the others alone
            // would be too small.
            let squares: Option<f64> = figures
                .iter()
                .map(|f| f.error.map(|e| (f.weight * e).powi(2)))
                .sum();
            let mean = FamilyMean {
                value: sum / weight,
                weight,
                tasks: figures.len(),
                standard_error: squares.map(|s| s.sqrt() / weight),
            };
            (weight > 0.0).then_some((family, mean))
        })
        .collect()
}
