//! A person plays with `boardroom play`.

use crate::program::{boardroom, json, names, ok, refused, verifies};
use boardroom::{Cli, Registry, dispatch};
use clap::Parser as _;
use std::io::Write as _;
use std::process::{Output, Stdio};
use std::sync::atomic::AtomicBool;

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
    let again = format!("`boardroom play beer-game --preset paper --seed 0 --out {out}`");
    names(&text(&first.stderr), &[again]);
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

/// Fills in the box `name` of a form.
fn fill(form: &mut String, name: &str, content: &str) {
    let opening = format!("```answer {name}\n");
    assert!(form.contains(&opening), "no box {name} in {form}");
    *form = form.replace(&opening, &format!("{opening}{content}\n"));
}

#[test]
fn a_case_is_decided_on_paper() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (file, out) = (path("case.md"), path("mine"));
    let said = ok(&format!("play ceo --preset C3-R3 --form {file}"));
    names(&said, &[&format!("--answers {file}")]);
    let blank = std::fs::read_to_string(&file).unwrap();
    assert!(blank.contains("### rationale"));
    // Reads all of the visible state first.
    for part in ["## Company", "## Units", "## Advisors", "| A |"] {
        assert_eq!(blank.matches(part).count(), 1, "{part} in {blank}");
    }
    let line = format!("play ceo --preset C3-R3 --answers {file} --out {out}");

    let empty = type_in(&line, "");
    assert_eq!(empty.status.code(), Some(2));
    names(&text(&empty.stderr), &[&file]);

    let mut form = blank.clone();
    fill(&mut form, "submit_plan.remove_from", "A: 13");
    fill(&mut form, "submit_plan.add_to", "C: 6\nD: 4\nB: 3");
    fill(
        &mut form,
        "submit_plan.rationale",
        "Liquidity first.\nThen growth.",
    );
    std::fs::write(&file, &form).unwrap();
    let incomplete = type_in(&line, "");
    assert_eq!(incomplete.status.code(), Some(2));
    let error = text(&incomplete.stderr);
    names(&error, &[file.as_str(), "submit_plan.decision_type"]);

    fill(&mut form, "submit_plan.decision_type", "moderate");
    std::fs::write(&file, &form).unwrap();
    let done = type_in(&line, "");
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert!(
        text(&done.stdout).contains("score"),
        "{}",
        text(&done.stdout)
    );
    verifies(&out, 1);

    let other = type_in(&format!("play ceo --preset C7-R3 --answers {file}"), "");
    assert_eq!(other.status.code(), Some(2));
    names(&text(&other.stderr), &[&file]);
}

/// A game of many periods continues from form to form, and a refused answer loses nothing.
#[test]
fn a_game_goes_on_from_form_to_form() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let out = path("mine");
    for week in 1..=25 {
        let file = path(&format!("week{week}.md"));
        ok(&format!("play beer-game --form {file} --out {out}"));
        let blank = std::fs::read_to_string(&file).unwrap();
        assert!(blank.contains(&format!("week {week} -->")), "{blank}");
        for (quantity, code) in [("-4", 2), ("many", 2), ("400", 0)] {
            if week > 1 && code == 2 {
                continue;
            }
            let mut form = blank.clone();
            fill(&mut form, "place_order.quantity", quantity);
            std::fs::write(&file, &form).unwrap();
            let played = type_in(&format!("play beer-game --answers {file} --out {out}"), "");
            let error = text(&played.stderr);
            assert_eq!(played.status.code(), Some(code), "{quantity}: {error}");
            let next = format!("--seed 0 --out {out} --form FILE`");
            assert_eq!(error.contains(&next), code == 0 && week < 25, "{error}");
        }
    }
    let record = std::fs::read_to_string(format!("{out}/episodes.jsonl")).unwrap();
    assert_eq!(record.lines().count(), 1);
    verifies(&out, 1);
}

