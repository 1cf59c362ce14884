//! The dynamics: four stages, orders go upstream, goods go downstream.
//!
//! A week has two halves. [`Chain::open_week`] delivers what is due and ships;
//! [`Chain::close_week`] takes the orders and books the cost. Between them the roles decide
//! (where the board lets them see the running week) or their decisions are already there.
//!
//! The chain knows nothing of seats, scores or agents. It is the part to use for one's
//! own simulations, for example to ask what a rule would cost. A week of the paper's game
//! by hand: each role has 400 units, receives 100, is asked for 100 and so keeps 400; the
//! store costs `max(200, 0.5 * 400) = 200`.
//!
//! ```
//! use beer_game::chain::{Chain, Setup};
//! use beer_game::config::{Board, Cost};
//! use beer_game::role::{ByRole, Role};
//! use beer_game::rule::{Lineup, OrderingRule};
//!
//! let setup = Setup::new(&Board::default(), &Cost::default(), &Lineup::all(OrderingRule::TYPICAL));
//! let mut chain = Chain::start(&setup);
//!
//! chain.open_week(100.0);
//! assert_eq!(chain.stage(Role::Retailer).inventory, 400.0);
//!
//! // The retailer is told what to order, the others follow their rule: 100 + 400 - 400 = 100.
//! let mut decided = ByRole::all(None);
//! decided[Role::Retailer] = Some(400.0);
//! chain.close_week(&setup, &decided);
//! assert_eq!(chain.stage(Role::Retailer).order, 400.0);
//! assert_eq!(chain.stage(Role::Brewery).order, 100.0);
//! assert_eq!(chain.costs(), ByRole::all(200.0));
//!
//! // The slip is on its way: the wholesaler reads it next week.
//! chain.open_week(100.0);
//! assert_eq!(chain.stage(Role::Wholesaler).incoming_order, 400.0);
//! ```
//!
//! Nothing is lost on the way: what a role has ordered is in its supplier's slips, in its
//! supplier's backlog, or in its own inbound goods, and `on_order` is the sum of the
//! three wherever the brewery does not order from itself.

use crate::config::{Board, Charged, Cost, OrderBasis, Rounding};
use crate::number::Number;
use crate::role::{ByRole, Role};
use crate::rule::Lineup;
use crate::rule::{Formula, OrderingRule, RuleInput, RuleMemory, RuleParams, specialised};
use crate::units::LARGEST_AMOUNT;
use serde::{Deserialize, Serialize};

pub use crate::pipeline::{MAX_DELAY, Pipeline};

/// The constants of a game in the form that the dynamics use.
///
/// Everything that stays the same from week to week is worked out once: prices, rules,
/// the steady start, and which parts of a rule's input are needed at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    board: Board,
    holding: f64,
    backlog: f64,
    minimum: f64,
    charged: Charged,
    rules: ByRole<OrderingRule>,
    standing: ByRole<RuleParams>,
    flow: f64,
    start: Chain,
    reads_transit: bool,
    /// Whether any rule averages or forecasts.
    remembers: bool,
    /// Whether all rules order whole amounts, see [`Formula::orders_whole`]; only speed depends on it.
    orders_whole: bool,
    /// The formula of all rules, where they have the same.
    shared: Option<Formula>,
    /// Whether the settings are those that [`Chain::close`] has as constants.
    usual: bool,
}

/// Whether the board has the order of events, the rounding and the books of the preset `paper` and of those that
/// have its physics, all rules are `typical` or one of its moving averages, and none needs the goods in transit.
fn is_usual(board: &Board, cost: &Cost, shared: Option<Formula>, reads_transit: bool) -> bool {
    let typical = matches!(
        shared,
        Some(Formula::Typical {
            alpha: 1.0,
            beta: 1.0,
            ..
        })
    );
    typical
        && board.order_on == OrderBasis::EndOfWeek
        && board.rounding == Rounding::Orders
        && board.forced_weeks == 0
        && !board.brewery_self_order
        && cost.charged == Charged::EndOfWeek
        && !reads_transit
}

