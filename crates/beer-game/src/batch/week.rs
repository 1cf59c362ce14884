//! The loop over lanes in which a week's shipments and orders are computed.

use super::row::{Row, WIDTH};
use crate::chain::Setup;
use crate::config::{Moment, Rounding};
use crate::number::Number;
use crate::role::{ByRole, Role};
use crate::rule::{Formula, RuleParams, View, specialised};
use crate::units::LARGEST_AMOUNT;
use multiversion::multiversion;

/// Stocks and orders that a week changes, downstream first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amounts<N> {
    pub(super) inventory: ByRole<Row<N>>,
    pub(super) backlog: ByRole<Row<N>>,
    pub(super) on_order: ByRole<Row<N>>,
    /// The largest amount of each lane so far.
    pub(super) peak: Row<N>,
}

impl<N: Number> Amounts<N> {
    pub(super) const ZERO: Self = Self {
        inventory: ByRole::all(Row::ZERO),
        backlog: ByRole::all(Row::ZERO),
        on_order: ByRole::all(Row::ZERO),
        peak: Row::ZERO,
    };

    pub(super) fn into_format<M: Number>(self) -> Amounts<M> {
        Amounts {
            inventory: self.inventory.map(Row::into_format),
            backlog: self.backlog.map(Row::into_format),
            on_order: self.on_order.map(Row::into_format),
            peak: self.peak.into_format(),
        }
    }
}

/// Inputs of the week after orders and deliveries have come in, downstream first.
pub(super) struct Start<'a, N> {
    pub(super) setup: &'a Setup,
    /// The controlled role, where there is one.
    pub(super) role: Option<Role>,
    /// Orders read.
    pub(super) read: &'a ByRole<&'a Row<N>>,
    /// Goods received.
    pub(super) received: &'a ByRole<&'a Row<N>>,
    /// The demand that each formula uses.
    pub(super) estimate: &'a ByRole<&'a Row<N>>,
    /// Goods in transit since an earlier week; 0 where no formula reads them.
    pub(super) under_way: &'a ByRole<Row<N>>,
    /// Orders of the controlled role.
    pub(super) decided: &'a [f32; WIDTH],
    /// Columns in a forced week; `None` when there are none.
    pub(super) forced: Option<[bool; WIDTH]>,
}

/// Goods shipped and orders placed in a week.
pub(super) struct Week<N> {
    pub(super) shipped: ByRole<Row<N>>,
    pub(super) ordered: ByRole<Row<N>>,
}

