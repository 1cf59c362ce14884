//! "The answer is B": letters that follow a phrase.
//!
//! The last announcement counts, because a model that reasons corrects itself: "the answer is B. No, the answer is C".

use super::published::is_word;
use super::shape::letter_word;
use crate::letters::LetterSet;
use crate::span::{after, before, cut};

/// Words after a capital A or I that show that it is a letter and not an article or a pronoun.
const AFTER_LETTER: [&str; 18] = [
    "is", "are", "was", "and", "or", "because", "since", "as", "given", "due", "for", "but",
    "which", "where", "when", "based", "per", "with",
];

/// The letters after a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// Letters.
    Letters(LetterSet),
    /// Letters joined by "or": the answer is undecided.
    Open,
}

/// The letters after the last phrase that is followed by letters.
///
/// A phrase is answer, final answer, final choice, correct option, correct choice, 答案, 选, 选择 or 选项,
/// then "is", ":" or nothing. Without such a phrase, the word "option" or "choice" before a letter
/// counts, provided that every such mention in the text names the same letters: a model that
/// discusses all options has not chosen the one it mentions last.
pub(super) fn after_phrase(text: &str) -> Option<Said> {
    let mut strong = None;
    let mut weak: Option<Said> = None;
    let mut weak_differs = false;
    for (end, is_strong) in phrases(text) {
        let Some(said) = letters_at(text, end) else {
            continue;
        };
        if is_strong {
            strong = Some(said);
        } else {
            weak_differs |= weak.is_some_and(|known| known != said);
            weak = Some(said);
        }
    }
    strong.or(weak.filter(|_| !weak_differs))
}

/// Every phrase of the text: where it ends, and whether it announces an answer.
fn phrases(text: &str) -> impl Iterator<Item = (usize, bool)> {
    let mut previous = "";
    let mut words = Words { text, at: 0 };
    std::iter::from_fn(move || {
        loop {
            let (word, end) = words.next()?;
            let announces = matches!(previous, "correct" | "final" | "right" | "best");
            let lower = word.to_ascii_lowercase();
            let found = match lower.as_str() {
                "answer" | "answers" | "答案" | "选" | "选择" | "选项" => Some(true),
                "option" | "choice" => Some(announces),
                // "the options are A, B, C, D" makes no choice; "the correct options are A and C"
                // does.
                "options" | "choices" if announces => Some(true),
                _ => None,
            };
            previous = match lower.as_str() {
                "correct" => "correct",
                "final" => "final",
                "right" => "right",
                "best" => "best",
                _ => "",
            };
            if let Some(strong) = found {
                return Some((end, strong));
            }
        }
    })
}

/// Words of the text with the position after each: runs of ASCII letters, and the Chinese phrases,
/// which no space sets off.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = (&'a str, usize);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = after(self.text, self.at);
            let first = rest.chars().next()?;
            for phrase in ["答案", "选择", "选项", "选"] {
                if rest.starts_with(phrase) {
                    self.at += phrase.len();
                    return Some((phrase, self.at));
                }
            }
            if is_word(first) && first != '答' && first != '选' {
                let length = rest
                    .find(|c: char| !is_word(c) || c == '答' || c == '选')
                    .unwrap_or(rest.len());
                self.at += length;
                return Some((before(rest, length), self.at));
            }
            self.at += first.len_utf8();
        }
    }
}

/// The letters directly after a phrase that ends at `end`.
fn letters_at(text: &str, end: usize) -> Option<Said> {
    let mut at = skip(text, end, is_mark);
    for glue in ["is", "are", "was", "是", "为"] {
        let rest = after(text, at);
        if let Some(tail) = rest.strip_prefix(glue)
            && (!glue.is_ascii() || !tail.starts_with(is_word))
        {
            at = skip(text, at + glue.len(), is_mark);
            break;
        }
    }
    let (mut set, mut at) = letter_at(text, at)?;
    let mut open = false;
    // Further letters: "A, C and D".
    while let Some((more, next, or)) = further(text, at) {
        set.insert(more);
        at = next;
        open |= or;
    }
    Some(if open { Said::Open } else { Said::Letters(set) })
}

/// Marks between a phrase and its letters: space, colon, quotes, brackets, emphasis.
fn is_mark(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            ':' | '*' | '"' | '\'' | '“' | '‘' | '(' | '[' | '`' | '=' | '_'
        )
}

fn skip(text: &str, from: usize, what: impl Fn(char) -> bool) -> usize {
    let rest = after(text, from);
    from + rest.find(|c| !what(c)).unwrap_or(rest.len())
}

