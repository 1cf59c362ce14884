//! Reads one row: typed access to its fields; every deviation is recorded.
//!
//! A [`Row`] gives each field at most once, by removing it. What is left when a row is complete has
//! no typed field; it is kept and exported again, so a tree survives import and export without
//! loss. Every accessor records what it had to convert, and fails with the rule under which the row
//! is quarantined.

use super::report::{Log, RowNote};
use super::{ImportError, MOST_PEOPLE, MOST_ROWS};
use crate::row::Text;
use crate::source::TableId;
use crate::value::{Cents, Day, Moment, scalar_text, whole_number};
use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use serde_json::{Map, Value};
use sim_core::strict::{MOST_STORED_VALUES, Strict};
use std::fmt;

/// A row that cannot be used, and the reason.
pub(super) struct Unusable {
    rule: &'static str,
    field: String,
    before: String,
}

/// One row of a native file.
pub(super) struct Row<'a> {
    fields: Map<String, Value>,
    log: &'a mut Log,
    source: TableId,
    position: u32,
    pub(super) id: String,
}

pub(super) type Read<T> = Result<T, Unusable>;

/// Calls `each` for every object of a JSON array, with one object in memory at a time.
pub(super) fn for_each_row(
    log: &mut Log,
    source: TableId,
    path: &str,
    text: &str,
    mut each: impl FnMut(&mut Row<'_>) -> Read<()>,
) -> Result<(), ImportError> {
    log.opened(source, path);
    let most = match source {
        TableId::Employees => MOST_PEOPLE,
        _ => MOST_ROWS,
    };
    let (mut rows, mut full) = (0, false);
    let mut handle = |fields: Map<String, Value>| {
        full = rows >= most;
        if !full {
            rows += 1;
            take_row(log, source, fields, &mut each);
        }
        !full
    };
    let mut json = serde_json::Deserializer::from_str(text);
    let read = Rows(&mut handle)
        .deserialize(&mut json)
        .and_then(|()| json.end());
    let path = path.to_owned();
    match read {
        _ if full => Err(ImportError::TooManyRows { path, most }),
        Ok(()) => Ok(()),
        Err(e) => Err(ImportError::NotRows {
            path,
            message: e.to_string(),
        }),
    }
}

/// Handles one row that is already parsed.
pub(super) fn take_row(
    log: &mut Log,
    source: TableId,
    fields: Map<String, Value>,
    each: &mut impl FnMut(&mut Row<'_>) -> Read<()>,
) {
    let position = *log.rows.entry(source).and_modify(|n| *n += 1).or_insert(1) - 1;
    let mut row = Row {
        fields,
        log,
        source,
        position,
        id: String::new(),
    };
    if let Err(problem) = each(&mut row) {
        let note = RowNote {
            source,
            position,
            id: std::mem::take(&mut row.id),
            rule: problem.rule,
            field: problem.field,
            before: problem.before,
            after: String::new(),
        };
        log.quarantined.push(note);
    }
}

/// Passes on every object until the receiver reports that there are too many.
struct Rows<'a>(&'a mut dyn FnMut(Map<String, Value>) -> bool);

impl<'de> DeserializeSeed<'de> for Rows<'_> {
    type Value = ();
    fn deserialize<D: serde::Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Rows<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of objects")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        loop {
            let mut left = MOST_STORED_VALUES;
            let Some(row) = seq.next_element_seed(Strict::new(&mut left))? else {
                break;
            };
            let Value::Object(fields) = row else {
                let message = format!("a row is an object, not {}", short(&row));
                return Err(serde::de::Error::custom(message));
            };
            if !(self.0)(fields) {
                return Err(serde::de::Error::custom("too many rows"));
            }
        }
        Ok(())
    }
}

fn short(value: &Value) -> String {
    let text = scalar_text(value).unwrap_or_else(|| value.to_string());
    text.chars().take(200).collect()
}

