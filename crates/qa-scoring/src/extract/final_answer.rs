//! The answer that the finance benchmark's code extracts from a reply before scoring.

use crate::python::{strip, value_text};
use crate::span::{after, before, cut};
use reply_text::mark::balanced;
use serde_json::Value;

/// The published code's value when it finds no answer.
pub const NO_FINAL_ANSWER: &str = "No final answer found";

/// The final answer by the published rule, errors included.
///
/// In order: a JSON object's `final_answer`, as text (and [`NO_FINAL_ANSWER`] when it has none);
/// the last `Finish[..]`; the last `"final_answer": ".."`, `'final_answer': '..'` or bare value;
/// "the final answer is \boxed{..}"; the last "the final answer is .." up to a line break or a full
/// stop, which cuts decimals off ("12.5" becomes "12"); else [`NO_FINAL_ANSWER`].
///
/// # Source
/// Behaviour of `extract_answer` in the finance benchmark's repository.
///
/// ```
/// use qa_scoring::extract::final_answer;
/// assert_eq!(final_answer(r#"{"final_answer": 12.5}"#), "12.5");
/// assert_eq!(final_answer("So Finish[A], no, Finish[B]"), "B");
/// assert_eq!(final_answer("The final answer is 12.5"), "12"); // as the published code
/// assert_eq!(final_answer("12.5"), "No final answer found");
/// ```
#[must_use]
pub fn final_answer(reply: &str) -> String {
    // A whole object decides alone in the source, also where it has no answer.
    if let Ok(Value::Object(fields)) = serde_json::from_str(reply) {
        return fields
            .get("final_answer")
            .map_or_else(|| NO_FINAL_ANSWER.to_owned(), value_text);
    }
    last_finish(reply)
        .or_else(|| last_quoted(reply, '"'))
        // In the order of the source: what a weaker pattern finds later in the text does not count.
        .or_else(|| last_quoted(reply, '\''))
        .or_else(|| last_bare(reply))
        .or_else(|| boxed_phrase(reply))
        .or_else(|| last_phrase(reply))
        .unwrap_or_else(|| NO_FINAL_ANSWER.to_owned())
}

/// The last `Finish[..]` within a line.
fn last_finish(reply: &str) -> Option<String> {
    let mut last = None;
    let mut at = 0;
    while let Some(found) = after(reply, at).find("Finish[") {
        let start = at + found + "Finish[".len();
        let rest = after(reply, start);
        let close = rest.find([']', '\n']);
        match close {
            Some(end) if after(rest, end).starts_with(']') => {
                last = Some(before(rest, end).to_owned());
                at = start + end + 1;
            }
            // A bracket that does not close in its line is none; the search goes on behind it.
            Some(end) => at = start + end,
            None => break,
        }
    }
    last
}

/// The last `"final_answer": ".."` with `quote` for every mark.
fn last_quoted(reply: &str, quote: char) -> Option<String> {
    let key = format!("{quote}final_answer{quote}");
    let mut last = None;
    let mut at = 0;
    while let Some(found) = after(reply, at).find(&key) {
        let start = at + found + key.len();
        at = start;
        let Some(value) = colon(after(reply, start)).and_then(|rest| rest.strip_prefix(quote))
        else {
            continue;
        };
        if let Some(end) = value.find(quote) {
            last = Some(before(value, end).to_owned());
            at = reply.len() - value.len() + end + 1;
        }
    }
    last
}

/// The text after `\s*:\s*`.
fn colon(text: &str) -> Option<&str> {
    let space = |c: char| crate::python::is_space(c);
    Some(
        text.trim_start_matches(space)
            .strip_prefix(':')?
            .trim_start_matches(space),
    )
}

