//! A list of tags, compared place by place.

use crate::extract::{behind_number, without_thinking};
use crate::python::{evaluate, parse_float};
use crate::span::after;
use reply_text::mark::{Kind, all, first_fence, last_fence};
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
    let right = parts(right);
    let given = answer_list(given, right.len())
        .map(|list| parts(&list))
        .unwrap_or_default();
    let hits = right
        .iter()
        .zip(&given)
        .filter(|(wanted, answer)| {
            let same_value = match (parse_float(wanted), parse_float(answer)) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            };
            let bare = |part: &str| part.trim_matches(['"', '\'', '`', '*']).to_owned();
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

/// The list in a reply: the last explicit answer, else the lines at its end that hold one tag each, where several are
/// asked for, else its last line.
fn answer_list(reply: &str, places: usize) -> Option<String> {
    let spoken = without_thinking(reply).text()?;
    let text = spoken.trim();
    let last = all(text).pop();
    let listed = match &last {
        Some(mark) => mark.json.as_ref().and_then(value_list),
        // A list in JSON goes over several lines, of which the last one is a bracket.
        None => whole_list(text),
    };
    if listed.is_some() {
        return listed;
    }
    let (stated, is_phrase) = match &last {
        // A list may hold full stops and line ends, so that it does not end with its first sentence.
        Some(mark) if mark.kind == Kind::Phrase => (after(text, mark.start), true),
        Some(mark) => (mark.text.as_ref(), false),
        None => (text, false),
    };
    // Only a fence in the place of the answer; another one may hold code or an example.
    let fence = if is_phrase {
        first_fence(stated).filter(|_| stated.trim_start().starts_with("```"))
    } else {
        last_fence(stated).filter(|_| stated.trim_end().ends_with("```"))
    };
    let stated = fence.unwrap_or(stated);
    let lines = stated.lines().map(tag_line);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    // An announced list begins behind its phrase; any other one ends with the reply.
    let split = if is_phrase {
        lines.iter().position(|line| !is_tag(line))
    } else {
        lines
            .iter()
            .rposition(|line| !is_tag(line))
            .map(|at| at + 1)
    };
    let (tags, line) = match (is_phrase, split) {
        (true, end) => (lines.get(..end.unwrap_or(lines.len())), lines.first()),
        (false, start) => (lines.get(start.unwrap_or(0)..), lines.last()),
    };
    match tags {
        Some(tags) if tags.len() > 1 && places > 1 => Some(tags.join(",")),
        _ => line.map(|line| separated(line)),
    }
}

/// A line without the marks of a list, emphasis and brackets around it, and without a heading before it: "2. Revenues",
/// "The tags are: Revenues, Goodwill".
fn tag_line(line: &str) -> &str {
    let line = line.trim_start();
    // With its blank: "-5" is a number.
    let line = line.strip_prefix("- ").unwrap_or(line);
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '•' | '>'));
    // "1. Revenues" and "(1) Revenues", but not a tag that is the number itself
    let enclosed = line.strip_prefix('(').and_then(behind_number);
    let line = enclosed
        .filter(|rest| rest.starts_with(' '))
        .or_else(|| behind_number(line))
        .unwrap_or(line);
    // Not "us-gaap:Revenues": a heading has a blank behind its colon.
    let line = line.rsplit_once(": ").map_or(line, |(_, list)| list);
    let line = line.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '*' | '`' | ':' | '"' | '\'' | '.' | '[' | ']')
    });
    // "(Revenues, Goodwill)"; the brackets of "(494)" are a sign.
    line.strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .filter(|inside| !inside.contains(['(', ')']) && inside.contains(char::is_alphabetic))
        .unwrap_or(line)
}

/// Whether a line may be a single tag, which has neither blanks nor separators.
fn is_tag(line: &str) -> bool {
    !line.contains(|c: char| c.is_whitespace() || matches!(c, ',' | ';'))
}

/// A list with commas, also where it has semicolons.
fn separated(line: &str) -> String {
    if line.contains(',') {
        line.to_owned()
    } else {
        line.replace(';', ",")
    }
}

/// A reply that is a list in JSON, or an object with one, with or without a fence.
fn whole_list(text: &str) -> Option<String> {
    let text = first_fence(text).unwrap_or(text).trim();
    match serde_json::from_str(text).ok()? {
        Value::Object(fields) => {
            let mut lists = fields.values().filter(|value| value.is_array());
            let list = lists.next().filter(|_| lists.next().is_none());
            value_list(list?)
        }
        value => value_list(&value),
    }
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
        for reply in [
            "Revenues\nGoodwill",
            "1. Revenues\n2. Goodwill",
            "- Revenues\n- Goodwill",
            "Q1: Revenues\nQ2: Goodwill",
            "The tags, in order, are these:\n\n**Revenues**\n**Goodwill**",
            "Answer:\n1. Revenues\n2. Goodwill\n\nBoth are in the list.",
            "Revenues; Goodwill",
            "Tags: Revenues, Goodwill",
            "The tags are: Revenues, Goodwill.",
            "`Revenues`, `Goodwill`",
            "(Revenues, Goodwill)",
            "```\nRevenues, Goodwill\n```",
            "{\"tags\": [\"Revenues\", \"Goodwill\"]}",
        ] {
            assert_eq!(counts(reply, "Revenues,Goodwill"), (2, 2, true), "{reply}");
        }
        for reply in [
            "Revenues\nGoodwill\nAssets",
            "Goodwill\nRevenues",
            "1. Revenues",
            "Assets: Revenues\nGoodwill, Cash",
        ] {
            assert!(!counts(reply, "Revenues,Goodwill").2, "{reply}");
        }
        assert_eq!(counts("Well\nRevenues", "Revenues"), (1, 1, true));
        assert_eq!(counts("-5,3", "-5,3"), (2, 2, true));
        assert_eq!(counts("-5\n3", "5,3"), (1, 2, false));
        assert_eq!(counts("(494),(3)", "(494),(3)"), (2, 2, true));
        assert_eq!(
            counts("(1) Revenues\n(2) Goodwill", "Revenues,Goodwill").0,
            2
        );
        // A fence above the answer is not the answer.
        let fenced = "```\nx = 1\n```\nRevenues,Goodwill";
        assert_eq!(counts(fenced, "Revenues,Goodwill"), (2, 2, true));
        assert_eq!(counts("us-gaap:Revenues", "Revenues"), (0, 1, false));
    }
}
