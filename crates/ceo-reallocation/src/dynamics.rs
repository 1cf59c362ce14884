//! Transition of the company from one round to the next (rolling mode).
//!
//! ```text
//! plan ─> shares ─> strain (overload) ─> neglect (starvation) ─> warnings, capacity
//!                                                                   │
//!        advisors <─ room to move <─ fragility <─ shocks <─ runway, leverage <─ growth, pressure <─ risk, returns
//! ```
//!
//! The paper names the effects that earlier decisions must have (section 3.3 "Multi-round
//! dynamics": delayed transformation pressure, absorptive overload, instability from sustained
//! underinvestment, accumulating fragility) and gives no formulas; those here are ours, and the
//! numbers in the comments are the steps of this module. Everything is deterministic unless
//! noise is switched on. Agents see the new [`Scenario`] only; strain, neglect and markets stay in
//! [`Undercurrent`].
//!
//! | hidden number | grows with | fades by | acts on |
//! |---|---|---|---|
//! | strain of a unit | money above its capacity, a tenth per pp | half a round | risk, capacity of the next round |
//! | neglect of a protected unit | cuts, an eighth per pp; a share near its floor | 0.6 a round | risk, runway |
//! | fragility | a runway under 9 months, a leverage over 2.5 | - | the cap on moves |
//!
//! ```
//! use ceo_reallocation::dynamics::{Decision, Undercurrent, advance};
//! use ceo_reallocation::scenario::authored;
//! use std::collections::BTreeMap;
//!
//! let catalogue = authored();
//! let mut scenario = catalogue.scenario("C7-R2").ok_or("no such scenario")?.clone();
//! let company = catalogue.company("C7").ok_or("no such company")?;
//! let mut hidden = Undercurrent::at_start(&scenario);
//! let decision = Decision {
//!     deltas: BTreeMap::from([("E".into(), 6.0), ("F".into(), -6.0)]),
//!     rejected: false,
//!     decision_type: "moderate",
//!     rationale: "",
//! };
//! advance(&mut scenario, &mut hidden, &decision, company.drift, None);
//! assert_eq!(scenario.unit("E").map(|unit| unit.share_pp), Some(34.0));
//! assert!((scenario.company_state.cash_runway_months - 9.8145).abs() < 1e-4);
//! assert_eq!(scenario.constraints.max_realloc_pp, 23.0);
//! # Ok::<(), &str>(())
//! ```

use crate::scenario::{
    CompanyState, Drift, PastDecision, RoiTrend, Scenario, Shock, ShockKind, Unit, UnitId, UnitRole,
};
use serde::{Deserialize, Serialize};
use sim_core::Seed;
use std::collections::BTreeMap;

mod calendar;

pub use crate::world::World;
pub use calendar::next_quarter;

/// The hidden state of a unit, kept from round to round.
///
/// Agents see its traces only: warnings, capacities, risks and trends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitUndercurrent {
    /// Overload, 0 to 1.
    pub strain: f64,
    /// Instability from underinvestment, 0 to 1; grows for protected units only.
    pub neglect: f64,
    /// Size of its market relative to the start.
    pub market: f64,
    /// Return on investment as a number.
    pub roi: f64,
    /// Absorptive capacity without strain \[pp\].
    pub base_capacity_pp: f64,
}

/// The hidden state of a company, kept from round to round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Undercurrent {
    /// Each unit's.
    pub units: BTreeMap<UnitId, UnitUndercurrent>,
    /// Cap on moves of an untroubled company \[pp\].
    pub base_max_realloc_pp: f64,
    /// Fragility phi, 0 to 1.
    pub fragility: f64,
}

impl Undercurrent {
    /// At the start of an episode: no strain, no neglect, everything else read off the scenario.
    #[must_use]
    pub fn at_start(scenario: &Scenario) -> Self {
        Self {
            units: scenario
                .units
                .iter()
                .map(|unit| {
                    let hidden = UnitUndercurrent {
                        strain: 0.0,
                        neglect: 0.0,
                        market: 1.0,
                        roi: roi_of(unit.roi_trend),
                        base_capacity_pp: unit.absorptive_capacity_pp,
                    };
                    (unit.id.clone(), hidden)
                })
                .collect(),
            base_max_realloc_pp: scenario.constraints.max_realloc_pp,
            fragility: fragility(&scenario.company_state),
        }
    }
}

