//! The promises that every environment of the workspace makes.

use beer_game::spec::Spec;
use serde_json::json;
use sim_core::testkit::{check_optimal, check_preset, full_or_all, small_or_full};
use sim_core::{DynEnvironmentSpec as _, Effort};

/// One test a preset, so that they run beside each other.
fn check(preset: &str) {
    let report = check_preset(&Spec, preset).unwrap();
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

/// Drawn games have a plan only where a search made one; 200 of 16 weeks with `SLOW_TESTS=all`.
#[test]
fn slow_optimal_is_never_worse_than_the_reference() {
    let (games, weeks) = small_or_full((3, 8), full_or_all((12, 12), (200, 16)));
    for preset in ["random", "stationary"] {
        let settings = [("weeks".to_owned(), json!(weeks))];
        let config = Spec.configure(Some(preset), &settings).unwrap();
        let known = check_optimal(&Spec, &config, "optimal", games, Effort::Search);
        assert_eq!(known, Ok(games), "{preset}");
    }
    // A published game has a plan with little effort too, and the long search finds a better one.
    let bptk = Spec.configure(Some("bptk"), &[]).unwrap();
    let known = check_optimal(&Spec, &bptk, "optimal", 2, Effort::Quick);
    assert_eq!(known, Ok(2));
}
