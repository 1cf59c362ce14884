//! Computes the figures of a set from its grades.

use super::{Flexible, GradedItem, Headline, INTERVAL_SEED, SetReport};
use crate::grade::{AnswerOutcome, Detail, Settings};
use crate::letters::LetterSet;
use crate::metric::{LineCounts, class_scores, set_scores};
use crate::task::{Companion, Metric, Task};
use sim_core::ScoreRange;
use sim_core::stats::{Interval, mean, mean_interval_within};
use std::collections::BTreeMap;

/// The report of a set, without the counts of unmatched and repeated predictions.
pub(super) fn report(
    task: Task,
    settings: &Settings,
    mut grades: Vec<GradedItem>,
    judged: bool,
) -> SetReport {
    let graded = |item: &GradedItem| item.grade.outcome == AnswerOutcome::Graded;
    // Without a judge no answer to a judged task has a value, so the zeros of missing ones would be
    // the whole figure.
    if task.metric() == Metric::Judged && !judged && !grades.iter().any(graded) {
        grades
            .iter_mut()
            .for_each(|graded| graded.grade.value = None);
    }
    let values: Vec<f64> = grades.iter().filter_map(|g| g.grade.value).collect();
    let mut outcomes: BTreeMap<AnswerOutcome, usize> = BTreeMap::new();
    for graded in &grades {
        *outcomes.entry(graded.grade.outcome).or_default() += 1;
    }
    let details = || grades.iter().filter_map(|g| g.grade.detail.as_ref());
    let metric = task.metric();
    let mut metrics = BTreeMap::new();
    let mut headline = mean(&values).map(|value| Headline {
        name: headline_name(metric, judged).to_owned(),
        value,
        interval: interval(settings, range_of(metric), &values),
    });
    means(&mut metrics, details());
    let tag_counts: Vec<(f64, f64)> = details()
        .filter_map(|detail| match detail {
            Detail::Tags(counts) => Some((counts.hits as f64, counts.places as f64)),
            _ => None,
        })
        .collect();
    // The headline of lists is over elements; the share of whole lists stands beside it.
    if metric == Metric::Tags
        && let Some(elements) = ratio(settings, &tag_counts)
    {
        if let Some(all) = mean(&values) {
            metrics.insert("items_all_right".to_owned(), all);
        }
        headline = Some(elements);
    }
    let unsupported = outcomes
        .get(&AnswerOutcome::Unsupported)
        .copied()
        .unwrap_or(0);
    // Only where the two figures differ.
    if unsupported > 0 {
        let run: Vec<f64> = grades
            .iter()
            .filter(|g| g.grade.outcome != AnswerOutcome::Unsupported)
            .filter_map(|g| g.grade.value)
            .collect();
        if let Some(value) = mean(&run) {
            metrics.insert("accuracy_supported".to_owned(), value);
        }
        let share = unsupported as f64 / grades.len() as f64;
        metrics.insert("unsupported_share".to_owned(), share);
    }
    if let Metric::JudgedLabel(Companion::Entities | Companion::TokenTags) = metric {
        // Summed first, so that items count by their lines.
        let total = details()
            .filter_map(|detail| match detail {
                Detail::Lines(counts) => Some(*counts),
                _ => None,
            })
            .fold(LineCounts::default(), LineCounts::plus);
        let prf = total.prf();
        metrics.insert("entity_f1_micro".to_owned(), prf.f);
        metrics.insert("entity_precision_micro".to_owned(), prf.precision);
        metrics.insert("entity_recall_micro".to_owned(), prf.recall);
    }
    let pairs: Vec<(LetterSet, LetterSet)> = details()
        .filter_map(|detail| match detail {
            Detail::Letters { right, given } => Some((*right, *given)),
            _ => None,
        })
        .collect();
    let sets = (metric == Metric::LetterSet)
        .then(|| set_scores(&pairs))
        .flatten();
    if let Some(sets) = &sets {
        metrics.insert("f1".to_owned(), sets.f1);
        metrics.insert("f1_micro".to_owned(), sets.f1_micro);
        metrics.insert("f1_macro_label".to_owned(), sets.f1_macro_label);
    }
    let labels = labels_of(details(), metric);
    let classes = class_scores(
        labels
            .iter()
            .map(|(right, given)| (right.as_str(), given.as_deref())),
    );
    if let Some(classes) = &classes {
        metrics.insert("balanced_accuracy".to_owned(), classes.balanced_accuracy);
        metrics.insert("majority_accuracy".to_owned(), classes.majority_accuracy);
    }
    let flexible = flexible(&grades);
    SetReport {
        task,
        profile: settings.profile,
        lenient: settings.lenient,
        letters: settings
            .letters
            .filter(|_| matches!(metric, Metric::Letter | Metric::LetterSet)),
        n: grades.len(),
        counted: values.len(),
        headline,
        outcomes,
        metrics,
        flexible,
        classes,
        sets,
        matched: None,
        by_order: false,
        by_place: false,
        shift: 0,
        cause: None,
        unmatched: 0,
        repeated: 0,
        grades,
    }
}

