//! Numbers as the published evaluators of the finance sets find them.

use crate::extract::last_fence;
use crate::python::{digit_value, parse_float, strip};
use crate::snippet::{Snippet, SnippetReply, SnippetRunner, SnippetValue};
use crate::span::{after, before, cut};

/// Letters that the published rule reads as indices.
const PLACES: [&str; 6] = ["A", "B", "C", "D", "E", "F"];

/// The first number of a text by the published rule: a sign, a digit, then digits, commas and dots,
/// the commas removed; `None` when there is none or when it does not read as a float ("10.5.").
///
/// Brackets, per cent signs, exponents and scale words are ignored, as in the source: "(5)" is 5,
/// "1e-7" is 1, "in 2019 it was 5" is 2019.
///
/// ```
/// use qa_scoring::rules::number::first_number;
/// assert_eq!(first_number("in 2019 it was 5"), Some(2019.0));
/// assert_eq!(first_number("-1,234.5 dollars"), Some(-1234.5));
/// assert_eq!(first_number("10.5."), None);
/// ```
#[must_use]
pub fn first_number(text: &str) -> Option<f64> {
    parse_float(&first_run(text)?)
}

/// The first run of the published pattern without its commas.
fn first_run(text: &str) -> Option<String> {
    let at = text.find(|c| digit_value(c).is_some())?;
    // Directly before the digit, as in the source: "- 5" is 5.
    let sign = before(text, at)
        .chars()
        .next_back()
        .filter(|c| matches!(c, '+' | '-'));
    let run = after(text, at)
        .chars()
        .take_while(|&c| digit_value(c).is_some() || matches!(c, ',' | '.'))
        // Removed within the run only: in the source they are a part of the pattern.
        .filter(|&c| c != ',');
    Some(sign.into_iter().chain(run).collect())
}

/// The last number of a text by the published rule of the formula task: commas removed first, then
/// the last match of sign, digits, dot, digits and exponent.
///
/// ```
/// use qa_scoring::rules::number::last_number;
/// assert_eq!(last_number("12 then 1,500.25"), Some(1500.25));
/// assert_eq!(last_number("1.5.0"), Some(0.0)); // ".0" is the last match
/// assert_eq!(last_number("none"), None);
/// ```
#[must_use]
pub fn last_number(text: &str) -> Option<f64> {
    // Of the whole text here, so that "1, 2" is two numbers but "1,2" is 12, as in the source.
    let text: String = text.chars().filter(|&c| c != ',').collect();
    let mut last = None;
    let mut at = 0;
    while at < text.len() {
        match number_end(&text, at) {
            Some(end) => {
                last = Some((at, end));
                at = end;
            }
            None => at += after(&text, at).chars().next().map_or(1, char::len_utf8),
        }
    }
    last.and_then(|(from, to)| parse_float(cut(&text, from, to)))
}

/// End of the number that starts exactly at `at`.
fn number_end(text: &str, at: usize) -> Option<usize> {
    let digits = |from: usize| {
        let rest = after(text, from);
        from + rest
            .find(|c| digit_value(c).is_none())
            .unwrap_or(rest.len())
    };
    let start = at + usize::from(after(text, at).starts_with(['+', '-']));
    let whole = digits(start);
    let mut end = whole;
    if after(text, whole).starts_with('.') {
        let fraction = digits(whole + 1);
        if fraction > whole + 1 {
            end = fraction;
        }
    }
    if end == start {
        return None;
    }
    if after(text, end).starts_with(['e', 'E']) {
        let sign = end + 1 + usize::from(after(text, end + 1).starts_with(['+', '-']));
        let exponent = digits(sign);
        if exponent > sign {
            end = exponent;
        }
    }
    Some(end)
}

/// The result of the published rule for double brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Braces<'a> {
    /// No pair in the text.
    None,
    /// Exactly one pair, with its inside.
    One(&'a str),
    /// More than one pair, so the rule gives no answer.
    Many,
}

/// Double brackets by the published rule: within a line the first `[[` reaches to the last `]]`,
/// and the text must hold exactly one such stretch.
///
/// Two answers on one line are therefore read as one, `1]] [[2`, which is then no number.
///
/// ```
/// use qa_scoring::rules::number::{Braces, only_brace};
/// assert_eq!(only_brace("[[1]] [[2]]"), Braces::One("1]] [[2"));
/// assert_eq!(only_brace("[[1]]\n[[2]]"), Braces::Many);
/// ```
#[must_use]
pub fn only_brace(text: &str) -> Braces<'_> {
    let mut found = Braces::None;
    for line in text.split('\n') {
        let Some(open) = line.find("[[") else {
            continue;
        };
        let rest = after(line, open + 2);
        // The last one, because the pattern of the source is greedy.
        let Some(close) = rest.rfind("]]") else {
            continue;
        };
        found = match found {
            Braces::None => Braces::One(before(rest, close)),
            _ => return Braces::Many,
        };
    }
    found
}

