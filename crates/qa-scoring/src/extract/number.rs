//! A number in a reply.
//!
//! The strict rule is [`number`]. [`first_number`] and [`last_number`] are published rules, errors included; only the
//! profiles that reproduce published figures use them. No function applies units: "9 million" is 9.

use super::boxed::last_boxed;
use super::brace::last_brace;
use super::json::{JsonAnswer, answer_value};
use super::published::is_word;
use super::think::without_thinking;
use crate::python::{digit_value, parse_float};
use crate::span::{after, before, cut, rfind_ignoring_case};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The rule that found a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NumberRule {
    /// The last fenced block was run and its last line had this value.
    Program,
    /// JSON under `final_answer` or `answer`.
    Json,
    /// The last `[[..]]`.
    Braces,
    /// The last `\boxed{..}`.
    Boxed,
    /// The whole text is a number.
    Whole,
    /// The number after the last "answer".
    Phrase,
    /// The first number of the text.
    First,
}

/// A number and the rule that found it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtractedNumber {
    /// The bare number: scale words, per cent signs and brackets are not applied.
    pub value: f64,
    /// The rule that found it.
    pub rule: NumberRule,
}

/// The first number of a text by the published rule: a sign, a digit, then digits, commas and dots,
/// the commas removed; `None` when there is none or when it does not read as a float ("10.5.").
///
/// Brackets, per cent signs, exponents and scale words are ignored, as in the source: "(5)" is 5,
/// "1e-7" is 1, "in 2019 it was 5" is 2019.
///
/// ```
/// use qa_scoring::extract::first_number;
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
    let sign = before(text, at)
        .chars()
        .next_back()
        .filter(|c| matches!(c, '+' | '-'));
    let run = after(text, at)
        .chars()
        .take_while(|&c| digit_value(c).is_some() || matches!(c, ',' | '.'))
        .filter(|&c| c != ',');
    Some(sign.into_iter().chain(run).collect())
}

/// The last number of a text by the published rule of the formula task: commas removed first, then
/// the last match of sign, digits, dot, digits and exponent.
///
/// ```
/// use qa_scoring::extract::last_number;
/// assert_eq!(last_number("12 then 1,500.25"), Some(1500.25));
/// assert_eq!(last_number("1.5.0"), Some(0.0)); // ".0" is the last match
/// assert_eq!(last_number("none"), None);
/// ```
#[must_use]
pub fn last_number(text: &str) -> Option<f64> {
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

/// The number of a reply by the strict cascade, without running code.
///
/// In order: thinking removed; JSON under `final_answer` or `answer`; the last `[[..]]`; the last
/// `\boxed{..}`; the whole text; the number right after the last "answer" (with "is", ":" or "=");
/// the first number. Dollar and other currency signs, commas between digits, per cent signs and a
/// full stop after the number are read over; exponents count ("1e-7" is 0.0000001). A JSON answer
/// or a bracketed one that holds no number ends the search: it is the answer.
///
/// ```
/// use qa_scoring::extract::number;
/// let value = |reply| number(reply).map(|found| found.value);
/// assert_eq!(value("In 2019 sales rose. The answer is $1,200.50."), Some(1200.5));
/// assert_eq!(value("[[12%]]"), Some(12.0));
/// assert_eq!(value("10.5."), Some(10.5));
/// assert_eq!(value("n/a"), None);
/// ```
#[must_use]
pub fn number(reply: &str) -> Option<ExtractedNumber> {
    let spoken = without_thinking(reply).text()?;
    number_in(&spoken)
}

/// The strict cascade of [`number`] on a text that holds no thinking.
#[must_use]
pub fn number_in(text: &str) -> Option<ExtractedNumber> {
    let text = text.trim();
    let found = |value: Option<f64>, rule| value.map(|value| ExtractedNumber { value, rule });
    match answer_value(text, &["final_answer", "answer"]) {
        Some(JsonAnswer::Keyed(value)) => return found(value_number(&value), NumberRule::Json),
        Some(JsonAnswer::Bare(Value::String(inner))) => {
            if let Some(value) = whole_number(&inner) {
                return found(Some(value), NumberRule::Json);
            }
        }
        _ => {}
    }
    if let Some(inside) = last_brace(text) {
        return found(marked_number(inside), NumberRule::Braces);
    }
    if let Some(inside) = last_boxed(text) {
        return found(marked_number(inside), NumberRule::Boxed);
    }
    found(whole_number(text), NumberRule::Whole)
        .or_else(|| found(phrase_number(text), NumberRule::Phrase))
        .or_else(|| found(first_marked(text), NumberRule::First))
}

/// The number of a JSON value: a number, or a text that holds one.
fn value_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => marked_number(text),
        _ => None,
    }
}

