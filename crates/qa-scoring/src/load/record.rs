//! Reads JSON arrays and JSON lines, and finds fields by name in any case.

use super::Loaded;
use super::remark::{RemarkKind, Remarks};
use crate::error::{LoadError, kind_of};
use serde_json::{Map, Value};
use sim_core::error::clip;

/// Reads a file that is a JSON array of objects or one JSON object a line, with or without a
/// byte-order mark, with any line ends.
///
/// # Errors
/// [`LoadError`] when it is neither.
///
/// ```
/// let file = qa_scoring::load::objects(b"{\"a\": 1}\r\n\r\n{\"a\": 2}\r\n")?;
/// assert_eq!(file.records.len(), 2);
/// # Ok::<(), qa_scoring::LoadError>(())
/// ```
pub fn objects(bytes: &[u8]) -> Result<Loaded<Map<String, Value>>, LoadError> {
    let mut remarks = Remarks::default();
    let records = read_objects(bytes, &mut remarks)?;
    Ok(Loaded {
        records,
        remarks: remarks.into_vec(),
    })
}

/// The text of a file without its byte-order mark.
pub(super) fn text_of<'a>(bytes: &'a [u8], remarks: &mut Remarks) -> Result<&'a str, LoadError> {
    let text = std::str::from_utf8(bytes).map_err(|error| LoadError::NotUtf8 {
        position: error.valid_up_to(),
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => {
            remarks.note(RemarkKind::ByteOrderMark, 0);
            rest
        }
        None => text,
    })
}

/// The records of an array or of lines; blank lines are skipped.
pub(super) fn read_objects(
    bytes: &[u8],
    remarks: &mut Remarks,
) -> Result<Vec<Map<String, Value>>, LoadError> {
    let text = text_of(bytes, remarks)?;
    if text.trim_start().starts_with('[') {
        let values: Vec<Value> =
            serde_json::from_str(text).map_err(|error| LoadError::NotJson {
                line: error.line(),
                message: without_place(&error),
            })?;
        return values
            .into_iter()
            .enumerate()
            .map(|(index, value)| as_object(value, index))
            .collect();
    }
    let mut records = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let value = serde_json::from_str(line).map_err(|error| LoadError::NotJson {
            line: number + 1,
            message: without_place(&error),
        })?;
        records.push(as_object(value, records.len())?);
    }
    Ok(records)
}

/// The parser's message without the position, which the error already has.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rfind(" at line ") {
        Some(at) => crate::span::before(&message, at).to_owned(),
        None => message,
    }
}

fn as_object(value: Value, index: usize) -> Result<Map<String, Value>, LoadError> {
    match value {
        Value::Object(fields) => Ok(fields),
        other => Err(LoadError::NotAnObject {
            index,
            found: kind_of(&other),
        }),
    }
}

/// Reads a file of records, one after the other with `read`. Identifiers that occur more than once are noted.
pub(super) fn records<T>(
    bytes: &[u8],
    id: fn(&T) -> &str,
    read: impl Fn(&mut Reader<'_>) -> Result<T, LoadError>,
) -> Result<Loaded<T>, LoadError> {
    let mut remarks = Remarks::default();
    let mut records = Vec::new();
    for (index, fields) in read_objects(bytes, &mut remarks)?.iter().enumerate() {
        let mut reader = Reader {
            fields,
            index,
            known: Vec::new(),
            remarks: &mut remarks,
        };
        records.push(read(&mut reader)?);
    }
    Ok(loaded(records, id, remarks))
}

/// The records of a file with the remarks on it. Identifiers that occur more than once are noted.
pub(super) fn loaded<T>(records: Vec<T>, id: fn(&T) -> &str, mut remarks: Remarks) -> Loaded<T> {
    let mut seen = std::collections::BTreeSet::new();
    for (index, id) in records.iter().map(id).enumerate() {
        if !seen.insert(id) {
            remarks.note(RemarkKind::RepeatedId, index);
        }
    }
    Loaded {
        remarks: remarks.into_vec(),
        records,
    }
}

/// A record that is being read: returns fields by name and remembers which were used.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    fields: &'a Map<String, Value>,
    index: usize,
    known: Vec<&'a str>,
    remarks: &'a mut Remarks,
}

impl<'a> Reader<'a> {
    /// Notes something unusual in the record.
    pub(super) fn note(&mut self, kind: RemarkKind) {
        self.remarks.note(kind, self.index);
    }

    /// The value under the first of `names` that the record has, letters compared without regard
    /// to case.
    pub(super) fn value(&mut self, names: &[&str]) -> Option<&'a Value> {
        let (key, value) = names.iter().find_map(|name| {
            self.fields
                .iter()
                .find(|(key, _)| key.trim().eq_ignore_ascii_case(name))
        })?;
        self.known.push(key);
        Some(value)
    }

    /// The same, and an error when it is absent.
    pub(super) fn needed(
        &mut self,
        names: &'static [&'static str],
    ) -> Result<&'a Value, LoadError> {
        self.value(names).ok_or(LoadError::MissingField {
            index: self.index,
            names,
        })
    }

    /// A text, `None` with a remark when it is null or blank.
    pub(super) fn text(
        &mut self,
        names: &'static [&'static str],
    ) -> Result<Option<String>, LoadError> {
        let value = self.needed(names)?;
        let name = names.first().copied().unwrap_or_default();
        let text = match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => return Err(self.bad(name, other, "a text")),
        };
        if text.trim().is_empty() {
            self.note(RemarkKind::EmptyField(name.to_owned()));
            return Ok(None);
        }
        Ok(Some(text))
    }

    /// A text that may be absent or null without a remark.
    pub(super) fn optional_text(
        &mut self,
        names: &'static [&'static str],
    ) -> Result<Option<String>, LoadError> {
        match self.value(names) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(self.bad(
                names.first().copied().unwrap_or_default(),
                other,
                "a text or null",
            )),
        }
    }

    /// The identifier as text: 22 and "22" are the same.
    pub(super) fn id(&mut self, names: &'static [&'static str]) -> Result<String, LoadError> {
        let value = self.needed(names)?;
        self.as_id(value)
    }

    /// The identifier; the place of the record, counted from 0, if it has none.
    pub(super) fn id_or_place(&mut self, names: &[&str]) -> Result<String, LoadError> {
        match self.value(names) {
            Some(value) => self.as_id(value),
            None => Ok(self.index.to_string()),
        }
    }

    fn as_id(&self, value: &Value) -> Result<String, LoadError> {
        id_text(value).ok_or_else(|| self.bad("id", value, "a whole number or a text"))
    }

    /// The error for a value of the wrong form.
    pub(super) fn bad(
        &self,
        field: &'static str,
        value: &Value,
        expected: &'static str,
    ) -> LoadError {
        let found = match value {
            Value::String(text) => format!("`{}`", clip(text)),
            other => kind_of(other).to_owned(),
        };
        LoadError::BadField {
            index: self.index,
            field,
            found,
            expected,
        }
    }

    /// Notes the unused fields; `silent` are known and not needed.
    pub(super) fn finish(&mut self, silent: &[&str]) {
        for key in self.fields.keys() {
            let known = self.known.contains(&key.as_str())
                || silent
                    .iter()
                    .any(|name| key.trim().eq_ignore_ascii_case(name));
            if !known {
                self.remarks
                    .note(RemarkKind::UnknownField(key.clone()), self.index);
            }
        }
    }
}

/// An identifier as text.
pub(crate) fn id_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        _ => None,
    }
}
