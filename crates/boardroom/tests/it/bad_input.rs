use crate::program::{json, ok, refused};
use std::io::Write as _;
use std::path::Path;

fn run_refused(more: &[&str]) -> String {
    let words: Vec<&str> = ["run", "beer-game"].iter().chain(more).copied().collect();
    let message = refused(&words, 2);
    assert!(message.trim().lines().count() <= 2, "{message}");
    message
}

#[test]
fn names_that_do_not_exist_are_answered_with_those_that_do() {
    let environment = refused(&["run", "ale-game"], 2);
    assert!(
        environment.contains("no environment `ale-game`"),
        "{environment}"
    );
    assert!(environment.contains("beer-game"), "{environment}");
    let preset = run_refused(&["--preset", "papre"]);
    assert!(
        preset.contains("no preset `papre`") && preset.contains("paper-exact"),
        "{preset}"
    );
    let policy = run_refused(&["--agent", "optimist"]);
    assert!(
        policy.contains("no policy `optimist`") && policy.contains("sterman"),
        "{policy}"
    );
    let key = run_refused(&["--set", "colour=blue"]);
    assert!(key.contains("no key `colour`"), "{key}");
    let suite = run_refused(&["--suite", "gold"]);
    assert!(suite.contains("no suite `gold`"), "{suite}");
    for command in ["describe", "generate"] {
        assert!(
            refused(&[command, "ale-game"], 2).contains("no environment"),
            "{command}"
        );
    }
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
        for part in ["no environment `nope`", "beer-game, ", "consulting and qa"] {
            assert!(said.contains(part), "{command}: {said}");
        }
        assert!(!said.contains("did you mean"), "{said}");
        let said = line(&[command, "bear-game"]);
        assert!(said.contains("did you mean `beer-game`?"), "{said}");
        assert!(said.contains("boardroom describe beer-game"), "{said}");
    }
    let mut commands = vec!["play", "generate"];
    if cfg!(feature = "mcp") {
        commands.push("serve");
    }
    for command in commands {
        for (name, works) in [
            ("consulting", "`boardroom run consulting`"),
            ("qa", "`boardroom run qa --data DIR`"),
        ] {
            let said = line(&[command, name]);
            assert!(
                said.contains(works) && said.contains(&format!("`boardroom describe {name}`")),
                "{command}: {said}"
            );
        }
    }
    // The commands in the messages exist.
    for name in ["beer-game", "consulting", "qa"] {
        ok(&format!("describe {name}"));
    }
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    for (agent, words) in [
        (
            "constant:many",
            "<units> of `constant` must be in 0 to 5000, not `many`",
        ),
        (
            "constant:99999",
            "<units> of `constant` must be in 0 to 5000, not `99999`",
        ),
        (
            "random:-5",
            "<units> of `random` must be in 0 to 5000, not `-5`",
        ),
        ("order-up-to:-1", "<level> of `order-up-to` must be in 0 to"),
        (
            "smoothing:0",
            "<weeks> of `smoothing` must be in 1 to 1000, not `0`",
        ),
    ] {
        let message = run_refused(&["--agent", agent]);
        assert!(message.contains(words), "{message}");
    }
    // A negative number is a wrong value, not an unknown option.
    for option in ["--seed", "--episodes"] {
        let message = refused(&["run", "beer-game", option, "-1"], 2);
        assert!(message.contains("a whole number from 0"), "{message}");
        assert!(!message.contains("-- -1"), "{message}");
    }
    assert!(run_refused(&["--agent", "openai:"]).contains("name a model"));
    assert!(run_refused(&["--method", "debate"]).contains("is a built-in policy"));
    assert!(run_refused(&["--agent", "replay:nowhere"]).contains("cassette not found: nowhere"));
    assert!(run_refused(&["--episodes", "0"]).contains("episodes must be at least 1"));
    assert!(run_refused(&["--episodes", "18446744073709551615"]).contains("at most 10000000"));
    assert!(run_refused(&["--limits", "0,1"]).contains("calls_per_period: must be at least 1"));
    assert!(run_refused(&["--instance", "nowhere.json"]).contains("nowhere.json"));
    for wrong in [
        ["--shard", "4/4"],
        ["--limits", "many"],
        ["--episodes", "-3"],
        ["--set", "novalue"],
        ["--seed", "x"],
    ] {
        let words = [&["run", "beer-game"][..], &wrong].concat();
        let message = refused(&words, 2);
        assert!(message.contains(wrong[1]), "{message}");
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
            let called = crate::program::call(&["generate", "beer-game", "--set", &set]);
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
    let message = run_refused(&["--out", inside]);
    assert!(message.contains("file"), "{message}");
    for command in ["resume", "verify", "replay"] {
        let message = refused(&[command, dir.path().to_str().unwrap()], 2);
        assert!(
            message.contains("is not a run folder"),
            "{command}: {message}"
        );
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
    let words = ["verify", &out];
    let called = crate::program::call(&words);
    assert!(
        called.err.contains("the last line is truncated"),
        "{}",
        called.err
    );
    assert!(
        called.err.contains("1 episode has no record"),
        "{}",
        called.err
    );
    let resumed = crate::program::call(&["resume", &out]);
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    assert!(resumed.err.contains("was moved to"), "{}", resumed.err);
    let mut lines: Vec<&str> = whole.lines().collect();
    lines.sort_unstable();
    assert_eq!(crate::program::sorted_lines(&records), lines);
    let aside = std::fs::read_to_string(Path::new(&out).join("episodes.torn")).unwrap();
    assert!(whole.contains(aside.trim()), "nothing is lost");
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
    assert!(message.contains("1 finding in 5 records"), "{message}");
    assert!(
        message.contains("week 12: the answer has digest"),
        "{message}"
    );
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
        assert!(
            error.contains("line 2")
                && error.contains("column 1: expected value; the line is not a record: remove it")
                && error.contains(&format!("`boardroom resume {out}`"))
                && !error.contains("line 1"),
            "{error}"
        );
    }
    lines.remove(1);
    lines.push(lines[0]);
    std::fs::write(&records, lines.join("\n") + "\n").unwrap();
    for (command, code) in [("export", 2), ("resume", 2), ("verify", 1)] {
        let error = refused(&[command, &out], code);
        assert!(
            error.contains("remove one of the two lines") && !error.contains("shards"),
            "{error}"
        );
    }
    lines.pop();
    std::fs::write(&records, lines.join("\n") + "\n").unwrap();
    ok(&format!("resume {out}"));
    assert!(ok(&format!("verify {out}")).starts_with("5 records verified\n"));
}

