//! Built-in players.
//!
//! All of them decide from the observation alone, history included, so that they go on the same
//! after an interruption.

mod greedy;
mod learning;
mod random;

pub use greedy::Greedy;
pub use learning::Learning;
pub use random::Random;

use super::env::{Attempt, Market, Observation, Outcome};
use super::instance::Instance;
use super::menu::{Menu, OfferId};
use super::optimum::{Solver, solve, solve_milp};
use super::plan::PurchasePlan;
use sim_core::{ConfigError, Policy, PolicySpec};

/// Relaxations that the clairvoyant player may solve.
const RELAXATIONS: usize = 200_000;

/// Submits the best plan every time. It knows the hidden effectiveness.
#[derive(Debug, Clone)]
pub struct Optimal {
    plan: PurchasePlan,
}

impl Optimal {
    /// The player of one instance.
    ///
    /// # Errors
    /// When the solver fails (the general one may).
    pub fn new(instance: &Instance, solver: Solver) -> Result<Self, ConfigError> {
        let lines = match solver {
            Solver::BranchAndBound => solve(instance, RELAXATIONS).plan,
            Solver::Milp => {
                solve_milp(instance).map_err(|e| ConfigError::new("agent", e.to_string()))?
            }
        };
        let plan =
            PurchasePlan::new(lines).map_err(|e| ConfigError::new("agent", e.to_string()))?;
        Ok(Self { plan })
    }
}

impl Policy<Market> for Optimal {
    fn act(&mut self, _: &Observation) -> PurchasePlan {
        self.plan.clone()
    }
}

/// All built-in players.
pub(super) fn all() -> Vec<PolicySpec<Market, Instance>> {
    vec![
        PolicySpec::new(
            "random",
            "buys random offers while the money lasts",
            |making| Ok(Random::new(making.seed)),
        )
        .random(),
        PolicySpec::new(
            "greedy",
            "takes every unit for equally effective and buys what adds most for its money, then \
             changes the best plan so far by one offer at a time; knows the form of the workers' \
             function",
            |_| Ok(Greedy),
        ),
        PolicySpec::new(
            "learning",
            "posterior sampling: draws an effectiveness that explains all feedback and buys the best \
             plan for it; knows the form of the workers' function, the largest \
             effectiveness and the number of periods",
            |making| Ok(Learning::new(making.instance, making.seed)),
        )
        .random(),
        PolicySpec::new(
            "optimal",
            "submits the proven best plan; `milp` finds it by the general solver instead",
            |making| {
                let solver = match making.argument {
                    None | Some("branch-and-bound") => Solver::BranchAndBound,
                    Some("milp") => Solver::Milp,
                    Some(other) => {
                        return Err(ConfigError::new(
                            "agent",
                            format!("`{other}` is no solver; there are branch-and-bound and milp"),
                        ));
                    }
                };
                Optimal::new(making.instance, solver)
            },
        )
        .argument("<solver>", "branch-and-bound")
        .oracle(),
    ]
}

/// The feasible plan with the most workers so far (the earliest of equals), if any supports
/// somebody.
fn best_so_far(observation: &Observation) -> Option<Vec<u32>> {
    let mut best: Option<(f64, &Attempt)> = None;
    for attempt in &observation.history {
        if let Outcome::Supports { workers, .. } = attempt.outcome
            && workers > best.map_or(0.0, |(most, _)| most)
        {
            best = Some((workers, attempt));
        }
    }
    let plan = best?.1.plan.as_ref()?;
    Some(counts(&observation.menu, plan))
}

/// Lines as a count for each offer of the menu.
fn counts(menu: &Menu, lines: &[(OfferId, u32)]) -> Vec<u32> {
    let mut copies = vec![0; menu.offers.len()];
    for (offer, count) in lines {
        if let Some(entry) = copies.get_mut(offer.index()) {
            *entry = *count;
        }
    }
    copies
}

/// What a plan costs, minimum quantities aside \[cents\].
fn cost(menu: &Menu, copies: &[u32]) -> i64 {
    menu.offers
        .iter()
        .zip(copies)
        .filter(|(_, copies)| **copies > 0)
        .map(|(offer, &copies)| offer.upfront_cents() + offer.unit_cents * i64::from(copies))
        .sum()
}

/// Sums that one copy of each offer adds, when each unit of product `j` counts `effect(j)`.
fn effects(menu: &Menu, effect: impl Fn(super::menu::Product) -> f64) -> Vec<Vec<f64>> {
    menu.offers
        .iter()
        .map(|offer| {
            let mut row = vec![0.0; menu.categories()];
            for &(product, units) in &offer.contents {
                if let Some(sum) = row.get_mut(usize::from(product.category)) {
                    *sum += f64::from(units) * effect(product);
                }
            }
            row
        })
        .collect()
}

/// As an action; the copies of our own plans are within the limits.
fn submit(copies: &[u32]) -> PurchasePlan {
    PurchasePlan::from_counts(copies).unwrap_or_default()
}
