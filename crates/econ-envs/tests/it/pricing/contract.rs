//! What every environment of the workspace promises.

use crate::levels::{keeps_the_contract, optimal_is_never_worse};
use econ_envs::pricing::Spec;
use sim_core::Effort;

#[test]
fn basic_keeps_the_contract() {
    keeps_the_contract(&Spec, "basic", 5);
}

#[test]
fn medium_keeps_the_contract() {
    keeps_the_contract(&Spec, "medium", 5);
}

#[test]
fn hard_keeps_the_contract() {
    keeps_the_contract(&Spec, "hard", 5);
}

#[test]
fn slow_optimal_is_never_worse_than_the_reference() {
    optimal_is_never_worse(&Spec, Effort::Quick);
}
