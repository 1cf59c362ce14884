//! How the words before a number state it.

use super::remark::concludes;
use super::words::{CASE, DENYING, FILLERS, RELATIVES, STATES, STATING, VERBS};
use crate::number::Chars;

/// How clearly a number is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lead {
    None,
    /// After "of", or a verb such as "had".
    Weak,
    /// After a colon.
    Colon,
    /// After an equals sign, or "is".
    Strong,
}

/// How the words before a number state it.
pub(super) fn lead(text: &Chars, to: usize, from: usize) -> Lead {
    let mut at = to;
    let mut of = false;
    let mut reaches = false;
    for _ in 0..9 {
        at = text.skip_back(at, |c| {
            c.is_whitespace() && c != '\n'
                || matches!(c, '"' | '\'' | '$' | '(' | '[' | '*' | '`' | ',')
        });
        if at <= from {
            // "hence 5"
            let concludes = concludes(&text.text(from, to).to_lowercase()) && !of;
            return if of || concludes {
                Lead::Weak
            } else {
                Lead::None
            };
        }
        match text.before(at) {
            // "50 - 8 => 42"
            '>' if matches!(text.before(at - 1), '=' | '-') => return Lead::Strong,
            '=' | '≈' | '→' => {
                let two = text.before(at - 1);
                return if matches!(two, '<' | '>' | '!') {
                    Lead::None
                } else {
                    Lead::Strong
                };
            }
            ':' => return Lead::Colon,
            // "Profit - $42 million" is a line of its own.
            '-' | '—' if at == text.skip_back(to, |c| matches!(c, ' ' | '*' | '$')) && at < to => {
                return if labels_line(text, from, at - 1, to) {
                    Lead::Colon
                } else {
                    Lead::None
                };
            }
            // "(in millions)" between the word and its value.
            ')' => {
                let open = (at.saturating_sub(40)..at - 1)
                    .rev()
                    .find(|&place| text.at(place) == '(');
                // "was (57) in 2020": the brackets hold a number, not a remark.
                let remark = |&open: &usize| {
                    open >= from && text.text(open, at).contains(char::is_alphabetic)
                };
                let Some(open) = open.filter(remark) else {
                    return Lead::None;
                };
                at = open;
                continue;
            }
            _ => {}
        }
        let (word, start) = text.word_before(at);
        if word.is_empty() || start < from {
            return if of { Lead::Weak } else { Lead::None };
        }
        if word.ends_with(STATING) {
            return match word.ends_with("不是") || word.ends_with("不为") {
                true => Lead::None,
                false => Lead::Strong,
            };
        }
        if STATES.contains(&word.as_str()) {
            let (ahead, _) = text.word_before(text.skip_back(start, |c| c == ' '));
            if ahead == "that" && text.at(at) == ',' {
                return Lead::Colon;
            }
            // "in millions, that is 382"
            let demonstrative = || {
                let (_, that) = text.word_before(text.skip_back(start, |c| c == ' '));
                let end = text.skip_back(that, |c| c == ' ');
                ahead == "that" && (end <= from || matches!(text.before(end), ',' | ';' | ':'))
            };
            if DENYING.contains(&ahead.as_str()) {
                return Lead::None;
            }
            return if RELATIVES.contains(&ahead.as_str()) && !demonstrative() {
                Lead::None
            } else if of {
                Lead::Weak
            } else {
                Lead::Strong
            };
        }
        // "it would have been 42"
        if word == "have"
            && matches!(
                text.word_before(text.skip_back(start, |c| c == ' '))
                    .0
                    .as_str(),
                "would" | "could" | "might"
            )
        {
            return Lead::None;
        }
        if VERBS.contains(&word.as_str()) && !FILLERS.contains(&word.as_str()) {
            // "we get 42" ends a calculation, whatever numbers stand before it.
            let (who, _) = text.word_before(text.skip_back(start, |c| c == ' '));
            let concludes = matches!(word.as_str(), "get" | "obtain" | "find" | "arrive")
                && matches!(who.as_str(), "we" | "you")
                // "We add 30 and 12 to get 42.", but "To get 5% of 200, multiply .." and "to get 42, then add 8"
                || who == "to"
                    && matches!(word.as_str(), "get" | "obtain" | "arrive")
                    && !text.text(to, to + CASE).contains(" then ")
                    && text
                        .text(from.max(start.saturating_sub(CASE)), start)
                        .contains(|c: char| c.is_ascii_digit())
                // "repaid 8 of its debt of 50, leaving 42"
                || matches!(word.as_str(), "leaving" | "giving" | "yielding")
                    && text.before(text.skip_back(start, |c| c == ' ')) == ','
                // "The sum of 30 and 12 comes to 42."
                || reaches
                    && matches!(word.as_str(), "comes" | "came" | "amounts" | "amounted" | "works")
                    && calculated(&text.text(from.max(start.saturating_sub(CASE)), start));
            return if concludes && !of {
                Lead::Colon
            } else {
                Lead::Weak
            };
        }
        if of
            && matches!(
                word.as_str(),
                "increase"
                    | "decrease"
                    | "change"
                    | "rise"
                    | "decline"
                    | "fall"
                    | "drop"
                    | "growth"
                    | "total"
            )
        {
            let (article, _) = text.word_before(text.skip_back(start, |c| c == ' '));
            if matches!(article.as_str(), "a" | "an") {
                return Lead::Colon;
            }
        }
        if word == "for"
            && text
                .word_before(text.skip_back(start, |c| c == ' '))
                .0
                .starts_with("account")
        {
            return Lead::Weak;
        }
        // "ended the year with 42"
        if word == "with" {
            let head = text
                .text(from.max(start.saturating_sub(40)), start)
                .to_lowercase();
            let mut words = head
                .rsplit(|c: char| !c.is_alphabetic())
                .filter(|word| !word.is_empty());
            return if words
                .by_ref()
                .take(3)
                .any(|word| matches!(word, "ended" | "finished" | "closed"))
            {
                Lead::Weak
            } else {
                Lead::None
            };
        }
        // "add up to 42", "I'd say 42"
        let (ahead, _) = text.word_before(text.skip_back(start, |c| c == ' '));
        if reaches && matches!(word.as_str(), "add" | "adds" | "sum" | "sums")
            || word == "say" && ahead == "i'd"
        {
            return Lead::Weak;
        }
        // "is close to 42", but "is to close 42 shops"
        let closes = word == "close" && !reaches;
        reaches |= word == "to";
        if word == "of" {
            of = true;
        } else if closes || !FILLERS.contains(&word.as_str()) {
            return if of { Lead::Weak } else { Lead::None };
        }
        at = start;
    }
    Lead::None
}

