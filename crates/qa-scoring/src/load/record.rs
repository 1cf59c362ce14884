//! Reads JSON arrays and JSON lines, and finds fields by name in any case.

use super::Loaded;
use super::remark::{RemarkKind, Remarks};
use super::reply_field::is_name;
use crate::error::{LoadError, kind_of};
use reply_text::json::relaxed;
use serde_json::{Map, Value};
use sim_core::error::clip;
use std::borrow::Cow;

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

/// The text of a file without its byte-order mark. A file with the mark of UTF-16, as Excel's "Unicode text" has
/// it, is converted.
pub(crate) fn text_of<'a>(
    bytes: &'a [u8],
    remarks: &mut Remarks,
) -> Result<Cow<'a, str>, LoadError> {
    let units = |of: fn([u8; 2]) -> u16, rest: &[u8]| -> Result<Cow<'a, str>, usize> {
        let pairs: Option<Vec<u16>> = rest
            .chunks(2)
            .map(|pair| Some(of(pair.try_into().ok()?)))
            .collect();
        // A last byte without its pair: the file was cut off.
        let pairs = pairs.ok_or(bytes.len() - 1)?;
        String::from_utf16(&pairs).map(Cow::Owned).map_err(|_| 0)
    };
    let wide = match bytes {
        [0xff, 0xfe, rest @ ..] => Some(units(u16::from_le_bytes, rest)),
        [0xfe, 0xff, rest @ ..] => Some(units(u16::from_be_bytes, rest)),
        // Without the mark: no text in UTF-8 holds a zero byte beside every letter.
        [1..=255, 0, 1..=255, 0, ..] => Some(units(u16::from_le_bytes, bytes)),
        [0, 1..=255, 0, 1..=255, ..] => Some(units(u16::from_be_bytes, bytes)),
        _ => None,
    };
    if let Some(wide) = wide {
        remarks.note(RemarkKind::ByteOrderMark, 0);
        return wide.map_err(|position| LoadError::NotUtf8 { position });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| LoadError::NotUtf8 {
        position: error.valid_up_to(),
    })?;
    Ok(Cow::Borrowed(match text.strip_prefix('\u{feff}') {
        Some(rest) => {
            remarks.note(RemarkKind::ByteOrderMark, 0);
            rest
        }
        None => text,
    }))
}

/// The values of a file of JSON, one after the other, whether each has a line, several, or a part of one. A file, or
/// a line, that is not strict JSON is read as Python writes it (`NaN`, single quotes) or with a comma too many, with
/// a remark.
pub(super) fn json_values(text: &str, remarks: &mut Remarks) -> Result<Vec<Value>, LoadError> {
    let bad = |line: usize, error: &serde_json::Error| LoadError::NotJson {
        line,
        message: seen_by_a_person(error),
    };
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let mut values = Vec::new();
    let fault = loop {
        match stream.next() {
            None => return Ok(values),
            Some(Ok(value)) => values.push(value),
            Some(Err(fault)) => break fault,
        }
    };
    // The whole text before its lines: an object over several lines that only has a comma too many
    // is one value, and no line of it is one.
    if let Some(value) = relaxed(text) {
        remarks.note(RemarkKind::RelaxedJson, 0);
        return Ok(vec![value]);
    }
    // The first value has several lines: the file is not a list of lines.
    if values.is_empty() && fault.line() > 1 {
        return Err(bad(fault.line(), &fault));
    }
    // Anew, line by line: what was read before the fault need not end where a line does.
    values.clear();
    let lines = text.lines().enumerate();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let value = serde_json::from_str(line).or_else(|error| {
            let line = line.trim_end();
            // Lines that were cut out of an array end in its comma.
            let value = relaxed(line.strip_suffix(',').unwrap_or(line));
            let value = value.ok_or_else(|| bad(number + 1, &error))?;
            remarks.note(RemarkKind::RelaxedJson, values.len());
            Ok(value)
        })?;
        values.push(value);
    }
    Ok(values)
}

/// The records of an array or of lines.
pub(super) fn read_objects(
    bytes: &[u8],
    remarks: &mut Remarks,
) -> Result<Vec<Map<String, Value>>, LoadError> {
    let text = text_of(bytes, remarks)?;
    let mut values = json_values(&text, remarks)?;
    // A single array is the list of the records; several are lines that are no records.
    if let [Value::Array(list)] = values.as_mut_slice() {
        values = std::mem::take(list);
    }
    values
        .into_iter()
        .enumerate()
        .map(|(index, value)| as_object(value, index))
        .collect()
}

