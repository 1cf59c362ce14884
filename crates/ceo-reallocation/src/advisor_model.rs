//! The advisor model: advisors, acceptable strategies and a reference plan by rule, for later rounds and
//! generated companies, which have no authored ones.
//!
//! The size of the right move follows from the company's state:
//!
//! ```text
//! r* = cap (0.35 + 0.35 pressure/100 - 0.35 fragility) (1 - 0.5 hidden risk)
//! ```
//!
//! and is at most what can be given and absorbed. The main strategy moves 0.75 to 1.25 r*; the four
//! advisors ask for 0.40 (CFO), 0.85 (CTO), 0.65 (COO) and 1.7 r* (CMO, at most 20 pp and the cap),
//! each from the sources and to the destinations that are typical of the role. The factors are the
//! design's; the overlap of r* with the main range of all ten non-adversarial authored scenarios is
//! a test.
//!
//! In rolling mode the authored advisors hold for the first round only: from the second
//! round on [`renew`] replaces advisors, acceptable strategies and reference plan with
//! what follows from the state. [`crate::generator`] uses the same rules for new
//! companies.

use crate::dynamics::fragility;
use crate::optimum::best_rationale;
use crate::scenario::{
    Advisor, Advisors, Officer, Posture, Reversal, Scenario, TransferRule, Unit, UnitId, UnitRole,
};
use crate::score::Scorer;
use crate::scoring::ScoringConfig;
use sim_core::ConfigError;

mod preference;
mod verdict;
mod words;

/// A growth story that is not true.
///
/// The unit keeps its public figures, which are good; only the advisor in `known_to` has
/// a private signal and a condition against it. A degree of 1 halves the right amount to
/// move.
#[derive(Debug, Clone, PartialEq)]
pub struct HiddenRisk {
    /// The unit it is about.
    pub unit: UnitId,
    /// Degree to which it is untrue, 0 to 1.
    pub degree: f64,
    /// The only advisor with this knowledge.
    pub known_to: Officer,
}

/// A unit that was moved this much in the last round is not moved back in this one \[pp\]: the scorer
/// calls that oscillation.
const BACK_AND_FORTH: f64 = 4.0;

/// The right amount to move \[pp\], before looking at what can be given and absorbed.
///
/// ```
/// // Case 1: cap 25, pressure 80, fragility 0.194
/// let r = ceo_reallocation::advisor_model::ideal_total(25.0, 80.0, 0.194, 0.0);
/// assert!((11.0..=15.0).contains(&r));
/// ```
///
/// `cap_pp` is the largest move allowed \[pp\], `pressure` lies in 0 to 100, `fragility`
/// and `hidden_risk` in 0 to 1. The result is at least 0.
// With these weights the range around it meets the main authored range in all ten scenarios whose tier is not
// adversarial.
#[must_use]
pub fn ideal_total(cap_pp: f64, pressure: f64, fragility: f64, hidden_risk: f64) -> f64 {
    cap_pp
        * (0.35 + 0.35 * pressure / 100.0 - 0.35 * fragility).max(0.0)
        * (1.0 - 0.5 * hidden_risk)
}

/// The main range around the right amount, on the grid of half points.
///
/// 0.75 and 1.25 times the amount, rounded to half points; at least 0.5 and 1 pp.
#[must_use]
pub fn ideal_range(total_pp: f64) -> (f64, f64) {
    (
        half(0.75 * total_pp).max(0.5),
        half(1.25 * total_pp).max(1.0),
    )
}

/// Rounds to half points.
fn half(pp: f64) -> f64 {
    (pp * 2.0).round() / 2.0
}

/// Rounds down to half points.
fn half_down(pp: f64) -> f64 {
    // A difference of shares may lie a hair below the half point that it means.
    ((pp + 1e-9) * 2.0).floor() / 2.0
}

/// The attitude that a state asks for.
fn posture(pressure: f64, fragility: f64, hidden_risk: f64) -> Posture {
    if pressure >= 60.0 && fragility < 0.35 && hidden_risk == 0.0 {
        Posture::Transformation
    } else if fragility < 0.6 {
        Posture::Balanced
    } else {
        Posture::Stability
    }
}

