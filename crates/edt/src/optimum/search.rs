//! Simulated annealing and local search over head count, risk level and windows.

use crate::action::{Action, Window};
use crate::chance::Chance;
use crate::engine::Engine;
use crate::firm::Firm;
use serde::{Deserialize, Serialize};
use sim_core::{Seed, Stream, math};

/// Settings of a search. The work is counted in simulated plans, never in time, so that the same
/// settings give the same plan everywhere.
///
/// ```
/// use edt::engine::Chance;
/// use edt::firm::Firm;
/// use edt::optimum::SearchSettings;
///
/// // A short search with the head count fixed at nine and no risk.
/// let search = SearchSettings {
///     runs: 1,
///     moves: 2_000,
///     consultants: Some(9),
///     risk_level: Some(0.0),
///     ..SearchSettings::default()
/// };
/// let mut simulated = 0_u64;
/// let found = search.run(&Firm::paper(), &Chance::threshold(0.0), |_, _| simulated += 1);
/// assert_eq!(found.plans, simulated);
/// assert_eq!(found.decision.consultants, 9);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchSettings {
    /// Annealing runs, one after the other; every third starts from the best plan so far
    /// (default 12).
    pub runs: u32,
    /// Plans simulated in an annealing run (default 400,000).
    pub moves: u32,
    /// Head count, if it is given; otherwise it is searched too.
    pub consultants: Option<u32>,
    /// Risk level, if it is given; otherwise the levels that make a difference are searched.
    pub risk_level: Option<f64>,
    /// Root of the moves.
    pub seed: Seed,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            runs: 12,
            moves: 400_000,
            consultants: None,
            risk_level: None,
            seed: Seed(0),
        }
    }
}

/// The best plan of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoundSchedule {
    /// The plan.
    pub decision: Action,
    /// Earnings of the plan \[money\].
    pub earnings: f64,
    /// Number of plans simulated.
    pub plans: u64,
}

impl FoundSchedule {
    /// Keeps the plan at which the walk stands if it earns more.
    fn keep(&mut self, walk: &Walk<'_>) {
        if walk.earnings > self.earnings {
            self.decision.clone_from(&walk.decision);
            self.earnings = walk.earnings;
        }
    }
}

/// The risk levels that differ in what they switch on: 0, one between each pair of neighbouring
/// probabilities, and 1.
///
/// In ascending order, at most `2n + 1` of them for n projects. All levels between two
/// neighbouring entries give the same run in threshold mode.
#[must_use]
pub fn risk_classes(firm: &Firm) -> Vec<f64> {
    let mut bars: Vec<f64> = firm
        .projects
        .iter()
        .flat_map(|p| [p.extension_probability, p.follow_on_probability])
        .filter(|p| *p > 0.0)
        .collect();
    // In threshold mode only the comparison p > 1 - R counts, so all levels between two neighbouring
    // probabilities give the same run: one of each class is enough.
    bars.sort_by(|a, b| b.total_cmp(a));
    bars.dedup();
    let lower = bars.iter().skip(1).copied().chain([0.0]);
    let between = bars
        .iter()
        .zip(lower)
        .map(|(p, next)| 1.0 - next.midpoint(*p).min(1.0));
    let levels = between
        .zip(1..)
        .map(|(level, n)| if n == bars.len() { 1.0 } else { level });
    std::iter::once(0.0).chain(levels).collect()
}

