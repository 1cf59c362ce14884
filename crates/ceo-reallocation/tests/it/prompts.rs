//! What agents read, pinned word by word.

use ceo_reallocation::config::Visibility;
use ceo_reallocation::{Action, CeoReallocation, Config, Instance};
use serde_json::json;
use sim_core::{Environment, ToolAdapter, ToolEnvironment, ToolInterface};
use std::sync::Arc;

fn desk(id: &str, visibility: Visibility, rounds: u32) -> CeoReallocation {
    let mut instance = Instance::authored(id).unwrap();
    instance.config = Config {
        visibility,
        rounds,
        ..Config::of_scenario(id)
    };
    CeoReallocation::new(Arc::new(instance)).unwrap()
}

#[test]
fn the_chief_executive_reads() {
    let briefing = desk("C3-R3", Visibility::Views, 1).briefing();
    insta::assert_snapshot!(format!(
        "{}\n-----\n{}\n-----\n{}",
        briefing.system, briefing.opening, briefing.reminder
    ));
}

#[test]
fn full_visibility_and_several_rounds_read() {
    let briefing = desk("C7-R3", Visibility::Full, 4).briefing();
    insta::assert_snapshot!(format!("{}\n-----\n{}", briefing.system, briefing.opening));
}

#[test]
fn an_advisor_reads() {
    let mut desk = desk("C3-R3", Visibility::Deliberation, 1);
    let first = desk.briefing();
    let report: Action = serde_json::from_value(json!({"report": {
        "preference_pp": {"A": -3, "B": 3}, "rationale": "A small step.",
        "primary_risk": "Lenders", "opposition_condition": "more than 5 points",
        "disclosed_facts": ["cfo-1"]
    }}))
    .unwrap();
    desk.step(&report).unwrap();
    for _ in 0..3 {
        desk.forfeit();
    }
    let second = desk.briefing();
    insta::assert_snapshot!(format!(
        "{}\n-----\n{}\n-----\n{}",
        first.system, first.opening, second.opening
    ));
}

#[test]
fn replies_read() {
    let mut said = Vec::new();
    let mut say = |id: &str, retries: u32, text: &str| {
        let mut instance = Instance::authored(id).unwrap();
        instance.config.unreadable_retries = retries;
        let mut desk = ToolAdapter::new(CeoReallocation::new(Arc::new(instance)).unwrap());
        let reply = desk.say(text).unwrap();
        said.push(format!("> {text}\n{}", reply.text()));
    };
    say(
        "C3-R3",
        0,
        r#"{"remove_from":{"A":5},"add_to":{"C":2,"D":3}}"#,
    );
    say("C3-R3", 0, r#"{"remove_from":{"A":30},"add_to":{"C":30}}"#);
    say("C3-R3", 0, "Let us wait.");
    say("C3-R3", 2, r#"{"remove_from":{"Q":5},"add_to":{"C":5}}"#);
    insta::assert_snapshot!(said.join("\n\n"));
}

#[test]
fn tools_are_offered_as_described() {
    let chief = desk("C3-R3", Visibility::Views, 1).tools();
    let advisor = desk("C3-R3", Visibility::Deliberation, 1).tools();
    // Some builds keep the order of keys in which they were written: the snapshot must not care.
    insta::with_settings!({sort_maps => true}, {
        insta::assert_json_snapshot!([chief, advisor]);
    });
}
