//! Role integration R: constraint respect, perspectives, rationale (appendix C.3).

use super::Marks;
use super::compiled::{Compiled, CompiledFlag, Condition, Moves, UnitArray, at, has, sum_of};
use crate::plan::DecisionType;
use crate::scenario::Officer;
use crate::scoring::{RoleConfig, ScoringConfig};

/// Signed Tanimoto similarity of two sets of moves, 0 to 1.
///
/// A unit that both move the same way adds the smaller amount to the overlap and the larger to the
/// union; one that they move against each other adds both amounts to the union. So 1 is reached by
/// identical moves only, nothing shared gives 0, and asking for too much of the right thing lowers
/// it as much as asking for too little. Two empty sets are identical.
///
/// ```
/// // A-10 C+6 D+4 against A-8 C+8
/// let j = ceo_reallocation::score::similarity(&[-10.0, 0.0, 6.0, 4.0], &[-8.0, 0.0, 8.0, 0.0]);
/// assert!((j - 14.0 / 22.0).abs() < 1e-12);
/// ```
#[must_use]
#[inline]
pub fn similarity(a: &[f64], b: &[f64]) -> f64 {
    let (mut overlap, mut union) = (0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        let (p, q) = (x.abs(), y.abs());
        if x * y > 0.0 {
            overlap += p.min(q);
            union += p.max(q);
        } else {
            union += p + q;
        }
    }
    if union > 0.0 { overlap / union } else { 1.0 }
}

/// [`similarity`] to all four preferences at once, unit by unit.
#[inline]
fn similarities(c: &Compiled, delta: &UnitArray) -> [f64; 4] {
    let (mut overlap, mut union) = ([0.0; 4], [0.0; 4]);
    for (x, preferences) in delta.iter().zip(&c.preferences_by_unit) {
        let p = x.abs();
        for ((overlap, union), y) in overlap.iter_mut().zip(&mut union).zip(preferences) {
            let q = y.abs();
            let same_way = x * y > 0.0;
            *overlap += if same_way { p.min(q) } else { 0.0 };
            *union += if same_way { p.max(q) } else { p + q };
        }
    }
    let mut both = [1.0; 4];
    for ((slot, overlap), union) in both.iter_mut().zip(overlap).zip(union) {
        if union > 0.0 {
            *slot = overlap / union;
        }
    }
    both
}

/// The amounts of a plan, or the least or the most of each over many plans.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Amounts<'a> {
    pub(crate) moves: &'a Moves,
    /// Total moved.
    pub(crate) r: f64,
    /// What several units receive together is at most this.
    // In a balanced plan they receive no more than the total. One plan need not be balanced, and there the sum counts.
    pub(crate) most_added: f64,
}

/// By how much a condition is missed at least, by all plans whose amounts lie between `low` and `high`; at most 0
/// when one of them may keep it. Of a single plan both are its own amounts.
#[inline]
fn excess(c: &Compiled, condition: Condition, low: Amounts<'_>, high: Amounts<'_>) -> f64 {
    let ((add_low, cut_low), (add_high, cut_high)) = (
        (&low.moves.add, &low.moves.remove),
        (&high.moves.add, &high.moves.remove),
    );
    match condition {
        Condition::MaxTotal(pp) => low.r - pp,
        Condition::MinTotal(pp) => pp - high.r,
        Condition::MaxAdd(unit, pp) => at(add_low, unit) - pp,
        Condition::MinAddSum(units, pp) => pp - sum_of(add_high, units).min(high.most_added),
        Condition::MaxCut(unit, pp) => at(cut_low, unit) - pp,
        Condition::MinCut(unit, pp) => pp - at(cut_high, unit),
        Condition::MinShareAfter(unit, pp) => {
            pp - (at(&c.share, unit) + at(add_high, unit) - at(cut_low, unit))
        }
        Condition::Prereq {
            if_unit,
            above,
            then_unit,
            least,
        } => {
            if at(add_low, if_unit) > above {
                least - at(add_high, then_unit)
            } else {
                0.0
            }
        }
        Condition::MinRunway(months) => months - (c.runway - c.runway_per_pp * low.r),
        Condition::MaxLeverage(x) => (c.leverage + c.leverage_per_pp * low.r) - x,
    }
}

