//! The contract of sim-core, the policies, and the settings of a run.

use enterprise_sandbox::access::Enforcement;
use enterprise_sandbox::config::PlanHint;
use enterprise_sandbox::data::tables::Op;
use enterprise_sandbox::tools::ToolSet;
use enterprise_sandbox::{Config, Instance, Spec};
use serde_json::{Value, json};
use sim_core::testkit::{check_optimal, check_preset, play, small_or_full};
use sim_core::{DynEnvironmentSpec, Effort, Environment as _, EnvironmentSpec, Episode, Seed};
use std::sync::Arc;

/// The preset `large` takes most of the time; the ordinary run leaves it out.
#[test]
fn slow_the_contract_holds_at_every_preset() {
    let spec = Spec::default();
    let presets: Vec<_> = spec.preset_list().iter().map(|p| p.name).collect();
    assert_eq!(presets, ["paper", "small", "large"]);
    for preset in presets.into_iter().take(small_or_full(2, 3)) {
        let report = check_preset(&spec, preset).unwrap();
        assert!(report.episodes == 6 && report.hostile > 2_000, "{report:?}");
        assert!(report.batch_steps >= 37, "{report:?}");
    }
}

fn mean(spec: &Spec, settings: &[(&str, Value)], policy: &str, count: u64) -> f64 {
    let settings: Vec<(String, Value)> = settings
        .iter()
        .map(|(k, v)| ((*k).to_owned(), v.clone()))
        .collect();
    let config = spec.configure(Some("paper"), &settings).unwrap();
    let total: f64 = (0..count)
        .map(|index| {
            let case = DynEnvironmentSpec::draw(spec, &config, Seed(4), index).unwrap();
            play(spec, &*case, policy).unwrap().score.value()
        })
        .sum();
    total / count as f64
}

#[test]
fn slow_drivers_are_ordered_by_what_they_know() {
    let spec = Spec::default();
    let native = [("access.engine", json!("native"))];
    let score = |policy| mean(&spec, &native, policy, small_or_full(60, 150));
    let (oracle, greedy, random, null) = (
        score("oracle"),
        score("greedy"),
        score("random"),
        score("null"),
    );
    let (snoop, chatty) = (score("snoop"), score("chatty"));
    println!(
        "oracle {oracle} greedy {greedy} chatty {chatty} random {random} snoop {snoop} null {null}"
    );
    assert_eq!((oracle, null), (1.0, 0.0));
    assert!(greedy > random && random >= null, "{greedy} {random}");
    assert!(chatty < oracle && chatty > null);
    assert!(snoop < greedy);
}

#[test]
fn the_oracle_is_right_on_both_surfaces_and_with_dirt() {
    let spec = Spec::default();
    for settings in [
        vec![("surface", json!("fine"))],
        vec![
            ("distractors", json!(true)),
            ("plan", json!("order")),
            ("show_rules", json!(true)),
        ],
        vec![("company.dirt", json!("upstream"))],
    ] {
        assert_eq!(mean(&spec, &settings, "oracle", 12), 1.0, "{settings:?}");
    }
}

/// A plan must not write in a task that cannot be done, also where no rule stops it; `--agent oracle` and the gold
/// plan that a model is told both come from it.
#[test]
fn the_oracle_is_right_however_the_rules_are_enforced() {
    let spec = Spec::default();
    for enforcement in [Enforcement::On, Enforcement::Advisory, Enforcement::Off] {
        for unanswerable in [0.05, 1.0] {
            let mut config = Config::of(50);
            config.access.enforcement = enforcement;
            config.tasks.unanswerable = unanswerable;
            if unanswerable == 1.0 {
                (config.tasks.search, config.tasks.crud) = (0.0, 0.0);
            }
            let config = serde_json::to_value(config).unwrap();
            let mut left_out = 0;
            for index in 0..small_or_full(150, 600) {
                let case = DynEnvironmentSpec::draw(&spec, &config, Seed(5), index).unwrap();
                let score = play(&spec, &*case, "oracle").unwrap().score;
                assert_eq!(score.value(), 1.0, "{enforcement:?} {unanswerable} {index}");
                assert_eq!(
                    score.metrics()["plan_coverage"],
                    1.0,
                    "{enforcement:?} {index}"
                );
                let instance: Instance = serde_json::from_value(case.instance().clone()).unwrap();
                left_out += instance.task.gold.calls.len() - instance.right().calls.len();
            }
            // Some plans would write, so the test would fail without what it is about.
            let is_open = enforcement != Enforcement::On;
            if unanswerable == 1.0 {
                assert_eq!(left_out > 0, is_open, "{enforcement:?}");
            }
        }
    }
}

