//! The best plan of a scenario, an upper bound on all plans, and the regret of a plan.
//!
//! The text is assumed to earn all points for words (three advisors named, a tension, a reason, and a
//! reference to the past where there is one). Words do not change the other parts of the score, so the
//! search is over amounts only. Three steps, each only if the one before leaves a gap:
//!
//! 1. A closed bound: no plan earns more than 100 for roles and validity, the largest profile
//!    weight for boldness, and base plus bonuses for history.
//! 2. Hill climbing over moves between two and three units, from the reference plan, the four
//!    preferences, doing nothing and seeded random plans, steps of 4 pp down to 0.0001 pp. If it attains
//!    the bound, the plan is proven best.
//! 3. Box search: the space of balanced moves is cut into boxes, each with an upper bound from
//!    interval arithmetic over the whole scorer; boxes that cannot beat the plan found are dropped.
//!    The highest bound of the boxes left is the result.
//!
//! Bounds hold for balanced plans; the scorer's tolerance of 0.01 pp in the balance is not used.

use crate::plan::ReallocationPlan;
use crate::scenario::Scenario;
use crate::score::{Moves, ScoreCard, Scorer, UnitArray, WordScores};
use crate::simple::random_moves;
use serde::{Deserialize, Serialize};
use sim_core::{Effort, Seed, Status};

mod boxes;
mod climb;
mod words;

pub(crate) use climb::{GRID_STEPS, climb};
pub use words::best_rationale;

/// The best plan found for a scenario, with a bound on any plan.
///
/// `score` and `bound` are points, 0 to 100; `bound` is at least `score`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BestPlan {
    /// The plan, with text that earns everything text can earn.
    pub plan: ReallocationPlan,
    /// Its score.
    pub score: f64,
    /// A score that no balanced plan can beat.
    pub bound: f64,
    /// `Proven` when the bound equals the score to 1e-6, else `BestKnown`.
    pub status: Status,
    /// Number of boxes examined; 0 when the closed bound was enough.
    pub boxes: u64,
}

/// Bound and score this close are equal.
const PROOF_TOL: f64 = 1e-6;

/// An upper bound on the score of every plan, from the weights of the scorer alone \[points\].
///
/// Each dimension is replaced by its largest value over all plans, whether or not one plan attains all
/// of them.
///
/// 100 minus what nobody can earn: the best profile may weigh less than 100 for boldness,
/// and without history (or without a due reversal) some points of the history dimension
/// do not exist.
///
/// The four parts of the score count a quarter each. The bound takes for the role part
/// full respect, perspectives and rationale, for boldness the heaviest profile, for
/// history its base with reversal and consistency, and for validity all four fits,
/// whether or not one plan can have them together.
#[must_use]
pub fn closed_bound(scorer: &Scorer) -> f64 {
    let (c, config) = (scorer.compiled(), scorer.config());
    let role = config.role.respect * c.salience.iter().sum::<f64>()
        + config.role.perspectives
        + config.role.rationale * (config.role.hull + config.role.label + config.role.lexical);
    let boldness = c.profiles.iter().map(|p| p.weight).fold(0.0, f64::max);
    // The terms are bounded one by one, as if one plan could be best in all of them. That
    // is what makes the bound closed, and why it may lie above every plan.
    let reversal = if c.reversal.is_some() {
        config.history.reversal_bonus
    } else {
        0.0
    };
    let history = (config.history.base + reversal + scorer.full_consistency()).clamp(0.0, 100.0);
    let v = &config.validity;
    let fit = v.destinations + v.sources + v.protection + v.absorption;
    0.25 * (role + boldness + history + v.base + v.span * fit)
}

/// Score of moves with the best text; minus infinity when they are not valid, so that no search keeps
/// them.
pub(crate) fn value(scorer: &Scorer, deltas: &UnitArray) -> f64 {
    let moves = Moves::from_deltas(deltas);
    if !scorer.is_valid(&moves) {
        return f64::NEG_INFINITY;
    }
    let r = moves.removed();
    scorer
        .judge(&moves, r, Some(scorer.right_kind(r)), scorer.best_wording())
        .score
}

