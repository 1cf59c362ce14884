//! One label of a closed set.

use super::published::is_word;
use super::without_thinking;
use crate::span::{after, before};
use reply_text::doubt::{corrected, doubted};

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

/// The label of a closed set that a reply gives, once thinking is removed.
///
/// A label that the reply denies or leaves open ([`reply_text::doubt`]) is not given. The first of these that holds
/// exactly one label as a word decides: the last explicit answer
/// ([`reply_text::mark`]), a last line that is a label and nothing else, the whole reply. `None` when the last explicit
/// answer names several, or when no rule finds one.
///
/// `labels` are given in lower case and may hold spaces.
///
/// ```
/// use qa_scoring::extract::label;
/// let tones = ["hawkish", "dovish", "neutral"];
/// assert_eq!(label("**Dovish**: they ease.", &tones), Some("dovish"));
/// assert_eq!(label("It looks hawkish, but eases. Answer: dovish", &tones), Some("dovish"));
/// assert_eq!(label("not hawkish but dovish", &tones), Some("dovish"));
/// assert_eq!(label("not hawkish", &tones), None);
/// assert_eq!(label("Answer: dovish, since a hawkish text would not.", &tones), Some("dovish"));
/// assert_eq!(label("Answer: dovish or hawkish", &tones), None);
/// assert_eq!(label("know", &["no", "yes"]), None);
/// ```
#[must_use]
pub fn label<'l>(reply: &str, labels: &[&'l str]) -> Option<&'l str> {
    let spoken = without_thinking(reply).text()?;
    let spoken = reply_text::mark::before_next_question(&spoken);
    for mark in reply_text::mark::all(spoken).iter().rev() {
        let inside = mark.text.to_lowercase();
        match only(&inside, labels) {
            Named::One(label) => {
                // A phrase gives its sentence with the full stop, behind which nothing would take it back.
                let said = mark.text.trim_end_matches(|c: char| !c.is_alphanumeric());
                let end = match mark.kind {
                    reply_text::mark::Kind::Phrase => mark.start + said.len(),
                    _ => mark.end,
                };
                let is_meant = !is_taken_back(&after(spoken, end).to_lowercase(), label, labels);
                return is_meant.then_some(label);
            }
            // Explicit, so nothing before it can decide any more.
            Named::Several => return opening(&inside, labels),
            // A phrase without a label announces something else; a box without one is not an answer.
            Named::None if names_any(&inside, labels) => return None,
            Named::None if mark.kind == reply_text::mark::Kind::Phrase => {}
            Named::None => break,
        }
    }
    let last = spoken
        .lines()
        .rfind(|line| line.chars().any(char::is_alphanumeric))
        // "Hawkish?" is asked and not answered.
        .filter(|line| !line.trim_end().ends_with('?'))
        .map(plain_label);
    if let Some(label) = labels.iter().find(|label| last.as_deref() == Some(**label)) {
        return Some(label);
    }
    let text = spoken.to_lowercase();
    match only(&text, labels) {
        Named::One(label) => Some(label),
        _ => concluded(&text, labels)
            .or_else(|| conceded(&text, labels))
            .or_else(|| first_sentence(&text, labels)),
    }
}

/// Whether the text behind a label (in lower case) takes it back for another one: "Wait, negative.", "No, negative."
fn is_taken_back(rest: &str, label: &str, labels: &[&str]) -> bool {
    let opening = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    let sentence = before(
        opening,
        opening.find(['.', '\n', ';']).unwrap_or(opening.len()),
    );
    let other = || labels.iter().filter(|other| **other != label);
    // Behind "no" alone a sentence may also go on about the label.
    let renamed = sentence
        .strip_prefix("no, ")
        .map(plain_label)
        .is_some_and(|name| other().any(|other| *other == name));
    renamed
        || (opening.starts_with("no, wait") || corrected(rest))
            && other().any(|other| occurs_as_word(rest, other))
}

/// The label that is the whole first sentence of a reply and is not taken back: "Positive. Neutral and negative do not fit."
fn first_sentence<'l>(text: &str, labels: &[&'l str]) -> Option<&'l str> {
    let text = text.trim_start();
    let end = text.find(['.', '\n', '!', ';'])?;
    let (first, rest) = (before(text, end), after(text, end));
    let first = plain_label(first);
    let label = labels.iter().find(|label| first == ***label)?;
    let turns = |word: &str| {
        matches!(
            word,
            "however"
                | "but"
                | "yet"
                | "although"
                | "though"
                | "actually"
                | "instead"
                | "reflection"
                | "overall"
                | "final"
                | "finally"
        )
    };
    let is_turned = rest.split(|c: char| !is_word(c)).any(turns);
    // "Positive" and "Negative" as headings, with reasons below each.
    let heads = |line: &str| {
        let line = line.trim_matches(|c: char| !c.is_alphanumeric() && c != ':');
        labels.iter().any(|label| {
            line.strip_prefix(*label).is_some_and(|rest| {
                rest.is_empty() || rest.trim_start_matches('*').starts_with(':')
            })
        })
    };
    let is_heading = before(text, end).contains(':') || rest.lines().any(heads);
    let is_meant = !corrected(rest) && !is_taken_back(rest, label, labels);
    (!is_turned && !is_heading && is_meant).then_some(label)
}

