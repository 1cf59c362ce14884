//! Formats numbers and counts for people.

pub use sim_core::plot::number;
pub use sim_core::words::{counted, interval_words};
use sim_core::{ScoreRange, Sense};
use std::fmt;

/// The text after the name of an agent: a remark if the agent knows hidden state.
#[must_use]
pub fn mark(oracle: bool) -> &'static str {
    if oracle { " (knows hidden state)" } else { "" }
}

/// A number for people whose size is not known: as [`number`], with one decimal from 10,000 on,
/// and with two significant digits where four decimals would hide it. What rounding alone leaves
/// (below 1e-12) is 0.
#[must_use]
pub fn fine(value: f64) -> String {
    let size = value.abs();
    if (10_000.0..1e15).contains(&size) {
        return number((10.0 * value).round() / 10.0);
    }
    if !(1e-12..0.001).contains(&size) {
        return number(value);
    }
    format!("{value:.1e}")
}

/// `text` as a part of a file name on every system: letters, digits and the characters `also`, and `-` in
/// place of all others.
#[must_use]
pub fn file_name(text: &str, also: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || also.contains(c) {
            c
        } else {
            '-'
        }
    };
    text.chars().map(plain).collect()
}

/// A line of a summary, if it has a value.
pub(crate) fn line(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    value: Option<f64>,
    more: &str,
) -> fmt::Result {
    match value {
        Some(value) if more.is_empty() => writeln!(f, "  {name:<12}{:>16}", number(value)),
        Some(value) => writeln!(f, "  {name:<12}{:>16}  {more}", number(value)),
        None => Ok(()),
    }
}

/// Which end of a scale is better, in words.
#[must_use]
pub fn direction(sense: Option<Sense>) -> &'static str {
    match sense {
        Some(Sense::Maximise) => "higher is better",
        Some(Sense::Minimise) => "lower is better",
        None => "neither end is better",
    }
}

/// A range of scores after their unit, in parentheses; empty where there is no greatest value.
#[must_use]
pub fn range(range: ScoreRange) -> String {
    let ScoreRange { low, high } = range;
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!(" ({} to {})", number(low), number(high)),
        (false, true) => format!(" (at most {})", number(high)),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (value, text) in [
            (0.0, "0"),
            (9_200.0, "9,200"),
            (-1_234_567.891_23, "-1,234,567.8912"),
            (100.5, "100.5"),
            (-1e-9, "0"),
            (0.934_0, "0.934"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn sizes_decide_the_digits() {
        for (value, text) in [
            (41_230.459_2, "41,230.5"),
            (-9_999.123_4, "-9,999.1234"),
            (0.829, "0.829"),
            (-6.3e-6, "-6.3e-6"),
            (1e-15, "0"),
            (0.0, "0"),
            (-1e308, "-1.0000e308"),
        ] {
            assert_eq!(fine(value), text);
        }
    }
}
