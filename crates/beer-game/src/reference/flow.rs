//! A lower bound from cumulative flows.
//!
//! Write `A(t)`, `D(t)` and `S(t)` for what a role was asked for, received and shipped up to the
//! end of week `t`, and `I0` for its starting stock. The rules of a week come to
//! `S(t) = min(A(t), I0 + D(t))`, and its cost depends on `N(t) = I0 + D(t) - A(t)` alone (stock
//! where positive, backlog where negative). Orders are known up to the first week that a free
//! decision can touch, and anything from nothing to everything after; so are shipments and
//! receipts. Bounds on the cumulative amounts travel down the chain, and each week costs at least
//! what the cheapest `N` between its bounds costs.
//!
//! Why `S(t) = min(A(t), I0 + D(t))`: a role ships all that it owes or all that it has.
//! Backlog stays owed and stock stays in hand, so only the sums matter, not the weeks in
//! which they came about. The smaller of two growing sums grows with each of them, so
//! bounds on `A` and `D` give bounds on `S` without loss.
//!
//! In the paper's game the retailer's first order is read in week 2 and its goods arrive
//! in week 4, so up to week 3 everything is known; later `D` lies between what has
//! arrived and what the largest orders could bring. Customer demand `A` is known
//! throughout. What a week costs at least is then one look at an interval of `N`.

use super::plan::Replay;
use crate::config::{Charged, Rounding};
use crate::instance::Instance;
use crate::number::Number as _;
use crate::role::{ByRole, ROLES, Role};

/// A week after every game: the amount never depends on a free decision.
const NEVER: u32 = u32::MAX;

/// Bounds on a cumulative amount at the end of each week, index 0 before the first week \[units\].
#[derive(Debug, Clone)]
struct Band {
    low: Vec<f64>,
    high: Vec<f64>,
}

/// First weeks, counted from 1, whose orders placed, orders read and goods received may depend on
/// a free decision, per role.
#[derive(Debug, Clone, Copy)]
struct FreeFrom {
    placed: ByRole<u32>,
    read: ByRole<u32>,
    received: ByRole<u32>,
}

/// A lower bound on the cost over all decisions of the controlled roles \[cost\].
///
/// Valid for any demand, any opponents and any controlled roles. It is not always attainable:
/// opponents react to the orders and goods that reach them, which the bound ignores. Takes
/// microseconds.
///
/// ```
/// use beer_game::reference::flow_bound;
/// use beer_game::{Config, Instance};
/// use sim_core::{Episode, Seed};
///
/// let game = Instance::generate(&Config::paper(), Episode::of_run(Seed(7), 0))?;
/// assert_eq!(flow_bound(&game), 9_200.0);
///
/// // A dearer backlog can only raise the bound.
/// let mut dear = game.clone();
/// dear.cost.backlog = 2.0;
/// assert!(flow_bound(&dear) >= flow_bound(&game));
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[must_use]
pub fn flow_bound(instance: &Instance) -> f64 {
    let replay = Replay::new(instance);
    let free = free_from(
        instance,
        replay.controlled(),
        replay.setup().reads_transit(),
    );
    let known = cumulative(&replay);
    let weeks = instance.demand.len();
    let board = &instance.board;
    let start = f64::from(board.initial_inventory);
    let flow = f64::from(board.initial_flow);
    let largest = f64::from(instance.play.largest_order);
    let mut total = 0.0;
    // From the brewery down: a role receives what its supplier ships. S = min(A, I0 + D) grows with
    // both arguments, so the bounds of A and D give those of S without loss.
    let mut shipped: Option<Band> = None;
    for role in Role::ALL.into_iter().rev() {
        // Orders of a controlled buyer grow by at most the largest permitted order a week. Rules of
        // opponents have no such limit, and the self-order of the brewery adds to its buyer's orders.
        let buyer = role.customer();
        let buyer_is_free =
            buyer.is_some_and(|buyer| replay.controlled()[buyer]) && !board.brewery_self_order;
        let growth = if buyer_is_free {
            largest
        } else {
            f64::INFINITY
        };
        let asked = band(&known.asked[role], free.read[role], growth);
        let received = match &shipped {
            None => {
                let free_brewery = replay.controlled()[role];
                let growth = if free_brewery { largest } else { f64::INFINITY };
                band(&known.received[role], free.received[role], growth)
            }
            Some(supplier) => delayed(supplier, board.ship_delay as usize, flow),
        };
        if replay.counted()[role] {
            total += cheapest(instance, &replay, &asked, &received, start, weeks);
        }
        let ship = |asked: &[f64], received: &[f64]| -> Vec<f64> {
            asked
                .iter()
                .zip(received)
                .map(|(a, d)| a.min(start + d))
                .collect()
        };
        shipped = Some(Band {
            low: ship(&asked.low, &received.low),
            high: ship(&asked.high, &received.high),
        });
    }
    total
}

