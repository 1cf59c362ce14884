//! Causes of replies in records and in the output of every command; what a run learns about its server; more episodes
//! for a finished run.

use crate::models::summary;
use crate::program::{json, names, ok, refused, verifies};
use crate::server::{Act, Request, Server, called, said};
use serde_json::{Value, json as value};
use std::path::Path;

/// A completion with another reason to stop and this text.
fn ended(finish: &str, text: &str) -> Act {
    let mut reply = said(text);
    reply["choices"][0]["finish_reason"] = finish.into();
    Act::Answer(reply)
}

fn order(quantity: i64) -> Act {
    Act::Answer(called(&value!({"quantity": quantity})))
}

/// Two games of four weeks in which a reply of each kind occurs; then the server fails for good.
fn acts(request: &Request) -> Act {
    match request.number {
        0 => ended("length", "Let me think about"),
        2 => order(-4),
        4 => ended("stop", "I would rather not say."),
        7 => ended("content_filter", ""),
        12.. => Act::Refuse(500, value!({"error": {"message": "tired"}})),
        _ => order(4),
    }
}

const GAME: &str =
    "run beer-game --set weeks=4 --method direct --concurrency 1 --retries 1 --agent openai:m";

fn counts() -> Value {
    value!({"said": 8, "cut_off": 1, "filtered": 1, "refused": 1, "malformed": 1, "failed": 1})
}

/// The records of a folder.
fn records(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("episodes.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Causes of the turns of a record, in order.
fn of_turns(record: &Value) -> Vec<Value> {
    let entries = record["entries"].as_array().unwrap().iter();
    entries
        .filter_map(|entry| entry.get("causes").cloned())
        .collect()
}

#[test]
fn every_command_says_why_replies_were_not_said() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let out = run.display();
    let server = Server::answering(acts);
    let played = server.run(&format!("{GAME} --episodes 3 --json --out {out}"));
    assert_eq!(played.status.code(), Some(1), "{played:?}");
    let printed: Value = serde_json::from_slice(&played.stdout).unwrap();
    assert_eq!(printed["causes"], counts(), "{printed}");

    let records = records(&run);
    assert_eq!(
        of_turns(&records[0]),
        [
            value!({"said": 1, "cut_off": 1}),
            value!({"said": 1, "refused": 1}),
            value!({"said": 1, "malformed": 1}),
            value!({"said": 1}),
        ]
    );
    assert_eq!(of_turns(&records[1])[0], value!({"said": 1, "filtered": 1}));

    // A resumed run, whose server still fails, counts the whole run again.
    let resumed = server.run(&format!("resume {out} --retries 1"));
    let text = String::from_utf8(resumed.stdout).unwrap();
    let parts = [
        "5 of 13 replies are incomplete or were not accepted",
        "1 cut off",
        "--max-tokens",
        "1 filtered",
        "1 failed at the server",
    ];
    names(&text, &parts);
    names(&ok(&format!("verify {out}")), &["the causes of 12 replies"]);

    let other = dir.path().join("other");
    let policy = "run beer-game --set weeks=4 --agent sterman --episodes 2";
    ok(&format!("{policy} --out {}", other.display()));
    let both = format!("{out} {}", other.display());
    let compared = json(&format!("compare {both} --json"));
    assert_eq!(compared["first"]["causes"], counts());
    assert!(compared["others"][0].get("causes").is_none());
    names(&ok(&format!("compare {both}")), &parts);

    let table = dir.path().join("table.csv");
    ok(&format!("export {both} --output {}", table.display()));
    let text = std::fs::read_to_string(&table).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
    let column = |name: &str| {
        let at = rows[0].iter().position(|n| *n == name).unwrap();
        rows.iter().skip(1).map(|row| row[at]).collect::<Vec<_>>()
    };
    assert_eq!(column("replies_said"), ["4", "4", "", ""]);
    assert_eq!(column("replies_cut_off"), ["1", "0", "", ""]);
    assert_eq!(column("replies_filtered"), ["0", "1", "", ""]);

    let page = dir.path().join("page.html");
    ok(&format!("report {both} --output {}", page.display()));
    let page = std::fs::read_to_string(&page).unwrap();
    names(
        &page,
        &[
            "replies incomplete or not accepted",
            "5 of 13",
            "--max-tokens",
        ],
    );
}

#[cfg(feature = "view")]
#[test]
fn the_pages_show_causes_at_the_run_the_record_and_the_step() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("runs").join("model");
    let server = Server::answering(acts);
    let line = format!("{GAME} --episodes 3 --json --out {}", run.display());
    assert_eq!(server.run(&line).status.code(), Some(1));
    let pages = dir.path().join("pages");
    ok(&format!(
        "view {} --export {}",
        run.parent().unwrap().display(),
        pages.display()
    ));
    let page = |name: &str| std::fs::read_to_string(pages.join(name)).unwrap();
    names(
        &page("run.model.html"),
        &[
            "8 said, 1 cut off, 1 filtered",
            "1 failed at the server",
            "--max-tokens",
        ],
    );
    let record = page("record.model.0.html");
    names(
        &record,
        &[
            "4 said, 1 cut off, 1 refused by the rules, 1 malformed call",
            "replies: 1 said, 1 cut off",
            "<strong>cut off</strong>",
        ],
    );
}

