//! Numbers in answers: brackets, per cent signs, scale words.

use crate::python::{digit_value, float_text, parse_float, round_to};
use crate::span::after;

/// A number that remembers whether it was written as a whole number, because the evaluator compares
/// its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TatqaNumber {
    /// Written without a dot and scaled by whole factors only.
    Whole(i128),
    /// Everything else.
    Real(f64),
}

impl TatqaNumber {
    /// Its value.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Real(value) => value,
        }
    }

    /// Its text as Python writes it.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Whole(value) => value.to_string(),
            Self::Real(value) => float_text(value),
        }
    }
}

/// Characters that are removed before a number is read.
fn is_noise(c: char) -> bool {
    matches!(
        c,
        '\'' | '"' | '\\' | '$' | '€' | '£' | '¥' | '%' | '(' | ')' | ',' | '[' | ']'
    )
}

/// The text without currency signs, quotes, brackets and commas.
fn cleaned(text: &str) -> String {
    text.chars().filter(|&c| !is_noise(c)).collect()
}

/// Factor of a scale: the first of hundred, thousand, million, billion and percent that occurs in the
/// text, else 1.
pub(super) fn scale_value(scale: &str) -> f64 {
    let scale = scale.to_lowercase();
    [
        ("hundred", 1e2),
        ("thousand", 1e3),
        ("million", 1e6),
        ("billion", 1e9),
        ("percent", 0.01),
    ]
    .into_iter()
    .find(|(word, _)| scale.contains(word))
    .map_or(1.0, |(_, factor)| factor)
}

/// Whether a text is a number: its first word is one, and a second word is a scale.
///
/// ```
/// use qa_scoring::tatqa::is_number;
/// assert!(is_number("$3.4 billion") && is_number("(134)"));
/// assert!(!is_number("10-15") && !is_number("3 apples"));
/// ```
#[must_use]
pub fn is_number(text: &str) -> bool {
    let cleaned: Vec<String> = text.split_whitespace().map(cleaned).collect();
    // Once more, because a word of signs only is empty now: `$ 3` is a number.
    let mut words = cleaned.iter().flat_map(|word| word.split_whitespace());
    let number = words.next().and_then(parse_float);
    number.is_some_and(|n| !n.is_nan()) && words.next().is_none_or(|word| scale_value(word) != 1.0)
}

/// The number in a text: its first run of digits, negative when a bracketed number occurs, times the
/// first scale word that stands right after digits, a hundredth with a per cent sign, rounded to four
/// places.
///
/// "(1,234)" is not negative: only digits, dots and blanks between the brackets count.
///
/// ```
/// use qa_scoring::tatqa::{TatqaNumber, to_number};
/// assert_eq!(to_number("$3 million"), Some(TatqaNumber::Whole(3_000_000)));
/// assert_eq!(to_number("12.5%"), Some(TatqaNumber::Real(0.125)));
/// ```
#[must_use]
pub fn to_number(text: &str) -> Option<TatqaNumber> {
    let bare = first_run(&cleaned(text))?;
    // These three look at the text as it is, since cleaning takes the signs and brackets away.
    let scale = word_scale(text);
    let sign = if has_bracketed_number(text) {
        -1.0
    } else {
        1.0
    };
    let percent = has_percent(text);
    if let Ok(whole) = bare.parse::<i128>() {
        let factor = scale * sign;
        if !percent && factor.fract() == 0.0 {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a whole factor of at most a thousand million"
            )]
            let factor = factor as i128;
            // Python's whole numbers have no limit. Beyond that of ours the value is a float, whose
            // text differs; no answer comes near it.
            if let Some(value) = whole.checked_mul(factor) {
                return Some(TatqaNumber::Whole(value));
            }
        }
    }
    let value = parse_float(&bare)?;
    let percent = if percent { 0.01 } else { 1.0 };
    Some(TatqaNumber::Real(round_to(
        value * scale * sign * percent,
        4,
    )))
}

