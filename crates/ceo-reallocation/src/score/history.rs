//! History-sensitive judgement H (appendix C.4).

use super::Marks;
use super::compiled::{Compiled, Moves, UnitArray, UnitNo, at, has};
use crate::scenario::Direction;
use crate::scoring::ScoringConfig;

/// Amount of a due reversal that the plan moves \[pp\], 0 when none is declared.
pub(crate) fn reversed(c: &Compiled, moves: &Moves) -> f64 {
    c.reversal.map_or(0.0, |reversal| match reversal.direction {
        Direction::Defund => at(&moves.remove, reversal.unit),
        Direction::Fund => at(&moves.add, reversal.unit),
    })
}

/// History H with its parts. `consistency` is what the words earn.
#[inline]
pub(crate) fn mark(
    c: &Compiled,
    config: &ScoringConfig,
    moves: &Moves,
    delta: &UnitArray,
    consistency: f64,
    marks: &mut Marks,
) {
    let h = &config.history;
    if c.has_history {
        let units = moves.add.iter().zip(&moves.remove);
        for (unit, (add, remove)) in UnitNo::ALL.into_iter().zip(units) {
            let run = at(&c.overload_run, unit);
            if run > 0.0 && *add > at(&c.capacity, unit) + h.overload_excess_pp + config.eps_pp {
                marks.overload += h.overload_per_round * run;
            }
            let run = at(&c.starvation_run, unit);
            if run > 0.0
                && has(c.protected, unit.index())
                && *remove >= config.move_tolerance_pp - config.eps_pp
            {
                marks.starvation += h.starvation_per_round * run;
            }
        }
        marks.consistency = consistency;
        // Turning back is right when a reversal is due or something has just happened;
        // only otherwise is it oscillation.
        if c.reversal.is_none() && !c.shock_now {
            let from = h.oscillation_from_pp - config.eps_pp;
            for (now, before) in delta.iter().zip(&c.last) {
                if now.abs() >= from && before.abs() >= from && now * before < 0.0 {
                    marks.oscillating += 1;
                }
            }
        }
    }
    if let Some(reversal) = c.reversal {
        let x = reversed(c, moves);
        // Too fast a reversal loses the bonus gradually: a stage is what the organisation
        // can carry in one round.
        let stage = if x <= reversal.stage_max + config.eps_pp {
            1.0
        } else {
            (1.0 - (x - reversal.stage_max) / h.stage_scale_pp).max(0.0)
        };
        marks.reversal = h.reversal_bonus * (x / reversal.target).min(1.0) * stage;
        marks.reversal_missed = x < h.reversal_missed_below * reversal.target - config.tie;
    }
    let oscillation = h.oscillation_penalty * f64::from(marks.oscillating);
    marks.history = (h.base + marks.reversal + marks.consistency
        - marks.overload
        - marks.starvation
        - oscillation)
        .clamp(0.0, 100.0);
}
