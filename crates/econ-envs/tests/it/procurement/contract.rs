//! The contract that every environment keeps.

use econ_envs::procurement::Spec;
use sim_core::testkit::{ContractReport, check_preset, small_or_full};

fn check(preset: &str) {
    let mut report = ContractReport::default();
    check_preset(&Spec, preset, &mut report).unwrap();
    eprintln!("{preset}: {report:?}");
    assert!(report.episodes >= 4 && report.hostile > 100 && report.batch_steps > 1_000);
}

#[test]
fn basic_keeps_the_contract() {
    check("basic");
}

#[test]
fn medium_keeps_the_contract() {
    check("medium");
}

/// In the ordinary run `basic` stands in, which takes seconds less.
#[test]
fn slow_hard_keeps_the_contract() {
    check(small_or_full("basic", "hard"));
}