impl SearchSettings {
    /// Searches; calls `watch` with every simulated plan and its earnings.
    ///
    /// After the annealing runs, local search simulates 2,000 plans for each of them, at least 6,000. It starts from
    /// the Simple plan (with the head count and the risk level that are given) and tries a scale of risk levels
    /// and of head counts first. So the plan never earns less than the Simple plan, even where annealing
    /// has too few moves for the number of projects.
    ///
    /// # Complexity
    /// `runs * (moves + 2_000)` simulations, or `runs * moves + 6_000` for fewer than three runs.
    ///
    /// The risk level in `chance` is not used: each plan has its own. `watch` is called
    /// in the order of simulation and may collect statistics; it cannot stop the search.
    pub fn run(
        &self,
        firm: &Firm,
        chance: &Chance,
        mut watch: impl FnMut(&Action, f64),
    ) -> FoundSchedule {
        let mut engine = Engine::new(firm);
        let mut value = |plan: &Action| engine.run(plan, chance).accumulated_earnings;
        let mut walk = Walk::new(self, firm, chance.mode.is_random(), &mut value);
        walk.restart();
        let mut best = FoundSchedule {
            decision: walk.decision.clone(),
            earnings: walk.earnings,
            plans: 1,
        };
        watch(&best.decision, best.earnings);
        for run in 0..self.runs {
            // Two fresh starts for each refinement: a fresh start may find another region, refining
            // improves the best plan so far.
            let refine = run % 3 == 2;
            if refine {
                walk.decision.clone_from(&best.decision);
                walk.earnings = best.earnings;
            } else if run > 0 {
                walk.restart();
            }
            walk.anneal(self.moves, refine, &mut best, &mut watch);
        }
        // Last and as a walk of its own, so that annealing takes the same course with and without it. Its stream
        // gives the draws that annealing began with; from another plan they are other moves.
        let mut walk = Walk::new(self, firm, chance.mode.is_random(), &mut value);
        let last = best.plans + u64::from(self.runs.saturating_mul(2_000).max(6_000));
        walk.decision = self.simple(firm);
        walk.earnings = f64::NEG_INFINITY;
        // The risk level and the head count concern all projects, and single steps of them take long in a large firm.
        let levels = walk.scale_of_levels();
        let heads = walk.scale_of_heads();
        let first = std::iter::once((None, None))
            .chain(levels.into_iter().map(|level| (Some(level), None)))
            .chain(heads.into_iter().map(|heads| (None, Some(heads))));
        for (level, heads) in first {
            let undo = walk.put(level, heads);
            walk.settle(undo, &mut watch);
            best.plans += 1;
            best.keep(&walk);
        }
        while best.plans < last {
            let undo = walk.step();
            walk.settle(undo, &mut watch);
            best.plans += 1;
            best.keep(&walk);
        }
        best
    }

    /// The Simple plan, as far as head count and risk level are free.
    fn simple(&self, firm: &Firm) -> Action {
        let simple = Action::simple(firm);
        let heads = firm.head_count();
        Action {
            consultants: self
                .consultants
                .map_or(simple.consultants, |fixed| fixed.min(heads).into()),
            risk_level: self.risk_level.unwrap_or(simple.risk_level),
            ..simple
        }
    }

    /// Improves `from` by the same changes, keeping those that do not lower `value`: local search, which
    /// ends in a local optimum near its start.
    ///
    /// # Complexity
    /// `moves` calls of `value`.
    pub fn climb(
        &self,
        firm: &Firm,
        from: Action,
        random: bool,
        mut value: impl FnMut(&Action) -> f64,
    ) -> FoundSchedule {
        let earnings = value(&from);
        let mut walk = Walk::new(self, firm, random, &mut value);
        walk.decision = from;
        walk.earnings = earnings;
        for _ in 0..self.moves {
            let undo = walk.step();
            walk.settle(undo, &mut |_, _| {});
        }
        let plans = u64::from(self.moves) + 1;
        FoundSchedule {
            decision: walk.decision,
            earnings: walk.earnings,
            plans,
        }
    }
}

struct Walk<'a> {
    search: &'a SearchSettings,
    firm: &'a Firm,
    // A trait object, so that the walk is compiled once for the engine and for means over imagined
    // draws; a call is nothing beside the simulation of a plan, which takes more than a
    // microsecond.
    value: &'a mut dyn FnMut(&Action) -> f64,
    stream: Stream,
    levels: Vec<f64>,
    decision: Action,
    earnings: f64,
    /// First and last whole time of a window.
    first: i64,
    last: i64,
    /// The deadline that `last` stands for.
    end: f64,
    /// Mean value of a project \[money\]; scales the temperatures.
    worth: f64,
}

impl<'a> Walk<'a> {
    fn new(
        search: &'a SearchSettings,
        firm: &'a Firm,
        random: bool,
        value: &'a mut dyn FnMut(&Action) -> f64,
    ) -> Self {
        let projects = firm.projects.len().max(1);
        let total: f64 = firm
            .projects
            .iter()
            .map(|p| p.contracted_effort * p.billing_rate)
            .sum();
        let levels = match search.risk_level {
            Some(level) => vec![level],
            // In the random modes every level differs; the scale is cut into twenty.
            None if random => (0_u32..=20).map(|k| f64::from(k) / 20.0).collect(),
            None => risk_classes(firm),
        };
        let first = i64::from(firm.start);
        let clock = firm.clock();
        // Whole times up to the one before the last, like the Simple plan: with whole steps a later
        // deadline adds no booked work. Shorter steps follow in the last unit of time, and the work of all
        // but the final ones is booked; the last deadline is then the time of the final step.
        let (last, end) = if clock.per_unit() == 1 {
            let last = (i64::from(firm.stop) - 1).max(first);
            (last, real(last))
        } else {
            (i64::from(firm.stop), clock.last())
        };
        Self {
            search,
            firm,
            value,
            stream: search.seed.stream("search", 0),
            levels,
            decision: Action::nothing(firm),
            earnings: 0.0,
            first,
            last,
            end,
            worth: total / f64::from(u32::try_from(projects).unwrap_or(u32::MAX)),
        }
    }

