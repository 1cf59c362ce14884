//! The loops over lanes in which a week's shipments and orders are computed.

use super::memory::Memories;
use super::row::{LIMIT, Lines, Row, WIDTH};
use super::weeks::Weeks;
use crate::chain::Setup;
use crate::config::OrderBasis;
use crate::number::Number;
use crate::role::{ByRole, Role};
use crate::rule::{Formula, RuleInput, RuleParams, specialised};
use crate::units::LARGEST_AMOUNT;
use multiversion::multiversion;

/// Everything that a week changes in the stages of sixteen games, downstream first.
#[derive(Debug, Clone)]
pub(super) struct Stocks<N> {
    pub(super) inventory: ByRole<Row<N>>,
    pub(super) backlog: ByRole<Row<N>>,
    pub(super) on_order: ByRole<Row<N>>,
    pub(super) lines: Lines<N>,
    /// The last week of the controlled role.
    pub(super) last: Last<N>,
}

/// The last week of the controlled role.
#[derive(Debug, Clone)]
pub(super) struct Last<N> {
    pub(super) read: Row<N>,
    pub(super) received: Row<N>,
    pub(super) ordered: Row<N>,
}

impl<N: Number> Stocks<N> {
    /// Stages without any goods or orders.
    pub(super) fn new(lines: Lines<N>) -> Self {
        Self {
            inventory: ByRole::all(Row::ZERO),
            backlog: ByRole::all(Row::ZERO),
            on_order: ByRole::all(Row::ZERO),
            lines,
            last: Last {
                read: Row::ZERO,
                received: Row::ZERO,
                ordered: Row::ZERO,
            },
        }
    }

    /// The same stages in another number format.
    pub(super) fn into_format<M: Number>(self) -> Stocks<M> {
        let Last {
            read,
            received,
            ordered,
        } = self.last;
        Stocks {
            inventory: self.inventory.map(Row::into_format),
            backlog: self.backlog.map(Row::into_format),
            on_order: self.on_order.map(Row::into_format),
            lines: self.lines.into_format(),
            last: Last {
                read: read.into_format(),
                received: received.into_format(),
                ordered: ordered.into_format(),
            },
        }
    }

    /// Writes the column `source` of `from` to a column.
    pub(super) fn copy_column(&mut self, from: &Self, source: usize, column: usize) {
        let copy = |row: &mut Row<N>, from: &Row<N>| row.set(column, from.get(source));
        for role in Role::ALL {
            copy(&mut self.inventory[role], &from.inventory[role]);
            copy(&mut self.backlog[role], &from.backlog[role]);
            copy(&mut self.on_order[role], &from.on_order[role]);
        }
        self.lines.copy_column(&from.lines, source, column);
        copy(&mut self.last.read, &from.last.read);
        copy(&mut self.last.received, &from.last.received);
        copy(&mut self.last.ordered, &from.last.ordered);
    }
}

/// Inputs of a week.
pub(super) struct Week<'a, N> {
    pub(super) setup: &'a Setup,
    /// The controlled role, where there is one.
    pub(super) role: Option<Role>,
    /// Orders of the controlled role.
    pub(super) decided: &'a [f32; WIDTH],
    /// Customer demand.
    pub(super) customer: Row<N>,
    /// Weeks closed in each column.
    pub(super) weeks: &'a Weeks,
    /// Columns in a forced week; `None` when there are none.
    // A reference: as a value, the sixteen flags would be loaded before the test for `None`.
    pub(super) forced: Option<&'a [bool; WIDTH]>,
    /// Whether orders have fractions that must be cut off.
    pub(super) cut: bool,
}

impl<N: Number> Week<'_, N> {
    /// Events 1 to 4 of a week: the numbered events of `chain::Chain`, in the same order. Returns
    /// whether an amount exceeds [`LIMIT`].
    ///
    /// When all opponents share a formula, the loop over lanes is compiled for that formula: only then
    /// is it arithmetic without branches, which the compiler turns into vector instructions.
    #[inline(always)]
    pub(super) fn play(
        &self,
        stocks: &mut Stocks<N>,
        memories: &mut Memories<N>,
        formula: &Formula,
        shared: bool,
    ) -> bool {
        if shared {
            return specialised!(
                *formula,
                constant => |_role: Role, view: &RuleInput<N>, standing: &RuleParams<N>, estimate: N| {
                    constant.order(view, standing, estimate)
                },
                rule => all_roles(self, stocks, memories, &rule)
            );
        }
        let formulas = ByRole::from_fn(|role| self.setup.rule_of(role).0);
        let rule = |role, view: &RuleInput<N>, standing: &RuleParams<N>, estimate| {
            formulas[role].order(view, standing, estimate)
        };
        all_roles(self, stocks, memories, &rule)
    }
}

