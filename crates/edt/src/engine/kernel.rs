//! The loop over the steps of a run.
#![expect(
    clippy::indexing_slicing,
    reason = "slots has two entries a project and calendar one a step; every index below is a slot handed out by a set or a step below the number of steps"
)]

use super::FinalFigures;
use super::set::Set;
use super::slot::{Job, ProjectStatus, Slot};
use crate::action::Action;
use crate::chance::{Chance, RiskMode};
use crate::clock::{Clock, whole};
use crate::firm::{Actor, Firm};
use crate::ledger::{Bookings, Figures, FirmAccounts, ratio};
use sim_core::Stream;

/// Projects with an event at a step.
#[derive(Debug, Clone)]
pub(super) struct Due<S> {
    pub(super) start: S,
    pub(super) deadline: S,
    /// Projects whose work may have run out; confirmed by [`Slot::finish`].
    pub(super) finish: S,
}

/// The engine for firms whose projects, twice, fit into `S`.
#[derive(Debug, Clone)]
pub(super) struct Kernel<S> {
    pub(super) clock: Clock,
    pub(super) dt: f64,
    pub(super) steps: u32,
    pub(super) stop_step: u32,
    pub(super) turns: [Actor; 4],
    pub(super) work_first: bool,
    pub(super) fixed_cost: f64,
    pub(super) costs_lag: bool,
    /// Steps between work and its booking, for the scenario's projects and for follow-ons.
    pub(super) lags: [u32; 2],
    pub(super) firm_staff: Vec<(u32, f64)>,
    pub(super) jobs: Vec<Job>,
    // The fields below are reset by every run; their memory is kept.
    pub(super) slots: Vec<Slot>,
    pub(super) calendar: Vec<Due<S>>,
    pub(super) ready: S,
    pub(super) open: S,
    pub(super) changed: S,
    pub(super) due: S,
    pub(super) running: S,
    /// Projects with work that was done and not reported (kept with series only).
    pub(super) unreported: S,
    pub(super) heads: u32,
    pub(super) free: u32,
    pub(super) freed: u32,
    pub(super) follow_ons: usize,
    /// Number of accepted projects and follow-ons.
    pub(super) projects: u32,
    pub(super) rule: Rule,
    pub(super) luck: Vec<Option<(f64, Stream)>>,
}

/// The chance of the run, prepared.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rule {
    Above(f64),
    Draw { chance: Chance, once: bool },
}

impl<S: Set> Kernel<S> {
    pub(super) fn new(firm: &Firm) -> Self {
        let clock = firm.clock();
        let steps = clock.steps();
        let order = firm.agent_order;
        let jobs = Job::all(firm);
        // Twice, as each project brings at most one follow-on, which has a slot behind all originals.
        let size = 2 * jobs.len();
        let slots = (0_u32..).take(size).map(Slot::new).collect();
        let due = Due {
            start: S::empty(size),
            deadline: S::empty(size),
            finish: S::empty(size),
        };
        Self {
            clock,
            dt: clock.dt(),
            steps,
            stop_step: clock.steps_before_stop(),
            turns: order.turns(),
            work_first: order.work_before_projects(),
            fixed_cost: firm.fixed_cost,
            costs_lag: order.costs_lag(),
            lags: [order.revenue_lag(), order.follow_on_lag()],
            firm_staff: firm.staff.iter().map(|g| (g.count, g.cost())).collect(),
            jobs,
            slots,
            calendar: vec![due; steps as usize],
            ready: S::empty(size),
            open: S::empty(size),
            changed: S::empty(size),
            due: S::empty(size),
            running: S::empty(size),
            unreported: S::empty(size),
            heads: 0,
            free: 0,
            freed: 0,
            follow_ons: 0,
            projects: 0,
            rule: Rule::Above(1.0),
            luck: Vec::new(),
        }
    }

