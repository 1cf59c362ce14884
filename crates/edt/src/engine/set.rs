//! Sets of small numbers, ascending.

/// A set of numbers below a size that is fixed when it is made.
pub(super) trait Set: Clone + std::fmt::Debug {
    /// An empty set for numbers below `size`.
    fn empty(size: usize) -> Self;
    /// Removes all members.
    fn clear(&mut self);
    /// Adds `i`.
    fn insert(&mut self, i: usize);
    /// Removes `i`.
    fn remove(&mut self, i: usize);
    /// Whether `i` is a member.
    fn contains(&self, i: usize) -> bool;
    /// The smallest member that is at least `from`.
    fn next(&self, from: usize) -> Option<usize>;
    /// Makes this the union of three sets.
    fn unite(&mut self, a: &Self, b: &Self, c: &Self);
}

impl Set for u64 {
    #[inline]
    fn empty(_: usize) -> Self {
        0
    }
    #[inline]
    fn clear(&mut self) {
        *self = 0;
    }
    #[inline]
    fn insert(&mut self, i: usize) {
        // The mask shows the compiler that the shift cannot overflow; members are below 64.
        *self |= 1 << (i & 63);
    }
    #[inline]
    fn remove(&mut self, i: usize) {
        *self &= !(1 << (i & 63));
    }
    #[inline]
    fn contains(&self, i: usize) -> bool {
        *self >> (i & 63) & 1 == 1
    }
    #[inline]
    fn next(&self, from: usize) -> Option<usize> {
        // A shift by the width of the word would overflow.
        if from >= 64 {
            return None;
        }
        let rest = *self >> from;
        (rest != 0).then(|| from + rest.trailing_zeros() as usize)
    }
    #[inline]
    fn unite(&mut self, a: &Self, b: &Self, c: &Self) {
        *self = a | b | c;
    }
}

/// A set over several words.
#[derive(Debug, Clone)]
pub(super) struct Words(Box<[u64]>);

impl Set for Words {
    fn empty(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)].into())
    }
    fn clear(&mut self) {
        self.0.fill(0);
    }
    fn insert(&mut self, i: usize) {
        if let Some(word) = self.0.get_mut(i / 64) {
            *word |= 1 << (i % 64);
        }
    }
    fn remove(&mut self, i: usize) {
        if let Some(word) = self.0.get_mut(i / 64) {
            *word &= !(1 << (i % 64));
        }
    }
    fn contains(&self, i: usize) -> bool {
        self.0
            .get(i / 64)
            .is_some_and(|word| word >> (i % 64) & 1 == 1)
    }
    fn next(&self, from: usize) -> Option<usize> {
        // Bits below `from` in its own word are shifted out; the words after it are taken
        // whole.
        let first = from / 64;
        let rest = self.0.get(first)? >> (from % 64);
        if rest != 0 {
            return Some(from + rest.trailing_zeros() as usize);
        }
        let later = self.0.iter().enumerate().skip(first + 1);
        later
            .filter(|(_, w)| **w != 0)
            .map(|(i, w)| i * 64 + w.trailing_zeros() as usize)
            .next()
    }
    fn unite(&mut self, a: &Self, b: &Self, c: &Self) {
        for (((own, a), b), c) in self.0.iter_mut().zip(&a.0).zip(&b.0).zip(&c.0) {
            *own = a | b | c;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk<S: Set>(set: &S) -> Vec<usize> {
        std::iter::successors(set.next(0), |i| set.next(i + 1)).collect()
    }

    fn check<S: Set>(members: &[usize]) {
        let mut set = S::empty(200);
        for i in members {
            set.insert(*i);
        }
        assert_eq!(walk(&set), members);
        let mut all = S::empty(200);
        all.unite(&set, &S::empty(200), &set);
        set.remove(members[1]);
        assert!(!set.contains(members[1]) && set.contains(members[0]) && all.contains(members[1]));
        set.clear();
        assert!(walk(&set).is_empty());
    }

    #[test]
    fn both_widths_walk_upwards() {
        check::<u64>(&[0, 5, 63]);
        check::<Words>(&[0, 5, 63, 64, 130, 191, 199]);
    }
}