/// A marked answer as a number if it is one, else the first number in it.
fn marked_number(text: &str) -> Option<f64> {
    whole_number(text).or_else(|| first_marked(text))
}

/// A text that consists of a number and its signs.
fn whole_number(text: &str) -> Option<f64> {
    let text = text
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '`' | '"' | '\'' | '\\'));
    let (sign, body) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let body = body.trim_start_matches(['$', '€', '£', '¥', ' ']);
    let body = body
        .trim_end_matches('.')
        .trim_end_matches(['%', ' ', '\\']);
    let plain: String = body.chars().filter(|&c| c != ',').collect();
    let signed = plain.starts_with(['+', '-']);
    if signed && !sign.is_empty() {
        return None;
    }
    finite(parse_float(&format!("{sign}{plain}")))
}

fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|v| v.is_finite())
}

/// The number right after the last "answer".
fn phrase_number(text: &str) -> Option<f64> {
    let at = rfind_ignoring_case(text, "answer")? + "answer".len();
    let mut rest = after(text, at);
    if rest.starts_with(is_word) {
        return None;
    }
    let mark = |c: char| {
        c.is_whitespace() || matches!(c, ':' | '=' | '*' | '"' | '\'' | '`' | '(' | '≈' | '~')
    };
    rest = rest.trim_start_matches(mark);
    for glue in ["is", "was", "about", "approximately", "roughly", "equals"] {
        if let Some(tail) = rest.strip_prefix(glue)
            && !tail.starts_with(is_word)
        {
            rest = tail.trim_start_matches(mark);
        }
    }
    leading_number(rest)
}

/// A number at the very front, after a sign and a currency sign.
fn leading_number(text: &str) -> Option<f64> {
    let (negative, rest) = match text.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let rest = rest.trim_start_matches(['$', '€', '£', '¥', ' ']);
    let (inner, rest) = match rest.strip_prefix('-') {
        Some(tail) if !negative => (true, tail),
        _ => (false, rest),
    };
    let value = digits_at(rest)?;
    Some(if negative != inner { -value } else { value })
}

/// The unsigned number at the front: digits with commas between them, one dot, an exponent.
fn digits_at(text: &str) -> Option<f64> {
    let mut plain = String::new();
    let mut letters = text.char_indices().peekable();
    let mut dot = false;
    let mut end = 0;
    while let Some((at, c)) = letters.next() {
        let digit_follows = letters
            .peek()
            .is_some_and(|&(_, n)| digit_value(n).is_some());
        match c {
            _ if digit_value(c).is_some() => plain.push(c),
            ',' if !plain.is_empty() && !dot && digit_follows => {}
            '.' if !dot && digit_follows => {
                dot = true;
                plain.push('.');
            }
            _ => break,
        }
        end = at + c.len_utf8();
    }
    if plain.is_empty() {
        return None;
    }
    let tail = after(text, end);
    if tail.starts_with(['e', 'E']) {
        let signed = 1 + usize::from(after(tail, 1).starts_with(['+', '-']));
        let count = after(tail, signed)
            .bytes()
            .take_while(u8::is_ascii_digit)
            .count();
        if count > 0 {
            plain.push_str(before(tail, signed + count));
        }
    }
    finite(parse_float(&plain))
}

