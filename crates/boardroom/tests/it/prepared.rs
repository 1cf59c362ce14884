//! Plan files and run folders that several tests start from.

use crate::program::{json, ok};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Writes a plan file into `dir` and returns its path.
pub fn plan_file(dir: &Path, text: &str) -> String {
    let file = dir.join("plan.toml");
    std::fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

/// Plays a plan into `dir/name` and returns that folder. `more` are further arguments.
pub fn sweep(dir: &Path, name: &str, plan: &str, more: &str) -> String {
    let file = plan_file(dir, plan);
    let out = dir.join(name).to_str().unwrap().to_owned();
    ok(&format!("run --plan {file} --out {out} {more}"));
    out
}

/// Plays the run with the arguments `words` into `dir/name` and returns that folder.
pub fn played(dir: &Path, name: &str, words: &str) -> String {
    let out = dir.join(name).to_str().unwrap().to_owned();
    json(&format!("run {words} --json --out {out}"));
    out
}

/// The members of a sweep whose names begin with `start`, sorted.
pub fn members(sweep: impl AsRef<Path>, start: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(sweep).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let named = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        path.is_dir() && name.starts_with(start)
    };
    let mut members: Vec<PathBuf> = paths.filter(named).collect();
    members.sort();
    members
}

/// The manifest of a run folder.
pub fn manifest(run: &Path) -> Value {
    let text = std::fs::read_to_string(run.join("manifest.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}
