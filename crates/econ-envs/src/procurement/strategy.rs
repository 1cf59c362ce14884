//! Strategies for property tests: configurations, instances and actions (feature `proptest`).

use super::action::Action;
use super::config::{Config, DrawLaw, Rules};
use super::instance::Instance;
use proptest::prelude::*;
use sim_core::{Episode, Seed};

/// Valid configurations of 1 to 5 categories with 1 to 4 products each and 8 periods, over both draw
/// laws.
pub fn config() -> impl Strategy<Value = Config> {
    (
        1..6_u32,
        1..5_u32,
        0..4_u32,
        0.1..1.0_f64,
        0.1..1.0_f64,
        1..21_u32,
        prop_oneof![Just(DrawLaw::Paper), Just(DrawLaw::Program)],
    )
        .prop_map(
            |(categories, products_per_category, more, products_p, units_p, largest, law)| Config {
                categories,
                products_per_category,
                offers: (more > 0).then_some(categories * products_per_category + more),
                products_p,
                units_p,
                max_effectiveness: largest,
                law,
                rules: Rules {
                    periods: 8,
                    ..Rules::default()
                },
            },
        )
}

/// Instances that [`config`] draws.
pub fn instance() -> impl Strategy<Value = Instance> {
    (config(), any::<u64>()).prop_filter_map(
        "a configuration that draws an instance",
        |(config, seed)| Instance::generate(&config, Episode::of_run(Seed(seed), 0)).ok(),
    )
}

/// Actions that `instance` accepts: 0 to 9 copies of each offer. Some are over the budget or below a
/// minimum quantity, which the environment answers with an outcome, not with a refusal.
pub fn action(instance: &Instance) -> impl Strategy<Value = Action> + use<> {
    let offers = instance.menu.offers.len();
    prop::collection::vec(0..10_u32, offers).prop_filter_map("copies in range", |copies| {
        Action::from_counts(&copies).ok()
    })
}
