//! Sixteen games with the same opponents.

use super::memory::Memories;
use super::row::{Row, RowPipeline, WIDTH};
use super::week::{Amounts, Start, Week};
use super::weeks::Weeks;
use crate::chain::{Chain, Setup};
use crate::config::{Charged, Rounding};
use crate::number::Number;
use crate::role::{ByRole, Role};
use crate::rule::Formula;
use std::sync::Arc;

/// Settings that all blocks share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    /// The controlled role, where there is one.
    pub(super) role: Option<Role>,
    /// The roles whose cost counts.
    pub(super) counted: ByRole<bool>,
    /// Length of the game.
    pub(super) weeks: u32,
    /// Whether the running week's order and delivery are seen.
    pub(super) sees_running_week: bool,
}

/// The lanes that a block holds: column `k` is lane `first + k * stride`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lanes {
    pub(super) first: usize,
    pub(super) stride: usize,
    pub(super) count: usize,
}

impl Lanes {
    /// Reads the entries of the columns' lanes from an array with one entry per lane; columns without
    /// a lane get `none`.
    #[inline(always)]
    pub(super) fn gather<T: Copy>(&self, entries: &[T], none: T) -> [T; WIDTH] {
        let from_first = entries.get(self.first..).unwrap_or_default();
        // With one lineup the lanes of a block are adjacent. A copy of the whole row compiles to two
        // vector loads; the loop below does not. A last block that is not full takes the loop, because
        // fewer than WIDTH entries are left.
        if self.stride == 1
            && let Some(row) = from_first.first_chunk()
        {
            return *row;
        }
        let mut row = [none; WIDTH];
        let each = from_first.iter().step_by(self.stride).take(self.count);
        for (slot, entry) in row.iter_mut().zip(each) {
            *slot = *entry;
        }
        row
    }

    /// Writes a row to the entries of the columns' lanes in an array with one entry per lane.
    #[inline(always)]
    pub(super) fn scatter<T: Copy>(&self, row: &[T; WIDTH], entries: &mut [T]) {
        if let Some(entries) = self.whole(entries) {
            *entries = *row;
            return;
        }
        let from_first = entries.get_mut(self.first..).unwrap_or_default();
        let each = from_first.iter_mut().step_by(self.stride).take(self.count);
        for (entry, value) in each.zip(row) {
            *entry = *value;
        }
    }

    /// The entries of the columns' lanes, when they are adjacent in the array.
    #[inline(always)]
    pub(super) fn whole<'a, T>(&self, entries: &'a mut [T]) -> Option<&'a mut [T; WIDTH]> {
        let side_by_side = self.stride == 1 && self.count == WIDTH;
        let from_first = entries.get_mut(self.first..)?;
        from_first.first_chunk_mut().filter(|_| side_by_side)
    }

    /// The entry of each column's lane with the number of the column.
    pub(super) fn enumerate_mut<'a, T>(
        &self,
        entries: &'a mut [T],
    ) -> impl Iterator<Item = (usize, &'a mut T)> + use<'a, T> {
        let from_first = entries.get_mut(self.first..).unwrap_or_default();
        from_first
            .iter_mut()
            .step_by(self.stride)
            .take(self.count)
            .enumerate()
    }
}

/// The cost account of one role.
///
/// Always in `f64`: a sum of costs is not a whole number, and single games add it up in `f64` too.
#[derive(Debug, Clone)]
struct Book {
    role: Role,
    total: Row<f64>,
    /// Cost that the next week books, where booking lags.
    due: Row<f64>,
    /// Cost that this week books, where booking lags.
    now: Row<f64>,
}

impl Book {
    /// The cost of the role's state.
    #[inline(always)]
    fn cost<N: Number>(&self, setup: &Setup, amounts: &Amounts<N>) -> Row<f64> {
        let mut cost = Row::ZERO;
        let (inventory, backlog) = (&amounts.inventory[self.role], &amounts.backlog[self.role]);
        for (cost, (inventory, backlog)) in
            cost.0.iter_mut().zip(inventory.0.iter().zip(&backlog.0))
        {
            *cost = setup.cost_of(inventory.double(), backlog.double());
        }
        if setup.board().rounding == Rounding::OrdersAndCosts {
            for cost in &mut cost.0 {
                *cost = cost.whole();
            }
        }
        cost
    }
}

