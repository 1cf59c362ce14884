//! Observation and feedback.
//!
//! [`Observation`] is a type of its own and not a view of the state, so what an agent can
//! see is a property of the type: the seed of the draws is not in it. All records derive
//! `Default`, so a test of a policy builds only what the policy reads:
//!
//! ```
//! use edt::Observation;
//! use edt::observation::SeenProject;
//!
//! let seen = Observation {
//!     stop: 24.0,
//!     consultants: 3,
//!     projects: vec![SeenProject {
//!         project: 1,
//!         contracted_effort: 30.0,
//!         consultants: 2.0,
//!         billing_rate: 12_000.0,
//!         ..SeenProject::default()
//!     }],
//!     ..Observation::default()
//! };
//! let value: f64 = seen.projects.iter().map(|p| p.contracted_effort * p.billing_rate).sum();
//! assert_eq!(value, 360_000.0);
//! ```

use crate::config::Disclosure;
use crate::firm::{Project, StaffGroup};
use crate::instance::Instance;
use serde::{Deserialize, Serialize};

mod feedback;

pub use feedback::{Feedback, FirmPoint, Taken};

/// The observation before the decision. It contains nothing of the draws to come.
///
/// It is the same before and after the run, except for [`Observation::decided`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Observation {
    /// First time of the run.
    pub start: f64,
    /// Last time of the run.
    pub stop: f64,
    /// Length of a step.
    pub dt: f64,
    /// Cost of the firm beside its staff \[money per unit of time\].
    pub fixed_cost: f64,
    /// Risk level of the template.
    pub risk_level: f64,
    /// Consultants who can stay.
    pub consultants: u32,
    /// Groups of consultants on equal terms, in the order in which they stay.
    pub staff: Vec<StaffGroup>,
    /// The projects on offer.
    pub projects: Vec<SeenProject>,
    /// Whether the decision has been taken.
    pub decided: bool,
}

/// A project as an agent sees it.
///
/// All values are those of the template. The plan may choose another window; the other
/// terms are fixed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SeenProject {
    /// Number in the list, from 1.
    pub project: u32,
    /// Name.
    pub name: String,
    /// Work in the contract \[consultant-steps of length 1\].
    pub contracted_effort: f64,
    /// Reliability of the contract, 0 to 1. It enters the revenue-risk figure only, never
    /// the earnings.
    pub contracted_probability: f64,
    /// Probability of an extension, 0 to 1, each time that the work is done before the
    /// deadline. The instance's [`RiskMode`](crate::config::RiskMode) turns it into an
    /// event.
    pub extension_probability: f64,
    /// Work in one extension; absent unless everything is disclosed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension_effort: Option<f64>,
    /// Probability that the deadline brings a follow-on, 0 to 1; the rule is that of
    /// extensions.
    pub follow_on_probability: f64,
    /// Most consultants who can work on it at once; zero, negative or fractional means no
    /// limit.
    pub consultants: f64,
    /// Revenue of one unit of work \[money\].
    pub billing_rate: f64,
    /// Time at which it may be staffed, in the template.
    pub start: f64,
    /// Deadline in the template.
    pub deadline: f64,
}

impl Observation {
    pub(crate) fn of(instance: &Instance, decided: bool) -> Self {
        let firm = &instance.firm;
        let clock = firm.clock();
        let projects = (1..)
            .zip(&firm.projects)
            .map(|(number, project)| SeenProject::of(number, project, instance.disclosure));
        Self {
            start: clock.start(),
            stop: clock.stop(),
            dt: clock.dt(),
            fixed_cost: firm.fixed_cost,
            risk_level: firm.risk_level,
            consultants: firm.head_count(),
            staff: firm.staff.clone(),
            projects: projects.collect(),
            decided,
        }
    }
}

impl SeenProject {
    fn of(project: u32, terms: &Project, disclosure: Disclosure) -> Self {
        Self {
            project,
            name: terms.name.clone(),
            contracted_effort: terms.contracted_effort,
            contracted_probability: terms.contracted_probability,
            extension_probability: terms.extension_probability,
            extension_effort: (disclosure == Disclosure::Full).then_some(terms.extension_effort),
            follow_on_probability: terms.follow_on_probability,
            consultants: terms.consultants,
            billing_rate: terms.billing_rate,
            start: terms.start_time,
            deadline: terms.deadline,
        }
    }
}
