//! The three litmus tests.

mod collusion;
mod efficiency;
mod patience;

use sim_core::testkit::{check_contract, check_optimal, small_or_full};
use sim_core::{DynEnvironmentSpec, Effort};

#[test]
fn all_three_keep_the_contract() {
    for spec in [
        &econ_envs::litmus::efficiency::Spec as &dyn sim_core::DynEnvironmentSpec,
        &econ_envs::litmus::patience::Spec,
        &econ_envs::litmus::collusion::Spec,
    ] {
        let report = check_contract(spec).unwrap();
        println!("{}: {report:?}", spec.name());
        assert!(report.presets >= 2 && report.episodes >= 8 && report.hostile > 100);
    }
}

/// The presets in which one end of the scale is better have an optimum.
#[test]
fn slow_optimal_is_never_worse_than_the_reference() {
    let count = small_or_full(8, 200);
    let mut checked = 0;
    for spec in [
        &econ_envs::litmus::efficiency::Spec as &dyn DynEnvironmentSpec,
        &econ_envs::litmus::collusion::Spec,
    ] {
        for preset in spec.preset_list() {
            let config = spec.configure(Some(preset.name), &[]).unwrap();
            let known = check_optimal(spec, &config, "optimal", count, Effort::Quick).unwrap();
            assert!(known == 0 || known == count, "{}", preset.name);
            checked += u64::from(known > 0);
        }
    }
    assert_eq!(checked, 3, "efficiency, equality, monopoly");
}
