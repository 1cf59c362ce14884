//! Questions: programs in the sandbox, files of answers, models that answer.

mod analysed;
mod asked;
mod made;
mod measured;
mod model;
mod requests;
mod routed;
mod sandbox;
mod scored;
mod seats;

use serde_json::Value;
use std::path::Path;

/// The lines of a file of JSON lines; none if there is no file.
pub(crate) fn json_lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The records of a run of questions, each with the name of its question (`application/FPB:2`).
pub(crate) fn named_records(dir: &Path) -> Vec<(String, Value)> {
    let asked = json_lines(&dir.join("instances.jsonl"));
    let name = |record: &Value| {
        // Each stream has the questions once, in numbers of its own.
        let episode = usize::try_from(record["header"]["episode"].as_u64().unwrap()).unwrap();
        let question = &asked[episode % asked.len()];
        let [task, id] =
            [&question["task"], &question["item"]["id"]].map(|it| it.as_str().unwrap());
        format!("{task}:{id}")
    };
    let records = json_lines(&dir.join("episodes.jsonl")).into_iter();
    records.map(|record| (name(&record), record)).collect()
}
