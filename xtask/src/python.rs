//! Python environments with pinned packages.

use crate::command;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// A Python of its own, with what a list of packages pins.
#[derive(Debug, Clone)]
pub struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// Makes `folder` such an environment for the list in the file `requirements`, unless it is one
    /// already.
    ///
    /// # Errors
    /// If Python or a package is not to be had, or the folder cannot be written.
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
        if cfg!(windows) {
            self.folder.join("Scripts/python.exe")
        } else {
            self.folder.join("bin/python")
        }
    }
}
