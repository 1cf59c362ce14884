//! The same problem for a general solver: a mixed-integer linear model with chord cuts.
//!
//! Sums are scaled by those of a first plan and money is in dollars; without scaling, solvers report
//! wrong bounds.

// Take the chord of the logarithm through two neighbouring whole numbers. At every whole number the
// logarithm lies on or below the chord, because it is concave; at the two numbers it lies on it. So
// `t_c <= chord` for some chords bounds the logarithm of category sum `c` from above, and the bound is
// exact once the chords at the sum itself are included. The model is solved and chords are added at the
// sums of its plan, until its bound equals the value of the plan.

use crate::procurement::action::MOST_COPIES;
use crate::procurement::evaluate::Evaluator;
use crate::procurement::instance::Instance;
use crate::procurement::menu::{OfferId, Terms};
use good_lp::{
    Expression, ProblemVariables, ResolutionError, Solution, SolverModel, Variable, constraint,
    microlp, variable,
};
use sim_core::math;
use std::collections::BTreeSet;

/// Ratio of the positions of neighbouring first chords.
const SPACING: f64 = 1.5;
const MOST_ROUNDS: usize = 60;
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
    /// Its bound did not reach its value although every chord was included.
    #[error("the solver's bound does not meet the value of its plan")]
    NoProof,
}

/// The best plan by microlp, without zeros; empty when no plan supports any workers.
///
/// # Errors
/// When the instance cannot be used, the solver fails, or its bound and value differ.
///
/// Meant for tests and for comparison: it takes up to some seconds where
/// [`solve`](super::solve) takes milliseconds, and gives no certificate.
pub fn solve_milp(instance: &Instance) -> Result<Vec<(OfferId, u32)>, MilpError> {
    let model = Model::new(instance)?;
    let mut chords = model.first_chords();
    let mut best: Option<Bounded> = None;
    for _ in 0..MOST_ROUNDS {
        let Some((bound, plan)) = model.solve(&chords)? else {
            return Ok(Vec::new());
        };
        let sums = model.evaluator.sums(&plan);
        if model.evaluator.evaluate(&plan).is_feasible() {
            let value = sum_of_logs(&sums);
            if best.as_ref().is_none_or(|(most, _)| value > *most) {
                best = Some((value, plan));
            }
        }
        let mut new = false;
        for (chords, &sum) in chords.iter_mut().zip(&sums) {
            for start in [sum.saturating_sub(1).max(1), sum.max(1)] {
                new |= chords.insert(start);
            }
        }
        if let Some((value, plan)) = &best
            && bound - value <= CLOSE
        {
            return Ok(plan.clone());
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
    /// Category sums of a first plan, for scaling.
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
                let copies = u32::try_from(left.div_euclid(offer.unit_cents)).unwrap_or(0);
                if copies < offer.min_copies() {
                    0
                } else {
                    copies.min(MOST_COPIES)
                }
            })
            .collect();
        let float_rows: Vec<Vec<f64>> = rows
            .iter()
            .map(|row| row.iter().map(|&value| to_f64(value)).collect())
            .collect();
        let first = super::fill_greedily(&instance.menu, &float_rows, &vec![0; most.len()]);
        let scale = evaluator
            .sums(&super::sparse(&first))
            .iter()
            .map(|&s| to_f64(s.max(1)))
            .collect();
        Ok(Self {
            instance,
            evaluator,
            rows,
            most,
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

    /// Bound and plan of the model with these chords; `None` when no plan supports anybody.
    fn solve(&self, chords: &[BTreeSet<u64>]) -> Result<Option<Bounded>, MilpError> {
        let mut variables = ProblemVariables::new();
        let mut constraints = Vec::new();
        let mut spent = Expression::default();
        let mut sums = vec![Expression::default(); self.scale.len()];
        let mut copies: Vec<Variable> = Vec::with_capacity(self.most.len());
        for ((offer, row), &most) in self
            .instance
            .menu
            .offers
            .iter()
            .zip(&self.rows)
            .zip(&self.most)
        {
            let z = variables.add(variable().integer().min(0).max(most));
            copies.push(z);
            spent += dollars(offer.unit_cents) * z;
            if offer.terms != Terms::Simple {
                let any = variables.add(variable().binary());
                spent += dollars(offer.upfront_cents()) * any;
                constraints.push(constraint!(z <= f64::from(most) * any));
                constraints.push(constraint!(z >= f64::from(offer.min_copies()) * any));
            }
            for ((sum, &value), &scale) in sums.iter_mut().zip(row).zip(&self.scale) {
                if value > 0 {
                    *sum += (to_f64(value) / scale) * z;
                }
            }
        }
        constraints.push(constraint!(
            spent <= dollars(self.instance.menu.budget_cents)
        ));
        let mut goal = Expression::default();
        for ((sum, &scale), chords) in sums.into_iter().zip(&self.scale).zip(chords) {
            let log = variables.add(variable().min(-60.0).max(60.0));
            goal += log;
            // The logarithm of 0 has no chord. A sum of a checked instance is a whole
            // number, so a plan that supports workers has at least 1.
            constraints.push(constraint!(sum.clone() >= 1.0 / scale));
            for &start in chords {
                let start = to_f64(start);
                let slope = math::ln_1p(1.0 / start) * scale;
                let at = start / scale;
                constraints.push(constraint!(
                    log - slope * sum.clone() <= math::ln(at) - slope * at
                ));
            }
        }
        let mut problem = variables.maximise(goal.clone()).using(microlp);
        for constraint in constraints {
            problem = problem.with(constraint);
        }
        let solution = match problem.solve() {
            Ok(solution) => solution,
            Err(ResolutionError::Infeasible) => return Ok(None),
            Err(error) => return Err(MilpError::Solver(error.to_string())),
        };
        let plan = (0..)
            .map(OfferId)
            .zip(copies)
            .map(|(offer, z)| (offer, whole(solution.value(z))))
            .filter(|(_, copies)| *copies > 0)
            .collect();
        let scale: f64 = self.scale.iter().map(|&scale| math::ln(scale)).sum();
        Ok(Some((solution.eval(&goal) + scale, plan)))
    }
}

#[expect(clippy::cast_precision_loss, reason = "prices are below 2^53 cents")]
fn dollars(cents: i64) -> f64 {
    cents as f64 / 100.0
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
    value.round() as u32
}

fn sum_of_logs(sums: &[u64]) -> f64 {
    sums.iter().map(|&sum| math::ln(to_f64(sum))).sum()
}
