//! The three litmus tests.

mod collusion;
mod efficiency;
mod patience;

use sim_core::testkit::check_contract;

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
