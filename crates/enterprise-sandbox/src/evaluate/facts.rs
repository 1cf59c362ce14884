//! Compares an answer with the expected facts.
//!
//! Facts are reported by key. Keys are compared without case and separators, values by their
//! [kind](FactKind). An answer without any facts is searched for the values in its text, so that an
//! agent that writes only prose is not failed for its form; there the rules are strict, because a
//! long text contains many numbers by chance:
//!
//! - values match whole words, in order; numbers and dates match in every form;
//! - a place that the text denies ("not 7 but 3") confirms nothing;
//! - every word of the text confirms at most one fact;
//! - a value of one or two characters, or yes and no, has to follow the words of its key at a short
//!   distance.
//!
//! ```
//! use enterprise_sandbox::evaluate::fact_matches;
//! use enterprise_sandbox::task::{Fact, FactKind};
//! use serde_json::json;
//!
//! let price = Fact {
//!     key: "price".to_owned(),
//!     kind: FactKind::Number,
//!     value: json!(1234.5),
//!     tolerance: 0.005,
//!     required: true,
//!     derived: false,
//! };
//! assert!(fact_matches(&price, &json!("₹1,234.50")));
//! assert!(!fact_matches(&price, &json!("about 1234")));
//! ```

use crate::mention::{Item, as_day, is_denied, items};
use crate::task::{Fact, FactKind, TaskEnd, TaskSpec};
use crate::value::{Day, Moment, plain_text, scalar_text};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// The comparison of an answer with the expected facts.
///
/// Precision and recall count a partly right list by its own F1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FactCheck {
    /// Whether every required fact is given and right.
    /// This, not F1, decides about success.
    pub complete: bool,
    /// Share of right facts among those given.
    /// Surplus facts lower it. Without any given fact it is 1 if none was asked for, else 0.
    pub precision: f64,
    /// Share of right facts among those required.
    /// 1 if none is required.
    pub recall: f64,
    /// Harmonic mean of the two; 1 if no facts were asked for and none given.
    pub f1: f64,
    /// Number of facts given.
    pub given: u32,
    /// Required facts that are missing or wrong.
    pub missed: Vec<String>,
    /// Whether facts were searched for in the text because none were given by key.
    pub from_text: bool,
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(n) => n.as_f64(),
        Value::String(text) => {
            let plain: String = text
                .chars()
                .filter(|c| !matches!(c, ',' | '₹' | '$' | '€' | '%' | ' '))
                .collect();
            plain.parse().ok().filter(|n: &f64| n.is_finite())
        }
        _ => None,
    }
}

fn day(value: &Value) -> Option<Day> {
    let text = value.as_str()?;
    let moment = || Moment::parse(text).map(|(m, _)| m.day());
    Day::parse(text).or_else(moment).or_else(|| as_day(text))
}

