//! Search, bound and proof together.

use super::bound::Hours;
use super::{Dual, Grid, ProofLimits, RiskScope, SearchSettings, expenses};
use crate::action::Action;
use crate::chance::Chance;
use crate::firm::Firm;
use serde::{Deserialize, Serialize};

/// The best plan found, and an upper bound on the earnings of every plan.
///
/// `bound` is at least `earnings`. The difference is what a better plan could still gain;
/// 0 means that the plan is optimal for the scope that was bounded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The plan.
    pub decision: Action,
    /// Earnings of the plan \[money\].
    pub earnings: f64,
    /// Upper bound on the earnings of every plan \[money\].
    pub bound: f64,
    /// Whether the bound equals the earnings.
    pub proven: bool,
    /// Number of plans simulated.
    pub plans: u64,
}

/// Largest number of blocks of head counts, when there are too many for a bound each.
const MOST_BLOCKS: u32 = 1_000;

/// Number of head counts that may stay unproven before the others keep their bounds: the highest of
/// the open bounds is the result, and settling others does not lower it.
const MOST_UNSETTLED: u32 = 6;

/// Table cells that one tightening, and all of them together, may compute: about five seconds and half
/// a minute on a 2026 machine.
// 64 bits on every platform: the second number does not fit into the `usize` of wasm32.
const CELLS_EACH: u64 = 3_000_000_000;
const CELLS_ALL: u64 = 18_000_000_000;

/// Searches for the best plan and bounds the earnings of every plan.
///
/// In threshold mode the claim covers all risk levels, or the one that `search` fixes. In the
/// random modes the plan is the best for the draws of `chance`, known in advance, and the bound
/// holds for all draws.
///
/// # Complexity
/// The search's own work and, for each head count that the bounds leave open, up to `rounds`
/// fillings of the tables and a proof within `limits`.
///
/// ```
/// use edt::engine::Chance;
/// use edt::firm::{Firm, Project, StaffGroup};
/// use edt::optimum::{ProofLimits, SearchSettings, best_plan};
///
/// let project = |effort, rate| Project {
///     name: "project".to_owned(),
///     contracted_effort: effort,
///     contracted_probability: 1.0,
///     consultants: 2.0,
///     start_time: 1.0,
///     deadline: 12.0,
///     billing_rate: rate,
///     ..Project::default()
/// };
/// let firm = Firm {
///     stop: 12,
///     fixed_cost: 1_000.0,
///     staff: vec![StaffGroup { count: 2, salary: 6_000.0, workplace_cost: 2_000.0 }],
///     projects: vec![project(12.0, 20_000.0), project(10.0, 9_000.0)],
///     ..Firm::paper()
/// };
/// let search = SearchSettings { runs: 2, moves: 2_000, ..SearchSettings::default() };
/// let claim = best_plan(&firm, &Chance::threshold(0.0), &search, 200, &ProofLimits::default());
/// assert!(claim.bound >= claim.earnings);
/// assert_eq!(claim.proven, claim.bound <= claim.earnings);
/// ```
#[must_use]
pub fn best_plan(
    firm: &Firm,
    chance: &Chance,
    search: &SearchSettings,
    rounds: u32,
    limits: &ProofLimits,
) -> Claim {
    let found = search.run(firm, chance, |_, _| {});
    let scope = match search.risk_level {
        Some(level) if !chance.mode.is_random() => RiskScope::Level(level),
        _ => RiskScope::Any,
    };
    let bound = upper_bound(
        firm,
        scope,
        search.consultants,
        found.earnings,
        rounds,
        limits,
    );
    Claim {
        proven: bound <= found.earnings,
        bound,
        decision: found.decision,
        earnings: found.earnings,
        plans: found.plans,
    }
}

/// An upper bound on the earnings of every plan, for one head count or for all; at least `reached`,
/// the earnings of a known plan \[money\].
///
/// With `rounds` 0 only the quick bound is used. Otherwise the head count with the highest bound is
/// tightened next, until none can be lowered, the work is used up, or six head counts stay open.
///
/// `consultants` limits the bound to one head count; `None` covers 0 to all of the staff.
/// Pass `f64::NEG_INFINITY` as `reached` when no plan is known.
#[must_use]
pub fn upper_bound(
    firm: &Firm,
    scope: RiskScope,
    consultants: Option<u32>,
    reached: f64,
    rounds: u32,
    limits: &ProofLimits,
) -> f64 {
    let most = firm.head_count();
    let (low, high) = consultants.map_or((0, most), |c| (c.min(most), c.min(most)));
    let block = (high - low) / MOST_BLOCKS + 1;
    let hours = Hours::new(firm, scope);
    let grid = Grid::new(firm);
    let mut bounds: Vec<HeadCount> = (0..=(high - low) / block)
        .map(|number| {
            let first = low + number * block;
            let last = (first + block - 1).min(high);
            // One bound for the block: revenue of its largest head count (more heads earn no less) minus
            // expenses of its smallest (fewer heads cost no more).
            let cost = expenses(firm, first);
            let bound = grid.lower(hours.revenue(last) - cost, cost);
            HeadCount {
                heads: last,
                bound,
                done: rounds == 0 || block > 1,
            }
        })
        .collect();
    let mut left = CELLS_ALL;
    let mut unsettled = 0;
    while unsettled < MOST_UNSETTLED {
        // The maximum over all head counts is the result, so only the highest bound is worth lowering.
        let top = bounds.iter_mut().max_by(|a, b| a.bound.total_cmp(&b.bound));
        let Some(top) = top.filter(|top| top.bound > reached && !top.done) else {
            break;
        };
        top.done = true;
        let heads = top.heads;
        let Some(mut dual) = Dual::new(firm, heads, scope) else {
            break;
        };
        let affordable = CELLS_EACH.min(left) / dual.cells().max(1);
        let affordable = u32::try_from(affordable).unwrap_or(u32::MAX).min(rounds);
        dual.tighten(reached, affordable);
        // All rounds are counted, even when tightening stops early: the estimate depends on nothing but
        // the sizes, so the same limits give the same bound everywhere.
        left = left.saturating_sub(dual.cells().saturating_mul(affordable.into()));
        // The prices of one head count give a valid bound for every smaller one, without new tables.
        for other in bounds.iter_mut().filter(|other| other.heads <= heads) {
            other.bound = other.bound.min(dual.value_for(firm, other.heads));
        }
        if let Some(top) = bounds.iter_mut().find(|other| other.heads == heads) {
            top.bound = top.bound.min(dual.value());
            if top.bound > reached
                && let Some(proof) = dual.prove(firm.dt, reached, limits)
            {
                top.bound = top.bound.min(proof.bound);
            }
            unsettled += u32::from(top.bound > reached);
        }
        if affordable == 0 {
            break;
        }
    }
    bounds
        .iter()
        .map(|head_count| head_count.bound)
        .fold(reached, f64::max)
}

struct HeadCount {
    heads: u32,
    bound: f64,
    /// Whether its bound is final.
    done: bool,
}
