//! A run that is killed again and again ends with the very records of one that was not.

use crate::program::{boardroom, json, ok, sorted_lines};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

const EPISODES: u64 = 200_000;
const KILLS: u64 = 10;

fn length(records: &Path) -> u64 {
    std::fs::metadata(records).map_or(0, |meta| meta.len())
}

#[test]
fn slow_a_run_killed_ten_times_resumes_to_the_same_records() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let run = format!(
        "run beer-game --preset random --agent sterman --episodes {EPISODES} --seed 1 --json --out"
    );
    json(&format!("{run} {}", path("whole")));
    let whole = length(&dir.path().join("whole/episodes.jsonl"));

    let records = dir.path().join("cut/episodes.jsonl");
    let first: Vec<String> = run
        .split_whitespace()
        .map(str::to_owned)
        .chain([path("cut")])
        .collect();
    let resume = ["resume".to_owned(), path("cut"), "--json".to_owned()];
    for kill in 0..KILLS {
        let words: &[String] = if kill == 0 { &first } else { &resume };
        // Each moment is drawn: after 1 to 9 % of the work more, wherever that falls in a write.
        let share = 1 + sim_core::Seed(17).stream("kill", kill).below(9);
        let until = length(&records) + whole * share / 100;
        let mut child = boardroom(words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while length(&records) < until {
            assert!(
                child.try_wait().unwrap().is_none(),
                "it ended before it was killed"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let done = length(&records);
        assert!(
            done > 0 && done < whole,
            "kill {kill}: {done} of {whole} bytes"
        );
    }
    ok(&resume.join(" "));
    let (cut, unbroken) = (
        sorted_lines(&records),
        sorted_lines(&dir.path().join("whole/episodes.jsonl")),
    );
    assert_eq!(cut.len() as u64, EPISODES);
    assert!(cut == unbroken, "the records differ");
    assert_eq!(
        ok(&format!("verify {}", path("cut"))),
        format!("{EPISODES} records verified\n")
    );
}
