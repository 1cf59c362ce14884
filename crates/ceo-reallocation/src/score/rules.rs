//! Hard limits: what makes a plan unreadable or invalid (appendix C.1 and section 3.4.4 of the
//! paper, tolerances of the design).

use super::compiled::{Compiled, Moves, Rule, UnitArray, UnitNo, at, has, sum_of};
use crate::flow;
use crate::plan::{Amount, ReallocationPlan, Violation, ViolationCode as Code};
use crate::scenario::UnitId;
use sim_core::error::clip;

/// One broken hard limit, as numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Breach {
    Mass { removed: f64, added: f64 },
    Declared { declared: f64, removed: f64 },
    Cap { removed: f64 },
    Floor { unit: UnitNo, share: f64 },
    Ceiling { unit: UnitNo, share: f64 },
    Locked { unit: UnitNo },
    Transfer { rule: usize },
}

impl Breach {
    /// With words.
    pub(crate) fn violation(self, c: &Compiled, ids: &[UnitId]) -> Violation {
        let name = |unit: UnitNo| ids.get(unit.index()).map_or("", UnitId::as_str);
        let (code, message) = match self {
            Self::Mass { removed, added } => (
                Code::MassBalance,
                format!("removed {removed:.2} pp but added {added:.2} pp"),
            ),
            Self::Declared { declared, removed } => (
                Code::DeclaredTotal,
                format!("total_realloc_share says {declared:.2}, the plan moves {removed:.2}"),
            ),
            Self::Cap { removed } => {
                let cap = c.max_realloc;
                let message = format!("the plan moves {removed:.2} pp, the cap is {cap:.2}");
                (Code::ReallocCap, message)
            }
            Self::Floor { unit, share } => {
                let (name, floor) = (name(unit), at(&c.floor, unit));
                let message = format!("'{name}' would be at {share:.2}, floor {floor:.2}");
                (Code::Floor, message)
            }
            Self::Ceiling { unit, share } => {
                let (name, ceiling) = (name(unit), at(&c.ceiling, unit));
                let message = format!("'{name}' would be at {share:.2}, ceiling {ceiling:.2}");
                (Code::Ceiling, message)
            }
            Self::Locked { unit } => (Code::Locked, format!("'{}' is locked", name(unit))),
            Self::Transfer { rule } => {
                let rule = c.rule_texts.get(rule).map_or("", String::as_str);
                (Code::Transfer, format!("transfer rule broken: {rule}"))
            }
        };
        Violation::new(code, message)
    }
}

/// The plan as numbers, or everything that makes it unreadable.
pub(crate) fn moves(
    scenario: &str,
    ids: &[UnitId],
    plan: &ReallocationPlan,
) -> Result<Moves, Vec<Violation>> {
    let mut moves = Moves::default();
    let mut found = Vec::new();
    let sides = [
        (&plan.remove_from, &mut moves.remove),
        (&plan.add_to, &mut moves.add),
    ];
    for (amounts, side) in sides {
        for (id, amount) in amounts {
            let slot = ids
                .iter()
                .position(|known| known == id)
                .and_then(|i| side.get_mut(i));
            let Some(slot) = slot else {
                found.push(Violation::new(
                    Code::UnknownUnit,
                    format!("unit '{}' does not exist in {scenario}", clip(id.as_str())),
                ));
                continue;
            };
            match in_range(id.as_str(), amount) {
                Ok(value) => *slot = value,
                Err(violation) => found.push(violation),
            }
        }
    }
    // Only where it is not a number: any other total is compared with what moves, and makes the
    // plan invalid at worst.
    if let Some(total) = &plan.total_realloc_share
        && total.value().is_nan()
    {
        found.extend(in_range("total_realloc_share", total).err());
    }
    for (id, (add, remove)) in ids.iter().zip(moves.add.iter().zip(&moves.remove)) {
        if *add > 0.0 && *remove > 0.0 {
            found.push(Violation::new(
                Code::BothSides,
                format!("unit '{id}' is both a source and a destination"),
            ));
        }
    }
    if found.is_empty() {
        Ok(moves)
    } else {
        Err(found)
    }
}

