//! The number of weeks played in each game of a block.

use super::row::WIDTH;

/// Weeks closed in each column.
///
/// Columns that started together stay in the same week until one of them is reset. While they do,
/// one number replaces sixteen comparisons.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weeks {
    each: [u32; WIDTH],
    // INVARIANT: `Some(week)` when all entries of `each` equal `week`, `None` when they differ.
    all: Option<u32>,
}

impl Weeks {
    /// Before the first week.
    pub(super) const START: Self = Self {
        each: [0; WIDTH],
        all: Some(0),
    };

    /// Weeks closed in each column.
    #[inline(always)]
    pub(super) fn each(&self) -> &[u32; WIDTH] {
        &self.each
    }

    /// Weeks closed in all columns, where they are the same.
    #[inline(always)]
    pub(super) fn all(&self) -> Option<u32> {
        self.all
    }

    /// Whether a column has closed `length` weeks.
    #[inline(always)]
    pub(super) fn is_over(&self, column: usize, length: u32) -> bool {
        self.each.get(column).is_none_or(|week| *week >= length)
    }

    /// Whether all columns have closed `length` weeks.
    #[inline(always)]
    pub(super) fn all_over(&self, length: u32) -> bool {
        self.all.is_some_and(|week| week >= length)
    }

    /// Whether any column has closed `length` weeks.
    #[inline(always)]
    pub(super) fn any_over(&self, length: u32) -> bool {
        match self.all {
            Some(week) => week >= length,
            None => self.each.iter().any(|week| *week >= length),
        }
    }

    /// Resets a column to its start.
    pub(super) fn restart(&mut self, column: usize) {
        if let Some(week) = self.each.get_mut(column) {
            *week = 0;
        }
        self.compare();
    }

    /// Closes a week in every column whose game of `length` weeks is not over.
    #[inline(always)]
    pub(super) fn close(&mut self, length: u32) {
        for week in &mut self.each {
            *week = (*week + 1).min(length);
        }
        match &mut self.all {
            Some(week) => *week = (*week + 1).min(length),
            // Finished games stay at `length`, so the others reach the same number.
            None => self.compare(),
        }
    }

    fn compare(&mut self) {
        let [first, rest @ ..] = &self.each;
        self.all = rest.iter().all(|week| week == first).then_some(*first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_tells_what_all_columns_are() {
        let mut weeks = Weeks::START;
        weeks.close(3);
        assert_eq!(weeks.all(), Some(1));
        weeks.restart(5);
        assert_eq!((weeks.all(), weeks.any_over(1)), (None, true));
        assert!(weeks.is_over(4, 1) && !weeks.is_over(5, 1));
        weeks.close(3);
        weeks.close(3);
        assert!(weeks.any_over(3) && !weeks.all_over(3));
        weeks.close(3);
        assert_eq!(weeks.all(), Some(3));
        assert!(weeks.all_over(3));
        for column in 0..WIDTH {
            weeks.restart(column);
        }
        assert_eq!(weeks.all(), Some(0));
    }
}
