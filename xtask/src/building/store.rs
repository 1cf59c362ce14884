//! The stored figures (`docs/building.json`).

use crate::bench::Machine;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is measured together, in an empty build folder.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Name on the command line and in the file.
    pub name: &'static str,
    /// Lines for the shell, each measured.
    pub commands: &'static [&'static str],
    /// Goal of the first command \[processor seconds\], if there is one.
    pub goal: Option<f64>,
    /// The program whose length is measured, below the build folder.
    pub program: Option<&'static str>,
    /// Whether the length of the build folder is measured.
    pub folder: bool,
}

impl Row {
    const fn new(
        name: &'static str,
        commands: &'static [&'static str],
        goal: Option<f64>,
        program: Option<&'static str>,
    ) -> Self {
        Self {
            name,
            commands,
            goal,
            program,
            folder: false,
        }
    }
}

/// All rows.
pub const ROWS: [Row; 6] = [
    Row::new(
        "example",
        &["cargo run --quiet --release --example beer_game"],
        None,
        None,
    ),
    Row::new(
        "program",
        &["cargo build --quiet --release -p boardroom"],
        Some(390.0),
        Some("release/boardroom"),
    ),
    Row::new(
        "full",
        &["cargo build --quiet --release -p boardroom --features full"],
        Some(660.0),
        Some("release/boardroom"),
    ),
    Row::new(
        "dist",
        &["cargo build --quiet --profile dist -p boardroom --features full"],
        None,
        Some("dist/boardroom"),
    ),
    Row {
        folder: true,
        ..Row::new(
            "tests",
            &["cargo test --quiet", "cargo test --quiet"],
            Some(840.0),
            None,
        )
    },
    Row::new(
        "one",
        &[
            "cargo test --quiet -p beer-game",
            // What a developer waits for after an edit.
            "touch crates/beer-game/src/chain.rs && cargo test --quiet -p beer-game",
        ],
        Some(90.0),
        None,
    ),
];

/// The cost of a crate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CrateCost {
    /// Its name.
    pub name: String,
    /// Processor time of its compilation \[seconds\].
    pub seconds: f64,
}

/// When and where a row was measured. Rows of different days and machines stand on one page, because all of them together
/// take an hour.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Measured {
    /// The day (UTC), as `2026-11-26`.
    pub day: String,
    /// The machine.
    pub machine: Machine,
}

/// Everything that is stored.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Store {
    /// When and on what machine each row was measured.
    pub measured: BTreeMap<String, Measured>,
    /// Number of crates in the default program.
    pub crates: usize,
    /// Processor time of each command of each row \[seconds\].
    pub seconds: BTreeMap<String, Vec<f64>>,
    /// Lengths of programs and build folders \[bytes\].
    pub bytes: BTreeMap<String, u64>,
    /// What the first command of each row spent on each crate, the dearest first.
    pub by_crate: BTreeMap<String, Vec<CrateCost>>,
}

impl Store {
    /// Reads the file; an absent one is empty.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(root: &Path) -> Result<Self> {
        let path = path(root);
        match std::fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).with_context(|| path.display().to_string()),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(e) => Err(e).with_context(|| path.display().to_string()),
        }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, root: &Path) -> Result<()> {
        let path = path(root);
        let text = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(&path, text).with_context(|| path.display().to_string())
    }
}

fn path(root: &Path) -> PathBuf {
    root.join("docs").join("building.json")
}
