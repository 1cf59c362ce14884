//! Examples of calls in a text, which are not calls.

use reply_text::cut::{after, before, find_ignoring_case};

/// Words that introduce an example, in lower case.
const INTRODUCTIONS: [&str; 12] = [
    "for example",
    "for instance",
    "e.g.",
    "example:",
    "an example",
    "such as",
    "could call",
    "could write",
    "would look like",
    "looks like this",
    "the format is",
    "in the format",
];

/// Most words that are looked at.
const MOST_WORDS: usize = 4;

/// Most places at which an example may end.
const MOST_ENDS: usize = 40;

/// `text` without the examples of calls in it: what stands between words that introduce one and the end of the first
/// call behind them. `is_call` says whether a text holds a call. `None` if there is no example.
pub(super) fn without(text: &str, is_call: impl Fn(&str) -> bool) -> Option<String> {
    let mut rest = text.to_owned();
    let mut at = 0;
    let mut is_changed = false;
    for _ in 0..MOST_WORDS {
        let found = INTRODUCTIONS
            .iter()
            .filter_map(|words| find_ignoring_case(&rest, words, at));
        let Some(begin) = found.min() else { break };
        let inside = after(&rest, begin);
        let ends = inside
            .char_indices()
            .filter(|(_, c)| matches!(c, '\n' | '>' | '}' | ')' | ']'))
            .map(|(end, c)| end + c.len_utf8())
            .take(MOST_ENDS);
        match ends.into_iter().find(|end| is_call(before(inside, *end))) {
            Some(end) => {
                let kept = format!("{}\n{}", before(&rest, begin), after(inside, end));
                rest = kept;
                at = begin;
                is_changed = true;
            }
            None => at = begin + 1,
        }
    }
    is_changed.then_some(rest)
}
