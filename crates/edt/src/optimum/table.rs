//! The value of one project when consultants have a price.
//!
//! With a price on every consultant in every turn, projects no longer compete and each can be
//! solved on its own, by a dynamic programme over (turn, head count, work left). The programme
//! is a relaxation of the simulator: consultants may join in any turn up to the cap, and work may stop
//! after any turn. So its value is at least that of every course of the project in the simulator.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have one cell for each (turn below end, work up to most, heads up to cap); turns, work and heads stay in these ranges"
)]

use super::{Horizon, RiskScope};
use crate::clock::whole;
use crate::firm::Project;

/// Terms of a project in whole units of work: what one consultant does in one turn.
///
/// Work is rounded up to whole units. That keeps the turn in which it is finished, since whole
/// consultants work whole turns, and never lowers what it earns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    /// Units in the contract.
    pub(super) contract: usize,
    /// Units in an extension, 0 when none can come.
    pub(super) extension: usize,
    /// Most consultants.
    pub(super) cap: usize,
    /// Revenue of one unit of work \[money\].
    pub(super) rate: f64,
    /// Whether a follow-on can come.
    pub(super) follows: bool,
}

impl Line {
    pub(super) fn new(
        project: &Project,
        consultants: u32,
        dt: f64,
        horizon: &Horizon,
        scope: RiskScope,
    ) -> Self {
        let cap = project.cap().unwrap_or(consultants).min(consultants) as usize;
        // Amounts above what can be done until the end give the same values, so they share a cell; that
        // bounds the table.
        // (One unit more than can be done, so that "too much to finish" stays different
        // from "just finished".)
        let most = cap.max(1) * horizon.end + 1;
        let units = |work: f64| (whole((work / dt).ceil().min(1e9)) as usize).min(most);
        let extends = scope.allows(project.extension_probability);
        Self {
            contract: units(project.contracted_effort),
            extension: if extends {
                units(project.extension_effort)
            } else {
                0
            },
            cap,
            rate: project.billing_rate * dt,
            follows: scope.allows(project.follow_on_probability),
        }
    }

    fn most(&self) -> usize {
        self.contract.max(self.extension)
    }

    /// Cells of its tables.
    pub(super) fn cells(&self, horizon: &Horizon) -> usize {
        // Up to 10^18, which is more than the `usize` of a 32-bit machine holds; such a firm gets no table.
        let cells = [
            self.most() + 1,
            self.cap.max(1),
            1 + usize::from(self.follows),
        ];
        cells.into_iter().fold(horizon.end, usize::saturating_mul)
    }
}

/// Values of a project under one set of prices.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) line: Line,
    horizon: Horizon,
    /// Value of a running project before a turn, by (turn, work left, its consultants).
    own: Vec<f64>,
    /// The same for its follow-on.
    later: Vec<f64>,
    /// Value of a follow-on that may begin in this turn or later; also for turns past the end.
    follow: Vec<f64>,
    /// Value of a project without work before this turn.
    idle: Vec<f64>,
}

impl Table {
    pub(super) fn new(line: Line, horizon: Horizon) -> Self {
        let each = horizon.end * (line.most() + 1) * line.cap.max(1);
        let tail = horizon.end + horizon.gap + 1;
        Self {
            own: vec![0.0; each],
            later: if line.follows {
                vec![0.0; each]
            } else {
                Vec::new()
            },
            follow: vec![0.0; tail],
            idle: vec![0.0; tail],
            line,
            horizon,
        }
    }

    fn cell(&self, turn: usize, left: usize, heads: usize) -> usize {
        (turn * (self.line.most() + 1) + left) * self.line.cap + heads - 1
    }

    /// Computes all values. `prices` has one entry for each turn and at least one past the end.
    pub(super) fn fill(&mut self, prices: &[f64]) {
        if self.line.cap == 0 {
            return;
        }
        let Horizon {
            first,
            end,
            paid,
            paid_follow_on,
            first_follow_on,
            ..
        } = self.horizon;
        // Backwards in time, and follow-ons first: the value of a project includes that of its follow-on.
        if self.line.follows {
            let mut later = std::mem::take(&mut self.later);
            self.fill_running(&mut later, prices, paid_follow_on, false);
            self.later = later;
            for turn in (first..end).rev() {
                // Waiting is free in the relaxation, so the value is a running maximum
                // from the end; 0 stands for never.
                let now = self.later[self.cell(turn, self.line.contract, 1)];
                self.follow[turn] = now.max(self.follow[turn + 1]).max(0.0);
            }
        }
        let mut own = std::mem::take(&mut self.own);
        self.fill_running(&mut own, prices, paid, true);
        self.own = own;
        for turn in (first..end).rev() {
            let mut value = self.idle[turn + 1].max(self.starting(true, turn)).max(0.0);
            if self.line.follows && turn >= first_follow_on {
                value = value.max(self.starting(false, turn));
            }
            self.idle[turn] = value;
        }
    }

