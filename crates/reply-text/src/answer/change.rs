//! Values beside a level: its change, what was expected, and what it was a year before.

use super::forms::{HEDGES, is_comparison};
use super::words::{CASE, CHANGES, CHANGING, STATES, VERBS};
use crate::number::{Chars, Lexed, Token};

/// Whether the words before a value say that it is a level and not a change: "was", "reached", "fell to", "at".
pub(super) fn is_level(text: &Chars, from: usize, value: usize) -> bool {
    let head = text.text(from.max(value.saturating_sub(CASE)), value);
    let lower = head.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| {
            !word.is_empty()
                && !matches!(
                    *word,
                    "about" | "approximately" | "roughly" | "nearly" | "us"
                )
        })
        .collect();
    // "From 5 to 42" names two levels.
    let moved = words.contains(&"from");
    words.last().is_some_and(|last| match *last {
        "to" => !moved,
        "at" => true,
        last => (STATES.contains(&last) || VERBS.contains(&last)) && !CHANGING.contains(&last),
    })
}

/// Whether a number behind a level, which ends at `level`, is its change: ", an increase of 2", ", up 5 %", ", 5 % higher".
pub(super) fn is_change(text: &Chars, level: usize, lexed: &Lexed, to: usize) -> bool {
    if lexed.from > level + CASE {
        return false;
    }
    let between = text.text(level, lexed.from).to_lowercase();
    // The last part only: what stands before the comma goes on about the level.
    let clause = between.rsplit([',', '(', ';']).next().unwrap_or_default();
    // Without a comma or a bracket between them the second number is the object of the sentence.
    let first = between.trim_start().starts_with([',', '('])
        || between.contains(", ")
        || between.contains('(');
    let words: Vec<&str> = clause
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .collect();
    let named = words.iter().any(|word| CHANGES.contains(word))
        && words
            .iter()
            .all(|word| !STATES.contains(word) && !VERBS.contains(word))
        && words.len() <= 5;
    // ", a 5% decline"
    let (next, _) = text.word_at(text.skip(lexed.to, |c| c == ' '));
    let names = CHANGES.contains(&next.as_str());
    first
        && (named
            || names && words.iter().all(|word| matches!(*word, "a" | "an"))
            || is_comparison(text, lexed, to))
}

/// Whether a number is a change in per cent, and the next one the level that it led to: "fell 5% to 42 million", "up 12%
/// year over year to 42". Two per cents may be a range: "rose 5% to 8%".
pub(super) fn changes_to(text: &Chars, token: &Token, level: &Lexed) -> bool {
    let Token::Number(change) = token else {
        return false;
    };
    let (word, _) = text.word_before(text.skip_back(change.from, |c| matches!(c, ' ' | '*' | '(')));
    if level.from > change.to + CASE
        // One in per cent and one not: two of a kind may be the ends of a range.
        || change.number.unit == 1.0
        || level.number.unit != 1.0
        || !(CHANGING.contains(&word.as_str()) || matches!(word.as_str(), "up" | "down" | "of"))
    {
        return false;
    }
    let between = text.text(change.to, level.from).to_lowercase();
    let words: Vec<&str> = between
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '-' | '*' | '$' | ')'))
        .filter(|word| !word.is_empty())
        .collect();
    words.contains(&"to")
        && words
            .iter()
            .all(|word| BEFORE_LEVEL.contains(word) || HEDGES.contains(word))
}

/// Words between a change and the level that it led to, besides those that hedge it.
const BEFORE_LEVEL: [&str; 15] = [
    "to", "year", "over", "on", "from", "a", "the", "earlier", "ago", "last", "prior", "yoy",
    "total", "in", "us",
];

/// Whether a number was only expected, and what came follows: "was expected to be 55, but".
pub(super) fn is_expected(text: &Chars, from: usize, lexed: &Lexed, to: usize) -> bool {
    let head = text.text(from.max(lexed.from.saturating_sub(40)), lexed.from);
    let expects = head
        .to_lowercase()
        .rsplit(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .take(4)
        .any(|word| {
            matches!(
                word,
                "expected"
                    | "forecast"
                    | "forecasted"
                    | "projected"
                    | "targeted"
                    | "planned"
                    | "budgeted"
                    | "thought"
                    | "assumed"
                    | "guessed"
                    | "initially"
                    | "originally"
            )
        });
    expects
        && text
            .text(lexed.to, to.min(lexed.to + CASE))
            .contains(" but ")
}

/// Whether a text between two numbers ends with a label that gives the second one to an earlier year: "; prior year: ".
pub(super) fn is_of_prior_year(between: &str) -> bool {
    let Some(label) = between.trim_end_matches([' ', '$', '*']).strip_suffix(':') else {
        return false;
    };
    let label = label
        .rsplit([';', ',', '('])
        .next()
        .unwrap_or_default()
        .to_lowercase();
    [
        "prior",
        "previous",
        "last year",
        "year before",
        "year ago",
        "year earlier",
    ]
    .iter()
    .any(|words| label.contains(words))
}
