//! Agents that misbehave: each ends with a scored, flagged episode of bounded size.

use crate::hostile::{never_submits, sends_garbage_for_long, writes_a_book};
use econ_envs::procurement::Spec;
use serde_json::json;
use sim_core::testkit::hostile_values;
use sim_core::{Ending, EnvironmentSpec, EpisodeRecord, Limits, ToolAdapter, ToolEnvironment};
use std::sync::Arc;

fn ended(record: &EpisodeRecord) {
    assert_eq!(record.ending, Ending::Forfeited);
    assert_eq!(record.score.value(), 0.0);
    assert_eq!(record.score.all_incidents().len(), 100);
}

#[test]
fn one_that_never_submits_is_forfeited() {
    assert_eq!(Limits::default().calls_per_period, 40);
    ended(&never_submits(&Spec, "get_budget"));
}

#[test]
fn one_that_submits_garbage_a_thousand_times_is_forfeited() {
    sends_garbage_for_long(&Spec, "submit_purchase_plan", "purchase_plan");
}

#[test]
fn one_that_writes_ten_megabytes_of_notes_stays_bounded() {
    ended(&writes_a_book(&Spec));
}

/// Whatever stands in the argument, the answer is short; only what is a plan ends the period.
#[test]
fn no_value_gets_through_that_is_no_plan() {
    let config = Default::default();
    let instance = Spec.suite("paper", &config).unwrap().remove(0);
    let adapter = ToolAdapter::new(Spec.begin(Arc::new(instance)).unwrap());
    let (mut refused, mut empty) = (0, 0);
    for value in hostile_values() {
        let mut adapter = adapter.clone();
        let before = adapter.snapshot();
        let reply = adapter.call("submit_purchase_plan", &json!({ "purchase_plan": value }));
        if reply.is_rejected() {
            assert_eq!(adapter.snapshot(), before);
            assert!(
                reply.text().len() < 500 && !reply.text().contains('\n'),
                "{}",
                reply.text()
            );
            refused += 1;
        } else {
            assert_eq!(reply.action(), Some(&json!({})), "{value}");
            empty += 1;
        }
    }
    assert_eq!(
        (refused, empty),
        (hostile_values().len() - 1, 1),
        "an empty object is a plan"
    );
}
