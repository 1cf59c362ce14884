//! The proof: a branch and bound over all courses of the work, turn by turn.
//!
//! A state holds the progress of every project and the number of consultants who lose the coming turn. From one
//! turn to the next the search branches on which projects get their first consultant and which
//! projects end; everything between is forced, as in the simulator: consultants who are free join
//! the started projects in list order. Every window of a plan corresponds to such choices, so every
//! plan is covered. A state is dropped when the Lagrangian bound shows that it cannot exceed the
//! earnings to beat, and of two equal states only the one with the higher revenue stays: what can
//! follow is the same for both.

use super::dual::Dual;
use super::table::Table;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Largest number of continuations of one state that are examined.
const MOST_COMBINATIONS: usize = 200_000;

/// Most combinations that are examined in total, including those that cannot be staffed.
// The limits on states do not end a search in which nearly all combinations cannot be staffed: those make no state.
const MOST_LOOKED: u64 = 1_000_000_000;

/// Most projects for which a proof is tried: with more, going through the states takes too long, and
/// the Lagrangian bound is used.
const MOST_PROVEN: usize = 256;

/// Most follow-ons that may begin in the same turn; each more multiplies the orders to try.
const MOST_AT_ONCE: usize = 5;

/// Limits of the work of a proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofLimits {
    /// Most states kept for one turn (default 400,000; fewer for more than 16 projects).
    pub states: usize,
    /// Most states made altogether (default 20,000,000).
    pub made: u64,
}

impl Default for ProofLimits {
    fn default() -> Self {
        Self {
            states: 400_000,
            made: 20_000_000,
        }
    }
}

/// The outcome of a proof.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Earnings that no plan with this head count exceeds; at least the earnings to beat.
    pub bound: f64,
    /// Whether the search came to its end. Otherwise the bound is that of the states left.
    pub complete: bool,
    /// States made.
    pub made: u64,
    /// Most states kept for one turn.
    pub widest: usize,
}

/// Progress of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// No work has been done on it.
    Untouched,
    /// It is worked on by `heads`, with `left` units to do.
    Running { heads: u16, left: u32 },
    /// Its follow-on may begin from this turn on.
    Waiting { from: u16 },
    /// Its follow-on is worked on and must end with turn `end` at the latest.
    Follow { heads: u16, left: u32, end: u16 },
    /// It can earn nothing more.
    Over,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// Consultants who lose the coming turn.
    freed: u16,
    places: Box<[Place]>,
    /// Running follow-ons in list order: consultants join in this order, so states that differ in it
    /// differ in what follows.
    order: Vec<u16>,
}

/// The choice for a project at the beginning of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    Wait,
    Start,
    StartFollowOn,
}

/// The things that a project can do next, each with an upper bound on its value from here on.
type Choice<T> = Vec<(f64, T)>;

impl Dual {
    /// Tries to show that no plan with this head count earns more than `earnings`, with the present
    /// prices. `None` unless `dt` is 1 and there are at most 256 projects and 65,535 consultants.
    ///
    /// # Complexity
    /// Grows quickly with the number of projects that are worth starting at the same time; `limits`
    /// end it.
    #[must_use]
    pub fn prove(&self, dt: f64, earnings: f64, limits: &ProofLimits) -> Option<Proof> {
        if self.value() <= earnings {
            return Some(Proof {
                bound: earnings,
                complete: true,
                made: 0,
                widest: 0,
            });
        }
        // Turns and heads of a state have 16 bits each; a turn may be doubled and moved by a window.
        let too_large = self.horizon.end > usize::from(u16::MAX) / 4
            || self.consultants > u32::from(u16::MAX)
            || self.tables.len() > MOST_PROVEN;
        if dt != 1.0 || too_large {
            return None;
        }
        let mut search = Layers {
            dual: self,
            to_beat: earnings,
            limits,
            next: BTreeMap::new(),
            made: 0,
            finished: f64::NEG_INFINITY,
            turn: self.horizon.first,
            // States of many projects are large; keep their memory in bounds.
            most_states: limits.states / (self.tables.len() / 16 + 1),
            looked: 0,
            exhausted: false,
        };
        Some(search.run())
    }

    fn prices_since(&self, turn: usize) -> f64 {
        f64::from(self.consultants) * self.prices.iter().skip(turn).sum::<f64>()
    }

    fn price(&self, turn: usize) -> f64 {
        self.prices.get(turn).copied().unwrap_or(0.0)
    }
}

