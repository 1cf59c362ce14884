//! Answers to questions, and interviews.

use super::{all, copy, forge, lines, planned, refuse_all, replace, said, sound};
use crate::models::summary;
use crate::program::{call, names, ok, sandbox};
use crate::server::{Act, Server, reply, said as saying};
use run_engine::run_dir::outcome::Check;
use serde_json::{Value, json};
use sim_core::Digest;
use std::path::Path;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");
const CALLS: &str = "calls.jsonl";
const EPISODES: &str = "episodes.jsonl";
const INSTANCES: &str = "instances.jsonl";

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

/// The first action of the record at `place`, of the seat `seat`.
fn act<'a>(records: &'a mut [Value], place: usize, seat: &str) -> &'a mut Value {
    let entries = records[place]["entries"].as_array_mut().unwrap();
    let entry = entries.iter_mut().find(|entry| entry["seat"] == seat);
    &mut entry.unwrap()["input"]["act"]
}

/// The place of a record in which the seat `seat` takes part.
fn of_seat(records: &[Value], seat: &str) -> usize {
    let plays = |record: &Value| {
        let mut entries = record["entries"].as_array().unwrap().iter();
        entries.any(|entry| entry["seat"] == seat)
    };
    records.iter().position(plays).unwrap()
}

/// Changes the plan.
fn plan(change: impl Fn(&mut Value) + 'static) -> super::Forge {
    planned("plan", change)
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
        let wrong = |record: &Value| record["score"]["value"] == 0.0;
        let at = records.iter().position(wrong).unwrap();
        records[at]["score"]["value"] = json!(1.0);
    };
    refuse_all(
        &good,
        vec![
            (
                "the text of an answer",
                Check::Decisions,
                lines(EPISODES, |all| {
                    act(all, 0, "agent")["text"] = json!("neutral")
                }),
            ),
            (
                "the answer that was found in it",
                Check::Decisions,
                lines(EPISODES, |all| {
                    act(all, 0, "agent")["answer"] = json!("neutral");
                }),
            ),
            ("a score", Check::Replay, lines(EPISODES, grade)),
            (
                "the value of a program",
                Check::Replay,
                lines(EPISODES, |all| {
                    let at = of_seat(all, "executor");
                    act(all, at, "executor")["text"] = json!("{\"value\":{\"int\":1}}");
                }),
            ),
            (
                "a program that did not run",
                Check::Replay,
                lines(EPISODES, |all| {
                    let at = of_seat(all, "executor");
                    let entries = all[at]["entries"].as_array_mut().unwrap();
                    entries.retain(|entry| entry["seat"] != "executor");
                }),
            ),
            (
                "an answer's replies",
                Check::Decisions,
                lines(EPISODES, |all| {
                    all[0]["entries"][0]["causes"]["said"] = json!(7);
                }),
            ),
            (
                "an answer that stands there twice",
                Check::Records,
                lines(EPISODES, |all| all.push(all[0].clone())),
            ),
            (
                "an answer taken out of a stream",
                Check::Records,
                lines(EPISODES, |all| drop(all.remove(0))),
            ),
            (
                "the order of a stream",
                Check::Order,
                lines(EPISODES, |all| all.reverse()),
            ),
            (
                "a lesson",
                Check::Files,
                lines("memory/0.jsonl", |all| {
                    let learnt = all.iter_mut().find(|it| it["ops"] != json!([]));
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
                plan(|plan| plan["model"]["method"]["name"] = json!("cot")),
            ),
            (
                "the feedback",
                Check::Records,
                plan(|plan| plan["model"]["feedback"] = json!("ground_truth")),
            ),
            (
                "fewer streams",
                Check::Records,
                plan(|plan| plan["streams"] = json!(1)),
            ),
            (
                "streams without end",
                Check::Manifest,
                plan(|plan| plan["streams"] = json!(u64::MAX)),
            ),
            (
                "a shard of nothing",
                Check::Manifest,
                plan(|plan| plan["shard"] = json!({"index": 0, "count": 0})),
            ),
            (
                "who runs the programs",
                Check::Decisions,
                plan(|plan| drop(plan["seats"].as_object_mut().unwrap().remove("executor"))),
            ),
            (
                "a question",
                Check::Manifest,
                replace(INSTANCES, "Orders doubled", "Orders halved"),
            ),
            (
                "a right answer",
                Check::Manifest,
                replace(INSTANCES, "\"text\":\"positive\"", "\"text\":\"negative\""),
            ),
            (
                "the questions",
                Check::Manifest,
                forge(|dir| std::fs::remove_file(dir.join(INSTANCES)).unwrap()),
            ),
            (
                "another question, and its digest",
                Check::Records,
                all(vec![
                    replace(INSTANCES, "Orders doubled", "Orders halved"),
                    forge(|dir| {
                        let text = std::fs::read(dir.join(INSTANCES)).unwrap();
                        let digest = json!(Digest::of_bytes(&text));
                        planned("plan", move |plan| plan["list"]["digest"] = digest.clone())(dir);
                    }),
                ]),
            ),
            (
                "other groups of questions",
                Check::Manifest,
                plan(|plan| plan["list"]["groups"][0][1] = json!(1)),
            ),
        ],
    );
    // The folder holds its questions: what becomes of the data changes nothing.
    std::fs::remove_dir_all(&data).unwrap();
    sound(&good);
}

/// Scores of another scorer are displayed, but not verified, and the run cannot be continued.
#[test]
fn answers_of_another_scorer_are_exported_and_not_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    ask(&answers(), &format!("--data {SAMPLES} --task FPB"), &out);
    planned("plan", |plan| plan["version"] = json!(999))(&out);
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
                Check::Decisions,
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
                "what a judge said",
                Check::Decisions,
                lines(EPISODES, |all| {
                    act(all, 0, "judge")["text"] = json!("{\"score\": 5}");
                }),
            ),
            (
                "another judge",
                Check::Decisions,
                plan(|plan| {
                    plan["seats"]["judge"]["agent"] = json!("openai:strict");
                    plan["seats"]["judge"]["model"]["dialect"]["model"] = json!("strict");
                }),
            ),
            (
                "a judge that is not named",
                Check::Decisions,
                plan(|plan| drop(plan["seats"].as_object_mut().unwrap().remove("judge"))),
            ),
        ],
    );
}

