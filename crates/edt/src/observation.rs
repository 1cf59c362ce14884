//! Observation and feedback.

use crate::config::Disclosure;
use crate::firm::Project;
use crate::instance::Instance;
use serde::{Deserialize, Serialize};

mod feedback;

pub use feedback::{Feedback, Point, Taken};

/// The observation before the decision. It contains nothing of the draws to come.
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
    pub staff: Vec<SeenStaff>,
    /// The projects on offer.
    pub projects: Vec<SeenProject>,
    /// Whether the decision has been taken.
    pub decided: bool,
}

/// Consultants with the same cost, as an agent sees them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SeenStaff {
    /// Number of consultants.
    pub count: u32,
    /// Salary of one \[money per unit of time\].
    pub salary: f64,
    /// Workplace of one \[money per unit of time\].
    pub workplace_cost: f64,
}

/// A project as an agent sees it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SeenProject {
    /// Number in the list, from 1.
    pub project: u32,
    /// Name.
    pub name: String,
    /// Work in the contract \[consultant-steps of length 1\].
    pub contracted_effort: f64,
    /// Reliability of the contract.
    pub contracted_probability: f64,
    /// Probability of an extension.
    pub extension_probability: f64,
    /// Work in one extension; absent unless everything is disclosed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension_effort: Option<f64>,
    /// Probability of a follow-on.
    pub follow_on_probability: f64,
    /// Most consultants at once.
    pub consultants: f64,
    /// Revenue of one unit of work \[money\].
    pub billing_rate: f64,
    /// Start in the template.
    pub start: f64,
    /// Deadline in the template.
    pub deadline: f64,
}

impl Observation {
    pub(crate) fn of(instance: &Instance, decided: bool) -> Self {
        let firm = &instance.firm;
        let clock = firm.clock();
        let staff = firm.staff.iter().map(|group| SeenStaff {
            count: group.count,
            salary: group.salary,
            workplace_cost: group.workplace_cost,
        });
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
            staff: staff.collect(),
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
