//! `boardroom route`: nine methods answer, rules are learnt on one half and judged on the other.

use crate::models::summary;
use crate::program::{names, ok, refused};
use crate::server::{Act, Server, reply, said as saying};
use agent_client::backends::Func;
use agent_client::method::METHODS;
use agent_client::{AgentBackend, Reply, Request};
use aoa_router::matrix::Incomplete;
use aoa_router::{Agents, LearnSettings, Matrix, TraceRecord};
use run_report::route::picks::picks;
use run_report::route::write::{WriteSettings, write};
use serde_json::{Value, json};
use sim_core::Seed;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Questions; a third of each kind.
const COUNT: usize = 240;

/// Capability and difficulty of the three kinds of question, by number.
fn kind(number: usize) -> (&'static str, &'static str, f64) {
    match number % 3 {
        0 => ("Information Extraction", "IE", 2.0),
        1 => ("Domain Knowledge", "DK", 8.0),
        _ => ("Numerical Calculation", "NC", 5.0),
    }
}

/// The questions and their labels as files.
fn data(dir: &Path) -> [PathBuf; 2] {
    let question = |number: usize| {
        let text =
            format!("Case {number:03}: Sales of the year were good; cost was under control.");
        json!({"ID": format!("{number:03}"), "sentence": text, "label": "positive"})
    };
    let label = |number: usize| {
        let (capability, _, difficulty) = kind(number);
        let id = format!("application/FPB:{number:03}");
        let label = json!({"id": id, "capability": capability, "difficulty": difficulty});
        format!("{label}\n")
    };
    let [questions, labels] = ["FPB.json", "labels.jsonl"].map(|name| dir.join(name));
    let all: Vec<Value> = (0..COUNT).map(question).collect();
    std::fs::write(&questions, json!(all).to_string()).unwrap();
    std::fs::write(&labels, (0..COUNT).map(label).collect::<String>()).unwrap();
    [questions, labels]
}

/// Whether `method` knows the answer: by a draw of its own for each question. `dc` is always right on
/// the first kind and `ace` on the second; `gepa` and `cot` are one and the same.
fn knows(method: &str, number: usize) -> bool {
    let chance = match (method, number % 3) {
        ("dc", 0) | ("ace", 1) => 1.0,
        ("gepa" | "cot", _) => 0.55,
        _ => 0.35,
    };
    let name = if method == "cot" { "gepa" } else { method };
    Seed(11).stream(name, number as u64).chance(chance)
}

/// A server whose models are the methods: the model of a method answers correctly where the method knows the answer.
fn server() -> Server {
    Server::acting(|_, body| {
        if body["response_format"].is_object() {
            return Act::Answer(reply(body, 1));
        }
        let texts: Vec<&str> = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|message| message["content"].as_str())
            .collect();
        let text = texts.join("\n");
        // The question at hand comes last; a memory may show earlier ones before it.
        let Some(at) = text.rfind("Case ") else {
            return Act::Answer(saying("I was careless."));
        };
        let at = at + "Case ".len();
        let number: usize = text[at..at + 3].parse().unwrap();
        let answer = if knows(body["model"].as_str().unwrap(), number) {
            "positive"
        } else {
            "negative"
        };
        Act::Answer(saying(&format!(
            "Answer: {answer}\n<cheatsheet>Read twice.</cheatsheet>"
        )))
    })
}

/// Runs of all methods on all questions, a folder each.
fn answer_all(dir: &Path, questions: &Path) -> Vec<String> {
    let server = server();
    let instruction = dir.join("instruction.txt");
    std::fs::write(&instruction, "Count slowly.").unwrap();
    let run = |method: &str| {
        let out = dir.join(method);
        let more = match method {
            "gepa" => format!("--instruction {}", instruction.display()),
            _ => String::new(),
        };
        let line = format!(
            "run qa --data {} --task FPB --agent openai:{method} --method {method} {more} --json --out {}",
            questions.display(),
            out.display()
        );
        assert_eq!(summary(&server.run(&line))["episodes"], COUNT);
        for (item, record) in crate::qa::named_records(&out) {
            let number: usize = item.rsplit(':').next().unwrap().parse().unwrap();
            let right = record["score"]["value"] == 1.0;
            assert_eq!(right, knows(method, number), "{method} {number}");
        }
        out.display().to_string()
    };
    METHODS.map(|method| run(method.name)).into()
}

/// What is known of an answer.
fn trace(method: &str, number: usize) -> TraceRecord {
    let (_, capability, difficulty) = kind(number);
    let right = knows(method, number);
    TraceRecord {
        task_name: Some("FinCode".to_owned()),
        capability: Some(capability.to_owned()),
        difficulty_score: Some(difficulty),
        question: Some(format!("Case {number:03}: what was the result?")),
        prediction: if right { "right" } else { "wrong" }.to_owned(),
        ..TraceRecord::new(format!("finance/FinCode:{number:03}"), method, right)
    }
}

