use crate::rule;
use aoa_router::ask::{
    Pick, TRACE_CHARS, accuracies, bundles, choice, extraction, guard, hold_out, merging, strata,
    synthesis,
};
use aoa_router::experience::{RoutedOutcome, RoutingHint, Tags};
use aoa_router::{
    Agents, Incomplete, Matrix, RoutingExperience, RoutingPlaybook, RoutingPolicy, Sample,
    TraceRecord, When,
};
use serde_json::Value;
use sim_core::Seed;

/// `count` samples of two tasks; `ace` is right on even ones and `cot` on all.
fn traces(count: usize) -> Vec<TraceRecord> {
    let mut traces = Vec::new();
    for at in 0..count {
        for method in ["cot", "ace"] {
            let right = method == "cot" || at % 2 == 0;
            traces.push(TraceRecord {
                task_name: Some(format!("t{}", at % 2)),
                question: Some("How much {{ is }} it?".to_owned()),
                prediction: format!("{}é", "long ".repeat(3_000)),
                ..TraceRecord::new(format!("{at:03}"), method, right)
            });
        }
    }
    traces
}

fn experience(task: &str, agent: &str) -> RoutingExperience {
    RoutingExperience {
        bullet: "Reads the header as a row.".to_owned(),
        tags: Tags {
            agent_method: agent.to_owned(),
            task_name: task.to_owned(),
            ..Tags::default()
        },
        outcome: RoutedOutcome::Incorrect,
        diagnosis: String::new(),
        routing_hint: RoutingHint::default(),
        confidence: None,
        source_sample_id: None,
    }
}

#[test]
fn every_stratum_is_drawn_from() {
    let traces = traces(20);
    let drawn = strata(&traces, 2, Seed(1));
    // t0: both agents right; t1: cot right, ace wrong
    assert_eq!(drawn.len(), 2 * 4);
    assert_eq!(drawn.iter().filter(|it| !it.correct).count(), 2);
    let mut reversed = traces.clone();
    reversed.reverse();
    assert_eq!(strata(&reversed, 2, Seed(1)), drawn);
    assert_ne!(strata(&traces, 2, Seed(2)), drawn);
}

#[test]
fn traces_are_cut_and_never_read() {
    let trace = &traces(1)[0];
    let ask = extraction(trace, &Agents::methods());
    assert!(ask.user.contains("How much {{ is }} it?"));
    assert!(
        ask.user
            .contains("long \n[... 9001 characters left out ...]\nong long")
    );
    assert!(ask.user.contains("long é"));
    assert!(ask.user.chars().count() < TRACE_CHARS + 1_000);
    assert!(ask.system.contains("cot, gepa"));
}

#[test]
fn a_text_is_cut_between_characters_and_only_above_the_limit() {
    let mut trace = traces(1).remove(0);
    trace.prediction = "é".repeat(TRACE_CHARS);
    let whole = extraction(&trace, &Agents::methods()).user;
    assert!(!whole.contains("left out"));
    trace.prediction.push('é');
    let cut = extraction(&trace, &Agents::methods()).user;
    assert!(
        cut.contains("é\n[... 1 characters left out ...]\né"),
        "{cut}"
    );
}

#[test]
fn bundles_hold_some_of_everything() {
    let mut all = Vec::new();
    for task in ["a", "b", "c"] {
        for agent in ["cot", "ace"] {
            all.extend(vec![experience(task, agent); 4]);
        }
    }
    let drawn = bundles(&all, 10);
    assert_eq!(drawn.len(), 3);
    for bundle in &drawn {
        for task in ["a", "b", "c"] {
            assert!(bundle.iter().any(|it| it.tags.task_name == task));
        }
    }
    assert_eq!(bundles(&[], 10).len(), 1);
    let matrix = Matrix::join(&traces(10), Incomplete::Refuse).unwrap();
    let table = accuracies(&matrix).unwrap();
    assert_eq!(table.lines().next(), Some("cell | n | ace | cot"));
    assert_eq!(table.lines().nth(1), Some("all | 10 | 0.500 | 1.000"));
    assert!(table.contains("task t1 | 5 | 0.000 | 1.000"), "{table}");
    let ask = synthesis(&drawn[0], &table, &Agents::methods());
    assert!(ask.user.contains("Reads the header") && ask.user.contains(&table));
    let ask = merging(
        &[RoutingPlaybook::new(RoutingPolicy::always("cot"))],
        &table,
        &Agents::methods(),
    );
    assert!(ask.user.contains("\"default_agent\":\"cot\""));
}