/// Degree to which a flag is broken at least, 0 to 1; see [`excess`].
#[inline]
pub(crate) fn degree(
    c: &Compiled,
    role: &RoleConfig,
    flag: &CompiledFlag,
    low: Amounts<'_>,
    high: Amounts<'_>,
) -> f64 {
    let (tolerance, scale) = match flag.condition {
        Condition::MinRunway(_) => (role.financial_tolerance, role.concern_scale_months),
        Condition::MaxLeverage(_) => (role.financial_tolerance, role.concern_scale_leverage),
        _ => (role.flag_tolerance_pp, role.concern_scale_pp),
    };
    let by = excess(c, flag.condition, low, high);
    if by <= tolerance {
        0.0
    } else if flag.is_veto {
        1.0
    } else {
        (by / scale).min(1.0)
    }
}

/// Degree to which a plan lies between opposed preferences, 0 to 1: the most of all plans whose moves lie between
/// `least` and `most` and whose totals are at most `r`.
#[inline]
pub(crate) fn hull(
    c: &Compiled,
    role: &RoleConfig,
    least: &UnitArray,
    most: &UnitArray,
    r: f64,
) -> f64 {
    if c.disputed == 0 {
        return 1.0;
    }
    let mut sum = 0.0;
    let preferences = c.preference_low.iter().zip(&c.preference_high);
    let units = least.iter().zip(most).zip(preferences).enumerate();
    for (index, ((least, most), (low, high))) in units {
        let under = low - role.hull_margin_pp - most;
        let over = least - high - role.hull_margin_pp;
        let distance = under.max(over).max(0.0);
        let near = (1.0 - distance / role.hull_scale_pp).max(0.0);
        sum += if has(c.disputed, index) { near } else { 0.0 };
    }
    // A plan that moves nothing resolves no conflict.
    sum / f64::from(c.disputed.count_ones()) * (r / role.hull_full_from_pp).min(1.0)
}

/// The four similarities, the one that counts, and the capturing advisor.
#[inline]
fn perspectives(
    c: &Compiled,
    config: &ScoringConfig,
    delta: &UnitArray,
) -> ([f64; 4], f64, Option<Officer>) {
    let role = &config.role;
    let similarity_to = similarities(c, delta);
    let mut sorted = similarity_to;
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let [first, second, ..] = sorted;
    // Two advisors who agree cannot capture a plan: the lead over the second is then
    // small.
    let captured = first >= role.capture_similarity - config.tie
        && first - second >= role.capture_lead - config.tie;
    if captured {
        let by = Officer::ALL
            .into_iter()
            .zip(similarity_to)
            .find(|(_, j)| *j >= first)
            .map(|(officer, _)| officer);
        return (similarity_to, 0.0, by);
    }
    let needed = role.perspectives_needed.saturating_sub(1) as usize;
    // The third largest similarity: that many perspectives are at least so well visible
    // in the plan.
    let counted = sorted.get(needed).copied().unwrap_or(0.0);
    (
        similarity_to,
        (counted / role.perspective_target).min(1.0),
        None,
    )
}

/// Role integration R with its parts.
#[inline]
pub(crate) fn mark(
    c: &Compiled,
    config: &ScoringConfig,
    moves: &Moves,
    delta: &UnitArray,
    kind: Option<DecisionType>,
    lexical: f64,
    marks: &mut Marks,
) {
    let role = &config.role;
    let r = marks.moved_pp;
    let amounts = Amounts {
        moves,
        r,
        most_added: f64::INFINITY,
    };
    let lost: f64 = c
        .flags
        .iter()
        .map(|flag| flag.weight * degree(c, role, flag, amounts, amounts))
        .sum();
    // Not 1 less what is lost: saliences of a file sum to 1 only within a millionth, and the closed
    // bound uses the same sum.
    marks.respect = c.salience.iter().sum::<f64>() - lost;
    (marks.similarity, marks.perspectives, marks.captured_by) = perspectives(c, config, delta);
    marks.hull = hull(c, role, delta, delta, r);
    marks.label = match kind.map(|kind| kind.distance(c.band(r))) {
        Some(0) => 1.0,
        Some(1) => role.neighbouring_label,
        _ => 0.0,
    };
    marks.lexical = lexical;
    marks.rationale = role.hull * marks.hull + role.label * marks.label + role.lexical * lexical;
    marks.role = role.respect * marks.respect
        + role.perspectives * marks.perspectives
        + role.rationale * marks.rationale;
}
