//! Objects as JSON5 and Python write them.

use super::strict;
use crate::cut::{after, before, covers, head};
use serde_json::{Map, Value};

/// Most places at which an object in single quotes is looked for.
const MOST_TRIES: usize = 50;

/// Longest such object \[bytes\].
const LONGEST: usize = 10_000;

/// Every object of a text whose first name stands in single quotes, as Python prints them, or in none, outside of the places `known`
/// \[bytes\], which are in order.
pub(super) fn printed(
    text: &str,
    known: &[(usize, usize)],
) -> Vec<(Map<String, Value>, usize, usize)> {
    let mut found = Vec::new();
    let (mut at, mut tries) = (0, 0);
    while let Some(open) = after(text, at).find('{') {
        let start = at + open;
        at = start + 1;
        let inside = after(text, at).trim_start();
        let name = inside
            .find(|c: char| !(c.is_ascii_alphabetic() || c == '_'))
            .unwrap_or(0);
        // Short names also stand before a colon in sets and in code: `{x: x > 0}`.
        let named = name > 2 && after(inside, name).starts_with(':');
        if !(named || inside.starts_with('\'')) || covers(known, start) {
            continue;
        }
        tries += 1;
        if tries > MOST_TRIES {
            break;
        }
        // Limited: without an end each try would read the rest of the text.
        let rest = head(after(text, start), LONGEST);
        let Some(end) = closing(rest) else {
            continue;
        };
        if let Some(Value::Object(fields)) = relaxed(before(rest, end)) {
            at = start + end;
            found.push((fields, start, at));
        }
    }
    found
}

/// Where the bracket that closes the first one ends; brackets in texts of either quote do not count.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut escaped) = (0_u32, None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Reads an object or list as JSON5 and Python write them: names without quotes, texts in single quotes, a comma before
/// a closing bracket, `True`, `False` and `None`, and null for the numbers that JSON does not have (`NaN`, `Infinity`).
/// `None` if it is anything else.
///
/// ```
/// use reply_text::json::relaxed;
/// assert_eq!(relaxed("{'n': 4, open: True,}"), Some(serde_json::json!({"n": 4, "open": true})));
/// assert_eq!(relaxed("{n: 4, // of 9\n}"), Some(serde_json::json!({"n": 4})));
/// assert_eq!(relaxed("{n: [4, /* more */ ],}"), Some(serde_json::json!({"n": [4]})));
/// assert_eq!(relaxed("['\\\"a\\\" \\'b\\' C:\\d']"), Some(serde_json::json!(["\"a\" 'b' C:\\d"])));
/// assert_eq!(relaxed("{n: four}"), None);
/// ```
#[must_use]
pub fn relaxed(text: &str) -> Option<Value> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..)?;
        rest = match c {
            '"' | '\'' => {
                let (inner, behind) = quoted(after, c)?;
                out.push_str(&Value::String(inner).to_string());
                behind
            }
            c if c.is_alphabetic() || c == '_' || c == '$' => {
                let end = rest
                    .find(|c: char| !(c.is_alphanumeric() || "_-$.".contains(c)))
                    .unwrap_or(rest.len());
                let (word, behind) = rest.split_at(end);
                match word {
                    // First of all, since `None` or `true` may be a name too.
                    _ if behind.trim_start().starts_with(':') => {
                        out.push_str(&Value::String(word.to_owned()).to_string());
                    }
                    "True" | "true" => out.push_str("true"),
                    "False" | "false" => out.push_str("false"),
                    "None" | "null" | "NaN" | "nan" | "Infinity" | "inf" => out.push_str("null"),
                    _ => return None,
                }
                behind
            }
            c if c == '-' || c.is_ascii_digit() => {
                let end = rest
                    .find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)))
                    .unwrap_or(rest.len());
                let (number, behind) = rest.split_at(end);
                out.push_str(match number {
                    "-Infinity" | "-inf" => "null",
                    number => number,
                });
                behind
            }
            // A comma before a closing bracket, also with a comment between them. A text ends with its quote, so it loses none.
            '}' | ']' => {
                out.truncate(out.trim_end().len());
                if out.ends_with(',') {
                    out.pop();
                }
                out.push(c);
                after
            }
            // Comments of JSON5.
            '/' if after.starts_with('/') => after.split_once('\n').map_or("", |(_, rest)| rest),
            '/' if after.starts_with('*') => after.split_once("*/")?.1,
            c => {
                out.push(c);
                after
            }
        };
    }
    strict(&out).ok()
}

/// The text up to the quote `end`, with its escapes read, and the rest behind the quote.
fn quoted(text: &str, end: char) -> Option<(String, &str)> {
    let mut escaped = false;
    let at = text.char_indices().find_map(|(at, c)| {
        let is_end = !escaped && c == end;
        escaped = !escaped && c == '\\';
        is_end.then_some(at)
    })?;
    // As JSON: there a double quote needs an escape and a single one has none.
    let mut json = String::with_capacity(at + 2);
    let mut letters = text.get(..at)?.chars();
    while let Some(c) = letters.next() {
        match c {
            '"' => json.push_str("\\\""),
            '\\' => match letters.next()? {
                '\'' => json.push('\''),
                // Python keeps the backslash of an escape that it does not know: 'C:\data'.
                c if end == '\'' && !"\"\\/bfnrtu".contains(c) => json.extend(['\\', '\\', c]),
                c => json.extend(['\\', c]),
            },
            c => json.push(c),
        }
    }
    let read = serde_json::from_str(&format!("\"{json}\"")).ok()?;
    Some((read, text.get(at + end.len_utf8()..)?))
}