/// Plays the week of all roles, the brewery first: the shipment of a supplier is the delivery of its
/// buyer.
///
/// Compiled once for any `x86_64` processor and once for each kind of wider vectors. All versions do
/// the same operations in the same order, so the results do not depend on the processor.
// The loop over roles is not unrolled, and every loop over lanes inside it is a function of its own:
// the rows that such a function gets are known not to overlap in memory, so the compiler can use
// vectors without copies of the rows.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn all_roles<N, F>(
    week: &Week<'_, N>,
    stocks: &mut Stocks<N>,
    memories: &mut Memories<N>,
    rule: &F,
) -> bool
where
    N: Number,
    F: Fn(Role, &RuleInput<N>, &RuleParams<N>, N) -> N,
{
    let board = week.setup.board();
    let flow = N::of(f64::from(board.initial_flow));
    let reads_transit = week.setup.reads_transit();
    // Whether formulas read the state before the week's receipts.
    let before = board.order_on == OrderBasis::StartOfWeek;
    let (mut sent, mut brewed, mut peak) = (Row::ZERO, Row::ZERO, Row::ZERO);
    for role in Role::ALL.into_iter().rev() {
        // 1 and 2: receive, read
        let (slips, inbound) = (stocks.lines.slips[role], stocks.lines.inbound[role]);
        let received = stocks.lines.arrival(inbound);
        let read = match role {
            Role::Retailer => week.customer,
            _ => stocks.lines.arrival(slips),
        };
        let inventory = &mut stocks.inventory[role];
        let backlog = &mut stocks.backlog[role];
        let on_order = &mut stocks.on_order[role];
        let controlled = Some(role) == week.role;
        let mut shipped = Row::ZERO;
        let mut ordered = Row::ZERO;
        // 3. ship; formulas that read the state before it come first
        if !before {
            ship(inventory, backlog, on_order, &received, &read, &mut shipped);
        }
        // 4. order
        if controlled {
            for (order, decided) in ordered.0.iter_mut().zip(week.decided) {
                *order = N::of(f64::from(*decided));
            }
        } else {
            // Summing the pipelines takes longer than the rest of the week, so it is done only for
            // rules that read the goods in transit.
            let under_way = if reads_transit {
                stocks.lines.rest(inbound)
            } else {
                Row::ZERO
            };
            let known = Known {
                read: &read,
                received: &received,
                sent: &sent,
                under_way: &under_way,
                estimate: &memories.estimate(role, &read, week.weeks),
            };
            let standing = week.setup.rule_of(role).1.into_format();
            let rule = |view: &RuleInput<N>, estimate| rule(role, view, &standing, estimate);
            if before {
                order::<N, _, true>(inventory, backlog, on_order, &known, rule, &mut ordered);
            } else {
                order::<N, _, false>(inventory, backlog, on_order, &known, rule, &mut ordered);
            }
        }
        if before {
            ship(inventory, backlog, on_order, &received, &read, &mut shipped);
        }
        // Loops of their own: conditions that are the same for all lanes stay out of the loops above.
        if let Some(forced) = week.forced {
            for (order, forced) in ordered.0.iter_mut().zip(forced) {
                *order = if *forced { flow } else { *order };
            }
        }
        limit(&mut ordered, week.cut);
        place(inventory, backlog, on_order, &ordered, &mut peak);
        // The slots that have been read take what is sent, and arrive last after the turn below.
        match role.supplier() {
            Some(supplier) => {
                stocks.lines.send(inbound, &sent);
                stocks.lines.send(stocks.lines.slips[supplier], &ordered);
            }
            None => {
                stocks.lines.send(inbound, &ordered);
                brewed = ordered;
            }
        }
        if controlled {
            stocks.last = Last {
                read,
                received,
                ordered,
            };
        }
        sent = shipped;
    }
    if board.brewery_self_order {
        let slips = stocks.lines.slips[Role::Brewery];
        stocks.lines.send_more(slips, &brewed);
    }
    stocks.lines.turn();
    exceeds(&peak)
}

