//! `boardroom run qa --method aoa:FILE`: each question goes to the method that a policy chooses.

use super::model::{Asked, Model};
use super::named_records;
use crate::program::{names, ok, refused};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");

/// Gives every question the same answer, and every helper request a usable reply.
fn alike(asked: &Asked) -> Result<String, u16> {
    let text = if asked.system.contains("JSON") {
        json!({"critique": "fine", "verdict": "ok", "revised": null}).to_string()
    } else {
        "neutral <cheatsheet>Read twice.</cheatsheet>".to_owned()
    };
    Ok(text)
}

#[test]
fn each_question_goes_to_the_method_of_its_rule() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let policy = json!({"routing_policy": {"default_agent": "CoT", "rules": [
        {"when": {"task_name": "FPB", "difficulty_bucket": "hard"}, "choose": "DC"},
        {"when": {"task_name": "FinCode"}, "choose": "cot"}
    ]}});
    std::fs::write(path("policy.json"), policy.to_string()).unwrap();
    let labels: Vec<String> = (1..=4)
        .map(|id| {
            let difficulty = if id <= 2 { 9.0 } else { 1.0 };
            json!({"id": format!("application/FPB:{id}"), "capability": "Domain Knowledge",
                "difficulty": difficulty})
            .to_string()
        })
        .collect();
    std::fs::write(path("labels.jsonl"), labels.join("\n")).unwrap();
    let model = Model::start(alike);
    let line = format!(
        "run qa --data {SAMPLES} --task FPB,finance/FinCode --agent openai:mock --method aoa:{} \
         --labels {} --out {} --json",
        path("policy.json"),
        path("labels.jsonl"),
        path("routed")
    );
    let summary = model.json(&line);
    assert_eq!(summary["method"], "aoa");
    let methods: BTreeMap<String, String> = named_records(&dir.path().join("routed"))
        .into_iter()
        .map(|(item, record)| {
            let header = &record["header"];
            assert_eq!(header["feedback"], "outcome");
            (item, header["method"].as_str().unwrap().to_owned())
        })
        .collect();
    assert_eq!(methods.len(), 10);
    let by_dc: Vec<&String> = methods
        .iter()
        .filter(|it| it.1 == "dc")
        .map(|it| it.0)
        .collect();
    assert_eq!(by_dc, ["application/FPB:1", "application/FPB:2"]);
    // Eight questions with one request, two with a second one for the cheatsheet.
    assert_eq!(model.answered(), 12);

    // No request is sent again.
    let again = model.call(&format!("resume {}", path("routed")));
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(model.answered(), 12);

    // Runs of single methods are what the router judges.
    for method in ["cot", "dc"] {
        model.json(&format!(
            "run qa --data {SAMPLES} --task FPB,finance/FinCode --agent openai:mock --method {method} \
             --out {} --json",
            path(method)
        ));
    }
    let eval = ok(&format!(
        "route eval --predictions {} {} --labels {} --policy {} --json",
        path("cot"),
        path("dc"),
        path("labels.jsonl"),
        path("policy.json")
    ));
    let eval: Value = serde_json::from_str(&eval).unwrap();
    assert_eq!(
        (&eval["n"], &eval["rules"][0]["n"]),
        (&json!(10), &json!(2))
    );
    assert_eq!(eval["router"]["against_best"]["distinguishable"], false);
    ok(&format!(
        "report {} {} {} -o {}",
        path("routed"),
        path("cot"),
        path("dc"),
        path("page.html")
    ));
    let page = std::fs::read_to_string(path("page.html")).unwrap();
    names(
        &page,
        &[
            "Questions that the routing policy gave to each method",
            "Mean score by capability and difficulty of the questions, with 95 % intervals",
        ],
    );

    let error = refused(
        &[
            "run",
            "qa",
            "--data",
            SAMPLES,
            "--agent",
            "openai:mock",
            "--method",
            "aoa:nowhere.json",
        ],
        2,
    );
    assert!(error.contains("nowhere.json"), "{error}");
}

#[test]
fn an_instruction_needs_a_method_of_the_policy_that_takes_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    std::fs::write(path("instruction.txt"), "Read twice.").unwrap();
    let line = |default: &str| {
        let policy = json!({"routing_policy": {"default_agent": default}});
        std::fs::write(path("policy.json"), policy.to_string()).unwrap();
        format!(
            "run qa --data {SAMPLES} --task FPB --agent openai:mock --method aoa:{} --instruction {} --json",
            path("policy.json"),
            path("instruction.txt")
        )
    };
    let words = line("cot");
    let error = refused(&words.split_whitespace().collect::<Vec<_>>(), 2);
    names(&error, &["--instruction", "gepa"]);
    Model::start(alike).json(&line("gepa"));
}
