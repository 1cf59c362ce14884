//! Primal-dual Newton steps for the scaled relaxation.
//!
//! Every variable has one multiplier for each of its two limits (`below` for `x >= 0`, `above` for
//! `x <= 1`); the budget has one (`rho`) and a slack. A step aims at the point of the central path where
//! each multiplier times its distance from the limit is `mu`; `mu` falls as the iterate approaches it.

#![expect(
    clippy::indexing_slicing,
    clippy::needless_range_loop,
    reason = "rows, sums and matrices have N entries a side"
)]

use super::super::bound::dot;
use super::super::program::log_of_product;
use sim_core::math;

/// Share of the distance to a limit that a step may go: the iterate stays strictly inside.
// Chosen, not measured, as are the numbers for `mu` below. The bound holds at every point, so they decide how many
// steps a good bound takes and never whether it is right.
const TO_THE_EDGE: f64 = 0.995;

/// The problem, the current point and working memory of a step.
#[derive(Debug)]
pub(super) struct Interior<const N: usize> {
    categories: usize,
    /// Category sums of the fixed copies.
    fixed: [f64; N],
    variables: Vec<Variable<N>>,
    /// Money left, as a share of the budget.
    slack: f64,
    /// Price of all the money.
    rho: f64,
    mu: f64,
    sums: [f64; N],
}

#[derive(Debug, Clone, Copy)]
struct Variable<const N: usize> {
    /// Scaled coefficients, the scaled price in the last entry.
    row: [f64; N],
    x: f64,
    below: f64,
    above: f64,
    /// Derivative of the objective with respect to it.
    gain: f64,
    step: Step,
}

/// A variable's part of a step.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    /// Inverse of its diagonal entry.
    weight: f64,
    right: f64,
    dx: f64,
    d_below: f64,
    d_above: f64,
}

/// Value and bound at a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading<const N: usize> {
    /// Sum of logarithms at the fractional point.
    pub(super) value: f64,
    /// Upper bound by these multipliers.
    pub(super) bound: f64,
    pub(super) y: [f64; N],
    pub(super) rho: f64,
}

impl<const N: usize> Default for Interior<N> {
    fn default() -> Self {
        Self {
            categories: 0,
            fixed: [0.0; N],
            variables: Vec::new(),
            slack: 1.0,
            rho: 1.0,
            mu: 1.0,
            sums: [0.0; N],
        }
    }
}

impl<const N: usize> Interior<N> {
    /// Starts a problem at a point well inside the limits: half of the money spent, evenly.
    pub(super) fn begin(
        &mut self,
        categories: usize,
        fixed: [f64; N],
        rows: impl Iterator<Item = [f64; N]>,
    ) {
        self.categories = categories;
        self.fixed = fixed;
        self.variables.clear();
        self.variables.extend(rows.map(|row| Variable {
            row,
            x: 0.0,
            below: 0.0,
            above: 0.0,
            gain: 0.0,
            step: Step::default(),
        }));
        let all: f64 = self.variables.iter().map(|v| v.row[N - 1]).sum();
        // An even point: no multiplier begins near 0, where the first steps would be
        // short.
        let x = (0.5 / all).min(0.5);
        self.mu = 0.1 * categories as f64 / self.variables.len() as f64;
        for v in &mut self.variables {
            (v.x, v.below, v.above) = (x, self.mu / x, self.mu / (1.0 - x));
        }
        self.slack = 1.0 - x * all;
        // With `y` the inverse sums, `sum y S` is k at any point, and at the optimum the price of
        // all the money is a part of that: k is the value when no other limit binds.
        self.rho = categories as f64;
    }

    /// The fractional point.
    pub(super) fn point(&self) -> impl Iterator<Item = f64> {
        self.variables.iter().map(|v| v.x)
    }

