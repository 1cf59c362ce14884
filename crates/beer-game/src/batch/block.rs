//! Sixteen games with the same opponents.

use super::compact::Exact;
use super::demands::Demands;
use super::memory::Memories;
use super::row::{Lines, Row, WIDTH};
use super::week::{Last, Stocks, Week};
use super::weeks::Weeks;
use crate::chain::Setup;
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

impl Table {
    /// The roles whose cost counts, downstream first.
    #[inline(always)]
    pub(super) fn counted(&self) -> impl Iterator<Item = Role> {
        let counted = self.counted;
        Role::ALL.into_iter().filter(move |role| counted[*role])
    }
}

/// The lanes that a block holds: column `k` is lane `first + k * stride`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lanes {
    pub(super) first: usize,
    pub(super) stride: usize,
    pub(super) count: usize,
}

impl Lanes {
    /// One lane alone.
    pub(super) fn one(lane: usize) -> Self {
        Self {
            first: lane,
            stride: 1,
            count: 1,
        }
    }

    /// Applies `of` to the entries of the columns' lanes in an array with one entry per lane; a column without a
    /// lane gets `none`.
    #[inline(always)]
    pub(super) fn gather<T: Copy>(
        &self,
        entries: &[T],
        none: T,
        of: impl Fn(T) -> T,
    ) -> [T; WIDTH] {
        let from_first = entries.get(self.first..).unwrap_or_default();
        let mut row = [none; WIDTH];
        // A loop of constant length compiles to vector instructions; the one below does not.
        let adjacent: Option<&[T; WIDTH]> = from_first.first_chunk();
        if let Some(adjacent) = adjacent.filter(|_| self.is_whole()) {
            for (slot, entry) in row.iter_mut().zip(adjacent) {
                *slot = of(*entry);
            }
            return row;
        }
        let each = from_first.iter().step_by(self.stride).take(self.count);
        for (slot, entry) in row.iter_mut().zip(each) {
            *slot = of(*entry);
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
        let from_first = entries.get_mut(self.first..)?;
        from_first.first_chunk_mut().filter(|_| self.is_whole())
    }

    /// Whether every column has a lane and the lanes are adjacent, as all are but the last ones of a batch with one
    /// lineup.
    #[inline(always)]
    fn is_whole(&self) -> bool {
        self.stride == 1 && self.count == WIDTH
    }
}

/// The cost of a role's state in each lane, computed in the format `M`.
#[inline(always)]
fn cost<N: Number, M: Number>(setup: &Setup, stocks: &Stocks<N>, role: Role) -> Row<M> {
    let mut cost = Row::ZERO;
    let amounts = stocks.inventory[role].0.iter().zip(&stocks.backlog[role].0);
    for (cost, (inventory, backlog)) in cost.0.iter_mut().zip(amounts) {
        *cost = setup.cost_in(M::of(inventory.double()), M::of(backlog.double()));
    }
    if setup.board().rounding == Rounding::OrdersAndCosts {
        for cost in &mut cost.0 {
            *cost = cost.whole();
        }
    }
    cost
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
    demand: Demands,
    pub(super) stocks: Stocks<N>,
    memories: Memories<N>,
    /// The cost so far of each role whose cost counts.
    ///
    /// Always in `f64`: a sum of costs can exceed what `f32` holds exactly, and single games add it up in
    /// `f64` too.
    books: Vec<Row<f64>>,
    /// Where booking lags: the cost that the next week books, for each book.
    due: Vec<Row<f64>>,
    /// The opponents' rule, and whether all of them share it.
    formula: Formula,
    shared: bool,
    pub(super) exact: Exact,
}

impl<N: Number> Block<N> {
    pub(super) fn new(
        setup: &Arc<Setup>,
        table: &Table,
        demand: Option<&Arc<[u32]>>,
        lanes: Lanes,
        exact: Exact,
    ) -> Self {
        let board = setup.board();
        let slips = ByRole::from_fn(|role| match role {
            // The retailer reads the customer's demand.
            Role::Retailer => 0,
            _ => board.order_delay,
        });
        let goods = ByRole::from_fn(|role| match role {
            Role::Brewery => board.production_delay,
            _ => board.ship_delay,
        });
        let books = vec![Row::ZERO; table.counted().count()];
        let lagged = setup.charged() == Charged::LaggedStock;
        let mut others = Role::ALL
            .into_iter()
            .filter(|role| Some(*role) != table.role);
        let of = |role| setup.rule_of(role).0;
        let formula = others.next().map_or(Formula::FollowDemand, of);
        let mut block = Self {
            lanes,
            weeks: Weeks::START,
            demand: Demands::new(demand, table.weeks),
            stocks: Stocks::new(Lines::new(&slips, &goods)),
            memories: Memories::new(setup, table.role),
            due: vec![Row::ZERO; if lagged { books.len() } else { 0 }],
            books,
            formula,
            shared: others.all(|role| of(role) == formula),
            exact,
            setup: Arc::clone(setup),
        };
        for column in 0..WIDTH {
            block.begin(column, &[]);
        }
        block
    }

