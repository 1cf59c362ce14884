use crate::program::{Refusal, call, json, names, ok, refused, refused_json, verifies};
use std::io::Write as _;
use std::path::Path;

fn run_refused(more: &[&str]) -> Refusal {
    let words: Vec<&str> = ["run", "beer-game"].iter().chain(more).copied().collect();
    let refusal = refused_json(&words, 2);
    let message = &refusal.message;
    assert!(
        message.lines().count() <= 2 || refusal.place.is_some(),
        "{message}"
    );
    refusal
}

#[test]
fn names_that_do_not_exist_are_answered_with_those_that_do() {
    let environment = refused_json(&["run", "ale-game"], 2);
    assert_eq!(environment.kind, "usage");
    names(
        &environment.message,
        &["environment", "`ale-game`", "beer-game"],
    );
    let config = |more: &[&str], facts: &[&str]| {
        let refusal = run_refused(more);
        assert_eq!(refusal.kind, "config", "{refusal:?}");
        names(&refusal.message, facts);
        refusal
    };
    config(
        &["--preset", "papre"],
        &["preset", "`papre`", "paper-exact"],
    );
    let key = config(&["--set", "colour=blue"], &["`colour`", "cost"]);
    assert_eq!(key.place, None, "it is about all settings");
    let policy = run_refused(&["--agent", "optimist"]);
    names(&policy.message, &["policy", "`optimist`", "sterman"]);
    let suite = run_refused(&["--suite", "gold"]);
    names(&suite.message, &["suite", "`gold`", "--preset"]);
    for command in ["describe", "generate"] {
        let message = refused(&[command, "ale-game"], 2);
        names(&message, &["environment", "`ale-game`"]);
    }
}

/// An error is one object for programs: its kind, its place and the exit code.
#[test]
fn errors_have_a_kind_a_place_and_an_exit_code() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("nowhere.json").display().to_string();
    let cases: [(&[&str], &str, Option<&str>); 6] = [
        (
            &["run", "beer-game", "--set", "cost.holding=-1"],
            "config",
            Some("cost.holding"),
        ),
        (
            &["run", "beer-game", "--instance", &file],
            "file",
            Some(&file),
        ),
        (
            &["run", "beer-game", "--seed", "x"],
            "usage",
            Some("--seed"),
        ),
        (
            &["run", "beer-game", "--sede", "1"],
            "usage",
            Some("--sede"),
        ),
        (&["run", "ale-game"], "usage", None),
        (&["compare"], "usage", Some("<DIRS>...")),
    ];
    for (words, kind, place) in cases {
        let refusal = refused_json(words, 2);
        let found = (refusal.kind.as_str(), refusal.place.as_deref());
        assert_eq!(found, (kind, place), "{words:?}: {}", refusal.message);
    }
    let help = call(&["run", "--help", "--json"]);
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    assert!(!help.out.starts_with('{'), "help is for people");
}

/// Files of questions have the names of tasks and are JSON.
#[test]
fn questions_under_another_name_or_in_a_table_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().to_str().unwrap();
    let ask = |data: &str, more: &[&str]| {
        let words = [
            "run",
            "qa",
            "--data",
            data,
            "--agent",
            "oracle",
            "--no-save",
        ];
        refused(&[&words[..], more].concat(), 2)
    };
    names(&ask(data, &[]), &["empty"]);
    let file = dir.path().join("house.csv");
    std::fs::write(&file, "ID,sentence,label\n1,Profit rose.,positive\n").unwrap();
    names(&ask(data, &[]), &["house.csv", "--task", "FPB.json"]);
    let said = ask(file.to_str().unwrap(), &["--task", "FPB"]);
    names(&said, &["house.csv", "line 1 is not JSON"]);
    assert!(!said.contains("table"), "{said}");
}

