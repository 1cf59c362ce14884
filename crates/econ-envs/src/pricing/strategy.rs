//! Strategies for property tests: configurations, instances and actions (feature `proptest`).

use super::action::Action;
use super::config::{Config, OutsideLaw};
use super::instance::Instance;
use proptest::prelude::*;
use sim_core::{Episode, Seed};

/// Valid configurations of 1 to 24 products and 12 periods, over all demand laws.
pub fn config() -> impl Strategy<Value = Config> {
    (
        1..25_u16,
        prop_oneof![Just(0.0), Just(0.5), 0.0..=0.99_f64],
        0.3..3.0_f64,
        prop_oneof![
            Just(OutsideLaw::Program),
            Just(OutsideLaw::Paper),
            Just(OutsideLaw::Textbook)
        ],
        -2.0..2.0_f64,
    )
        .prop_map(|(products, sigma, mu, outside, outside_quality)| Config {
            products,
            sigma,
            mu,
            outside,
            outside_quality,
            periods: 12,
            scored_periods: 5,
            ..Config::basic()
        })
}

/// Instances that [`config`] draws and that can be opened, linear and periodic ones. Markets whose
/// qualities lie too far below costs and the outside option are left out: they earn nothing.
pub fn instance() -> impl Strategy<Value = Instance> {
    (config(), any::<u64>(), 0..2_u64).prop_filter_map(
        "an instance that can be opened",
        |(config, seed, index)| {
            let seed = Seed(seed);
            let instance = Instance::generate(&config, Episode { seed, index }).ok()?;
            instance.check().is_ok().then_some(instance)
        },
    )
}

/// Actions that `instance` accepts: real prices from 0 to 8 at the sensitivities of period 0.
pub fn action(instance: &Instance) -> impl Strategy<Value = Action> + use<> {
    let each: Vec<_> = instance
        .alpha
        .iter()
        .map(|alpha| 0.0..8.0 * alpha)
        .collect();
    each.prop_map(|prices| Action { prices })
}
