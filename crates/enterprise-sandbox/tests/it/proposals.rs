//! Tasks that a model proposes: what it gets, and which drafts are refused.

use enterprise_sandbox::tasks::{
    Category, Generator, ProposalCheck, ProposedTask, TaskSample, mutations,
};
use enterprise_sandbox::{Config, Spec};
use serde_json::{Value, json};
use sim_core::Seed;
use std::collections::BTreeSet;
use std::sync::Arc;

fn generator() -> Arc<Generator> {
    Spec::default().generator(&Config::of(50)).unwrap()
}

/// The first sample of a category, and a colleague in it.
fn sample(g: &Generator, category: Category) -> (TaskSample, Value) {
    let samples = (0..40).filter_map(|index| g.sample(Seed(2), index));
    let sample = samples
        .into_iter()
        .find(|s| s.category == category)
        .unwrap();
    let people = serde_json::to_value(&sample.records).unwrap()["employees"].clone();
    let other = people
        .as_array()
        .unwrap()
        .iter()
        .find(|p| p["emp_id"] != sample.persona.as_str())
        .unwrap()
        .clone();
    (sample, other)
}

/// A right draft about a colleague.
fn draft(other: &Value) -> Value {
    json!({
        "request": format!("I want to write to {}. Which address do I use?", other["Name"].as_str().unwrap()),
        "records": [{"source": "employees", "ids": [other["emp_id"]],
            "conditions": [{"field": "Name", "is": "is", "value": other["Name"]}]}],
        "steps": [{"subgoal": "find them", "tool": "employee_data_read",
            "arguments": {"name": other["Name"]}}],
        "facts": [{"key": "email", "record": 1, "field": "email"}],
        "says": [],
    })
}

fn checks(g: &Generator, sample: &TaskSample, draft: Value) -> BTreeSet<ProposalCheck> {
    let proposed: ProposedTask = serde_json::from_value(draft).unwrap();
    match g.accept(sample, &proposed) {
        Ok(_) => BTreeSet::new(),
        Err(faults) => faults.iter().map(|fault| fault.check).collect(),
    }
}

#[test]
fn a_right_draft_becomes_a_task_whose_mistakes_fail() {
    let g = generator();
    let (sample, other) = sample(&g, Category::Search);
    let proposed: ProposedTask = serde_json::from_value(draft(&other)).unwrap();
    let task = g.accept(&sample, &proposed).unwrap();
    assert!(task.checks.pass() && !mutations(&task).is_empty());
    assert_eq!(task.persona, sample.persona);
    assert_eq!(task.gold.facts[0].value, other["email"]);
    assert_eq!(task.unique[0].rows, [other["emp_id"].as_str().unwrap()]);
    // The same draft and sample give the same task.
    assert_eq!(g.accept(&sample, &proposed).unwrap(), task);
}

/// Every rule refuses a draft that breaks it alone.
#[test]
fn a_draft_is_refused_for_each_fault() {
    use ProposalCheck as P;
    let g = generator();
    let (sample, other) = sample(&g, Category::Search);
    assert_eq!(checks(&g, &sample, draft(&other)), BTreeSet::new());
    let changed = |place: &str, value: Value| {
        let mut draft = draft(&other);
        *draft.pointer_mut(place).unwrap() = value;
        draft
    };
    let request = |words: &str| json!(format!("{words} {}", other["Name"].as_str().unwrap()));
    for (draft, check) in [
        (changed("/steps/0/tool", json!("no_such_tool")), P::Form),
        (changed("/steps/0/tool", json!("answer")), P::Form),
        (changed("/steps", json!([])), P::Form),
        (changed("/records/0/ids", json!(["emp_999999"])), P::Form),
        (
            changed("/records/0/conditions/0/field", json!("shoe_size")),
            P::Form,
        ),
        (
            changed("/records/0/conditions/0/field", json!("Salary")),
            P::Form,
        ),
        (
            changed("/records/0/conditions/0/is", json!("like")),
            P::Form,
        ),
        (changed("/facts/0/record", json!(2)), P::Form),
        (changed("/facts/0/record", json!(0)), P::Form),
        (changed("/facts/0/field", json!("nothing")), P::Form),
        (
            changed(
                "/says",
                json!([{"step": 1, "field": "none", "words": ["x"]}]),
            ),
            P::Form,
        ),
        (
            changed("/steps/0/arguments", json!({"shoe_size": 4})),
            P::Plan,
        ),
        (
            changed(
                "/request",
                json!("Which address do I use for the person I met?"),
            ),
            P::Known,
        ),
        (changed("/facts", json!([])), P::Facts),
        (changed("/facts/0/key", json!(" ")), P::Facts),
        (
            changed(
                "/facts",
                json!([
                    {"key": "a", "record": 1, "field": "email"},
                    {"key": "a", "record": 1, "field": "Name"},
                ]),
            ),
            P::Facts,
        ),
        (
            changed(
                "/request",
                request("According to the database, which is my address of"),
            ),
            P::Wording,
        ),
        (
            changed(
                "/records/0/conditions",
                json!([
                    {"field": "Name", "is": "is", "value": other["Name"]},
                    {"field": "Name", "is": "is", "value": other["Name"]},
                ]),
            ),
            P::Unique,
        ),
    ] {
        let found = checks(&g, &sample, draft.clone());
        assert!(found.contains(&check), "{check}: {found:?} {draft}");
    }
    let crud = TaskSample {
        category: Category::Crud,
        ..sample.clone()
    };
    assert_eq!(
        checks(&g, &crud, draft(&other)),
        BTreeSet::from([P::Writes])
    );
    let gone = TaskSample {
        persona: "emp_999999".to_owned(),
        ..sample
    };
    assert_eq!(checks(&g, &gone, draft(&other)), BTreeSet::from([P::Form]));
}

/// A model sees only records that the persona may read.
#[test]
fn samples_show_nothing_that_is_forbidden() {
    let g = generator();
    let mut goals = BTreeSet::new();
    for index in 0..60 {
        let Some(sample) = g.sample(Seed(3), index) else {
            continue;
        };
        goals.insert(sample.goal);
        assert_ne!(sample.category, Category::Unanswerable);
        assert!(!sample.tools.is_empty());
        let overlay = enterprise_sandbox::data::overlay::Overlay::default();
        let view = g.office().view(&overlay);
        let me = view.employee(&sample.persona).unwrap();
        for (source, records) in &sample.records {
            for record in records {
                let id = record[source.key()].to_string();
                let row = view.find(*source, id.trim_matches('"')).unwrap();
                assert!(
                    g.office().access().may_read(&view, me, *source, row),
                    "{source} {id}"
                );
                let hidden = source.fields().iter().filter(|f| f.restricted);
                let own = id.contains(sample.persona.as_str());
                for field in hidden {
                    assert!(own || record.get(field.name).is_none(), "{}", field.name);
                }
            }
        }
    }
    assert!(goals.len() > 10, "{goals:?}");
}