/// The return on investment that a trend means at the start.
fn roi_of(trend: RoiTrend) -> f64 {
    match trend {
        RoiTrend::Declining => -0.2,
        RoiTrend::Uncertain => 0.0,
        RoiTrend::Stable => 0.1,
        RoiTrend::Emerging => 0.2,
        RoiTrend::Improving => 0.3,
    }
}

/// Fragility phi of a company, 0 to 1: half from a runway under 9 months, half from leverage over
/// 2.5, each growing linearly to its half at 0 months and at 4.5.
///
/// ```
/// use ceo_reallocation::dynamics::fragility;
/// use ceo_reallocation::scenario::CompanyState;
///
/// let state = |cash_runway_months, leverage| CompanyState { cash_runway_months, leverage, ..CompanyState::default() };
/// assert_eq!(fragility(&state(12.0, 2.0)), 0.0);
/// assert_eq!(fragility(&state(4.5, 3.5)), 0.5);
/// assert_eq!(fragility(&state(0.0, 5.0)), 1.0);
/// ```
#[must_use]
pub fn fragility(state: &CompanyState) -> f64 {
    let runway = (0.5 * (9.0 - state.cash_runway_months) / 9.0).clamp(0.0, 0.5);
    let leverage = (0.5 * (state.leverage - 2.5) / 2.0).clamp(0.0, 0.5);
    (runway + leverage).clamp(0.0, 1.0)
}

/// Fragility from which the company is in distress.
pub const DISTRESS_FROM: f64 = 0.9;

/// Whether the company is in distress: no runway, or fragility of at least 0.9.
#[must_use]
pub fn in_distress(state: &CompanyState) -> bool {
    state.cash_runway_months <= 0.0 || fragility(state) >= DISTRESS_FROM
}

/// A decision in the form that the transition applies.
///
/// The form is simpler than a [`ReallocationPlan`](crate::plan::ReallocationPlan): the transition needs the moves
/// and what goes into the history.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision<'a> {
    /// Signed moves by unit \[pp\]; ignored when the plan is rejected.
    pub deltas: BTreeMap<UnitId, f64>,
    /// Whether the board rejects it: nothing moves, and pressure rises by 2.
    pub rejected: bool,
    /// Name of its decision type.
    pub decision_type: &'a str,
    /// The rationale.
    pub rationale: &'a str,
}

/// Random disturbance of returns and growth.
///
/// Each round has its own stream, named by the company and the round; one normal draw for
/// each unit in the order of ids, then one for growth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Standard deviation; 0 for none.
    pub sigma: f64,
    /// Seed of the draws.
    pub seed: Seed,
}