    /// Resets a lane's column to the start of a game with this demand, which is ignored where all episodes
    /// have the same.
    ///
    /// Columns without a lane begin again with it. Left at the end of their games, they would keep the block from
    /// ever being in one week again, and every week would be played on a copy.
    pub(super) fn restart(&mut self, column: usize, demand: &[u32]) {
        self.begin(column, demand);
        for idle in self.lanes.count..WIDTH {
            self.begin(idle, demand);
        }
    }

    fn begin(&mut self, column: usize, demand: &[u32]) {
        self.demand.replace(column, demand);
        self.weeks.restart(column);
        let board = self.setup.board();
        let flow = f64::from(board.initial_flow);
        let inventory = N::of(f64::from(board.initial_inventory));
        let stocks = &mut self.stocks;
        for role in Role::ALL {
            let on_order = self.setup.start(role).on_order;
            stocks.inventory[role].set(column, inventory);
            stocks.backlog[role].set(column, N::ZERO);
            stocks.on_order[role].set(column, N::of(on_order));
        }
        stocks.lines.refill(column, flow);
        self.memories.restart(column, flow);
        for book in &mut self.books {
            book.set(column, 0.0);
        }
        for due in &mut self.due {
            due.set(column, 0.0);
        }
        let Last {
            read,
            received,
            ordered,
        } = &mut stocks.last;
        [read, received, ordered]
            .into_iter()
            .for_each(|row| row.set(column, N::ZERO));
    }

    /// Whether all games are at their start.
    pub(super) fn is_fresh(&self) -> bool {
        self.weeks.all() == Some(0)
    }

    /// The same games in another number format.
    pub(super) fn into_format<M: Number>(self) -> Block<M> {
        Block {
            setup: self.setup,
            lanes: self.lanes,
            weeks: self.weeks,
            demand: self.demand,
            stocks: self.stocks.into_format(),
            memories: self.memories.into_format(),
            books: self.books,
            due: self.due,
            formula: self.formula,
            shared: self.shared,
            exact: self.exact,
        }
    }

    /// Plays one week in every column whose game is not over, and subtracts its cost from `rewards`, which must be
    /// 0; returns whether an amount in a column is so large that `f32` might not be exact.
    // Rewards are an argument: returned beside the flag, they would be copied twice.
    #[inline(always)]
    pub(super) fn step(
        &mut self,
        table: &Table,
        decided: &[f32; WIDTH],
        rewards: &mut [f64; WIDTH],
    ) -> bool {
        if self.weeks.all_over(table.weeks) {
            return false;
        }
        // Games that are over must not change. Computing all columns and copying the finished ones
        // back keeps branches out of the arithmetic. The copy is rare: lanes of one run end in the
        // same week, so columns differ only after some of them were reset.
        let before = self.weeks.any_over(table.weeks).then(|| self.clone());
        let large = self.week(table, decided, rewards);
        if let Some(before) = before {
            for (column, reward) in rewards.iter_mut().enumerate() {
                if before.weeks.is_over(column, table.weeks) {
                    *reward = 0.0;
                    self.copy_column(&before, column, column);
                }
            }
        }
        self.weeks.close(table.weeks);
        large
    }

    /// A week of all columns.
    #[inline(always)]
    fn week(&mut self, table: &Table, decided: &[f32; WIDTH], rewards: &mut [f64; WIDTH]) -> bool {
        // The cost of the state before the week, where booking lags.
        let lagged = self.setup.charged() == Charged::LaggedStock;
        let owed = lagged.then(|| self.costs_of_state(table));
        let forced = self.forced();
        let week = Week {
            setup: &self.setup,
            role: table.role,
            decided,
            customer: self.demand_row(),
            weeks: &self.weeks,
            forced: forced.as_ref(),
            cut: self.exact.cut,
        };
        let large = week.play(
            &mut self.stocks,
            &mut self.memories,
            &self.formula,
            self.shared,
        );
        match owed {
            Some(owed) => self.book_lagged(owed, rewards),
            // Both compute the same numbers; `f32` does it in half the time.
            None if self.exact.costs => self.book::<N>(table, rewards),
            None => self.book::<f64>(table, rewards),
        }
        large
    }

