//! Results in one order, whatever ends first.

use std::collections::{BTreeMap, VecDeque};

/// Holds back what ended before something that stands before it.
#[derive(Debug)]
pub(crate) struct Sequence<T> {
    /// Numbers that are still to come, in order.
    ahead: VecDeque<u64>,
    /// Numbers that were received and passed on, in order.
    passed: usize,
    /// What came early; `None` where nothing will come.
    early: BTreeMap<u64, Option<T>>,
}

impl<T> Sequence<T> {
    /// A sequence that passes results on in the order of `numbers`.
    pub(crate) fn new(numbers: impl IntoIterator<Item = u64>) -> Self {
        Self {
            ahead: numbers.into_iter().collect(),
            passed: 0,
            early: BTreeMap::new(),
        }
    }

    /// How many of the numbers were received and passed on.
    pub(crate) fn passed(&self) -> usize {
        self.passed
    }

    /// Takes what came of `number`; appends what is next in order now to `ready`.
    pub(crate) fn take(&mut self, number: u64, result: Option<T>, ready: &mut Vec<T>) {
        if self.ahead.front() == Some(&number) {
            self.ahead.pop_front();
            self.passed += 1;
            ready.extend(result);
        } else {
            // Also without a result: a number that is missing here would hold back all numbers after it for ever.
            self.early.insert(number, result);
        }
        while let Some(result) = self.ahead.front().and_then(|k| self.early.remove(k)) {
            self.ahead.pop_front();
            self.passed += 1;
            ready.extend(result);
        }
    }

    /// What waits for something that will not come, in order.
    pub(crate) fn rest(&mut self) -> Vec<T> {
        let ahead = std::mem::take(&mut self.ahead);
        ahead
            .into_iter()
            .filter_map(|number| self.early.remove(&number).flatten())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_early_waits() {
        let mut sequence = Sequence::new([4, 2, 7, 1]);
        let mut ready = Vec::new();
        sequence.take(2, Some("two"), &mut ready);
        assert!(ready.is_empty());
        sequence.take(4, Some("four"), &mut ready);
        assert_eq!(ready, ["four", "two"]);
        sequence.take(1, Some("one"), &mut ready);
        sequence.take(7, None, &mut ready);
        assert_eq!((ready, sequence.passed()), (vec!["four", "two", "one"], 4));
        let (mut cut, mut ready) = (Sequence::new([1, 2, 3]), Vec::new());
        cut.take(3, Some("three"), &mut ready);
        assert!(ready.is_empty());
        assert_eq!(cut.rest(), ["three"]);
    }
}
