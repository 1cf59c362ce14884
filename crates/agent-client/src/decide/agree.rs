//! Comparison of answers: whether they agree, which one has the majority, and the median of
//! several.
//!
//! Answers are compared in a common form: `$1,200` and `1200.0` are the same number, and `(B)`, `B.` and
//! `b` are the same option. The form is found in this order:
//!
//! 1. outer blanks and the characters `` * ` " $ `` are removed;
//! 2. a JSON object or list is compared as JSON;
//! 3. a number ([`reply_text::number`]) is compared as a number with its scale, where brackets mean a negative one, and a
//!    constant expression such as `9 + 1` by its value, up to a relative difference of 1e-4 (absolute 1e-6 for numbers
//!    below 0.01);
//! 4. everything else is compared as lower-case words, without a final full stop and outer brackets.

use crate::message::ToolCall;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The text before the answer.
pub const MARK: &str = "ANSWER:";

/// The answer in a text without the thoughts of the model: what follows its last `ANSWER:`, else the whole text. Empty
/// where there are only thoughts.
///
/// ```
/// use agent_client::decide::agree::answer_in;
/// assert_eq!(answer_in("First 300. **Answer:** 400 units"), "400 units");
/// assert_eq!(answer_in("<think>ANSWER: 300</think> 400 "), "400");
/// ```
#[must_use]
pub fn answer_in(text: &str) -> String {
    let spoken = reply_text::thoughts::without_thinking(text).text();
    let text = spoken.as_deref().unwrap_or_default();
    let at = text.char_indices().rfind(|(at, _)| {
        text.get(*at..at + MARK.len())
            .is_some_and(|word| word.eq_ignore_ascii_case(MARK))
    });
    let Some((at, _)) = at else {
        return text.trim().to_owned();
    };
    let rest = text.get(at + MARK.len()..).unwrap_or_default();
    // Bold marks that begin before the word end after it.
    rest.trim_start_matches('*')
        .trim()
        .trim_end_matches('*')
        .trim()
        .to_owned()
}

/// The form in which answers are compared.
#[derive(Debug, Clone, PartialEq)]
enum Canon {
    Number(f64),
    Json(Value),
    Text(String),
}

fn canon(answer: &str) -> Canon {
    let text = answer.trim().trim_matches(['*', '`', '"', '$']).trim();
    // Objects and lists alone: a number and a text in quotes are JSON too, and are compared by what
    // they mean.
    if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
        return Canon::Json(value);
    }
    if let Some(number) = reply_text::number::whole(text) {
        return Canon::Number(number.value * number.scale);
    }
    let text = text.trim_end_matches('.');
    // `(B)`, `B.` and `B` are the same choice.
    let inner = text
        .strip_prefix('(')
        .and_then(|t| t.strip_suffix(')'))
        .unwrap_or(text);
    let words: Vec<String> = inner.split_whitespace().map(str::to_lowercase).collect();
    Canon::Text(words.join(" "))
}

/// Whether two numbers differ by at most 1e-4 of the larger one, or by 1e-6 if both are below 0.01.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-4 * a.abs().max(b.abs()).max(1e-2)
}

fn same(a: &Canon, b: &Canon) -> bool {
    match (a, b) {
        (Canon::Number(a), Canon::Number(b)) => near(*a, *b),
        (Canon::Json(a), Canon::Json(b)) => a == b,
        (Canon::Text(a), Canon::Text(b)) => a == b,
        _ => false,
    }
}

/// Whether all answers are the same.
///
/// ```
/// use agent_client::decide::agree::all_agree;
/// assert!(all_agree(&["$1,200", "1200.00", "1200"]));
/// assert!(all_agree(&["(B)", "b."]));
/// assert!(!all_agree(&["12 %", "0.12"]));
/// ```
#[must_use]
pub fn all_agree(answers: &[&str]) -> bool {
    let canons: Vec<Canon> = answers.iter().map(|a| canon(a)).collect();
    canons
        .first()
        .is_none_or(|first| canons.iter().all(|c| same(first, c)))
}

/// The index of the most frequent answer; of equally frequent ones, the one that was given first.
///
/// 0 for an empty list.
///
/// ```
/// use agent_client::decide::agree::vote;
/// assert_eq!(vote(&["A", "(b)", "B"]), 1);
/// assert_eq!(vote(&["A", "B", "C"]), 0); // a tie: the first agent
/// ```
#[must_use]
pub fn vote(answers: &[&str]) -> usize {
    let canons: Vec<Canon> = answers.iter().map(|a| canon(a)).collect();
    let votes = |c: &Canon| canons.iter().filter(|other| same(c, other)).count();
    // `max_by_key` returns the last of equal elements, so the order is reversed.
    let best = canons
        .iter()
        .enumerate()
        .rev()
        .max_by_key(|(_, c)| votes(c));
    best.map_or(0, |(place, _)| place)
}

/// The index of the text that is most similar to the others: the largest sum of shared words over
/// all words. For texts on which no vote is possible.
///
/// Two texts are compared by the share of common words in all their words (Jaccard index).
#[must_use]
pub fn most_typical(texts: &[&str]) -> usize {
    let words: Vec<BTreeSet<String>> = texts
        .iter()
        .map(|text| text.split_whitespace().map(str::to_lowercase).collect())
        .collect();
    // Whole millionths, so that sums do not depend on the order of the texts.
    let likeness = |a: &BTreeSet<String>| -> u64 {
        let sum = words.iter().map(|b| {
            let all = a.union(b).count().max(1) as u64;
            a.intersection(b).count() as u64 * 1_000_000 / all
        });
        sum.sum()
    };
    // Reversed, as in `vote`: of equal ones `max_by_key` takes the last, and the first text is
    // wanted.
    let best = words
        .iter()
        .enumerate()
        .rev()
        .max_by_key(|(_, w)| likeness(w));
    best.map_or(0, |(place, _)| place)
}

