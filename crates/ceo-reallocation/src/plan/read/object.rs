//! Cutting one JSON object out of a text, forgiving what models add to JSON.

use std::str::Chars;

/// Deepest nesting that is followed; a plan has two levels.
const MAX_DEPTH: usize = 32;

/// A text that starts with a balanced `{..}`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The object as strict JSON.
    pub(super) json: String,
    /// Bytes of the original text that it takes up.
    pub(super) length: usize,
}

/// The object that `text` starts with, if its braces balance and it is JSON apart from comments,
/// commas before closing brackets and typographic minus signs.
///
/// The walk ends at the first character that JSON does not have outside of strings, so that a
/// brace in prose costs no more than the next word. Every byte looked at is taken from `budget`,
/// and a walk that uses it up finds nothing: texts made to be slow end soon.
pub(super) fn json_object(text: &str, budget: &mut usize) -> Option<Found> {
    // The budget limits the work over all attempts: without it a reply of nothing but `{`
    // would be walked once from each of them.
    let mut limit = text.len().min(*budget);
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    let mut chars = text.get(..limit).unwrap_or_default().chars();
    let json = walk(&mut chars);
    let length = limit - chars.as_str().len();
    *budget -= length;
    // Words such as `nul` pass the walk; the parser has the last say.
    json.filter(|json| serde_json::from_str::<serde::de::IgnoredAny>(json).is_ok())
        .map(|json| Found { json, length })
}

/// Reads up to the brace that closes the first one, and gives what was read as strict JSON.
fn walk(chars: &mut Chars<'_>) -> Option<String> {
    let mut json = String::new();
    let mut open: Vec<char> = Vec::new();
    loop {
        let c = chars.next()?;
        match c {
            '{' | '[' => {
                open.push(c);
                if open.len() > MAX_DEPTH {
                    return None;
                }
                json.push(c);
            }
            '}' | ']' => {
                let opener = if c == '}' { '{' } else { '[' };
                if open.pop() != Some(opener) {
                    return None;
                }
                drop_trailing_comma(&mut json);
                json.push(c);
                if open.is_empty() {
                    return Some(json);
                }
            }
            '"' => string(chars, &mut json)?,
            '/' => comment(chars)?,
            '\u{2212}' => json.push('-'),
            ':' | ',' | '+' | '-' | '.' | '0'..='9' | 'e' | 'E' => json.push(c),
            // The other letters of true, false and null.
            't' | 'r' | 'u' | 'f' | 'a' | 'l' | 's' | 'n' => json.push(c),
            // JSON has no place for the last two, which editors and web pages leave between the
            // others.
            ' ' | '\t' | '\n' | '\r' | '\u{a0}' | '\u{feff}' => json.push(' '),
            _ => return None,
        }
    }
}

/// Copies a string whose opening quote was read.
fn string(chars: &mut Chars<'_>, json: &mut String) -> Option<()> {
    json.push('"');
    loop {
        match chars.next()? {
            '\\' => {
                json.push('\\');
                json.push(chars.next()?);
            }
            '"' => {
                json.push('"');
                return Some(());
            }
            // Line breaks inside strings are common and never meant otherwise.
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            c => json.push(c),
        }
    }
}

/// Skips a comment whose first slash was read.
fn comment(chars: &mut Chars<'_>) -> Option<()> {
    match chars.next()? {
        '/' => while chars.next()? != '\n' {},
        '*' => {
            let mut star = false;
            loop {
                let c = chars.next()?;
                if star && c == '/' {
                    break;
                }
                star = c == '*';
            }
        }
        _ => return None,
    }
    Some(())
}

fn drop_trailing_comma(json: &mut String) {
    let kept = json.trim_end().len();
    if json.get(..kept).is_some_and(|text| text.ends_with(',')) {
        json.truncate(kept - 1);
    }
}