/// What each role has on order at the start \[units\].
fn on_order(board: &Board) -> ByRole<f64> {
    let flow = f64::from(board.initial_flow);
    let (supply, production) = (
        flow * lead_time(board),
        flow * f64::from(board.production_delay),
    );
    ByRole::new([supply, supply, supply, production])
}

/// Order delay plus shipment delay \[weeks\].
fn lead_time(board: &Board) -> f64 {
    // Added as doubles: the sum of two unchecked delays may not fit in 32 bits.
    f64::from(board.order_delay) + f64::from(board.ship_delay)
}

/// The parameters of the board that the rule of `role` refers to.
pub(crate) fn standing(board: &Board, role: Role) -> RuleParams {
    RuleParams {
        target: f64::from(board.target_inventory),
        lead_time: lead_time(board),
        initial_flow: f64::from(board.initial_flow),
        initial_position: f64::from(board.initial_inventory) + on_order(board)[role],
        supply_line: board.supply_line,
    }
}

impl Setup {
    /// The constants of a board, its costs and the rules of the roles that are not under control.
    ///
    /// The arguments are not checked here; those of an [`Instance`](crate::Instance) that
    /// passed [`check`](crate::Instance::check) can be played. Delays out of range are
    /// brought into 1 to 8 by [`Pipeline::filled`].
    #[must_use]
    pub fn new(board: &Board, cost: &Cost, lineup: &Lineup) -> Self {
        let on_order = on_order(board);
        let standing = ByRole::from_fn(|role| standing(board, role));
        let mut rules = lineup.rules.iter();
        let reads_transit = rules.any(|(_, rule)| rule.reads_transit(board.supply_line));
        let shared = lineup.rules.shared().map(|rule| rule.0);
        Self {
            board: board.clone(),
            holding: cost.holding,
            backlog: cost.backlog,
            minimum: cost.minimum,
            charged: cost.charged,
            rules: lineup.rules,
            standing,
            flow: f64::from(board.initial_flow),
            start: Chain::steady(board, &on_order),
            reads_transit,
            remembers: lineup.rules.iter().any(|(_, rule)| rule.0.remembers()),
            orders_whole: lineup.rules.iter().all(|(_, rule)| rule.0.orders_whole()),
            shared,
            usual: is_usual(board, cost, shared, reads_transit),
        }
    }

    /// The board.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The parameters of the board that the rule of `role` refers to.
    ///
    /// `lead_time` is order delay plus shipment delay for every role, the brewery
    /// included, and `initial_position` its starting stock plus
    /// all that it has on order:
    ///
    /// ```
    /// use beer_game::chain::Setup;
    /// use beer_game::config::{Board, Cost};
    /// use beer_game::role::Role;
    /// use beer_game::rule::{Lineup, OrderingRule};
    ///
    /// let setup = Setup::new(&Board::default(), &Cost::default(), &Lineup::all(OrderingRule::TYPICAL));
    /// let standing = setup.standing(Role::Retailer);
    /// assert_eq!((standing.lead_time, standing.initial_position), (3.0, 700.0));
    /// assert_eq!(setup.standing(Role::Brewery).initial_position, 600.0);
    /// ```
    #[must_use]
    pub fn standing(&self, role: Role) -> RuleParams {
        self.standing[role]
    }

    /// The formula of a role that is not under control, and the numbers that it refers to.
    pub(crate) fn rule_of(&self, role: Role) -> (Formula, RuleParams) {
        (self.rules[role].0, self.standing[role])
    }

    /// Whether any rule looks at the goods in transit.
    pub(crate) fn reads_transit(&self) -> bool {
        self.reads_transit
    }

    /// When a week is charged.
    pub(crate) fn charged(&self) -> Charged {
        self.charged
    }

    /// The cost of a role's state for one week \[cost / week\].
    ///
    /// `max(minimum, holding * inventory) + backlog * backlog`, before any rounding of
    /// the board:
    ///
    /// ```
    /// use beer_game::chain::Setup;
    /// use beer_game::config::{Board, Cost};
    /// use beer_game::rule::{Lineup, OrderingRule};
    ///
    /// let setup = Setup::new(&Board::default(), &Cost::default(), &Lineup::all(OrderingRule::TYPICAL));
    /// assert_eq!(setup.cost_of(1_000.0, 0.0), 500.0);
    /// assert_eq!(setup.cost_of(0.0, 30.0), 230.0);
    /// ```
    #[inline]
    #[must_use]
    pub fn cost_of(&self, inventory: f64, backlog: f64) -> f64 {
        self.cost_in(inventory, backlog)
    }