impl Row<'_> {
    pub(super) fn coerced(&mut self, rule: &'static str) {
        self.log.coerced(rule);
    }

    pub(super) fn found(&mut self, what: &'static str) {
        self.log.found(what, 1);
    }

    pub(super) fn position(&self) -> u32 {
        self.position
    }

    /// Records a repair of this row.
    pub(super) fn repaired(
        &mut self,
        rule: &'static str,
        field: &str,
        before: &Value,
        after: &str,
    ) {
        self.log.repairs.push(RowNote {
            source: self.source,
            position: self.position,
            id: self.id.clone(),
            rule,
            field: field.to_owned(),
            before: short(before),
            after: after.to_owned(),
        });
    }

    /// Quarantines a record inside this row.
    pub(super) fn set_aside(
        &mut self,
        source: TableId,
        id: String,
        rule: &'static str,
        field: &str,
    ) {
        self.log.quarantined.push(RowNote {
            source,
            position: self.position,
            id,
            rule,
            field: field.to_owned(),
            before: String::new(),
            after: String::new(),
        });
    }

    /// The reason for which this row is quarantined.
    pub(super) fn unusable(rule: &'static str, field: &str, before: &Value) -> Unusable {
        Unusable {
            rule,
            field: field.to_owned(),
            before: short(before),
        }
    }

    /// Removes a field from the row.
    pub(super) fn take(&mut self, field: &str) -> Option<Value> {
        self.fields.remove(field)
    }

    /// Removes the first of several spellings that exists and is not null.
    pub(super) fn take_any(&mut self, fields: &[&str]) -> Option<Value> {
        fields
            .iter()
            .find_map(|f| self.fields.remove(*f).filter(|v| !v.is_null()))
    }

    /// Whether none of several spellings has a value.
    pub(super) fn is_null(&self, fields: &[&str]) -> bool {
        let values = fields.iter().filter_map(|f| self.fields.get(*f));
        values.into_iter().all(Value::is_null)
    }

    /// Moves the entries of a nested object (in older files) to the row itself.
    pub(super) fn flatten(&mut self, field: &str, prefix: &str) -> bool {
        match self.fields.get(field) {
            Some(Value::Object(_)) => {}
            _ => return false,
        }
        if let Some(Value::Object(inner)) = self.fields.remove(field) {
            for (key, value) in inner {
                self.fields.entry(format!("{prefix}{key}")).or_insert(value);
            }
        }
        true
    }

    /// A required text; numbers become their digits.
    pub(super) fn text(&mut self, fields: &[&str]) -> Read<Box<str>> {
        let name = fields.first().copied().unwrap_or_default();
        let value = self.take_any(fields).unwrap_or(Value::Null);
        match scalar_text(&value) {
            Some(text) => Ok(text.into()),
            None => Err(Self::unusable("missing_field", name, &value)),
        }
    }

    /// A text that may be absent.
    pub(super) fn stated(&mut self, fields: &[&str]) -> Option<Box<str>> {
        let value = self.take_any(fields)?;
        scalar_text(&value).map(Into::into)
    }

    /// A text, empty if absent.
    pub(super) fn blank(&mut self, fields: &[&str]) -> Box<str> {
        self.stated(fields).unwrap_or_default()
    }

    /// A text that may be absent, as a row stores it.
    pub(super) fn optional(&mut self, fields: &[&str]) -> Option<Text> {
        self.stated(fields).map(Text::Own)
    }

    /// An optional text, empty if absent.
    pub(super) fn own(&mut self, fields: &[&str]) -> Text {
        Text::Own(self.blank(fields))
    }

    /// A whole number, also from digits in a string.
    pub(super) fn whole(&mut self, fields: &[&str]) -> Read<i64> {
        let name = fields.first().copied().unwrap_or_default();
        let value = self.take_any(fields).unwrap_or(Value::Null);
        if value.is_string() {
            self.coerced("number_in_string");
        }
        whole_number(&value).ok_or_else(|| Self::unusable("number_unreadable", name, &value))
    }

    /// A whole number of a small type.
    pub(super) fn small<T: TryFrom<i64>>(&mut self, field: &str) -> Read<T> {
        let n = self.whole(&[field])?;
        T::try_from(n).map_err(|_| Self::unusable("number_out_of_range", field, &Value::from(n)))
    }

    /// A day in one of the three forms.
    pub(super) fn day(&mut self, fields: &[&str]) -> Read<Day> {
        let name = fields.first().copied().unwrap_or_default();
        let value = self.take_any(fields).unwrap_or(Value::Null);
        let text = value.as_str().unwrap_or_default();
        let Some(day) = Day::parse(text).or_else(|| Moment::parse(text).map(|(m, _)| m.day()))
        else {
            return Err(Self::unusable("date_unreadable", name, &value));
        };
        if text.find('-') == Some(2) {
            self.coerced("day_first_date");
        }
        Ok(day)
    }

    /// A moment; returns whether a time zone was named.
    pub(super) fn moment(&mut self, fields: &[&str]) -> Read<(Moment, bool)> {
        let name = fields.first().copied().unwrap_or_default();
        let value = self.take_any(fields).unwrap_or(Value::Null);
        value
            .as_str()
            .and_then(Moment::parse)
            .ok_or_else(|| Self::unusable("date_unreadable", name, &value))
    }

    /// An amount of money.
    pub(super) fn money(&mut self, field: &str) -> Read<Cents> {
        let value = self.take(field).unwrap_or(Value::Null);
        if value.is_string() {
            self.coerced("currency_in_string");
        }
        Cents::from_value(&value).ok_or_else(|| Self::unusable("amount_unreadable", field, &value))
    }

    /// `64%` or 64.
    pub(super) fn percent(&mut self, field: &str) -> Read<u8> {
        let value = self.take(field).unwrap_or(Value::Null);
        let digits = value.as_str().map(|t| Value::from(t.trim_end_matches('%')));
        if digits.is_some() {
            self.coerced("percent_sign");
        }
        whole_number(&digits.unwrap_or_else(|| value.clone()))
            .and_then(|n| u8::try_from(n).ok())
            .filter(|n| *n <= 100)
            .ok_or_else(|| Self::unusable("number_unreadable", field, &value))
    }

    /// A required key; the row is quarantined if its target does not exist.
    pub(super) fn key(&mut self, fields: &[&str], table: &super::Lookup) -> Read<u32> {
        let name = fields.first().copied().unwrap_or_default();
        let value = self.take_any(fields).unwrap_or(Value::Null);
        scalar_text(&value)
            .and_then(|id| table.find(id.trim()))
            .ok_or_else(|| Self::unusable("dangling_key", name, &value))
    }

    /// Stores the remaining fields of the row for export.
    pub(super) fn keep_rest(&mut self, row: u32) {
        self.fields.retain(|_, v| !v.is_null());
        if !self.fields.is_empty() {
            let rest = Value::Object(std::mem::take(&mut self.fields));
            self.log
                .extras
                .insert((self.source, row), rest.to_string().into());
        }
    }

    /// Whether the identifier is new; a row with a used one is quarantined.
    pub(super) fn fresh(
        &self,
        seen: &mut std::collections::BTreeSet<Box<str>>,
        field: &str,
    ) -> Read<()> {
        if seen.insert(self.id.as_str().into()) {
            Ok(())
        } else {
            Err(Self::unusable(
                "duplicate_id",
                field,
                &Value::from(self.id.as_str()),
            ))
        }
    }
}
