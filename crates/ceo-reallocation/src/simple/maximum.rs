//! Moving as much as the rules allow into the units with the best outlook.

use crate::scenario::MAX_UNITS;
use crate::score::boxed::{UnitNo, at, at_mut, has};
use crate::score::{Moves, Scorer, UnitArray};

/// The grid of totals and amounts \[pp\].
const STEP: f64 = 0.5;

/// The largest valid move into the units with the best growth outlook.
///
/// 1. Units are ranked by growth outlook. For every cut of the ranking (units of equal outlook stay
///    together) the part above may receive and the part below may give.
/// 2. Unprotected units give before protected ones, lower outlook before higher, ids break ties;
///    each down to its floor or the share that a rule asks it to keep, and of the protected ones
///    only the one that has most to give.
/// 3. Receivers are filled from the best outlook on, each up to its ceiling or the limit of a rule.
/// 4. The total starts at what both sides and the cap allow, on a grid of half points. Where rules
///    over several units refuse the result, half points move on from a receiver to the next ones,
///    then the total goes down by half a point, until the plan is valid.
/// 5. The cut with the largest total wins; with equal totals the one with fewer receivers.
///
/// Moves nothing when every cut ends at 0.
///
/// # Complexity
/// At most 7 cuts, and for each at most 200 totals; a total costs one test of validity
/// unless rules over several units refuse it.
#[must_use]
pub fn max_reallocation(scorer: &Scorer) -> Moves {
    let c = scorer.compiled();
    let mut ranked = c.free();
    let outlook = |unit| at(&c.outlook, unit);
    ranked.sort_by(|&a, &b| outlook(b).total_cmp(&outlook(a)).then(a.cmp(&b)));
    let mut best = Moves::default();
    for cut in 1..ranked.len() {
        let (above, below) = ranked.split_at(cut);
        let tied = match (above.last(), below.first()) {
            (Some(&a), Some(&b)) => outlook(a) <= outlook(b),
            _ => true,
        };
        // Units of the same outlook are either all receivers or all givers; cutting
        // between them would let the order of ids decide.
        if tied {
            continue;
        }
        if let Some(moves) = largest(scorer, above, &givers(scorer, below))
            && moves.removed() > best.removed() + 1e-9
        {
            best = moves;
        }
    }
    best
}

/// Floors an amount to the grid.
fn on_grid(pp: f64) -> f64 {
    ((pp + 1e-9) / STEP).floor() * STEP
}

/// Givers in the order in which they are asked, with what they can give.
fn givers(scorer: &Scorer, below: &[UnitNo]) -> Vec<(UnitNo, f64)> {
    let c = scorer.compiled();
    let with_room = |&unit: &UnitNo| {
        let (least_share, _) = c.limits(unit);
        (unit, (at(&c.share, unit) - least_share).max(0.0))
    };
    // Ranked from the best outlook down, so the reverse asks the weakest first; among equals the
    // lower id comes first again.
    let outlook = |unit| at(&c.outlook, unit);
    let mut asked: Vec<(UnitNo, f64)> = below
        .iter()
        .filter(|&&unit| !has(c.protected, unit.index()))
        .map(with_room)
        .collect();
    asked.sort_by(|a, b| outlook(a.0).total_cmp(&outlook(b.0)).then(a.0.cmp(&b.0)));
    let mut protected: Option<(UnitNo, f64)> = None;
    for giver in below
        .iter()
        .filter(|&&unit| has(c.protected, unit.index()))
        .map(with_room)
    {
        if protected.is_none_or(|(_, most)| giver.1 > most) {
            protected = Some(giver);
        }
    }
    asked.extend(protected);
    asked
}

/// The largest valid total from these givers to these receivers, or `None`.
fn largest(scorer: &Scorer, receivers: &[UnitNo], givers: &[(UnitNo, f64)]) -> Option<Moves> {
    let room: Vec<(UnitNo, f64)> = receivers
        .iter()
        .map(|&unit| (unit, scorer.compiled().limits(unit).1.max(0.0)))
        .collect();
    let sum = |side: &[(UnitNo, f64)]| side.iter().map(|(_, pp)| pp).sum::<f64>();
    let mut total = on_grid(
        sum(givers)
            .min(sum(&room))
            .min(scorer.compiled().max_realloc),
    );
    while total > 0.0 {
        let mut moves = Moves {
            remove: fill(givers, total),
            add: fill(&room, total),
        };
        if settle(scorer, &room, &mut moves) {
            return Some(moves);
        }
        // Only rules over several units can refuse a total that both sides can carry, and
        // they bind less the less is moved.
        total -= STEP;
    }
    None
}

/// Pours a total into units one after the other.
fn fill(units: &[(UnitNo, f64)], total: f64) -> UnitArray {
    let mut side = [0.0; MAX_UNITS];
    let mut left = total;
    for &(unit, room) in units {
        let part = left.min(room);
        *at_mut(&mut side, unit) = part;
        left -= part;
    }
    side
}

/// Moves half points from better to later receivers until the plan is valid; false when it never
/// is.
fn settle(scorer: &Scorer, room: &[(UnitNo, f64)], moves: &mut Moves) -> bool {
    for (position, &(from, _)) in room.iter().enumerate() {
        for &(to, most) in room.iter().skip(position + 1) {
            loop {
                if scorer.is_valid(moves) {
                    return true;
                }
                let (has, gets) = (at(&moves.add, from), at(&moves.add, to));
                if has < STEP || gets + STEP > most + 1e-9 {
                    break;
                }
                *at_mut(&mut moves.add, from) = has - STEP;
                *at_mut(&mut moves.add, to) = gets + STEP;
            }
        }
    }
    scorer.is_valid(moves)
}
