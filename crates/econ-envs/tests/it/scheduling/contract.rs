//! What every environment of the workspace promises.

use econ_envs::scheduling::Spec;
use sim_core::testkit::{ContractReport, check_preset, small_or_full};

fn check(preset: &str) {
    let mut report = ContractReport::default();
    check_preset(&Spec, preset, &mut report).unwrap();
    eprintln!("{preset}: {report:?}");
    assert!(report.episodes >= 5 && report.hostile > 100 && report.batch_steps > 1000);
}

#[test]
fn basic_keeps_the_contract() {
    check("basic");
}

#[test]
fn medium_keeps_the_contract() {
    check("medium");
}

/// The learning policy alone takes seconds here, so that `basic` stands in for it in the ordinary run.
#[test]
fn slow_hard_keeps_the_contract() {
    check(small_or_full("basic", "hard"));
}
