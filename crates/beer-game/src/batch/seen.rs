//! What the lanes of a block see.

use super::FIELDS;
use super::block::{Block, Table};
use super::row::{Row, WIDTH};
use crate::config::Moment;
use crate::number::Number;

/// All fields of an observation but the week, in the order of the layout.
struct Seen<N> {
    inventory: Row<N>,
    backlog: Row<N>,
    incoming_order: Row<N>,
    incoming_delivery: Row<N>,
    in_transit: Row<N>,
    on_order: Row<N>,
    last_order: Row<N>,
}

impl<N: Number> Seen<N> {
    #[inline(always)]
    fn rows(&self) -> [&Row<N>; FIELDS - 1] {
        [
            &self.inventory,
            &self.backlog,
            &self.incoming_order,
            &self.incoming_delivery,
            &self.in_transit,
            &self.on_order,
            &self.last_order,
        ]
    }
}

impl<N: Number> Block<N> {
    /// Writes what the columns' lanes see, in the order of the layout.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "week numbers are small")]
    pub(super) fn observe(&self, table: &Table, obs: &mut [f32]) {
        let seen = if table.sees_running_week {
            self.in_the_week(table)
        } else {
            self.between_weeks(table)
        };
        let Some(seen) = seen else { return };
        let mut out = [[0.0_f32; FIELDS]; WIDTH];
        for (out, week) in out.iter_mut().zip(&self.weeks) {
            let [first, ..] = out;
            *first = (week + 1).min(table.weeks) as f32;
        }
        for (field, row) in (1..).zip(seen.rows()) {
            for (out, value) in out.iter_mut().zip(&row.0) {
                if let Some(slot) = out.get_mut(field) {
                    *slot = f32::of(value.double());
                }
            }
        }
        let (lanes, _) = obs.as_chunks_mut::<FIELDS>();
        self.lanes.scatter(&out, lanes);
    }

    /// What stands when the last week has ended.
    #[inline(always)]
    fn between_weeks(&self, table: &Table) -> Option<Seen<N>> {
        Some(Seen {
            inventory: *self.amounts.inventory.get(table.role)?,
            backlog: *self.amounts.backlog.get(table.role)?,
            incoming_order: self.last.read,
            incoming_delivery: self.last.received,
            in_transit: self.inbound.get(table.role)?.total(),
            on_order: *self.amounts.on_order.get(table.role)?,
            last_order: self.last.ordered,
        })
    }

    /// What is seen of the week that waits for the order. It is played later; here its first half
    /// is played aside, for the role and its supplier.
    #[inline(always)]
    fn in_the_week(&self, table: &Table) -> Option<Seen<N>> {
        let (role, supplier) = (table.role, table.role + 1);
        let Served {
            inventory,
            backlog,
            read,
            received,
            ..
        } = self.serve(role)?;
        let sent = self
            .serve(supplier)
            .map_or(Row::ZERO, |supplier| supplier.shipped);
        let mut in_transit = self.inbound.get(role)?.rest();
        in_transit.add(&sent);
        let mut seen = Seen {
            inventory,
            backlog,
            incoming_order: read,
            incoming_delivery: received,
            in_transit,
            on_order: *self.amounts.on_order.get(role)?,
            last_order: self.last.ordered,
        };
        if self.setup.board().order_on == Moment::StartOfWeek {
            seen.inventory = *self.amounts.inventory.get(role)?;
            seen.backlog = *self.amounts.backlog.get(role)?;
            let terms = received.0.iter().zip(&sent.0);
            for (slot, (received, sent)) in seen.in_transit.0.iter_mut().zip(terms) {
                *slot = *slot + *received - *sent;
            }
        } else {
            for (slot, received) in seen.on_order.0.iter_mut().zip(&received.0) {
                *slot -= *received;
            }
        }
        if self.weeks.contains(&table.weeks) {
            // A game that is over shows its last week.
            let end = self.between_weeks(table)?;
            for column in (0..WIDTH).filter(|c| self.weeks.get(*c) == Some(&table.weeks)) {
                seen.take_column(&end, column);
            }
        }
        Some(seen)
    }

    /// Events 1 to 3 of the coming week for one role; `None` for the brewery's supplier.
    #[inline(always)]
    fn serve(&self, role: usize) -> Option<Served<N>> {
        let (inventory, backlog) = (
            self.amounts.inventory.get(role)?,
            self.amounts.backlog.get(role)?,
        );
        let received = *self.inbound.get(role)?.next();
        let read = if role == 0 {
            self.demand_row()
        } else {
            *self.slips.get(role)?.next()
        };
        let mut served = Served {
            inventory: Row::ZERO,
            backlog: Row::ZERO,
            shipped: Row::ZERO,
            read,
            received,
        };
        for l in 0..WIDTH {
            #[expect(
                clippy::indexing_slicing,
                reason = "l is below the length of every row"
            )]
            {
                let available = inventory.0[l] + received.0[l];
                let owed = backlog.0[l] + read.0[l];
                let shipped = available.smaller(owed);
                served.inventory.0[l] = available - shipped;
                served.backlog.0[l] = owed - shipped;
                served.shipped.0[l] = shipped;
            }
        }
        Some(served)
    }
}

impl<N: Number> Seen<N> {
    fn take_column(&mut self, from: &Self, column: usize) {
        let to = [
            &mut self.inventory,
            &mut self.backlog,
            &mut self.incoming_order,
            &mut self.incoming_delivery,
            &mut self.in_transit,
            &mut self.on_order,
            &mut self.last_order,
        ];
        for (row, from) in to.into_iter().zip(from.rows()) {
            row.set(column, from.get(column));
        }
    }
}

/// Where a role stands after it shipped.
struct Served<N> {
    inventory: Row<N>,
    backlog: Row<N>,
    shipped: Row<N>,
    read: Row<N>,
    received: Row<N>,
}
