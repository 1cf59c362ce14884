//! Run folders that version 0.1 wrote, one of each kind: every command that reads records takes them.

use crate::program::{Called, boardroom};
use std::path::Path;

/// The folders, with the number of their records.
const FOLDERS: [(&str, usize); 9] = [
    ("policy", 6),
    ("model", 2),
    ("learning", 2),
    ("questions", 2),
    ("interviews", 4),
    ("learning-interviews", 2),
    ("person", 1),
    ("server", 1),
    ("sweep", 4),
];

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap().path();
        let target = to.join(entry.file_name().unwrap());
        if entry.is_dir() {
            copy(&entry, &target);
        } else {
            std::fs::copy(&entry, &target).unwrap();
        }
    }
}

#[test]
fn folders_of_0_1_are_read_verified_and_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/0.1");
    copy(&fixtures, dir.path());
    let call = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        // Questions are read from the path in the manifest, which is relative.
        let output = boardroom(&words)
            .current_dir(dir.path())
            // Nobody listens there: every reply comes from the recording.
            .env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
            .env("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
            .output()
            .unwrap();
        let called = Called {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        };
        assert_eq!(
            called.code, 0,
            "boardroom {line}: {}{}",
            called.out, called.err
        );
        called
    };
    for (folder, records) in FOLDERS {
        let verified = call(&format!("verify {folder}")).out;
        let counted: usize = verified
            .lines()
            .filter_map(|line| {
                let line = line.split_once(": ").map_or(line, |(_, rest)| rest);
                let (count, rest) = line.split_once(' ')?;
                rest.ends_with("verified")
                    .then(|| count.parse::<usize>().ok())?
            })
            .sum();
        assert_eq!(counted, records, "{folder}: {verified}");
        let table = call(&format!("export {folder}")).out;
        assert_eq!(table.lines().count(), records + 1, "{folder}");
        call(&format!("report {folder} --output {folder}.html"));
        let page = std::fs::read_to_string(dir.path().join(format!("{folder}.html"))).unwrap();
        assert!(page.contains(">verified<"), "{folder}");
        for line in call(&format!("rescore {folder} --json")).out.lines() {
            let rescored: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(
                (&rescored["changed"], &rescored["unfinished"]),
                (&0.into(), &0.into()),
                "{folder}: {rescored}"
            );
        }
        if folder != "sweep" {
            assert!(call(&format!("replay {folder}")).out.lines().count() > 3);
        }
    }
    call("compare sweep");
    call("compare policy model");
    // What was cut off in the run of a policy is done by the present program.
    let records = dir.path().join("policy/episodes.jsonl");
    let text = std::fs::read_to_string(&records).unwrap();
    let part: String = text
        .lines()
        .take(2)
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(&records, part).unwrap();
    call("resume policy");
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let resumed = std::fs::read_to_string(&records).unwrap();
    assert_eq!(sorted(&resumed), sorted(&text));
    call("verify policy");
    // `cot` of version 0.1 is `direct`: its folders keep their requests and records, under the present name.
    let method = |printed: &str| {
        let printed: serde_json::Value = serde_json::from_str(printed).unwrap();
        printed["method"].as_str().unwrap().to_owned()
    };
    let records = dir.path().join("model/episodes.jsonl");
    let text = std::fs::read_to_string(&records).unwrap();
    assert!(text.contains(r#""method":"cot""#), "{text}");
    let first: String = text
        .lines()
        .take(1)
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(&records, first).unwrap();
    assert_eq!(method(&call("resume model --json").out), "direct");
    assert_eq!(std::fs::read_to_string(&records).unwrap(), text);
    call("verify model");
    for again in [
        "run beer-game --preset paper --episodes 2 --agent replay:model --json",
        "run qa --data FPB.json --task FPB --agent replay:questions --json",
    ] {
        assert_eq!(method(&call(again).out), "direct", "{again}");
    }
    assert!(call("export questions").out.contains(",direct,"));
}
