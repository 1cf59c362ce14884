//! JSON in the text of a model: in a code fence, between words, or with a stray comma.
//!
//! Objects that name a key twice are refused everywhere in this crate: parsers disagree on which of the two
//! values counts, so such an answer has no single meaning.

use reply_text::json::{Strings, pieces};
use reply_text::thoughts::without_thinking;
use serde::de::{Deserializer as _, Error as _, MapAccess, Visitor};
use serde_json::{Map, Value};
use sim_core::strict::{MOST_VALUES, Strict};
use std::borrow::Cow;
use std::fmt;

pub(crate) use reply_text::json::{relaxed, strict};

/// Reads JSON. A number that does not fit a 64-bit number (`1e999`) becomes text, so that the rest
/// of the answer is not lost.
///
/// # Errors
/// When it is not JSON, names a key twice, or contains too many values.
///
/// ```
/// use agent_client::json_text::read;
/// assert_eq!(read(r#"{"n": 1e999, "ok": true}"#)?, serde_json::json!({"n": "1e999", "ok": true}));
/// assert!(read(r#"{"n": 1, "n": 2}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn read(text: &str) -> serde_json::Result<Value> {
    strict(text).or_else(|error| match quoted_numbers(text) {
        // An error of the data is a key that is named twice, or too many values: no other number
        // helps.
        Some(changed) if !error.is_data() => strict(&changed),
        _ => Err(error),
    })
}

/// Reads the JSON of a server as far as it can be read: without a byte-order mark, with U+FFFD for half a
/// character (`\ud83d` alone), `null` for the numbers that JSON does not have (`NaN`, `Infinity`), and escapes for
/// control characters in strings. Numbers that are too large become text, as in [`read`].
///
/// # Errors
/// As for [`read`].
///
/// ```
/// use agent_client::json_text::lossy;
/// let text = "\u{feff}{\"logprob\": NaN, \"text\": \"Good \\ud83d\"}";
/// assert_eq!(lossy(text)?, serde_json::json!({"logprob": null, "text": "Good \u{fffd}"}));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn lossy(text: &str) -> serde_json::Result<Value> {
    let text = text.trim_matches(['\u{feff}', '\0', ' ', '\n', '\r', '\t']);
    read(text).or_else(|error| {
        if error.is_data() {
            return Err(error);
        }
        match mended_bytes(text) {
            Some(mended) => read(&mended).map_err(|_| error),
            None => Err(error),
        }
    })
}

/// Reads the body of an answer as [`lossy`] does; also one that names a field twice at its top, if nobody reads it.
///
/// # Errors
/// As for [`read`].
pub(crate) fn body(text: &str) -> serde_json::Result<Value> {
    lossy(text).or_else(|error| {
        if !error.is_data() {
            return Err(error);
        }
        let mut reader = serde_json::Deserializer::from_str(text);
        let read = reader.deserialize_map(Top).and_then(|value| {
            reader.end()?;
            Ok(value)
        });
        read.map_err(|_| error)
    })
}

/// Fields at the top of an answer that are read.
const READ: [&str; 11] = [
    "choices",
    "usage",
    "error",
    "content",
    "stop_reason",
    "type",
    "object",
    "base_resp",
    "data",
    "promptFeedback",
    "prompt_feedback",
];

/// Reads an object of which only the fields of [`READ`] may not be named twice.
struct Top;

impl<'de> Visitor<'de> for Top {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut left = MOST_VALUES;
        let mut out = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let is_read = READ.contains(&name.as_str());
            let value = fields.next_value_seed(Strict::new(&mut left))?;
            if out.insert(name, value).is_some() && is_read {
                return Err(A::Error::custom("a field is named twice"));
            }
        }
        Ok(Value::Object(out))
    }
}

