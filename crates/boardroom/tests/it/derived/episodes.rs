//! Episodes of a model.

use super::{all, forge, lines, planned, refuse_all, replace, sound, values, write};
use crate::models::{GAME, kill_ten_times, summary};
use crate::program::{names, ok};
use crate::server::{Act, Server, called, reply};
use run_engine::run_dir::outcome::Check;
use serde_json::{Value, json};
use sim_core::testkit::small_or_full;
use std::path::Path;

const CALLS: &str = "calls.jsonl";
const EPISODES: &str = "episodes.jsonl";
const MEMORY: &str = "memory/0.jsonl";

/// A model whose order depends on the request and on `salt`.
fn orders(salt: u64) -> Server {
    Server::acting(move |_, body| {
        let text = body["messages"].to_string();
        let sum = |a: u64, b: u8| (a * 31 + u64::from(b)) % 1_000;
        let mark = text.bytes().fold(salt, sum);
        match body.get("tools") {
            Some(_) => Act::Answer(called(&json!({"quantity": 100 + mark % 300}))),
            None => Act::Answer(reply(body, mark)),
        }
    })
}

fn prices(dir: &Path) -> String {
    let path = dir.join("prices.toml");
    std::fs::write(&path, "[models.mock]\ninput = 10.0\noutput = 100.0\n").unwrap();
    path.display().to_string()
}

fn record_keeps(file: &'static str, from: &Path) -> super::Forge {
    let text = super::text(&from.join(file));
    forge(move |dir| std::fs::write(dir.join(file), &text).unwrap())
}

#[test]
fn forged_episodes_of_a_model_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let (good, other) = (dir.path().join("good"), dir.path().join("other"));
    let prices = prices(dir.path());
    for (path, salt) in [(&good, 7), (&other, 8)] {
        let server = orders(salt);
        let line = format!(
            "{GAME} --episodes 3 --method dc --prices {prices} --out {}",
            path.display()
        );
        summary(&server.run(&line));
    }
    let model = |change: fn(&mut Value)| planned("plan", move |plan| change(&mut plan["model"]));
    refuse_all(
        &good,
        vec![
            (
                "records and memories of another run",
                Check::Decisions,
                all(vec![
                    record_keeps(EPISODES, &other),
                    record_keeps(MEMORY, &other),
                ]),
            ),
            (
                "calls of another run",
                Check::Decisions,
                record_keeps(CALLS, &other),
            ),
            (
                "no calls",
                Check::Calls,
                forge(|dir| std::fs::remove_file(dir.join(CALLS)).unwrap()),
            ),
            (
                "a recording without an end",
                Check::Calls,
                planned("plan", |plan| plan["agent"] = json!("replay:/dev/zero")),
            ),
            (
                "a call taken out",
                Check::Decisions,
                lines(CALLS, |calls| drop(calls.remove(4))),
            ),
            (
                "another order in a stored reply",
                Check::Decisions,
                lines(CALLS, |calls| {
                    let call = &mut calls[1]["answer"]["choices"][0]["message"]["tool_calls"][0];
                    call["function"]["arguments"] = json!("{\"quantity\":1}");
                }),
            ),
            (
                "tokens of a call",
                Check::Calls,
                lines(CALLS, |calls| calls[0]["usage"]["output"] = json!(1)),
            ),
            (
                "the cost of a call",
                Check::Calls,
                lines(CALLS, |calls| calls[0]["cost"] = json!(0.000_001)),
            ),
            (
                "the request of a call",
                Check::Calls,
                lines(CALLS, |calls| {
                    calls[0]["request"]["messages"][0]["content"] = json!("Order well.");
                }),
            ),
            (
                "the name of the model of a call",
                Check::Calls,
                lines(CALLS, |calls| calls[2]["backend"] = json!("openai:better")),
            ),
            (
                "who made a call",
                Check::Calls,
                lines(CALLS, |calls| calls[0]["role"] = json!("judge")),
            ),
            (
                "a call with two answers",
                Check::Calls,
                lines(CALLS, |calls| {
                    let mut again = calls[1].clone();
                    again["answer"]["id"] = json!("other");
                    calls.push(again);
                }),
            ),
            (
                "a call that says something twice",
                Check::Calls,
                replace(CALLS, "\"answer\":{", "\"answer\":{\"choices\":[],"),
            ),
            (
                "what is not a call",
                Check::Calls,
                forge(|dir| {
                    let text = super::text(&dir.join(CALLS));
                    std::fs::write(dir.join(CALLS), format!("[1]\n{text}")).unwrap();
                }),
            ),
            (
                "the sampling of the calls",
                Check::Calls,
                lines(CALLS, |calls| {
                    calls[0]["dialect"]["temperature"] = json!(0.5)
                }),
            ),
            (
                "a memory",
                Check::Files,
                lines(MEMORY, |memory| {
                    memory[1]["before"] = memory[0]["before"].clone()
                }),
            ),
            (
                "the order of memories",
                Check::Order,
                lines(MEMORY, |memory| memory.swap(0, 1)),
            ),
            (
                "no memory",
                Check::Files,
                forge(|dir| std::fs::remove_file(dir.join(MEMORY)).unwrap()),
            ),
            (
                "the temperature in the plan",
                Check::Decisions,
                model(|model| model["dialect"]["temperature"] = json!(0.0)),
            ),
            (
                "the model in the plan",
                Check::Decisions,
                planned("plan", |plan| {
                    plan["agent"] = json!("openai:better");
                    plan["model"]["dialect"]["model"] = json!("better");
                }),
            ),
            (
                "the agent beside another model",
                Check::Manifest,
                planned("plan", |plan| plan["agent"] = json!("openai:better")),
            ),
            (
                "the name of the method",
                Check::Manifest,
                model(|model| model["method"]["name"] = json!("ace")),
            ),
            (
                "calls dropped behind a decision",
                Check::Decisions,
                lines(EPISODES, |records| {
                    records[0]["entries"][0]["dropped"] = json!(2)
                }),
            ),
            (
                "the record of the middle of a stream",
                Check::Records,
                lines(EPISODES, |records| drop(records.remove(1))),
            ),
        ],
    );
}

