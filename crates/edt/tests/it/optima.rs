//! The search, the bounds and the proof: against recorded optima and against trying everything.

use crate::firms::tiny_firm;
use crate::golden::load;
use edt::action::Window;
use edt::config::{Drawn, Template};
use edt::engine::{Chance, Engine, RiskMode};
use edt::firm::Firm;
use edt::optimum::{
    Dual, ProofLimits, RiskScope, SearchSettings, best_plan, capacity_bound, risk_classes,
    upper_bound,
};
use edt::policy::{local_search, random_decision};
use edt::{Action, Config, Edt, Instance, policies};
use proptest::prelude::*;
use sim_core::testkit::small_or_full;
use sim_core::{Environment as _, Episode, PolicyContext, Seat, Seed};
use std::sync::Arc;

fn earn(firm: &Firm, decision: &Action) -> f64 {
    Engine::new(firm)
        .run(decision, &Chance::threshold(0.0))
        .accumulated_earnings
}

#[test]
fn slow_recorded_optima_are_earned_and_bounded() {
    let Some(golden) = load("optima/edt_optima.json") else {
        return;
    };
    let firm = Firm::paper();
    let mut rows = 0;
    for row in golden["rows"].as_array().unwrap() {
        let decision: Action = serde_json::from_value(row["plan"].clone()).unwrap();
        let best = row["best"].as_f64().unwrap();
        assert_eq!(earn(&firm, &decision), best, "{row}");
        let consultants = u32::try_from(decision.consultants).unwrap();
        let scope = match row["R_rule"].as_str().unwrap() {
            "any R" => RiskScope::Any,
            _ => RiskScope::Level(0.0),
        };
        let mut dual = Dual::new(&firm, consultants, scope).unwrap();
        dual.tighten(best, small_or_full(15, 60));
        assert!(dual.value() >= best, "bound {} of {row}", dual.value());
        assert!(
            dual.value() <= capacity_bound(&firm, consultants, scope),
            "{row}"
        );
        rows += 1;
    }
    assert_eq!(rows, 24);
}

#[test]
fn slow_large_firms_get_a_bound_too() {
    let firm = edt::config::Drawn {
        projects: 25,
        ..Default::default()
    }
    .firm(Seed(2))
    .unwrap();
    let chance = Chance::threshold(0.0);
    let search = SearchSettings {
        runs: 1,
        moves: 500,
        ..SearchSettings::default()
    };
    let quick = best_plan(&firm, &chance, &search, 0, &ProofLimits::default());
    let limits = ProofLimits {
        states: 2_000,
        made: 20_000,
    };
    let tight = best_plan(&firm, &chance, &search, 10, &limits);
    assert_eq!(quick.earnings, tight.earnings);
    assert!(
        tight.earnings < tight.bound && tight.bound < quick.bound,
        "{tight:?}"
    );
}

/// More consultants than the 16 bits of a state, and the last time that a clock can have.
#[test]
fn firms_at_the_limits_are_searched_and_bounded() {
    let mut firm = Firm {
        stop: 3,
        ..Firm::paper()
    };
    firm.staff[0].count = 70_000;
    firm.projects.truncate(1);
    firm.projects[0].contracted_effort = 2.0;
    firm.projects[0].consultants = 0.0;
    firm.check().unwrap();
    let worst = f64::NEG_INFINITY;
    let limits = ProofLimits::default();
    let bound = upper_bound(&firm, RiskScope::Any, Some(70_000), worst, 1, &limits);
    assert!(bound >= earn(&firm, &Action::template(&firm)));
    let late = Firm {
        start: u32::MAX,
        stop: u32::MAX,
        projects: Vec::new(),
        ..Firm::paper()
    };
    late.check().unwrap();
    let search = SearchSettings {
        runs: 1,
        moves: 100,
        ..SearchSettings::default()
    };
    let found = search.run(&late, &Chance::threshold(0.0), |_, _| {});
    assert_eq!(found.earnings, 0.0);
    let plan = random_decision(&late, &mut Seed(1).stream("plan", 0));
    assert_eq!(earn(&late, &plan), 0.0);
}

#[test]
fn slow_optimum_of_the_paper_is_found_and_proven() {
    let firm = Firm::paper();
    let search = SearchSettings {
        runs: 1,
        moves: 60_000,
        ..SearchSettings::default()
    };
    let claim = best_plan(
        &firm,
        &Chance::threshold(0.0),
        &search,
        1_500,
        &ProofLimits::default(),
    );
    assert_eq!(
        (claim.earnings, claim.bound, claim.proven),
        (14_756_000.0, 14_756_000.0, true)
    );
    assert_eq!(claim.decision.consultants, 12);
}