/// The last value without quotes, up to a comma or a closing bracket.
fn last_bare(reply: &str) -> Option<String> {
    let mut last = None;
    let mut at = 0;
    while let Some(found) = after(reply, at).find("final_answer") {
        let word = at + found;
        let start = word + "final_answer".len();
        at = start;
        let marked = before(reply, word).ends_with(['"', '\''])
            && after(reply, start).starts_with(['"', '\'']);
        let Some(value) = marked.then(|| colon(after(reply, start + 1))).flatten() else {
            continue;
        };
        let end = value.find([',', '}']).unwrap_or(value.len());
        if end > 0 {
            last = Some(strip(before(value, end)).to_owned());
            at = reply.len() - value.len() + end;
        }
    }
    last
}

/// Ends of "the final answer is", with the colon and white space that may follow.
fn phrase_ends(reply: &str) -> impl Iterator<Item = usize> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let found = after(reply, at).find("he final answer is")?;
        let word = at + found;
        let mut end = word + "he final answer is".len();
        at = end;
        // The source matches `[Tt]he`. `Some(None)` goes on with the search; `None` would end the
        // iterator.
        if !before(reply, word).ends_with(['T', 't']) {
            return Some(None);
        }
        if after(reply, end).starts_with(':') {
            end += 1;
        }
        let rest = after(reply, end);
        Some(Some(
            end + rest.len() - rest.trim_start_matches(crate::python::is_space).len(),
        ))
    })
    .flatten()
}

/// `\boxed{..}` right after the first such phrase that has one.
fn boxed_phrase(reply: &str) -> Option<String> {
    phrase_ends(reply)
        .find_map(|end| {
            let rest = after(reply, end);
            // Typeset answers stand between dollar signs, which are not a part of them.
            let rest = rest.strip_prefix('$').unwrap_or(rest);
            rest.strip_prefix("\\boxed{")
        })
        .and_then(balanced)
        .filter(|inside| !inside.is_empty())
        .map(str::to_owned)
}

/// What follows the last such phrase, up to a line break or a full stop.
fn last_phrase(reply: &str) -> Option<String> {
    let mut last = None;
    let mut from = 0;
    for start in phrase_ends(reply) {
        // A phrase inside the answer of the previous phrase was consumed with that answer.
        if start < from {
            continue;
        }
        let rest = after(reply, start);
        let end = rest.find(['\n', '.']).unwrap_or(rest.len());
        if end > 0 {
            last = Some(cut(reply, start, start + end));
            from = start + end;
        }
    }
    let answer = strip(last?);
    // Only where the box is all that was cut out. "\boxed{12.5}" was cut at its dot and stays as it
    // is, an error of the source.
    let bare = answer.strip_prefix('$').unwrap_or(answer);
    let unboxed = bare
        .strip_prefix("\\boxed{")
        .and_then(|inside| {
            let end = inside.find('}').filter(|&end| end > 0)?;
            matches!(after(inside, end), "}" | "}$").then(|| before(inside, end))
        })
        .unwrap_or(answer);
    let plain = unboxed.replace('$', "");
    let plain = strip(&plain);
    (!plain.is_empty()).then(|| plain.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_published_order() {
        let cases = [
            ("{\"final_answer\": 40}", "40"),
            ("{\"final_answer\": [1, 2.0]}", "[1, 2.0]"),
            ("{\"answer\": 40}", NO_FINAL_ANSWER),
            ("a Finish[x] b Finish[y z] c", "y z"),
            (
                "so \"final_answer\" : \"a\" and \"final_answer\":\"b\"",
                "b",
            ),
            ("{'final_answer': '40.0'}", "40.0"),
            ("'final_answer': 12.5, x", "12.5"),
            (
                "The final answer is: $\\boxed{\\frac{1}{2}}$.",
                "\\frac{1}{2}",
            ),
            ("the final answer is 12.5", "12"),
            ("The final answer is $7", "7"),
            ("The final answer is: x\nthe final answer is y.", "y"),
            ("nothing", NO_FINAL_ANSWER),
            ("", NO_FINAL_ANSWER),
        ];
        for (reply, want) in cases {
            assert_eq!(final_answer(reply), want, "{reply}");
        }
    }
}
