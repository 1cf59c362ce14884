//! Paths into an instance, the state at the end of an episode, an entry of a list in it, and the configuration.
//!
//! `each.card.marks.score` names a value, `*` each entry of a list. A function may follow after ` | `: `count`,
//! `distinct`, `digest` (of several paths with commas between them), `empty YES NO`. What stands after ` ? ` is
//! taken if there is no value.

use super::spec::listed;
use serde_json::Value;
use sim_core::Digest;
use sim_core::error::clip;
use std::collections::BTreeSet;

/// What paths begin with.
const ROOTS: [&str; 4] = ["instance", "state", "each", "config"];
/// The functions.
const FUNCTIONS: [&str; 4] = ["count", "distinct", "digest", "empty"];

/// The values that paths lead into.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Roots<'a> {
    pub(super) instance: Option<&'a Value>,
    pub(super) state: Option<&'a Value>,
    pub(super) each: Option<&'a Value>,
    pub(super) config: Option<&'a Value>,
}

/// A path in its parts.
struct ParsedPath<'p> {
    paths: Vec<&'p str>,
    function: Vec<&'p str>,
    otherwise: Option<&'p str>,
}

fn parts(path: &str) -> ParsedPath<'_> {
    // With spaces around them, so that a key may hold `?` and `|`.
    let (path, otherwise) = match path.split_once(" ? ") {
        Some((path, otherwise)) => (path, Some(otherwise.trim())),
        None => (path, None),
    };
    let (paths, function) = path.split_once(" | ").unwrap_or((path, ""));
    ParsedPath {
        paths: paths.split(',').map(str::trim).collect(),
        function: function.split_whitespace().collect(),
        otherwise,
    }
}

/// Whether any of `paths` leads into `root`.
pub(super) fn needs<'p>(mut paths: impl Iterator<Item = &'p String>, root: &str) -> bool {
    paths.any(|path| {
        parts(path)
            .paths
            .iter()
            .any(|path| path.split('.').next() == Some(root))
    })
}

/// The paths of settings in `path` that must lead somewhere.
pub(super) fn settings(path: &str) -> Vec<&str> {
    let parsed = parts(path);
    if parsed.otherwise.is_some() || parsed.function == ["digest"] {
        return Vec::new();
    }
    let paths = parsed.paths.iter();
    paths
        .filter_map(|path| path.strip_prefix("config."))
        .collect()
}

/// Whether a text can only be a path: it has a function, or begins with one of the words that paths begin with.
pub(super) fn is_path(text: &str) -> bool {
    let parsed = parts(text);
    let mut roots = parsed.paths.iter().filter_map(|path| path.split_once('.'));
    !parsed.function.is_empty() || roots.any(|(root, _)| ROOTS.contains(&root))
}

/// Checks the first word and the function of a path.
pub(super) fn check(path: &str) -> Result<(), String> {
    let parsed = parts(path);
    for part in &parsed.paths {
        let root = part.split('.').next().unwrap_or_default();
        if !ROOTS.contains(&root) {
            return Err(format!(
                "`{path}` is not a path: it begins with one of {}",
                ROOTS.join(", ")
            ));
        }
    }
    match parsed.function.first() {
        Some(name) if !FUNCTIONS.contains(name) => Err(format!(
            "`{path}`: there is no function `{name}`; choose from {}",
            FUNCTIONS.join(", ")
        )),
        _ => Ok(()),
    }
}

