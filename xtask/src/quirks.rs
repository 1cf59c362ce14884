//! `cargo xtask quirks`: the table of behaviours of model servers.
//!
//! The rows are a test of the program (`crates/boardroom/tests/it/quirks.rs`), so every test run covers them;
//! here their table is printed.

use crate::command::{cargo, run};
use anyhow::Result;
use std::path::Path;

/// Plays all behaviours, or those whose names hold `name`, and prints a row for each.
///
/// # Errors
/// If the program cannot be built, or a behaviour does not end as it must.
pub fn suite(root: &Path, name: Option<&str>) -> Result<()> {
    let arguments = [
        "test",
        "--package",
        "boardroom",
        "--features",
        "full",
        "--locked",
        "--test",
        "it",
        "quirks::",
        "--",
        "--nocapture",
    ];
    let mut tests = cargo(root, arguments);
    tests.env("QUIRK", name.unwrap_or_default());
    run(&mut tests)
}
