//! Searches text for keys.
//!
//! The text is read unchanged, and then again after each layer of escapes is removed (`\u0073`
//! with any number of backslashes, `\x73`, `\163`, `%73`, `&#115;`, `&#x73;`, `=73`), until
//! none is left. So a key that is escaped in part, or twice, is found. Every character keeps its
//! position in the original text, so that exactly the escapes are masked and the text around them
//! (such as JSON) remains valid.

use super::Scrub;
use super::forms::{Finder, Forms};

/// Most layers of escapes that are removed.
const LAYERS: u32 = 4;

/// Marks a masked part: fragments do not join across it.
const BREAK: u8 = 0;

/// A character and the bytes of the text that encode it.
#[derive(Clone, Copy)]
struct Sign {
    char: char,
    from: usize,
    to: usize,
}

/// The parts of `text` that encode a key, in order and without overlap \[bytes\].
pub(super) fn spans(forms: &Forms, text: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    for key in forms.literals() {
        spans.extend(
            text.match_indices(key)
                .map(|(at, key)| (at, at + key.len())),
        );
    }
    Letters::plain(text).find(forms, text, None, &mut spans);
    if text.contains(['\\', '%', '&', '=', '+']) {
        let mut signs: Vec<Sign> = text
            .char_indices()
            .map(|(from, char)| Sign {
                char,
                from,
                to: from + char.len_utf8(),
            })
            .collect();
        for _ in 0..LAYERS {
            let Some(under) = unescaped(&signs) else {
                break;
            };
            signs = under;
            Letters::of(&signs).find(forms, text, Some(&signs), &mut spans);
        }
    }
    merged(spans)
}

/// `text` with a mark in place of `spans`.
pub(super) fn masked(text: &str, spans: &[(usize, usize)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (from, to) in spans {
        out.push_str(text.get(done..*from).unwrap_or_default());
        out.push_str(Scrub::MARK);
        done = *to;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

pub(super) fn merged(mut spans: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    spans.sort_unstable();
    let mut out: Vec<(usize, usize)> = Vec::new();
    for (from, to) in spans {
        match out.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => out.push((from, to)),
        }
    }
    out
}

/// Letters and digits of a text, with the bytes that encode them.
struct Letters {
    letters: Vec<u8>,
    places: Vec<(usize, usize)>,
}

impl Letters {
    /// Reads a text unchanged.
    fn plain(text: &str) -> Self {
        let mut found = Self {
            letters: Vec::with_capacity(text.len()),
            places: Vec::with_capacity(text.len()),
        };
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if byte.is_ascii_alphanumeric() {
                found.push(*byte, at, at + 1);
            } else if *byte == b'['
                && text
                    .get(at..)
                    .is_some_and(|rest| rest.starts_with(Scrub::MARK))
            {
                found.push(BREAK, at, at + Scrub::MARK.len());
                at += Scrub::MARK.len() - 1;
            }
            at += 1;
        }
        found
    }

    /// Reads a text whose escapes were decoded.
    fn of(signs: &[Sign]) -> Self {
        let mut found = Self {
            letters: Vec::with_capacity(signs.len()),
            places: Vec::with_capacity(signs.len()),
        };
        let mut at = 0;
        while let Some(sign) = signs.get(at) {
            if sign.char.is_ascii_alphanumeric() {
                let letter = u8::try_from(sign.char).unwrap_or(BREAK);
                found.push(letter, sign.from, sign.to);
            } else if sign.char == '[' && says(signs, at, Scrub::MARK) {
                found.push(BREAK, sign.from, sign.to);
                at += Scrub::MARK.len() - 1;
            }
            at += 1;
        }
        found
    }

    fn push(&mut self, letter: u8, from: usize, to: usize) {
        self.letters.push(letter);
        self.places.push((from, to));
    }

    fn find(
        &self,
        forms: &Forms,
        text: &str,
        signs: Option<&[Sign]>,
        spans: &mut Vec<(usize, usize)>,
    ) {
        for Finder { automaton, needles } in [&forms.exact, &forms.folded] {
            for hit in automaton.find_overlapping_iter(&self.letters) {
                let first = self.places.get(hit.start());
                let last = self.places.get(hit.end().wrapping_sub(1));
                let needle = needles.get(hit.pattern().as_usize());
                if let (Some((from, _)), Some((_, to)), Some(needle)) = (first, last, needle) {
                    let (before, behind) = match signs {
                        None => beside(text, *from, *to),
                        Some(signs) => beside_signs(signs, *from, *to),
                    };
                    let from = before.filter(|_| needle.opens).unwrap_or(*from);
                    let to = behind.filter(|_| needle.closes).unwrap_or(*to);
                    spans.push((from, to));
                }
            }
        }
    }
}

fn is_base64(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '+' | '/' | '-' | '_')
}

