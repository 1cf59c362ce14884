//! Reads the mapping that an agent passes as one string.
//!
//! The action tools take one argument that holds a mapping written as text. Agents write it as a Python
//! dictionary (`{'Offer_1': 2}`), as JSON, with one layer of backslashes too many
//! (`{\"W1\": \"T3\"}`), or pass a JSON object. [`read_mapping`] accepts all of these; for everything
//! else it returns an error with the position of the first fault.
//!
//! It never panics, takes time proportional to the text, and refuses text that is longer than
//! [`MAX_BYTES`] or nested deeper than [`MAX_DEPTH`].
//!
//! Different from the authors' program: one grammar is the union of both notations, instead of four
//! attempts in turn; text without a mapping is answered with an error, where the program crashes.

mod parse;

use serde_json::{Map, Value};
use sim_core::ActionError;
use sim_core::error::clip;
use sim_core::tool::known_arguments;
use std::collections::BTreeMap;

/// Longest text that is read \[bytes\].
// The longest plan that a menu allows, 2,000 offers in 23 characters each, has 46 KB.
pub const MAX_BYTES: usize = 256 * 1024;

/// Deepest nesting that is read; the outer mapping is depth 1.
// Actions are flat. Deeper values are read so that the answer can say what stands in their place,
// and a limit keeps the recursion of the reader short.
pub const MAX_DEPTH: usize = 16;

/// A value as written in JSON or as a Python literal.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Literal {
    /// `None` or `null`.
    Null,
    /// `True`, `true`, `False` or `false`.
    Bool(bool),
    /// A whole number without decimal point or exponent that fits 64 bits.
    Int(i64),
    /// Any other number; NaN and the infinities can be written in both notations.
    Float(f64),
    /// A string.
    Text(String),
    /// A list, or a tuple.
    List(Vec<Literal>),
    /// A mapping.
    Map(Mapping),
}

impl Literal {
    /// The value as a number; `None` when it is not one (`True` is not a number).
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            #[expect(
                clippy::cast_precision_loss,
                reason = "callers want the nearest double"
            )]
            Self::Int(i) => Some(*i as f64),
            Self::Float(f) => Some(*f),
            _ => None,
        }
    }

    /// The value as a whole number: `2` and `2.0`, not `2.5`, `True` or `"2"`.
    ///
    /// Whole numbers beyond 2^53 that were written with a decimal point have no exact
    /// value and give `None`.
    #[must_use]
    pub fn whole(&self) -> Option<i64> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        match self {
            Self::Int(i) => Some(*i),
            #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
            Self::Float(f) if f.fract() == 0.0 && f.abs() <= EXACT => Some(*f as i64),
            _ => None,
        }
    }

    /// The value as a string; `None` when it is not one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(t) => Some(t),
            _ => None,
        }
    }

    /// The value as a short piece of text for an error message.
    #[must_use]
    pub fn display(&self) -> String {
        match self {
            Self::Null => "None".to_owned(),
            Self::Bool(true) => "True".to_owned(),
            Self::Bool(false) => "False".to_owned(),
            Self::Int(i) => i.to_string(),
            Self::Float(f) => f.to_string(),
            Self::Text(t) => format!("'{}'", clip(t)),
            Self::List(_) => "a list".to_owned(),
            Self::Map(_) => "a mapping".to_owned(),
        }
    }

    fn of_value(value: &Value, depth: usize) -> Result<Self, ActionError> {
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        Ok(match value {
            Value::Null => Self::Null,
            Value::Bool(b) => Self::Bool(*b),
            Value::Number(n) => match n.as_i64() {
                // The same two steps as for text, so that 2^63 is the same literal in an object and
                // in a string.
                Some(i) => Self::Int(i),
                None => Self::Float(n.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(s) => Self::Text(s.clone()),
            Value::Array(items) => Self::List(
                items
                    .iter()
                    .map(|v| Self::of_value(v, depth + 1))
                    .collect::<Result<_, _>>()?,
            ),
            Value::Object(object) => Self::Map(Mapping::of_object(object, depth)?),
        })
    }
}

/// A mapping from text to values. Keys are unique and in the order of their first mention; a key that was
/// written twice has its last value, as in Python. A JSON object has no order, so its keys are sorted by
/// bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mapping {
    entries: Vec<(String, Literal)>,
}