#[test]
fn planted_strengths_are_learnt_on_one_half_and_hold_on_the_other() {
    let dir = tempfile::tempdir().unwrap();
    let [questions, labels] = data(dir.path());
    let runs = answer_all(dir.path(), &questions).join(" ");
    let policy = dir.path().join("policy.json");
    let (policy, labels) = (policy.display(), labels.display());
    let answers = format!("--predictions {runs} --labels {labels}");
    let said = ok(&format!("route learn {answers} --half first -o {policy}"));
    names(&said, &["capability IE: dc", "capability DK: ace"]);

    let file: Value =
        serde_json::from_str(&std::fs::read_to_string(policy.to_string()).unwrap()).unwrap();
    let rules = file["routing_policy"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 2, "{said}");
    for rule in rules {
        // gepa is right on 55 %, so the planted gain is 0.45.
        let evidence = &rule["evidence"];
        let (low, high) = (
            evidence["low"].as_f64().unwrap(),
            evidence["high"].as_f64().unwrap(),
        );
        assert!(low <= 0.45 && 0.45 <= high, "{rule}");
    }

    let line = format!("route eval {answers} --half second --policy {policy}");
    let judged: Value = serde_json::from_str(&ok(&format!("{line} --json"))).unwrap();
    assert_eq!(judged["n"], 120);
    let against = &judged["router"]["against_best"];
    assert_eq!(against["distinguishable"], true);
    // Two thirds of the questions gain 0.45.
    let (low, high) = (&against["interval"]["low"], &against["interval"]["high"]);
    assert!(
        low.as_f64().unwrap() <= 0.3 && high.as_f64().unwrap() >= 0.3,
        "{against}"
    );
    let agents = judged["agents"].as_array().unwrap();
    let twin = agents.iter().find(|it| {
        (it["name"] == "gepa" || it["name"] == "cot") && it["name"] != judged["best_single"]
    });
    let twin = &twin.unwrap()["against_best"];
    assert_eq!(twin["counts"], json!({"n": 120, "wins": 0, "losses": 0}));
    assert_eq!(
        (&twin["distinguishable"], &twin["mcnemar"]),
        (&json!(false), &json!(1.0))
    );
    // Requests as they were counted: one for cot and gepa, two for dc, three for ace.
    let calls = |name: &str| {
        let agent = agents.iter().find(|it| it["name"] == name).unwrap();
        agent["cost"]["calls"].as_f64().unwrap()
    };
    assert_eq!((calls("cot"), calls("dc"), calls("ace")), (1.0, 2.0, 3.0));
    let expected = judged["router"]["cost"]["calls"].as_f64().unwrap();
    assert!((expected - 2.0).abs() < 1e-9, "{expected}");
    names(&ok(&line), &["not distinguishable"]);

    let said = ok(&format!(
        "route explain --policy {policy} --capability DK --difficulty 8 --question Why?"
    ));
    assert!(said.starts_with("ace: "), "{said}");
    names(&said, &["capability IE"]);
}

