//! Games whose seats are played by different agents.

use crate::models::{kill_ten_times, summary};
use crate::program::{json, names, ok, refused, sorted_lines, verifies};
use crate::server::{Act, Server, called};
use serde_json::{Value, json};
use std::path::Path;

/// Two models and policies in one chain. Only a learning rule would show that a policy forgot what it saw before a
/// kill, so the policy is one that goes by earlier weeks.
const CHAIN: &str = "run beer-game --preset classic --set weeks=12 --agent sterman --seat brewery=openai:a \
                     --seat retailer=openai:b --seat distributor=policy:smoothing-4 --seat-set brewery.temperature=0.5 \
                     --seat-set retailer.method=direct --json";

/// Orders that depend on the model, its temperature and what it sees.
fn orders() -> Server {
    Server::acting(|_, body| {
        let text = body["messages"].to_string() + &body["temperature"].to_string();
        let base = if body["model"] == "a" { 3 } else { 5 };
        match body.get("tools") {
            Some(_) => Act::Answer(called(&json!({"quantity": base + text.len() % 4}))),
            None => Act::Answer(crate::server::said("I order what I need.")),
        }
    })
}

fn records(dir: &Path) -> Vec<Value> {
    let lines = sorted_lines(&dir.join("episodes.jsonl"));
    lines
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Each line is refused, and the message names its facts.
fn refuse(lines: &[(&str, &[&str])]) {
    for (line, facts) in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        names(&refused(&words, 2), facts);
    }
}

#[test]
fn each_seat_is_played_by_its_own_agent_and_verified() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let server = orders();
    let played = summary(&server.run(&format!(
        "{CHAIN} --episodes 2 --out {}",
        path("a").display()
    )));
    let cast = "sterman, brewery=openai:a, distributor=smoothing-4, retailer=openai:b";
    assert_eq!(played["agent"], cast);
    verifies(path("a").display(), 2);
    // Both models were asked, each in its own way, and nobody else was.
    let seen = server.seen.lock().unwrap().clone();
    for (model, temperature) in [("a", json!(0.5)), ("b", Value::Null)] {
        let mine = seen.iter().filter(|body| body["model"] == model);
        let mut count = 0;
        for body in mine {
            assert_eq!(body["temperature"], temperature);
            count += 1;
        }
        // `cot` asks twice for a decision, `direct` once; eight of twelve weeks are free.
        assert!(count >= 16, "{model} was asked {count} times");
    }
    let orders: Vec<_> = records(&path("a"))[0]["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry["seat"].clone(), entry["input"].clone()))
        .collect();
    for (seat, input) in orders {
        let is_model = seat == "brewery" || seat == "retailer";
        assert_eq!(input.get("call").is_some(), is_model, "{seat} {input}");
    }
    // The recorded cast plays again, byte for byte, and sends nothing.
    let asked = server.answered();
    ok(&format!(
        "run beer-game --preset classic --set weeks=12 --agent replay:{} --episodes 2 --out {}",
        path("a").display(),
        path("again").display()
    ));
    assert_eq!(server.answered(), asked);
    assert_eq!(records(&path("again")), records(&path("a")));
    // Another cast is another run; the comparison names both.
    let other = "run beer-game --preset classic --set weeks=12 --agent sterman --episodes 2";
    ok(&format!("{other} --out {}", path("b").display()));
    let compared = ok(&format!(
        "compare {} {}",
        path("b").display(),
        path("a").display()
    ));
    names(&compared, &["brewery=openai:a", "retailer=openai:b"]);
    let table = ok(&format!("export {}", path("a").display()));
    names(&table, &["brewery=openai:a"]);
}

#[test]
fn slow_a_killed_cast_goes_on_as_if_it_had_not_been() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let server = orders();
    let line = |name: &str| {
        format!(
            "{CHAIN} --episodes 12 --concurrency 3 --out {}",
            path(name).display()
        )
    };
    summary(&server.run(&line("whole")));
    let resume = format!("resume {} --json --concurrency 3", path("cut").display());
    kill_ten_times(&server, &line("cut"), &resume, 5);
    summary(&server.run(&resume));
    assert_eq!(records(&path("cut")), records(&path("whole")));
    verifies(path("cut").display(), 12);
}