/// Gives a scenario the advisors and the evaluation that follow from its state. Whatever it had of
/// them is replaced.
///
/// `risk` is a growth story that is not true, `reversal` a change of course that is due.
///
/// # Errors
/// When the scenario refers to units that it does not have.
///
/// ```
/// use ceo_reallocation::advisor_model::renew;
/// use ceo_reallocation::config::ScoringConfig;
/// use ceo_reallocation::scenario::authored;
/// use ceo_reallocation::score::Scorer;
///
/// let mut scenario = authored().scenario("C1-R1").ok_or("no such scenario")?.clone();
/// renew(&mut scenario, None, None)?;
/// // A main strategy and a careful one; the reference plan by rule is valid.
/// assert_eq!(scenario.evaluation.profiles.len(), 2);
/// let scorer = Scorer::new(&scenario, &ScoringConfig::default())?;
/// assert!(scorer.violations(&scenario.evaluation.reference_plan).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn renew(
    scenario: &mut Scenario,
    risk: Option<&HiddenRisk>,
    reversal: Option<Reversal>,
) -> Result<(), ConfigError> {
    let board = Board::new(scenario, risk);
    scenario.evaluation = board.evaluation(scenario, reversal);
    scenario.advisors = silent();
    // Preferences must be valid plans, and validity does not depend on advisors, so a scorer
    // without advisors is enough here.
    let scorer = Scorer::new(scenario, &ScoringConfig::default())?;
    let preferences = Officer::ALL.map(|officer| board.preference(&scorer, officer));
    scenario.advisors = board.advisors(scenario, &preferences);
    // The scorer knows rules and shares; the text needs history and names only.
    let moves = board.staged(&scorer);
    let text = best_rationale(scenario, &scorer, &moves);
    scenario.evaluation.reference_plan =
        scorer.plan(&moves, scorer.right_kind(moves.removed()), text);
    Ok(())
}

/// Four advisors without preferences.
pub(crate) fn silent() -> Advisors {
    let advisor = Advisor {
        salience: 0.25,
        ..Advisor::default()
    };
    Advisors {
        cfo: advisor.clone(),
        cto: advisor.clone(),
        coo: advisor.clone(),
        cmo: advisor,
    }
}

/// A unit as the rules see it.
#[derive(Debug, Clone)]
struct Seen {
    /// Position in the order of ids.
    index: usize,
    id: UnitId,
    name: String,
    role: UnitRole,
    protected: bool,
    /// Amounts that it can give and receive within floors, ceilings and simple rules \[pp\].
    gives: f64,
    takes: f64,
    /// Absorptive capacity in this round \[pp\].
    capacity: f64,
    /// Outlook less half the risk, from public figures.
    value: f64,
    /// The same with what is hidden.
    true_value: f64,
    importance: f64,
    /// Signed move of the last round \[pp\].
    last: f64,
}

/// Everything the rules decide for one round.
#[derive(Debug, Clone)]
struct Board {
    units: Vec<Seen>,
    /// The right amount \[pp\].
    total: f64,
    cap: f64,
    posture: Posture,
    fragility: f64,
    risk: Option<HiddenRisk>,
    /// Sources and destinations, best first; positions in `units`.
    sources: Vec<usize>,
    destinations: Vec<usize>,
    /// The best growth unit by public figures.
    star: usize,
    runway: f64,
    runway_per_pp: f64,
}

impl Board {
    fn new(scenario: &Scenario, risk: Option<&HiddenRisk>) -> Self {
        let units: Vec<Seen> = scenario
            .units_by_id()
            .into_iter()
            .enumerate()
            .map(|(index, unit)| seen(scenario, index, unit, risk))
            .collect();
        let state = &scenario.company_state;
        let phi = fragility(state);
        let degree = risk.map_or(0.0, |risk| risk.degree);
        let mut board = Self {
            total: 0.0,
            cap: scenario.constraints.max_realloc_pp,
            posture: posture(state.transformation_pressure, phi, degree),
            fragility: phi,
            risk: risk.cloned(),
            sources: Vec::new(),
            destinations: Vec::new(),
            star: 0,
            runway: state.cash_runway_months,
            runway_per_pp: state.proforma.runway_months_per_pp,
            units,
        };
        board.star = board
            .ranked(|unit| unit.takes >= 1.0, |unit| unit.value)
            .first()
            .copied()
            .unwrap_or(0);
        let ideal = ideal_total(board.cap, state.transformation_pressure, phi, degree);
        board.total = half_down(board.choose_sides(ideal)).max(1.0);
        board
    }

    /// Positions of the units that pass a filter, from the largest key down.
    fn ranked(&self, keep: impl Fn(&Seen) -> bool, key: impl Fn(&Seen) -> f64) -> Vec<usize> {
        let mut chosen: Vec<&Seen> = self.units.iter().filter(|unit| keep(unit)).collect();
        // Equal keys in the order of ids, so that the order of a file decides nothing.
        chosen.sort_by(|a, b| key(b).total_cmp(&key(a)).then(a.index.cmp(&b.index)));
        chosen.into_iter().map(|unit| unit.index).collect()
    }

    fn unit(&self, index: usize) -> Option<&Seen> {
        self.units.get(index)
    }

    fn sum(&self, units: &[usize], value: impl Fn(&Seen) -> f64) -> f64 {
        units
            .iter()
            .filter_map(|&index| self.unit(index))
            .map(value)
            .sum()
    }

    fn is_mirage(&self, unit: &Seen) -> bool {
        self.risk.as_ref().is_some_and(|risk| risk.unit == unit.id)
    }

    /// The true worth of a unit.
    // The weights are chosen, not measured.
    fn worth(unit: &Seen) -> f64 {
        0.6 * unit.true_value + 0.4 * unit.importance
    }

