//! A span of words, or yes or no.

use crate::span::{after, before};
use reply_text::doubt::doubted;
use reply_text::mark::{Kind, all};

/// The pieces of a text without thoughts that may be its answer, the clearest first: the last explicit answer, the
/// whole text, its last line, what its last sentence says behind its verb.
///
/// The text of a phrase ends with its sentence; an answer with several sentences is then the whole line.
///
/// ```
/// use qa_scoring::extract::spans;
/// assert_eq!(spans("First the table is read.\nAnswer: net sales of boats")[0], "net sales of boats");
/// assert_eq!(spans("**Net sales of boats.**"), ["**Net sales of boats.**"]);
/// assert_eq!(spans("The term is 5 years."), ["The term is 5 years.", "5 years"]);
/// ```
#[must_use]
pub fn spans(text: &str) -> Vec<String> {
    let text = text.trim();
    let mut marks = all(text);
    let is_announced = !marks.is_empty();
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
        // In front: what was announced is clearer than the whole line, which is there for phrases
        // that end too early.
        found.insert(0, listed(&mark.text));
        // A form has an end of its own, so nothing outside it can belong to the answer.
        if mark.kind != Kind::Phrase {
            return found;
        }
    }
    // "Boat sales\nExplanation: .. so the answer is car sales" says another one.
    let explained = explained(text).filter(|_| !is_announced);
    found.extend(explained.map(str::to_owned));
    found.push(text.trim_start_matches(['#', '-', ' ', '•']).to_owned());
    let last = text
        .lines()
        .rfind(|line| line.chars().any(char::is_alphanumeric));
    found.extend(last.map(str::to_owned));
    found.extend(last.and_then(stated).map(str::to_owned));
    found.dedup();
    found
}

/// The first line of a text whose second one heads an explanation of it: "Boat sales", "Explanation: see the table."
fn explained(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once('\n')?;
    let heading = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    let word = before(heading, heading.find(|c: char| !c.is_alphabetic())?);
    let explains = [
        "explanation",
        "reasoning",
        "reason",
        "rationale",
        "justification",
        "calculation",
        "note",
        "source",
        "confidence",
    ];
    let is_heading = after(heading, word.len())
        .trim_start_matches('*')
        .starts_with(':');
    (is_heading && explains.contains(&word.to_lowercase().as_str())).then_some(first)
}

/// What stands behind the verb of the last sentence of a line, unless the sentence denies it: "The term is 5 years."
fn stated(line: &str) -> Option<&str> {
    let line =
        line.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '%' | ')' | '?'));
    let sentence = line.rsplit(". ").next()?;
    let verbs = [" is ", " are ", " was ", " were "];
    let (start, verb) = verbs
        .iter()
        .filter_map(|verb| Some((sentence.find(verb)?, verb.len())))
        .min()?;
    let (head, tail) = (
        before(sentence, start + verb),
        after(sentence, start + verb),
    );
    let open = doubted(head, tail) || tail.ends_with('?');
    (!open && !tail.is_empty()).then_some(tail)
}

/// The text of an explicit answer; a list in JSON as its items.
fn listed(text: &str) -> String {
    match serde_json::from_str(text) {
        Ok(serde_json::Value::Array(items)) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| {
                    item.as_str()
                        .map_or_else(|| item.to_string(), str::to_owned)
                })
                .collect();
            items.join("; ")
        }
        _ => text.trim().to_owned(),
    }
}

/// Whether a text without thoughts says yes or no: its last explicit answer, its first word, or its last sentence
/// begins with the word.
///
/// ```
/// use qa_scoring::extract::yes_no;
/// assert_eq!(yes_no("Yes, because sales rose."), Some(true));
/// assert_eq!(yes_no("The answer is **no**."), Some(false));
/// assert_eq!(yes_no("There is no way to know."), None);
/// assert_eq!(yes_no("yes\n\nQuestion: was it lower?\nAnswer: no"), Some(true));
/// ```
#[must_use]
pub fn yes_no(text: &str) -> Option<bool> {
    let text = reply_text::mark::before_next_question(text.trim());
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
    let bare = last.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?');
    let asks = bare.ends_with('?');
    let sentence = bare
        .rsplit(|c: char| matches!(c, '.' | '!') || c == '?' && !asks)
        .next()?
        .trim_start();
    let rest = CONCLUDES
        .iter()
        .find_map(|word| {
            let head = sentence.get(..word.len())?;
            head.eq_ignore_ascii_case(word)
                .then(|| after(sentence, word.len()).trim_start_matches([' ', ',', ':', '*']))
        })
        .unwrap_or(sentence);
    let said = first_word(rest)
        .or_else(|| last_word(sentence))
        .or_else(|| first_word(text))?;
    // "Yes, if 2019 is meant; no, if 2020 is meant."
    let opposite = if said { "no" } else { "yes" };
    let both =
        first_word(text).is_some() && answers(text, opposite) && last_word(sentence) != Some(said);
    (!both).then_some(said)
}

