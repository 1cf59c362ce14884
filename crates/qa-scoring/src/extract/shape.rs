//! Texts that consist of option letters only.
//!
//! Such a text needs no phrase that announces an answer. What may stand between letters is listed in one place, so that
//! all rules of [`letters`](super::letters()) accept the same forms.

use crate::letters::LetterSet;
use crate::span::after;
use std::borrow::Cow;

/// Option letters that a run of capitals may spell; a run with any other letter is a word.
const RUN: std::ops::RangeInclusive<char> = 'A'..='J';

/// Full-width characters replaced by their ASCII equivalents; all others unchanged.
pub(super) fn folded(text: &str) -> Cow<'_, str> {
    let is_wide = |c: char| matches!(u32::from(c), 0xFF01..=0xFF5E | 0x3000);
    if text.is_ascii() || !text.contains(is_wide) {
        return Cow::Borrowed(text);
    }
    text.chars()
        .map(|c| match u32::from(c) {
            code @ 0xFF01..=0xFF5E => char::from_u32(code - 0xFEE0).unwrap_or(c),
            0x3000 => ' ',
            _ => c,
        })
        .collect()
}

/// Whether `c` may separate letters in an answer that consists of letters only.
fn separates(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            ',' | ';'
                | '/'
                | '&'
                | '、'
                | '，'
                | '。'
                | '.'
                | '('
                | ')'
                | '['
                | ']'
                | '{'
                | '}'
                | '*'
                | '"'
                | '\''
                | '“'
                | '”'
                | '‘'
                | '’'
                | ':'
                | '`'
                | '和'
        )
}

/// The letters of a text that consists of option letters and separators only, `None` when anything
/// else is in it or no letter is.
///
/// A single letter may be of either case; a run of two or more must be capitals A to J, each once
/// (`ACD`). "and" separates; "or" does not, because it leaves open what is meant.
pub(super) fn only_letters(text: &str) -> Option<LetterSet> {
    let mut set = LetterSet::EMPTY;
    let mut word = String::new();
    // A separator at the end, so that the last word is closed like the others.
    for c in text.chars().chain([' ']) {
        if c.is_ascii_alphabetic() {
            word.push(c);
            // No run of letters is longer, and a long word need not be collected.
            if word.len() > 26 {
                return None;
            }
        } else if separates(c) {
            if !word.is_empty() && word != "and" {
                set.insert(letter_word(&word)?);
            }
            word.clear();
        } else {
            return None;
        }
    }
    (!set.is_empty()).then_some(set)
}

/// The lines of a list that is numbered from 1, without their numbers; `None` for any other text.
pub(super) fn unnumbered(text: &str) -> Option<String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let lines: Option<Vec<&str>> = lines
        .enumerate()
        .map(|(place, line)| {
            let rest = line.trim_start().strip_prefix(&(place + 1).to_string())?;
            rest.strip_prefix(['.', ')'])
        })
        .collect();
    lines
        .filter(|lines| lines.len() > 1)
        .map(|lines| lines.join("\n"))
}

/// A line without the mark of a list, a quotation or a heading before it, and without the word "option".
pub(super) fn unlisted(line: &str) -> &str {
    let line = line
        .trim()
        .trim_start_matches(['-', '•', '>', '#', '+'])
        .trim_start();
    let bare = line.trim_start_matches('*');
    ["option ", "choice ", "options ", "choices "]
        .iter()
        .find_map(|word| {
            bare.get(..word.len())
                .filter(|start| start.eq_ignore_ascii_case(word))
                .map(|_| after(bare, word.len()))
        })
        .unwrap_or(line)
}

/// "C) ..", "A. ..", "B: .." with or without emphasis and brackets.
pub(super) fn opening_letter(line: &str) -> Option<LetterSet> {
    let line = line.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '*' | '(' | '[' | '"' | '`' | '#')
    });
    let mut letters = line.chars();
    let letter = letters.next().filter(char::is_ascii_uppercase)?;
    let rest = after(line, 1).trim_start_matches(['*', '`', ' ']);
    // "B... no, C"
    (rest.starts_with([')', '.', ':']) && !rest.starts_with(".."))
        .then(|| LetterSet::of_letter(letter))
}