/// The first number of a text: sign, digits, dot and digits; none when it begins with a dot.
fn first_run(text: &str) -> Option<String> {
    let is_digit = |c: char| digit_value(c).is_some();
    let letters: Vec<char> = text.chars().collect();
    let at = |k: usize| letters.get(k).copied().unwrap_or(' ');
    for start in 0..letters.len() {
        let sign = usize::from(matches!(at(start), '+' | '-'));
        let first = start + sign;
        let dotted = at(first) == '.' && is_digit(at(first + 1));
        if dotted {
            // The evaluator's pattern matches ".5" in a group that it then ignores.
            return None;
        }
        if !is_digit(at(first)) {
            continue;
        }
        let mut out = String::new();
        if at(start) == '-' {
            out.push('-');
        }
        let mut end = first;
        let push_digits = |out: &mut String, end: &mut usize| {
            while let Some(value) = digit_value(at(*end)) {
                out.push(char::from(b'0' + value));
                *end += 1;
            }
        };
        push_digits(&mut out, &mut end);
        if at(end) == '.' && is_digit(at(end + 1)) {
            out.push('.');
            end += 1;
            push_digits(&mut out, &mut end);
        }
        return Some(out);
    }
    None
}

/// Whether brackets around nothing but digits, dots and blanks occur.
fn has_bracketed_number(text: &str) -> bool {
    // By the last bracket before the number: `((3)` counts.
    text.split('(').skip(1).any(|part| {
        part.split_once(')').is_some_and(|(inside, _)| {
            !inside.is_empty()
                && inside
                    .chars()
                    .all(|c| digit_value(c).is_some() || c == '.' || c.is_whitespace())
        })
    })
}

/// Whether a per cent sign follows a digit, a dot or a blank.
fn has_percent(text: &str) -> bool {
    text.match_indices('%').any(|(at, _)| {
        crate::span::before(text, at)
            .chars()
            .next_back()
            .is_some_and(|c| digit_value(c).is_some() || c == '.' || c.is_whitespace())
    })
}

/// Factor of the first word that stands after digits or dots, with at most one blank between.
fn word_scale(text: &str) -> f64 {
    let mut previous_is_number = false;
    for (at, c) in text.char_indices() {
        if previous_is_number {
            let rest = after(text, at);
            let skipped = if c.is_whitespace() {
                after(rest, c.len_utf8())
            } else {
                rest
            };
            let length = skipped
                .find(|c: char| !c.is_ascii_alphabetic())
                .unwrap_or(skipped.len());
            if length > 0 {
                // The evaluator returns inside its loop over matches: the first word decides, even
                // if it is not a scale.
                return scale_value(crate::span::before(skipped, length));
            }
        }
        previous_is_number = digit_value(c).is_some() || c == '.';
    }
    1.0
}

/// A text as the evaluator compares it: word by word in lower case, without punctuation unless the
/// word is a number, numbers in one form, articles removed.
///
/// ```
/// use qa_scoring::tatqa::normalised;
/// assert_eq!(normalised("The (134) cats, net"), "-134 cats net");
/// ```
#[must_use]
pub fn normalised(text: &str) -> String {
    let words: Vec<String> = text
        .split(' ')
        .map(|word| {
            let word = word.to_lowercase();
            let plain = if is_number(&word) {
                word
            } else {
                word.chars().filter(|c| !c.is_ascii_punctuation()).collect()
            };
            let unified = match is_number(&plain).then(|| to_number(&plain)) {
                Some(Some(number)) => number.text(),
                // What Python makes of a missing number: the evaluator joins the words without a
                // look at them.
                Some(None) => "None".to_owned(),
                None => plain,
            };
            without_articles(&unified)
        })
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

/// The text without the words a, an and the, with single blanks.
fn without_articles(text: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    let flush = |word: &mut String, out: &mut String| {
        if matches!(word.as_str(), "a" | "an" | "the") {
            out.push(' ');
        } else {
            out.push_str(word);
        }
        word.clear();
    };
    for c in text.chars() {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            flush(&mut word, &mut out);
            out.push(c);
        }
    }
    flush(&mut word, &mut out);
    out.split_whitespace().collect::<Vec<&str>>().join(" ")
}
