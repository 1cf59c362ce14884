//! The same problem for a general solver: a mixed-integer linear model with chord cuts.
//!
//! Sums are scaled by those of a first plan and money is in dollars; without scaling, solvers report
//! wrong bounds.

// Take the chord of the logarithm through two neighbouring whole numbers. At every whole number the
// logarithm lies on or below the chord, because it is concave; at the two numbers it lies on it. So
// `t_c <= chord` for some chords bounds the logarithm of category sum `c` from above, and the bound is
// exact once the chords at the sum itself are included. The model is solved and chords are added at the
// sums of its plan, until its bound equals the value of the plan.

use super::sum_of_logs;
use crate::procurement::action::{MOST_COPIES, sparse};
use crate::procurement::evaluate::Evaluator;
use crate::procurement::instance::Instance;
use crate::procurement::menu::{OfferId, Terms, dollars};
use microlp::{
    ComparisonOp, Error, LinearExpr, OptimizationDirection, Problem, SolutionStatus, SolveOptions,
    SolveOutcome, Variable,
};
use sim_core::math;
use std::collections::BTreeSet;

/// Ratio of the positions of neighbouring first chords.
// Chords closer together save rounds but make every model larger. With 1.5 the published markets
// took 2 to 9 rounds.
const SPACING: f64 = 1.5;
const MOST_ROUNDS: usize = 60;
/// Nodes of the solver's branch and bound, all rounds together. It keeps every open node in memory:
/// the published markets, two at a time, took 4.4 GB with this limit, and 10,000 nodes are too few for one of them. A
/// count and not a time, so that the answer is the same on every machine.
const MOST_NODES: u64 = 20_000;
/// Bound and value count as equal below this \[sum of logarithms\].
const CLOSE: f64 = 1e-9;

/// Why the general solver found no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MilpError {
    /// The instance cannot be used.
    #[error("the instance cannot be used: {0}")]
    Instance(String),
    /// The solver failed.
    #[error("the solver failed: {0}")]
    Solver(String),
    /// It used up its nodes.
    #[error("no proof within {MOST_NODES} nodes")]
    Limit,
    /// Its bound and the value of a plan contradict each other, or did not meet although every chord was
    /// included: the numbers of the market are too far apart for its tolerances.
    #[error("the solver's bound does not meet the value of its plan")]
    NoProof,
}

/// The best plan by microlp, without zeros; empty when no plan supports any workers.
///
/// # Errors
/// When the instance cannot be used, the solver fails, its work reaches the limit (20,000 nodes), or its
/// bound and value differ.
///
/// Meant for tests and for comparison: it takes up to some seconds where
/// [`solve`](super::solve) takes milliseconds, and gives no certificate. Markets whose numbers lie many
/// powers of ten apart can be beyond its tolerances; then it gives an error, never a plan that is
/// not the best.
pub fn solve_milp(instance: &Instance) -> Result<Vec<(OfferId, u32)>, MilpError> {
    let model = Model::new(instance)?;
    let mut chords = model.first_chords();
    // The first plan is worth something unless a category is empty: a bound below it is wrong.
    let mut best = (model.first_value, model.first.clone());
    let mut nodes = MOST_NODES;
    for _ in 0..MOST_ROUNDS {
        let Some((bound, plan)) = model.solve(&chords, &mut nodes)? else {
            // No plan supports any workers, unless one is known.
            return if best.0 == f64::NEG_INFINITY {
                Ok(Vec::new())
            } else {
                Err(MilpError::NoProof)
            };
        };
        let sums = model.evaluator.sums(&plan);
        if model.evaluator.evaluate(&plan).is_feasible() {
            let value = sum_of_logs(&sums);
            if value > best.0 {
                best = (value, plan);
            }
        }
        if bound < best.0 - CLOSE {
            return Err(MilpError::NoProof);
        }
        if bound - best.0 <= CLOSE {
            return Ok(best.1);
        }
        let mut new = false;
        for (chords, &sum) in chords.iter_mut().zip(&sums) {
            // The two chords that meet at the sum: with both of them the model is exact there.
            for start in [sum.saturating_sub(1).max(1), sum.max(1)] {
                new |= chords.insert(start);
            }
        }
        if !new {
            return Err(MilpError::NoProof);
        }
    }
    Err(MilpError::NoProof)
}

/// The solution of one model: an upper bound on the sum of logarithms, and a plan.
type Bounded = (f64, Vec<(OfferId, u32)>);

struct Model<'a> {
    instance: &'a Instance,
    evaluator: Evaluator,
    rows: Vec<Vec<u64>>,
    /// Largest number of copies of each offer that the budget allows for it alone.
    most: Vec<u32>,
    /// A first plan, and the sum of the logarithms of its category sums.
    first: Vec<(OfferId, u32)>,
    first_value: f64,
    /// Category sums of the first plan, for scaling.
    scale: Vec<f64>,
}

