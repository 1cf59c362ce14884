//! Calling the program.

use python_snippets::Sandbox;
use run_engine::clock::Stopwatch;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::time::Duration;

/// The program with these arguments, ready to be started in a folder for temporary files.
pub fn boardroom<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_boardroom"));
    command
        .args(arguments)
        .current_dir(env!("CARGO_TARGET_TMPDIR"));
    command
}

/// The same, which saves no run unless the arguments name a folder. The tests of `daily` are about the
/// folder that a run gets without an option.
pub fn without_saving<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Command {
    let has = |word: &str| arguments.iter().any(|it| it.as_ref() == word);
    let mut command = boardroom(arguments);
    let begins_run = arguments.first().is_some_and(|it| it.as_ref() == "run");
    if begins_run
        && !["--out", "--no-save", "--plan", "--help"]
            .into_iter()
            .any(has)
    {
        command.arg("--no-save");
    }
    command
}

/// The result of one call.
pub struct Called {
    pub code: i32,
    pub out: String,
    pub err: String,
}

pub fn call<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Called {
    let Output {
        status,
        stdout,
        stderr,
    } = without_saving(arguments).output().unwrap();
    Called {
        code: status.code().unwrap_or(-1),
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8(stderr).unwrap(),
    }
}

/// Calls the program with a command line that must succeed.
pub fn ok(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let called = call(&words);
    assert_eq!(called.code, 0, "boardroom {line}: {}", called.err);
    called.out
}

/// The same with a JSON answer.
pub fn json(line: &str) -> Value {
    serde_json::from_str(&ok(line)).unwrap()
}

/// Calls the program with arguments that it must refuse with `code`, in one or two lines.
pub fn refused(words: &[&str], code: i32) -> String {
    let called = call(words);
    assert_eq!(
        called.code, code,
        "boardroom {words:?}: {}{}",
        called.out, called.err
    );
    assert!(!called.err.contains("panicked"), "{}", called.err);
    called.err
}

/// Asserts that a message contains what its reader needs to act on it: names, numbers, options,
/// files, commands. Its wording is pinned in `wording.rs`.
#[track_caller]
pub fn names<S: AsRef<str>>(message: &str, facts: &[S]) {
    for fact in facts.iter().map(AsRef::as_ref) {
        assert!(message.contains(fact), "`{fact}` is not in: {message}");
    }
}

/// An error as a program reads it.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    pub kind: String,
    pub exit_code: i32,
    pub place: Option<String>,
    pub message: String,
}

/// The error object that a call with `--json` printed as its last line, which ended with `code`.
#[track_caller]
pub fn refusal(err: &str, code: i32) -> Refusal {
    #[derive(serde::Deserialize)]
    struct Printed {
        error: Refusal,
    }
    let line = err.lines().last().unwrap_or_default();
    let printed: Printed = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {err}"));
    assert_eq!(printed.error.exit_code, code, "{err}");
    printed.error
}

/// Calls the program with these arguments and `--json`, which it must refuse with `code` and nothing
/// but an error object.
#[track_caller]
pub fn refused_json(words: &[&str], code: i32) -> Refusal {
    let err = refused(&[words, &["--json"]].concat(), code);
    assert_eq!(err.lines().count(), 1, "{err}");
    refusal(&err, code)
}

/// Asserts that `verify` accepts a folder, which holds this number of records and lacks none.
#[track_caller]
pub fn verifies(path: impl std::fmt::Display, records: u64) {
    let said = ok(&format!("verify {path}"));
    let counted: Vec<&str> = said.split_whitespace().take(2).collect();
    let expected = if records == 1 { "record" } else { "records" };
    assert_eq!(counted, [&records.to_string(), expected], "{said}");
}

/// Waits until `reached`, while the program runs. A file or a process of the system does not report
/// its changes on every platform, so it is looked at every millisecond.
pub fn until(child: &mut Child, mut reached: impl FnMut() -> bool) {
    while !reached() {
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none(), "the program ended by itself: {ended:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The exit code of a program that is about to end, and how long it took. Its standard output must
/// be a pipe: the end of the output is the end of the program.
pub fn ends(child: &mut Child) -> (Option<i32>, Duration) {
    const LONGEST: Duration = Duration::from_secs(60);
    let mut out = child.stdout.take().unwrap();
    let (say, said) = std::sync::mpsc::channel();
    let watch = Stopwatch::start();
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut out, &mut std::io::sink());
        let _ = say.send(());
    });
    if said.recv_timeout(LONGEST).is_err() {
        child.kill().unwrap();
        panic!("it did not end within {LONGEST:?}");
    }
    (child.wait().unwrap().code(), watch.elapsed())
}

/// The lines of a file, sorted.
pub fn sorted_lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// What runs Python snippets; `None`, with a line that says why, where the system has no Python 3 or no jail.
pub fn sandbox() -> Option<Sandbox> {
    let started = Sandbox::of(PathBuf::from(env!("CARGO_BIN_EXE_boardroom")));
    started.inspect_err(|e| eprintln!("SKIPPED: {e}")).ok()
}