/// The last week of the controlled role.
#[derive(Debug, Clone)]
pub(super) struct Last<N> {
    pub(super) read: Row<N>,
    pub(super) received: Row<N>,
    pub(super) ordered: Row<N>,
}

/// Sixteen games between two weeks: the part of `chain::Chain` that the next week depends on, one
/// row for each field.
///
/// Columns without a lane are computed like the others and never read: a loop of constant length
/// is faster than one that leaves them out.
#[derive(Debug, Clone)]
pub(super) struct Block<N> {
    pub(super) setup: Arc<Setup>,
    pub(super) lanes: Lanes,
    /// Weeks closed in each column.
    pub(super) weeks: Weeks,
    /// Demand week by week.
    demand: Vec<Row<N>>,
    pub(super) amounts: Amounts<N>,
    pub(super) slips: ByRole<RowPipeline<N>>,
    pub(super) inbound: ByRole<RowPipeline<N>>,
    memories: Memories<N>,
    books: Vec<Book>,
    pub(super) last: Last<N>,
    /// The opponents' rule, and whether all of them share it.
    formula: Formula,
    shared: bool,
}

impl<N: Number> Block<N> {
    pub(super) fn new(setup: &Arc<Setup>, table: &Table, lanes: Lanes) -> Self {
        let board = setup.board();
        let goods = |role| match role {
            Role::Brewery => board.production_delay,
            _ => board.ship_delay,
        };
        let counted = Role::ALL.into_iter().filter(|role| table.counted[*role]);
        let mut others = Role::ALL
            .into_iter()
            .filter(|role| Some(*role) != table.role);
        let of = |role| setup.rule_of(role).0;
        let formula = others.next().map_or(Formula::FollowDemand, of);
        let mut block = Self {
            lanes,
            weeks: Weeks::START,
            demand: vec![Row::ZERO; table.weeks as usize],
            amounts: Amounts::ZERO,
            slips: ByRole::from_fn(|_| RowPipeline::filled(board.order_delay, 0.0)),
            inbound: ByRole::from_fn(|role| RowPipeline::filled(goods(role), 0.0)),
            memories: Memories::new(setup, table.role),
            books: counted
                .map(|role| Book {
                    role,
                    total: Row::ZERO,
                    due: Row::ZERO,
                    now: Row::ZERO,
                })
                .collect(),
            last: Last {
                read: Row::ZERO,
                received: Row::ZERO,
                ordered: Row::ZERO,
            },
            formula,
            shared: others.all(|role| of(role) == formula),
            setup: Arc::clone(setup),
        };
        for column in 0..WIDTH {
            block.restart(column, &[]);
        }
        block
    }

    /// Resets a column to the start of a game with this demand.
    pub(super) fn restart(&mut self, column: usize, demand: &[u32]) {
        for (week, row) in self.demand.iter_mut().enumerate() {
            row.set(
                column,
                demand
                    .get(week)
                    .map_or(N::ZERO, |units| N::of(f64::from(*units))),
            );
        }
        self.weeks.restart(column);
        let flow = f64::from(self.setup.board().initial_flow);
        for (role, start) in Chain::start(&self.setup).stages {
            self.amounts.inventory[role].set(column, N::of(start.inventory));
            self.amounts.backlog[role].set(column, N::of(start.backlog));
            self.amounts.on_order[role].set(column, N::of(start.on_order));
            self.slips[role].refill(column, flow);
            self.inbound[role].refill(column, flow);
        }
        self.memories.restart(column, flow);
        for book in &mut self.books {
            book.total.set(column, 0.0);
            book.due.set(column, 0.0);
        }
        let Last {
            read,
            received,
            ordered,
        } = &mut self.last;
        [read, received, ordered]
            .into_iter()
            .for_each(|row| row.set(column, N::ZERO));
        // The peak decides the number format of the whole block, so it starts again only when no
        // game of the block is under its influence any more.
        if self.is_fresh() {
            self.amounts.peak = Row::ZERO;
        }
    }

