//! The contract of every simulator, and what is particular to this one.

use edt::Spec;
use serde_json::json;
use sim_core::testkit::{check_optimal, check_preset, full_or_all, small_or_full};
use sim_core::{DynEnvironmentSpec as _, Effort};

/// The oracles search for seconds in each preset; the ordinary run plays the first.
#[test]
fn slow_contract() {
    let presets: Vec<_> = Spec.preset_list().iter().map(|p| p.name).collect();
    assert_eq!(presets.len(), 3);
    for preset in presets.into_iter().take(small_or_full(1, 3)) {
        let report = check_preset(&Spec, preset).unwrap();
        assert!(
            report.episodes >= 5 && report.hostile > 0 && report.batch_steps > 0,
            "{preset}: {report:?}"
        );
    }
}

/// The ordinary run leaves out the modes in which events are drawn: their search takes seconds for a firm.
/// Drawn firms have a plan only where a search made one; 201 firms of 24 units with `SLOW_TESTS=all`.
#[test]
fn slow_optimal_is_never_worse_than_the_reference() {
    let (firms, units) = small_or_full((1, 12), full_or_all((4, 16), (67, 24)));
    let modes = ["threshold", "bernoulli-once", "bernoulli-repeat"];
    for mode in modes.into_iter().take(small_or_full(1, 3)) {
        let settings = [
            ("template.drawn.units".to_owned(), json!(units)),
            ("risk_mode".to_owned(), json!(mode)),
        ];
        let config = Spec.configure(Some("small"), &settings).unwrap();
        let known = check_optimal(&Spec, &config, "optimal", firms, Effort::Search);
        assert_eq!(known, Ok(firms), "{mode}");
    }
}
