//! The names at the root of the crate: they check what they are given, and agree with the `Spec`.

use enterprise_sandbox::menu::{MOST_CALLS, menu};
use enterprise_sandbox::strategy;
use enterprise_sandbox::{
    Action, Batch, Config, Feedback, Instance, Observation, OfficeTask, Spec, policies, reference,
};
use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use sim_core::{
    BatchEnvironment as _, Effort, Environment as _, EnvironmentSpec as _, Episode, PolicyContext,
    Seat, Seed,
};
use std::collections::BTreeSet;
use std::sync::Arc;

fn drawn(index: u64) -> Instance {
    Instance::generate(&Config::of(50), Episode::of_run(Seed(3), index)).unwrap()
}

/// Plays a task by entries of the menu and returns its score and the calls made.
fn picked(instance: Instance, entries: impl Iterator<Item = u32>) -> (f64, u32) {
    let mut env = OfficeTask::new(Arc::new(instance)).unwrap();
    for entry in entries {
        if !env.is_over() {
            env.step(&Action::Pick(entry)).unwrap();
        }
    }
    assert!(env.is_over());
    (env.score().unwrap().value(), env.observe().calls)
}

fn entry(name: &str) -> u32 {
    let entries = menu(enterprise_sandbox::tools::ToolSet::Compact);
    let place = entries.iter().position(|entry| entry.name() == name);
    u32::try_from(place.unwrap()).unwrap()
}

#[test]
fn the_root_and_the_spec_draw_and_open_the_same_tasks() {
    let spec = Spec::default();
    let config = Config::of(50);
    for index in 0..6 {
        let episode = Episode::of_run(Seed(3), index);
        let instance = Instance::generate(&config, episode).unwrap();
        assert_eq!(instance, spec.generate(&config, episode).unwrap());
        assert_eq!(reference(&instance, Effort::Quick).optimum, Some(1.0));
        let ours = OfficeTask::new(Arc::new(instance.clone())).unwrap();
        let theirs = spec.begin(Arc::new(instance)).unwrap();
        assert_eq!(ours.observe(), theirs.observe());
    }
}

#[test]
fn every_episode_has_a_task_of_its_own() {
    let requests: BTreeSet<(String, String)> = (0..40)
        .map(|index| drawn(index).task)
        .map(|task| (task.persona, task.instruction))
        .collect();
    assert_eq!(requests.len(), 40);
}

#[test]
fn the_policies_of_the_root_play_without_a_spec() {
    let instance = drawn(1);
    let scores: Vec<f64> = policies()
        .iter()
        .filter(|policy| ["oracle", "null", "snoop"].contains(&policy.about.name))
        .map(|policy| {
            let context = PolicyContext::new(&instance, &Seat::AGENT, Seed(1));
            let mut policy = policy.make(context).unwrap();
            let mut env = OfficeTask::new(Arc::new(instance.clone())).unwrap();
            while !env.is_over() {
                let feedback = env.step(&policy.act(&env.observe())).unwrap();
                policy.learn(&feedback);
            }
            env.score().unwrap().value()
        })
        .collect();
    assert_eq!(scores, [1.0, 0.0, 0.0]);
}

#[test]
fn an_instance_that_does_not_fit_is_refused_with_its_place() {
    let place = |instance| OfficeTask::new(Arc::new(instance)).unwrap_err().place;
    let mut imported = drawn(0);
    imported.imported = Some("none".to_owned());
    assert_eq!(place(imported), "imported");
    let mut other_rules = drawn(0);
    other_rules.policy_version = "none".to_owned();
    assert_eq!(place(other_rules), "policy_version");
    let mut stranger = drawn(0);
    stranger.task.persona = "emp_none".to_owned();
    assert_eq!(place(stranger), "task.persona");
    let error = Instance::generate(&Config::of(3), Episode::of_run(Seed(1), 0)).unwrap_err();
    assert_eq!(error.place, "company.employees");
}

#[test]
fn picks_end_after_the_last_call_and_unknown_entries_are_refused() {
    let read = entry("employee_data_read");
    let (_, calls) = picked(drawn(0), std::iter::repeat_n(read, MOST_CALLS + 1));
    assert_eq!(calls as usize, MOST_CALLS);
    let mut env = OfficeTask::new(Arc::new(drawn(0))).unwrap();
    let before = env.state().clone();
    let error = env.step(&Action::Pick(10_000)).unwrap_err();
    assert_eq!(error.code, "INVALID_ARGUMENT");
    assert_eq!(*env.state(), before);
}

#[test]
fn some_tasks_can_be_done_by_picks() {
    let plan = [entry("employee_data_read"), entry("answer")];
    let total: f64 = (0..200)
        .map(|index| picked(drawn(index), plan.into_iter()).0)
        .sum();
    assert!((1.0..100.0).contains(&total), "{total}");
}

#[test]
fn a_lane_that_is_reset_plays_another_task() {
    let mut batch = Batch::new(&Config::of(50), 2, Seed(3)).unwrap();
    let request = |batch: &Batch, lane| batch.reference_env(lane).unwrap().briefing().opening;
    let (first, second) = (request(&batch, 0), request(&batch, 1));
    batch.reset_lane(0, Episode::of_run(Seed(99), 0)).unwrap();
    assert!(batch.reset_lane(7, Episode::of_run(Seed(99), 7)).is_err());
    assert_ne!(request(&batch, 0), first);
    assert_eq!(request(&batch, 1), second);
}

fn travels<
    T: Clone + Serialize + DeserializeOwned + PartialEq + std::fmt::Debug + Send + 'static,
>(
    value: &T,
) {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(*value, serde_json::from_str::<T>(&text).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn drawn_actions_are_accepted_and_everything_survives_json(
        (instance, action) in strategy::instance().prop_flat_map(|instance| {
            let action = strategy::action(&instance);
            (Just(instance), action)
        }),
    ) {
        travels(&instance);
        travels(&action);
        let mut env = OfficeTask::new(Arc::new(instance)).unwrap();
        travels::<Observation>(&env.observe());
        let feedback = env.step(&action).unwrap();
        travels::<Feedback>(&feedback);
        travels(env.state());
    }

    #[test]
    fn drawn_configurations_are_valid(config in strategy::config()) {
        prop_assert!(config.check().is_ok());
        travels(&config);
    }
}
