//! Errors of reading data. Scoring itself never fails: it counts failures.

use serde_json::{Map, Value};
use sim_core::error::clip;

/// A file, or one record of it, that cannot be read.
///
/// Loading stops at the first error: no record is dropped. Unusual but readable content (a
/// byte-order mark, an unknown key, an empty field) gives a [`Remark`](crate::load::Remark)
/// instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The bytes are not UTF-8.
    #[error(
        "not utf-8 at byte {position}; save the file as utf-8 (in Excel `CSV UTF-8`, not `CSV`), with or without a byte-order mark"
    )]
    NotUtf8 {
        /// Offset of the first invalid byte.
        position: usize,
    },
    /// Neither a JSON array nor JSON lines.
    #[error("line {line}{message}; expected JSON: a list of records, or one record a line")]
    NotJson {
        /// Line in the file, counted from 1.
        line: usize,
        /// What is wrong with it, to follow the number of the line.
        message: String,
    },
    /// A record that is not an object.
    #[error("record {}: found {found}, expected an object", index + 1)]
    NotAnObject {
        /// Position in the file, counted from 0.
        index: usize,
        /// The value found instead.
        found: &'static str,
    },
    /// A required field is missing.
    #[error(
        "record {}: no field named {}; its fields are {}",
        index + 1,
        names.join(" or "),
        if found.is_empty() { "none" } else { found }
    )]
    MissingField {
        /// Position in the file, counted from 0.
        index: usize,
        /// The accepted names of the field, in any case.
        names: &'static [&'static str],
        /// The fields that the record has.
        found: String,
    },
    /// A field whose value has the wrong form.
    #[error("record {}: field `{field}` holds {found}, expected {expected}", index + 1)]
    BadField {
        /// Position in the file, counted from 0.
        index: usize,
        /// Name of the field.
        field: &'static str,
        /// The value found, shortened.
        found: String,
        /// The expected form.
        expected: &'static str,
    },
    /// A right answer that is none of the task's labels: no reply could be right.
    #[error(
        "record {}: the right answer is `{found}`, expected {}",
        index + 1,
        labels.join(" or ")
    )]
    UnknownLabel {
        /// Position in the file, counted from 0.
        index: usize,
        /// The value found, shortened.
        found: String,
        /// The labels.
        labels: &'static [&'static str],
    },
    /// A file of another format, or of another program, that holds no records.
    #[error("this is {found}; {remedy}")]
    OtherFormat {
        /// What the file is.
        found: &'static str,
        /// How it becomes a file that is read.
        remedy: &'static str,
    },
    /// Several fields that could hold the replies.
    #[error(
        "the replies could be in {}{}; name the field with the replies `prediction`, or leave the others out",
        quoted(names),
        if *more > 0 { format!(" or {more} further fields") } else { String::new() }
    )]
    SeveralReplies {
        /// The fields, or the first of them.
        names: Vec<String>,
        /// How many further ones there are.
        more: usize,
    },
    /// A table of separated values that cannot be read.
    #[error("line {line}: {message}")]
    BadTable {
        /// Line in the file, counted from 1.
        line: usize,
        /// The fault and the remedy.
        message: String,
    },
}

impl LoadError {
    /// The error for record `index` that has none of the fields `names`.
    pub(crate) fn missing(
        fields: &Map<String, Value>,
        index: usize,
        names: &'static [&'static str],
    ) -> Self {
        let found = fields.keys().map(|key| format!("`{}`", clip(key)));
        Self::MissingField {
            index,
            names,
            found: found.collect::<Vec<String>>().join(", "),
        }
    }
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names
        .iter()
        .map(|name| format!("`{}`", clip(name)))
        .collect();
    names.join(" or ")
}

/// The type of a JSON value, as a word for a message.
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

/// A table of the user's that cannot be read or lacks a column.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file is not a table.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// No row has the column.
    #[error("there is no column `{name}`")]
    NoColumn {
        /// The accepted names, or the name that was asked for.
        name: String,
    },
    /// A cell with a wrong value.
    #[error("row {row}, column `{name}`: `{found}` is not {expected}")]
    BadCell {
        /// The row, counted from 1 without the header.
        row: usize,
        /// The column.
        name: String,
        /// The content of the cell.
        found: String,
        /// The expected form.
        expected: &'static str,
    },
    /// More rows or columns than a table of models has.
    #[error("the table has {found} {what}; a table of models has at most {most}")]
    TooLarge {
        /// `rows` or `columns`.
        what: &'static str,
        /// Their number.
        found: usize,
        /// Their largest number.
        most: usize,
    },
}
