//! Reading recorded runs.

use edt::Action;
use edt::action::Window;
use edt::engine::Figures;
use edt::firm::{AgentOrder, Firm, Project, StaffGroup};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// A recorded file, from the crate's own copies or from the folder that is shared between
/// checkouts. `None` (and a loud line) when it is not there.
pub(crate) fn load(name: &str) -> Option<Value> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/");
    let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/golden/");
    for folder in [own, shared] {
        if let Ok(text) = std::fs::read_to_string(Path::new(folder).join(name)) {
            return Some(serde_json::from_str(&text).unwrap());
        }
    }
    eprintln!("SKIPPED: recorded runs `{name}` are not there");
    None
}

fn f(value: &Value, key: &str) -> f64 {
    value[key]
        .as_f64()
        .unwrap_or_else(|| panic!("no number `{key}`"))
}

pub(crate) fn project(value: &Value) -> Project {
    Project {
        name: value["name"].as_str().unwrap().to_owned(),
        contracted_effort: f(value, "contracted_effort"),
        contracted_probability: f(value, "contracted_probability"),
        extension_probability: f(value, "extension_probability"),
        extension_effort: f(value, "extension_effort"),
        follow_on_probability: f(value, "follow_on_probability"),
        consultants: f(value, "consultants"),
        start_time: f(value, "start_time"),
        deadline: f(value, "deadline"),
        billing_rate: f(value, "billing_rate"),
        is_follow_on: value["is_follow_on"].as_bool().unwrap_or(false),
    }
}

/// The template of a file.
pub(crate) fn template(value: &Value) -> Firm {
    Firm {
        start: 1,
        stop: u32::try_from(value["stoptime"].as_u64().unwrap()).unwrap(),
        dt: 1.0,
        agent_order: AgentOrder::Cpf,
        fixed_cost: f(value, "fixed_cost"),
        risk_level: 0.5,
        staff: vec![StaffGroup {
            count: u32::try_from(value["max_consultants"].as_u64().unwrap()).unwrap(),
            salary: f(value, "salary"),
            workplace_cost: f(value, "workplace_cost"),
        }],
        projects: value["projects"]
            .as_array()
            .unwrap()
            .iter()
            .map(project)
            .collect(),
    }
}

fn window(value: &Value) -> Option<Window> {
    let pair = value.as_array()?;
    Some(Window {
        start: pair[0].as_f64().unwrap(),
        deadline: pair[1].as_f64().unwrap(),
    })
}

/// The firm and the decision of a case over a template.
pub(crate) fn case(template: &Firm, value: &Value) -> (Firm, Action) {
    let firm = Firm {
        start: u32::try_from(value["starttime"].as_u64().unwrap()).unwrap(),
        stop: u32::try_from(value["stoptime"].as_u64().unwrap()).unwrap(),
        dt: f(value, "dt"),
        agent_order: AgentOrder::deserialize(&value["agent_order"]).unwrap(),
        ..template.clone()
    };
    let windows = match &value["schedule"] {
        Value::String(_) => Action::template(template).projects,
        schedule => schedule.as_array().unwrap().iter().map(window).collect(),
    };
    let decision = Action {
        consultants: value["consultants"].as_i64().unwrap(),
        risk_level: f(value, "revenue_risk_level"),
        projects: windows,
    };
    (firm, decision)
}

/// Every recorded series of a case against ours; returns how many numbers were compared.
pub(crate) fn compare(name: &str, recorded: &Value, ours: &[Figures]) -> usize {
    let series = recorded.as_object().unwrap();
    let mut compared = 0;
    for (key, values) in series {
        let values = values.as_array().unwrap();
        assert_eq!(values.len(), ours.len(), "{name}: number of steps of {key}");
        for (step, (value, figures)) in values.iter().zip(ours).enumerate() {
            let own = serde_json::to_value(figures).unwrap()[key]
                .as_f64()
                .unwrap();
            agree(
                &format!("{name}: {key} at step {step}"),
                key,
                value.as_f64().unwrap(),
                own,
            );
            compared += 1;
        }
    }
    compared
}

/// Money to 1e-6, everything else to 1e-9.
pub(crate) fn agree(place: &str, key: &str, recorded: f64, ours: f64) {
    let money = ["revenue", "expenses", "earnings", "cash", "fee"];
    let is_money = money.iter().any(|m| key.contains(m)) && key != "revenue_risk";
    let tolerance = if is_money { 1e-6 } else { 1e-9 };
    assert!(
        (recorded - ours).abs() <= tolerance,
        "{place}: recorded {recorded}, ours {ours}"
    );
}
