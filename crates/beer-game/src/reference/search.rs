//! Simulated annealing over the orders of the controlled roles.
//!
//! A plan is a vector of whole orders, `weeks` for each controlled role. Annealing
//! changes one or two of them at a time, keeps a change that lowers the cost, and keeps
//! one that raises it by `x` with probability `exp(-x / temperature)`. While it is hot it
//! can leave a valley; as it cools it settles in the best one found.
//!
//! ```
//! use beer_game::reference::{OrderPlan, Replay, SearchLength, bound};
//! use beer_game::{Config, Instance};
//! use sim_core::{Episode, Seed};
//!
//! let game = Instance::generate(&Config::random(), Episode::of_run(Seed(7), 0))?;
//! let nothing = OrderPlan::default();
//! let found = SearchLength { moves: 2_000, runs: 1 }.run(&game, &nothing, bound(&game));
//! assert!(found.cost < Replay::new(&game).cost(&nothing));
//! assert!(found.cost >= bound(&game));
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use super::FoundPlan;
use super::plan::{OrderPlan, Replay};
use crate::action::clip_units;
use crate::instance::Instance;
use crate::role::Role;
use sim_core::{Seed, Stream, math};

/// The length of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchLength {
    /// Moves tried in a run.
    pub moves: u32,
    /// Runs; every second one starts from the best plan so far, cooler.
    pub runs: u32,
}

impl SearchLength {
    /// A few hundredths of a second for 25 weeks.
    #[must_use]
    pub const fn quick() -> Self {
        Self {
            moves: 20_000,
            runs: 1,
        }
    }

    /// A few seconds for 25 weeks.
    #[must_use]
    pub const fn thorough() -> Self {
        Self {
            moves: 600_000,
            runs: 8,
        }
    }

    /// The same for a game of `weeks` weeks. A move costs a replay of all weeks, so games longer than
    /// [`FULL`](Self::FULL) weeks get fewer moves, and every search does about the same work.
    #[must_use]
    pub fn within(self, weeks: usize) -> Self {
        let weeks = u32::try_from(weeks).unwrap_or(u32::MAX).max(Self::FULL);
        let moves = u64::from(self.moves) * u64::from(Self::FULL) / u64::from(weeks);
        Self {
            moves: u32::try_from(moves).unwrap_or(self.moves).max(1),
            ..self
        }
    }

    /// Longest game that has all moves \[weeks\]; every preset is shorter.
    pub const FULL: u32 = 104;

    /// Searches from `start` until `bound` \[cost\] is reached or the moves are used up. The same
    /// instance always gives the same plan, which costs at most what the start does.
    ///
    /// Moves: an order up or down by a step drawn evenly over its logarithm, a shift of units
    /// between two weeks, a fresh draw. The temperature falls geometrically from a twentieth of
    /// the starting cost to a millionth of it.
    #[must_use]
    pub fn run(&self, instance: &Instance, start: &OrderPlan, bound: f64) -> FoundPlan {
        let replay = Replay::new(instance);
        let weeks = instance.demand.len();
        let largest = instance.play.largest_order;
        let roles: Vec<Role> = instance.play.controlled.clone();
        let mut plan = start.clone();
        for role in &roles {
            plan.orders[*role].resize(weeks, 0);
        }
        let mut best = FoundPlan {
            cost: replay.cost(&plan),
            plan,
            method: "annealing",
        };
        // A plan at the bound is optimal, so the search stops there.
        let reached = |cost: f64| cost - bound <= super::SAME * bound.max(1.0);
        for run in 0..self.runs {
            if reached(best.cost) {
                break;
            }
            // A fixed seed: the reference of an instance must not depend on the run.
            let mut stream = Seed(0).stream("beer-game annealing", u64::from(run));
            let mut here = best.clone();
            // Even runs start hot and leave the valley of the best plan; odd runs start cooler and
            // improve it.
            let hot = best.cost * if run % 2 == 0 { 0.05 } else { 0.005 };
            let cold = (best.cost * 1e-6).max(1e-6);
            let cooling = math::exp(math::ln(cold / hot) / f64::from(self.moves.max(1)));
            let mut temperature = hot;
            for _ in 0..self.moves {
                temperature *= cooling;
                let Some(change) = Change::draw(&mut stream, &roles, weeks, largest) else {
                    break;
                };
                // The change is applied in place and undone if refused: cloning a plan for every move
                // would cost more than replaying it.
                let undo = change.apply(&mut here.plan, largest);
                let cost = replay.cost(&here.plan);
                let worse = cost - here.cost;
                if worse <= 0.0 || stream.unit() < math::exp(-worse / temperature) {
                    here.cost = cost;
                    if cost < best.cost {
                        best.clone_from(&here);
                        if reached(cost) {
                            break;
                        }
                    }
                } else {
                    undo.revert(&mut here.plan);
                }
            }
        }
        best
    }
}

