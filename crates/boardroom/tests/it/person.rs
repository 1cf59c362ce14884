//! A person plays with `boardroom play`.

use crate::program::{boardroom, json, names, ok, verifies};
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
    let tools = ["* place_order <quantity>", "get_history [weeks]"];
    names(
        &screen,
        &[&tools[..], &["week 2 of 25", "taken back"]].concat(),
    );
    names(&text(&first.stderr), &[format!("`boardroom {line}`")]);
    let second = type_in(&line, &"place_order 400\n\n".repeat(24));
    assert_eq!(second.status.code(), Some(0), "{}", text(&second.stderr));
    let screen = text(&second.stdout);
    names(&screen, &["score 9,200 cost", "optimum is 9,200"]);
    verifies(&out, 1);
    assert!(!std::path::Path::new(&out).join("progress/0.jsonl").exists());
    let third = type_in(&line, "");
    assert_eq!(third.status.code(), Some(2));
    names(&text(&third.stderr), &[&out]);
    // The same game in another folder: two runs of one plan, told apart by folder.
    let again = dir.path().join("again").to_str().unwrap().to_owned();
    let keys = "place_order 300\n\n".repeat(25);
    assert_eq!(
        type_in(&format!("play beer-game --out {again}"), &keys)
            .status
            .code(),
        Some(0)
    );
    let compared = json(&format!("compare {out} {again} --json"));
    assert_eq!(compared["first"]["agent"], "human (mine)");
    assert_eq!(compared["others"][0]["agent"], "human (again)");
    assert_eq!(compared["others"][0]["shared"], 1);
    let page = dir.path().join("report.html").to_str().unwrap().to_owned();
    ok(&format!("report {out} {again} -o {page}"));
    let page = std::fs::read_to_string(&page).unwrap();
    assert!(page.contains("human (mine)") && page.contains("human (again)"));
    let policy = dir.path().join("policy").to_str().unwrap().to_owned();
    json(&format!(
        "run beer-game --agent constant:100 --episodes 1 --json --out {policy}"
    ));
    let compared = json(&format!("compare {policy} {out} --json"));
    assert_eq!(compared["others"][0]["shared"], 1);
}

/// A folder of other games is refused with what differs, in words from which the option follows.
#[test]
fn a_folder_of_other_games_says_what_differs() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("mine").to_str().unwrap().to_owned();
    let game = format!("--out {out} --seat brewery=sterman");
    let first = format!("play beer-game --preset classic {game}");
    let week = "place_order 4\n\n".repeat(3) + "quit\n";
    assert_eq!(type_in(&first, &week).status.code(), Some(130));
    let without = format!("play beer-game --preset classic --out {out}");
    let told = [
        (format!("{first} --seed 5"), ["seed", "`0`", "`5`"]),
        (
            format!("{first} --set cost.backlog=2"),
            ["config.cost.backlog", "of the folder", "`1.0`"],
        ),
        (without, ["seats", "brewery", "nothing"]),
        (
            format!("play beer-game --preset random --out {out}"),
            ["preset", "`classic`", "`random`"],
        ),
        (
            format!(
                "serve beer-game --preset classic --seat brewery=sterman --mode eval --episode 3 --record {out}"
            ),
            ["last episode", "`0`", "`3`"],
        ),
    ];
    for (line, facts) in told {
        let refused = type_in(&line, "");
        assert_eq!(refused.status.code(), Some(2), "{line}");
        names(
            &text(&refused.stderr),
            &[&facts[..], &[out.as_str()]].concat(),
        );
    }
    assert_eq!(type_in(&first, "quit\n").status.code(), Some(130));
}

