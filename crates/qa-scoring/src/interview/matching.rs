//! Finds words, numbers and sentences in messages.
//!
//! The interviewer, the judge and the audit that work by rules use these functions. They compare words, not
//! meanings.

/// Text as lower-case words with one blank around each: ` do not enter `.
///
/// ```
/// use qa_scoring::interview::matching::plain;
/// assert_eq!(plain("Do NOT enter!"), " do not enter ");
/// ```
#[must_use]
pub fn plain(text: &str) -> String {
    let mut out = String::from(" ");
    for word in text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        out.push_str(&word.to_lowercase());
        out.push(' ');
    }
    out
}

/// Whether a word (or phrase) of `text` begins with `stem`: `competit` is in "our competitors".
/// `text` comes from [`plain`].
///
/// ```
/// use qa_scoring::interview::matching::{has, plain};
/// assert!(has(&plain("Our competitors cut prices."), "competit"));
/// assert!(!has(&plain("Our prices rise."), "ices")); // not the beginning of a word
/// ```
#[must_use]
pub fn has(text: &str, stem: &str) -> bool {
    let is_plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
    // One plain word needs no copy.
    if !stem.is_empty() && stem.bytes().all(is_plain) {
        let mut begins = text.match_indices(stem).map(|(at, _)| at);
        return begins.any(|at| text.get(..at).is_some_and(|before| before.ends_with(' ')));
    }
    let stem = plain(stem);
    text.contains(stem.trim_end())
}

/// Whether any stem is in `text`, which comes from [`plain`].
#[must_use]
pub fn has_any<S: AsRef<str>>(text: &str, stems: &[S]) -> bool {
    stems.iter().any(|stem| has(text, stem.as_ref()))
}

/// Sentences, with their closing punctuation.
///
/// A sentence ends at `?`, `!`, a line break, or a full stop before a blank.
#[must_use]
pub fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.char_indices().find(|(at, c)| {
            // The point in 3.5 does not end a sentence.
            let next = rest.get(at + c.len_utf8()..).and_then(|r| r.chars().next());
            matches!(c, '?' | '!' | '\n') || (*c == '.' && next.is_none_or(char::is_whitespace))
        });
        let cut = end.map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let (sentence, after) = rest.split_at(cut);
        if !sentence.trim().is_empty() {
            out.push(sentence.trim());
        }
        rest = after;
    }
    out
}

const REQUESTS: [&str; 12] = [
    "could you",
    "can you",
    "would you",
    "please",
    "tell me",
    "do we know",
    "do we have",
    "i would like to know",
    "i would like to understand",
    "i need",
    "let me ask",
    "share with me",
];

/// Whether a sentence asks for something.
///
/// It ends with a question mark or contains a phrase such as "could you" or "tell me".
#[must_use]
pub fn is_request(sentence: &str) -> bool {
    sentence.ends_with('?') || has_any(&plain(sentence), &REQUESTS)
}

/// Numbers in a text, with their magnitude applied: `1.2 million`, `$3,400`, `15%` (as 15),
/// `(200)`, `40k`.
///
/// Digits that belong to a word (`A4`, `Q2`) are not numbers. A minus sign counts unless a letter or digit
/// stands before it. Brackets do not change the sign.
///
/// ```
/// use qa_scoring::interview::matching::numbers;
/// assert_eq!(numbers("$1.2 million in Q2, -15% and 3,400"), [1_200_000.0, -15.0, 3_400.0]);
/// ```
#[must_use]
pub fn numbers(text: &str) -> Vec<f64> {
    read_numbers(text).iter().map(|read| read.value).collect()
}

/// All values that the numbers of a text have in arithmetic: `1.3 million` as 1.3 and 1300000, `35 percent` as 35 and 0.35.
///
/// ```
/// use qa_scoring::interview::matching::spoken_numbers;
/// assert_eq!(spoken_numbers("1.5 million at 20 percent"), [1.5, 1_500_000.0, 20.0, 0.2]);
/// ```
#[must_use]
pub fn spoken_numbers(text: &str) -> Vec<f64> {
    let mut out = Vec::new();
    for read in read_numbers(text) {
        out.push(read.digits);
        if read.size > 1.0 {
            out.push(read.value);
        }
        if read.is_percent {
            out.push(read.value / 100.0);
        }
    }
    out
}

/// A number as it is written in a text.
struct WrittenNumber {
    /// Without sign and magnitude.
    digits: f64,
    /// The factor of its magnitude word.
    size: f64,
    /// With sign and magnitude.
    value: f64,
    /// Whether `%`, `percent` or `per cent` follows.
    is_percent: bool,
}

