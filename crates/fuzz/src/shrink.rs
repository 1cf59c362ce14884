//! Making an input that fails smaller, as long as it fails at the same place.

use crate::bundle::Bundle;
use crate::target::Opened;
use crate::watch::Watch;
use crate::work::play;
use serde_json::Value;

/// The smallest input found within `seconds` that fails as `input` does.
pub fn shrink(opened: &mut Opened, input: &[u8], seconds: f64) -> Vec<u8> {
    let Some(why) = place(opened, input) else {
        return input.to_vec();
    };
    let watch = Watch::start();
    let mut smallest = input.to_vec();
    'smaller: loop {
        for smaller in candidates(&smallest) {
            if watch.seconds() > seconds {
                break 'smaller;
            }
            // Shorter, since a document that is written anew may be as long as before, and the
            // search would not end. At the same place, since a smaller input that fails elsewhere
            // is another fault.
            if smaller.len() < smallest.len() && place(opened, &smaller).as_ref() == Some(&why) {
                smallest = smaller;
                continue 'smaller;
            }
        }
        break;
    }
    smallest
}

/// Where an input fails, without the values in the message.
fn place(opened: &mut Opened, input: &[u8]) -> Option<String> {
    let why = play(opened, input).verdict.err()?;
    Some(signature(&why))
}

/// The part of a reason that is the same for all inputs that fail alike: of a panic its place, of
/// anything else the words before the first colon.
#[must_use]
pub fn signature(why: &str) -> String {
    match why.split_once(": ") {
        Some((place, _)) => place.to_owned(),
        None => why.to_owned(),
    }
}

/// Smaller inputs, the much smaller ones first.
fn candidates(input: &[u8]) -> Vec<Vec<u8>> {
    if let Some(bundle) = Bundle::read(input) {
        return of_bundle(&bundle);
    }
    match serde_json::from_slice::<Value>(input) {
        Ok(value) if value.is_object() || value.is_array() => {
            let smaller = of_value(&value);
            let texts = smaller
                .iter()
                .filter_map(|value| serde_json::to_vec(value).ok());
            texts.chain(of_lines(input)).collect()
        }
        _ => of_lines(input),
    }
}

fn of_bundle(bundle: &Bundle) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for at in 0..bundle.0.len() {
        let Some((name, content)) = bundle.0.get(at) else {
            continue;
        };
        if !Bundle::is_open(name) {
            continue;
        }
        let mut without = bundle.clone();
        without.0.remove(at);
        all.push(without.write());
        for smaller in candidates(content) {
            let mut changed = bundle.clone();
            if let Some((_, content)) = changed.0.get_mut(at) {
                *content = smaller;
            }
            all.push(changed.write());
        }
    }
    all
}

/// Without halves, quarters and single lines.
fn of_lines(input: &[u8]) -> Vec<Vec<u8>> {
    let mut lines: Vec<&[u8]> = input.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.len() < 2 {
        // One long line is taken apart by its length.
        lines = input.chunks(input.len().div_ceil(32).max(1)).collect();
    }
    let mut all = Vec::new();
    let mut length = lines.len() / 2;
    // Each candidate is a copy of the whole input: the number is bounded for the sake of memory.
    while length >= 1 && all.len() < 400 {
        for start in (0..lines.len()).step_by(length) {
            let end = (start + length).min(lines.len());
            let before = lines.get(..start).unwrap_or_default();
            let after = lines.get(end..).unwrap_or_default();
            all.push([before, after].concat().concat());
        }
        length /= 2;
    }
    all
}

/// Without one key or item, at every depth.
fn of_value(value: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    match value {
        Value::Object(map) => {
            for key in map.keys() {
                let mut without = map.clone();
                without.remove(key);
                all.push(Value::Object(without));
            }
            for (key, inner) in map {
                for smaller in of_value(inner) {
                    let mut changed = map.clone();
                    changed.insert(key.clone(), smaller);
                    all.push(Value::Object(changed));
                }
            }
        }
        Value::Array(items) => {
            all.extend(
                (items.len() > 1)
                    .then(|| Value::Array(items.iter().take(items.len() / 2).cloned().collect())),
            );
            // Of a long list only the first items one by one: taking halves away shortens it first.
            for at in 0..items.len().min(60) {
                let mut without = items.clone();
                without.remove(at);
                all.push(Value::Array(without));
            }
            for (at, inner) in items.iter().enumerate().take(60) {
                for smaller in of_value(inner) {
                    let mut changed = items.clone();
                    if let Some(item) = changed.get_mut(at) {
                        *item = smaller;
                    }
                    all.push(Value::Array(changed));
                }
            }
        }
        Value::String(text) if text.chars().count() > 40 => {
            let half = text.chars().count() / 2;
            all.push(Value::String(text.chars().take(half).collect()));
        }
        _ => {}
    }
    // Each is a copy of the whole document, which would take the square of its length in memory.
    all.truncate(2_000);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Verdict;

    #[test]
    fn what_does_not_matter_is_left_out() {
        let mut opened = Opened::new(Vec::new(), |input| {
            if String::from_utf8_lossy(input).contains("bad") {
                Verdict::Broken("it is bad: indeed".to_owned())
            } else {
                Verdict::Played
            }
        });
        let json = br#"{"a": [1, 2, {"c": "bad", "d": 4}], "e": {"f": 5}}"#;
        let small = shrink(&mut opened, json, 5.0);
        assert!(small.len() <= 20, "{}", String::from_utf8_lossy(&small));
        let lines = b"one\ntwo\nbad\nfour\n";
        assert_eq!(shrink(&mut opened, lines, 5.0), b"bad");
        assert_eq!(shrink(&mut opened, b"good", 5.0), b"good");
    }

    #[test]
    fn a_text_is_cut_by_its_characters() {
        let text = "売上は前年比で増加した。".repeat(10);
        let cut = of_value(&Value::String(text));
        assert_eq!(cut[0].as_str().unwrap().chars().count(), 60);
    }

    #[test]
    fn failures_are_told_apart_by_their_place() {
        assert_eq!(signature("panic at a.rs:1:2: value 7"), "panic at a.rs:1:2");
        assert_eq!(signature("memory: 1200 MB"), "memory");
    }
}
