//! What models do for the office besides playing, each through the whole program and against a server on
//! the loopback interface: they judge, are shown examples, make vectors, and write tasks.

use crate::models::summary;
use crate::program::{boardroom, call, json, names, ok, refused};
use crate::server::{Act, Server, reply, said};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const SMALL: &str = "--preset small";

fn show(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn schema_name(body: &Value) -> &str {
    body["response_format"]["json_schema"]["name"]
        .as_str()
        .unwrap_or_default()
}

/// The text of the last message.
fn asked(body: &Value) -> &str {
    let messages = body["messages"].as_array().unwrap();
    messages.last().unwrap()["content"].as_str().unwrap()
}

/// A judge that marks every answer with 5 and every refusal with 2.
#[test]
fn a_model_judges_and_its_agreement_with_the_rules_is_printed() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let (run, calls) = (path("run"), path("calls"));
    ok(&format!(
        "run office {SMALL} --agent greedy --episodes 24 --seed 1 --out {} --json",
        show(&run)
    ));
    let server = Server::acting(|_, body| {
        assert_eq!(schema_name(body), "verdict");
        let outcome = asked(body).split("# Outcome").nth(1).unwrap();
        let mark = if outcome.contains("\nAnswer: ") { 5 } else { 2 };
        Act::Answer(said(&json!({"feedback": "f", "mark": mark}).to_string()))
    });
    let words = |judge: &str, calls: &str| {
        format!("office score {} --judge {judge} {calls} --json", show(&run))
    };
    let live = summary(&server.run(&words("openai:mock", &format!("--calls {}", show(&calls)))));
    let judge = &live["judge"];
    let number = |key: &str| judge[key].as_f64().unwrap();
    assert_eq!(
        (&judge["marked"], &judge["unread"]),
        (&24.into(), &0.into())
    );
    let alone = number("right_for_judge_alone") + number("right_by_rules_alone");
    assert!((number("agreement") - (1.0 - alone / 24.0)).abs() < 1e-12);
    assert_eq!(live["groups"][0]["judged_right"], judge["right"]);
    assert_eq!(live["groups"][0]["success"], judge["right_by_rules"]);
    // Again from the recording, without a server.
    let replay = format!("replay:{}", show(&calls));
    assert_eq!(json(&words(&replay, "")), live);
    let text = ok(&words(&replay, "").replace("--json", ""));
    names(&text, &["judge openai:mock", "agreement", "kappa"]);

    // What is not a mark counts for nothing.
    let vague = Server::acting(|_, _| Act::Answer(said("quite good")));
    let unread = summary(&vague.run(&words("openai:mock", "")));
    assert_eq!(
        (&unread["judge"]["marked"], &unread["judge"]["unread"]),
        (&0.into(), &24.into())
    );
    let err = refused(&["office", "score", show(&run), "--judge", "oracle"], 2);
    names(&err, &["`oracle`", "openai:MODEL"]);
}

#[test]
fn examples_are_shown_and_are_never_the_task() {
    let server = Server::acting(|_, _| {
        Act::Answer(json!({
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": null,
                "tool_calls": [{"id": "c", "type": "function", "function": {
                    "name": "refuse", "arguments": "{\"class\": \"missing\", \"reason\": \"none\"}"}}]
            }}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10}
        }))
    });
    let run = format!("run office {SMALL} --agent openai:mock --method direct --json --episodes 2");
    summary(&server.run(&format!("{run} --shots 2")));
    for system in server.system_texts() {
        names(&system, &["Example 1, for ", "Example 2, for ", "Steps:"]);
        assert!(!system.contains("Example 3"), "{system}");
    }
    let drawn = json(&format!("generate office {SMALL} --set shots=3 --seed 5"));
    let instance = &drawn["instance"];
    let examples = instance["examples"].as_array().unwrap();
    assert_eq!(examples.len(), 3);
    for example in examples {
        assert_ne!(example["request"], instance["task"]["instruction"]);
        let steps = example["steps"].as_str().unwrap();
        let end = steps.lines().last().unwrap();
        assert!(
            end.starts_with("answer ") || end.starts_with("refuse "),
            "{end}"
        );
    }
    // The same examples for every task and seed.
    let other = json(&format!("generate office {SMALL} --set shots=3 --seed 6"));
    assert_eq!(other["instance"]["examples"], instance["examples"]);
    // A run without examples has the same instance as ever.
    let none = json(&format!("generate office {SMALL} --set shots=0 --seed 5"));
    assert_eq!(none["instance"].get("examples"), None);
    assert_eq!(none["instance"]["task"], instance["task"]);
    for (shots, setting) in [("21", "surface=compact"), ("2", "surface=fine")] {
        let words = [
            "run", "office", "--shots", shots, "--set", setting, "--agent", "null",
        ];
        names(&refused(&words, 2), &["shots"]);
    }
}

