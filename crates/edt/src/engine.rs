//! The engine: final figures of a run, or those of every step.
//!
//! It computes the same as [`AgentModel`](crate::agent_model::AgentModel), in a fraction of the time.
//! Consultants are interchangeable, so the engine keeps a number of free ones and a head count per
//! project instead of agents; sets of ready and open projects are bit masks whose lowest bit is the
//! first in the list; remaining effort is computed only when a head count changes or the work
//! runs out, and each step visits only projects with an event in it. All of it is exact:
//! subtracting whole multiples of `dt` from an effort loses no bit.
//!
//! The steps of the method:
//!
//! 1. *Heads instead of people.* Consultants differ in nothing that the run can see, so
//!    only their number in each project and the number of free ones matter.
//! 2. *Events instead of visits.* A project changes at its start, at its deadline and
//!    when its work runs out. A calendar with one entry per step lists the projects
//!    concerned.
//! 3. *Products instead of sums.* While the head count of a project stays the same, its
//!    progress is linear. Remaining work is one product, evaluated when the head count
//!    changes or a figure needs it.
//! 4. *Two readings instead of bookkeeping.* Final figures need the work done until two
//!    turns near the end, because every booking lags by a fixed number of steps.

mod events;
mod kernel;
mod report;
mod set;
mod slot;

use crate::action::Action;
pub use crate::chance::Chance;
use crate::firm::Firm;
pub use crate::ledger::Figures;
use kernel::Kernel;
use serde::{Deserialize, Serialize};
use set::Words;

pub use crate::chance::RiskMode;
pub use crate::ledger::{BILLED_DAYS, Bookings, FirmAccounts};
pub use slot::ProjectEnd;

/// The final figures of a run, by the accounting of [`Figures`] at the last step.
///
/// The record has no more than the five numbers that searches compare;
/// [`Engine::run_with_series`] gives the rest.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinalFigures {
    /// `accumulated_revenue - accumulated_expenses` \[money\]: the score.
    pub accumulated_earnings: f64,
    /// Revenue booked before the last step \[money\].
    pub accumulated_revenue: f64,
    /// Expenses booked before the last step \[money\].
    pub accumulated_expenses: f64,
    /// Plain mean of the utilization of all steps, the last one included (the paper's Table 3).
    pub mean_utilization: f64,
    /// Projects that came up, follow-ons included.
    pub projects: u32,
}

/// Runs decisions on one firm. It keeps its buffers between runs.
///
/// # Complexity
/// About `steps + accepted projects + extensions` for a run.
///
/// # Example
/// ```
/// use edt::Action;
/// use edt::engine::{Chance, Engine};
/// use edt::firm::Firm;
/// let firm = Firm::paper();
/// let totals = Engine::new(&firm).run(&Action::simple(&firm), &Chance::threshold(0.0));
/// assert_eq!(totals.accumulated_earnings, 7_116_500.0);
/// ```
#[derive(Debug, Clone)]
pub struct Engine {
    kernel: Width,
}

/// The set of projects of a small firm, follow-ons included, fits into one machine word; larger firms
/// need several.
// Generic over the set instead of always using several words: with one word, finding the next member
// is one instruction without a loop.
#[derive(Debug, Clone)]
enum Width {
    One(Kernel<u64>),
    Many(Kernel<Words>),
}

impl Engine {
    /// An engine for `firm`.
    ///
    /// The firm should have passed [`Firm::check`]. The memory is three machine words for
    /// each step and each 32 projects.
    #[must_use]
    pub fn new(firm: &Firm) -> Self {
        // Half of the 64 bits: a follow-on project needs a place of its own next to the
        // one it follows.
        let kernel = if firm.projects.len() <= 32 {
            Width::One(Kernel::new(firm))
        } else {
            Width::Many(Kernel::new(firm))
        };
        Self { kernel }
    }

    /// Runs `decision` to the end. The risk level is the decision's, not the one in `chance`.
    ///
    /// Like [`AgentModel::new`](crate::agent_model::AgentModel::new) it takes the decision as it is: heads beyond the staff
    /// and projects beyond the list are ignored.
    pub fn run(&mut self, decision: &Action, chance: &Chance) -> FinalFigures {
        match &mut self.kernel {
            Width::One(kernel) => kernel.play::<false>(decision, chance, &mut Vec::new()),
            Width::Many(kernel) => kernel.play::<false>(decision, chance, &mut Vec::new()),
        }
    }

    /// Runs many decisions on the firm, all under the same draws.
    ///
    /// Decisions do not influence each other; to use several cores, clone the engine and split the
    /// list.
    ///
    /// ```
    /// use edt::Action;
    /// use edt::engine::{Chance, Engine};
    /// use edt::firm::Firm;
    ///
    /// let firm = Firm::paper();
    /// let plans: Vec<Action> = (0..=12)
    ///     .map(|consultants| Action { consultants, ..Action::simple(&firm) })
    ///     .collect();
    /// let totals = Engine::new(&firm).run_all(&plans, &Chance::threshold(0.0));
    /// let earned: Vec<f64> = totals.iter().map(|t| t.accumulated_earnings).collect();
    /// // Without consultants only the fixed cost of 95 counted steps is left.
    /// assert_eq!(earned[0], -1_900_000.0);
    /// assert_eq!(earned[9], 7_116_500.0);
    /// assert_eq!(earned[10], 7_190_500.0);
    /// ```
    pub fn run_all(&mut self, decisions: &[Action], chance: &Chance) -> Vec<FinalFigures> {
        decisions
            .iter()
            .map(|decision| self.run(decision, chance))
            .collect()
    }

    /// The same as [`Engine::run`], with the figures of every step, which are appended to `series`.
    ///
    /// One [`Figures`] for each step, in order. It takes longer than [`Engine::run`],
    /// because then every step is booked.
    pub fn run_with_series(
        &mut self,
        decision: &Action,
        chance: &Chance,
        series: &mut Vec<Figures>,
    ) -> FinalFigures {
        match &mut self.kernel {
            Width::One(kernel) => kernel.play::<true>(decision, chance, series),
            Width::Many(kernel) => kernel.play::<true>(decision, chance, series),
        }
    }

    /// Final states of the projects of the last run: the accepted ones in list order, then the
    /// follow-ons in the order in which they came up.
    #[must_use]
    pub fn project_ends(&self) -> Vec<ProjectEnd> {
        match &self.kernel {
            Width::One(kernel) => kernel.project_ends(),
            Width::Many(kernel) => kernel.project_ends(),
        }
    }
}
