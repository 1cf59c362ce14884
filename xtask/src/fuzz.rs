//! `cargo xtask fuzz`: mutated inputs for all code that reads external data.
//!
//! The fuzzer is a separate package; this module builds and starts it. It is built with the dev
//! profile, whose overflow checks and debug assertions find more than a fast build would.

use crate::built::executable;
use crate::command;
use anyhow::{Context as _, Result, bail};
use std::path::Path;

/// Its name as a package and as a target of cargo.
const NAME: &str = "fuzz";

/// Builds the fuzzer and runs it with these arguments.
///
/// # Errors
/// If it does not build, or an input failed.
pub fn run(root: &Path, words: &[String]) -> Result<()> {
    let mut build = command::cargo(root, ["build", "--quiet", "--locked", "--workspace"]);
    // With an example in the build, the dependencies have the same features as in the tests, so
    // their artefacts are reused; without it, all of them would be rebuilt.
    build.args(["--bin", NAME, "--example", "new_simulator"]);
    build.args(["--features", "full"]);
    let messages = command::output(build.arg("--message-format=json-render-diagnostics"))?;
    let program = executable(&messages, NAME)?;
    let mut started = command::program(root, &program);
    started.args(words);
    let status = started.status().context("the fuzzer cannot be started")?;
    if !status.success() {
        bail!("inputs failed (see above); those that were kept lie in target/fuzz/failures");
    }
    Ok(())
}

/// A short run of all targets, for every change.
///
/// # Errors
/// As [`run`].
pub fn for_a_minute(root: &Path) -> Result<()> {
    let words = ["run", "--minutes", "1"];
    run(root, &words.map(str::to_owned))
}
