//! Packages from npm, pinned by version and hash.

use crate::command;
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// Minimum major version of Node.
const NODE: u32 = 20;

/// npm is a script; on Windows its name needs the extension.
const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// Checks that Node and npm are available.
///
/// # Errors
/// If one of them does not run, or Node is too old; the message is one line.
pub fn needed() -> Result<()> {
    let here = Path::new(".");
    ensure!(
        command::works(here, "node", &["--version"]),
        "Node {NODE} or later is needed: `node` does not run"
    );
    ensure!(
        command::works(here, NPM, &["--version"]),
        "npm is needed: `{NPM}` does not run"
    );
    let version = command::output(command::program(here, "node").arg("--version"))?;
    ensure!(
        major(&version).is_some_and(|major| major >= NODE),
        "Node {NODE} or later is needed: this one is {}",
        version.trim()
    );
    Ok(())
}

/// Installs the packages of `package.json` and `package-lock.json` with these texts into `folder`,
/// which is created, unless they are installed already.
///
/// # Errors
/// If a package is not available or has another hash, or the folder cannot be written.
pub fn install(folder: &Path, package: &str, lock: &str) -> Result<()> {
    let stamp = folder.join("installed.json");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    println!("installing npm packages into {}", folder.display());
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let keep = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    keep("package.json", package)?;
    keep("package-lock.json", lock)?;
    let mut npm = command::program(folder, NPM);
    // Without scripts: a package may run any program of its own when it is installed.
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    command::run(npm.arg("--silent"))?;
    // Written last: this file exists only if the installation is complete.
    keep("installed.json", lock)
}

/// The first number of `v20.1.0`.
fn major(version: &str) -> Option<u32> {
    let (major, _) = version.trim().strip_prefix('v')?.split_once('.')?;
    major.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_says_which_it_is() {
        assert_eq!(major("v20.20.2\n"), Some(20));
        assert_eq!(major("20.1"), None);
    }
}
