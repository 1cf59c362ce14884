//! A run that is killed repeatedly ends with the same records as an uninterrupted one.

use crate::program::{boardroom, json, names, ok, refusal, refused, until, verifies};
use boardroom::Registry;
use boardroom::RunError;
use run_engine::engine::execute::{RunOptions, execute};
use run_engine::plan::model::RunBudget;
use run_engine::run_dir::Folder;
use run_engine::verify::verify;
use sim_core::testkit::small_or_full;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::AtomicBool;

fn length(records: &Path) -> u64 {
    std::fs::metadata(records).map_or(0, |meta| meta.len())
}

#[test]
fn slow_a_run_killed_ten_times_resumes_to_the_same_records() {
    let (episodes, kills) = small_or_full((2_000, 3), (60_000, 10));
    killed(episodes, kills, 9_000);
}

#[test]
fn slow_a_run_killed_a_hundred_times_resumes_to_the_same_records() {
    let (episodes, kills) = small_or_full((2_000, 4), (20_000, 100));
    killed(episodes, kills, 300);
}

/// Kills a run of `episodes` repeatedly, each time after at most `share` / 100,000 more of its work.
fn killed(episodes: u64, kills: u64, share: u64) {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let run = format!(
        "run beer-game --preset random --agent sterman --episodes {episodes} --seed 1 --json --out"
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
    for kill in 0..kills {
        let words: &[String] = if kill == 0 { &first } else { &resume };
        // The moment is drawn, so it may fall into the middle of a write.
        let share = 1 + sim_core::Seed(17).stream("kill", kill).below(share);
        let enough = length(&records) + whole * share / 100_000;
        let mut child = boardroom(words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        until(&mut child, || length(&records) >= enough);
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
        std::fs::read(&records).unwrap(),
        std::fs::read(dir.path().join("whole/episodes.jsonl")).unwrap(),
    );
    assert!(cut == unbroken, "the records or their order differ");
    verifies(path("cut"), episodes);
}

/// The result of `work`, which locks the folder. A test that starts a program at this moment
/// inherits the lock until the program has started, so `work` may have to be repeated.
fn unlocked<T>(work: impl Fn() -> Result<T, RunError>) -> T {
    for _ in 0..1_000_000 {
        match work() {
            Err(RunError::Busy(_)) => std::thread::yield_now(),
            done => return done.unwrap(),
        }
    }
    panic!("the folder stays locked");
}

/// A kill leaves any number of bytes of the file, as this test does; in the ordinary run ten times.
#[test]
fn slow_a_run_cut_off_a_hundred_times_at_any_byte_still_verifies() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let line = "run beer-game --preset random --agent random --episodes 60 --seed 4 --json --out";
    json(&format!("{line} {}", run.display()));
    let records = run.join("episodes.jsonl");
    let whole = std::fs::read(&records).unwrap();
    let (registry, stop) = (Registry::new(), AtomicBool::new(false));
    for cut in 0..small_or_full(10, 100) {
        let at = sim_core::Seed(5)
            .stream("cut", cut)
            .below(whole.len() as u64);
        // The killed process removed the stamp when it began.
        let _ = std::fs::remove_file(run.join("verified.json"));
        std::fs::File::options()
            .write(true)
            .open(&records)
            .and_then(|file| file.set_len(at))
            .unwrap();
        let part = unlocked(|| verify(&registry, &run));
        assert!(
            part.is_sound() && part.missing() > 0,
            "cut {cut} at {at}: {part}"
        );
        let folder = unlocked(|| Folder::open(&run));
        folder.set_torn_aside("episodes.jsonl").unwrap();
        let options = RunOptions {
            means: &RunBudget::default(),
            steps: false,
            progress: false,
            stop: &stop,
        };
        execute(&registry, &folder.manifest.plan, Some(&folder), options).unwrap();
        drop(folder);
        let found = unlocked(|| verify(&registry, &run));
        assert!(
            found.is_sound() && found.missing() == 0,
            "cut {cut} at {at}: {found}"
        );
    }
    assert!(std::fs::read(&records).unwrap() == whole);
}

/// The records of episodes that failed first and were played later are at their place in the order.
#[test]
fn records_that_came_late_are_put_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let line = "run beer-game --preset random --agent sterman --episodes 12 --json --out";
    json(&format!("{line} {}", run.display()));
    let records = run.join("episodes.jsonl");
    let whole = std::fs::read_to_string(&records).unwrap();
    let gaps = whole.lines().enumerate();
    let gaps = gaps.filter(|(k, _)| !matches!(k, 2 | 3 | 7));
    let text: String = gaps.map(|(_, line)| format!("{line}\n")).collect();
    std::fs::write(&records, text).unwrap();
    ok(&format!("resume {}", run.display()));
    assert_eq!(std::fs::read_to_string(&records).unwrap(), whole);
}

/// A run whose results were lost is not reported as a success.
#[cfg(unix)]
#[test]
fn a_run_whose_folder_is_removed_midway_fails() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let words = "run beer-game --preset random --agent sterman --episodes 400000 --json --out";
    let mut words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    words.push(run.display().to_string());
    let mut child = boardroom(&words)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until(&mut child, || length(&run.join("episodes.jsonl")) > 0);
    std::fs::remove_dir_all(&run).unwrap();
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{err}");
    let error = refusal(&err, 1);
    assert_eq!(error.kind, "failed");
    names(&error.message, &[run.display().to_string()]);
}

/// A folder that another process is using has its own exit code, and `--wait` waits for it.
#[cfg(unix)]
#[test]
fn a_busy_folder_is_refused_with_its_own_code_or_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run").display().to_string();
    ok(&format!(
        "run beer-game --agent sterman --episodes 1 --json --out {run}"
    ));
    let held = std::fs::File::open(&run).unwrap();
    held.lock().unwrap();
    // The lock is on the folder: replacing the manifest does not release it.
    let manifest = dir.path().join("run/manifest.json");
    let text = std::fs::read(&manifest).unwrap();
    std::fs::remove_file(&manifest).unwrap();
    std::fs::write(&manifest, text).unwrap();
    for words in [
        &["resume", &run][..],
        &["verify", &run],
        &["export", &run],
        &["rescore", &run],
        &["verify", &run, "--wait", "0"],
    ] {
        refused(words, 4);
    }
    let mut waiting = boardroom(&["verify", &run, "--wait", "600"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    assert!(waiting.try_wait().unwrap().is_none());
    drop(held);
    assert_eq!(waiting.wait().unwrap().code(), Some(0));
}