/// An unknown name is answered with the valid names and a command that works.
#[test]
fn a_wrong_name_is_answered_with_a_command_that_works() {
    let line = |words: &[&str]| {
        let message = refused(words, 2);
        assert_eq!(message.trim().lines().count(), 1, "{message}");
        message
    };
    for command in ["describe", "run", "play", "generate"] {
        let said = line(&[command, "nope"]);
        names(&said, &["`nope`", "beer-game, ", "consulting", "qa"]);
        assert!(!said.contains("`beer-game`"), "nothing is near: {said}");
        let said = line(&[command, "bear-game"]);
        names(&said, &["`beer-game`?", "boardroom describe beer-game"]);
    }
    // The commands in the messages exist.
    for name in ["beer-game", "consulting", "qa"] {
        ok(&format!("describe {name}"));
        ok(&format!("generate {name}"));
    }
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    for (agent, facts) in [
        (
            "constant:many",
            ["<units>", "`constant`", "0 to 5000", "`many`"],
        ),
        (
            "constant:99999",
            ["<units>", "`constant`", "0 to 5000", "`99999`"],
        ),
        (
            "constant",
            ["<units>", "`constant`", "needs a value", "`constant:400`"],
        ),
        ("random:-5", ["<units>", "`random`", "0 to 5000", "`-5`"]),
        (
            "order-up-to:-1",
            ["<level>", "`order-up-to`", "0 to", "`-1`"],
        ),
        (
            "smoothing:0",
            ["<weeks>", "`smoothing`", "1 to 1000", "`0`"],
        ),
    ] {
        names(&run_refused(&["--agent", agent]).message, &facts);
    }
    // A negative number is a wrong value, not an unknown option.
    for (option, least) in [("--seed", "from 0"), ("--episodes", "from 1")] {
        let refusal = run_refused(&[option, "-1"]);
        assert_eq!(refusal.place.as_deref(), Some(option));
        names(&refusal.message, &["'-1'", least]);
        assert!(!refusal.message.contains("-- -1"), "{}", refusal.message);
    }
    let cases: [(&[&str], &[&str]); 6] = [
        (&["--agent", "openai:"], &["`openai:<model>`"]),
        (&["--method", "debate"], &["`random`", "--method"]),
        (&["--agent", "replay:nowhere"], &["no folder", "nowhere"]),
        (&["--episodes", "0"], &["episodes", "1", "`0`"]),
        (
            &["--episodes", "18446744073709551615"],
            &["episodes", "10000000"],
        ),
        (&["--limits", "0,1"], &["calls_per_period", "1"]),
    ];
    for (words, facts) in cases {
        names(&run_refused(words).message, facts);
    }
    // A firm alone, as `instance` of the file takes it, tells neither its environment nor its version.
    let dir = tempfile::tempdir().unwrap();
    let firm = dir.path().join("firm.json");
    for bare in ["{\"stop\": 96}", "{\"schema\": 1, \"stop\": 96}", "[]"] {
        std::fs::write(&firm, bare).unwrap();
        let refusal = refused(&["run", "edt", "--instance", firm.to_str().unwrap()], 2);
        let envelope = [
            "\"schema\": 1",
            "\"environment\": \"edt\"",
            "\"version\"",
            "\"instance\"",
        ];
        names(&refusal, &["firm.json", "boardroom generate edt"]);
        names(&refusal, &envelope);
    }
    let file = run_refused(&["--instance", "nowhere.json"]);
    assert_eq!(
        (file.kind.as_str(), file.place.as_deref()),
        ("file", Some("nowhere.json"))
    );
    for [option, value] in [
        ["--shard", "4/4"],
        ["--limits", "many"],
        ["--episodes", "-3"],
        ["--set", "novalue"],
        ["--seed", "x"],
    ] {
        let refusal = run_refused(&[option, value]);
        assert!(
            refusal.place.is_none_or(|place| place == option),
            "{option}"
        );
        names(&refusal.message, &[value]);
    }
}