fn in_range(name: &str, amount: &Amount) -> Result<f64, Violation> {
    let value = amount.value();
    // NaN is in no range, so texts without a number end here too.
    if (0.0..=100.0).contains(&value) {
        return Ok(value);
    }
    let got = match amount {
        Amount::Number(number) => number.to_string(),
        Amount::Text(text) => format!("`{}`", clip(text)),
    };
    Err(Violation::new(
        Code::Amount,
        format!("amount for '{name}' must be between 0 and 100, got {got}"),
    ))
}

/// Reports every broken limit, in the order of the codes.
#[inline]
pub(crate) fn check(
    c: &Compiled,
    moves: &Moves,
    totals: &Totals,
    declared: f64,
    mut found: impl FnMut(Breach),
) {
    let Totals {
        removed,
        added,
        delta,
    } = totals;
    let (removed, added, eps) = (*removed, *added, c.eps);
    if (removed - added).abs() > c.mass_tolerance {
        found(Breach::Mass { removed, added });
    }
    if (declared - removed).abs() > c.declared_tolerance {
        found(Breach::Declared { declared, removed });
    }
    if removed > c.max_realloc + eps {
        found(Breach::Cap { removed });
    }
    // One branch for all units: plans inside their limits are the common case, and the
    // loop without early exit becomes vector code. The cold function below finds out
    // which limit it was.
    let mut outside = false;
    for ((delta, least), most) in delta.iter().zip(&c.least_move).zip(&c.most_move) {
        outside |= (delta < least) | (delta > most);
    }
    if outside {
        units_outside(c, delta, &mut found);
    }
    for (n, rule) in c.rules.iter().enumerate() {
        let holds = match *rule {
            Rule::MaxAdd { unit, pp } => at(&moves.add, unit) <= pp + eps,
            Rule::MinShare { unit, pp } => at(&c.share, unit) + at(delta, unit) >= pp - eps,
            Rule::Retain {
                sources,
                destinations,
                fraction,
            } => {
                sum_of(&moves.add, destinations) >= fraction * sum_of(&moves.remove, sources) - eps
            }
            Rule::Conditional {
                if_unit,
                above,
                then_unit,
                least,
            } => at(&moves.add, if_unit) <= above + eps || at(&moves.add, then_unit) >= least - eps,
            Rule::Flow => {
                // What is out of balance anyway is V1's matter.
                let imbalance = (removed - added).max(0.0);
                flow::stuck(moves, &c.reach, c.limited) <= imbalance + eps
            }
        };
        if !holds {
            // The check does not stop at the first breach: an agent should learn of all
            // its mistakes at once.
            found(Breach::Transfer { rule: n });
        }
    }
}

/// Reports units whose share would leave its limits, and locked units that are touched.
#[cold]
fn units_outside(c: &Compiled, delta: &UnitArray, found: &mut impl FnMut(Breach)) {
    for unit in c.numbers() {
        let moved = at(delta, unit);
        let (least, most) = (at(&c.least_move, unit), at(&c.most_move, unit));
        let share = at(&c.share, unit) + moved;
        if has(c.locked, unit.index()) {
            if moved < least || moved > most {
                found(Breach::Locked { unit });
            }
        } else if moved < least {
            found(Breach::Floor { unit, share });
        } else if moved > most {
            found(Breach::Ceiling { unit, share });
        }
    }
}

/// Whether no limit is broken.
#[inline]
pub(crate) fn is_valid(c: &Compiled, moves: &Moves) -> bool {
    let mut valid = true;
    let totals = Totals::of(moves);
    check(c, moves, &totals, totals.removed, |_| valid = false);
    valid
}

/// Sums of a plan that several parts need.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Totals {
    pub(crate) removed: f64,
    pub(crate) added: f64,
    pub(crate) delta: UnitArray,
}

impl Totals {
    #[inline]
    pub(crate) fn of(moves: &Moves) -> Self {
        Self {
            removed: moves.removed(),
            added: moves.added(),
            delta: moves.deltas(),
        }
    }
}

/// Whether the amounts look like fractions of 1: everything at most 1 where more than 1.5 pp may
/// be moved. A plan that moves nothing does not.
pub(crate) fn looks_like_fractions(c: &Compiled, moves: &Moves, declared: f64) -> bool {
    let removed = moves.removed();
    removed > 0.0 && removed <= 1.0 && declared <= 1.0 && c.max_realloc > 1.5
}
