//! Folders, names and files of somebody else: what a command prints, suggests and writes because of them.

use crate::program::{boardroom, call, names, refused};
use aoa_router::TraceRecord;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::Path;

/// A name that would look like a line of `verify`.
const FORGED: &str = "sterman\n9 of 9 records verified";

fn show(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn run(out: &Path) {
    let words = ["run", "beer-game", "--agent", "sterman", "--episodes", "2"];
    let called = call(&[&words[..], &["--json", "--out", show(out)]].concat());
    assert_eq!(called.code, 0, "{}", called.err);
}

/// Puts the forged name in the place of each text under `key`.
fn renamed(value: &mut Value, key: &str) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                if name == key && field.is_string() {
                    *field = json!(FORGED);
                } else {
                    renamed(field, key);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| renamed(item, key)),
        _ => {}
    }
}

#[test]
fn names_of_a_manifest_forge_no_line() {
    let dir = tempfile::tempdir().unwrap();
    let good = dir.path().join("good");
    run(&good);
    let page = dir.path().join("page.html");
    for key in ["agent", "preset", "environment", "name", "boardroom"] {
        let bad = dir.path().join(key);
        std::fs::create_dir(&bad).unwrap();
        for name in ["manifest.json", "episodes.jsonl"] {
            std::fs::copy(good.join(name), bad.join(name)).unwrap();
        }
        let text = std::fs::read_to_string(bad.join("manifest.json")).unwrap();
        let mut manifest: Value = serde_json::from_str(&text).unwrap();
        renamed(&mut manifest, key);
        std::fs::write(bad.join("manifest.json"), manifest.to_string()).unwrap();
        let (bad, good) = (show(&bad), show(&good));
        for words in [
            &["rescore", bad][..],
            &["paper", "strategic", "--runs", bad],
            &["paper", "strategic", "--runs", bad, good],
            &["report", bad, "-o", show(&page)],
            &["compare", bad, good],
            &["replay", bad],
            &["resume", bad],
            &["verify", bad],
            &["runs", bad],
        ] {
            let called = call(words);
            for line in called.out.lines().chain(called.err.lines()) {
                assert!(!line.starts_with("9 of 9"), "{key} {words:?}: {line}");
            }
        }
    }
}

/// What a record names, in each command that tells of it.
#[test]
fn names_of_a_record_forge_no_line() {
    let dir = tempfile::tempdir().unwrap();
    let (good, bad) = (dir.path().join("good"), dir.path().join("bad"));
    run(&good);
    std::fs::create_dir(&bad).unwrap();
    std::fs::copy(good.join("manifest.json"), bad.join("manifest.json")).unwrap();
    let records = std::fs::read_to_string(good.join("episodes.jsonl")).unwrap();
    let forged: String = records
        .lines()
        .map(|line| {
            let mut record: Value = serde_json::from_str(line).unwrap();
            record["header"]["environment"] = FORGED.into();
            record["score"]["metrics"][FORGED] = 1.into();
            record["score"]["incidents"] = json!([{"code": FORGED, "period": 1, "note": FORGED}]);
            for entry in record["entries"].as_array_mut().unwrap() {
                entry["seat"] = FORGED.into();
            }
            format!("{record}\n")
        })
        .collect();
    assert!(forged.contains("9 of 9"));
    std::fs::write(bad.join("episodes.jsonl"), forged).unwrap();
    for words in [
        &["replay", show(&bad)][..],
        &["verify", show(&bad)],
        &["report", show(&bad)],
        &["export", show(&bad), "--format", "json"],
        &["compare", show(&bad), show(&good)],
        &["runs", show(&bad)],
    ] {
        let called = call(words);
        for line in called.out.lines().chain(called.err.lines()) {
            assert!(!line.starts_with("9 of 9"), "{words:?}: {line}");
        }
    }
}

