//! Answers in double square brackets, `[[B]]`.

use crate::span::{after, before, cut};

/// The inside of the last `[[..]]`, trimmed.
///
/// ```
/// use qa_scoring::extract::last_brace;
/// assert_eq!(last_brace("[[A]] or [[ B ]]"), Some("B"));
/// ```
#[must_use]
pub fn last_brace(text: &str) -> Option<&str> {
    last_brace_at(text).map(|(inside, _)| inside)
}

/// The inside of the last `[[..]]`, trimmed, and the position of its end.
pub(super) fn last_brace_at(text: &str) -> Option<(&str, usize)> {
    let close = text.rfind("]]")?;
    let open = before(text, close).rfind("[[")?;
    Some((cut(text, open + 2, close).trim(), close))
}

/// The result of the published rule for double brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Braces<'a> {
    /// No pair in the text.
    None,
    /// Exactly one pair, with its inside.
    One(&'a str),
    /// More than one pair, so the rule gives no answer.
    Many,
}

/// Double brackets by the published rule: within a line the first `[[` reaches to the last `]]`,
/// and the text must hold exactly one such stretch.
///
/// Two answers on one line are therefore read as one, `1]] [[2`, which is then no number.
///
/// ```
/// use qa_scoring::extract::{Braces, only_brace};
/// assert_eq!(only_brace("[[1]] [[2]]"), Braces::One("1]] [[2"));
/// assert_eq!(only_brace("[[1]]\n[[2]]"), Braces::Many);
/// ```
#[must_use]
pub fn only_brace(text: &str) -> Braces<'_> {
    let mut found = Braces::None;
    for line in text.split('\n') {
        let Some(open) = line.find("[[") else {
            continue;
        };
        let rest = after(line, open + 2);
        let Some(close) = rest.rfind("]]") else {
            continue;
        };
        found = match found {
            Braces::None => Braces::One(before(rest, close)),
            _ => return Braces::Many,
        };
    }
    found
}
