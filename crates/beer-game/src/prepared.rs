//! The policy `prepared`: it stocks up before demand steps up.

use crate::action::Action;
use crate::env::BeerGame;
use crate::observation::Observation;
use sim_core::Policy;

/// Orders of the first weeks, while demand has not risen \[weeks of initial flow\]; later orders
/// equal the initial flow.
///
/// A large first order makes the rules of the suppliers order more than they need, so that they can
/// deliver when the step comes.
const BEFORE: [f64; 10] = [8.46, 0.0, 0.0, 0.0, 0.0, 1.39, 1.98, 2.92, 1.63, 2.03];

/// Levels by the number of weeks since the step was first seen: `(a, b)` is `a` weeks of initial
/// flow plus `b` weeks of the newest demand; `None` orders nothing. After these weeks, [`LATER`]
/// applies.
///
/// Weeks without an order keep the suppliers from ordering still more.
const AFTER: [Option<(f64, f64)>; 7] = [
    Some((1.21, 3.75)),
    Some((0.82, 4.86)),
    None,
    Some((1.40, 4.71)),
    None,
    Some((1.02, 4.78)),
    None,
];

/// The level from the eighth week after the step on, in the form of [`AFTER`].
const LATER: (f64, f64) = (2.20, 4.37);

/// Follows a table of orders until it sees demand above the initial flow; from then on it orders up
/// to a level that grows with the newest demand.
///
/// It decides from the observations of its own seat alone. Its numbers were tuned on the
/// distribution of the preset `random`; `docs/beer-game.md` says how. Orders and levels are in weeks
/// of the initial flow, so that it can play at any scale.
///
/// ```
/// use beer_game::policy::PreparedPolicy;
/// use beer_game::{Action, Observation};
///
/// let mut policy = PreparedPolicy::new(100.0);
/// let first = Observation { week: 1, on_order: 300.0, largest_order: 5_000, ..Observation::default() };
/// assert_eq!(policy.order(&first), Action::of(846));
/// // Demand has risen to 400: 121 + 3.75 * 400, less what is in stock or on order.
/// let risen = Observation { week: 2, incoming_order: 400.0, inventory: 100.0, on_order: 1_046.0, ..first };
/// assert_eq!(policy.order(&risen), Action::of(121 + 1_500 - 100 - 1_046));
/// ```
#[derive(Debug, Clone)]
pub struct PreparedPolicy {
    flow: f64,
    /// The week to decide when the step was first seen.
    seen: Option<u32>,
}

impl PreparedPolicy {
    /// For a game with this initial flow \[units a week\].
    #[must_use]
    pub fn new(initial_flow: f64) -> Self {
        Self {
            flow: initial_flow,
            seen: None,
        }
    }

    /// The order for an observation. Call it once a week, in order: the policy remembers when
    /// demand rose.
    pub fn order(&mut self, seen: &Observation) -> Action {
        // Once and for all: in the setting that it was tuned on, demand rises a single time.
        if self.seen.is_none() && seen.incoming_order > self.flow {
            self.seen = Some(seen.week);
        }
        let level = match self.seen {
            None => {
                let week = seen.week.saturating_sub(1) as usize;
                let weeks = BEFORE.get(week).map_or(1.0, |weeks| *weeks);
                return Action::nearest(weeks * self.flow, seen.largest_order);
            }
            Some(first) => {
                let since = seen.week.saturating_sub(first) as usize;
                AFTER.get(since).map_or(Some(LATER), |level| *level)
            }
        };
        let wanted = level.map_or(0.0, |(flow, demand)| {
            // With what is on order: without it each week of the delay would be ordered again.
            let position = seen.inventory - seen.backlog + seen.on_order;
            flow * self.flow + demand * seen.incoming_order - position
        });
        Action::nearest(wanted, seen.largest_order)
    }
}

impl Policy<BeerGame> for PreparedPolicy {
    fn act(&mut self, seen: &Observation) -> Action {
        self.order(seen)
    }
}
