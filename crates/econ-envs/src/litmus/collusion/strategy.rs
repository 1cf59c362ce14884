//! Strategies for property tests: configurations, instances and actions (feature `proptest`).

use super::action::Action;
use super::config::Config;
use super::instance::Instance;
use proptest::prelude::*;
use sim_core::{Episode, Seed};

/// Valid configurations of 1 to 5 sellers and 6 periods.
pub fn config() -> impl Strategy<Value = Config> {
    (1..6_u16, 0.5..4.0_f64, 0.0..2.0_f64, 0.1..1.0_f64).prop_map(|(sellers, quality, cost, mu)| {
        Config {
            sellers,
            periods: 6,
            measured: 3,
            steady: 4,
            quality,
            cost,
            mu,
            ..Config::default()
        }
    })
}

/// Instances of [`config`] that can be opened: with several sellers, prices of a cartel and of
/// competitors differ.
pub fn instance() -> impl Strategy<Value = Instance> {
    (config(), 0..3_u64).prop_filter_map("an instance that can be opened", |(config, index)| {
        let instance = Instance::generate(&config, Episode::of_run(Seed(0), index)).ok()?;
        instance.check().is_ok().then_some(instance)
    })
}

/// Actions that `instance` accepts: real prices from 0 to 8.
pub fn action(instance: &Instance) -> impl Strategy<Value = Action> + use<> {
    (0.0..8.0 * instance.alpha).prop_map(|price| Action { price })
}