/// Hints and examples tell no step that would write in a task that cannot be done.
#[test]
fn hints_and_examples_are_those_of_the_plan_that_is_played() {
    let spec = Spec::default();
    let mut open = Config::of(50);
    open.access.enforcement = Enforcement::Off;
    open.plan = PlanHint::Order;
    open.shots = 20;
    (open.tasks.search, open.tasks.crud, open.tasks.unanswerable) = (0.0, 0.0, 1.0);
    for index in 0..40 {
        let episode = Episode::of_run(Seed(5), index);
        let instance = EnvironmentSpec::generate(&spec, &open, episode).unwrap();
        let calls = instance.right().calls.len();
        let told = EnvironmentSpec::begin(&spec, Arc::new(instance.clone())).unwrap();
        assert_eq!(told.observe().plan.len(), calls, "{index}");
        for example in &instance.examples {
            for (tool, _) in example
                .steps
                .lines()
                .filter_map(|line| line.split_once(' '))
            {
                let op = enterprise_sandbox::tools::find(tool).unwrap().op;
                let writes = matches!(op, Op::Create | Op::Update | Op::Delete);
                assert!(
                    !writes || !example.steps.contains("refuse"),
                    "{}",
                    example.steps
                );
            }
        }
    }
}

#[test]
fn the_same_task_is_played_with_and_without_enforcement() {
    let spec = Spec::default();
    let mut open = Config::of(50);
    open.access.enforcement = Enforcement::Off;
    let episode = sim_core::Episode::of_run(Seed(2), 3);
    let a = EnvironmentSpec::generate(&spec, &Config::of(50), episode).unwrap();
    let b = EnvironmentSpec::generate(&spec, &open, episode).unwrap();
    assert_eq!(a.task, b.task);
}

#[test]
fn hints_tell_steps_but_no_arguments() {
    let spec = Spec::default();
    for (plan, tools) in [
        (PlanHint::Subgoals, false),
        (PlanHint::Tools, true),
        (PlanHint::Order, true),
    ] {
        let config = Config {
            plan,
            surface: ToolSet::Compact,
            ..Config::of(50)
        };
        let kind = serde_json::to_value(&config).unwrap();
        let case = DynEnvironmentSpec::draw(&spec, &kind, Seed(1), 2).unwrap();
        let opening = case.open().unwrap().briefing().opening;
        assert!(opening.contains("Plan:"));
        assert_eq!(opening.contains("(with "), tools, "{opening}");
    }
}

#[test]
fn configurations_are_refused_with_their_place() {
    let spec = Spec::default();
    for (path, value, place) in [
        ("company.employees", json!(3), "company.employees"),
        ("tasks.search", json!(2), "tasks.search"),
        ("access.policies", json!("permit"), "access.policies"),
    ] {
        let e = spec
            .configure(None, &[(path.to_owned(), value)])
            .unwrap_err();
        assert_eq!(e.place, place, "{e}");
    }
    let config = Config {
        imported: Some("none".into()),
        ..Config::of(50)
    };
    let episode = sim_core::Episode::of_run(Seed(1), 0);
    assert_eq!(
        EnvironmentSpec::generate(&spec, &config, episode)
            .unwrap_err()
            .place,
        "imported"
    );
}

#[test]
fn an_imported_company_can_be_played() {
    let Some(root) = crate::support::shared("upstream/office") else {
        return;
    };
    let options = enterprise_sandbox::data::import::ImportOptions {
        fill: Some(enterprise_sandbox::data::synth::VolumeProfile::Upstream),
        ..Default::default()
    };
    let tree = crate::support::read_tree(&root);
    let (company, _) = enterprise_sandbox::data::import::import(&tree, &options).unwrap();
    let spec = Spec::default();
    let digest = spec.add(std::sync::Arc::new(company));
    let config = serde_json::to_value(Config {
        imported: Some(digest),
        ..Config::default()
    })
    .unwrap();
    for index in 0..20 {
        let case = DynEnvironmentSpec::draw(&spec, &config, Seed(3), index).unwrap();
        assert_eq!(
            play(&spec, &*case, "oracle").unwrap().score.value(),
            1.0,
            "{index}"
        );
    }
}

/// The reference of a task is that its gold plan succeeds, and the policy `oracle` carries it out.
#[test]
fn slow_the_oracle_is_never_worse_than_the_reference() {
    let count = small_or_full(4, 200);
    for preset in ["small", "paper"] {
        let config = Spec::default().configure(Some(preset), &[]).unwrap();
        let known = check_optimal(&Spec::default(), &config, "oracle", count, Effort::Quick);
        assert_eq!(known, Ok(count), "{preset}");
    }
}
