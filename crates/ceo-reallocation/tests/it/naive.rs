//! A second scorer, written straight from the design page over maps and strings, against the
//! compiled one.

use ceo_reallocation::config::GeneratorConfig;
use ceo_reallocation::config::ScoringConfig;
use ceo_reallocation::generator::generate;
use ceo_reallocation::plan::ReallocationPlan;
use ceo_reallocation::policy::random_moves;
use ceo_reallocation::scenario::{
    Direction, FlagKind, Officer, Posture, Scenario, Severity, TransferRule, UnitId, authored,
};
use ceo_reallocation::score::{Moves, Scorer};
use petgraph::algo::ford_fulkerson;
use petgraph::graph::DiGraph;
use sim_core::Seed;
use std::collections::BTreeMap;
use strum::VariantArray;

type Map = BTreeMap<String, f64>;

/// Signed moves by unit, all units present.
fn deltas(scenario: &Scenario, plan: &ReallocationPlan) -> Map {
    let mut map: Map = scenario
        .units
        .iter()
        .map(|unit| (unit.id.as_str().to_owned(), 0.0))
        .collect();
    for (id, amount) in &plan.add_to {
        *map.get_mut(id.as_str()).unwrap() += amount.value();
    }
    for (id, amount) in &plan.remove_from {
        *map.get_mut(id.as_str()).unwrap() -= amount.value();
    }
    map
}

fn pos(map: &Map, ids: &[UnitId]) -> f64 {
    ids.iter().map(|id| map[id.as_str()].max(0.0)).sum()
}

fn neg(map: &Map, ids: &[UnitId]) -> f64 {
    ids.iter().map(|id| (-map[id.as_str()]).max(0.0)).sum()
}

/// The largest amount of money that can flow from giving to receiving units without a forbidden pair.
fn flow(delta: &Map, forbidden: &[(String, String)]) -> f64 {
    let mut network = DiGraph::<(), f64>::new();
    let [source, sink] = [(), ()].map(|()| network.add_node(()));
    let units: Vec<_> = delta.iter().map(|u| (u, network.add_node(()))).collect();
    for ((from, given), giver) in units.iter().filter(|((_, d), _)| **d < 0.0) {
        network.add_edge(source, *giver, -*given);
        for ((to, _), receiver) in units.iter().filter(|((_, d), _)| **d > 0.0) {
            if !forbidden.contains(&((*from).clone(), (*to).clone())) {
                network.add_edge(*giver, *receiver, -*given);
            }
        }
    }
    for ((_, received), receiver) in units.iter().filter(|((_, d), _)| **d > 0.0) {
        network.add_edge(*receiver, sink, **received);
    }
    ford_fulkerson(&network, source, sink).0
}

fn is_valid(scenario: &Scenario, plan: &ReallocationPlan) -> bool {
    let delta = deltas(scenario, plan);
    let (r, a) = (plan.removed(), plan.added());
    let declared = plan.total_realloc_share.as_ref().map_or(r, |t| t.value());
    let mut ok = (r - a).abs() <= 0.01
        && (declared - r).abs() <= 0.5
        && r <= scenario.constraints.max_realloc_pp + 1e-6;
    for unit in &scenario.units {
        let d = delta[unit.id.as_str()];
        let share = unit.share_pp + d;
        ok &= if scenario.is_locked(unit.id.as_str()) {
            d.abs() <= 1e-6
        } else {
            share >= unit.floor_pp - 1e-6 && share <= unit.ceiling_pp + 1e-6
        };
    }
    let mut forbidden = Vec::new();
    for rule in &scenario.constraints.transfer_rules {
        ok &= match rule {
            TransferRule::MaxAdd { unit, pp } => delta[unit.as_str()] <= pp + 1e-6,
            TransferRule::MinShare { unit, pp } => {
                scenario.unit(unit.as_str()).unwrap().share_pp + delta[unit.as_str()] >= pp - 1e-6
            }
            TransferRule::RetainFraction {
                sources,
                destinations,
                fraction,
            } => pos(&delta, destinations) >= fraction * neg(&delta, sources) - 1e-6,
            TransferRule::ConditionalMinAdd {
                if_unit,
                if_add_gt,
                then_unit,
                then_add_ge,
            } => {
                delta[if_unit.as_str()] <= if_add_gt + 1e-6
                    || delta[then_unit.as_str()] >= then_add_ge - 1e-6
            }
            TransferRule::ForbidFlow {
                sources,
                destinations,
            } => {
                for s in sources {
                    for d in destinations {
                        forbidden.push((s.as_str().to_owned(), d.as_str().to_owned()));
                    }
                }
                true
            }
        };
    }
    ok && (forbidden.is_empty() || flow(&delta, &forbidden) >= r.min(a) - 1e-6)
}