    /// [`cost_of`](Self::cost_of) in either number format.
    #[inline(always)]
    pub(crate) fn cost_in<N: Number>(&self, inventory: N, backlog: N) -> N {
        let holding = (N::of(self.holding) * inventory).larger(N::of(self.minimum));
        holding + N::of(self.backlog) * backlog
    }

    /// Whether the cost of whole amounts below 2^23, of which one is 0, needs at most 24 binary
    /// digits: both rates only move the binary point, by at most two places.
    pub(crate) fn costs_are_plain(&self) -> bool {
        let plain = |rate: f64| [0.0, 0.25, 0.5, 1.0].contains(&rate);
        let minimum = self.minimum;
        plain(self.holding)
            && plain(self.backlog)
            && minimum.fract() == 0.0
            && (0.0..=262_144.0).contains(&minimum)
    }

    /// The stage of a role at the start of a game.
    pub(crate) fn start(&self, role: Role) -> &Stage {
        self.start.stage(role)
    }
}

/// One role's stock and everything on its way to it.
///
/// A stage cannot be written field by field, because it also keeps the memory of the
/// role's rule and what lagging books owe: [`Chain::start`] makes the first one, and JSON
/// the later ones. Its public fields may be changed to set up a situation;
/// [`is_sane`](Self::is_sane) says whether one that was read can be played on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Stock on hand \[units\].
    pub inventory: f64,
    /// Orders received and not yet shipped \[units\].
    pub backlog: f64,
    /// Ordered and not yet received \[units\].
    ///
    /// Negative where the brewery orders from itself and more arrives than was ordered.
    pub on_order: f64,
    /// Order slips on their way to this role \[units\].
    pub slips: Pipeline,
    /// Goods on their way to this role; at the brewery, beer in production \[units\].
    pub inbound: Pipeline,
    /// The order read in the last opened week \[units\].
    pub incoming_order: f64,
    /// The goods received in the last opened week \[units\].
    pub incoming_delivery: f64,
    /// The goods shipped in the last opened week \[units\].
    pub outgoing_delivery: f64,
    /// The order placed in the last closed week \[units\].
    pub order: f64,
    /// The cost booked in the last closed week \[cost\].
    pub cost: f64,
    /// The cost booked so far \[cost\].
    pub total_cost: f64,
    /// Stock before the last opened week's events \[units\].
    inventory_before: f64,
    /// Backlog before the last opened week's events \[units\].
    backlog_before: f64,
    /// A cost that the next week will book, where booking lags \[cost\].
    due: f64,
    /// Memory of the role's rule.
    memory: RuleMemory,
}

impl Stage {
    /// Whether no amount is negative and none so large that what is added to it, or its cost, could
    /// become infinite.
    ///
    /// Amounts must be from 0 to 1e30; only `on_order` and the memory of a rule may be
    /// negative. A
    /// game that started from a checked instance never leaves that range.
    #[must_use]
    pub fn is_sane(&self) -> bool {
        /// Far above what the longest game with the dearest goods can reach.
        const MOST: f64 = 1e30;
        let amounts = [
            self.inventory,
            self.backlog,
            self.incoming_order,
            self.incoming_delivery,
            self.outgoing_delivery,
            self.order,
            self.cost,
            self.total_cost,
            self.inventory_before,
            self.backlog_before,
            self.due,
        ];
        amounts
            .into_iter()
            .chain(self.slips.iter())
            .chain(self.inbound.iter())
            .all(|x| (0.0..=MOST).contains(&x))
            && self.on_order.abs() <= MOST
            && self.memory.is_within(MOST)
    }