/// One move: new amounts for one or two orders.
struct Change {
    role: Role,
    first: usize,
    second: usize,
    kind: Kind,
}

enum Kind {
    /// Up or down by this many units.
    Step(i64),
    /// This many units from one week to another.
    Shift(i64),
    /// A new amount.
    Fresh(i64),
}

/// The orders before a change.
struct Undo {
    role: Role,
    first: (usize, u32),
    second: (usize, u32),
}

impl Change {
    fn draw(stream: &mut Stream, roles: &[Role], weeks: usize, largest: u32) -> Option<Self> {
        let role = *stream.pick(roles)?;
        let (first, second) = (stream.index(weeks), stream.index(weeks));
        // Uniform over the logarithm of 1 to the largest order: early in a search large steps help,
        // late ones small steps, and neither scale has to be known beforehand.
        let size = math::exp(stream.unit() * math::ln(f64::from(largest)));
        #[expect(clippy::cast_possible_truncation, reason = "at most largest_order")]
        let size = size as i64;
        let kind = match stream.below(10) {
            0..4 => Kind::Step(if stream.chance(0.5) { size } else { -size }),
            4..9 => Kind::Shift(size),
            // From 0: a size is at least 1, and ordering nothing is often right.
            _ => Kind::Fresh(size - 1),
        };
        Some(Self {
            role,
            first,
            second,
            kind,
        })
    }

    fn apply(&self, plan: &mut OrderPlan, largest: u32) -> Undo {
        let before = |week| plan.order(self.role, week);
        let (a, b) = (before(self.first), before(self.second));
        let undo = Undo {
            role: self.role,
            first: (self.first, a),
            second: (self.second, b),
        };
        let (old, other) = (i64::from(a), i64::from(b));
        match self.kind {
            Kind::Step(by) => set(plan, self.role, self.first, old + by, largest),
            Kind::Fresh(units) => set(plan, self.role, self.first, units, largest),
            Kind::Shift(_) if self.first == self.second => {}
            // A shift keeps the sum of orders, which a good plan already has about right.
            Kind::Shift(by) => {
                let moved = by.min(old).min(i64::from(largest) - other);
                set(plan, self.role, self.first, old - moved, largest);
                set(plan, self.role, self.second, other + moved, largest);
            }
        }
        undo
    }
}

impl Undo {
    fn revert(&self, plan: &mut OrderPlan) {
        for (week, units) in [self.first, self.second] {
            // Without the limit: what is put back has stood there before.
            set(plan, self.role, week, i64::from(units), u32::MAX);
        }
    }
}

fn set(plan: &mut OrderPlan, role: Role, week: usize, units: i64, largest: u32) {
    if let Some(order) = plan.orders[role].get_mut(week) {
        *order = clip_units(units, largest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_game_has_fewer_moves_and_about_the_same_work() {
        let search = SearchLength::thorough();
        for weeks in [1, 25, 36, 104] {
            assert_eq!(search.within(weeks), search);
        }
        assert_eq!(search.within(520).moves, search.moves / 5);
        assert_eq!(search.within(usize::MAX).moves, 1);
    }
}
