//! Methods with and without a memory, plans of a solver, and the search for an instruction, through
//! the whole program.

use crate::models::{GAME, kill_ten_times, recorded_episodes, recorded_keys, summary};
use crate::program::{names, ok, refusal, sorted_lines, verifies};
use crate::server::{Act, Server, called, reply};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn records(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("episodes.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Two episodes of five weeks: five requests each to play, plus the requests of the method.
#[test]
fn every_method_plays_and_asks_as_often_as_documented() {
    let dir = tempfile::tempdir().unwrap();
    let instruction = dir.path().join("instruction.txt");
    std::fs::write(&instruction, "Order little.").unwrap();
    let cases = [
        ("cot", 10, false),
        ("gepa", 10, false),
        // A critic's round for each of ten orders; this critic has no objections.
        ("self-refine", 20, false),
        // Both episodes fail: a reflection on each.
        ("reflexion", 12, true),
        ("dc", 12, true),
        ("ace", 14, true),
        // A search query and a description each, and links from the second note on.
        ("amem", 15, true),
        ("debate", 60, false),
    ];
    for (method, requests, learns) in cases {
        let server = Server::acting(move |n, body| {
            let quantity = if learns { 100 + n * 90 } else { 400 };
            match body.get("tools") {
                Some(_) => Act::Answer(called(&json!({"quantity": quantity}))),
                None => Act::Answer(reply(body, n)),
            }
        });
        let run = dir.path().join(method);
        let more = match method {
            "gepa" => format!("--instruction {}", instruction.display()),
            "reflexion" => "--success -1".to_owned(),
            _ => String::new(),
        };
        let line = format!(
            "{GAME} --episodes 2 --method {method} {more} --out {}",
            run.display()
        );
        let printed = summary(&server.run(&line));
        assert_eq!(printed["method"], method);
        assert_eq!(server.answered(), requests, "{method}");
        verifies(run.display(), 2);
        for record in records(&run) {
            let header = &record["header"];
            assert_eq!(header["method"], method);
            let feedback = if learns { "outcome" } else { "none" };
            assert_eq!(header["feedback"], feedback, "{method}");
            assert_eq!(header.get("stream").is_some(), learns, "{method}");
        }
        let told: BTreeSet<String> = server.system_texts().into_iter().collect();
        assert_eq!(told.len(), if learns { 2 } else { 1 }, "{method}: {told:?}");
        let shown = told.iter().any(|text| text.contains("Order little."));
        assert_eq!(shown, method == "gepa");
    }
}

/// A stream plays the episodes in its own order, concurrently with other streams; its memory is on
/// the disk, and a replay gives the same bytes.
#[test]
fn streams_learn_apart_and_in_their_own_order() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let server = Server::acting(|n, body| Act::Answer(reply(body, n)));
    let game = format!("{GAME} --method dc --streams 3 --episodes 4 --concurrency 3");
    let live = summary(&server.run(&format!("{game} --out {}", path("live").display())));
    assert_eq!(live["episodes"], 12);
    let numbers = recorded_episodes(&path("live"));
    let mut orders = BTreeSet::new();
    for stream in 0..3_u64 {
        let order = sim_core::Seed(0).order(stream, 4);
        let met: Vec<u64> = numbers
            .iter()
            .copied()
            .filter(|k| k / 4 == stream)
            .collect();
        let expected: Vec<u64> = order.iter().map(|k| stream * 4 + *k as u64).collect();
        assert_eq!(met, expected, "stream {stream}");
        orders.insert(order);
        let kept = path("live").join(format!("memory/{stream}.jsonl"));
        let kept = std::fs::read_to_string(kept).unwrap();
        let lines: Vec<Value> = kept
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 4);
        let before: BTreeSet<String> = lines.iter().map(|l| l["before"].to_string()).collect();
        assert_eq!(before.len(), 4, "each episode changes the memory");
    }
    assert!(orders.len() > 1, "{orders:?}");
    let places: Vec<u64> = numbers.iter().map(|k| k / 4).collect();
    assert_eq!(
        places,
        [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2],
        "by place, then by stream"
    );
    // The same instance in every stream, another stream in every header.
    let records = records(&path("live"));
    let of: BTreeMap<u64, String> = records
        .iter()
        .map(|r| {
            (
                r["header"]["episode"].as_u64().unwrap(),
                r["header"]["instance"].to_string(),
            )
        })
        .collect();
    assert!((0..12).all(|k| of[&k] == of[&(k % 4)]), "{of:?}");
    assert!(of.values().collect::<BTreeSet<_>>().len() > 1);

    let again = game.replace("openai:mock", &format!("replay:{}", path("live").display()));
    ok(
        &format!("{again} --concurrency 1 --out {}", path("again").display()).replacen(
            "--concurrency 3 ",
            "",
            1,
        ),
    );
    let bytes = |name: &str| std::fs::read(path(name).join("episodes.jsonl")).unwrap();
    assert!(
        bytes("live") == bytes("again"),
        "a replay gives the same bytes"
    );
    verifies(path("live").display(), 12);

    // A shard consists of whole streams.
    let shard = format!("{again} --shard 1/2 --out {}", path("shard").display());
    ok(&shard);
    let numbers: BTreeSet<u64> = recorded_episodes(&path("shard")).into_iter().collect();
    assert_eq!(numbers, (4..8).collect());
}