#[test]
fn casts_that_are_the_same_have_the_same_records() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let base = "run beer-game --preset classic --episodes 2";
    for (name, cast) in [
        ("plain", "--agent sterman"),
        ("seat", "--agent sterman --seat brewery=policy:sterman"),
        (
            "seats",
            "--seat retailer=sterman --seat wholesaler=sterman --seat distributor=sterman --seat brewery=sterman",
        ),
    ] {
        ok(&format!("{base} {cast} --out {}", path(name).display()));
        let digest =
            |name: &str| json(&format!("runs {} --json", path(name).display()))[0]["agent"].clone();
        assert_eq!(digest(name), "sterman");
        let read = |name: &str| std::fs::read(path(name).join("episodes.jsonl")).unwrap();
        assert_eq!(read(name), read("plain"), "{name}");
    }
    let mixed = format!(
        "{base} --agent sterman --seat brewery=order-up-to --out {}",
        path("mixed").display()
    );
    ok(&mixed);
    verifies(path("mixed").display(), 2);
}

#[test]
fn a_cast_that_cannot_be_is_refused() {
    refuse(&[
        (
            "run beer-game --preset classic --seat cook=sterman",
            &["cook", "retailer", "brewery"],
        ),
        (
            "run beer-game --preset classic --seat brewery=human",
            &["brewery", "policy"],
        ),
        (
            "run beer-game --preset classic --seat brewery=sterman --seat-set brewery.temperature=1",
            &["brewery", "model"],
        ),
        (
            "run beer-game --preset classic --seat-set brewery.temperature=1",
            &["brewery.temperature", "--seat"],
        ),
        (
            "run beer-game --preset classic --seat brewery=sterman --seat brewery=random",
            &["brewery", "two agents"],
        ),
        (
            "run beer-game --preset classic --seat brewery=openai:m --seat-set brewery.method=reflexion",
            &["--method"],
        ),
        (
            "run beer-game --preset classic --agent openai:m --seat brewery=replay:nothing",
            &["nothing"],
        ),
        (
            "run beer-game --agent sterman --seat retailer=order-up-to",
            &["sterman", "--agent"],
        ),
    ]);
}

/// The other side of an interview and the judge of an answer are seats, each with options of its own.
#[test]
fn interviewers_and_judges_are_seats() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let server = Server::answering(|request| {
        let body = &request.body;
        let schema = &body["response_format"]["json_schema"]["schema"];
        Act::Answer(if schema.is_object() {
            crate::server::reply(body, 7)
        } else {
            crate::server::said("What is the revenue? I recommend to enter the market.")
        })
    });
    let base = "run consulting --preset short --episodes 1 --agent openai:talks --method direct --rounds 3 --json";
    let seats = "--seat interviewer=openai:asks --seat judge_1=openai:strict --seat judge_2=openai:mild \
                 --seat-set judge_1.max_tokens=700 --seat-set judge_2.temperature=0.5";
    summary(&server.run(&format!("{base} {seats} --out {}", path("a").display())));
    verifies(path("a").display(), 1);
    let seen = server.seen.lock().unwrap().clone();
    for (model, temperature, tokens) in [
        ("asks", Value::Null, Value::Null),
        ("strict", json!(0.0), json!(700)),
        ("mild", json!(0.5), Value::Null),
    ] {
        let mine: Vec<&Value> = seen.iter().filter(|body| body["model"] == model).collect();
        assert!(!mine.is_empty(), "{model} was not asked");
        for body in mine {
            let found = (&body["temperature"], &body["max_tokens"]);
            assert_eq!(found, (&temperature, &tokens), "{model}");
        }
    }
    refuse(&[
        ("run consulting --seat jury=openai:m", &["jury", "judge_1"]),
        (
            "run consulting --seat judge_1=sterman",
            &["judge_1", "rules"],
        ),
        (
            "run consulting --seat judge_1=openai:m --seat-set judge_1.method=cot",
            &["judge_1", "temperature"],
        ),
        (
            "run consulting --judge openai:m --seat judge_1=openai:m",
            &["judge_1", "two agents"],
        ),
        (
            "run consulting --interviewer openai:m --seat interviewer=openai:m",
            &["interviewer", "two agents"],
        ),
    ]);
}
