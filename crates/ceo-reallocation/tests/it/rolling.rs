//! The transition from round to round.

use ceo_reallocation::config::GeneratorConfig;
use ceo_reallocation::dynamics::{Decision, Undercurrent, World, advance};
use ceo_reallocation::generator::generate;
use ceo_reallocation::plan::{DecisionType, ReallocationPlan};
use ceo_reallocation::scenario::{AUTHORED_IDS, Drift, Scenario, UnitId, authored};
use ceo_reallocation::{Action, CeoReallocation, Feedback, Instance, Spec};
use sim_core::testkit::small_or_full;
use sim_core::{Environment, EnvironmentSpec, PolicyContext, Seed};
use std::collections::BTreeMap;
use std::sync::Arc;

fn stepped(id: &str, deltas: &[(&str, f64)]) -> (Scenario, Undercurrent) {
    let mut scenario = authored().scenario(id).unwrap().clone();
    let drift = authored().company(&scenario.company_id).unwrap().drift;
    let mut hidden = Undercurrent::at_start(&scenario);
    let decision = Decision {
        deltas: deltas
            .iter()
            .map(|(id, pp)| (UnitId::from(*id), *pp))
            .collect(),
        rejected: false,
        decision_type: "moderate",
        rationale: "",
    };
    advance(&mut scenario, &mut hidden, &decision, drift, None);
    (scenario, hidden)
}

#[track_caller]
fn near(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-4, "got {got}, golden {want}");
}

#[test]
fn golden_step_of_case_2() {
    let (scenario, hidden) = stepped("C7-R2", &[("E", 6.0), ("F", -6.0)]);
    let state = &scenario.company_state;
    near(state.cash_runway_months, 9.8145);
    near(state.leverage, 2.7322);
    near(state.revenue_growth_pct, 8.6902);
    near(state.transformation_pressure, 77.6);
    near(hidden.fragility, 0.0580);
    near(scenario.constraints.max_realloc_pp, 23.0);
    let e = scenario.unit("E").unwrap();
    let under = &hidden.units["E"];
    near(e.share_pp, 34.0);
    near(under.strain, 0.3);
    near(e.absorptive_capacity_pp, 2.55);
    near(e.execution_risk, 0.63);
    near(e.growth_outlook, 0.585);
    near(under.roi, 0.3855);
}

#[test]
fn golden_steps_of_case_1() {
    type Step = (&'static [(&'static str, f64)], [f64; 5]);
    let golden: [Step; 3] = [
        (&[], [7.8439, 3.1324, 89.0, 0.2223, 22.5]),
        (
            &[("A", -13.0), ("C", 6.0), ("D", 4.0), ("B", 3.0)],
            [6.8271, 3.4481, 76.0, 0.3578, 21.0],
        ),
        (
            &[("A", -17.0), ("B", -2.0), ("D", -2.0), ("C", 21.0)],
            [4.6038, 3.9415, 79.2, 0.6046, 18.5],
        ),
    ];
    for (deltas, [runway, leverage, pressure, phi, max]) in golden {
        let (scenario, hidden) = stepped("C3-R3", deltas);
        let state = &scenario.company_state;
        near(state.cash_runway_months, runway);
        near(state.leverage, leverage);
        near(state.transformation_pressure, pressure);
        near(hidden.fragility, phi);
        near(scenario.constraints.max_realloc_pp, max);
        if deltas.len() == 4 && max < 20.0 {
            near(hidden.units["C"].strain, 1.0);
            near(scenario.unit("C").unwrap().absorptive_capacity_pp, 3.0);
            near(hidden.units["B"].neglect, 0.25);
        }
    }
}

#[test]
fn a_rejected_plan_moves_nothing_and_raises_pressure() {
    let step = |rejected| {
        let mut scenario = authored().scenario("C3-R3").unwrap().clone();
        let mut hidden = Undercurrent::at_start(&scenario);
        let decision = Decision {
            deltas: BTreeMap::from([(UnitId::from("A"), -5.0), (UnitId::from("C"), 5.0)]),
            rejected,
            decision_type: "",
            rationale: "",
        };
        let drift = Drift {
            runway: 0.0,
            leverage: 0.0,
            pressure: 0.0,
        };
        advance(&mut scenario, &mut hidden, &decision, drift, None);
        scenario
    };
    let rejected = step(true);
    near(rejected.unit("C").unwrap().share_pp, 20.0);
    near(
        rejected.company_state.transformation_pressure,
        80.0 + 2.0 + 5.0,
    );
    assert!(rejected.history.last().unwrap().deltas_pp.is_empty());
    near(step(false).unit("C").unwrap().share_pp, 25.0);
}