    /// Events 4 and 5 of a week: the order in its permitted form, which is returned, and the cost.
    #[inline(always)]
    fn book<const USUAL: bool>(&mut self, setup: &Setup, wanted: f64) -> f64 {
        let (rounding, charged) = if USUAL {
            (Rounding::Orders, Charged::EndOfWeek)
        } else {
            (setup.board.rounding, setup.charged)
        };
        let wanted = wanted.larger(0.0).smaller(LARGEST_AMOUNT);
        let order = match rounding {
            Rounding::Exact => wanted,
            _ if setup.orders_whole => cut_rarely(wanted),
            _ => wanted.whole(),
        };
        self.order = order;
        self.on_order += order;
        let cost = match charged {
            Charged::EndOfWeek => setup.cost_of(self.inventory, self.backlog),
            Charged::LaggedStock => std::mem::replace(
                &mut self.due,
                setup.cost_of(self.inventory_before, self.backlog_before),
            ),
        };
        self.cost = if rounding == Rounding::OrdersAndCosts {
            cost.whole()
        } else {
            cost
        };
        self.total_cost += self.cost;
        order
    }
}

/// The whole chain.
///
/// A clone is a second chain at the same point. It is plain numbers without heap memory,
/// so a search can afford one for every branch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// Weeks closed so far.
    pub weeks_closed: u32,
    /// Whether the next week is open: goods and orders have moved, orders are awaited.
    pub is_open: bool,
    /// The stages, downstream first.
    pub stages: ByRole<Stage>,
}

impl Chain {
    /// The chain before the first week: the steady state of the initial flow.
    ///
    /// Every stage has the initial inventory and no backlog, and every slot of its
    /// pipelines the initial flow, so no stock changes as long as demand is the initial
    /// flow and every role orders it.
    #[must_use]
    pub fn start(setup: &Setup) -> Self {
        setup.start.clone()
    }

    fn steady(board: &Board, on_order: &ByRole<f64>) -> Self {
        let flow = f64::from(board.initial_flow);
        let stage = |role: Role| Stage {
            inventory: f64::from(board.initial_inventory),
            backlog: 0.0,
            on_order: on_order[role],
            slips: Pipeline::filled(board.order_delay, flow),
            inbound: match role {
                Role::Brewery => Pipeline::filled(board.production_delay, flow),
                _ => Pipeline::filled(board.ship_delay, flow),
            },
            incoming_order: 0.0,
            incoming_delivery: 0.0,
            outgoing_delivery: 0.0,
            order: 0.0,
            cost: 0.0,
            total_cost: 0.0,
            inventory_before: f64::from(board.initial_inventory),
            backlog_before: 0.0,
            due: 0.0,
            memory: RuleMemory::new(flow),
        };
        Self {
            weeks_closed: 0,
            is_open: false,
            stages: ByRole::from_fn(stage),
        }
    }

    /// The stage of a role.
    #[must_use]
    pub fn stage(&self, role: Role) -> &Stage {
        &self.stages[role]
    }

    /// The first half of a week, for all roles at once:
    ///
    /// 1. goods that are due arrive, and beer that is brewed;
    /// 2. order slips that are due are read; the retailer reads the customer's `demand` \[units\];
    /// 3. every role ships what it owes as far as its stock reaches:
    ///    `min(inventory + received, backlog + order)`.
    ///
    /// # Source
    /// The paper's program (receive, read, ship); the BPTK agents come to the same stocks.
    ///
    /// Call it once before each [`close_week`](Self::close_week). All roles ship in the
    /// same week, and goods take at least one week, so no role gains by coming first.
    #[inline]
    pub fn open_week(&mut self, demand: f64) {
        // The roles are written out: a loop over them looks up who buys from whom in every turn, which
        // takes longer than the arithmetic (bench `single/dynamics`).
        let [retailer, wholesaler, distributor, brewery] = self.stages.each_mut();
        // The retailer's slips are not used: its orders come from the customer.
        serve(retailer, demand);
        // Each buyer has taken the goods that were due, so its last slot is free.
        retailer.inbound.put(serve_slips(wholesaler));
        wholesaler.inbound.put(serve_slips(distributor));
        distributor.inbound.put(serve_slips(brewery));
        self.is_open = true;
    }

