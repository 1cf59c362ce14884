//! Keeps secrets, API keys for one, out of everything that is written or shown.
//!
//! [`Scrub`] is given the keys and reads no environment. It is used in two places:
//!
//! 1. when a reply is turned into a decision (the retry stage), after all decoding and joining and before
//!    any environment, method or recording sees it, so that what is written is what was applied and
//!    a record still replays;
//! 2. when text is written to a file or shown, as a second line of defence.
//!
//! `forms` documents which encodings are found, and `scan` how text is read. Not covered: a model
//! that encodes the key in its own way (reversal, rot13, other ciphers,
//! base64 of base64, the first letters of words, the choice of its decisions).

use crate::strict::MOST_VALUES;
use forms::Forms;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use tails::Tails;
use tree::Leaves;

mod forms;
mod scan;
mod tails;
mod tree;

/// Replaces keys and long fragments of keys by `[key]` in what is written or shown.
///
/// Keys shorter than 8 characters are not looked for: they are placeholders for local servers and
/// occur in ordinary text.
#[derive(Clone, Default)]
pub struct Scrub {
    /// Absent if there is no key to look for.
    forms: Option<Arc<Forms>>,
    tails: Arc<Mutex<Tails>>,
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
    pub const MARK: &'static str = forms::MARK;
    /// Depth to which JSON in strings of JSON is read.
    const DEPTH: u32 = 4;

    /// A scrubber for these keys.
    pub fn new<'a>(keys: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            forms: Forms::new(keys).map(Arc::new),
            tails: Arc::default(),
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
        let spans = scan::spans(forms, text);
        if spans.is_empty() {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(scan::masked(text, &spans))
        }
    }

    /// `line` without keys; a line of JSON stays JSON.
    #[must_use]
    pub fn line<'a>(&self, line: &'a str) -> Cow<'a, str> {
        let clean = self.text(line);
        if let Cow::Borrowed(_) = clean {
            return clean;
        }
        // A key may continue from one string of the line to the next, across quotes and commas.
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

    /// `value` without keys in its strings, names and numbers, also where a key goes on from one
    /// string to the next, or stands in JSON in a string.
    #[must_use]
    pub fn value(&self, value: &Value) -> Value {
        self.mask(value, None)
    }

    /// The same for a part of a conversation: a key that began in an earlier part of it, or in an
    /// earlier part of any conversation, is found too.
    ///
    /// As soon as enough of a key was seen to tell it from ordinary text, the rest of it is masked.
    /// The few characters before that have already been written.
    #[must_use]
    pub fn value_in(&self, conversation: &str, value: &Value) -> Value {
        self.mask(value, Some(conversation))
    }

    fn mask(&self, value: &Value, conversation: Option<&str>) -> Value {
        let Some(forms) = &self.forms else {
            return value.clone();
        };
        let value = self.inside(value, Self::DEPTH);
        let mut leaves = Leaves::of(&value);
        leaves.find(forms, None);
        if let Some(name) = conversation {
            let mut tails = self.tails.lock().unwrap_or_else(PoisonError::into_inner);
            leaves.find(forms, Some(tails.of("")));
            leaves.find(forms, Some(tails.of(name)));
        }
        leaves.put_into(&value)
    }

    /// `value` with the JSON in its strings cleaned.
    fn inside(&self, value: &Value, depth: u32) -> Value {
        match value {
            Value::String(text) => match nested(text).filter(|_| depth > 0) {
                Some(inner) => {
                    let clean = self.inside(&inner, depth - 1);
                    let clean = match &self.forms {
                        Some(forms) => {
                            let mut leaves = Leaves::of(&clean);
                            leaves.find(forms, None);
                            leaves.put_into(&clean)
                        }
                        None => clean,
                    };
                    if clean == inner {
                        value.clone()
                    } else {
                        Value::String(clean.to_string())
                    }
                }
                None => value.clone(),
            },
            Value::Array(items) => items.iter().map(|item| self.inside(item, depth)).collect(),
            Value::Object(map) => map
                .iter()
                .map(|(name, item)| (name.clone(), self.inside(item, depth)))
                .collect(),
            other => other.clone(),
        }
    }
}

/// The JSON object or list that `text` is.
fn nested(text: &str) -> Option<Value> {
    let trimmed = text.trim();
    let first = trimmed.as_bytes().first()?;
    if !matches!(first, b'{' | b'[' | b'"') {
        return None;
    }
    // What holds more values is not read as JSON anywhere, so it is a text like any other. There
    // are no more values than signs that open, separate or name one.
    let signs = trimmed.bytes().filter(|b| b"[{,:".contains(b));
    if signs.count() >= MOST_VALUES {
        return None;
    }
    // Of two equal keys the last counts here; the text as a whole is read as well.
    serde_json::from_str(trimmed).ok()
}

impl fmt::Debug for Scrub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scrub")
    }
}

#[cfg(test)]
mod tests;
