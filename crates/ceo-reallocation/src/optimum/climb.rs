//! Hill climbing over moves between two and three units.
//!
//! The score is piecewise linear in the amounts with jumps at limits, so a fixed set of
//! steps is more robust than a gradient. Each round tries all moves of one size and takes
//! the best; when none helps, the size is reduced.

use super::value;
use crate::score::boxed::{UnitNo, at_mut};
use crate::score::{Scorer, UnitArray};

/// Steps down to a ten-thousandth of a point \[pp\].
pub(crate) const FINE_STEPS: &[f64] = &[
    4.0, 2.0, 1.0, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001,
];

/// Steps that keep a plan on the grid of half points \[pp\].
pub(crate) const GRID_STEPS: &[f64] = &[4.0, 2.0, 1.0, 0.5];

/// Smallest gain that counts: smaller ones are rounding errors, and climbing would not end.
const GAIN: f64 = 1e-10;

/// Most moves with steps of one size. Plans of the published cases need a few dozen moves; with other
/// scales of the score, small steps could take millions.
const MOST_MOVES: u32 = 2_000;

/// Climbs from `start` by the best improving move of each kind and step; gives the moves and their
/// value with the best text (minus infinity when nothing valid is near).
///
/// The kinds: from one unit to another; from one to two others and from two to one, in halves.
/// Every move keeps the balance.
pub(crate) fn climb(scorer: &Scorer, start: UnitArray, steps: &[f64]) -> (UnitArray, f64) {
    let c = scorer.compiled();
    let free = c.free();
    let mut best = (start, value(scorer, &start));
    for &step in steps {
        // Coarse steps first: they cross the flat parts of the score quickly, fine ones reach the corner.
        for _ in 0..MOST_MOVES {
            // The best of all moves of this size and not the first that helps, which would depend
            // on the order of the units.
            let mut next = best;
            for &from in &free {
                for &to in &free {
                    if from == to {
                        continue;
                    }
                    offer(scorer, &best.0, &[(from, -step), (to, step)], &mut next);
                    // Pairs alone get stuck where two receivers (or two sources) must change together.
                    for &third in free.iter().filter(|&&third| third > to && third != from) {
                        let half = 0.5 * step;
                        let split = [(from, -step), (to, half), (third, half)];
                        offer(scorer, &best.0, &split, &mut next);
                        let merge = [(from, step), (to, -half), (third, -half)];
                        offer(scorer, &best.0, &merge, &mut next);
                    }
                }
            }
            if next.1 <= best.1 + GAIN {
                break;
            }
            best = next;
        }
    }
    best
}

fn offer(scorer: &Scorer, at: &UnitArray, changes: &[(UnitNo, f64)], best: &mut (UnitArray, f64)) {
    let mut deltas = *at;
    for &(unit, change) in changes {
        let delta = at_mut(&mut deltas, unit);
        // On a grid of millionths, so that rounding errors of many steps do not add up.
        *delta = ((*delta + change) * 1e6).round() / 1e6;
    }
    let value = value(scorer, &deltas);
    if value > best.1 + GAIN {
        *best = (deltas, value);
    }
}
