//! Starts other programs.

use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Variables that cargo sets for a program that it runs. Programs started by that program must not
/// inherit them, because build scripts that watch these variables would run again.
const SET_BY_CARGO: [&str; 6] = [
    "CARGO_PKG_",
    "CARGO_MANIFEST_",
    "CARGO_BIN_",
    "CARGO_CRATE_NAME",
    "CARGO_PRIMARY_",
    "OUT_DIR",
];

/// A program to be run in `folder`, with the environment of the user's shell.
pub fn program(folder: &Path, name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(folder);
    for (key, _) in std::env::vars_os() {
        let key_text = key.to_string_lossy();
        if SET_BY_CARGO
            .iter()
            .any(|prefix| key_text.starts_with(prefix))
        {
            command.env_remove(&key);
        }
    }
    command
}

/// `cargo` with these arguments, to be run in `folder`.
pub fn cargo<A: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = program(folder, "cargo");
    command.args(arguments);
    command
}

/// Runs a command whose output goes to the terminal.
///
/// # Errors
/// If it cannot be started or reports failure; the message holds the command line.
pub fn run(command: &mut Command) -> Result<()> {
    let line = command_line(command);
    let status = command
        .status()
        .with_context(|| format!("cannot start `{line}`"))?;
    ensure!(status.success(), "`{line}` failed ({status})");
    Ok(())
}

/// Runs a command and returns what it wrote to standard output; its errors go to the terminal.
///
/// # Errors
/// If it cannot be started, reports failure, or writes no UTF-8.
pub fn output(command: &mut Command) -> Result<String> {
    let line = command_line(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{line}`"))?;
    let text = String::from_utf8(output.stdout)
        .with_context(|| format!("`{line}` wrote something that is not UTF-8"))?;
    if !output.status.success() {
        bail!("`{line}` failed ({}); it wrote:\n{text}", output.status);
    }
    Ok(text)
}

/// Whether a program succeeds with these arguments; its output is not shown.
#[must_use]
pub fn works(folder: &Path, name: &str, arguments: &[&str]) -> bool {
    let mut command = program(folder, name);
    command
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The root of the workspace that this program was built from.
///
/// # Errors
/// If the folder has gone.
pub fn workspace_root() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.parent().context("xtask lies in no folder")?;
    ensure!(
        root.join("Cargo.toml").is_file(),
        "{} holds no Cargo.toml",
        root.display()
    );
    Ok(root.to_path_buf())
}

/// The command as a command line.
fn command_line(command: &Command) -> String {
    let mut line = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_name_the_command() {
        let here = Path::new(".");
        let error = run(&mut cargo(here, ["no-such-subcommand-at-all"])).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("`cargo no-such-subcommand-at-all` failed"),
            "{error}"
        );
        let error = run(&mut program(here, "no-such-program-at-all")).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("cannot start `no-such-program-at-all`"),
            "{error}"
        );
        assert!(!works(here, "no-such-program-at-all", &[]));
    }

    #[test]
    fn output_is_captured() {
        let text = output(&mut cargo(Path::new("."), ["--version"])).unwrap();
        assert!(text.starts_with("cargo "), "{text}");
    }
}
