//! The folder of a question run.
//!
//! ```text
//! DIR/manifest.json      the plan, the program's version, the start time
//! DIR/items.jsonl        one ItemRecord a line, appended and synced when the item is answered
//! DIR/grades.jsonl       the scorer's full grade of each, by the record's key
//! DIR/progress/          what each stream with a memory has learnt so far
//! DIR/calls.jsonl        model requests and replies, keys scrubbed
//! DIR/errors.jsonl       what failed, and why
//! ```

use super::marker::uid;
use super::plan::QaPlan;
use crate::error::RunError;
use crate::model::store::FileStore;
use agent_client::method::ItemRecord;
use agent_client::store::Store as _;
use qa_scoring::Task;
use qa_scoring::grade::Grade;
use qa_scoring::load::Prediction;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{Digest, Stored};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

const MANIFEST: &str = "manifest.json";
const ITEMS: &str = "items.jsonl";
const GRADES: &str = "grades.jsonl";
const ERRORS: &str = "errors.jsonl";
const PROGRESS: &str = "progress";

/// What stands in `manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QaManifest {
    /// Form of this file.
    pub schema: u32,
    /// Version of the program that began the run.
    pub boardroom: String,
    /// When it began (seconds since 1970-01-01 UTC).
    pub started_unix: u64,
    /// Digest of the plan.
    pub plan_digest: Digest,
    /// What is asked.
    pub questions: QaPlan,
}

impl Stored for QaManifest {
    const WHAT: &'static str = "manifest of a question run";
    const SCHEMA: u32 = 1;
}

/// A line of `grades.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GradeLine {
    key: Digest,
    grade: Grade,
}

/// The folder of a question run, locked for this process.
#[derive(Debug)]
pub struct QaFolder {
    path: PathBuf,
    /// Held for the lock on it.
    _lock: File,
    items: FileStore,
    grades: FileStore,
    /// The manifest.
    pub manifest: QaManifest,
    /// Torn last lines that were set aside on opening.
    pub set_aside: Vec<PathBuf>,
}

/// Whether `path` holds a question run.
#[must_use]
pub fn is_question_run(path: &Path) -> bool {
    std::fs::read_to_string(path.join(MANIFEST))
        .ok()
        .and_then(|text| serde_json::from_str::<Value>(&text).ok())
        .is_some_and(|value| value.get("questions").is_some())
}

/// The replies to the items of `task` in the first stream of the run in `path`, to be scored anew.
///
/// # Errors
/// When there is no such run, or it holds no reply to an item of the task.
pub fn answers(path: &Path, task: Task) -> Result<Vec<Prediction>, RunError> {
    let file = path.join(ITEMS);
    let text = std::fs::read_to_string(&file).map_err(RunError::file(&file))?;
    let prefix = uid(task, "");
    let mut answers = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let value: Value = match serde_json::from_str(line) {
            Ok(value) => value,
            // The line that a run is writing, or that was cut off with it.
            Err(_) if index + 1 == text.lines().count() => break,
            Err(e) => {
                let text = format!("{} line {}: {e}", file.display(), index + 1);
                return Err(RunError::usage(text));
            }
        };
        let record = ItemRecord::read(value)
            .map_err(|e| RunError::usage(format!("{} line {}: {e}", file.display(), index + 1)))?;
        if record.header.stream == 0
            && let Some(id) = record.header.item.strip_prefix(&prefix)
        {
            answers.push(Prediction {
                id: id.to_owned(),
                reply: Some(record.text),
            });
        }
    }
    if answers.is_empty() {
        let text = format!("{} holds no reply to a question of {task}", path.display());
        return Err(RunError::usage(text));
    }
    Ok(answers)
}

