//! Mutations of a JSON document.
//!
//! Some of them cannot be held by a parsed value (a key twice, `1e999`, ten thousand brackets). They
//! are put in as a mark and replaced in the text.

use super::text::{odd_text, truncated};
use serde_json::{Map, Value, json};
use sim_core::seed::Stream;

/// Keys whose value says what the rest is; they are mostly left alone.
const NAMES: [&str; 6] = [
    "environment",
    "preset",
    "schema",
    "version",
    "method",
    "jsonrpc",
];

/// Numbers at which arithmetic goes wrong, as they are written.
const EDGES: [&str; 36] = [
    "0",
    "-0",
    "-0.0",
    "1",
    "-1",
    "2",
    "0.5",
    "-0.5",
    "1e-320",
    "1e-9",
    "255",
    "256",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    // 2^53 - 1 and 2^53 + 1: the second is the first integer that no double holds.
    "9007199254740991",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e15",
    "1e19",
    "1e100",
    "1e308",
    "-1e308",
    "1e999",
    "-1e999",
    "1000000",
    "100000000",
    "\"NaN\"",
    "\"1\"",
    "3.0000000000000004",
];

/// Stands for a piece of text until the document is written.
const MARK: &str = "@raw@";

/// A mutation of `value`, written out.
pub(super) fn mutate(chance: &mut Stream, mut value: Value, spare: &[Value]) -> Vec<u8> {
    let mut raw = Vec::new();
    let times = chance.geometric(0.55).min(6);
    for _ in 0..times {
        let place = place(chance, &value);
        // Copies, made before it is known whether they are used: the place borrows the document.
        let donor = chance.pick(spare).map(|other| donated(chance, other));
        let own = donated(chance, &value);
        if let Some(node) = at(&mut value, &place) {
            change(chance, node, &own, donor, &mut raw);
        }
    }
    let mut text = if chance.chance(0.5) {
        serde_json::to_string(&value)
    } else {
        serde_json::to_string_pretty(&value)
    }
    .unwrap_or_default();
    for (number, piece) in raw.iter().enumerate() {
        text = text.replace(&format!("\"{MARK}{number}\""), piece);
    }
    if chance.chance(0.05) {
        text = key_twice(chance, &text);
    }
    if chance.chance(0.02) {
        text = truncated(chance, &text);
    }
    text.into_bytes()
}

/// One step into a document.
#[derive(Debug, Clone)]
enum Step {
    Key(String),
    Item(usize),
}

/// A place that is drawn at random: every level has the same chance, so that a long list does not
/// take all mutations.
fn place(chance: &mut Stream, value: &Value) -> Vec<Step> {
    for _ in 0..8 {
        let mut steps = Vec::new();
        let mut node = value;
        loop {
            // Rarely at the root: a document that is replaced as a whole is refused at once.
            let stop = if steps.is_empty() { 0.04 } else { 0.15 };
            match node {
                Value::Object(map) if !map.is_empty() && !chance.chance(stop) => {
                    let Some((key, next)) = map.iter().nth(chance.index(map.len())) else {
                        break;
                    };
                    steps.push(Step::Key(key.clone()));
                    node = next;
                }
                Value::Array(items) if !items.is_empty() && !chance.chance(stop) => {
                    let index = chance.index(items.len());
                    let Some(next) = items.get(index) else { break };
                    steps.push(Step::Item(index));
                    node = next;
                }
                _ => break,
            }
        }
        let named = matches!(steps.last(), Some(Step::Key(key)) if NAMES.contains(&key.as_str()));
        // An input with another environment or schema is refused before its content is read.
        if !named || chance.chance(0.03) {
            return steps;
        }
    }
    Vec::new()
}

fn at<'v>(value: &'v mut Value, steps: &[Step]) -> Option<&'v mut Value> {
    steps.iter().try_fold(value, |node, step| match step {
        Step::Key(key) => node.get_mut(key),
        Step::Item(index) => node.get_mut(index),
    })
}

