//! Identifiers of rows: listed (from files) or computed from the row number by an invertible rule,
//! so that a million rows need no table of names.
//!
//! A generated company needs identifiers that look like those of the published files (`emp_0042`,
//! UUIDs, ten capitals and digits), are unique and can be looked up; where the published ones are in
//! no order, they must not reveal the row number either. A permutation of the numbers below the size
//! of the name space gives all of this at once: its image, written in the form of the source, is the
//! identifier, and its inverse finds the row. Sales, reviews, chats, overflow posts, vendors and
//! posts are numbered in order.
//!
//! ```text
//!  row ──forward──► number below size ──form──► "emp_0042"
//!  row ◄─backward── number ◄──────────parse──── "emp_0042"
//! ```
//!
//! Listed identifiers of an imported company are looked up by a sorted list of fingerprints, which
//! is then compared with the name.

use crate::data::value::{Day, fingerprint};
use sim_core::Seed;

/// The identifiers of one table.
#[derive(Debug, Clone)]
pub(crate) enum Ids {
    /// Read from a file.
    Listed { names: Vec<Box<str>>, order: Names },
    /// Computed by a rule.
    Made(Scheme),
}

impl Default for Ids {
    fn default() -> Self {
        Self::listed(Vec::new())
    }
}

impl Ids {
    pub(crate) fn listed(names: Vec<Box<str>>) -> Self {
        let order = Names::new(names.iter());
        Self::Listed { names, order }
    }

    /// The identifier of a row; empty if the row does not exist.
    pub(crate) fn name(&self, row: u32) -> String {
        match self {
            Self::Listed { names, .. } => names
                .get(row as usize)
                .map(|n| n.to_string())
                .unwrap_or_default(),
            Self::Made(scheme) => scheme.name(row),
        }
    }

    /// The row of an identifier, given the number of rows.
    pub(crate) fn find(&self, name: &str, rows: u32) -> Option<u32> {
        match self {
            Self::Listed { names, order } => {
                let is_named = |row: &u32| names.get(*row as usize).is_some_and(|n| &**n == name);
                order.of(name).find(is_named)
            }
            Self::Made(scheme) => {
                let row = scheme.row(name)?;
                (row < rows && scheme.name(row) == name).then_some(row)
            }
        }
    }
}

/// Rows by a name.
///
/// It holds fingerprints instead of names: 16 bytes a row, whatever the length of the name, and names
/// that are generated when they are read need not be stored.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    /// (fingerprint, row), sorted.
    order: Vec<(u64, u32)>,
}

impl Names {
    /// The table of these names; the first one is that of row 0.
    pub(crate) fn new(names: impl Iterator<Item = impl AsRef<str>>) -> Self {
        let rows = names.zip(0u32..);
        let mut order: Vec<_> = rows
            .map(|(n, row)| (fingerprint(n.as_ref()), row))
            .collect();
        order.sort_unstable();
        Self { order }
    }

    /// Candidates for a name, ascending; the caller has to compare the names, because fingerprints
    /// may collide.
    pub(crate) fn of<'a>(&'a self, name: &str) -> impl Iterator<Item = u32> + use<'a> {
        let key = fingerprint(name);
        let from = self.order.partition_point(|(k, _)| *k < key);
        let rest = self.order.get(from..).unwrap_or_default().iter();
        rest.take_while(move |(k, _)| *k == key)
            .map(|(_, row)| *row)
    }
}

/// A rule that computes identifiers.
#[derive(Debug, Clone)]
pub(crate) struct Scheme {
    /// Key of the permutation and of the random digits.
    pub(crate) seed: Seed,
    /// Form of the identifier.
    pub(crate) form: Form,
    /// The permutation that hides the order of rows.
    mix: Permutation,
}

/// Form of a computed identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `emp_0001`: numbers 1 to n in a permuted order, padded to at least four digits.
    Employee(u32),
    /// A UUID.
    Uuid,
    /// `THR_20250630_0a1b2c`.
    Thread(Day),
    /// The row number itself.
    Number,
    /// Five lower-case letters.
    Customer,
    /// `B` and nine digits or capitals.
    Product,
    /// Random numbers below 100 times the number of rows.
    Ticket(u32),
    /// The row number from 1 after a prefix: `CLNT-0001`.
    Serial(&'static str),
    /// `post_0`.
    Post,
}