struct Layers<'a> {
    dual: &'a Dual,
    to_beat: f64,
    limits: &'a ProofLimits,
    /// States before the next turn, with their revenue so far.
    next: BTreeMap<State, f64>,
    made: u64,
    /// Best earnings of a state that reached the end.
    finished: f64,
    turn: usize,
    most_states: usize,
    /// Combinations examined in all states.
    looked: u64,
    /// Whether a limit was met.
    exhausted: bool,
}

impl Layers<'_> {
    fn run(&mut self) -> Proof {
        let start = State {
            freed: 0,
            places: vec![Place::Untouched; self.dual.tables.len()].into(),
            order: Vec::new(),
        };
        let mut layer = BTreeMap::from([(start, 0.0)]);
        let mut widest = 1;
        for turn in self.dual.horizon.first..self.dual.horizon.end {
            self.turn = turn;
            let mut left = layer.into_iter();
            while let Some((state, revenue)) = left.next() {
                self.expand(&state, revenue);
                if self.exhausted {
                    // A valid bound nevertheless: the maximum over the states that were not expanded, here
                    // and in the next turn, and the state whose expansion was broken off.
                    let here = self.ceiling(turn, &state, revenue);
                    let waiting = left.map(|(state, revenue)| self.ceiling(turn, &state, revenue));
                    let made = self.next.iter().map(|(s, r)| self.ceiling(turn + 1, s, *r));
                    let open = waiting.chain(made).fold(here, f64::max);
                    let bound = self
                        .dual
                        .lower(open)
                        .min(self.dual.value())
                        .max(self.to_beat);
                    return Proof {
                        bound,
                        complete: false,
                        made: self.made,
                        widest,
                    };
                }
            }
            layer = std::mem::take(&mut self.next);
            widest = widest.max(layer.len());
        }
        let bound = self.finished.min(self.dual.value()).max(self.to_beat);
        Proof {
            bound,
            complete: true,
            made: self.made,
            widest,
        }
    }

    /// Upper bound on the final earnings of a state.
    fn ceiling(&self, turn: usize, state: &State, revenue: f64) -> f64 {
        let dual = self.dual;
        let values: f64 = dual
            .tables
            .iter()
            .zip(&state.places)
            .map(|(table, place)| match *place {
                Place::Untouched => table.untouched(turn),
                Place::Running { heads, left } => {
                    table.running(true, turn, left as usize, heads.into())
                }
                Place::Waiting { from } => table.follow_on_from(turn.max(from.into())),
                Place::Follow { heads, left, .. } => {
                    table.running(false, turn, left as usize, heads.into())
                }
                Place::Over => 0.0,
            })
            .sum();
        let idle = f64::from(state.freed) * dual.price(turn);
        revenue + dual.prices_since(turn) - idle + values - dual.expenses
    }

    fn loses(&self, ceiling: f64) -> bool {
        self.dual.lower(ceiling) <= self.to_beat
    }

    fn expand(&mut self, state: &State, revenue: f64) {
        let dual = self.dual;
        let turn = self.turn;
        let attached: u32 = state.places.iter().map(|p| u32::from(heads(*p))).sum();
        let free = dual
            .consultants
            .saturating_sub(attached + u32::from(state.freed));
        // The bound of the state is a certain part plus one value for each project, so a combination of
        // choices is pruned as soon as its partial sum plus the best of the rest is too low.
        // The same sum as in `ceiling`, taken apart: what is certain now, and one value
        // for each project below.
        let mut base = revenue + dual.prices_since(turn) - dual.expenses;
        base -= f64::from(state.freed) * dual.price(turn);
        let mut choices: Vec<Choice<Opening>> = Vec::with_capacity(state.places.len());
        for (table, place) in dual.tables.iter().zip(&state.places) {
            let mut choice = Choice::new();
            match *place {
                Place::Untouched => {
                    choice.push((table.untouched(turn + 1), Opening::Wait));
                    choice.push((table.starting(true, turn), Opening::Start));
                    if table.line.follows && turn >= dual.horizon.first_follow_on {
                        choice.push((table.starting(false, turn), Opening::StartFollowOn));
                    }
                }
                Place::Waiting { from } => {
                    let later = table.follow_on_from((turn + 1).max(from.into()));
                    choice.push((later, Opening::Wait));
                    if turn >= usize::from(from) {
                        choice.push((table.starting(false, turn), Opening::StartFollowOn));
                    }
                }
                Place::Running { heads, left } => {
                    let value = table.running(true, turn, left as usize, heads.into());
                    choice.push((value, Opening::Wait));
                }
                Place::Follow { heads, left, .. } => {
                    let value = table.running(false, turn, left as usize, heads.into());
                    choice.push((value, Opening::Wait));
                }
                Place::Over => choice.push((0.0, Opening::Wait)),
            }
            choices.push(choice);
        }
        let starts = |o: &Opening| *o != Opening::Wait;
        let found = self.combinations(&choices, base, |picked: &[Opening]| {
            picked.iter().filter(|o| starts(o)).count() <= free as usize
        });
        for openings in found {
            if self.exhausted {
                return;
            }
            let begun = openings.iter().filter(|o| starts(o)).count();
            let new: Vec<u16> = (0_u16..)
                .zip(&openings)
                .filter(|(_, o)| **o == Opening::StartFollowOn)
                .map(|(i, _)| i)
                .collect();
            // Giving up is valid: the states left open then give the bound.
            if new.len() > MOST_AT_ONCE {
                self.exhausted = true;
                return;
            }
            let left_over = free - u32::try_from(begun).unwrap_or(free);
            for tail in orders(&new) {
                self.work(state, revenue, &openings, &tail, left_over);
            }
        }
    }

    /// Plays one turn of work, then branches on what ends.
    fn work(&mut self, state: &State, revenue: f64, openings: &[Opening], new: &[u16], free: u32) {
        let dual = self.dual;
        let turn = self.turn;
        let mut places = state.places.clone();
        for ((place, opening), table) in places.iter_mut().zip(openings).zip(&dual.tables) {
            let left = u32::try_from(table.line.contract).unwrap_or(u32::MAX);
            match opening {
                Opening::Wait => {}
                Opening::Start => *place = Place::Running { heads: 1, left },
                Opening::StartFollowOn => {
                    let end = dual.horizon.last_follow_on(turn);
                    let end = u16::try_from(end).unwrap_or(u16::MAX);
                    *place = Place::Follow {
                        heads: 1,
                        left,
                        end,
                    };
                }
            }
        }
        let mut order = state.order.clone();
        order.extend(new);
        fill(&mut places, &dual.tables, &order, free);
        let mut earned = revenue;
        let mut choices: Vec<Choice<Place>> = Vec::with_capacity(places.len());
        for (table, place) in dual.tables.iter().zip(&places) {
            let (choice, revenue) = self.afterwards(table, *place);
            earned += revenue;
            choices.push(choice);
        }
        let base = earned + dual.prices_since(turn + 1) - dual.expenses;
        for next in self.combinations(&choices, base, |_| true) {
            self.made += 1;
            self.exhausted |= self.next.len() > self.most_states || self.made > self.limits.made;
            if self.exhausted {
                return;
            }
            let freed = places.iter().zip(&next).map(|(before, after)| match after {
                Place::Running { .. } | Place::Follow { .. } => 0,
                _ => heads(*before),
            });
            let freed = freed.sum();
            if turn + 1 >= dual.horizon.end {
                self.finished = self.finished.max(earned - dual.expenses);
                continue;
            }
            let still = |i: &u16| matches!(next.get(usize::from(*i)), Some(Place::Follow { .. }));
            let order = order.iter().copied().filter(still).collect();
            let state = State {
                freed,
                places: next.into(),
                order,
            };
            // An ordered map: the order of the states decides where a limited search stops, and it must be
            // the same on every machine.
            // Two ways to the same state differ in revenue only, so the lower one cannot
            // lead to a better end.
            let best = self.next.entry(state).or_insert(f64::NEG_INFINITY);
            *best = best.max(earned);
        }
    }

    /// The possible states of a project after the turn, and the revenue of the turn.
    fn afterwards(&self, table: &Table, place: Place) -> (Choice<Place>, f64) {
        let dual = self.dual;
        let turn = self.turn;
        let next = turn + 1;
        let soon =
            // A follow-on that may begin at once is stored as 0 whatever the turn was, so that states that
            // behave alike are equal and merge.
            |from: usize| u16::try_from(if from <= next { 0 } else { from }).unwrap_or(u16::MAX);
        let (own, heads, left, end) = match place {
            Place::Running { heads, left } => (true, heads, left, usize::MAX),
            Place::Follow { heads, left, end } => (false, heads, left, usize::from(end)),
            Place::Untouched => return (vec![(table.untouched(next), place)], 0.0),
            Place::Waiting { from } => {
                let from = usize::from(from);
                let waiting = Place::Waiting { from: soon(from) };
                return (vec![(table.follow_on_from(next.max(from)), waiting)], 0.0);
            }
            Place::Over => return (vec![(0.0, Place::Over)], 0.0),
        };
        let done = left.min(heads.into());
        let paid = if own {
            dual.horizon.paid
        } else {
            dual.horizon.paid_follow_on
        };
        let revenue = if turn < paid {
            table.line.rate * f64::from(done)
        } else {
            0.0
        };
        // Consultants of an ended project lose the next turn, so its price is due for them.
        // `prices_since` gives every consultant the price of every later turn. Those who
        // are attached pay it back through the value of their project, those who lose the
        // turn pay it here.
        let exit = -f64::from(heads) * dual.price(next);
        let mut choice = Choice::new();
        if own && table.line.follows {
            let from = turn + dual.horizon.gap;
            let waiting = Place::Waiting { from: soon(from) };
            choice.push((exit + table.follow_on_from(from), waiting));
        } else {
            choice.push((exit, Place::Over));
        }
        // Work that is left goes on; finished work goes on with the extension, if one is
        // allowed. Stopping is always among the choices, because a deadline may fall
        // here.
        let resume = if left > done {
            (left - done) as usize
        } else {
            table.line.extension
        };
        if resume > 0 && turn < end && next < dual.horizon.end {
            let left = u32::try_from(resume).unwrap_or(u32::MAX);
            let place = if own {
                Place::Running { heads, left }
            } else {
                let end = u16::try_from(end).unwrap_or(u16::MAX);
                Place::Follow { heads, left, end }
            };
            choice.push((table.running(own, next, resume, heads.into()), place));
        }
        (choice, revenue)
    }

    /// All combinations of one choice for each project that can still exceed the earnings to beat and
    /// that `wanted` accepts.
    fn combinations<T: Copy>(
        &mut self,
        choices: &[Choice<T>],
        base: f64,
        wanted: impl Fn(&[T]) -> bool,
    ) -> Vec<Vec<T>> {
        let mut found = Vec::new();
        let mut seen = 0;
        let most = self.most_states.clamp(1, MOST_COMBINATIONS);
        let mut picked = Vec::with_capacity(choices.len());
        self.combine(choices, base, &mut picked, &mut |picked| {
            seen += 1;
            if wanted(picked) {
                found.push(picked.to_vec());
            }
            seen < most
        });
        self.looked = self
            .looked
            .saturating_add(u64::try_from(seen).unwrap_or(u64::MAX));
        self.exhausted |= seen >= most || self.looked > MOST_LOOKED;
        found
    }

    /// Calls `each` with the combinations until it returns false; returns whether it never did.
    fn combine<T: Copy>(
        &self,
        choices: &[Choice<T>],
        base: f64,
        picked: &mut Vec<T>,
        each: &mut impl FnMut(&[T]) -> bool,
    ) -> bool {
        let hope: f64 = choices.iter().map(|c| best(c)).sum();
        if self.loses(base + hope) {
            return true;
        }
        let Some((first, rest)) = choices.split_first() else {
            return each(picked);
        };
        for (value, what) in first {
            picked.push(*what);
            let goes_on = self.combine(rest, base + value, picked, each);
            picked.pop();
            if !goes_on {
                return false;
            }
        }
        true
    }
}

