//! Which files belong to a run: what its plan does not ask for is not part of it, whatever its name.

use super::{ACCESS, CAP, ERRORS, PRICES, REFERENCES, stamp};
use crate::files::names::MANIFEST;
use crate::files::run_file;
use crate::plan::list::INSTANCES;
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
    let Some(plan) = manifest.get("plan") else {
        return super::is_own_name(OsStr::new(first));
    };
    // In a class, models may take empty seats.
    let agent = plan.get("agent").and_then(Value::as_str);
    let is_model = |plan: &Value| plan.get("model").is_some_and(|model| !model.is_null());
    let seats = plan.get("seats").and_then(Value::as_object);
    let mut seats = seats.into_iter().flat_map(|seats| seats.values());
    let mut asks = || agent == Some("classroom") || is_model(plan) || seats.any(is_model);
    match (first, second) {
        (MANIFEST | ERRORS | stamp::STAMP | "lock" | "progress", None) => true,
        ("progress", Some(name)) => name.to_str().is_some_and(is_progress),
        ("episodes.jsonl" | "episodes.torn" | REFERENCES | "references.torn", None) => true,
        (INSTANCES, None) => plan.get("list").is_some_and(|list| !list.is_null()),
        (
            "calls.jsonl" | "calls.torn" | "times.jsonl" | "times.torn" | CAP | PRICES | ACCESS,
            None,
        ) => asks(),
        ("memory", None) => memories(plan).is_some(),
        ("memory", Some(stream)) => {
            let stream = stream.to_str().and_then(|name| name.strip_suffix(".jsonl"));
            let number = stream.and_then(|stream| stream.parse::<u64>().ok());
            // `07.jsonl` is not how the program writes the number.
            let number = number.filter(|number| stream == Some(&*number.to_string()));
            number
                .zip(memories(plan))
                .is_some_and(|(number, count)| number < count)
        }
        _ => false,
    }
}

/// Whether the name is that of a log, of sealed decisions (`4.jsonl`; `4.1.sealed` of trial 1), or of a class.
fn is_progress(name: &str) -> bool {
    let number = |text: &str| text.parse::<u64>().is_ok_and(|n| n.to_string() == text);
    let stem = ["jsonl", "sealed"]
        .iter()
        .find_map(|end| name.strip_suffix(end)?.strip_suffix('.'));
    name == "classroom.json"
        || stem.is_some_and(|stem| stem.split('.').count() <= 2 && stem.split('.').all(number))
}

/// Whether the run in the folder at `path` has the file `name`, which exists.
#[must_use]
pub fn has(path: &Path, name: &str) -> bool {
    let manifest = || super::manifest::value(path).unwrap_or_default();
    run_file::exists(&path.join(name)) && is_part(&manifest(), Path::new(name))
}

/// Most memories of a run with streams: one for each stream, group of instances and method. Not every method of a
/// routed run has instances in every group, but the plan alone does not tell, and a bound is enough to name what is not
/// part of the run.
fn memories(plan: &Value) -> Option<u64> {
    let streams = plan.get("streams").and_then(Value::as_u64)?;
    let groups = plan.pointer("/list/groups").and_then(Value::as_array);
    let methods = plan.pointer("/routing/methods").and_then(Value::as_object);
    let groups = groups.map_or(1, Vec::len).max(1) as u64;
    let methods = methods.map_or(1, serde_json::Map::len).max(1) as u64;
    Some(streams.saturating_mul(groups).saturating_mul(methods))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_the_plan_asks_for_is_part_of_a_run() {
        let policy = json!({"plan": {"agent": "base-stock"}});
        let model = json!({"plan": {"agent": "openai:m", "model": {}, "streams": 2}});
        let seated = json!({"plan": {"agent": "base-stock", "seats": {"retailer": {"agent": "openai:m",
            "model": {}}}, "streams": 2, "list": {"groups": [["a", 1], ["b", 2]]}}});
        for (name, parts) in [
            ("manifest.json", [true, true, true]),
            ("progress/0.jsonl", [true, true, true]),
            ("progress/4.1.sealed", [true, true, true]),
            ("progress/classroom.json", [true, true, true]),
            ("progress/01.jsonl", [false, false, false]),
            ("progress/1.2.3.jsonl", [false, false, false]),
            ("progress/evil.bin", [false, false, false]),
            ("episodes.jsonl", [true, true, true]),
            ("items.jsonl", [false, false, false]),
            ("instances.jsonl", [false, false, true]),
            ("calls.jsonl", [false, true, true]),
            ("memory", [false, true, true]),
            ("memory/1.jsonl", [false, true, true]),
            ("memory/3.jsonl", [false, false, true]),
            ("memory/7.jsonl", [false, false, false]),
            ("memory/01.jsonl", [false, false, false]),
            ("notes.txt", [false, false, false]),
            ("a/b/c", [false, false, false]),
        ] {
            let found = [&policy, &model, &seated].map(|value| is_part(value, Path::new(name)));
            assert_eq!(found, parts, "{name}");
        }
        assert!(is_part(&Value::Null, Path::new("calls.jsonl")));
    }
}
