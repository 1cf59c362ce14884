//! The preference of each advisor, and the plan of the main strategy.
//!
//! Each preference is typical of a role and a valid plan: its total is a factor of r*, its
//! sources and destinations have parts (0.7 and 0.3, say), and what does not fit one unit
//! goes to the next. If the limits refuse the result, the total falls by half a point
//! until they accept it.

use super::{Board, Seen, half, half_down};
use crate::scenario::{MAX_UNITS, Officer, UnitRole};
use crate::score::{Moves, Scorer, UnitArray};

impl Board {
    /// The plan that the main strategy means: the right amount from its sources, and to each
    /// destination in turn what it can absorb, with at least a step for each.
    pub(super) fn staged(&self, scorer: &Scorer) -> Moves {
        let to: Vec<(usize, f64, f64)> = self
            .destinations
            .iter()
            .zip([0.5, 0.3, 0.2])
            .filter_map(|(&index, part)| {
                self.unit(index)
                    .map(|unit| (index, part, unit.takes.min(unit.capacity)))
            })
            .collect();
        let from: Vec<(usize, f64, f64)> = self
            .sources
            .iter()
            // A unit with the part 0 gives only what those before it cannot.
            .zip([0.7, 0.3, 0.0, 0.0])
            .filter_map(|(&index, part)| self.unit(index).map(|unit| (index, part, unit.gives)))
            .collect();
        shrunk_until_valid(scorer, self.total, &from, &to)
    }

    /// The preference of an officer; where the rules leave nothing of that, a part of the main
    /// strategy, each officer with another destination first.
    pub(super) fn preference(&self, scorer: &Scorer, officer: Officer) -> Moves {
        let own = self.own_preference(scorer, officer);
        if own.removed() > 0.0 {
            return own;
        }
        let part = |list: &[usize]| -> Vec<(Option<usize>, f64)> {
            list.iter().map(|&index| (Some(index), 0.0)).collect()
        };
        let mut to = self.destinations.clone();
        // Each advisor begins with another destination, so that the four preferences still
        // differ.
        let turns = officer.index() % to.len().max(1);
        to.rotate_left(turns);
        let total = half(0.25 * self.total * (officer.index() + 1) as f64);
        self.asked(scorer, total, &part(&self.sources), &part(&to))
    }

    /// The typical preference of an officer: sources and destinations with their parts, each side filled
    /// up in order where a part does not fit.
    fn own_preference(&self, scorer: &Scorer, officer: Officer) -> Moves {
        let best = |keep: &dyn Fn(&Seen) -> bool, key: &dyn Fn(&Seen) -> f64| {
            self.ranked(keep, key).first().copied()
        };
        let guarded = best(&|unit| unit.protected, &|unit| unit.importance);
        let productive = best(
            &|unit| {
                unit.role == UnitRole::Productivity && unit.takes >= 1.0 && !self.is_mirage(unit)
            },
            &|unit| unit.true_value,
        );
        let weakest = self.sources.first().copied();
        let weak = self.sources.get(1).copied();
        let second = best(
            &|unit| {
                unit.takes >= 1.0
                    && unit.index != self.star
                    && Some(unit.index) != weakest
                    && Some(unit.index) != weak
            },
            &|unit| unit.value,
        );
        let mirage = self
            .units
            .iter()
            .find(|unit| self.is_mirage(unit))
            .map(|unit| unit.index);
        // Who knows better does not fall for the story.
        let knows = self
            .risk
            .as_ref()
            .is_some_and(|risk| risk.known_to == officer);
        let star = if knows { second } else { Some(self.star) };
        let ask = |factor: f64, from: &[(Option<usize>, f64)], to: &[(Option<usize>, f64)]| {
            self.asked(scorer, half(factor * self.total), from, to)
        };
        match officer {
            Officer::Cfo => ask(
                0.40,
                &[(if knows { mirage } else { weakest }, 1.0)],
                &[(productive, 0.6), (guarded, 0.4)],
            ),
            Officer::Cto => ask(
                0.85,
                &[(weakest, 0.85), (guarded, 0.15)],
                &[(star, 0.6), (productive, 0.4)],
            ),
            Officer::Coo => ask(
                0.65,
                &[(weakest, 0.7), (weak, 0.3)],
                &[(guarded, 0.5), (productive, 0.35), (second, 0.15)],
            ),
            Officer::Cmo => {
                let factor = (1.7 * self.total).min(self.cap).min(20.0) / self.total;
                let all_in = ask(
                    factor,
                    &[(weakest, 0.75), (productive, 0.15), (guarded, 0.10)],
                    &[(star, 1.0), (second, 0.0)],
                );
                if all_in.removed() > 0.0 {
                    return all_in;
                }
                // A rule wants part of the money elsewhere.
                ask(factor, &[(weakest, 1.0)], &[(star, 0.8), (productive, 0.2)])
            }
        }
    }

    /// Moves of a total between these sides; the main sources stand in where a side cannot give
    /// enough, and no unit stands on both.
    fn asked(
        &self,
        scorer: &Scorer,
        total: f64,
        from: &[(Option<usize>, f64)],
        to: &[(Option<usize>, f64)],
    ) -> Moves {
        let known = |side: &[(Option<usize>, f64)]| -> Vec<(usize, f64)> {
            side.iter()
                .filter_map(|(index, part)| index.map(|index| (index, *part)))
                .collect()
        };
        let mut givers = known(from);
        let mut takers = known(to);
        givers.extend(self.sources.iter().map(|&index| (index, 0.0)));
        givers.retain(|(giver, _)| {
            !takers
                .iter()
                .any(|(taker, part)| taker == giver && *part > 0.0)
        });
        takers.retain(|(taker, _)| !givers.iter().any(|(giver, _)| giver == taker));
        let with = |side: &[(usize, f64)], room: &dyn Fn(&Seen) -> f64| -> Vec<(usize, f64, f64)> {
            side.iter()
                .filter_map(|&(index, part)| self.unit(index).map(|unit| (index, part, room(unit))))
                .collect()
        };
        let givers = with(&givers, &|unit| unit.gives);
        let takers = with(&takers, &|unit| unit.takes);
        shrunk_until_valid(scorer, total.max(0.5), &givers, &takers)
    }
}

/// Moves of `total` from givers to takers (position, part, room), on half points: first by parts,
/// then in order up to the room. Smaller by half a point as often as needed for a valid plan; no
/// moves where none is.
fn shrunk_until_valid(
    scorer: &Scorer,
    total: f64,
    givers: &[(usize, f64, f64)],
    takers: &[(usize, f64, f64)],
) -> Moves {
    let room = |side: &[(usize, f64, f64)]| side.iter().map(|(_, _, room)| room).sum::<f64>();
    let mut total = half_down(total.min(room(givers)).min(room(takers)));
    while total > 0.0 {
        let moves = Moves {
            remove: poured(total, givers),
            add: poured(total, takers),
        };
        let balanced = (moves.removed() - moves.added()).abs() < 1e-9;
        if balanced && scorer.is_valid(&moves) {
            return moves;
        }
        total -= 0.5;
    }
    Moves::default()
}

fn poured(total: f64, side: &[(usize, f64, f64)]) -> UnitArray {
    let mut amounts = [0.0; MAX_UNITS];
    let mut left = total;
    for by_part in [true, false] {
        for &(unit, part, room) in side {
            let Some(slot) = amounts.get_mut(unit) else {
                continue;
            };
            let asked = if by_part {
                half_down(part * total)
            } else {
                left
            };
            let poured = asked.min(room - *slot).min(left).max(0.0);
            *slot += poured;
            left -= poured;
        }
    }
    amounts
}
