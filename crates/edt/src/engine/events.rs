//! Events of projects: opening, ending, extension, follow-on.
#![expect(
    clippy::indexing_slicing,
    reason = "slots has two entries a project and calendar one a step; every index below is a slot handed out by a set or a step below the number of steps"
)]

use super::kernel::{Due, Kernel, Rule};
use super::set::Set;
use super::slot::{Job, ProjectStatus, Slot};
use crate::chance::{Chance, FOLLOW_ON_KEY};
use sim_core::Stream;

impl<S: Set> Kernel<S> {
    /// The turn of the projects with an event in the step, in list order. Returns whether there was any.
    #[inline]
    pub(super) fn events(&mut self, step: u32, follow_ons: bool) -> bool {
        let originals = self.jobs.len();
        let Due {
            start,
            deadline,
            finish,
        } = &self.calendar[step as usize];
        // A copy of the union: events change the sets of the calendar while it is walked.
        self.due.unite(start, deadline, finish);
        let mut from = if follow_ons { originals } else { 0 };
        // Turns of work that are over when the projects act.
        let worked = if self.work_first || follow_ons {
            step + 1
        } else {
            step
        };
        let mut any = false;
        while let Some(i) = self.due.next(from) {
            if !follow_ons && i >= originals {
                break;
            }
            from = i + 1;
            any = true;
            self.event(i, step, worked);
        }
        any
    }

    fn event(&mut self, i: usize, step: u32, worked: u32) {
        let slot = &mut self.slots[i];
        // 2. Open at the start time.
        if slot.status == ProjectStatus::Acquired && self.calendar[step as usize].start.contains(i)
        {
            slot.status = ProjectStatus::Ready;
            self.ready.insert(i);
        }
        // The deadline goes before the end of the work: a project that is done in its last step is
        // closed, not extended.
        let slot = &mut self.slots[i];
        if step >= slot.deadline {
            // 3. Close at the deadline.
            if slot.status != ProjectStatus::Completed {
                self.close(i, worked);
            }
            // 6. A follow-on at the deadline exactly.
            let slot = &self.slots[i];
            if step == slot.deadline && slot.deadline_met {
                self.follow_on(i, step);
            }
        // The calendar keeps older forecasts of a project, so only the one that still stands
        // counts. Work that runs out at or after the stop time is never extended.
        } else if slot.status == ProjectStatus::Running
            && worked.checked_sub(1) == Some(slot.finish)
            && step < self.stop_step
        {
            // 4. Finished before the deadline: extend or close.
            let Job {
                extension, extends, ..
            } = self.jobs[slot.job as usize];
            // Exactly 0, because the last turn may be longer than the work that was left.
            slot.remaining = 0.0;
            if self.extends(i, extends) {
                let slot = &mut self.slots[i];
                slot.extensions += 1;
                slot.remaining = extension;
                slot.finished += slot.volume;
                slot.volume = extension;
                slot.since = worked;
                slot.risk = 1.0 - extends;
            }
            if self.slots[i].remaining > 0.0 {
                self.forecast(i);
            } else {
                self.close(i, worked);
            }
        }
    }

    fn close(&mut self, i: usize, worked: u32) {
        let slot = &mut self.slots[i];
        slot.remaining = slot.remaining_after(worked, self.dt);
        match slot.status {
            ProjectStatus::Ready => self.ready.remove(i),
            ProjectStatus::Running => {
                self.open.remove(i);
                self.running.remove(i);
                self.freed += slot.staff;
            }
            _ => {}
        }
        slot.status = ProjectStatus::Completed;
    }

    fn follow_on(&mut self, parent: usize, step: u32) {
        let (job, start, deadline) = {
            let slot = &self.slots[parent];
            (slot.job, slot.window_start, slot.window_deadline)
        };
        let p = self.jobs[job as usize].follows;
        // A follow-on brings no further one.
        if parent >= self.jobs.len() || !self.follows_on(parent, p) {
            return;
        }
        let i = self.jobs.len() + self.follow_ons;
        self.follow_ons += 1;
        self.projects += 1;
        let now = self.clock.time(step);
        let end = self.clock.stop().min(now + deadline - start);
        let mut slot = Slot::new(job);
        // One unit of time later, whatever the length of a step: the original engine adds 1 to the
        // time.
        slot.window_start = now + 1.0;
        slot.window_deadline = end;
        slot.deadline = self.clock.step_from(end);
        // A parent that ends with the run, or whose window has no length, brings a follow-on that
        // is over at once. It counts as a project all the same.
        slot.status = if slot.deadline <= step {
            ProjectStatus::Completed
        } else {
            ProjectStatus::Acquired
        };
        if let Some(due) = self.calendar.get_mut(slot.deadline as usize) {
            due.deadline.insert(i);
        }
        let opens = step + self.clock.per_unit();
        if let Some(due) = self.calendar.get_mut(opens as usize) {
            due.start.insert(i);
        }
        self.slots[i] = slot;
    }

    #[inline]
    fn extends(&mut self, i: usize, p: f64) -> bool {
        match self.rule {
            Rule::Above(bar) => p > bar,
            Rule::Draw { chance, once } => {
                if once && self.slots[i].extensions > 0 {
                    return false;
                }
                let (_, stream) = self.luck_of(i, &chance);
                stream.unit() < chance.risk_level * p
            }
        }
    }

    fn follows_on(&mut self, i: usize, p: f64) -> bool {
        match self.rule {
            Rule::Above(bar) => p > bar,
            Rule::Draw { chance, .. } => self.luck_of(i, &chance).0 < chance.risk_level * p,
        }
    }

    /// First draw and the rest of the stream of a project. Opened when first needed, because opening a
    /// stream hashes its name and most projects draw nothing.
    fn luck_of(&mut self, i: usize, chance: &Chance) -> &mut (f64, Stream) {
        let job = u64::from(self.slots[i].job);
        let key = if i < self.jobs.len() {
            job
        } else {
            job + FOLLOW_ON_KEY
        };
        self.luck[i].get_or_insert_with(|| {
            let mut stream = chance.stream(key);
            (stream.unit(), stream)
        })
    }
}