/// Carries a decision out and leads the company into the next round: changes `scenario` and
/// `hidden` in place. Advisors and evaluation are left as they are; see
/// [`renew`](crate::advisor_model::renew) for those of the new round.
///
/// The order of events is that of the numbers in the body.
///
/// 1. Shares move; money above a unit's capacity adds to its strain.
/// 2. Cuts of a protected unit add to its neglect.
/// 3. Warnings are set, and the capacity of the next round follows from the strain.
/// 4. Risk and return of each unit change.
/// 5. Growth follows from shares, outlooks and risks.
/// 6. Transformation pressure changes by the drift, by what growth and productivity units
///    absorbed, by idleness and by a rejection.
/// 7. Runway and leverage change by the drift, the cost of moving, overload, neglect and
///    growth.
/// 8. The round is written to the history, the next one begins, and its shocks are
///    applied.
/// 9. Fragility sets the cap on the moves of the next round.
///
/// Noise, if there is any, is added to the returns between 4 and 5 and to growth in 5.
pub fn advance(
    scenario: &mut Scenario,
    hidden: &mut Undercurrent,
    decision: &Decision<'_>,
    drift: Drift,
    noise: Option<Noise>,
) {
    // Sums over units are taken in the order of ids: floating-point addition depends on
    // the order, and a file may list units in any.
    let mut units: Vec<&mut Unit> = scenario.units.iter_mut().collect();
    units.sort_by(|a, b| a.id.cmp(&b.id));
    let mut sums = Sums::default();
    let mut deltas = BTreeMap::new();
    // 1 to 4, unit by unit.
    for unit in units {
        let Some(under) = hidden.units.get_mut(&unit.id) else {
            continue;
        };
        let delta = if decision.rejected {
            0.0
        } else {
            decision.deltas.get(&unit.id).copied().unwrap_or(0.0)
        };
        if delta != 0.0 {
            deltas.insert(unit.id.clone(), delta);
        }
        move_unit(unit, under, delta, &mut sums);
    }
    let draw_of_growth = noise.filter(|noise| noise.sigma > 0.0).map(|noise| {
        let name = format!("noise.{}", scenario.company_id);
        // All draws of a round are made, whatever the plan moved: two plans meet the same chance,
        // and their scores can be compared.
        let mut stream = noise.seed.stream(&name, u64::from(scenario.round));
        for unit in scenario.units_by_id() {
            let draw = noise.sigma * stream.normal();
            if let Some(under) = hidden.units.get_mut(&unit.id) {
                under.roi += draw;
            }
        }
        noise.sigma * stream.normal()
    });

    // 5. growth
    let mut pull = 0.0;
    for unit in scenario.units_by_id() {
        pull += unit.share_pp / 100.0 * (20.0 * unit.growth_outlook - 6.0 * unit.execution_risk);
    }
    let state = &mut scenario.company_state;
    let old_growth = state.revenue_growth_pct;
    let mut growth = 0.6 * old_growth + 0.4 * pull;
    if let Some(draw) = draw_of_growth {
        growth += draw;
    }
    // The bounds of a scenario file; never reached without noise or extreme shocks.
    let growth = growth.clamp(-100.0, 1000.0);
    state.revenue_growth_pct = growth;
    // 6. pressure
    let idle = if sums.moved < 1.0 { 5.0 } else { 0.0 };
    let rejection = if decision.rejected { 2.0 } else { 0.0 };
    state.transformation_pressure =
        (state.transformation_pressure + drift.pressure - 0.8 * sums.absorbed + idle + rejection)
            .clamp(0.0, 100.0);
    // 7. runway and leverage
    state.cash_runway_months = (state.cash_runway_months + drift.runway
        - state.proforma.runway_months_per_pp * sums.moved
        - 0.10 * sums.over
        - 0.4 * sums.neglect
        + 0.05 * (growth - old_growth))
        .clamp(0.0, 1200.0);
    state.leverage = (state.leverage
        + drift.leverage
        + state.proforma.leverage_per_pp * sums.moved
        + 0.02 * sums.over
        - 0.02 * (growth - old_growth))
        .clamp(0.0, 100.0);
    // 8. the next round and its shocks
    let mut warned = scenario.units_by_id();
    warned.retain(|unit| unit.capacity_warning);
    let warned = warned.into_iter().map(|unit| unit.id.clone()).collect();
    scenario.history.push(PastDecision {
        round: scenario.round,
        date: scenario.target_date.clone(),
        deltas_pp: deltas,
        decision_type: decision.decision_type.to_owned(),
        rationale: decision.rationale.to_owned(),
        capacity_warnings: warned,
    });
    scenario.round += 1;
    scenario.target_date = next_quarter(&scenario.target_date);
    scenario.id = format!("{}-R{}", scenario.company_id, scenario.round);
    let shocks: Vec<Shock> = scenario
        .shocks
        .iter()
        .filter(|shock| shock.round == scenario.round)
        .cloned()
        .collect();
    // Copied out of the scenario above, because a shock changes the scenario that holds it.
    for shock in &shocks {
        apply_shock(scenario, hidden, shock);
    }
    // 9. fragility narrows the room to move
    let phi = fragility(&scenario.company_state);
    hidden.fragility = phi;
    let room = hidden.base_max_realloc_pp * (1.0 - 0.4 * phi);
    // Down to half points, so that rounding never widens the room.
    scenario.constraints.max_realloc_pp = (room * 2.0).floor() / 2.0;
}

