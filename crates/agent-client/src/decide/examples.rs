//! Examples of calls in a text, which are not calls.

use reply_text::cut::{after, before, find_ignoring_case};

/// Words that introduce an example, in lower case.
const INTRODUCTIONS: [&str; 9] = [
    "for example",
    "for instance",
    "e.g.",
    "example:",
    "an example",
    "could call",
    "could write",
    "would look like",
    "looks like this",
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
        if !is_before_a_call(inside) {
            at = begin + 1;
            continue;
        }
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

/// Whether a call may begin in the sentence that begins with these words. They do not introduce the call behind the next
/// sentence, and words within the arguments of a call introduce nothing.
fn is_before_a_call(words: &str) -> bool {
    let Some(at) = words.find(['<', '{', '[', '`', '}', ']']) else {
        return before(words, 1_000).contains('(');
    };
    let (sentence, rest) = words.split_at(at);
    let sentence = after(sentence, "e.g.".len());
    let is_over = [". ", ".\n", "! ", "!\n"]
        .iter()
        .any(|end| sentence.contains(end))
        || (sentence.contains("\n\n") && !sentence.trim_end().ends_with(':'));
    let is_opened = rest.starts_with(['<', '{', '[', '`']) && !rest.starts_with("</");
    is_opened && !is_over
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_introduce_the_call_of_their_sentence() {
        let is_call = |text: &str| text.contains("<a>");
        let of = |text: &str| without(text, is_call).map(|rest| rest.replace('\n', " "));
        assert_eq!(
            of("For example <a> is one. <a>").as_deref(),
            Some("  is one. <a>")
        );
        assert_eq!(of("For example:\n\n<a>\n<a>").as_deref(), Some("  <a>"));
        for text in [
            "For example, demand may grow. <a> <a>",
            "<call>{\"text\": \"For example, four\"}</call> <a>",
            "<a> <a>",
            "",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
