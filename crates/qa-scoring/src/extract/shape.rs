//! Texts that consist of option letters only.
//!
//! Such a text needs no phrase that announces an answer. What may stand between letters is listed in one place, so that
//! all rules of [`letters`](super::letters()) accept the same forms.

use crate::letters::LetterSet;
use crate::span::{after, before};
use regex::{Match, Regex};
use reply_text::cut::tail;
use std::borrow::Cow;
use std::sync::LazyLock;

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
/// (`ACD`). "and" separates; "or" does not, because it leaves open what is meant. "Only" may stand behind the letters.
pub(super) fn only_letters(text: &str) -> Option<LetterSet> {
    // "A: B" is an answer behind the short form of its word, as in "Q: .. A: ..", and not two letters.
    let named = text.trim_start().strip_prefix("A:");
    let text = named
        .filter(|rest| rest.contains(|c: char| c.is_ascii_alphabetic()))
        .unwrap_or(text);
    // Not "I only", which is a Roman number.
    let text = text
        .trim_end_matches(separates)
        .strip_suffix(" only")
        .filter(|rest| !rest.ends_with('I'))
        .unwrap_or(text);
    let mut set = LetterSet::EMPTY;
    let mut word = String::new();
    // Whether the last word was the Spanish "y", which may also be a variable: "C(y)".
    let mut is_joined = false;
    // A separator at the end, so that the last word is closed like the others.
    for c in text.chars().chain([' ']) {
        if c.is_ascii_alphabetic() {
            word.push(c);
            // No run of letters is longer, and a long word need not be collected.
            if word.len() > 26 {
                return None;
            }
        } else if separates(c) {
            if is_and(&word) && (word != "y" || !set.is_empty()) {
                is_joined = word == "y";
            } else if !word.is_empty() {
                set.insert(letter_word(&word)?);
                is_joined = false;
            }
            word.clear();
        } else {
            return None;
        }
    }
    (!set.is_empty() && !is_joined).then_some(set)
}

/// Whether a word joins the letters of an answer, in English, German, French or Spanish.
pub(super) fn is_and(word: &str) -> bool {
    // Not the Italian and Portuguese "e", which is an option in small.
    matches!(word, "and" | "und" | "et" | "y")
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

/// What stands behind the number of a line in a list, "12. " or "3) "; `None` if the line does not begin with one.
pub(crate) fn behind_number(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = rest
        .strip_prefix(['.', ')'])
        .filter(|_| rest.len() < line.len())?;
    // "12.5" and "12." are numbers themselves.
    let is_number = text.trim().is_empty() || text.starts_with(|c: char| c.is_ascii_digit());
    (!is_number).then_some(text)
}

/// A line without the mark of a list, a quotation or a heading before it, and without the word "option".
pub(super) fn unlisted(line: &str) -> &str {
    let line = line
        .trim()
        .trim_start_matches(['-', '•', '>', '#', '+'])
        .trim_start();
    let bare = line.trim_start_matches('*');
    [
        "option ",
        "choice ",
        "options ",
        "choices ",
        "statement ",
        "statements ",
    ]
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
    let words: Vec<String> = with_boxes(text)
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
        if is_right(verdict)? {
            right.insert(set);
        }
        pairs += 1;
        all.insert(set);
    }
    // Each option once.
    (pairs > 1 && all.len() == pairs && !right.is_empty()).then_some(right)
}

/// Whether a word or sign calls an option right; `None` for any other word.
pub(super) fn is_right(verdict: &str) -> Option<bool> {
    // Some signs are followed by the selector of their coloured form, which is not seen.
    match verdict.to_lowercase().trim_end_matches('\u{fe0f}') {
        "true" | "correct" | "right" | "yes" | "✅" | "✓" | "✔" | "☑" => Some(true),
        "false" | "incorrect" | "wrong" | "no" | "❌" | "✗" | "✘" | "✖" | "☐" => {
            Some(false)
        }
        _ => None,
    }
}

/// A text with signs for its boxes: an empty one holds a blank, and the x of a full one would be read as a letter.
fn with_boxes(text: &str) -> String {
    text.replace("[ ]", "☐")
        .replace("[x]", "☑")
        .replace("[X]", "☑")
}

