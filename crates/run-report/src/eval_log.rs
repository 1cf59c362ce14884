//! Logs of inspect_ai as run folders.
//!
//! The tasks of the Python package keep the record of each sample in its log, with the manifest of the server that
//! wrote it. A log (`.eval`) is an archive with one JSON file for each sample and epoch. [`Unpacked`] writes the records
//! of logs into run folders that last as long as it does, so that whatever reads run folders reads logs. Their agent is
//! `mcp:MODEL`, with the model of the log.

mod zip;

use run_engine::error::RunError;
use run_engine::files::regular;
use run_engine::plan::Plan;
use run_engine::run_dir::{Folder, RunPlan as _};
use run_engine::terminal::shown_path;
use serde_json::Value;
use sim_core::EpisodeRecord;
use sim_core::strict::{MOST_STORED_VALUES, holds_more_than};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The file of an archive that names the model.
const HEADER: &str = "header.json";

/// Longest log \[bytes\].
const MOST_LOG: u64 = 4 << 30;

/// Run folders made of logs; they are removed with it.
#[derive(Debug)]
pub struct Unpacked {
    /// What was given, with a folder in the place of each log.
    pub paths: Vec<PathBuf>,
    /// What is told about the logs: samples without a record.
    pub remarks: Vec<String>,
    home: Option<PathBuf>,
}

/// The records of one run in a log.
#[derive(Debug)]
struct Held {
    plan: Plan,
    /// By episode and trial.
    records: BTreeMap<(u64, u32), EpisodeRecord>,
}

impl Unpacked {
    /// Reads every log among `paths`; other paths stay as they are.
    ///
    /// # Errors
    /// When a log cannot be read or holds no record of an episode, or its folder cannot be written.
    pub fn of(paths: &[PathBuf]) -> Result<Self, RunError> {
        let mut unpacked = Self {
            paths: Vec::new(),
            remarks: Vec::new(),
            home: None,
        };
        for (number, path) in paths.iter().enumerate() {
            if !is_log(path) {
                unpacked.paths.push(path.clone());
                continue;
            }
            let home = unpacked.home()?;
            // Tables call a run by the name of its folder where another has its name.
            let name = path.file_name().unwrap_or(OsStr::new("log.eval"));
            let folder = home.join(number.to_string()).join(name);
            let (runs, lacking) = read(path)?;
            if lacking > 0 {
                let name = shown_path(path);
                unpacked.remarks.push(format!(
                    "{name}: {lacking} samples have no record of an episode and are left out"
                ));
            }
            let alone = runs.len() == 1;
            for (run, held) in runs.into_iter().enumerate() {
                let folder = if alone {
                    folder.clone()
                } else {
                    folder.join(run.to_string())
                };
                write(&folder, held)?;
            }
            unpacked.paths.push(folder);
        }
        Ok(unpacked)
    }

    /// The folder of all folders, which is made when it is first needed.
    fn home(&mut self) -> Result<PathBuf, RunError> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        if let Some(home) = &self.home {
            return Ok(home.clone());
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("boardroom-logs-{}-{number}", std::process::id());
        let home = std::env::temp_dir().join(name);
        std::fs::create_dir(&home).map_err(RunError::file(&home))?;
        self.home = Some(home.clone());
        Ok(home)
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        if let Some(home) = &self.home {
            // A copy that cannot be removed does no harm.
            let _ = std::fs::remove_dir_all(home);
        }
    }
}

/// The name of a model, if it is one.
fn named(value: Option<&Value>) -> Option<&str> {
    let name = value?.as_str()?.trim();
    (!name.is_empty() && name != "none/none").then_some(name)
}

/// Whether `path` names a log.
#[must_use]
pub fn is_log(path: &Path) -> bool {
    let extension = path.extension();
    extension.is_some_and(|name| name.eq_ignore_ascii_case("eval")) && path.is_file()
}

