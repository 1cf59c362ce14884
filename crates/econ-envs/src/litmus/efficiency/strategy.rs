//! Strategies for property tests: configurations, instances and actions (feature `proptest`).

use super::action::Action;
use super::config::{Config, Goal};
use super::instance::Instance;
use proptest::prelude::*;
use sim_core::{Episode, Seed};

/// Valid configurations of 2 to 6 workers and 3 to 8 periods, over all goals.
pub fn config() -> impl Strategy<Value = Config> {
    (
        prop_oneof![
            Just(Goal::Both),
            Just(Goal::Efficiency),
            Just(Goal::Equality)
        ],
        2..7_u16,
        3..9_u16,
        any::<bool>(),
    )
        .prop_map(|(goal, workers, periods, empty_tasks)| Config {
            workers,
            periods,
            empty_tasks,
            ..Config::with_goal(goal)
        })
}

/// Instances that [`config`] draws and that can be opened: efficiency and equality conflict.
pub fn instance() -> impl Strategy<Value = Instance> {
    (config(), any::<u64>()).prop_filter_map("an instance that can be opened", |(config, seed)| {
        let instance = Instance::generate(&config, Episode::of_run(Seed(seed), 0)).ok()?;
        instance.check().is_ok().then_some(instance)
    })
}

/// Actions that `instance` accepts: uniformly random assignments.
pub fn action(instance: &Instance) -> impl Strategy<Value = Action> + use<> {
    let workers: Vec<u16> = (0..instance.config.workers).collect();
    Just(workers)
        .prop_shuffle()
        .prop_map(|worker_of| Action { worker_of })
}