/// A verdict on one option at the beginning of a line or a clause: "B. Correct, because ..", "C is wrong", "☑ D) ..".
static VERDICT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let letter = r"\**\(?([A-J])\)?\**";
    let sign = "✅|✓|✔|☑|❌|✗|✘|✖|☐";
    let word = "(?i:true|correct|right|false|incorrect|wrong)";
    let before = r"^[-*•>\s]*";
    Regex::new(&format!(
        r"(?m)(?:{before}|[.;,]\s+)(?:(?i:option|choice|statement)\s+)?{letter}\s*(?:[.:)=–—-]+|(is)\b(?:\s+also\b)?)[*\s]*(?:({sign})|({word})\b)|{before}({sign})\u{{fe0f}}?[ \t]*{letter}[.:)]"
    ))
    .ok()
});

/// The letters of the options that a text calls right, where it explains for one option after the other why it is right or
/// wrong. `None` if it does so for fewer than two, for one of them twice, or for some options of a list only.
pub(super) fn explained_verdicts(text: &str) -> Option<LetterSet> {
    let text = with_boxes(text);
    let (mut right, mut all) = (LetterSet::EMPTY, LetterSet::EMPTY);
    let mut count = 0;
    for found in VERDICT.as_ref()?.captures_iter(&text) {
        let part = |places: &[usize]| places.iter().find_map(|place| found.get(*place));
        let (letter, verdict) = (part(&[1, 6])?, part(&[3, 4, 5])?);
        // A word behind which the sentence goes on may belong to the text of the option: "A. Correct pricing".
        // Behind "is" it goes on with the verdict, "C is correct too", unless that is a case or a reservation, "C is
        // correct but off the point". Not "C is wrong but close" and "C is correct but D is wrong".
        let rest = after(&text, verdict.end()).trim_start_matches(['*', ' ']);
        let begins = |words: &[&str]| words.iter().any(|word| rest.starts_with(word));
        let is_reserved = is_right(verdict.as_str())?
            && rest.strip_prefix("but ").is_some_and(|other| {
                let other = other.trim_start_matches("option ");
                let other = other
                    .split(|c: char| !c.is_alphanumeric())
                    .find(|word| !word.is_empty());
                !other.is_some_and(|word| matches!(word.as_bytes(), [b'A'..=b'J']))
            });
        let goes_on = if found.get(2).is_some() {
            !is_reserved && !begins(&["if ", "only ", "when ", "unless "])
        } else {
            begins(&["because", "since", "as ", "given"])
        };
        let is_verdict =
            found.get(4).is_none() || !rest.starts_with(char::is_alphanumeric) || goes_on;
        if !is_verdict || rest.starts_with('?') || is_case(&text, found.get(0)?) {
            continue;
        }
        let set = letter_word(letter.as_str())?;
        if is_right(verdict.as_str())? {
            right.insert(set);
        }
        all.insert(set);
        count += 1;
    }
    let listed: LetterSet = text
        .lines()
        .filter_map(|line| opening_letter(unlisted(line))?.single())
        .collect();
    let whole = listed.iter().all(|letter| all.contains(letter));
    (count > 1 && all.len() == count && whole && !right.is_empty()).then_some(right)
}

/// Whether the sentence before a verdict behind a comma makes it a case: "If rates rise, B is correct".
fn is_case(text: &str, verdict: Match<'_>) -> bool {
    // A bound, since a reply may be one sentence with many verdicts.
    let head = tail(before(text, verdict.start()), 200);
    let sentence = head.rsplit(['.', ';', '\n']).next().unwrap_or_default();
    verdict.as_str().starts_with(',')
        && sentence.split(|c: char| !c.is_alphanumeric()).any(|word| {
            matches!(
                word.to_ascii_lowercase().as_str(),
                "if" | "otherwise" | "unless" | "when" | "whether" | "suppose" | "assuming"
            )
        })
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
            ("A y C", "A,C"),
            ("A only.", "A"),
            ("A and C only", "A,C"),
        ];
        for (text, want) in cases {
            let got = only_letters(text).map(|set| set.to_string());
            assert_eq!(got.as_deref(), Some(want), "{text}");
        }
        for text in [
            "",
            " ",
            "A or B",
            "I only",
            "only",
            "A_B",
            "A1",
            "ad",
            "AA",
            "NPV",
            "A-B",
            "none",
            "A good one",
            "C(y)",
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