/// The flexible rule's figure, where at least one item has a number.
fn flexible(grades: &[GradedItem]) -> Option<Flexible> {
    let counted: Vec<(f64, Option<bool>)> = grades
        .iter()
        .filter_map(|g| Some((g.grade.value?, g.grade.flexible)))
        .collect();
    counted.iter().find(|(_, flexible)| flexible.is_some())?;
    let values: Vec<f64> = counted
        .iter()
        // An item whose right answer is not a number keeps its value, so that both figures are over
        // the same items.
        .map(|&(value, flexible)| flexible.map_or(value, |right| f64::from(u8::from(right))))
        .collect();
    Some(Flexible {
        value: mean(&values)?,
        differ: counted
            .iter()
            .zip(&values)
            .filter(|((strict, _), flexible)| strict != *flexible)
            .count(),
    })
}

/// What the value of an item can be.
fn range_of(metric: Metric) -> ScoreRange {
    match metric {
        Metric::Judged => ScoreRange::new(0.0, 5.0),
        _ => ScoreRange::SHARE,
    }
}

fn interval(settings: &Settings, range: ScoreRange, values: &[f64]) -> Option<Interval> {
    settings
        .intervals
        .then(|| mean_interval_within(values, range, 0.95, INTERVAL_SEED))
        .flatten()
}

/// The name of the headline figure; that of judged labels says whether a judge decided.
fn headline_name(metric: Metric, judged: bool) -> &'static str {
    match metric {
        Metric::Rouge => "rouge_mean_f",
        Metric::Judged => "judged_score",
        Metric::JudgedLabel(_) if judged => "judged_label",
        Metric::JudgedLabel(_) => "companion",
        _ => "accuracy",
    }
}

/// Labels or single letters as classes.
fn labels_of<'a>(
    details: impl Iterator<Item = &'a Detail>,
    metric: Metric,
) -> Vec<(String, Option<String>)> {
    details
        .filter_map(|detail| match (detail, metric) {
            (Detail::Label { right, given }, _) => Some((right.clone(), given.clone())),
            // Not sets of letters, of which each would be a class of its own.
            (Detail::Letters { right, given }, Metric::Letter | Metric::Choice) => Some((
                right.to_string(),
                (!given.is_empty()).then(|| given.to_string()),
            )),
            _ => None,
        })
        .collect()
}

/// Means of the details.
fn means<'a>(metrics: &mut BTreeMap<String, f64>, details: impl Iterator<Item = &'a Detail>) {
    let mut sums: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut add = |name, value| sums.entry(name).or_default().push(value);
    for detail in details {
        match detail {
            Detail::Rouge(scores) => {
                add("rouge1_f", scores.rouge1.f);
                add("rouge2_f", scores.rouge2.f);
                add("rougeL_f", scores.rouge_l.f);
                if let Some(lsum) = scores.rouge_lsum {
                    add("rougeLsum_f", lsum.f);
                }
            }
            Detail::Spans { exact, f1 } => {
                add("span_exact", *exact);
                add("span_f1", *f1);
            }
            Detail::Number {
                within_one_per_cent,
                ..
            } => add(
                "within_one_per_cent",
                f64::from(u8::from(*within_one_per_cent)),
            ),
            Detail::Judged(verdict) => {
                if let Some(spread) = verdict.spread {
                    add("judge_spread", spread);
                }
            }
            Detail::Lines(_) | Detail::Letters { .. } | Detail::Label { .. } | Detail::Tags(_) => {}
        }
    }
    for (name, values) in sums {
        if let Some(value) = mean(&values) {
            metrics.insert(name.to_owned(), value);
        }
    }
}

/// The accuracy over elements, `sum hits / sum places`, with an interval over items. The ratio is
/// linearised around its value, so that items remain the independent units.
fn ratio(settings: &Settings, counts: &[(f64, f64)]) -> Option<Headline> {
    let hits: f64 = counts.iter().map(|c| c.0).sum();
    let places: f64 = counts.iter().map(|c| c.1).sum();
    if places <= 0.0 {
        return None;
    }
    let value = hits / places;
    let average = places / counts.len() as f64;
    let linear: Vec<f64> = counts
        .iter()
        .map(|(h, p)| value + (h - value * p) / average)
        .collect();
    Some(Headline {
        name: "element_accuracy".to_owned(),
        value,
        interval: interval(settings, ScoreRange::SHARE, &linear),
    })
}