/// The best plan of a scenario.
///
/// `Effort::Quick` cuts at most 40,000 boxes, `Effort::Search` 4,000,000.
///
/// # Complexity
/// Some 10^5 evaluations of the kernel, or a few hundred where the reference plan attains the
/// closed bound; then up to 2 µs a box.
///
/// ```
/// use ceo_reallocation::config::ScoringConfig;
/// use ceo_reallocation::optimum::{best_plan, closed_bound};
/// use ceo_reallocation::scenario::authored;
/// use ceo_reallocation::score::Scorer;
/// use sim_core::{Effort, Status};
///
/// let scenario = authored().scenario("C1-R1").ok_or("no such scenario")?;
/// let scorer = Scorer::new(scenario, &ScoringConfig::default())?;
/// // Without history 85 of the 100 points for history can be had: 100 - 15/4.
/// assert_eq!(closed_bound(&scorer), 96.25);
/// let best = best_plan(scenario, &scorer, Effort::Quick);
/// assert_eq!((best.score, best.status, best.boxes), (96.25, Status::Proven, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn best_plan(scenario: &Scenario, scorer: &Scorer, effort: Effort) -> BestPlan {
    let closed = closed_bound(scorer);
    let (deltas, score) = search(scenario, scorer, closed);
    let deltas = rounder(scorer, deltas, score);
    let mut found = BestPlan {
        plan: ReallocationPlan::default(),
        score,
        bound: closed,
        status: Status::Proven,
        boxes: 0,
    };
    // Cheapest first: the closed bound costs nothing, and where the plan attains it no
    // box is cut.
    if closed - score > PROOF_TOL {
        // At up to 2 µs a box these are 80 ms and 8 s. Counted, not timed: the result must be the
        // same on every machine.
        let most = match effort {
            Effort::Quick => 40_000,
            Effort::Search => 4_000_000,
        };
        let (bound, boxes) = boxes::bound(scorer, score, most);
        found.bound = closed.min(bound);
        found.boxes = boxes;
        if found.bound - score > PROOF_TOL {
            found.status = Status::BestKnown;
        }
    }
    // A plan that scores above the computed bound by rounding alone raises the bound to
    // itself, so no regret comes out negative.
    found.bound = found.bound.max(score);
    let moves = Moves::from_deltas(&deltas);
    let text = best_rationale(scenario, scorer, &moves);
    found.plan = scorer.plan(&moves, scorer.right_kind(moves.removed()), text);
    found
}

/// Hill climbing from every start until the bound is attained.
fn search(scenario: &Scenario, scorer: &Scorer, bound: f64) -> (UnitArray, f64) {
    let mut best = ([0.0; crate::scenario::MAX_UNITS], f64::NEG_INFINITY);
    let consider = |start: UnitArray, best: &mut (UnitArray, f64)| {
        let found = climb(scorer, start, climb::FINE_STEPS);
        if found.1 > best.1 {
            *best = found;
        }
        bound - best.1 <= PROOF_TOL
    };
    let mut starts = Vec::new();
    if let Ok(moves) = scorer.moves(&scenario.evaluation.reference_plan) {
        starts.push(moves.deltas());
    }
    // Climbing ends in a local optimum, so it starts from points that lie in different regions: the
    // reference plan, the four preferences, doing nothing, then random valid plans.
    starts.extend(scorer.compiled().authored_preferences);
    starts.push([0.0; crate::scenario::MAX_UNITS]);
    for start in starts {
        if consider(start, &mut best) {
            return best;
        }
    }
    // A fixed seed: the reference of an instance must not depend on the run.
    let mut stream = Seed(0).stream("solve", 0);
    for _ in 0..20 {
        if let Some(moves) = random_moves(scorer, &mut stream)
            && consider(moves.deltas(), &mut best)
        {
            return best;
        }
    }
    best
}

/// The same plan in rounder amounts, if these have the same score: a reader sees 4.5 instead of 4.4999.
fn rounder(scorer: &Scorer, deltas: UnitArray, score: f64) -> UnitArray {
    // From the coarsest grid on: the first that loses nothing is the easiest to read.
    for steps in [2.0, 10.0, 100.0, 1000.0] {
        let mut round = deltas.map(|pp| (pp * steps).round() / steps);
        let rest: f64 = round.iter().sum();
        // Removed and added amounts must stay equal; the largest move changes least in proportion.
        if let Some(largest) = round.iter_mut().max_by(|a, b| a.abs().total_cmp(&b.abs())) {
            *largest = ((*largest - rest) * steps).round() / steps;
        }
        if value(scorer, &round) >= score - 1e-9 {
            return round;
        }
    }
    deltas
}

/// The distance of an evaluation from the best plan.
///
/// `regret` and `structural_regret` are at least 0 up to the gap between the best score
/// and its bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Regret {
    /// Best score known minus the score \[points\].
    pub regret: f64,
    /// Best score with the words of this plan minus the score \[points\]: the regret of the amounts alone.
    pub structural_regret: f64,
    /// Score over best score.
    pub normalised: f64,
}

/// Regret of an evaluated plan.
///
/// Words add to the score without changing its other parts, so the best score with the agent's own words
/// is the best score minus the points that its words miss.
///
/// ```
/// use ceo_reallocation::config::ScoringConfig;
/// use ceo_reallocation::optimum::{best_plan, regret};
/// use ceo_reallocation::scenario::authored;
/// use ceo_reallocation::score::Scorer;
/// use sim_core::Effort;
///
/// let scenario = authored().scenario("C1-R1").ok_or("no such scenario")?;
/// let scorer = Scorer::new(scenario, &ScoringConfig::default())?;
/// let best = best_plan(scenario, &scorer, Effort::Quick);
/// let card = scorer.score(&best.plan);
/// let distance = regret(&scorer, &best, &card);
/// assert!(distance.regret.abs() < 1e-9 && distance.structural_regret.abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn regret(scorer: &Scorer, best: &BestPlan, card: &ScoreCard) -> Regret {
    let role = &scorer.config().role;
    let wording = WordScores {
        lexical: card.marks.lexical,
        consistency: card.marks.consistency,
    };
    let full = scorer.best_wording();
    let words = 0.25
        * (role.rationale * role.lexical * (full.lexical - wording.lexical)
            + (full.consistency - wording.consistency));
    let regret = best.score - card.score();
    Regret {
        regret,
        structural_regret: regret - words,
        normalised: if best.score > 0.0 {
            card.score() / best.score
        } else {
            0.0
        },
    }
}
