//! Rows: one field of 16 lanes, and pipelines of rows.

use crate::number::Number;

/// Lanes in a block: a row of `f32` is one cache line of 64 bytes.
pub(super) const WIDTH: usize = 16;

/// One number for each lane of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
// Aligned to a cache line, so that no row is spread over two.
#[repr(align(64))]
pub(super) struct Row<N>(pub(super) [N; WIDTH]);

impl<N: Number> Row<N> {
    pub(super) const ZERO: Self = Self([N::ZERO; WIDTH]);

    pub(super) fn filled(value: f64) -> Self {
        Self([N::of(value); WIDTH])
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "a column is below WIDTH")]
    pub(super) fn get(&self, column: usize) -> N {
        self.0[column]
    }

    #[expect(clippy::indexing_slicing, reason = "a column is below WIDTH")]
    pub(super) fn set(&mut self, column: usize, value: N) {
        self.0[column] = value;
    }

    #[inline(always)]
    pub(super) fn add(&mut self, other: &Self) {
        for (slot, value) in self.0.iter_mut().zip(&other.0) {
            *slot += *value;
        }
    }

    #[inline(always)]
    pub(super) fn plus(&self, other: &Self) -> Self {
        let mut sum = *self;
        sum.add(other);
        sum
    }

    /// The smaller number of each lane.
    #[inline(always)]
    pub(super) fn least(&self, other: &Self) -> Self {
        let mut least = *self;
        for (slot, value) in least.0.iter_mut().zip(&other.0) {
            *slot = slot.smaller(*value);
        }
        least
    }

    #[inline(always)]
    pub(super) fn subtract(&mut self, other: &Self) {
        for (slot, value) in self.0.iter_mut().zip(&other.0) {
            *slot -= *value;
        }
    }

    #[inline(always)]
    pub(super) fn into_format<M: Number>(self) -> Row<M> {
        let mut row = Row::ZERO;
        for (slot, value) in row.0.iter_mut().zip(&self.0) {
            *slot = M::of(value.double());
        }
        row
    }
}

/// A pipeline of rows. All lanes share the position in the ring buffer, so a week overwrites one row
/// and moves no other.
#[derive(Debug, Clone)]
pub(super) struct RowPipeline<N> {
    // A ring buffer: INVARIANT next < slots.len(), and there is at least one slot.
    slots: Vec<Row<N>>,
    next: usize,
}

impl<N: Number> RowPipeline<N> {
    pub(super) fn filled(delay: u32, each: f64) -> Self {
        Self {
            slots: vec![Row::filled(each); delay.max(1) as usize],
            next: 0,
        }
    }

    /// The amounts that arrive next.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "next < slots.len()")]
    pub(super) fn next(&self) -> &Row<N> {
        &self.slots[self.next]
    }

    /// Moves on by one week: the amounts that arrive have been read, so `sent` overwrites their slot
    /// and becomes the last one.
    #[inline(always)]
    pub(super) fn turn(&mut self, sent: &Row<N>) {
        if let Some(slot) = self.slots.get_mut(self.next) {
            *slot = *sent;
        }
        // A comparison, because the remainder of a division by a variable takes longer.
        self.next = if self.next + 1 == self.slots.len() {
            0
        } else {
            self.next + 1
        };
    }

    /// Adds to the slot that arrives last.
    pub(super) fn add(&mut self, sent: &Row<N>) {
        let last = if self.next == 0 {
            self.slots.len()
        } else {
            self.next
        } - 1;
        if let Some(slot) = self.slots.get_mut(last) {
            slot.add(sent);
        }
    }

    /// The sum of all amounts on their way.
    #[inline(always)]
    pub(super) fn total(&self) -> Row<N> {
        self.sum(0)
    }

    /// The sum of all amounts on their way except those that arrive next.
    #[inline(always)]
    pub(super) fn rest(&self) -> Row<N> {
        self.sum(1)
    }

    /// The sum of the slots in order of arrival, without the first `skip`.
    // In order of arrival, as `chain::Pipeline` sums: another order could round fractions differently.
    #[inline(always)]
    fn sum(&self, skip: usize) -> Row<N> {
        let mut total = Row::ZERO;
        let (behind, ahead) = self
            .slots
            .split_at_checked(self.next)
            .unwrap_or((&self.slots, &[]));
        for slot in ahead.iter().skip(skip).chain(behind) {
            total.add(slot);
        }
        total
    }

    /// Fills one lane's slots.
    pub(super) fn refill(&mut self, column: usize, each: f64) {
        self.slots
            .iter_mut()
            .for_each(|slot| slot.set(column, N::of(each)));
    }

    /// Restores one lane's slots from a copy: the same amounts in order of arrival, even if the ring
    /// buffer has moved since.
    pub(super) fn copy_column(&mut self, from: &Self, column: usize) {
        let len = self.slots.len();
        for step in 0..len {
            let before = from.slots.get((from.next + step) % len);
            let units = before.map_or(N::ZERO, |slot| slot.get(column));
            if let Some(slot) = self.slots.get_mut((self.next + step) % len) {
                slot.set(column, units);
            }
        }
    }

    pub(super) fn into_format<M: Number>(self) -> RowPipeline<M> {
        let slots = self.slots.into_iter().map(Row::into_format).collect();
        RowPipeline {
            slots,
            next: self.next,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Pipeline;

    #[test]
    fn rows_move_like_a_single_pipeline() {
        for delay in 1..=8 {
            let mut single = Pipeline::filled(delay, 100.0);
            let mut rows = RowPipeline::<f32>::filled(delay, 100.0);
            for week in 0..20_u8 {
                let sent = f64::from(week) * 7.0;
                assert_eq!(f64::from(rows.total().get(3)), single.total());
                assert_eq!(f64::from(rows.next().get(3)), single.take());
                assert_eq!(f64::from(rows.rest().get(3)), single.total());
                single.add(sent);
                rows.turn(&Row::filled(sent));
            }
        }
    }

    #[test]
    fn a_column_comes_back_though_the_ring_moved() {
        let mut rows = RowPipeline::<f64>::filled(3, 1.0);
        rows.turn(&Row::filled(5.0));
        let before = rows.clone();
        rows.turn(&Row::filled(6.0));
        rows.turn(&Row::filled(7.0));
        rows.copy_column(&before, 2);
        let arrivals = |line: &RowPipeline<f64>, column| {
            let mut line = line.clone();
            let arrive = |_| {
                let next = line.next().get(column);
                line.turn(&Row::ZERO);
                next
            };
            (0..3).map(arrive).collect::<Vec<f64>>()
        };
        assert_eq!(arrivals(&rows, 2), [1.0, 1.0, 5.0]);
        assert_eq!(arrivals(&rows, 3), [5.0, 6.0, 7.0]);
    }
}
