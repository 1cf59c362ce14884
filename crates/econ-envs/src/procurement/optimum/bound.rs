//! The bound of a node: valid for any positive prices of the categories and any price of money.
//!
//! For `y > 0` and `rho >= 0`, and every plan `z` in the domains and within the budget `B`,
//!
//! ```text
//! sum_c ln S_c  <=  k ln(K / k) - sum_c ln y_c,
//! K = rho B + sum_o max over allowed z_o of (y . A_o z_o - rho cost_o(z_o))
//! ```

// Derivation: by the inequality of arithmetic and geometric means,
// `prod_c y_c S_c <= (sum_c y_c S_c / k)^k`. Adding `rho (B - cost(z)) >= 0` to the sum (Lagrange) gives
// `sum_c y_c S_c <= rho B + sum_o (y . A_o z_o - rho cost_o(z_o))`, which separates by offer and is at most
// `K`. Upfront costs and minimum quantities enter exactly, because each offer is maximised over its own
// domain. Poor multipliers give a weak bound, never a wrong one, so rounding in the relaxation is
// harmless.

#![expect(
    clippy::indexing_slicing,
    reason = "rows and multipliers have N entries, and every vector has one entry an offer"
)]

use super::program::{Domain, Program, log_of_product};
use sim_core::math;

/// Relative allowance for rounding in comparisons of `K`.
const ROUNDING: f64 = 1e-13;

/// One set of multipliers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Multipliers<const N: usize> {
    /// Price of a unit of each category's sum; zero beyond the categories.
    pub(super) y: [f64; N],
    /// Price of a cent.
    pub(super) rho: f64,
}

/// The result of applying multipliers to a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Outcome {
    /// No plan in the domains is better than the threshold.
    Pruned,
    /// The node is open; its domains were shrunk.
    Open {
        /// Upper bound on the sum of logarithms, before shrinking.
        bound: f64,
    },
}

/// Applies multipliers: prunes the node, or shrinks every domain to the copies that could still be part
/// of a plan better than `threshold` (a sum of logarithms).
// Shrinking: with a number of copies `z` of one offer and all other offers at their best, the total is
// `K - best + surplus(z)`. If that is below the `K` that the threshold needs, `z` cannot be part of a
// better plan. The surplus is linear in `z`, so the remaining copies are one interval.
pub(super) fn apply<const N: usize>(
    program: &Program<N>,
    domains: &mut [Domain],
    multipliers: &Multipliers<N>,
    threshold: f64,
    gains: &mut Vec<f64>,
) -> Outcome {
    let k = program.categories as f64;
    let rho = multipliers.rho;
    let log_y = log_of_product(&multipliers.y[..program.categories]);
    let mut total = rho * program.budget;
    gains.clear();
    for (offer, domain) in domains.iter().enumerate() {
        let value = dot(&program.rows[offer], &multipliers.y);
        let slope = value - rho * program.unit[offer];
        let best = best(domain, slope, rho * program.upfront[offer]);
        // Kept for the loop below, which would compute the same product again.
        gains.push(value);
        total += best;
    }
    let needed = k * math::exp((threshold + log_y) / k);
    if total <= needed * (1.0 + ROUNDING) {
        return Outcome::Pruned;
    }
    let bound = k * math::ln(total / k) - log_y;
    // A node needs at least `needed` to beat the threshold; `slack` is what it can lose.
    let slack = (total - needed) + ROUNDING * total;
    for (offer, domain) in domains.iter_mut().enumerate() {
        if domain.is_fixed() {
            continue;
        }
        let upfront = rho * program.upfront[offer];
        let slope = gains[offer] - rho * program.unit[offer];
        // What an offer must at least add for the node to stay interesting, all others
        // being at their best.
        let least = best(domain, slope, upfront) - slack;
        // Zero copies add 0, which is less than the offer has to.
        if domain.zero && least > 0.0 {
            domain.zero = false;
        }
        // With a slope of 0 every number of copies adds the same, and none can be ruled out before
        // another.
        if domain.positive() && slope != 0.0 {
            let edge = (least + upfront) / slope;
            if slope > 0.0 {
                if edge > f64::from(domain.low) {
                    domain.low = ceil(edge);
                }
            } else if edge < f64::from(domain.high) {
                domain.high = super::program::whole(edge);
            }
            if domain.zero && !domain.positive() {
                *domain = Domain::NOTHING;
            }
        }
        if domain.is_empty() {
            return Outcome::Pruned;
        }
    }
    Outcome::Open { bound }
}

/// The largest amount that an offer can add to `K`. It is linear in positive copies, so the maximum is at
/// an end of the range.
#[inline]
fn best(domain: &Domain, slope: f64, upfront: f64) -> f64 {
    let end = if slope > 0.0 { domain.high } else { domain.low };
    let positive = slope * f64::from(end) - upfront;
    match (domain.zero, domain.positive()) {
        (true, true) => positive.max(0.0),
        (true, false) => 0.0,
        (false, _) => positive,
    }
}

fn ceil(x: f64) -> u32 {
    super::program::whole(x.ceil())
}

#[inline]
pub(super) fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    // Four sums, because the compiler may not reorder the additions of one; `N` is a multiple of 4,
    // so nothing is left over.
    let mut lanes = [0.0; 4];
    for (a, b) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
        for lane in 0..4 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}
