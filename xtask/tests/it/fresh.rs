//! `fresh` with repositories of three files.

use std::path::Path;
use std::process::Command;
use xtask::fresh;

fn git(root: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=test", "-c", "user.email=test@example.com"])
        .args([
            "-c",
            "init.defaultBranch=main",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .current_dir(root)
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
}

/// A committed repository whose README has these two commands.
fn repository(run: &str, test: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let readme = format!(
        "# X\n<!-- command: run -->\n```sh\n{run}\n```\n<!-- command: test -->\n```sh\n{test}\n```\n"
    );
    std::fs::write(folder.path().join("README.md"), readme).unwrap();
    std::fs::write(folder.path().join("table.txt"), "week 1 400\n".repeat(25)).unwrap();
    git(folder.path(), &["init", "--quiet"]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "--quiet", "--message", "first"]);
    folder
}

fn outcome(run: &str, test: &str) -> Result<(), String> {
    fresh::run(repository(run, test).path()).map_err(|error| format!("{error:#}"))
}

#[test]
fn both_commands_run_in_the_clone() {
    outcome("cat table.txt", "test -f table.txt && test ! -e ../shared").unwrap();
    outcome(
        "cat table.txt",
        "case $CARGO_TARGET_DIR in */target/fresh) ;; *) exit 1; esac",
    )
    .unwrap();
}

#[test]
fn a_failing_command_is_named() {
    let error = outcome("cat missing.txt", "true").unwrap_err();
    assert!(error.contains("cat missing.txt"), "{error}");
    let error = outcome("cat table.txt", "exit 3").unwrap_err();
    assert!(error.contains("exit 3"), "{error}");
}

#[test]
fn a_silent_first_command_is_a_failure() {
    let error = outcome("echo done", "true").unwrap_err();
    assert!(error.contains("printed 1 lines"), "{error}");
}

#[test]
fn only_what_is_committed_counts() {
    let folder = repository("cat later.txt", "true");
    std::fs::write(folder.path().join("later.txt"), "week 1 400\n".repeat(25)).unwrap();
    assert!(fresh::run(folder.path()).is_err());
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "--quiet", "--message", "second"]);
    fresh::run(folder.path()).unwrap();
}

#[test]
fn a_build_machine_runs_the_commands_in_its_own_clone() {
    let folder = repository(
        "cat later.txt",
        "test -f later.txt && test -z \"$CARGO_TARGET_DIR\"",
    );
    assert!(fresh::run_in_place(folder.path()).is_err());
    std::fs::write(folder.path().join("later.txt"), "week 1 400\n".repeat(25)).unwrap();
    // Cargo sets the variable for tests that run with a separate build folder.
    if std::env::var_os("CARGO_TARGET_DIR").is_none() {
        fresh::run_in_place(folder.path()).unwrap();
    }
}
