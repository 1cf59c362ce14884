//! Lists the tasks in a data folder.

use crate::task::{Domain, QuestionType, Task};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Tasks found in and absent from a list of paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inventory {
    /// Paths of each task that was found; the published repository has one file twice.
    pub present: BTreeMap<Task, Vec<String>>,
    /// Missing tasks of families of which at least one task was found.
    pub absent: Vec<Absent>,
    /// Question files (`.json`, `.jsonl`) that belong to no task.
    pub unknown: Vec<String>,
}

/// A missing task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Absent {
    /// The task.
    pub task: Task,
    /// Whether the published repository lacks it too.
    pub never_published: bool,
}

/// Sorts the paths of a data folder by task.
///
/// ```
/// let found = qa_scoring::load::inventory(&["Dataset/OM/Table QA/questions.json"]);
/// assert_eq!(found.present.len(), 1);
/// // Of the other fifteen knowledge files two were never published.
/// assert_eq!(found.absent.len(), 15);
/// assert_eq!(found.absent.iter().filter(|a| a.never_published).count(), 2);
/// ```
#[must_use]
pub fn inventory(paths: &[&str]) -> Inventory {
    let mut present: BTreeMap<Task, Vec<String>> = BTreeMap::new();
    let mut unknown = Vec::new();
    for path in paths {
        match Task::of_path(path) {
            Some(task) => present.entry(task).or_default().push((*path).to_owned()),
            None if path.ends_with(".json") || path.ends_with(".jsonl") => {
                unknown.push((*path).to_owned());
            }
            None => {}
        }
    }
    let same_family = |a: &Task, b: &Task| std::mem::discriminant(a) == std::mem::discriminant(b);
    let absent = Task::all()
        .filter(|task| !present.contains_key(task))
        .filter(|task| present.keys().any(|known| same_family(known, task)))
        .map(|task| Absent {
            task,
            never_published: matches!(
                task,
                Task::Knowledge(Domain::Om | Domain::Stat, QuestionType::General)
            ),
        })
        .collect();
    Inventory {
        present,
        absent,
        unknown,
    }
}
