//! A command that is refused, or has nothing to do, leaves the run folder as it was, to the byte.

use crate::models::summary;
use crate::program::{boardroom, call, ok};
use crate::server::Server;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");

/// Every file below a folder, by its path.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.insert(path.clone(), std::fs::read(path).unwrap());
        }
    }
    all
}

fn same(dir: &Path, before: &BTreeMap<PathBuf, Vec<u8>>, after: &str) {
    let now = files(dir);
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&now), names(before), "{after}");
    for (path, bytes) in &now {
        assert!(before[path] == *bytes, "{after} changed {}", path.display());
    }
}

/// Cuts the last record off and leaves the beginning of another one.
fn cut(records: &Path) {
    let text = std::fs::read_to_string(records).unwrap();
    let kept: Vec<&str> = text.lines().collect();
    let kept: String = kept[..kept.len() - 1]
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(records, kept + "{\"schema\":1,\"hea").unwrap();
}

/// The runs: name and command line.
const RUNS: [(&str, &str); 6] = [
    ("policy", "run beer-game --agent sterman --episodes 3"),
    (
        "search",
        "run procurement --preset basic --suite paper --episodes 2 --reference search --agent random",
    ),
    (
        "model",
        "run beer-game --set weeks=3 --agent openai:mock --episodes 2 --method dc",
    ),
    ("interviews", "run consulting --preset short --agent ideal"),
    (
        "learning",
        "run consulting --preset short --rounds 2 --agent openai:mock --method dc",
    ),
    ("questions", "run qa --task FPB --agent openai:mock"),
];

/// The file of records of each of them.
const RECORDS: &str = "episodes.jsonl";

#[test]
fn to_resume_what_is_finished_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(0.0);
    for (name, line) in RUNS {
        let out = dir.path().join(name);
        let data = if name == "questions" {
            format!("--data {SAMPLES}")
        } else {
            String::new()
        };
        let run = format!("{line} {data} --json --out {}", out.display());
        let first = summary(&server.run(&run));
        ok(&format!("verify {}", out.display()));
        let (before, asked) = (files(&out), server.answered());
        // Without a server or a key.
        let words = ["resume", out.to_str().unwrap(), "--json"];
        let output = boardroom(&words)
            .env_remove("OPENAI_API_KEY")
            .output()
            .unwrap();
        assert_eq!(summary(&output)["score"], first["score"], "{name}");
        same(&out, &before, &format!("resume of {name}"));
        assert_eq!(server.answered(), asked, "{name}");
        // What is missing is still done.
        cut(&out.join(RECORDS));
        let output = server.run(&words.join(" "));
        assert_eq!(summary(&output)["score"], first["score"], "{name}");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(err.contains(".torn"), "{name}: {err}");
        assert!(!out.join("verified.json").exists(), "{name}");
    }
}

/// A truncated line behind the records of a finished run is moved away, and the stamp goes with it.
#[test]
fn a_truncated_line_of_a_finished_run_is_moved() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    ok(&format!(
        "run consulting --preset short --agent ideal --out {}",
        out.display()
    ));
    ok(&format!("verify {}", out.display()));
    let records = out.join(RECORDS);
    let text = std::fs::read_to_string(&records).unwrap();
    std::fs::write(&records, format!("{text}{{\"half")).unwrap();
    ok(&format!("resume {}", out.display()));
    assert_eq!(std::fs::read_to_string(&records).unwrap(), text);
    assert!(out.join("episodes.torn").exists() && !out.join("verified.json").exists());
}

#[test]
fn a_refused_resume_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(0.0);
    let data = dir.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let sample = "FPB.json";
    let from = walk(Path::new(SAMPLES), sample).unwrap();
    std::fs::copy(from, data.join(sample)).unwrap();
    for (name, line) in RUNS {
        let out = dir.path().join(name);
        let more = if name == "questions" {
            format!("--data {}", data.display())
        } else {
            String::new()
        };
        let run = format!("{line} {more} --json --out {}", out.display());
        summary(&server.run(&run));
        ok(&format!("verify {}", out.display()));
        cut(&out.join(RECORDS));
        let mut refused: Vec<String> = Vec::new();
        if line.contains("openai:") {
            refused.push(format!("resume {} --prices nowhere.toml", out.display()));
            refused.push(format!("resume {} --max-cost 1", out.display()));
        } else {
            // The record of another run.
            let path = out.join(RECORDS);
            let text = std::fs::read_to_string(&path).unwrap();
            let (first, rest) = text.split_once('\n').unwrap();
            std::fs::write(&path, format!("{first}\n{first}\n{rest}")).unwrap();
            refused.push(format!("resume {}", out.display()));
        }
        let before = files(&out);
        for line in refused {
            let output = server.run(&line);
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{name}: {line}: {err}");
            same(&out, &before, &format!("{line} of {name}"));
        }
    }
    // The questions are in the folder: those that they were read from may be gone, but not these.
    std::fs::remove_dir_all(&data).unwrap();
    let out = dir.path().join("questions");
    let listed = out.join("instances.jsonl");
    let text = std::fs::read_to_string(&listed).unwrap();
    std::fs::remove_file(&listed).unwrap();
    let before = files(&out);
    let refused = call(&["resume", out.to_str().unwrap()]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("instances.jsonl"), "{}", refused.err);
    same(&out, &before, "resume without questions");
    std::fs::write(&listed, text).unwrap();
    summary(&server.run(&format!("resume {} --json", out.display())));
}

/// The file called `name` below `dir`.
fn walk(dir: &Path, name: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap();
    entries.map(|entry| entry.unwrap().path()).find_map(|path| {
        if path.is_dir() {
            walk(&path, name)
        } else {
            path.ends_with(name).then_some(path)
        }
    })
}

/// `--agent replay:DIR` reads the calls of another run and mends nothing there.
#[test]
fn a_replay_does_not_change_the_recording() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(0.0);
    let line = "run beer-game --set weeks=3 --episodes 1 --json";
    let (from, to) = (dir.path().join("from"), dir.path().join("to"));
    summary(&server.run(&format!(
        "{line} --agent openai:mock --out {}",
        from.display()
    )));
    let calls = from.join("calls.jsonl");
    let text = std::fs::read_to_string(&calls).unwrap();
    std::fs::write(&calls, format!("{text}{{\"half")).unwrap();
    let before = files(&from);
    ok(&format!(
        "{line} --agent replay:{} --out {}",
        from.display(),
        to.display()
    ));
    same(&from, &before, "the replay");
    std::fs::remove_file(&calls).unwrap();
    let refused = call(&[
        "run",
        "beer-game",
        "--agent",
        &format!("replay:{}", from.display()),
    ]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("it has no calls.jsonl"),
        "{}",
        refused.err
    );
}

/// A run that begins in a folder with the rest of a removed run does not write behind a truncated line.
#[test]
fn a_new_run_does_not_grow_a_truncated_line() {
    let dir = tempfile::tempdir().unwrap();
    for (name, line) in RUNS.iter().filter(|run| !run.1.contains("openai:")) {
        let out = dir.path().join(name);
        std::fs::create_dir(&out).unwrap();
        std::fs::write(out.join(RECORDS), "{\"schema\":1,\"hea").unwrap();
        ok(&format!("{line} --json --out {}", out.display()));
        ok(&format!("verify {}", out.display()));
    }
}