fn best<T>(choice: &Choice<T>) -> f64 {
    choice
        .iter()
        .map(|(value, _)| *value)
        .fold(f64::NEG_INFINITY, f64::max)
}

fn heads(place: Place) -> u16 {
    match place {
        Place::Running { heads, .. } | Place::Follow { heads, .. } => heads,
        _ => 0,
    }
}

/// Free consultants join the running projects in list order, up to their caps.
fn fill(places: &mut [Place], tables: &[Table], order: &[u16], mut free: u32) {
    let mut join = |place: &mut Place, cap: usize| {
        if let Place::Running { heads, .. } | Place::Follow { heads, .. } = place {
            let room = u32::try_from(cap)
                .unwrap_or(u32::MAX)
                .saturating_sub(u32::from(*heads));
            let joining = room.min(free);
            *heads += u16::try_from(joining).unwrap_or(u16::MAX);
            free -= joining;
        }
    };
    for (place, table) in places.iter_mut().zip(tables) {
        if matches!(place, Place::Running { .. }) {
            join(place, table.line.cap);
        }
    }
    // Follow-ons last, as they stand at the end of the list of projects.
    for i in order {
        let i = usize::from(*i);
        if let (Some(place), Some(table)) = (places.get_mut(i), tables.get(i)) {
            join(place, table.line.cap);
        }
    }
}

/// All orders of follow-ons that begin in the same turn: their place in the list depends on
/// deadlines that the search leaves open.
fn orders(items: &[u16]) -> Vec<Vec<u16>> {
    if items.len() <= 1 {
        return vec![items.to_vec()];
    }
    let mut all = Vec::new();
    for (i, first) in items.iter().enumerate() {
        let others: Vec<u16> = items
            .iter()
            .enumerate()
            .filter(|(j, _)| *j != i)
            .map(|(_, x)| *x)
            .collect();
        for tail in orders(&others) {
            all.push(std::iter::once(*first).chain(tail).collect());
        }
    }
    all
}
