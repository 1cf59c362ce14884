//! A consultant.

use super::project::{ProjectAgent, ProjectState};
use crate::firm::StaffGroup;
use serde::{Deserialize, Serialize};

/// A consultant: free, or attached to one project until that project is completed.
///
/// There is no other way back to being free: nobody is moved from a running project to a
/// better one. So a project with a low rate and a late deadline binds its consultants,
/// which is why the choice of windows matters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Consultant {
    cost: f64,
    project: Option<usize>,
    worked: f64,
}

impl Consultant {
    pub(super) fn new(terms: &StaffGroup) -> Self {
        Self {
            cost: terms.cost(),
            project: None,
            worked: 0.0,
        }
    }

    /// Salary and workplace \[money per unit of time\].
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// Position in the list of the project to which the consultant is attached.
    #[must_use]
    pub fn project(&self) -> Option<usize> {
        self.project
    }

    /// Effort delivered in the last step.
    #[must_use]
    pub fn worked(&self) -> f64 {
        self.worked
    }

    /// One step: look for work if free, then work.
    ///
    /// A free consultant takes the first `ready` project of the list and starts it, else joins the
    /// first `started` one, else has nothing to do. One whose project is completed becomes free
    /// and loses the step. One whose project has nothing left to do waits with it.
    pub(super) fn act(&mut self, dt: f64, projects: &mut [ProjectAgent]) {
        self.worked = 0.0;
        let mut left = dt;
        while left > 0.0 {
            if self.project.is_none() {
                let in_state = |state| projects.iter().position(|p| p.state() == state);
                self.project =
                    in_state(ProjectState::Ready).or_else(|| in_state(ProjectState::Started));
                let Some(project) = self.project.and_then(|i| projects.get_mut(i)) else {
                    return;
                };
                project.take_on();
            }
            let Some(project) = self.project.and_then(|i| projects.get_mut(i)) else {
                return;
            };
            // Returning here and not looking for new work is what the original engine
            // does: the step in which a consultant learns of the end is lost.
            if project.state() == ProjectState::Completed {
                self.project = None;
                return;
            }
            let done = left.min(project.remaining_effort());
            // Nothing left, but the project acts after the consultants and may extend:
            // the consultant waits.
            if done <= 0.0 {
                return;
            }
            left -= done;
            self.worked += done;
            project.receive(done);
        }
    }
}
