//! `cargo xtask fresh`: follows the README in a fresh clone.
//!
//! Clones the last commit into an empty folder, takes the two commands out of the README, and runs
//! them there. There is nothing beside the folder, so the run shows that nothing outside the
//! repository is needed. A CI machine already works in a fresh clone: there the commands run in
//! place, because a second cold build would double the time of the whole run.

use crate::command;
use crate::markdown::marked_command;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names of the README's two commands; each is in a fenced block below a comment `<!-- command:
/// NAME -->`.
pub const COMMANDS: [&str; 2] = ["run", "test"];

/// Minimum number of lines that the first command has to print, and of lines with a number.
const SENSIBLE_LINES: usize = 10;
const SENSIBLE_NUMBERS: usize = 5;

/// Clones the last commit of the repository at `root` and runs the README's commands in the clone.
///
/// Build output goes to `target/fresh` and is removed after a success, because it takes gigabytes.
/// After a failure it is kept, so that the next attempt continues where this one stopped.
///
/// # Errors
/// If the clone fails, the README lacks a command, a command fails, or the output of the first one
/// does not look like a game.
pub fn run(root: &Path) -> Result<()> {
    let uncommitted = command::output(command::program(root, "git").args([
        "status",
        "--porcelain",
        "--untracked-files=all",
    ]))?;
    if !uncommitted.is_empty() {
        let files = uncommitted.lines().count();
        println!("note: {files} uncommitted files are not part of what is tried here");
    }
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let clone = folder.path().join("boardroom");
    command::run(
        command::program(root, "git")
            .args(["clone", "--quiet", "--no-hardlinks"])
            .args([root, &clone]),
    )?;
    let built = target(root);
    run_commands(&clone, |line| {
        let mut command = shell(&clone, line);
        command.env("CARGO_TARGET_DIR", &built);
        // Built as on a machine on which nothing is set.
        command.env_remove("CARGO_INCREMENTAL");
        command
    })?;
    if built.exists() {
        std::fs::remove_dir_all(&built)
            .with_context(|| format!("cannot remove {}", built.display()))?;
    }
    println!("both commands of the README work in a fresh clone, with nothing beside it");
    Ok(())
}

/// Runs the README's commands in `root` itself, for a CI machine that has just cloned it. Tests that
/// have a small form run in full.
///
/// # Errors
/// If the README lacks a command, a command fails, or the output of the first one does not look
/// like a game.
pub fn run_in_place(root: &Path) -> Result<()> {
    run_commands(root, |line| {
        let mut command = shell(root, line);
        command.env("SLOW_TESTS", "1");
        command
    })
}

fn run_commands(folder: &Path, shell: impl Fn(&str) -> Command) -> Result<()> {
    let readme =
        std::fs::read_to_string(folder.join("README.md")).context("there is no README.md")?;
    let [run, test] = COMMANDS;
    let (run, test) = (
        marked_command(&readme, run)?,
        marked_command(&readme, test)?,
    );

    println!("$ {run}");
    let printed = command::output(&mut shell(&run))?;
    println!("{printed}");
    is_sensible(&printed).with_context(|| format!("`{run}`"))?;

    println!("$ {test}");
    command::run(&mut shell(&test))
}

/// The build folder of the clone.
fn target(root: &Path) -> PathBuf {
    root.join("target").join("fresh")
}

/// A line for the shell, run in `folder`.
fn shell(folder: &Path, line: &str) -> Command {
    let mut command = command::program(folder, "sh");
    command.args(["-e", "-c", line]);
    command
}

/// Whether the first command printed something that looks like a game: some lines, with numbers.
fn is_sensible(printed: &str) -> Result<()> {
    let lines = printed
        .lines()
        .filter(|line| !line.trim().is_empty())
        .count();
    let numbers = printed
        .lines()
        .filter(|line| line.contains(|c: char| c.is_ascii_digit()))
        .count();
    ensure!(
        lines >= SENSIBLE_LINES && numbers >= SENSIBLE_NUMBERS,
        "printed {lines} lines, {numbers} of them with a number; at least {SENSIBLE_LINES} and \
         {SENSIBLE_NUMBERS} were expected"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_sensible_and_silence_is_not() {
        let table: String = (1..=25).map(|week| format!("week {week}  400\n")).collect();
        is_sensible(&table).unwrap();
        for poor in ["", "done\n", &"words only\n".repeat(30), &"1\n\n".repeat(6)] {
            assert!(is_sensible(poor).is_err(), "{poor:?}");
        }
    }
}
