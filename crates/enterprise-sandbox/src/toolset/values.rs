//! Checks values that a caller sends for a field.
//!
//! A value is turned into the form in which records show it: a day as ISO text, an amount as a
//! number, a word in the spelling of the list. So a written value compares equal to one that was
//! always there. Messages state the allowed values, never the present ones.

use crate::org::parse_level_code;
use crate::source::{FieldType, SourceField};
use crate::value::{Cents, Day, Moment, scalar_text, whole_number};
use serde_json::{Value, json};
use sim_core::error::clip;

/// Maximum number of entries of a list.
const MOST_WORDS: usize = 60;
/// Longest entry of a list (characters).
const LONGEST_WORD: usize = 100;

fn shown(value: &Value) -> String {
    clip(&scalar_text(value).unwrap_or_else(|| value.to_string()))
}

/// The canonical form of a value for a field, or a description of the allowed values.
pub(crate) fn read_value(field: &SourceField, value: &Value) -> Result<Value, String> {
    if value.is_null() {
        return if field.nullable {
            Ok(Value::Null)
        } else {
            Err(format!("`{}` must not be null", field.name))
        };
    }
    let wrong = |right: &str| {
        Err(format!(
            "`{}` must be {right}, not `{}`",
            field.name,
            shown(value)
        ))
    };
    match field.kind {
        FieldType::Id | FieldType::Link(_) => match scalar_text(value) {
            Some(id) if is_id(&id) => Ok(Value::from(id)),
            _ => wrong("an id of at most 200 characters"),
        },
        FieldType::Text(max) => match value {
            Value::String(text) if text.chars().count() > max => {
                Err(format!("`{}` is longer than {max} characters", field.name))
            }
            Value::String(text) if text.trim().is_empty() => wrong("a text that is not empty"),
            Value::String(text) if text.chars().any(is_odd_control) => {
                Err(format!("`{}` holds control characters", field.name))
            }
            // Short fields are lines: names, subjects, titles. A line break in a name would let a
            // record look like two in a list.
            Value::String(text) if max <= 300 && text.contains('\n') => wrong("a single line"),
            Value::String(text) => Ok(text.as_str().into()),
            _ => wrong("a text"),
        },
        FieldType::Whole(low, high) => match whole_number(value) {
            Some(n) if (low..=high).contains(&n) => Ok(n.into()),
            _ => wrong(&format!("a whole number from {low} to {high}")),
        },
        FieldType::Money => match Cents::from_value(value) {
            Some(amount) if amount.0 <= 100_000_000_000 => Ok(amount.value()),
            _ => wrong("an amount of at least 0 with at most two decimals"),
        },
        FieldType::Rating => match value.as_f64().or_else(|| value.as_str()?.parse().ok()) {
            Some(r) if (0.0..=5.0).contains(&r) && (r * 10.0 - (r * 10.0).round()).abs() < 1e-9 => {
                Ok(((r * 10.0).round() / 10.0).into())
            }
            _ => wrong("a number from 0 to 5 with one decimal"),
        },
        FieldType::Day => match value.as_str().and_then(read_day) {
            Some(day) => Ok(day.to_string().into()),
            None => wrong("a date like 2024-03-31"),
        },
        FieldType::Moment => match value.as_str().and_then(Moment::parse) {
            Some((at, _)) if is_near(at.day()) => Ok(format!("{at}+05:30").into()),
            _ => wrong("a date or a time like 2024-03-31 09:30:00"),
        },
        FieldType::Choice(words) => {
            let text = value.as_str().unwrap_or_default().trim();
            match words.iter().find(|w| w.eq_ignore_ascii_case(text)) {
                Some(word) => Ok((*word).into()),
                None => wrong(&format!("one of {}", words.join(", "))),
            }
        }
        FieldType::Flag => match value {
            Value::Bool(_) => Ok(value.clone()),
            _ => wrong("true or false"),
        },
        FieldType::Words => read_words(value).map_or_else(
            || wrong(&format!("a list of at most {MOST_WORDS} short texts")),
            |words| Ok(json!(words)),
        ),
        FieldType::Level => match value.as_str().and_then(parse_level_code) {
            Some((department, level)) => Ok(crate::org::level_code(department, level).into()),
            None => wrong("a department prefix and a level, like EN10"),
        },
    }
}

/// A list of texts, or a text with commas.
fn read_words(value: &Value) -> Option<Vec<String>> {
    let words: Vec<String> = match value {
        Value::String(text) if text.len() <= MOST_WORDS * LONGEST_WORD => {
            text.split(',').map(|w| w.trim().to_owned()).collect()
        }
        Value::Array(list) => list
            .iter()
            .map(|v| v.as_str().map(str::to_owned))
            .collect::<Option<_>>()?,
        _ => return None,
    };
    let fits = |w: &String| {
        !w.trim().is_empty()
            && w.chars().count() <= LONGEST_WORD
            && !w.contains(',')
            && !w.chars().any(char::is_control)
    };
    (words.len() <= MOST_WORDS && words.iter().all(fits)).then_some(words)
}

/// A day in the range that an office supports.
pub(crate) fn read_day(text: &str) -> Option<Day> {
    Day::parse(text)
        .or_else(|| Moment::parse(text).map(|(m, _)| m.day()))
        .filter(|day| is_near(*day))
}

fn is_near(day: Day) -> bool {
    (1_950..=2_100).contains(&day.date().0)
}

/// Line breaks and tabs are part of texts, other control characters are not.
fn is_odd_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

/// Whether a text can be an identifier.
pub(crate) fn is_id(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= 200 && !text.chars().any(char::is_control)
}