/// `text` with what [`lossy`] mends; `None` if there is nothing to mend.
fn mended_bytes(text: &str) -> Option<String> {
    let mut strings = Strings::default();
    let mut out = String::with_capacity(text.len());
    let mut changed = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_string = strings.holds(c);
        let mut length = c.len_utf8();
        if is_string && c == '\\' {
            // The character after the backslash belongs to the escape.
            let next = rest.chars().nth(1);
            // `strings` must see it too, or it takes the character behind it for the escaped one.
            if let Some(next) = next {
                strings.holds(next);
            }
            match next {
                Some('u') => {
                    let (kept, is_half, taken) = escape(rest);
                    out.push_str(kept);
                    changed |= is_half;
                    length = taken;
                }
                Some(next) => {
                    out.extend([c, next]);
                    length += next.len_utf8();
                }
                None => out.push(c),
            }
        } else if is_string && c < ' ' {
            changed = true;
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else if !is_string {
            // The one with the sign first, or the sign would stay before `null`.
            let words = ["-Infinity", "Infinity", "NaN"];
            match words.iter().find(|word| rest.starts_with(**word)) {
                Some(word) => {
                    changed = true;
                    out.push_str("null");
                    length = word.len();
                }
                None => out.push(c),
            }
        } else {
            out.push(c);
        }
        rest = rest.get(length..)?;
    }
    changed.then_some(out)
}

/// What becomes of the escape `\uXXXX` at the beginning of `rest`, whether it was half a character, and its
/// length \[bytes\].
fn escape(rest: &str) -> (&str, bool, usize) {
    let unit = |from: usize| {
        let is_escape = rest.get(from..from + 2) == Some("\\u");
        let digits = rest.get(from + 2..from + 6).filter(|_| is_escape)?;
        u32::from_str_radix(digits, 16).ok()
    };
    match (unit(0), unit(6)) {
        (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => {
            (rest.get(..12).unwrap_or_default(), false, 12)
        }
        (Some(0xd800..=0xdfff), _) => ("\u{fffd}", true, 6),
        (Some(_), _) => (rest.get(..6).unwrap_or_default(), false, 6),
        (None, _) => (rest.get(..1).unwrap_or_default(), false, 1),
    }
}

/// `text` without what the model thought in it; empty if it did nothing but think.
pub(crate) fn spoken(text: &str) -> Cow<'_, str> {
    let spoken = reply_text::thoughts::without_thinking(text).text();
    spoken.map_or(Cow::Borrowed(""), |spoken| match spoken {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_start()),
        owned => owned,
    })
}

/// `text` with quotes around the numbers that are too large; `None` when there are none.
fn quoted_numbers(text: &str) -> Option<String> {
    let mut strings = Strings::default();
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let c = rest.chars().next()?;
        let mut end = at + c.len_utf8();
        if !strings.holds(c) && (c == '-' || c.is_ascii_digit()) {
            let is_part = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
            let number = rest.split(|c: char| !is_part(c)).next().unwrap_or_default();
            end = at + number.len();
            // Only a number that overflows a double is refused by serde_json; all others are
            // rounded.
            if number.parse().is_ok_and(f64::is_infinite) {
                out.push_str(text.get(copied..at)?);
                out.push('"');
                out.push_str(number);
                out.push('"');
                copied = end;
            }
        }
        at = end;
    }
    out.push_str(text.get(copied..)?);
    (copied > 0).then_some(out)
}

/// The last complete JSON object, or list of objects, in `text` without the thoughts of the model; without either, the
/// last list. Models write drafts first and mend them.
///
/// # Errors
/// When there is none; the message is the parser's error on the most likely piece.
///
/// A piece from one bracket to the bracket that closes it is also tried without commas before closing
/// brackets. At most 20 MB are searched.
///
/// # Example
/// ```
/// use agent_client::json_text::find;
/// let text = "Draft: {\"quantity\": 400}. Here it is:\n```json\n{\"quantity\": 4,}\n```";
/// assert_eq!(find(text), Ok(serde_json::json!({"quantity": 4})));
/// assert!(find("four").is_err());
/// ```
pub fn find(text: &str) -> Result<Value, String> {
    let mut all = all(text)?;
    Ok(all.remove(0))
}

