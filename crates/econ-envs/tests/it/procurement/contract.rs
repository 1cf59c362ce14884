//! The contract that every environment keeps.

use econ_envs::procurement::Spec;
use sim_core::testkit::{ContractReport, check_optimal, check_preset, small_or_full};
use sim_core::{DynEnvironmentSpec as _, Effort};

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

#[test]
fn slow_optimal_is_never_worse_than_the_reference() {
    let count = small_or_full(8, 200);
    for preset in ["basic", "medium", "hard"] {
        let config = Spec.configure(Some(preset), &[]).unwrap();
        for effort in [Effort::Quick, Effort::Search] {
            let known = check_optimal(&Spec, &config, "optimal", count, effort);
            assert_eq!(known, Ok(count), "{preset}");
        }
    }
}
