//! Task files on the disk.

use qa_scoring::load::{self, Loaded};
use qa_scoring::{Gold, Item, Task};
use run_engine::error::RunError;
use run_engine::files::regular;
use run_engine::terminal::shown_path;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How deep folders are searched; the published repository needs five.
const DEPTH: u32 = 12;

/// A task's items with where they come from.
#[derive(Debug)]
pub struct TaskFile {
    /// The file.
    pub path: PathBuf,
    /// Its items, each with an identifier of its own, and what was odd.
    pub loaded: Loaded<Item>,
}

/// Reads the file of `task`: `data` itself, or the file below the folder `data` that is named like it.
///
/// Where a file uses one identifier twice, the second becomes `7#2`: an answer belongs to one item.
///
/// # Errors
/// When there is no such file, or it cannot be read.
pub fn read(data: &Path, task: Task) -> Result<TaskFile, RunError> {
    let path = if data.is_dir() {
        find(data, task)?
    } else {
        data.to_owned()
    };
    let mut loaded = regular::loaded(&path, |bytes| load::items(task, bytes))?;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for item in &mut loaded.records {
        let count = seen.entry(item.id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            item.id = format!("{}#{count}", item.id);
        }
    }
    Ok(TaskFile { path, loaded })
}

/// The questions of a task that have a right answer.
#[derive(Debug, Clone)]
pub struct Questions {
    /// The task.
    pub task: Task,
    /// The items.
    pub items: Vec<Item>,
    /// How many have no right answer and are not asked.
    pub without_answer: usize,
    /// What was odd in the file.
    pub remarks: Vec<String>,
}

impl Questions {
    /// Reads the questions of a task.
    ///
    /// # Errors
    /// When its file is not there or cannot be read, or holds no question with a right answer.
    pub fn read(data: &Path, task: Task) -> Result<Self, RunError> {
        let file = read(data, task)?;
        let all = file.loaded.records.len();
        let items: Vec<_> = file
            .loaded
            .records
            .into_iter()
            // A question without a right answer would cost a request and could not be graded.
            .filter(|item| item.gold != Gold::Absent)
            .collect();
        if items.is_empty() {
            let text = format!(
                "{} holds no question with a right answer",
                shown_path(&file.path)
            );
            return Err(RunError::usage(text));
        }
        Ok(Self {
            task,
            without_answer: all - items.len(),
            items,
            remarks: file
                .loaded
                .remarks
                .iter()
                .map(ToString::to_string)
                .collect(),
        })
    }
}

/// Every task of which `data` holds a file.
///
/// # Errors
/// When the folder cannot be read, or holds no file of a task.
pub fn tasks(data: &Path) -> Result<Vec<Task>, RunError> {
    let paths = files(data)?;
    let texts: Vec<&str> = paths.iter().map(String::as_str).collect();
    let inventory = load::inventory(&texts);
    if inventory.present.is_empty() {
        let other = match inventory.unknown.iter().chain(&paths).next() {
            Some(path) => format!(
                "it has {}, whose task `--data FILE --task TASK` names",
                shown_path(path)
            ),
            None => "it is empty".to_owned(),
        };
        return Err(RunError::usage(format!(
            "{} holds no file with the name of a task, such as fin_single.jsonl or FPB.json: {other}",
            shown_path(data)
        )));
    }
    Ok(inventory.present.into_keys().collect())
}

fn find(data: &Path, task: Task) -> Result<PathBuf, RunError> {
    let paths = files(data)?;
    let texts: Vec<&str> = paths.iter().map(String::as_str).collect();
    let inventory = load::inventory(&texts);
    let Some(first) = inventory.present.get(&task).and_then(|paths| paths.first()) else {
        let present: Vec<String> = inventory.present.keys().map(Task::to_string).collect();
        let has = match present.len() {
            0 => "no task's file".to_owned(),
            1..=8 => present.join(", "),
            more => format!("those of {more} other tasks"),
        };
        return Err(RunError::usage(format!(
            "{} holds no file of {task}; it holds {has}",
            shown_path(data)
        )));
    };
    Ok(data.join(first))
}

/// Paths of all files below a folder, relative to it, in order.
pub(super) fn files(data: &Path) -> Result<Vec<String>, RunError> {
    let mut found = Vec::new();
    walk(data, "", DEPTH, &mut BTreeSet::new(), &mut found)?;
    // In order, or the file that is taken for a task would depend on the disk.
    found.sort();
    Ok(found)
}

/// A folder that has several names, because of links, is read under the first of them: a link to a folder above would
/// lead in circles.
fn walk(
    dir: &Path,
    below: &str,
    depth: u32,
    met: &mut BTreeSet<PathBuf>,
    found: &mut Vec<String>,
) -> Result<(), RunError> {
    if !met.insert(std::fs::canonicalize(dir).map_err(RunError::file(dir))?) {
        return Ok(());
    }
    let entries = std::fs::read_dir(dir).map_err(RunError::file(dir))?;
    let entries = entries.collect::<Result<Vec<_>, _>>();
    let mut entries = entries.map_err(RunError::file(dir))?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        // A file name that is not valid text does not belong to a task.
        let Some(name) = name.to_str() else { continue };
        let path = entry.path();
        if path.is_dir() {
            if depth > 0 {
                walk(&path, &format!("{below}{name}/"), depth - 1, met, found)?;
            }
        } else {
            found.push(format!("{below}{name}"));
        }
    }
    Ok(())
}
