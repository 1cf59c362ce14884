//! Results of a run: effort and revenue, the figures of a step, final states of projects.
#![expect(
    clippy::indexing_slicing,
    reason = "slots has two entries a project and calendar one a step; every index below is a slot handed out by a set or a step below the number of steps"
)]

use super::kernel::Kernel;
use super::set::Set;
use super::slot::{Job, ProjectEnd, ProjectStatus, Slot};
use crate::agent_model::ProjectState;
use crate::ledger::Bookings;

impl<S: Set> Kernel<S> {
    /// Effort done until after turn `step`, weighted.
    pub(super) fn done(
        &self,
        part: std::ops::Range<usize>,
        step: u32,
        weight: impl Fn(&Job) -> f64,
    ) -> f64 {
        // Effort done is volume minus remaining, which is exact; summing the work of every step would
        // round.
        let weighted = |slot: &Slot| {
            weight(&self.jobs[slot.job as usize]) * slot.done_after(step + 1, self.dt)
        };
        self.slots[part].iter().map(weighted).sum()
    }

    /// Adds the turn's work to the unreported work of its projects.
    pub(super) fn deliver(&mut self, step: u32) {
        let mut from = 0;
        while let Some(i) = self.running.next(from) {
            from = i + 1;
            let slot = &mut self.slots[i];
            let before = slot.remaining_after(step, self.dt);
            // The difference of what is left, and not heads times `dt`: a last turn has more hands
            // than work.
            slot.unreported += before - slot.remaining_after(step + 1, self.dt);
            self.unreported.insert(i);
        }
    }

    /// 1. Projects report.
    pub(super) fn report(&mut self, part: std::ops::Range<usize>, booked: &mut Bookings) {
        let mut from = part.start;
        while let Some(i) = self.unreported.next(from)
            && i < part.end
        {
            from = i + 1;
            self.unreported.remove(i);
            let slot = &mut self.slots[i];
            let revenue = slot.unreported * self.jobs[slot.job as usize].rate;
            booked.revenue += revenue;
            booked.revenue_at_risk += revenue * slot.risk;
            booked.effort += slot.unreported;
            slot.unreported = 0.0;
        }
    }

    /// 5. Places in projects that are ready or running.
    pub(super) fn demand(&self, part: std::ops::Range<usize>) -> f64 {
        let live =
            |slot: &&Slot| matches!(slot.status, ProjectStatus::Ready | ProjectStatus::Running);
        self.slots[part]
            .iter()
            .filter(live)
            .map(|slot| self.jobs[slot.job as usize].places)
            .sum()
    }

    pub(super) fn project_ends(&self) -> Vec<ProjectEnd> {
        let originals = self.jobs.len();
        let used = &self.slots[..originals + self.follow_ons];
        let ends = used.iter().enumerate().map(|(i, slot)| {
            // A slot gets its effort with the first consultant; without one all of the contract is left.
            let remaining = match slot.staff {
                0 => self.jobs[slot.job as usize].effort,
                _ => slot.remaining_after(self.steps, self.dt),
            };
            ProjectEnd {
                project: slot.job,
                follow_on: i >= originals,
                start: slot.window_start,
                deadline: slot.window_deadline,
                state: match slot.status {
                    ProjectStatus::Rejected | ProjectStatus::Acquired => ProjectState::Acquired,
                    ProjectStatus::Ready => ProjectState::Ready,
                    // The engine keeps one state for both staffed states of the agent
                    // model; the head count tells them apart.
                    ProjectStatus::Running if slot.staff == self.jobs[slot.job as usize].cap => {
                        ProjectState::FullyStaffed
                    }
                    ProjectStatus::Running => ProjectState::Started,
                    ProjectStatus::Completed => ProjectState::Completed,
                },
                staff: slot.staff,
                extensions: slot.extensions,
                delivered: slot.done_after(self.steps, self.dt),
                remaining,
            }
        });
        ends.zip(used)
            .filter(|(_, slot)| slot.status != ProjectStatus::Rejected)
            .map(|(end, _)| end)
            .collect()
    }
}
