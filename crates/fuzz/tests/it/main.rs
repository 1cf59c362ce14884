//! Inputs that failed once, and seeds that must get through.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use fuzz::target::{TARGETS, files, own_folder};
use std::path::PathBuf;
use std::process::{Command, Output};

fn fuzz(words: &[&str], inputs: &[PathBuf]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fuzz"));
    command.args(words).current_dir(folder.path());
    for input in inputs {
        command.arg("--input").arg(input);
    }
    command.output().unwrap()
}

/// Every input has a process of its own, so that one that ends it fails alone.
#[test]
fn slow_what_failed_once_does_not_fail_again() {
    let mut played = 0;
    for target in TARGETS {
        let folder = own_folder("regressions").join(target.name);
        if !folder.exists() {
            continue;
        }
        let names = files(&folder).unwrap().into_iter();
        let inputs: Vec<PathBuf> = names.map(|(name, _)| folder.join(name)).collect();
        let output = fuzz(&["run", "--target", target.name], &inputs);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}");
        played += inputs.len();
    }
    let all = files(&own_folder("regressions")).unwrap();
    let off = |name: &str| cfg!(not(feature = "full")) && name.starts_with("cedar/");
    let all = all
        .iter()
        .filter(|(name, _)| name != "README.md" && !off(name));
    assert_eq!(
        played,
        all.count(),
        "each file lies in the folder of a target"
    );
}

#[test]
fn a_case_is_played_apart_from_the_working_folder() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("play").join("notes");
    std::fs::create_dir(folder.path().join("play")).unwrap();
    std::fs::write(&own, "mine").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_fuzz"))
        .args(["run", "--target", "script", "--case", "3"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    // The bundle of the case, then what became of it.
    assert!(text.contains("command"), "{text}");
    assert!(output.status.success(), "{text}");
    assert_eq!(std::fs::read(&own).unwrap(), b"mine");
}

#[test]
fn targets_are_listed() {
    let output = fuzz(&["list"], &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().count(), TARGETS.len());
}