#[test]
fn explain_knows_a_task_with_and_without_its_family() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("policy.json").display().to_string();
    for (rule, task) in [
        ("application/FPB", "FPB"),
        ("FPB", "application/FPB"),
        ("knowledge/fin/single", "fin/single"),
    ] {
        let policy = json!({"routing_policy": {"default_agent": "cot", "rules": [
            {"when": {"task_name": rule}, "choose": "direct"}]}});
        std::fs::write(&path, policy.to_string()).unwrap();
        let said = ok(&format!(
            "route explain --policy {path} --task {task} --question x"
        ));
        assert!(said.starts_with("direct: "), "{rule} {task}: {said}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let line = r#"{"schema":1,"sample_id":"a","method":"cot","correct":true,"score":1}"#;
    std::fs::write(path("two.jsonl"), format!("{line}\n{line}\n")).unwrap();
    std::fs::write(path("bad.jsonl"), format!("{line}\n{{\"schema\":1}}\n")).unwrap();
    let other = line.replace("cot", "ace");
    std::fs::write(path("one.jsonl"), format!("{line}\n{other}\n")).unwrap();
    let policy = r#"{"routing_policy": {"default_agent": "gemma"}}"#;
    std::fs::write(path("policy.json"), policy).unwrap();
    std::fs::write(path("empty.jsonl"), "").unwrap();
    let second = line.replace("\"a\"", "\"b\"");
    std::fs::write(
        path("missing.jsonl"),
        format!("{line}\n{other}\n{second}\n"),
    )
    .unwrap();
    std::fs::write(path("apart.jsonl"), format!("{other}\n{second}\n")).unwrap();
    let apart = ["route", "learn", "--predictions", &path("apart.jsonl")];
    let said = refused(&apart, 2);
    assert!(
        !said.contains("--leave-out"),
        "no question would be left: {said}"
    );
    let cases = [
        (
            vec!["route", "learn", "--predictions", "missing.jsonl"],
            "`b` by `ace`; --leave-out",
        ),
        (
            vec!["route", "learn", "--predictions", "two.jsonl"],
            "`a` by `cot`",
        ),
        (
            vec!["route", "learn", "--predictions", "bad.jsonl"],
            "bad.jsonl line 2",
        ),
        (
            vec!["route", "learn", "--predictions", "empty.jsonl"],
            "empty.jsonl",
        ),
        (
            vec!["route", "learn", "--predictions", "one.jsonl"],
            "5 folds",
        ),
        (
            vec![
                "route",
                "eval",
                "--predictions",
                "one.jsonl",
                "--policy",
                "policy.json",
            ],
            "`gemma`; there are ace, cot",
        ),
        (
            vec!["route", "explain", "--policy", "policy.json"],
            "`gemma`",
        ),
    ];
    for (line, part) in cases {
        let line: Vec<String> = line
            .iter()
            .map(|word| {
                if word.contains(".json") {
                    path(word)
                } else {
                    (*word).to_owned()
                }
            })
            .collect();
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        names(&refused(&line, 2), &[part]);
    }
    assert!(ok("route schema policy").contains("feature_conditions"));
    assert!(ok("route schema experience").contains("routing_hint"));
}

/// A model that studies traces: its first lesson and its first draft need a repair.
fn student(rule: Value) -> Arc<dyn AgentBackend> {
    Arc::new(Func::new("student", move |request: &Request| {
        let slot = request.slot.as_str();
        if slot.ends_with("lesson/0/json0") || slot.ends_with("draft/0/json0") {
            return Ok(Reply::text("I would say:"));
        }
        let text = if slot.starts_with("lesson/1/") {
            "I cannot.".to_owned()
        } else if slot.starts_with("lesson") {
            json!({
                "bullet": "Reads the wrong row.", "tags": {"agent_method": "cot"},
                "outcome": "correct", "routing_hint": {"prefer_agent": "dc"}
            })
            .to_string()
        } else if slot.starts_with("pick") {
            json!({"choose": "DC", "rationale": "a table"}).to_string()
        } else {
            json!({"routing_policy": {"default_agent": "gepa", "rules": [rule]}}).to_string()
        };
        Ok(Reply::text(text))
    }))
}

#[test]
fn a_model_writes_rules_and_picks_agents() {
    let traces: Vec<TraceRecord> = METHODS
        .iter()
        .flat_map(|method| (0..COUNT).map(|number| trace(method.name, number)))
        .collect();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let settings = WriteSettings {
        per_stratum: 1,
        bundle: 20,
        ..WriteSettings::default()
    };
    let good = json!({"when": {"capability": "IE"}, "choose": "dc", "rationale": "tables",
        "evidence": {"n": 9, "gain": 0.9, "low": 0.8, "high": 1.0, "p": 0.0}});
    let written = runtime
        .block_on(write(student(good), traces.clone(), settings))
        .unwrap();
    let guarded = written.guarded.unwrap();
    assert!(guarded.kept && guarded.against_default.difference > 0.0);
    assert_eq!(guarded.against_default.counts.n, COUNT / 4);
    assert!(written.counted.is_none());
    assert_eq!(written.unread.len(), 1);
    assert!(written.experiences.len() > 20, "so that drafts are merged");
    // Numbers that the model made up were removed, and facts are those of the trace.
    assert_eq!(written.playbook.routing_policy.rules[0].evidence, None);
    let methods = written
        .experiences
        .iter()
        .map(|it| it.tags.agent_method.as_str());
    assert!(methods.collect::<std::collections::BTreeSet<_>>().len() == METHODS.len());

    let harmful = json!({"when": {"capability": "NC"}, "choose": "debate"});
    let written = runtime
        .block_on(write(student(harmful), traces.clone(), settings))
        .unwrap();
    assert!(!written.guarded.unwrap().kept);
    let counted = written.counted.unwrap();
    assert_eq!(counted.playbook, written.playbook);
    assert_eq!(written.playbook.routing_policy.rules.len(), 2);

    let unknown = json!({"when": {}, "choose": "oracle"});
    let written = runtime
        .block_on(write(student(unknown), traces.clone(), settings))
        .unwrap();
    assert!(written.unusable.unwrap().contains("oracle"));

    let matrix = Matrix::join(&traces, Incomplete::Refuse).unwrap();
    let learned = aoa_router::learn(&matrix, &LearnSettings::default()).unwrap();
    let (picker, nine) = (student(json!({})), Agents::methods());
    let work = picks(picker, &learned.playbook, &nine, &traces, 4);
    let (picks, unusable) = runtime.block_on(work).unwrap();
    assert_eq!((picks.len(), unusable), (COUNT, 0));
    let judged = aoa_router::evaluate_picks(&matrix, &picks, "gepa").unwrap();
    let dc = judged.agents.iter().find(|it| it.name == "dc").unwrap();
    assert_eq!((dc.share, dc.accuracy), (1.0, judged.router.accuracy));
}