/// A run with memories that is killed repeatedly ends with the records and the memories of an
/// uninterrupted one.
#[test]
fn slow_killed_streams_go_on_with_what_they_had_learnt() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    // Answers depend on the request alone, so both runs get the same answers.
    let server = Server::acting(|_, body| {
        let text = body["messages"].to_string();
        let mark = text
            .bytes()
            .fold(7_u64, |a, b| (a * 31 + u64::from(b)) % 1_000);
        match body.get("tools") {
            Some(_) => Act::Answer(called(&json!({"quantity": 100 + mark % 300}))),
            None => Act::Answer(reply(body, mark)),
        }
    });
    for (method, seed) in [("ace", 1), ("amem", 2)] {
        let line = |name: &str| {
            let out = path(&format!("{method}-{name}"));
            format!(
                "{GAME} --method {method} --streams 3 --episodes 14 --concurrency 3 --out {}",
                out.display()
            )
        };
        let cut = path(&format!("{method}-cut"));
        let before = server.answered();
        summary(&server.run(&line("whole")));
        let whole = server.answered() - before;
        let resume = format!("resume {} --json --concurrency 3", cut.display());
        kill_ten_times(&server, &line("cut"), &resume, seed);
        assert_eq!(summary(&server.run(&resume))["episodes"], 42);
        let same = path(&format!("{method}-whole"));
        let lines = |run: &Path, file: &str| sorted_lines(&run.join(file));
        assert_eq!(
            lines(&cut, "episodes.jsonl"),
            lines(&same, "episodes.jsonl")
        );
        for stream in 0..3 {
            let file = format!("memory/{stream}.jsonl");
            assert_eq!(lines(&cut, &file), lines(&same, &file), "{method}");
        }
        let asked = server.answered() - before - whole;
        assert!(asked >= whole && asked <= whole + 30, "{asked} of {whole}");
        let keys = recorded_keys(&cut);
        let distinct: BTreeSet<&String> = keys.iter().collect();
        assert_eq!(
            keys.len(),
            distinct.len(),
            "no recorded answer was asked again"
        );
    }
}

/// The reference policy's order is shown each week; a model that copies it scores as the policy.
#[test]
fn a_gold_plan_is_shown_and_can_be_carried_out() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::acting(|_, body| {
        let text = body["messages"][1]["content"].as_str().unwrap();
        let plan = text.rsplit_once("{\"quantity\":").unwrap().1;
        let digits: String = plan.chars().take_while(char::is_ascii_digit).collect();
        let quantity: u64 = digits.parse().unwrap();
        Act::Answer(called(&json!({"quantity": quantity})))
    });
    let out = dir.path().join("run");
    let line = format!(
        "{GAME} --episodes 3 --planning gold --out {}",
        out.display()
    );
    let carried_out = summary(&server.run(&line));
    let policy = GAME.replace("openai:mock", "optimal");
    let optimal: Value = serde_json::from_str(&ok(&format!("{policy} --episodes 3"))).unwrap();
    assert_eq!(carried_out["score"]["mean"], optimal["score"]["mean"]);
}

#[test]
fn ground_truth_is_told_only_where_it_is_asked_for() {
    for (mode, told) in [("outcome", false), ("ground_truth", true)] {
        let server = Server::start(0.0);
        let line = format!("{GAME} --episodes 1 --method dc --feedback {mode}");
        summary(&server.run(&line));
        let seen = server.seen.lock().unwrap();
        let lesson = seen.last().unwrap()["messages"].to_string();
        assert_eq!(lesson.contains("The right answer"), told, "{lesson}");
        assert!(lesson.contains("Score: "), "{lesson}");
    }
}

#[test]
fn an_instruction_is_searched_for_within_its_budget_and_then_used() {
    let dir = tempfile::tempdir().unwrap();
    // A model with the instruction to order evenly does so; the others order far too much.
    let server = Server::acting(|n, body| {
        let told = body["messages"][0]["content"].to_string();
        match body.get("tools") {
            Some(_) if told.contains("evenly") => Act::Answer(called(&json!({"quantity": 400}))),
            Some(_) => Act::Answer(called(&json!({"quantity": 2_000}))),
            None => Act::Answer(reply(body, n)),
        }
    });
    let out = dir.path().join("search");
    let line = format!(
        "evolve beer-game --preset random --set weeks=5 --agent openai:mock --train 3 \
         --validation 3 --metric-calls 21 --json --out {}",
        out.display()
    );
    let found = summary(&server.run(&line));
    let found = &found["found"];
    assert!(
        found["mean"].as_f64() > found["first_mean"].as_f64(),
        "{found}"
    );
    assert!(found["metric_calls"].as_u64().unwrap() <= 21);
    assert_eq!(found["history"][0]["accepted"], true);
    let plays = server.system_texts().len();
    assert!(plays <= 21 * 5, "{plays}");
    // When it is asked again, its own recording answers.
    let answered = server.answered();
    assert_eq!(&summary(&server.run(&line))["found"], found);
    assert_eq!(server.answered(), answered);

    let instruction = found["instruction"].as_str().unwrap();
    let run = format!(
        "{GAME} --episodes 2 --method gepa --instruction {}",
        out.display()
    );
    summary(&server.run(&run));
    assert_eq!(server.answered() - answered, 10, "one request a decision");
    assert!(server.system_texts().last().unwrap().contains(instruction));

    let few = server.run(&line.replace("--metric-calls 21", "--metric-calls 5"));
    assert_eq!(few.status.code(), Some(2));
    let err = String::from_utf8_lossy(&few.stderr).into_owned();
    names(&refusal(&err, 2).message, &["5", "21"]);
}
