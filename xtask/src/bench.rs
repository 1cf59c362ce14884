//! `cargo xtask bench`: the benches of the workspace.

use crate::command;
use anyhow::{Result, ensure};
use std::path::Path;

/// The package that holds every bench.
pub const PACKAGE: &str = "benches";

/// Runs `cargo bench` for the benches package with these further arguments.
///
/// # Errors
/// If the workspace has no such package, or `cargo bench` fails.
pub fn run(root: &Path, arguments: &[String]) -> Result<()> {
    ensure!(
        root.join("crates")
            .join(PACKAGE)
            .join("Cargo.toml")
            .is_file(),
        "there are no benches: crates/{PACKAGE} is missing"
    );
    let mut bench = command::cargo(root, ["bench", "--package", PACKAGE]);
    bench.args(arguments);
    command::run(&mut bench)
}
