//! Common word pairs.
//!
//! Each pair of word numbers is one 64-bit key of a hash table with open addressing, which is reused from text to text.

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    pair: u64,
    count: u32,
    /// The slot is in use if this equals the table's round. A new round empties the table without
    /// writing to its slots.
    round: u32,
}

/// A table of word pairs and their numbers of occurrences.
#[derive(Debug, Clone, Default)]
pub(super) struct Pairs {
    slots: Vec<Slot>,
    round: u32,
}

impl Pairs {
    /// Number of common word pairs, each as often as it occurs in both. `common` is 0 for words
    /// that are not in both texts, because their pairs cannot be common.
    pub(super) fn shared(&mut self, a: &[u32], b: &[u32], common: &[u32]) -> usize {
        // At least half of the slots stay free, so every search meets a free one soon.
        let needed = (2 * a.len()).next_power_of_two().max(64);
        if self.slots.len() < needed {
            // New slots have the round 0, which no text has.
            self.slots = vec![Slot::default(); needed];
            self.round = 0;
        }
        match self.round.checked_add(1) {
            Some(round) => self.round = round,
            None => {
                self.slots.fill(Slot::default());
                self.round = 1;
            }
        }
        // Short texts use only the front of the table, which stays in the cache.
        let mask = needed - 1;
        for pair in pairs(a, common) {
            self.add(pair, mask);
        }
        pairs(b, common)
            .filter(|&pair| self.take(pair, mask))
            .count()
    }

    fn add(&mut self, pair: u64, mask: usize) {
        let mut at = spread(pair) & mask;
        while let Some(slot) = self.slots.get_mut(at) {
            if slot.round != self.round {
                *slot = Slot {
                    pair,
                    count: 1,
                    round: self.round,
                };
                return;
            }
            if slot.pair == pair {
                slot.count += 1;
                return;
            }
            at = (at + 1) & mask;
        }
    }

    /// Uses up one occurrence, if one is left.
    fn take(&mut self, pair: u64, mask: usize) -> bool {
        let mut at = spread(pair) & mask;
        while let Some(slot) = self.slots.get_mut(at) {
            if slot.round != self.round {
                return false;
            }
            if slot.pair == pair {
                let left = slot.count > 0;
                slot.count -= u32::from(left);
                return left;
            }
            at = (at + 1) & mask;
        }
        false
    }
}

/// Pairs of neighbours, both of which are in both texts.
fn pairs<'a>(text: &'a [u32], common: &'a [u32]) -> impl Iterator<Item = u64> + 'a {
    let in_both = |word: u32| {
        common
            .get(super::counts::index(word))
            .is_some_and(|&c| c != 0)
    };
    text.iter()
        .zip(text.iter().skip(1))
        // `&` and not `&&`: both look-ups are cheap, and the branch would be hard to predict.
        .filter(move |&(&first, &second)| in_both(first) & in_both(second))
        .map(|(&first, &second)| (u64::from(first) << 32) | u64::from(second))
}

/// Maps a pair to a slot by multiplication; the upper half of the product depends on all its bits.
fn spread(pair: u64) -> usize {
    let mixed = (pair ^ (pair >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from(mixed >> 32).unwrap_or(0)
}
