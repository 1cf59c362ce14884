//! Format rules for options, checked without a model.
//!
//! The paper asks for three things: options in parallel grammar, mutually exclusive options for
//! single choice, and no "all" or "none of the above". Grammar is checked by its surface:
//! beginnings, ends, numbers among words, one option far longer than the rest.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A violated rule; options are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RuleViolation {
    /// An option is blank.
    Blank(usize),
    /// An option refers to the others ("all of the above", "both A and B").
    RefersToOthers(usize),
    /// Two options say the same.
    Same(usize, usize),
    /// One option contains all of another, so that both may be true.
    Contains(usize, usize),
    /// Two ranges of numbers overlap.
    Overlap(usize, usize),
    /// Some options end like sentences, others do not.
    MixedEnds,
    /// Some options begin with a capital, others do not.
    MixedCapitals,
    /// Some options are numbers, others words.
    MixedNumbers,
    /// The option is more than twice as long as the longest other: a cue.
    LongOption(usize),
}

impl fmt::Display for RuleViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |place: &usize| {
            u8::try_from(*place)
                .ok()
                .and_then(|p| b'A'.checked_add(p))
                .map_or('?', char::from)
        };
        match self {
            Self::Blank(a) => write!(f, "option {} is blank", letter(a)),
            Self::RefersToOthers(a) => {
                write!(f, "option {} refers to other options", letter(a))
            }
            Self::Same(a, b) => write!(f, "options {} and {} say the same", letter(a), letter(b)),
            Self::Contains(a, b) => {
                write!(f, "option {} holds all of option {}", letter(a), letter(b))
            }
            Self::Overlap(a, b) => {
                write!(
                    f,
                    "the ranges of options {} and {} overlap",
                    letter(a),
                    letter(b)
                )
            }
            Self::MixedEnds => f.write_str("some options end with a full stop, others do not"),
            Self::MixedCapitals => f.write_str("some options begin with a capital, others do not"),
            Self::MixedNumbers => f.write_str("some options are numbers, others words"),
            Self::LongOption(a) => {
                write!(
                    f,
                    "option {} is more than twice as long as any other",
                    letter(a)
                )
            }
        }
    }
}

/// Checks the options of a question with one right option.
///
/// ```
/// use qa_scoring::quality::{RuleViolation, lint};
/// let options = ["Price rises", "Price falls", "All of the above"];
/// assert_eq!(lint(&options), [RuleViolation::RefersToOthers(2)]);
/// ```
#[must_use]
pub fn lint(options: &[&str]) -> Vec<RuleViolation> {
    let mut findings = Vec::new();
    for (place, option) in options.iter().enumerate() {
        // A blank option is reported as blank and as nothing else.
        if option.trim().is_empty() {
            findings.push(RuleViolation::Blank(place));
        } else if refers_to_others(option) {
            findings.push(RuleViolation::RefersToOthers(place));
        }
    }
    findings.extend(exclusion(options));
    findings.extend(parallel(options));
    findings
}

