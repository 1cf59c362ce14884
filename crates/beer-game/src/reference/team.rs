//! The optimum of a team that controls the whole chain and pays nothing for an empty store.
//!
//! Relaxation: every role may ship any amount up to its stock, and, in the weeks whose orders are
//! fixed, up to the amount it was asked for. Stock costs the same everywhere and nothing
//! while it travels, so moving it on never costs more: given the production, shipping as much as
//! possible is best. Then, from the first free week on, stock stands only at the retailer, and
//! production can be chosen week by week so that the retailer's net stock is 0, or as near as the
//! beer already on its way allows. The resulting cost is a bound; the shipments are a plan: each
//! role orders what its supplier is to ship.

use super::plan::{OrderPlan, Replay};
use crate::config::{Charged, Rounding};
use crate::instance::Instance;
use crate::role::{ByRole, ROLES, Role};

/// A lower bound and a plan that attains it in most games.
#[derive(Debug, Clone, PartialEq)]
pub struct TeamPlan {
    /// Lower bound on the cost of every team \[cost\].
    pub bound: f64,
    /// Orders that attain the bound when orders that large are permitted and the fixed weeks leave no
    /// backlog. [`Replay::cost`] says whether they do.
    pub plan: OrderPlan,
}

/// The bound and plan of a game in which all four roles are under control, holding cost has no
/// floor, the brewery does not order from itself, costs are not cut to whole numbers and are booked
/// at the end of the week, and production takes at least as long as an order. `None` for other
/// games: the argument above does not hold for them.
///
/// ```
/// use beer_game::reference::team_bound;
/// use beer_game::{Config, Instance};
/// use sim_core::{Episode, Seed};
///
/// let episode = Episode::of_run(Seed(7), 0);
/// let classic = Instance::generate(&Config::classic(), episode)?;
/// assert_eq!(team_bound(&classic).map(|team| team.bound), Some(158.0));
///
/// // One controlled role is not a team.
/// assert_eq!(team_bound(&Instance::generate(&Config::paper(), episode)?), None);
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[must_use]
pub fn team_bound(instance: &Instance) -> Option<TeamPlan> {
    let (board, cost) = (&instance.board, &instance.cost);
    let fits = instance.play.controlled.len() == ROLES
        && cost.minimum <= 0.0
        && cost.charged == Charged::EndOfWeek
        && !board.brewery_self_order
        && board.rounding != Rounding::OrdersAndCosts
        && board.production_delay >= board.order_delay;
    if !fits {
        return None;
    }
    let replay = Replay::new(instance);
    let weeks = instance.demand.len();
    let (order, ship) = (board.order_delay as usize, board.ship_delay as usize);
    let production = board.production_delay as usize;
    let forced = board.forced_weeks as usize;
    let (start, flow) = (
        f64::from(board.initial_inventory),
        f64::from(board.initial_flow),
    );
    // Orders read before week `read_free` and beer brewed before week `brew_free` are fixed: they
    // were placed at the start or in the forced weeks, all of them the initial flow.
    let (read_free, brew_free) = (forced + order + 1, forced + production + 1);
    let customer: Vec<f64> = running_sum(replay.demand().iter().copied());
    let fixed = |weeks: usize| flow * as_amount(weeks);

    // Beer brewed up to the end of each week: fixed first, then what the retailer will need when
    // it gets there, after three shipments (brewery to distributor to wholesaler to retailer). Stock
    // and goods in transit at the start of all four stages are passed on downstream and count first.
    let on_the_way = 3.0 * (start + fixed(ship));
    let mut brewed = Vec::with_capacity(weeks + 1);
    let mut so_far = 0.0_f64;
    for week in 0..=weeks {
        if week < brew_free {
            so_far = fixed(week);
        } else if let Some(needed) = customer.get(week + 3 * ship) {
            so_far = so_far.max(needed - start - on_the_way);
        }
        brewed.push(so_far);
    }

    // Shipments from the brewery down to the retailer.
    let mut bound = 0.0;
    let mut received = brewed.clone();
    let mut orders = ByRole::default();
    let mut placed = increments(&brewed, production, weeks);
    for role in Role::ALL.into_iter().rev() {
        let mut shipped = Vec::with_capacity(weeks + 1);
        let mut asked_for = Vec::with_capacity(weeks + 1);
        let mut asked_before = 0.0_f64;
        for (week, received) in received.iter().enumerate() {
            let available = start + received;
            let asked = if role == Role::Retailer {
                customer.get(week).copied()
            } else {
                (week < read_free).then(|| fixed(week))
            };
            let ships = asked.map_or(available, |asked| asked.min(available));
            let owes = asked.map_or(0.0, |asked| asked - ships);
            if week > 0 {
                bound += replay.setup().cost_of(available - ships, owes);
            }
            shipped.push(ships);
            // Cumulative orders must not fall. Where the fixed weeks leave a backlog, they exceed the
            // shipments, and nothing is ordered until the shipments have caught up.
            asked_before = asked.unwrap_or(ships).max(asked_before);
            asked_for.push(asked_before);
        }
        // The buyer orders the amount that this role ships, and receives it `ship` weeks later.
        orders[role] = std::mem::replace(&mut placed, increments(&asked_for, order, weeks));
        let on_its_way = (0..ship).map(fixed);
        let journey = on_its_way.chain(shipped.iter().map(|sum| fixed(ship) + sum));
        received = journey.take(weeks + 1).collect();
    }
    Some(TeamPlan {
        bound,
        plan: OrderPlan { orders },
    })
}

fn as_amount(weeks: usize) -> f64 {
    u32::try_from(weeks).map_or(f64::INFINITY, f64::from)
}

fn running_sum(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sum = 0.0;
    let sums = values.map(|value| {
        sum += value;
        sum
    });
    std::iter::once(0.0).chain(sums).collect()
}

/// The orders that make a cumulative amount come about `delay` weeks later.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "cumulative amounts are whole and grow; the cast saturates"
)]
fn increments(sums: &[f64], delay: usize, weeks: usize) -> Vec<u32> {
    let orders = (1..=weeks).map(|week| {
        let then = sums.get(week + delay);
        let before = sums.get(week + delay - 1);
        then.zip(before)
            .map_or(0, |(then, before)| (then - before) as u32)
    });
    orders.collect()
}