/// Combines several JSON values: the median of numbers, the majority of everything else, field by
/// field. Lists of equal length are combined element by element; of others, the elements that most
/// lists contain are kept. A string that contains a JSON object is combined by its fields.
///
/// # Example
/// ```
/// use agent_client::decide::agree::joined;
/// use serde_json::json;
///
/// let proposals = [
///     json!({"price": 9, "accept": true}),
///     json!({"price": 12, "accept": false}),
///     json!({"price": 10, "accept": true, "note": "only one says this"}),
/// ];
/// let all: Vec<_> = proposals.iter().collect();
/// assert_eq!(joined(&all), json!({"price": 10, "accept": true}));
/// ```
#[must_use]
pub fn joined(values: &[&Value]) -> Value {
    let Some(first) = values.first() else {
        return Value::Null;
    };
    // The median and not the mean: one wild proposal moves a mean, and no agent proposed it.
    if values.iter().all(|v| v.is_number()) {
        return median(values);
    }
    let objects: Vec<&Map<String, Value>> = values.iter().filter_map(|v| v.as_object()).collect();
    // A value of another kind is outvoted and not an error: one agent that errs must not end the
    // decision.
    if objects.len() * 2 > values.len() {
        return join_objects(&objects);
    }
    let lists: Vec<&Vec<Value>> = values.iter().filter_map(|v| v.as_array()).collect();
    if lists.len() * 2 > values.len() {
        return join_lists(&lists);
    }
    let inner: Option<Vec<Value>> = values
        .iter()
        .map(|v| {
            let text = v.as_str()?;
            serde_json::from_str(text).ok().filter(Value::is_object)
        })
        .collect();
    if let Some(inner) = inner {
        let inner = joined(&inner.iter().collect::<Vec<_>>());
        return Value::String(sim_core::bytes::canonical_text(&inner));
    }
    most_frequent(values).unwrap_or(first).clone()
}

/// Fields that more than half of the objects have, each combined; the others are left out.
fn join_objects(objects: &[&Map<String, Value>]) -> Value {
    let names: BTreeSet<&String> = objects.iter().flat_map(|o| o.keys()).collect();
    let mut out = Map::new();
    for name in names {
        let given: Vec<&Value> = objects.iter().filter_map(|o| o.get(name)).collect();
        if given.len() * 2 > objects.len() {
            out.insert(name.clone(), joined(&given));
        }
    }
    Value::Object(out)
}

/// Lists of equal length element by element, unless they hold texts or booleans only: such a list is a
/// set, in which the place of an element has no meaning.
fn join_lists(lists: &[&Vec<Value>]) -> Value {
    let length = lists.first().map_or(0, |l| l.len());
    let scalars = lists
        .iter()
        .flat_map(|l| l.iter())
        .all(|v| v.is_string() || v.is_boolean());
    if lists.iter().all(|l| l.len() == length) && !scalars {
        return (0..length)
            .map(|place| {
                let given: Vec<&Value> = lists.iter().filter_map(|l| l.get(place)).collect();
                joined(&given)
            })
            .collect();
    }
    // As sets: elements that most lists contain are kept, in the order in which they first appear.
    let mut out: Vec<Value> = Vec::new();
    for item in lists.iter().flat_map(|l| l.iter()) {
        let holders = lists.iter().filter(|l| l.contains(item)).count();
        if holders * 2 > lists.len() && !out.contains(item) {
            out.push(item.clone());
        }
    }
    Value::Array(out)
}

fn median(values: &[&Value]) -> Value {
    let mut sorted: Vec<&Value> = values.to_vec();
    let number = |v: &Value| v.as_f64().unwrap_or(0.0);
    sorted.sort_by(|a, b| number(a).total_cmp(&number(b)));
    // The lower of the two middle ones, so that a whole number stays whole.
    sorted
        .get((sorted.len() - 1) / 2)
        .map_or(Value::Null, |v| (*v).clone())
}

/// The most frequent value; of equally frequent ones, the first.
fn most_frequent<'a>(values: &[&'a Value]) -> Option<&'a Value> {
    let votes = |v: &Value| values.iter().filter(|other| **other == v).count();
    values.iter().rev().max_by_key(|v| votes(v)).copied()
}

/// Combines several calls: the tool that most of them call, with combined arguments.
///
/// `None` without calls. Votes are counted by the name of the tool; of equally frequent tools the one that
/// was called first is chosen.
#[must_use]
pub fn joined_call(calls: &[&ToolCall]) -> Option<ToolCall> {
    let votes = |name: &str| calls.iter().filter(|c| c.name == name).count();
    let chosen = calls.iter().rev().max_by_key(|c| votes(&c.name))?;
    let values: Vec<Value> = calls
        .iter()
        .filter(|c| c.name == chosen.name)
        .map(|c| c.arguments.value())
        .collect();
    let arguments = joined(&values.iter().collect::<Vec<_>>());
    Some(ToolCall::new("joined", chosen.name.clone(), arguments))
}
