//! What looks like a call in a text and is none: an example, a call that is taken back, a turn that the model made up.

use reply_text::cut::{after, before, find_ignoring_case};

/// Words that introduce an example, in lower case.
const INTRODUCTIONS: [&str; 15] = [
    "for example",
    "for instance",
    "e.g.",
    "example:",
    "an example",
    "could call",
    "could write",
    "would look like",
    "looks like this",
    "instead of",
    "rather than",
    "not call",
    "not send",
    "won't call",
    "won't send",
];

/// How the next turn of a chat begins in a reply of a model that goes on with it, in lower case.
const TURNS: [&str; 6] = [
    "\nuser:",
    "\nhuman:",
    "\n**user:**",
    "\n### user",
    "\nobservation:",
    "<tool_response>",
];

/// How a sentence begins that takes back the call before it, in lower case.
const CORRECTIONS: [&str; 8] = [
    "wait",
    "no, wait",
    "actually",
    "correction",
    "sorry",
    "oops",
    "scratch that",
    "on second thought",
];

/// The part of `text` with the calls that the model means: up to a turn that it made up behind a call, and from where it
/// takes a call back and makes another one.
pub(super) fn meant(text: &str, is_call: impl Fn(&str) -> bool) -> &str {
    let turns = TURNS
        .iter()
        .filter_map(|turn| find_ignoring_case(text, turn, 0));
    let own = match turns.min().map(|at| before(text, at)) {
        Some(own) if is_call(own) => own,
        _ => text,
    };
    let begins = |line: &str| {
        // Not line ends: of many blank lines each would be read to the end of all.
        let line = line.trim_start_matches([' ', '\t']);
        CORRECTIONS.iter().any(|words| {
            let head = line.get(..words.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(words))
        })
    };
    // Directly behind a call, because the words of an argument take nothing back.
    let is_behind_a_call = |at: usize| {
        before(own, at)
            .trim_end()
            .ends_with(['>', '}', ')', ']', '`'])
    };
    let corrected = own
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .filter(|at| begins(after(own, *at)) && is_behind_a_call(*at))
        .take(MOST_WORDS);
    let corrected = corrected
        .map(|at| after(own, at))
        .filter(|rest| is_call(rest));
    corrected.last().unwrap_or(own)
}

/// Most words that are looked at.
const MOST_WORDS: usize = 4;

/// Most places at which an example may end.
// At each end the text is read for a call: without a limit a long text of brackets takes quadratic
// time.
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
    fn what_is_made_up_or_taken_back_is_not_meant() {
        let is_call = |text: &str| text.contains("<a>");
        for (text, of) in [
            ("<a>\nUser: next\nAssistant: <a> 2", "<a>"),
            ("<a>\n<tool_response>9</tool_response>\n<a> 2", "<a>\n"),
            ("User: next\n<a>", "User: next\n<a>"),
            ("Hi.\nUser: next\n<a>", "Hi.\nUser: next\n<a>"),
            ("<a>\nWait, no.\n<a> 2", "Wait, no.\n<a> 2"),
            ("<a>\nWait, I am sure.", "<a>\nWait, I am sure."),
            (
                "<a> text\nWait for it.</a>\n<a> 2",
                "<a> text\nWait for it.</a>\n<a> 2",
            ),
        ] {
            assert_eq!(meant(text, is_call), of, "{text}");
        }
    }

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
