//! What every environment of the workspace promises.

use crate::levels::{keeps_the_contract, optimal_is_never_worse};
use econ_envs::scheduling::Spec;
use sim_core::Effort;
use sim_core::testkit::small_or_full;

/// The policy that learns takes seconds at the higher levels; the ordinary run plays `basic`.
#[test]
fn slow_every_level_keeps_the_contract() {
    let levels = ["basic", "medium", "hard"];
    for preset in levels.into_iter().take(small_or_full(1, 3)) {
        keeps_the_contract(&Spec, preset, 5);
    }
}

#[test]
fn slow_optimal_is_never_worse_than_the_reference() {
    optimal_is_never_worse(&Spec, Effort::Quick);
}
