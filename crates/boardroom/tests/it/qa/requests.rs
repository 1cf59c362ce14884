//! The requests of `run qa` with every method, as a server gets them: one snapshot for each method.
//!
//! After a prompt has changed, record the snapshots again with
//! `INSTA_UPDATE=always cargo nextest run -p boardroom -E 'test(requests)'` and read the difference.

use crate::models::summary;
use crate::server::{Act, Server, reply, said};
use serde_json::Value;
use sim_core::METHODS;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");

/// A model that answers alike whatever the order in which requests arrive.
fn server() -> Server {
    Server::acting(|_, body| {
        let schema = &body["response_format"]["json_schema"]["schema"];
        Act::Answer(if schema.is_object() {
            reply(body, 1)
        } else {
            said("Orders rose.\nAnswer: positive\n<cheatsheet>Mind the words.</cheatsheet>")
        })
    })
}

/// The stored calls of a run on `tasks` with `method`, in the order of their places in the run.
fn calls(tasks: &str, method: &str, out: &Path) -> Vec<Value> {
    let instruction = out.with_extension("txt");
    std::fs::write(&instruction, "Look twice.").unwrap();
    let more = match method {
        "gepa" => format!("--instruction {}", instruction.display()),
        _ => String::new(),
    };
    let line = format!(
        "run qa --data {SAMPLES} --task {tasks} --python none --agent openai:mock --method {method} \
         --items 2 --json {more} --out {}",
        out.display()
    );
    summary(&server().run(&line));
    let text = std::fs::read_to_string(out.join("calls.jsonl")).unwrap();
    let mut calls: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    calls.sort_by_key(|call| call["slot"].as_str().unwrap().to_owned());
    calls
}

/// The requests as text: place, role and settings, then the messages. A long text that was shown before is
/// named by its place.
fn shown(calls: &[Value]) -> String {
    let mut out = String::new();
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for (number, call) in calls.iter().enumerate() {
        let body = call["request"].as_object().unwrap();
        let settings = body
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "messages" | "model" | "response_format"));
        let mut head: Vec<String> = settings
            .map(|(key, value)| format!("{key} {value}"))
            .collect();
        if let Some(format) = body.get("response_format") {
            head.push(format!("JSON {}", format["json_schema"]["name"]));
        }
        let _ = writeln!(
            out,
            "== request {} at {} ({}), {}",
            number + 1,
            call["slot"].as_str().unwrap(),
            call["role"].as_str().unwrap(),
            head.join(", ")
        );
        for (place, message) in body["messages"].as_array().unwrap().iter().enumerate() {
            let text = message["content"].as_str().unwrap().to_owned();
            let at = format!("request {}, message {}", number + 1, place + 1);
            let first = seen.entry(text.clone()).or_insert_with(|| at.clone());
            let role = message["role"].as_str().unwrap();
            if text.len() > 60 && *first != at {
                let _ = writeln!(out, "{role}: (as {first})");
            } else {
                let _ = writeln!(out, "{role}: {text}");
            }
        }
    }
    out
}

/// The system message of a request of the agent; `None` for one of a memory, a critic or the like.
fn told(call: &Value) -> Option<&str> {
    let first = &call["request"]["messages"][0];
    let asks = call["role"] == "agent" && first["role"] == "system";
    asks.then(|| first["content"].as_str().unwrap())
}

#[test]
fn requests_for_questions_of_all_methods() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(METHODS.len(), 10);
    for name in METHODS.map(|method| method.name) {
        let calls = calls("FPB,FinKnow", name, &dir.path().join(name));
        // At least one for each of two questions of two tasks.
        assert!(
            calls.iter().filter(|call| told(call).is_some()).count() >= 4,
            "{name}"
        );
        let text = shown(&calls);
        assert_eq!(
            text.contains("step by step"),
            name == "cot",
            "{name}: {text}"
        );
        assert_eq!(
            text.contains("Look twice."),
            name == "gepa",
            "{name}: {text}"
        );
        insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true,
            snapshot_path => "requests"}, {
            insta::assert_snapshot!(format!("question_{name}"), text);
        });
    }
}

/// Whatever a task is scored by: `cot` asks for the steps of every question, `direct` of none.
#[test]
fn requests_for_questions_of_each_scoring_ask_for_reasoning_under_cot() {
    let dir = tempfile::tempdir().unwrap();
    let tasks = "FPB,FOMC,FRM,EDTSUM,FNXL,FinRED,FinKnow,FinCode,finer,FormulaEval";
    for name in ["cot", "direct"] {
        let calls = calls(tasks, name, &dir.path().join(name));
        let told: Vec<&str> = calls.iter().filter_map(told).collect();
        assert_eq!(told.len(), calls.len(), "{name}");
        assert!(
            told.len() >= tasks.split(',').count(),
            "{name}: {}",
            told.len()
        );
        for text in told {
            assert_eq!(
                text.contains("step by step"),
                name == "cot",
                "{name}: {text}"
            );
        }
    }
}