    /// Sums, gains and the bound at the point.
    pub(super) fn read(&mut self) -> Reading<N> {
        let mut sums = self.fixed;
        for v in &self.variables {
            for c in 0..N {
                sums[c] += v.row[c] * v.x;
            }
        }
        sums[N - 1] = 0.0;
        let mut y = [0.0; N];
        for c in 0..self.categories {
            y[c] = 1.0 / sums[c];
        }
        let mut total = self.rho + dot(&self.fixed, &y);
        for v in &mut self.variables {
            v.gain = dot(&v.row, &y);
            // Linear in a variable from 0 to 1, so the most that it can add is at one of the two
            // ends.
            total += (v.gain - self.rho * v.row[N - 1]).max(0.0);
        }
        self.sums = sums;
        let k = self.categories as f64;
        let value = log_of_product(&sums[..self.categories]);
        Reading {
            value,
            // The bound of `bound.rs` with `y` the inverse sums: then `sum y S` at the
            // point is `k`, and minus the logarithms of `y` are the value itself.
            bound: k * math::ln(total / k) + value,
            y,
            rho: self.rho,
        }
    }

    /// One step; [`read`](Self::read) must have been called at this point.
    pub(super) fn step(&mut self) {
        let direction = self.direction();
        self.advance(&direction);
    }

    /// Assembles and solves the condensed system.
    fn direction(&mut self) -> [f64; N] {
        let mut matrix = [[0.0; N]; N];
        let mut vector = [0.0; N];
        let (mu, centre) = (self.mu, self.mu / self.slack);
        for v in &mut self.variables {
            let (over_x, over_room) = (1.0 / v.x, 1.0 / (1.0 - v.x));
            let weight = 1.0 / (v.below * over_x + v.above * over_room);
            // The multipliers of the limits are eliminated: on the central path they are `mu / x`
            // and `mu / (1 - x)`, that of the budget `mu / slack`.
            let right = v.gain - v.row[N - 1] * centre + mu * over_x - mu * over_room;
            (v.step.weight, v.step.right) = (weight, right);
            for r in 0..N {
                let factor = weight * v.row[r];
                vector[r] += factor * right;
                // The lower triangle in whole blocks of four, which are vector instructions; a few entries
                // above the diagonal are computed and not used.
                for c in 0..(r / 4 + 1) * 4 {
                    matrix[r][c] += factor * v.row[c];
                }
            }
        }
        // Woodbury: the small system is `W^-1 + V' D^-1 V`. The second derivative of `ln S` is
        // minus `S^-2`, so its entry of `W^-1` is `S^2`; that of the budget is its slack over `rho`.
        // A row beyond the categories gets a 1, or the matrix would be singular.
        for c in 0..N - 1 {
            matrix[c][c] += if c < self.categories {
                self.sums[c] * self.sums[c]
            } else {
                1.0
            };
        }
        matrix[N - 1][N - 1] += self.slack / self.rho;
        cholesky_solve(&mut matrix, &mut vector);
        vector
    }

    /// Goes as far as the limits allow and sets the next `mu`: smaller after a nearly full step.
    fn advance(&mut self, direction: &[f64; N]) {
        let mu = self.mu;
        // Two lengths: a multiplier that is close to 0 need not hold up the variables, nor they the
        // others.
        let (mut primal, mut dual) = (1.0_f64, 1.0_f64);
        let mut spent = 0.0;
        for v in &mut self.variables {
            let room = 1.0 - v.x;
            let dx = v.step.weight * (v.step.right - dot(&v.row, direction));
            spent += v.row[N - 1] * dx;
            if dx < 0.0 {
                primal = primal.min(-TO_THE_EDGE * v.x / dx);
            } else if dx > 0.0 {
                primal = primal.min(TO_THE_EDGE * room / dx);
            }
            let d_below = (mu - v.below * dx) / v.x - v.below;
            let d_above = (mu + v.above * dx) / room - v.above;
            if d_below < 0.0 {
                dual = dual.min(-TO_THE_EDGE * v.below / d_below);
            }
            if d_above < 0.0 {
                dual = dual.min(-TO_THE_EDGE * v.above / d_above);
            }
            (v.step.dx, v.step.d_below, v.step.d_above) = (dx, d_below, d_above);
        }
        if spent > 0.0 {
            primal = primal.min(TO_THE_EDGE * self.slack / spent);
        }
        let d_rho = (mu + self.rho * spent) / self.slack - self.rho;
        if d_rho < 0.0 {
            dual = dual.min(-TO_THE_EDGE * self.rho / d_rho);
        }
        self.slack -= primal * spent;
        self.rho += dual * d_rho;
        let mut products = self.rho * self.slack;
        for v in &mut self.variables {
            v.x += primal * v.step.dx;
            v.below += dual * v.step.d_below;
            v.above += dual * v.step.d_above;
            products += v.below * v.x + v.above * (1.0 - v.x);
        }
        // The mean product of a multiplier and its distance: two for each variable and that of the
        // budget.
        let reached = products / (2 * self.variables.len() + 1) as f64;
        self.mu = reached * if primal.min(dual) > 0.9 { 0.2 } else { 0.4 };
    }
}

