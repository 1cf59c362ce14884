//! Strategies for property tests: configurations, instances and actions (feature `proptest`).

use super::action::Action;
use super::config::{Config, PreferenceFamily, PreferenceLaw};
use super::instance::Instance;
use proptest::prelude::*;
use sim_core::{Episode, Seed};

/// Valid configurations of 2 to `largest` workers and 12 periods, over all preference families and
/// both laws.
pub fn config(largest: u16) -> impl Strategy<Value = Config> {
    (
        2..=largest,
        1..6_u16,
        prop_oneof![
            Just(PreferenceFamily::Uniform),
            Just(PreferenceFamily::Correlated),
            Just(PreferenceFamily::CorrelatedWorkersIdenticalTasks),
            Just(PreferenceFamily::UniformWorkersIdenticalTasks),
        ],
        prop_oneof![Just(PreferenceLaw::Paper), Just(PreferenceLaw::Program)],
        1.0..50.0_f64,
    )
        .prop_map(|(workers, shown, family, law, score_ratio)| Config {
            workers,
            shown,
            family,
            law,
            score_ratio,
            periods: 12,
            ..Config::basic()
        })
}

/// Instances that [`config`] draws.
pub fn instance(largest: u16) -> impl Strategy<Value = Instance> {
    (config(largest), any::<u64>()).prop_filter_map(
        "a configuration that draws an instance",
        |(config, seed)| Instance::generate(&config, Episode::of_run(Seed(seed), 0)).ok(),
    )
}

/// Actions that `instance` accepts: uniformly random assignments.
pub fn action(instance: &Instance) -> impl Strategy<Value = Action> + use<> {
    let tasks: Vec<u16> = (0..instance.config.workers).collect();
    Just(tasks).prop_shuffle().prop_map(Action::new)
}
