//! The three litmus tests.

mod collusion;
mod efficiency;
mod patience;

use sim_core::testkit::check_contract;

#[test]
fn all_three_keep_the_contract() {
    for kind in [
        &econ_envs::litmus::EfficiencyFamily as &dyn sim_core::DynEnvironmentSpec,
        &econ_envs::litmus::PatienceFamily,
        &econ_envs::litmus::CollusionFamily,
    ] {
        let report = check_contract(kind).unwrap();
        println!("{}: {report:?}", kind.name());
        assert!(report.presets >= 2 && report.episodes >= 8 && report.hostile > 100);
    }
}
