//! Counts words that are represented by numbers.

/// How often each of `size` words occurs in `text`.
pub(super) fn count(counts: &mut Vec<u32>, text: &[u32], size: usize) {
    counts.clear();
    counts.resize(size, 0);
    for &word in text {
        if let Some(entry) = counts.get_mut(index(word)) {
            *entry += 1;
        }
    }
}

/// A number as an index: all supported processors have indices of at least 32 bits.
pub(super) const fn index(word: u32) -> usize {
    word as usize
}
