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

use super::item::uid;
use super::keep::Keep;
use super::plan::QaPlan;
use agent_client::method::ItemRecord;
use qa_scoring::Task;
use qa_scoring::grade::Grade;
use qa_scoring::load::Prediction;
use run_engine::error::RunError;
use run_engine::files::lock::Lock;
use run_engine::files::regular;
use run_engine::files::store::{FileStore, every};
use run_engine::files::torn::{Torn, set_torn_aside};
use run_engine::run_dir::manifest::{self, write_whole};
use run_engine::run_dir::write_errors;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{Digest, Stored};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(crate) const ITEMS: &str = "items.jsonl";
pub(crate) const GRADES: &str = "grades.jsonl";
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
pub(crate) struct GradeLine {
    /// Key of the record.
    pub(crate) key: Digest,
    grade: Grade,
}

impl GradeLine {
    /// The line of a record's grade.
    pub(crate) fn of(record: &ItemRecord, grade: &Grade) -> Self {
        Self {
            key: record.header.key(),
            grade: grade.clone(),
        }
    }
}

/// The folder of a question run, locked for this process.
#[derive(Debug)]
pub struct QaFolder {
    path: PathBuf,
    /// Held for the lock on it.
    _lock: Lock,
    items: FileStore,
    grades: FileStore,
    /// Grades that were stored before: a run that was killed between grade and record leaves one that
    /// must not be stored again.
    graded: BTreeMap<Digest, Grade>,
    /// The manifest.
    pub manifest: QaManifest,
    /// Torn last lines that were set aside on opening.
    pub set_aside: Vec<Torn>,
}

/// The grades in a file, by the key of their records.
fn by_key(grades: &FileStore) -> Result<BTreeMap<Digest, Grade>, RunError> {
    let read = |value| serde_json::from_value(value).map_err(|e| e.to_string());
    let lines: Vec<GradeLine> = grades.every(read)?;
    Ok(lines
        .into_iter()
        .map(|line| (line.key, line.grade))
        .collect())
}

/// Whether `path` holds a question run.
#[must_use]
pub fn is_question_run(path: &Path) -> bool {
    manifest::has(path, "questions")
}

/// The replies to the items of `task` in the first stream of the run in `path`, to be scored anew.
///
/// # Errors
/// When there is no such run, or it holds no reply to an item of the task.
pub fn answers(path: &Path, task: Task) -> Result<Vec<Prediction>, RunError> {
    let prefix = uid(task, "");
    let mut answers = Vec::new();
    let read = |value| ItemRecord::read(value).map_err(|e| e.to_string());
    for record in every(&path.join(ITEMS), read)? {
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

/// The manifest in `path`; its plan gets the same checks as a new plan.
fn read(path: &Path) -> Result<QaManifest, RunError> {
    let manifest: QaManifest = manifest::read(path, manifest::value(path)?)?;
    let place = path.display().to_string();
    manifest
        .questions
        .check()
        .map_err(|e| e.at(&format!("{place}: ")))?;
    Ok(manifest)
}

impl QaFolder {
    /// Begins a run in `path`, which must not hold one yet.
    ///
    /// # Errors
    /// When the folder cannot be made or written, or holds a run.
    pub fn create(path: &Path, plan: QaPlan) -> Result<Self, RunError> {
        let (manifest, lock) = manifest::begin(path, plan, |beginning, plan| QaManifest {
            schema: QaManifest::SCHEMA,
            boardroom: beginning.boardroom,
            started_unix: beginning.started_unix,
            plan_digest: beginning.plan_digest,
            questions: plan,
        })?;
        Self::with(path, lock, manifest)
    }

    /// Opens the run in `path` to go on with it.
    ///
    /// # Errors
    /// When there is none, it was written by a newer program, or another process works on it.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        manifest::check_digest(path, &manifest::value(path)?)?;
        let manifest = read(path)?;
        let place = format!("{}: ", path.display());
        let same = manifest.questions.check_version();
        same.map_err(|e| e.at(&place))?;
        Self::with(path, manifest::lock(path)?, manifest)
    }

    /// Opens the run in `path` to read it, and changes nothing in it; any number of readers may.
    ///
    /// # Errors
    /// When there is none, it was written by a newer program, or a process is writing it.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let manifest = read(path)?;
        Ok(Self {
            path: path.to_owned(),
            _lock: manifest::lock_shared(path)?,
            items: FileStore::to_read(&path.join(ITEMS)),
            grades: FileStore::to_read(&path.join(GRADES)),
            graded: BTreeMap::new(),
            manifest,
            set_aside: Vec::new(),
        })
    }

    fn with(path: &Path, lock: Lock, manifest: QaManifest) -> Result<Self, RunError> {
        let mut set_aside = Vec::new();
        let mut open = |name: &str| {
            let file = path.join(name);
            set_aside.extend(set_torn_aside(&file)?);
            FileStore::open(&file)
        };
        let (items, grades) = (open(ITEMS)?, open(GRADES)?);
        let progress = path.join(PROGRESS);
        std::fs::create_dir_all(&progress).map_err(RunError::file(&progress))?;
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
            items,
            graded: by_key(&grades)?,
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
        let mut grades = by_key(&self.grades)?;
        let records: Vec<ItemRecord> = self
            .items
            .every(|value| ItemRecord::read(value).map_err(|e| e.to_string()))?;
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

    fn snapshot_path(&self, stream: &str) -> PathBuf {
        self.path.join(snapshot_name(stream))
    }

    /// Writes the list of failures; each attempt starts a new list.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_errors(&self, lines: &[Value]) -> Result<(), RunError> {
        write_errors(&self.path, lines)
    }
}

impl Keep for QaFolder {
    /// The grade is written first, because a record means that the item is complete.
    fn keep(&self, record: &ItemRecord, grade: &Grade) -> Result<(), RunError> {
        if self.graded.get(&record.header.key()) != Some(grade) {
            self.grades.keep(&GradeLine::of(record, grade))?;
        }
        self.items.keep(record)
    }

    fn snapshot(&self, stream: &str) -> Result<Option<Value>, RunError> {
        let path = self.snapshot_path(stream);
        if !path.exists() {
            return Ok(None);
        }
        let text = regular::text(&path, regular::MOST_DATA).map_err(RunError::file(&path))?;
        let value = serde_json::from_str(&text);
        Ok(Some(value.map_err(|e| {
            RunError::usage(format!("{}: {e}", path.display()))
        })?))
    }

    fn keep_snapshot(&self, stream: &str, snapshot: &Value) -> Result<(), RunError> {
        write_whole(&self.snapshot_path(stream), &snapshot_text(snapshot))
    }
}

/// The file of a run folder with what the stream `name` has learnt.
pub(crate) fn snapshot_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let plain: String = name.chars().map(plain).collect();
    format!("{PROGRESS}/{plain}.json")
}

/// The content of that file.
pub(crate) fn snapshot_text(snapshot: &Value) -> String {
    format!("{snapshot}\n")
}