impl<'a> Roots<'a> {
    /// The value that paths with this first word lead into.
    fn root(&self, name: &str) -> Option<&'a Value> {
        match name {
            "instance" => self.instance,
            "state" => self.state,
            "each" => self.each,
            "config" => self.config,
            _ => None,
        }
    }

    /// What is wrong with a path that leads nowhere, with the names that there are; `None` if it leads somewhere, or says
    /// itself what stands in place of an absent value (` ? `).
    pub(super) fn fault(&self, path: &str) -> Option<String> {
        let parsed = parts(path);
        if parsed.otherwise.is_some() {
            return None;
        }
        let fault = |path: &&str| {
            let mut steps = path.split('.');
            let root = self.root(steps.next()?)?;
            fault_below(root, &steps.collect::<Vec<_>>())
        };
        // Of several paths one is enough: a digest counts those that lead nowhere as `null`.
        let faults: Option<Vec<String>> = parsed.paths.iter().map(fault).collect();
        faults?.into_iter().next()
    }

    /// The values at a path without a function.
    pub(super) fn values(&self, path: &str) -> Vec<&'a Value> {
        // Not a JSON pointer of `serde_json`, which names one value: `*` leads to many.
        let mut steps = path.split('.');
        let root = steps.next().and_then(|name| self.root(name));
        let mut found: Vec<&Value> = root.into_iter().collect();
        for step in steps {
            found = found
                .into_iter()
                .flat_map(|value| below(value, step))
                .collect();
        }
        found
    }

    /// The words at a path: none, one, or those of a list.
    pub(super) fn words(&self, path: &str) -> Vec<String> {
        let parsed = parts(path);
        let mut found = match parsed.function.as_slice() {
            [] => {
                let values = parsed.paths.iter().flat_map(|path| self.values(path));
                values.flat_map(entries).filter_map(word).collect()
            }
            ["empty", yes, no] => {
                let first = parsed
                    .paths
                    .iter()
                    .flat_map(|path| self.values(path))
                    .next();
                let is_empty = first.and_then(Value::as_array).is_some_and(Vec::is_empty);
                vec![(*if is_empty { yes } else { no }).to_owned()]
            }
            ["digest"] => {
                // A path that leads nowhere counts as `null`, so that each digest is of as many
                // values as the spec names.
                let values: Vec<Option<&Value>> = parsed
                    .paths
                    .iter()
                    .map(|path| self.values(path).first().copied())
                    .collect();
                Digest::of(&values)
                    .map(|digest| digest.to_string())
                    .into_iter()
                    .collect()
            }
            _ => self
                .number(path)
                .map(|number| number.to_string())
                .into_iter()
                .collect(),
        };
        if let (true, Some(otherwise)) = (found.is_empty(), parsed.otherwise) {
            found.push(otherwise.to_owned());
        }
        found
    }

    /// The number at a path.
    pub(super) fn number(&self, path: &str) -> Option<f64> {
        let parsed = parts(path);
        let path = parsed.paths.first()?;
        let found = self.values(path);
        match parsed.function.as_slice() {
            [] => found.first()?.as_f64(),
            ["count"] => Some(found.first()?.as_array()?.len() as f64),
            // A list that is not there has no number of entries.
            ["distinct"] => {
                let list = path.rsplit_once(".*").map_or(*path, |(list, _)| list);
                self.values(list).first()?;
                let words: BTreeSet<String> = found.into_iter().filter_map(word).collect();
                Some(words.len() as f64)
            }
            _ => None,
        }
    }
}

/// What is wrong with the first of `steps` that leads nowhere from `value`. A value that is absent or empty here may be
/// present in another episode, so a path into it is not reported.
pub(super) fn fault_below(value: &Value, steps: &[&str]) -> Option<String> {
    let (step, rest) = steps.split_first()?;
    match value {
        // An optional part that is not set; its keys are those of an episode that sets it.
        Value::Null => None,
        Value::Array(all) if *step == "*" || step.parse::<usize>().is_ok() => {
            // Entries of one list may differ, and one in which the path leads on is enough.
            let entries = below(value, step).into_iter();
            let faults: Option<Vec<String>> =
                entries.map(|entry| fault_below(entry, rest)).collect();
            faults.filter(|_| !all.is_empty())?.into_iter().next()
        }
        Value::Object(map) => match map.get(*step) {
            Some(value) => fault_below(value, rest),
            None => {
                let names: Vec<&str> = map.keys().map(String::as_str).collect();
                Some(format!(
                    "there is no `{step}`; there are {}",
                    listed(&names, ", ")
                ))
            }
        },
        Value::Array(_) => Some(format!(
            "there is a list: `*` takes its entries, `{step}` does not"
        )),
        other => Some(format!(
            "there is no `{step}` in {}",
            clip(&other.to_string())
        )),
    }
}

/// Whether a value that `part` of the JSON Schema `whole` describes can have something at `steps`.
pub(super) fn is_described(whole: &Value, part: &Value, steps: &[&str]) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        return true;
    };
    let target = part.get("$ref").and_then(Value::as_str);
    let target = target.and_then(|target| whole.pointer(target.trim_start_matches('#')));
    let kinds = ["oneOf", "anyOf", "allOf"].into_iter();
    let kinds = kinds.filter_map(|key| part.get(key)?.as_array()).flatten();
    let is_entry = *step == "*" || step.parse::<usize>().is_ok();
    let below = if is_entry {
        part.get("items")
    } else {
        part.get("properties").and_then(|fields| fields.get(*step))
    };
    let mut same = target.into_iter().chain(kinds);
    same.any(|part| is_described(whole, part, steps))
        || below.is_some_and(|part| is_described(whole, part, rest))
}

fn below<'a>(value: &'a Value, step: &str) -> Vec<&'a Value> {
    match (value, step.parse::<usize>()) {
        (Value::Array(all), _) if step == "*" => all.iter().collect(),
        (Value::Array(all), Ok(at)) => all.get(at).into_iter().collect(),
        _ => value.get(step).into_iter().collect(),
    }
}

fn entries(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(all) => all.iter().collect(),
        one => vec![one],
    }
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
