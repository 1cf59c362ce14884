//! JSON in a text: in a code fence, between words, with a stray comma.

use crate::cut::{after, before, cut, first_chars, head};
use serde_json::{Map, Value};
use sim_core::strict::{MOST_VALUES, json_within};

mod relaxed;

pub use relaxed::relaxed;

/// Maximum number of bytes that are searched for the ends of objects, summed over the attempts, one from each
/// bracket. Without this limit, the time for a text of brackets only would grow with the square of its length.
const MOST_WORK: usize = 10_000_000;

/// Most brackets that are tried in vain: each try may follow 128 levels of nesting.
const MOST_TRIES: usize = 2_000;

/// A piece of JSON in a text.
#[derive(Debug)]
pub struct Piece {
    /// Its value, or why it is refused: an object that names a key twice, or too many values.
    pub value: Result<Value, serde_json::Error>,
    /// Where it begins \[bytes\].
    pub start: usize,
    /// Where it ends \[bytes\].
    pub end: usize,
}

/// Every complete object or list in a text, the outermost of each, in order, and the parser's message on the first
/// object that is not complete.
///
/// A piece from one bracket to the bracket that closes it is also tried without commas before closing brackets.
#[must_use]
pub fn pieces(text: &str) -> (Vec<Piece>, Option<String>) {
    scan(text, &['{', '['], MOST_WORK)
}

fn scan(text: &str, brackets: &[char], most_work: usize) -> (Vec<Piece>, Option<String>) {
    let (mut found, mut why) = (Vec::new(), None);
    let (mut at, mut work, mut tries) = (0, 0_usize, 0);
    while let Some(open) = after(text, at).find(brackets) {
        let start = at + open;
        let rest = after(text, start);
        // The braces of code and of typeset mathematics.
        if rest.starts_with('{') && !after(rest, 1).trim_start().starts_with(['"', '}']) {
            if why.is_none() {
                why = strict(first_chars(rest, 200))
                    .err()
                    .map(|error| error.to_string());
            }
            at = start + 1;
            continue;
        }
        let mut decoder = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let error = match decoder.next() {
            // Decoded again from its place: this parser keeps the last of two values under one
            // name.
            Some(Ok(_)) => {
                let end = start + decoder.byte_offset().max(1);
                found.push(Piece {
                    value: strict(cut(text, start, end)),
                    start,
                    end,
                });
                at = end;
                continue;
            }
            Some(Err(error)) => error,
            None => break,
        };
        // Only what did not decode is searched for its end and mended: nearly every piece is sound.
        let piece = balanced(head(rest, most_work));
        work = work.saturating_add(piece.unwrap_or(rest).len().min(most_work));
        tries += 1;
        if work > most_work || tries > MOST_TRIES {
            why.get_or_insert_with(|| {
                "the text has too many brackets to find JSON in it".to_owned()
            });
            break;
        }
        match piece.map(|piece| (strict(&mended(piece)), piece.len())) {
            Some((value, length))
                if value
                    .as_ref()
                    .map_or_else(serde_json::Error::is_data, |_| true) =>
            {
                found.push(Piece {
                    value,
                    start,
                    end: start + length,
                });
                at = start + length;
            }
            _ => {
                // The outermost brace is the likeliest, so its error is the one to show.
                if rest.starts_with('{') {
                    why.get_or_insert_with(|| error.to_string());
                }
                at = start + 1;
            }
        }
    }
    (found, why)
}

/// Every complete object of a text with its place \[bytes\], in order. Objects inside an object are not looked at
/// separately, objects inside a list are.
///
/// ```
/// use reply_text::json::objects;
/// let found = objects("first {\"score\": 4}, no: {\"score\": 2}.");
/// assert_eq!(found.last().map(|(fields, ..)| fields["score"].clone()), Some(2.into()));
/// ```
#[must_use]
pub fn objects(text: &str) -> Vec<(Map<String, Value>, usize, usize)> {
    // Less work than for all pieces: a text of broken and deeply nested objects would take minutes.
    scan(text, &['{'], MOST_WORK / 30)
        .0
        .into_iter()
        .filter_map(|piece| match piece.value {
            Ok(Value::Object(fields)) => Some((fields, piece.start, piece.end)),
            _ => None,
        })
        .collect()
}

/// As [`objects`], with those that Python printed.
///
/// ```
/// use reply_text::json::printed_objects;
/// let found = printed_objects("I print {'why': \"it's\", 'answer': 3}.");
/// assert_eq!(found[0].0["answer"], 3);
/// ```
#[must_use]
pub fn printed_objects(text: &str) -> Vec<(Map<String, Value>, usize, usize)> {
    let mut found = objects(text);
    let known: Vec<(usize, usize)> = found.iter().map(|&(_, from, to)| (from, to)).collect();
    found.extend(relaxed::printed(text, &known));
    // Callers take the last one, so both kinds stand in the order of the text.
    found.sort_by_key(|&(_, start, _)| start);
    found
}

/// The last complete object of a text that has `key`.
///
/// ```
/// use reply_text::json::last_object_with;
/// let object = last_object_with("first {\"score\": 4}, no: {\"score\": 2}.", "score");
/// assert_eq!(object.map(|object| object["score"].clone()), Some(2.into()));
/// ```
#[must_use]
pub fn last_object_with(text: &str, key: &str) -> Option<Map<String, Value>> {
    objects(text)
        .into_iter()
        .rev()
        .map(|(fields, ..)| fields)
        .find(|fields| fields.contains_key(key))
}

/// The value under `name`, letters compared without regard to case, an exact match first.
#[must_use]
pub fn field<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    // Exact first: an object may have both `answer` and `Answer`.
    fields.get(name).or_else(|| {
        fields
            .iter()
            .find(|(key, _)| key.trim().eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    })
}

/// The stretch from the first `{` to the last `}`, decoded, when it is one object.
#[must_use]
pub fn widest_object(text: &str) -> Option<Map<String, Value>> {
    let open = text.find('{')?;
    let close = text.rfind('}')?;
    let inside = before(text, close + 1);
    match serde_json::from_str(after(inside, open)).ok()? {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

/// Reads JSON in which no object names a key twice, of at most [`MOST_VALUES`] values.
///
/// # Errors
/// When it is not JSON, names a key twice, or contains too many values.
pub fn strict(text: &str) -> serde_json::Result<Value> {
    json_within(text.as_bytes(), MOST_VALUES)
}

/// Scanner that knows whether a character of a JSON text is inside a string.
#[derive(Debug, Default)]
pub struct Strings {
    quoted: bool,
    escaped: bool,
}

impl Strings {
    /// Whether `c`, the next character, belongs to a string; the quotes count as part of it.
    pub fn holds(&mut self, c: char) -> bool {
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
        // A bracket in a text is a part of the text.
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
