//! Records that are missing or in another order, in runs of questions and interviews.

use crate::models::summary;
use crate::program::{Called, call, ok};
use crate::server::Server;
use serde_json::Value;
use std::path::{Path, PathBuf};

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");

fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn write(path: &Path, lines: &[String]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(path, text).unwrap();
}

/// Runs `verify` on a folder without a stamp.
fn verify(out: &Path) -> Called {
    let _ = std::fs::remove_file(out.join("verified.json"));
    call(&["verify", out.to_str().unwrap()])
}

fn asked(dir: &Path) -> PathBuf {
    let out = dir.join("run");
    let line = format!("run qa --data {SAMPLES} --task FPB --agent openai:mock --json --out");
    summary(&Server::start(0.0).run(&format!("{line} {}", out.display())));
    out
}

/// An answer was removed, alone or with its calls: later ones have records, and no failure explains the gap.
#[test]
fn a_removed_answer_is_found_by_its_calls() {
    let dir = tempfile::tempdir().unwrap();
    let out = asked(dir.path());
    let records = lines(&out.join("episodes.jsonl"));
    let mut fewer = records.clone();
    let removed: Value = serde_json::from_str(&fewer.remove(1)).unwrap();
    write(&out.join("episodes.jsonl"), &fewer);
    let found = verify(&out);
    assert_eq!(found.code, 1, "{}{}", found.out, found.err);
    let episode = removed["header"]["episode"].as_u64().unwrap();
    let place = format!("[records] episode {episode}:");
    assert!(found.out.contains(&place), "{}", found.out);

    // The last answers of a run that was cut off are missing too, and that is not a fault.
    let last = records.len() - 1;
    write(&out.join("episodes.jsonl"), &records[..last]);
    let found = verify(&out);
    assert_eq!(found.code, 0, "{}{}", found.out, found.err);

    write(&out.join("episodes.jsonl"), &fewer);
    let calls = lines(&out.join("calls.jsonl"));
    let slot = format!("\"slot\":\"episode/-{episode}/");
    let others: Vec<String> = calls
        .iter()
        .filter(|call| !call.contains(&slot))
        .cloned()
        .collect();
    assert_eq!(others.len() + 1, calls.len(), "{slot}");
    write(&out.join("calls.jsonl"), &others);
    let found = verify(&out);
    assert_eq!(found.code, 1, "{}{}", found.out, found.err);
    assert!(found.out.contains(&place), "{}", found.out);
}

/// Interviews by rules can be held again, so a gap among them is a removed record.
#[test]
fn a_removed_interview_by_rules_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    ok(&format!(
        "run consulting --agent ideal --out {}",
        out.display()
    ));
    let file = out.join("episodes.jsonl");
    let mut records = lines(&file);
    let whole = records.clone();
    records.remove(2);
    write(&file, &records);
    let found = verify(&out);
    assert_eq!(found.code, 1, "{}", found.out);
    assert!(found.out.contains("[records] episode 2:"), "{}", found.out);
    ok(&format!("resume {}", out.display()));
    assert_eq!(lines(&file), whole);
    ok(&format!("verify {}", out.display()));
}

/// A kill between the last record and the final sort leaves a record in the wrong place: the order is
/// not proven, and `resume` mends it.
#[test]
fn a_kill_before_the_final_sort_is_not_a_forgery() {
    let dir = tempfile::tempdir().unwrap();
    let out = asked(dir.path());
    let file = out.join("episodes.jsonl");
    let whole = lines(&file);
    let mut late = whole.clone();
    let second = late.remove(1);
    late.push(second);
    write(&file, &late);
    let found = verify(&out);
    assert_eq!(found.code, 0, "{}{}", found.out, found.err);
    let last = found.out.lines().last().unwrap();
    let (proven, left) = last.split_once("not proven").unwrap();
    assert!(!proven.contains("order"), "{last}");
    assert!(
        left.contains("order") && left.contains("boardroom resume"),
        "{last}"
    );
    ok(&format!("resume {}", out.display()));
    assert_eq!(lines(&file), whole);
    let found = ok(&format!("verify {}", out.display()));
    let (proven, _) = found
        .lines()
        .last()
        .unwrap()
        .split_once("not proven")
        .unwrap();
    assert!(proven.contains("order"), "{found}");
}

/// Without its calls a run still has its records.
#[test]
fn missing_calls_are_not_missing_records() {
    let dir = tempfile::tempdir().unwrap();
    let out = asked(dir.path());
    std::fs::remove_file(out.join("calls.jsonl")).unwrap();
    let found = verify(&out);
    assert_eq!(found.code, 1);
    assert!(found.out.contains("[calls]"), "{}", found.out);
    assert!(
        found.out.contains("4 records not verified"),
        "{}",
        found.out
    );
    assert!(!found.err.contains("no record yet"), "{}", found.err);
}
