//! The evaluator of TAT-QA: exact match, F1 and scale.
//!
//! A companion figure only. The enterprise benchmark's set of the same name holds copied spans and is
//! scored by its own rule ([`grade`](crate::grade)).
//!
//! # Source
//! Behaviour of the data set's public evaluator (`tatqa_metric.py`, `tatqa_utils.py`); checked
//! against 613 rows that it scored.

mod number;

pub use number::{TatqaNumber, is_number, normalised, to_number};

use crate::python::round_to;
use number::scale_value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How an answer is derived; arithmetic and counted answers have no partial credit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum AnswerType {
    /// One span.
    Span,
    /// Several spans.
    MultiSpan,
    /// Computed.
    Arithmetic,
    /// Counted.
    Count,
}

/// A right answer: its parts as text and its scale ("", "thousand", "million", "billion",
/// "percent").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldAnswer {
    /// How it is derived.
    pub answer_type: AnswerType,
    /// Its parts; numbers as Python writes them.
    pub parts: Vec<String>,
    /// Its scale.
    pub scale: String,
}

/// The evaluator's three figures for one question, each between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TatqaScores {
    /// Exact match.
    pub exact: f64,
    /// F1 of the aligned words, rounded to two places.
    pub f1: f64,
    /// Whether the scale is the right one; 0 for an empty prediction.
    pub scale: f64,
}

/// Scores a prediction, given as its parts and its scale.
///
/// A single number without scale and per cent sign is also tried as it is, so that 0.2342 is right
/// for 23.42 per cent.
///
/// ```
/// use qa_scoring::tatqa::{AnswerType, GoldAnswer, score};
/// let gold = GoldAnswer {
///     answer_type: AnswerType::MultiSpan,
///     parts: vec!["2019".into(), "2018".into(), "2017".into()],
///     scale: String::new(),
/// };
/// let scores = score(&gold, &["2019", "2018"], "");
/// assert_eq!((scores.exact, scores.f1), (0.0, 0.8));
/// ```
#[must_use]
pub fn score(gold: &GoldAnswer, parts: &[&str], scale: &str) -> TatqaScores {
    let empty = parts.is_empty() || (parts.len() == 1 && parts.iter().all(|p| p.is_empty()));
    if empty || gold.parts.is_empty() {
        return TatqaScores::default();
    }
    let wanted: Vec<&str> = gold.parts.iter().map(String::as_str).collect();
    let wanted = rendered(&wanted, &gold.scale);
    let mut given = vec![rendered(parts, scale)];
    if let [lone] = parts
        && scale.is_empty()
        && !lone.contains('%')
        && is_number(lone)
        && let Some(number) = to_number(lone)
    {
        // As in the source: a share that was not multiplied by 100 counts as well.
        given.push(format!("{:.4}", number.value()));
    }
    let (exact, f1) = given
        .iter()
        .map(|text| compare(text, &wanted))
        // The better of the two readings, exact match before F1.
        .max_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal))
        .unwrap_or_default();
    TatqaScores {
        exact,
        f1: match gold.answer_type {
            // A number that shares a digit with the right one is not half right.
            AnswerType::Arithmetic | AnswerType::Count => exact,
            _ => f1,
        },
        scale: f64::from(u8::from(gold.scale == scale)),
    }
}

/// Parts in order: numbers multiplied by the scale, other parts followed by the scale.
fn rendered(parts: &[&str], scale: &str) -> String {
    let mut parts = parts.to_vec();
    // The order of spans does not matter, and sorted they become one text.
    parts.sort_unstable();
    let texts: Vec<String> = parts
        .into_iter()
        .map(|part| {
            let number = if is_number(part) {
                to_number(part)
            } else {
                None
            };
            match number {
                Some(number) if part.contains('%') => format!("{:.4}", number.value()),
                Some(number) => {
                    format!("{:.4}", round_to(number.value(), 2) * scale_value(scale))
                }
                None if scale.is_empty() => part.to_owned(),
                None => format!("{part} {scale}"),
            }
        })
        .collect();
    texts.join(" ")
}

/// Exact match and F1 of two texts.
fn compare(given: &str, wanted: &str) -> (f64, f64) {
    let (given, wanted) = (normalised(given), normalised(wanted));
    let bag =
        |text: &str| -> BTreeSet<String> { text.split_whitespace().map(str::to_owned).collect() };
    let exact = f64::from(u8::from(given == wanted));
    // Sets: the evaluator counts a word once, however often a text has it.
    // The evaluator pairs spans one to one for the largest F1, but calls that with one joined text a side, so that there is
    // a single pair.
    let f1 = bag_f1(&bag(&given), &bag(&wanted));
    (exact, round_to(f1, 2))
}

/// F1 of two bags of words; an empty one has precision or recall 1.
fn bag_f1(given: &BTreeSet<String>, wanted: &BTreeSet<String>) -> f64 {
    let common = given.intersection(wanted).count() as f64;
    let share = |size: usize| if size == 0 { 1.0 } else { common / size as f64 };
    let (precision, recall) = (share(given.len()), share(wanted.len()));
    if precision == 0.0 && recall == 0.0 {
        0.0
    } else {
        2.0 * precision * recall / (precision + recall)
    }
}