/// The decisions of the reference policy under the header of the model's run: the scores are
/// correct, and only the calls show that the model did not make these decisions.
#[test]
fn decisions_of_a_policy_under_the_name_of_a_model_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let (good, policy) = (dir.path().join("good"), dir.path().join("policy"));
    let server = orders(3);
    summary(&server.run(&format!("{GAME} --episodes 3 --out {}", good.display())));
    let game = GAME.replace("openai:mock", "optimal");
    ok(&format!("{game} --episodes 3 --out {}", policy.display()));
    let theirs = values(&policy.join(EPISODES));
    let forged = lines(EPISODES, move |records| {
        for (record, theirs) in records.iter_mut().zip(&theirs) {
            let header = record["header"].clone();
            record.clone_from(theirs);
            record["header"] = header;
        }
    });
    refuse_all(&good, vec![("optimal", Check::Decisions, forged)]);
}

/// A memory is written when its episode ends, the record when all earlier ones are written.
#[test]
fn memories_ahead_of_the_records_are_not_a_finding() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let line = format!(
        "{GAME} --episodes 4 --method dc --streams 2 --out {}",
        out.display()
    );
    summary(&orders(3).run(&line));
    let records = values(&out.join(EPISODES));
    for count in [1, 2] {
        write(&out.join(EPISODES), &records[..count]);
        let said = sound(&out);
        assert!(said.contains(&format!("{count} of 8 records")), "{said}");
        std::fs::remove_file(out.join("verified.json")).unwrap();
    }
}

/// After a failed episode of a stream, the later ones of that stream are not started, and the other
/// streams continue.
#[test]
fn what_a_failed_episode_stops_in_its_stream_is_not_a_finding() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let line = format!(
        "{GAME} --episodes 3 --method dc --streams 3 --out {}",
        out.display()
    );
    summary(&orders(3).run(&line));
    // By place, then by stream: the second and third episodes of stream 1.
    let mut records = values(&out.join(EPISODES));
    records.remove(7);
    let failed = records.remove(4)["header"]["episode"].clone();
    write(&out.join(EPISODES), &records);
    let memory = out.join("memory/1.jsonl");
    let learnt = super::text(&memory);
    let first = learnt.split_inclusive('\n').next().unwrap();
    std::fs::write(&memory, first).unwrap();
    let errors = out.join("errors.jsonl");
    write(&errors, &[json!({"episode": failed, "error": "refused"})]);
    let said = sound(&out);
    assert!(said.contains("7 of 9 records"), "{said}");

    // Without the failure the same gap is a finding.
    for file in [&errors, &out.join("verified.json")] {
        std::fs::remove_file(file).unwrap();
    }
    let called = crate::program::call(&["verify", out.to_str().unwrap()]);
    assert_eq!(called.code, 1, "{}", called.out);
    assert!(called.out.contains("[records]"), "{}", called.out);
}

