//! The older public rubric, as a second scorer beside the four dimensions.
//!
//! The overall means that the paper prints come from an evaluator of its authors that is older than
//! appendix C (found by recomputing its 65 public runs). This is that rule in our own words and
//! code, on our own scenarios, so that readers who know those figures have something to compare
//! with. It is reported beside the primary score and never mixed with it.
//!
//! | part | points | rule |
//! |---|---|---|
//! | validity | 30 | all or nothing |
//! | range fit | 30 | falls linearly with the relative distance from one preferred range |
//! | alignment | 20 | share of the added money that reaches preferred units |
//! | protection | 10 | no protected unit loses anything, all or nothing |
//! | overload | 10 | falls with the money given to units under a capacity warning, relative to the range's upper end |
//!
//! The sum counts 0.45 times when the plan is invalid, 0.72 times when it is misallocated (out of
//! the range, or less than half of the money where it should go) and 0.9 times when it is
//! acceptable with trade-offs (in the range, but less than three quarters of the money where it
//! should go, a protected unit cut, or an overloaded unit funded).
//!
//! Ours here: the one preferred range is the profile of the largest weight (the first of equals),
//! and overloaded units are those under a capacity warning.

use crate::plan::ReallocationPlan;
use crate::scenario::Scenario;
use crate::score::Scorer;

/// The score of a plan under the older rubric, 0 to 100. An unreadable plan earns nothing.
///
/// # Source
/// An earlier version of the public evaluator; the bounds 0.75 and 0.5 on the money that reaches preferred units
/// are those of the public evaluator.
#[must_use]
pub fn older_rubric(scenario: &Scenario, scorer: &Scorer, plan: &ReallocationPlan) -> f64 {
    let Ok(moves) = scorer.moves(plan) else {
        return 0.0;
    };
    let mut main = None;
    for profile in &scenario.evaluation.profiles {
        // Strictly more, so that of equal ones the first stays.
        if main.is_none_or(|best: &crate::scenario::StrategyProfile| profile.weight > best.weight) {
            main = Some(profile);
        }
    }
    let Some(main) = main else { return 0.0 };
    let valid = scorer.violations(plan).is_empty();
    let r = moves.removed();
    let (low, high) = (main.r_min_pp, main.r_max_pp);
    // Relative to the end that is missed, so a narrow range does not punish more.
    let range_fit = if r < low {
        1.0 - (low - r) / low
    } else if r > high {
        (1.0 - (r - high) / high).max(0.0)
    } else {
        1.0
    };
    let in_range = r >= low && r <= high;
    let (mut preferred, mut warned) = (0.0, 0.0);
    let mut cut = false;
    let amounts = moves.add.iter().zip(&moves.remove);
    for (unit, (add, remove)) in scenario.units_by_id().into_iter().zip(amounts) {
        if main.preferred_destinations.contains(&unit.id) {
            preferred += add;
        }
        if unit.capacity_warning {
            warned += add;
        }
        cut |= unit.protected && *remove > 0.0;
    }
    let added = moves.added();
    // A plan that moves nothing sends nothing where it should go.
    let alignment = if added > 0.0 { preferred / added } else { 0.0 };
    let overload = (warned / high).min(1.0);
    // Invalid, high quality, acceptable with trade-offs, misallocated: what fails one of the
    // conditions falls to the next class. With 0.45, 0.72 and 0.9 the published means come out:
    // 73.86, 71.90, 67.17, 65.82 and 63.88, where the last is printed as 63.87.
    let factor = if !valid {
        0.45
    } else if in_range && alignment >= 0.75 && !cut && warned <= 0.0 {
        1.0
    } else if in_range && alignment >= 0.5 {
        0.9
    } else {
        0.72
    };
    let validity = if valid { 30.0 } else { 0.0 };
    let protection = if cut { 0.0 } else { 10.0 };
    factor * (validity + 30.0 * range_fit + 20.0 * alignment + protection + 10.0 * (1.0 - overload))
}