    fn reset(&mut self, decision: &Action, chance: &Chance) -> f64 {
        for due in &mut self.calendar {
            due.start.clear();
            due.deadline.clear();
            due.finish.clear();
        }
        self.ready.clear();
        self.open.clear();
        self.running.clear();
        self.unreported.clear();
        // `changed` is empty between turns, and `due` is written before it is read: neither is left over from a run.
        self.follow_ons = 0;
        self.projects = 0;
        self.freed = 0;
        self.rule = match chance.mode {
            RiskMode::Threshold => Rule::Above(1.0 - decision.risk_level),
            mode => {
                self.luck.clear();
                self.luck.resize(self.slots.len(), None);
                Rule::Draw {
                    chance: Chance {
                        risk_level: decision.risk_level,
                        ..*chance
                    },
                    once: mode == RiskMode::BernoulliOnce,
                }
            }
        };
        // The first consultants of the list stay. Groups are cut in order, so the cost of the staff is
        // summed as `Firm::staff_cost` sums it.
        let wanted = u32::try_from(decision.consultants.max(0)).unwrap_or(u32::MAX);
        self.heads = 0;
        let mut cost = 0.0;
        for (count, each) in &self.firm_staff {
            let kept = (*count).min(wanted - self.heads);
            self.heads += kept;
            cost += f64::from(kept) * each;
        }
        self.free = self.heads;
        let windows = decision
            .projects
            .iter()
            .copied()
            .chain(std::iter::repeat(None));
        for (i, window) in windows.take(self.jobs.len()).enumerate() {
            let job = self.slots[i].job;
            self.slots[i] = Slot::new(job);
            let Some(window) = window else { continue };
            self.projects += 1;
            let slot = &mut self.slots[i];
            slot.status = ProjectStatus::Acquired;
            slot.window_start = window.start;
            slot.window_deadline = window.deadline;
            if let Some(step) = self.clock.step_at(window.start) {
                self.calendar[step as usize].start.insert(i);
            }
            let deadline = self.clock.step_from(window.deadline);
            slot.deadline = deadline;
            if deadline < self.steps {
                // A deadline between two steps closes the project in the next one and brings no
                // follow-on: the original engine compares the time for equality.
                slot.deadline_met = self.clock.time(deadline) == window.deadline;
                self.calendar[deadline as usize].deadline.insert(i);
            }
        }
        cost
    }

    /// Runs a decision; appends the figures of every step to `series` when asked to.
    pub(super) fn play<const SERIES: bool>(
        &mut self,
        decision: &Action,
        chance: &Chance,
        series: &mut Vec<Figures>,
    ) -> FinalFigures {
        let staff_cost = self.reset(decision, chance);
        let steps = self.steps;
        let originals = self.jobs.len();
        // Work of turn k is booked at step k + lag. Bookings before the last step are earned; bookings up
        // to the last step count for utilization. So the final figures need the effort done at two
        // turns only, near the end, instead of the bookings of every step.
        let [lag, late] = self.lags;
        let earned = [steps.checked_sub(2 + lag), steps.checked_sub(2 + late)];
        let counted = [steps.checked_sub(1 + lag), steps.checked_sub(1 + late)];
        // Lags are at most 2, so both marks lie in the last five steps; earlier steps skip the test.
        let first_mark = steps.saturating_sub(5);
        let (mut revenue, mut effort) = (0.0, 0.0);
        let mut ledger = FirmAccounts::default();
        let mut booked = Bookings::default();
        // Demand of the scenario's projects and of follow-ons. Only events change it.
        let mut demand = [0.0; 2];
        let turns = self.turns;
        for step in 0..steps {
            let mut figures = Figures::default();
            // `SERIES` is a constant of the function: without series, bookkeeping compiles to nothing.
            for turn in turns {
                match turn {
                    Actor::Consultants => {
                        self.work(step);
                        if SERIES {
                            self.deliver(step);
                            booked.staff_cost += staff_cost * self.dt;
                            booked.capacity += f64::from(self.heads) * self.dt;
                        }
                        if step >= first_mark {
                            let followers = originals..originals + self.follow_ons;
                            for (who, part) in [0..originals, followers].into_iter().enumerate() {
                                if earned[who] == Some(step) {
                                    revenue += self.done(part.clone(), step, |job| job.rate);
                                }
                                if counted[who] == Some(step) {
                                    effort += self.done(part, step, |_| 1.0);
                                }
                            }
                        }
                    }
                    Actor::Projects => {
                        if SERIES {
                            self.report(0..originals, &mut booked);
                        }
                        let any = self.events(step, false);
                        if SERIES {
                            if any {
                                demand[0] = self.demand(0..originals);
                            }
                            booked.demand += demand[0];
                        }
                    }
                    Actor::FollowOns if self.follow_ons > 0 => {
                        let part = originals..originals + self.follow_ons;
                        if SERIES {
                            self.report(part.clone(), &mut booked);
                        }
                        let any = self.events(step, true);
                        if SERIES {
                            if any {
                                demand[1] = self.demand(part);
                            }
                            booked.demand += demand[1];
                        }
                    }
                    Actor::FollowOns => {}
                    Actor::Controlling => {
                        if SERIES {
                            let fixed = self.fixed_cost * self.dt;
                            let now = self.clock.time(step);
                            figures =
                                ledger.close(now, self.dt, fixed, &std::mem::take(&mut booked));
                        }
                    }
                }
            }
            if SERIES {
                figures.projects = f64::from(self.projects);
                figures.busy = self.heads - self.free;
                series.push(figures);
            }
        }
        let paid = f64::from(steps - 1);
        let paid_staff = f64::from((steps - 1).saturating_sub(u32::from(self.costs_lag)));
        let expenses = (self.fixed_cost * paid + staff_cost * paid_staff) * self.dt;
        let capacity = f64::from(self.heads) * self.dt;
        FinalFigures {
            accumulated_earnings: revenue - expenses,
            accumulated_revenue: revenue,
            accumulated_expenses: expenses,
            mean_utilization: ratio(effort, capacity) / f64::from(steps),
            projects: self.projects,
        }
    }