    fn restart(&mut self) {
        let heads = i64::from(self.firm.head_count());
        self.decision.consultants = match self.search.consultants {
            Some(fixed) => i64::from(fixed).min(heads),
            None => self.stream.between(heads / 2, heads),
        };
        self.decision.risk_level = self.stream.pick(&self.levels).copied().unwrap_or(0.0);
        // By index, because drawing a window borrows the whole walk.
        for i in 0..self.decision.projects.len() {
            let window = if self.stream.chance(0.7) {
                Some(self.any_window())
            } else {
                None
            };
            if let Some(slot) = self.decision.projects.get_mut(i) {
                *slot = window;
            }
        }
        self.earnings = (self.value)(&self.decision);
    }

    fn anneal(
        &mut self,
        moves: u32,
        refine: bool,
        best: &mut FoundSchedule,
        watch: &mut impl FnMut(&Action, f64),
    ) {
        // In proportion to the mean value of a project, so that firms of any size cool alike. With the
        // paper's template: 200,000 (40,000 when refining) down to 500.
        let hot = self.worth * if refine { 0.024 } else { 0.12 };
        let cold = self.worth * 0.000_3;
        let mut temperature = hot;
        // The temperature falls geometrically, in a thousand equal steps.
        let stage = (moves / 1000).max(1);
        // Where no project is worth anything both are 0, and `max` takes the number beside NaN.
        let factor = math::exp(math::ln((cold / hot).max(1e-9)) / 1000.0);
        for number in 0..moves {
            if number % stage == 0 {
                temperature *= factor;
            }
            // Changed in place and undone: a copy of the plan for every move would grow with the
            // firm.
            let undo = self.step();
            let earnings = (self.value)(&self.decision);
            best.plans += 1;
            watch(&self.decision, earnings);
            // Metropolis: a loss is accepted with probability exp(gain / temperature).
            let gain = earnings - self.earnings;
            if gain >= 0.0 || self.stream.unit() < math::exp(gain / temperature) {
                self.earnings = earnings;
                best.keep(self);
            } else {
                self.undo(undo);
            }
        }
    }

    /// At most 21 risk levels from the first to the last.
    fn scale_of_levels(&self) -> Vec<f64> {
        let each = self.levels.len().div_ceil(20).max(1);
        let levels = self.levels.iter().step_by(each).chain(self.levels.last());
        levels.copied().collect()
    }

    /// Twenty head counts up to that of the firm; none if it is given.
    fn scale_of_heads(&self) -> Vec<i64> {
        let most = i64::from(self.firm.head_count());
        match self.search.consultants {
            Some(_) => Vec::new(),
            None => (1..=20).map(|twentieths| most * twentieths / 20).collect(),
        }
    }

    /// Sets the risk level and the head count where they are given and returns how to undo the change.
    fn put(&mut self, level: Option<f64>, heads: Option<i64>) -> Undo {
        let before = (self.decision.risk_level, self.decision.consultants);
        self.decision.risk_level = level.unwrap_or(before.0);
        self.decision.consultants = heads.unwrap_or(before.1);
        Undo::Whole(before.0, before.1)
    }

    /// Keeps a change that was made if it does not lower the value.
    fn settle(&mut self, undo: Undo, watch: &mut impl FnMut(&Action, f64)) {
        let earnings = (self.value)(&self.decision);
        watch(&self.decision, earnings);
        if earnings >= self.earnings {
            self.earnings = earnings;
        } else {
            self.undo(undo);
        }
    }

