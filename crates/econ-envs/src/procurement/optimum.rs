//! The best plan of a market whose effectiveness is known, with a proof.
//!
//! The logarithm of the workers is a sum of logarithms of category sums, to be maximised over
//! whole numbers of copies under one budget with upfront costs and minimum quantities.
//!
//! ```text
//! open nodes, best bound first
//!   -> budget: cut what cannot be paid          (program)
//!   -> concave relaxation by an interior point  (relax)    gives multipliers
//!   -> round, fill up, exchange                 (round)    gives plans
//!   -> multipliers bound and shrink the node    (bound)    closes most nodes
//!   -> split where the relaxation pays least of what the rules ask (search)
//! ```
//!
//! The multipliers of every node are kept: they are a [`Certificate`] that
//! [`Certificate::verify`] re-checks with the integer evaluator and arithmetic of its own, trusting
//! neither the relaxation nor the search. [`Solver::Milp`] answers the same question by a general
//! solver and serves as a differential test.
//!
//! Source: limits page, item (f); optima page, section 3.

mod bound;
mod certificate;
mod milp;
mod program;
mod relax;
mod round;
mod search;

pub use certificate::{Certificate, Node, NodeEnd, Prices, Refuted, Verified};
pub use milp::{MilpError, solve_milp};

use super::evaluate::{Ledger, geometric_mean};
use super::instance::Instance;
use super::menu::{Menu, OfferId};
use program::Program;
pub(super) use program::log_of_product;
use round::Draft;
use search::{Found, Limits};
use serde::{Deserialize, Serialize};
use sim_core::math;

/// How much better than the reported plan another one could be, at most
/// \[difference of sums of logarithms\]; far below the effect of one unit.
pub const TOLERANCE: f64 = 1e-9;

/// Who looks for the best plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// The specialised branch and bound; milliseconds, with a certificate.
    #[default]
    BranchAndBound,
    /// A mixed-integer linear model with chord cuts, by microlp; up to some seconds.
    Milp,
}

/// The best plan that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// Copies by offer, without zeros; empty when no plan within the budget supports anybody.
    pub plan: Vec<(OfferId, u32)>,
    /// The exact sum of each category.
    pub category_sums: Vec<u64>,
    /// What the plan costs \[cents\].
    pub cost_cents: i64,
    /// Workers that it supports.
    pub workers: f64,
    /// No plan has a larger sum of logarithms of its category sums; minus infinity when no plan
    /// supports anybody.
    pub log_bound: f64,
    /// Relaxations solved.
    pub relaxations: usize,
    /// The proof.
    pub certificate: Certificate,
}

impl Optimum {
    /// Whether no plan is better, by more than the [`TOLERANCE`].
    #[must_use]
    pub fn is_proven(&self) -> bool {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a relative error of 1e-16 is allowed"
        )]
        let sums: Vec<f64> = self.category_sums.iter().map(|&sum| sum as f64).collect();
        let value: f64 = sums.iter().map(|&sum| math::ln(sum)).sum();
        self.log_bound <= value + TOLERANCE
    }

    /// No plan supports more workers than this; absent when the search was cut off before it had
    /// a bound.
    #[must_use]
    pub fn bound(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "at most 63 categories")]
        let k = self.category_sums.len().max(1) as f64;
        // Never under the value itself, whose logarithm was taken and undone.
        let bound = math::exp(self.log_bound / k).max(self.workers);
        bound.is_finite().then_some(bound)
    }
}

/// Ranges of offers that the open nodes of a search may hold together: some 250 MB.
const MOST_RANGES: usize = 20_000_000;

/// Offers times categories squared of the largest published level. The work of a relaxation is in
/// proportion to this product.
const WORK_OF_HARD: usize = 100 * 10 * 10;

/// Factor by which markets above the largest published level get fewer relaxations. That level is
/// proven with a few hundred of the 20,000 relaxations of a quick search, but a larger market may use
/// all of them.
const ABOVE_HARD: usize = 10;

/// How many of `relaxations` a market of this size gets, so that a search costs about the same at any
/// size; at least one, because its bound is then the answer.
fn affordable(relaxations: usize, offers: usize, categories: usize) -> usize {
    let work = offers.saturating_mul(categories.saturating_mul(categories));
    let by_work = if work <= WORK_OF_HARD {
        relaxations
    } else {
        relaxations.saturating_mul(WORK_OF_HARD) / work / ABOVE_HARD
    };
    by_work.min(MOST_RANGES / offers.max(1)).max(1)
}

