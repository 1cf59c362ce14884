//! The firm as a scenario describes it: horizon, staff, projects on offer.
//!
//! A [`Firm`] is the template. What an agent decides is applied to it when a run begins:
//! the first consultants of the list stay, the risk level is replaced, accepted projects
//! get the window of the plan, rejected ones disappear.
//!
//! Fields that a run does not change can be taken from the default:
//!
//! ```
//! use edt::firm::{Firm, Project, StaffGroup};
//!
//! let firm = Firm {
//!     stop: 48,
//!     staff: vec![
//!         StaffGroup { count: 2, salary: 9_000.0, workplace_cost: 2_000.0 },
//!         StaffGroup { count: 4, salary: 6_000.0, workplace_cost: 2_000.0 },
//!     ],
//!     projects: vec![Project {
//!         name: "Ledger migration".to_owned(),
//!         contracted_effort: 120.0,
//!         contracted_probability: 1.0,
//!         consultants: 3.0,
//!         start_time: 4.0,
//!         deadline: 40.0,
//!         billing_rate: 15_000.0,
//!         ..Project::default()
//!     }],
//!     ..Firm::paper()
//! };
//! firm.check()?;
//! assert_eq!(firm.head_count(), 6);
//! // Three stay: the two of the first group and one of the second.
//! assert_eq!(firm.staff_cost(3), 30_000.0);
//! assert_eq!(firm.covering_staff(), 3);
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

mod check;
mod order;
mod paper;

pub use order::{Actor, AgentOrder};

pub use crate::clock::Clock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_core::Ranges;

/// Most projects that a scenario may offer.
pub const MOST_PROJECTS: u32 = 10_000;
/// Most consultants that a scenario may employ.
pub const MOST_CONSULTANTS: u32 = 100_000;
/// Most steps that a run may have.
pub const MOST_STEPS: u32 = 10_000;
/// Largest amount of money or work in one field: keeps every sum far from the limits of `f64`.
pub const MOST_AMOUNT: f64 = 1e12;

/// A consulting firm and the projects that it may take on: the template to which a decision is
/// applied.
///
/// The default is the template of the strategic paper (its appendix A.6 prints the first project
/// and the firm's own figures; the rest are the numbers of the authors' public repository).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Firm {
    /// First time of the run (paper: 1).
    #[serde(default = "one")]
    pub start: u32,
    /// Last time of the run (paper: 96). It is played in full.
    pub stop: u32,
    /// Length of a step: 1 (paper), 1/2 or 1/4.
    #[serde(default = "unit")]
    pub dt: f64,
    /// Order in which the agents act within a step (paper: `cpf`).
    #[serde(default)]
    pub agent_order: AgentOrder,
    /// Cost of the firm that does not depend on its staff \[money per unit of time\] (paper: 20,000).
    #[schemars(range(min = 0.0, max = MOST_AMOUNT))]
    pub fixed_cost: f64,
    /// Revenue risk level R of the template (paper: 0.5); a decision sets its own.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub risk_level: f64,
    /// The consultants, in the order in which they act.
    pub staff: Vec<StaffGroup>,
    /// The projects on offer, in list order.
    pub projects: Vec<Project>,
}

/// Consultants with the same cost.
///
/// Consultants differ in their cost only; all of them do one unit of work in a unit of
/// time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(deny_unknown_fields)]
pub struct StaffGroup {
    /// Number of consultants (paper: 12).
    pub count: u32,
    /// Salary of one of them \[money per unit of time\] (paper: 6,000).
    #[schemars(range(min = 0.0, max = MOST_AMOUNT))]
    pub salary: f64,
    /// Cost of the workplace of one of them \[money per unit of time\] (paper: 2,000).
    #[schemars(range(min = 0.0, max = MOST_AMOUNT))]
    pub workplace_cost: f64,
}

impl StaffGroup {
    /// Cost of one consultant \[money per unit of time\].
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.salary + self.workplace_cost
    }
}

