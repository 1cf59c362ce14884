//! Who plays the seats of a question, and what a recording or a verifier takes over from a run.

use super::json_lines;
use super::model::{Asked, Model};
use crate::program::{json, names, ok, refused, sandbox};
use serde_json::{Value, json as value};
use std::path::Path;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");

/// A model that is right about half of FPB, and judges with 4 of 5.
fn answers(asked: &Asked) -> Result<String, u16> {
    Ok(match () {
        () if asked.model == "judge" => "{\"score\": 4}",
        () if asked.system.contains("You answer questions") => "positive",
        () => "Look at the sign of the change.",
    }
    .to_owned())
}

fn manifest(dir: &Path) -> Value {
    let text = std::fs::read_to_string(dir.join("manifest.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_short_option_for_a_seat_is_the_same_as_seat() {
    let dir = tempfile::tempdir().unwrap();
    let model = Model::start(answers);
    let plan = |name: &str, words: &str| {
        let out = dir.path().join(name);
        let line = format!(
            "run qa --data {SAMPLES}/knowledge/econ_general.json --task knowledge/econ/general --agent openai:mock \
             {words} --json --out {}",
            out.display()
        );
        model.json(&line);
        manifest(&out)["plan"]["seats"]["judge"].clone()
    };
    let long = plan(
        "long",
        "--seat judge=openai:judge --seat-set judge.temperature=0.5 --seat-set judge.max_tokens=90",
    );
    assert_eq!(long["model"]["dialect"]["temperature"], 0.5);
    let short = plan(
        "short",
        "--judge openai:judge --seat-set judge.temperature=0.5 --seat-set judge.max_tokens=90",
    );
    assert_eq!(short, long);
    let warm = plan(
        "warm",
        "--seat judge=openai:judge --judge-temperature 0.5 --seat-set judge.max_tokens=90",
    );
    assert_eq!(warm, long);
    let interviews = dir.path().join("interviews");
    let line = format!(
        "run consulting --preset short --episodes 1 --rounds 1 --agent silent --judge openai:judge --judge openai:judge \
         --interviewer openai:asks --seat-set judge_2.temperature=0.5 --seat-set interviewer.max_tokens=50 --json \
         --out {}",
        interviews.display()
    );
    model.json(&line);
    let seats = &manifest(&interviews)["plan"]["seats"];
    let heat = |seat: &str| &seats[seat]["model"]["dialect"]["temperature"];
    assert_eq!(
        [heat("judge_1"), heat("judge_2")],
        [&value!(0.0), &value!(0.5)]
    );
    assert_eq!(seats["interviewer"]["model"]["dialect"]["max_tokens"], 50);
    for (words, facts) in [
        (
            "--judge openai:a --seat judge=openai:b",
            ["judge", "two agents"],
        ),
        (
            "--seat-set judge.temperature=1",
            ["judge.temperature", "--seat"],
        ),
        (
            "--judge openai:a --judge-temperature 1 --seat-set judge.temperature=0",
            ["--judge-temperature", "judge.temperature"],
        ),
        ("--judge-temperature 1", ["--judge-temperature", "--judge"]),
        ("--judges 3", ["--judges", "--judge"]),
    ] {
        let line = format!("run qa --data {SAMPLES} --task FPB --agent openai:mock {words}");
        let message = refused(&line.split_whitespace().collect::<Vec<_>>(), 2);
        names(&message, &facts);
    }
}

#[test]
fn a_policy_of_another_seat_is_refused_with_those_of_this_one() {
    for (words, facts) in [
        (
            "consulting --preset short --judge shotgun",
            ["judge_1", "`rules`"],
        ),
        (
            "consulting --preset short --interviewer ideal",
            ["interviewer", "`rules`"],
        ),
        (
            "consulting --preset short --agent rules",
            ["agent", "shotgun"],
        ),
        ("qa --agent oracle --judge silent", ["judge", "`none`"]),
        (
            "qa --agent oracle --judge rules",
            ["judge", "a model or `none`"],
        ),
    ] {
        let line = format!("run {words}");
        let message = refused(&line.split_whitespace().collect::<Vec<_>>(), 2);
        names(&message, &facts);
    }
}

#[test]
fn a_recording_is_played_with_what_its_run_learnt_from() {
    let dir = tempfile::tempdir().unwrap();
    let out = |name: &str| dir.path().join(name);
    let model = Model::start(answers);
    let line = format!("run qa --data {SAMPLES} --task FPB --seed 3 --json");
    let live = model.json(&format!(
        "{line} --agent openai:mock --method reflexion --streams 2 --feedback ground_truth --out {}",
        out("live").display()
    ));
    assert_eq!(live["episodes"], 8);
    let again = json(&format!(
        "{line} --agent replay:{} --out {}",
        out("live").display(),
        out("again").display()
    ));
    assert_eq!(again["score"], live["score"]);
    let records = ["live", "again"].map(|name| json_lines(&out(name).join("episodes.jsonl")));
    assert_eq!(records[0], records[1]);
    assert_eq!(records[1][0]["header"]["feedback"], "ground_truth");

    // A run whose memory is gone cannot go on.
    let text = std::fs::read_to_string(out("live").join("episodes.jsonl")).unwrap();
    let part: String = text.split_inclusive('\n').take(4).collect();
    std::fs::write(out("live").join("episodes.jsonl"), part).unwrap();
    std::fs::remove_dir_all(out("live").join("memory")).unwrap();
    let output = model.call(&format!("resume {}", out("live").display()));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    names(&message, &["memory", "stream"]);
    assert!(
        !out("live").join("memory").exists(),
        "a refused run is not changed"
    );
}

#[test]
fn programs_are_run_again_where_that_is_asked_for() {
    if sandbox().is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let model = Model::start(|_| Ok("```python\nprint(7.5)\n```".to_owned()));
    let line = format!(
        "run qa --data {SAMPLES} --task finance/FinCode --agent openai:mock --method direct --json --out {}",
        out.display()
    );
    model.json(&line);
    let usual = ok(&format!("verify {}", out.display()));
    let (proven, left) = usual.split_once("not proven:").unwrap();
    assert!(!proven.contains("values of"), "{usual}");
    names(left, &["values of programs", "--run-programs"]);
    let run = ok(&format!("verify --run-programs {}", out.display()));
    let proven = run.split("not proven:").next().unwrap();
    names(proven, &["the values of 6 programs"]);
    // Another value, and with it another grade.
    let path = out.join("episodes.jsonl");
    let mut records = json_lines(&path);
    let entries = records[0]["entries"].as_array_mut().unwrap();
    let entry = entries
        .iter_mut()
        .find(|entry| entry["seat"] == "executor")
        .unwrap();
    entry["input"]["act"]["text"] = "{\"value\":{\"int\":123454321}}".into();
    let lines = records.iter().map(|record| format!("{record}\n"));
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    let called = crate::program::call(&["verify", "--run-programs", &out.display().to_string()]);
    assert_eq!(called.code, 1);
    names(&called.out, &["the program gives", "123454321"]);
}

#[test]
fn a_run_brings_its_own_right_answers() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run").display().to_string();
    let model = Model::start(answers);
    let live = model.json(&format!(
        "run qa --data {SAMPLES} --task FPB --agent openai:mock --json --out {out}"
    ));
    let own = json(&format!("score FPB --predictions {out} --json"));
    let given = json(&format!(
        "score FPB --predictions {out} --gold {SAMPLES} --json"
    ));
    assert_eq!(own["report"]["headline"], given["report"]["headline"]);
    assert_eq!(
        own["report"]["headline"]["value"],
        live["figures"][0]["headline"]["value"]
    );
    let message = refused(&["score", "FOMC", "--predictions", &out], 2);
    names(&message, &["FOMC", &out]);
}

#[test]
fn an_agent_has_one_name_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run").display().to_string();
    let summary = json(&format!("run qa --agent policy:oracle --json --out {out}"));
    let records = json_lines(&dir.path().join("run/episodes.jsonl"));
    let table = ok(&format!("export {out}"));
    let column = table
        .lines()
        .next()
        .unwrap()
        .split(',')
        .position(|name| name == "agent");
    let shown = table
        .lines()
        .nth(1)
        .unwrap()
        .split(',')
        .nth(column.unwrap());
    assert_eq!(summary["agent"], "oracle");
    assert_eq!(records[0]["header"]["agent"], "oracle");
    assert_eq!(shown, Some("oracle"));
    names(&ok(&format!("replay {out}")), &["played by oracle"]);
    let silent = dir.path().join("silent").display().to_string();
    ok(&format!("run qa --agent silent --out {silent}"));
    let told = ok(&format!("replay {silent}"));
    let line = told
        .lines()
        .find(|line| line.contains("no_answer"))
        .unwrap();
    assert!(line.ends_with("period 1"), "{line:?}");
}