impl QaFolder {
    /// Begins a run in `path`, which must not hold one yet.
    ///
    /// # Errors
    /// When the folder cannot be made or written, or holds a run.
    pub fn create(path: &Path, plan: QaPlan) -> Result<Self, RunError> {
        std::fs::create_dir_all(path).map_err(RunError::file(path))?;
        let file = path.join(MANIFEST);
        if file.exists() {
            return Err(RunError::usage(format!(
                "{0} holds a run already; finish it with `boardroom resume {0}` or name another folder",
                path.display()
            )));
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "the runner notes when a run began"
        )]
        let now = std::time::SystemTime::now();
        let started = now.duration_since(std::time::UNIX_EPOCH);
        let failed = |e: &dyn std::fmt::Display| RunError::usage(format!("the plan: {e}"));
        let manifest = QaManifest {
            schema: QaManifest::SCHEMA,
            boardroom: env!("CARGO_PKG_VERSION").to_owned(),
            started_unix: started.map_or(0, |d| d.as_secs()),
            plan_digest: Digest::of(&plan).map_err(|e| failed(&e))?,
            questions: plan,
        };
        let text = serde_json::to_string_pretty(&manifest).map_err(|e| failed(&e))?;
        // Written beside and renamed, so that a manifest is there whole or not at all.
        replace(&file, &(text + "\n"))?;
        Self::with(path, manifest)
    }

    /// Opens the run in `path` to go on with it.
    ///
    /// # Errors
    /// When there is none, it was written by a newer program, or another process works on it.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        let file = path.join(MANIFEST);
        let text = std::fs::read_to_string(&file).map_err(RunError::file(&file))?;
        let value = serde_json::from_str::<Value>(&text)
            .map_err(|e| RunError::usage(format!("{} is not JSON: {e}", file.display())))?;
        let manifest = QaManifest::read(value)
            .map_err(|e| RunError::usage(format!("{}: {e}", file.display())))?;
        Self::with(path, manifest)
    }

    fn with(path: &Path, manifest: QaManifest) -> Result<Self, RunError> {
        let file = path.join(MANIFEST);
        let lock = File::open(&file).map_err(RunError::file(&file))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                return Err(RunError::usage(format!(
                    "another process works on {}; wait for it to end",
                    path.display()
                )));
            }
            Err(std::fs::TryLockError::Error(e)) => return Err(RunError::file(&file)(e)),
        }
        let mut set_aside = Vec::new();
        let mut open = |name: &str| {
            let file = path.join(name);
            set_aside.extend(set_torn_aside(&file).map_err(RunError::file(&file))?);
            FileStore::open(&file).map_err(RunError::file(&file))
        };
        let (items, grades) = (open(ITEMS)?, open(GRADES)?);
        let progress = path.join(PROGRESS);
        std::fs::create_dir_all(&progress).map_err(RunError::file(&progress))?;
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
            items,
            grades,
            manifest,
            set_aside,
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every record with its grade, by key.
    ///
    /// # Errors
    /// When a file cannot be read or a line is no record.
    pub fn records(&self) -> Result<BTreeMap<Digest, (ItemRecord, Grade)>, RunError> {
        let mut grades = BTreeMap::new();
        let grade_lines: Vec<GradeLine> = self.lines(&self.grades, GRADES, |value| {
            serde_json::from_value(value).map_err(|e| e.to_string())
        })?;
        for line in grade_lines {
            grades.insert(line.key, line.grade);
        }
        let records: Vec<ItemRecord> = self.lines(&self.items, ITEMS, |value| {
            ItemRecord::read(value).map_err(|e| e.to_string())
        })?;
        let mut all = BTreeMap::new();
        for record in records {
            let key = record.header.key();
            let Some(grade) = grades.remove(&key) else {
                return Err(RunError::usage(format!(
                    "{}: `{}` has a record and no grade",
                    self.path.join(GRADES).display(),
                    record.header.item
                )));
            };
            all.insert(key, (record, grade));
        }
        Ok(all)
    }

    fn lines<T>(
        &self,
        store: &FileStore,
        name: &str,
        read: impl Fn(Value) -> Result<T, String>,
    ) -> Result<Vec<T>, RunError> {
        let path = self.path.join(name);
        let mut lines = Vec::new();
        store
            .scan(&mut |_, line| {
                let value = serde_json::from_str(line).map_err(|e| e.to_string());
                lines.push(value.and_then(&read));
            })
            .map_err(RunError::file(&path))?;
        let numbered = lines.into_iter().enumerate();
        numbered
            .map(|(index, line)| {
                line.map_err(|e| {
                    RunError::usage(format!("{} line {}: {e}", path.display(), index + 1))
                })
            })
            .collect()
    }

    /// Keeps an answered item. The grade goes first: a record stands for a whole item.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn keep(&self, record: &ItemRecord, grade: &Grade) -> Result<(), RunError> {
        let line = GradeLine {
            key: record.header.key(),
            grade: grade.clone(),
        };
        append(&self.grades, &self.path.join(GRADES), &line)?;
        append(&self.items, &self.path.join(ITEMS), record)
    }

    /// What a stream had learnt when it was interrupted.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn snapshot(&self, stream: &str) -> Result<Option<Value>, RunError> {
        let path = self.snapshot_path(stream);
        if !path.exists() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&path).map_err(RunError::file(&path))?;
        let value = serde_json::from_str(&text);
        Ok(Some(value.map_err(|e| {
            RunError::usage(format!("{}: {e}", path.display()))
        })?))
    }

    /// Keeps what a stream has learnt.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep_snapshot(&self, stream: &str, snapshot: &Value) -> Result<(), RunError> {
        replace(&self.snapshot_path(stream), &format!("{snapshot}\n"))
    }

    fn snapshot_path(&self, stream: &str) -> PathBuf {
        let plain: String = stream
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        self.path.join(PROGRESS).join(plain + ".json")
    }

    /// Writes the list of failures, which begins anew with each attempt.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_errors(&self, lines: &[Value]) -> Result<(), RunError> {
        let path = self.path.join(ERRORS);
        if lines.is_empty() {
            return match std::fs::remove_file(&path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(RunError::file(&path)(e)),
                _ => Ok(()),
            };
        }
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(&path, text).map_err(RunError::file(&path))
    }
}