/// Whether any amount is above [`LIMIT`].
#[inline(always)]
fn exceeds<N: Number>(peak: &Row<N>) -> bool {
    // No early exit: sixteen comparisons without a branch are a few vector instructions.
    let (limit, mut exceeds) = (N::of(LIMIT), false);
    for peak in &peak.0 {
        exceeds |= *peak > limit;
    }
    exceeds
}

/// What a role knows when it orders, beside its stock.
struct Known<'a, N> {
    read: &'a Row<N>,
    received: &'a Row<N>,
    /// What its supplier ships this week.
    sent: &'a Row<N>,
    /// Goods in transit since an earlier week; 0 where no formula reads them.
    under_way: &'a Row<N>,
    /// The demand that the formula uses.
    estimate: &'a Row<N>,
}

/// Event 3: `min(stock + received, backlog + read)` is shipped.
// Each sum and difference stands as in `chain::serve`: another order of operations could round
// differently, and lanes would leave the single game.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "l < WIDTH, the length of a row")]
fn ship<N: Number>(
    inventory: &mut Row<N>,
    backlog: &mut Row<N>,
    on_order: &mut Row<N>,
    received: &Row<N>,
    read: &Row<N>,
    shipped: &mut Row<N>,
) {
    for l in 0..WIDTH {
        let available = inventory.0[l] + received.0[l];
        let owed = backlog.0[l] + read.0[l];
        let ships = available.smaller(owed);
        inventory.0[l] = available - ships;
        backlog.0[l] = owed - ships;
        on_order.0[l] -= received.0[l];
        shipped.0[l] = ships;
    }
}

/// Event 4 of a role that follows a rule. The views are those of `chain::view_of`.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "l < WIDTH, the length of a row")]
fn order<N: Number, F: Fn(&RuleInput<N>, N) -> N, const BEFORE: bool>(
    inventory: &Row<N>,
    backlog: &Row<N>,
    on_order: &Row<N>,
    known: &Known<'_, N>,
    rule: F,
    ordered: &mut Row<N>,
) {
    for l in 0..WIDTH {
        let (read, received) = (known.read.0[l], known.received.0[l]);
        let (sent, under_way) = (known.sent.0[l], known.under_way.0[l]);
        let in_transit = under_way + sent;
        let view = if BEFORE {
            RuleInput {
                incoming_order: read,
                inventory: inventory.0[l],
                backlog: backlog.0[l],
                // Not simplified: with fractions the difference and the sum round.
                on_order: on_order.0[l] - received + received,
                in_transit: in_transit + received - sent,
                unmet: read,
            }
        } else {
            RuleInput {
                incoming_order: read,
                inventory: inventory.0[l],
                backlog: backlog.0[l],
                on_order: on_order.0[l],
                in_transit,
                unmet: N::ZERO,
            }
        };
        ordered.0[l] = rule(&view, known.estimate.0[l]);
    }
}

/// Brings orders into the permitted range, and cuts off fractions where the board says so.
#[inline(always)]
fn limit<N: Number>(ordered: &mut Row<N>, cut: bool) {
    let largest = N::of(LARGEST_AMOUNT);
    for order in &mut ordered.0 {
        *order = order.smaller(largest);
    }
    if cut {
        for order in &mut ordered.0 {
            *order = order.whole();
        }
    }
}

/// Adds the orders to what is on order, and keeps the largest amount of each lane.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "l < WIDTH, the length of a row")]
fn place<N: Number>(
    inventory: &Row<N>,
    backlog: &Row<N>,
    on_order: &mut Row<N>,
    ordered: &Row<N>,
    peak: &mut Row<N>,
) {
    for l in 0..WIDTH {
        on_order.0[l] += ordered.0[l];
        peak.0[l] = (inventory.0[l] + backlog.0[l])
            .larger(on_order.0[l])
            .larger(peak.0[l]);
    }
}
