//! Answers to questions, and interviews.

use super::{all, copy, forge, lines, planned, refuse_all, replace, said, sound};
use crate::models::summary;
use crate::program::{call, names, ok, sandbox};
use crate::server::{Act, Server, reply, said as saying};
use run_engine::run_dir::outcome::Check;
use serde_json::{Value, json};
use std::path::Path;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");
const CALLS: &str = "calls.jsonl";
const ITEMS: &str = "items.jsonl";
const GRADES: &str = "grades.jsonl";

/// Answers one of two questions correctly; grades, reflects and takes notes.
fn answers() -> Server {
    Server::acting(|n, body| {
        let text = body["messages"].to_string();
        Act::Answer(match body["model"].as_str().unwrap() {
            "judge" => saying("{\"score\": 4}"),
            _ if text.contains("Orders doubled") => saying("positive"),
            _ if text.contains("A machine costs") => saying("```python\n(48000 - 6000) / 7\n```"),
            _ => reply(body, n),
        })
    })
}

fn ask(server: &Server, words: &str, out: &Path) {
    let line = format!(
        "run qa --agent openai:mock --json {words} --out {}",
        out.display()
    );
    summary(&server.run(&line));
}

fn find(records: &[Value], item: &str) -> usize {
    let at = records.iter().position(|it| it["header"]["item"] == item);
    at.unwrap()
}

#[test]
fn forged_answers_are_named() {
    if sandbox().is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (data, good) = (dir.path().join("data"), dir.path().join("good"));
    copy(Path::new(SAMPLES), &data);
    let words = format!(
        "--data {} --task FPB,finance/FinCode --method reflexion --streams 2",
        data.display()
    );
    ask(&answers(), &words, &good);
    let grade = |records: &mut Vec<Value>| {
        let at = find(records, "application/FPB:2");
        records[at]["grade"]["score"] = json!(1.0);
    };
    refuse_all(
        &good,
        vec![
            (
                "the text of an answer",
                Check::Decisions,
                lines(ITEMS, |all| all[0]["text"] = json!("neutral")),
            ),
            (
                "the answer that was found in it",
                Check::Decisions,
                lines(ITEMS, |all| all[0]["answer"] = json!("neutral")),
            ),
            ("a score", Check::Decisions, lines(ITEMS, grade)),
            (
                "a grade",
                Check::Judgements,
                lines(GRADES, |all| all[0]["grade"]["note"] = json!("better")),
            ),
            (
                "a grade taken out",
                Check::Judgements,
                lines(GRADES, |all| drop(all.remove(0))),
            ),
            (
                "an answer's tokens",
                Check::Decisions,
                lines(ITEMS, |all| {
                    all[0]["used"]["roles"]["agent"]["replies"] = json!(7)
                }),
            ),
            (
                "an answer that stands there twice",
                Check::Records,
                lines(ITEMS, |all| all.push(all[0].clone())),
            ),
            (
                "an answer taken out of a stream",
                Check::Records,
                lines(ITEMS, |all| drop(all.remove(0))),
            ),
            (
                "the order of a stream",
                Check::Order,
                lines(ITEMS, |all| all.reverse()),
            ),
            (
                "a lesson",
                Check::Decisions,
                lines(ITEMS, |all| {
                    let learnt = all.iter_mut().find(|it| it.get("ops").is_some());
                    learnt.unwrap()["ops"] = json!([]);
                }),
            ),
            (
                "a reply",
                Check::Decisions,
                lines(CALLS, |calls| said(calls, 0, "negative")),
            ),
            (
                "the method",
                Check::Manifest,
                planned("questions", |plan| plan["method"]["name"] = json!("cot")),
            ),
            (
                "the feedback",
                Check::Records,
                planned("questions", |plan| plan["feedback"] = json!("ground_truth")),
            ),
            (
                "fewer streams",
                Check::Records,
                planned("questions", |plan| plan["streams"] = json!(1)),
            ),
            (
                "streams without end",
                Check::Manifest,
                planned("questions", |plan| plan["streams"] = json!(u64::MAX)),
            ),
            (
                "a shard of nothing",
                Check::Manifest,
                planned("questions", |plan| {
                    plan["shard"] = json!({"index": 0, "count": 0})
                }),
            ),
            (
                "what a stream had learnt",
                Check::Files,
                forge(|dir| {
                    let mut files = std::fs::read_dir(dir.join("progress")).unwrap();
                    let path = files.next().unwrap().unwrap().path();
                    let text = std::fs::read_to_string(&path).unwrap();
                    std::fs::write(&path, text.replacen("\"memory\":", "\"memory\": ", 1)).unwrap();
                }),
            ),
        ],
    );
    // The questions are outside the folder.
    for (name, from, to) in [
        ("a question", "Orders doubled", "Orders halved"),
        ("a right answer", "positive", "negative"),
    ] {
        let path = data.join("application/FPB.json");
        let before = std::fs::read_to_string(&path).unwrap();
        assert!(before.contains(from), "{name}");
        std::fs::write(&path, before.replacen(from, to, 1)).unwrap();
        let called = call(&["verify", good.to_str().unwrap()]);
        assert_eq!(called.code, 1, "{name}: {}", called.err);
        assert!(called.out.contains("[records]"), "{name}: {}", called.out);
        std::fs::write(&path, before).unwrap();
    }
    sound(&good);
}

