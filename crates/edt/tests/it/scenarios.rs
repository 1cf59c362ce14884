//! Scenario files: both forms, and what is wrong with bad ones.

use crate::golden::{agree, compare, load};
use edt::agent_model::AgentModel;
use edt::engine::{Chance, Engine};
use edt::firm::{AgentOrder, Firm};
use edt::{Action, Instance, scenario};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn tutorial_scenarios() {
    let Some(golden) = load("beer_edt/edt_tutorial_scenarios.json") else {
        return;
    };
    let mut cases = 0;
    for case in golden["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let firm = scenario::from_value(&case["scenario"], None).unwrap();
        let decision = Action::template(&firm);
        let chance = Chance::threshold(decision.risk_level);
        let plain = AgentModel::new(&firm, &decision, chance).run();
        let mut fast = Vec::new();
        Engine::new(&firm).run_with_series(&decision, &chance, &mut fast);
        for figures in [&plain, &fast] {
            assert!(compare(name, &case["steps"], figures) > 400, "{name}");
            let last = serde_json::to_value(figures.last().unwrap()).unwrap();
            for (key, value) in case["final"].as_object().unwrap() {
                let ours = last[key].as_f64().unwrap();
                agree(
                    &format!("{name}: final {key}"),
                    key,
                    value.as_f64().unwrap(),
                    ours,
                );
            }
        }
        cases += 1;
    }
    assert_eq!(cases, 8);
}

/// A scenario in the original engine's form.
fn original() -> Value {
    let wrapped = |value: Value| json!({"type": "Double", "value": value});
    json!({"smEDT": {"type": "abm", "name": "twin", "model": "m", "scenarios": {"story": {
        "runspecs": {"starttime": 1, "stoptime": 25, "dt": 0.25},
        "properties": {"revenue_risk_level": wrapped(json!(0.5)), "fixed_cost": wrapped(json!(10_000))},
        "agents": [
            {"name": "controlling", "count": 1, "properties": {}},
            {"name": "consultant", "count": 2, "properties": {
                "salary": wrapped(json!(6_000.0)), "workplace_cost": wrapped(json!(2_000.0))}},
            {"name": "consultant", "count": 1, "properties": {
                "name": {"type": "String", "value": "Ada"}, "salary": 6_000.0, "workplace_cost": 2_000.0}},
            {"name": "project", "count": 2, "properties": {
                "name": {"type": "String", "value": "Audit"},
                "contracted_effort": wrapped(json!(6.0)), "contracted_probability": wrapped(json!(1.0)),
                "extension_probability": wrapped(json!(0.6)), "extension_effort": wrapped(json!(10.0)),
                "follow_on_probability": wrapped(json!(0.25)), "consultants": wrapped(json!(2.0)),
                "start_time": wrapped(json!(3.0)), "deadline": wrapped(json!(26.0)),
                "is_follow_on": {"type": "Boolean", "value": false},
                "billing_rate": wrapped(json!(18_000.0))}}
        ]
    }}}})
}

#[test]
fn the_original_form_is_read() {
    let firm = scenario::from_value(&original(), None).unwrap();
    assert_eq!((firm.start, firm.stop, firm.dt), (1, 25, 0.25));
    assert_eq!(firm.agent_order, AgentOrder::Fcp);
    assert_eq!((firm.fixed_cost, firm.risk_level), (10_000.0, 0.5));
    assert_eq!((firm.staff.len(), firm.head_count()), (1, 3));
    assert_eq!(firm.projects.len(), 2);
    assert_eq!(firm.projects[1].name, "Audit");
    assert_eq!(
        scenario::from_value(&original(), Some("story")).unwrap(),
        firm
    );
    let inner = original()["smEDT"].clone();
    let alone = json!({"scenarios": inner["scenarios"]});
    assert_eq!(scenario::from_value(&alone, None).unwrap(), firm);
    // As an instance, in every form.
    let ours = serde_json::to_value(&firm).unwrap();
    let instance = Instance::of_firm(firm);
    let whole = serde_json::to_value(&instance).unwrap();
    for form in [
        original(),
        alone,
        ours.clone(),
        whole,
        json!({"firm": ours}),
    ] {
        assert_eq!(serde_json::from_value::<Instance>(form).unwrap(), instance);
    }
}

/// The error for the original scenario after a change at a JSON pointer inside the scenario.
fn fault(pointer: &str, value: Option<Value>) -> String {
    let mut file = original();
    let story = file.pointer_mut("/smEDT/scenarios/story").unwrap();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = story.pointer_mut(parent).unwrap();
    match (value, parent) {
        (Some(value), Value::Object(fields)) => drop(fields.insert(key.to_owned(), value)),
        (None, Value::Object(fields)) => drop(fields.remove(key)),
        (Some(value), Value::Array(items)) if key == "-" => items.push(value),
        (_, other) => panic!("nothing to change in {other}"),
    }
    scenario::from_value(&file, None).unwrap_err().to_string()
}