fn donated(chance: &mut Stream, value: &Value) -> Value {
    let mut node = value;
    for _ in 0..4 {
        let next = match node {
            Value::Object(map) if !map.is_empty() => map.values().nth(chance.index(map.len())),
            Value::Array(items) if !items.is_empty() => items.get(chance.index(items.len())),
            _ => None,
        };
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    node.clone()
}

fn change(
    chance: &mut Stream,
    node: &mut Value,
    own: &Value,
    donor: Option<Value>,
    raw: &mut Vec<String>,
) {
    match chance.below(100) {
        0..4 => *node = own.clone(),
        4..7 => {
            if let Some(donor) = donor {
                *node = donor;
            }
        }
        7..10 => *node = other_type(chance),
        10..11 => *node = keep_raw(nested(chance), raw),
        _ => match node {
            Value::Number(number) => *node = other_number(chance, number, raw),
            Value::String(text) => *node = other_text(chance, text, raw),
            Value::Bool(is) => *node = Value::Bool(!*is),
            Value::Null => *node = other_type(chance),
            Value::Array(items) => in_array(chance, items, own),
            Value::Object(map) => in_object(chance, map, own),
        },
    }
}

fn keep_raw(piece: String, raw: &mut Vec<String>) -> Value {
    raw.push(piece);
    Value::String(format!("{MARK}{}", raw.len() - 1))
}

fn edge(chance: &mut Stream) -> String {
    chance.pick(&EDGES).copied().unwrap_or("0").to_owned()
}

fn other_number(chance: &mut Stream, number: &serde_json::Number, raw: &mut Vec<String>) -> Value {
    if chance.chance(0.4) {
        return keep_raw(edge(chance), raw);
    }
    if let Some(whole) = number.as_i64() {
        return json!(match chance.below(8) {
            0 => whole.wrapping_add(1),
            1 => whole.wrapping_sub(1),
            2 => whole.wrapping_mul(2),
            3 => whole / 2,
            4 => whole.wrapping_neg(),
            5 => whole.wrapping_mul(10),
            _ => chance.between(0, 12),
        });
    }
    let number = number.as_f64().unwrap_or(0.0);
    json!(match chance.below(7) {
        0 => number * 2.0,
        1 => number / 2.0,
        2 => -number,
        3 => number + 1.0,
        4 => number * 1e6,
        5 => number.round(),
        _ => chance.unit(),
    })
}

fn other_text(chance: &mut Stream, text: &str, raw: &mut Vec<String>) -> Value {
    match chance.below(10) {
        0..2 => keep_raw(edge(chance), raw),
        2..5 => Value::String(odd_text(chance)),
        5 => Value::String(format!("{text}{text}")),
        6 => Value::String(truncated(chance, text)),
        7 => Value::String(text.to_uppercase()),
        8 => Value::String(format!("{text}{}", odd_text(chance))),
        _ => Value::String(text.chars().rev().collect()),
    }
}

fn other_type(chance: &mut Stream) -> Value {
    match chance.below(9) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!([]),
        3 => json!({}),
        4 => json!(""),
        5 => json!(0),
        6 => json!([[0]]),
        7 => json!({"": {"": 0}}),
        _ => json!(-1.5),
    }
}

/// Brackets in brackets.
fn nested(chance: &mut Stream) -> String {
    // 127 levels are the most that serde_json reads; deeper ones must be refused and not overflow
    // the stack.
    let depth = *chance.pick(&[20, 127, 200, 1_000, 10_000]).unwrap_or(&20);
    if chance.chance(0.5) {
        "[".repeat(depth) + &"]".repeat(depth)
    } else {
        "{\"a\":".repeat(depth) + "0" + &"}".repeat(depth)
    }
}

fn in_array(chance: &mut Stream, items: &mut Vec<Value>, own: &Value) {
    let at = chance.index(items.len().max(1));
    match chance.below(8) {
        0 => items.clear(),
        1 => items.reverse(),
        2 => items.push(own.clone()),
        3 => items.truncate(at),
        4 => {
            if let Some(item) = items.get(at).cloned() {
                items.insert(at, item);
            }
        }
        5 => {
            // Long lists of small things; long lists of large ones say nothing new.
            if let Some(item) = items.get(at).cloned()
                && !item.is_array()
                && !item.is_object()
            {
                let times = *chance.pick(&[5, 64, 1_000, 20_000]).unwrap_or(&5);
                items.extend(std::iter::repeat_n(item, times));
            }
        }
        _ => {
            if at < items.len() {
                items.remove(at);
            }
        }
    }
}

fn in_object(chance: &mut Stream, map: &mut Map<String, Value>, own: &Value) {
    let key = map.keys().nth(chance.index(map.len().max(1))).cloned();
    let other = map.values().nth(chance.index(map.len().max(1))).cloned();
    match (chance.below(8), key) {
        (0..2, Some(key)) => {
            map.remove(&key);
        }
        (2, Some(key)) => {
            if let Some(value) = map.remove(&key) {
                map.insert(odd_text(chance), value);
            }
        }
        (3, _) => {
            map.insert(odd_text(chance), own.clone());
        }
        (4, Some(key)) => {
            map.insert(format!("{key}2"), own.clone());
        }
        (_, Some(key)) => {
            if let Some(value) = other {
                map.insert(key, value);
            }
        }
        (_, None) => {}
    }
}

/// Writes one `"key": value` with a plain value twice.
fn key_twice(chance: &mut Stream, text: &str) -> String {
    // In the text, since a parsed object holds each key once.
    let starts: Vec<usize> = text.match_indices("\":").map(|(at, _)| at).collect();
    let Some(colon) = chance.pick(&starts).copied() else {
        return text.to_owned();
    };
    let Some((before, after)) = text.split_at_checked(colon) else {
        return text.to_owned();
    };
    let (Some(quote), Some(end)) = (before.rfind('"'), after.find([',', '}', ']'])) else {
        return text.to_owned();
    };
    let pair = text.get(quote..colon + end).unwrap_or_default();
    if pair.contains(['{', '[', '\\']) {
        return text.to_owned();
    }
    format!(
        "{}{pair},{}",
        text.get(..quote).unwrap_or_default(),
        text.get(quote..).unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::Seed;

    #[test]
    fn most_mutations_are_still_json() {
        let value = json!({"weeks": 8, "cost": {"a": 1.5, "b": [1, 2, 3]}, "name": "x"});
        let mut json = 0;
        for k in 0..400 {
            let text = mutate(&mut Seed(3).stream("t", k), value.clone(), &[]);
            json += usize::from(serde_json::from_slice::<Value>(&text).is_ok());
        }
        assert!((250..400).contains(&json), "{json}");
    }

    #[test]
    fn a_key_can_stand_twice() {
        let twice = key_twice(&mut Seed(1).stream("t", 0), "{\"a\": 1}");
        assert_eq!(twice, "{\"a\": 1,\"a\": 1}");
    }
}
