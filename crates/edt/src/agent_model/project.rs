//! A project.
//!
//! The numbers in the comments of `act` and `follow_on` are the order of events within a
//! project's turn; `docs/edt.md` and the engine use the same numbers.

use crate::chance::Chance;
use crate::firm::Project;
use crate::ledger::Bookings;
use serde::{Deserialize, Serialize};

/// State of a project.
///
/// ```text
/// acquired ─start─> ready ─first consultant─> started ─cap reached─> fully staffed
///     └──────────────── deadline, or done without extension ──────────────> completed
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectState {
    /// Its start time has not come.
    #[default]
    Acquired,
    /// It waits for its first consultant.
    Ready,
    /// It is being worked on and has room for more.
    Started,
    /// It is being worked on by as many as its cap permits.
    FullyStaffed,
    /// It is over, finished or not.
    Completed,
}

/// A project as an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectAgent {
    terms: Project,
    key: u64,
    state: ProjectState,
    remaining: f64,
    unreported: f64,
    delivered: f64,
    risk: f64,
    staff: u32,
    extensions: u32,
    counted: bool,
    followed: bool,
}

impl ProjectAgent {
    pub(super) fn new(terms: Project, key: u64) -> Self {
        Self {
            terms,
            key,
            state: ProjectState::Acquired,
            remaining: 0.0,
            unreported: 0.0,
            delivered: 0.0,
            risk: 0.0,
            staff: 0,
            extensions: 0,
            counted: false,
            followed: false,
        }
    }

    /// The terms, with the window that was decided.
    #[must_use]
    pub fn terms(&self) -> &Project {
        &self.terms
    }

    /// Position of the project in the firm's list; follow-ons have that of their parent plus 2^32.
    #[must_use]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// State after the last turn of the project or of a consultant who joined it.
    #[must_use]
    pub fn state(&self) -> ProjectState {
        self.state
    }

    /// Work left in the contract or in the running extension \[consultant-steps of length
    /// 1\]; 0 before the first consultant joins.
    #[must_use]
    pub fn remaining_effort(&self) -> f64 {
        self.remaining
    }

    /// Work done and not yet reported to controlling.
    #[must_use]
    pub fn unreported(&self) -> f64 {
        self.unreported
    }

    /// Work done so far, extensions included \[consultant-steps of length 1\].
    #[must_use]
    pub fn delivered(&self) -> f64 {
        self.delivered
    }

    /// Consultants that were ever attached; never falls.
    #[must_use]
    pub fn staff(&self) -> u32 {
        self.staff
    }

    /// Extensions so far.
    #[must_use]
    pub fn extensions(&self) -> u32 {
        self.extensions
    }

    /// Risk of the revenue that it bills: 1 minus the probability of what is being worked on.
    #[must_use]
    pub fn effort_risk(&self) -> f64 {
        self.risk
    }

    /// Takes on a consultant: the first one starts the work.
    pub(super) fn take_on(&mut self) {
        if self.state == ProjectState::Ready {
            self.remaining = self.terms.contracted_effort;
            self.risk = 1.0 - self.terms.contracted_probability;
            self.state = ProjectState::Started;
        }
        self.staff += 1;
        // Equality, as in the original engine: a limit of 0, 2.5 or -1 is never met, so it is none.
        if f64::from(self.staff) == self.terms.consultants {
            self.state = ProjectState::FullyStaffed;
        }
    }

    pub(super) fn receive(&mut self, effort: f64) {
        self.remaining = (self.remaining - effort).max(0.0);
        self.unreported += effort;
        self.delivered += effort;
    }

    /// The project's turn except for the follow-on; true when controlling counts it for the first
    /// time.
    pub(super) fn act(
        &mut self,
        time: f64,
        stop: f64,
        chance: &Chance,
        booked: &mut Bookings,
    ) -> bool {
        // 1. Report what was done.
        let revenue = self.unreported * self.terms.billing_rate;
        booked.revenue += revenue;
        booked.revenue_at_risk += revenue * self.risk;
        booked.effort += self.unreported;
        self.unreported = 0.0;
        let first = !std::mem::replace(&mut self.counted, true);
        // 2. Open at the start time, which must be met exactly.
        if self.state == ProjectState::Acquired && time == self.terms.start_time {
            self.state = ProjectState::Ready;
        }
        // 3. Close at the deadline, finished or not.
        if time >= self.terms.deadline {
            self.state = ProjectState::Completed;
        }
        // 4. Finished before the deadline: extend, again and again, or close.
        // A project without staff has nothing left either (`remaining` is 0), but it is not done.
        let running = matches!(
            self.state,
            ProjectState::Started | ProjectState::FullyStaffed
        );
        if running && self.remaining <= 0.0 && time < self.terms.deadline.min(stop) {
            if chance.extends(self.terms.extension_probability, self.key, self.extensions) {
                self.extensions += 1;
                self.remaining += self.terms.extension_effort;
                self.risk = 1.0 - self.terms.extension_probability;
            }
            if self.remaining <= 0.0 {
                self.state = ProjectState::Completed;
            }
        }
        // 5. Report how many could work here.
        if !matches!(self.state, ProjectState::Acquired | ProjectState::Completed) {
            booked.demand += self.terms.consultants;
        }
        first
    }

    /// 6. At the deadline exactly, staffed or not, finished or not: the terms of the follow-on,
    ///    if one comes.
    pub(super) fn follow_on(&mut self, time: f64, stop: f64, chance: &Chance) -> Option<Project> {
        // Exact equality, as in the original engine: a deadline between two steps never
        // brings a follow-on.
        let due = time == self.terms.deadline && !self.followed;
        if !due || !chance.follows_on(self.terms.follow_on_probability, self.key) {
            return None;
        }
        self.followed = true;
        Some(Project {
            name: format!("{} (Follow On)", self.terms.name),
            contracted_probability: self.terms.follow_on_probability,
            follow_on_probability: 0.0,
            start_time: time + 1.0,
            deadline: stop.min(time + self.terms.deadline - self.terms.start_time),
            is_follow_on: true,
            ..self.terms.clone()
        })
    }
}