/// The letters of the options that a text calls right, where all of it calls one option after the other right or wrong: "A:
/// true", "✅ B", "A ❌ B ✅". `None` for any other text.
pub(super) fn verdicts(text: &str) -> Option<LetterSet> {
    let (mut right, mut all) = (LetterSet::EMPTY, LetterSet::EMPTY);
    let mut pairs = 0;
    let marks = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                ':' | '*' | '(' | ')' | '.' | ',' | ';' | '-' | '–' | '=' | '|'
            )
    };
    // Before the text is split: an empty box holds a blank, and the x of a full one would be read
    // as a letter.
    let boxes = text
        .replace("[ ]", "☐")
        .replace("[x]", "☑")
        .replace("[X]", "☑");
    let words: Vec<String> = boxes
        .lines()
        .flat_map(|line| unlisted(line).split(marks))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    for pair in words.chunks(2) {
        let [one, other] = pair else {
            return None;
        };
        let (letter, verdict) = if one.len() == 1 {
            (one, other)
        } else {
            (other, one)
        };
        let set = letter_word(letter).filter(|_| letter.len() == 1)?;
        // Some signs are followed by the selector of their coloured form, which is not seen.
        match verdict.trim_end_matches('\u{fe0f}') {
            "true" | "correct" | "right" | "yes" | "✅" | "✓" | "✔" | "☑" => {
                right.insert(set);
            }
            "false" | "incorrect" | "wrong" | "no" | "❌" | "✗" | "✘" | "✖" | "☐" => {}
            _ => return None,
        }
        pairs += 1;
        all.insert(set);
    }
    // Each option once.
    (pairs > 1 && all.len() == pairs && !right.is_empty()).then_some(right)
}

/// The letters that a word of ASCII letters spells, `None` when it is an ordinary word.
pub(super) fn letter_word(word: &str) -> Option<LetterSet> {
    if word.len() == 1 {
        return word.chars().next().map(LetterSet::of_letter);
    }
    let set: LetterSet = word.chars().collect();
    // Each once: "DAD" or "BEE" are words though their letters are options.
    (word.chars().all(|c| RUN.contains(&c)) && set.len() == word.len()).then_some(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        let cases = [
            ("A", "A"),
            ("b", "B"),
            ("**C**", "C"),
            ("A, b and D", "A,B,D"),
            ("ACD", "A,C,D"),
            ("B.\nC.", "B,C"),
            ("(A)/(B)", "A,B"),
            ("A和C", "A,C"),
            ("{A, C}", "A,C"),
        ];
        for (text, want) in cases {
            let got = only_letters(text).map(|set| set.to_string());
            assert_eq!(got.as_deref(), Some(want), "{text}");
        }
        for text in [
            "",
            " ",
            "A or B",
            "A_B",
            "A1",
            "ad",
            "AA",
            "NPV",
            "A-B",
            "none",
            "A good one",
        ] {
            assert_eq!(only_letters(text), None, "{text}");
        }
        assert_eq!(folded("Ａ（Ｂ）"), "A(B)");
        let read = |text: &str| verdicts(text).map(|set| set.to_string());
        for (text, want) in [
            ("A: true\nB: false\nC: true\nD: false", Some("A,C")),
            ("- ✅ A\n- ❌ B", Some("A")),
            ("[x] A\n[ ] B\n- [X] C\n- [ ] D", Some("A,C")),
            ("☑ A\n☐ B", Some("A")),
            ("**A** - incorrect\n**B** - correct", Some("B")),
            ("A: true", None),
            ("A: true\nA: false", None),
            ("A: false\nB: false", None),
            ("A: true\nB: maybe", None),
            ("A: true\nSo B.", None),
        ] {
            assert_eq!(read(text).as_deref(), want, "{text}");
        }
    }
}