#[test]
fn slow_no_visited_plan_exceeds_the_bound_of_its_head_count() {
    let firm = Firm::paper();
    let bounds: Vec<f64> = (0..=12)
        .map(|c| {
            let mut dual = Dual::new(&firm, c, RiskScope::Any).unwrap();
            dual.tighten(-2e6, 40);
            dual.value()
        })
        .collect();
    let moves = small_or_full(10_000, 30_000);
    let mut seen = 0_u64;
    let mut check = |decision: &Action, earnings: f64| {
        let bound = bounds[usize::try_from(decision.consultants).unwrap()];
        assert!(
            earnings <= bound,
            "{decision:?} earns {earnings}, bound {bound}"
        );
        seen += 1;
    };
    let search = SearchSettings {
        runs: 3,
        moves,
        seed: Seed(5),
        ..SearchSettings::default()
    };
    search.run(&firm, &Chance::threshold(0.0), &mut check);
    let mut engine = Engine::new(&firm);
    let mut stream = Seed(6).stream("random plans", 0);
    for _ in 0..10_000 {
        let decision = edt::policy::random_decision(&firm, &mut stream);
        let earnings = engine
            .run(&decision, &Chance::threshold(0.0))
            .accumulated_earnings;
        check(&decision, earnings);
    }
    // Annealing, local search from the Simple plan, random plans.
    assert_eq!(seen, 1 + 3 * u64::from(moves) + 6_000 + 10_000);
}

/// Everything that can be decided, tried.
fn try_everything(firm: &Firm, consultants: u32, levels: &[f64], chance: &Chance) -> f64 {
    let mut windows: Vec<Option<Window>> = vec![None];
    for start in firm.start..=firm.stop {
        for deadline in start..=firm.stop {
            windows.push(Some(Window {
                start: start.into(),
                deadline: deadline.into(),
            }));
        }
    }
    let mut engine = Engine::new(firm);
    let mut best = f64::NEG_INFINITY;
    for level in levels {
        let mut decision = Action {
            consultants: consultants.into(),
            risk_level: *level,
            projects: vec![None; firm.projects.len()],
        };
        let mut digits = vec![0_usize; firm.projects.len()];
        loop {
            best = best.max(engine.run(&decision, chance).accumulated_earnings);
            let Some(i) = digits.iter().position(|d| d + 1 < windows.len()) else {
                break;
            };
            digits[..i].fill(0);
            decision.projects[..i].fill(windows[0]);
            digits[i] += 1;
            decision.projects[i] = windows[digits[i]];
        }
    }
    best
}

