//! A scenario as fixed-size arrays and bit sets, units in the order of their ids.
//!
//! Sets of units are bit masks of one byte, and everything that a plan cannot change is
//! computed here: the length of penalty runs, the spread of the preferences, the room of each
//! unit. What is left for each plan is arithmetic on arrays of eight numbers, without
//! allocation.

use crate::scenario::{Direction, MAX_UNITS};

mod build;

/// One number per unit, in the order of unit ids; 0 beyond the last unit.
pub type UnitArray = [f64; MAX_UNITS];

/// A set of units, one bit each.
pub(crate) type UnitSet = u8;

/// The moves of a plan, by unit in the order of ids \[pp\].
///
/// A unit has a positive number on at most one of the two sides. The arrays are longer
/// than most companies have units; the rest is 0.
///
/// ```
/// use ceo_reallocation::score::Moves;
///
/// let moves = Moves::from_deltas(&[-5.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
/// assert_eq!((moves.removed(), moves.added()), (5.0, 5.0));
/// assert_eq!(moves.deltas()[..3], [-5.0, 2.0, 3.0]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moves {
    /// Amount that each unit receives, at least 0.
    pub add: UnitArray,
    /// Amount that each unit loses, at least 0.
    pub remove: UnitArray,
}

impl Moves {
    /// From signed moves.
    #[must_use]
    pub fn from_deltas(deltas: &UnitArray) -> Self {
        Self {
            add: deltas.map(|d| d.max(0.0)),
            remove: deltas.map(|d| (-d).max(0.0)),
        }
    }

    /// Signed moves.
    #[must_use]
    pub fn deltas(&self) -> UnitArray {
        let mut deltas = self.add;
        for (delta, removed) in deltas.iter_mut().zip(&self.remove) {
            *delta -= removed;
        }
        deltas
    }

    /// Total taken, the `r` of every formula \[pp\].
    #[must_use]
    pub fn removed(&self) -> f64 {
        self.remove.iter().sum()
    }

    /// Total given \[pp\].
    #[must_use]
    pub fn added(&self) -> f64 {
        self.add.iter().sum()
    }
}

/// Whether unit `index` is in the set.
#[inline]
pub(crate) fn has(set: UnitSet, index: usize) -> bool {
    set >> index & 1 == 1
}

/// Sum over the units of a set.
#[inline]
pub(crate) fn sum_of(values: &UnitArray, set: UnitSet) -> f64 {
    let mut sum = 0.0;
    for (index, value) in values.iter().enumerate() {
        // A choice instead of a jump: which units are in the set is not predictable.
        sum += if has(set, index) { *value } else { 0.0 };
    }
    sum
}

/// Index of a unit in the order of ids, always below [`MAX_UNITS`]. [`UnitNo::ALL`] lists all values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UnitNo(u8);

impl UnitNo {
    /// Every index of a [`UnitArray`].
    // A type and not a number: what is checked here once needs no fallback at every use, and
    // checking moves is not slower (15.2 and 16.1 ns).
    pub(crate) const ALL: [Self; MAX_UNITS] = [
        Self(0),
        Self(1),
        Self(2),
        Self(3),
        Self(4),
        Self(5),
        Self(6),
        Self(7),
    ];

    /// The index as a number.
    #[inline]
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The set that holds only this unit.
    pub(crate) fn bit(self) -> UnitSet {
        1 << self.0
    }
}

/// The value of `unit`.
#[inline]
#[expect(clippy::indexing_slicing, reason = "a `UnitNo` is below MAX_UNITS")]
pub(crate) fn at(values: &UnitArray, unit: UnitNo) -> f64 {
    values[unit.index()]
}

