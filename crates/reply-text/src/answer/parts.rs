//! A reply of two labelled amounts without a total.

use super::CIRCUMSTANCES;
use super::words::{HEADINGS, PARTS};
use crate::number::{Number, whole};

/// Words of a label that make its amount the answer, whatever stands beside it.
const RESULTS: [&str; 18] = [
    "answer",
    "result",
    "total",
    "totals",
    "sum",
    "net",
    "overall",
    "combined",
    "final",
    "difference",
    "change",
    "growth",
    "increase",
    "decrease",
    "ratio",
    "average",
    "amount",
    "value",
];

/// The labels and amounts of a reply of two lines: "Domestic: $30M\nForeign: $12M". `None` if one of them is a result, a
/// circumstance or a heading, or if the second says the first again or in another unit.
pub(super) fn parts(text: &str) -> Option<[(Vec<String>, Number); 2]> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let parts = [part(lines.next()?)?, part(lines.next()?)?];
    let [(_, first), (_, second)] = &parts;
    (lines.next().is_none() && first.unit == second.unit && !first.restates(*second))
        .then_some(parts)
}

/// The words of the label of a line in lower case, and its amount.
fn part(line: &str) -> Option<(Vec<String>, Number)> {
    let (label, value) = line.split_once(':')?;
    let number = whole(value.trim_matches([' ', '*']))?;
    let label = label
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    let words: Vec<String> = label.split(' ').map(str::to_owned).collect();
    let named = |word: &String| {
        let word = word.as_str();
        RESULTS.contains(&word)
            || CIRCUMSTANCES.contains(&word)
            || HEADINGS.contains(&word)
            || PARTS.contains(&word)
            // "2019: 5", "= 50 - 8: 42"
            || word.is_empty()
            || !word.chars().all(|c| c.is_alphabetic() || c == '-')
    };
    (words.len() <= 4 && !words.iter().any(named)).then_some((words, number))
}

/// Whether a question names a label: all its words.
pub(super) fn is_asked(label: &[String], question: &str) -> bool {
    let question = question.to_lowercase();
    let words: Vec<&str> = question
        .split(|c: char| !c.is_alphabetic() && c != '-')
        .collect();
    label.iter().all(|word| words.contains(&word.as_str()))
}