#[test]
fn bad_files_are_refused_with_place_and_remedy() {
    let at = "smEDT.scenarios.story";
    let project = "/agents/3/properties";
    let cases = [
        (
            fault("/runspecs", None),
            format!("{at}: `runspecs` is missing"),
        ),
        (
            fault("/agents", Some(json!({}))),
            format!("{at}.agents: must be a list of agents"),
        ),
        (
            fault("/runspecs/end", Some(json!(3))),
            format!("{at}.runspecs: `end` is unknown; known are starttime, stoptime, dt"),
        ),
        (
            fault("/runspecs/stoptime", Some(json!(25.5))),
            format!("{at}.runspecs.stoptime: must be a whole number from 0 to 1000000, not 25.5"),
        ),
        (
            fault("/runspecs/dt", Some(json!(0.3))),
            "dt: must be 1, 0.5 or 0.25, not 0.3".to_owned(),
        ),
        (
            fault(&format!("{project}/deadline"), None),
            format!("{at}.agents[3].properties: `deadline` is missing"),
        ),
        (
            fault(
                &format!("{project}/deadline"),
                Some(json!({"type": "Double", "value": null})),
            ),
            format!("{at}.agents[3].properties.deadline: must be a number"),
        ),
        (
            fault(&format!("{project}/contracted_effort"), Some(json!(-5))),
            "projects[0].contracted_effort: `-5` is out of range, it must be 0 to 1000000000000"
                .to_owned(),
        ),
        (
            fault(&format!("{project}/deadline"), Some(json!(2))),
            "projects[0].deadline: must not lie before start_time 3, not 2".to_owned(),
        ),
        (
            fault(&format!("{project}/colour"), Some(json!("red"))),
            format!(
                "{at}.agents[3].properties: `colour` is unknown; known are contracted_effort, \
                 contracted_probability, extension_probability, extension_effort, \
                 follow_on_probability, consultants, start_time, deadline, billing_rate, name, \
                 is_follow_on"
            ),
        ),
        (
            fault("/agents/3/count", Some(json!(1e9))),
            format!("{at}.agents[3].count: must be a whole number from 0 to 100000"),
        ),
        (
            fault("/agents/3/name", Some(json!("marketing_campaign"))),
            format!(
                "{at}.agents[3]: agents are consultant, project or controlling, not \
                 `marketing_campaign`"
            ),
        ),
        (
            fault("/agents/-", Some(json!({"name": "controlling"}))),
            format!("{at}.agents[4]: there must be one controlling agent"),
        ),
        (
            fault(
                "/agents/-",
                Some(
                    json!({"name": "consultant", "properties": {"salary": 1, "workplace_cost": 1}}),
                ),
            ),
            format!("{at}.agents[4]: agents of one kind must stand together in the list"),
        ),
        (
            fault("/agents/0/count", Some(json!(0))),
            format!("{at}.agents: the controlling agent is missing"),
        ),
    ];
    for (ours, expected) in cases {
        assert_eq!(ours, expected);
    }
    let read = |text: &str| {
        scenario::read(text.as_bytes(), None)
            .unwrap_err()
            .to_string()
    };
    assert!(read("{").starts_with("not JSON: "));
    assert!(read("{\"fixed_cost\": NaN}").starts_with("not JSON: "));
    assert_eq!(read("[]"), "a scenario must be a JSON object");
    assert!(read("{}").starts_with("no scenario here: expected `runspecs`"));
    let two = json!({"scenarios": {"a": {}, "b": {}}});
    let choose = |name| scenario::from_value(&two, name).unwrap_err().to_string();
    assert_eq!(
        choose(None),
        "scenarios: the file holds several scenarios, choose one of `a`, `b`"
    );
    assert_eq!(
        choose(Some("c")),
        "scenarios: no scenario `c`; there are `a`, `b`"
    );
    assert_eq!(choose(Some("b")), "scenarios.b: `runspecs` is missing");
}

#[test]
fn a_file_of_100_mb_is_refused_unread() {
    let error = scenario::read(&vec![b' '; 100 << 20], None)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "a scenario file may have at most 33554432 bytes, this one has 104857600"
    );
}

#[test]
fn our_form_names_the_field() {
    let mut firm = serde_json::to_value(Firm::paper()).unwrap();
    firm["projects"][2]["billing_rate"] = json!("much");
    let error = scenario::from_value(&firm, None).unwrap_err().to_string();
    assert!(
        error.starts_with("projects[2].billing_rate: invalid type: string"),
        "{error}"
    );
    firm["projects"][2]["billing_rate"] = json!(1);
    firm["staf"] = json!([]);
    let error = scenario::from_value(&firm, None).unwrap_err().to_string();
    assert!(error.starts_with("staf: unknown field `staf`"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// Whatever stands anywhere in a scenario, reading it gives a firm or an error in one line.
    #[test]
    fn nothing_panics(at in 0_usize..200, hostile in 0_usize..20, remove in any::<bool>()) {
        let mut file = original();
        let mut pointers = Vec::new();
        collect(&file, String::new(), &mut pointers);
        let pointer = &pointers[at % pointers.len()];
        let values = sim_core::testkit::hostile_values();
        if remove {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            if let Some(Value::Object(fields)) = file.pointer_mut(parent) {
                fields.remove(key);
            }
        } else {
            *file.pointer_mut(pointer).unwrap() = values[hostile % values.len()].clone();
        }
        if let Err(error) = scenario::from_value(&file, None) {
            let error = error.to_string();
            prop_assert!(!error.contains('\n') && error.len() < 2_000, "{}", error);
        }
    }
}

fn collect(value: &Value, here: String, all: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, inner) in fields {
                collect(inner, format!("{here}/{key}"), all);
            }
        }
        Value::Array(items) => {
            for (i, inner) in items.iter().enumerate() {
                collect(inner, format!("{here}/{i}"), all);
            }
        }
        _ => {}
    }
    if !here.is_empty() {
        all.push(here);
    }
}