impl Scheme {
    pub(crate) fn new(seed: Seed, form: Form) -> Self {
        // At least as many numbers as the table has rows; of a UUID and a thread only the part that is a hexadecimal
        // number below it is permuted, the rest is drawn. Where the row itself is shown, nothing is.
        let size: u64 = match form {
            Form::Employee(n) => u64::from(n),
            Form::Uuid => 1 << 32,
            Form::Thread(_) => 1 << 24,
            Form::Customer => 26u64.pow(5),
            Form::Product => 36u64.pow(9),
            Form::Ticket(n) => u64::from(n.max(10)) * 100,
            Form::Number | Form::Serial(_) | Form::Post => 1 << 32,
        };
        Self {
            seed,
            form,
            mix: Permutation::new(seed, size),
        }
    }

    /// The identifier of a row.
    pub(crate) fn name(&self, row: u32) -> String {
        let mixed = self.mix.forward(u64::from(row));
        match self.form {
            Form::Employee(n) => {
                let width = n.to_string().len().max(4);
                format!("emp_{:0width$}", mixed + 1)
            }
            Form::Uuid => {
                let mut fill = self.seed.stream("id.uuid", u64::from(row));
                let (a, b) = (fill.bits(), fill.bits());
                format!(
                    "{mixed:08x}-{:04x}-4{:03x}-{:x}{:03x}-{:012x}",
                    a & 0xffff,
                    a >> 16 & 0xfff,
                    8 + (a >> 28 & 3),
                    a >> 32 & 0xfff,
                    b & 0xffff_ffff_ffff
                )
            }
            Form::Thread(day) => {
                let (y, m, d) = day.date();
                format!("THR_{y:04}{m:02}{d:02}_{mixed:06x}")
            }
            Form::Number => row.to_string(),
            Form::Customer => letters(mixed, 26, 5, |d| b'a' + d),
            Form::Product => {
                let tail = letters(
                    mixed,
                    36,
                    9,
                    |d| if d < 10 { b'0' + d } else { b'A' + d - 10 },
                );
                format!("B{tail}")
            }
            Form::Ticket(_) => (mixed + 100).to_string(),
            Form::Serial(prefix) => format!("{prefix}{:04}", row + 1),
            Form::Post => format!("post_{row}"),
        }
    }

    /// The row of an identifier, which may lie beyond the table. Only as much of the identifier is read
    /// as determines the row: the caller compares it with [`name`](Self::name).
    fn row(&self, name: &str) -> Option<u32> {
        let mixed: u64 = match self.form {
            Form::Employee(_) => name
                .strip_prefix("emp_")?
                .parse::<u64>()
                .ok()?
                .checked_sub(1)?,
            Form::Uuid => u64::from_str_radix(name.split('-').next()?, 16).ok()?,
            Form::Thread(_) => u64::from_str_radix(name.rsplit('_').next()?, 16).ok()?,
            Form::Number => return name.parse().ok(),
            Form::Customer => number(name, 26, |c| c.checked_sub(b'a'))?,
            Form::Product => number(name.strip_prefix('B')?, 36, |c| match c {
                b'0'..=b'9' => Some(c - b'0'),
                b'A'..=b'Z' => Some(c - b'A' + 10),
                _ => None,
            })?,
            Form::Ticket(_) => name.parse::<u64>().ok()?.checked_sub(100)?,
            Form::Serial(prefix) => {
                return name
                    .strip_prefix(prefix)?
                    .parse::<u32>()
                    .ok()?
                    .checked_sub(1);
            }
            Form::Post => return name.strip_prefix("post_")?.parse().ok(),
        };
        u32::try_from(self.mix.backward(mixed)?).ok()
    }
}

/// `n` in a positional system of `base`, with `len` digits.
fn letters(mut n: u64, base: u64, len: usize, digit: impl Fn(u8) -> u8) -> String {
    let mut out = vec![0u8; len];
    for slot in out.iter_mut().rev() {
        *slot = digit(u8::try_from(n % base).unwrap_or(0));
        n /= base;
    }
    String::from_utf8(out).unwrap_or_default()
}

