//! Words as numbers, so that equal words are equal numbers.
//!
//! All counts of a pair then work on small whole numbers, and no word is copied.

use super::porter::{Stemming, stem_bytes};
use super::tokens::Lowered;
use std::collections::BTreeMap;

/// Keeps the first `n` bytes of eight, for `n` from 0 to 8.
const KEEP: [u64; 9] = [
    0,
    0xff,
    0xffff,
    0xff_ffff,
    0xffff_ffff,
    0xff_ffff_ffff,
    0xffff_ffff_ffff,
    0xff_ffff_ffff_ffff,
    u64::MAX,
];

/// No number yet.
const UNKNOWN: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    low: u64,
    high: u64,
    number: u32,
    /// The slot is in use if this equals the table's round. A new round empties the table without
    /// writing to its slots.
    round: u32,
}

/// A table from words to numbers 0, 1, 2 in order of first occurrence.
///
/// A word of up to sixteen bytes is its own key of two machine words, so a look-up compares no
/// strings; longer ones are rare and are stored in a tree.
#[derive(Debug, Clone, Default)]
pub(super) struct Vocabulary {
    slots: Vec<Slot>,
    round: u32,
    long: BTreeMap<Vec<u8>, u32>,
    count: u32,
    /// For every word's number the number of its stem.
    stems: Vec<u32>,
    stem: Vec<u8>,
}

impl Vocabulary {
    /// Forgets every word.
    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.stems.clear();
        if !self.long.is_empty() {
            self.long.clear();
        }
        match self.round.checked_add(1) {
            Some(round) => self.round = round,
            // Numbers of rounds would repeat, and slots of an old round would seem to be in use.
            None => {
                self.slots.clear();
                self.round = 1;
            }
        }
    }

    /// Number of different words, stems included.
    pub(super) fn len(&self) -> usize {
        super::counts::index(self.count)
    }

    /// Appends the number of every word of a text, or of its stem.
    pub(super) fn intern_all(&mut self, text: &Lowered, stemming: Stemming, into: &mut Vec<u32>) {
        // Every word may be new, and add a new stem.
        let room = text.len() * if stemming == Stemming::Off { 1 } else { 2 };
        self.reserve(room);
        into.reserve(text.len());
        for (start, end) in text.spans() {
            let length = end - start;
            let number = if length <= 16 {
                let (low, high) = text.sixteen(start);
                self.short(
                    low & keep(length.min(8)),
                    high & keep(length.saturating_sub(8)),
                )
            } else {
                self.longer(text.word(start, end))
            };
            into.push(match stemming {
                Stemming::Off => number,
                Stemming::Porter => self.stem_of(number, text.word(start, end)),
            });
        }
    }

    /// The number of a word's stem; a word's stem is computed once.
    fn stem_of(&mut self, number: u32, word: &[u8]) -> u32 {
        let at = super::counts::index(number);
        if self.stems.len() <= at {
            self.stems.resize(at + 1, UNKNOWN);
        }
        match self.stems.get(at) {
            Some(&known) if known != UNKNOWN => return known,
            _ => {}
        }
        let stem = if word.len() > 3 {
            // Taken out for the moment, because the stem is looked up in the table that owns the
            // buffer.
            let mut buffer = std::mem::take(&mut self.stem);
            stem_bytes(word, &mut buffer);
            let number = self.of_bytes(&buffer);
            self.stem = buffer;
            number
        } else {
            number
        };
        if let Some(entry) = self.stems.get_mut(at) {
            *entry = stem;
        }
        stem
    }

    fn of_bytes(&mut self, word: &[u8]) -> u32 {
        if word.len() > 16 {
            return self.longer(word);
        }
        let mut chunk = [0_u8; 16];
        for (to, from) in chunk.iter_mut().zip(word) {
            *to = *from;
        }
        let both = u128::from_le_bytes(chunk);
        self.short(
            u64::try_from(both & u128::from(u64::MAX)).unwrap_or(0),
            u64::try_from(both >> 64).unwrap_or(0),
        )
    }

    fn longer(&mut self, word: &[u8]) -> u32 {
        if let Some(&number) = self.long.get(word) {
            return number;
        }
        let number = self.next();
        self.long.insert(word.to_vec(), number);
        number
    }

    fn next(&mut self) -> u32 {
        let number = self.count;
        self.count += 1;
        number
    }

    /// The number of a short word given by its bytes.
    fn short(&mut self, low: u64, high: u64) -> u32 {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = mix(low, high) & mask;
        // `reserve` keeps half of the slots free, so the search ends.
        while let Some(slot) = self.slots.get_mut(at) {
            if slot.round != self.round {
                let number = self.count;
                self.count += 1;
                *slot = Slot {
                    low,
                    high,
                    number,
                    round: self.round,
                };
                return number;
            }
            if slot.low == low && slot.high == high {
                return slot.number;
            }
            at = (at + 1) & mask;
        }
        0
    }

    /// Makes room for `more` words.
    fn reserve(&mut self, more: usize) {
        let needed = (2 * (self.len() + more)).next_power_of_two().max(256);
        if self.slots.len() >= needed {
            return;
        }
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); needed]);
        let mask = needed - 1;
        for slot in old.into_iter().filter(|slot| slot.round == self.round) {
            let mut at = mix(slot.low, slot.high) & mask;
            while let Some(place) = self.slots.get_mut(at) {
                if place.round != self.round {
                    *place = slot;
                    break;
                }
                at = (at + 1) & mask;
            }
        }
    }
}

/// A mask of the first `bytes` bytes.
fn keep(bytes: usize) -> u64 {
    KEEP.get(bytes).copied().unwrap_or(u64::MAX)
}

/// Maps a key to a slot.
fn mix(low: u64, high: u64) -> usize {
    // Odd, so that no second half makes the factor 0, which would put all its words in one slot.
    let product = u128::from(low ^ 0x9e37_79b9_7f4a_7c15)
        .wrapping_mul(u128::from(high ^ 0xc2b2_ae3d_27d4_eb4f) | 1);
    let folded = u64::try_from(product >> 64).unwrap_or(0)
        ^ u64::try_from(product & u128::from(u64::MAX)).unwrap_or(0);
    let spread = folded.wrapping_mul(0xd6e8_feb8_6659_fd93);
    usize::try_from(spread >> 32).unwrap_or(0)
}