fn against_everything(firm: &Firm, consultants: u32) {
    let chance = Chance::threshold(0.0);
    let limits = ProofLimits::default();
    let best_at = |levels: &[f64]| try_everything(firm, consultants, levels, &chance);
    for (scope, best) in [
        (RiskScope::Any, best_at(&risk_classes(firm))),
        (RiskScope::Level(0.0), best_at(&[0.0])),
    ] {
        let quick = capacity_bound(firm, consultants, scope);
        assert!(quick >= best - 1e-6, "capacity bound {quick} below {best}");
        let mut dual = Dual::new(firm, consultants, scope).unwrap();
        dual.tighten(best, 60);
        assert!(
            dual.value() >= best - 1e-6,
            "Lagrangian bound {} below {best}",
            dual.value()
        );
        // Asked to beat a little less than the best, the proof must leave room for the best.
        let weak = best - 700.0;
        // Prices for more heads bound fewer heads too.
        if consultants > 0 {
            let fewer = try_everything(firm, consultants - 1, &[0.0], &chance);
            assert!(dual.value_for(firm, consultants - 1) >= fewer - 1e-6);
        }
        if let Some(proof) = dual.prove(firm.dt, weak, &limits) {
            assert!(
                proof.bound >= best - 1e-6,
                "proof {proof:?} excludes {best}"
            );
            assert!(proof.bound <= dual.value().max(weak) + 1e-6, "{proof:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, ..ProptestConfig::default() })]

    #[test]
    fn slow_bounds_hold_against_trying_everything(firm in tiny_firm(2, 8), heads in 0_u32..4) {
        against_everything(&firm, heads);
    }

    #[test]
    fn draws_do_not_exceed_the_bounds(firm in tiny_firm(2, 6), heads in 0_u32..4, seed in any::<u64>()) {
        let chance = Chance { mode: RiskMode::BernoulliRepeat, risk_level: 0.0, seed: Seed(seed) };
        let best = try_everything(&firm, heads, &[0.3, 1.0], &chance);
        let bound = upper_bound(&firm, RiskScope::Any, Some(heads), best - 700.0, 40, &ProofLimits::default());
        prop_assert!(bound >= best - 1e-6);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: small_or_full(40, 150), ..ProptestConfig::default() })]

    #[test]
    fn slow_bounds_hold_for_three_projects(firm in tiny_firm(3, 7), heads in 2_u32..4) {
        against_everything(&firm, heads);
    }
}

/// Large firms leave annealing too few moves: alone it ended far below the Simple plan.
#[test]
fn slow_no_size_of_firm_makes_the_search_worse_than_simpler_policies() {
    let optimal = |instance: &Instance| {
        let spec = policies().into_iter().find(|p| p.about.name == "optimal");
        let context = PolicyContext::new(instance, &Seat::AGENT, Seed(7));
        let mut policy = spec.unwrap().make(context).unwrap();
        policy.act(&Edt::new(Arc::new(instance.clone())).unwrap().observe())
    };
    let sizes = [
        (5, 48, 1.0),
        (10, 96, 0.5),
        (33, 24, 3.0),
        (100, 60, 0.3),
        (200, 96, 1.0),
        (300, 200, 1.0),
        (600, 96, 0.2),
        (1_000, 96, 1.0),
    ];
    for (projects, units, load) in sizes {
        for risk_mode in [RiskMode::Threshold, RiskMode::BernoulliRepeat] {
            let drawn = Drawn {
                projects,
                units,
                load,
            };
            let config = Config {
                template: Template::Drawn(drawn),
                risk_mode,
                ..Config::default()
            };
            let instance = Instance::generate(&config, Episode::of_run(Seed(0), 0)).unwrap();
            let mut engine = Engine::new(&instance.firm);
            let mut earn = |plan: &Action| {
                engine
                    .run(plan, &instance.chance(plan.risk_level))
                    .accumulated_earnings
            };
            let searched = earn(&optimal(&instance));
            let simple = earn(&Action::simple(&instance.firm));
            assert!(searched >= simple, "{config:?}: {searched} < {simple}");
            let local = earn(&local_search(&instance, Seed(1)));
            assert!(searched >= local, "{config:?}: {searched} < {local}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: small_or_full(40, 400), ..ProptestConfig::default() })]

    #[test]
    fn no_search_ends_below_the_simple_plan(
        instance in edt::strategy::instance(),
        heads in proptest::option::of(0_u32..20),
        risk_level in proptest::option::of(0.0..=1.0),
        moves in 0_u32..50,
    ) {
        let firm = &instance.firm;
        let search = SearchSettings {
            runs: 1,
            moves,
            consultants: heads,
            risk_level,
            ..SearchSettings::default()
        };
        let found = search.run(firm, &instance.chance(0.0), |_, _| {});
        let mut simple = Action::simple(firm);
        if let Some(heads) = heads {
            simple.consultants = heads.min(firm.head_count()).into();
            prop_assert_eq!(found.decision.consultants, simple.consultants);
        }
        if let Some(risk_level) = risk_level {
            simple.risk_level = risk_level;
            prop_assert_eq!(found.decision.risk_level, risk_level);
        }
        let mut engine = Engine::new(firm);
        let mut earn = |plan: &Action| engine.run(plan, &instance.chance(0.0)).accumulated_earnings;
        prop_assert_eq!(earn(&found.decision), found.earnings);
        prop_assert!(found.earnings >= earn(&simple));
    }
}

#[test]
fn a_given_head_count_stays_where_there_are_no_projects() {
    let mut firm = Firm::paper();
    firm.projects.clear();
    let search = SearchSettings {
        runs: 1,
        moves: 100,
        consultants: Some(9),
        ..SearchSettings::default()
    };
    let found = search.run(&firm, &Chance::threshold(0.0), |_, _| {});
    assert_eq!(found.decision.consultants, 9);
}

#[test]
fn search_finds_what_trying_everything_finds() {
    let mut firm = Firm::paper();
    firm.stop = 9;
    firm.projects.drain(2..9);
    for project in &mut firm.projects {
        project.contracted_effort = (project.contracted_effort / 20.0).round();
        project.extension_effort = 2.0;
        project.start_time = 1.0;
        project.deadline = 9.0;
    }
    let chance = Chance::threshold(0.0);
    let best = (0..=3).map(|c| try_everything(&firm, c, &risk_classes(&firm), &chance));
    let best = best.fold(f64::NEG_INFINITY, f64::max);
    firm.staff[0].count = 3;
    let search = SearchSettings {
        runs: 3,
        moves: 5_000,
        ..SearchSettings::default()
    };
    let claim = best_plan(&firm, &chance, &search, 300, &ProofLimits::default());
    assert_eq!(claim.earnings, best);
    assert_eq!(earn(&firm, &claim.decision), best);
    assert!(claim.bound >= best);
}

/// With shorter steps the work of the last unit of time is booked too, and the search uses it.
#[test]
fn short_steps_are_used_to_the_end() {
    let firm = Firm {
        dt: 0.25,
        ..Firm::paper()
    };
    let search = SearchSettings {
        runs: 1,
        moves: 5_000,
        ..SearchSettings::default()
    };
    let found = search.run(&firm, &Chance::threshold(0.0), |_, _| {});
    let earned = |plan: &Action| {
        let chance = Chance::threshold(plan.risk_level);
        Engine::new(&firm).run(plan, &chance).accumulated_earnings
    };
    assert_eq!(earned(&found.decision), found.earnings);
    let mut shorter = found.decision.clone();
    for window in shorter.projects.iter_mut().flatten() {
        window.deadline = window.deadline.min(95.0);
    }
    assert_ne!(shorter, found.decision);
    assert!(earned(&shorter) < found.earnings, "{found:?}");
}
