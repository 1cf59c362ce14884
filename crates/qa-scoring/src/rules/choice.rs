//! One option, if the right one is known by its letter.

use super::number::brace_number;
use crate::python::{digit_value, strip};

const LETTERS: [&str; 6] = ["A", "B", "C", "D", "E", "F"];

/// The label that the benchmark's code makes of an answer: the letter or the place between double
/// brackets (rounded half to even, so 2.5 is the third option), else the whole text as a letter, a
/// place, or an option's text, else the text in upper case, which is then no label.
///
/// `[[nan]]` and a lone superscript digit make the code fail; here they are not a label.
///
/// ```
/// use qa_scoring::rules::choice::authors_label;
/// assert_eq!(authors_label("[[2.5]]", &["w", "x", "y", "z"]), "C");
/// assert_eq!(authors_label("X ", &["w", "x"]), "B");
/// ```
#[must_use]
pub fn authors_label(answer: &str, options: &[&str]) -> String {
    let limit = options.len().min(LETTERS.len());
    let letter = |place: usize| {
        (place < limit)
            .then(|| LETTERS.get(place).map(|l| (*l).to_owned()))
            .flatten()
    };
    if let Some(number) = brace_number(answer).filter(|n| n.is_finite()) {
        let rounded = number.round_ties_even();
        let place = (0..limit).find(|&place| place as f64 == rounded);
        if let Some(label) = place.and_then(letter) {
            return label;
        }
    }
    let text = strip(answer);
    let upper = text.to_uppercase();
    if let Some(place) = LETTERS.iter().take(limit).position(|l| *l == upper) {
        return letter(place).unwrap_or(upper);
    }
    if let Some(label) = whole_number(text).and_then(letter) {
        return label;
    }
    options
        .iter()
        .position(|option| strip(option).to_lowercase() == text.to_lowercase())
        .and_then(letter)
        .unwrap_or(upper)
}

/// The number of a text that is decimal digits throughout.
fn whole_number(text: &str) -> Option<usize> {
    if text.is_empty() {
        return None;
    }
    text.chars().try_fold(0_usize, |value, c| {
        let digit = usize::from(digit_value(c)?);
        value.checked_mul(10)?.checked_add(digit)
    })
}