#[test]
fn the_examples_of_a_plan_file_are_a_list() {
    let dir = tempfile::tempdir().unwrap();
    let plan = dir.path().join("plan.toml");
    let text = format!(
        "[[questions]]\ndata = \"{SAMPLES}\"\ntask = \"FPB\"\nagent = \"oracle\"\nshots = [0, 2]\n"
    );
    std::fs::write(&plan, text).unwrap();
    let out = dir.path().join("sweep");
    ok(&format!(
        "run --plan {} --out {}",
        plan.display(),
        out.display()
    ));
    let runs = json(&format!("runs {} --json", out.display()));
    assert_eq!(runs.as_array().map(Vec::len), Some(2), "{runs}");
    let wrong = |text: &str, facts: &[&str]| {
        std::fs::write(&plan, text).unwrap();
        let out = dir.path().join("wrong").display().to_string();
        let message = refused(
            &["run", "--plan", &plan.display().to_string(), "--out", &out],
            2,
        );
        assert!(!message.contains("--help"), "{message}");
        names(&message, facts);
    };
    wrong(
        "[[questions]]\nagent = \"oracle\"\nseed = \"x\"\n",
        &["--seed"],
    );
    // A judge that the setting `judges` leaves out would mark nothing.
    wrong(
        "[[runs]]\nenvironment = \"consulting\"\npresets = [\"short\"]\nagents = [\"ideal\"]\n\
         seats = { judge_2 = { agent = \"openai:m\" } }\n",
        &["judge_2", "judge_1", "`judges`"],
    );
}

#[test]
fn a_policy_is_learnt_from_questions_only() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run").display().to_string();
    ok(&format!(
        "run consulting --preset short --episodes 1 --out {out}"
    ));
    let message = refused(&["route", "learn", "--predictions", &out], 2);
    names(&message, &[&*out, "`consulting`", "`qa`"]);
}

#[test]
fn what_describes_an_environment_has_methods_and_commands() {
    for environment in ["qa", "consulting", "collusion"] {
        let text = ok(&format!("describe {environment}"));
        names(&text, &["METHODS", "reflexion", "COMMANDS"]);
        let (_, commands) = text.split_once("COMMANDS").unwrap();
        let first = commands
            .lines()
            .find(|line| line.contains("boardroom run"))
            .unwrap();
        let command = first.trim().trim_start_matches("boardroom ");
        ok(command);
        for line in commands.lines().filter(|line| line.contains("boardroom")) {
            names(line, &[environment]);
        }
    }
}
