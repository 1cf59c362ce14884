//! `cargo xtask ci`: all checks that a change must pass.
//!
//! Quick checks come first. Clippy and the tests see the program with all features, and the tests
//! that have a small form run in full. What a user gets by default is seen by a second run of clippy
//! and by `fresh`, which has a separate build folder, because it must work without anything from
//! this folder. A CI machine (one that sets `CI`) works in a fresh clone: there `fresh` runs the
//! README's commands in place, with the slow tests in full, and `test` runs only what needs a
//! feature that is off by default, and the packages that are not default members.

use crate::command::{cargo, output, program, run, works};
use crate::step::{Outcome, Step};
use crate::wheel::{self, More, Wheel};
use crate::{building, fresh, fuzz, tidy};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The names of the steps, in order.
pub const STEP_NAMES: [&str; 13] = [
    "fmt", "tidy", "crates", "clippy", "test", "doctest", "alone", "wasm", "python", "doc", "deny",
    "fuzz", "fresh",
];

/// WebAssembly without an operating system.
const WASM: &str = "wasm32-unknown-unknown";

/// What is checked for [`WASM`].
const SIMULATORS: [&str; 9] = [
    "sim-core",
    "reply-text",
    "beer-game",
    "edt",
    "econ-envs",
    "ceo-reallocation",
    "enterprise-sandbox",
    "qa-scoring",
    "aoa-router",
];

/// The steps for the workspace at `root`, in order.
#[must_use]
pub fn steps(root: &Path) -> Vec<Step> {
    let [
        fmt,
        tidy,
        crates,
        clippy,
        test,
        doctest,
        alone,
        wasm,
        python,
        doc,
        deny,
        fuzz,
        fresh,
    ] = STEP_NAMES;
    let at = |action: fn(&Path) -> Result<Outcome>| {
        let root: PathBuf = root.to_path_buf();
        move || action(&root)
    };
    vec![
        Step::new(
            fmt,
            at(|root| done(&mut cargo(root, ["fmt", "--all", "--", "--check"]))),
        ),
        Step::new(tidy, at(|root| tidy::report(root).map(|()| Outcome::Done))),
        Step::new(
            crates,
            at(|root| building::check_crates(root).map(|()| Outcome::Done)),
        ),
        Step::new(
            clippy,
            at(|root| {
                for features in [&[][..], &FULL[..]] {
                    let mut command =
                        cargo(root, ["clippy", "--workspace", "--all-targets", "--locked"]);
                    run(command.args(features).args(["--", "-D", "warnings"]))?;
                }
                Ok(Outcome::Done)
            }),
        ),
        Step::new(test, at(tests)),
        Step::new(
            doctest,
            at(|root| {
                if on_build_machine() {
                    let reason = "the README's test command in `fresh` runs them";
                    return Ok(Outcome::Skipped(reason.to_owned()));
                }
                let mut command = cargo(root, ["test", "--workspace", "--doc", "--locked"]);
                done(command.args(FULL))
            }),
        ),
        Step::new(alone, at(tests_of_few_features)),
        Step::new(wasm, at(webassembly)),
        Step::new(
            python,
            at(|root| {
                // The module needs a build of its own, for which a machine with a time limit has no minutes left.
                if std::env::var_os("PYTHON_TESTS").is_none() {
                    let reason = "the Python module was NOT tested: PYTHON_TESTS is not set; `cargo xtask python \
                                  --dev` tests it";
                    println!("{reason}");
                    return Ok(Outcome::Skipped(reason.to_owned()));
                }
                let wheel = Wheel {
                    release: false,
                    with_program: false,
                };
                wheel::check(root, wheel, &More::default())
            }),
        ),
        Step::new(
            doc,
            at(|root| {
                let mut command = cargo(root, ["doc", "--workspace", "--no-deps", "--locked"]);
                done(command.env("RUSTDOCFLAGS", "-D warnings"))
            }),
        ),
        Step::new(deny, at(licences)),
        Step::new(
            fuzz,
            at(|root| fuzz::for_a_minute(root).map(|()| Outcome::Done)),
        ),
        Step::new(fresh, at(readme_commands)),
    ]
}

/// Whether this is a CI machine, which has just cloned the repository.
fn on_build_machine() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}

