//! The best plan of a firm: a search for good plans, upper bounds on the earnings of every plan, and a
//! proof that closes the gap between them where it can.
//!
//! Search, bounds and proof know the run in advance. In threshold mode a run has no chance in it. In
//! the random modes the search is an oracle (knows hidden state): it runs on the draws of one seed,
//! while the bounds hold for every seed.
//!
//! # Method
//!
//! 1. [`SearchSettings`] anneals over head count, risk level and windows, with the engine as the
//!    objective, and then improves the Simple plan by local search. The better plan is a lower bound on the
//!    best earnings.
//! 2. [`capacity_bound`] sells the staff's time at the best rates. It costs a sort of the
//!    projects.
//! 3. [`Dual`] puts a price on each consultant in each turn. For fixed prices the
//!    projects separate, and a dynamic programme values each of them; prices are improved
//!    by subgradients.
//! 4. [`Dual::prove`] goes through all courses of the work, turn by turn, and drops what
//!    the prices show to be too little. If nothing is left, the plan of the search is
//!    optimal.
//!
//! [`best_plan`] does all of it; [`upper_bound`] does 2 to 4 over all head counts. Method
//! and figures for the paper's template are in `docs/edt.md`.
//!
//! ```
//! use edt::firm::Firm;
//! use edt::optimum::{RiskScope, capacity_bound, risk_classes};
//!
//! let firm = Firm::paper();
//! // No plan with twelve consultants earns more than this; the proven optimum is 14,756,000.
//! assert!(capacity_bound(&firm, 12, RiskScope::Any) >= 14_756_000.0);
//! // Without risk there are no extensions and no follow-ons, so the bound is lower.
//! let without_risk = capacity_bound(&firm, 12, RiskScope::Level(0.0));
//! assert!(without_risk < capacity_bound(&firm, 12, RiskScope::Any));
//! let levels = risk_classes(&firm);
//! assert_eq!((levels[0], levels[levels.len() - 1]), (0.0, 1.0));
//! ```

mod bound;
mod claim;
mod dual;
mod proof;
mod search;
mod table;

pub use bound::capacity_bound;
pub use claim::{Claim, best_plan, upper_bound};
pub use dual::Dual;
pub use proof::{Proof, ProofLimits};
pub use search::{FoundSchedule, SearchSettings, risk_classes};

use crate::firm::Firm;

/// The extensions and follow-ons that a bound must allow.
///
/// A wider scope gives a weaker bound. [`RiskScope::Any`] needs one bound for all levels
/// because a completion that a lower level brings is, in the relaxation, a stop at the
/// same step.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum RiskScope {
    /// Every risk level, and in the random modes all draws: every event with p > 0 may happen. Work
    /// may also stop before an extension, so the bound covers levels at which it does not come.
    Any,
    /// Threshold mode at one risk level.
    Level(f64),
}

impl RiskScope {
    /// Whether an event of probability `p` may happen.
    #[must_use]
    pub fn allows(self, p: f64) -> bool {
        match self {
            // R is at most 1, so an event of probability 0 never passes `p > 1 - R`.
            Self::Any => p > 0.0,
            Self::Level(risk_level) => crate::chance::Chance::threshold(risk_level).passes(p),
        }
    }
}

/// The turns of work that can earn money. A turn of work is a step in which consultants act, counted
/// from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Horizon {
    /// First turn in which anything can be worked on.
    first: usize,
    /// Turns from `first` to before this one are priced; nothing is earned later.
    end: usize,
    /// Work on a project of the scenario earns in turns before this one.
    paid: usize,
    /// The same for follow-ons.
    paid_follow_on: usize,
    /// Least distance between the last turn of a project and the first of its follow-on.
    gap: usize,
    /// Turns in one unit of time.
    unit: usize,
    /// First turn in which any follow-on can be worked on.
    first_follow_on: usize,
}