/// What a person sees at the place where the parser stopped.
fn seen_by_a_person(error: &serde_json::Error) -> String {
    // By its words, since serde_json does not tell what kind of syntax error it is.
    let message = error.to_string();
    let ends = if message.contains("parsing a string") {
        "a text"
    } else if message.contains("parsing a list") {
        "a list"
    } else if message.contains("parsing an object") {
        "an object"
    } else {
        "a value"
    };
    match error.classify() {
        serde_json::error::Category::Eof => format!(" ends in the middle of {ends}"),
        _ if message.starts_with("recursion limit") => {
            ": more lists and objects inside one another than are read".to_owned()
        }
        _ if message.starts_with("number out of range") => {
            ": a number is too large to be read".to_owned()
        }
        _ => match error.column() {
            0 => " is not JSON".to_owned(),
            column => format!(" is not JSON from column {column} on"),
        },
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
    let objects = read_objects(bytes, &mut remarks)?;
    let records = each_object(&objects, &mut remarks, read)?;
    Ok(loaded(records, id, remarks))
}

/// Reads records one after the other with `read`.
pub(super) fn each_object<T>(
    objects: &[Map<String, Value>],
    remarks: &mut Remarks,
    read: impl Fn(&mut Reader<'_>) -> Result<T, LoadError>,
) -> Result<Vec<T>, LoadError> {
    let objects = objects.iter().enumerate();
    objects
        .map(|(index, fields)| {
            read(&mut Reader {
                fields,
                index,
                known: Vec::new(),
                remarks,
            })
        })
        .collect()
}

/// The records of a file with the remarks on it. Identifiers that occur more than once are noted.
pub(super) fn loaded<T>(records: Vec<T>, id: fn(&T) -> &str, mut remarks: Remarks) -> Loaded<T> {
    let mut seen = std::collections::BTreeSet::new();
    for (index, id) in records.iter().map(id).enumerate() {
        // A remark and no error: several replies to one item are a form of their own, and a question
        // that is there twice can be scored.
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

    /// The value under the first of `names` that the record has, compared by [`is_name`].
    pub(super) fn value(&mut self, names: &[&str]) -> Option<&'a Value> {
        self.named_value(names).map(|(_, value)| value)
    }

    /// The same, with the field's own name.
    pub(super) fn named_value(&mut self, names: &[&str]) -> Option<(&'a str, &'a Value)> {
        let (key, value) = names
            .iter()
            .find_map(|name| self.fields.iter().find(|(key, _)| is_name(key, name)))?;
        self.known.push(key);
        Some((key, value))
    }

    /// The name of the field with the reply; `None` if there is none.
    pub(super) fn reply_key(&self) -> Result<Option<&'a str>, LoadError> {
        super::reply_field::reply_key(self.fields)
            .map_err(|names| super::reply_field::several(&names))
    }

    /// The same, and an error when it is absent.
    pub(super) fn needed(
        &mut self,
        names: &'static [&'static str],
    ) -> Result<&'a Value, LoadError> {
        let (fields, index) = (self.fields, self.index);
        self.value(names)
            .ok_or_else(|| LoadError::missing(fields, index, names))
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

    /// The place of the record, counted from 0.
    pub(super) fn place(&self) -> usize {
        self.index
    }

    /// `value` as an identifier.
    pub(super) fn as_id(&self, value: &Value) -> Result<String, LoadError> {
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
            let known =
                self.known.contains(&key.as_str()) || silent.iter().any(|name| is_name(key, name));
            if !known {
                self.remarks
                    .note(RemarkKind::UnknownField(key.clone()), self.index);
            }
        }
    }
}

/// An identifier as text; a whole number that is written as a decimal (pandas does so where a column has a gap) has
/// no decimals. The signs by which a spreadsheet keeps digits as text (`="001"`, `'001`) are not part of it.
pub(crate) fn id_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => {
            let text = text.trim();
            let formula = text
                .strip_prefix("=\"")
                .and_then(|rest| rest.strip_suffix('"'));
            let quoted = text.strip_prefix('\'').filter(|rest| {
                rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.ends_with('\'')
            });
            Some(formula.or(quoted).unwrap_or(text).to_owned())
        }
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        Value::Number(number) => {
            let text = number.to_string();
            let whole = text.strip_suffix(".0")?;
            Some(whole.to_owned())
        }
        _ => None,
    }
}
