//! Numbers as the published evaluators of the finance sets find them.

use crate::extract::{Braces, first_number, last_fence, only_brace};
use crate::python::{parse_float, strip};
use crate::snippet::{Snippet, SnippetReply, SnippetRunner};
use serde_json::Value;

/// Letters that the published rule reads as indices.
const PLACES: [&str; 6] = ["A", "B", "C", "D", "E", "F"];

/// The number between double brackets by the published rule: exactly one pair in the text; commas, `$`
/// and `%` removed; a lone letter A to F is its place; else what `float` reads, `nan` and `inf`
/// included.
///
/// ```
/// use qa_scoring::rules::number::brace_number;
/// assert_eq!(brace_number("[[ $1,200 ]]"), Some(1200.0));
/// assert_eq!(brace_number("[[b]]"), Some(1.0));
/// assert_eq!(brace_number("[[1]] [[2]]"), None);
/// ```
#[must_use]
pub fn brace_number(text: &str) -> Option<f64> {
    let value = brace_value(text)?;
    let upper = value.to_uppercase();
    match PLACES.iter().position(|letter| *letter == upper) {
        Some(place) => Some(place as f64),
        None => parse_float(&value),
    }
}

fn brace_value(text: &str) -> Option<String> {
    let Braces::One(inside) = only_brace(text) else {
        return None;
    };
    let plain: String = strip(inside)
        .chars()
        .filter(|c| !matches!(c, ',' | '$' | '%'))
        .collect();
    Some(strip(&plain).to_owned())
}

/// The result of the code in an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FenceValue {
    /// There is none.
    NoCode,
    /// There is code, but no runner.
    NotRun,
    /// It failed or has no number.
    Failed,
    /// The interpreter cannot run it.
    Unsupported(String),
    /// Its number.
    Number(f64),
}

impl FenceValue {
    /// The result of `code` with `table` as its `df`; code that converts to no float failed.
    pub(crate) fn of(
        code: Option<&str>,
        table: Option<Value>,
        runner: Option<&mut (dyn SnippetRunner + '_)>,
    ) -> Self {
        let Some(code) = code.filter(|code| !code.is_empty()) else {
            return Self::NoCode;
        };
        let snippet = Snippet::new(code).with_table(table);
        match runner.map(|runner| runner.run(&snippet)) {
            None => Self::NotRun,
            Some(SnippetReply::Value(value)) => value.as_float().map_or(Self::Failed, Self::Number),
            Some(SnippetReply::Failed { .. }) => Self::Failed,
            Some(SnippetReply::Unsupported { what }) => Self::Unsupported(what),
        }
    }
}

/// The number of a prediction by the rule of the benchmark's code: the last fence is run; else the one
/// pair of double brackets; else the first number.
pub fn authors_number(text: &str, runner: Option<&mut (dyn SnippetRunner + '_)>) -> Option<f64> {
    if text.contains("```")
        && let FenceValue::Number(value) = FenceValue::of(last_fence(text), None, runner)
    {
        return Some(value);
    }
    brace_number(text).or_else(|| first_number(text))
}

/// The value by the rule of the BizBench pipeline for answers without code: exactly one pair of double
/// brackets, a piece of "ABCD" counting as its place there, else what `float` reads.
///
/// The empty text and "AB" are pieces of "ABCD" too and count as 0.
///
/// ```
/// use qa_scoring::rules::number::bizbench_brace;
/// assert_eq!(bizbench_brace("[[B]]"), Some(1.0));
/// assert_eq!(bizbench_brace("[[A,B]]"), Some(0.0));
/// assert_eq!(bizbench_brace("[[b]]"), None);
/// ```
#[must_use]
pub fn bizbench_brace(text: &str) -> Option<f64> {
    let value = brace_value(text)?;
    match "ABCD".find(&value) {
        Some(place) => Some(place as f64),
        None => parse_float(&value),
    }
}
