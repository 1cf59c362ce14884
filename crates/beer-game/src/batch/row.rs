//! Rows: one field of 16 lanes, and pipelines of rows.

use crate::chain::MAX_DELAY;
use crate::number::Number;
use crate::role::ByRole;

/// Lanes in a block: a row of `f32` is one cache line of 64 bytes.
pub(super) const WIDTH: usize = 16;

/// Largest amount that a compact block may reach \[units\].
///
/// `f32` holds whole numbers exactly up to 2^24. With amounts below 2^18 and demand up to 1,000,000,
/// the result of a formula is below 2^23; a moving average, or a division by a power of two up to
/// eight, gives at most three binary digits after the point of a number below 2^21. All of these
/// values are exact. The check comes after each week, and in one week no amount grows past 2^23.
pub(super) const LIMIT: f64 = 262_144.0;

/// The permitted whole order nearest to an action, halves up; NaN counts as 0.
#[inline(always)]
pub(super) fn to_order(action: f32, largest: f32) -> f32 {
    // `larger` returns its argument when `action` is NaN, so NaN becomes 0. The clamp comes first:
    // `whole` is exact only below 2^23. Adding 0.5 can round up past `largest`, hence the second one.
    (action.larger(0.0).smaller(largest) + 0.5)
        .whole()
        .smaller(largest)
}

/// One number for each lane of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
// Aligned to a cache line, so that no row is spread over two.
#[repr(align(64))]
pub(super) struct Row<N>(pub(super) [N; WIDTH]);

impl<N: Number> Row<N> {
    pub(super) const ZERO: Self = Self([N::ZERO; WIDTH]);

    #[inline(always)]
    pub(super) fn filled(value: N) -> Self {
        Self([value; WIDTH])
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

/// One pipeline among the slots of a block: a ring of the rows from `first` to before `end`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ring {
    first: u8,
    end: u8,
    // INVARIANT: first <= next < end, or all three are the same for a pipeline that no rule of the game uses.
    /// The row of the slot that arrives next.
    next: u8,
}

impl Ring {
    /// The row of the slot that arrives next.
    #[inline(always)]
    fn next(self) -> usize {
        usize::from(self.next)
    }

    /// The row of the slot that arrives `after` weeks after the next one.
    #[inline(always)]
    fn slot(self, after: usize) -> usize {
        let at = self.next() + after;
        // A comparison, because the remainder of a division by a variable takes longer.
        if at >= usize::from(self.end) {
            at - self.len()
        } else {
            at
        }
    }

    /// Number of slots.
    #[inline(always)]
    fn len(self) -> usize {
        usize::from(self.end - self.first)
    }

    #[inline(always)]
    fn turn(&mut self) {
        let after = self.next + 1;
        // One store, so that no branch is left.
        self.next = if after >= self.end { self.first } else { after };
    }
}

/// The pipelines of all roles. All lanes share the positions in the ring buffers, so a week overwrites
/// one row of each pipeline and moves no other.
///
/// One allocation holds the rows of all pipelines: separate ones would take more memory for their
/// headers than for the rows.
#[derive(Debug, Clone)]
pub(super) struct Lines<N> {
    slots: Vec<Row<N>>,
    /// Order slips on their way to each role; the retailer has none.
    pub(super) slips: ByRole<Ring>,
    /// Goods on their way to each role.
    pub(super) inbound: ByRole<Ring>,
}

impl<N: Number> Lines<N> {
    /// Pipelines of these delays \[weeks\], all slots 0; a delay of 0 is a pipeline that is not used.
    pub(super) fn new(slips: &ByRole<u32>, inbound: &ByRole<u32>) -> Self {
        let mut rows = 0;
        let mut ring = |delay: u32| {
            // At most eight pipelines of at most MAX_DELAY slots, so every number fits.
            let [len, ..] = delay.min(MAX_DELAY).to_le_bytes();
            let first = rows;
            rows += len;
            Ring {
                first,
                end: rows,
                next: first,
            }
        };
        let (slips, inbound) = (slips.map(&mut ring), inbound.map(&mut ring));
        Self {
            slots: vec![Row::ZERO; usize::from(rows)],
            slips,
            inbound,
        }
    }

    /// The amounts that arrive next.
    #[inline(always)]
    pub(super) fn arrival(&self, ring: Ring) -> Row<N> {
        self.slots.get(ring.next()).copied().unwrap_or(Row::ZERO)
    }

    /// Overwrites the amounts that arrive next, which have been read, with those that are sent: after
    /// [`turn`](Self::turn) their slot is the last one.
    #[inline(always)]
    pub(super) fn send(&mut self, ring: Ring, sent: &Row<N>) {
        if let Some(slot) = self.slots.get_mut(ring.next()) {
            *slot = *sent;
        }
    }

