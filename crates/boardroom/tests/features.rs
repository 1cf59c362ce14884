//! What needs a feature that is off names it, with the command that adds it, before anything is
//! played or asked.
//!
//! A test program of its own, because it is built once for each set of features.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use boardroom::features::FEATURES;
use std::process::Command;

/// Exit code, output and messages of a command line in an empty folder, which must stay empty. No
/// server listens at `address`.
fn call(line: &str, address: &str) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_boardroom"))
        .args(line.split_whitespace())
        .current_dir(folder.path())
        .env("OPENAI_BASE_URL", address)
        .env("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
        .output()
        .unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// The command is refused in one line that names the feature.
#[allow(dead_code, reason = "with all features nothing is refused")]
fn names(feature: &str, command: &str, address: &str) {
    assert!(FEATURES.contains(&(feature, false)));
    let (code, _, said) = call(command, address);
    assert_eq!(code, Some(2), "{said}");
    let adds = format!("--features {feature}");
    assert!(said.contains(&adds) && said.lines().count() == 1, "{said}");
}

#[test]
fn the_version_lists_the_features() {
    let (_, text, _) = call("--version", "");
    assert_eq!(text.lines().count(), 1);
    assert!(text.starts_with(concat!("boardroom ", env!("CARGO_PKG_VERSION"), " (")));
    let (with, without) = text.split_once("without").unwrap_or((&text, ""));
    for (feature, on) in FEATURES {
        let listed = if on { with } else { without };
        let mut listed = listed.split(|c: char| !c.is_ascii_lowercase() && c != '-');
        assert!(listed.any(|word| word == feature), "{feature}: {text}");
    }
}

#[cfg(not(feature = "cedar"))]
#[test]
fn cedar_is_named() {
    let set = "--preset small --set access.policies=\"x\"";
    let played = format!("run office {set} --episodes 1 --agent oracle --out run");
    names("cedar", &played, "");
    names("cedar", &format!("generate office {set} -o office"), "");
}

#[cfg(not(feature = "mcp"))]
#[test]
fn mcp_is_named() {
    names("mcp", "serve beer-game --preset random", "");
}

#[cfg(not(feature = "view"))]
#[test]
fn view_is_named() {
    names("view", "view runs --export page", "");
}

#[cfg(not(feature = "tls"))]
#[test]
fn tls_is_named() {
    let line = "run beer-game --episodes 1 --agent openai:model --no-save";
    names("tls", line, "https://localhost:1/v1");
}