/// Start and end of the base64 characters next to a part of the text.
fn beside(text: &str, from: usize, to: usize) -> (Option<usize>, Option<usize>) {
    let is_base64 = |at: &usize| {
        let byte = text.as_bytes().get(*at);
        byte.is_some_and(|byte| is_base64(char::from(*byte)))
    };
    let before = from.checked_sub(1).filter(is_base64);
    let behind = Some(to).filter(is_base64).map(|at| at + 1);
    (before, behind)
}

fn beside_signs(signs: &[Sign], from: usize, to: usize) -> (Option<usize>, Option<usize>) {
    let first = signs.partition_point(|sign| sign.from < from);
    let next = signs.partition_point(|sign| sign.from < to);
    let of_base64 = |sign: &&Sign| is_base64(sign.char);
    let before = first.checked_sub(1).and_then(|at| signs.get(at));
    let behind = signs.get(next);
    (
        before.filter(of_base64).map(|sign| sign.from),
        behind.filter(of_base64).map(|sign| sign.to),
    )
}

fn says(signs: &[Sign], at: usize, word: &str) -> bool {
    let rest = signs.get(at..).unwrap_or_default();
    let mut rest = rest.iter().map(|sign| sign.char);
    word.chars().all(|char| rest.next() == Some(char))
}

/// The same without one layer of escapes; `None` when there is no escape.
fn unescaped(signs: &[Sign]) -> Option<Vec<Sign>> {
    let mut out = Vec::with_capacity(signs.len());
    let mut found = false;
    let mut at = 0;
    while let Some(sign) = signs.get(at) {
        let escape = match sign.char {
            '\\' => backslash(signs, at),
            '%' | '=' => number(signs, at + 1, 16, 2, 2),
            '&' => entity(signs, at + 1),
            'U' | 'u' if says(signs, at + 1, "+") => number(signs, at + 2, 16, 4, 6),
            _ => None,
        };
        match escape {
            Some((char, next)) => {
                found = true;
                let last = signs.get(next.saturating_sub(1)).unwrap_or(sign);
                out.push(Sign {
                    char,
                    from: sign.from,
                    to: last.to,
                });
                at = next.max(at + 1);
            }
            None => {
                out.push(*sign);
                at += 1;
            }
        }
    }
    found.then_some(out)
}

/// The character that `least` to `most` digits encode, and the position after them.
fn number(
    signs: &[Sign],
    at: usize,
    base: u32,
    least: usize,
    most: usize,
) -> Option<(char, usize)> {
    let rest = signs.get(at..).unwrap_or_default();
    let mut value = 0_u32;
    let mut count = 0;
    for digit in rest.iter().map_while(|sign| sign.char.to_digit(base)) {
        if count == most {
            break;
        }
        value = value.saturating_mul(base).saturating_add(digit);
        count += 1;
    }
    let char = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
    (count >= least).then_some((char, at + count))
}

/// Decodes an escape after one or more backslashes.
fn backslash(signs: &[Sign], at: usize) -> Option<(char, usize)> {
    let rest = signs.get(at..).unwrap_or_default();
    let row = rest.iter().take_while(|sign| sign.char == '\\').count();
    let at = at + row;
    match signs.get(at)?.char {
        'u' if says(signs, at + 1, "{") => {
            let (char, next) = number(signs, at + 2, 16, 1, 6)?;
            says(signs, next, "}").then_some((char, next + 1))
        }
        'u' => number(signs, at + 1, 16, 4, 4),
        'x' => number(signs, at + 1, 16, 2, 2),
        '0'..='7' => number(signs, at, 8, 3, 3),
        'n' | 'r' | 't' | 'b' | 'f' => Some((' ', at + 1)),
        _ => None,
    }
}

/// Decodes an entity after an ampersand.
fn entity(signs: &[Sign], at: usize) -> Option<(char, usize)> {
    let ended = |(char, next): (char, usize)| {
        let next = if says(signs, next, ";") {
            next + 1
        } else {
            next
        };
        (char, next)
    };
    if says(signs, at, "#x") || says(signs, at, "#X") {
        return number(signs, at + 2, 16, 1, 6).map(ended);
    }
    if says(signs, at, "#") {
        return number(signs, at + 1, 10, 1, 7).map(ended);
    }
    if says(signs, at, "amp;") {
        return Some(('&', at + 4));
    }
    // `&nbsp;`, `&shy;`, `&quot;`: signs that separate.
    let rest = signs.get(at..).unwrap_or_default();
    let name = rest.iter().take(9);
    let length = name
        .take_while(|sign| sign.char.is_ascii_alphabetic())
        .count();
    (length >= 2 && says(signs, at + length, ";")).then_some((' ', at + length + 1))
}