/// Whether the subject of a sentence is the result of a calculation.
fn calculated(subject: &str) -> bool {
    subject
        .to_lowercase()
        .split(|c: char| !c.is_alphabetic())
        .any(|word| {
            matches!(
                word,
                "sum"
                    | "difference"
                    | "product"
                    | "quotient"
                    | "ratio"
                    | "result"
                    | "adding"
                    | "subtracting"
                    | "dividing"
                    | "multiplying"
            )
        })
}

/// Whether a dash at a place joins a label in words to the only amount of its line: "FY2020 profit - $42 million".
fn labels_line(text: &Chars, from: usize, dash: usize, value: usize) -> bool {
    if dash > from + CASE {
        return false;
    }
    let label = text.text(from, dash);
    let tail = text.text(value, value + CASE);
    let tail = tail.split('\n').next().unwrap_or_default();
    let is_all = from == 0 && value + tail.chars().count() >= text.len();
    // In prose a long dash joins a remark: "I am sure of it — 100 %."
    if text.at(dash) == '—' && !is_all {
        return false;
    }
    let digits = tail.trim_matches(|c: char| !c.is_ascii_digit());
    let mut words = label
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let is_year =
        |word: &str| word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    // "$100 million - $58 million" is a difference, "Profit in 2020 — $42 million" has a label.
    let first = words.clone().next().unwrap_or_default();
    let is_amount = first.starts_with(|c: char| c.is_ascii_digit()) && !is_year(first);
    // "Sales 2018 — 2020" is a span of years.
    let ends = words.next_back().is_some_and(|last| {
        is_year(last) && !is_year(digits) && label.contains(char::is_alphabetic)
            || last.ends_with(char::is_alphabetic)
    });
    let is_closed = label.trim_end_matches([' ', '*']).ends_with(')');
    label.ends_with([' ', '*'])
        && (ends || is_closed)
        && !is_amount
        && !label.contains(['=', '+', ':'])
        && !label.contains(" - ")
        && !digits.contains(|c: char| c.is_alphabetic() || c == ' ')
        && tail.split_whitespace().count() <= 4
}