/// Scores of another scorer are displayed, but not verified, and the run cannot be continued.
#[test]
fn answers_of_another_scorer_are_exported_and_not_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    ask(&answers(), &format!("--data {SAMPLES} --task FPB"), &out);
    planned("questions", |plan| plan["version"] = json!(999))(&out);
    let path = out.to_str().unwrap();
    ok(&format!("export {path}"));
    crate::program::refused(&["resume", path], 2);
    let called = call(&["verify", path]);
    assert_eq!(called.code, 1, "{}{}", called.out, called.err);
    assert!(called.out.contains("[manifest]"), "{}", called.out);
}

#[test]
fn forged_judgements_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let good = dir.path().join("good");
    let words = format!(
        "--data {SAMPLES}/knowledge/econ_general.json --task knowledge/econ/general \
         --judge openai:judge --judges 2"
    );
    ask(&answers(), &words, &good);
    refuse_all(
        &good,
        vec![
            (
                "the reply of a judge",
                Check::Judgements,
                lines(CALLS, |calls| {
                    let at = calls.iter().position(|call| call["role"] == "judge");
                    said(calls, at.unwrap(), "{\"score\": 5}");
                }),
            ),
            (
                "the reply of a judge taken out",
                Check::Decisions,
                lines(CALLS, |calls| calls.retain(|call| call["role"] != "judge")),
            ),
            (
                "another judge",
                Check::Decisions,
                planned("questions", |plan| plan["judge"]["model"] = json!("strict")),
            ),
        ],
    );
}

/// If a judge cannot be reached, the question stays open and is not stored without a score.
#[test]
fn a_judge_that_fails_leaves_the_question_to_be_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let server = Server::acting(|n, body| match body["model"].as_str().unwrap() {
        "judge" => Act::Refuse(401, json!({"error": {"message": "no"}})),
        _ => Act::Answer(reply(body, n)),
    });
    let line = format!(
        "run qa --agent openai:mock --json --data {SAMPLES}/knowledge/econ_general.json \
         --task knowledge/econ/general --judge openai:judge --out {}",
        out.display()
    );
    assert_eq!(server.run(&line).status.code(), Some(1));
    let server = answers();
    let resumed = server.run(&format!("resume {} --json", out.display()));
    assert_eq!(summary(&resumed)["tasks"][0]["headline"]["value"], 4.0);
    sound(&out);
}

