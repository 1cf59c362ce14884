//! Drawing a company: state, units, limits, past.
//!
//! The ranges imitate the authored scenarios of the same tier. The order of the draws is
//! fixed, because a change of it would give every seed another company.

use super::sector::{Pack, Sector, first_of, past_rationale, title};
use crate::advisor_model::{HiddenRisk, silent};
use crate::config::GeneratorConfig;
use crate::dynamics::next_quarter;
use crate::scenario::{
    CapacityConstraint, CatalogueCompany, CompanyState, Constraints, Direction, MarginProfile,
    MarginTrend, Officer, PastDecision, Reversal, RoiTrend, Scenario, Tier, Unit, UnitId, UnitRole,
};
use sim_core::{Seed, Stream};
use std::collections::BTreeMap;

/// Uniform on the grid of `step` between two bounds.
fn on_grid(stream: &mut Stream, low: f64, high: f64, step: f64) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a few hundred steps at most"
    )]
    let steps = ((high - low) / step).round() as i64;
    #[expect(clippy::cast_precision_loss, reason = "a few hundred steps at most")]
    let chosen = stream.between(0, steps.max(0)) as f64;
    // Rounded again, so that 0.1 + 0.02 * 3 is written as 0.16.
    ((low + chosen * step) * 1000.0).round() / 1000.0
}

/// Ranges of the company's state by tier: runway, leverage, growth, pressure, cap.
fn state_ranges(tier: Tier) -> [(f64, f64); 5] {
    match tier {
        Tier::Easy => [
            (13.0, 22.0),
            (0.8, 2.0),
            (3.0, 12.0),
            (56.0, 72.0),
            (28.0, 40.0),
        ],
        Tier::Tension => [
            (10.0, 16.0),
            (1.4, 2.7),
            (2.0, 10.0),
            (60.0, 76.0),
            (24.0, 32.0),
        ],
        Tier::Fragile => [
            (7.2, 10.0),
            (2.7, 3.5),
            (0.5, 6.0),
            (58.0, 82.0),
            (18.0, 26.0),
        ],
        Tier::Adversarial => [
            (7.2, 12.0),
            (2.3, 3.4),
            (0.5, 9.0),
            (60.0, 78.0),
            (20.0, 28.0),
        ],
    }
}

pub(super) type Candidate = (
    Scenario,
    CatalogueCompany,
    Option<HiddenRisk>,
    Option<Reversal>,
);

pub(super) fn candidate(seed: Seed, target: &GeneratorConfig, stream: &mut Stream) -> Candidate {
    const TIERS: [Tier; 4] = [Tier::Easy, Tier::Tension, Tier::Fragile, Tier::Adversarial];
    let tier = target.tier.unwrap_or_else(|| stream.pick_from(&TIERS));
    let sector = target
        .sector
        .unwrap_or_else(|| stream.pick_from(&Sector::ALL));
    let pack = sector.pack();
    let count = target
        .units
        .map_or_else(|| 4 + stream.index(5), |units| units as usize)
        .clamp(4, 8);
    // The rounds of the authored scenarios; a fourth one is made only where it is asked for.
    let round = target.round.unwrap_or_else(|| stream.between_u32(1, 3));

    let company_id = format!("G{:08X}", seed.child("ceo company", 0).0 >> 32);
    let name = stream.pick(pack.names).copied().unwrap_or("Company");
    let company = CatalogueCompany {
        id: company_id.clone(),
        name: name.to_owned(),
        sector: pack.name.to_owned(),
        drift: pack.drift,
    };
    let units = draw_units(stream, pack, tier, count);
    let [runway, leverage, growth, pressure, cap] = state_ranges(tier);
    let high = |tier: Tier| matches!(tier, Tier::Fragile | Tier::Adversarial);
    let company_state = CompanyState {
        cash_runway_months: on_grid(stream, runway.0, runway.1, 0.1),
        leverage: on_grid(stream, leverage.0, leverage.1, 0.1),
        revenue_growth_pct: on_grid(stream, growth.0, growth.1, 0.1),
        margin_profile: MarginProfile {
            gross_pct: on_grid(stream, pack.margin.0, pack.margin.1, 0.5),
            trend: if high(tier) {
                MarginTrend::Falling
            } else {
                MarginTrend::Flat
            },
        },
        transformation_pressure: on_grid(stream, pressure.0, pressure.1, 1.0),
        capacity_constraint: match tier {
            Tier::Easy => CapacityConstraint::Low,
            Tier::Tension => CapacityConstraint::Medium,
            Tier::Fragile | Tier::Adversarial => CapacityConstraint::High,
        },
        board_priority: stream
            .pick(pack.priorities)
            .copied()
            .unwrap_or("")
            .to_owned(),
        proforma: pack.proforma.clone(),
    };
    let constraints = Constraints {
        max_realloc_pp: on_grid(stream, cap.0, cap.1, 1.0),
        locked_units: units
            .iter()
            .filter(|unit| unit.floor_pp >= unit.ceiling_pp)
            .map(|unit| unit.id.clone())
            .collect(),
        transfer_rules: pack.rules(&units),
    };
    let star = first_of(&units, UnitRole::Growth).map(|unit| unit.id.clone());
    let mut scenario = Scenario {
        id: format!("{company_id}-R{round}"),
        target_date: "2027-01-04".to_owned(),
        company_id,
        round,
        tier,
        title: format!("{name}: {}", title(tier)),
        company_state,
        units,
        constraints,
        advisors: silent(),
        ..Scenario::default()
    };
    add_past(&mut scenario, stream);
    let risk = star
        .filter(|_| tier == Tier::Adversarial)
        .map(|unit| HiddenRisk {
            unit,
            degree: on_grid(stream, 0.6, 0.9, 0.05),
            known_to: if stream.chance(0.5) {
                Officer::Cfo
            } else {
                Officer::Coo
            },
        });
    let reversal = risk.as_ref().filter(|_| round > 1).and_then(|risk| {
        let unit = scenario.unit(risk.unit.as_str())?;
        let target = 3.0_f64.min(unit.share_pp - unit.floor_pp);
        (target >= 1.0).then(|| Reversal {
            unit: unit.id.clone(),
            direction: Direction::Defund,
            target_min_pp: target,
            stage_max_pp: target + 2.0,
        })
    });
    (scenario, company, risk, reversal)
}