/// Solves `matrix * x = vector` in place, for a symmetric positive definite matrix.
// Written by hand so that published numbers stay the same. `nalgebra` takes about as long (1.02 to 1.06
// times for a whole optimum), but it divides by the pivots and adds in another order, which changes the
// last bits. That would change the bounds of 398 of 400 markets with 20 categories, and 17 of 100 HARD
// episodes of the policy `learning`.
fn cholesky_solve<const N: usize>(matrix: &mut [[f64; N]; N], vector: &mut [f64; N]) {
    for r in 0..N {
        for c in 0..r {
            let mut sum = matrix[r][c];
            for i in 0..c {
                sum -= matrix[r][i] * matrix[c][i];
            }
            matrix[r][c] = sum * matrix[c][c];
        }
        let mut sum = matrix[r][r];
        for i in 0..r {
            sum -= matrix[r][i] * matrix[r][i];
        }
        // The diagonal holds inverses, so that the solves multiply instead of divide.
        // A pivot that rounding made 0 or less gives a poor step instead of NaN; poor multipliers
        // weaken the bound and cannot make it wrong.
        matrix[r][r] = 1.0 / sum.max(f64::MIN_POSITIVE).sqrt();
    }
    for r in 0..N {
        let mut sum = vector[r];
        for c in 0..r {
            sum -= matrix[r][c] * vector[c];
        }
        vector[r] = sum * matrix[r][r];
    }
    for r in (0..N).rev() {
        let mut sum = vector[r];
        for i in r + 1..N {
            sum -= matrix[i][r] * vector[i];
        }
        vector[r] = sum * matrix[r][r];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [[4, 2, 0], [2, 5, 1], [0, 1, 3]] x = [8, 15, 11] has the solution [1, 2, 3].
    #[test]
    fn a_system_solved_by_hand() {
        let mut matrix = [[4.0, 2.0, 0.0], [2.0, 5.0, 1.0], [0.0, 1.0, 3.0]];
        let mut vector = [8.0, 15.0, 11.0];
        cholesky_solve(&mut matrix, &mut vector);
        for (got, expected) in vector.into_iter().zip([1.0, 2.0, 3.0]) {
            assert!((got - expected).abs() < 1e-14, "{vector:?}");
        }
    }

    /// Maximise ln x1 + ln(2 x2) with x1 + x2 <= 1 (prices 1): halves, worth ln 1/2 + ln 1.
    #[test]
    fn a_relaxation_solved_by_hand() {
        let mut interior = Interior::<4>::default();
        let rows = [[1.0, 0.0, 0.0, 1.0], [0.0, 2.0, 0.0, 1.0]];
        interior.begin(2, [0.0; 4], rows.into_iter());
        let mut bound = f64::INFINITY;
        for _ in 0..40 {
            let reading = interior.read();
            bound = bound.min(reading.bound);
            assert!(reading.bound >= -std::f64::consts::LN_2 - 1e-12);
            interior.step();
        }
        assert!((bound + std::f64::consts::LN_2).abs() < 1e-6, "{bound}");
        assert!(interior.point().all(|x| (x - 0.5).abs() < 1e-5));
    }
}