/// The lower bound on the cost of one role over the game.
fn cheapest(
    instance: &Instance,
    replay: &Replay,
    asked: &Band,
    received: &Band,
    start: f64,
    weeks: usize,
) -> f64 {
    // The first and last state (number of weeks closed) that is charged: lagged booking charges the
    // state at the start of a week one week later, so the last two states cost nothing.
    let (first, last) = match instance.cost.charged {
        Charged::EndOfWeek => (1, weeks),
        Charged::LaggedStock if weeks < 2 => return 0.0,
        Charged::LaggedStock => (0, weeks - 2),
    };
    let setup = replay.setup();
    let amounts = asked
        .low
        .iter()
        .zip(&asked.high)
        .zip(received.low.iter().zip(&received.high));
    let states = amounts.skip(first).take(last + 1 - first);
    states
        .map(|((asked_low, asked_high), (received_low, received_high))| {
            let low = start + received_low - asked_high;
            let high = start + received_high - asked_low;
            // The cost of a week is holding * max(N, 0) (or its floor) + backlog * max(-N, 0): it falls
            // towards N = 0 from both sides. The cheapest N in the interval is the one nearest to 0.
            let net = 0.0_f64.clamp(low.min(high), high);
            let cost = setup.cost_of(net.max(0.0), (-net).max(0.0));
            if instance.board.rounding == Rounding::OrdersAndCosts {
                cost.whole()
            } else {
                cost
            }
        })
        .sum()
}

/// The first week in which a free decision can influence each amount. Influence travels upstream
/// with orders and downstream with goods, each with its delay; a rule that reads the goods in
/// transit is influenced in the week of the shipment.
fn free_from(instance: &Instance, controlled: ByRole<bool>, reads_transit: bool) -> FreeFrom {
    let board = &instance.board;
    let first = board.forced_weeks.saturating_add(1);
    let mut free = FreeFrom {
        placed: controlled.map(|controlled| if controlled { first } else { NEVER }),
        read: ByRole::all(NEVER),
        received: ByRole::all(NEVER),
    };
    let later = |week: u32, delay: u32| week.saturating_add(delay);
    // Repeats until nothing changes. Influence passes each role at most once upstream and once
    // downstream, so this number of rounds is enough.
    for _ in 0..4 * ROLES {
        let by_brewery = free.placed[Role::Brewery];
        free.read = ByRole::from_fn(|role| {
            let buyer = role.customer().map_or(NEVER, |buyer| free.placed[buyer]);
            let own = role == Role::Brewery && board.brewery_self_order;
            let first = if own { buyer.min(by_brewery) } else { buyer };
            later(first, board.order_delay)
        });
        let shipped = ByRole::from_fn(|role| free.read[role].min(free.received[role]));
        // Goods that are sent to a role; for the brewery, goods that it brews.
        let sent = ByRole::from_fn(|role| role.supplier().map_or(by_brewery, |s| shipped[s]));
        free.received = ByRole::from_fn(|role| match role {
            Role::Brewery => later(sent[role], board.production_delay),
            _ => later(sent[role], board.ship_delay),
        });
        for role in Role::ALL {
            let in_transit = if reads_transit { sent[role] } else { NEVER };
            let touched = free.read[role].min(free.received[role]).min(in_transit);
            if !controlled[role] {
                free.placed[role] = free.placed[role].min(touched.max(first));
            }
        }
    }
    free
}

/// Cumulative amounts of the game in which every free decision is 0; only the weeks before a
/// free decision are used.
struct Known {
    asked: ByRole<Vec<f64>>,
    received: ByRole<Vec<f64>>,
}

fn cumulative(replay: &Replay) -> Known {
    let sums = || {
        ByRole::from_fn(|_| {
            let mut sums = Vec::with_capacity(replay.demand().len() + 1);
            sums.push(0.0);
            sums
        })
    };
    let mut known = Known {
        asked: sums(),
        received: sums(),
    };
    let mut total = ByRole::all((0.0, 0.0));
    replay.play(
        |_, _, _| 0.0,
        |chain| {
            for (role, stage) in chain.stages.iter() {
                let (asked, received) = &mut total[role];
                *asked += stage.incoming_order;
                *received += stage.incoming_delivery;
                known.asked[role].push(*asked);
                known.received[role].push(*received);
            }
        },
    );
    known
}

/// The bounds of an amount that is known before week `free` (counted from 1) and grows by 0 to
/// `growth` a week from then on.
fn band(known: &[f64], free: u32, growth: f64) -> Band {
    let mut band = Band {
        low: Vec::with_capacity(known.len()),
        high: Vec::with_capacity(known.len()),
    };
    let (mut low, mut high) = (0.0, 0.0);
    for (week, &sum) in (0_u32..).zip(known) {
        if week < free {
            (low, high) = (sum, sum);
        } else {
            high += growth;
        }
        band.low.push(low);
        band.high.push(high);
    }
    band
}

/// The cumulative amount that has arrived, `delay` weeks after shipping; the initial flow arrives
/// before.
fn delayed(shipped: &Band, delay: usize, flow: f64) -> Band {
    let shift = |sums: &[f64]| -> Vec<f64> {
        let mut start = 0.0;
        let mut shifted = Vec::with_capacity(sums.len() + delay);
        shifted.push(start);
        for _ in 0..delay {
            start += flow;
            shifted.push(start);
        }
        shifted.extend(sums.iter().skip(1).map(|sum| start + sum));
        shifted.truncate(sums.len());
        shifted
    };
    Band {
        low: shift(&shipped.low),
        high: shift(&shipped.high),
    }
}