impl<'a> Model<'a> {
    fn new(instance: &'a Instance) -> Result<Self, MilpError> {
        let evaluator = Evaluator::new(instance).map_err(|e| MilpError::Instance(e.to_string()))?;
        let rows = instance.rows();
        let most: Vec<u32> = instance
            .menu
            .offers
            .iter()
            .map(|offer| {
                let left = instance.menu.budget_cents - offer.upfront_cents();
                let copies = left
                    .div_euclid(offer.unit_cents)
                    .min(i64::from(MOST_COPIES));
                // Negative where the upfront cost alone exceeds the budget.
                let copies = u32::try_from(copies).unwrap_or(0);
                if copies < offer.min_copies() {
                    0
                } else {
                    copies
                }
            })
            .collect();
        let float_rows: Vec<Vec<f64>> = rows
            .iter()
            .map(|row| row.iter().map(|&value| to_f64(value)).collect())
            .collect();
        let first = super::fill_greedily(&instance.menu, &float_rows, &vec![0; most.len()]);
        let first: Vec<_> = sparse(&first).collect();
        let sums = evaluator.sums(&first);
        let scale = sums.iter().map(|&s| to_f64(s.max(1))).collect();
        Ok(Self {
            instance,
            evaluator,
            rows,
            most,
            first,
            first_value: sum_of_logs(&sums),
            scale,
        })
    }

    fn first_chords(&self) -> Vec<BTreeSet<u64>> {
        (0..self.scale.len())
            .map(|category| {
                let reach: u64 = self
                    .rows
                    .iter()
                    .zip(&self.most)
                    .filter_map(|(row, &most)| row.get(category).map(|a| a * u64::from(most)))
                    .sum();
                let mut chords = BTreeSet::new();
                let mut at = 1.0;
                while at <= to_f64(reach.max(1)) {
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "positive and at most the reach"
                    )]
                    chords.insert(at as u64);
                    at *= SPACING;
                }
                chords
            })
            .collect()
    }

    /// Bound and plan of the model with these chords; `None` when no plan supports anybody. Takes the nodes
    /// that it uses from `nodes`.
    fn solve(
        &self,
        chords: &[BTreeSet<u64>],
        nodes: &mut u64,
    ) -> Result<Option<Bounded>, MilpError> {
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        let mut spent = LinearExpr::empty();
        let mut sums = vec![LinearExpr::empty(); self.scale.len()];
        let mut copies: Vec<Variable> = Vec::with_capacity(self.most.len());
        for ((offer, row), &most) in self
            .instance
            .menu
            .offers
            .iter()
            .zip(&self.rows)
            .zip(&self.most)
        {
            let most = i32::try_from(most).unwrap_or(i32::MAX);
            let z = problem.add_integer_var(0.0, (0, most));
            copies.push(z);
            spent.add(z, dollars(offer.unit_cents));
            if offer.terms != Terms::Simple {
                let any = problem.add_binary_var(0.0);
                spent.add(any, dollars(offer.upfront_cents()));
                let at_most = [(z, 1.0), (any, -f64::from(most))];
                problem.add_constraint(at_most, ComparisonOp::Le, 0.0);
                let at_least = [(z, 1.0), (any, -f64::from(offer.min_copies()))];
                problem.add_constraint(at_least, ComparisonOp::Ge, 0.0);
            }
            for ((sum, &value), &scale) in sums.iter_mut().zip(row).zip(&self.scale) {
                if value > 0 {
                    sum.add(z, to_f64(value) / scale);
                }
            }
        }
        let budget = dollars(self.instance.menu.budget_cents);
        problem.add_constraint(spent, ComparisonOp::Le, budget);
        for ((sum, &scale), chords) in sums.into_iter().zip(&self.scale).zip(chords) {
            // A category's sum as a variable of its own, so that a chord has two terms.
            let total = problem.add_var(0.0, (1.0 / scale, f64::INFINITY));
            // Of a sum divided by that of the first plan. No sum exceeds 1e18, whose logarithm is
            // 41.4, so the limits cut nothing off.
            let log = problem.add_var(1.0, (-60.0, 60.0));
            // The logarithm of 0 has no chord. A sum of a checked instance is a whole
            // number, so a plan that supports workers has at least 1.
            let mut equal = sum;
            equal.add(total, -1.0);
            problem.add_constraint(equal, ComparisonOp::Eq, 0.0);
            for &start in chords {
                let start = to_f64(start);
                let slope = math::ln_1p(1.0 / start) * scale;
                let at = start / scale;
                let chord = [(log, 1.0), (total, -slope)];
                problem.add_constraint(chord, ComparisonOp::Le, math::ln(at) - slope * at);
            }
        }
        let mut options = SolveOptions::default();
        options.node_limit = Some(*nodes);
        let solution = match problem.solve_with(options) {
            Ok(SolveOutcome::Solution(solution)) => solution,
            Ok(SolveOutcome::Interrupted(_)) => return Err(MilpError::Limit),
            Err(Error::Infeasible) => return Ok(None),
            Err(error) => return Err(MilpError::Solver(error.to_string())),
        };
        *nodes = nodes.saturating_sub(solution.stats().nodes_solved);
        if solution.status() != SolutionStatus::Optimal {
            return Err(MilpError::Limit);
        }
        let plan = (0..)
            .map(OfferId)
            .zip(copies)
            .map(|(offer, z)| (offer, whole(solution.var_value_raw(z))))
            .filter(|(_, copies)| *copies > 0)
            .collect();
        let scale: f64 = self.scale.iter().map(|&scale| math::ln(scale)).sum();
        Ok(Some((solution.objective() + scale, plan)))
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a relative error of 1e-16 is allowed"
)]
fn to_f64(value: u64) -> f64 {
    value as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float-to-integer cast saturates"
)]
fn whole(value: f64) -> u32 {
    // The solver gives 2.9999999 for 3 copies, which a cast alone would make 2.
    value.round() as u32
}
