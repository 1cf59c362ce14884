//! The data of a project in the engine.

use crate::agent_model::ProjectState;
use crate::firm::{Firm, Project};
use serde::{Deserialize, Serialize};

/// Terms of a project in the form that the kernel reads.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) effort: f64,
    pub(super) rate: f64,
    pub(super) extension: f64,
    pub(super) extends: f64,
    pub(super) follows: f64,
    pub(super) reliable: f64,
    /// Places as the scenario writes them; enters the demand figure.
    pub(super) places: f64,
    /// Head count at which no further consultant may join; `u32::MAX` when there is no limit, so that
    /// comparing needs no case of its own.
    pub(super) cap: u32,
}

impl Job {
    pub(super) fn all(firm: &Firm) -> Vec<Self> {
        firm.projects.iter().map(Self::new).collect()
    }

    fn new(project: &Project) -> Self {
        Self {
            effort: project.contracted_effort,
            rate: project.billing_rate,
            extension: project.extension_effort,
            extends: project.extension_probability,
            follows: project.follow_on_probability,
            reliable: project.contracted_probability,
            places: project.consultants,
            cap: project.cap().unwrap_or(u32::MAX),
        }
    }
}

/// State of a project; `Running` covers both staffed states of the agent model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProjectStatus {
    Rejected,
    Acquired,
    Ready,
    Running,
    Completed,
}

/// A project in the run.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    /// Index of the project in the firm's list; for a follow-on, the index of its parent.
    ///
    /// A follow-on has no follow-on of its own, so one number holds the relation and no code searches
    /// along it. With edges of a `DiGraph` of `petgraph` instead, a run took 0.8 to 1.0 times as long
    /// (10, 200 and 10,000 projects), and the engine had 34 more lines.
    pub(super) job: u32,
    pub(super) status: ProjectStatus,
    pub(super) staff: u32,
    /// First turn of work since `remaining` was computed.
    pub(super) since: u32,
    /// Turn of work in which the remaining effort runs out.
    pub(super) finish: u32,
    /// First step at or after the deadline.
    pub(super) deadline: u32,
    pub(super) extensions: u32,
    /// Whether a step falls exactly on the deadline.
    pub(super) deadline_met: bool,
    /// Effort left before the turn `since`.
    pub(super) remaining: f64,
    /// Effort of the contract or of the running extension.
    pub(super) volume: f64,
    /// Effort of what was finished before it.
    pub(super) finished: f64,
    pub(super) window_start: f64,
    pub(super) window_deadline: f64,
    /// Effort that was done and not reported (kept with series only).
    pub(super) unreported: f64,
    /// Risk of what is billed (kept with series only).
    pub(super) risk: f64,
}

impl Slot {
    pub(super) fn new(job: u32) -> Self {
        Self {
            job,
            status: ProjectStatus::Rejected,
            staff: 0,
            since: 0,
            // The largest number stands for "never": no step of a run is that late.
            finish: u32::MAX,
            deadline: u32::MAX,
            extensions: 0,
            deadline_met: false,
            remaining: 0.0,
            volume: 0.0,
            finished: 0.0,
            window_start: 0.0,
            window_deadline: 0.0,
            unreported: 0.0,
            risk: 0.0,
        }
    }

    /// Effort left once `turns` turns of work are over, the run's first being number 1.
    #[inline]
    pub(super) fn remaining_after(&self, turns: u32, dt: f64) -> f64 {
        if self.status == ProjectStatus::Running {
            // One product instead of a sum over turns: `dt` is a power of two, so it is exact.
            let done = f64::from(self.staff) * dt * f64::from(turns.saturating_sub(self.since));
            (self.remaining - done).max(0.0)
        } else {
            self.remaining
        }
    }

    /// Effort done once `turns` turns of work are over. The difference is exact, whatever the size
    /// of the contract.
    #[inline]
    pub(super) fn done_after(&self, turns: u32, dt: f64) -> f64 {
        // Not a running sum: `volume - remaining` is a difference of multiples of `dt`,
        // so it is exact however often the head count changed.
        self.finished + (self.volume - self.remaining_after(turns, dt))
    }
}

/// State of a project at the end of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectEnd {
    /// Position of the project in the firm's list; of the parent for a follow-on.
    pub project: u32,
    /// Whether it is a follow-on.
    pub follow_on: bool,
    /// Time at which it could be staffed.
    pub start: f64,
    /// Time at which it had to end.
    pub deadline: f64,
    /// State after the last step.
    pub state: ProjectState,
    /// Consultants that were ever attached.
    pub staff: u32,
    /// Extensions that came.
    pub extensions: u32,
    /// Work done \[consultant-steps of length 1\].
    pub delivered: f64,
    /// Work left \[consultant-steps of length 1\]: in the contract or in the running extension; the whole
    /// contract where no consultant ever joined.
    pub remaining: f64,
}
