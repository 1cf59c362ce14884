//! The best plan of a market with known effectiveness, with a proof.
//!
//! The logarithm of the workers is proportional to the sum of the logarithms of the category sums. It is
//! maximised over whole numbers of copies, under one budget with upfront costs and minimum quantities.
//!
//! ```text
//! open nodes, best bound first
//!   -> remove copies beyond the budget          (program)
//!   -> concave relaxation by an interior point  (relax)    gives multipliers
//!   -> round, fill up, exchange                 (round)    gives plans
//!   -> multipliers bound and shrink the node    (bound)    closes most nodes
//!   -> split where the relaxation underpays most (search)
//! ```
//!
//! The multipliers of every node are kept. They form a [`Certificate`], which [`Certificate::verify`]
//! checks with the integer evaluator and its own arithmetic; the check relies neither on the relaxation
//! nor on the search. [`Solver::Milp`] solves the same problem with a general solver and serves as a
//! differential test.
//!
//! ```
//! use econ_envs::procurement::optimum::solve;
//! use econ_envs::procurement::{Config, Instance};
//! use sim_core::{Episode, Seed};
//!
//! let instance = Instance::generate(&Config::basic(), Episode::of_run(Seed(1), 0))?;
//! let best = solve(&instance, 1_000)?;
//! assert!(best.is_proven());
//! assert!(best.cost_cents <= instance.menu.budget_cents);
//! // Anyone can check the proof, with nothing but the instance and the plan.
//! let checked = best.certificate.verify(&instance, &best.plan)?;
//! assert!(checked.closed > 0);
//! // It proves nothing about a worse plan.
//! let worse = &best.plan[1..];
//! assert!(best.certificate.verify(&instance, worse).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Why a specialised search: the problem has one coupling constraint (the budget) and few categories, so
// a relaxation is a small dense system and a bound needs one multiplier per category. That takes
// milliseconds where a mixed-integer model takes seconds.

mod bound;
mod certificate;
mod milp;
mod program;
mod relax;
mod round;
mod search;

pub use certificate::{Certificate, Node, NodeEnd, Prices, Refuted, VerifiedCertificate};
pub use milp::{MilpError, solve_milp};

use super::action::sparse;
use super::evaluate::{Evaluator, geometric_mean};
use super::instance::Instance;
use super::menu::{Menu, OfferId};
use program::Program;
pub(super) use program::log_of_product;
use round::Draft;
use search::{Found, Limits};
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, math};

/// Largest possible advantage of another plan over a proven one \[difference of sums of logarithms\]; far
/// below the effect of one unit.
pub const TOLERANCE: f64 = 1e-9;

/// The solver that searches the best plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Solver {
    /// The specialised branch and bound: milliseconds, with a certificate.
    #[default]
    BranchAndBound,
    /// A mixed-integer linear model with chord cuts, by microlp: up to some seconds.
    Milp,
}

/// The best plan that was found.
///
/// With a budget that buys nothing useful, the plan is empty, `workers` is 0 and
/// `log_bound` minus infinity.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// Copies by offer, without zeros; empty when no plan within the budget supports any workers.
    pub plan: Vec<(OfferId, u32)>,
    /// The exact sum of each category.
    pub category_sums: Vec<u64>,
    /// Cost of the plan \[cents\].
    pub cost_cents: i64,
    /// Workers that it supports.
    pub workers: f64,
    /// Upper bound on the sum of the logarithms of the category sums of any plan; minus infinity when no
    /// plan supports any workers.
    pub log_bound: f64,
    /// Relaxations solved.
    pub relaxations: usize,
    /// The proof.
    pub certificate: Certificate,
}

impl Optimum {
    /// Whether no plan is better by more than the [`TOLERANCE`].
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.log_bound <= sum_of_logs(&self.category_sums) + TOLERANCE
    }

    /// Upper bound on the workers of any plan; absent when the search ended before it had a bound.
    #[must_use]
    pub fn bound(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "at most 63 categories")]
        let k = self.category_sums.len().max(1) as f64;
        // Taking the logarithm and undoing it may round below the value itself.
        let bound = math::exp(self.log_bound / k).max(self.workers);
        bound.is_finite().then_some(bound)
    }
}

/// Largest number of domains (one per offer) in all open nodes of a search together: about 250 MB.
const MOST_RANGES: usize = 20_000_000;

/// Offers times categories squared at the largest published level. The work of a relaxation is
/// proportional to this product.
const WORK_OF_HARD: usize = 100 * 10 * 10;

/// Factor by which markets above the largest published level get fewer relaxations. That level is
/// proven with a few hundred of the 20,000 relaxations of a quick search, but a larger market may use
/// all of them.
const ABOVE_HARD: usize = 10;

/// The number of relaxations for a market of this size, at most `relaxations`, so that a search costs
/// about the same at any size; at least one, which gives a bound.
fn affordable(relaxations: usize, offers: usize, categories: usize) -> usize {
    let work = offers.saturating_mul(categories.saturating_mul(categories));
    let by_work = if work <= WORK_OF_HARD {
        relaxations
    } else {
        relaxations.saturating_mul(WORK_OF_HARD) / work / ABOVE_HARD
    };
    by_work.min(MOST_RANGES / offers.max(1)).max(1)
}