/// Openings of a last sentence that draws a conclusion.
const CONCLUDES: [&str; 9] = [
    "so",
    "therefore",
    "thus",
    "hence",
    "conclusion",
    "indeed",
    "in short",
    "in conclusion",
    "overall",
];

/// Whether a word stands in a text as an answer of its own, not before a further word.
fn answers(text: &str, word: &str) -> bool {
    let lower = text.to_lowercase();
    lower.match_indices(word).any(|(at, _)| {
        let tail = after(&lower, at + word.len());
        let bounded = !before(&lower, at).ends_with(char::is_alphanumeric)
            && !tail.starts_with(char::is_alphanumeric);
        bounded && ends_word(tail)
    })
}

/// Yes or no as the last word of a sentence, after a comma, a colon, "say", "hence" or a correction: "30 and 20, so yes".
fn last_word(sentence: &str) -> Option<bool> {
    let bare = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?');
    let at = bare.rfind(|c: char| !c.is_alphanumeric())?;
    let said = first_word(after(bare, at))?;
    let head = before(bare, at + 1)
        .trim_end_matches([' ', '*', '"'])
        .to_lowercase();
    let joined = head.ends_with([',', ':', '…', '—'])
        || ["say", "hence", "so", "thus", "therefore", "actually", "is"]
            .iter()
            .any(|word| head.ends_with(word))
        // "So that is a yes."
        || head.ends_with(" a");
    (joined && !reply_text::doubt::denied_before(&head)).then_some(said)
}

/// Whether a word ends here as an answer does: at the end of the text or before a mark, not before "way" or "change".
pub(super) fn ends_word(tail: &str) -> bool {
    let tail = tail.trim_start_matches(['*', '"', '\'', '`', '}', ')', ']', '$']);
    tail.trim_start().is_empty()
        || tail.starts_with(['.', ',', ';', ':', '!', '\n', '-', '–', '—', '<', '…'])
        || tail.starts_with(" -")
        || tail.starts_with(" –")
        || tail.starts_with(" —")
        || tail.starts_with(" (")
}

/// Yes or no as the first word of a text.
fn first_word(text: &str) -> Option<bool> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = text
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(text.len());
    let word = before(text, end).to_lowercase();
    let tail = after(text, end);
    // "Yes it did", "yes indeed"
    let affirms = tail.split_whitespace().next().is_some_and(|next| {
        matches!(
            next.trim_end_matches('.'),
            "it" | "they" | "indeed" | "this" | "that" | "there" | "the"
        )
    });
    // "No. 5" is a number.
    let number = tail
        .strip_prefix(". ")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    // "Yes... wait, no."
    let corrected = reply_text::doubt::corrected(tail) || corrects(tail);
    match word.as_str() {
        _ if number || corrected => None,
        "yes" | "true" if ends_word(tail) || affirms => Some(true),
        "yep" | "yeah" | "yup" | "sí" | "oui" | "ja" | "да" | "是" | "是的" | "はい"
            if ends_word(tail) =>
        {
            Some(true)
        }
        "no" | "false" | "nope" | "nein" | "нет" | "否" | "不是" | "いいえ" if ends_word(tail) => {
            Some(false)
        }
        _ => None,
    }
}

/// Whether the text after yes or no goes on with the other one: ", actually yes".
fn corrects(tail: &str) -> bool {
    let words = tail
        .trim_start_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    words.starts_with("actually") && (answers(&words, "yes") || answers(&words, "no"))
}
