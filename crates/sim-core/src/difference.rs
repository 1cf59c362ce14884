//! Where two JSON values differ, in words.

use crate::error::one_line;
use serde_json::Value;
use std::collections::BTreeSet;

/// Largest number of differences that are listed for two values.
pub const MOST_DIFFERENCES: usize = 3;

/// Most characters of a value that are shown.
const MOST_SHOWN: usize = 60;

/// The first places where two values differ, as `entries.3.query: recorded `1`, asked `2``; `names`
/// are the two words. At most [`MOST_DIFFERENCES`] are listed.
#[must_use]
pub fn differences(one: &Value, other: &Value, names: [&str; 2]) -> Vec<String> {
    let mut found = Vec::new();
    differ("", Some(one), Some(other), names, &mut found);
    found
}

/// As [`differences`], where a value may be absent: a key that stands on one side only.
fn differ(
    place: &str,
    one: Option<&Value>,
    other: Option<&Value>,
    names: [&str; 2],
    out: &mut Vec<String>,
) {
    if one == other || out.len() >= MOST_DIFFERENCES {
        return;
    }
    let inside = |name: &str| {
        if place.is_empty() {
            name.to_owned()
        } else {
            format!("{place}.{name}")
        }
    };
    let [first, second] = names;
    match (one, other) {
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for name in keys {
                differ(&inside(name), a.get(name), b.get(name), names, out);
            }
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) => {
            // By place and not aligned as by `diff`: only the first differences are told, and the
            // first place that differs is the same in both.
            for index in 0..a.len().max(b.len()) {
                differ(
                    &inside(&index.to_string()),
                    a.get(index),
                    b.get(index),
                    names,
                    out,
                );
            }
        }
        (Some(Value::String(a)), Some(Value::String(b))) => {
            // Characters and not bytes: the number is shown to people, and a text must not be cut
            // within one.
            let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
            let is_short = |text: &str| text.chars().nth(MOST_SHOWN).is_none();
            // A name is shown whole; of a long text the place, because its beginning is often the same.
            let (from, at) = if is_short(a) && is_short(b) {
                (0, String::new())
            } else {
                (same.saturating_sub(20), format!(" at character {same}"))
            };
            let show = |text: &str| {
                let shown: String = text.chars().skip(from).take(MOST_SHOWN).collect();
                one_line(&shown, MOST_SHOWN)
            };
            out.push(format!(
                "{place}{at}: {first} `{}`, {second} `{}`",
                show(a),
                show(b)
            ));
        }
        _ => {
            let show = |value: Option<&Value>| match value {
                Some(value) => format!("`{}`", one_line(&value.to_string(), MOST_SHOWN)),
                None => "nothing".to_owned(),
            };
            out.push(format!(
                "{place}: {first} {}, {second} {}",
                show(one),
                show(other)
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places_are_named_from_the_outside_in() {
        let same = "same text ".repeat(6);
        let one = json!({"a": [1, {"b": format!("{same}x")}]});
        let other = json!({"a": [1, {"b": format!("{same}y")}, 2], "d": 3});
        assert_eq!(
            differences(&one, &other, ["stored", "made"]),
            [
                "a.1.b at character 60: stored `same text same text x`, made `same text same text y`",
                "a.2: stored nothing, made `2`",
                "d: stored nothing, made `3`",
            ]
        );
        // Two values that differ always have a place.
        assert_eq!(
            differences(&json!({"a": null}), &json!({}), ["stored", "made"]),
            ["a: stored `null`, made nothing"]
        );
        assert_eq!(
            differences(
                &json!({"agent": "sterman"}),
                &json!({"agent": "sterile"}),
                ["stored", "made"]
            ),
            ["agent: stored `sterman`, made `sterile`"]
        );
        assert!(differences(&one, &one, ["", ""]).is_empty());
    }
}