/// A vector with the number of times that each letter occurs.
fn letters(text: &str) -> Vec<usize> {
    let count = |letter| text.to_lowercase().matches(letter).count();
    ('a'..='z').map(count).chain([1]).collect()
}

#[test]
fn a_search_by_vectors_is_recorded_and_repeats_without_a_server() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let (script, vectors) = (path("script.jsonl"), path("vectors"));
    let search = |query: &str| {
        let lines = [
            json!({"tool": "overflow_read", "arguments": {"query": query}}),
            json!({"tool": "document_read", "arguments": {"query": "password"}}),
            json!({"tool": "refuse", "arguments": {"class": "missing", "reason": "none"}}),
        ];
        lines.map(|line| line.to_string() + "\n").concat()
    };
    fs::write(&script, search("tests of python code")).unwrap();
    let run = |embeddings: &str, out: &str| {
        format!(
            "run office {SMALL} --set search=embedding --set embedding_model=mock {embeddings} \
             --agent script:{} --episodes 1 --json --out {}",
            show(&script),
            show(&path(out))
        )
    };
    let server = Server::acting(|_, body| {
        assert_eq!(body["model"], "mock");
        let texts = body["input"].as_array().unwrap();
        let data: Vec<Value> = texts
            .iter()
            .enumerate()
            .map(|(n, text)| json!({"index": n, "embedding": letters(text.as_str().unwrap())}))
            .collect();
        Act::Answer(json!({"data": data, "usage": {"prompt_tokens": 5, "total_tokens": 5}}))
    });
    let live = format!("--embeddings {}", show(&vectors));
    let output = server.run(&run(&live, "live"));
    summary(&output);
    let seen = server.seen.lock().unwrap();
    // No account of the run has them, so they are told.
    let (requests, tokens) = (seen.len(), 5 * seen.len());
    names(
        &String::from_utf8_lossy(&output.stderr),
        &[
            &format!("{requests} requests"),
            &format!("{tokens} tokens"),
            "--max-cost",
        ],
    );
    let texts = seen
        .iter()
        .flat_map(|body| body["input"].as_array().unwrap());
    let texts: Vec<&str> = texts.map(|text| text.as_str().unwrap()).collect();
    let distinct: BTreeSet<&str> = texts.iter().copied().collect();
    assert!(texts.contains(&"tests of python code") && texts.len() > 100);
    assert_eq!(distinct.len(), texts.len(), "no text is sent twice");

    let replay = format!("--embeddings replay:{}", show(&vectors));
    let words = run(&replay, "again");
    let words: Vec<&str> = words.split_whitespace().collect();
    let again = call(&words);
    assert_eq!((again.code, again.err.as_str()), (0, ""));
    let episodes = |out: &str| fs::read(path(out).join("episodes.jsonl")).unwrap();
    assert_eq!(episodes("live"), episodes("again"));
    ok(&format!("verify {} {replay}", show(&path("live"))));
    // The recorded answers rank otherwise than shared words do.
    let shown = ok(&format!("replay {} {replay}", show(&path("live"))));
    names(&shown, &["overflow_read", "passages"]);

    // Vectors that nobody recorded are missed, and the run says so.
    fs::write(&script, search("another question")).unwrap();
    let line = run(&replay, "missed");
    let words: Vec<&str> = line.split_whitespace().collect();
    names(&refused(&words, 1), &["another question", "mock"]);
    let line = run("", "none");
    let words: Vec<&str> = line.split_whitespace().collect();
    let output = boardroom(&words).output().unwrap();
    assert!(!output.status.success());
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("--embeddings"), "{err}");
    let empty = format!("replay:{}", show(&path("empty")));
    names(&refused(&["list", "--embeddings", &empty], 2), &["empty"]);
    for (setting, place) in [
        ("search=embedding", "embedding_model"),
        ("embedding_model=mock", "embedding_model"),
    ] {
        let words = ["run", "office", "--set", setting, "--agent", "null"];
        names(&refused(&words, 2), &[place]);
    }
}

