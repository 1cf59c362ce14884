//! Reads and writes numbers as Python does.

use super::digits::digit_value;

/// Whether Python's `str.strip` removes `c`.
///
/// It also removes the four information separators, which Unicode does not call white space.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// The value of `float(text)`; `None` if Python raises an error.
///
/// White space around the number, digits of any script, single underscores between digits, `inf`,
/// `infinity` and `nan` in any case are accepted; `$`, `%` and commas are not.
///
/// ```
/// use qa_scoring::python::parse_float;
/// assert_eq!(parse_float(" 1_000.5 "), Some(1000.5));
/// assert_eq!(parse_float("5."), Some(5.0));
/// assert_eq!(parse_float("1,000"), None);
/// ```
#[must_use]
pub fn parse_float(text: &str) -> Option<f64> {
    let text = text.trim_matches(is_space);
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let word = body.to_ascii_lowercase();
    let negative = text.starts_with('-');
    // Read as numbers, because the source reads them so: "nan" is then equal to nothing.
    if word == "nan" {
        return Some(f64::NAN);
    }
    if word == "inf" || word == "infinity" {
        return Some(if negative {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        });
    }
    // Rust and Python read the rest alike: what Rust reads besides has letters that `plain_digits`
    // refuses.
    plain_digits(text)?.parse().ok()
}

/// The text with ASCII digits and without underscores; `None` if an underscore is not between two
/// digits or a character cannot be part of a number.
fn plain_digits(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut previous_is_digit = false;
    let mut open_underscore = false;
    for c in text.chars() {
        if let Some(value) = digit_value(c) {
            out.push(char::from(b'0' + value));
            (previous_is_digit, open_underscore) = (true, false);
        } else if c == '_' {
            if !previous_is_digit {
                return None;
            }
            (previous_is_digit, open_underscore) = (false, true);
        } else {
            if open_underscore || !matches!(c, '+' | '-' | '.' | 'e' | 'E') {
                return None;
            }
            out.push(c);
            previous_is_digit = false;
        }
    }
    (!open_underscore).then_some(out)
}

/// A float as `repr` writes it: the shortest digits that read back, with an exponent below 1e-4
/// and from 1e16 on.
///
/// ```
/// use qa_scoring::python::float_text;
/// assert_eq!(float_text(3.0), "3.0");
/// assert_eq!(float_text(1e16), "1e+16");
/// assert_eq!(float_text(0.00001), "1e-05");
/// ```
#[must_use]
pub fn float_text(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    // Both languages write the shortest digits that read back. They differ only in where an
    // exponent begins and how it is written.
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) || value == 0.0 {
        let plain = format!("{value}");
        if plain.contains('.') {
            plain
        } else {
            plain + ".0"
        }
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}e{sign}{:02}", exponent.abs())
    }
}

/// The value of `round(value, places)` for a float: the nearest decimal with that many places, ties
/// of the exact binary value to even.
///
/// ```
/// use qa_scoring::python::round_to;
/// assert_eq!(round_to(2.675, 2), 2.67); // 2.675 is stored as 2.67499999..
/// assert_eq!(round_to(0.5, 0), 0.0);
/// ```
#[must_use]
pub fn round_to(value: f64, places: usize) -> f64 {
    if value.is_finite() {
        // Through the text, which is rounded from the exact binary value as Python's is;
        // multiplying would round twice.
        format!("{value:.places$}").parse().unwrap_or(value)
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_python_reads() {
        let good = [
            ("1_0", 10.0),
            ("+5", 5.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("1e3", 1000.0),
            ("1E-2", 0.01),
            ("\u{1c}7\n", 7.0),
            ("٣.٥", 3.5),
            ("1e400", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
        ];
        for (text, value) in good {
            assert_eq!(parse_float(text), Some(value), "{text}");
        }
        assert!(parse_float("-nAn").is_some_and(f64::is_nan));
        for text in [
            "", " ", "_1", "1_", "1__0", "1_.0", "1._0", "1e", "e5", ".", "+", "--3", "1 2",
            "0x10", "1,0", "5%", "²", "in f", "1e+", "1e_3",
        ] {
            assert_eq!(parse_float(text), None, "{text}");
        }
    }

    #[test]
    fn writes_what_python_writes() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1e22, "1e+22"),
            (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
            (1e15, "1000000000000000.0"),
            (1.5e-7, "1.5e-07"),
            (0.0001, "0.0001"),
        ] {
            assert_eq!(float_text(value), text);
        }
    }

    #[test]
    fn rounds_the_exact_binary_value() {
        assert_eq!(round_to(2.675, 2), 2.67);
        assert_eq!(round_to(0.5, 0), 0.0);
        assert_eq!(round_to(1.5, 0), 2.0);
        assert_eq!(round_to(12.345_678, 4), 12.3457);
    }
}
