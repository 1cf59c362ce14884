//! JSON in the text of a model: in a code fence, between words, or with a stray comma.
//!
//! Objects that name a key twice are refused everywhere in this crate: parsers disagree on which of the two
//! values counts, so such an answer has no single meaning.

use serde_json::Value;
use sim_core::strict::{MOST_VALUES, json_within};

/// Reads JSON in which no object names a key twice, of at most [`MOST_VALUES`] values.
pub(crate) fn strict(text: &str) -> serde_json::Result<Value> {
    json_within(text.as_bytes(), MOST_VALUES)
}

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
        Some(changed) if !error.is_data() => strict(&changed),
        _ => Err(error),
    })
}

/// Scanner that knows whether a character of a JSON text is inside a string.
#[derive(Default)]
struct Strings {
    quoted: bool,
    escaped: bool,
}

impl Strings {
    /// Whether `c`, the next character, belongs to a string; the quotes count as part of it.
    fn holds(&mut self, c: char) -> bool {
        if !self.quoted {
            self.quoted = c == '"';
            return self.quoted;
        }
        match c {
            _ if self.escaped => self.escaped = false,
            '\\' => self.escaped = true,
            '"' => self.quoted = false,
            _ => {}
        }
        true
    }
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

/// Maximum number of bytes that are searched for JSON in a text, summed over the attempts, one from
/// each bracket. Without this limit, the time for a text of brackets only would grow with the
/// square of its length.
const MOST_WORK: usize = 20_000_000;

/// The first JSON object or list in `text`.
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
/// let text = "Here it is:\n```json\n{\"quantity\": 4,}\n```";
/// assert_eq!(find(text), Ok(serde_json::json!({"quantity": 4})));
/// assert!(find("four").is_err());
/// ```
pub fn find(text: &str) -> Result<Value, String> {
    if let Ok(value @ (Value::Object(_) | Value::Array(_))) = strict(text.trim()) {
        return Ok(value);
    }
    let mut why = None;
    let mut work = 0_usize;
    for (at, _) in text.match_indices(['{', '[']) {
        let rest = text.get(at..).unwrap_or_default();
        let piece = balanced(rest);
        work = work.saturating_add(piece.unwrap_or(rest).len());
        if work > MOST_WORK {
            return Err("the text has too many brackets to find JSON in it".to_owned());
        }
        let e = match strict(piece.unwrap_or(rest)) {
            Ok(value) => return Ok(value),
            Err(e) => e,
        };
        let mended = piece.map(|piece| strict(&mended(piece)));
        match mended {
            Some(Ok(value)) => return Ok(value),
            // A duplicate key, or too many values: values inside such an object are not the answer
            // either.
            Some(Err(twice)) if twice.is_data() => return Err(twice.to_string()),
            _ => {
                // The outermost brace is the likeliest, so its error is the one to show.
                if rest.starts_with('{') {
                    why.get_or_insert_with(|| e.to_string());
                }
            }
        }
    }
    Err(why.unwrap_or_else(|| "the text holds no JSON object".to_owned()))
}

/// The piece up to the bracket that closes the first one.
fn balanced(text: &str) -> Option<&str> {
    let (mut depth, mut strings) = (0_u32, Strings::default());
    for (at, c) in text.char_indices() {
        match c {
            _ if strings.holds(c) => {}
            '{' | '[' => depth += 1,
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text.get(..=at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The text without commas before a closing bracket: models write them and JSON forbids them.
fn mended(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut strings = Strings::default();
    for c in text.chars() {
        if !strings.holds(c)
            && matches!(c, '}' | ']')
            && let Some(kept) = out.trim_end().strip_suffix(',')
        {
            out.truncate(kept.len());
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

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
            ("{\"a\": 1} {\"b\": 2}", Some(json!({"a": 1}))),
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
