//! One label of a closed set.

use super::published::is_word;
use super::think::without_thinking;
use crate::span::after;

/// The form in which published rules compare labels: without surrounding white space and
/// punctuation, in lower case.
///
/// ```
/// assert_eq!(qa_scoring::extract::plain_label(" \"Rise.\" "), "rise");
/// ```
#[must_use]
pub fn plain_label(text: &str) -> String {
    text.trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase()
}

/// The label of a closed set that a reply gives: the only one that occurs in it as a word, once
/// thinking is removed; `None` when none or several different ones occur.
///
/// `labels` are given in lower case and may hold spaces.
///
/// ```
/// use qa_scoring::extract::label;
/// let tones = ["hawkish", "dovish", "neutral"];
/// assert_eq!(label("**Dovish**: they ease.", &tones), Some("dovish"));
/// assert_eq!(label("not hawkish but dovish", &tones), None);
/// assert_eq!(label("know", &["no", "yes"]), None);
/// ```
#[must_use]
pub fn label<'l>(reply: &str, labels: &[&'l str]) -> Option<&'l str> {
    let spoken = without_thinking(reply).text()?;
    let text = spoken.to_lowercase();
    let mut found = labels
        .iter()
        .filter(|label| !label.is_empty() && occurs_as_word(&text, label));
    let first = found.next().copied()?;
    found.next().is_none().then_some(first)
}

fn occurs_as_word(text: &str, word: &str) -> bool {
    let mut from = 0;
    while let Some(at) = after(text, from).find(word) {
        let start = from + at;
        let end = start + word.len();
        let bounded = !text
            .get(..start)
            .is_some_and(|before| before.ends_with(is_word))
            && !after(text, end).starts_with(is_word);
        if bounded {
            return true;
        }
        from = end;
    }
    false
}