/// A project on offer. The default is a project without work and time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Project {
    /// Name.
    pub name: String,
    /// Work in the contract \[consultant-steps of length 1\].
    #[schemars(range(min = 0.0, max = MOST_AMOUNT))]
    pub contracted_effort: f64,
    /// Reliability of the contract. It enters the revenue-risk figure only.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub contracted_probability: f64,
    /// Probability p that finished work is followed by more. In threshold mode it comes, each time
    /// and for certain, when p > 1 - R.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub extension_probability: f64,
    /// Work in one extension \[consultant-steps of length 1\].
    #[schemars(range(min = 0.0, max = MOST_AMOUNT))]
    pub extension_effort: f64,
    /// Probability that the deadline brings a follow-on project; same rule as for extensions.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub follow_on_probability: f64,
    /// Most consultants that may work on it at once. Zero, negative or fractional means no limit,
    /// since the head count never equals it.
    #[schemars(range(min = -MOST_AMOUNT, max = MOST_AMOUNT))]
    pub consultants: f64,
    /// Time at which it may be staffed.
    #[schemars(range(min = -MOST_AMOUNT, max = MOST_AMOUNT))]
    pub start_time: f64,
    /// Time at which it ends, done or not.
    #[schemars(range(min = -MOST_AMOUNT, max = MOST_AMOUNT))]
    pub deadline: f64,
    /// Revenue of a consultant-step of work \[money\].
    #[schemars(range(min = 0.0, max = MOST_AMOUNT))]
    pub billing_rate: f64,
    /// Whether the project is itself a follow-on (affects nothing, kept for the record).
    #[serde(default)]
    pub is_follow_on: bool,
}

impl Project {
    /// The head count at which no further consultant may join; `None` when it is never reached.
    #[must_use]
    pub fn cap(&self) -> Option<u32> {
        let whole = self.consultants >= 1.0
            && self.consultants.fract() == 0.0
            && self.consultants < f64::from(u32::MAX);
        whole.then(|| crate::clock::whole(self.consultants))
    }
}

impl Firm {
    /// The grid of steps. A `dt` other than 1, 1/2 and 1/4, which [`Firm::check`] refuses, counts as 1.
    #[must_use]
    pub fn clock(&self) -> Clock {
        let per_unit = if self.dt == 0.25 {
            4
        } else if self.dt == 0.5 {
            2
        } else {
            1
        };
        Clock::new(self.start, self.stop, per_unit)
    }

    /// Number of consultants in the template.
    ///
    /// Saturates at `u32::MAX`; a firm that passed [`Firm::check`] has at most 100,000.
    #[must_use]
    pub fn head_count(&self) -> u32 {
        self.staff
            .iter()
            .fold(0_u32, |sum, group| sum.saturating_add(group.count))
    }

    /// Cost of the first `consultants` consultants \[money per unit of time\].
    #[must_use]
    pub fn staff_cost(&self, consultants: u32) -> f64 {
        let mut left = consultants;
        let mut cost = 0.0;
        for group in &self.staff {
            let kept = left.min(group.count);
            cost += f64::from(kept) * group.cost();
            left -= kept;
        }
        cost
    }

    /// Work in all contracts together \[consultant-steps of length 1\].
    #[must_use]
    pub fn total_effort(&self) -> f64 {
        self.projects.iter().map(|p| p.contracted_effort).sum()
    }

    /// The fewest consultants whose time over the whole run covers all contracts, not more than
    /// there are: the head count of the paper's Simple plan (845 / 96 gives 9).
    #[must_use]
    pub fn covering_staff(&self) -> u32 {
        let clock = self.clock();
        let units = f64::from(clock.steps()) * clock.dt();
        crate::clock::whole((self.total_effort() / units).ceil()).min(self.head_count())
    }
}

fn one() -> u32 {
    1
}

fn unit() -> f64 {
    1.0
}
