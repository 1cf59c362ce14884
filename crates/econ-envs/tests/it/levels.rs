//! The contract of the environments whose presets are three levels.

use sim_core::testkit::{check_optimal, check_preset, small_or_full};
use sim_core::{DynEnvironmentSpec, Effort};

/// Checks a preset, which must have at least `policies` policies.
pub(crate) fn keeps_the_contract(spec: &dyn DynEnvironmentSpec, preset: &str, policies: usize) {
    let report = check_preset(spec, preset).unwrap();
    eprintln!("{preset}: {report:?}");
    assert!(report.episodes >= policies && report.hostile > 100 && report.batch_steps > 1000);
}

/// The policy `optimal` reaches the reference in drawn markets of every level.
pub(crate) fn optimal_is_never_worse(spec: &dyn DynEnvironmentSpec, effort: Effort) {
    let count = small_or_full(8, 200);
    for preset in ["basic", "medium", "hard"] {
        let config = spec.configure(Some(preset), &[]).unwrap();
        let known = check_optimal(spec, &config, "optimal", count, effort);
        assert_eq!(known, Ok(count), "{preset}");
    }
}
