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
use super::marker::judged;
use super::plan::QaPlan;
use agent_client::method::{ItemRecord, MethodSpec};
use qa_scoring::grade::Grade;
use qa_scoring::load::Prediction;
use qa_scoring::{Settings, Task};
use run_engine::error::RunError;
use run_engine::files::Jsonl;
use run_engine::files::jsonl::every;
use run_engine::files::{regular, run_file};
use run_engine::run_dir::manifest::{self, write_whole};
use run_engine::run_dir::{RunDir, RunPlan as _};
use run_engine::terminal::shown_path;
use run_engine::words::file_name;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{Digest, Stored as _};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

pub(crate) const GRADES: &str = "grades.jsonl";
const PROGRESS: &str = "progress";

/// The folder of a question run.
pub type QaDir = RunDir<QaPlan>;

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

/// The answers of a question run and the memories of its streams, in its folder.
#[derive(Debug)]
pub struct Answers {
    /// The folder.
    pub dir: QaDir,
    /// The files of records and of grades, once they may be written.
    files: OnceLock<Mutex<(Jsonl, Jsonl)>>,
    /// Grades that were stored before: a run that was killed between grade and record leaves one that
    /// must not be stored again.
    graded: BTreeMap<Digest, Grade>,
}

/// The grades in a file, by the key of their records.
pub(super) fn by_key(path: &Path) -> Result<BTreeMap<Digest, Grade>, RunError> {
    let read = |value| serde_json::from_value(value).map_err(|e| e.to_string());
    let lines: Vec<GradeLine> = every(path, read)?;
    let lines = lines.into_iter();
    Ok(lines.map(|line| (line.key, line.grade)).collect())
}

/// Every record of the run in `dir` with its grade, by key.
///
/// # Errors
/// When a file cannot be read, a line is not a record, or a record has no grade.
pub fn records(dir: &QaDir) -> Result<BTreeMap<Digest, (ItemRecord, Grade)>, RunError> {
    let file = dir.path().join(GRADES);
    let mut grades = by_key(&file)?;
    let mut all = BTreeMap::new();
    for record in dir.scan(Ok)?.results {
        let key = record.header.key();
        let item = &record.header.item;
        if all.contains_key(&key) {
            return Err(RunError::usage(format!(
                "{}: `{item}` has two records; remove one of the two lines",
                shown_path(dir.path().join(QaPlan::RECORDS))
            )));
        }
        let Some(grade) = grades.remove(&key) else {
            return Err(RunError::usage(format!(
                "{}: `{item}` has a record but no grade; remove its line from {} to ask it again",
                shown_path(&file),
                QaPlan::RECORDS
            )));
        };
        all.insert(key, (record, grade));
    }
    Ok(all)
}

/// Names of the methods of the run in `path` that reason before their answers.
fn reasoning_methods(path: &Path) -> Result<BTreeSet<String>, RunError> {
    let manifest = manifest::value(path)?;
    let plan = manifest.get(QaPlan::KEY);
    let routed = plan.and_then(|plan| plan.pointer("/routing/methods")?.as_object());
    let one = plan.and_then(|plan| plan.get("method"));
    let all = routed
        .into_iter()
        .flat_map(|methods| methods.values())
        .chain(one);
    // A plan that cannot be read is reported by the commands that need all of it.
    let specs = all.filter_map(|method| serde_json::from_value::<MethodSpec>(method.clone()).ok());
    Ok(specs
        .filter(MethodSpec::reasons)
        .map(|spec| spec.name)
        .collect())
}

/// The replies to the items of `task` in the first stream of the run in `path`, to be scored anew by the rules of
/// `settings`.
///
/// # Errors
/// When there is no such run, or it holds no reply to an item of the task.
pub fn answers(path: &Path, task: Task, settings: &Settings) -> Result<Vec<Prediction>, RunError> {
    let prefix = uid(task, "");
    let mut answers = Vec::new();
    let read = |value| ItemRecord::read(value).map_err(|e| e.to_string());
    let reasoning = reasoning_methods(path)?;
    for record in every(&path.join(QaPlan::RECORDS), read)? {
        let reasons = reasoning.contains(&record.header.method);
        if record.header.stream == 0
            && let Some(id) = record.header.item.strip_prefix(&prefix)
        {
            answers.push(Prediction::new(
                id.to_owned(),
                Some(judged((task, settings), reasons, &record.text, &record.answer).to_owned()),
            ));
        }
    }
    if answers.is_empty() {
        let text = format!(
            "{} holds no reply to a question of {task}",
            shown_path(path)
        );
        return Err(RunError::usage(text));
    }
    Ok(answers)
}

impl Answers {
    /// The answers in `dir`, which is not changed.
    ///
    /// # Errors
    /// When a file cannot be read, or the run was made with another version of the scorer.
    pub fn open(dir: QaDir) -> Result<Self, RunError> {
        let place = format!("{}: ", shown_path(dir.path()));
        let same = dir.plan().check_version();
        same.map_err(|e| e.at(&place))?;
        Ok(Self {
            graded: by_key(&dir.path().join(GRADES))?,
            files: OnceLock::new(),
            dir,
        })
    }

    /// Makes the folder ready to be extended, unless it `is_whole`. Truncated last lines are moved out of
    /// its files.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(crate) fn begin(&self, is_whole: bool) -> Result<(), RunError> {
        if is_whole {
            self.dir.set_torn_aside()?;
            return self.dir.set_torn_aside_in(GRADES);
        }
        let files = (self.dir.appender()?, self.dir.appender_of(GRADES)?);
        let progress = self.dir.path().join(PROGRESS);
        run_file::make_folder(&progress)?;
        self.files.get_or_init(|| Mutex::new(files));
        Ok(())
    }

    fn snapshot_path(&self, stream: &str) -> PathBuf {
        self.dir.path().join(snapshot_name(stream))
    }
}

impl Keep for Answers {
    /// The grade is written first, because a record means that the item is complete.
    fn keep(&self, record: &ItemRecord, grade: &Grade) -> Result<(), RunError> {
        let closed = || RunError::Failed("the files of answers are not open".to_owned());
        let files = self.files.get().ok_or_else(closed)?;
        let (items, grades) = &mut *files.lock().unwrap_or_else(PoisonError::into_inner);
        if self.graded.get(&record.header.key()) != Some(grade) {
            grades.keep(&GradeLine::of(record, grade))?;
            grades.sync()?;
        }
        items.keep(record)?;
        items.sync()
    }

    fn snapshot(&self, stream: &str) -> Result<Option<Value>, RunError> {
        let path = self.snapshot_path(stream);
        run_file::json(&path, regular::MOST_DATA)
    }

    fn keep_snapshot(&self, stream: &str, snapshot: &Value) -> Result<(), RunError> {
        write_whole(&self.snapshot_path(stream), &snapshot_text(snapshot))
    }
}

/// The file of a run folder with what the stream `name` has learnt.
pub(crate) fn snapshot_name(name: &str) -> String {
    format!("{PROGRESS}/{}.json", file_name(name, ""))
}

/// The content of that file.
pub(crate) fn snapshot_text(snapshot: &Value) -> String {
    format!("{snapshot}\n")
}
