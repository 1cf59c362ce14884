//! The strict rules for option letters.
//!
//! A reply may hold the letters in many forms, and the same letters for other reasons: as labels of options that it
//! discusses, as the article "A", as names. The rules are therefore tried in order of how clearly they announce an
//! answer; [`letters`] lists them. A rule that finds letters decides, even if they are not valid for the item: a later
//! rule would then only find a less clear mention.

use super::boxed::last_boxed;
use super::brace::last_brace;
use super::json::{JsonAnswer, answer_value};
use super::phrase::{Said, after_phrase};
use super::published::is_word;
use super::shape::{folded, only_letters};
use super::think::without_thinking;
use crate::letters::LetterSet;
use crate::span::after;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The rule that found the letters.
///
/// It says how clearly the reply announces its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LetterRule {
    /// (a) The reply is only thinking.
    Thinking,
    /// (b) The reply, or its first code fence, is JSON.
    Json,
    /// (c) The last `[[..]]`.
    Braces,
    /// (d) The last `\boxed{..}`.
    Boxed,
    /// (e) The whole text is letters and separators.
    Whole,
    /// (f) The last phrase such as "the answer is".
    Phrase,
    /// (g) The last or the first line is letters and separators.
    Line,
    /// (h) The first line starts with a marked letter, "C)".
    Opening,
    /// (i) The last line holds exactly one option letter.
    Lone,
    /// No rule found anything.
    Nothing,
}

/// The letters in a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Letters {
    /// The letters; empty when the reply gives no answer.
    pub set: LetterSet,
    /// The rule that decided, also if it found an invalid answer (a letter beyond the item's
    /// options).
    pub rule: LetterRule,
}

impl Letters {
    fn none(rule: LetterRule) -> Self {
        Self {
            set: LetterSet::EMPTY,
            rule,
        }
    }

    /// The set for an item with exactly one right letter: empty if several were given.
    #[must_use]
    pub fn single(self) -> LetterSet {
        if self.set.len() == 1 {
            self.set
        } else {
            LetterSet::EMPTY
        }
    }
}

/// The option letters in a reply to an item with `options` options, by the strict cascade.
///
/// In order, the first rule that finds letters decides: (a) thinking is removed; (b) JSON under
/// `answer`, `final_answer` or `choice`, or a list, or a text; (c) the last `[[..]]`, letters or one
/// place counted from 0; (d) the last `\boxed{..}`; (e) the whole text is letters and separators;
/// (f) the last phrase; (g) the last line, then the first, of the form of (e); (h) the first line
/// opens with a marked letter; (i) the last line holds exactly one option letter. Letters beyond the
/// item's options make the answer void; it is not looked for further down.
///
/// # Source
/// Design page, section 2. It agrees with the published rules on clean replies and repairs long
/// ones; the vectors are in `choice_extraction.json` and `bizcompass_choice_combos.json`.
///
/// ```
/// use qa_scoring::extract::letters;
/// assert_eq!(letters("Answer: B", 4).set.to_string(), "B");
/// assert_eq!(letters("I think A is wrong, so B", 4).set.to_string(), "B");
/// assert!(letters("Cannot determine", 4).set.is_empty());
/// assert!(letters("[[E]]", 4).set.is_empty());
/// ```
#[must_use]
pub fn letters(reply: &str, options: usize) -> Letters {
    let folded = folded(reply);
    let Some(spoken) = without_thinking(&folded).text() else {
        return Letters::none(LetterRule::Thinking);
    };
    let text = spoken.trim();
    let (set, rule) = cascade(text, options);
    if set.within(options) {
        Letters { set, rule }
    } else {
        Letters::none(rule)
    }
}

fn cascade(text: &str, options: usize) -> (LetterSet, LetterRule) {
    if let Some(value) = answer_value(text, &["answer", "final_answer", "choice"])
        && let Some(set) = json_letters(&value)
    {
        return (set, LetterRule::Json);
    }
    if let Some(set) = last_brace(text).and_then(brace_letters) {
        return (set, LetterRule::Braces);
    }
    if let Some(set) = last_boxed(text).and_then(only_letters) {
        return (set, LetterRule::Boxed);
    }
    if let Some(set) = only_letters(text) {
        return (set, LetterRule::Whole);
    }
    match after_phrase(text) {
        Some(Said::Letters(set)) => return (set, LetterRule::Phrase),
        Some(Said::Open) => return (LetterSet::EMPTY, LetterRule::Phrase),
        None => {}
    }
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    let last = lines.next_back().unwrap_or(first);
    // A line of single letters may also be a formula such as "u(x,y)"; lower-case letters or
    // letters beyond the options show that.
    let line = [last, first]
        .into_iter()
        .filter_map(only_letters)
        .find(|set| set.within(options));
    if let Some(set) = line {
        return (set, LetterRule::Line);
    }
    if let Some(set) = opening_letter(first) {
        return (set, LetterRule::Opening);
    }
    if let Some(set) = lone_letter(last, options) {
        return (set, LetterRule::Lone);
    }
    (LetterSet::EMPTY, LetterRule::Nothing)
}

/// Letters of a JSON answer. An answer key with another value is an answer that names no option, so
/// no further rule is tried; a list or text with another value counts as prose.
fn json_letters(answer: &JsonAnswer) -> Option<LetterSet> {
    match answer {
        JsonAnswer::Keyed(value) => Some(value_letters(value).unwrap_or_default()),
        JsonAnswer::Bare(value) => value_letters(value),
    }
}

/// The letters of a JSON text or list of texts; an option written out ("B. rises") counts by its letter.
fn value_letters(value: &Value) -> Option<LetterSet> {
    match value {
        Value::String(text) => only_letters(text).or_else(|| opening_letter(text)),
        Value::Array(items) => {
            let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            only_letters(&texts?.join(","))
        }
        _ => None,
    }
}

/// The letters between double brackets, or the letter at a place that is counted from 0.
fn brace_letters(inside: &str) -> Option<LetterSet> {
    if !inside.is_empty() && inside.bytes().all(|b| b.is_ascii_digit()) {
        // An index beyond the alphabet is as invalid as one beyond the options.
        let place = inside.parse().unwrap_or(usize::MAX).min(25);
        return Some(LetterSet::of_index(place));
    }
    only_letters(inside)
}

/// "C) ..", "A. ..", "B: .." with or without emphasis and brackets.
fn opening_letter(line: &str) -> Option<LetterSet> {
    let line = line.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '*' | '(' | '[' | '"' | '`' | '#')
    });
    let mut letters = line.chars();
    let letter = letters.next().filter(char::is_ascii_uppercase)?;
    let rest = after(line, 1).trim_start_matches(['*', '`', ' ']);
    rest.starts_with([')', '.', ':'])
        .then(|| LetterSet::of_letter(letter))
}

/// The only option letter of a line: a capital that is a word of its own; "A" does not count if a
/// lower-case word follows.
fn lone_letter(line: &str, options: usize) -> Option<LetterSet> {
    let mut found = LetterSet::EMPTY;
    let mut previous_is_word = false;
    for (at, c) in line.char_indices() {
        let rest = after(line, at + c.len_utf8());
        if c.is_ascii_uppercase() && !previous_is_word && !rest.starts_with(is_word) {
            let article = c == 'A'
                && rest.starts_with([' ', '\t'])
                && rest.trim_start().starts_with(char::is_lowercase);
            let one = LetterSet::of_letter(c);
            if !article && one.within(options) {
                found.insert(one);
            }
        }
        previous_is_word = is_word(c);
    }
    (found.len() == 1).then_some(found)
}