    /// Changes the plan a little and returns how to undo the change.
    fn step(&mut self) -> Undo {
        let projects = self.decision.projects.len();
        // Most moves shift one window by a step or two; rare ones leave a local optimum: swap windows,
        // align them with another project, accept, reject.
        let kind = self.stream.below(24);
        if kind == 0 && self.search.consultants.is_none() || projects == 0 {
            // A firm without projects and with a given head count has one plan.
            if self.search.consultants.is_some() {
                return self.put(None, None);
            }
            let most = i64::from(self.firm.head_count());
            let change = if self.stream.chance(0.5) { 1 } else { -1 };
            let heads = (self.decision.consultants + change).clamp(0, most);
            return self.put(None, Some(heads));
        }
        if kind == 1 && self.levels.len() > 1 {
            let level = self.stream.pick(&self.levels).copied();
            return self.put(level, None);
        }
        let i = self.stream.index(projects);
        let j = self.stream.index(projects);
        let before = self.at(i);
        let other = self.at(j);
        let after = match (before, kind) {
            (None, _) => Some(self.any_window()),
            (Some(_), 2) => None,
            (Some(_), 3 | 4) => Some(self.any_window()),
            (Some(w), 5 | 6) => {
                let start = self.first + self.stream.between(0, 2);
                Some(self.window(start, whole(w.deadline)))
            }
            (Some(w), 7 | 8) => Some(self.window(whole(w.start), self.last)),
            (Some(w), 9..=11) => match other.filter(|_| i != j) {
                // Start near the deadline of another project, or end near its start: the same consultants
                // can then work on both.
                Some(o) if kind == 9 => {
                    let start = whole(o.deadline) + self.stream.between(-2, 2);
                    Some(self.window(start, whole(w.deadline)))
                }
                Some(o) if kind == 10 => {
                    let deadline = whole(o.start) + self.stream.between(-2, 2);
                    Some(self.window(whole(w.start), deadline))
                }
                Some(o) => {
                    let mine = self.window(whole(o.start), whole(w.deadline));
                    let theirs = self.window(whole(w.start), whole(o.deadline));
                    self.set(i, Some(mine));
                    self.set(j, Some(theirs));
                    return Undo::Two(i, before, j, other);
                }
                None => Some(self.any_window()),
            },
            (Some(w), k) if k % 2 == 0 => {
                let start = whole(w.start) + self.nudge();
                Some(self.window(start, whole(w.deadline)))
            }
            (Some(w), _) => {
                let deadline = whole(w.deadline) + self.nudge();
                Some(self.window(whole(w.start), deadline))
            }
        };
        self.set(i, after);
        Undo::One(i, before)
    }

    fn undo(&mut self, undo: Undo) {
        match undo {
            Undo::Whole(level, heads) => _ = self.put(Some(level), Some(heads)),
            Undo::One(i, before) => self.set(i, before),
            Undo::Two(i, before, j, other) => {
                self.set(j, other);
                self.set(i, before);
            }
        }
    }

    fn at(&self, i: usize) -> Option<Window> {
        self.decision.projects.get(i).copied().flatten()
    }

    fn set(&mut self, i: usize, window: Option<Window>) {
        if let Some(slot) = self.decision.projects.get_mut(i) {
            *slot = window;
        }
    }

    fn nudge(&mut self) -> i64 {
        let by = self.stream.between(1, 2);
        if self.stream.chance(0.5) { by } else { -by }
    }

    fn any_window(&mut self) -> Window {
        let start = self.stream.between(self.first, self.last);
        let deadline = if self.stream.chance(0.5) {
            self.last
        } else {
            self.stream.between(start, self.last)
        };
        self.window(start, deadline)
    }

    fn window(&self, start: i64, deadline: i64) -> Window {
        let start = start.clamp(self.first, self.last);
        let deadline = deadline.clamp(start, self.last);
        Window {
            start: real(start),
            deadline: if deadline == self.last {
                self.end
            } else {
                real(deadline)
            },
        }
    }
}

#[derive(Clone, Copy)]
enum Undo {
    /// Risk level and head count.
    Whole(f64, i64),
    One(usize, Option<Window>),
    Two(usize, Option<Window>, usize, Option<Window>),
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "windows of a search are small, and the last deadline is cut to the last whole time"
)]
fn whole(time: f64) -> i64 {
    time as i64
}

#[expect(clippy::cast_precision_loss, reason = "times are below 2^32")]
fn real(time: i64) -> f64 {
    time as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_separate_all_probabilities() {
        let firm = Firm::paper();
        let levels = risk_classes(&firm);
        let switched = |level: f64| {
            let chance = Chance::threshold(level);
            firm.projects
                .iter()
                .map(|p| {
                    (
                        chance.passes(p.extension_probability),
                        chance.passes(p.follow_on_probability),
                    )
                })
                .collect::<Vec<_>>()
        };
        let mut classes: Vec<_> = levels.iter().map(|l| switched(*l)).collect();
        let mut fine: Vec<_> = (0..=1000)
            .map(|k| switched(f64::from(k) / 1000.0))
            .collect();
        classes.dedup();
        fine.dedup();
        assert_eq!(classes.len(), levels.len());
        assert_eq!(classes, fine);
    }
}
