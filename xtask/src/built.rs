//! A copy of the program `boardroom`, built at the start of a task.

use crate::command;
use anyhow::{Context, Result};
use cargo_metadata::Message;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Its name as a target of cargo.
const NAME: &str = "boardroom";

/// A copy of the program, so that a build in the meantime does not affect a task that runs it many
/// times.
#[derive(Debug, Clone)]
pub struct Boardroom {
    program: String,
}

impl Boardroom {
    /// Builds it as cargo does by default and copies it into `folder`.
    ///
    /// # Errors
    /// If it does not build or cannot be copied, or the path of the copy is not UTF-8.
    pub fn build(root: &Path, folder: &Path) -> Result<Self> {
        Self::build_as(root, folder, None)
    }

    /// The same with a profile of its own (`dist`).
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_as(root: &Path, folder: &Path, profile: Option<&str>) -> Result<Self> {
        let build = ["build", "--quiet", "--package", NAME];
        let mut build = command::cargo(root, build);
        if let Some(profile) = profile {
            // What is given away has everything.
            build.args(["--profile", profile, "--features", "full"]);
        }
        // The location of the program depends on the user's settings, so cargo is asked for it.
        let messages = command::output(build.arg("--message-format=json-render-diagnostics"))?;
        let built = executable(&messages, NAME)?;
        let copy = folder.join(format!("{NAME}{}", std::env::consts::EXE_SUFFIX));
        std::fs::copy(&built, &copy)
            .with_context(|| format!("cannot copy {} to {}", built.display(), copy.display()))?;
        let program = copy.to_str().map(str::to_owned);
        let program = program.with_context(|| format!("{} is not UTF-8", copy.display()))?;
        Ok(Self { program })
    }

    /// The path of the copy.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// A command that runs the program with these arguments.
    #[must_use]
    pub fn call(&self, words: &[&str]) -> Command {
        let mut command = command::program(Path::new("."), &self.program);
        command.args(words);
        command
    }
}

/// Where cargo says that it put the program called `name`.
pub(crate) fn executable(messages: &str, name: &str) -> Result<PathBuf> {
    for message in Message::parse_stream(messages.as_bytes()) {
        let message = message.context("`cargo build` printed something else than messages")?;
        if let Message::CompilerArtifact(artifact) = message
            && artifact.target.name == name
            && let Some(path) = artifact.executable
        {
            return Ok(path.into_std_path_buf());
        }
    }
    anyhow::bail!("`cargo build` does not say where it put `{name}`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn artifact(name: &str, kind: &str, executable: &Value) -> String {
        let profile = json!({"opt_level": "0", "debuginfo": 2, "debug_assertions": true,
            "overflow_checks": true, "test": false});
        let target = json!({"kind": [kind], "crate_types": [kind], "name": name,
            "src_path": "/w/src/main.rs", "edition": "2024", "doc": true, "doctest": false,
            "test": true});
        let message = json!({"reason": "compiler-artifact", "package_id": "path+file:///w#0.1.0",
            "manifest_path": "/w/Cargo.toml", "target": target, "profile": profile, "features": [],
            "filenames": [], "executable": executable, "fresh": true});
        format!("{message}\n")
    }

    /// The user's target folder, target triple or profile change the location of the program.
    #[test]
    fn cargo_says_where_the_program_is() {
        let elsewhere = "/elsewhere/x86_64-unknown-linux-musl/debug/boardroom";
        let messages = [
            artifact("sim_core", "lib", &Value::Null),
            artifact("boardroom", "lib", &Value::Null),
            artifact("boardroom", "bin", &json!(elsewhere)),
        ];
        assert_eq!(
            executable(&messages.concat(), NAME).unwrap(),
            PathBuf::from(elsewhere)
        );
        let error = executable(&messages[..2].concat(), NAME).unwrap_err();
        assert!(error.to_string().contains("`boardroom`"), "{error}");
    }
}
