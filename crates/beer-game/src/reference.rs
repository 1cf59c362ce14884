//! References for scores: lower bounds on the cost, plans that reach them, and a search for better
//! plans where none does.
//!
//! A reference is *proven* when a plan costs exactly the lower bound. The bounds are:
//! * [`flow_bound`]: for any controlled roles, demand and opponents;
//! * [`team_bound`]: for a team of all four roles without a floor under the holding cost.
//!
//! # How a game is solved
//!
//! Because all future demand and all rules are known to the reference, a game is a
//! deterministic problem: choose the orders of the controlled roles, pay what results.
//! Two sides close in on its optimum.
//!
//! *From below.* [`bound`] is the larger of the two bounds. Neither depends on any
//! decision, and both take microseconds.
//!
//! *From above.* [`best_plan`] tries plans, cheapest first, and stops at the bound:
//! constant orders and order-up-to levels on a grid, then the plan of the team bound,
//! then simulated annealing ([`SearchLength`]). Every plan is played by the same dynamics as
//! the game ([`Replay`]), so its cost is what an agent with these orders would get.
//!
//! Where both meet, the plan is optimal, and no enumeration was needed. Where they do
//! not, the optimum lies between `bound` and `optimum`, and the status says
//! [`Status::BestKnown`].
//!
//! ```
//! use beer_game::reference::{OrderPlan, Replay, bound, team_bound};
//! use beer_game::role::Role;
//! use beer_game::{Config, Instance, reference};
//! use sim_core::{Effort, Episode, Seed, Status};
//!
//! let episode = Episode::of_run(Seed(7), 0);
//! let paper = Instance::generate(&Config::paper(), episode)?;
//! assert_eq!(bound(&paper), 9_200.0);
//!
//! // A plan that costs no more than the bound proves it.
//! let mut plan = OrderPlan::default();
//! plan.orders[Role::Retailer] = vec![400; 25];
//! assert_eq!(Replay::new(&paper).cost(&plan), 9_200.0);
//!
//! // The board game with four seats has a bound, and a plan, of its own.
//! let classic = Instance::generate(&Config::classic(), episode)?;
//! let team = team_bound(&classic).ok_or("four seats, no floor under the holding cost")?;
//! assert_eq!(Replay::new(&classic).cost(&team.plan), 158.0);
//! let best = reference(&classic, Effort::Quick);
//! assert_eq!((best.optimum, best.status), (Some(158.0), Status::Proven));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::env::BeerGame;
use crate::instance::Instance;
use crate::policy::RulePolicy;
use crate::role::Role;
use crate::rule::OrderingRule;
use sim_core::{Effort, Environment as _, Policy, Reference, Status};
use std::sync::Arc;

mod flow;
mod own_information;
mod plan;
mod search;
mod team;

pub use flow::flow_bound;
pub use own_information::own_information;
pub use plan::{OrderPlan, Replay};
pub use search::SearchLength;
pub use team::{TeamPlan, team_bound};

/// Relative difference up to which two costs are equal: bound and plan add the same amounts in
/// different orders, so their last digits differ.
const SAME: f64 = 1e-9;

/// The reference of a game: lower bound, best known cost and baseline \[cost\].
///
/// With [`Effort::Quick`] a drawn game gets its bound only, so that a mean over many games does not
/// mix bounds with plans; for a published game simple plans are tried too, which often prove the
/// bound. With [`Effort::Search`] a search runs for every game whose bound is not reached.
///
/// The baseline is the cost of Sterman's rule with mean human parameters in all controlled seats.
///
/// The instance should have passed [`check`](Instance::check): the reference of a game
/// that cannot be played is meaningless, and has no baseline. The result depends on the
/// instance and the effort alone, never on time or threads.
#[must_use]
pub fn reference(instance: &Instance, effort: Effort) -> Reference {
    let bound = bound(instance);
    let baseline = baseline(instance);
    if effort == Effort::Quick && instance.drawn {
        return Reference {
            optimum: None,
            bound: Some(bound),
            baseline,
            status: Status::Bound,
            method: "flow bound".to_owned(),
        };
    }
    let found = best_plan(instance, effort);
    // The absolute difference: a plan below the bound would show an error in the bound, not a proof.
    let proven = (found.cost - bound).abs() <= SAME * bound.max(1.0);
    Reference {
        optimum: Some(found.cost),
        bound: Some(bound),
        baseline,
        status: if proven {
            Status::Proven
        } else {
            Status::BestKnown
        },
        method: if proven {
            format!("{} costs no more than the bound", found.method)
        } else {
            format!("{}; the bound is lower", found.method)
        },
    }
}

/// The best known lower bound \[cost\].
///
/// A cost that no orders of the controlled roles can undercut, given this demand and
/// these rules.
#[must_use]
pub fn bound(instance: &Instance) -> f64 {
    let team = team_bound(instance).map_or(0.0, |team| team.bound);
    flow_bound(instance).max(team)
}

/// A plan, its cost, and how it was found.
///
/// [`Replay::cost`] of the plan gives `cost` again.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPlan {
    /// The orders.
    pub plan: OrderPlan,
    /// Their cost \[cost\].
    pub cost: f64,
    /// How it was found, in a few words.
    pub method: &'static str,
}

/// The best plan that the effort finds: simple plans first, and a search only if they do not
/// reach the bound.
///
/// With [`Effort::Quick`] the search takes hundredths of a second, with
/// [`Effort::Search`] seconds, for games of up to 104 weeks; longer ones take about as
/// long, with fewer moves.
#[must_use]
pub fn best_plan(instance: &Instance, effort: Effort) -> FoundPlan {
    let bound = bound(instance);
    // Cheapest first: each step runs only if the plans so far do not reach the bound.
    let mut found = plan::simple(instance);
    if let Some(team) = team_bound(instance) {
        let cost = Replay::new(instance).cost(&team.plan);
        if cost < found.cost {
            found = FoundPlan {
                plan: team.plan,
                cost,
                method: "the team plan",
            };
        }
    }
    if found.cost - bound <= SAME * bound.max(1.0) {
        return found;
    }
    let search = match effort {
        Effort::Quick => SearchLength::quick(),
        Effort::Search => SearchLength::thorough(),
    }
    .within(instance.demand.len());
    // The search starts from the best simple plan, so it can only improve on it.
    let better = search.run(instance, &found.plan, bound);
    if better.cost < found.cost {
        return better;
    }
    found
}

/// Cost of Sterman's rule in every controlled seat; `None` if the game cannot be played.
fn baseline(instance: &Instance) -> Option<f64> {
    played(instance, |role| {
        RulePolicy::new(instance, role, OrderingRule::STERMAN)
    })
}

/// Cost of a game with a policy in every controlled seat; `None` if the game cannot be played.
fn played<P: Policy<BeerGame>>(instance: &Instance, make: impl Fn(Role) -> P) -> Option<f64> {
    let mut game = BeerGame::new(Arc::new(instance.clone())).ok()?;
    let controlled = instance.play.controlled.iter();
    let mut seats: Vec<_> = controlled.map(|role| (*role, make(*role))).collect();
    while !game.is_over() {
        let role = game.role_in_turn();
        // Sealed orders: a seat decides on what it sees, never on what others ordered
        // this week.
        let (_, policy) = seats.iter_mut().find(|(seat, _)| *seat == role)?;
        let order = policy.act(&game.observe());
        game.step(&order).ok()?;
    }
    Some(game.cost()).filter(|cost| cost.is_finite())
}
