//! The built-in policies.
//!
//! | policy | knows | idea |
//! |---|---|---|
//! | `random` | nothing | random offers while the money lasts |
//! | `greedy` | the form of the workers' function | most gain per dollar, then one exchange per period |
//! | `learning` | the form, the largest effectiveness, the number of periods | posterior sampling |
//! | `optimal` | everything | the plan of the reference |

// All of them decide from the observation alone, which includes the history, so they need no state of
// their own and continue unchanged after an interruption.

mod greedy;
mod learning;
mod random;

pub use greedy::Greedy;
pub use learning::Learning;
pub use random::Random;

use super::action::Action;
use super::env::Procurement;
use super::instance::Instance;
use super::menu::{Menu, OfferId};
use super::observation::{Feedback, Observation, PlanOutcome};
use super::optimum::{MilpError, Solver, solve_milp};
use super::reference::best_plan;
use sim_core::{ConfigError, Effort, Policy, PolicySpec};

/// Submits one plan in every period, that of the reference or of the general solver: an oracle (knows hidden state).
///
/// The plan is found once, when the policy is made.
#[derive(Debug, Clone)]
pub struct Optimal {
    plan: Action,
}

impl Optimal {
    /// The policy for one instance.
    ///
    /// # Errors
    /// When the instance cannot be used or the solver fails (only the general one may).
    pub fn new(instance: &Instance, solver: Solver, effort: Effort) -> Result<Self, ConfigError> {
        let lines = match solver {
            Solver::BranchAndBound => best_plan(instance, effort)?.plan,
            Solver::Milp => {
                solve_milp(instance).map_err(|e| ConfigError::new("agent", beyond(&e)))?
            }
        };
        let plan = Action::new(lines).map_err(|e| ConfigError::new("agent", e.to_string()))?;
        Ok(Self { plan })
    }
}

/// Why the general solver has no plan, and what has one.
fn beyond(error: &MilpError) -> String {
    match error {
        MilpError::Instance(_) => error.to_string(),
        _ => format!("the general solver cannot solve this market ({error}); `optimal` can"),
    }
}

impl Policy<Procurement> for Optimal {
    fn act(&mut self, _: &Observation) -> Action {
        self.plan.clone()
    }
}

/// The built-in policies, the simplest first.
///
/// ```
/// use econ_envs::procurement::{Config, Instance, Procurement, policies};
/// use sim_core::{Environment, Episode, PolicyContext, Seat, Seed};
/// use std::sync::Arc;
///
/// let instance = Instance::generate(&Config::basic(), Episode::of_run(Seed(1), 0))?;
/// let mut workers = Vec::new();
/// for spec in policies().iter().filter(|spec| spec.about.name != "learning") {
///     let mut policy = spec.make(PolicyContext::new(&instance, &Seat::AGENT, Seed(2)))?;
///     let mut env = Procurement::new(Arc::new(instance.clone()))?;
///     while !env.is_over() {
///         env.step(&policy.act(&env.observe()))?;
///     }
///     workers.push(env.score()?.value());
/// }
/// let [random, greedy, optimal] = workers[..] else { return Err("three policies".into()) };
/// assert!(random <= optimal && greedy <= optimal);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn policies() -> Vec<PolicySpec<Procurement, Instance>> {
    vec![
        PolicySpec::new(
            "random",
            "buys random offers until the budget is spent",
            |context| Ok(Random::new(context.seed)),
        )
        .random(),
        PolicySpec::new(
            "greedy",
            "assumes that all units are equally effective and buys the offers that add most per unit \
             of money, then changes the best plan so far by one offer at a time; knows the form of \
             the workers' function",
            |_| Ok(Greedy),
        ),
        PolicySpec::new(
            "learning",
            "posterior sampling: draws an effectiveness that explains all feedback and buys the best \
             plan for it; knows the form of the workers' function, the largest \
             effectiveness and the number of periods",
            |context| Ok(Learning::new(context.instance, context.seed)),
        )
        .random(),
        PolicySpec::new(
            "optimal",
            "submits the plan of the reference, which is proven best at the presets; `milp` finds it by the \
             general solver instead",
            |context| {
                let solver = match context.argument {
                    None | Some("branch-and-bound") => Solver::BranchAndBound,
                    Some("milp") => Solver::Milp,
                    Some(other) => {
                        return Err(ConfigError::new(
                            "agent",
                            format!("there is no solver `{other}`; there are branch-and-bound and milp"),
                        ));
                    }
                };
                Optimal::new(context.instance, solver, context.effort)
            },
        )
        .argument("<solver>", "branch-and-bound")
        .oracle(),
    ]
}

/// The allowed plan with the most workers so far (the earliest one when several are equal); `None`
/// while no plan supports any workers.
fn best_so_far(observation: &Observation) -> Option<Vec<u32>> {
    let mut best: Option<(f64, &Feedback)> = None;
    for attempt in &observation.history {
        if let PlanOutcome::Supports { workers, .. } = attempt.outcome
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

/// Cost of a plan, ignoring minimum quantities \[cents\].
fn cost(menu: &Menu, copies: &[u32]) -> i64 {
    menu.offers
        .iter()
        .zip(copies)
        .filter(|(_, copies)| **copies > 0)
        .map(|(offer, &copies)| offer.cost(copies))
        .sum()
}

/// Sums that one copy of each offer adds, when each unit of product `j` counts `effect(j)`.
fn effects(menu: &Menu, effect: impl Fn(super::menu::EquipmentType) -> f64) -> Vec<Vec<f64>> {
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

/// The plan as an action. The policies never exceed the limits on copies, so the default (an empty
/// plan) is not used.
fn submit(copies: &[u32]) -> Action {
    Action::from_counts(copies).unwrap_or_default()
}