fn jaccard(a: &Map, b: &BTreeMap<UnitId, f64>) -> f64 {
    let (mut over, mut union) = (0.0, 0.0);
    for (id, x) in a {
        let y = b.get(id.as_str()).copied().unwrap_or(0.0);
        if (*x > 0.0 && y > 0.0) || (*x < 0.0 && y < 0.0) {
            over += x.abs().min(y.abs());
            union += x.abs().max(y.abs());
        } else {
            union += x.abs() + y.abs();
        }
    }
    if union == 0.0 { 1.0 } else { over / union }
}

fn degree(scenario: &Scenario, delta: &Map, r: f64, kind: &FlagKind, severity: Severity) -> f64 {
    let state = &scenario.company_state;
    let add = |id: &UnitId| delta[id.as_str()].max(0.0);
    let cut = |id: &UnitId| (-delta[id.as_str()]).max(0.0);
    let (excess, tolerance, scale) = match kind {
        FlagKind::MaxTotal { pp } => (r - pp, 0.05, 5.0),
        FlagKind::MinTotal { pp } => (pp - r, 0.05, 5.0),
        FlagKind::MaxAdd { unit, pp } => (add(unit) - pp, 0.05, 5.0),
        FlagKind::MinAdd { unit, pp } => (pp - add(unit), 0.05, 5.0),
        FlagKind::MinAddSum { units, pp } => (pp - pos(delta, units), 0.05, 5.0),
        FlagKind::NoAdd { unit } => (add(unit), 0.05, 5.0),
        FlagKind::NoCut { unit } => (cut(unit), 0.05, 5.0),
        FlagKind::MaxCut { unit, pp } => (cut(unit) - pp, 0.05, 5.0),
        FlagKind::MinCut { unit, pp } => (pp - cut(unit), 0.05, 5.0),
        FlagKind::MinShareAfter { unit, pp } => {
            let now = scenario.unit(unit.as_str()).unwrap().share_pp;
            (pp - (now + delta[unit.as_str()]), 0.05, 5.0)
        }
        FlagKind::Prereq {
            if_unit,
            if_add_gt,
            then_unit,
            then_add_ge,
        } => {
            let missing = if add(if_unit) > *if_add_gt {
                then_add_ge - add(then_unit)
            } else {
                0.0
            };
            (missing, 0.05, 5.0)
        }
        FlagKind::MinRunwayAfter { months } => {
            let after = state.cash_runway_months - state.proforma.runway_months_per_pp * r;
            (months - after, 1e-6, 1.0)
        }
        FlagKind::MaxLeverageAfter { x } => (
            state.leverage + state.proforma.leverage_per_pp * r - x,
            1e-6,
            0.25,
        ),
    };
    match severity {
        _ if excess <= tolerance => 0.0,
        Severity::Veto => 1.0,
        Severity::Concern => (excess / scale).min(1.0),
    }
}

