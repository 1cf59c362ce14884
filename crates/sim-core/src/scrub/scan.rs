//! Searches text for keys.
//!
//! The text is read as it is, and then again after each layer of escapes was taken off (`\u0073`
//! with any number of backslashes, `\x73`, `\163`, `%73`, `&#115;`, `&#x73;`, `=73`), as long as
//! there is one: a key that is escaped in part, or twice, is found by what it says in the end.
//! Every character remembers where it stands in the text, so that exactly the escapes are masked
//! and the text around them, JSON for one, stays whole.
//!
//! A character and its place take some 65 bytes, so a long text is read in pieces. A key whose
//! letters stand further apart than two pieces overlap can be missed where two pieces meet.

use super::forms::{Finder, Forms, MARK};

/// Most layers of escapes that are removed.
const LAYERS: u32 = 4;

/// Marks a masked part: fragments do not join across it.
const BREAK: u8 = 0;

/// How a long text is cut \[bytes\].
#[derive(Clone, Copy)]
struct Pieces {
    length: usize,
    /// What a piece has in common with the one before it: far more than any form of a key takes.
    overlap: usize,
}

const PIECES: Pieces = Pieces {
    length: 1 << 20,
    overlap: 8 << 10,
};

impl Pieces {
    /// The pieces of `text`, with the place at which each begins.
    fn of(self, text: &str) -> impl Iterator<Item = (usize, &str)> {
        let mut next = Some(0_usize);
        std::iter::from_fn(move || {
            let from = next?;
            let to = boundary(text, from.saturating_add(self.length));
            // A piece is longer than the overlap, so that each one begins behind the one before.
            let behind = boundary(text, to.saturating_sub(self.overlap)).max(from + 1);
            next = (to < text.len()).then(|| boundary(text, behind));
            text.get(from..to).map(|piece| (from, piece))
        })
    }
}

/// The first place at `at` or behind it where a character begins or the text ends.
fn boundary(text: &str, at: usize) -> usize {
    let mut places = at.min(text.len())..=text.len();
    places
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}

/// A character and the bytes of the text that say it.
#[derive(Clone, Copy)]
struct Sign {
    char: char,
    from: usize,
    to: usize,
}

/// The parts of `text` that encode a key, in order and without overlap \[bytes\].
pub(super) fn spans(forms: &Forms, text: &str) -> Vec<(usize, usize)> {
    spans_in(forms, text, PIECES)
}

fn spans_in(forms: &Forms, text: &str, pieces: Pieces) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    for key in forms.literals() {
        spans.extend(
            text.match_indices(key)
                .map(|(at, key)| (at, at + key.len())),
        );
    }
    for (start, piece) in pieces.of(text) {
        // The fragments of a key overlap: what is kept of a piece is one span for each key.
        let found = merged(spans_of_piece(forms, piece));
        spans.extend(found.iter().map(|(from, to)| (start + from, start + to)));
    }
    merged(spans)
}

fn spans_of_piece(forms: &Forms, text: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
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
    spans
}