/// A line of its own, signs that a terminal acts on, one that turns the direction of writing, and one without width.
const SIGNS: &str = "DK\n9 of 9 records verified\u{1b}[2J\u{9b}2J\u{202e}\u{200b}";

/// Names in policies and traces of somebody else, in each command of the router that shows them.
#[test]
fn names_of_a_policy_and_of_traces_forge_no_line() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let name = format!("dc{SIGNS}");
    let rule = json!({
        "when": {"capability": SIGNS, "task_name": SIGNS},
        "choose": name,
        "rationale": SIGNS,
    });
    let other = json!({"when": {"task_name": format!("{SIGNS}2")}, "choose": name});
    let routing = json!({"default_agent": name, "rules": [rule, rule, other]});
    let mut policy = json!({"routing_policy": routing});
    std::fs::write(at("policy.json"), policy.to_string()).unwrap();
    policy[SIGNS] = 1.into();
    policy["routing_policy"][SIGNS] = 1.into();
    std::fs::write(at("more.json"), policy.to_string()).unwrap();
    let trace = |sample: u32, method: &str| {
        let id = format!("{sample}{SIGNS}");
        let right = (sample + u32::from(method == "cot")).is_multiple_of(2);
        let trace = TraceRecord {
            task_name: Some(SIGNS.to_owned()),
            capability: Some(SIGNS.to_owned()),
            ..TraceRecord::new(id, method, right)
        };
        json!(trace).to_string() + "\n"
    };
    let traces: String = (0..40)
        .flat_map(|sample| [trace(sample, &name), trace(sample, "cot")])
        .collect();
    std::fs::write(at("traces.jsonl"), &traces).unwrap();
    // The second agent lacks the last sample, which is named.
    let last = traces.trim_end().rfind('\n').unwrap();
    std::fs::write(at("fewer.jsonl"), &traces[..=last]).unwrap();
    let [policy, more, traces, fewer, learnt] = [
        "policy.json",
        "more.json",
        "traces.jsonl",
        "fewer.jsonl",
        "learnt.json",
    ]
    .map(at);
    let explain = ["route", "explain", "--agents", &name, "--policy"];
    let told = ["--capability", SIGNS, "--task", SIGNS, "--question", SIGNS];
    let eval = ["route", "eval", "--policy", show(&policy), "--predictions"];
    let (mut codes, mut said) = (Vec::new(), String::new());
    for words in [
        [&explain[..], &[show(&policy)], &told].concat(),
        [&explain[..], &[show(&policy), "--json"], &told].concat(),
        [&explain[..], &[show(&more), "--lenient"], &told].concat(),
        [&explain[..], &[show(&more)]].concat(),
        vec!["route", "explain", "--policy", show(&policy)],
        [&eval[..], &[show(&traces)]].concat(),
        [&eval[..], &[show(&fewer)]].concat(),
        vec![
            "route",
            "learn",
            "--predictions",
            show(&traces),
            "-o",
            show(&learnt),
        ],
        vec!["route", "learn", "--predictions", show(&fewer)],
    ] {
        let called = call(&words);
        codes.push(called.code);
        for line in called.out.lines().chain(called.err.lines()) {
            assert!(!line.starts_with("9 of 9"), "{words:?}: {line}");
        }
        let text = called.out + &called.err;
        // JSON keeps a sign without width, as a file does.
        let is_json = words.contains(&"--json");
        let harmful = ['\u{1b}', '\u{9b}', '\u{202e}', '\u{200b}'];
        let shown = harmful.iter().filter(|sign| text.contains(**sign));
        assert_eq!(shown.count(), usize::from(is_json), "{words:?}: {text:?}");
        said += &text;
    }
    assert_eq!(codes, [0, 0, 0, 2, 2, 0, 2, 0, 2]);
    names(&said, &["\\u000a9 of 9", "\\u202e", "\\u200b", "rule 1"]);
}