/// Units of a company: one of each role, then what the stream adds.
fn draw_units(stream: &mut Stream, pack: &Pack, tier: Tier, count: usize) -> Vec<Unit> {
    use UnitRole::{CustomerRetention, Growth, LegacyCashGenerator, Productivity};
    let mut roles = vec![LegacyCashGenerator, CustomerRetention, Growth, Productivity];
    while roles.len() < count {
        roles.push(stream.pick_from(&[Growth, Productivity, LegacyCashGenerator]));
    }
    let mut units: Vec<Unit> = Vec::new();
    for (n, role) in roles.iter().enumerate() {
        let earlier = units.iter().filter(|unit| unit.role == *role).count();
        units.push(draw_unit(stream, pack, tier, n, *role, earlier));
    }
    // Shares on the grid of half points that sum to 100; the first unit takes up the rest.
    let total: f64 = units.iter().map(|unit| unit.share_pp).sum();
    let mut rest = 100.0;
    for unit in units.iter_mut().skip(1) {
        unit.share_pp = ((unit.share_pp / total) * 200.0).round() / 2.0;
        rest -= unit.share_pp;
    }
    // It is the main cash generator and has the largest share, so that the rest changes it least.
    if let Some(first) = units.first_mut() {
        first.share_pp = rest;
    }
    // A second cash generator may be one that nobody may touch.
    let may_lock = count >= 5 && stream.chance(0.5);
    for (n, unit) in units.iter_mut().enumerate() {
        let share = unit.share_pp;
        let locked = may_lock && n >= 4 && unit.role == LegacyCashGenerator;
        let (low, up) = match unit.role {
            LegacyCashGenerator => (0.45, 8.0),
            CustomerRetention => (0.8, 10.0),
            Growth => (0.5, 24.0),
            Productivity => (0.7, 12.0),
        };
        unit.floor_pp = if locked {
            share
        } else {
            (share * low * 2.0).floor() / 2.0
        };
        unit.ceiling_pp = if locked {
            share
        } else {
            (share + up).min(60.0).max(share)
        };
        if locked {
            unit.absorptive_capacity_pp = 0.0;
        }
    }
    units
}