/// Everything that must hold between two rounds.
fn in_bounds(desk: &CeoReallocation) {
    let scenario = desk.scenario();
    scenario
        .check_form()
        .unwrap_or_else(|e| panic!("{} round {}: {e}", scenario.id, scenario.round));
    let share: f64 = scenario.units.iter().map(|unit| unit.share_pp).sum();
    assert!((share - 100.0).abs() < 1e-6, "{share}");
    for under in desk.state().world.hidden.units.values() {
        assert!((0.0..=1.0).contains(&under.strain) && (0.0..=1.0).contains(&under.neglect));
        assert!(under.roi.abs() < 10.0 && under.market >= 0.0);
    }
    assert!((0.0..=1.0).contains(&desk.state().world.hidden.fragility));
    // Advisors ask for what can be done, and the plan that the rules hold up is valid.
    let scorer = desk.scorer();
    for (_, advisor) in scenario.advisors.iter() {
        let preference = advisor.preference_pp.iter().map(|(id, pp)| (id, *pp));
        let plan = ReallocationPlan::from_deltas(preference, DecisionType::Bold, "");
        assert_eq!(
            scorer.violations(&plan),
            [],
            "{} {}",
            scenario.id,
            scenario.round
        );
    }
    let reference = scorer.score(&scenario.evaluation.reference_plan);
    assert!(reference.is_valid(), "{:?}", reference.violations);
}

/// In the ordinary run, from two of the authored companies.
#[test]
fn slow_forty_rounds_of_every_policy_stay_in_bounds() {
    let (mut rounds, mut distressed) = (0_u32, 0_u32);
    for id in AUTHORED_IDS.into_iter().take(small_or_full(2, usize::MAX)) {
        for spec in EnvironmentSpec::policies(&Spec) {
            let mut instance = Instance::authored(id).unwrap();
            instance.config.rounds = 40;
            instance.config.noise_sigma = if rounds % 2 == 0 { 0.0 } else { 0.3 };
            let instance = Arc::new(instance);
            let mut desk = CeoReallocation::new(Arc::clone(&instance)).unwrap();
            let seat = desk.turn();
            let making = PolicyContext::new(&*instance, &seat, Seed(4));
            let mut policy = spec.make(making).unwrap();
            while !desk.is_over() {
                let action = policy.act(&desk.observe());
                desk.step(&action).unwrap();
                in_bounds(&desk);
                rounds += 1;
            }
            let score = desk.score().unwrap();
            assert!((0.0..=100.0).contains(&score.value()));
            distressed += u32::from(desk.state().distress);
        }
    }
    eprintln!("{rounds} rounds, {distressed} of 130 companies in distress");
    assert!(rounds > small_or_full(300, 1000), "{rounds}");
}

#[test]
fn forfeits_and_rubbish_stay_in_bounds_too() {
    let mut instance = Instance::authored("C1-R1").unwrap();
    instance.config.rounds = 40;
    let mut desk = CeoReallocation::new(Arc::new(instance)).unwrap();
    let mut rounds = 0;
    while !desk.is_over() {
        match rounds % 3 {
            0 => drop(desk.forfeit()),
            1 => drop(desk.step(&Action::unreadable("no idea")).unwrap()),
            _ => drop(
                desk.step(&Action::Moves(vec![40.0, -40.0, 40.0, -40.0, 7.0]))
                    .unwrap(),
            ),
        }
        in_bounds(&desk);
        rounds += 1;
    }
    assert!(rounds > 5);
    let codes: Vec<String> = desk
        .score()
        .unwrap()
        .all_incidents()
        .iter()
        .map(|i| i.code.clone())
        .collect();
    for code in ["forfeited_period", "plan_unreadable", "plan_invalid"] {
        assert!(codes.iter().any(|c| c == code), "{code} not in {codes:?}");
    }
}

#[test]
fn a_restored_company_goes_on_identically() {
    let mut instance = Instance::authored("C4-R3").unwrap();
    (instance.config.rounds, instance.config.noise_sigma) = (8, 0.1);
    let instance = Arc::new(instance);
    let mut here = CeoReallocation::new(Arc::clone(&instance)).unwrap();
    let step = |desk: &mut CeoReallocation| {
        let plan = desk.scenario().evaluation.reference_plan.clone();
        desk.step(&Action::Plan(plan)).unwrap();
    };
    for _ in 0..3 {
        step(&mut here);
    }
    let saved = serde_json::to_string(here.state()).unwrap();
    let mut there = CeoReallocation::new(instance).unwrap();
    there
        .set_state(serde_json::from_str(&saved).unwrap())
        .unwrap();
    while !here.is_over() {
        step(&mut here);
        step(&mut there);
        assert_eq!(
            serde_json::to_string(here.state()).unwrap(),
            serde_json::to_string(there.state()).unwrap()
        );
    }
    assert!(there.is_over());
}