    /// The view of `role` when it orders in the open week: the state before or after the week's
    /// receipts, as the board says.
    ///
    /// Meant for the time between [`open_week`](Self::open_week) and
    /// [`close_week`](Self::close_week).
    #[inline]
    #[must_use]
    pub fn view(&self, setup: &Setup, role: Role) -> RuleInput {
        let shipped_to_it = role
            .supplier()
            .map_or(0.0, |s| self.stage(s).outgoing_delivery);
        view_of(setup, self.stage(role), shipped_to_it, true)
    }

    /// The second half of a week:
    ///
    /// 4. every role orders: as `decided` where that is given \[units\], else by its rule; in the
    ///    board's forced weeks the initial flow. Orders join the supplier's slips, the brewery's
    ///    its own production;
    /// 5. the cost of the state is booked, per role
    ///    `max(minimum, holding * inventory) + backlog * backlog`, or what a lagging book owes.
    ///
    /// # Source
    /// As [`open_week`](Self::open_week); the brewery's order in its own slips
    /// (`brewery_self_order`) is an error of the paper's program, kept for `paper-exact`.
    ///
    /// Orders are brought into 0 to 1e12 and, unless the board keeps fractions, cut to
    /// whole numbers. The range that a game permits to seats is not looked at here:
    /// [`Action::permitted`](crate::Action::permitted) has done so.
    #[inline]
    pub fn close_week(&mut self, setup: &Setup, decided: &ByRole<Option<f64>>) {
        // The games that are played most: what the week would read from the settings is constant.
        if setup.usual {
            // Inside the closure the formula is a constant of it, as in `specialised`.
            return self.close::<true, _>(setup, decided, |_, view, standing, demand| {
                let OrderingRule(typical) = OrderingRule::TYPICAL;
                typical.order(view, standing, demand)
            });
        }
        // Dispatch once, outside the loop over roles: matching on the rule for every role costs more
        // than evaluating the rule (bench `single/dynamics`).
        match setup.shared {
            Some(shared) => specialised!(
                shared,
                formula => |_rule: &OrderingRule, view: &RuleInput, standing: &RuleParams, demand: f64| {
                    formula.order(view, standing, demand)
                },
                order => self.close::<false, _>(setup, decided, order)
            ),
            None => self.close::<false, _>(setup, decided, |rule, view, standing, demand| {
                rule.0.order(view, standing, demand)
            }),
        }
    }

    /// `USUAL` promises that the settings are those of [`is_usual`].
    // Not inlined: if all rules were in one function, it would save more registers at its start than any single
    // rule uses.
    #[inline(never)]
    fn close<const USUAL: bool, F>(
        &mut self,
        setup: &Setup,
        decided: &ByRole<Option<f64>>,
        order_of: F,
    ) where
        F: Fn(&OrderingRule, &RuleInput, &RuleParams, f64) -> f64,
    {
        // Written out as in `open_week`. A supplier's own order does not depend on its slips, so the
        // slips may be filled before it.
        let [retailer, wholesaler, distributor, brewery] = self.stages.each_mut();
        let close = Closing::<USUAL, F> {
            setup,
            decided,
            forced: !USUAL && self.weeks_closed < setup.board.forced_weeks,
            order_of,
        };
        let order = close.role(Role::Retailer, retailer, wholesaler.outgoing_delivery);
        wholesaler.slips.put(order);
        let order = close.role(Role::Wholesaler, wholesaler, distributor.outgoing_delivery);
        distributor.slips.put(order);
        let order = close.role(Role::Distributor, distributor, brewery.outgoing_delivery);
        brewery.slips.put(order);
        let order = close.role(Role::Brewery, brewery, 0.0);
        brewery.inbound.put(order);
        if !USUAL && setup.board.brewery_self_order {
            brewery.slips.add(order);
        }
        self.weeks_closed += 1;
        self.is_open = false;
    }

    /// Cost booked so far by each role \[cost\].
    ///
    /// Under lagged booking the last two states of the game are never booked.
    #[must_use]
    pub fn costs(&self) -> ByRole<f64> {
        ByRole::from_fn(|role| self.stages[role].total_cost)
    }
}

