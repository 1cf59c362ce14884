//! Calling the program.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// The program with these arguments, ready to be started.
pub fn boardroom<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_boardroom"));
    command.args(arguments);
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
    } = boardroom(arguments).output().unwrap();
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

/// The lines of a file, sorted.
pub fn sorted_lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}
