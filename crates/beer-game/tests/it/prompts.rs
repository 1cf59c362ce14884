//! What seats read, word by word.

use beer_game::config::Config;
use beer_game::env::BeerGame;
use beer_game::instance::Instance;
use serde_json::json;
use sim_core::{Episode, Seed, ToolAdapter, ToolEnvironment, ToolReply};
use std::fmt::Write as _;
use std::sync::Arc;

fn desk(config: &Config) -> ToolAdapter<BeerGame> {
    let instance = Instance::generate(config, Episode::of_run(Seed(1), 0)).unwrap();
    ToolAdapter::new(BeerGame::new(Arc::new(instance)).unwrap())
}

fn transcript(config: &Config, orders: &[i64]) -> String {
    let mut desk = desk(config);
    let mut out = format!("SYSTEM\n{}\n", desk.briefing().system);
    for order in orders {
        let briefing = desk.briefing();
        write!(out, "\nOPENING\n{}\n", briefing.opening).unwrap();
        let reply = desk.call("place_order", &json!({"quantity": order}));
        write!(out, "\nREPLY\n{}\n", reply.text()).unwrap();
    }
    let history = desk.call("get_history", &json!({"weeks": 2}));
    write!(out, "\nHISTORY\n{}\n", history.text()).unwrap();
    write!(out, "\nREMINDER\n{}\n", desk.briefing().reminder).unwrap();
    out
}

#[test]
fn paper() {
    insta::assert_snapshot!(transcript(&Config::paper(), &[400, 100, 6000, 0]));
}

#[test]
fn paper_exact_reveals_the_opponents() {
    insta::assert_snapshot!(transcript(&Config::paper_exact(), &[400]));
}

/// Only rules by which a role really orders are told.
#[test]
fn the_others_are_those_that_nobody_plays() {
    let told = |controlled: &[&str], opponents: serde_json::Value| {
        let mut value = serde_json::to_value(Config::classic()).unwrap();
        value["play"]["controlled"] = json!(controlled);
        value["play"]["reveal_opponents"] = json!(true);
        value["opponents"] = json!([opponents]);
        let briefing = desk(&serde_json::from_value(value).unwrap()).briefing();
        let texts = [briefing.system, briefing.opening];
        texts.map(|text| {
            let (_, rule) = text.split_once("The others order by this rule: ")?;
            rule.split_once('.').map(|(rule, _)| rule.to_owned())
        })
    };
    let mixed = json!({"retailer": "typical", "wholesaler": "sterman",
        "distributor": "sterman", "brewery": "sterman"});
    let all = ["retailer", "wholesaler", "distributor", "brewery"];
    assert_eq!(told(&all, json!("sterman")), [None, None]);
    assert_eq!(
        told(&["retailer"], mixed.clone()),
        told(&["retailer"], json!("sterman"))
    );
    let [system, opening] = told(&["brewery"], mixed);
    assert_eq!(system, opening);
    let rule = system.unwrap();
    assert!(
        rule.starts_with("retailer ") && !rule.contains("brewery "),
        "{rule}"
    );
}

/// The paper: "the internal dynamics and governing equations remain hidden".
#[test]
fn the_papers_disclosure_tells_no_rules() {
    for preset in Config::presets() {
        let config = Config {
            disclosure: beer_game::config::Disclosure::Paper,
            ..preset.config.clone()
        };
        let desk = desk(&config);
        let words = desk.briefing().system;
        for told in [
            "Each week:",
            "backlog.",
            "Costs a week",
            "weeks to brew",
            "after you send it",
            "At the start everybody",
            "The books lag",
            "the game sends",
        ] {
            assert!(!words.contains(told), "{}: {told} in {words}", preset.name);
        }
        for told in ["You manage the", "aim: the lowest", "place_order"] {
            assert!(words.contains(told), "{}: {told}", preset.name);
        }
        // The game is the same, and its digest says how it was told.
        let full = Instance::generate(&preset.config, Episode::of_run(Seed(1), 0)).unwrap();
        let text = serde_json::to_string(&full).unwrap();
        assert!(!text.contains("disclosure"), "{text}");
    }
}

#[test]
fn bptk() {
    insta::assert_snapshot!(transcript(&Config::bptk(), &[700]));
}

#[test]
fn classic_with_four_seats() {
    insta::assert_snapshot!(transcript(&Config::classic(), &[4, 9, 4, 4, 8]));
}

#[test]
fn tools() {
    let tools = desk(&Config::paper()).tools();
    insta::assert_snapshot!(sorted(&tools));
}

#[test]
fn replies_as_json() {
    let mut desk = desk(&Config::paper());
    let stock = desk.call("get_stock", &json!({}));
    let placed = desk.call("place_order", &json!({"quantity": 400}));
    let history = desk.call("get_history", &json!({}));
    let values: Vec<_> = [stock, placed, history]
        .into_iter()
        .map(|reply| match reply {
            ToolReply::Shown { shown } | ToolReply::PeriodOver { shown, .. } => shown.value,
            other => panic!("{other:?}"),
        })
        .collect();
    insta::assert_snapshot!(sorted(&values));
}

#[test]
fn refusals() {
    let mut desk = desk(&Config::paper());
    let mut out = String::new();
    for (tool, arguments) in [
        ("place_order", json!({"quantity": -1})),
        ("place_order", json!({"quantity": 5001})),
        ("place_order", json!({"quantity": 2.5})),
        ("place_order", json!({"quantity": "400"})),
        ("place_order", json!({"quantity": null})),
        ("place_order", json!({})),
        ("place_order", json!({"amount": 4})),
        ("place_order", json!([400])),
        ("get_history", json!({"weeks": -1})),
        ("get_history", json!({"months": 1})),
        ("get_stock", json!({"role": "brewery"})),
        ("sell", json!({})),
    ] {
        let reply = desk.call(tool, &arguments);
        assert!(reply.is_rejected(), "{tool} {arguments}");
        writeln!(out, "{tool} {arguments}\n  {}", reply.text()).unwrap();
    }
    let reply = desk.act(&json!({"quantity": 1.5}));
    assert!(reply.is_rejected());
    writeln!(out, "typed action\n  {}", reply.text()).unwrap();
    insta::assert_snapshot!(out);
}

/// JSON with sorted keys, whatever order this build's maps keep; one element a line.
fn sorted<T: serde::Serialize>(values: &[T]) -> String {
    let lines = values
        .iter()
        .map(|value| sim_core::canonical_json(value).unwrap());
    lines.collect::<Vec<_>>().join("\n")
}