/// The number that [`letters`] writes as `text`. Longer texts than any form has are refused, so that
/// the number cannot overflow.
fn number(text: &str, base: u64, digit: impl Fn(u8) -> Option<u8>) -> Option<u64> {
    if text.len() > 12 {
        return None;
    }
    text.bytes().try_fold(0u64, |n, c| {
        let d = u64::from(digit(c)?);
        (d < base).then(|| n * base + d)
    })
}

/// A seeded permutation of `0..size`: a Feistel network on the next even number of bits, applied
/// repeatedly until the result is inside the range (cycle walking, Black and Rogaway 2002).
#[derive(Debug, Clone)]
pub(crate) struct Permutation {
    size: u64,
    half: u32,
    keys: [u64; 4],
}

impl Permutation {
    pub(crate) fn new(seed: Seed, size: u64) -> Self {
        let mut keys = seed.stream("id.permutation", size);
        let bits = 64 - size.saturating_sub(1).leading_zeros();
        Self {
            size,
            half: bits.div_ceil(2).max(1),
            keys: [keys.bits(), keys.bits(), keys.bits(), keys.bits()],
        }
    }

    // A Feistel step swaps the halves and changes one by a function of the other, so it can be
    // undone for any function: `round` needs no inverse.
    fn round(&self, key: u64, value: u64) -> u64 {
        let mut x = (value ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x ^= x >> 29;
        x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (x >> 32) & ((1 << self.half) - 1)
    }

    /// The image of `n`; values outside the range are unchanged.
    pub(crate) fn forward(&self, n: u64) -> u64 {
        if n >= self.size {
            return n;
        }
        self.walk(n, |mut halves| {
            for key in self.keys {
                halves = (halves.1, halves.0 ^ self.round(key, halves.1));
            }
            halves
        })
    }

    /// The value whose image is `n`.
    pub(crate) fn backward(&self, n: u64) -> Option<u64> {
        let back = |mut halves: (u64, u64)| {
            for key in self.keys.iter().rev() {
                halves = (halves.1 ^ self.round(*key, halves.0), halves.0);
            }
            halves
        };
        (n < self.size).then(|| self.walk(n, back))
    }

    /// Applies the network to the halves of a number until the result is inside the range. The network permutes at
    /// most four times as many numbers as there are in the range, so a few repetitions suffice. Following its cycle
    /// back into the range is a permutation again.
    fn walk(&self, n: u64, network: impl Fn((u64, u64)) -> (u64, u64)) -> u64 {
        let mask = (1u64 << self.half) - 1;
        let mut x = n;
        loop {
            let (left, right) = network((x >> self.half, x & mask));
            x = left << self.half | right;
            if x < self.size {
                return x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn permutations_are_permutations() {
        for size in [1u64, 2, 7, 50, 1_260, 65_537] {
            let p = Permutation::new(Seed(3), size);
            let images: BTreeSet<u64> = (0..size).map(|n| p.forward(n)).collect();
            assert_eq!(images.len() as u64, size);
            assert_eq!(images.last(), Some(&(size - 1)));
            assert!((0..size).all(|n| p.backward(p.forward(n)) == Some(n)));
        }
    }

    #[test]
    fn made_names_are_unique_and_found_again() {
        let day = Day::parse("2025-06-30").unwrap();
        for form in [
            Form::Employee(2_000),
            Form::Uuid,
            Form::Thread(day),
            Form::Number,
            Form::Customer,
            Form::Product,
            Form::Ticket(2_000),
            Form::Serial("CLNT-"),
            Form::Post,
        ] {
            let ids = Ids::Made(Scheme::new(Seed(9), form));
            let names: BTreeSet<String> = (0..2_000).map(|r| ids.name(r)).collect();
            assert_eq!(names.len(), 2_000, "{form:?}");
            for r in 0..2_000 {
                assert_eq!(ids.find(&ids.name(r), 2_000), Some(r), "{form:?}");
            }
            assert_eq!(ids.find(&ids.name(2_000), 2_000), None);
            for bad in [
                "",
                "emp_",
                "x",
                "ffffffffff",
                "-",
                "post_",
                "é",
                "99999999999999999999",
            ] {
                assert_eq!(ids.find(bad, 2_000), None, "{form:?} {bad}");
            }
        }
    }
}
