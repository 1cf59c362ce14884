//! What every environment of the workspace promises.

use crate::levels::{keeps_the_contract, optimal_is_never_worse};
use econ_envs::scheduling::Spec;
use sim_core::Effort;
use sim_core::testkit::small_or_full;

#[test]
fn basic_keeps_the_contract() {
    keeps_the_contract(&Spec, "basic", 5);
}

#[test]
fn medium_keeps_the_contract() {
    keeps_the_contract(&Spec, "medium", 5);
}

/// The learning policy alone takes seconds here, so that `basic` stands in for it in the ordinary run.
#[test]
fn slow_hard_keeps_the_contract() {
    keeps_the_contract(&Spec, small_or_full("basic", "hard"), 5);
}

#[test]
fn slow_optimal_is_never_worse_than_the_reference() {
    optimal_is_never_worse(&Spec, Effort::Quick);
}
