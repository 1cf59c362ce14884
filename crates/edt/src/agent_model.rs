//! The firm agent by agent: consultants, projects and controlling act one after the other.
//!
//! This is the direct implementation of the model, against which tests compare the fast
//! [`Engine`](crate::engine::Engine): every agent is an object, every search goes through the list from
//! its top. It can be serialized in the middle of a run and continues identically.

mod consultant;
mod project;

pub use consultant::Consultant;
pub use project::{ProjectAgent, ProjectState};

use crate::action::Action;
use crate::chance::{Chance, FOLLOW_ON_KEY};
use crate::clock::Clock;
use crate::firm::{Actor, AgentOrder, Firm};
use crate::ledger::{Bookings, Figures, FirmAccounts};
use serde::{Deserialize, Serialize};

/// A running firm.
///
/// # Order of a step
/// With the agent order `cpf`:
/// 1. every consultant books cost and capacity, then works (or looks for work);
/// 2. every project of the scenario reports, opens, closes, extends, asks for staff, and at its
///    deadline may bring up a follow-on;
/// 3. controlling closes the step;
/// 4. every follow-on does what projects do; what it reports is booked with the next step.
///
/// The other orders permute 1 to 3.
///
/// ```
/// use edt::Action;
/// use edt::agent_model::AgentModel;
/// use edt::engine::{Chance, Engine};
/// use edt::firm::Firm;
///
/// let firm = Firm::paper();
/// let plan = Action::simple(&firm);
/// let chance = Chance::threshold(0.0);
/// let mut model = AgentModel::new(&firm, &plan, chance);
/// let figures = model.run();
/// assert_eq!(figures.len(), 96);
/// // The engine computes the same without agents.
/// let totals = Engine::new(&firm).run(&plan, &chance);
/// assert_eq!(figures[95].accumulated_earnings, totals.accumulated_earnings);
/// ```
///
/// # Complexity
/// Each step visits every consultant and every project, and a free consultant goes
/// through the list of projects: about `steps * (consultants * projects)` at worst. Use
/// the engine for searches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentModel {
    clock: Clock,
    order: AgentOrder,
    fixed_cost: f64,
    chance: Chance,
    step: u32,
    consultants: Vec<Consultant>,
    projects: Vec<ProjectAgent>,
    planned: usize,
    booked: Bookings,
    reported: u32,
    ledger: FirmAccounts,
}

impl AgentModel {
    /// The firm with a decision applied to it, before its first step.
    ///
    /// Consultants beyond the firm's staff and projects beyond its list are ignored; see
    /// [`DecisionRule`](crate::action::DecisionRule) for checking a decision.
    #[must_use]
    pub fn new(firm: &Firm, decision: &Action, chance: Chance) -> Self {
        // From the front of the list, as in the authors' program: who stays decides the cost of the
        // staff.
        let mut left = usize::try_from(decision.consultants.max(0)).unwrap_or(usize::MAX);
        let mut consultants = Vec::new();
        for group in &firm.staff {
            let kept = left.min(group.count as usize);
            consultants.extend(std::iter::repeat_n(Consultant::new(group), kept));
            left -= kept;
        }
        let projects: Vec<ProjectAgent> = (0..)
            .zip(firm.projects.iter().zip(&decision.projects))
            .filter_map(|(key, (terms, window))| {
                let window = (*window)?;
                let mut terms = terms.clone();
                terms.start_time = window.start;
                terms.deadline = window.deadline;
                Some(ProjectAgent::new(terms, key))
            })
            .collect();
        Self {
            clock: firm.clock(),
            order: firm.agent_order,
            fixed_cost: firm.fixed_cost,
            chance: Chance {
                risk_level: decision.risk_level,
                ..chance
            },
            step: 0,
            consultants,
            planned: projects.len(),
            projects,
            booked: Bookings::default(),
            reported: 0,
            ledger: FirmAccounts::default(),
        }
    }

    /// Plays one step and returns its figures; `None` when the run is over.
    ///
    /// The figures are those that controlling closed in this step. With an order in which
    /// controlling acts first they hold the bookings of the step before.
    pub fn step(&mut self) -> Option<Figures> {
        if self.is_over() {
            return None;
        }
        let mut closed = None;
        for actor in self.order.turns() {
            match actor {
                Actor::Consultants => self.consultants_act(),
                Actor::Projects => self.projects_act(0, self.planned),
                Actor::Controlling => closed = Some(self.controlling_acts()),
                Actor::FollowOns => self.projects_act(self.planned, usize::MAX),
            }
        }
        self.step += 1;
        let busy = self.busy();
        closed.map(|figures| Figures {
            busy,
            projects: f64::from(self.reported),
            ..figures
        })
    }

    /// Plays to the end and returns the figures of every remaining step.
    pub fn run(&mut self) -> Vec<Figures> {
        std::iter::from_fn(|| self.step()).collect()
    }

    fn consultants_act(&mut self) {
        let dt = self.clock.dt();
        for consultant in &mut self.consultants {
            self.booked.staff_cost += consultant.cost() * dt;
            self.booked.capacity += dt;
            consultant.act(dt, &mut self.projects);
        }
    }

    fn projects_act(&mut self, first: usize, end: usize) {
        let time = self.clock.time(self.step);
        let stop = self.clock.stop();
        let mut index = first;
        // The list may grow while it is walked: a follow-on acts in the step in which it comes up.
        while index < end.min(self.projects.len()) {
            if let Some(project) = self.projects.get_mut(index) {
                self.reported += u32::from(project.act(time, stop, &self.chance, &mut self.booked));
                if let Some(terms) = project.follow_on(time, stop, &self.chance) {
                    let key = project.key() + FOLLOW_ON_KEY;
                    self.projects.push(ProjectAgent::new(terms, key));
                }
            }
            index += 1;
        }
    }

    fn controlling_acts(&mut self) -> Figures {
        let dt = self.clock.dt();
        let booked = std::mem::take(&mut self.booked);
        self.ledger.close(
            self.clock.time(self.step),
            dt,
            self.fixed_cost * dt,
            &booked,
        )
    }

    /// Whether all steps have been played.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.step >= self.clock.steps()
    }

    /// Number of steps played.
    #[must_use]
    pub fn steps_played(&self) -> u32 {
        self.step
    }

    /// The consultants, in list order.
    #[must_use]
    pub fn consultants(&self) -> &[Consultant] {
        &self.consultants
    }

    /// The projects, follow-ons last, in list order.
    ///
    /// The list grows during a run: a follow-on is appended in the step of its parent's
    /// deadline.
    #[must_use]
    pub fn projects(&self) -> &[ProjectAgent] {
        &self.projects
    }

    /// Bookings that controlling has not closed yet.
    #[must_use]
    pub fn open_bookings(&self) -> &Bookings {
        &self.booked
    }

    /// The firm's stocks.
    #[must_use]
    pub fn ledger(&self) -> &FirmAccounts {
        &self.ledger
    }

    /// Consultants attached to a project.
    ///
    /// A consultant whose project has nothing left to do still counts as attached.
    #[must_use]
    pub fn busy(&self) -> u32 {
        u32::try_from(
            self.consultants
                .iter()
                .filter(|c| c.project().is_some())
                .count(),
        )
        .unwrap_or(u32::MAX)
    }
}