/// Finds the best plan of an instance, solving at most `relaxations` relaxations.
///
/// The HARD level needs up to a few hundred. Markets above that level get fewer, because each one is
/// more work, and very long menus only as many as memory allows. When the search ends early, the result
/// is the best plan so far with a bound.
///
/// # Errors
/// When [`Instance::check`] refuses the instance.
///
/// The result is the same on every machine: work is counted in relaxations, never in
/// time.
pub fn solve(instance: &Instance, relaxations: usize) -> Result<Optimum, ConfigError> {
    let evaluator = Evaluator::new(instance)?;
    #[expect(clippy::cast_precision_loss, reason = "effects are at most 1e9")]
    let rows: Vec<Vec<f64>> = instance
        .rows()
        .iter()
        .map(|row| row.iter().map(|&value| value as f64).collect())
        .collect();
    // Only for large markets: the published levels get what was asked for.
    let relaxations = affordable(relaxations, rows.len(), instance.menu.categories());
    // The other half of the tolerance covers the rounding of the certificate's check.
    let limits = Limits {
        tolerance: TOLERANCE / 2.0,
        relaxations,
    };
    let found = program(&instance.menu, &rows).search(limits, None);
    let plan: Vec<(OfferId, u32)> = sparse(&found.copies).collect();
    let category_sums = evaluator.sums(&plan);
    Ok(Optimum {
        cost_cents: evaluator.evaluate(&plan).cost_cents,
        workers: geometric_mean(&category_sums),
        category_sums,
        plan,
        log_bound: found.bound,
        relaxations: found.relaxations,
        certificate: found.certificate,
    })
}

/// A good plan for estimated effects (`rows`, one row per offer): within `gap` of the best \[sum of
/// logarithms\] if `relaxations` suffice, of which a large market gets fewer. `start` is a first plan.
pub(super) fn good_plan(
    menu: &Menu,
    rows: &[Vec<f64>],
    start: Option<&[u32]>,
    gap: f64,
    relaxations: usize,
) -> Vec<u32> {
    let limits = Limits {
        tolerance: gap,
        relaxations: affordable(relaxations, rows.len(), menu.categories()),
    };
    program(menu, rows).search(limits, start).copies
}

/// Spends the budget greedily, starting with `copies`: buys repeatedly the offer that adds most to the sum
/// of logarithms per cent.
pub(super) fn fill_greedily(menu: &Menu, rows: &[Vec<f64>], copies: &[u32]) -> Vec<u32> {
    program(menu, rows).fill(copies)
}

/// A program of any width.
// A trait object, so that the callers need not be generic in the width. One dynamic call costs nothing beside a
// search.
trait AnyProgram {
    fn search(&self, limits: Limits, start: Option<&[u32]>) -> Found;
    fn fill(&self, copies: &[u32]) -> Vec<u32>;
}

impl<const N: usize> AnyProgram for Program<N> {
    fn search(&self, limits: Limits, start: Option<&[u32]>) -> Found {
        search::search(self, limits, start)
    }

    fn fill(&self, copies: &[u32]) -> Vec<u32> {
        let offers: Vec<usize> = (0..self.rows.len()).collect();
        let mut draft = Draft::of(self, copies.to_vec());
        draft.fill(self, &offers);
        draft.copies
    }
}

/// Chooses the row length. Rows are arrays of a constant length, so that the inner loops have no bounds
/// checks and are vectorised; the six lengths keep the padding small.
fn program(menu: &Menu, rows: &[Vec<f64>]) -> Box<dyn AnyProgram> {
    match menu.categories() {
        // One entry more than categories: the relaxation keeps the price there.
        0..=3 => Box::new(Program::<4>::new(menu, rows)),
        4..=7 => Box::new(Program::<8>::new(menu, rows)),
        8..=11 => Box::new(Program::<12>::new(menu, rows)),
        12..=15 => Box::new(Program::<16>::new(menu, rows)),
        16..=31 => Box::new(Program::<32>::new(menu, rows)),
        _ => Box::new(Program::<64>::new(menu, rows)),
    }
}

/// The sum of the logarithms of a plan's units by category, which orders plans as their workers do.
#[expect(
    clippy::cast_precision_loss,
    reason = "a relative error of 1e-16 is allowed"
)]
fn sum_of_logs(sums: &[u64]) -> f64 {
    sums.iter().map(|&sum| math::ln(sum as f64)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::config::Config;
    use super::*;

    #[test]
    fn published_levels_have_all_relaxations_and_the_largest_markets_a_few() {
        for config in [Config::basic(), Config::medium(), Config::hard()] {
            let (offers, categories) = (config.offer_count(), config.categories);
            let least = affordable(20_000, offers as usize, categories as usize);
            assert_eq!(least, 20_000, "{categories} categories");
        }
        for (offers, categories) in [(2_000, 63), (252, 63), (2_000, 10), (usize::MAX, 63)] {
            let count = affordable(20_000, offers, categories);
            assert!(
                (1..=100).contains(&count),
                "{offers}, {categories}: {count}"
            );
        }
    }
}