fn draw_unit(
    stream: &mut Stream,
    pack: &Pack,
    tier: Tier,
    n: usize,
    role: UnitRole,
    earlier: usize,
) -> Unit {
    // share, outlook, risk, importance, capacity
    let tight = match tier {
        Tier::Easy => 1.0,
        Tier::Tension => 0.75,
        Tier::Fragile => 0.55,
        Tier::Adversarial => 0.6,
    };
    let [share, outlook, risk, importance, capacity] = match (role, earlier) {
        (UnitRole::LegacyCashGenerator, 0) => [
            (34.0, 44.0),
            (0.10, 0.24),
            (0.15, 0.25),
            (0.40, 0.60),
            (3.0, 3.0),
        ],
        (UnitRole::LegacyCashGenerator, _) => [
            (8.0, 12.0),
            (0.05, 0.30),
            (0.10, 0.25),
            (0.30, 0.50),
            (2.0, 3.0),
        ],
        (UnitRole::CustomerRetention, _) => [
            (14.0, 20.0),
            (0.38, 0.48),
            (0.25, 0.40),
            (0.75, 0.90),
            (5.0, 7.0),
        ],
        (UnitRole::Growth, 0) => [
            (15.0, 24.0),
            (0.80, 0.92),
            (0.40, 0.55),
            (0.90, 1.00),
            (10.0, 14.0),
        ],
        (UnitRole::Growth, _) => [
            (8.0, 14.0),
            (0.45, 0.62),
            (0.60, 0.85),
            (0.30, 0.50),
            (2.0, 5.0),
        ],
        (UnitRole::Productivity, 0) => [
            (11.0, 17.0),
            (0.50, 0.62),
            (0.30, 0.45),
            (0.70, 0.80),
            (7.0, 10.0),
        ],
        (UnitRole::Productivity, _) => [
            (6.0, 10.0),
            (0.42, 0.52),
            (0.30, 0.45),
            (0.50, 0.65),
            (3.0, 6.0),
        ],
    };
    let id = char::from(b'A' + u8::try_from(n).unwrap_or(0));
    let roi_trend = match role {
        UnitRole::LegacyCashGenerator => RoiTrend::Declining,
        UnitRole::CustomerRetention => RoiTrend::Stable,
        UnitRole::Growth if earlier > 0 => RoiTrend::Uncertain,
        UnitRole::Growth => stream.pick_from(&[RoiTrend::Emerging, RoiTrend::Improving]),
        UnitRole::Productivity => RoiTrend::Improving,
    };
    Unit {
        id: UnitId(id.to_string()),
        name: pack.unit_name(role, earlier, stream),
        role,
        share_pp: on_grid(stream, share.0, share.1, 0.5),
        roi_trend,
        growth_outlook: on_grid(stream, outlook.0, outlook.1, 0.02),
        execution_risk: on_grid(stream, risk.0, risk.1, 0.05),
        absorptive_capacity_pp: (on_grid(stream, capacity.0, capacity.1, 1.0) * tight * 2.0)
            .round()
            / 2.0,
        strategic_importance: on_grid(stream, importance.0, importance.1, 0.05),
        floor_pp: 0.0,
        ceiling_pp: 100.0,
        protected: role == UnitRole::CustomerRetention,
        capacity_warning: false,
    }
}

/// Earlier rounds: money went from the cash generator to the growth unit, in fragile companies at
/// the cost of the protected unit too; with warnings once that was more than it could absorb.
fn add_past(scenario: &mut Scenario, stream: &mut Stream) {
    let (Some(legacy), Some(growth), Some(guarded)) = (
        first_of(&scenario.units, UnitRole::LegacyCashGenerator),
        first_of(&scenario.units, UnitRole::Growth),
        first_of(&scenario.units, UnitRole::CustomerRetention),
    ) else {
        return;
    };
    let capacity = growth.absorptive_capacity_pp;
    let [legacy, growth, guarded] = [legacy, growth, guarded].map(|unit| unit.id.clone());
    let starve = scenario.tier == Tier::Fragile && stream.chance(0.5);
    let mut date = scenario.target_date.clone();
    let mut warned = false;
    for round in 1..scenario.round {
        let amount = on_grid(stream, 3.0, 7.0, 0.5);
        let cut = if starve { 1.0 } else { 0.0 };
        let mut deltas = BTreeMap::from([(legacy.clone(), cut - amount), (growth.clone(), amount)]);
        if starve {
            deltas.insert(guarded.clone(), -cut);
        }
        // The rule by which a company that is played gets its warnings.
        warned = amount >= 0.8 * capacity;
        scenario.history.push(PastDecision {
            round,
            date: date.clone(),
            deltas_pp: deltas,
            decision_type: "conservative".to_owned(),
            rationale: past_rationale(round, starve).to_owned(),
            capacity_warnings: if warned {
                vec![growth.clone()]
            } else {
                Vec::new()
            },
        });
        date = next_quarter(&date);
    }
    scenario.target_date = date;
    // What a unit shows now is the warning of the last round alone.
    if let Some(unit) = scenario.units.iter_mut().find(|unit| unit.id == growth) {
        unit.capacity_warning = warned;
    }
}