    /// The demand of each column's next week.
    #[inline(always)]
    pub(super) fn demand_row(&self) -> Row<N> {
        self.demand.next(&self.weeks)
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
            *forced = week < forced_weeks;
        }
        Some(forced)
    }

    /// The cost of the roles that count, in their present state.
    fn costs_of_state(&self, table: &Table) -> Vec<Row<f64>> {
        let roles = table.counted();
        roles
            .map(|role| cost(&self.setup, &self.stocks, role))
            .collect()
    }

    /// Books the week's cost of the roles that count, computed in the format `M`.
    #[inline(always)]
    fn book<M: Number>(&mut self, table: &Table, rewards: &mut [f64; WIDTH]) {
        for (book, role) in self.books.iter_mut().zip(table.counted()) {
            let cost: Row<M> = cost(&self.setup, &self.stocks, role);
            for ((total, reward), cost) in book.0.iter_mut().zip(&mut *rewards).zip(&cost.0) {
                *total += cost.double();
                *reward -= cost.double();
            }
        }
    }

    /// Books the cost that the last week left for this one, and leaves `owed` for the next one.
    fn book_lagged(&mut self, owed: Vec<Row<f64>>, rewards: &mut [f64; WIDTH]) {
        let due = std::mem::replace(&mut self.due, owed);
        for (book, cost) in self.books.iter_mut().zip(&due) {
            book.add(cost);
            for (reward, cost) in rewards.iter_mut().zip(&cost.0) {
                *reward -= cost;
            }
        }
    }

    /// Writes the stocks, memories and costs of the column `source` of `from` to a column.
    fn copy_column(&mut self, from: &Self, source: usize, column: usize) {
        self.stocks.copy_column(&from.stocks, source, column);
        self.memories.copy_column(&from.memories, source, column);
        for (book, from) in self.books.iter_mut().zip(&from.books) {
            book.set(column, from.get(source));
        }
        for (due, from) in self.due.iter_mut().zip(&from.due) {
            due.set(column, from.get(source));
        }
    }

    /// The game of a column in a block of its own, for `lane`. It fills all columns, so that no game of another
    /// lane is computed on.
    pub(super) fn alone(&self, column: usize, lane: usize) -> Self {
        let mut alone = self.clone();
        alone.lanes = Lanes::one(lane);
        alone.demand.fill(column);
        alone.weeks.fill(column);
        for other in 0..WIDTH {
            alone.copy_column(self, column, other);
        }
        alone
    }

    /// Writes whether the columns' games are over.
    #[inline(always)]
    pub(super) fn write_dones(&self, table: &Table, dones: &mut [bool]) {
        match (self.weeks.all(), self.lanes.whole(dones)) {
            (Some(week), Some(dones)) => dones.fill(week >= table.weeks),
            _ => {
                let dones_of_columns = self.weeks.each().map(|week| week >= table.weeks);
                self.lanes.scatter(&dones_of_columns, dones);
            }
        }
    }

    /// The score of a column so far.
    pub(super) fn value(&self, column: usize) -> f64 {
        self.books.iter().map(|book| book.get(column)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::rule::{Lineup, OrderingRule};

    /// Otherwise every week of a batch whose last block is not full would be played on a copy, from the second
    /// game on.
    #[test]
    fn columns_without_a_lane_begin_again_with_the_lanes() {
        let config = Config::paper();
        let lineup = Lineup::all(OrderingRule::BASE_STOCK);
        let setup = Arc::new(Setup::new(&config.board, &config.cost, &lineup));
        let table = Table {
            role: Some(Role::Retailer),
            counted: ByRole::all(true),
            weeks: 3,
            sees_running_week: false,
        };
        let lanes = Lanes {
            first: 0,
            stride: 1,
            count: 2,
        };
        let exact = Exact {
            compact: false,
            cut: false,
            costs: false,
        };
        let mut block: Block<f64> = Block::new(&setup, &table, None, lanes, exact);
        for _ in 0..table.weeks {
            block.step(&table, &[4.0; WIDTH], &mut [0.0; WIDTH]);
        }
        block.restart(0, &[4; 3]);
        assert!(!block.is_fresh());
        block.restart(1, &[4; 3]);
        assert!(block.is_fresh());
        block.step(&table, &[4.0; WIDTH], &mut [0.0; WIDTH]);
        assert!(!block.weeks.any_over(table.weeks));
    }
}
