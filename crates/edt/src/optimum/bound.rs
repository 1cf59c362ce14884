//! The capacity bound: the working time of the firm, sold at the best rates.
//!
//! It ignores when work can be done: starts, deadlines, the dead step after a project and
//! the order in which projects are staffed. That makes it the weakest bound here and the
//! only one whose cost does not grow with the length of the run.

use super::{Horizon, RiskScope, expenses};
use crate::firm::Firm;

/// An upper bound on the earnings of every plan with `consultants` consultants \[money\].
///
/// It lets every consultant work in every paid turn on the best-paid work there is, limited by
/// what each project can take: its contract, or its cap in every turn when it may be extended, and
/// the same again for its follow-on.
///
/// # Complexity
/// Sorting the projects.
#[must_use]
pub fn capacity_bound(firm: &Firm, consultants: u32, scope: RiskScope) -> f64 {
    Hours::new(firm, scope).revenue(consultants) - expenses(firm, consultants)
}

/// The work that each project can take, best rate first.
pub(super) struct Hours {
    offers: Vec<Offer>,
    own: f64,
    later: f64,
}

struct Offer {
    rate: f64,
    cap: f64,
    /// Work in the contract; `None` when it can be extended.
    contract: Option<f64>,
    follows: bool,
}

impl Hours {
    pub(super) fn new(firm: &Firm, scope: RiskScope) -> Self {
        let horizon = Horizon::new(firm);
        let dt = firm.clock().dt();
        let turns = |paid: usize| {
            let turns = u32::try_from(paid.saturating_sub(horizon.first)).unwrap_or(u32::MAX);
            f64::from(turns) * dt
        };
        let mut offers: Vec<Offer> = firm
            .projects
            .iter()
            .map(|p| {
                let extends = scope.allows(p.extension_probability) && p.extension_effort > 0.0;
                Offer {
                    rate: p.billing_rate,
                    cap: p.cap().map_or(f64::INFINITY, f64::from),
                    contract: (!extends).then_some(p.contracted_effort),
                    follows: scope.allows(p.follow_on_probability),
                }
            })
            .collect();
        // Best rate first, once for all head counts: `revenue` is called for up to a thousand of them.
        offers.sort_by(|a, b| b.rate.total_cmp(&a.rate));
        Self {
            offers,
            own: turns(horizon.paid),
            later: turns(horizon.paid_follow_on),
        }
    }

    /// Upper bound on the revenue of this many consultants \[money\].
    ///
    /// A fractional knapsack: with one capacity (hours) and independent offers, filling the best rate
    /// first is optimal, so no assignment of hours earns more.
    pub(super) fn revenue(&self, consultants: u32) -> f64 {
        let consultants = f64::from(consultants);
        let mut left = consultants * self.own.max(self.later);
        let mut revenue = 0.0;
        for offer in &self.offers {
            if left <= 0.0 {
                break;
            }
            let heads = offer.cap.min(consultants);
            let work = |time: f64| offer.contract.map_or(heads * time, |w| w.min(heads * time));
            let follow_on = if offer.follows { work(self.later) } else { 0.0 };
            // A project and its follow-on have the same rate, so they are one offer.
            let sold = (work(self.own) + follow_on).min(left);
            revenue += offer.rate * sold;
            left -= sold;
        }
        revenue
    }
}
