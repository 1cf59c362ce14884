//! Which files belong to a run: what its plan does not ask for is not part of it, whatever its name.

use super::fresh::CAP;
use super::{ACCESS, ERRORS, PRICES, REFERENCES, stamp};
use crate::files::names::MANIFEST;
use crate::files::run_file;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::Path;

/// Whether the file `name` (relative to the run folder) is one that a run with this manifest has. Of a manifest
/// without a plan nothing is known, so all names that a run may use belong to it.
#[must_use]
pub fn is_part(manifest: &Value, name: &Path) -> bool {
    let mut steps = name.iter();
    let (Some(first), second, None) = (steps.next(), steps.next(), steps.next()) else {
        return false;
    };
    let Some(first) = first.to_str() else {
        return false;
    };
    let plan = super::manifest::kind(manifest).and_then(|key| Some((key, manifest.get(key)?)));
    let Some((key, plan)) = plan else {
        return super::is_own_name(OsStr::new(first));
    };
    let episodes = key == "plan";
    // Only episodes can be played without a model. In a class, models may take empty seats.
    let agent = plan.get("agent").and_then(Value::as_str);
    let has_model = || plan.get("model").is_some_and(|model| !model.is_null());
    let asks = || !episodes || agent == Some("classroom") || has_model();
    match (first, second) {
        (MANIFEST | ERRORS | stamp::STAMP | "lock" | "progress", None) => true,
        ("progress", Some(_)) => true,
        ("episodes.jsonl" | "episodes.torn" | REFERENCES | "references.torn", None) => episodes,
        ("items.jsonl" | "items.torn", None) => !episodes,
        ("grades.jsonl" | "grades.torn", None) => key == "questions",
        (
            "calls.jsonl" | "calls.torn" | "times.jsonl" | "times.torn" | CAP | PRICES | ACCESS,
            None,
        ) => asks(),
        ("memory", None) => streams(plan).is_some(),
        ("memory", Some(stream)) => {
            let stream = stream.to_str().and_then(|name| name.strip_suffix(".jsonl"));
            let number = stream.and_then(|stream| stream.parse::<u64>().ok());
            // `07.jsonl` is not how the program writes the number.
            let number = number.filter(|number| stream == Some(&*number.to_string()));
            number
                .zip(streams(plan))
                .is_some_and(|(number, count)| number < count)
        }
        _ => false,
    }
}

/// Whether the run in the folder at `path` has the file `name`, which exists.
#[must_use]
pub fn has(path: &Path, name: &str) -> bool {
    let manifest = || super::manifest::value(path).unwrap_or_default();
    run_file::exists(&path.join(name)) && is_part(&manifest(), Path::new(name))
}

fn streams(plan: &Value) -> Option<u64> {
    plan.get("streams").and_then(Value::as_u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_the_plan_asks_for_is_part_of_a_run() {
        let policy = json!({"plan": {"agent": "base-stock"}});
        let model = json!({"plan": {"agent": "openai:m", "model": {}, "streams": 2}});
        let questions = json!({"questions": {"streams": 1}});
        for (name, parts) in [
            ("manifest.json", [true, true, true]),
            ("progress/0.jsonl", [true, true, true]),
            ("episodes.jsonl", [true, true, false]),
            ("items.jsonl", [false, false, true]),
            ("grades.torn", [false, false, true]),
            ("calls.jsonl", [false, true, true]),
            ("memory", [false, true, true]),
            ("memory/1.jsonl", [false, true, false]),
            ("memory/7.jsonl", [false, false, false]),
            ("memory/01.jsonl", [false, false, false]),
            ("notes.txt", [false, false, false]),
            ("a/b/c", [false, false, false]),
        ] {
            let found = [&policy, &model, &questions].map(|value| is_part(value, Path::new(name)));
            assert_eq!(found, parts, "{name}");
        }
        assert!(is_part(&Value::Null, Path::new("calls.jsonl")));
    }
}