#[test]
fn what_was_probably_meant_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("plan.toml").to_str().unwrap().to_owned();
    let text = "[[runs]]\nenvironment = \"beer-game\"\nagents = [\"sterman\"]\n";
    std::fs::write(&file, text).unwrap();
    for (line, said) in [
        (
            "generate pricing --set products=abc".to_owned(),
            "expected a whole number",
        ),
        (
            "run pricing --agent random --set sigma=abc".to_owned(),
            "expected a number",
        ),
        (
            "run pricing --preset medum".to_owned(),
            "did you mean `medium`?",
        ),
        (
            "generate pricing --preset medum".to_owned(),
            "did you mean `medium`?",
        ),
        (
            "run beer-game --agent stermann".to_owned(),
            "did you mean `sterman`?",
        ),
        (
            "run edt --agent random --suite papr".to_owned(),
            "did you mean `paper`?",
        ),
        (
            "run beer-game --agent sterman --suite paper".to_owned(),
            "there are no suites of it",
        ),
        (
            format!("run beer-game --agent sterman --out {file}"),
            "is a file, and a folder",
        ),
        (
            format!("run --plan {file} --out {file}"),
            "is a file, and a folder",
        ),
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let error = refused(&words, 2);
        assert!(error.contains(said), "{line}: {error}");
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
    assert!(refused(&["verify", &out], 1).contains("line 6"));
    assert!(refused(&["resume", &out], 2).contains("line 6"));
    let manifest = Path::new(&out).join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(
        &manifest,
        text.replacen("\"schema\": 1", "\"schema\": 9", 1),
    )
    .unwrap();
    assert!(refused(&["verify", &out], 1).contains("newer boardroom"));
}