/// The second half of a week, the same for every role.
struct Closing<'a, const USUAL: bool, F> {
    setup: &'a Setup,
    decided: &'a ByRole<Option<f64>>,
    /// Whether everyone orders the initial flow.
    forced: bool,
    order_of: F,
}

impl<const USUAL: bool, F> Closing<'_, USUAL, F>
where
    F: Fn(&OrderingRule, &RuleInput, &RuleParams, f64) -> f64,
{
    /// Events 4 and 5 of a week for one role; returns its order.
    #[inline(always)]
    fn role(&self, role: Role, stage: &mut Stage, shipped_to_it: f64) -> f64 {
        let setup = self.setup;
        let wanted = match self.decided[role] {
            Some(units) => units,
            // In a forced week too, because the memory of a rule moves on.
            None => {
                let rule = &setup.rules[role];
                let demand = if setup.remembers {
                    stage.memory.estimate(&rule.0, stage.incoming_order)
                } else {
                    stage.incoming_order
                };
                let view = if USUAL {
                    after_receipts(stage, 0.0)
                } else {
                    view_of(setup, stage, shipped_to_it, setup.reads_transit)
                };
                (self.order_of)(rule, &view, &setup.standing[role], demand)
            }
        };
        stage.book::<USUAL>(setup, if self.forced { setup.flow } else { wanted })
    }
}

/// The whole part of an order that seldom has a fraction.
// A week's orders wait for those of the week before, so a game takes as long as this chain of operations. A
// branch that is predicted correctly does not lengthen the chain; a subtraction always does.
#[inline(always)]
fn cut_rarely(order: f64) -> f64 {
    #[cold]
    #[inline(never)]
    fn cut(order: f64) -> f64 {
        order.whole()
    }
    if order.nearest() == order {
        order
    } else {
        cut(order)
    }
}

/// Events 1 to 3 of a week for a role that reads its slips; returns the amount shipped.
#[inline(always)]
fn serve_slips(stage: &mut Stage) -> f64 {
    let order = stage.slips.take();
    serve(stage, order)
}

/// Events 1 to 3 of a week for one role, which is asked for `order`; returns the amount shipped.
///
/// `on_order` falls by what was received; the order of the week is added when it is
/// placed.
#[inline(always)]
fn serve(stage: &mut Stage, order: f64) -> f64 {
    stage.inventory_before = stage.inventory;
    stage.backlog_before = stage.backlog;
    // 1. and 2. receive and read
    let received = stage.inbound.take();
    // 3. ship
    let available = stage.inventory + received;
    let owed = stage.backlog + order;
    let shipped = available.smaller(owed);
    stage.inventory = available - shipped;
    stage.backlog = owed - shipped;
    stage.on_order -= received;
    stage.incoming_order = order;
    stage.incoming_delivery = received;
    stage.outgoing_delivery = shipped;
    shipped
}

/// `with_transit` says whether the goods in transit are needed: summing them takes longer than the
/// rest of the function.
#[inline]
fn view_of(setup: &Setup, stage: &Stage, shipped_to_it: f64, with_transit: bool) -> RuleInput {
    let in_transit = if with_transit {
        stage.inbound.total()
    } else {
        0.0
    };
    match setup.board.order_on {
        OrderBasis::EndOfWeek => after_receipts(stage, in_transit),
        OrderBasis::StartOfWeek => RuleInput {
            incoming_order: stage.incoming_order,
            inventory: stage.inventory_before,
            backlog: stage.backlog_before,
            on_order: stage.on_order + stage.incoming_delivery,
            in_transit: in_transit + stage.incoming_delivery - shipped_to_it,
            unmet: stage.incoming_order,
        },
    }
}

/// The view of a stage after the week's receipts and shipments.
#[inline(always)]
pub(crate) fn after_receipts(stage: &Stage, in_transit: f64) -> RuleInput {
    RuleInput {
        incoming_order: stage.incoming_order,
        inventory: stage.inventory,
        backlog: stage.backlog,
        on_order: stage.on_order,
        in_transit,
        unmet: 0.0,
    }
}

#[cfg(test)]
mod tests;