#[test]
fn a_game_that_nothing_is_kept_of_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("case.md").to_str().unwrap().to_owned();
    plan_on_paper(&file, "C: 6\nD: 4\nB: 3");
    let line = format!("play ceo --preset C3-R3 --answers {file}");
    let played = type_in(&line, "");
    assert_eq!(played.status.code(), Some(0));
    assert!(text(&played.stdout).contains("score"));
    let said = text(&played.stderr);
    names(&said, &["--out"]);
    let kept = type_in(&format!("{line} --out {}/mine", dir.path().display()), "");
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

/// The form of a case with a valid plan, except for the units that `add` names.
fn plan_on_paper(file: &str, add: &str) {
    ok(&format!("play ceo --preset C3-R3 --form {file}"));
    let mut form = std::fs::read_to_string(file).unwrap();
    fill(&mut form, "submit_plan.remove_from", "A: 13");
    fill(&mut form, "submit_plan.add_to", add);
    fill(&mut form, "submit_plan.decision_type", "moderate");
    fill(&mut form, "submit_plan.rationale", "Liquidity first.");
    std::fs::write(file, &form).unwrap();
}

#[test]
fn a_form_is_not_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mine.md").to_str().unwrap().to_owned();
    std::fs::write(&file, "").unwrap();
    plan_on_paper(&file, "C: 6\nD: 4\nB: 3");
    let filled = std::fs::read_to_string(&file).unwrap();
    let out = dir.path().join("mine").to_str().unwrap().to_owned();
    let line = format!("play ceo --preset C3-R3 --form {file} --out {out}");
    let words: Vec<&str> = line.split_whitespace().collect();
    let error = refused(&words, 2);
    names(&error, &[format!("--answers {file}")]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), filled);
    assert!(!std::path::Path::new(&out).exists());
}

/// An invalid decision is reported, and the game does not move.
#[test]
fn a_decision_that_would_be_turned_down_is_not_taken() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let out = path("mine");
    for (name, add, facts) in [
        ("unit.md", "C: 6\nD: 4\nZ: 3", &["'Z'"][..]),
        ("sum.md", "C: 6\nD: 4\nB: 1", &["13.00 pp", "11.00 pp"]),
    ] {
        let file = path(name);
        plan_on_paper(&file, add);
        let line = format!("play ceo --preset C3-R3 --answers {file} --out {out}");
        let words: Vec<&str> = line.split_whitespace().collect();
        names(&refused(&words, 2), &[&[file.as_str()], facts].concat());
        assert!(!std::path::Path::new(&out).exists(), "{name}");
    }
    let file = path("word.md");
    plan_on_paper(&file, "C: 6\nD: 4\nB: 3");
    let form = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, form.replace("\nmoderate\n", "\nbrave\n")).unwrap();
    let words = ["play", "ceo", "--preset", "C3-R3", "--answers", &file];
    let error = refused(&words, 2);
    let choices = ["`brave`", "conservative, moderate, bold"];
    let place = ["submit_plan.decision_type", "line "];
    names(&error, &[place, choices].concat());
    let file = path("good.md");
    plan_on_paper(&file, "C: 6\nD: 4\nB: 3");
    ok(&format!(
        "play ceo --preset C3-R3 --answers {file} --out {out}"
    ));
    verifies(&out, 1);
}

/// The same for an attempt over the budget, which would count as an empty purchase.
#[test]
fn a_plan_over_the_budget_uses_up_no_attempt() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("plan.md").to_str().unwrap().to_owned();
    ok(&format!("play procurement --form {file}"));
    let mut form = std::fs::read_to_string(&file).unwrap();
    let plan = "{'Offer_1': 1000000}";
    fill(&mut form, "submit_purchase_plan.purchase_plan", plan);
    std::fs::write(&file, &form).unwrap();
    let error = refused(&["play", "procurement", "--answers", &file], 2);
    names(&error, &[file.as_str(), "budget"]);
}

