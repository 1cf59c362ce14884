//! Moves of a learning program as a balanced plan.
//!
//! A learning program gives a vector without constraints. Turning it into a balanced plan
//! here, and not in the program, means that every learner has the same action space and
//! that the same vector means the same plan in the batch and in the environment.

use crate::scenario::MAX_UNITS;
use crate::score::{Moves, Scorer};

/// Signed moves as a balanced plan on hundredths of a point: locked units and positions beyond the
/// last unit are left out, and the larger side is scaled down to the smaller.
#[must_use]
pub(crate) fn balanced(scorer: &Scorer, moves: &[f64]) -> Moves {
    let locked = scorer.compiled().locked;
    let mut deltas = [0.0; MAX_UNITS];
    for (unit, (slot, value)) in deltas.iter_mut().zip(moves).enumerate() {
        if unit < scorer.ids().len() && locked >> unit & 1 == 0 && value.is_finite() {
            *slot = value.clamp(-100.0, 100.0);
        }
    }
    let mut moves = Moves::from_deltas(&deltas);
    // Scaling the larger side down keeps the plan inside the limits that the smaller side
    // respects; scaling the smaller one up could break a cap or a floor.
    let total = moves.removed().min(moves.added());
    let hundredths = (total * 100.0).floor();
    for side in [&mut moves.remove, &mut moves.add] {
        let sum: f64 = side.iter().sum();
        if sum <= 0.0 || hundredths < 1.0 {
            *side = [0.0; MAX_UNITS];
            continue;
        }
        // Rounded down, and the rest goes to the largest amount, so that both sides have exactly the
        // same number of hundredths and pass the balance check. Where all are rounded down to 0, it goes
        // to a unit of this side: another one may be locked, or not exist.
        let asked = *side;
        let scale = hundredths / sum;
        let mut left = hundredths;
        for value in side.iter_mut() {
            *value = (*value * scale).floor();
            left -= *value;
        }
        let of_this_side = side
            .iter_mut()
            .zip(&asked)
            .filter(|(_, asked)| **asked > 0.0);
        if let Some((largest, _)) = of_this_side.max_by(|(a, _), (b, _)| a.total_cmp(b)) {
            *largest += left;
        }
        for value in side.iter_mut() {
            *value /= 100.0;
        }
    }
    moves
}
