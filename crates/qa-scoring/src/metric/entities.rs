//! Answers with one entity per line.

use crate::extract::behind_number;
use crate::rouge::Prf;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Lines in common between an answer and the right one, each as often as it occurs in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineCounts {
    /// Lines in both.
    pub hits: usize,
    /// Lines of the answer.
    pub given: usize,
    /// Lines of the right answer.
    pub right: usize,
}

impl LineCounts {
    /// Precision, recall and F1; summed over items first they are the micro average.
    #[must_use]
    pub fn prf(self) -> Prf {
        Prf::of_counts(self.hits, self.given, self.right)
    }

    /// Adds the counts of another item.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            hits: self.hits + other.hits,
            given: self.given + other.given,
            right: self.right + other.right,
        }
    }
}

/// Counts lines "entity, TYPE" (FinRED): entity and type compared without regard to case and to
/// repeated white space, the type being what follows the last comma. Lines without a comma count as
/// given and hit nothing.
///
/// ```
/// use qa_scoring::metric::entity_counts;
/// let counts = entity_counts("Borrower, PER\nBank, ORG", "- bank, org\nBank, ORG\nnone");
/// assert_eq!((counts.hits, counts.given, counts.right), (1, 3, 2));
/// ```
#[must_use]
pub fn entity_counts(right: &str, given: &str) -> LineCounts {
    counts(lines(right, entity), &lines(given, entity))
}

/// Counts lines "token:TAG" that carry a tag other than O (FNXL), the tag being what follows the last
/// colon. Tokens and tags are compared exactly.
///
/// ```
/// use qa_scoring::metric::token_tag_counts;
/// let counts = token_tag_counts("Debt:O\n12:LongTermDebt", "Debt:O\n12:Cash");
/// assert_eq!((counts.hits, counts.given, counts.right), (0, 1, 1));
/// ```
#[must_use]
pub fn token_tag_counts(right: &str, given: &str) -> LineCounts {
    let tagged = |text: &str| -> Vec<String> {
        lines(text, token_tag)
            .into_iter()
            // Most tokens have no tag: with them every answer would be nearly right.
            .filter(|line| !line.ends_with(":O"))
            .collect()
    };
    counts(tagged(right), &tagged(given))
}

fn lines(text: &str, form: fn(&str) -> String) -> Vec<String> {
    text.lines()
        // Models write lists with marks, in fences, and below a heading such as "Answer:".
        .map(|line| line.trim().trim_start_matches(['-', '*', '•', ' ']))
        .filter(|line| !line.is_empty() && !line.starts_with("```"))
        .filter(|line| !line.trim_end_matches('*').ends_with(':'))
        .map(form)
        .collect()
}

fn entity(line: &str) -> String {
    // "1. Bank of X, ORG"; a token with its tag may be a number itself.
    let line = behind_number(line).unwrap_or(line);
    let plain = |part: &str| {
        part.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '"' | '“' | '”' | '`'))
            .trim_end_matches('.')
            .split_whitespace()
            .collect::<Vec<&str>>()
            .join(" ")
            .to_lowercase()
    };
    match line.rsplit_once(',') {
        Some((name, kind)) => format!("{}, {}", plain(name), plain(kind)),
        // No gold line has this form, so it cannot be a hit.
        None => format!("\u{0}{}", plain(line)),
    }
}

fn token_tag(line: &str) -> String {
    match line.rsplit_once(':') {
        Some((token, tag)) => format!("{}:{}", token.trim(), tag.trim()),
        None => line.to_owned(),
    }
}

fn counts(right: Vec<String>, given: &[String]) -> LineCounts {
    let (right_len, given_len) = (right.len(), given.len());
    // With counts, so that an answer gains nothing by saying a right line twice.
    let mut left: BTreeMap<String, usize> = BTreeMap::new();
    for line in right {
        *left.entry(line).or_default() += 1;
    }
    let hits = given
        .iter()
        .filter(|line| match left.get_mut(*line) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        })
        .count();
    LineCounts {
        hits,
        given: given_len,
        right: right_len,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_lines_count_as_often_as_they_occur() {
        let counts = entity_counts("Bank, ORG\nBank, ORG", "Bank,ORG\nBank, org\nBank, ORG");
        assert_eq!((counts.hits, counts.given, counts.right), (2, 3, 2));
        assert_eq!(counts.prf().recall, 1.0);
    }

    #[test]
    fn untagged_tokens_do_not_count() {
        let right = "The:O\n$:O\n10.9:B-Liability\nmillion:O";
        let counts = token_tag_counts(right, right);
        assert_eq!((counts.hits, counts.given, counts.right), (1, 1, 1));
        let counts = token_tag_counts(right, "The:B-Liability\n10.9:O");
        assert_eq!((counts.hits, counts.given, counts.right), (0, 1, 1));
    }
}
