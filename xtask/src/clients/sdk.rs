//! The clients: downloaded at pinned versions, connected to a server.

use crate::cache;
use crate::command;
use crate::npm;
use crate::python::{self, Environment};
use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Generations of the protocol: the newest with a handshake, and the first without.
pub(super) const VERSIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

const PLAY_PY: &str = include_str!("play.py");
const PLAY_MJS: &str = include_str!("play.mjs");
const REQUIREMENTS: &str = include_str!("requirements.txt");
const PACKAGE: &str = include_str!("package.json");
const LOCK: &str = include_str!("package-lock.json");

/// The output of a client.
#[derive(Debug, Deserialize)]
pub(super) struct Played {
    /// The negotiated protocol version.
    pub(super) protocol: String,
    /// Names of all tools.
    pub(super) tools: Vec<String>,
    pub(super) games: Vec<Seen>,
}

/// A game as its client saw it.
#[derive(Debug, Deserialize)]
pub(super) struct Seen {
    pub(super) episode: usize,
    /// Numbers of the calls that were refused.
    pub(super) refused: Vec<usize>,
    /// The structured part of the last answer.
    pub(super) end: Value,
}

/// A client library, ready to use.
pub(super) struct Sdk {
    language: &'static str,
    interpreter: PathBuf,
    /// Folder of the script, and its name.
    script: (PathBuf, &'static str),
}

impl Sdk {
    /// All client libraries, downloaded if they are not in the cache.
    pub(super) fn fetch_all(root: &Path) -> Result<Vec<Self>> {
        // Checked before anything is downloaded or built.
        python::needed()?;
        npm::needed()?;
        let cache = cache::folder("clients")?;
        Ok(vec![Self::python(root, &cache)?, Self::node(&cache)?])
    }

    fn python(root: &Path, cache: &Path) -> Result<Self> {
        let requirements = root.join("xtask/src/clients/requirements.txt");
        let environment = Environment::make(cache.join("python"), &requirements)?;
        keep(cache, "play.py", PLAY_PY)?;
        Ok(Self {
            language: "python",
            interpreter: environment.python(),
            script: (cache.to_path_buf(), "play.py"),
        })
    }

    /// The script is stored beside the packages, because Node looks for them there.
    fn node(cache: &Path) -> Result<Self> {
        let folder = cache.join("node");
        npm::install(&folder, PACKAGE, LOCK)?;
        keep(&folder, "play.mjs", PLAY_MJS)?;
        Ok(Self {
            language: "node",
            interpreter: PathBuf::from("node"),
            script: (folder, "play.mjs"),
        })
    }

    pub(super) fn language(&self) -> &'static str {
        self.language
    }

    /// Name and version of the package that implements this protocol version.
    pub(super) fn package(&self, protocol: &str) -> String {
        let name = match (self.language, protocol) {
            ("python", _) => "mcp",
            (_, "2025-11-25") => "@modelcontextprotocol/sdk",
            _ => "@modelcontextprotocol/client",
        };
        format!("{name} {}", pinned(name).unwrap_or_default())
    }

    /// Plays the games of a file on a server, given by its command or address.
    pub(super) fn play(
        &self,
        version: &str,
        games: &Path,
        transport: &str,
        server: &[String],
    ) -> Result<Played> {
        let (folder, script) = &self.script;
        let mut client = command::program(folder, &self.interpreter);
        client.arg(script).arg(version).arg(games).arg(transport);
        let printed = command::output(client.args(server))?;
        serde_json::from_str(&printed)
            .with_context(|| format!("the client printed something else than it should: {printed}"))
    }
}

/// Writes a file of the cache.
pub(super) fn keep(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// The version that the requirement lists pin.
fn pinned(package: &str) -> Option<String> {
    let mut python = REQUIREMENTS.lines();
    let python = python.find_map(|line| line.strip_prefix(package)?.strip_prefix("=="));
    if let Some(version) = python {
        return Some(version.to_owned());
    }
    let node: Value = serde_json::from_str(PACKAGE).ok()?;
    let version = node.get("dependencies")?.get(package)?.as_str()?;
    Some(version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_pinned() {
        assert!(
            REQUIREMENTS
                .lines()
                .all(|line| line.split("==").count() == 2),
            "{REQUIREMENTS}"
        );
        let lock: Value = serde_json::from_str(LOCK).unwrap();
        let wanted: Value = serde_json::from_str(PACKAGE).unwrap();
        let packages = lock["packages"].as_object().unwrap();
        assert_eq!(packages[""]["dependencies"], wanted["dependencies"]);
        for (name, package) in packages.iter().filter(|(name, _)| !name.is_empty()) {
            assert!(package["integrity"].is_string(), "{name}");
        }
        for name in [
            "mcp",
            "@modelcontextprotocol/sdk",
            "@modelcontextprotocol/client",
        ] {
            let version = pinned(name).unwrap();
            assert!(version.split('.').all(|part| part.parse::<u32>().is_ok()));
        }
    }
}
