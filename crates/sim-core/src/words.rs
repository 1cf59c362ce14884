//! Counts and intervals in words.

use crate::plot::number;

/// A count with its noun, which takes an s in the plural.
#[must_use]
pub fn counted(count: u64, noun: &str) -> String {
    let plural = match noun {
        _ if count == 1 => "",
        noun if noun.ends_with("ss") => "es",
        _ => "s",
    };
    format!("{count} {noun}{plural}")
}

/// The 95 % interval of a figure.
#[must_use]
pub fn interval_words(low: f64, high: f64) -> String {
    format!("95 % interval {} to {}", number(low), number(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_noun_has_its_plural() {
        let all = [(1, "episode"), (0, "case"), (2, "loss"), (1, "loss")];
        let words = all.map(|(count, noun)| counted(count, noun));
        assert_eq!(words, ["1 episode", "0 cases", "2 losses", "1 loss"]);
    }
}
