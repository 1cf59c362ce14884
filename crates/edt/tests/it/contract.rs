//! The contract of every simulator, and what is particular to this one.

use edt::Spec;
use sim_core::testkit::check_contract;

#[test]
fn contract() {
    let report = check_contract(&Spec).unwrap();
    assert_eq!(report.presets, 3);
    assert!(
        report.episodes >= 15 && report.hostile > 0 && report.batch_steps > 0,
        "{report:?}"
    );
}