/// The label of a last sentence that draws a conclusion: "Mostly negative with positive parts. Overall: negative".
fn concluded<'l>(text: &str, labels: &[&'l str]) -> Option<&'l str> {
    let last = text.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?');
    let sentence = last
        .rsplit(['.', '!', '\n'])
        .next()?
        .trim_start_matches([' ', '*']);
    // "Although it begins negative, overall it is positive."
    // Only if the label ends it: "so the positive outlook is gone" concludes something else.
    let ends = |clause: &&str| labels.iter().any(|label| clause.ends_with(label));
    let clause = sentence.rsplit(", ").next().filter(ends);
    let clause = clause.unwrap_or(sentence);
    let concludes = |text: &str| {
        [
            "overall",
            "so ",
            "so,",
            "therefore",
            "thus",
            "hence",
            "in conclusion",
            "conclusion",
        ]
        .iter()
        .any(|words| text.starts_with(words))
    };
    let conclusion = [sentence, clause]
        .into_iter()
        .find(|text| concludes(text) && !text.ends_with('?'))?;
    match only(conclusion, labels) {
        Named::One(label) => Some(label),
        _ => None,
    }
}

/// The label of a sentence that concedes another one first: "At first glance positive, but it is negative".
fn conceded<'l>(text: &str, labels: &[&'l str]) -> Option<&'l str> {
    let (head, tail) = text.trim().split_once(" but ")?;
    let concedes = [
        "glance",
        "seem",
        "appear",
        "look",
        "initially",
        "at first",
        "might",
    ]
    .iter()
    .any(|word| head.contains(word));
    // "It could be positive, but ..", not "It could be negative for banks but ..", which goes on.
    let bare = head.trim_end_matches(|c: char| !c.is_alphanumeric());
    let concedes =
        concedes || head.contains("could be") && labels.iter().any(|label| bare.ends_with(label));
    // "But it could be negative" and "but also negative" leave it open.
    let open = ["could", "might", "may", "also", "some", "not "]
        .iter()
        .any(|word| tail.contains(word));
    let one_sentence =
        !head.contains(['.', '\n']) && !tail.trim_end_matches('.').contains(['.', '\n', '?']);
    match only(tail, labels) {
        Named::One(label) if concedes && !open && one_sentence => Some(label),
        _ => None,
    }
}

/// The label that a text begins with and goes on to explain: "dovish, since a hawkish text would ..". `None` where a list
/// of labels begins.
fn opening<'l>(text: &str, labels: &[&'l str]) -> Option<&'l str> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let label = labels.iter().find(|label| {
        text.strip_prefix(**label)
            .is_some_and(|rest| rest.starts_with([',', ';', '.', '—', ':', '(', ' ', '*']))
    })?;
    let rest = after(text, label.len());
    let bare = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    let next = bare.split(|c: char| !is_word(c)).next().unwrap_or_default();
    let explains = match next {
        "since" | "because" | "as" | "given" | "not" | "rather" => true,
        // Not "positive for banks, negative for insurers".
        "for" | "the" | "it" | "this" => !rest.starts_with(' '),
        _ => false,
    };
    (explains && !doubted("", rest)).then_some(label)
}

/// The labels that a text names.
enum Named<'l> {
    None,
    One(&'l str),
    Several,
}

/// Whether a text has the word of a label, denied or not.
fn names_any(text: &str, labels: &[&str]) -> bool {
    text.split(|c: char| !is_word(c))
        .any(|word| labels.contains(&word))
}

fn only<'l>(text: &str, labels: &[&'l str]) -> Named<'l> {
    let mut found = labels
        .iter()
        .filter(|label| !label.is_empty() && occurs_as_word(text, label));
    match (found.next(), found.next()) {
        (None, _) => Named::None,
        (Some(label), None) => Named::One(label),
        _ => Named::Several,
    }
}

/// Whether a text gives a label: the word occurs where it is not denied. "No" as a word before another one belongs to
/// it, as in "no information".
fn occurs_as_word(text: &str, word: &str) -> bool {
    let mut from = 0;
    while let Some(at) = after(text, from).find(word) {
        let start = from + at;
        let end = start + word.len();
        let (head, tail) = (before(text, start), after(text, end));
        let bounded = !head.ends_with(is_word) && !tail.starts_with(is_word);
        // "No" is the only label that is a common word before others.
        let idiom = word == "no" && !super::spans::ends_word(tail);
        if bounded && !idiom && !doubted(head, tail) {
            return true;
        }
        // A label that is denied at one place may be given at another.
        from = end;
    }
    false
}