#[test]
fn forged_routing_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let (policy, good) = (dir.path().join("policy.json"), dir.path().join("good"));
    let rules = json!({"routing_policy": {"default_agent": "cot", "rules": [
        {"when": {"task_name": "FPB"}, "choose": "dc"}
    ]}});
    std::fs::write(&policy, rules.to_string()).unwrap();
    let words = format!(
        "--data {SAMPLES} --task FPB,FinKnow --method aoa:{}",
        policy.display()
    );
    ask(&answers(), &words, &good);
    refuse_all(
        &good,
        vec![
            (
                "the method of a question",
                Check::Records,
                plan(|plan| plan["routing"]["chosen"][0] = json!("cot")),
            ),
            (
                "a method that is not there",
                Check::Manifest,
                plan(|plan| plan["routing"]["chosen"][0] = json!("ace")),
            ),
            (
                "a question without a method",
                Check::Manifest,
                plan(|plan| drop(plan["routing"]["chosen"].as_array_mut().unwrap().pop())),
            ),
            (
                "a method with the parts of another",
                Check::Manifest,
                plan(|plan| {
                    let methods = &mut plan["routing"]["methods"];
                    methods["dc"]["memory"] = methods["cot"]["memory"].clone();
                }),
            ),
            (
                "the default method",
                Check::Manifest,
                plan(|plan| {
                    plan["model"]["method"] = plan["routing"]["methods"]["dc"].clone();
                    plan["model"]["method"]["name"] = json!("aoa");
                    plan["model"]["method"]["memory"]["cheatsheet"]["words"] = json!(7);
                }),
            ),
            (
                "no routing",
                Check::Manifest,
                plan(|plan| drop(plan.as_object_mut().unwrap().remove("routing"))),
            ),
            (
                "the method in a header",
                Check::Records,
                lines(EPISODES, |all| all[0]["header"]["method"] = json!("ace")),
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
    assert_eq!(summary(&resumed)["figures"][0]["headline"]["value"], 4.0);
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
        let (proven, left) = said.split_once("not proven:").unwrap();
        names(
            proven,
            &["10 records", "score of every record", "causes of"],
        );
        names(left, &["values of programs"]);
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
                replace(EPISODES, "I see it so", "I know it well"),
            ),
            (
                "a mark",
                Check::Decisions,
                replace(EPISODES, "\\\"overall\\\":7.5", "\\\"overall\\\":9.5"),
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
                lines(EPISODES, |all| all.push(all[0].clone())),
            ),
            (
                "an interview taken out",
                Check::Records,
                lines(EPISODES, |all| drop(all.remove(1))),
            ),
            (
                "the order of the stream",
                Check::Order,
                lines(EPISODES, |all| all.swap(0, 1)),
            ),
            (
                "a memory",
                Check::Files,
                replace("memory/0.jsonl", "learnt at", "knew at"),
            ),
            (
                "the interviewer",
                Check::Decisions,
                plan(|plan| {
                    plan["seats"]["interviewer"]["agent"] = json!("openai:other");
                    plan["seats"]["interviewer"]["model"]["dialect"]["model"] = json!("other");
                }),
            ),
            (
                "the interviewer beside another model",
                Check::Manifest,
                plan(|plan| plan["seats"]["interviewer"]["agent"] = json!("openai:other")),
            ),
            (
                "interviews without end",
                Check::Manifest,
                plan(|plan| plan["episodes"] = json!(u64::MAX)),
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
    let relabelled = || plan(|plan| plan["agent"] = json!("ideal"));
    let headers = |all: &mut Vec<Value>| {
        for record in all {
            record["header"]["agent"] = json!("ideal");
        }
    };
    refuse_all(
        &good,
        vec![
            ("the plan", Check::Records, relabelled()),
            (
                "plan and headers",
                Check::Decisions,
                all(vec![relabelled(), lines(EPISODES, headers)]),
            ),
            (
                "its score",
                Check::Replay,
                replace(EPISODES, "\"value\":", "\"value\":1"),
            ),
            (
                "what a judge by rules said",
                Check::Replay,
                replace(EPISODES, "\\\"overall\\\":", "\\\"overall\\\":1"),
            ),
        ],
    );
}
