//! An upper bound on the score by cutting the space of moves into boxes.
//!
//! Every part of the scorer is bounded separately over a box, from intervals of the amounts that each
//! unit receives and loses; the sum of the bounds bounds the sum. All parts are monotone or piecewise
//! linear, so the gap between the bound of a box and the scores in it shrinks linearly with its width.
//!
//! The search is best first. The box with the highest bound is cut in two; both halves
//! get bounds of their own, which are not higher. When the highest bound is no longer
//! above the score of the known plan, that plan is proven best. When the number of boxes
//! is used up, the highest bound is the result.
//!
//! Why this works here: the score has kinks and jumps, so no gradient helps, but it has
//! at most eight unknowns, and each part is simple to bound on a box.

use crate::scenario::MAX_UNITS;
use crate::score::boxed::{
    Amounts, Compiled, CompiledProfile, Rule, UnitNo, at, at_mut, care, degree, has, hull,
    reversed, sum_of,
};
use crate::score::{Moves, Scorer, UnitArray};
use crate::scoring::ScoringConfig;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Signed moves between two corners.
#[derive(Debug, Clone, Copy)]
struct Region {
    low: UnitArray,
    high: UnitArray,
    bound: f64,
}

impl PartialEq for Region {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Region {}

impl PartialOrd for Region {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Region {
    fn cmp(&self, other: &Self) -> Ordering {
        // By the bound alone: which of two equal boxes is cut first may change their number, not
        // the result.
        self.bound.total_cmp(&other.bound)
    }
}

/// An upper bound on the score of any balanced plan, given that `known` can be reached, and the
/// number of boxes examined.
pub(super) fn bound(scorer: &Scorer, known: f64, most: u64) -> (f64, u64) {
    let c = scorer.compiled();
    let mut open = BinaryHeap::new();
    let mut boxes = 0;
    if let Some(whole) = rated(scorer, whole_space(c)) {
        open.push(whole);
    }
    // A bound this near to the known score counts as equal, so smaller gaps need no proof.
    let enough = known + 0.5 * super::PROOF_TOL;
    // Best first: the bound of the box on top is the bound of all open boxes, so the search can stop at
    // any time with a valid result, and it never cuts a box that could have been dropped.
    while let Some(region) = open.pop() {
        if region.bound <= enough {
            return (region.bound.max(known), boxes);
        }
        if boxes >= most {
            return (region.bound, boxes);
        }
        boxes += 1;
        let (unit, cut) = split(&region);
        for part in [
            Region {
                high: with(&region.high, unit, cut),
                ..region
            },
            Region {
                low: with(&region.low, unit, cut),
                ..region
            },
        ] {
            if let Some(part) = rated(scorer, part).filter(|part| part.bound > enough) {
                // Halves that cannot beat the known score are never stored, so the heap
                // holds only what may still matter.
                open.push(part);
            }
        }
    }
    (known, boxes)
}

fn with(corner: &UnitArray, unit: UnitNo, value: f64) -> UnitArray {
    let mut corner = *corner;
    *at_mut(&mut corner, unit) = value;
    corner
}

/// The box of all moves that floors, ceilings, locks and rules over a single unit permit.
fn whole_space(c: &Compiled) -> Region {
    let (mut low, mut high) = ([0.0; MAX_UNITS], [0.0; MAX_UNITS]);
    for number in c.numbers() {
        if has(c.locked, number.index()) {
            continue;
        }
        let share = at(&c.share, number);
        let (least_share, most_add) = c.limits(number);
        *at_mut(&mut low, number) = (least_share - share).max(-c.max_realloc);
        *at_mut(&mut high, number) = most_add.min(c.max_realloc);
    }
    Region {
        low,
        high,
        bound: f64::INFINITY,
    }
}

/// Where to cut. At 0 for a side that spans it, because most parts of the score depend on the sign of
/// a move and their bounds are loose on both signs at once; otherwise in the middle of the widest side.
fn split(region: &Region) -> (UnitNo, f64) {
    let [first, ..] = UnitNo::ALL;
    let mut choice = (first, 0.0);
    let mut widest = f64::NEG_INFINITY;
    let sides = region.low.iter().zip(&region.high);
    for (unit, (low, high)) in UnitNo::ALL.into_iter().zip(sides) {
        let spans = *low < 0.0 && *high > 0.0;
        // More than any width, so that a side with both signs is always cut first.
        let width = high - low + if spans { 1000.0 } else { 0.0 };
        if width > widest {
            widest = width;
            choice = (unit, if spans { 0.0 } else { 0.5 * (low + high) });
        }
    }
    choice
}

/// The box shrunk to what balance allows, with its bound; `None` when no valid plan is in it.
fn rated(scorer: &Scorer, mut region: Region) -> Option<Region> {
    // Moves add up to 0, so each lies between minus the others' largest and minus their smallest sum.
    // Shrinking one side allows more at the others; two passes get most of it.
    for _ in 0..2 {
        let (low_sum, high_sum): (f64, f64) = (region.low.iter().sum(), region.high.iter().sum());
        for (low, high) in region.low.iter_mut().zip(&mut region.high) {
            let (l, h) = (*low, *high);
            *low = l.max(-(high_sum - h));
            *high = h.min(-(low_sum - l));
            // Sums of eight numbers round, and an empty box must not be seen where a single point
            // is left.
            if *low > *high + 1e-12 {
                return None;
            }
        }
    }
    let (c, config) = (scorer.compiled(), scorer.config());
    let ranges = Ranges::new(&region);
    if ranges.r_low > c.max_realloc + c.eps || breaks_a_rule(c, &ranges) {
        return None;
    }
    // Bounds of different profiles are mixed: the best boldness of any profile beside the
    // best fit of any profile. That is weaker than profile by profile and never too low.
    let bold = c
        .profiles
        .iter()
        .map(|p| bold_bound(p, config.eps_pp, &ranges))
        .fold(0.0, f64::max);
    let fit = c
        .profiles
        .iter()
        .map(|p| fit_bound(c, config, p, &ranges))
        .fold(0.0, f64::max);
    let validity = config.validity.base + config.validity.span * fit;
    let role = role_bound(c, config, &region, &ranges);
    let history = history_bound(c, config, scorer.full_consistency(), &ranges);
    region.bound = 0.25 * (role + bold + history + validity);
    Some(region)
}

/// Least and most of what each unit receives and loses, and of the total.
struct Ranges {
    low: Moves,
    high: Moves,
    r_low: f64,
    r_high: f64,
}

impl Ranges {
    fn new(region: &Region) -> Self {
        // What a unit loses is least where its signed move is largest.
        let (least, most) = (
            Moves::from_deltas(&region.low),
            Moves::from_deltas(&region.high),
        );
        let low = Moves {
            add: least.add,
            remove: most.remove,
        };
        let high = Moves {
            add: most.add,
            remove: least.remove,
        };
        Self {
            r_low: low.added().max(low.removed()),
            r_high: high.added().min(high.removed()),
            low,
            high,
        }
    }
}

/// Whether every plan of the box breaks a rule over several units.
fn breaks_a_rule(c: &Compiled, ranges: &Ranges) -> bool {
    c.rules.iter().any(|rule| match *rule {
        Rule::MaxAdd { .. } | Rule::MinShare { .. } => false,
        Rule::Retain {
            sources,
            destinations,
            fraction,
        } => {
            sum_of(&ranges.high.add, destinations)
                < fraction * sum_of(&ranges.low.remove, sources) - c.eps
        }
        Rule::Conditional {
            if_unit,
            above,
            then_unit,
            least,
        } => {
            at(&ranges.low.add, if_unit) > above + c.eps
                && at(&ranges.high.add, then_unit) < least - c.eps
        }
        Rule::Flow => {
            let stuck = |(from, to)| {
                sum_of(&ranges.low.remove, from) > sum_of(&ranges.high.add, to) + c.eps
            };
            c.cuts().any(stuck)
        }
    })
}

fn bold_bound(p: &CompiledProfile, eps: f64, ranges: &Ranges) -> f64 {
    // Boldness falls with the distance from the range on either side, so the total in the
    // box that is nearest to the range earns most.
    // A box that meets the range may hold a plan that earns the whole weight.
    let nearest = if ranges.r_high < p.r_min {
        ranges.r_high
    } else if ranges.r_low > p.r_max {
        ranges.r_low
    } else {
        return p.weight;
    };
    crate::score::boxed::bold(p, nearest, eps)
}

fn fit_bound(c: &Compiled, config: &ScoringConfig, p: &CompiledProfile, ranges: &Ranges) -> f64 {
    let v = &config.validity;
    // The whole is at least what the profile asks for, as in the scorer.
    let whole_low = ranges.r_low.max(p.r_min);
    let whole_high = ranges.r_high.max(p.r_min);
    // The share of money in a set of units is at most their largest amounts over the smallest total,
    // and at most the total minus the smallest amounts elsewhere, over the largest total. The smaller
    // of the two holds for every plan of the box.
    let part = |low: &UnitArray, high: &UnitArray, set: u8| {
        let direct = sum_of(high, set) / whole_low;
        let rest = (ranges.r_high - sum_of(low, !set)) / whole_high;
        direct.min(rest).clamp(0.0, 1.0)
    };
    let (protection, absorption) = care(c, config, p, &ranges.low);
    v.destinations * part(&ranges.low.add, &ranges.high.add, p.destinations)
        + v.sources * part(&ranges.low.remove, &ranges.high.remove, p.sources)
        + protection
        + absorption
}

/// Largest similarity to a preference that a plan of the box can have.
fn similarity_bound(region: &Region, preference: &UnitArray) -> f64 {
    let (mut overlap, mut union) = (0.0, 0.0);
    for ((low, high), preference) in region.low.iter().zip(&region.high).zip(preference) {
        // Similarity is overlap over union (Jaccard). The bound takes the largest overlap and the
        // smallest union of each unit. In the direction of the preference the move lies between `least` and
        // `most`.
        let size = preference.abs();
        let (least, most) = if *preference < 0.0 {
            (-high, -low)
        } else {
            (*low, *high)
        };
        if size == 0.0 {
            union += if *low > 0.0 { *low } else { (-high).max(0.0) };
        } else if most <= 0.0 {
            union += size - most;
        } else {
            overlap += most.min(size);
            union += size.max(least);
        }
    }
    if union > 0.0 {
        (overlap / union).min(1.0)
    } else {
        1.0
    }
}

fn role_bound(c: &Compiled, config: &ScoringConfig, region: &Region, ranges: &Ranges) -> f64 {
    let role = &config.role;
    let low = Amounts {
        moves: &ranges.low,
        r: ranges.r_low,
        most_added: ranges.r_high,
    };
    let high = Amounts {
        moves: &ranges.high,
        r: ranges.r_high,
        ..low
    };
    let mut respect = c.salience.iter().sum::<f64>();
    for flag in &c.flags {
        respect -= flag.weight * degree(c, role, flag, low, high);
    }
    let mut near = c
        .preferences
        .map(|preference| similarity_bound(region, &preference));
    // The third largest of upper bounds is at least the third largest of the true values,
    // so the order statistic of the bounds is a bound.
    near.sort_unstable_by(|a, b| b.total_cmp(a));
    let needed = role.perspectives_needed.saturating_sub(1) as usize;
    let counted = near.get(needed).copied().unwrap_or(0.0);
    let perspectives = (counted / role.perspective_target).min(1.0);
    let hull = hull(c, role, &region.low, &region.high, ranges.r_high);
    role.respect * respect
        + role.perspectives * perspectives
        + role.rationale * (role.hull * hull + role.label + role.lexical)
}

fn history_bound(c: &Compiled, config: &ScoringConfig, consistency: f64, ranges: &Ranges) -> f64 {
    let h = &config.history;
    let mut lost = 0.0;
    for unit in c.numbers() {
        let run = at(&c.overload_run, unit);
        let excess = at(&ranges.low.add, unit) - at(&c.capacity, unit);
        // A penalty counts only when every plan of the box has it: the smallest addition
        // in the box already exceeds the capacity.
        if run > 0.0 && excess > h.overload_excess_pp + config.eps_pp {
            lost += h.overload_per_round * run;
        }
        let run = at(&c.starvation_run, unit);
        let cut = at(&ranges.low.remove, unit);
        if run > 0.0 && cut >= config.move_tolerance_pp - config.eps_pp {
            lost += h.starvation_per_round * run;
        }
    }
    let mut gained = consistency;
    if let Some(reversal) = c.reversal {
        let (low, high) = (reversed(c, &ranges.low), reversed(c, &ranges.high));
        // The bonus grows up to the target and falls beyond the stage limit: the largest amount gives
        // the first factor, the smallest amount the second.
        let done = (high / reversal.target).min(1.0);
        let stage = if low <= reversal.stage_max {
            1.0
        } else {
            (1.0 - (low - reversal.stage_max) / h.stage_scale_pp).max(0.0)
        };
        gained += h.reversal_bonus * done * stage;
    }
    (h.base + gained - lost).clamp(0.0, 100.0)
}