/// Whether a word stands in a text with no letter or digit beside it.
fn contains(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

fn sentences(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let chars: Vec<char> = text.chars().collect();
    for (i, c) in chars.iter().enumerate() {
        all.last_mut().unwrap().push(*c);
        let next_white = chars.get(i + 1).is_some_and(|n| n.is_whitespace());
        if *c == '\n' || ('.' == *c || '!' == *c || '?' == *c || ';' == *c) && next_white {
            all.push(String::new());
        }
    }
    all
}

const OFFICERS: [[&str; 2]; 4] = [
    ["cfo", "chief financial"],
    ["cto", "chief technology"],
    ["coo", "chief operating"],
    ["cmo", "chief marketing"],
];
const TENSION: [&str; 11] = [
    "but",
    "however",
    "while",
    "whereas",
    "although",
    "despite",
    "versus",
    "trade-off",
    "tradeoff",
    "tension",
    "conflict",
];
const PRIORITY: [&str; 9] = [
    "because",
    "therefore",
    "prioritise",
    "prioritize",
    "outweigh",
    "outweighs",
    "given that",
    "takes precedence",
    "for this reason",
];
const EARLIER: [&str; 8] = [
    "previous",
    "prior",
    "earlier",
    "last round",
    "last two rounds",
    "past round",
    "already raised",
    "history",
];

fn names_unit(scenario: &Scenario, text: &str, moved: &dyn Fn(&str) -> bool) -> bool {
    scenario.units.iter().any(|unit| {
        let id = unit.id.as_str();
        moved(id)
            && (contains(text, &unit.name.to_lowercase())
                || contains(text, &format!("unit {}", id.to_lowercase())))
    })
}

fn lexical(scenario: &Scenario, delta: &Map, rationale: &str) -> f64 {
    let text = rationale.to_lowercase();
    let named = |part: &str| {
        OFFICERS
            .iter()
            .filter(|words| words.iter().any(|w| contains(part, w)))
            .count()
    };
    let (mut tension, mut priority) = (0.0_f64, 0.0_f64);
    for sentence in sentences(&text) {
        if TENSION.iter().any(|w| contains(&sentence, w)) {
            tension = tension.max(if named(&sentence) >= 2 { 1.0 } else { 0.5 });
        }
        if PRIORITY.iter().any(|w| contains(&sentence, w)) {
            let moved = |id: &str| delta[id].abs() >= 0.5 - 1e-6;
            let full = names_unit(scenario, &sentence, &moved);
            priority = priority.max(if full { 1.0 } else { 0.5 });
        }
    }
    0.4 * (named(&text) as f64 / 3.0).min(1.0) + 0.3 * tension + 0.3 * priority
}

/// R, B, H, V.
pub(crate) fn dimensions(scenario: &Scenario, plan: &ReallocationPlan) -> [f64; 4] {
    let delta = deltas(scenario, plan);
    let r = plan.removed();
    let valid = is_valid(scenario, plan);
    let unit = |id: &str| scenario.unit(id).unwrap();
    // V and B
    let (mut bold_best, mut key_best, mut fit_best) = (0.0_f64, f64::NEG_INFINITY, 0.0);
    for p in &scenario.evaluation.profiles {
        let (under, over) = match p.posture {
            Posture::Transformation => (2.5, 1.25),
            Posture::Balanced => (2.0, 1.5),
            Posture::Stability => (1.0, 1.25),
        };
        let bold = if r >= p.r_min_pp - 1e-6 && r <= p.r_max_pp + 1e-6 {
            p.weight
        } else if r < p.r_min_pp {
            p.weight * (1.0 - under * (p.r_min_pp - r) / p.r_min_pp).max(0.0)
        } else {
            p.weight * (1.0 - over * (r - p.r_max_pp) / p.r_max_pp).max(0.0)
        };
        let whole = r.max(p.r_min_pp);
        let cut: f64 = scenario
            .units
            .iter()
            .filter(|u| u.protected)
            .map(|u| ((-delta[u.id.as_str()]).max(0.0) - p.tolerances.protected_cut_pp).max(0.0))
            .sum();
        let excess: f64 = scenario
            .units
            .iter()
            .map(|u| {
                let add = delta[u.id.as_str()].max(0.0);
                (add - u.absorptive_capacity_pp - p.tolerances.absorb_excess_pp).max(0.0)
            })
            .sum();
        let fit = 0.35 * (pos(&delta, &p.preferred_destinations) / whole).min(1.0)
            + 0.20 * (neg(&delta, &p.preferred_sources) / whole).min(1.0)
            + 0.20 * (1.0 - (cut / 3.0).min(1.0))
            + 0.25 * (1.0 - (excess / 4.0).min(1.0));
        bold_best = bold_best.max(bold);
        let key = ((0.5 * bold / 100.0 + 0.5 * fit) * 1e9).round();
        if key > key_best {
            key_best = key;
            fit_best = fit;
        }
    }
    let v = if valid { 40.0 + 60.0 * fit_best } else { 0.0 };
    // R
    let mut respect = 0.0;
    for (_, advisor) in scenario.advisors.iter() {
        let total: f64 = advisor.flags.iter().map(|f| f.weight).sum();
        let broken: f64 = advisor
            .flags
            .iter()
            .map(|f| f.weight * degree(scenario, &delta, r, &f.kind, f.severity))
            .sum();
        let mean = if total > 0.0 { broken / total } else { 0.0 };
        respect += advisor.salience * (1.0 - mean);
    }
    let mut near: Vec<f64> = Officer::ALL
        .iter()
        .map(|o| jaccard(&delta, &scenario.advisors.of(*o).preference_pp))
        .collect();
    near.sort_by(|a, b| b.partial_cmp(a).unwrap());
    let captured = near[0] >= 0.85 - 1e-9 && near[0] - near[1] >= 0.25 - 1e-9;
    let perspectives = if captured {
        0.0
    } else {
        (near[2] / 0.35).min(1.0)
    };
    let mut hulls = Vec::new();
    for (id, d) in &delta {
        let preferences: Vec<f64> = Officer::ALL
            .iter()
            .map(|o| {
                let preference = &scenario.advisors.of(*o).preference_pp;
                preference.get(id.as_str()).copied().unwrap_or(0.0)
            })
            .collect();
        let low = preferences.iter().copied().fold(f64::INFINITY, f64::min);
        let high = preferences
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        if high - low >= 4.0 - 1e-6 {
            let distance = (low - 0.5 - d).max(d - high - 0.5).max(0.0);
            hulls.push((1.0 - distance / 5.0).max(0.0));
        }
    }
    let hull = if hulls.is_empty() {
        1.0
    } else {
        hulls.iter().sum::<f64>() / hulls.len() as f64 * (r / 2.0).min(1.0)
    };
    let bands = &scenario.evaluation.decision_bands;
    let right: i32 = if r >= bands.bold_from_pp - 1e-6 {
        2
    } else if r >= bands.moderate_from_pp - 1e-6 {
        1
    } else {
        0
    };
    let said: Option<i32> = match plan.decision_type.trim().to_lowercase().as_str() {
        "conservative" => Some(0),
        "moderate" => Some(1),
        "bold" => Some(2),
        _ => None,
    };
    let label = match said.map(|s| (s - right).abs()) {
        Some(0) => 1.0,
        Some(1) => 0.5,
        _ => 0.0,
    };
    let rationale = 0.35 * hull + 0.25 * label + 0.40 * lexical(scenario, &delta, &plan.rationale);
    let role = 40.0 * respect + 30.0 * perspectives + 30.0 * rationale;
    // H
    let mut h = 85.0;
    for (id, d) in &delta {
        let run = |holds: &dyn Fn(&ceo_reallocation::scenario::PastDecision) -> bool| {
            scenario
                .history
                .iter()
                .rev()
                .take_while(|past| holds(past))
                .count() as f64
        };
        let then = |past: &ceo_reallocation::scenario::PastDecision| {
            past.deltas_pp.get(id.as_str()).copied().unwrap_or(0.0)
        };
        let overload = run(&|past| {
            then(past) >= 0.5 - 1e-6
                && past
                    .capacity_warnings
                    .iter()
                    .any(|u| u.as_str() == id.as_str())
        });
        if overload > 0.0 && *d > unit(id).absorptive_capacity_pp + 0.5 + 1e-6 {
            h -= 5.0 * overload;
        }
        let starvation = run(&|past| then(past) <= -0.5 + 1e-6);
        if unit(id).protected && starvation > 0.0 && -d >= 0.5 - 1e-6 {
            h -= 5.0 * starvation;
        }
    }
    if let Some(reversal) = &scenario.evaluation.reversal {
        let d = delta[reversal.unit.as_str()];
        let x = match reversal.direction {
            Direction::Defund => -d,
            Direction::Fund => d,
        }
        .max(0.0);
        let stage = if x <= reversal.stage_max_pp + 1e-6 {
            1.0
        } else {
            (1.0 - (x - reversal.stage_max_pp) / 5.0).max(0.0)
        };
        h += 10.0 * (x / reversal.target_min_pp).min(1.0) * stage;
    }
    if !scenario.history.is_empty() {
        let text = plan.rationale.to_lowercase();
        if EARLIER.iter().any(|w| contains(&text, w)) || !plan.history_refs.is_empty() {
            h += 2.5;
            let before = |id: &str| {
                scenario.history.iter().any(|past| {
                    past.deltas_pp
                        .get(id)
                        .is_some_and(|d| d.abs() >= 0.5 - 1e-6)
                })
            };
            if names_unit(scenario, &text, &before) {
                h += 2.5;
            }
        }
    }
    [role, bold_best, h.clamp(0.0, 100.0), v]
}

const TEXTS: [&str; 8] = [
    "",
    "Because the CFO worries, but the CTO pushes, we prioritise unit C; the COO agrees.",
    "The CMO versus the chief financial officer: a tension. Unit A, unit b and UNIT D.",
    "Butter and whiles; cfos and actors. Prioritised! Earlier\nrounds",
    "Given that history repeats — therefore unit E. However, the CMO and COO conflict",
    "previous;prior. last round last two rounds unit F. Despite! the COO? and the CTO",
    "Prior rounds raised Open Platform; because Merchant Service is thin we stop. CFO, CTO, COO.",
    "İstanbul but ß CFO… cto。therefore unit a",
];

fn compare(scenario: &Scenario, plan: &ReallocationPlan, scorer: &Scorer) {
    let fast = scorer.score(plan).marks;
    let slow = dimensions(scenario, plan);
    let what = format!("{} {plan:?}", scenario.id);
    for (fast, slow) in [fast.role, fast.boldness, fast.history, fast.validity]
        .iter()
        .zip(slow)
    {
        assert!((fast - slow).abs() < 1e-9, "{what}: {fast} {slow}");
    }
}

#[test]
fn slow_two_scorers_agree_on_random_plans() {
    let mut scenarios: Vec<Scenario> = authored().scenarios.clone();
    for seed in 0..40 {
        scenarios.push(
            generate(Seed(seed), &GeneratorConfig::default())
                .unwrap()
                .scenario,
        );
    }
    let (mut compared, mut invalid) = (0_u32, 0_u32);
    for scenario in &scenarios {
        let scorer = Scorer::new(scenario, &ScoringConfig::default()).unwrap();
        let mut stream = Seed(9).stream("twin", 0);
        for n in 0..300_u32 {
            // Half of them valid, half anything: unbalanced, over the cap, on locked units.
            let moves = if n % 2 == 0 {
                random_moves(&scorer, &mut stream).unwrap()
            } else {
                let mut deltas = [0.0; 8];
                for slot in deltas.iter_mut().take(scorer.ids().len()) {
                    if stream.chance(0.6) {
                        *slot = (stream.uniform(-14.0, 14.0) * 4.0).round() / 4.0;
                    }
                }
                Moves::from_deltas(&deltas)
            };
            let kind = *stream
                .pick(ceo_reallocation::plan::DecisionType::VARIANTS)
                .unwrap();
            let mut plan = scorer.plan(&moves, kind, *stream.pick(&TEXTS).unwrap());
            if stream.chance(0.1) {
                plan.decision_type = "daring".to_owned();
            }
            if stream.chance(0.1) {
                plan.history_refs = vec![1];
            }
            if stream.chance(0.05) {
                plan.total_realloc_share = Some(40.0.into());
            }
            compare(scenario, &plan, &scorer);
            invalid += u32::from(!is_valid(scenario, &plan));
            compared += 1;
        }
    }
    assert_eq!(compared, 53 * 300);
    assert!(invalid > 3000 && invalid < 12_000, "{invalid}");
}
