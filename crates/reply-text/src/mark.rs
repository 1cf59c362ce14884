//! Explicit answers in a text, and code.
//!
//! An explicit answer is marked by its form: JSON with an answer field, `[[..]]`, `\boxed{..}`, `<answer>..</answer>`,
//! `#### ..`, or a phrase such as "the answer is". Of several the last one counts, because models change their minds.

mod boxed;
mod fence;
mod phrase;

use crate::cut::{after, before, covers, cut, find_ignoring_case};
use crate::json;
use serde_json::Value;
use std::borrow::Cow;

pub use boxed::{balanced, last_boxed};
pub use fence::{Fence, fences, first_fence, last_fence, without_fences};
pub use phrase::is_aside;

/// Fields of JSON that hold an answer, the clearest first: in lower case, without blanks and marks, so that
/// `final_answer`, `final answer` and `finalAnswer` are one.
const KEYS: [&str; 10] = [
    "finalanswer",
    "answer",
    "choice",
    "answers",
    "choices",
    "result",
    "prediction",
    "output",
    "response",
    "value",
];

/// The field of an object that holds an answer.
fn answer_field(fields: &serde_json::Map<String, Value>) -> Option<&Value> {
    let bare = |key: &str| -> String {
        let letters = key.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
        letters.flat_map(char::to_lowercase).collect()
    };
    let named = KEYS
        .iter()
        .find_map(|want| fields.iter().find(|(key, _)| bare(key) == **want));
    // "numeric_answer", "answer_value"
    let mut kin = fields.iter().filter(|(key, _)| {
        let key = bare(key);
        key.starts_with("answer") || key.ends_with("answer")
    });
    let only = kin.next().filter(|_| kin.next().is_none());
    named.or(only).map(|(_, value)| value)
}

/// Names of tags and marks around an answer.
const TAGS: [&str; 6] = [
    "answer",
    "final_answer",
    "final",
    "solution",
    "result",
    "output",
];

/// How an answer is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// JSON with an answer field.
    Json,
    /// `[[..]]`.
    Braces,
    /// `\boxed{..}`.
    Boxed,
    /// `<answer>..</answer>`.
    Tag,
    /// `#### ..`.
    Hashes,
    /// "the answer is ..".
    Phrase,
}

/// An explicit answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark<'a> {
    /// How it is marked.
    pub kind: Kind,
    /// Its text: of JSON, the text of the field.
    pub text: Cow<'a, str>,
    /// The field of JSON.
    pub json: Option<Value>,
    /// Where it begins \[bytes\].
    pub start: usize,
    /// Where it ends \[bytes\].
    pub end: usize,
}

/// Every explicit answer, in order of where it begins.
///
/// ```
/// use reply_text::mark::all;
/// let marks = all("The answer is 4. No: \\boxed{5}");
/// let texts: Vec<&str> = marks.iter().map(|mark| mark.text.as_ref()).collect();
/// assert_eq!(texts, ["4.", "5"]); // a phrase gives its sentence, with the full stop
/// ```
#[must_use]
pub fn all(text: &str) -> Vec<Mark<'_>> {
    let mut found = by_form(text);
    let forms: Vec<(usize, usize)> = found
        .iter()
        .filter(|mark| mark.kind == Kind::Json)
        .map(|mark| (mark.start, mark.end))
        .collect();
    // Words in a field of JSON are not an answer beside it.
    let phrases = phrase::all(text).into_iter();
    found.extend(phrases.filter(|mark| !covers(&forms, mark.start)));
    found.sort_by_key(|mark| mark.start);
    found
}