/// Sums over units, in the order of ids.
#[derive(Default)]
struct Sums {
    /// Money taken \[pp\].
    moved: f64,
    /// Money above capacities \[pp\].
    over: f64,
    /// Money that growth and productivity units could absorb \[pp\].
    absorbed: f64,
    /// Neglect of protected units.
    neglect: f64,
}

fn move_unit(unit: &mut Unit, under: &mut UnitUndercurrent, delta: f64, sums: &mut Sums) {
    // 1. shares, overload
    // That of this round, which the agent was shown; the next one follows from the strain below.
    let capacity = unit.absorptive_capacity_pp;
    unit.share_pp += delta;
    let over = (delta - capacity).max(0.0);
    under.strain = (0.5 * under.strain + over / 10.0).clamp(0.0, 1.0);
    // 2. starvation
    let hurt = if unit.protected {
        let low = if unit.share_pp < unit.floor_pp + 2.0 {
            0.1
        } else {
            0.0
        };
        (-delta).max(0.0) / 8.0 + low
    } else {
        0.0
    };
    under.neglect = (0.6 * under.neglect + hurt).clamp(0.0, 1.0);
    // 3. warning, then the capacity of the next round
    unit.capacity_warning = (delta >= 0.5 && delta >= 0.8 * capacity) || under.strain >= 0.15;
    unit.absorptive_capacity_pp = under.base_capacity_pp * (1.0 - 0.5 * under.strain);
    // 4. risk and return
    unit.execution_risk =
        (unit.execution_risk + 0.20 * under.strain + 0.25 * under.neglect - 0.03).clamp(0.05, 1.0);
    let roi = 0.7 * under.roi + 0.3 * (unit.growth_outlook - 0.5 * unit.execution_risk);
    unit.roi_trend = match roi - under.roi {
        change if change > 0.02 => RoiTrend::Improving,
        change if change < -0.02 => RoiTrend::Declining,
        _ => RoiTrend::Stable,
    };
    under.roi = roi;

    sums.moved += (-delta).max(0.0);
    sums.over += over;
    if matches!(unit.role, UnitRole::Growth | UnitRole::Productivity) {
        sums.absorbed += delta.max(0.0).min(capacity);
    }
    if unit.protected {
        sums.neglect += under.neglect;
    }
}

fn apply_shock(scenario: &mut Scenario, hidden: &mut Undercurrent, shock: &Shock) {
    let factor = (1.0 + shock.magnitude).max(0.0);
    let hits = |unit: &Unit| shock.unit.as_ref().is_none_or(|id| *id == unit.id);
    match shock.kind {
        ShockKind::MarketSize => {
            for unit in scenario.units.iter_mut().filter(|unit| hits(unit)) {
                unit.growth_outlook = (unit.growth_outlook * factor).clamp(0.0, 1.0);
                if let Some(under) = hidden.units.get_mut(&unit.id) {
                    under.market *= factor;
                }
            }
        }
        ShockKind::Capacity => {
            for unit in scenario.units.iter_mut().filter(|unit| hits(unit)) {
                // 100 is the bound of a scenario file: the company must still pass `check_form`
                // when it is stored.
                unit.absorptive_capacity_pp = (unit.absorptive_capacity_pp * factor).min(100.0);
                if let Some(under) = hidden.units.get_mut(&unit.id) {
                    under.base_capacity_pp = (under.base_capacity_pp * factor).min(100.0);
                }
            }
        }
        ShockKind::Financing => {
            let state = &mut scenario.company_state;
            state.leverage = (state.leverage + shock.magnitude).clamp(0.0, 100.0);
        }
        ShockKind::Cost => {
            let state = &mut scenario.company_state;
            state.cash_runway_months =
                (state.cash_runway_months + shock.magnitude).clamp(0.0, 1200.0);
        }
    }
}