/// The runs in a log, and the number of samples without a record.
fn read(path: &Path) -> Result<(Vec<Held>, u64), RunError> {
    let bytes = regular::bytes(path, MOST_LOG).map_err(RunError::file(path))?;
    let wrong = |what: &str| RunError::usage(format!("{}: {what}", shown_path(path)));
    let files = zip::Archive::new(&bytes).map_err(|e| wrong(&e))?;
    let mut runs: BTreeMap<String, Held> = BTreeMap::new();
    let mut lacking = 0;
    // Without a header, as in a log that was cut off, samples name the model that answered.
    let header = files.read(HEADER).ok();
    let header = header.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    let of_log = header
        .as_ref()
        .and_then(|it| named(it.pointer("/eval/model")));
    for name in files.names().filter(|name| name.starts_with("samples/")) {
        let text = files.read(name).map_err(|e| wrong(&e))?;
        if holds_more_than(&text, MOST_STORED_VALUES) {
            return Err(wrong(&format!(
                "{name} holds more than {MOST_STORED_VALUES} JSON values"
            )));
        }
        // Python writes NaN for a figure that does not exist, which no other reader of JSON takes.
        let sample: Value = serde_json::from_slice(&text)
            .or_else(|_| serde_json::from_str(&without_nan(&text)))
            .map_err(|e| wrong(&format!("{name} is not JSON: {e}")))?;
        let Some((mut plan, mut record)) =
            kept(&sample).map_err(|e| wrong(&format!("{name}: {e}")))?
        else {
            lacking += 1;
            continue;
        };
        // The server does not know which model its client asks.
        if let Some(model) = of_log.or_else(|| named(sample.pointer("/output/model"))) {
            plan.agent = format!("{}:{model}", plan.agent);
            record.header.agent.clone_from(&plan.agent);
        }
        let key = sim_core::bytes::canonical_text(&sim_core::bytes::json(&Plan {
            episodes: 0,
            ..plan.clone()
        }));
        let held = runs.entry(key).or_insert_with(|| Held {
            plan,
            records: BTreeMap::new(),
        });
        let number = (record.header.episode, record.header.trial);
        held.plan.episodes = held.plan.episodes.max(number.0.saturating_add(1));
        held.records.insert(number, record);
    }
    if runs.is_empty() {
        return Err(wrong(
            "no sample has the record of an episode; `inspect eval boardroom/..` writes logs that have them",
        ));
    }
    Ok((runs.into_values().collect(), lacking))
}

/// The text of a file with `null` for every NaN outside of strings.
fn without_nan(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    let mut rest = text.as_ref();
    while let Some(next) = rest.chars().next() {
        if !quoted && let Some(after) = rest.strip_prefix("NaN") {
            out.push_str("null");
            rest = after;
            continue;
        }
        match next {
            _ if escaped => escaped = false,
            '\\' => escaped = quoted,
            '"' => quoted = !quoted,
            _ => {}
        }
        out.push(next);
        rest = rest.get(next.len_utf8()..).unwrap_or_default();
    }
    out
}

/// The plan and the record that a sample keeps. The epoch says which trial of the episode it is.
fn kept(sample: &Value) -> Result<Option<(Plan, EpisodeRecord)>, String> {
    let scores = sample.get("scores").and_then(Value::as_object);
    let text = |key: &str| {
        let mut all = scores.into_iter().flat_map(serde_json::Map::values);
        all.find_map(|score| score.get("metadata")?.get(key)?.as_str())
    };
    let (Some(manifest), Some(record)) = (text("manifest"), text("record")) else {
        return Ok(None);
    };
    let manifest: Value =
        serde_json::from_str(manifest).map_err(|e| format!("the manifest: {e}"))?;
    let plan = manifest.get(Plan::KEY).cloned().unwrap_or_default();
    let plan: Plan = serde_json::from_value(plan).map_err(|e| format!("the plan: {e}"))?;
    let record = record.lines().next().unwrap_or_default();
    let mut record: EpisodeRecord =
        serde_json::from_str(record).map_err(|e| format!("the record: {e}"))?;
    let epoch = sample.get("epoch").and_then(Value::as_u64).unwrap_or(1);
    let trial = epoch.saturating_sub(1);
    record.header.trial = u32::try_from(trial).map_err(|_| format!("there is no epoch {epoch}"))?;
    Ok(Some((plan, record)))
}

/// Writes a run into a new folder.
fn write(path: &Path, held: Held) -> Result<(), RunError> {
    let folder = Folder::create(path, held.plan)?;
    let mut file = folder.appender()?;
    for record in held.records.values() {
        file.keep(record)?;
    }
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_is_replaced_outside_of_strings_only() {
        let text = br#"{"a": NaN, "b": "NaN \" NaN", "c": [NaN]}"#;
        let read: Value = serde_json::from_str(&without_nan(text)).unwrap();
        assert_eq!(
            read,
            serde_json::json!({"a": null, "b": "NaN \" NaN", "c": [null]})
        );
    }

    #[test]
    fn other_paths_stay() {
        let paths = [PathBuf::from("runs/a"), PathBuf::from("missing.eval")];
        assert_eq!(Unpacked::of(&paths).unwrap().paths, paths);
    }

    #[test]
    fn a_file_that_is_no_log_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.eval");
        std::fs::write(&path, "not an archive").unwrap();
        let error = Unpacked::of(&[path]).unwrap_err().to_string();
        assert!(error.contains("a.eval"), "{error}");
    }
}