/// Every setting of the environment with absurd values: refused by name or played, never a panic.
#[test]
fn absurd_settings_are_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("i.json");
    ok(&format!("generate beer-game -o {}", file.display()));
    let text = ok("describe beer-game");
    let settings = text.lines().skip_while(|l| !l.starts_with("SETTINGS"));
    let keys: Vec<&str> = settings
        .take_while(|l| !l.starts_with("PRESETS"))
        .filter_map(|l| l.trim().split_once(" = ").map(|(key, _)| key))
        .collect();
    assert!(keys.len() > 5, "{text}");
    let mut refusals = 0;
    for key in keys {
        for value in [
            "-1",
            "1e99",
            "NaN",
            "[]",
            "{}",
            "\"x\"",
            "18446744073709551615",
        ] {
            let set = format!("{key}={value}");
            let called = call(&["generate", "beer-game", "--set", &set]);
            assert!(!called.err.contains("panicked"), "{set}: {}", called.err);
            if called.code != 0 {
                assert_eq!(called.code, 2, "{set}: {}", called.err);
                assert!(
                    called.err.trim().lines().count() <= 2,
                    "{set}: {}",
                    called.err
                );
                refusals += 1;
            }
        }
    }
    assert!(refusals > 20, "{refusals}");
}

#[test]
fn folders_that_cannot_be_used_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let inside = file.join("run");
    let inside = inside.to_str().unwrap();
    names(
        &run_refused(&["--out", inside]).message,
        &[file.to_str().unwrap()],
    );
    let folder = dir.path().to_str().unwrap();
    for command in ["resume", "verify", "replay"] {
        let message = refused(&[command, folder], 2);
        names(&message, &[folder, "run folder"]);
    }
}

fn kept(dir: &Path) -> String {
    let out = dir.join("run").to_str().unwrap().to_owned();
    json(&format!(
        "run beer-game --preset random --agent sterman --episodes 5 --json --out {out}"
    ));
    out
}

#[test]
fn a_torn_last_line_is_set_aside_and_played_again() {
    let dir = tempfile::tempdir().unwrap();
    let out = kept(dir.path());
    let records = Path::new(&out).join("episodes.jsonl");
    let whole = std::fs::read_to_string(&records).unwrap();
    let cut = whole.len() - 40;
    std::fs::write(&records, &whole[..cut]).unwrap();
    let called = call(&["verify", &out]);
    let last = whole[..cut].lines().last().unwrap().len();
    names(&called.err, &["1 episode ", &format!("{last} bytes")]);
    let resumed = call(&["resume", &out]);
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    names(&resumed.err, &["episodes.torn"]);
    let mut lines: Vec<&str> = whole.lines().collect();
    lines.sort_unstable();
    assert_eq!(crate::program::sorted_lines(&records), lines);
    let aside = std::fs::read_to_string(Path::new(&out).join("episodes.torn")).unwrap();
    assert!(whole.contains(aside.trim()), "nothing is lost");
}

/// A searched reference that was cut off is searched again; its line is moved and named.
#[test]
fn a_torn_reference_is_set_aside_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run").display().to_string();
    json(&format!(
        "run beer-game --preset random --agent sterman --episodes 2 --reference search --json --out {out}"
    ));
    let of = |file: &str| Path::new(&out).join(file);
    let episodes = std::fs::read_to_string(of("episodes.jsonl")).unwrap();
    let references = std::fs::read_to_string(of("references.jsonl")).unwrap();
    let first = episodes.lines().next().unwrap();
    std::fs::write(of("episodes.jsonl"), format!("{first}\n")).unwrap();
    std::fs::write(of("references.jsonl"), &references[..references.len() - 9]).unwrap();
    let resumed = call(&["resume", &out]);
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    names(&resumed.err, &["references.torn"]);
    let aside = std::fs::read_to_string(of("references.torn")).unwrap();
    assert!(references.contains(aside.trim()), "nothing is lost");
    assert_eq!(
        std::fs::read_to_string(of("references.jsonl")).unwrap(),
        references
    );
    assert_eq!(
        std::fs::read_to_string(of("episodes.jsonl")).unwrap(),
        episodes
    );
}

/// A truncated last line may be longer than any block that is read at once.
#[test]
fn a_long_torn_line_is_set_aside_whole() {
    let dir = tempfile::tempdir().unwrap();
    let out = kept(dir.path());
    let records = Path::new(&out).join("episodes.jsonl");
    let whole = std::fs::read_to_string(&records).unwrap();
    let torn = "x".repeat(200_000);
    std::fs::write(&records, format!("{whole}{torn}")).unwrap();
    ok(&format!("resume {out} --json"));
    assert_eq!(std::fs::read_to_string(&records).unwrap(), whole);
    let aside = std::fs::read_to_string(Path::new(&out).join("episodes.torn")).unwrap();
    assert_eq!(aside.trim().len(), torn.len());
}