fn yes(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(b) => Some(*b),
        Value::String(text) => match plain_text(text).as_str() {
            "yes" | "true" | "y" => Some(true),
            "no" | "false" | "n" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn set(value: &Value) -> BTreeSet<String> {
    match value {
        Value::Array(list) => list
            .iter()
            .filter_map(scalar_text)
            .map(|t| plain_text(&t))
            .collect(),
        Value::String(text) => text
            .split([',', ';', '\n'])
            .map(plain_text)
            .filter(|t| !t.is_empty())
            .collect(),
        Value::Null => BTreeSet::new(),
        other => scalar_text(other)
            .map(|t| plain_text(&t))
            .into_iter()
            .collect(),
    }
}

/// The degree to which a value equals a fact: 1 for equal, 0 for different; F1 for lists.
fn closeness(fact: &Fact, value: &Value) -> f64 {
    let right = match fact.kind {
        FactKind::Id | FactKind::Text => match (scalar_text(&fact.value), scalar_text(value)) {
            (Some(a), Some(b)) => plain_text(&a) == plain_text(&b),
            _ => fact.value.is_null() && value.is_null(),
        },
        FactKind::Number => match (number(&fact.value), number(value)) {
            (Some(a), Some(b)) => (a - b).abs() <= fact.tolerance + 1e-9,
            _ => false,
        },
        FactKind::Date => day(&fact.value).is_some() && day(&fact.value) == day(value),
        FactKind::YesNo => yes(&fact.value).is_some() && yes(&fact.value) == yes(value),
        FactKind::List => {
            let (a, b) = (set(&fact.value), set(value));
            let common = a.intersection(&b).count();
            if a == b {
                return 1.0;
            }
            #[expect(clippy::cast_precision_loss, reason = "short lists")]
            let f1 = 2.0 * common as f64 / (a.len() + b.len()).max(1) as f64;
            return f1;
        }
    };
    f64::from(u8::from(right))
}

/// Whether a value equals the fact.
#[must_use]
pub fn fact_matches(fact: &Fact, value: &Value) -> bool {
    closeness(fact, value) >= 1.0
}

/// Compares the answer of a run with the facts of its task. Only facts given by key count; an
/// answer without any is searched for the values in its text, where each position is used once.
#[must_use]
pub fn check_facts(task: &TaskSpec, ending: &TaskEnd) -> FactCheck {
    let facts = &task.gold.facts;
    let required: Vec<&Fact> = facts.iter().filter(|f| f.required).collect();
    let empty = serde_json::Map::new();
    let (text, given) = match ending {
        TaskEnd::Answer { text, facts } => (text.as_str(), facts),
        _ => ("", &empty),
    };
    let from_text = given.is_empty() && !text.is_empty() && !required.is_empty();
    let mut scores: Vec<(&Fact, f64)> = Vec::new();
    if from_text {
        let mut words = Words::new(text);
        for fact in &required {
            scores.push((fact, f64::from(u8::from(words.take(fact)))));
        }
    } else {
        for fact in &required {
            let value = given
                .iter()
                .find(|(k, _)| same_key(k, &fact.key))
                .map(|(_, v)| v);
            scores.push((fact, value.map_or(0.0, |v| closeness(fact, v))));
        }
    }
    let hits: f64 = scores.iter().map(|(_, s)| s).sum();
    #[expect(clippy::cast_precision_loss, reason = "at most sixty facts")]
    let (count, wanted) = (
        if from_text {
            scores.iter().filter(|(_, s)| *s > 0.0).count()
        } else {
            given.len()
        } as f64,
        required.len() as f64,
    );
    // An agent cannot gain by giving many facts: recall counts required ones only, and completeness
    // ignores the rest.
    let recall = if required.is_empty() {
        1.0
    } else {
        hits / wanted
    };
    let precision = match (count > 0.0, required.is_empty()) {
        (true, false) => hits / count,
        (true, true) => 1.0,
        (false, asked) => f64::from(u8::from(asked)),
    };
    let sum = precision + recall;
    FactCheck {
        complete: scores.iter().all(|(_, s)| *s >= 1.0),
        precision,
        recall,
        f1: if sum > 0.0 {
            2.0 * precision * recall / sum
        } else {
            0.0
        },
        given: crate::value::row_no(given.len()),
        missed: scores
            .iter()
            .filter(|(_, s)| *s < 1.0)
            .map(|(f, _)| f.key.clone())
            .collect(),
        from_text,
    }
}

/// Keys are compared without case and separators.
pub(super) fn same_key(a: &str, b: &str) -> bool {
    let plain = |t: &str| {
        t.chars()
            .filter(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_ascii_lowercase()
    };
    plain(a) == plain(b)
}

/// The values in an answer's text, each of which can confirm one fact.
struct Words {
    items: Vec<Item>,
    used: Vec<bool>,
}

impl Words {
    fn new(text: &str) -> Self {
        let items = items(text);
        Self {
            used: vec![false; items.len()],
            items,
        }
    }

    /// Finds the value of a fact between word boundaries and marks its words as used. Values that
    /// occur in many texts by chance (short numbers, yes and no) must come after the fact's key.
    fn take(&mut self, fact: &Fact) -> bool {
        let values: Vec<String> = match &fact.value {
            Value::Array(list) => list.iter().filter_map(scalar_text).collect(),
            other => scalar_text(other).into_iter().collect(),
        };
        let whole = !values.is_empty();
        whole && values.iter().all(|v| self.take_value(fact, v))
    }

    fn take_value(&mut self, fact: &Fact, value: &str) -> bool {
        let wanted = items(value);
        let n = wanted.len();
        if n == 0 {
            return false;
        }
        // "The answer is no" must not confirm the fact `replacement: NO` unless the text speaks of
        // the replacement.
        let weak = fact.kind == FactKind::YesNo || value.chars().count() < 3;
        let starts = 0..(self.items.len() + 1).saturating_sub(n);
        let found = starts.into_iter().find(|start| {
            let span = self.items.get(*start..start + n).unwrap_or_default();
            let free = self
                .used
                .get(*start..start + n)
                .is_some_and(|u| u.iter().all(|x| !x));
            let equal = span.iter().zip(&wanted).all(|(a, b)| same_item(fact, a, b));
            free && equal
                && (!weak || self.behind_key(*start, &fact.key))
                && !is_denied(&self.items, *start, start + n, |_| false)
        });
        match found {
            Some(start) => {
                for slot in self.used.iter_mut().skip(start).take(n) {
                    *slot = true;
                }
                true
            }
            None => false,
        }
    }

    /// Whether the words of the key are shortly before a position.
    fn behind_key(&self, place: usize, key: &str) -> bool {
        let plain = key.to_lowercase().replace(['_', '-'], " ");
        let parts: Vec<&str> = plain.split_whitespace().collect();
        let before: Vec<String> = self
            .items
            .iter()
            .take(place)
            .rev()
            .take(parts.len() + 3)
            .flat_map(|item| {
                item.word
                    .replace(['_', '-'], " ")
                    .split(' ')
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            })
            .collect();
        parts.iter().all(|p| before.iter().any(|w| w == p))
    }
}

/// Whether a place of the text says a part of the value of a fact. Ids are compared as they are written:
/// `0042` is another id than `42`.
fn same_item(fact: &Fact, said: &Item, wanted: &Item) -> bool {
    match fact.kind {
        FactKind::Id => said.word == wanted.word,
        FactKind::Number => said.says(wanted, fact.tolerance),
        FactKind::YesNo => {
            let meaning = |item: &Item| yes(&Value::from(item.word.as_str()));
            meaning(said).is_some() && meaning(said) == meaning(wanted)
        }
        _ => said.says(wanted, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fact(kind: FactKind, value: Value) -> Fact {
        Fact {
            key: "k".into(),
            kind,
            value,
            tolerance: 0.0,
            required: true,
            derived: false,
        }
    }

    #[test]
    fn values_by_hand() {
        for (kind, gold, said, right) in [
            (FactKind::Id, json!("emp_0001"), json!("EMP_0001"), true),
            (FactKind::Id, json!(17), json!("17"), true),
            (FactKind::Number, json!(1234.5), json!("₹1,234.50"), true),
            (FactKind::Number, json!(3), json!("three"), false),
            (
                FactKind::Date,
                json!("2024-03-01"),
                json!("01-03-2024"),
                true,
            ),
            (
                FactKind::Date,
                json!("2024-03-01"),
                json!("2024-03-02"),
                false,
            ),
            (
                FactKind::Date,
                json!("2024-03-01"),
                json!("March 1, 2024"),
                true,
            ),
            (FactKind::YesNo, json!("YES"), json!(true), true),
            (
                FactKind::Text,
                json!("Blue  Lantern."),
                json!("blue lantern"),
                true,
            ),
            (FactKind::List, json!(["a", "b"]), json!("b; A"), true),
            (FactKind::List, json!(["a", "b"]), json!(["a"]), false),
        ] {
            assert_eq!(
                fact_matches(&fact(kind, gold.clone()), &said),
                right,
                "{gold} {said}"
            );
        }
    }

    #[test]
    fn text_proves_a_fact_once_and_by_whole_words() {
        let mut words = Words::new("The code is 1042, not 10423; casual leaves: 3");
        let mut number = fact(FactKind::Number, json!(1042));
        assert!(words.take(&number));
        assert!(!words.take(&number), "used up");
        number.value = json!(104);
        assert!(!words.take(&number));
        let mut small = fact(FactKind::Number, json!(3));
        assert!(!words.take(&small), "a short number needs its key");
        small.key = "casual_leaves".into();
        assert!(words.take(&small));
        // Another form of a date, and a value that is denied.
        let mut words = Words::new("The limit is not 1500 but 1200, from July 23, 2025.");
        assert!(!words.take(&fact(FactKind::Number, json!(1500))));
        assert!(words.take(&fact(FactKind::Number, json!("1,200"))));
        assert!(words.take(&fact(FactKind::Date, json!("2025-07-23"))));
    }
}
