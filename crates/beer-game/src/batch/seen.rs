//! The observations of the lanes of a block.

use super::block::{Block, Lanes, Table};
use super::row::{Row, WIDTH};
use super::transpose::{FIELDS, transpose};
use super::week::Stocks;
use crate::config::OrderBasis;
use crate::number::Number;
use crate::role::Role;
use sim_core::Layout;

/// Where the observations of all lanes are written.
pub(super) enum Observations<'a> {
    /// One lane after the other.
    ByLane(&'a mut [[f32; FIELDS]]),
    /// One field after the other, each with an entry for each lane.
    ByField([&'a mut [f32]; FIELDS]),
}

impl<'a> Observations<'a> {
    /// An array of the caller, for `lanes` lanes.
    pub(super) fn of(obs: &'a mut [f32], layout: Layout, lanes: usize) -> Self {
        match layout {
            Layout::FieldMajor => {
                let mut rest = obs;
                Self::ByField(std::array::from_fn(|_| {
                    let (field, others) = std::mem::take(&mut rest)
                        .split_at_mut_checked(lanes)
                        .unwrap_or_default();
                    rest = others;
                    field
                }))
            }
            Layout::LaneMajor => Self::ByLane(obs.as_chunks_mut().0),
        }
    }
}

/// All fields of an observation but the week, in the order of the layout: inventory, backlog,
/// incoming order, incoming delivery, in transit, on order, last order.
type Fields<'a, N> = [&'a Row<N>; FIELDS - 1];

impl<N: Number> Block<N> {
    /// Writes the observations of the columns' lanes, fields in the order of the layout.
    // Rows are passed by reference: copying seven rows takes longer than writing the observation.
    #[inline(always)]
    pub(super) fn observe(&self, table: &Table, obs: &mut Observations<'_>) {
        self.observe_to(self.lanes, table, obs);
    }

    /// Writes the observation of one column.
    pub(super) fn observe_column(&self, table: &Table, column: usize, obs: &mut [f32]) {
        let mut all = [[0.0; FIELDS]; WIDTH];
        let side_by_side = Lanes {
            first: 0,
            stride: 1,
            count: WIDTH,
        };
        self.observe_to(side_by_side, table, &mut Observations::ByLane(&mut all));
        for (slot, number) in obs.iter_mut().zip(all.get(column).into_iter().flatten()) {
            *slot = *number;
        }
    }

    /// Writes the observations to the entries of `to`.
    #[inline(always)]
    fn observe_to(&self, to: Lanes, table: &Table, obs: &mut Observations<'_>) {
        // Without a controlled role, no observations are produced.
        let Some(role) = table.role else {
            return;
        };
        if table.sees_running_week && !self.weeks.all_over(table.weeks) {
            self.observe_running(to, table, role, obs);
        } else {
            let lines = &self.stocks.lines;
            let in_transit = lines.total(lines.inbound[role]);
            self.write(to, table, self.ended(role, &in_transit), obs);
        }
    }

    /// The observation at the end of the last week.
    #[inline(always)]
    fn ended<'a>(&'a self, role: Role, in_transit: &'a Row<N>) -> Fields<'a, N> {
        let Stocks {
            inventory,
            backlog,
            on_order,
            last,
            ..
        } = &self.stocks;
        [
            &inventory[role],
            &backlog[role],
            &last.read,
            &last.received,
            in_transit,
            &on_order[role],
            &last.ordered,
        ]
    }

    /// The orders that a role reads in the coming week.
    #[inline(always)]
    fn reads(&self, role: Role) -> Row<N> {
        let lines = &self.stocks.lines;
        match role {
            Role::Retailer => self.demand_row(),
            _ => lines.arrival(lines.slips[role]),
        }
    }

    /// The goods that a role receives in the coming week.
    #[inline(always)]
    fn receives(&self, role: Role) -> Row<N> {
        let lines = &self.stocks.lines;
        lines.arrival(lines.inbound[role])
    }

    /// Writes the amount that a role ships in the coming week (events 1 to 3).
    #[inline(always)]
    fn ships(&self, role: Role, sent: &mut Row<N>) {
        let available = self.stocks.inventory[role].plus(&self.receives(role));
        let owed = self.stocks.backlog[role].plus(&self.reads(role));
        *sent = available.least(&owed);
    }

    /// The observation of the running week, which waits for the order.
    // A block plays whole weeks, because that is one pass over its rows. The first half of the running
    // week is therefore computed here on copies, for the role and its supplier only, and again in
    // `Block::week`; that is less work than storing it for all roles.
    #[inline(always)]
    fn observe_running(&self, to: Lanes, table: &Table, role: Role, obs: &mut Observations<'_>) {
        let (read, received) = (self.reads(role), self.receives(role));
        let mut sent = Row::ZERO;
        if let Some(supplier) = role.supplier() {
            self.ships(supplier, &mut sent);
        }
        let lines = &self.stocks.lines;
        let mut in_transit = lines.rest(lines.inbound[role]);
        in_transit.add(&sent);
        let mut inventory = self.stocks.inventory[role];
        let mut backlog = self.stocks.backlog[role];
        let mut on_order = self.stocks.on_order[role];
        // The same additions and subtractions as in `chain::view_of`, in the same order.
        if self.setup.board().order_on == OrderBasis::StartOfWeek {
            in_transit.add(&received);
            in_transit.subtract(&sent);
        } else {
            inventory.add(&received);
            backlog.add(&read);
            let shipped = inventory.least(&backlog);
            inventory.subtract(&shipped);
            backlog.subtract(&shipped);
            on_order.subtract(&received);
        }
        let ordered = &self.stocks.last.ordered;
        let running = [
            &inventory,
            &backlog,
            &read,
            &received,
            &in_transit,
            &on_order,
            ordered,
        ];
        if self.weeks.any_over(table.weeks) {
            self.observe_mixed(to, table, role, running, obs);
        } else {
            self.write(to, table, running, obs);
        }
    }

    /// Writes `running`, except for games that are over, which show their last week.
    #[cold]
    fn observe_mixed(
        &self,
        to: Lanes,
        table: &Table,
        role: Role,
        running: Fields<'_, N>,
        obs: &mut Observations<'_>,
    ) {
        let lines = &self.stocks.lines;
        let in_transit = lines.total(lines.inbound[role]);
        let ended = self.ended(role, &in_transit);
        let mut rows = running.map(|row| *row);
        for column in (0..WIDTH).filter(|column| self.weeks.is_over(*column, table.weeks)) {
            for (row, ended) in rows.iter_mut().zip(ended) {
                row.set(column, ended.get(column));
            }
        }
        self.write(to, table, rows.each_ref(), obs);
    }

    #[inline(always)]
    fn write(&self, to: Lanes, table: &Table, fields: Fields<'_, N>, obs: &mut Observations<'_>) {
        match obs {
            Observations::ByField(slots) => {
                // Written out, and straight from the rows of the block: a loop over the fields would first copy
                // them, and so would reading all rows before the first is written.
                let [
                    week,
                    to_inventory,
                    to_backlog,
                    to_read,
                    to_received,
                    to_in_transit,
                    to_on_order,
                    to_ordered,
                ] = slots;
                let [
                    inventory,
                    backlog,
                    read,
                    received,
                    in_transit,
                    on_order,
                    ordered,
                ] = fields;
                to.scatter(&self.coming_weeks(table), week);
                to.scatter(&singles(inventory), to_inventory);
                to.scatter(&singles(backlog), to_backlog);
                to.scatter(&singles(read), to_read);
                to.scatter(&singles(received), to_received);
                to.scatter(&singles(in_transit), to_in_transit);
                to.scatter(&singles(on_order), to_on_order);
                to.scatter(&singles(ordered), to_ordered);
            }
            Observations::ByLane(lanes) => {
                let mut rows = [[0.0_f32; WIDTH]; FIELDS];
                let [first, others @ ..] = &mut rows;
                *first = self.coming_weeks(table);
                for (row, field) in others.iter_mut().zip(fields) {
                    *row = singles(field);
                }
                to.scatter(&transpose(&rows), lanes);
            }
        }
    }

    /// The week that each lane is to decide, counted from 1; after the end, the last one.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "week numbers are small")]
    fn coming_weeks(&self, table: &Table) -> [f32; WIDTH] {
        let of = |week: u32| (week + 1).min(table.weeks) as f32;
        if let Some(week) = self.weeks.all() {
            return [of(week); WIDTH];
        }
        self.weeks.each().map(of)
    }
}

/// A row as single-precision numbers.
#[inline(always)]
fn singles<N: Number>(row: &Row<N>) -> [f32; WIDTH] {
    let mut singles = [0.0; WIDTH];
    for (slot, number) in singles.iter_mut().zip(&row.0) {
        *slot = f32::of(number.double());
    }
    singles
}
