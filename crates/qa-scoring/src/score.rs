//! Scores a set of answers and reports the result.
//!
//! [`score_set`] joins predictions with items and grades them; [`score_results`] grades the published result files, in
//! which each record has its own right answer; [`report_of`] sums up grades that were made before. The headline is the
//! mean over the counted items; its interval is a 95 % interval of that mean.

mod answers;
mod cells;
mod figures;
mod join;
mod text;

pub use answers::answers;
pub use cells::report_cells;
pub use join::{Join, JoinCause, NoMatch};

use crate::grade::{AnswerOutcome, Grade, Grader, LetterReading, Settings};
use crate::item::Item;
use crate::load::{Prediction, ResultRecord};
use crate::metric::{ClassScores, SetScores};
use crate::profile::Profile;
use crate::task::{QuestionType, Task};
use serde::{Deserialize, Serialize};
use sim_core::stats::Interval;
use std::collections::BTreeMap;

/// The seed of every interval, so that a report is a function of its inputs.
pub(crate) const INTERVAL_SEED: sim_core::Seed = sim_core::Seed(0x5ca1e);

/// One answer's grade with its item's identifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GradedItem {
    /// Identifier of the item.
    pub id: String,
    /// Its grade.
    pub grade: Grade,
}

/// The figure of a set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Headline {
    /// Its name: `accuracy`, `element_accuracy`, `rouge_mean_f`, `judged_score`, `judged_label`,
    /// `companion`.
    pub name: String,
    /// Its value: 0 to 1, or 0 to 5 for `judged_score`.
    pub value: f64,
    /// Its 95 % interval; absent for fewer than two counted items, or if intervals are switched
    /// off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
}

/// The figure of the flexible rule, which takes the last number of a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flexible {
    /// Share of all counted items that it finds right, 0 to 1. An item whose right answer is not a number, or without a
    /// reply, counts as under the strict rule.
    pub value: f64,
    /// Number of items on which the two rules differ.
    pub differ: usize,
}

/// The report of a set of answers.
///
/// Made by the functions of this module. `n` counts all items, `counted` those with a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SetReport {
    /// The task.
    pub task: Task,
    /// The scoring rules.
    pub profile: Profile,
    /// Whether per cent signs and scale words were applied too ([`Settings::lenient`](crate::Settings::lenient)).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lenient: bool,
    /// How option letters were read, where another reading than that of the profile was chosen for a task
    /// with letters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub letters: Option<LetterReading>,
    /// Number of items.
    pub n: usize,
    /// Number of items whose value is counted.
    pub counted: usize,
    /// The main figure; absent if nothing is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<Headline>,
    /// How often each outcome occurred.
    pub outcomes: BTreeMap<AnswerOutcome, usize>,
    /// Further figures by name, each the mean over the counted items unless its name says otherwise.
    pub metrics: BTreeMap<String, f64>,
    /// What the flexible rule finds, for tasks with numbers read by the strict rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flexible: Option<Flexible>,
    /// Accuracy and its baselines, for tasks with labels or letters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<ClassScores>,
    /// Exact match and the three F1, for sets of letters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sets: Option<SetScores>,
    /// Number of items that have an answer, where answers were joined with items by identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<usize>,
    /// Whether the answers have no identifiers and were joined with the items by their order.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_order: bool,
    /// Whether the answers name the places of their items, counted from 0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_place: bool,
    /// What was added to the identifiers of the answers, where one side is counted from 0 and the other from 1.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shift: i64,
    /// What may be the reason that answers belong to no item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<JoinCause>,
    /// Answers to items that are not in the set; they were not graded.
    pub unmatched: usize,
    /// Further answers to an item that had one; the first was graded.
    pub repeated: usize,
    /// Every grade, in the order of the items.
    pub grades: Vec<GradedItem>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(shift: &i64) -> bool {
    *shift == 0
}

impl SetReport {
    /// How often an outcome occurred.
    #[must_use]
    pub fn count(&self, outcome: AnswerOutcome) -> usize {
        self.outcomes.get(&outcome).copied().unwrap_or(0)
    }
}

/// The report of grades that were made one by one, as in a run. `judged` says whether there was a
/// judge.
///
/// ```
/// use qa_scoring::{Grader, Settings, Task, load, report_of, score_set};
/// let task: Task = "FOMC".parse()?;
/// let items = load::items(task, br#"[{"ID": 1, "Text": "Rates rise.", "Answer": "hawkish"}]"#)?.records;
/// let replies = load::predictions(br#"{"id": 1, "prediction": "Hawkish"}"#)?.records;
/// let settings = Settings::default();
/// let report = score_set(task, &items, &replies, &mut Grader::new(settings.clone()));
/// let again = report_of(task, &settings, report.grades.clone(), false);
/// assert_eq!((again.headline, again.outcomes), (report.headline, report.outcomes));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn report_of(
    task: Task,
    settings: &Settings,
    grades: Vec<GradedItem>,
    judged: bool,
) -> SetReport {
    figures::report(task, settings, grades, judged)
}

/// Grades predictions against the items of a task, joined by identifier ([`Join`]). An item without a
/// prediction counts as missing, which is wrong. [`Join::check`] tells whether any prediction belongs to an item.
pub fn score_set(
    task: Task,
    items: &[Item],
    predictions: &[Prediction],
    grader: &mut Grader<'_>,
) -> SetReport {
    let join = Join::of(task, items, predictions);
    let grades = items
        .iter()
        .zip(&join.answers)
        .map(|(item, answer)| {
            let reply = answer.and_then(|answer| answer.reply.as_deref());
            GradedItem {
                id: item.id.clone(),
                grade: grader.grade(task, item, reply),
            }
        })
        .collect();
    let mut report = figures::report(task, grader.settings(), grades, grader.has_judge());
    // Only here: grades that come from a run were never joined with anything.
    report.matched = Some(join.matched);
    report.by_order = join.by_order;
    report.by_place = join.by_place;
    report.shift = join.shift;
    report.cause = join.cause;
    report.unmatched = join.unmatched;
    report.repeated = join.repeated;
    report
}

/// The source of the letters of a published result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResultSource {
    /// The answer that the published inference stored.
    Stored,
    /// The model's reply, read by the grader.
    Reply,
}

/// Grades a published result file, each record against the right answer *in it*.
pub fn score_results(
    task: Task,
    records: &[ResultRecord],
    source: ResultSource,
    grader: &mut Grader<'_>,
) -> SetReport {
    // Several letters are no answer to a question with one right letter, whatever is among them.
    let single = matches!(task, Task::Knowledge(_, QuestionType::Single));
    let grades = records
        .iter()
        .map(|record| {
            let stored = source == ResultSource::Stored;
            let grade = match (&record.answer, record.item.gold_letters()) {
                // Before anything else: an error text may well hold a capital that reads like an
                // option.
                (crate::load::StoredAnswer::ProviderError(error), _) => grader
                    .provider_error(task, &record.item)
                    .note(error.clone()),
                (answer, Some(right)) if stored => {
                    let given = answer.letters();
                    let given = if single && given.len() != 1 {
                        crate::letters::LetterSet::EMPTY
                    } else {
                        given
                    };
                    Grade::letters(right, given)
                }
                _ => grader.grade(task, &record.item, Some(&record.reply)),
            };
            GradedItem {
                id: record.item.id.clone(),
                grade,
            }
        })
        .collect();
    figures::report(task, grader.settings(), grades, grader.has_judge())
}