/// The record is written even if the reader of the score has closed the pipe.
#[test]
fn a_closed_pipe_costs_no_record() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (file, out) = (path("case.md"), path("mine"));
    plan_on_paper(&file, "C: 6\nD: 4\nB: 3");
    let line = format!("play ceo --preset C3-R3 --answers {file} --out {out}");
    let words: Vec<&str> = line.split_whitespace().collect();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = boardroom(&words).stdout(writer).status().unwrap();
    assert_eq!(status.code(), Some(0));
    verifies(&out, 1);
}

/// A game that was stopped after its last decision is completed by any later command.
#[test]
fn a_game_without_decisions_left_gets_its_record() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let file = path("case.md");
    plan_on_paper(&file, "C: 6\nD: 4\nB: 3");
    for with in [
        format!("--form {}", path("next.md")),
        format!("--answers {file}"),
        String::new(),
    ] {
        let out = path("mine");
        ok(&format!(
            "play ceo --preset C3-R3 --answers {file} --out {out}"
        ));
        // The state after the stop: the decision is stored, the record is not written.
        let episodes = format!("{out}/episodes.jsonl");
        let record = std::fs::read_to_string(&episodes).unwrap();
        let value: serde_json::Value = serde_json::from_str(&record).unwrap();
        let kept = format!("{}\n", value["entries"][0]);
        std::fs::write(format!("{out}/progress/0.jsonl"), kept).unwrap();
        std::fs::write(&episodes, "").unwrap();

        let said = ok(&format!("play ceo --preset C3-R3 {with} --out {out}"));
        assert!(said.contains("score"), "{said}");
        // It says that the form or the answers were not needed; that text is in the snapshot.
        assert_eq!(
            said.lines().next().unwrap().contains("decisions"),
            !with.is_empty(),
            "{said}"
        );
        assert_eq!(
            std::fs::read_to_string(&episodes).unwrap(),
            record,
            "{with}"
        );
        assert!(!std::path::Path::new(&path("next.md")).exists());
        std::fs::remove_dir_all(&out).unwrap();
    }
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

/// What `boardroom LINE` prints, without a process of its own: the game of four people has 288 calls.
fn dispatched(line: &str) -> String {
    let words = std::iter::once("boardroom").chain(line.split_whitespace());
    let cli = Cli::try_parse_from(words).unwrap();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let stop = AtomicBool::new(false);
    let done = dispatch(cli, &Registry::new(), &stop, &mut out, &mut err);
    done.unwrap_or_else(|e| panic!("{line}: {e}"));
    text(&out)
}

/// Each form holds the decision of one seat; after four of them the week is over, and after 36 weeks the game.
#[test]
fn four_people_on_paper_finish_the_36_weeks_of_classic() {
    const SEATS: [&str; 4] = ["retailer", "wholesaler", "distributor", "brewery"];
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("mine").to_str().unwrap().to_owned();
    let file = dir.path().join("form.md").to_str().unwrap().to_owned();
    let mut printed = String::new();
    for week in 1..=36 {
        for seat in SEATS {
            dispatched(&format!(
                "play beer-game --preset classic --out {out} --form {file}"
            ));
            let mut form = std::fs::read_to_string(&file).unwrap();
            names(&form, &[format!("seat {seat} week {week} ")]);
            fill(&mut form, "place_order.quantity", "4");
            std::fs::write(&file, &form).unwrap();
            printed = dispatched(&format!(
                "play beer-game --preset classic --out {out} --answers {file}"
            ));
            std::fs::remove_file(&file).unwrap();
        }
    }
    names(&printed, &["score"]);
    verifies(&out, 1);
    let record = std::fs::read_to_string(format!("{out}/episodes.jsonl")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["entries"].as_array().unwrap().len(), 4 * 36);
    assert_eq!(record["ending"], "complete");
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