fn append<T: Serialize>(store: &FileStore, path: &Path, line: &T) -> Result<(), RunError> {
    let line = serde_json::to_string(line).map_err(|e| RunError::Failed(e.to_string()))?;
    store.append(&line).map_err(RunError::file(path))?;
    Ok(())
}

/// Writes a file beside and renames it, so that it is there whole or not at all.
fn replace(path: &Path, text: &str) -> Result<(), RunError> {
    let draft = path.with_extension("json.new");
    std::fs::write(&draft, text).map_err(RunError::file(&draft))?;
    std::fs::rename(&draft, path).map_err(RunError::file(path))
}

/// Moves a last line without its end to a file of its own, `items.torn`.
fn set_torn_aside(path: &Path) -> std::io::Result<Option<PathBuf>> {
    if !path.exists() {
        return Ok(None);
    }
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let end = file.metadata()?.len();
    let (mut start, mut tail) = (end, Vec::new());
    // Backwards by blocks until a line end is found.
    let whole = loop {
        if start == 0 {
            break 0;
        }
        let from = start.saturating_sub(1 << 16);
        let mut block = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        std::io::Read::by_ref(&mut file)
            .take(start - from)
            .read_to_end(&mut block)?;
        let at = block.iter().rposition(|byte| *byte == b'\n');
        block.extend(tail);
        tail = block;
        if let Some(at) = at {
            break from + at as u64 + 1;
        }
        start = from;
    };
    if whole == end {
        return Ok(None);
    }
    let skip = tail.len() - usize::try_from(end - whole).unwrap_or(tail.len());
    let aside = path.with_extension("torn");
    let mut out = OpenOptions::new().create(true).append(true).open(&aside)?;
    out.write_all(tail.get(skip..).unwrap_or_default())?;
    out.write_all(b"\n")?;
    out.sync_data()?;
    file.set_len(whole)?;
    file.sync_data()?;
    Ok(Some(aside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_is_set_aside_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("items.jsonl");
        for (text, whole, torn) in [
            ("", "", None),
            ("{\"a\":1}\n", "{\"a\":1}\n", None),
            ("{\"a\":1}\n{\"b", "{\"a\":1}\n", Some("{\"b\n")),
            ("{\"b", "", Some("{\"b\n")),
        ] {
            std::fs::write(&path, text).unwrap();
            let aside = set_torn_aside(&path).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
            let kept = aside.map(|aside| {
                let text = std::fs::read_to_string(&aside).unwrap();
                std::fs::remove_file(aside).unwrap();
                text
            });
            assert_eq!(kept.as_deref(), torn);
        }
        let long = format!("{{}}\n{}", "x".repeat(200_000));
        std::fs::write(&path, &long).unwrap();
        let aside = set_torn_aside(&path).unwrap().unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 3);
        assert_eq!(std::fs::metadata(aside).unwrap().len(), 200_001);
    }
}
