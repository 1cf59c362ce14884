//! The valid moves nearest to given ones.
//!
//! Nearest in the sum of absolute differences. Floors, ceilings, the cap, and all rules but one are
//! linear in what units receive and lose once the side of every unit is fixed, so a linear program
//! finds them; a rule of the form "if A gets much, B must get some" is tried both ways. A unit
//! stays on the side that it was given (one without a move may receive), which keeps the program
//! small and gives up nothing for preferences that are nearly valid.

use crate::scenario::MAX_UNITS;
use crate::score::boxed::{Rule, UnitNo, at, has};
use crate::score::{Moves, Scorer, UnitArray};
use good_lp::{
    Expression, ProblemVariables, Solution, SolverModel, Variable, constraint, variable,
};

/// Room that the program leaves to every limit, so that rounding cannot break one \[pp\].
const MARGIN: f64 = 1e-7;

/// The valid moves nearest to `target`; the target itself when it is valid, no moves when nothing else
/// is.
#[must_use]
pub(crate) fn project(scorer: &Scorer, target: &UnitArray) -> UnitArray {
    let moves = Moves::from_deltas(target);
    if scorer.is_valid(&moves) && (moves.removed() - moves.added()).abs() < 1e-9 {
        return *target;
    }
    let conditions = scorer
        .compiled()
        .rules
        .iter()
        .filter(|rule| matches!(rule, Rule::Conditional { .. }))
        .count();
    let mut best: Option<(f64, UnitArray)> = None;
    // Rules beyond the eighth are kept in their first way only. The result is still
    // valid, because it is checked below; it may not be the nearest.
    for choice in 0..1_u32 << conditions.min(8) {
        let Some(found) = solve(scorer, target, choice) else {
            continue;
        };
        let distance: f64 = found.iter().zip(target).map(|(a, b)| (a - b).abs()).sum();
        if scorer.is_valid(&Moves::from_deltas(&found))
            && best.is_none_or(|(least, _)| distance < least - 1e-9)
        {
            best = Some((distance, found));
        }
    }
    best.map_or([0.0; MAX_UNITS], |(_, found)| found)
}

/// One linear program; bit k of `choice` says which way conditional rule k is kept.
fn solve(scorer: &Scorer, target: &UnitArray, choice: u32) -> Option<UnitArray> {
    let c = scorer.compiled();
    let mut variables = ProblemVariables::new();
    let mut amount: Vec<Variable> = Vec::new();
    let mut distance: Vec<Variable> = Vec::new();
    let givers = c.numbers().filter(|unit| at(target, *unit) < 0.0);
    let givers = givers.fold(0, |set, unit| set | unit.bit());
    let giver = |unit: usize| has(givers, unit);
    for unit in c.numbers() {
        let share = at(&c.share, unit);
        let room = match (has(c.locked, unit.index()), giver(unit.index())) {
            (true, _) => 0.0,
            (false, true) => share - at(&c.floor, unit),
            (false, false) => at(&c.ceiling, unit) - share,
        };
        amount.push(variables.add(variable().min(0.0).max(room.max(0.0))));
        distance.push(variables.add(variable().min(0.0)));
    }
    let sum = |keep: &dyn Fn(usize) -> bool| -> Expression {
        amount
            .iter()
            .enumerate()
            .filter(|(unit, _)| keep(*unit))
            .map(|(_, v)| Expression::from(*v))
            .sum()
    };
    let objective: Expression = distance.iter().map(|v| Expression::from(*v)).sum();
    // A solver in Rust: a program has at most 16 variables, and HiGHS would need a C++ compiler.
    let mut model = variables.minimise(objective).using(good_lp::microlp);
    for ((amount, distance), target) in amount.iter().zip(&distance).zip(target) {
        model = model
            // The absolute value of a difference, as two linear constraints under a
            // minimum.
            .with(constraint!(*distance >= *amount - target.abs()))
            .with(constraint!(*distance >= target.abs() - *amount));
    }
    model = model
        .with(constraint!(sum(&giver) == sum(&|unit| !giver(unit))))
        .with(constraint!(sum(&giver) <= c.max_realloc - MARGIN));
    let added = |unit: UnitNo| sum(&|other| other == unit.index() && !giver(other));
    let mut condition = 0;
    for rule in &c.rules {
        match *rule {
            Rule::MaxAdd { unit, pp } => model = model.with(constraint!(added(unit) <= pp)),
            Rule::MinShare { unit, pp } => {
                let removed = sum(&|other| other == unit.index() && giver(other));
                let keeps = at(&c.share, unit) - pp;
                model = model.with(constraint!(removed <= keeps.max(0.0)));
            }
            Rule::Retain {
                sources,
                destinations,
                fraction,
            } => {
                let from = sum(&|unit| has(sources, unit) && giver(unit));
                let to = sum(&|unit| has(destinations, unit) && !giver(unit));
                model = model.with(constraint!(to >= fraction * from));
            }
            Rule::Conditional {
                if_unit,
                above,
                then_unit,
                least,
            } => {
                let then = choice >> condition & 1 == 1;
                condition += 1;
                model = if then {
                    model.with(constraint!(added(then_unit) >= least))
                } else {
                    model.with(constraint!(added(if_unit) <= above))
                };
            }
            Rule::Flow => {
                for (sources, reachable) in c.cuts() {
                    let from = sum(&|unit| has(sources, unit) && giver(unit));
                    let to = sum(&|unit| has(reachable, unit) && !giver(unit));
                    model = model.with(constraint!(from <= to));
                }
            }
        }
    }
    // No solution means that this combination of ways cannot be kept; another one may.
    let solution = model.solve().ok()?;
    let mut found = [0.0; MAX_UNITS];
    for (unit, (slot, variable)) in found.iter_mut().zip(&amount).enumerate() {
        // Rounded to millionths: the rounding errors of the simplex method are not decisions.
        // Below 0 by a rounding error would be a move to the other side.
        let value = (solution.value(*variable).max(0.0) * 1e6).round() / 1e6;
        *slot = if giver(unit) { -value } else { value };
    }
    Some(found)
}