    fn fill_running(&self, table: &mut [f64], prices: &[f64], paid: usize, own: bool) {
        let Line {
            extension,
            cap,
            rate,
            ..
        } = self.line;
        let most = self.line.most();
        let row = cap;
        let layer = (most + 1) * row;
        for turn in (self.horizon.first..self.horizon.end).rev() {
            let rate = if turn < paid { rate } else { 0.0 };
            let (price, exit) = (prices[turn], prices[turn + 1]);
            let after_end = if own && self.line.follows {
                self.follow[turn + self.horizon.gap]
            } else {
                0.0
            };
            let (now, next) = table[turn * layer..].split_at_mut(layer);
            let next = if turn + 1 < self.horizon.end {
                &next[..layer]
            } else {
                &[]
            };
            for left in 0..=most {
                // `best` is the maximum over all head counts from `heads` to the cap, because others may
                // join before the turn. Descending order makes it a running maximum: one pass, not two.
                let mut best = f64::NEG_INFINITY;
                for heads in (1..=cap).rev() {
                    let done = heads.min(left);
                    let rest = left - done;
                    // Consultants who leave lose the next turn, so they are paid for it (`exit`).
                    let mut after = after_end - exit * count(heads);
                    let resume = if rest > 0 { rest } else { extension };
                    if resume > 0 && !next.is_empty() {
                        after = after.max(next[resume * row + heads - 1]);
                    }
                    best = best.max(rate * count(done) - price * count(heads) + after);
                    now[left * row + heads - 1] = best;
                }
            }
        }
    }

    /// Value when the project (`own`), or else its follow-on, gets its first consultant in `turn`.
    pub(super) fn starting(&self, own: bool, turn: usize) -> f64 {
        if self.line.cap == 0 {
            0.0
        } else {
            self.running(own, turn, self.line.contract, 1)
        }
    }

    /// Value of the running project (`own`), or else of its running follow-on, before `turn`, if it goes on.
    pub(super) fn running(&self, own: bool, turn: usize, left: usize, heads: usize) -> f64 {
        let table = if own { &self.own } else { &self.later };
        if turn < self.horizon.end {
            table[self.cell(turn, left, heads)]
        } else {
            0.0
        }
    }

    /// Value of a follow-on that may begin in `turn` or later.
    pub(super) fn follow_on_from(&self, turn: usize) -> f64 {
        self.follow.get(turn).copied().unwrap_or(0.0)
    }

    /// Value of a project without work before `turn`.
    pub(super) fn untouched(&self, turn: usize) -> f64 {
        self.idle.get(turn).copied().unwrap_or(0.0)
    }

    /// Adds the consultants that a best course of the project takes, turn by turn; a consultant
    /// who leaves takes one turn more.
    pub(super) fn add_use(&self, prices: &[f64], used: &mut [f64]) {
        if self.line.cap == 0 {
            return;
        }
        let Horizon {
            first,
            end,
            first_follow_on,
            ..
        } = self.horizon;
        let mut turn = first;
        while turn < end && self.idle[turn] > 0.0 {
            // Equality of doubles is right here: `idle` was computed by the same expression, so the
            // choice that made it is equal to the last bit.
            if self.idle[turn] == self.starting(true, turn) {
                if let Some(from) = self.add_run(turn, true, prices, used) {
                    self.add_follow_on(from, prices, used);
                }
                return;
            }
            let follows = self.line.follows && turn >= first_follow_on;
            if follows && self.idle[turn] == self.starting(false, turn) {
                self.add_run(turn, false, prices, used);
                return;
            }
            turn += 1;
        }
    }

    fn add_follow_on(&self, from: usize, prices: &[f64], used: &mut [f64]) {
        for turn in from..self.horizon.end {
            if self.follow[turn] <= 0.0 {
                return;
            }
            if self.follow[turn] == self.starting(false, turn) {
                self.add_run(turn, false, prices, used);
                return;
            }
        }
    }

    /// Follows a run from its first turn; returns from when on a follow-on may begin.
    fn add_run(&self, start: usize, own: bool, prices: &[f64], used: &mut [f64]) -> Option<usize> {
        let Line {
            extension,
            cap,
            rate,
            follows,
            contract,
        } = self.line;
        let Horizon {
            end,
            paid,
            paid_follow_on,
            gap,
            ..
        } = self.horizon;
        let paid = if own { paid } else { paid_follow_on };
        let table = if own { &self.own } else { &self.later };
        let (mut left, mut heads) = (contract, 1);
        for turn in start..end {
            let rate = if turn < paid { rate } else { 0.0 };
            let after_end = if own && follows {
                self.follow[turn + gap]
            } else {
                0.0
            };
            // The choice is not stored: it is the first one whose value reaches that of the cell. That
            // costs a few operations on one path and saves a table as large as the values.
            let target = table[self.cell(turn, left, heads)];
            let mut course = (heads, true, 0);
            for joined in heads..=cap {
                let done = joined.min(left);
                let resume = if left > done { left - done } else { extension };
                let stop = after_end - prices[turn + 1] * count(joined);
                let mut after = stop;
                if resume > 0 && turn + 1 < end {
                    after = after.max(table[self.cell(turn + 1, resume, joined)]);
                }
                if rate * count(done) - prices[turn] * count(joined) + after >= target {
                    course = (joined, after == stop, resume);
                    break;
                }
            }
            let (joined, stops, resume) = course;
            used[turn] += count(joined);
            if stops {
                used[turn + 1] += count(joined);
                return (own && follows).then_some(turn + gap);
            }
            (left, heads) = (resume, joined);
        }
        None
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "heads and work are far below 2^53"
)]
fn count(n: usize) -> f64 {
    n as f64
}
