//! Options written as one text.

use crate::span::{after, before};

/// Splits "A. first B. second" or the same over several lines into its options.
///
/// Letters must come in order from A, each with a full stop, a closing bracket or a colon, at the
/// start or after white space; the first mark that fits counts. `None` when fewer than two are found.
///
/// ```
/// use qa_scoring::load::split_options;
/// let options = split_options("A. rises, i.e. more B. falls\nC) stays");
/// assert_eq!(options, Some(["rises, i.e. more", "falls", "stays"].map(String::from).to_vec()));
/// assert_eq!(split_options("rises or falls"), None);
/// ```
#[must_use]
pub fn split_options(text: &str) -> Option<Vec<String>> {
    let mut marks = Vec::new();
    let mut from = 0;
    for letter in 'A'..='Z' {
        let Some(start) = mark(text, letter, from) else {
            break;
        };
        marks.push(start);
        from = start + 2;
    }
    cut_at(text, &marks)
}

/// Splits options whose marks after the first lost their capital and their space, "A. I onlyb. II
/// onlyc. bothd. neither", as in four of FRM's records. Only B, C and D are recognised: words that
/// end in other letters and a full stop are too common.
pub(super) fn split_glued_options(text: &str) -> Option<Vec<String>> {
    let mut marks = vec![mark(text, 'A', 0)?];
    for letter in ['b', 'c', 'd'] {
        let from = marks.last()? + 2;
        let start = after(text, from)
            .match_indices(letter)
            .map(|(at, _)| from + at)
            .find(|&at| {
                after(text, at + 1).starts_with(". ")
                    && before(text, at).ends_with(|c: char| c.is_alphanumeric() || c == '.')
            })?;
        marks.push(start);
    }
    cut_at(text, &marks)
}

/// The texts after each mark, which is two bytes long.
fn cut_at(text: &str, marks: &[usize]) -> Option<Vec<String>> {
    // Text before A belongs to the question, or A is not a mark.
    if marks.len() < 2 || !before(text, *marks.first()?).trim().is_empty() {
        return None;
    }
    let ends = marks.iter().skip(1).copied().chain([text.len()]);
    Some(
        marks
            .iter()
            .zip(ends)
            .map(|(&start, to)| {
                text.get(start + 2..to)
                    .unwrap_or_default()
                    .trim()
                    .to_owned()
            })
            .collect(),
    )
}

/// Start of the mark of `letter` at or after `from`.
fn mark(text: &str, letter: char, from: usize) -> Option<usize> {
    after(text, from)
        .match_indices(letter)
        .map(|(at, _)| from + at)
        .find(|&at| {
            before(text, at)
                .chars()
                .next_back()
                .is_none_or(char::is_whitespace)
                && after(text, at + 1).starts_with(['.', ')', ':'])
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glued_marks() {
        let options = split_glued_options("A. I onlyb. II onlyc. I, IId. none").unwrap();
        assert_eq!(options, ["I only", "II only", "I, II", "none"]);
        assert_eq!(split_glued_options("A. I only b II"), None);
        assert_eq!(split_options("A.x B.y").unwrap(), ["x", "y"]);
    }
}
