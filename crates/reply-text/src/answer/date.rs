//! Years and dates beside an answer, and a year as the answer.

use crate::cut::{after, before};
use crate::number::is_month;

/// Words of a date, besides digits and months.
const WORDS: [&str; 16] = [
    "in", "for", "as", "of", "at", "on", "the", "end", "year", "years", "fiscal", "calendar", "fy",
    "ended", "during", "and",
];

/// Whether a text is a date with the words around it: "as of 31 March 2020", "FY2020", "In 2020".
fn is_date(text: &str) -> bool {
    let (mut year, mut day, mut month) = (false, false, false);
    let words = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '*'))
        .filter(|word| !word.is_empty());
    for word in words {
        let lower = word.trim_end_matches('.').to_lowercase();
        let digits = lower.strip_prefix("fy").unwrap_or(&lower);
        if is_year(digits) || is_numeric(digits) {
            year = true;
        } else if (1..=2).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()) {
            day = true;
        } else if is_month(&lower) {
            month = true;
        } else if !WORDS.contains(&lower.as_str()) {
            return false;
        }
    }
    // "42 (2019": a number without a month beside it is not a day.
    year && (month || !day)
}

/// Whether a word is a date in digits: 12/31/2020, 2020-12-31.
fn is_numeric(word: &str) -> bool {
    let parts: Vec<&str> = word.split(['/', '-', '.']).collect();
    let digits =
        |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    match parts.as_slice() {
        [year, a, b] | [a, b, year] if is_year(year) => digits(a) && digits(b),
        _ => false,
    }
}

fn is_year(word: &str) -> bool {
    word.len() == 4
        && word
            .parse::<u32>()
            .is_ok_and(|year| (1900..=2100).contains(&year))
}

/// A text of one line without the date before or after its answer: "In 2020, 64.2", "FY2020 - 64.2", "64.2 in 2020".
pub(super) fn without(text: &str) -> &str {
    let text = text.trim();
    // In a longer text a date at the front may belong to one of several values.
    if text.contains('\n') || text.len() > 200 {
        return text;
    }
    for separator in [", ", ": ", " - ", " – ", " — "] {
        for (at, _) in text.match_indices(separator) {
            let rest = after(text, at + separator.len());
            if is_date(before(text, at))
                // A year alone may be the answer, with a remark behind it.
                && rest.contains(|c: char| c.is_ascii_digit())
                && !is_date(rest)
                && !is_remark(rest)
            {
                return rest;
            }
        }
    }
    for word in [" in ", " for ", " as of ", " at ", " during "] {
        // The last such word, as a date behind an answer ends its text.
        if let Some(at) = text.rfind(word)
            && is_date(after(text, at + 1).trim_end_matches('.'))
            && before(text, at).contains(|c: char| c.is_ascii_digit())
        {
            return before(text, at);
        }
    }
    text
}

/// Whether a text goes on with what is said of the year before it: "with 42 million", "when sales were 42".
fn is_remark(text: &str) -> bool {
    let word = text.split(|c: char| !c.is_alphabetic()).next();
    word.is_some_and(|word| {
        matches!(
            word,
            "with" | "when" | "where" | "which" | "as" | "because" | "since" | "at"
        )
    })
}

/// Words with which a reply of one sentence may say that a year is its answer.
const SAYS: [&str; 4] = ["it", "was", "is", "answer"];

/// The year of a reply that says nothing else: "in 2019", "fiscal year 2019", "It was the year 2019."
pub(super) fn year(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('.');
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    // "2019 had the highest sales"
    if let [first, verb, rest @ ..] = words.as_slice()
        && matches!(verb.as_str(), "had" | "has" | "was" | "saw" | "recorded")
        && rest
            .iter()
            .any(|word| word.ends_with("est") || word == "most")
        // A longer sentence speaks of more than the year.
        && rest.len() < 8
        && !rest
            .iter()
            .any(|word| word.contains(|c: char| c.is_ascii_digit()))
    {
        let year = first.trim_matches('*');
        let year = year.strip_prefix("fy").unwrap_or(year);
        return is_year(year).then(|| year.parse().ok())?;
    }
    let (last, head) = words.split_last()?;
    let digits = last.trim_matches('*');
    let digits = digits.strip_prefix("fy").unwrap_or(digits);
    let plain = head
        .iter()
        .map(String::as_str)
        .all(|word| is_month(word) || WORDS.contains(&word) || SAYS.contains(&word));
    let most = head
        .iter()
        .any(|word| word.ends_with("est") || word == "most" || word == "least")
        && head.last().is_some_and(|word| word == "in")
        && head.len() < 8;
    (is_year(digits) && (plain || most)).then(|| digits.parse().ok())?
}
