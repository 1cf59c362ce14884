//! The forms in which a key is looked for.
//!
//! Text is compared by its ASCII letters and digits alone. Blanks, line breaks, zero-width signs,
//! quotes, brackets, hyphens, the `%` of percent-encoding, the `&#` and `;` of entities, the `:` of
//! hex dumps and the `+/-_=` of both alphabets of base64 are all left out, so that one form serves
//! for all ways of separating it.
//!
//! A form is not looked for as a whole: every fragment of it that is too rare to occur by chance
//! is. This makes it irrelevant where a key is cut, and a key that is cut into smaller pieces is
//! found by joining what follows one another ([`super::tree`]).

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use secrecy::{ExposeSecret, SecretString};

/// A needle and what it says of its surroundings.
#[derive(Clone, Copy)]
pub(super) struct Needle {
    /// The character before it holds some bits of the key, too.
    pub(super) opens: bool,
    /// The character behind it holds some bits of the key, too.
    pub(super) closes: bool,
}

/// Needles of one kind.
pub(super) struct Finder {
    pub(super) automaton: AhoCorasick,
    pub(super) needles: Vec<Needle>,
}

/// All forms of all keys of a run.
pub(super) struct Forms {
    /// The keys as they are.
    pub(super) literal: Vec<SecretString>,
    /// Where upper and lower case differ: the plain key and base64.
    pub(super) exact: Finder,
    /// Where they do not: numbers, and the key in another case.
    pub(super) folded: Finder,
}

/// Shorter words stand for "no key" at local servers and may occur in any text.
const SHORTEST: usize = 8;
/// A fragment has at least so many characters.
const FRAGMENT: usize = 8;
/// And is at least so unlikely to occur by chance \[tenths of a bit\]: one in 10^12 places.
const RARE: u32 = 400;

impl Forms {
    /// The forms of `keys`; none when there is no key to look for.
    pub(super) fn new<'a>(keys: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let (mut literal, mut exact, mut folded) = (Vec::new(), List::default(), List::default());
        for key in keys {
            if key.len() < SHORTEST {
                continue;
            }
            literal.push(SecretString::from(key.to_owned()));
            let plain = letters(key);
            // Few or wordy characters are looked for as the whole key only: `no-key-required` is
            // what local servers are given, and `required` stands in every schema.
            if rarity(plain.as_bytes()) >= RARE {
                exact.fragments(&plain);
                let lower = plain.to_ascii_lowercase();
                if rarity(lower.as_bytes()) >= RARE {
                    folded.fragments(&lower);
                }
            }
            for shift in 0..3 {
                exact.base64(key, shift);
            }
            for written in NUMBERS {
                folded.numbers(key, written);
            }
        }
        if literal.is_empty() {
            return None;
        }
        // Fails only for more needles than there is memory for; then the keys themselves are
        // still looked for.
        Some(Self {
            literal,
            exact: exact.finder(false)?,
            folded: folded.finder(true)?,
        })
    }

    pub(super) fn literals(&self) -> impl Iterator<Item = &str> {
        self.literal.iter().map(ExposeSecret::expose_secret)
    }
}

/// Ways to write a byte as a number, by their letters and digits. Hexadecimal covers hex dumps with
/// any separator, percent-encoding and quoted-printable; `x` covers `\x73` and `&#x73;`; decimal
/// covers entities and lists of numbers.
const NUMBERS: [fn(u8) -> String; 8] = [
    |byte| format!("{byte:02x}"),
    |byte| format!("x{byte:02x}"),
    |byte| format!("0x{byte:02x}"),
    |byte| format!("u00{byte:02x}"),
    |byte| format!("u{byte:02x}"),
    |byte| format!("00{byte:02x}"),
    |byte| format!("{byte}"),
    |byte| format!("{byte:o}"),
];

/// The letters and digits of `text`.
fn letters(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect()
}

#[derive(Default)]
struct List {
    texts: Vec<SecretString>,
    needles: Vec<Needle>,
}

impl List {
    fn push(&mut self, text: String, opens: bool, closes: bool) {
        self.texts.push(SecretString::from(text));
        self.needles.push(Needle { opens, closes });
    }

    fn fragments(&mut self, form: &str) {
        for (from, to) in windows(form.as_bytes()) {
            if let Some(part) = form.get(from..to) {
                self.push(part.to_owned(), false, false);
            }
        }
    }

    /// The key in the base64 of every text in which it stands behind `shift` bytes (modulo 3). The
    /// first and the last character hold bits of the key and bits of its surroundings: they are in
    /// no needle, but belong to what is masked.
    fn base64(&mut self, key: &str, shift: usize) {
        let padded = format!("{}{key}", "-".repeat(shift));
        let encoded = STANDARD_NO_PAD.encode(&padded);
        let first = [0, 2, 3].get(shift).copied().unwrap_or(0);
        let whole = padded.len() * 8 / 6;
        let form = letters(encoded.get(first..whole).unwrap_or_default());
        for (from, to) in windows(form.as_bytes()) {
            if let Some(part) = form.get(from..to) {
                let (opens, closes) = (from == 0 && shift > 0, to == form.len());
                self.push(part.to_owned(), opens, closes);
            }
        }
    }

    fn numbers(&mut self, key: &str, written: fn(u8) -> String) {
        let bytes = key.as_bytes();
        for (from, to) in windows(bytes) {
            let part = bytes.get(from..to).unwrap_or_default();
            self.push(part.iter().copied().map(written).collect(), false, false);
        }
    }

    fn finder(self, any_case: bool) -> Option<Finder> {
        let texts = self.texts.iter().map(ExposeSecret::expose_secret);
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(any_case)
            .build(texts)
            .ok()?;
        Some(Finder {
            automaton,
            needles: self.needles,
        })
    }
}

/// From every place on the shortest fragment that is rare; the whole where no fragment is.
fn windows(form: &[u8]) -> Vec<(usize, usize)> {
    let rare = |from: usize, to: usize| {
        let part = form.get(from..to).unwrap_or_default();
        rarity(part) >= RARE
    };
    let mut found: Vec<(usize, usize)> = (0..form.len())
        .filter_map(|from| {
            let to = (from + FRAGMENT..=form.len()).find(|to| rare(from, *to))?;
            Some((from, to))
        })
        .collect();
    match found.last().copied() {
        // What is behind the last one is not rare enough to begin one of its own.
        Some(last) => found.push((last.0, form.len())),
        None if form.len() >= FRAGMENT => found.push((0, form.len())),
        None => {}
    }
    found
}

/// How unlikely `part` is in text that does not quote the key \[tenths of a bit\].
///
/// A change between lower case, upper case and digits is what sets keys apart from words and
/// numbers, so it counts most; within a word a letter counts little. The public beginning of a key
/// (`sk-ant-api03-`) stays below [`RARE`]. Hexadecimal text is full of changes, and records are full
/// of it (digests), so there they count no more than their four bits.
fn rarity(part: &[u8]) -> u32 {
    #[derive(PartialEq)]
    enum Class {
        Lower,
        Upper,
        Digit,
        Other,
    }
    let hexadecimal = part
        .iter()
        .all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(c));
    let mut before = Class::Other;
    let mut sum = 0;
    for (place, byte) in part.iter().enumerate() {
        let class = match byte {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            _ => Class::Other,
        };
        sum += match (&before, &class) {
            _ if place == 0 => 40,
            (_, Class::Other) => 10,
            (Class::Digit, Class::Digit) => 33,
            (before, class) if before == class => 30,
            (Class::Other, _) => 30,
            _ if hexadecimal => 45,
            _ => 60,
        };
        before = class;
    }
    sum
}