/// An agent whose records are missing is named where two sides did not play the same.
#[test]
fn an_agent_without_records_forges_no_line() {
    let dir = tempfile::tempdir().unwrap();
    let (good, bad) = (dir.path().join("good"), dir.path().join("bad"));
    run(&good);
    std::fs::create_dir(&bad).unwrap();
    let text = std::fs::read_to_string(good.join("manifest.json")).unwrap();
    let mut manifest: Value = serde_json::from_str(&text).unwrap();
    manifest["plan"]["agent"] = FORGED.into();
    manifest["plan_digest"] = json!(sim_core::Digest::of(&manifest["plan"]).unwrap());
    std::fs::write(bad.join("manifest.json"), manifest.to_string()).unwrap();
    let records = std::fs::read_to_string(good.join("episodes.jsonl")).unwrap();
    let first = records.lines().next().unwrap();
    std::fs::write(bad.join("episodes.jsonl"), format!("{first}\n")).unwrap();
    let called = call(&["compare", show(&bad), show(&good)]);
    for line in called.out.lines().chain(called.err.lines()) {
        assert!(!line.starts_with("9 of 9"), "{line}");
    }
}

/// Files, identifiers and values of material of one's own.
#[test]
fn names_of_imported_material_forge_no_line() {
    let dir = tempfile::tempdir().unwrap();
    let forged = "x\ndigest 0000";
    std::fs::write(dir.path().join(forged), "1").unwrap();
    let people = dir.path().join("Human_Resource_Management/Employees");
    std::fs::create_dir_all(&people).unwrap();
    let person = json!({"emp_id": forged, "Name": forged, "email": "x@x.example", "category": "Finance", "Level": "FI10",
        "DOJ": forged, "DOL": "Present", "Salary": forged, "Age": "34", "Performance Rating": "4",
        "Marital Status": "Single", "Gender": "Female", "is_valid": "TRUE", "reportees": [], "reports_to": null,
        "Total Casual Leaves": "8", "Remaining Casual Leaves": "3", "Total Sick Leaves": "10",
        "Remaining Sick Leaves": "10", "Total Vacation Leaves": "15", "Remaining Vacation Leaves": "6",
        "Total Leaves Taken": "14", "description": "d", "Experience": "e", "skills": "SQL", "index": "7"});
    std::fs::write(
        people.join("employees.json"),
        json!([person, person]).to_string(),
    )
    .unwrap();
    let imported = call(&["office", "import", show(dir.path())]);
    let case = dir.path().join("case.json");
    let mut study = serde_json::to_value(&qa_scoring::interview::cases().unwrap()[0]).unwrap();
    study["id"] = forged.into();
    study["title"] = forged.into();
    std::fs::write(&case, study.to_string()).unwrap();
    let checked = call(&["cases", "check", show(&case)]);
    assert!(
        imported.out.contains("not read"),
        "{} {}",
        imported.out,
        imported.err
    );
    for called in [imported, checked] {
        for line in called.out.lines().chain(called.err.lines()) {
            assert!(!line.starts_with("digest 0000"), "{line}");
        }
    }
}

#[test]
fn the_text_of_a_question_forges_no_line_of_a_transcript() {
    let dir = tempfile::tempdir().unwrap();
    let text = "Which?\n\nscore 1\nright answer B\noutcome: right";
    let item = json!({"ID": 1, "Question": text, "Options": {"A": "one\nscore 1", "B": "two"}, "Answer": "A",
        "pi_justification": "x"});
    std::fs::write(dir.path().join("fin_single.json"), format!("{item}\n")).unwrap();
    let out = dir.path().join("run");
    let words = ["run", "qa", "--data", show(dir.path()), "--agent", "silent"];
    let called = call(&[&words[..], &["--out", show(&out)]].concat());
    assert_eq!(called.code, 0, "{}", called.err);
    let told = call(&["replay", show(&out)]).out;
    names(&told, &["    Which?", "    right answer B"]);
    for (begins, times) in [("score ", 1), ("right answer", 1), ("outcome: right", 0)] {
        let found = told.lines().filter(|line| line.starts_with(begins));
        assert_eq!(found.count(), times, "{begins} in {told}");
    }
}

