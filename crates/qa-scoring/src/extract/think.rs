//! Removes a model's thinking from its reply.

use crate::span::{after, before, find_ignoring_case, rfind_ignoring_case};
use std::borrow::Cow;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// A reply without its thinking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spoken<'a> {
    /// The reply itself.
    Text(Cow<'a, str>),
    /// The model began to think and never stopped, so there is no reply.
    OnlyThinking,
}

impl<'a> Spoken<'a> {
    /// The text, `None` when there was only thinking.
    #[must_use]
    pub fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) => Some(text),
            Self::OnlyThinking => None,
        }
    }
}

/// Removes `<think>..</think>` blocks, in any case of letters.
///
/// Order of the steps: 1. every opened and closed block goes; 2. where a closing mark remains, only
/// the text after the last one counts (templates often swallow the opening mark); 3. an opening
/// mark that remains means that the reply was cut off inside the thinking.
///
/// ```
/// use qa_scoring::extract::{Spoken, without_thinking};
/// assert_eq!(without_thinking("<think>A?</think> B").text().as_deref(), Some(" B"));
/// assert_eq!(without_thinking("hmm</think>C").text().as_deref(), Some("C"));
/// assert_eq!(without_thinking("<think>A, no, B"), Spoken::OnlyThinking);
/// ```
#[must_use]
pub fn without_thinking(text: &str) -> Spoken<'_> {
    let Some(first) = find_ignoring_case(text, OPEN, 0) else {
        return match rfind_ignoring_case(text, CLOSE) {
            Some(at) => Spoken::Text(Cow::Borrowed(after(text, at + CLOSE.len()))),
            None => Spoken::Text(Cow::Borrowed(text)),
        };
    };
    // 1.
    let mut kept = before(text, first).to_owned();
    let mut rest = after(text, first);
    while let Some(open) = find_ignoring_case(rest, OPEN, 0) {
        let Some(close) = find_ignoring_case(rest, CLOSE, open) else {
            break;
        };
        kept.push_str(before(rest, open));
        rest = after(rest, close + CLOSE.len());
    }
    kept.push_str(rest);
    // 2.
    if let Some(at) = rfind_ignoring_case(&kept, CLOSE) {
        kept.drain(..at + CLOSE.len());
    }
    // 3.
    if find_ignoring_case(&kept, OPEN, 0).is_some() {
        Spoken::OnlyThinking
    } else {
        Spoken::Text(Cow::Owned(kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_go_and_cut_off_thinking_is_no_reply() {
        let cases = [
            ("plain", Some("plain")),
            ("<THINK>x</Think>y", Some("y")),
            ("<think>a</think>1<think>b</think>2", Some("12")),
            ("<think>a<think>b</think>c</think>d", Some("d")),
            ("a</think>b</think>c", Some("c")),
            ("<think>", None),
            ("x<think>y", None),
            ("</think>x<think>", None),
        ];
        for (text, want) in cases {
            assert_eq!(without_thinking(text).text().as_deref(), want, "{text}");
        }
    }
}