#[test]
fn slips_are_told_and_cost_nothing() {
    let keys = "ordre 5\nplace_order\nplace_order -1\nplace_order {x}\nlook\n";
    let played = type_in("play beer-game", keys);
    let screen = text(&played.stdout);
    names(&screen, &["`ordre`", "place_order", "-1", "JSON"]);
    assert!(!screen.contains("week 2 of 25"), "{screen}");
    assert!(!screen.contains("panicked"), "{screen}");
    // Nothing that would be refused has to be confirmed.
    assert!(!screen.contains("Enter confirms"), "{screen}");
}

/// A line of the terminal that submits a plan for `C3-R3`: valid unless `add` or `decision_type` is not.
fn plan(add: &str, decision_type: &str) -> String {
    format!(
        "submit_plan {{\"remove_from\": {{\"A\": 13}}, \"add_to\": {add}, \
         \"decision_type\": \"{decision_type}\", \"rationale\": \"Liquidity first.\"}}\n\n"
    )
}

/// The units of a valid [`plan`].
const ADD: &str = "{\"C\": 6, \"D\": 4, \"B\": 3}";

#[test]
fn a_game_that_nothing_is_kept_of_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let line = "play ceo --preset C3-R3";
    let played = type_in(line, &plan(ADD, "moderate"));
    assert_eq!(played.status.code(), Some(0));
    assert!(text(&played.stdout).contains("score"));
    names(&text(&played.stderr), &["--out"]);
    let kept = format!("{line} --out {}/mine", dir.path().display());
    let kept = type_in(&kept, &plan(ADD, "moderate"));
    assert_eq!(text(&kept.stderr), "");
}

#[test]
fn prices_are_typed_as_the_tool_shows_them() {
    for typed in ["{'Product_1': 12}", "{\"Product_1\": 12}"] {
        let keys = format!("help\nset_prices {typed}\n\nquit\n");
        let screen = text(&type_in("play pricing", &keys).stdout);
        let example = "set_prices {'Product_1': 10, 'Product_2': 20}";
        names(&screen, &[example, "attempt 2 of 100"]);
    }
    let keys = "submit_purchase_plan {'Offer_1': 0}\n\nquit\n";
    let screen = text(&type_in("play procurement", keys).stdout);
    names(&screen, &["attempt 2 of 100"]);
}

/// An invalid decision is reported, and the game does not move: the same case can still be decided.
#[test]
fn a_decision_that_would_be_turned_down_is_not_taken() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("mine").to_str().unwrap().to_owned();
    let unknown = plan("{\"C\": 6, \"D\": 4, \"Z\": 3}", "moderate");
    let short = plan("{\"C\": 6, \"D\": 4, \"B\": 1}", "moderate");
    let keys = format!("{unknown}{short}{}", plan(ADD, "moderate"));
    let played = type_in(&format!("play ceo --preset C3-R3 --out {out}"), &keys);
    assert_eq!(played.status.code(), Some(0), "{}", text(&played.stderr));
    let screen = text(&played.stdout);
    names(&screen, &["'Z'", "13.00 pp", "11.00 pp", "score 93.25"]);
    // Nothing that would be turned down has to be confirmed.
    assert_eq!(screen.matches("Enter confirms").count(), 1, "{screen}");
    verifies(&out, 1);
}

/// The same for an attempt over the budget, which would count as an empty purchase.
#[test]
fn a_plan_over_the_budget_uses_up_no_attempt() {
    let keys = "submit_purchase_plan {'Offer_1': 1000000}\n\nquit\n";
    let screen = text(&type_in("play procurement", keys).stdout);
    names(&screen, &["budget"]);
    assert!(!screen.contains("attempt 2 of"), "{screen}");
}

/// The record is written even if the reader of the score has closed the pipe: the text that announces
/// the last decision is still read here, the score is not.
#[test]
fn a_closed_pipe_costs_no_record() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("mine").to_str().unwrap().to_owned();
    finished_without_record(&out);
    let line = format!("play ceo --preset C3-R3 --out {out}");
    let words: Vec<&str> = line.split_whitespace().collect();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = boardroom(&words).stdout(writer).status().unwrap();
    assert_eq!(status.code(), Some(0));
    verifies(&out, 1);
}

