//! What must hold for every plan, scenario and round.

use crate::golden::scorer;
use ceo_reallocation::config::ScoringConfig;
use ceo_reallocation::plan::{DecisionType, ReallocationPlan, ViolationCode, parse_plan};
use ceo_reallocation::policy::random_moves;
use ceo_reallocation::scenario::{AUTHORED_IDS, Scenario, authored};
use ceo_reallocation::score::{Moves, Scorer, similarity};
use ceo_reallocation::strategy::{action, deltas, instance, scenario};
use ceo_reallocation::{Action, CeoReallocation, Config, Instance, Observation};
use proptest::prelude::*;
use sim_core::{Environment, Seed};
use std::sync::Arc;

fn scorer_of(scenario: &Scenario) -> Scorer {
    Scorer::new(scenario, &ScoringConfig::default()).unwrap()
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[a-zA-Z .;!?\n]{0,80}",
        Just(
            "Because the CFO and the CMO differ, but history matters, we prioritise unit C."
                .to_owned()
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scores_stay_in_range(s in scenario(), deltas in deltas(), text in text(), declared in 0.0..60.0_f64) {
        let scorer = scorer_of(&s);
        let mut plan = scorer.plan(&Moves::from_deltas(&deltas), DecisionType::Bold, text);
        plan.total_realloc_share = Some(declared.into());
        let m = scorer.score(&plan).marks;
        for value in [m.score, m.role, m.boldness, m.history, m.validity] {
            prop_assert!((0.0..=100.0 + 1e-9).contains(&value), "{m:?}");
        }
        for value in [m.fit, m.respect, m.perspectives, m.rationale, m.hull, m.label, m.lexical] {
            prop_assert!((-1e-9..=1.0 + 1e-9).contains(&value), "{m:?}");
        }
        prop_assert_eq!(m.is_valid, scorer.violations(&plan).is_empty());
    }

    #[test]
    fn valid_plans_keep_the_whole_and_the_bounds(s in scenario(), seed in any::<u64>()) {
        let scorer = scorer_of(&s);
        let moves = random_moves(&scorer, &mut Seed(seed).stream("p", 0)).unwrap();
        let mut total = 0.0;
        for (unit, delta) in s.units_by_id().iter().zip(moves.deltas()) {
            let share = unit.share_pp + delta;
            prop_assert!(share >= unit.floor_pp - 1e-6 && share <= unit.ceiling_pp + 1e-6);
            total += share;
        }
        prop_assert!((total - 100.0).abs() < 0.011);
        prop_assert!(scorer.is_valid(&moves));
    }

    #[test]
    fn boldness_is_the_weight_inside_a_range_and_falls_outside(s in scenario(), at in 0.0..1.0_f64) {
        let scorer = scorer_of(&s);
        let bold = |r: f64| {
            let mut deltas = [0.0; 8];
            (deltas[0], deltas[1]) = (-r, r);
            let moves = Moves::from_deltas(&deltas);
            scorer.judge(&moves, r, None, scorer.best_wording()).boldness
        };
        let most = s.evaluation.profiles.iter().map(|p| p.weight).fold(0.0, f64::max);
        for p in &s.evaluation.profiles {
            let inside = bold(p.r_min_pp + at * (p.r_max_pp - p.r_min_pp));
            prop_assert!(inside >= p.weight - 1e-9 && inside <= most + 1e-9);
        }
        let low = s.evaluation.profiles.iter().map(|p| p.r_min_pp).fold(f64::INFINITY, f64::min);
        let high = s.evaluation.profiles.iter().map(|p| p.r_max_pp).fold(0.0, f64::max);
        let (a, b) = (at * low, 0.9 * at * low);
        prop_assert!(bold(b) <= bold(a) + 1e-9);
        let (c, d) = (high * (1.0 + at), high * (1.0 + 1.1 * at));
        prop_assert!(bold(d) <= bold(c) + 1e-9);
    }

    #[test]
    fn similarity_is_symmetric_and_full_only_for_equals(a in deltas(), b in deltas()) {
        let j = similarity(&a, &b);
        prop_assert_eq!(j, similarity(&b, &a));
        prop_assert!((0.0..=1.0).contains(&j));
        prop_assert_eq!(j == 1.0, a == b);
        prop_assert_eq!(similarity(&a, &a), 1.0);
    }

    #[test]
    fn the_order_of_units_in_a_file_changes_no_bit(s in scenario(), deltas in deltas(), by in 1..8_usize) {
        let mut turned = s.clone();
        let n = turned.units.len();
        turned.units.rotate_left(by % n);
        turned.constraints.locked_units.reverse();
        let (a, b) = (scorer_of(&s), scorer_of(&turned));
        let plan = a.plan(&Moves::from_deltas(&deltas), DecisionType::Moderate, "Because unit A.");
        let (x, y) = (a.score(&plan), b.score(&plan));
        prop_assert_eq!(x.marks.score.to_bits(), y.marks.score.to_bits());
        prop_assert_eq!(x, y);
    }

    #[test]
    fn words_never_touch_validity_and_boldness(s in scenario(), deltas in deltas(), words in text()) {
        let scorer = scorer_of(&s);
        let moves = Moves::from_deltas(&deltas);
        let mute = scorer.score(&scorer.plan(&moves, DecisionType::Bold, "")).marks;
        let said = scorer.score(&scorer.plan(&moves, DecisionType::Bold, words)).marks;
        prop_assert_eq!(mute.validity.to_bits(), said.validity.to_bits());
        prop_assert_eq!(mute.boldness.to_bits(), said.boldness.to_bits());
        // 12 of R and 5 of H at most, a quarter of each.
        prop_assert!(said.score - mute.score <= 0.25 * 17.0 + 1e-9);
        prop_assert!(said.score >= mute.score - 1e-9);
    }

    #[test]
    fn a_smaller_plan_never_hits_the_cap(s in scenario(), seed in any::<u64>(), scale in 0.0..1.0_f64) {
        let scorer = scorer_of(&s);
        let moves = random_moves(&scorer, &mut Seed(seed).stream("p", 1)).unwrap();
        let small = Moves::from_deltas(&moves.deltas().map(|d| d * scale));
        let plan = scorer.plan(&small, DecisionType::Bold, "");
        let codes: Vec<_> = scorer.violations(&plan).iter().map(|v| v.code).collect();
        prop_assert!(!codes.contains(&ViolationCode::ReallocCap));
        prop_assert!(!codes.contains(&ViolationCode::Floor) && !codes.contains(&ViolationCode::Ceiling));
    }

    #[test]
    fn reading_never_panics_and_finds_what_was_written(s in scenario(), seed in any::<u64>(), before in "[^{}\"]{0,40}", after in ".{0,40}") {
        let scorer = scorer_of(&s);
        let moves = random_moves(&scorer, &mut Seed(seed).stream("p", 2)).unwrap();
        let plan = scorer.plan(&moves, DecisionType::Moderate, "a } \" { text\n");
        let json = serde_json::to_string_pretty(&plan).unwrap();
        let read = parse_plan(&format!("{before}{json}{after}")).unwrap();
        prop_assert_eq!(read, plan);
    }

    #[test]
    fn any_text_is_read_or_refused(reply in "\\PC{0,200}") {
        let _ = parse_plan(&reply).map(|plan: ReallocationPlan| scorer("C5-R3").score(&plan));
    }

    #[test]
    fn any_cut_of_a_reply_is_read_or_refused(at in 0..400_usize) {
        let plan = &authored().scenario("C3-R3").unwrap().evaluation.reference_plan;
        let json = serde_json::to_string(plan).unwrap();
        let cut: String = json.chars().take(at).collect();
        let whole = at >= json.chars().count();
        prop_assert_eq!(parse_plan(&cut).is_ok(), whole);
    }

    #[test]
    fn moves_of_learning_programs_become_balanced_plans(
        n in 0..13_usize,
        deltas in deltas(),
        // Small moves too: a side whose amounts are all below a hundredth keeps its sum.
        size in prop_oneof![Just(1.0), 0.0005..0.05_f64],
    ) {
        let desk = CeoReallocation::new(Arc::new(Instance::authored(AUTHORED_IDS[n]).unwrap())).unwrap();
        let plan = desk.plan_of_moves(&deltas.map(|delta| delta * size));
        // Closer than the tolerance of the balance check, which is a hundredth.
        prop_assert!((plan.removed() - plan.added()).abs() < 1e-9, "{plan:?}");
        let codes: Vec<_> = desk.scorer().violations(&plan).iter().map(|v| v.code).collect();
        for code in [ViolationCode::MassBalance, ViolationCode::DeclaredTotal, ViolationCode::Locked] {
            prop_assert!(!codes.contains(&code), "{plan:?}");
        }
    }

    #[test]
    fn drawn_actions_are_accepted_and_observations_travel(
        (instance, action) in instance().prop_flat_map(|instance| {
            let action = action(&instance);
            (Just(instance), action)
        }),
    ) {
        let mut env = CeoReallocation::new(Arc::new(instance)).unwrap();
        prop_assert!(env.step(&action).is_ok());
        let seen = env.observe();
        let text = serde_json::to_string(&seen).unwrap();
        prop_assert_eq!(serde_json::from_str::<Observation>(&text).unwrap(), seen);
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes(seed in any::<u64>()) {
        let play = || {
            let mut config = Config::of_scenario("C7-R2");
            (config.rounds, config.noise_sigma) = (6, 0.2);
            let mut instance = Instance::authored("C7-R2").unwrap();
            (instance.config, instance.seed) = (config, Seed(seed));
            let mut desk = CeoReallocation::new(Arc::new(instance)).unwrap();
            while !desk.is_over() {
                let plan = desk.scenario().evaluation.reference_plan.clone();
                desk.step(&Action::Plan(plan)).unwrap();
            }
            serde_json::to_string(desk.state()).unwrap()
        };
        prop_assert_eq!(play(), play());
    }
}
