//! The forms in which a key is looked for.
//!
//! Text is compared by its ASCII letters and digits alone. Blanks, line breaks, zero-width signs,
//! quotes, brackets, hyphens, the `%` of percent-encoding, the `&#` and `;` of entities, the `:` of
//! hex dumps and the `+/-_=` of both alphabets of base64 are all left out, so that one form serves
//! for all ways of separating it.
//!
//! The search does not look for a whole form, but for every fragment of it that is too rare to occur
//! by chance. So it does not matter where a key is cut. A key that is cut into smaller pieces is found
//! by joining consecutive texts ([`super::tree`]).

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use secrecy::{ExposeSecret, SecretString};

/// A text to search for (needle), and which of its neighbours belong to the key as well.
#[derive(Clone, Copy)]
pub(super) struct Needle {
    /// Whether the character before it also holds bits of the key.
    pub(super) opens: bool,
    /// Whether the character after it also holds bits of the key.
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
    /// Forms in which upper and lower case differ: the plain key and base64.
    pub(super) exact: Finder,
    /// Forms in which they do not: numbers, and the key in another case.
    pub(super) folded: Finder,
}

/// The text that replaces a key.
pub(super) const MARK: &str = "[key]";

/// Length of the shortest key that is looked for. Shorter words are placeholders for local servers
/// and may occur in any text.
const SHORTEST: usize = 8;
/// Fewest characters of a fragment.
const FRAGMENT: usize = 8;
/// Smallest rarity of a fragment \[tenths of a bit\]: it occurs by chance at one in 10^12 places.
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
            // A key with few characters, or one that is made of words, is looked for only as a whole:
            // local servers are given `no-key-required`, and `required` occurs in every schema.
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
        // Fails only if there is too little memory for the needles; then only the keys themselves
        // are looked for.
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

    /// The base64 of the key after `shift` bytes of other text (modulo 3). The first and the last
    /// character hold bits of the key and bits of the text around it: no needle contains them, but
    /// they are masked.
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

/// For every position, the shortest rare fragment that starts there; the whole text if no fragment
/// is rare.
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
        // The rest after the last fragment is not rare enough to begin another one.
        Some(last) => found.push((last.0, form.len())),
        None if form.len() >= FRAGMENT => found.push((0, form.len())),
        None => {}
    }
    found
}

/// How unlikely `part` is in text that does not quote the key \[tenths of a bit\].
///
/// Changes between lower case, upper case and digits distinguish keys from words and numbers, so they
/// count most; a letter within a word counts little. The public beginning of a key
/// (`sk-ant-api03-`) stays below [`RARE`]. Hexadecimal text has many such changes, and records contain
/// much of it (digests), so a hexadecimal digit counts at most its four bits.
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