/// The explicit answers that are marked by their form, in order of where they begin.
#[must_use]
pub fn by_form(text: &str) -> Vec<Mark<'_>> {
    let mark = |kind, text, start, end| Mark {
        kind,
        text: Cow::Borrowed(text),
        json: None,
        start,
        end,
    };
    let mut found: Vec<Mark<'_>> = json::printed_objects(text)
        .into_iter()
        .filter_map(|(fields, start, end)| {
            let value = answer_field(&fields)?;
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            Some(Mark {
                kind: Kind::Json,
                text: Cow::Owned(text),
                json: Some(value.clone()),
                start,
                end,
            })
        })
        .collect();
    // A field may hold its answer in a box or a tag: then the field is the mark, or the answer would count twice.
    let inside_json = |at: usize, found: &[Mark<'_>]| {
        found
            .iter()
            .any(|mark| mark.kind == Kind::Json && (mark.start..mark.end).contains(&at))
    };
    if let Some((inside, end)) = last_brace(text)
        && !inside_json(end, &found)
    {
        let start = end.saturating_sub(inside.len());
        found.push(mark(Kind::Braces, inside, start, end + 2));
    }
    if let Some((inside, end)) = last_boxed(text)
        && !inside_json(end, &found)
    {
        let start = end.saturating_sub(inside.len());
        found.push(mark(Kind::Boxed, inside, start, end + 1));
    }
    for name in TAGS {
        let Some((start, end)) = last_tag(text, name) else {
            continue;
        };
        if !inside_json(start, &found) {
            found.push(mark(Kind::Tag, cut(text, start, end), start, end));
        }
    }
    if let Some(at) = text.rfind("####") {
        let start = at + 4;
        let rest = after(text, start);
        // Four hashes at the start of a line with words are a heading, as in Markdown; an answer is on the line's end.
        let line = before(rest, rest.find('\n').unwrap_or(rest.len()));
        let is_heading =
            rest.starts_with('#') || line.trim().is_empty() || line.split_whitespace().count() > 6;
        if !is_heading && line.bytes().any(|b| b.is_ascii_digit()) && !inside_json(at, &found) {
            found.push(mark(Kind::Hashes, line, start, start + line.len()));
        }
    }
    found.sort_by_key(|mark| mark.start);
    found
}

/// Where the inside of the last `<name ..>..</name>` or `[NAME]..[/NAME]` begins and ends.
fn last_tag(text: &str, name: &str) -> Option<(usize, usize)> {
    let last = [('<', '>'), ('[', ']')]
        .into_iter()
        .filter_map(|(open, close)| {
            let at = crate::cut::rfind_ignoring_case(text, &format!("{open}{name}"))?;
            let head = at + 1 + name.len();
            // "<answer type="number">"; attributes do not run over lines.
            let rest = after(text, head);
            let length = rest.find([close, '\n'])?;
            let is_tag = after(rest, length).starts_with(close)
                && (length == 0 || open == '<' && rest.starts_with(' '));
            let start = head + length + 1;
            let end = find_ignoring_case(text, &format!("{open}/{name}"), start);
            // A word in square brackets alone does not mark an answer.
            (is_tag && (open == '<' || end.is_some())).then(|| (start, end.unwrap_or(text.len())))
        });
    last.max()
}

/// The text up to a next question that a model asks itself after its answer: `Question: ..`, `Q: ..` at the beginning of
/// a line, behind an explicit answer or a single word. Models without a chat format go on so.
///
/// ```
/// use reply_text::mark::before_next_question;
/// assert_eq!(before_next_question("Answer: 4\n\nQuestion: 2 + 3?\nAnswer: 5"), "Answer: 4\n");
/// let asked = "I am asked:\nQuestion: 2 + 3?\nAnswer: 5";
/// assert_eq!(before_next_question(asked), asked);
/// ```
#[must_use]
pub fn before_next_question(text: &str) -> &str {
    let next = ["\nQuestion:", "\nQ:", "\n### Question", "\n**Question"]
        .iter()
        .filter_map(|words| text.find(words))
        .min();
    let Some(at) = next else { return text };
    let answered = before(text, at);
    let is_answered = answered.split_whitespace().count() == 1 || !all(answered).is_empty();
    if is_answered { answered } else { text }
}

/// The inside of the last `[[..]]`, trimmed, and where it ends.
///
/// ```
/// use reply_text::mark::last_brace;
/// assert_eq!(last_brace("[[A]] or [[ B ]]"), Some(("B", 14)));
/// ```
#[must_use]
pub fn last_brace(text: &str) -> Option<(&str, usize)> {
    let close = text.rfind("]]")?;
    let open = before(text, close).rfind("[[")?;
    Some((cut(text, open + 2, close).trim(), close))
}
