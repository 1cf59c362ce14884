//! `cargo xtask ci`: all checks that a change must pass.
//!
//! Quick checks come first. Everything is built at most twice: once by clippy, which stops before
//! code generation, and once by the tests, whose artefacts the doctests share. `fresh` has a
//! separate build folder, because it must work without anything from this folder. A CI machine (one
//! that sets `CI`) works in a fresh clone: there `fresh` runs the README's commands in place, and
//! `test` skips the packages that the README's test command covers.

use crate::command::{cargo, output, program, run, works};
use crate::step::{Outcome, Step};
use crate::{fresh, fuzz, tidy};
use anyhow::{Context as _, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The names of the steps, in order.
pub const STEP_NAMES: [&str; 11] = [
    "fmt", "tidy", "clippy", "test", "doctest", "alone", "wasm", "doc", "deny", "fuzz", "fresh",
];

/// WebAssembly without an operating system.
const WASM: &str = "wasm32-unknown-unknown";

/// What is checked for [`WASM`].
const SIMULATORS: [&str; 8] = [
    "sim-core",
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
        clippy,
        test,
        doctest,
        alone,
        wasm,
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
            clippy,
            at(|root| {
                let mut command =
                    cargo(root, ["clippy", "--workspace", "--all-targets", "--locked"]);
                done(command.args(["--", "-D", "warnings"]))
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
                done(&mut cargo(
                    root,
                    ["test", "--workspace", "--doc", "--locked"],
                ))
            }),
        ),
        // With the features of this package alone: the workspace turns its feature `models` on.
        Step::new(
            alone,
            at(|root| done(&mut cargo(root, ["test", "-p", "run-engine", "--locked"]))),
        ),
        Step::new(wasm, at(webassembly)),
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

/// The members that a plain `cargo test` leaves out.
fn members_beside_default(root: &Path) -> Result<Vec<String>> {
    let metadata = cargo_metadata::MetadataCommand::new()
        .current_dir(root)
        .no_deps()
        .exec()
        .context("cargo metadata")?;
    let default = metadata.workspace_default_packages();
    let beside = metadata.workspace_packages().into_iter();
    let beside = beside.filter(|package| default.iter().all(|other| other.id != package.id));
    Ok(beside.map(|package| package.name.to_string()).collect())
}

fn done(command: &mut Command) -> Result<Outcome> {
    run(command).map(|()| Outcome::Done)
}

/// The whole test suite, with nextest where it is installed: it runs all test binaries at once and
/// each test in a process of its own.
fn tests(root: &Path) -> Result<Outcome> {
    if on_build_machine() {
        // Another selection of packages has other features, and would rebuild most of the tree.
        let beside = members_beside_default(root)?;
        ensure!(
            beside.is_empty(),
            "the README's test command leaves out {}: make them default members",
            beside.join(", ")
        );
        let rest = "the README's test command in `fresh` runs all of them";
        return Ok(Outcome::Skipped(rest.to_owned()));
    }
    if works(root, "cargo", &["nextest", "--version"]) {
        return done(&mut cargo(
            root,
            [
                "nextest",
                "run",
                "--workspace",
                "--locked",
                "--no-fail-fast",
            ],
        ));
    }
    println!("cargo-nextest is not installed: running the same tests with `cargo test`");
    run(&mut cargo(
        root,
        [
            "test",
            "--workspace",
            "--locked",
            "--no-fail-fast",
            "--lib",
            "--bins",
            "--tests",
            "--examples",
        ],
    ))?;
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
    // Tantivy depends on `getrandom`, whose source is the choice of the program; a check needs none.
    command.env("RUSTFLAGS", "--cfg getrandom_backend=\"unsupported\"");
    done(&mut command)
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
    fn a_build_machine_tests_every_member_once() {
        let root = crate::command::workspace_root().unwrap();
        let beside = members_beside_default(&root).unwrap();
        assert!(beside.is_empty(), "{beside:?}");
    }

    #[test]
    fn the_steps_are_those_named() {
        let names: Vec<&str> = steps(Path::new(".")).iter().map(|step| step.name).collect();
        assert_eq!(names, STEP_NAMES);
    }
}
