//! Paths into an instance, the state at the end of an episode, an entry of a list in it, and the configuration.
//!
//! `each.card.marks.score` names a value, `*` each entry of a list. A function may follow after ` | `: `count`,
//! `distinct`, `digest` (of several paths with commas between them), `empty YES NO`. What stands after ` ? ` is
//! taken if there is no value.

use serde_json::Value;
use sim_core::Digest;
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
    /// The values at a path without a function.
    pub(super) fn values(&self, path: &str) -> Vec<&'a Value> {
        // Not a JSON pointer of `serde_json`, which names one value: `*` leads to many.
        let mut steps = path.split('.');
        let root = match steps.next() {
            Some("instance") => self.instance,
            Some("state") => self.state,
            Some("each") => self.each,
            Some("config") => self.config,
            _ => None,
        };
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
