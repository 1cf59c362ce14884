//! The bound that certifies: any positive prices of the categories and any price of money.
//!
//! For `y > 0` and `rho >= 0`, and every plan `z` in the domains and within the budget `B`,
//!
//! ```text
//! sum_c ln S_c  <=  k ln(K / k) - sum_c ln y_c,
//! K = rho B + sum_o max over allowed z_o of (y . A_o z_o - rho cost_o(z_o))
//! ```
//!
//! by the inequality of arithmetic and geometric means on `y_c S_c` and by Lagrange on the budget
//! row. Upfront costs and minimum quantities enter exactly. Careless multipliers weaken the bound
//! and never break it. Source: limits page, item (f).

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

/// What one application of multipliers showed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Outcome {
    /// No plan in the domains is better than the threshold.
    Pruned,
    /// The domains are what is left.
    Open {
        /// Upper bound on the sum of logarithms, before shrinking.
        bound: f64,
    },
}

/// Applies multipliers: prunes, or shrinks every domain to what could still beat `threshold` (a
/// sum of logarithms).
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
        gains.push(value);
        total += best;
    }
    let needed = k * math::exp((threshold + log_y) / k);
    if total <= needed * (1.0 + ROUNDING) {
        return Outcome::Pruned;
    }
    let bound = k * math::ln(total / k) - log_y;
    let slack = (total - needed) + ROUNDING * total;
    for (offer, domain) in domains.iter_mut().enumerate() {
        if domain.is_fixed() {
            continue;
        }
        let upfront = rho * program.upfront[offer];
        let slope = gains[offer] - rho * program.unit[offer];
        let least = best(domain, slope, upfront) - slack;
        if domain.zero && least > 0.0 {
            domain.zero = false;
        }
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

/// The most that an offer can add to `K`: linear on the positive copies, so an end of the range.
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
    let mut lanes = [0.0; 4];
    for (a, b) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
        for lane in 0..4 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}