fn read_numbers(text: &str) -> Vec<WrittenNumber> {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let mut out = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if !digit(at) {
            at += 1;
            continue;
        }
        let start = at;
        let mut number = String::new();
        while let Some(c) = chars.get(at) {
            match c {
                c if c.is_ascii_digit() => number.push(*c),
                // A comma between groups of three, a point before digits.
                ',' if digit(at + 1) && digit(at + 2) && digit(at + 3) && !digit(at + 4) => {}
                '.' if digit(at + 1) && !number.contains('.') => number.push('.'),
                _ => break,
            }
            at += 1;
        }
        let before = |back: usize| start.checked_sub(back).and_then(|i| chars.get(i)).copied();
        // Part of a name such as A4 or q2.
        if before(1).is_some_and(char::is_alphabetic) {
            continue;
        }
        let negative = match before(1) {
            Some('-' | '−') => !before(2).is_some_and(|c| c.is_alphanumeric()),
            Some('$' | '€' | '£') => matches!(before(2), Some('-' | '−')),
            _ => false,
        };
        // Long enough for a blank and the longest word that is looked for, "per cent" or "billions".
        let rest: String = chars.iter().skip(at).take(12).collect();
        let Ok(digits) = number.parse::<f64>() else {
            continue;
        };
        let size = size(&rest);
        let value = digits * size;
        let unit = rest.trim_start();
        out.push(WrittenNumber {
            digits,
            size,
            value: if negative { -value } else { value },
            is_percent: ["%", "percent", "per cent"]
                .iter()
                .any(|sign| unit.starts_with(sign)),
        });
    }
    out
}

/// The factor of the magnitude word that follows a number.
fn size(rest: &str) -> f64 {
    // With a hyphen as in "a 3-million loan".
    let rest = rest.strip_prefix([' ', '-']).unwrap_or(rest).to_lowercase();
    let word: String = rest.chars().take_while(|c| c.is_alphabetic()).collect();
    match word.as_str() {
        "k" | "thousand" => 1e3,
        "m" | "mn" | "mio" | "million" | "millions" => 1e6,
        "b" | "bn" | "billion" | "billions" => 1e9,
        _ => 1.0,
    }
}

/// Whether one of `numbers` is `value`, up to the share `tol`. The sign does not count, because
/// people say "a loss of 5".
///
/// ```
/// use qa_scoring::interview::matching::states;
/// assert!(states(&[-4.9], 5.0, 0.05));
/// assert!(!states(&[4.7], 5.0, 0.05));
/// ```
#[must_use]
pub fn states(numbers: &[f64], value: f64, tol: f64) -> bool {
    numbers
        .iter()
        // A share of 0 is 0: without the least tolerance, a value of 0 would have to be met to the
        // last bit.
        .any(|n| (n.abs() - value.abs()).abs() <= (value.abs() * tol).max(1e-9))
}

/// Number of words.
#[must_use]
pub fn word_count(text: &str) -> usize {
    text.split_whitespace().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_match_beginnings_of_words() {
        let text = plain("Who are our Competitors? Do NOT enter.");
        assert!(has(&text, "competit") && has(&text, "do not ent"));
        assert!(!has(&text, "petitor") && !has(&text, "enter not"));
    }

    #[test]
    fn numbers_are_read_in_their_size() {
        let cases: &[(&str, &[f64])] = &[
            ("1.2 million and $3,400", &[1_200_000.0, 3_400.0]),
            ("15% of 40k, 2.5bn", &[15.0, 40_000.0, 2_500_000_000.0]),
            (
                "a loss of -300 or −$20; 10-20",
                &[-300.0, -20.0, 10.0, 20.0],
            ),
            ("A4 and q2 are names", &[]),
            ("1,20 and 1,200,000.5", &[1.0, 20.0, 1_200_000.5]),
            ("3.", &[3.0]),
        ];
        for (text, expected) in cases {
            assert_eq!(numbers(text), *expected, "{text}");
        }
        assert!(states(&[101.0], 100.0, 0.02) && !states(&[103.0], 100.0, 0.02));
    }

    #[test]
    fn sentences_end_where_they_end() {
        let text = "It is 3.5 times. Why?\nPlease tell me! So";
        assert_eq!(
            sentences(text),
            ["It is 3.5 times.", "Why?", "Please tell me!", "So"]
        );
        assert!(is_request("Why?") && is_request("Please tell me!") && !is_request("So"));
    }
}
