//! A span of words, or yes or no.

use reply_text::mark::{Kind, all};

/// The pieces of a text without thoughts that may be its answer, the clearest first: the last explicit answer, the
/// whole text, its last line.
///
/// The text of a phrase ends with its sentence; an answer with several sentences is then the whole line.
///
/// ```
/// use qa_scoring::extract::spans;
/// assert_eq!(spans("First the table is read.\nAnswer: net sales of boats")[0], "net sales of boats");
/// assert_eq!(spans("**Net sales of boats.**"), ["**Net sales of boats.**"]);
/// ```
#[must_use]
pub fn spans(text: &str) -> Vec<String> {
    let text = text.trim();
    let mut marks = all(text);
    let mut found = Vec::new();
    if let Some(mark) = marks.pop() {
        if mark.kind == Kind::Json
            && let Some(inner) = all(&mark.text).pop()
        {
            found.push(inner.text.into_owned());
        }
        if mark.kind == Kind::Phrase {
            let line = text.get(mark.start..).and_then(|rest| rest.lines().next());
            found.extend(line.map(str::to_owned));
        }
        found.insert(0, mark.text.trim().to_owned());
        if mark.kind != Kind::Phrase {
            return found;
        }
    }
    found.push(text.to_owned());
    let last = text
        .lines()
        .rfind(|line| line.chars().any(char::is_alphanumeric));
    found.extend(last.map(str::to_owned));
    found.dedup();
    found
}

/// Whether a text without thoughts says yes or no: its last explicit answer, its first word, or its last sentence
/// begins with the word.
///
/// ```
/// use qa_scoring::extract::yes_no;
/// assert_eq!(yes_no("Yes, because sales rose."), Some(true));
/// assert_eq!(yes_no("The answer is **no**."), Some(false));
/// assert_eq!(yes_no("There is no way to know."), None);
/// ```
#[must_use]
pub fn yes_no(text: &str) -> Option<bool> {
    let text = text.trim();
    if let Some(mark) = all(text).pop() {
        if let Some(truth) = mark.json.as_ref().and_then(serde_json::Value::as_bool) {
            return Some(truth);
        }
        let said = first_word(&mark.text);
        if said.is_some() || mark.kind != Kind::Phrase {
            return said;
        }
    }
    let last = text
        .lines()
        .rfind(|line| line.chars().any(char::is_alphanumeric))?;
    let sentence = last
        .trim_end_matches(|c: char| !c.is_alphanumeric())
        .rsplit(['.', '!', '?'])
        .next()?;
    let sentence = sentence.trim_start();
    let rest = ["So, ", "So ", "Therefore, ", "Thus, ", "Hence, "]
        .into_iter()
        .find_map(|word| sentence.strip_prefix(word))
        .unwrap_or(sentence);
    first_word(rest).or_else(|| first_word(text))
}

/// Yes or no as the first word of a text, followed by its end or a mark, not by "way" or "change".
fn first_word(text: &str) -> Option<bool> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = text
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(text.len());
    let word = text.get(..end)?.to_lowercase();
    let tail = text
        .get(end..)?
        .trim_start_matches(['*', '"', '\'', '`', '}', ')', ']', '$']);
    let ends = tail.trim().is_empty()
        || tail.starts_with(['.', ',', ';', ':', '!', '\n', '-', '–', '—', '<'])
        || tail.starts_with(" -")
        || tail.starts_with(" (");
    match word.as_str() {
        "yes" | "true" if ends => Some(true),
        "no" | "false" if ends => Some(false),
        _ => None,
    }
}
