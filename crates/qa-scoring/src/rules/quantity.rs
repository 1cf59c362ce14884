//! A number or a span copied from the context.

use super::number::authors_number;
use super::program::right_number;
use crate::extract::{first_number, number_in, scaled_number, without_thinking};
use crate::python::{is_space, strip};
use crate::snippet::SnippetRunner;

/// Allowed absolute difference.
pub const ABSOLUTE: f64 = 1e-6;

/// Whether two numbers are the same: within 1e-6, or equal.
#[must_use]
pub fn is_same(given: f64, right: f64) -> bool {
    given == right || (given - right).abs() <= ABSOLUTE
}

/// A span as it is compared: trimmed, in lower case, without commas, `$` and `%`, single blanks.
///
/// ```
/// assert_eq!(qa_scoring::rules::quantity::plain_span(" Value  Added, Tax "), "value added tax");
/// ```
#[must_use]
pub fn plain_span(text: &str) -> String {
    let kept: String = strip(text)
        .to_lowercase()
        .chars()
        .filter(|c| !matches!(c, ',' | '$' | '%'))
        .collect();
    let mut out = String::with_capacity(kept.len());
    for c in kept.chars() {
        if is_space(c) {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// The rule of the benchmark's code and of the paper: two numbers within 1e-6, else equal spans.
pub fn authors(given: &str, right: &str, runner: Option<&mut (dyn SnippetRunner + '_)>) -> bool {
    match (authors_number(given, runner), first_number(right)) {
        (Some(given), Some(right)) => is_same(given, right),
        _ => plain_span(given) == plain_span(right),
    }
}

/// The strict rule: equal spans, or the same number when the right answer is a number and nothing else.
///
/// A right answer with words in it ("December 31, 2019") must be given as it is; the published rule
/// accepts "31" for it. With `lenient` set, brackets around a number make it negative and scale words
/// multiply, on both sides, after the bare numbers were compared: so "$9 million" stays right for "9",
/// and "-494" becomes right for "(494)".
///
/// ```
/// use qa_scoring::rules::quantity::strict;
/// assert!(strict("It was $9 million.", "9", false));
/// assert!(!strict("31", "December 31, 2019", false));
/// assert!(!strict("-494", "(494)", false) && strict("-494", "(494)", true));
/// ```
#[must_use]
pub fn strict(given: &str, right: &str, lenient: bool) -> bool {
    let Some(spoken) = without_thinking(given).text() else {
        return false;
    };
    if plain_span(&spoken) == plain_span(right) {
        return true;
    }
    if let Some(inside) = crate::extract::last_brace(&spoken)
        && plain_span(inside) == plain_span(right)
    {
        return true;
    }
    if !is_number_only(right) {
        return false;
    }
    let (Some(value), Some(wanted)) = (number_in(&spoken), right_number(right)) else {
        return false;
    };
    if is_same(value.value, wanted) {
        return true;
    }
    lenient
        && match (scaled_number(&spoken), scaled_number(right)) {
            (Some(given), Some(wanted)) => is_same(given, wanted),
            _ => false,
        }
}

/// Whether a text is a number with nothing but signs, brackets and units of scale around it.
fn is_number_only(text: &str) -> bool {
    const UNITS: [&str; 8] = [
        "hundred",
        "thousand",
        "thousands",
        "million",
        "millions",
        "billion",
        "billions",
        "trillion",
    ];
    let words = text
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty());
    let exponent = |word: &str| word.eq_ignore_ascii_case("e");
    first_number(text).is_some()
        && words
            .into_iter()
            .all(|word| exponent(word) || UNITS.iter().any(|unit| unit.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_cases() {
        let cases = [
            ("[[29,423]]", "29423", true),
            ("$9 million", "9", true),
            ("Notional amount 29,423", "29423", true),
            ("26276.000002", "26276", false),
            ("26276.0000001", "26276", true),
            ("VALUE ADDED  TAX, net", "Value added tax, net", true),
            ("December 31, 2019", "December 31, 2019", true),
            ("31", "December 31, 2019", false),
            ("<think>9</think>8", "9", false),
            ("494", "(494)", true),
            ("-494", "(494)", false),
        ];
        for (given, right, want) in cases {
            assert_eq!(strict(given, right, false), want, "{given} for {right}");
        }
        assert!(strict("-494", "(494)", true));
        assert!(strict("$9 million", "9000000", true));
        assert!(strict("$9 million", "9", true));
        assert!(!strict("9", "9000000", true));
    }
}