    /// Whether all games are at their start.
    pub(super) fn is_fresh(&self) -> bool {
        self.weeks.all() == Some(0)
    }

    /// Whether any amount has ever been above `limit`.
    #[inline(always)]
    pub(super) fn exceeds(&self, limit: f64) -> bool {
        // No early exit: sixteen comparisons without a branch are a few vector instructions.
        let (limit, mut exceeds) = (N::of(limit), false);
        for peak in &self.amounts.peak.0 {
            exceeds |= *peak > limit;
        }
        exceeds
    }

    /// The same games in another number format.
    pub(super) fn into_format<M: Number>(self) -> Block<M> {
        let Last {
            read,
            received,
            ordered,
        } = self.last;
        Block {
            setup: self.setup,
            lanes: self.lanes,
            weeks: self.weeks,
            demand: self.demand.into_iter().map(Row::into_format).collect(),
            amounts: self.amounts.into_format(),
            slips: self.slips.map(RowPipeline::into_format),
            inbound: self.inbound.map(RowPipeline::into_format),
            memories: self.memories.into_format(),
            books: self.books,
            last: Last {
                read: read.into_format(),
                received: received.into_format(),
                ordered: ordered.into_format(),
            },
            formula: self.formula,
            shared: self.shared,
        }
    }

    /// Plays one week in every column whose game is not over; returns the rewards.
    #[inline(always)]
    pub(super) fn step(&mut self, table: &Table, decided: &[f32; WIDTH]) -> [f32; WIDTH] {
        if self.weeks.all_over(table.weeks) {
            return [0.0; WIDTH];
        }
        // Games that are over must not change. Computing all columns and copying the finished ones
        // back keeps branches out of the arithmetic. The copy is rare: lanes of one run end in the
        // same week, so columns differ only after some of them were reset.
        let before = self.weeks.any_over(table.weeks).then(|| self.clone());
        let mut rewards = self.week(table, decided);
        if let Some(before) = before {
            for (column, reward) in rewards.iter_mut().enumerate() {
                if before.weeks.is_over(column, table.weeks) {
                    *reward = 0.0;
                    self.copy_column(&before, column);
                }
            }
        }
        self.weeks.close(table.weeks);
        rewards
    }

    /// A week of all columns: the numbered events of `chain::Chain`, in the same order.
    #[inline(always)]
    fn week(&mut self, table: &Table, decided: &[f32; WIDTH]) -> [f32; WIDTH] {
        let lagged = self.setup.charged() == Charged::LaggedStock;
        if lagged {
            self.owe();
        }
        // 1 and 2: receive, read
        let customer = self.demand_row();
        let received = ByRole::from_fn(|role| self.inbound[role].next());
        let read = ByRole::from_fn(|role| match role {
            Role::Retailer => &customer,
            _ => self.slips[role].next(),
        });
        // 3 and 4: ship, order
        let estimates = self.memories.estimate(&read, &self.weeks);
        let estimate = match &estimates {
            Some(estimates) => ByRole::from_fn(|role| &estimates[role]),
            None => read,
        };
        // Summing the pipelines takes longer than the rest of the week, so it is done only for rules
        // that read the goods in transit.
        let mut under_way = ByRole::all(Row::ZERO);
        if self.setup.reads_transit() {
            under_way = ByRole::from_fn(|role| self.inbound[role].rest());
        }
        let start = Start {
            setup: &self.setup,
            role: table.role,
            read: &read,
            received: &received,
            estimate: &estimate,
            under_way: &under_way,
            decided,
            forced: self.forced(),
        };
        let Week { shipped, ordered } = start.play(&mut self.amounts, &self.formula, self.shared);
        if let Some(role) = table.role {
            self.last = Last {
                read: *read[role],
                received: *received[role],
                ordered: ordered[role],
            };
        }
        // Pipelines move after the loop over roles, because `read` and `received` borrow their slots.
        for role in Role::ALL {
            match role.supplier() {
                Some(supplier) => {
                    self.inbound[role].turn(&shipped[supplier]);
                    self.slips[supplier].turn(&ordered[role]);
                }
                None => self.inbound[role].turn(&ordered[role]),
            }
        }
        if self.setup.board().brewery_self_order {
            self.slips[Role::Brewery].add(&ordered[Role::Brewery]);
        }
        // 5: cost
        self.book(lagged)
    }

