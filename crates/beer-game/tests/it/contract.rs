//! The promises that every environment of the workspace makes.

use beer_game::spec::Spec;
use sim_core::testkit::{ContractReport, check_preset};

/// One test a preset, so that they run beside each other.
fn check(preset: &str) {
    let mut report = ContractReport::default();
    if let Err(broken) = check_preset(&Spec, preset, &mut report) {
        panic!("{preset}: {broken}");
    }
    assert!(report.episodes >= 16, "{report:?}");
    assert!(report.hostile > 100, "{report:?}");
}

#[test]
fn paper() {
    check("paper");
}

#[test]
fn paper_exact() {
    check("paper-exact");
}

#[test]
fn bptk() {
    check("bptk");
}

#[test]
fn bptk_sd() {
    check("bptk-sd");
}

#[test]
fn slow_classic() {
    check("classic");
}

#[test]
fn random() {
    check("random");
}

#[test]
fn stationary() {
    check("stationary");
}