#[test]
fn a_harmful_policy_is_refused() {
    let (shown, held) = hold_out(traces(200), Seed(1));
    assert_eq!((shown.len(), held.len()), (300, 100));
    let held = Matrix::join(&held, Incomplete::Refuse).unwrap();
    let with = |task: &str| {
        let when = When {
            task_name: Some(task.to_owned()),
            ..When::default()
        };
        RoutingPlaybook::new(RoutingPolicy {
            rules: vec![rule(when, "ace")],
            ..RoutingPolicy::always("CoT")
        })
    };
    let harmless = guard(&with("t0"), &held).unwrap();
    assert!(harmless.kept && harmless.against_default.difference == 0.0);
    let harmful = guard(&with("t1"), &held).unwrap();
    assert!(!harmful.kept && harmful.against_default.difference < -0.4);
}

#[test]
fn a_model_is_asked_to_choose() {
    let agents = Agents::methods();
    let playbook = RoutingPlaybook::new(RoutingPolicy::always("gepa"));
    let ask = choice(&playbook, &agents, &Sample::default(), "What is EBIT?");
    assert!(ask.user.contains("What is EBIT?") && ask.system.contains("choose gepa"));
    let pick: Pick = serde_json::from_str(r#"{"choose": "ACE"}"#).unwrap();
    assert_eq!(pick.check(&agents), Ok(()));
    let pick: Pick = serde_json::from_str(r#"{"choose": "me"}"#).unwrap();
    assert!(pick.check(&agents).unwrap_err().contains("`me`"));
}

/// Every part of a schema under a property `name`.
fn parts<'a>(schema: &'a Value, name: &str, found: &mut Vec<&'a Value>) {
    match schema {
        Value::Object(fields) => {
            found.extend(schema.pointer(&format!("/properties/{name}")));
            fields.values().for_each(|part| parts(part, name, found));
        }
        Value::Array(members) => members.iter().for_each(|part| parts(part, name, found)),
        _ => {}
    }
}

/// A server that enforces a schema cannot let a model write what the reader refuses.
#[test]
fn schemas_name_the_choices_of_a_model() {
    let agents = Agents::methods();
    let pick = Pick::schema(&agents);
    let lesson = RoutingExperience::schema_with(&agents);
    let policy = RoutingPlaybook::schema_with(&agents);
    let mut fields = Vec::new();
    for (schema, names) in [
        (&pick, &["choose"][..]),
        (
            &lesson,
            &["agent_method", "prefer_agent", "avoid_agent"][..],
        ),
        (&policy, &["choose", "default_agent"][..]),
    ] {
        for name in names {
            fields.clear();
            parts(schema, name, &mut fields);
            assert!(!fields.is_empty(), "{name}");
            for field in &fields {
                let choices = field["enum"].as_array().unwrap();
                assert!(
                    choices.contains(&"gepa".into()) && !choices.contains(&"me".into()),
                    "{field}"
                );
            }
        }
    }
    for schema in [&lesson, &policy] {
        let text = schema.to_string();
        for bucket in ["easy", "middle", "hard", "NA"] {
            assert!(text.contains(&format!("\"{bucket}\"")), "{bucket}: {text}");
        }
        fields.clear();
        parts(schema, "difficulty_bucket", &mut fields);
        assert!(
            fields
                .iter()
                .all(|field| field.get("type") != Some(&"string".into())),
            "{fields:?}"
        );
    }
}