/// The letters of the word at `at` and where it ends, `None` when it is an ordinary word.
fn letter_at(text: &str, at: usize) -> Option<(LetterSet, usize)> {
    let rest = after(text, at);
    let length = rest
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(rest.len());
    let word = before(rest, length);
    let tail = after(rest, length);
    if word.is_empty() || tail.starts_with(is_word) || tail.starts_with(['\'', '’']) && length == 1
    {
        // A quote after the letter is a closing quote and not an apostrophe unless a letter
        // follows.
        let mut quoted = tail.chars().skip(1);
        if word.is_empty() || tail.starts_with(is_word) || quoted.next().is_some_and(is_word) {
            return None;
        }
    }
    let set = letter_word(word)?;
    let lower = word.chars().all(|c| c.is_ascii_lowercase());
    let article = matches!(word, "A" | "I") || lower;
    let next = next_lower_word(tail);
    let reads_on = next.is_some_and(|n| lower || !AFTER_LETTER.contains(&n));
    (!(article && reads_on)).then_some((set, at + length))
}

/// The word that follows after blanks, when it begins with a lower-case letter.
fn next_lower_word(tail: &str) -> Option<&str> {
    let trimmed = tail.trim_start_matches([' ', '\t']);
    if trimmed.len() == tail.len() {
        return None;
    }
    let length = trimmed
        .find(|c: char| !c.is_alphabetic())
        .unwrap_or(trimmed.len());
    let word = before(trimmed, length);
    word.chars()
        .next()
        .filter(|c| c.is_lowercase())
        .map(|_| word)
}

/// A separator and a further letter at `at`: its set, where it ends, and whether "or" joined it.
fn further(text: &str, at: usize) -> Option<(LetterSet, usize, bool)> {
    let closed = skip(text, at, |c| {
        matches!(c, ')' | ']' | '"' | '\'' | '”' | '’' | '*' | '`')
    });
    let blank = skip(text, closed, |c| matches!(c, ' ' | '\t'));
    let comma = skip(text, blank, |c| {
        matches!(c, ',' | ';' | '&' | '/' | '、' | '，' | '和')
    });
    let mut next = skip(text, comma, |c| matches!(c, ' ' | '\t'));
    let mut joined = comma > blank;
    let mut or = false;
    for (word, is_or) in [("and", false), ("or", true), ("或", true)] {
        if let Some(tail) = after(text, next).strip_prefix(word)
            && (!word.is_ascii() || !tail.starts_with(is_word))
        {
            next = skip(text, next + word.len(), |c| matches!(c, ' ' | '\t'));
            (joined, or) = (true, is_or);
            break;
        }
    }
    if !joined {
        return None;
    }
    let start = skip(text, next, |c| {
        matches!(c, '(' | '[' | '"' | '\'' | '“' | '‘' | '*' | '`')
    });
    let (set, end) = letter_at(text, start)?;
    cut(text, start, end)
        .chars()
        .all(|c| c.is_ascii_uppercase())
        .then_some((set, end, or))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_and_letters() {
        let letters = |text: &str| Some(Said::Letters(text.chars().collect()));
        let cases = [
            ("Answer: B", letters("B")),
            ("answer: a", letters("A")),
            ("The answer is C.", letters("C")),
            ("The correct answer is **A, C and D**", letters("ACD")),
            ("Final answer: (B)", letters("B")),
            ("Final choice = ACD", letters("ACD")),
            ("option D is correct", letters("D")),
            ("the answer is A because of x", letters("A")),
            ("Answer: A company should sell", None),
            ("the answer is a single letter", None),
            ("Answer: I would say B", None),
            ("Answer: I'm sure", None),
            ("Answer: NPV is higher", None),
            ("Option A is wrong. Option B is right", None),
            (
                "option A fails, option B fails, so the answer is C",
                letters("C"),
            ),
            ("The answer is A or B", Some(Said::Open)),
            ("选B", letters("B")),
            ("答案:C", letters("C")),
            ("正确答案是 A、C", letters("AC")),
            ("other options; only the answer", None),
            ("answer is 'B'", letters("B")),
            ("answer: \"B\".", letters("B")),
            ("Answer: B\nAnswer: C", letters("C")),
            ("Answers: A, C", letters("AC")),
            ("The correct options are A and C.", letters("AC")),
            ("The options are A, B, C and D", None),
        ];
        for (text, want) in cases {
            assert_eq!(after_phrase(text), want, "{text}");
        }
    }
}