/// The draft of a model for a sample. Writers for `hr` never get it right, those for `it` and `sales` not
/// at once.
fn drafted(sample: &Value, improved: bool) -> Value {
    let people = sample["records"]["employees"].as_array().unwrap();
    let persona = &sample["persona"];
    let colleague = people.iter().find(|p| p["emp_id"] != *persona).unwrap();
    let (name, id) = (&colleague["Name"], &colleague["emp_id"]);
    let domain = sample["domain"].as_str().unwrap();
    let thanks = if improved { " Thanks!" } else { "" };
    if sample["category"] == "crud" {
        let step = json!({
            "subgoal": "raise the ticket",
            "tool": if domain == "hr" { "no_such_tool" } else { "it_service_management_create_issue" },
            "arguments": {"priority": "high", "Issue": "The laptop does not start."},
        });
        let words = match (domain, improved) {
            ("it", false) => json!([]),
            _ => json!([{"step": 1, "field": "Issue", "words": ["laptop", "not start"]}]),
        };
        return json!({
            "request": format!(
                "My laptop does not start since Monday; please raise a ticket with high priority.{thanks}"
            ),
            "records": [{"source": "employees", "ids": [persona],
                "conditions": [{"field": "emp_id", "is": "is", "value": persona}]}],
            "steps": [step],
            "facts": [],
            "says": words,
        });
    }
    json!({
        "request": format!(
            "I want to invite {} to lunch. Which email address do I use?{thanks}",
            name.as_str().unwrap()
        ),
        "records": [{"source": "employees", "ids": [id],
            "conditions": [{"field": "Name", "is": "is", "value": name}]}],
        "steps": [{
            "subgoal": "find the colleague",
            "tool": if domain == "hr" { "no_such_tool" } else { "employee_data_read" },
            "arguments": {"name": name},
        }],
        "facts": if domain == "it" && !improved { json!([]) } else {
            json!([{"key": "email", "record": 1, "field": "email"}])
        },
        "says": [],
    })
}

#[test]
fn a_model_writes_tasks_that_are_checked_criticised_and_counted() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let server = Server::acting(|n, body| {
        let reply = match schema_name(body) {
            "task" => {
                let messages = body["messages"].as_array().unwrap();
                let first = messages[1]["content"].as_str().unwrap();
                let sample = first.split("\n\n").next().unwrap();
                let sample: Value = serde_json::from_str(sample).unwrap();
                let improved = asked(body).contains("cannot be used yet");
                said(&drafted(&sample, improved).to_string())
            }
            "critique" => {
                let task: Value = serde_json::from_str(asked(body)).unwrap();
                let thanks = task["request"].as_str().unwrap().contains("Thanks");
                let good = thanks || task["person"]["category"] != "Sales";
                let answer = |question| json!({"answer": good || question != 6, "reason": "r"});
                let answers: Vec<Value> = (1..=7).map(answer).collect();
                said(&json!({"answers": answers}).to_string())
            }
            _ => reply(body, n),
        };
        Act::Answer(reply)
    });
    let write = |agent: &str, calls: &str, out: &str| {
        format!(
            "office tasks {SMALL} --count 12 --seed 4 --rounds 1 --agent {agent} {calls} -o {} \
             --instances {} --json",
            show(&path(out)),
            show(&path(&format!("{out}-instances")))
        )
    };
    let calls = format!("--calls {}", show(&path("calls")));
    let made = summary(&server.run(&write("openai:mock", &calls, "first")));
    let counts = &made["pipeline"];
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let of = |domain: &str| number(&made["domains"][domain]);
    assert_eq!(
        (number(&counts["sampled"]), number(&counts["drafted"])),
        (12, 12)
    );
    let dropped = number(&counts["dropped"]["checks"]);
    assert!(dropped > 0 && of("hr") == 0, "{made}");
    assert_eq!(number(&counts["kept"]) + dropped, 12, "{made}");
    assert_eq!(counts["kept"], counts["checked"], "{made}");
    assert_eq!(made["tasks"], counts["kept"]);
    assert!(of("it") > 0 && of("sales") > 0, "{made}");
    assert_eq!(number(&counts["refused"]), of("sales"), "{made}");
    assert_eq!(
        number(&counts["improved"]),
        of("it") + of("sales") + dropped
    );
    assert_eq!(number(&counts["faults"]["form"]), 2 * dropped, "{made}");

    // They are played like others, and the plan is right.
    for file in fs::read_dir(path("first-instances")).unwrap() {
        let file = file.unwrap().path();
        let run = json(&format!(
            "run office --instance {} --agent oracle --episodes 1 --json",
            show(&file)
        ));
        assert_eq!(run["score"]["mean"], 1.0, "{}", file.display());
    }
    let stats = json(&format!(
        "office stats {SMALL} --tasks {} --json",
        show(&path("first"))
    ));
    assert_eq!(stats["tasks"], counts["kept"]);

    // The same bytes from the recording.
    let replay = format!("replay:{}", show(&path("calls")));
    assert_eq!(json(&write(&replay, "", "again")), made);
    let bytes = |name: &str| fs::read(path(name)).unwrap();
    assert_eq!(bytes("first"), bytes("again"));
    let text = ok(&write(&replay, "", "text").replace("--json", ""));
    names(&text, &["12 sampled", "dropped", "critic"]);
}
