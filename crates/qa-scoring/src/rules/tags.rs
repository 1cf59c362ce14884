//! A list of tags, compared place by place.

use crate::extract::without_thinking;
use crate::python::{evaluate, parse_float};
use reply_text::mark::{Kind, all};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Number of right places of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TagCounts {
    /// Places that are right.
    pub hits: usize,
    /// Places that count.
    pub places: usize,
    /// Whether the whole list is right.
    pub all: bool,
}

fn parts(list: &str) -> Vec<String> {
    list.split(',')
        .map(|part| part.to_lowercase().trim().to_owned())
        .collect()
}

/// What Python's `eval` makes of a part of a list, as far as lists of tags go: a number, or a text in
/// quotes.
#[derive(PartialEq)]
enum Evaluated {
    Number(f64),
    Text(String),
}

fn value_of(part: &str) -> Option<Evaluated> {
    quoted(part)
        .map(|text| Evaluated::Text(text.to_owned()))
        .or_else(|| evaluate(part).map(Evaluated::Number))
}

/// The inside of a text in single or double quotes that holds neither quotes nor escapes.
fn quoted(part: &str) -> Option<&str> {
    ['"', '\'']
        .iter()
        .find_map(|&mark| part.strip_prefix(mark)?.strip_suffix(mark))
        .filter(|inside| !inside.contains(['"', '\'', '\\']))
}

/// The rule of EnterpriseBench's code: lists cut at commas; a longer answer is cut off at the right
/// length, a shorter one filled up with nothing; a place is right when the texts are equal or have the
/// same value in Python. A right answer in quotes is therefore met by an answer in quotes only.
///
/// The code hands both texts to Python's `eval`; here numbers, their arithmetic and texts in quotes are
/// evaluated, which gives the same result on every list of tags.
#[must_use]
pub fn authors(given: &str, right: &str) -> TagCounts {
    published(given, right, |wanted, answer, bare| {
        answer == wanted
            || match (value_of(wanted), value_of(bare)) {
                (Some(wanted), Some(answer)) => wanted == answer,
                _ => false,
            }
    })
}

/// The rule of ACE's code (`finance/data_processor.py`), from which the set comes: as [`authors`], but
/// the value takes the place of the right answer before the answer is evaluated. A right answer in
/// quotes is therefore met by an answer without quotes as well.
#[must_use]
pub fn ace(given: &str, right: &str) -> TagCounts {
    published(given, right, |wanted, answer, bare| {
        match (value_of(wanted), value_of(bare)) {
            (Some(wanted), Some(answer)) => wanted == answer,
            (Some(Evaluated::Text(wanted)), None) => wanted == answer,
            (Some(Evaluated::Number(_)), None) => false,
            (None, _) => answer == wanted,
        }
    })
}

fn published(given: &str, right: &str, same: impl Fn(&str, &str, &str) -> bool) -> TagCounts {
    let given = parts(given);
    let right = parts(right);
    let hits = right
        .iter()
        .enumerate()
        .filter(|(place, wanted)| {
            // Filled up with nothing, as in the source: each missing place is wrong, and none is
            // left out.
            let answer = given.get(*place).map_or("", String::as_str);
            // Of the answer alone, as in the source.
            let bare: String = answer.chars().filter(|&c| c != '$').collect();
            same(wanted, answer, &bare)
        })
        .count();
    TagCounts {
        hits,
        places: right.len(),
        all: hits == right.len(),
    }
}

/// The strict rule: equal texts, with or without quotes, or equal numbers read as plain decimals; an answer that is longer or
/// shorter than the right one is wrong as a whole, and its extra places count as wrong places.
///
/// ```
/// use qa_scoring::rules::tags::strict;
/// let counts = strict("Answer: Revenues, Assets", "Revenues,Liabilities");
/// assert_eq!((counts.hits, counts.places, counts.all), (1, 2, false));
/// ```
#[must_use]
pub fn strict(given: &str, right: &str) -> TagCounts {
    let given = answer_list(given)
        .map(|list| parts(&list))
        .unwrap_or_default();
    let right = parts(right);
    let hits = right
        .iter()
        .zip(&given)
        .filter(|(wanted, answer)| {
            let same_value = match (parse_float(wanted), parse_float(answer)) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            };
            let bare = |part: &str| part.trim_matches(['"', '\'']).to_owned();
            same_value || bare(wanted) == bare(answer)
        })
        .count();
    // The longer one, or a list that goes on and on would lose nothing.
    let places = right.len().max(given.len());
    TagCounts {
        hits,
        places,
        all: hits == places,
    }
}

/// The list in a reply: the last explicit answer, else the last line that is not empty.
fn answer_list(reply: &str) -> Option<String> {
    let spoken = without_thinking(reply).text()?;
    let text = spoken.trim();
    let line = match all(text).pop() {
        Some(mark) => {
            if let Some(list) = mark.json.as_ref().and_then(value_list) {
                return Some(list);
            }
            // A list may hold full stops, so that it does not end with its first sentence.
            match mark.kind {
                Kind::Phrase => text
                    .get(mark.start..)
                    .and_then(|rest| rest.lines().next())
                    .unwrap_or_default()
                    .to_owned(),
                _ => mark.text.into_owned(),
            }
        }
        // A list in JSON goes over several lines, of which the last one is a bracket.
        None => match whole_list(text) {
            Some(list) => return Some(list),
            None => text
                .lines()
                .rfind(|line| !line.trim().is_empty())?
                .to_owned(),
        },
    };
    let line = line.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '*' | '`' | ':' | '"' | '\'' | '.' | '[' | ']')
    });
    Some(line.to_owned())
}

/// A reply that is a list in JSON, with or without a fence.
fn whole_list(text: &str) -> Option<String> {
    let text = reply_text::mark::first_fence(text).unwrap_or(text).trim();
    value_list(&serde_json::from_str(text).ok()?)
}

fn value_list(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect::<Option<Vec<String>>>()
            .map(|list| list.join(",")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_cases() {
        let counts = |given: &str, right: &str| {
            let c = strict(given, right);
            (c.hits, c.places, c.all)
        };
        assert_eq!(
            counts("SharePrice,Revenues", "shareprice, revenues"),
            (2, 2, true)
        );
        assert_eq!(counts("A,B,C", "A,B"), (2, 3, false));
        assert_eq!(counts("A", "A,B"), (1, 2, false));
        assert_eq!(counts("5.0", "5"), (1, 1, true));
        assert_eq!(counts("2+3", "5"), (0, 1, false));
        assert_eq!(counts("So the answer is: **A, B**.", "a,b"), (2, 2, true));
        assert_eq!(
            counts("{\"final_answer\": [\"A\", \"B\"]}", "A,B"),
            (2, 2, true)
        );
        assert_eq!(counts("I think:\nA,B\n", "A,B"), (2, 2, true));
        assert_eq!(counts("<think>A,B", "A,B"), (0, 2, false));
    }
}
