//! The requests of all methods, for games, questions and interviews, as a server receives them: one
//! snapshot for each method and kind of work.
//!
//! After a prompt has changed, record the snapshots again with
//! `INSTA_UPDATE=always cargo nextest run -p boardroom requests` and read the difference.

use crate::server::{Act, Server, called, reply};
use serde_json::{Value, json};
use sim_core::METHODS;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// A server that keeps to the tool choice: where it is "none", the model reasons.
fn server() -> Server {
    Server::acting(|n, body| {
        let mut body = body.clone();
        if body["tool_choice"] == "none"
            && let Some(map) = body.as_object_mut()
        {
            map.remove("tools");
        }
        if body.get("tools").is_some() {
            return Act::Answer(called(&json!({"quantity": 100 + n * 10})));
        }
        Act::Answer(reply(&body, n))
    })
}

/// Texts that have a name in the snapshots: those of the work, which are the same for every method.
type Known = BTreeMap<String, String>;

/// The requests as text: settings, then the messages. A text that was shown before is named by its place.
fn shown(bodies: &[Value], known: &Known) -> String {
    let mut out = String::new();
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for (number, body) in bodies.iter().enumerate() {
        let mut head = vec![format!("request {}", number + 1)];
        for key in ["temperature", "top_p", "max_tokens"] {
            if let Some(value) = body.get(key).filter(|value| **value != json!(2048)) {
                head.push(format!("{key} {value}"));
            }
        }
        if let Some(tools) = body["tools"].as_array() {
            let names: Vec<&str> = tools
                .iter()
                .map(|tool| tool["function"]["name"].as_str().unwrap())
                .collect();
            let choice = body["tool_choice"].as_str().unwrap();
            head.push(format!("tools {} ({choice})", names.join(", ")));
        }
        if let Some(name) = body["response_format"]["json_schema"]["name"].as_str() {
            head.push(format!("JSON `{name}`"));
        }
        let _ = writeln!(out, "== {}", head.join(", "));
        for (place, message) in body["messages"].as_array().unwrap().iter().enumerate() {
            let role = message["role"].as_str().unwrap();
            let mut text = message["content"].as_str().unwrap_or_default().to_owned();
            for (name, part) in known {
                text = text.replace(part.as_str(), &format!("({name})"));
            }
            if let Some(calls) = message["tool_calls"].as_array() {
                for call in calls {
                    let call = &call["function"];
                    let name = call["name"].as_str().unwrap();
                    let _ = write!(text, "{name}({})", call["arguments"].as_str().unwrap());
                }
            }
            let at = format!("message {} of request {}", place + 1, number + 1);
            let first = seen.entry(text.clone()).or_insert_with(|| at.clone());
            if text.len() > 80 && *first != at {
                text = format!("({first})");
            }
            let _ = writeln!(out, "{role}: {text}");
        }
    }
    out
}

/// The bodies of all requests of one run with `method`.
fn asked(work: &str, method: &str, instruction: &Path) -> Vec<Value> {
    let server = server();
    let more = if method == "gepa" {
        format!("--instruction {}", instruction.display())
    } else {
        String::new()
    };
    let line =
        format!("run {work} --agent openai:mock --method {method} {more} --concurrency 1 --json");
    let output = server.run(&line);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "boardroom {line}: {err}");
    let bodies = server.seen.lock().unwrap().clone();
    assert!(!bodies.is_empty());
    bodies
}

/// Compares the requests of every method for `work` with the snapshots that begin with `kind`; `named`
/// finds the texts of the work in the requests of `direct`.
fn snapshots(kind: &str, work: &str, named: impl Fn(&[Value]) -> Known) {
    let dir = tempfile::tempdir().unwrap();
    let instruction = dir.path().join("instruction.txt");
    std::fs::write(&instruction, "Look twice.").unwrap();
    let known = named(&asked(work, "direct", &instruction));
    for method in METHODS.map(|method| method.name) {
        let text = shown(&asked(work, method, &instruction), &known);
        let reasons = text.contains("step by step");
        assert_eq!(reasons, method == "cot", "{kind} {method}: {text}");
        insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true,
            snapshot_path => "requests"}, {
            insta::assert_snapshot!(format!("{kind}_{method}"), text);
        });
    }
}

fn content(bodies: &[Value], request: usize, message: usize) -> String {
    let text = bodies[request]["messages"][message]["content"].as_str();
    text.unwrap().to_owned()
}

#[test]
fn requests_for_games() {
    // Two games of one week: methods that learn show in the second what they learnt from the first.
    let work = "beer-game --preset random --set weeks=1 --episodes 2";
    snapshots("game", work, |direct| {
        BTreeMap::from([
            ("rules of the game".to_owned(), content(direct, 0, 0)),
            ("first week".to_owned(), content(direct, 0, 1)),
        ])
    });
}

#[test]
fn requests_for_questions() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");
    let work = format!("qa --data {data} --task FPB --items 2");
    snapshots("question", &work, |_| Known::new());
}

#[test]
fn requests_for_interviews() {
    let work = "consulting --preset short --kind pricing --rounds 1 --episodes 2";
    snapshots("interview", work, |direct| {
        BTreeMap::from([
            ("rules of the interview".to_owned(), content(direct, 0, 0)),
            ("opening".to_owned(), content(direct, 0, 1)),
        ])
    });
}
