//! Random valid plans.

use crate::score::boxed::{UnitNo, at_mut};
use crate::score::{Moves, Scorer, UnitArray};
use sim_core::Stream;

/// Draws before giving up on finding a valid plan.
const TRIES: u32 = 2000;

/// Moves of one or two sources and one or two destinations, with a total uniform on the grid of
/// half points up to the cap, drawn until they are valid; `None` when none of 2,000 draws is.
///
/// With two units on a side the total is split at a uniform half point.
///
/// The draws come from `stream` alone, so the same stream gives the same moves. Locked
/// units are never chosen.
#[must_use]
pub fn random_moves(scorer: &Scorer, stream: &mut Stream) -> Option<Moves> {
    let c = scorer.compiled();
    let mut free = c.free();
    #[expect(clippy::cast_possible_truncation, reason = "at most 200 half points")]
    let most = (c.max_realloc * 2.0).floor() as i64;
    if free.len() < 2 || most < 1 {
        return None;
    }
    // Drawn again and not repaired: repairing would make plans at the limits likelier than others.
    for _ in 0..TRIES {
        stream.shuffle(&mut free);
        let sources = 1 + stream.index(2.min(free.len() - 1));
        let destinations = 1 + stream.index(2.min(free.len() - sources));
        let total = stream.between(1, most);
        let mut moves = Moves::default();
        let mut units = free.iter().copied();
        spread(
            &mut moves.remove,
            units.by_ref().take(sources),
            total,
            stream,
        );
        spread(
            &mut moves.add,
            units.by_ref().take(destinations),
            total,
            stream,
        );
        if scorer.is_valid(&moves) {
            return Some(moves);
        }
    }
    None
}

/// Splits `total` half points over one or two units.
fn spread(
    side: &mut UnitArray,
    units: impl Iterator<Item = UnitNo>,
    total: i64,
    stream: &mut Stream,
) {
    let units: Vec<UnitNo> = units.collect();
    let first = if units.len() > 1 {
        stream.between(0, total)
    } else {
        total
    };
    for (unit, half_points) in units.into_iter().zip([first, total - first]) {
        #[expect(clippy::cast_precision_loss, reason = "at most 200 half points")]
        let pp = half_points as f64 / 2.0;
        *at_mut(side, unit) = pp;
    }
}
