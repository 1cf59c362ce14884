//! A set of samples, one bit each.
//!
//! Learning counts the same samples for thousands of rules. With one bit for each sample a count is a few
//! machine instructions for 64 samples at a time.

/// A set of samples of a matrix, by their index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// The empty set of `len` samples.
    pub(crate) fn none(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)])
    }

    /// The set of those of `len` samples for which `is_in` holds.
    pub(crate) fn of(len: usize, is_in: impl Fn(usize) -> bool) -> Self {
        let mut bits = Self::none(len);
        (0..len)
            .filter(|at| is_in(*at))
            .for_each(|at| bits.insert(at));
        bits
    }

    /// Adds sample `at`; does nothing if it is beyond the length.
    pub(crate) fn insert(&mut self, at: usize) {
        if let Some(word) = self.0.get_mut(at / 64) {
            *word |= 1 << (at % 64);
        }
    }

    /// Whether the set contains sample `at`.
    pub(crate) fn has(&self, at: usize) -> bool {
        self.0
            .get(at / 64)
            .is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Number of samples in the set.
    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Number of samples in both sets.
    pub(crate) fn count_and(&self, other: &Self) -> usize {
        let both = self.0.iter().zip(&other.0).map(|(a, b)| a & b);
        both.map(|word| word.count_ones() as usize).sum()
    }

    /// Number of samples in `self` and `other`, but not in `without`.
    pub(crate) fn count_and_not(&self, other: &Self, without: &Self) -> usize {
        let words = self.0.iter().zip(&other.0).zip(&without.0);
        words
            .map(|((a, b), c)| (a & b & !c).count_ones() as usize)
            .sum()
    }

    /// The samples in both sets.
    pub(crate) fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    /// The samples in `self` that are not in `other`.
    pub(crate) fn without(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_count_over_word_borders() {
        let even = Bits::of(130, |at| at % 2 == 0);
        let three = Bits::of(130, |at| at % 3 == 0);
        assert_eq!((even.count(), three.count()), (65, 44));
        assert_eq!(even.count_and(&three), 22);
        assert_eq!(even.and(&three).count(), 22);
        assert_eq!(even.without(&three).count(), 43);
        let all = Bits::of(130, |_| true);
        assert_eq!(all.count_and_not(&even, &three), 43);
        assert!(even.has(128) && !even.has(129) && !even.has(1_000));
    }
}