impl Horizon {
    fn new(firm: &Firm) -> Self {
        let order = firm.agent_order;
        let clock = firm.clock();
        let steps = clock.steps() as usize;
        let unit = clock.per_unit() as usize;
        // A final figure holds the bookings of all steps before the last one, and work is booked `lag`
        // steps after it is done: work of turn k counts when k + lag < steps - 1.
        let paid = steps.saturating_sub(1 + order.revenue_lag() as usize);
        let paid_follow_on = steps.saturating_sub(1 + order.follow_on_lag() as usize);
        // Consultants before projects: a project opens after the consultants of its start step, and
        // is worked on in the step of its deadline. Projects first: the other way round. A follow-on
        // opens, after all consultants, one unit of time past the deadline.
        let late = usize::from(order.work_before_projects());
        Self {
            first: late,
            end: paid.max(paid_follow_on),
            paid,
            paid_follow_on,
            gap: unit + 2 - late,
            unit,
            // From here on `last_follow_on` is not before the turn itself: a follow-on that began
            // earlier would have to be over already.
            first_follow_on: 2 * (unit + 1),
        }
    }

    /// Last turn of a follow-on whose first is `turn`: its parent's deadline came at least
    /// `unit + 1` turns before, and its own window is at most as long as the parent's, which did
    /// not begin before the run.
    fn last_follow_on(&self, turn: usize) -> usize {
        2 * turn.saturating_sub(self.unit + 1)
    }
}

/// Expenses of the firm with `consultants` consultants, booked before the last step \[money\].
///
/// They depend on the plan through the head count only. The last step of a run never
/// enters the accumulated figures, so a run of 96 steps pays for 95; with an order in
/// which controlling acts before the consultants, salaries of one step less are counted.
#[must_use]
pub fn expenses(firm: &Firm, consultants: u32) -> f64 {
    let clock = firm.clock();
    let steps = clock.steps() - 1;
    let staffed = steps.saturating_sub(u32::from(firm.agent_order.costs_lag()));
    let fixed = firm.fixed_cost * f64::from(steps);
    (fixed + firm.staff_cost(consultants) * f64::from(staffed)) * clock.dt()
}

/// Lowers a bound on earnings to the next value that earnings can have. Where all contracts are whole,
/// revenue is a sum of whole multiples of the rates, hence a multiple of their greatest common
/// divisor.
#[derive(Debug, Clone)]
struct Grid {
    unit: Option<f64>,
}

impl Grid {
    fn new(firm: &Firm) -> Self {
        let dt = firm.clock().dt();
        // Below 2^53 a double without a fraction is a whole number and not one that was rounded to
        // it.
        let is_whole = |x: f64| x.fract() == 0.0 && x < 9e15;
        let whole_work = |p: &crate::firm::Project| {
            is_whole(p.contracted_effort / dt) && is_whole(p.extension_effort / dt)
        };
        let rates: Vec<f64> = firm.projects.iter().map(|p| p.billing_rate * dt).collect();
        let usable = firm.projects.iter().all(whole_work) && rates.iter().all(|r| is_whole(*r));
        let divisor = rates.into_iter().fold(0.0, greatest_common_divisor);
        Self {
            unit: (usable && divisor >= 1.0).then_some(divisor),
        }
    }

    fn lower(&self, bound: f64, expenses: f64) -> f64 {
        match self.unit {
            // The small addend keeps a bound that equals a reachable value from being lowered below it
            // by a rounding error. A bound may be too high, never too low.
            Some(unit) => ((bound + expenses) / unit + 1e-6).floor() * unit - expenses,
            None => bound,
        }
    }
}

fn greatest_common_divisor(a: f64, b: f64) -> f64 {
    let (mut a, mut b) = (a, b);
    while b > 0.0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_step_down_to_reachable_values() {
        let firm = Firm::paper();
        let grid = Grid::new(&firm);
        assert_eq!(grid.unit, Some(500.0));
        assert_eq!(expenses(&firm, 9), 95.0 * 92_000.0);
        assert_eq!(grid.lower(14_815_000.4, expenses(&firm, 12)), 14_815_000.0);
        assert_eq!(grid.lower(14_815_499.0, expenses(&firm, 12)), 14_815_000.0);
    }
}
