//! Letter rules of published evaluators, including their errors.
//!
//! BizCompass has three different rules; they disagree with each other and with a human reader.
//! They are implemented to reproduce published numbers, and only the profile `authors` uses them.

use crate::letters::LetterSet;

/// The rule of BizCompass's evaluator: upper-case everything, take the first A, B, C or D that
/// occurs anywhere.
///
/// "Answer: B" gives A (from "ANSWER") and "Cannot say" gives C.
///
/// ```
/// use qa_scoring::extract::published::evaluator_letter;
/// assert_eq!(evaluator_letter("Answer: B"), Some('A'));
/// assert_eq!(evaluator_letter("Cannot say"), Some('C'));
/// ```
#[must_use]
pub fn evaluator_letter(text: &str) -> Option<char> {
    text.chars()
        .flat_map(char::to_uppercase)
        .find(|c| ('A'..='D').contains(c))
}

/// The rule of BizCompass's API inference: the first capital A to D anywhere, inside words too.
#[must_use]
pub fn api_letter(text: &str) -> Option<char> {
    text.chars().find(|c| ('A'..='D').contains(c))
}

/// The rule of BizCompass's local inference: capitals A to D that stand alone as words.
///
/// A single-choice item takes the first, a multiple-choice item all of them; repeats are kept as
/// in the source, although scoring reads them as a set.
///
/// ```
/// use qa_scoring::extract::published::local_letters;
/// assert_eq!(local_letters("A or C, not Bond"), ['A', 'C']);
/// ```
#[must_use]
pub fn local_letters(text: &str) -> Vec<char> {
    let mut found = Vec::new();
    let mut previous_is_word = false;
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let next_is_word = letters.peek().is_some_and(|&n| is_word(n));
        if ('A'..='D').contains(&c) && !previous_is_word && !next_is_word {
            found.push(c);
        }
        previous_is_word = is_word(c);
    }
    found
}

/// Whether `c` is part of a word in Python's sense.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The letters of [`local_letters`] as a set.
#[must_use]
pub fn local_set(text: &str) -> LetterSet {
    local_letters(text).into_iter().collect()
}