/// The output names the findings that rest on files without a digest.
#[test]
fn prices_and_requests_without_their_keys_are_not_called_proven() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let line = format!(
        "{GAME} --episodes 1 --prices {} --out {}",
        prices(dir.path()),
        out.display()
    );
    summary(&orders(3).run(&line));
    let said = sound(&out);
    // The text of the requests is proven, the prices are not.
    let (proven, left) = said.split_once("not proven:").unwrap();
    names(left, &["prices"]);
    assert!(!left.contains("request"), "{said}");
    names(proven, &["calls"]);
    std::fs::remove_file(out.join("verified.json")).unwrap();
    let mut calls = values(&out.join(CALLS));
    calls[0]["request"]["messages"][0]["content"] = json!("my [key]");
    write(&out.join(CALLS), &calls);
    let said = sound(&out);
    names(said.split_once("not proven:").unwrap().1, &["1 request"]);
}

/// The output names what cannot be proven from the files.
#[test]
fn what_cannot_be_proven_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let server = orders(3);
    summary(&server.run(&format!("{GAME} --episodes 2 --out {}", out.display())));
    let said = sound(&out);
    let last = said.lines().last().unwrap();
    let (proven, left) = last.split_once("not proven:").unwrap();
    names(proven, &["decisions", "2 records", "10 of 10 stored calls"]);
    names(left, &["model", "replies"]);
    // Work without a record leaves stored calls that no record needs.
    let mut records = values(&out.join(EPISODES));
    records.pop();
    write(&out.join(EPISODES), &records);
    std::fs::remove_file(out.join("verified.json")).unwrap();
    let called = crate::program::call(&["verify", out.to_str().unwrap()]);
    assert_eq!(called.code, 0, "{}{}", called.out, called.err);
    names(&called.err, &["5 of 10 stored calls"]);
}

/// Every method, plan and kind of feedback, against a server that fails three requests in ten; in
/// the ordinary run every third.
#[test]
fn slow_runs_of_every_method_are_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let instruction = dir.path().join("instruction.txt");
    std::fs::write(&instruction, "Order little.").unwrap();
    let gepa = format!("gepa --instruction {}", instruction.display());
    let methods = [
        "cot",
        &gepa,
        "self-refine",
        "reflexion --streams 2 --success -1",
        "dc --update-every 2",
        "ace --feedback ground_truth",
        "amem --feedback env",
        "debate",
        "discussion",
        "cot --planning gold",
        "cot --planning cot --temperature 0.5",
        "debate+playbook --planning react",
    ];
    let server = Server::start(0.3);
    let every = small_or_full(3, 1);
    for (number, method) in methods.into_iter().enumerate().step_by(every) {
        let out = dir.path().join(number.to_string());
        let line = format!(
            "{GAME} --episodes 2 --method {method} --out {}",
            out.display()
        );
        summary(&server.run(&line));
        let said = sound(&out);
        names(
            said.split_once("not proven:").unwrap().0,
            &["decisions", "stored calls"],
        );
        let again = dir.path().join(format!("{number}-again"));
        let replay = line
            .replace("openai:mock", &format!("replay:{}", out.display()))
            .replace(
                &format!("--out {}", out.display()),
                &format!("--out {}", again.display()),
            );
        ok(&replay);
        sound(&again);
    }
}

/// A run with memories that was killed ten times passes `verify` like an uninterrupted one.
#[test]
fn slow_a_run_that_was_killed_again_and_again_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("cut");
    let server = orders(5);
    let line = format!(
        "{GAME} --method ace --streams 3 --episodes 14 --concurrency 3 --out {}",
        out.display()
    );
    let resume = format!("resume {} --json --concurrency 3", out.display());
    kill_ten_times(&server, &line, &resume, 4);
    sound_in_part(&out);
    assert_eq!(summary(&server.run(&resume))["episodes"], 42);
    let said = sound(&out);
    names(
        said.split_once("not proven:").unwrap().0,
        &["decisions", "42 records"],
    );
}

/// An interrupted run is a valid part of its plan.
fn sound_in_part(out: &Path) {
    let said = sound(out);
    names(&said, &[" of 42 records"]);
}