#[test]
fn an_altered_record_is_refused_by_week() {
    let dir = tempfile::tempdir().unwrap();
    let out = kept(dir.path());
    let records = Path::new(&out).join("episodes.jsonl");
    let text = std::fs::read_to_string(&records).unwrap();
    let mut lines: Vec<serde_json::Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let entry = &mut lines[2]["entries"][11]["input"]["act"];
    let (key, value) = entry.as_object().unwrap().iter().next().unwrap();
    let altered = serde_json::json!({key.clone(): value.as_i64().unwrap() + 1});
    *entry = altered;
    let text: String = lines.iter().map(|l| format!("{l}\n")).collect();
    std::fs::write(&records, text).unwrap();
    let message = refused(&["verify", &out], 1);
    names(&message, &["1 finding", "5 records", "week 12"]);
}

/// The message gives the line number of the file and says what to do.
#[test]
fn broken_and_doubled_lines_are_named_with_the_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let out = kept(dir.path());
    let records = Path::new(&out).join("episodes.jsonl");
    let whole = std::fs::read_to_string(&records).unwrap();
    let mut lines: Vec<&str> = whole.lines().collect();
    lines[1] = "<<<<<<< mine";
    std::fs::write(&records, lines.join("\n") + "\n").unwrap();
    for (command, code) in [("verify", 1), ("resume", 2), ("export", 2)] {
        let error = refused(&[command, &out], code);
        let remedy = format!("`boardroom resume {out}`");
        names(&error, &["episodes.jsonl", "line 2", "column 1", &remedy]);
        assert!(!error.contains("line 1"), "{error}");
    }
    lines.remove(1);
    lines.push(lines[0]);
    std::fs::write(&records, lines.join("\n") + "\n").unwrap();
    for (command, code) in [("export", 2), ("resume", 2), ("verify", 1)] {
        let error = refused(&[command, &out], code);
        names(&error, &["episode 0", "two lines"]);
        assert!(!error.contains("shards"), "{error}");
    }
    lines.pop();
    std::fs::write(&records, lines.join("\n") + "\n").unwrap();
    ok(&format!("resume {out}"));
    verifies(&out, 5);
}

#[test]
fn what_was_probably_meant_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("plan.toml").to_str().unwrap().to_owned();
    let text = "[[runs]]\nenvironment = \"beer-game\"\nagents = [\"sterman\"]\n";
    std::fs::write(&file, text).unwrap();
    for (line, fact) in [
        ("generate pricing --set products=abc", "whole number"),
        ("run pricing --agent random --set sigma=abc", "number"),
        ("run pricing --preset medum", "`medium`?"),
        ("generate pricing --preset medum", "`medium`?"),
        ("run beer-game --agent stermann", "`sterman`?"),
        ("run edt --agent random --suite papr", "`paper`?"),
        ("run beer-game --agent sterman --suite paper", "--preset"),
        (
            &format!("run beer-game --agent sterman --out {file}"),
            &file,
        ),
        (&format!("run --plan {file} --out {file}"), &file),
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        names(&refused(&words, 2), &[fact]);
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn foreign_lines_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let out = kept(dir.path());
    let records = Path::new(&out).join("episodes.jsonl");
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(&records)
        .unwrap();
    file.write_all(b"{\"schema\": 1}\n").unwrap();
    names(&refused(&["verify", &out], 1), &["line 6"]);
    names(&refused(&["resume", &out], 2), &["line 6"]);
    let manifest = Path::new(&out).join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(
        &manifest,
        text.replacen("\"schema\": 1", "\"schema\": 9", 1),
    )
    .unwrap();
    let newer = call(&["verify", &out]);
    assert_eq!(newer.code, 1);
    names(&newer.out, &["[manifest]"]);
    names(&newer.err, &["manifest.json", "9", "boardroom"]);
}
