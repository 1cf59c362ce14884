//! Running Python behind a trait: this crate runs nothing itself.
//!
//! A [`SnippetRunner`] takes a snippet and returns a value. An implementation (Python in a process
//! with limits) must keep four promises, which the published evaluator's rule relies on:
//!
//! 1. The value is that of the **last statement's** expression: of `a + b` and of `x = a + b` the
//!    sum, of `x: float = 3.5` the 3.5, of `x += 3` the 3 (the right-hand side alone). If the last
//!    statement has none (`if`, `for`, `while`, `def`, `with`, `raise`), the snippet failed.
//! 2. Every snippet starts in a new interpreter; `df` is defined if the snippet has a table, and
//!    only then.
//! 3. Printed output is discarded, unless the snippet asks for it ([`Snippet::printed`]). The snippet cannot access
//!    files, the network, other processes or the environment.
//! 4. What could not be run here (no Python, a missing module) gives [`SnippetReply::Unsupported`] and not a
//!    failure, so that it is counted apart from wrong answers.

use crate::python::{float_text, parse_float};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Time limit of a snippet in the published evaluation, and of a program of FormulaEval with its four
/// cases \[ms\].
pub const TIME_LIMIT_MS: u32 = 1_000;

/// Code to be run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snippet {
    /// Python source.
    pub code: String,
    /// A table that the code sees as `df`: a dictionary of dictionaries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub df: Option<Value>,
    /// Whether what it prints counts where its last statement has no value, and a function that it only defines is
    /// called (default: no, as in the published evaluation).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub printed: bool,
    /// Its time limit \[ms\].
    pub time_limit_ms: u32,
}

impl Snippet {
    /// A snippet without a table, under [`TIME_LIMIT_MS`].
    #[must_use]
    pub fn new(code: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            df: None,
            printed: false,
            time_limit_ms: TIME_LIMIT_MS,
        }
    }

    /// The same with a table.
    #[must_use]
    pub fn with_table(mut self, table: Option<Value>) -> Self {
        self.df = table;
        self
    }

    /// The same where what it prints counts if nothing else has a value.
    #[must_use]
    pub fn with_printed(mut self) -> Self {
        self.printed = true;
        self
    }
}

/// The result of a snippet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SnippetReply {
    /// The value of the last statement; with [`Snippet::printed`], the end of what was printed as a text where that
    /// statement has none.
    Value(SnippetValue),
    /// It raised, its last statement has no value, or it ran out of time or memory.
    Failed {
        /// The exception (`ZeroDivisionError: ..`), or `timeout`, `memory`, `recursion`.
        reason: String,
    },
    /// It cannot be run here.
    Unsupported {
        /// What is missing (`import pandas`).
        what: String,
    },
}

/// A Python value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SnippetValue {
    /// `None`.
    None,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// A whole number too large for `Int`, as its digits.
    Big(String),
    /// A float; written as text, so that `nan` and `inf` pass through JSON.
    Float(#[serde(with = "float_as_text")] f64),
    /// A text.
    Text(String),
    /// A list or a tuple.
    List(Vec<SnippetValue>),
    /// A dictionary with its keys as text.
    // Pairs and not a map: a dictionary keeps the order in which its keys came in, and its text
    // shows it.
    Map(Vec<(String, SnippetValue)>),
    /// Anything else, by its type.
    Other(String),
}

impl SnippetValue {
    /// The value of `float(value)`; `None` if Python raises an error.
    ///
    /// ```
    /// use qa_scoring::snippet::SnippetValue as V;
    /// assert_eq!(V::Text("42".into()).as_float(), Some(42.0));
    /// assert_eq!(V::Bool(true).as_float(), Some(1.0));
    /// assert_eq!(V::List(vec![V::Int(42)]).as_float(), None);
    /// ```
    #[must_use]
    pub fn as_float(&self) -> Option<f64> {
        match self {
            // In Python a truth value is a whole number.
            Self::Bool(value) => Some(f64::from(u8::from(*value))),
            Self::Int(value) => Some(*value as f64),
            // Too large for a float is an error in Python and not infinity.
            Self::Big(digits) => parse_float(digits).filter(|v| v.is_finite()),
            Self::Float(value) => Some(*value),
            Self::Text(text) => parse_float(text),
            Self::None | Self::List(_) | Self::Map(_) | Self::Other(_) => None,
        }
    }

    /// The number of a value that is a number (truth values count), for comparing outputs.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            // A text is not equal to a number in Python, even where it could be converted.
            Self::Text(_) => None,
            other => other.as_float(),
        }
    }

    /// Approximately the text of `str(value)`, for comparing texts.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::None => "None".to_owned(),
            Self::Bool(true) => "True".to_owned(),
            Self::Bool(false) => "False".to_owned(),
            Self::Int(value) => value.to_string(),
            Self::Big(text) | Self::Text(text) => text.clone(),
            Self::Float(value) => float_text(*value),
            Self::List(items) => {
                let parts: Vec<String> = items.iter().map(Self::text).collect();
                format!("[{}]", parts.join(", "))
            }
            Self::Map(fields) => {
                let parts: Vec<String> = fields
                    .iter()
                    .map(|(key, value)| format!("{key}: {}", value.text()))
                    .collect();
                format!("{{{}}}", parts.join(", "))
            }
            Self::Other(kind) => format!("<{kind}>"),
        }
    }
}

mod float_as_text {
    use crate::python::{float_text, parse_float};
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&float_text(*value))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_float(&text)
            .ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not a float")))
    }
}

/// Runs snippets; implemented by `python-snippets`.
///
/// Any closure from a snippet to a reply is a runner:
/// ```
/// use qa_scoring::snippet::{Snippet, SnippetReply, SnippetRunner, SnippetValue};
/// let mut always_two = |_: &Snippet| SnippetReply::Value(SnippetValue::Int(2));
/// assert_eq!(always_two.run(&Snippet::new("1 + 1")), SnippetReply::Value(SnippetValue::Int(2)));
/// ```
pub trait SnippetRunner {
    /// Runs one snippet. Never fails itself: errors are part of the reply.
    fn run(&mut self, snippet: &Snippet) -> SnippetReply;
}

impl<F: FnMut(&Snippet) -> SnippetReply> SnippetRunner for F {
    fn run(&mut self, snippet: &Snippet) -> SnippetReply {
        self(snippet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_pass_through_json() {
        use SnippetValue as V;
        let value = V::List(vec![
            V::Float(f64::INFINITY),
            V::Float(0.1),
            V::Int(1 << 100),
            V::None,
            V::Map(vec![("k".into(), V::Bool(true))]),
        ]);
        let text = serde_json::to_string(&value).unwrap();
        assert_eq!(serde_json::from_str::<SnippetValue>(&text).unwrap(), value);
        assert_eq!(V::Big("1".repeat(400)).as_float(), None);
    }
}
