//! The older rubric.

use crate::golden::scorer;
use ceo_reallocation::plan::parse_plan;
use ceo_reallocation::scenario::authored;
use ceo_reallocation::score::older_rubric;

#[test]
fn the_older_rubric_by_hand() {
    let scenario = authored().scenario("C3-R3").unwrap();
    let scorer = scorer("C3-R3");
    let of = |reply: &str| older_rubric(scenario, &scorer, &parse_plan(reply).unwrap());
    // 30 valid + 30 in 11..15 + 20 aligned + 10 + 10 (1 - 6/15) = 96; C is warned, so times 0.9
    let good = of(r#"{"remove_from":{"A":13},"add_to":{"C":6,"D":4,"B":3}}"#);
    assert!((good - 86.4).abs() < 1e-9, "{good}");
    // 30 + 30 (1 - 6/15) + 20 + 0 + 0 = 68; out of range, so times 0.72
    let bold = of(r#"{"remove_from":{"A":17,"B":2,"D":2},"add_to":{"C":21}}"#);
    assert!((bold - 48.96).abs() < 1e-9, "{bold}");
    // 30 + 0 + 0 + 10 + 10 = 50; out of range
    let idle = of(r#"{"remove_from":{},"add_to":{}}"#);
    assert!((idle - 36.0).abs() < 1e-9, "{idle}");
    // 0 + 30 + 20 + 10 + 6 = 66; invalid, so times 0.45
    let broken = of(r#"{"remove_from":{"A":13},"add_to":{"C":6,"D":4,"B":2}}"#);
    assert!((broken - 29.7).abs() < 1e-9, "{broken}");
    // 30 + 30 + 20 + 10 + 10: everything right, without the warned unit
    let best = of(r#"{"remove_from":{"A":12},"add_to":{"D":6,"B":6}}"#);
    assert_eq!(best, 100.0);
    let unreadable = of(r#"{"remove_from":{"Q":12},"add_to":{"D":12}}"#);
    assert_eq!(unreadable, 0.0);
}