impl Mapping {
    /// The entries in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Literal)> {
        self.entries
            .iter()
            .map(|(key, value)| (key.as_str(), value))
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the mapping is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn of_object(object: &Map<String, Value>, depth: usize) -> Result<Self, ActionError> {
        let mut entries = object
            .iter()
            .map(|(key, v)| Ok((key.clone(), Literal::of_value(v, depth + 1)?)))
            .collect::<Result<Vec<_>, ActionError>>()?;
        // serde_json keeps or sorts the keys, depending on a feature that any crate of the build
        // may switch on. Replies repeat the order, so it must not depend on the build.
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Self { entries })
    }

    /// Entries as they were written, by Python's rule for duplicates.
    fn of_pairs(pairs: Vec<(String, Literal)>) -> Self {
        let mut entries: Vec<(String, Literal)> = Vec::new();
        // 256 KiB of text hold tens of thousands of keys; a search of `entries` for each of them
        // would take time by their square.
        let mut position: BTreeMap<String, usize> = BTreeMap::new();
        for (key, value) in pairs {
            if let Some(entry) = position.get(&key).and_then(|at| entries.get_mut(*at)) {
                entry.1 = value;
            } else {
                position.insert(key.clone(), entries.len());
                entries.push((key, value));
            }
        }
        Self { entries }
    }
}

/// The mapping in argument `name` of a tool call's arguments.
///
/// # Errors
/// When the arguments are not an object, the argument is absent, there is another one, or
/// [`read_mapping`] refuses it.
///
/// ```
/// use econ_envs::action_text::mapping_argument;
/// use serde_json::json;
///
/// // A model may pass the mapping as text or as an object.
/// let as_text = mapping_argument(&json!({"plan": "{'Offer_1': 2}"}), "plan")?;
/// let as_object = mapping_argument(&json!({"plan": {"Offer_1": 2}}), "plan")?;
/// assert_eq!(as_text, as_object);
/// let missing = mapping_argument(&json!({}), "plan").expect_err("there is no plan");
/// assert_eq!(missing.code, "bad_arguments");
/// # Ok::<(), sim_core::ActionError>(())
/// ```
pub fn mapping_argument(arguments: &Value, name: &str) -> Result<Mapping, ActionError> {
    let Some(fields) = arguments.as_object() else {
        return Err(ActionError::bad_arguments(format!(
            "the arguments must be an object with the one field `{name}`"
        )));
    };
    match fields.get(name) {
        Some(argument) => {
            known_arguments(arguments, &[name])?;
            read_mapping(argument)
        }
        None => Err(ActionError::bad_arguments(format!(
            "argument `{name}` is missing; it must be a string that holds a dictionary"
        ))),
    }
}

/// The mapping in `argument`, which is an object or a string.
///
/// # Errors
/// `not_a_mapping` for any other readable value, `unreadable_mapping` for unreadable text,
/// `mapping_too_long` and `mapping_too_deep` beyond the limits.
pub fn read_mapping(argument: &Value) -> Result<Mapping, ActionError> {
    match argument {
        Value::Object(object) => Mapping::of_object(object, 1),
        Value::String(text) => read_mapping_text(text),
        other => Err(not_a_mapping(&other.to_string())),
    }
}

/// The mapping in `text`.
///
/// # Errors
/// As [`read_mapping`].
///
/// # Example
/// ```
/// use econ_envs::action_text::read_mapping_text;
/// let plan = read_mapping_text("{'Offer_1': 2, \"Offer_2\": 3.0,}")?;
/// let plan: Vec<_> = plan.iter().map(|(id, copies)| (id, copies.whole())).collect();
/// assert_eq!(plan, [("Offer_1", Some(2)), ("Offer_2", Some(3))]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_mapping_text(text: &str) -> Result<Mapping, ActionError> {
    if text.len() > MAX_BYTES {
        return Err(ActionError::new(
            "mapping_too_long",
            format!(
                "the text has {} bytes; at most {MAX_BYTES} are read",
                text.len()
            ),
        ));
    }
    let read = parse::literal(text).or_else(|first| {
        // Some models escape the quotes once too often. When the unescaped text cannot be read either,
        // the first error is shown, because its position refers to the text as written.
        if text.contains('\\') {
            parse::literal(&parse::without_one_layer_of_escapes(text)).map_err(|_| first)
        } else {
            Err(first)
        }
    })?;
    match read {
        Literal::Map(mapping) => Ok(mapping),
        other => Err(not_a_mapping(&other.display())),
    }
}

fn not_a_mapping(found: &str) -> ActionError {
    ActionError::new(
        "not_a_mapping",
        format!(
            "expected a dictionary such as {{'name': value}} but found `{}`",
            clip(found)
        ),
    )
}

fn too_deep() -> ActionError {
    ActionError::new(
        "mapping_too_deep",
        format!("the dictionary is nested deeper than {MAX_DEPTH} levels"),
    )
}