fn readme_commands(root: &Path) -> Result<Outcome> {
    if on_build_machine() {
        fresh::run_in_place(root)?;
        return Ok(Outcome::Instead("in this clone".to_owned()));
    }
    fresh::run(root).map(|()| Outcome::Done)
}

/// Everything that is off by default.
const FULL: [&str; 2] = ["--features", "full"];

/// Parts of the names of the office's tests that need Cedar: unit tests, and modules of integration tests.
const NEED_CEDAR: [&str; 4] = ["tests::", "cedar", "access::", "snoop::"];

/// The program without features: whatever is off is named.
fn tests_of_few_features(root: &Path) -> Result<Outcome> {
    let mut bare = cargo(root, ["test", "-p", "boardroom", "--no-default-features"]);
    done(bare.args(["--locked", "--test", "features"]))
}

fn done(command: &mut Command) -> Result<Outcome> {
    run(command).map(|()| Outcome::Done)
}

/// The whole test suite with all features and with the slow tests in full. Nextest, where it is
/// installed, runs all test binaries at once and each test in a process of its own.
fn tests(root: &Path) -> Result<Outcome> {
    if on_build_machine() {
        let mut program = cargo(root, ["test", "--locked", "-p", "boardroom", "--lib"]);
        run(program.args(FULL).args(["--test", "features"]))?;
        let mut office = cargo(root, ["test", "--locked", "-p", "enterprise-sandbox"]);
        office.args(["--features", "cedar", "--lib", "--test", "it", "--"]);
        run(office.args(NEED_CEDAR))?;
        // The repository's tools are not default members.
        let mut tools = cargo(root, ["test", "--locked"]);
        for package in ["fuzz", "xtask"] {
            tools.args(["--package", package]);
        }
        run(in_full(&mut tools))?;
        let reason = "what needs a feature, and the repository's tools; the README's test command in `fresh` runs \
                      the rest";
        return Ok(Outcome::Instead(reason.to_owned()));
    }
    if works(root, "cargo", &["nextest", "--version"]) {
        let mut command = cargo(root, ["nextest", "run", "--workspace", "--locked"]);
        return done(in_full(command.args(FULL).arg("--no-fail-fast")));
    }
    println!("cargo-nextest is not installed: running the same tests with `cargo test`");
    let mut command = cargo(root, ["test", "--workspace", "--locked", "--no-fail-fast"]);
    command
        .args(FULL)
        .args(["--lib", "--bins", "--tests", "--examples"]);
    run(in_full(&mut command))?;
    Ok(Outcome::Instead(
        "with `cargo test`, as cargo-nextest is not installed".to_owned(),
    ))
}

/// The simulators, without an operating system: no threads, clocks, files or random numbers of the
/// machine. The workspace turns features on that a browser lacks, so the packages have their own.
fn webassembly(root: &Path) -> Result<Outcome> {
    let mut rustc = program(root, "rustc");
    let libraries = output(rustc.args(["--print", "target-libdir", "--target", WASM]))?;
    if !Path::new(libraries.trim()).exists() {
        let reason = format!(
            "the target {WASM} is not installed (`rustup target add {WASM}`), so the simulators \
             were NOT checked for it"
        );
        println!("{reason}");
        return Ok(Outcome::Skipped(reason));
    }
    let mut command = cargo(root, ["check", "--locked", "--target", WASM]);
    for simulator in SIMULATORS {
        command.args(["--package", simulator]);
    }
    command.env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION");
    done(&mut command)
}

/// The tests that this command runs are not shortened; see `sim_core::testkit::small_or_full`.
fn in_full(command: &mut Command) -> &mut Command {
    command.env("SLOW_TESTS", "1")
}

/// Licences, bans and sources of the dependencies. Advisories are not checked, because their
/// database needs a network.
fn licences(root: &Path) -> Result<Outcome> {
    if !works(root, "cargo", &["deny", "--version"]) {
        let reason = "cargo-deny is not installed (`cargo install --locked cargo-deny`), so \
                      licences and bans were NOT checked";
        println!("{reason}");
        return Ok(Outcome::Skipped(reason.to_owned()));
    }
    done(&mut cargo(
        root,
        ["deny", "check", "licenses", "bans", "sources"],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_are_those_named() {
        let names: Vec<&str> = steps(Path::new(".")).iter().map(|step| step.name).collect();
        assert_eq!(names, STEP_NAMES);
    }
}