/// The number between double brackets by the published rule: exactly one pair in the text; commas, `$`
/// and `%` removed; a lone letter A to F is its place; else what `float` reads, `nan` and `inf`
/// included.
///
/// ```
/// use qa_scoring::rules::number::brace_number;
/// assert_eq!(brace_number("[[ $1,200 ]]"), Some(1200.0));
/// assert_eq!(brace_number("[[b]]"), Some(1.0));
/// assert_eq!(brace_number("[[1]] [[2]]"), None);
/// ```
#[must_use]
pub fn brace_number(text: &str) -> Option<f64> {
    let value = brace_value(text)?;
    let upper = value.to_uppercase();
    match PLACES.iter().position(|letter| *letter == upper) {
        Some(place) => Some(place as f64),
        None => parse_float(&value),
    }
}

fn brace_value(text: &str) -> Option<String> {
    let Braces::One(inside) = only_brace(text) else {
        return None;
    };
    let plain: String = strip(inside)
        .chars()
        .filter(|c| !matches!(c, ',' | '$' | '%'))
        .collect();
    Some(strip(&plain).to_owned())
}

/// The result of the code in an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FenceValue {
    /// There is none.
    NoCode,
    /// There is code, but no runner.
    NotRun,
    /// It failed or has no number.
    Failed,
    /// It cannot be run here.
    Unsupported(String),
    /// Its number.
    Number(f64),
}

impl FenceValue {
    /// The result of a snippet; a value that converts to no float failed.
    pub(crate) fn of(
        snippet: Option<&Snippet>,
        runner: Option<&mut (dyn SnippetRunner + '_)>,
    ) -> Self {
        let Some(snippet) = snippet.filter(|snippet| !snippet.code.is_empty()) else {
            return Self::NoCode;
        };
        match runner.map(|runner| runner.run(snippet)) {
            None => Self::NotRun,
            Some(SnippetReply::Value(SnippetValue::Text(text))) if snippet.printed => {
                printed(&text).map_or(Self::Failed, Self::Number)
            }
            // A program that prints a result with its name has answered; one that returns a list
            // has not.
            Some(SnippetReply::Value(value)) if snippet.printed => {
                let value = only_part(&value).as_float();
                value.map_or(Self::Failed, Self::Number)
            }
            Some(SnippetReply::Value(value)) => value.as_float().map_or(Self::Failed, Self::Number),
            Some(SnippetReply::Failed { .. }) => Self::Failed,
            Some(SnippetReply::Unsupported { what }) => Self::Unsupported(what),
        }
    }
}

/// The only value of a list or dictionary, as of `[7.5]` and `{"yield": 7.5}`.
fn only_part(value: &SnippetValue) -> &SnippetValue {
    match value {
        SnippetValue::List(parts) => match parts.as_slice() {
            [part] => only_part(part),
            _ => value,
        },
        SnippetValue::Map(parts) => match parts.as_slice() {
            [(_, part)] => only_part(part),
            _ => value,
        },
        _ => value,
    }
}

/// The number that a program prints as its answer: that of the last line with a digit.
fn printed(text: &str) -> Option<f64> {
    let last = text
        .lines()
        // Programs print steps first, and sometimes a line without a number behind the result.
        .rfind(|line| line.contains(|c: char| c.is_ascii_digit()))?;
    // A list or a dictionary of several numbers is not a number.
    if last.trim_start().starts_with(['[', '(', '{']) && reply_text::number::count(last) > 1 {
        return None;
    }
    parse_float(strip(last))
        .or_else(|| reply_text::answer::number(last).map(|found| found.value()))
        .or_else(|| reply_text::number::last(last).map(|number| number.value))
}

/// The number of a prediction by the rule of the benchmark's code: the last fence is run; else the one
/// pair of double brackets; else the first number.
pub fn authors_number(text: &str, runner: Option<&mut (dyn SnippetRunner + '_)>) -> Option<f64> {
    if text.contains("```")
        && let FenceValue::Number(value) =
            FenceValue::of(last_fence(text).map(Snippet::new).as_ref(), runner)
    {
        return Some(value);
    }
    brace_number(text).or_else(|| first_number(text))
}

/// The value by the rule of the BizBench pipeline for answers without code: exactly one pair of double
/// brackets, a piece of "ABCD" counting as its place there, else what `float` reads.
///
/// The empty text and "AB" are pieces of "ABCD" too and count as 0.
///
/// ```
/// use qa_scoring::rules::number::bizbench_brace;
/// assert_eq!(bizbench_brace("[[B]]"), Some(1.0));
/// assert_eq!(bizbench_brace("[[A,B]]"), Some(0.0));
/// assert_eq!(bizbench_brace("[[b]]"), None);
/// ```
#[must_use]
pub fn bizbench_brace(text: &str) -> Option<f64> {
    let value = brace_value(text)?;
    match "ABCD".find(&value) {
        Some(place) => Some(place as f64),
        None => parse_float(&value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_rules() {
        for (text, want) in [
            ("(5)", Some(5.0)),
            ("--3", Some(-3.0)),
            ("- 3", Some(3.0)),
            (".5", Some(5.0)),
            ("10.5.", None),
            ("1.234,56", Some(1.23456)),
            ("", None),
        ] {
            assert_eq!(first_number(text), want, "{text}");
        }
        for (text, want) in [
            ("15.", Some(15.0)),
            ("3.2-", Some(3.2)),
            ("5e-2", Some(0.05)),
            ("a-.5e", Some(-0.5)),
            ("-", None),
        ] {
            assert_eq!(last_number(text), want, "{text}");
        }
    }
}
