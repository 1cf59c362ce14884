//! Keeps secrets, API keys for one, out of everything that is written or shown.
//!
//! [`Scrub`] is given the keys and reads no environment. It is used in two places:
//!
//! 1. when a reply is turned into a decision (the retry stage), after all decoding and joining and before
//!    any environment, method or recording sees it, so that what is written is what was applied and
//!    a record still replays;
//! 2. when text is written to a file or shown, as a second line of defence.
//!
//! A key is found in one text as it is, in base64 (either alphabet, at any alignment), and where escapes of JSON
//! (`\u0073`, with any number of backslashes) or of addresses (`%73`) say some of its characters. Not covered: other
//! encodings, a key that is cut into pieces, and what a model invents (reversal, ciphers, the choice of its decisions).

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Length of the shortest key that is looked for \[bytes\].
const SHORTEST: usize = 8;

/// Replaces keys by `[key]` in what is written or shown.
///
/// Keys shorter than 8 characters are not looked for: they are placeholders for local servers and
/// occur in ordinary text.
#[derive(Clone, Default)]
pub struct Scrub {
    /// Finds the forms of all keys; absent if there is no key to look for.
    forms: Option<Arc<AhoCorasick>>,
}

/// A line without keys, ready to be appended to a file; only a [`Scrub`] makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanLine(String);

impl CleanLine {
    /// The line, without a line end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Scrub {
    /// The text that replaces a key.
    pub const MARK: &'static str = "[key]";

    /// A scrubber for these keys.
    pub fn new<'a>(keys: impl IntoIterator<Item = &'a str>) -> Self {
        let keys = keys.into_iter().filter(|key| key.len() >= SHORTEST);
        let forms: Vec<String> = keys.flat_map(forms).collect();
        if forms.is_empty() {
            return Self::default();
        }
        // The longest form at a place: a key may be the beginning of another one.
        let finder = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(forms);
        Self {
            // It fails only for more text than fits into memory.
            forms: finder.ok().map(Arc::new),
        }
    }

    /// Whether there is no key to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.forms.is_none()
    }

    /// `text` without keys.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Some(forms) = &self.forms else {
            return Cow::Borrowed(text);
        };
        let mut spans: Vec<Range<usize>> = forms.find_iter(text).map(|hit| hit.range()).collect();
        // Only then, because it doubles the work, and most texts have neither.
        if text.contains(['\\', '%']) {
            let (plain, places) = unescaped(text.as_bytes());
            spans.extend(forms.find_iter(&plain).filter_map(|hit| {
                let (first, last) = (places.get(hit.start())?, places.get(hit.end() - 1)?);
                Some(first.start..last.end)
            }));
        }
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        spans.sort_unstable_by_key(|span| span.start);
        let (mut out, mut done) = (String::with_capacity(text.len()), 0);
        for span in spans {
            // A key is found by both ways of reading.
            if span.start >= done {
                out.push_str(text.get(done..span.start).unwrap_or_default());
                out.push_str(Self::MARK);
            }
            done = done.max(span.end);
        }
        out.push_str(text.get(done..).unwrap_or_default());
        Cow::Owned(out)
    }

    /// `line` without keys; a line of JSON stays JSON.
    #[must_use]
    pub fn line<'a>(&self, line: &'a str) -> Cow<'a, str> {
        let clean = self.text(line);
        if let Cow::Borrowed(_) = clean {
            return clean;
        }
        // A number of digits may be a key: in a line of JSON it becomes a text.
        match serde_json::from_str::<Value>(line) {
            Ok(value) => Cow::Owned(self.value(&value).to_string()),
            Err(_) => clean,
        }
    }

    /// `line` without keys, for a file.
    #[must_use]
    pub fn clean_line(&self, line: String) -> CleanLine {
        match self.line(&line) {
            Cow::Owned(clean) => CleanLine(clean),
            Cow::Borrowed(_) => CleanLine(line),
        }
    }

    /// `value` without keys in its texts, names and numbers.
    #[must_use]
    pub fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text).into_owned()),
            // A key may consist of digits, and a model may repeat it as a number.
            Value::Number(number) => match self.text(&number.to_string()) {
                Cow::Owned(clean) => Value::String(clean),
                Cow::Borrowed(_) => value.clone(),
            },
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(map) => map
                .iter()
                .map(|(name, item)| (self.text(name).into_owned(), self.value(item)))
                .collect(),
            Value::Null | Value::Bool(_) => value.clone(),
        }
    }
}

/// The texts by which `key` is found: itself, and its base64 after 0, 1 or 2 bytes of other text (modulo 3) in both
/// alphabets, without the characters at either end that hold bits of the text around it.
fn forms(key: &str) -> Vec<String> {
    let mut forms = vec![key.to_owned()];
    // A character of base64 holds 6 bits. After 1 byte of other text the first 2 characters hold
    // bits of it, after 2 bytes the first 3; such characters differ from text to text.
    for (before, first) in [(0, 0), (1, 2), (2, 3)] {
        let padded = format!("{}{key}", "-".repeat(before));
        let whole = padded.len() * 8 / 6;
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let encoded = engine.encode(&padded);
            forms.extend(encoded.get(first..whole).map(str::to_owned));
        }
    }
    forms
}

/// `text` with the characters that escapes stand for, and the part of `text` that says each byte of it.
///
/// A row of backslashes counts as one: JSON in a string of JSON doubles them.
fn unescaped(text: &[u8]) -> (Vec<u8>, Vec<Range<usize>>) {
    let (mut plain, mut places) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        let row = rest.iter().take_while(|b| **b == b'\\').count();
        let (said, length) = match (byte, rest.get(row)) {
            // At the end of the text, or before another character: the backslashes escape that one.
            (b'\\', None) => (b'\\', row),
            (b'\\', Some(b'u')) => match number(rest, row + 1, 4) {
                Some(said) => (said, row + 5),
                None => (b'u', row + 1),
            },
            (b'\\', Some(next)) => (*next, row + 1),
            (b'%', _) => match number(rest, 1, 2) {
                Some(said) => (said, 3),
                None => (b'%', 1),
            },
            _ => (*byte, 1),
        };
        plain.push(said);
        places.push(at..at + length);
        at += length;
    }
    (plain, places)
}

/// The byte that `digits` hexadecimal digits of `text` at `at` say; `None` if they are not digits or say more.
fn number(text: &[u8], at: usize, digits: usize) -> Option<u8> {
    let digits = text.get(at..at + digits)?.iter();
    let mut values = digits.map(|digit| char::from(*digit).to_digit(16));
    let value = values.try_fold(0, |sum, digit| Some(sum * 16 + digit?))?;
    u8::try_from(value).ok()
}

impl fmt::Debug for Scrub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scrub")
    }
}

#[cfg(test)]
mod tests;