    /// Consultants: free ones start ready projects, one each, then join open ones up to their cap.
    /// Those whose project was completed become free, after the others have chosen.
    #[inline]
    fn work(&mut self, step: u32) {
        if self.free > 0 {
            self.choose(step);
        }
        self.free += self.freed;
        self.freed = 0;
    }

    // Consultants act in list order and are interchangeable, so the outcome depends on their number
    // only: each free one takes the first ready project; when none is left, the first open one.
    fn choose(&mut self, step: u32) {
        let mut any = false;
        let mut from = 0;
        while self.free > 0 {
            let Some(i) = self.ready.next(from) else {
                break;
            };
            from = i + 1;
            self.ready.remove(i);
            self.free -= 1;
            let slot = &mut self.slots[i];
            let job = &self.jobs[slot.job as usize];
            slot.status = ProjectStatus::Running;
            slot.staff = 1;
            slot.since = step;
            slot.remaining = job.effort;
            slot.volume = job.effort;
            let is_follow_on = i >= self.jobs.len();
            slot.risk = 1.0
                - if is_follow_on {
                    job.follows
                } else {
                    job.reliable
                };
            // A project for one is full with its first consultant.
            if job.cap > 1 {
                self.open.insert(i);
            }
            self.running.insert(i);
            self.changed.insert(i);
            any = true;
        }
        from = 0;
        while self.free > 0 {
            let Some(i) = self.open.next(from) else { break };
            from = i + 1;
            let slot = &mut self.slots[i];
            let cap = self.jobs[slot.job as usize].cap;
            // Progress is linear while the head count stays the same; settle it before it changes.
            slot.remaining = slot.remaining_after(step, self.dt);
            slot.since = step;
            let joining = self.free.min(cap - slot.staff);
            slot.staff += joining;
            self.free -= joining;
            if slot.staff == cap {
                self.open.remove(i);
            }
            self.changed.insert(i);
            any = true;
        }
        if any {
            from = 0;
            // After all have joined, since a project that is started and joined in one step would
            // be forecast twice.
            while let Some(i) = self.changed.next(from) {
                from = i + 1;
                self.forecast(i);
            }
            self.changed.clear();
        }
    }

    /// Computes the turn in which the work of `i` runs out and enters the event into the calendar.
    #[inline]
    pub(super) fn forecast(&mut self, i: usize) {
        let slot = &mut self.slots[i];
        let pace = f64::from(slot.staff) * self.dt;
        let mut turns = (slot.remaining / pace).ceil().max(1.0);
        // A rounded quotient may lie on the wrong side of a whole number. The products are exact, so they
        // decide: work ends in the first turn whose product reaches the remaining effort.
        if turns * pace < slot.remaining {
            turns += 1.0;
        } else if turns > 1.0 && (turns - 1.0) * pace >= slot.remaining {
            turns -= 1.0;
        }
        slot.finish = slot.since.saturating_add(whole(turns - 1.0));
        // When projects act before consultants, they see finished work one step later; follow-ons always
        // act last. An older entry for the same project stays in the calendar: `finish` tells it apart.
        let late = u32::from(!self.work_first && i < self.jobs.len());
        let seen = slot.finish.saturating_add(late);
        if let Some(due) = self.calendar.get_mut(seen as usize) {
            due.finish.insert(i);
        }
    }
}