    /// Moves all pipelines on by one week.
    #[inline(always)]
    pub(super) fn turn(&mut self) {
        self.slips.values_mut().for_each(Ring::turn);
        self.inbound.values_mut().for_each(Ring::turn);
    }

    /// Adds to the amounts that were sent in this week, before [`turn`](Self::turn).
    pub(super) fn send_more(&mut self, ring: Ring, sent: &Row<N>) {
        if let Some(slot) = self.slots.get_mut(ring.next()) {
            slot.add(sent);
        }
    }

    /// The sum of all amounts on their way.
    #[inline(always)]
    pub(super) fn total(&self, ring: Ring) -> Row<N> {
        self.sum(ring, 0)
    }

    /// The sum of all amounts on their way except those that arrive next.
    #[inline(always)]
    pub(super) fn rest(&self, ring: Ring) -> Row<N> {
        self.sum(ring, 1)
    }

    /// The sum of the slots in order of arrival, without the first `skip`.
    // In order of arrival, as `chain::Pipeline` sums: another order could round fractions differently.
    #[inline(always)]
    fn sum(&self, ring: Ring, skip: usize) -> Row<N> {
        let mut total = Row::ZERO;
        for after in skip..ring.len() {
            if let Some(slot) = self.slots.get(ring.slot(after)) {
                total.add(slot);
            }
        }
        total
    }

    /// Fills the slots of one lane.
    pub(super) fn refill(&mut self, column: usize, each: f64) {
        for slot in &mut self.slots {
            slot.set(column, N::of(each));
        }
    }

    /// Writes the slots of the column `source` of `from` to a column: the same amounts in order of arrival,
    /// even if the ring buffers have moved since.
    pub(super) fn copy_column(&mut self, from: &Self, source: usize, column: usize) {
        let rings = self.slips.into_iter().chain(self.inbound);
        let before = from.slips.into_iter().chain(from.inbound);
        for ((_, ring), (_, old)) in rings.zip(before) {
            for after in 0..ring.len() {
                let units = from.slots.get(old.slot(after));
                let units = units.map_or(N::ZERO, |slot| slot.get(source));
                if let Some(slot) = self.slots.get_mut(ring.slot(after)) {
                    slot.set(column, units);
                }
            }
        }
    }

    pub(super) fn into_format<M: Number>(self) -> Lines<M> {
        Lines {
            slots: self.slots.into_iter().map(Row::into_format).collect(),
            slips: self.slips,
            inbound: self.inbound,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Pipeline;
    use crate::role::Role;

    fn one_line<N: Number>(delay: u32) -> Lines<N> {
        Lines::new(&ByRole::new([0, 1, 2, 3]), &ByRole::all(delay))
    }

    #[test]
    fn rows_move_like_a_single_pipeline() {
        for delay in 1..=8 {
            let mut single = Pipeline::filled(delay, 100.0);
            let mut lines = one_line::<f32>(delay);
            for column in 0..WIDTH {
                lines.refill(column, 100.0);
            }
            for week in 0..20_u8 {
                let sent = f64::from(week) * 7.0;
                let ring = lines.inbound[Role::Brewery];
                assert_eq!(f64::from(lines.total(ring).get(3)), single.total());
                assert_eq!(f64::from(lines.arrival(ring).get(3)), single.take());
                assert_eq!(f64::from(lines.rest(ring).get(3)), single.total());
                single.add(sent);
                single.add(1.0);
                lines.send(ring, &Row::filled(f32::of(sent)));
                lines.send_more(ring, &Row::filled(1.0));
                lines.turn();
            }
        }
    }

    #[test]
    fn a_column_comes_back_though_the_ring_moved() {
        let mut lines = one_line::<f64>(3);
        for column in 0..WIDTH {
            lines.refill(column, 1.0);
        }
        let send = |lines: &mut Lines<f64>, units| {
            let ring = lines.inbound[Role::Retailer];
            lines.send(ring, &Row::filled(units));
            lines.turn();
        };
        send(&mut lines, 5.0);
        let before = lines.clone();
        send(&mut lines, 6.0);
        send(&mut lines, 7.0);
        lines.copy_column(&before, 2, 2);
        let arrivals = |lines: &Lines<f64>, column| {
            let mut lines = lines.clone();
            let arrive = |_| {
                let next = lines.arrival(lines.inbound[Role::Retailer]).get(column);
                lines.turn();
                next
            };
            (0..3).map(arrive).collect::<Vec<f64>>()
        };
        assert_eq!(arrivals(&lines, 2), [1.0, 1.0, 5.0]);
        assert_eq!(arrivals(&lines, 3), [5.0, 6.0, 7.0]);
    }
}
