//! Mutations of text: lines, numbers, words and single bytes.

use super::LONGEST;
use sim_core::seed::Stream;

const ODD: [&str; 30] = [
    "",
    " ",
    "\0",
    "\u{7}\u{1b}[31m",
    "\r",
    "\n",
    "\r\n",
    "\t",
    "\u{feff}",
    "\u{202e}",
    "\u{301}",
    "\u{1F980}\u{200d}\u{1F980}",
    "ß",
    "İ",
    "１２",
    "=1+1",
    "@x",
    "../x",
    "NaN",
    "inf",
    "-",
    "1e999",
    "true",
    "null",
    "{{",
    "}}",
    "\\",
    "\"",
    "%s%n",
    "'; --",
];

const NUMBERS: [&str; 20] = [
    "0",
    "-1",
    "-0",
    "1",
    "2",
    "3",
    "0.5",
    "1e308",
    "1e999",
    "nan",
    "inf",
    "255",
    "2147483648",
    "4294967295",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1000000",
];

/// A piece of text that nobody expects.
pub(super) fn odd_text(chance: &mut Stream) -> String {
    let odd = chance.pick(&ODD).copied().unwrap_or_default();
    match chance.below(12) {
        0 => odd.repeat(300),
        1 => "x".repeat(*chance.pick(&[65, 300, 5_000, 100_000]).unwrap_or(&65)),
        2 => "a.".repeat(200),
        _ => odd.to_owned(),
    }
}

/// The text up to a place that is drawn.
pub(super) fn truncated(chance: &mut Stream, text: &str) -> String {
    let wanted = chance.index(text.len().max(1));
    text.get(..near(text, wanted))
        .unwrap_or_default()
        .to_owned()
}

/// The next place at which a character begins.
fn near(text: &str, mut at: usize) -> usize {
    while at < text.len() && !text.is_char_boundary(at) {
        at += 1;
    }
    at.min(text.len())
}

/// A mutation of `text`; `others` are texts of the same kind.
pub(super) fn mutate(chance: &mut Stream, text: &str, others: &[Vec<u8>]) -> Vec<u8> {
    let mut text = text.to_owned();
    for _ in 0..chance.geometric(0.5).min(5) {
        text = once(chance, &text, others);
        text.truncate(near(&text, LONGEST));
    }
    let mut bytes = text.into_bytes();
    // All mutations above keep the text valid UTF-8. A flipped bit may break it, and few of them
    // do: a reader that refuses such bytes says nothing about what it does with the text.
    if chance.chance(0.04) && !bytes.is_empty() {
        let at = chance.index(bytes.len());
        let bit = 1_u8 << chance.below(8);
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= bit;
        }
    }
    bytes
}

/// Number of repetitions of a piece of `length` bytes: one of `options`, but at most [`LONGEST`] bytes in
/// all.
fn times(chance: &mut Stream, options: &[usize], length: usize) -> usize {
    let most = LONGEST / length.max(1);
    chance.pick(options).copied().unwrap_or(1).min(most).max(1)
}

fn once(chance: &mut Stream, text: &str, others: &[Vec<u8>]) -> String {
    match chance.below(16) {
        0..5 => other_number(chance, text),
        5..8 => other_line(chance, text),
        8 => {
            let (from, to) = range(chance, text);
            format!("{}{}", before(text, from), after(text, to))
        }
        9 => {
            let (from, to) = range(chance, text);
            let times = times(chance, &[1, 2, 50], to - from);
            let piece = text.get(from..to).unwrap_or_default().repeat(times);
            format!("{}{piece}{}", before(text, to), after(text, to))
        }
        10 => spliced(chance, text, others),
        11 => truncated(chance, text),
        12 => nested(chance, text),
        _ => {
            let wanted = chance.index(text.len() + 1);
            let at = near(text, wanted);
            format!(
                "{}{}{}",
                before(text, at),
                odd_text(chance),
                after(text, at)
            )
        }
    }
}

fn before(text: &str, at: usize) -> &str {
    text.get(..at).unwrap_or_default()
}

fn after(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

/// A short range.
fn range(chance: &mut Stream, text: &str) -> (usize, usize) {
    let start = chance.index(text.len().max(1));
    let from = near(text, start);
    let longest = *chance.pick(&[1, 4, 16, 80]).unwrap_or(&4);
    let length = 1 + chance.index(longest);
    (
        from,
        near(text, from.saturating_add(length).min(text.len())),
    )
}

/// Where the numbers of a text stand.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_ascii_digit() || c == '.', start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn other_number(chance: &mut Stream, text: &str) -> String {
    let found = numbers(text);
    let Some((from, to)) = chance.pick(&found).copied() else {
        return other_line(chance, text);
    };
    let new = if chance.chance(0.5) {
        chance.pick(&NUMBERS).copied().unwrap_or("0").to_owned()
    } else {
        chance.between(0, 20).to_string()
    };
    format!("{}{new}{}", before(text, from), after(text, to))
}

fn other_line(chance: &mut Stream, text: &str) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.is_empty() {
        return text.to_owned();
    }
    let (one, other) = (chance.index(lines.len()), chance.index(lines.len()));
    match chance.below(4) {
        0 => {
            lines.remove(one);
        }
        1 => lines.swap(one, other),
        2 => {
            let line = lines.get(one).copied().unwrap_or_default();
            lines.insert(other, line);
        }
        _ => {
            let line = lines.get(one).copied().unwrap_or_default();
            let times = times(chance, &[2, 30, 400], line.len());
            lines.splice(one..one, std::iter::repeat_n(line, times));
        }
    }
    lines.concat()
}

fn spliced(chance: &mut Stream, text: &str, others: &[Vec<u8>]) -> String {
    let Some(other) = chance.pick(others) else {
        return text.to_owned();
    };
    let other = String::from_utf8_lossy(other);
    let (cut, from) = (chance.index(text.len() + 1), chance.index(other.len() + 1));
    format!(
        "{}{}",
        before(text, near(text, cut)),
        after(&other, near(&other, from))
    )
}

/// Puts many brackets around or into a text.
fn nested(chance: &mut Stream, text: &str) -> String {
    let (open, close) = *chance
        .pick(&[
            ("(", ")"),
            ("[", "]"),
            ("{", "}"),
            // Prefix operators nest without a closing mark: a parser that recurses on them
            // overflows as on brackets.
            ("!", ""),
            ("-", ""),
            ("\\boxed{", "}"),
        ])
        .unwrap_or(&("(", ")"));
    let depth = *chance.pick(&[10, 128, 1_000, 10_000]).unwrap_or(&10);
    let (from, to) = range(chance, text);
    format!(
        "{}{}{}{}{}",
        before(text, from),
        open.repeat(depth),
        text.get(from..to).unwrap_or_default(),
        close.repeat(depth),
        after(text, to)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::Seed;

    #[test]
    fn numbers_are_found_where_they_stand() {
        assert_eq!(numbers("a 12 b3.5,"), [(2, 4), (6, 9)]);
        assert_eq!(numbers("7"), [(0, 1)]);
        assert_eq!(numbers("none"), []);
    }

    #[test]
    fn any_text_can_be_mutated() {
        for text in ["", "é", "=\n", "a = 1\nb = 2\n"] {
            for k in 0..200 {
                mutate(&mut Seed(4).stream("t", k), text, &[b"other".to_vec()]);
            }
        }
    }
}