/// The counts are part of what `verify` makes again.
#[test]
fn changed_causes_do_not_verify() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let server = Server::answering(|request| match request.number {
        12.. => order(4),
        _ => acts(request),
    });
    let out = run.display().to_string();
    summary(&server.run(&format!("{GAME} --episodes 3 --json --out {out}")));
    verifies(&out, 3);
    let file = run.join("episodes.jsonl");
    let whole = std::fs::read_to_string(&file).unwrap();
    for (from, to) in [
        (r#"{"said":1,"cut_off":1}"#, r#"{"said":2}"#),
        (r#","causes":{"said":1,"filtered":1}"#, ""),
    ] {
        std::fs::write(&file, whole.replacen(from, to, 1)).unwrap();
        assert_ne!(std::fs::read_to_string(&file).unwrap(), whole);
        let _ = std::fs::remove_file(run.join("verified.json"));
        names(&refused(&["verify", &out], 1), &["[decisions] "]);
    }
    // A policy asks nobody.
    let other = dir.path().join("other");
    ok(&format!(
        "run beer-game --set weeks=4 --agent sterman --episodes 1 --out {}",
        other.display()
    ));
    let file = other.join("episodes.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replacen(r#""reply":"#, r#""causes":{"said":1},"reply":"#, 1);
    std::fs::write(&file, text).unwrap();
    let other = other.display().to_string();
    let said = refused(&["verify", &other], 1);
    names(&said, &["`causes`"]);
}

/// An interview counts the candidate's replies in the same way.
#[test]
fn interviews_count_causes_too() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let server = Server::answering(|request| match request.number {
        1 => ended("length", "First I would"),
        _ => ended("stop", "I would look at costs first."),
    });
    let line = "run consulting --preset short --episodes 1 --agent openai:m --concurrency 1";
    let line = format!("{line} --json --out {}", run.display());
    let printed = summary(&server.run(&line));
    assert_eq!(printed["causes"]["cut_off"], 1, "{printed}");
    let out = run.display();
    names(&ok(&format!("verify {out}")), &["the causes of"]);
    let table = dir.path().join("table.csv");
    ok(&format!("export {out} --output {}", table.display()));
    names(
        &std::fs::read_to_string(&table).unwrap(),
        &["replies_cut_off"],
    );
}

/// A server that takes no forced choice of a tool, no temperature, and little room for a reply.
fn picky(request: &Request) -> Act {
    let body = &request.body;
    let refuse = |message: &str| Act::Refuse(400, value!({"error": {"message": message}}));
    if body.get("temperature").is_some() {
        return refuse("temperature is not supported by this model");
    }
    if body["tool_choice"] == "required" {
        return refuse("tool_choice must be auto for this model");
    }
    if body["max_tokens"]
        .as_u64()
        .is_some_and(|most| most + 600 > 2048)
    {
        return refuse(
            "'max_tokens' or 'max_completion_tokens' is too large: 4000. This model's maximum context length is \
             2048 tokens and your request has 600 input tokens.",
        );
    }
    order(4)
}

fn learnt(run: &Path) -> Value {
    let text = std::fs::read_to_string(run.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    manifest["learnt"].clone()
}

#[test]
fn what_a_server_refuses_is_in_the_manifest_and_not_asked_again() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let out = run.display().to_string();
    let server = Server::answering(picky);
    let line = format!("{GAME} --temperature 0.5 --max-tokens 4000 --episodes 2 --out {out}");
    // Played until the fourth answer, then killed.
    server.hold_after(4);
    let mut child = server.command(&line).spawn().unwrap();
    crate::program::until(&mut child, || server.answered() >= 4);
    child.kill().unwrap();
    child.wait().unwrap();
    server.hold_after(usize::MAX);
    let ways = value!(["auto-choice", "no-temperature"]);
    assert_eq!(learnt(&run)["openai:m"]["ways"], ways);
    assert_eq!(learnt(&run)["openai:m"]["room"]["context"], 2048);

    let before = server.seen.lock().unwrap().len();
    let resumed = server.run(&format!("resume {out}"));
    let text = crate::models::complete(&resumed);
    let notes = ["refused the temperature", "--weaker auto-choice", "2048"];
    names(&text, &notes);
    for body in server.seen.lock().unwrap().iter().skip(before) {
        let is_accepted = matches!(
            picky(&Request {
                number: 0,
                path: String::new(),
                body: body.clone()
            }),
            Act::Answer(_)
        );
        assert!(is_accepted, "asked again in a refused way: {body}");
    }
    verifies(&out, 2);
    // Of a finished run too, without a server.
    names(&ok(&format!("resume {out}")), &notes);
    let page = dir.path().join("page.html");
    ok(&format!("report {out} --output {}", page.display()));
    names(&std::fs::read_to_string(&page).unwrap(), &notes[..2]);

    // Ways that the calls used must be in the manifest.
    let file = run.join("manifest.json");
    let mut manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    manifest.as_object_mut().unwrap().remove("learnt");
    std::fs::write(&file, manifest.to_string()).unwrap();
    let _ = std::fs::remove_file(run.join("verified.json"));
    names(
        &refused(&["verify", &out], 1),
        &["[manifest] ", "auto-choice, no-temperature"],
    );
}

/// The plan in the manifest and the records of a folder.
fn content(run: &Path) -> (Value, Vec<u8>) {
    let text = std::fs::read_to_string(run.join("manifest.json")).unwrap();
    let mut manifest: Value = serde_json::from_str(&text).unwrap();
    manifest["started_unix"] = 0.into();
    (manifest, std::fs::read(run.join("episodes.jsonl")).unwrap())
}

#[test]
fn a_finished_run_takes_more_episodes() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let server = Server::start(0.0);
    for (name, game) in [
        (
            "policy",
            "run beer-game --preset random --agent sterman --seed 3",
        ),
        ("listed", "run ceo --agent random"),
        (
            "model",
            "run beer-game --preset random --set weeks=3 --agent openai:mock --seed 3",
        ),
    ] {
        let (long, short) = (path(&format!("{name}-10")), path(&format!("{name}-5")));
        let begin = |episodes: u64, out: &Path| {
            let line = format!("{game} --episodes {episodes} --out {}", out.display());
            server.run(&line)
        };
        crate::models::complete(&begin(10, &long));
        crate::models::complete(&begin(5, &short));
        let five = content(&short).1;
        let same = begin(5, &short);
        assert_eq!(same.status.code(), Some(2), "{same:?}");
        let fewer = begin(3, &short);
        names(&String::from_utf8_lossy(&fewer.stderr), &["5 episodes"]);
        crate::models::complete(&begin(10, &short));
        let (of_ten, of_five) = (content(&long), content(&short));
        assert_eq!(of_five.0, of_ten.0, "{name}");
        assert!(of_five.1.starts_with(&five), "{name}");
        if name == "model" {
            // Replies of this server depend on their number.
            assert_eq!(records(&short).len(), 10);
        } else {
            assert_eq!(of_five.1, of_ten.1, "{name}");
        }
        verifies(short.display(), 10);
    }
}

