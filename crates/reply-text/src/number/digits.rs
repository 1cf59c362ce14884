//! A run of digits with its separators.

use super::Chars;
use crate::plain::NARROW;

/// Digits with the separators between them.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Its decimal text; `None` where the separators fit no way of writing numbers.
    pub(super) decimal: Option<String>,
    /// Whether it is digits only.
    pub(super) whole: bool,
}

impl Run {
    /// The run that begins at `from`, a digit or a dot before one.
    pub(super) fn at(text: &Chars, from: usize) -> Self {
        let mut groups = vec![String::new()];
        let mut marks: Vec<char> = Vec::new();
        let mut at = from;
        loop {
            let c = text.at(at);
            if c.is_ascii_digit() {
                if let Some(group) = groups.last_mut() {
                    group.push(c);
                }
                at += 1;
                continue;
            }
            let joins = text.at(at + 1).is_ascii_digit()
                && match c {
                    '.' | ',' | '_' => true,
                    '\'' | NARROW => three_digits(text, at + 1),
                    // Two numbers may stand next to each other; only groups of three belong together.
                    ' ' => {
                        three_digits(text, at + 1)
                            && groups
                                .last()
                                .is_some_and(|group| (1..=3).contains(&group.len()))
                            && marks.iter().all(|&mark| mark == ' ')
                            && groups.first().is_some_and(|first| !first.starts_with('0'))
                    }
                    _ => false,
                };
            if !joins {
                break;
            }
            marks.push(c);
            groups.push(String::new());
            at += 1;
        }
        let decimal = plain_decimal(&groups, &marks);
        Self {
            from,
            to: at,
            decimal,
            whole: marks.is_empty(),
        }
    }
}

/// Whether exactly three digits stand at a place.
fn three_digits(text: &Chars, at: usize) -> bool {
    (0..3).all(|k| text.at(at + k).is_ascii_digit()) && !text.at(at + 3).is_ascii_digit()
}

/// The decimal that groups of digits and the marks between them write.
fn plain_decimal(groups: &[String], marks: &[char]) -> Option<String> {
    let first = groups.first()?;
    let Some((&last, earlier)) = marks.split_last() else {
        return Some(first.clone());
    };
    let rest = groups.get(1..)?;
    let (fraction, middle) = rest.split_last()?;
    // One mark throughout: "1,234.567,8" is no number in any country.
    let same = |mark: char, marks: &[char]| marks.iter().all(|&m| m == mark);
    let of_three = |groups: &[String]| {
        (1..=3).contains(&first.len())
            && !(first.starts_with('0'))
            && groups.iter().all(|group| group.len() == 3)
    };
    // 12,34,567 in lakh and crore.
    let indian = |groups: &[String]| {
        groups.split_last().is_some_and(|(last, pairs)| {
            last.len() == 3
                && !pairs.is_empty()
                && (1..=2).contains(&first.len())
                && pairs.iter().all(|pair| pair.len() == 2)
        })
    };
    let joined = |groups: &[String]| format!("{first}{}", groups.concat());
    let decimal = |groups: &[String]| Some(format!("{}.{fraction}", joined(groups)));
    if earlier.is_empty() {
        return match last {
            '.' => Some(format!(
                "{}.{fraction}",
                if first.is_empty() { "0" } else { first }
            )),
            // Thousands first: "1,234" is written for 1234 far more often than for 1.234.
            ',' if of_three(rest) => Some(joined(rest)),
            // A decimal comma, as nothing else fits.
            ',' => decimal(middle),
            _ if of_three(rest) => Some(joined(rest)),
            _ => None,
        };
    }
    let grouping = *earlier.first()?;
    if same(grouping, marks) {
        let fits = of_three(rest) || grouping == ',' && indian(rest);
        return fits.then(|| joined(rest));
    }
    let fits = same(grouping, earlier) && (of_three(middle) || grouping == ',' && indian(middle));
    match (grouping, last) {
        (',', '.') | ('.', ',') if fits => decimal(middle),
        ('\'' | ' ' | NARROW | '_', '.' | ',') if fits => decimal(middle),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators() {
        let cases = [
            ("1250", Some(1250.0)),
            ("1,250", Some(1250.0)),
            ("1,250.5", Some(1250.5)),
            ("1.250,5", Some(1250.5)),
            ("1.234.567", Some(1_234_567.0)),
            ("1 250", Some(1250.0)),
            ("1 250 000,5", Some(1_250_000.5)),
            ("1'250", Some(1250.0)),
            ("1_000", Some(1000.0)),
            ("12,5", Some(12.5)),
            ("12,50", Some(12.5)),
            ("1,57", Some(1.57)),
            ("0,125", Some(0.125)),
            ("1000,99", Some(1000.99)),
            ("1.250", Some(1.25)),
            (".5", Some(0.5)),
            ("12,34,567", Some(1_234_567.0)),
            ("12,34,567.5", Some(1_234_567.5)),
            ("1,2,3", None),
            ("1.2.3", None),
            ("1,2345,678", None),
            ("12,345,6", None),
        ];
        for (text, want) in cases {
            let run = Run::at(&Chars::plain(text), 0);
            let value = run.decimal.and_then(|text| text.parse::<f64>().ok());
            assert_eq!((value, run.to), (want, text.len()), "{text}");
        }
        // Two numbers, not one.
        for text in ["2019 250", "12 34", "0 125"] {
            assert_ne!(Run::at(&Chars::plain(text), 0).to, text.len(), "{text}");
        }
    }
}
