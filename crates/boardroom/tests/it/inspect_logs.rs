//! Logs of inspect_ai in the place of run folders.

use crate::program::{call, ok};
use serde_json::Value;

/// Logs of `inspect eval boardroom/beer_game` with two episodes of `random` and seed 7 and two epochs, by a model that
/// orders as many units each week.
fn log(orders: u32) -> String {
    let home = env!("CARGO_MANIFEST_DIR");
    format!("{home}/tests/fixtures/inspect/orders-{orders}.eval")
}

fn compared(paths: [&str; 2]) -> Value {
    let called = call(&["compare", paths[0], paths[1], "--json"]);
    assert_eq!((called.code, called.err.as_str()), (0, ""));
    serde_json::from_str(&called.out).unwrap()
}

#[test]
fn logs_compare_like_runs_of_the_program() {
    let dir = tempfile::tempdir().unwrap();
    let run = |orders: u32| {
        let out = dir.path().join(orders.to_string()).display().to_string();
        ok(&format!(
            "run beer-game --preset random --seed 7 --episodes 2 --agent constant:{orders} --out {out}"
        ));
        out
    };
    let native = compared([&run(300), &run(250)]);
    let (first, second) = (log(300), log(250));
    let logs = compared([&first, &second]);
    for figure in ["mean", "difference", "ci95", "shared_instances"] {
        let at = format!("/others/0/{figure}");
        assert!(native.pointer(&at).is_some(), "{figure}");
        assert_eq!(logs.pointer(&at), native.pointer(&at), "{figure}");
    }
    // The agent is the client of a server, with the model that the log names.
    let agent = logs.pointer("/first/agent").and_then(Value::as_str);
    assert!(
        agent.is_some_and(|agent| agent.starts_with("mcp")),
        "{agent:?}"
    );
    // Two epochs are two trials of each episode.
    assert_eq!(logs.pointer("/first/episodes"), Some(&4.into()));
}

#[test]
fn logs_are_exported_and_a_missing_one_is_named() {
    let called = call(&["export", &log(300)]);
    assert_eq!(
        (called.code, called.out.lines().count()),
        (0, 5),
        "{}",
        called.err
    );
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("damaged.eval");
    std::fs::write(&file, b"PK").unwrap();
    let called = call(&["compare", file.to_str().unwrap(), &log(300)]);
    assert_eq!(called.code, 2);
    assert!(called.err.contains("damaged.eval"), "{}", called.err);
}
