//! The observations of the lanes of a block.

use super::FIELDS;
use super::block::{Block, Table};
use super::row::{Row, RowPipeline, WIDTH};
use super::transpose::transpose;
use crate::config::Moment;
use crate::number::Number;
use crate::role::Role;

/// All fields of an observation but the week, in the order of the layout: inventory, backlog,
/// incoming order, incoming delivery, in transit, on order, last order.
type Fields<'a, N> = [&'a Row<N>; FIELDS - 1];

/// One role between two weeks.
struct Stand<'a, N> {
    inventory: &'a Row<N>,
    backlog: &'a Row<N>,
    on_order: &'a Row<N>,
    slips: &'a RowPipeline<N>,
    inbound: &'a RowPipeline<N>,
}

impl<N: Number> Block<N> {
    /// Writes the observations of the columns' lanes, fields in the order of the layout.
    // Rows are passed by reference: copying seven rows takes longer than writing the observation.
    #[inline(always)]
    pub(super) fn observe(&self, table: &Table, obs: &mut [f32]) {
        // Without a controlled role, no observations are produced.
        let Some(role) = table.role else {
            return;
        };
        if table.sees_running_week && !self.weeks.all_over(table.weeks) {
            self.observe_running(table, role, obs);
        } else {
            let stand = self.stand(role);
            self.write(table, self.ended(&stand, &stand.inbound.total()), obs);
        }
    }

    #[inline(always)]
    fn stand(&self, role: Role) -> Stand<'_, N> {
        Stand {
            inventory: &self.amounts.inventory[role],
            backlog: &self.amounts.backlog[role],
            on_order: &self.amounts.on_order[role],
            slips: &self.slips[role],
            inbound: &self.inbound[role],
        }
    }

    /// The observation at the end of the last week.
    #[inline(always)]
    fn ended<'a>(&'a self, role: &Stand<'a, N>, in_transit: &'a Row<N>) -> Fields<'a, N> {
        [
            role.inventory,
            role.backlog,
            &self.last.read,
            &self.last.received,
            in_transit,
            role.on_order,
            &self.last.ordered,
        ]
    }

    /// The observation of the running week, which waits for the order.
    // A block plays whole weeks, because that is one pass over its rows. The first half of the running
    // week is therefore computed here on copies, for the role and its supplier only, and again in
    // `Block::week`; that is less work than storing it for all roles.
    #[inline(always)]
    fn observe_running(&self, table: &Table, role: Role, obs: &mut [f32]) {
        let (customer, supplier) = (self.demand_row(), role.supplier());
        let is_retailer = role == Role::Retailer;
        let role = self.stand(role);
        let read = if is_retailer {
            &customer
        } else {
            role.slips.next()
        };
        let received = role.inbound.next();
        let sent = supplier.map_or(Row::ZERO, |supplier| self.stand(supplier).ships());
        let mut in_transit = role.inbound.rest();
        in_transit.add(&sent);
        let (mut inventory, mut backlog) = (*role.inventory, *role.backlog);
        let mut on_order = *role.on_order;
        // The same additions and subtractions as in `chain::view_of`, in the same order.
        if self.setup.board().order_on == Moment::StartOfWeek {
            in_transit.add(received);
            in_transit.subtract(&sent);
        } else {
            inventory.add(received);
            backlog.add(read);
            let shipped = inventory.least(&backlog);
            inventory.subtract(&shipped);
            backlog.subtract(&shipped);
            on_order.subtract(received);
        }
        let ordered = &self.last.ordered;
        let running = [
            &inventory,
            &backlog,
            read,
            received,
            &in_transit,
            &on_order,
            ordered,
        ];
        if self.weeks.any_over(table.weeks) {
            self.observe_mixed(table, &role, running, obs);
        } else {
            self.write(table, running, obs);
        }
    }

    /// Writes `running`, except for games that are over, which show their last week.
    #[cold]
    fn observe_mixed(
        &self,
        table: &Table,
        role: &Stand<'_, N>,
        running: Fields<'_, N>,
        obs: &mut [f32],
    ) {
        let in_transit = role.inbound.total();
        let ended = self.ended(role, &in_transit);
        let mut rows = running.map(|row| *row);
        for column in (0..WIDTH).filter(|column| self.weeks.is_over(*column, table.weeks)) {
            for (row, ended) in rows.iter_mut().zip(ended) {
                row.set(column, ended.get(column));
            }
        }
        self.write(table, rows.each_ref(), obs);
    }

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "week numbers are small")]
    fn write(&self, table: &Table, fields: Fields<'_, N>, obs: &mut [f32]) {
        let mut rows = [[0.0_f32; WIDTH]; FIELDS];
        let [first, others @ ..] = &mut rows;
        for (slot, week) in first.iter_mut().zip(self.weeks.each()) {
            *slot = (week + 1).min(table.weeks) as f32;
        }
        for (row, field) in others.iter_mut().zip(fields) {
            for (slot, number) in row.iter_mut().zip(&field.0) {
                *slot = f32::of(number.double());
            }
        }
        let (lanes, _) = obs.as_chunks_mut::<FIELDS>();
        if let Some(lanes) = self.lanes.whole(lanes) {
            transpose(&rows, lanes);
        } else {
            let mut columns = [[0.0; FIELDS]; WIDTH];
            transpose(&rows, &mut columns);
            self.lanes.scatter(&columns, lanes);
        }
    }
}

impl<N: Number> Stand<'_, N> {
    /// The amount that a role with a buyer ships in the coming week (events 1 to 3).
    #[inline(always)]
    fn ships(&self) -> Row<N> {
        let available = self.inventory.plus(self.inbound.next());
        available.least(&self.backlog.plus(self.slips.next()))
    }
}
