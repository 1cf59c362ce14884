//! Numbers in a text.

use regex::Regex;
use std::sync::LazyLock;

/// Digits in groups of three with commas, or in one run; decimals; not within a word.
static NUMBER: LazyLock<Option<Regex>> =
    // Only the beginning has to be the border of a word: `2019E` holds a number, `Q3` does not.
    LazyLock::new(|| Regex::new(r"\b\d{1,3}(?:,\d{3})+(?:\.\d+)?|\b\d+(?:\.\d+)?").ok());

/// How many numbers are in `text`.
pub(super) fn count(text: &str) -> u64 {
    NUMBER
        .as_ref()
        .map_or(0, |number| number.find_iter(text).count() as u64)
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn numbers_as_reports_write_them() {
        let cases = [
            ("", 0),
            ("no numbers in Q3 or v2", 0),
            ("$1,234.56 and (1,234) and -12%", 3),
            ("1234567.8", 1),
            ("12,345,678 shares", 1),
            ("1,23", 2),
            ("2024-01-05", 3),
            ("10-K", 1),
            ("3.", 1),
            ("٣ or 7", 2),
        ];
        for (text, expected) in cases {
            assert_eq!(count(text), expected, "{text}");
        }
    }
}
