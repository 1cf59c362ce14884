//! A person at the keyboard.

use crate::program::{boardroom, json, ok};
use std::io::Write as _;
use std::process::{Output, Stdio};

fn type_in(line: &str, keys: &str) -> Output {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut child = boardroom(&words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(keys.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_game_in_two_sittings_is_one_record_like_any_other() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("mine").to_str().unwrap().to_owned();
    let line = format!("play beer-game --out {out}");
    let first = type_in(
        &line,
        "help\nget_stock\nplace_order 400\n\nplace_order 7\nn\nquit\n",
    );
    assert_eq!(first.status.code(), Some(130));
    let screen = text(&first.stdout);
    assert!(screen.contains("* place_order <quantity>"), "{screen}");
    assert!(screen.contains("get_history [weeks]"), "{screen}");
    assert!(
        screen.contains("week 2 of 25") && screen.contains("taken back"),
        "{screen}"
    );
    assert!(
        text(&first.stderr).contains("goes on with the game"),
        "{}",
        text(&first.stderr)
    );
    let second = type_in(&line, &"place_order 400\n\n".repeat(24));
    assert_eq!(second.status.code(), Some(0), "{}", text(&second.stderr));
    let screen = text(&second.stdout);
    assert!(screen.contains("score 9,200 cost"), "{screen}");
    assert!(screen.contains("the proven optimum is 9,200"), "{screen}");
    assert_eq!(ok(&format!("verify {out}")), "1 record verified\n");
    assert!(!std::path::Path::new(&out).join("progress/0.jsonl").exists());
    let third = type_in(&line, "");
    assert!(
        text(&third.stderr).contains("is over"),
        "{}",
        text(&third.stderr)
    );
    let policy = dir.path().join("policy").to_str().unwrap().to_owned();
    json(&format!(
        "run beer-game --agent constant:100 --episodes 1 --json --out {policy}"
    ));
    let compared = json(&format!("compare {policy} {out} --json"));
    assert_eq!(compared["others"][0]["shared"], 1);
}

#[test]
fn slips_are_told_and_cost_nothing() {
    let keys = "ordre 5\nplace_order\n\nplace_order -1\n\nplace_order {x}\nlook\n";
    let played = type_in("play beer-game", keys);
    let screen = text(&played.stdout);
    assert!(screen.contains("there is no `ordre`"), "{screen}");
    assert!(screen.contains("is negative"), "{screen}");
    assert!(screen.contains("that is not JSON"), "{screen}");
    assert!(!screen.contains("week 2 of 25"), "{screen}");
    assert!(!screen.contains("panicked"), "{screen}");
}