/// Every complete JSON object or list in `text` without the thoughts of the model, the most likely answer first: objects
/// and lists of objects from the last to the first, then other lists.
///
/// # Errors
/// As for [`find`]; also when the last object names a key twice, because then it has no single meaning.
pub fn all(text: &str) -> Result<Vec<Value>, String> {
    let Some(spoken) = without_thinking(text).text() else {
        return Err("the text holds only the thoughts of the model".to_owned());
    };
    let (found, why) = pieces(&spoken);
    let (mut objects, mut lists) = (Vec::new(), Vec::new());
    for piece in found.into_iter().rev() {
        match piece.value {
            Err(error) if objects.is_empty() => return Err(error.to_string()),
            Err(_) => {}
            Ok(Value::Array(items))
                if items.iter().any(|item| !item.is_object()) || items.is_empty() =>
            {
                lists.push(Value::Array(items));
            }
            Ok(value) => objects.push(value),
        }
    }
    objects.append(&mut lists);
    if objects.is_empty() {
        return Err(why.unwrap_or_else(|| "the text holds no JSON object".to_owned()));
    }
    Ok(objects)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_field_that_nobody_reads_may_be_named_twice() {
        let text = r#"{"choices": [1], "seed": null, "seed": 2}"#;
        assert_eq!(body(text).unwrap(), json!({"choices": [1], "seed": 2}));
        for text in [
            r#"{"choices": [1], "choices": [2]}"#,
            r#"{"choices": [{"a": 1, "a": 2}]}"#,
        ] {
            assert!(body(text).is_err(), "{text}");
        }
    }

    #[test]
    fn json_is_found_in_what_models_write() {
        let cases = [
            ("{\"a\": 1}", Some(json!({"a": 1}))),
            (
                "Sure!\n```json\n{\"a\": [1, 2,],}\n```",
                Some(json!({"a": [1, 2]})),
            ),
            (
                "I think {x} but {\"a\": \"}\\\"{\"} is it",
                Some(json!({"a": "}\"{"})),
            ),
            ("[1, 2]", Some(json!([1, 2]))),
            ("{\"a\": 1} {\"b\": 2}", Some(json!({"b": 2}))),
            ("{\"a\": 1} as in [1]", Some(json!({"a": 1}))),
            ("<think>{\"a\": 1}</think>{\"b\": 2}", Some(json!({"b": 2}))),
            ("{\"b\": 2} is no {\"b\": 1, \"b\": 1}", None),
            ("{\"a\": 1", None),
            ("{'a': 1}", None),
            ("7", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(find(text).ok(), expected, "{text}");
        }
        assert!(find("{\"a\": 1").unwrap_err().contains("EOF"));
    }

    #[test]
    fn numbers_that_are_too_large_are_kept_as_text() {
        let cases = [
            (
                "{\"a\": 1e999, \"b\": [-1e999,2]}",
                Some(json!({"a": "1e999", "b": ["-1e999", 2]})),
            ),
            ("{\"a\": \"\\\"1e999\"}", Some(json!({"a": "\"1e999"}))),
            ("-0", Some(json!(-0.0))),
            ("18446744073709551616", Some(json!(2.0_f64.powi(64)))),
            ("{\"é\": 1e999}", Some(json!({"é": "1e999"}))),
            ("{\"a\": 1e999", None),
            ("{\"a\": 1e9e9}", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text).ok(), expected, "{text}");
        }
        for text in [
            "{\"a\": 1, \"a\": 2}",
            "{\"a\": 1e999, \"a\": 1}",
            "{\"b\": [{\"a\": 1, \"\\u0061\": 1}]}",
        ] {
            assert!(read(text).unwrap_err().is_data(), "{text}");
        }
        let zeros = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
        assert!(read(&zeros(MOST_VALUES - 1)).is_ok());
        assert!(read(&zeros(MOST_VALUES)).unwrap_err().is_data());
        assert!(find(&zeros(MOST_VALUES)).is_err());
        let digits = "9".repeat(10_000);
        assert_eq!(read(&digits).unwrap(), json!(digits));
    }

    #[test]
    fn a_text_of_brackets_ends_the_search() {
        for bracket in ["[", "{", "[]]", "{\"a\":"] {
            assert!(find(&bracket.repeat(50_000)).is_err() || bracket == "[]]");
        }
    }

    proptest! {
        #[test]
        fn any_text_with_numbers_is_survived(text in "[\\[\\]{}\",:e0-9.+\\- é]{0,60}") {
            let _ = read(&text);
        }

        #[test]
        fn any_text_is_survived(text in "[\\[\\]{}\",:a1 \\\\é]{0,60}") {
            let _ = find(&text);
        }
    }
}
