//! What can go wrong while reading data; scoring itself never fails, it counts.

use serde_json::Value;

/// A file, or one record of it, that cannot be read.
///
/// Loading stops at the first one: nothing is dropped. What can be read but is odd (a byte-order
/// mark, an unknown key, an empty field) is a [`Remark`](crate::load::Remark) instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The bytes are not UTF-8.
    #[error(
        "not utf-8 at byte {position}; the file must be utf-8, with or without a byte-order mark"
    )]
    NotUtf8 {
        /// Offset of the first byte at fault.
        position: usize,
    },
    /// Neither a JSON array nor JSON lines.
    #[error("line {line}: {message}; expected a json array of objects or one object a line")]
    NotJson {
        /// Line in the file, counted from 1.
        line: usize,
        /// What the parser said.
        message: String,
    },
    /// A record that is no object.
    #[error("record {index}: found {found}, expected an object")]
    NotAnObject {
        /// Position in the file, counted from 0.
        index: usize,
        /// What stood there.
        found: &'static str,
    },
    /// A field that is needed and absent.
    #[error("record {index}: no field named {}", names.join(" or "))]
    MissingField {
        /// Position in the file, counted from 0.
        index: usize,
        /// Names under which it is looked for, without regard to case.
        names: &'static [&'static str],
    },
    /// A field whose value has the wrong form.
    #[error("record {index}: field `{field}` holds {found}, expected {expected}")]
    BadField {
        /// Position in the file, counted from 0.
        index: usize,
        /// Name of the field.
        field: &'static str,
        /// What stood there, shortened.
        found: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A table of comma-separated values that cannot be read.
    #[error("line {line}: {message}")]
    BadTable {
        /// Line in the file, counted from 1.
        line: usize,
        /// What is wrong and what would be right.
        message: String,
    },
}

/// The kind of a JSON value, as a word for a message.
#[must_use]
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