/// A game in the folder `out`, stopped after its decision was stored and before its record was
/// written; returns the record that it should get.
fn finished_without_record(out: &str) -> String {
    let line = format!("play ceo --preset C3-R3 --out {out}");
    let played = type_in(&line, &plan(ADD, "moderate"));
    assert_eq!(played.status.code(), Some(0), "{}", text(&played.stderr));
    let episodes = format!("{out}/episodes.jsonl");
    let record = std::fs::read_to_string(&episodes).unwrap();
    let value: serde_json::Value = serde_json::from_str(&record).unwrap();
    let kept = format!("{}\n", value["entries"][0]);
    std::fs::write(format!("{out}/progress/0.jsonl"), kept).unwrap();
    std::fs::write(&episodes, "").unwrap();
    record
}

#[test]
fn a_game_without_decisions_left_gets_its_record() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("mine").to_str().unwrap().to_owned();
    let record = finished_without_record(&out);
    let said = ok(&format!("play ceo --preset C3-R3 --out {out}"));
    names(&said, &["score"]);
    let written = std::fs::read_to_string(format!("{out}/episodes.jsonl")).unwrap();
    assert_eq!(written, record);
}

#[test]
fn a_number_alone_decides_and_leaving_is_no_error() {
    let played = type_in("play beer-game", "400\n\nquit\n");
    let screen = text(&played.stdout);
    names(&screen, &["place_order {\"quantity\":400}", "week 2 of 25"]);
    assert_eq!(played.status.code(), Some(130));
    let error = text(&played.stderr);
    names(&error, &["--out"]);
}

/// Four people who share a keyboard: each seat decides in turn, and after 36 weeks the game is over.
#[test]
fn four_people_finish_the_36_weeks_of_classic() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("mine").to_str().unwrap().to_owned();
    let line = format!("play beer-game --preset classic --out {out}");
    let played = type_in(&line, &"4\n\n".repeat(4 * 36));
    assert_eq!(played.status.code(), Some(0), "{}", text(&played.stderr));
    let screen = text(&played.stdout);
    names(&screen, &["week 36 of 36, brewery", "score"]);
    verifies(&out, 1);
    let record = std::fs::read_to_string(format!("{out}/episodes.jsonl")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["entries"].as_array().unwrap().len(), 4 * 36);
    assert_eq!(record["ending"], "complete");
}

/// Policies decide after the person, who is told what the week brought and not that it waits for them.
#[test]
fn a_person_beside_policies_is_told_the_result_of_each_week() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("mine").to_str().unwrap().to_owned();
    let seats =
        ["wholesaler", "distributor", "brewery"].map(|seat| format!(" --seat {seat}=sterman"));
    let line = format!(
        "play beer-game --preset classic --out {out}{}",
        seats.concat()
    );
    let played = type_in(&line, &"4\n\n".repeat(36));
    assert_eq!(played.status.code(), Some(0), "{}", text(&played.stderr));
    let screen = text(&played.stdout);
    for week in 1..=36 {
        names(&screen, &[&format!("In week {week}, ")]);
    }
    assert!(!screen.contains("when the other roles"), "{screen}");
    verifies(&out, 1);
}

/// An instance from a file is played by a person and by clients, as by `run`.
#[test]
fn an_instance_from_a_file_is_played() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (file, out) = (path("one.json"), path("mine"));
    ok(&format!(
        "generate beer-game --preset random --seed 5 -o {file}"
    ));
    let line = format!("play beer-game --instance {file} --out {out}");
    let left = type_in(&line, "place_order 400\n\nquit\n");
    assert_eq!(left.status.code(), Some(130), "{}", text(&left.stderr));
    names(
        &text(&left.stderr),
        &[format!("play beer-game --instance {file}")],
    );
    let done = type_in(&line, &"place_order 400\n\n".repeat(24));
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    verifies(&out, 1);
}