#[test]
fn answers_of_every_method_are_given_again() {
    if sandbox().is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let server = answers();
    for method in [
        "cot",
        "self-refine",
        "reflexion",
        "dc",
        "ace",
        "amem",
        "debate",
        "discussion",
    ] {
        let out = dir.path().join(method);
        ask(
            &server,
            &format!("--data {SAMPLES} --task FPB,finance/FinCode --method {method}"),
            &out,
        );
        let said = sound(&out);
        assert!(said.starts_with("10 records "), "{method}: {said}");
        let (proven, _) = said.split_once("not proven:").unwrap();
        names(proven, &["10 answers", "grades"]);
    }
}

#[test]
fn forged_interviews_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let good = dir.path().join("good");
    let server = Server::acting(|n, body| {
        Act::Answer(match body["model"].as_str().unwrap() {
            "marks" => saying(
                &json!({"structure": 7, "quant": 6, "business_sense": 8, "communication": 7,
                    "overall": 7.5, "feedback": "sound"})
                .to_string(),
            ),
            "asks" => saying("And what follows from that?"),
            _ => reply(body, n),
        })
    });
    let line = format!(
        "run consulting --preset short --episodes 4 --rounds 3 --agent openai:talks \
         --interviewer openai:asks --judge openai:marks --method dc --json --out {}",
        good.display()
    );
    summary(&server.run(&line));
    refuse_all(
        &good,
        vec![
            (
                "what was said",
                Check::Decisions,
                replace(ITEMS, "I see it so", "I know it well"),
            ),
            (
                "a mark",
                Check::Decisions,
                replace(ITEMS, "\"overall\":7.5", "\"overall\":9.5"),
            ),
            (
                "the reply of the judge",
                Check::Decisions,
                lines(CALLS, |calls| {
                    let at = calls.iter().position(|call| call["role"] == "judge");
                    said(calls, at.unwrap(), "{\"structure\": 10}");
                }),
            ),
            (
                "a call taken out",
                Check::Decisions,
                lines(CALLS, |calls| drop(calls.remove(2))),
            ),
            (
                "an interview twice",
                Check::Records,
                lines(ITEMS, |all| all.push(all[0].clone())),
            ),
            (
                "an interview taken out",
                Check::Records,
                lines(ITEMS, |all| drop(all.remove(1))),
            ),
            (
                "the order of the stream",
                Check::Order,
                lines(ITEMS, |all| all.swap(0, 1)),
            ),
            (
                "a memory",
                Check::Files,
                replace("memory/0.jsonl", "learnt at", "knew at"),
            ),
            (
                "the interviewer",
                Check::Decisions,
                planned("interviews", |plan| {
                    plan["interviewer"]["model"] = json!("other")
                }),
            ),
            (
                "interviews without end",
                Check::Manifest,
                planned("interviews", |plan| plan["interviews"] = json!(u64::MAX)),
            ),
        ],
    );
}

#[test]
fn a_scripted_candidate_under_another_name_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let good = dir.path().join("good");
    ok(&format!(
        "run consulting --preset short --episodes 4 --agent silent --out {}",
        good.display()
    ));
    let relabelled = |both: bool| {
        planned("interviews", move |plan| {
            plan["agent"] = json!("ideal");
            if both {
                plan["candidate"]["script"] = json!("ideal");
            }
        })
    };
    let headers = |all: &mut Vec<Value>| {
        for record in all {
            record["header"]["agent"] = json!("script:ideal");
        }
    };
    refuse_all(
        &good,
        vec![
            ("its name alone", Check::Manifest, relabelled(false)),
            ("the plan", Check::Decisions, relabelled(true)),
            (
                "plan and headers",
                Check::Decisions,
                all(vec![relabelled(true), lines(ITEMS, headers)]),
            ),
            (
                "its marks",
                Check::Decisions,
                replace(ITEMS, "\"overall\":", "\"overall\":1"),
            ),
        ],
    );
}
