//! Efficiency against equality.

use crate::hostile::{never_submits, sends_garbage, writes_a_book};
use crate::play::play;
use crate::shared::{close, indices, numbers};
use econ_envs::litmus::efficiency::config::Goal;
use econ_envs::litmus::efficiency::{
    Action, Config, Efficiency, Instance, Observation, Spec, strategy,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use sim_core::testkit::play_typed;
use sim_core::{
    Environment as _, EnvironmentSpec as _, Episode, Seed, ToolAdapter, ToolEnvironment as _,
};
use std::sync::Arc;

/// The sums of the pay are rounded, so the pay of workers with the same work differs in its last digits.
#[test]
fn equal_pay_does_not_depend_on_rounding() {
    let config = Config {
        workers: 50,
        periods: 1000,
        mean_size: 10_000,
        wage: 999_999.1,
        ..Config::both()
    };
    let instance = Instance::generate(&config, Episode::of_run(Seed(1), 0)).unwrap();
    instance.check().unwrap();
}

#[test]
fn a_finished_run_has_no_further_period() {
    let config = Config {
        periods: 2,
        ..Config::both()
    };
    let instance = Instance::generate(&config, Episode::of_run(Seed(1), 0)).unwrap();
    let mut run = Efficiency::new(Arc::new(instance)).unwrap();
    run.forfeit();
    let last = run.forfeit();
    let state = run.state().clone();
    assert_eq!(run.forfeit(), last);
    assert_eq!(run.state(), &state);
    run.set_state(state).unwrap();
}

/// Allocations of the authors' six instances: revenue, pay, inequality and the three scores.
#[test]
fn every_golden_allocation() {
    let file: Value = serde_json::from_str(include_str!("../../golden/litmus.json")).unwrap();
    let (mut instances, mut allocations) = (0, 0);
    for case in file["efficiency_vs_equality"].as_array().unwrap() {
        let named = case["allocations"].as_object().unwrap();
        let instance = Instance {
            config: Config::default(),
            sizes: numbers(&case["task_sizes"])
                .into_iter()
                .map(|s| s as u32)
                .collect(),
            equal: indices(&named["max_equality"]["worker_of_task"]),
            productivity: numbers(&case["productivity"]),
        };
        instance.check().unwrap();
        let instance = Arc::new(instance);
        for (name, want) in named {
            let worker_of = indices(&want["worker_of_task"]);
            let mut run = Efficiency::new(Arc::clone(&instance)).unwrap();
            for period in worker_of.chunks(4) {
                run.step(&Action {
                    worker_of: period.to_vec(),
                })
                .unwrap();
            }
            let score = run.score().unwrap();
            let of = |name: &str| want[name].as_f64().unwrap();
            for (got, want) in [
                (score.metrics()["revenue"], of("revenue")),
                (score.metrics()["inequality"], of("inequality")),
                (score.metrics()["litmus"], of("litmus_score")),
                (
                    score.metrics()["efficiency_competency"],
                    of("efficiency_competency"),
                ),
                (
                    score.metrics()["equality_competency"],
                    of("equality_competency"),
                ),
            ] {
                assert!(close(got, want, 1e-12, 1.0), "{name}: {got} {want}");
            }
            assert_eq!(run.outcome().pay, numbers(&want["pay"]));
            // Two of the allocations are what our own policies do.
            let player = match name.as_str() {
                "max_efficiency" => Some("max-efficiency"),
                "greedy_equality" => Some("equality-greedy"),
                _ => None,
            };
            if let Some(player) = player {
                let played = play_typed(&Spec, &instance, player, Seed(0)).unwrap();
                assert_eq!(played.outcome().revenue, of("revenue"), "{player}");
                assert_eq!(played.outcome().inequality(), of("inequality"), "{player}");
            }
            allocations += 1;
        }
        instances += 1;
    }
    println!("{instances} litmus instances, {allocations} allocations compared");
    assert_eq!((instances, allocations), (6, 24));
}

#[test]
fn players_keep_their_order() {
    let value = |goal, policy: &str| {
        let config = Config::with_goal(goal);
        let mean: f64 = (0..18)
            .map(|i| {
                let instance = Spec.generate(&config, Episode::of_run(Seed(5), i)).unwrap();
                play(&Spec, &Arc::new(instance), policy, Seed(i)).value() / 18.0
            })
            .sum();
        println!("{goal:?} {policy}: {mean:.4}");
        mean
    };
    let efficiency = |policy| value(Goal::Efficiency, policy);
    assert!(efficiency("random") < efficiency("efficiency-greedy"));
    assert!(efficiency("efficiency-greedy") < efficiency("optimal"));
    assert!((efficiency("optimal") - 1.0).abs() < 1e-12);
    let equality = |policy| value(Goal::Equality, policy);
    assert!(equality("random") < equality("equality-greedy"));
    assert!(equality("equality-greedy") < equality("optimal"));
    assert!((equality("optimal") - 1.0).abs() < 1e-12);
    let both = |policy| value(Goal::Both, policy);
    assert!((both("max-efficiency") - 1.0).abs() < 1e-12 && both("max-equality") < 1e-12);
    assert!(both("efficiency-greedy") > 0.8 && both("equality-greedy") < 0.05);
}

/// Every draw keeps the rules of the construction, with and without empty tasks.
#[test]
fn drawn_firms_are_as_designed() {
    let mut empty = 0;
    for index in 0..200 {
        let config = Config {
            empty_tasks: index % 2 == 1,
            ..Config::default()
        };
        let firm = Spec
            .generate(&config, Episode::of_run(Seed(6), index))
            .unwrap();
        firm.check().unwrap();
        assert_eq!(firm.sizes.len(), 120);
        assert_eq!(firm.sizes.iter().sum::<u32>(), 4 * 1800);
        let mut productivity = firm.productivity.clone();
        productivity.sort_by(f64::total_cmp);
        assert_eq!(productivity, [1.0, 7.0, 13.0, 19.0]);
        let zeros = firm.sizes.iter().filter(|size| **size == 0).count();
        assert!(config.empty_tasks || zeros == 0);
        empty += zeros;
    }
    assert!(empty > 0);
}

#[test]
fn tools_read_as_described() {
    let firm = Spec
        .generate(&Config::default(), Episode::of_run(Seed(7), 0))
        .unwrap();
    let sizes = firm.sizes.clone();
    let mut adapter = ToolAdapter::new(Efficiency::new(Arc::new(firm)).unwrap());
    assert!(
        adapter
            .call("get_previous_periods_data", &json!({}))
            .text()
            .contains("no data")
    );
    assert!(
        adapter
            .call("get_previous_periods_data", &json!({}))
            .is_rejected()
    );
    let tasks = adapter.call("get_task_info", &json!({}));
    assert!(
        tasks
            .text()
            .starts_with(&format!("Task T1 size = {}\nTask T2 size = ", sizes[0]))
    );
    let assignment = "{'T1': 'W1', 'T2': 'W2', 'T3': 'W3', 'T4': 'W4'}";
    assert!(
        !adapter
            .call("submit_assignment", &json!({"assignment": assignment}))
            .is_rejected()
    );
    let record = adapter.call("get_previous_periods_data", &json!({}));
    let first = format!(
        "Period 0:\nTask T1: worker W1, size {0}, pay {0}, revenue ",
        sizes[0]
    );
    assert!(record.text().starts_with(&first), "{}", record.text());
    // Last period's tasks are not this period's.
    assert!(
        adapter
            .call("submit_assignment", &json!({"assignment": assignment}))
            .is_rejected()
    );
}

#[test]
fn misbehaviour_ends_scored_and_flagged() {
    let silent = never_submits(&Spec, "get_worker_ids");
    assert_eq!(silent.score.all_incidents().len(), 30);
    sends_garbage(&Spec, "submit_assignment", "assignment");
    writes_a_book(&Spec);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The facade: what the strategies give can be generated, opened and played.
    #[test]
    fn strategies_give_valid_values(
        config in strategy::config(),
        (instance, action) in strategy::instance().prop_flat_map(|instance| {
            let action = strategy::action(&instance);
            (Just(instance), action)
        }),
    ) {
        prop_assert!(config.check().is_ok());
        let mut run = Efficiency::new(Arc::new(instance)).unwrap();
        run.step(&action).unwrap();
        let seen = serde_json::to_string(&run.observe()).unwrap();
        prop_assert_eq!(serde_json::from_str::<Observation>(&seen).unwrap(), run.observe());
    }
}

#[test]
fn bad_instances_are_refused() {
    let mut bad = Instance::generate(&Config::default(), Episode::of_run(Seed(1), 0)).unwrap();
    bad.sizes.pop();
    assert_eq!(Efficiency::new(Arc::new(bad)).unwrap_err().place, "sizes");
}
