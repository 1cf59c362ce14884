use crate::program::{call, names, ok, refusal, refused_json};
use serde_json::{Value, json};
use std::fmt::Write as _;

fn run(script: &str) -> crate::program::Called {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("moves.jsonl");
    std::fs::write(&file, script).unwrap();
    let agent = format!("script:{}", file.display());
    call(&[
        "run",
        "beer-game",
        "--episodes",
        "1",
        "--agent",
        &agent,
        "--json",
    ])
}

/// The name of the order tool and of its argument, as `describe` shows them.
fn order_tool() -> (String, String) {
    let text = ok("describe beer-game");
    let line = text.lines().position(|l| l.contains("(decides)")).unwrap();
    let tool = text
        .lines()
        .nth(line)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .to_owned();
    let schema: Value = serde_json::from_str(text.lines().nth(line + 1).unwrap().trim()).unwrap();
    (
        tool,
        schema.as_object().unwrap().keys().next().unwrap().clone(),
    )
}

#[test]
fn typed_actions_and_tool_calls_play_the_same_game() {
    let (tool, argument) = order_tool();
    let (mut typed, mut calls) = (String::new(), "# by tool\n".to_owned());
    let steps = ok("run beer-game --agent constant:400 --episodes 1 --json --steps");
    let action: Value = serde_json::from_str(steps.lines().nth(1).unwrap()).unwrap();
    for _ in 0..25 {
        writeln!(typed, "{}", action["action"]).unwrap();
        let call = json!({"tool": tool, "arguments": {argument.clone(): 400}});
        writeln!(calls, "{call}").unwrap();
    }
    let score = |script: &str| {
        let called = run(script);
        assert_eq!(called.code, 0, "{}", called.err);
        serde_json::from_str::<Value>(&called.out).unwrap()["score"]["mean"].clone()
    };
    assert_eq!(score(&typed), 9200.0);
    assert_eq!(score(&calls), 9200.0);
}

#[test]
fn refused_orders_do_not_end_the_game_and_are_named_when_the_script_runs_out() {
    let (tool, argument) = order_tool();
    let mut script = String::new();
    for order in ["-5", "0.5", "1e300", "\"many\"", "null"] {
        writeln!(
            script,
            "{{\"tool\":\"{tool}\",\"arguments\":{{\"{argument}\":{order}}}}}"
        )
        .unwrap();
    }
    let called = run(&script);
    assert_eq!(called.code, 1);
    let error = refusal(&called.err, 1);
    assert_eq!(error.kind, "failed");
    // The refusal of the last line is quoted: it names the argument.
    names(&error.message, &["5 inputs", "week 1", &argument]);
    assert_eq!(called.err.trim().lines().count(), 1, "{}", called.err);
    let summary: Value = serde_json::from_str(&called.out).unwrap();
    assert_eq!(
        (&summary["episodes"], &summary["failed"]),
        (&0.into(), &1.into())
    );
}

#[test]
fn a_script_that_cannot_be_read_is_named() {
    let missing = refused_json(&["run", "beer-game", "--agent", "script:nowhere.jsonl"], 2);
    let file = Some("nowhere.jsonl");
    assert_eq!(
        (missing.kind.as_str(), missing.place.as_deref()),
        ("file", file)
    );
    let broken = run("{\"order\": 4}\nfour\n");
    assert_eq!(broken.code, 2);
    names(&broken.err, &["moves.jsonl", "line 2", "`four`"]);
}

/// The record is complete, so that is a remark and not an error.
#[test]
fn inputs_that_a_game_does_not_need_are_named_by_their_line() {
    let mut script = "# one order a week\n".to_owned();
    for _ in 0..30 {
        script.push_str("{\"quantity\": 400}\n");
    }
    let called = run(&script);
    assert_eq!(called.code, 0, "{}", called.err);
    let summary: Value = serde_json::from_str(&called.out).unwrap();
    assert_eq!(summary["score"]["mean"], 9200.0);
    // The game has 25 weeks, and the first order stands in line 2.
    names(
        &called.err,
        &["longer than the game", "1 of 1 episode", "line 27"],
    );
    let fitting = run(&"{\"quantity\": 400}\n".repeat(25));
    assert_eq!((fitting.code, fitting.err.as_str()), (0, ""));
}

/// The game goes on, so that is a remark too; without it, a script of the wrong form is a bad score and nothing else.
#[test]
fn inputs_that_a_game_refuses_are_named_by_their_line() {
    let mut script = "# one order a week\n".to_owned();
    script.push_str(&"{\"quantity\": 400}\n".repeat(3));
    script.push_str("{\"act\": {\"quantity\": 400}}\n");
    script.push_str("{\"quantity\": -1}\n");
    script.push_str(&"{\"quantity\": 400}\n".repeat(22));
    let called = run(&script);
    assert_eq!(called.code, 0, "{}", called.err);
    names(&called.err, &["refused", "1 of 1 episode", "line 5", "act"]);
    let summary: Value = serde_json::from_str(&called.out).unwrap();
    assert_eq!(summary["score"]["mean"], 9200.0);
}

/// The content of a script identifies a run, not its name alone.
#[test]
fn a_run_is_not_finished_with_another_script() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (dir.path().join("moves.jsonl"), dir.path().join("run"));
    std::fs::write(&file, "{\"quantity\": 400}\n".repeat(25)).unwrap();
    let (agent, out) = (format!("script:{}", file.display()), out.display());
    let run = format!("run beer-game --preset random --episodes 3 --agent {agent} --out {out}");
    ok(&run);
    let records = std::path::PathBuf::from(out.to_string()).join("episodes.jsonl");
    let whole = std::fs::read_to_string(&records).unwrap();
    let first = whole.lines().next().unwrap();
    std::fs::write(&records, format!("{first}\n")).unwrap();
    ok(&format!("resume {out}"));
    let mut played: Vec<&str> = whole.lines().collect();
    played.sort_unstable();
    assert_eq!(crate::program::sorted_lines(&records), played);

    std::fs::write(&file, "{\"quantity\": 300}\n".repeat(25)).unwrap();
    std::fs::write(&records, format!("{first}\n")).unwrap();
    let resumed = call(&["resume", &out.to_string()]);
    assert_ne!(resumed.code, 0, "{}", resumed.out);
    let kept = std::fs::read_to_string(&records).unwrap();
    assert_eq!(
        kept,
        format!("{first}\n"),
        "what was played is kept: {}",
        resumed.err
    );
    let verified = call(&["verify", &out.to_string()]);
    assert_eq!(verified.code, 1, "{}{}", verified.out, verified.err);
}
