//! Python environments with pinned packages.

use crate::command;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

/// Minimum version of Python, major and minor.
const PYTHON: (u32, u32) = (3, 11);

/// Checks that Python and its module venv are available.
///
/// # Errors
/// If Python does not run, is too old, or lacks the module; the message is one line.
pub fn needed() -> Result<()> {
    let here = Path::new(".");
    let (major, minor) = PYTHON;
    let wanted = format!("Python {major}.{minor} or later with its module venv is needed");
    ensure!(
        command::works(here, "python3", &["-c", "import venv"]),
        "{wanted}: `python3` does not run it"
    );
    let say = "import sys; print(*sys.version_info[:3], sep='.')";
    let version = command::output(command::program(here, "python3").args(["-c", say]))?;
    ensure!(
        is_enough(&version),
        "{wanted}: this one is {}",
        version.trim()
    );
    Ok(())
}

/// Whether a version such as `3.11.2` is new enough.
fn is_enough(version: &str) -> bool {
    let mut parts = version.trim().split('.').map(|part| part.parse().ok());
    let (major, minor) = (parts.next().flatten(), parts.next().flatten());
    major.zip(minor).is_some_and(|found| found >= PYTHON)
}

/// A Python environment with pinned packages.
#[derive(Debug, Clone)]
pub struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// Creates an environment in `folder` for the list in the file `requirements`, unless there is
    /// one already.
    ///
    /// # Errors
    /// If Python or a package is missing, or the folder cannot be written.
    pub fn make(folder: PathBuf, requirements: &Path) -> Result<Self> {
        let environment = Self { folder };
        let wanted = std::fs::read_to_string(requirements)
            .with_context(|| format!("cannot read {}", requirements.display()))?;
        let stamp = environment.folder.join("installed.txt");
        if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            return Ok(environment);
        }
        let here = Path::new(".");
        println!(
            "installing {} into {}",
            requirements.display(),
            environment.folder.display()
        );
        let mut venv = command::program(here, "python3");
        command::run(
            venv.args(["-m", "venv", "--clear"])
                .arg(&environment.folder),
        )
        .context("Python 3 with its module venv is needed")?;
        let mut pip = command::program(here, environment.python());
        pip.args(["-m", "pip", "install", "--quiet"]);
        pip.args(["--disable-pip-version-check", "--requirement"]);
        command::run(pip.arg(requirements))?;
        std::fs::write(&stamp, wanted)
            .with_context(|| format!("cannot write {}", stamp.display()))?;
        Ok(environment)
    }

    /// Its interpreter.
    #[must_use]
    pub fn python(&self) -> PathBuf {
        self.programs().join(if cfg!(windows) {
            "python.exe"
        } else {
            "python"
        })
    }

    /// The folder of its programs.
    #[must_use]
    pub fn programs(&self) -> PathBuf {
        let name = if cfg!(windows) { "Scripts" } else { "bin" };
        self.folder.join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_are_refused() {
        for enough in ["3.11.0\n", "3.11", "3.14.1", "4.0.0"] {
            assert!(is_enough(enough), "{enough}");
        }
        for old in ["3.9.18", "3.10.14\n", "2.7.18", "3", "", "pypy"] {
            assert!(!is_enough(old), "{old}");
        }
    }
}
