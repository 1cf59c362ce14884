//! Validity and strategic fit V, and with it boldness B, as both look at every profile.

use super::Marks;
use super::boldness::bold;
use super::compiled::{Compiled, CompiledProfile, Moves, has, sum_of};
use crate::scoring::ScoringConfig;

/// Fit of a plan to one profile, 0 to 1.
///
/// Money is measured against the larger of what is moved and what the profile asks for, so that an
/// empty plan earns nothing for its direction without a case of its own.
#[inline]
pub(crate) fn fit(
    c: &Compiled,
    config: &ScoringConfig,
    p: &CompiledProfile,
    moves: &Moves,
    removed: f64,
) -> f64 {
    let v = &config.validity;
    let whole = removed.max(p.r_min);
    let (protection, absorption) = care(c, config, p, moves);
    // Capped, as an unbalanced plan can give more than it takes.
    v.destinations * (sum_of(&moves.add, p.destinations) / whole).min(1.0)
        + v.sources * (sum_of(&moves.remove, p.sources) / whole).min(1.0)
        + protection
        + absorption
}

/// The parts of the fit for protected units that are left alone, and for additions that can be absorbed.
#[inline]
pub(crate) fn care(
    c: &Compiled,
    config: &ScoringConfig,
    p: &CompiledProfile,
    moves: &Moves,
) -> (f64, f64) {
    let v = &config.validity;
    let mut cut = 0.0;
    let mut excess = 0.0;
    let units = moves
        .remove
        .iter()
        .zip(&moves.add)
        .zip(&c.capacity)
        .enumerate();
    for (index, ((remove, add), capacity)) in units {
        let hurt = (remove - p.protected_cut).max(0.0);
        cut += if has(c.protected, index) { hurt } else { 0.0 };
        excess += (add - capacity - p.absorb_excess).max(0.0);
    }
    (
        v.protection * (1.0 - (cut / v.protection_scale_pp).min(1.0)),
        v.absorption * (1.0 - (excess / v.absorption_scale_pp).min(1.0)),
    )
}

/// Boldness B, the profile that the plan is compared with, its fit, and V.
///
/// The profile is the one with the largest half-and-half of boldness and fit, compared at nine
/// decimals; the first of the list wins a tie.
#[inline]
pub(crate) fn mark(c: &Compiled, config: &ScoringConfig, moves: &Moves, marks: &mut Marks) {
    let mut best = f64::NEG_INFINITY;
    for (index, profile) in c.profiles.iter().enumerate() {
        let bold = bold(profile, marks.moved_pp, config.eps_pp);
        let fit = fit(c, config, profile, moves, marks.moved_pp);
        marks.boldness = marks.boldness.max(bold);
        // Nine decimals make ties of profiles stable: equal strategies must not be told
        // apart by a rounding error.
        let both = ((0.5 * bold / 100.0 + 0.5 * fit) * 1e9).round();
        if both > best {
            best = both;
            marks.profile = index;
            marks.fit = fit;
        }
    }
    // Otherwise it stays 0, as the paper says; the fit is still known, for labels and reports.
    if marks.is_valid {
        marks.validity = config.validity.base + config.validity.span * marks.fit;
    }
}
