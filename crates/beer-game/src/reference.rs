//! References for scores: lower bounds on the cost, plans that reach them, and a search for better
//! plans where none does.
//!
//! A reference is *proven* when a plan costs exactly the lower bound. The bounds are:
//! * [`flow_bound`]: for any controlled roles, demand and opponents;
//! * [`team_bound`]: for a team of all four roles without a floor under the holding cost.

use crate::env::BeerGame;
use crate::instance::Instance;
use crate::policy::RulePolicy;
use crate::rule::Rule;
use sim_core::{Effort, Environment as _, Policy as _, Reference, Status};
use std::sync::Arc;

mod flow;
mod plan;
mod search;
mod team;

pub use flow::flow_bound;
pub use plan::{Plan, Replay};
pub use search::{Search, SearchPlan};
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
#[must_use]
pub fn bound(instance: &Instance) -> f64 {
    let team = team_bound(instance).map_or(0.0, |team| team.bound);
    flow_bound(instance).max(team)
}

/// A plan, its cost, and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The orders.
    pub plan: Plan,
    /// Their cost \[cost\].
    pub cost: f64,
    /// How it was found, in a few words.
    pub method: &'static str,
}

/// The best plan that the effort finds: simple plans first, and a search only if they do not
/// reach the bound.
#[must_use]
pub fn best_plan(instance: &Instance, effort: Effort) -> Found {
    let bound = bound(instance);
    // Cheapest first: each step runs only if the plans so far do not reach the bound.
    let mut found = plan::simple(instance);
    if let Some(team) = team_bound(instance) {
        let cost = Replay::new(instance).cost(&team.plan);
        if cost < found.cost {
            found = Found {
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
        Effort::Quick => Search::quick(),
        Effort::Search => Search::thorough(),
    }
    .within(instance.demand.len());
    let better = search.run(instance, &found.plan, bound);
    if better.cost < found.cost {
        return Found {
            plan: better.plan,
            cost: better.cost,
            method: "annealing",
        };
    }
    found
}

/// Cost of Sterman's rule in every controlled seat; `None` if the game cannot be played.
fn baseline(instance: &Instance) -> Option<f64> {
    let mut game = BeerGame::new(Arc::new(instance.clone())).ok()?;
    let mut seats: Vec<_> = instance
        .play
        .controlled
        .iter()
        .map(|role| (*role, RulePolicy::new(instance, *role, Rule::STERMAN)))
        .collect();
    while !game.is_over() {
        let role = game.role_in_turn();
        let (_, policy) = seats.iter_mut().find(|(seat, _)| *seat == role)?;
        let order = policy.act(&game.observe());
        game.step(&order).ok()?;
    }
    Some(game.score().ok()?.value())
}
