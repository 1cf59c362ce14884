//! The number of weeks played in each game of a block.

use super::row::WIDTH;

/// Weeks closed in each column.
///
/// Columns that started together stay in the same week until one of them is reset. While they do,
/// one number replaces sixteen.
#[derive(Debug, Clone)]
pub(super) enum Weeks {
    /// All columns have closed the same number of weeks.
    Same(u32),
    // INVARIANT: at least two numbers differ.
    Each(Box<[u32; WIDTH]>),
}

impl Weeks {
    /// Before the first week.
    pub(super) const START: Self = Self::Same(0);

    /// Weeks closed in each column.
    #[inline(always)]
    pub(super) fn each(&self) -> [u32; WIDTH] {
        match self {
            Self::Same(week) => [*week; WIDTH],
            Self::Each(each) => **each,
        }
    }

    /// Weeks closed in all columns, where they are the same.
    #[inline(always)]
    pub(super) fn all(&self) -> Option<u32> {
        match self {
            Self::Same(week) => Some(*week),
            Self::Each(_) => None,
        }
    }

    /// Whether a column has closed `length` weeks.
    #[inline(always)]
    pub(super) fn is_over(&self, column: usize, length: u32) -> bool {
        match self {
            Self::Same(week) => *week >= length,
            Self::Each(each) => each.get(column).is_none_or(|week| *week >= length),
        }
    }

    /// Whether all columns have closed `length` weeks.
    #[inline(always)]
    pub(super) fn all_over(&self, length: u32) -> bool {
        self.all().is_some_and(|week| week >= length)
    }

    /// Whether any column has closed `length` weeks.
    #[inline(always)]
    pub(super) fn any_over(&self, length: u32) -> bool {
        match self {
            Self::Same(week) => *week >= length,
            Self::Each(each) => each.iter().any(|week| *week >= length),
        }
    }

    /// Resets a column to its start.
    pub(super) fn restart(&mut self, column: usize) {
        match self {
            Self::Same(0) => {}
            Self::Same(week) => {
                let mut each = Box::new([*week; WIDTH]);
                if let Some(week) = each.get_mut(column) {
                    *week = 0;
                }
                *self = Self::Each(each);
            }
            Self::Each(each) => {
                if let Some(week) = each.get_mut(column) {
                    *week = 0;
                }
                self.compare();
            }
        }
    }

    /// Puts all columns into the week of one.
    pub(super) fn fill(&mut self, column: usize) {
        if let Self::Each(each) = self
            && let Some(&week) = each.get(column)
        {
            *self = Self::Same(week);
        }
    }

    /// Closes a week in every column whose game of `length` weeks is not over.
    #[inline(always)]
    pub(super) fn close(&mut self, length: u32) {
        match self {
            Self::Same(week) => *week = (*week + 1).min(length),
            Self::Each(each) => {
                for week in each.iter_mut() {
                    *week = (*week + 1).min(length);
                }
                // Finished games stay at `length`, so the others reach the same number.
                self.compare();
            }
        }
    }

    fn compare(&mut self) {
        if let Self::Each(each) = self {
            let [first, rest @ ..] = &**each;
            if rest.iter().all(|week| week == first) {
                *self = Self::Same(*first);
            }
        }
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