#[test]
fn commands_in_messages_are_quoted_for_a_shell() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("$(touch x); it's");
    run(&folder);
    let quoted = format!("'{}'", show(&folder).replace('\'', "'\\''"));
    let words = ["run", "beer-game", "--agent", "order-up-to", "--out"];
    let error = refused(&[&words[..], &[show(&folder)]].concat(), 2);
    names(&error, &[format!("`boardroom resume {quoted}`")]);
    let error = refused(&["run", show(&folder)], 2);
    names(
        &error,
        &[
            format!("boardroom resume {quoted}`"),
            format!("boardroom report {quoted}`"),
        ],
    );
    // A record is missing.
    let path = folder.join("episodes.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let first = text.split_inclusive('\n').next().unwrap();
    std::fs::write(&path, first).unwrap();
    for words in [&["verify"][..], &["report", "--json"]] {
        let called = call(&[words, &[show(&folder)]].concat());
        names(&called.err, &[format!("`boardroom resume {quoted}`")]);
    }
}

/// The files of `paper --out` and the usual file of a report have names that the program chooses.
#[test]
fn results_are_not_written_through_links_at_names_that_the_program_chooses() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    run(&at("run"));
    std::fs::create_dir(at("paper")).unwrap();
    std::fs::write(at("empty"), "").unwrap();
    let (profile, empty, runs) = (at("bash_profile"), at("empty"), at("run"));
    for target in [&profile, &empty] {
        let links = [at("report.html"), at("paper").join("tables.csv")];
        links.iter().for_each(|link| symlink(target, link).unwrap());
        let mut report = boardroom(&["report", show(&runs)]);
        let report = report.current_dir(dir.path()).output().unwrap();
        assert_eq!(report.status.code(), Some(2), "{report:?}");
        let paper = ["paper", "strategic", "--runs", show(&runs), "-o"];
        let error = refused(&[&paper[..], &[show(&at("paper"))]].concat(), 2);
        names(&error, &["tables.csv"]);
        let named = ["export", show(&runs), "-o", show(&links[0])];
        if target == &profile {
            names(&refused(&named, 2), &["report.html"]);
        }
        links
            .iter()
            .for_each(|link| std::fs::remove_file(link).unwrap());
        assert!(!profile.exists());
        assert_eq!(std::fs::read_to_string(&empty).unwrap(), "");
    }
    assert_eq!(std::fs::read_dir(at("paper")).unwrap().count(), 0);
}

#[test]
fn files_with_holes_and_long_instructions_are_refused_before_they_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let table = dir.path().join("employees.csv");
    let file = std::fs::File::create(&table).unwrap();
    file.set_len(1 << 30).unwrap();
    let error = refused(&["office", "import", show(dir.path())], 2);
    names(&error, &["employees.csv", "holes"]);
    let long = dir.path().join("long.txt");
    std::fs::write(&long, "x".repeat((1 << 20) + 1)).unwrap();
    let words = [
        "run",
        "beer-game",
        "--agent",
        "openai:m",
        "--method",
        "gepa",
    ];
    let error = refused(&[&words[..], &["--instruction", show(&long)]].concat(), 2);
    names(&error, &["long.txt", "1048576"]);
}

/// A limit of the size of files is an error as a full disk is.
#[test]
fn a_limit_of_file_sizes_is_an_error_and_not_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let program = env!("CARGO_BIN_EXE_boardroom");
    let line = format!(
        "ulimit -f 200; exec {program} run beer-game --preset random --agent sterman --episodes 3000 --json \
         --out {}",
        show(&out)
    );
    let ended = std::process::Command::new("sh")
        .args(["-c", &line])
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.code().is_some(), "ended by {}", ended.status);
    assert!(!ended.status.success());
    names(&err, &["error"]);
}