#[test]
fn states_of_other_worlds_are_refused() {
    let desk = |id: &str| CeoReallocation::new(Arc::new(Instance::authored(id).unwrap())).unwrap();
    let mut here = desk("C3-R3");
    let before = here.state().clone();
    assert!(here.set_state(desk("C7-R3").state().clone()).is_err());
    let mut state = before.clone();
    state.world.scenario.units[0].share_pp = 50.0;
    let error = here.set_state(state).unwrap_err();
    assert!(error.to_string().contains("share_pp"), "{error}");
    let mut state = before.clone();
    state.talk.acted = 2;
    assert!(here.set_state(state).is_err());
    // Units without a hidden side would keep their shares whatever is decided.
    let mut state = before.clone();
    state.world.hidden.units.pop_first();
    assert_eq!(
        here.set_state(state).unwrap_err().place,
        "world.hidden.units"
    );
    assert_eq!(here.state(), &before);
}

#[test]
fn histories_lead_to_the_same_world_again() {
    // What oracle policies rely on: the public history determines the hidden world.
    let mut instance = Instance::authored("C7-R2").unwrap();
    (instance.config.rounds, instance.config.noise_sigma) = (6, 0.05);
    let instance = Arc::new(instance);
    let mut desk = CeoReallocation::new(Arc::clone(&instance)).unwrap();
    let mut compared = 0;
    for n in 0..6 {
        let world = World::after(&instance, &desk.scenario().history).unwrap();
        assert_eq!(&world, &desk.state().world);
        compared += 1;
        if desk.is_over() {
            break;
        }
        match n % 3 {
            0 => {
                let plan = desk.scenario().evaluation.reference_plan.clone();
                desk.step(&Action::Plan(plan)).unwrap();
            }
            1 => drop(desk.forfeit()),
            _ => {
                desk.step(&Action::Moves(vec![90.0, -90.0])).unwrap();
            }
        }
    }
    assert!(compared >= 3);
}

#[test]
fn unreadable_replies_may_be_repeated_when_allowed() {
    let mut instance = Instance::authored("C3-R3").unwrap();
    instance.config.unreadable_retries = 2;
    let plan = instance.scenario.evaluation.reference_plan.clone();
    let mut desk = CeoReallocation::new(Arc::new(instance.clone())).unwrap();
    for left in [1, 0] {
        let feedback = desk.step(&Action::unreadable("hm")).unwrap();
        assert!(matches!(feedback, Feedback::Again { retries_left, .. } if retries_left == left));
        assert!(!desk.is_over());
    }
    desk.step(&Action::Plan(plan)).unwrap();
    assert!((desk.score().unwrap().value() - 97.5).abs() < 1e-9);
    // One more than allowed ends the round with nothing.
    let mut desk = CeoReallocation::new(Arc::new(instance)).unwrap();
    for _ in 0..3 {
        desk.step(&Action::unreadable("hm")).unwrap();
    }
    assert!(desk.is_over());
    assert_eq!(desk.score().unwrap().value(), 0.0);
}

#[test]
fn one_episode_of_each_kind_keeps_its_digest() {
    // Guards every number of a rolled episode; a change here is a change of the environment and
    // needs a new VERSION.
    let mut digests = Vec::new();
    for id in ["C1-R1", "C3-R3", "C7-R2"] {
        let mut instance = Instance::authored(id).unwrap();
        instance.config.rounds = 6;
        let mut desk = CeoReallocation::new(Arc::new(instance)).unwrap();
        while !desk.is_over() {
            let plan = desk.scenario().evaluation.reference_plan.clone();
            desk.step(&Action::Plan(plan)).unwrap();
        }
        digests.push(digest(desk.state()));
    }
    for seed in 0..3 {
        digests.push(digest(
            &generate(Seed(seed), &GeneratorConfig::default()).unwrap(),
        ));
    }
    insta::assert_snapshot!(digests.join("\n"));
}

fn digest(value: &impl serde::Serialize) -> String {
    let text = sim_core::canonical_json(value).unwrap();
    format!(
        "{} {}",
        text.len(),
        sim_core::Digest::of_bytes(text.as_bytes())
    )
}