/// The first number of a text, read strictly.
fn first_marked(text: &str) -> Option<f64> {
    let at = text.find(|c| digit_value(c).is_some())?;
    let mut front = before(text, at);
    let mut start = at;
    // ".5" and "-.5": the dot belongs to the number unless it ends a word.
    if let Some(rest) = front.strip_suffix('.')
        && !rest.ends_with(is_word)
    {
        (start, front) = (at - 1, rest);
    }
    let value = digits_at(after(text, start))?;
    let unit = front.trim_end_matches(['$', '€', '£', '¥']);
    let negative = unit.ends_with(['-', '−']) && {
        // A hyphen inside a word or a range is not a sign: "10-K", "5-7".
        let mut before_sign = unit.chars().rev().skip(1);
        !before_sign.next().is_some_and(is_word)
    };
    Some(if negative { -value } else { value })
}

/// The number of a text read leniently: brackets around it make it negative, a per cent sign
/// divides by 100 when `percent` is set, and a scale word multiplies.
///
/// Only for the opt-in of the quantity rule, which compares the bare number first.
///
/// ```
/// use qa_scoring::extract::scaled_number;
/// assert_eq!(scaled_number("($1,234)"), Some(-1234.0));
/// assert_eq!(scaled_number("$9 million"), Some(9_000_000.0));
/// assert_eq!(scaled_number("about 2 thousand"), Some(2000.0));
/// ```
#[must_use]
pub fn scaled_number(text: &str) -> Option<f64> {
    let at = text.find(|c| digit_value(c).is_some())?;
    let value = first_marked(text)?;
    let front = before(text, at).trim_end_matches(['$', '€', '£', '¥', ' ', '.']);
    let run = after(text, at);
    let length = run
        .find(|c: char| digit_value(c).is_none() && !matches!(c, ',' | '.'))
        .unwrap_or(run.len());
    let tail = after(run, length);
    let bracketed = front.ends_with('(') && tail.trim_start_matches([' ', '%']).starts_with(')');
    let word = tail
        .trim_start_matches([' ', ')'])
        .split(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let scale = match word.trim_end_matches('s') {
        "hundred" => 1e2,
        "thousand" | "k" => 1e3,
        "million" | "mn" | "m" => 1e6,
        "billion" | "bn" | "b" => 1e9,
        "trillion" | "tn" => 1e12,
        _ => 1.0,
    };
    let value = value * scale;
    Some(if bracketed && value > 0.0 {
        -value
    } else {
        value
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strict_cascade() {
        use NumberRule as R;
        let cases = [
            ("3.15", 3.15, R::Whole),
            ("$1,234.50", 1234.5, R::Whole),
            ("-$5", -5.0, R::Whole),
            ("$-43,036.94", -43036.94, R::Whole),
            ("12.5 %", 12.5, R::Whole),
            ("1e-7", 1e-7, R::Whole),
            ("answer: 10.5.", 10.5, R::Phrase),
            ("The final answer is **-3**", -3.0, R::Phrase),
            ("in 2019 it was 26276", 2019.0, R::First),
            ("{\"final_answer\": \"$40\"}", 40.0, R::Json),
            ("{\"why\": \"2 steps\", \"answer\": 7}", 7.0, R::Json),
            ("[[1]] or [[2]]", 2.0, R::Braces),
            (r"\boxed{1{,}000}", 1.0, R::Boxed),
            (".5", 0.5, R::Whole),
            ("it is .5", 0.5, R::First),
            ("form 10-K", 10.0, R::First),
            ("range 5-7", 5.0, R::First),
            ("<think>1</think>2", 2.0, R::Whole),
            ("٣", 3.0, R::Whole),
        ];
        for (text, value, rule) in cases {
            let found = number(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((found.value, found.rule), (value, rule), "{text}");
        }
        for text in [
            "",
            "n/a",
            "[[none]] 5",
            "{\"answer\": null, \"x\": 5}",
            "<think>5",
            "nan",
            "inf",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
    }

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

    #[test]
    fn lenient_reading() {
        for (text, want) in [
            ("(5)", -5.0),
            ("$ (62)", -62.0),
            ("(12%)", -12.0),
            ("$3.4 billion", 3.4e9),
            ("9 million", 9e6),
            ("60,000 shares", 60_000.0),
            ("-5", -5.0),
        ] {
            assert_eq!(scaled_number(text), Some(want), "{text}");
        }
    }
}