impl<N: Number> Start<'_, N> {
    /// Events 3 and 4 of a week, on `amounts`.
    ///
    /// When all opponents share a formula, the loop over lanes is compiled for that formula: only then
    /// is it arithmetic without branches, which the compiler turns into vector instructions.
    #[inline(always)]
    pub(super) fn play(
        &self,
        amounts: &mut Amounts<N>,
        formula: &Formula,
        shared: bool,
    ) -> Week<N> {
        if shared {
            return specialised!(
                *formula,
                constant => |_role: Role, view: &View<N>, standing: &RuleParams<N>, estimate: N| {
                    constant.order(view, standing, estimate)
                },
                rule => self.lanes(amounts, rule)
            );
        }
        let formulas = ByRole::from_fn(|role| self.setup.rule_of(role).0);
        self.lanes(amounts, |role, view, standing, estimate| {
            formulas[role].order(view, standing, estimate)
        })
    }

    #[inline(always)]
    fn lanes(
        &self,
        amounts: &mut Amounts<N>,
        rule: impl Fn(Role, &View<N>, &RuleParams<N>, N) -> N,
    ) -> Week<N> {
        match self.setup.board().order_on {
            Moment::StartOfWeek => all_lanes::<N, _, true>(self, amounts, &rule),
            Moment::EndOfWeek => all_lanes::<N, _, false>(self, amounts, &rule),
        }
    }

    /// Plays one role of all lanes and returns its shipments and orders. `sent` is what its supplier
    /// ships.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "l < WIDTH, the length of a row")]
    fn role<const BEFORE: bool>(
        &self,
        role: Role,
        sent: &Row<N>,
        terms: &Terms<N>,
        amounts: &mut Amounts<N>,
        rule: &impl Fn(Role, &View<N>, &RuleParams<N>, N) -> N,
    ) -> (Row<N>, Row<N>) {
        let standing = terms.standing[role];
        let (read, received) = (&self.read[role].0, &self.received[role].0);
        let (estimate, under_way) = (&self.estimate[role].0, &self.under_way[role].0);
        // Copies on the stack: the compiler must know that no two rows overlap in memory, or it cannot
        // use vectors.
        let mut inventory = amounts.inventory[role].0;
        let mut backlog = amounts.backlog[role].0;
        let mut on_order = amounts.on_order[role].0;
        let mut peak = amounts.peak.0;
        let (mut shipped, mut ordered) = (Row::ZERO, Row::ZERO);
        for l in 0..WIDTH {
            // 3. ship
            let available = inventory[l] + received[l];
            let owed = backlog[l] + read[l];
            let ships = available.smaller(owed);
            let (left, owes) = (available - ships, owed - ships);
            // Each sum and difference stands as in `chain::serve` and `chain::view_of`: another order of
            // operations could round differently, and lanes would leave the single game.
            let awaited = on_order[l] - received[l];
            // 4. order
            let in_transit = under_way[l] + sent.0[l];
            let view = if BEFORE {
                View {
                    incoming_order: read[l],
                    inventory: inventory[l],
                    backlog: backlog[l],
                    on_order: awaited + received[l],
                    in_transit: in_transit + received[l] - sent.0[l],
                    unmet: read[l],
                }
            } else {
                View {
                    incoming_order: read[l],
                    inventory: left,
                    backlog: owes,
                    on_order: awaited,
                    in_transit,
                    unmet: N::ZERO,
                }
            };
            let wanted = rule(role, &view, &standing, estimate[l]);
            shipped.0[l] = ships;
            ordered.0[l] = wanted;
            inventory[l] = left;
            backlog[l] = owes;
            on_order[l] = awaited;
        }
        // Loops of their own: conditions that are the same for all lanes stay out of the loop above.
        if Some(role) == self.role {
            for (order, decided) in ordered.0.iter_mut().zip(self.decided) {
                *order = N::of(f64::from(*decided));
            }
        }
        if let Some(forced) = &self.forced {
            for (order, forced) in ordered.0.iter_mut().zip(forced) {
                *order = if *forced { terms.flow } else { *order };
            }
        }
        for order in &mut ordered.0 {
            *order = order.smaller(terms.largest);
        }
        if terms.cut {
            for order in &mut ordered.0 {
                *order = order.whole();
            }
        }
        for l in 0..WIDTH {
            on_order[l] += ordered.0[l];
            peak[l] = (inventory[l] + backlog[l])
                .larger(on_order[l])
                .larger(peak[l]);
        }
        amounts.inventory[role].0 = inventory;
        amounts.backlog[role].0 = backlog;
        amounts.on_order[role].0 = on_order;
        amounts.peak.0 = peak;
        (shipped, ordered)
    }
}

/// The loop over the lanes, compiled twice: for any `x86_64` processor and for those with AVX2.
/// `BEFORE` says whether formulas read the state before the week's receipts.
#[multiversion(targets("x86_64+avx2"))]
fn all_lanes<N, F, const BEFORE: bool>(
    start: &Start<'_, N>,
    amounts: &mut Amounts<N>,
    rule: &F,
) -> Week<N>
where
    N: Number,
    F: Fn(Role, &View<N>, &RuleParams<N>, N) -> N,
{
    let board = start.setup.board();
    let terms = Terms {
        standing: ByRole::from_fn(|role| start.setup.rule_of(role).1.into_format()),
        flow: N::of(f64::from(board.initial_flow)),
        largest: N::of(LARGEST_AMOUNT),
        cut: board.rounding != Rounding::Exact,
    };
    // The brewery first: the shipment of a supplier is the delivery of its buyer.
    let (mut shipped, mut ordered) = (ByRole::all(Row::ZERO), ByRole::all(Row::ZERO));
    let mut sent = Row::ZERO;
    for role in Role::ALL.into_iter().rev() {
        (shipped[role], ordered[role]) = start.role::<BEFORE>(role, &sent, &terms, amounts, rule);
        sent = shipped[role];
    }
    Week { shipped, ordered }
}

/// Constants of the loop over lanes, in its number format.
struct Terms<N> {
    standing: ByRole<RuleParams<N>>,
    flow: N,
    largest: N,
    cut: bool,
}