    /// The demand of each column's next week.
    #[inline(always)]
    pub(super) fn demand_row(&self) -> Row<N> {
        if let Some(week) = self.weeks.all() {
            return self.demand.get(week as usize).copied().unwrap_or(Row::ZERO);
        }
        let mut row = Row::ZERO;
        for (column, &week) in self.weeks.each().iter().enumerate() {
            let demand = self
                .demand
                .get(week as usize)
                .map_or(N::ZERO, |row| row.get(column));
            row.set(column, demand);
        }
        row
    }

    /// The columns in a forced week; `None` when the board has no forced weeks.
    #[inline(always)]
    fn forced(&self) -> Option<[bool; WIDTH]> {
        let forced_weeks = self.setup.board().forced_weeks;
        if forced_weeks == 0 {
            return None;
        }
        let mut forced = [false; WIDTH];
        for (forced, week) in forced.iter_mut().zip(self.weeks.each()) {
            *forced = *week < forced_weeks;
        }
        Some(forced)
    }

    /// Where booking lags: takes the cost that the last week left for this one, and leaves the cost
    /// of the state at the start of this week for the next one.
    #[inline(always)]
    fn owe(&mut self) {
        let Self {
            setup,
            amounts,
            books,
            ..
        } = self;
        for book in books {
            let owed = book.cost(setup, amounts);
            book.now = std::mem::replace(&mut book.due, owed);
        }
    }

    /// Books the week's cost of the roles that count and returns the rewards. With `lagged`, the cost
    /// that [`owe`](Self::owe) has set aside.
    #[inline(always)]
    fn book(&mut self, lagged: bool) -> [f32; WIDTH] {
        let Self {
            setup,
            amounts,
            books,
            ..
        } = self;
        let mut rewards = [0.0_f32; WIDTH];
        for book in books {
            let cost = if lagged {
                book.now
            } else {
                book.cost(setup, amounts)
            };
            book.total.add(&cost);
            for (reward, cost) in rewards.iter_mut().zip(&cost.0) {
                *reward -= f32::of(*cost);
            }
        }
        rewards
    }

    /// Restores one column from a copy.
    fn copy_column(&mut self, from: &Self, column: usize) {
        let copy = |row: &mut Row<N>, from: &Row<N>| row.set(column, from.get(column));
        for role in Role::ALL {
            let (amounts, before) = (&mut self.amounts, &from.amounts);
            copy(&mut amounts.inventory[role], &before.inventory[role]);
            copy(&mut amounts.backlog[role], &before.backlog[role]);
            copy(&mut amounts.on_order[role], &before.on_order[role]);
            self.slips[role].copy_column(&from.slips[role], column);
            self.inbound[role].copy_column(&from.inbound[role], column);
        }
        self.memories.copy_column(&from.memories, column);
        for (book, from) in self.books.iter_mut().zip(&from.books) {
            book.total.set(column, from.total.get(column));
            book.due.set(column, from.due.get(column));
        }
        copy(&mut self.last.read, &from.last.read);
        copy(&mut self.last.received, &from.last.received);
        copy(&mut self.last.ordered, &from.last.ordered);
    }

    /// Whether the columns' games are over.
    #[inline(always)]
    pub(super) fn dones(&self, table: &Table) -> [bool; WIDTH] {
        if self.weeks.all().is_some() {
            return [self.weeks.all_over(table.weeks); WIDTH];
        }
        self.weeks.each().map(|week| week >= table.weeks)
    }

    /// The score of a column so far.
    pub(super) fn value(&self, column: usize) -> f64 {
        self.books.iter().map(|book| book.total.get(column)).sum()
    }
}
