//! The stored figures (`docs/benchmarks.json`).

use super::targets::{REFERENCE, TARGETS, Target, YARDSTICK};
use crate::command;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Group, function and parameter (`pricing/market/demand`).
    pub id: String,
    /// Median time of one element, or the value of another figure.
    pub value: f64,
    /// `ns` or another unit.
    pub unit: String,
    /// Median absolute deviation divided by the median, if there are samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
}

/// The machine of the measurements.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the processor.
    pub processor: String,
    /// Number of cores available to the run.
    pub cores: usize,
    /// Compiler version.
    pub rustc: String,
}

impl Machine {
    /// Describes this machine.
    ///
    /// # Errors
    /// If the compiler does not answer.
    pub fn read(root: &Path) -> Result<Self> {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            let line = info.lines().find(|line| line.starts_with(name))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let rustc = command::output(command::program(root, "rustc").arg("--version"))?;
        Ok(Self {
            processor: field("model name").unwrap_or_else(|| "unknown processor".to_owned()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            rustc: rustc.trim().to_owned(),
        })
    }
}

/// A task that other programs can do too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PeerTask {
    /// Description of the task.
    pub task: String,
    /// Description of one operation.
    pub unit: String,
    /// The programs, ours among them.
    pub peers: Vec<Peer>,
}

/// Results of one program in one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Peer {
    /// Name and version.
    pub name: String,
    /// Processor time of one operation, median \[ns\].
    pub ns: f64,
    /// Minimum and maximum of the runs \[ns\].
    pub range: [f64; 2],
    /// The computed result, for comparison.
    pub result: f64,
    /// Whether the result must agree with ours, and does; false if the program has another model.
    #[serde(default)]
    pub agrees: bool,
}

/// All stored figures.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Store {
    /// Machine of the last run.
    pub machine: Machine,
    /// Figures by bench.
    pub benches: BTreeMap<String, Vec<Entry>>,
    /// Comparisons with other programs.
    #[serde(default)]
    pub peers: Vec<PeerTask>,
}

impl Store {
    fn path(root: &Path) -> PathBuf {
        root.join("docs/benchmarks.json")
    }

    /// The stored figures; empty if there is no file yet.
    ///
    /// # Errors
    /// If there is a file that cannot be read.
    pub fn read(root: &Path) -> Result<Self> {
        let path = Self::path(root);
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text)
            .with_context(|| format!("{} does not hold figures", path.display()))
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, root: &Path) -> Result<()> {
        let path = Self::path(root);
        let text = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Every figure, bench by bench.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.benches.values().flatten()
    }

    /// The degree to which a target is reached, see [`Target::ratio`].
    #[must_use]
    pub fn ratio(&self, target: &Target) -> Option<f64> {
        target.ratio(self.slower(), |id| self.value(id))
    }

    fn value(&self, id: &str) -> Option<f64> {
        Some(self.entries().find(|entry| entry.id == id)?.value)
    }

    /// The slowness of this machine relative to the reference machine; 1 if it was not measured.
    #[must_use]
    pub fn slower(&self) -> f64 {
        self.value(YARDSTICK).map_or(1.0, |ns| ns / REFERENCE)
    }

    /// Number of measured targets that are met, and number of measured targets.
    #[must_use]
    pub fn targets_met(&self) -> (usize, usize) {
        let (mut met, mut all) = (0, 0);
        for ratio in TARGETS.iter().filter_map(|target| self.ratio(target)) {
            met += usize::from(ratio <= 1.0);
            all += 1;
        }
        (met, all)
    }
}
