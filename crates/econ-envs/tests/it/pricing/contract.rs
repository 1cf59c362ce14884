//! What every environment of the workspace promises.

use econ_envs::pricing::Spec;
use sim_core::testkit::{ContractReport, check_optimal, check_preset, small_or_full};
use sim_core::{DynEnvironmentSpec as _, Effort};

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

#[test]
fn hard_keeps_the_contract() {
    check("hard");
}

#[test]
fn slow_optimal_is_never_worse_than_the_reference() {
    let count = small_or_full(8, 200);
    for preset in ["basic", "medium", "hard"] {
        let config = Spec.configure(Some(preset), &[]).unwrap();
        let known = check_optimal(&Spec, &config, "optimal", count, Effort::Quick);
        assert_eq!(known, Ok(count), "{preset}");
    }
}
