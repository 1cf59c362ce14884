//! `boardroom route`: nine methods answer, rules are learnt on one half and judged on the other.

use crate::program::{names, ok, refused};
use agent_client::backends::Func;
use agent_client::memory::FeedbackMode;
use agent_client::method::{
    AnswerGrader, AnswerVerdict, ItemRecord, ItemSeries, LearningStream, METHODS, MemorySpec,
    MethodSpec, Question, QuestionWork, Team,
};
use agent_client::{AgentBackend, AgentError, Message, Reply, Request};
use aoa_router::matrix::Incomplete;
use aoa_router::{Agents, LearnSettings, Matrix, TraceRecord};
use async_trait::async_trait;
use qa_runner::route::picks::picks;
use qa_runner::route::traces::trace;
use qa_runner::route::write::{WriteSettings, write};
use qa_scoring::taxonomy::{Capability, TaxonomyLabel};
use qa_scoring::{Gold, Task};
use serde_json::{Value, json};
use sim_core::Seed;
use std::path::Path;
use std::sync::Arc;

/// Questions; a third of each kind.
const COUNT: usize = 240;

/// The three kinds of question, by number.
fn label(number: usize) -> TaxonomyLabel {
    let (capability, difficulty) = match number % 3 {
        0 => (Capability::InformationExtraction, 2.0),
        1 => (Capability::DomainKnowledge, 8.0),
        _ => (Capability::NumericalCalculation, 5.0),
    };
    TaxonomyLabel {
        capability: Some(capability),
        difficulty: Some(difficulty),
        reasoning: None,
    }
}

fn question(number: usize) -> qa_scoring::Item {
    let table = "year | sales | cost\n2023 | 1,200 | 900\n2024 | 1,450 | 980";
    let prose = "Sales of the year were good; cost was under control as well.";
    qa_scoring::Item {
        id: format!("{number:03}"),
        question: format!("Case {number:03}: what was the result?"),
        context: Some(
            if number.is_multiple_of(3) {
                table
            } else {
                prose
            }
            .to_owned(),
        ),
        instruction: None,
        table: None,
        options: Vec::new(),
        gold: Gold::Text("right".to_owned()),
        program: None,
    }
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

fn words(request: &Request) -> String {
    let texts = request.messages.iter().map(|message| match message {
        Message::System { text } | Message::User { text } => text.clone(),
        Message::Assistant(said) => said.text.clone(),
        Message::Tools { .. } => String::new(),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The answers to the helper requests of a method, by the position of the request.
fn helper(slot: &str) -> Option<String> {
    let has = |part: &str| slot.contains(part);
    Some(if has("/round") && has("/json") {
        json!({"critique": "fine", "verdict": "ok"}).to_string()
    } else if has("/keywords") {
        json!({"keywords": ["sales"]}).to_string()
    } else if has("/describe") {
        json!({"keywords": ["k"], "context": "a case", "tags": ["t"]}).to_string()
    } else if has("/link") {
        json!({"links": [], "neighbours": []}).to_string()
    } else if has("/curate/json") {
        json!({"operations": []}).to_string()
    } else if has("/reflect/json") {
        json!({"insight": "look twice", "helpful": [], "harmful": []}).to_string()
    } else if has("/curate") {
        "<cheatsheet>Read the table.</cheatsheet>".to_owned()
    } else if has("/reflect") {
        "I was careless.".to_owned()
    } else {
        return None;
    })
}

/// A model that answers correctly where `method` does.
fn model(method: &'static str) -> Arc<dyn AgentBackend> {
    Arc::new(Func::new("scripted", move |request: &Request| {
        if let Some(text) = helper(request.slot.as_str()) {
            return Ok(Reply::text(text));
        }
        // The question at hand comes last; a memory may show earlier ones before it.
        let text = words(request);
        let at = text.rfind("Case ").unwrap_or(0) + "Case ".len();
        let number: usize = text[at..at + 3].parse().unwrap();
        let answer = if knows(method, number) {
            "right"
        } else {
            "wrong"
        };
        Ok(Reply::text(format!("Let me see.\nANSWER: {answer}")))
    }))
}

struct Exact;

#[async_trait]
impl AnswerGrader for Exact {
    fn name(&self) -> String {
        "exact-1".to_owned()
    }

    async fn grade(
        &self,
        item: &Question,
        answer: &str,
        _: &str,
    ) -> Result<AnswerVerdict, AgentError> {
        let correct = item.truth.as_deref() == Some(answer);
        Ok(AnswerVerdict {
            score: f64::from(u8::from(correct)),
            correct,
            feedback: String::new(),
        })
    }
}

/// The traces of one method on all questions.
async fn answered(method: &'static str) -> Vec<TraceRecord> {
    let mut spec: MethodSpec = method.parse().unwrap();
    if let MemorySpec::Instruction(text) = &mut spec.memory {
        *text = Some("Count slowly.".to_owned());
    }
    let questions = QuestionWork {
        feedback: FeedbackMode::Outcome,
        series: ItemSeries::new("qa", 0, 0),
    };
    let team = Team::of(model(method));
    let mut stream = LearningStream::new(team, spec.make().unwrap(), questions);
    let task: Task = "finance/FinCode".parse().unwrap();
    let mut traces = Vec::new();
    for number in 0..COUNT {
        let question = question(number);
        let item = Question {
            truth: Some("right".to_owned()),
            ..Question::new(format!("{task}:{}", question.id), &question.question)
        };
        let record: ItemRecord = stream.next((&item, &Exact)).await.unwrap();
        assert_eq!(
            record.grade.as_ref().unwrap().correct,
            knows(method, number),
            "{method}"
        );
        traces.extend(trace(&record, task, &question, Some(&label(number))));
    }
    traces
}

/// All methods on all questions, a file each.
fn answer_all(dir: &Path) -> Vec<TraceRecord> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut all = Vec::new();
    for method in METHODS.map(|method| method.name) {
        let traces = runtime.block_on(answered(method));
        assert_eq!(traces.len(), COUNT);
        let lines: Vec<String> = traces
            .iter()
            .map(|it| serde_json::to_string(it).unwrap())
            .collect();
        std::fs::write(dir.join(format!("{method}.jsonl")), lines.join("\n")).unwrap();
        all.extend(traces);
    }
    all
}

#[test]
fn planted_strengths_are_learnt_on_one_half_and_hold_on_the_other() {
    let dir = tempfile::tempdir().unwrap();
    let traces = dir.path().join("traces");
    std::fs::create_dir(&traces).unwrap();
    answer_all(&traces);
    let (traces, policy) = (traces.display(), dir.path().join("policy.json"));
    let policy = policy.display();
    let said = ok(&format!(
        "route learn --predictions {traces} --half first -o {policy}"
    ));
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

    let line = format!("route eval --predictions {traces} --half second --policy {policy}");
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
    let cases = [
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
    let dir = tempfile::tempdir().unwrap();
    let traces = answer_all(dir.path());
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