/// The value of `unit`, to be changed.
#[inline]
#[expect(clippy::indexing_slicing, reason = "a `UnitNo` is below MAX_UNITS")]
pub(crate) fn at_mut(values: &mut UnitArray, unit: UnitNo) -> &mut f64 {
    &mut values[unit.index()]
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Rule {
    MaxAdd {
        unit: UnitNo,
        pp: f64,
    },
    MinShare {
        unit: UnitNo,
        pp: f64,
    },
    Retain {
        sources: UnitSet,
        destinations: UnitSet,
        fraction: f64,
    },
    Conditional {
        if_unit: UnitNo,
        above: f64,
        then_unit: UnitNo,
        least: f64,
    },
    /// All forbidden flows together; see [`Compiled::reach`].
    Flow,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Condition {
    MaxTotal(f64),
    MinTotal(f64),
    MaxAdd(UnitNo, f64),
    MinAddSum(UnitSet, f64),
    MaxCut(UnitNo, f64),
    MinCut(UnitNo, f64),
    MinShareAfter(UnitNo, f64),
    Prereq {
        if_unit: UnitNo,
        above: f64,
        then_unit: UnitNo,
        least: f64,
    },
    MinRunway(f64),
    MaxLeverage(f64),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct CompiledFlag {
    /// Salience of the advisor times the flag's part of the advisor's weights.
    pub(crate) weight: f64,
    pub(crate) is_veto: bool,
    pub(crate) condition: Condition,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct CompiledProfile {
    pub(crate) weight: f64,
    pub(crate) r_min: f64,
    pub(crate) r_max: f64,
    pub(crate) kappa_under: f64,
    pub(crate) kappa_over: f64,
    pub(crate) sources: UnitSet,
    pub(crate) destinations: UnitSet,
    pub(crate) protected_cut: f64,
    pub(crate) absorb_excess: f64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct CompiledReversal {
    pub(crate) unit: UnitNo,
    pub(crate) direction: Direction,
    pub(crate) target: f64,
    pub(crate) stage_max: f64,
}

/// The scenario in the form that the kernel reads.
#[derive(Debug, Clone)]
pub(crate) struct Compiled {
    pub(crate) units: usize,
    pub(crate) share: UnitArray,
    pub(crate) floor: UnitArray,
    pub(crate) ceiling: UnitArray,
    pub(crate) capacity: UnitArray,
    pub(crate) outlook: UnitArray,
    pub(crate) protected: UnitSet,
    pub(crate) locked: UnitSet,
    pub(crate) max_realloc: f64,
    pub(crate) rules: Vec<Rule>,
    /// Texts of the rules, for messages; as long as `rules`.
    pub(crate) rule_texts: Vec<String>,
    /// Destinations that money from each unit may reach.
    pub(crate) reach: [UnitSet; MAX_UNITS],
    /// Units whose reach is limited.
    pub(crate) limited: UnitSet,
    pub(crate) salience: [f64; 4],
    /// The preference of each advisor.
    pub(crate) authored_preferences: [UnitArray; 4],
    /// The preferences that the perspectives part compares with; the preferences unless advisors gave live
    /// ones.
    pub(crate) preferences: [UnitArray; 4],
    /// The same by unit, so that the four similarities are summed side by side.
    // Transposed, because the loop over units is the outer one: four sums then grow side
    // by side in one vector register.
    pub(crate) preferences_by_unit: [[f64; 4]; MAX_UNITS],
    /// Least and most that each unit may be moved within floor, ceiling and lock, tolerance
    /// included.
    pub(crate) least_move: UnitArray,
    pub(crate) most_move: UnitArray,
    pub(crate) flags: Vec<CompiledFlag>,
    pub(crate) runway: f64,
    pub(crate) leverage: f64,
    pub(crate) runway_per_pp: f64,
    pub(crate) leverage_per_pp: f64,
    /// Lowest and highest preference for each unit, and the units where they lie far apart.
    pub(crate) preference_low: UnitArray,
    pub(crate) preference_high: UnitArray,
    pub(crate) disputed: UnitSet,
    pub(crate) profiles: Vec<CompiledProfile>,
    pub(crate) moderate_from: f64,
    pub(crate) bold_from: f64,
    pub(crate) reversal: Option<CompiledReversal>,
    pub(crate) has_history: bool,
    pub(crate) shock_now: bool,
    /// Length of the run of funded and warned rounds before this one.
    pub(crate) overload_run: UnitArray,
    /// Length of the run of cuts before this one; 0 for unprotected units.
    pub(crate) starvation_run: UnitArray,
    /// Moves of the last round.
    pub(crate) last: UnitArray,
    /// Units moved in any earlier round.
    pub(crate) moved_before: UnitSet,
    /// Slack of every hard limit \[pp\].
    pub(crate) eps: f64,
    /// Largest difference of removed and added money \[pp\].
    pub(crate) mass_tolerance: f64,
    /// Largest difference of declared and real total \[pp\].
    pub(crate) declared_tolerance: f64,
}

impl Compiled {
    /// The units of the scenario, in the order of ids.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = UnitNo> + use<> {
        UnitNo::ALL.into_iter().take(self.units)
    }

    /// The units that may be moved, in the order of ids.
    pub(crate) fn free(&self) -> Vec<UnitNo> {
        let free = |unit: &UnitNo| !has(self.locked, unit.index());
        self.numbers().filter(free).collect()
    }

    /// The least share of a unit and the most it may receive \[pp\], by its floor, its ceiling and the rules
    /// over it alone.
    pub(crate) fn limits(&self, unit: UnitNo) -> (f64, f64) {
        let mut least_share = at(&self.floor, unit);
        let mut most_add = at(&self.ceiling, unit) - at(&self.share, unit);
        for rule in &self.rules {
            match *rule {
                Rule::MinShare { unit: of, pp } if of == unit => least_share = least_share.max(pp),
                Rule::MaxAdd { unit: of, pp } if of == unit => most_add = most_add.min(pp),
                _ => {}
            }
        }
        (least_share, most_add)
    }

    /// Every non-empty set of units whose money may not go everywhere, with the set of units that the
    /// money may reach.
    pub(crate) fn cuts(&self) -> impl Iterator<Item = (UnitSet, UnitSet)> {
        // Hall's condition: money from limited units can be placed exactly if no set of
        // sources has more to give than its reachable destinations take. At most 2^8 - 1
        // sets, walked by `(set - 1) & all`, which visits every subset once.
        let some = |set: UnitSet| Some(set).filter(|set| *set != 0);
        let smaller = move |set: &UnitSet| some((set - 1) & self.limited);
        std::iter::successors(some(self.limited), smaller).map(|sources| {
            let reach = self.reach.iter().enumerate();
            let reachable = reach
                .filter(|(unit, _)| has(sources, *unit))
                .fold(0, |all, (_, reach)| all | reach);
            (sources, reachable)
        })
    }
}
