//! What every environment of the workspace promises.

use crate::levels::{keeps_the_contract, optimal_is_never_worse};
use econ_envs::procurement::Spec;
use sim_core::Effort;
use sim_core::testkit::small_or_full;

#[test]
fn basic_keeps_the_contract() {
    keeps_the_contract(&Spec, "basic", 4);
}

#[test]
fn medium_keeps_the_contract() {
    keeps_the_contract(&Spec, "medium", 4);
}

/// In the ordinary run `basic` stands in, which takes seconds less.
#[test]
fn slow_hard_keeps_the_contract() {
    keeps_the_contract(&Spec, small_or_full("basic", "hard"), 4);
}

#[test]
fn slow_optimal_is_never_worse_than_the_reference() {
    optimal_is_never_worse(&Spec, Effort::Quick);
    optimal_is_never_worse(&Spec, Effort::Search);
}