/// Finds the best plan of a checked instance, solving at most `relaxations` relaxations (the
/// HARD level needs up to a few hundred), fewer where each is more work than at that level, and no
/// more than memory allows for very long menus. Where the search ends early, the answer is the best
/// plan so far with a bound.
#[must_use]
pub fn solve(instance: &Instance, relaxations: usize) -> Optimum {
    #[expect(clippy::cast_precision_loss, reason = "effects are at most 1e9")]
    let rows: Vec<Vec<f64>> = instance
        .rows()
        .iter()
        .map(|row| row.iter().map(|&value| value as f64).collect())
        .collect();
    let relaxations = affordable(relaxations, rows.len(), instance.menu.categories());
    // Half the tolerance is left to the rounding of whoever re-checks.
    let limits = Limits {
        tolerance: TOLERANCE / 2.0,
        relaxations,
    };
    let (found, certificate) = with_program(&instance.menu, &rows, Certified(limits));
    let plan: Vec<(OfferId, u32)> = sparse(&found.copies);
    let ledger = Ledger::new(instance);
    let category_sums = ledger.sums(&plan);
    Optimum {
        cost_cents: ledger.evaluate(&plan).cost_cents,
        workers: geometric_mean(&category_sums),
        category_sums,
        plan,
        log_bound: found.bound,
        relaxations: found.relaxations,
        certificate,
    }
}

/// A good plan for guessed effects (`rows`, one row an offer), to within `gap` of the best
/// \[sum of logarithms\] if `relaxations` suffice, of which a large market has fewer; `start` is a
/// plan to begin with.
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
    with_program(menu, rows, Guessed { limits, start })
}

/// Fills the budget greedily: again and again the offer that adds most to the sum of logarithms
/// for its money, beginning with `copies`.
pub(super) fn fill_greedily(menu: &Menu, rows: &[Vec<f64>], copies: &[u32]) -> Vec<u32> {
    with_program(menu, rows, Greedy { copies })
}

fn sparse(copies: &[u32]) -> Vec<(OfferId, u32)> {
    (0..)
        .map(OfferId)
        .zip(copies.iter().copied())
        .filter(|(_, copies)| *copies > 0)
        .collect()
}

/// Something to do with a program of any width.
trait Task {
    type Output;
    fn run<const N: usize>(self, program: &Program<N>) -> Self::Output;
}

struct Certified(Limits);

impl Task for Certified {
    type Output = (Found, Certificate);
    fn run<const N: usize>(self, program: &Program<N>) -> Self::Output {
        let (found, proof) = search::search(program, self.0, None);
        (found, Certificate::of(&proof, program.categories))
    }
}

struct Guessed<'a> {
    limits: Limits,
    start: Option<&'a [u32]>,
}

impl Task for Guessed<'_> {
    type Output = Vec<u32>;
    fn run<const N: usize>(self, program: &Program<N>) -> Vec<u32> {
        search::search(program, self.limits, self.start).0.copies
    }
}

struct Greedy<'a> {
    copies: &'a [u32],
}

impl Task for Greedy<'_> {
    type Output = Vec<u32>;
    fn run<const N: usize>(self, program: &Program<N>) -> Vec<u32> {
        let offers: Vec<usize> = (0..program.rows.len()).collect();
        let mut draft = Draft::of(program, self.copies.to_vec());
        draft.fill(program, &offers);
        draft.copies
    }
}

/// Rows are arrays of a fixed length; this chooses it.
fn with_program<T: Task>(menu: &Menu, rows: &[Vec<f64>], task: T) -> T::Output {
    match menu.categories() {
        0..=3 => task.run(&Program::<4>::new(menu, rows)),
        4..=7 => task.run(&Program::<8>::new(menu, rows)),
        8..=11 => task.run(&Program::<12>::new(menu, rows)),
        12..=15 => task.run(&Program::<16>::new(menu, rows)),
        16..=31 => task.run(&Program::<32>::new(menu, rows)),
        _ => task.run(&Program::<64>::new(menu, rows)),
    }
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