    /// Destinations: up to three units worth funding in truth. Sources: the weakest of the others,
    /// as many as the largest sensible move needs. With fewer destinations there may be more
    /// sources; fewer are taken only where half as much again can move then. Gives what of the right
    /// amount can move.
    fn choose_sides(&mut self, ideal: f64) -> f64 {
        let worthy = self.ranked(
            |unit| {
                unit.takes >= 1.0
                    && unit.capacity >= 1.0
                    && unit.last > -BACK_AND_FORTH
                    && !self.is_mirage(unit)
                    && (unit.protected || unit.role != UnitRole::LegacyCashGenerator)
            },
            Self::worth,
        );
        let mut most = 0.0;
        for count in (1..=worthy.len().min(3)).rev() {
            let destinations: Vec<usize> = worthy.iter().copied().take(count).collect();
            let sources = self.sources_for(&destinations, ideal);
            let total = self.movable(ideal, &sources, &destinations);
            if total > 1.5 * most {
                most = total;
                (self.sources, self.destinations) = (sources, destinations);
            }
        }
        if most < 1.0 {
            self.settle_for_little();
        }
        most
    }

    /// The part of the right amount that can be given and absorbed.
    fn movable(&self, ideal: f64, sources: &[usize], destinations: &[usize]) -> f64 {
        let given = self.sum(sources, |unit| unit.gives);
        let absorbed = self.sum(destinations, |unit| unit.takes.min(unit.capacity));
        ideal.min(given).min(absorbed)
    }

    /// Unprotected units that are worth less than every destination, cash generators and weak units
    /// first; a growth story that is not true always.
    fn sources_for(&self, destinations: &[usize], ideal: f64) -> Vec<usize> {
        let least = destinations
            .iter()
            .filter_map(|&index| self.unit(index))
            .map(Self::worth)
            .fold(f64::INFINITY, f64::min);
        let candidates = self.ranked(
            |unit| {
                unit.gives >= 1.0
                    && !unit.protected
                    && !destinations.contains(&unit.index)
                    && (self.is_mirage(unit)
                        || Self::worth(unit) < least && unit.last < BACK_AND_FORTH)
            },
            |unit| {
                // 0.15 is chosen, not measured: money leaves a cash generator before another unit
                // whose value is lower by up to so much.
                let legacy = unit.role == UnitRole::LegacyCashGenerator;
                (if legacy { 0.15 } else { 0.0 }) - unit.true_value
            },
        );
        let mut room = 0.0;
        let mut sources = Vec::new();
        for index in candidates {
            let Some(unit) = self.unit(index) else {
                continue;
            };
            // 1.25 is the upper end of the main range: the largest sensible move finds its money,
            // and units beyond that need not give.
            if room < 1.25 * ideal || self.is_mirage(unit) {
                room += unit.gives;
                sources.push(index);
            }
        }
        sources
    }

    /// The company has changed as far as its limits let it: a point from the weakest unit that can
    /// give to the best that can take is all there is to do.
    fn settle_for_little(&mut self) {
        let takers = self.ranked(
            |unit| unit.takes >= 1.0,
            |unit| Self::worth(unit) + unit.capacity.min(1.0),
        );
        let Some(&to) = takers.first() else { return };
        let givers = self.ranked(
            |unit| unit.gives >= 1.0 && unit.index != to,
            // 10 is more than any worth: a protected unit gives only where no other can.
            |unit| -Self::worth(unit) - if unit.protected { 10.0 } else { 0.0 },
        );
        self.destinations = vec![to];
        self.sources = givers.into_iter().take(1).collect();
    }
}

fn seen(scenario: &Scenario, index: usize, unit: &Unit, risk: Option<&HiddenRisk>) -> Seen {
    let locked = scenario.is_locked(unit.id.as_str());
    let (mut least, mut most) = (unit.floor_pp, unit.ceiling_pp - unit.share_pp);
    for rule in &scenario.constraints.transfer_rules {
        match rule {
            TransferRule::MinShare { unit: of, pp } if *of == unit.id => least = least.max(*pp),
            TransferRule::MaxAdd { unit: of, pp } if *of == unit.id => most = most.min(*pp),
            _ => {}
        }
    }
    let value = unit.growth_outlook - 0.5 * unit.execution_risk;
    let hidden = risk
        .filter(|risk| risk.unit == unit.id)
        .map_or(0.0, |risk| risk.degree);
    let free = |pp: f64| if locked { 0.0 } else { half_down(pp.max(0.0)) };
    Seen {
        index,
        id: unit.id.clone(),
        name: unit.name.clone(),
        role: unit.role,
        protected: unit.protected,
        gives: free(unit.share_pp - least),
        takes: free(most),
        capacity: half_down(unit.absorptive_capacity_pp),
        value,
        true_value: value - hidden,
        importance: unit.strategic_importance,
        last: scenario
            .history
            .last()
            .and_then(|past| past.deltas_pp.get(&unit.id))
            .copied()
            .unwrap_or(0.0),
    }
}
