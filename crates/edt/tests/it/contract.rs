//! The contract of every simulator, and what is particular to this one.

use edt::Spec;
use serde_json::json;
use sim_core::testkit::{check_contract, check_optimal, full_or_all, small_or_full};
use sim_core::{DynEnvironmentSpec as _, Effort};

#[test]
fn contract() {
    let report = check_contract(&Spec).unwrap();
    assert_eq!(report.presets, 3);
    assert!(
        report.episodes >= 15 && report.hostile > 0 && report.batch_steps > 0,
        "{report:?}"
    );
}

/// Drawn firms have a plan only where a search made one; 201 firms of 24 units with `SLOW_TESTS=all`.
#[test]
fn slow_optimal_is_never_worse_than_the_reference() {
    let (firms, units) = small_or_full((1, 6), full_or_all((4, 16), (67, 24)));
    for mode in ["threshold", "bernoulli-repeat", "bernoulli-once"] {
        let settings = [
            ("template.drawn.units".to_owned(), json!(units)),
            ("risk_mode".to_owned(), json!(mode)),
        ];
        let config = Spec.configure(Some("small"), &settings).unwrap();
        let known = check_optimal(&Spec, &config, "optimal", firms, Effort::Search);
        assert_eq!(known, Ok(firms), "{mode}");
    }
}