/// The words of an option in lower case; signs that belong to numbers stay.
fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| {
            !(c.is_alphanumeric() || matches!(c, '.' | '%' | '-' | '−' | '+' | '=' | '<' | '>'))
        })
        .map(|word| word.trim_matches('.').to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether an option refers to the others, by a phrase or by naming two letters.
fn refers_to_others(option: &str) -> bool {
    const PHRASES: [&str; 12] = [
        "all of the above",
        "none of the above",
        "all the above",
        "none of these",
        "all of these",
        "any of the above",
        "both of the above",
        "none of the options",
        "all of the options",
        "all of them are",
        "none of them",
        "neither of the above",
    ];
    // Words and not the text itself, so that line ends and marks do not hide a phrase.
    let plain = words(option).join(" ");
    let letters = |word: &str| word.len() == 1 && word.chars().all(|c| ('a'..='f').contains(&c));
    let parts: Vec<&str> = plain.split(' ').collect();
    // "both A and B", "A and C", "either A or B": letters and joining words, at least two letters.
    let joined = parts.iter().all(|w| {
        letters(w)
            || matches!(
                *w,
                "both" | "and" | "or" | "either" | "neither" | "nor" | "options"
            )
    }) && parts.iter().filter(|w| letters(w)).count() >= 2;
    joined || PHRASES.iter().any(|phrase| plain.contains(phrase))
}

/// Pairs of options that can both be true.
fn exclusion(options: &[&str]) -> Vec<RuleViolation> {
    let plain: Vec<Vec<String>> = options.iter().map(|o| words(o)).collect();
    let mut findings = Vec::new();
    for (b, second) in plain.iter().enumerate() {
        for (a, first) in plain.iter().enumerate().take(b) {
            if first.is_empty() || second.is_empty() {
                continue;
            }
            let (text_a, text_b) = (options.get(a), options.get(b));
            // Numbers as values: "5 %" and "0.05" are one option in two spellings.
            let numbers = match (
                text_a.and_then(|t| pure_number(t)),
                text_b.and_then(|t| pure_number(t)),
            ) {
                (Some(x), Some(y)) => Some((x - y).abs() <= 1e-9 * x.abs().max(y.abs())),
                _ => None,
            };
            let ranges = (text_a.and_then(|t| range(t)), text_b.and_then(|t| range(t)));
            if let (Some((low_a, high_a)), Some((low_b, high_b))) = ranges {
                // Ranges that only touch do not overlap: "10 to 20" and "20 to 30" are usual.
                if low_a < high_b && low_b < high_a {
                    findings.push(RuleViolation::Overlap(a, b));
                }
            } else if first == second || numbers == Some(true) {
                findings.push(RuleViolation::Same(a, b));
            } else if numbers.is_none() && contains(second, first) {
                findings.push(RuleViolation::Contains(b, a));
            } else if numbers.is_none() && contains(first, second) {
                findings.push(RuleViolation::Contains(a, b));
            }
        }
    }
    findings
}

/// Whether `whole` begins or ends with all of `part`, which has at least three words, and is
/// longer.
fn contains(whole: &[String], part: &[String]) -> bool {
    // Of one or two words nothing follows: "rises" is in "rises and then falls", which is another
    // claim.
    part.len() >= 3
        && whole.len() > part.len()
        && (whole.starts_with(part) || whole.ends_with(part))
}

/// The value of an option that is a number with at most a unit sign; per cent divided by 100.
fn pure_number(option: &str) -> Option<f64> {
    let text = option.trim().trim_end_matches('.');
    if text.chars().any(char::is_alphabetic) || range(text).is_some() {
        return None;
    }
    let value = crate::rules::compare::right_number(text)?.value;
    Some(if text.ends_with('%') {
        value / 100.0
    } else {
        value
    })
}

/// The ends of a range such as "1-5 %" or "10 to 20".
fn range(option: &str) -> Option<(f64, f64)> {
    let text = option
        .trim()
        .replace(['$', '€', '%', ','], "")
        .replace('−', "-");
    let (low, high) = text
        .split_once(" to ")
        .or_else(|| text.split_once('–'))
        .or_else(|| {
            // From the second sign on: the first hyphen may be a minus.
            let at = 1 + text.get(1..)?.find('-')?;
            let (low, high) = (text.get(..at)?, text.get(at + 1..)?);
            // "5--10" is written for "5–10", but "-5--1" ends with a minus.
            let dash = high.strip_prefix('-').filter(|_| !low.starts_with('-'));
            Some((low, dash.unwrap_or(high)))
        })?;
    let low: f64 = low.trim().parse().ok()?;
    let high: f64 = high.trim().parse().ok()?;
    (low < high).then_some((low, high))
}

/// Differences of form between the options.
fn parallel(options: &[&str]) -> Vec<RuleViolation> {
    let filled: Vec<(usize, &str)> = options
        .iter()
        .map(|option| option.trim())
        .enumerate()
        .filter(|(_, option)| !option.is_empty())
        .collect();
    if filled.len() < 2 {
        return Vec::new();
    }
    let mixed = |test: &dyn Fn(&str) -> Option<bool>| -> bool {
        let seen: Vec<bool> = filled
            .iter()
            .filter_map(|(_, option)| test(option))
            .collect();
        seen.contains(&true) && seen.contains(&false)
    };
    let mut findings = Vec::new();
    if mixed(&|option| Some(option.ends_with(['.', '!', '?']))) {
        findings.push(RuleViolation::MixedEnds);
    }
    if mixed(&|option| {
        option
            .chars()
            .next()
            // Digits and marks have no case and say nothing of the form.
            .filter(|c| c.is_alphabetic())
            .map(char::is_uppercase)
    }) {
        findings.push(RuleViolation::MixedCapitals);
    }
    if mixed(&|option| Some(pure_number(option).is_some())) {
        findings.push(RuleViolation::MixedNumbers);
    }
    let lengths: Vec<(usize, usize)> = filled
        .iter()
        .map(|(place, option)| (option.chars().count(), *place))
        .collect();
    if let Some(&(longest, place)) = lengths.iter().max() {
        let next = lengths
            .iter()
            .filter(|(_, p)| *p != place)
            .map(|(length, _)| *length)
            .max()
            .unwrap_or(0);
        // Below 40 characters a word more or less doubles an option and gives nothing away.
        if longest > 40 && longest > 2 * next {
            findings.push(RuleViolation::LongOption(place));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_once() {
        let check = |options: &[&str], want: &[RuleViolation]| {
            assert_eq!(lint(options), want, "{options:?}");
        };
        check(&["Demand rises.", "Demand falls.", "Demand stays."], &[]);
        check(&["5%", "0.05", "10%"], &[RuleViolation::Same(0, 1)]);
        check(
            &["Costs fall", "costs fall", "Costs rise"],
            &[RuleViolation::Same(0, 1), RuleViolation::MixedCapitals],
        );
        check(&["1-5", "3-7", "8-9"], &[RuleViolation::Overlap(0, 1)]);
        check(&["1 to 5", "5 to 7"], &[]);
        check(&["-5--1", "0-2"], &[]);
        check(&["-5--1", "−2 to 2"], &[RuleViolation::Overlap(0, 1)]);
        check(&["5--10", "7-12"], &[RuleViolation::Overlap(0, 1)]);
        check(
            &["The price falls in both markets", "The price falls"],
            &[RuleViolation::Contains(0, 1)],
        );
        check(
            &["Both A and B", "Only the first"],
            &[RuleViolation::RefersToOthers(0)],
        );
        check(&["Yes.", "No"], &[RuleViolation::MixedEnds]);
        check(&["12", "a dozen"], &[RuleViolation::MixedNumbers]);
        check(&["", "x"], &[RuleViolation::Blank(0)]);
        let long = "a long option that explains at length why it is right in every respect";
        check(&[long, "short", "brief"], &[RuleViolation::LongOption(0)]);
        for finding in [
            RuleViolation::Blank(1),
            RuleViolation::MixedEnds,
            RuleViolation::Overlap(0, 2),
        ] {
            assert!(!finding.to_string().ends_with('.'));
        }
    }
}
