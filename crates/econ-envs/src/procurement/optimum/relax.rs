//! The concave relaxation of a node, by a primal-dual interior point method.
//!
//! Copies may be fractional, and an upfront cost is spread over the largest number of copies that the
//! node allows (the convex hull of a single offer). With `x` scaled to `0..1` and the
//! money left scaled to 1 the problem is
//!
//! ```text
//! maximise  sum_c ln(s_c + sum_i a_ic x_i)   subject to   sum_i c_i x_i <= 1,  0 <= x <= 1
//! ```
//!
//! A Newton step solves `(D + V W V') dx = r` with diagonal `D` and `V = [a | c]`. By Woodbury's identity
//! this reduces to a system of size categories + 1, whatever the number of offers.

// An interior point method rather than a simplex: the objective is smooth and concave, few steps
// suffice, and every iterate gives multipliers with a valid bound, so the method may stop early.

#![expect(
    clippy::indexing_slicing,
    clippy::needless_range_loop,
    reason = "rows have N entries, and every vector of a relaxation has one entry a variable"
)]

use super::bound::Multipliers;
use super::program::{Domain, Program};

mod newton;

use newton::{Interior, Reading};

/// Steps after which a relaxation ends with the best bound that it has.
// Chosen, not measured: an early end weakens a bound and cannot make it wrong.
const MOST_STEPS: usize = 60;
/// The method stops when the distance of the bound to the value of the relaxation is at most this share
/// of its distance to the threshold: a better bound would hardly shrink the node further.
// The share is chosen, not measured.
const GOOD_ENOUGH: f64 = 0.2;

/// The result of a relaxation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Relaxed<const N: usize> {
    /// The sum of some category is 0 in every plan, so no plan supports any workers.
    Infeasible,
    /// Only one plan is left.
    Single,
    /// The relaxation was solved; the fractional copies are in the workspace.
    Solved {
        /// Upper bound of the relaxation (before shrinking).
        bound: f64,
        /// The multipliers that give it.
        multipliers: Multipliers<N>,
    },
}

/// Buffers that are reused by all relaxations of a search.
#[derive(Debug, Default)]
pub(super) struct Workspace<const N: usize> {
    /// Offers whose copies are not fixed.
    pub(super) active: Vec<usize>,
    /// Fractional copies, one entry an active offer.
    pub(super) copies: Vec<f64>,
    interior: Interior<N>,
}

impl<const N: usize> Workspace<N> {
    /// Solves the relaxation of `domains` until the bound is below `threshold` or good enough
    /// ([`GOOD_ENOUGH`]).
    pub(super) fn relax(
        &mut self,
        program: &Program<N>,
        domains: &[Domain],
        threshold: f64,
    ) -> Relaxed<N> {
        let k = program.categories;
        let mut fixed = [0.0; N];
        let mut left = program.budget;
        self.active.clear();
        for (offer, domain) in domains.iter().enumerate() {
            let least = domain.least();
            if least > 0 {
                left -= program.cost(offer, least);
                for c in 0..k {
                    fixed[c] += program.rows[offer][c] * f64::from(least);
                }
            }
            if !domain.is_fixed() {
                self.active.push(offer);
            }
        }
        if self.active.is_empty() {
            return Relaxed::Single;
        }
        let mut reach = fixed;
        let rows = self.active.iter().map(|&offer| {
            let domain = domains[offer];
            let span = f64::from(domain.high - domain.least());
            let upfront = if domain.zero {
                program.upfront[offer]
            } else {
                0.0
            };
            let mut row = [0.0; N];
            for c in 0..k {
                row[c] = program.rows[offer][c] * span;
                reach[c] += row[c];
            }
            // The upfront price spread over the whole span is the lower convex hull of the true cost
            // between 0 and the span, hence the best linear relaxation of a single offer.
            // `left` is positive: `tighten` has fixed every offer of which the money left buys no
            // further copy.
            row[N - 1] = (upfront + program.unit[offer] * span) / left;
            row
        });
        // The rows are made while `begin` takes them, and each adds to `reach`, so the check comes
        // after.
        self.interior.begin(k, fixed, rows);
        if reach.iter().take(k).any(|&sum| sum <= 0.0) {
            return Relaxed::Infeasible;
        }
        // The best bound and the last point may belong to different steps: the bound
        // proves, the point is only a hint for rounding.
        let best = self.settle(threshold);
        self.copies.clear();
        for (&offer, x) in self.active.iter().zip(self.interior.point()) {
            let domain = domains[offer];
            let least = f64::from(domain.least());
            self.copies
                .push(least + x * (f64::from(domain.high) - least));
        }
        Relaxed::Solved {
            bound: best.bound,
            multipliers: Multipliers {
                y: best.y,
                rho: best.rho / left,
            },
        }
    }

    /// Steps until the bound is good enough; returns the best bound of all steps.
    fn settle(&mut self, threshold: f64) -> Reading<N> {
        let mut best = self.interior.read();
        let mut reading = best;
        for _ in 0..MOST_STEPS {
            // Before there is a plan the threshold is minus infinity and every bound is good
            // enough: the first point is rounded at once, since a plan closes more nodes than a
            // better bound of the root.
            let settled = best.bound - reading.value <= GOOD_ENOUGH * (best.bound - threshold);
            if best.bound <= threshold || settled {
                break;
            }
            self.interior.step();
            reading = self.interior.read();
            if reading.bound < best.bound {
                best = reading;
            }
        }
        best
    }
}
