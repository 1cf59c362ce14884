//! A plain number, exactly.

use super::number::last_number;
use crate::extract::widest_object;
use crate::python::{parse_float, strip, value_text};
use serde_json::Value;

/// The rule of the benchmark's code: the whole text as a float, else the `final_answer` of JSON in
/// it, else its last number, each compared exactly; else the texts are compared.
///
/// A whole text that is a number decides at once.
#[must_use]
pub fn authors(answer: &str, right: &str) -> bool {
    let text = unescaped(answer);
    let right_text = strip(right);
    let right_value = parse_float(&without_commas(right_text));
    // In the order of the source; each rule decides alone where it finds something.
    if let (Some(value), Some(right)) = (parse_float(&without_commas(&text)), right_value) {
        return value == right;
    }
    if let Some(verdict) = by_json(&text, right_text, right_value) {
        return verdict;
    }
    if let Some(verdict) = by_last_number(&text, right_value) {
        return verdict;
    }
    strip(&text) == right_text
}

/// The verdict of the JSON in a text; `None` if it does not decide.
fn by_json(text: &str, right_text: &str, right: Option<f64>) -> Option<bool> {
    if !text.contains("\"final_answer\"") && !text.contains("'final_answer'") {
        return None;
    }
    let fields = widest_object(text)?;
    let answer = fields.get("final_answer")?;
    let value = match answer {
        Value::Number(number) => number.as_f64(),
        Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
        other => parse_float(&without_commas(&value_text(other))),
    };
    match (value, right) {
        (Some(value), Some(right)) => Some(value == right),
        // Equal texts are right; unequal ones leave it to the rules behind.
        (None, _) if strip(&value_text(answer)) == right_text => Some(true),
        _ => None,
    }
}

/// The verdict of the last number; `None` if one of the two is missing.
fn by_last_number(text: &str, right: Option<f64>) -> Option<bool> {
    let last = last_number(text)?;
    right.map(|right| last == right)
}

/// The rule of the set's original evaluator: the whole text as a float, compared exactly, else the
/// texts.
#[must_use]
pub fn first_home(answer: &str, right: &str) -> bool {
    match (
        parse_float(&without_commas(answer)),
        parse_float(&without_commas(right)),
    ) {
        (Some(given), Some(right)) => given == right,
        _ => answer == right,
    }
}

fn without_commas(text: &str) -> String {
    text.chars().filter(|&c| c != ',').collect()
}

/// Escaped line ends and tabs as themselves; one pair of double quotes around the text removed.
pub(crate) fn unescaped(text: &str) -> String {
    let text = text
        .replace("\\r\\n", "\n")
        .replace("\\n", "\n")
        .replace("\\t", "\t");
    match text.strip_prefix('"').map(|rest| rest.strip_suffix('"')) {
        Some(Some(inner)) => inner.to_owned(),
        // A single quote is both its beginning and its end.
        Some(None) if text.len() == 1 => String::new(),
        _ => text,
    }
}