#[test]
fn what_is_another_run_is_not_extended() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let run = path("run");
    let game = "run beer-game --preset random --agent sterman";
    ok(&format!("{game} --episodes 5 --out {}", run.display()));
    let before = content(&run);
    let out = run.display().to_string();
    for (more, fact) in [
        ("--seed 4", "seed"),
        ("--set weeks=7", "weeks"),
        ("--limits 9,9", "limits"),
        ("--shard 0/2", "shard"),
    ] {
        let line = format!("{game} --episodes 10 {more} --out {out}");
        let words: Vec<&str> = line.split_whitespace().collect();
        names(&refused(&words, 2), &[fact, "another run"]);
    }
    // Without a number of episodes, the usual one would be played, and perhaps paid for, by mistake.
    let line = format!("{game} --out {out}");
    let words: Vec<&str> = line.split_whitespace().collect();
    names(&refused(&words, 2), &["5 episodes", "--episodes"]);
    assert_eq!(content(&run), before);

    // A run with missing records is finished first.
    let file = run.join("episodes.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    let first: String = text.lines().take(3).map(|l| format!("{l}\n")).collect();
    std::fs::write(&file, first).unwrap();
    let line = format!("{game} --episodes 10 --out {out}");
    let words: Vec<&str> = line.split_whitespace().collect();
    names(&refused(&words, 2), &["3 of 5", "boardroom resume"]);

    // A method that learns meets its episodes in an order over all of them.
    let server = Server::start(0.0);
    let learns = "run beer-game --preset random --set weeks=2 --agent openai:mock --method dc";
    let at = |n: u64| format!("{learns} --episodes {n} --out {}", path("learns").display());
    crate::models::complete(&server.run(&at(2)));
    let refusal = server.run(&at(3));
    assert_eq!(refusal.status.code(), Some(2));
    names(
        &String::from_utf8_lossy(&refusal.stderr),
        &["learns", "order"],
    );

    // A model that cannot be set up leaves the folder as it was.
    let model = format!(
        "run beer-game --preset random --set weeks=2 --agent openai:mock --out {}",
        path("model").display()
    );
    crate::models::complete(&server.run(&format!("{model} --episodes 2")));
    let before = content(&path("model"));
    let refusal = server.run(&format!("{model} --episodes 4 --max-cost 1"));
    assert_eq!(refusal.status.code(), Some(2), "{refusal:?}");
    assert_eq!(content(&path("model")), before);
    verifies(path("model").display(), 2);
}