/// `text` with a mark in place of `spans`.
pub(super) fn masked(text: &str, spans: &[(usize, usize)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (from, to) in spans {
        out.push_str(text.get(done..*from).unwrap_or_default());
        out.push_str(MARK);
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
            } else if *byte == b'[' && text.get(at..).is_some_and(|rest| rest.starts_with(MARK)) {
                found.push(BREAK, at, at + MARK.len());
                at += MARK.len() - 1;
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
            } else if sign.char == '[' && says(signs, at, MARK) {
                found.push(BREAK, sign.from, sign.to);
                at += MARK.len() - 1;
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
                // From each place of a row of backslashes the same follows: it is read once.
                let row = backslashes(signs, at).max(1);
                out.extend(signs.iter().skip(at).take(row));
                at += row;
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

/// How many backslashes follow one another.
fn backslashes(signs: &[Sign], at: usize) -> usize {
    let rest = signs.get(at..).unwrap_or_default();
    let row = rest.iter().take_while(|sign| sign.char == '\\').count();
    #[cfg(test)]
    tests::STEPS.with(|steps| steps.set(steps.get() + row));
    row
}

/// What follows a backslash, or a row of them.
fn backslash(signs: &[Sign], at: usize) -> Option<(char, usize)> {
    let at = at + backslashes(signs, at);
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;
    use std::sync::LazyLock;

    thread_local! {
        /// Backslashes that were looked at.
        pub(super) static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    const KEY: &str = "sk-live-Zb81kQ0pLr7xW2";

    static FORMS: LazyLock<Forms> = LazyLock::new(|| Forms::new([KEY]).unwrap());

    fn steps(text: &str) -> usize {
        STEPS.set(0);
        spans(&FORMS, text);
        STEPS.get()
    }

    #[test]
    fn a_row_of_backslashes_is_read_in_linear_work() {
        for end in ["q", "", "u00zz", "u0041"] {
            let row = |length: usize| "\\".repeat(length) + end;
            let most = |length: usize| 3 * usize::try_from(LAYERS).unwrap() * length;
            for length in [1 << 10, 1 << 12, 1 << 14] {
                let done = steps(&row(length));
                assert!(done <= most(length), "{length} {end}: {done}");
            }
            let done = steps(&row(2 << 20));
            assert!(done <= most(2 << 20), "{end}: {done}");
        }
    }

    #[test]
    fn pieces_cover_a_text_and_overlap() {
        for text in ["", "a", "é", "aé𝄞b", &"é𝄞x".repeat(50)] {
            for (length, overlap) in [(1, 0), (2, 1), (7, 3), (16, 15), (1_000, 10)] {
                let mut covered = 0;
                for (from, piece) in (Pieces { length, overlap }).of(text) {
                    assert!(from <= covered, "{text} {length} {overlap}");
                    assert!(from == 0 || from + piece.len() > covered);
                    covered = from + piece.len();
                }
                assert_eq!(covered, text.len());
            }
        }
    }

    /// The key in a few ways that take their own path through a text.
    fn written(key: &str, way: usize) -> String {
        let each = |written: fn(u8) -> String| key.bytes().map(written).collect();
        match way {
            0 => key.to_owned(),
            1 => each(|b| format!("\\u{b:04x}")),
            2 => each(|b| format!("&#{b};")),
            3 => each(|b| format!("%{b:02X}")),
            4 => each(|b| format!("{} ", char::from(b))),
            _ => base64::Engine::encode(
                &base64::engine::general_purpose::STANDARD,
                format!("k={key}."),
            ),
        }
    }

    proptest! {
        /// Wherever keys stand, also across the border of two pieces.
        #[test]
        fn pieces_give_the_same_mask_as_the_whole(
            parts in proptest::collection::vec((0_usize..700, 0_usize..6), 1..6),
            fill in "[a-z \n.,é<>/\\&=]{1,12}",
        ) {
            let mut text = String::new();
            for (gap, way) in parts {
                text.extend(fill.chars().cycle().take(gap));
                text.push_str(" (");
                text.push_str(&written(KEY, way));
                text.push_str(") ");
            }
            let whole = Pieces { length: usize::MAX, overlap: 0 };
            let pieces = Pieces { length: 1_000, overlap: 400 };
            prop_assert_eq!(
                spans_in(&FORMS, &text, pieces),
                spans_in(&FORMS, &text, whole),
                "{}", text
            );
        }
    }

    #[test]
    fn a_key_across_the_border_of_pieces_is_masked() {
        for way in 0..6 {
            let key = written(KEY, way);
            for shift in [1, key.len() / 2, key.len() - 1] {
                let text = format!("{}{key} é", ". ".repeat(PIECES.length / 2 - shift / 2));
                let clean = masked(&text, &spans(&FORMS, &text));
                assert!(clean.contains(MARK), "{way} {shift}");
                assert!(clean.len() <= text.len() - key.len() + 20, "{way} {shift}");
            }
        }
    }
}
