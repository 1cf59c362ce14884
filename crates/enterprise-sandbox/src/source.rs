//! The data sources and the fields of their records: one table for checking writes, withholding
//! fields, comparing outcomes and searching.
//!
//! [`TableId`] names a table and [`TableId::fields`] describes its records. Other modules take the
//! fields from here: tools derive their arguments from this table, the office checks types and
//! required fields with it, search takes its texts from the marked fields, and evaluation compares
//! written records field by field as [`Compare`] says.
//!
//! | use | reads |
//! |---|---|
//! | argument of a tool | [`name`](SourceField::name), [`kind`](SourceField::kind) |
//! | create, update | [`write`](SourceField::write), [`required`](field@SourceField::required), [`nullable`](field@SourceField::nullable), [`kind`](SourceField::kind) |
//! | reading a record | [`restricted`](field@SourceField::restricted) |
//! | search | [`searched`](field@SourceField::searched) |
//! | comparison with the expected outcome | [`compare`](SourceField::compare) |
//!
//! ```
//! use enterprise_sandbox::source::{FieldType, TableId, Write};
//!
//! let priority = TableId::Tickets.field("priority").ok_or("no such field")?;
//! assert_eq!(priority.kind, FieldType::Choice(&["low", "medium", "high"]));
//! assert!(priority.required && priority.write == Write::Change);
//! assert!(TableId::Employees.field("Salary").is_some_and(|f| f.restricted));
//! assert_eq!(TableId::Sales.key(), "sales_record_id");
//! # Ok::<(), &str>(())
//! ```

use crate::org::Department;
use serde::{Deserialize, Serialize};
use std::fmt;

pub(crate) use crate::tables::MAIL_CATEGORIES;
pub use crate::tables::TableId;

impl TableId {
    /// Name in snake case.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.table().name
    }

    /// The name of one record in messages.
    #[must_use]
    pub fn noun(self) -> &'static str {
        self.table().noun
    }

    /// The fields of a record, key first.
    #[must_use]
    pub fn fields(self) -> &'static [SourceField] {
        self.table().fields
    }

    /// Its file in the native tree, if it has a JSON file of its own.
    #[must_use]
    pub fn file(self) -> Option<&'static str> {
        self.table().file
    }

    /// Name of the field that identifies a record.
    #[must_use]
    pub fn key(self) -> &'static str {
        self.fields().first().map_or("id", |f| f.name)
    }

    /// Whether record ids are whole numbers in JSON.
    ///
    /// Numbers for the published `sales_record_id`, `sentiment_id`, `chat_id` and `Id`; tools
    /// accept them as numbers or as digits in a text. In the published code a text never equals a
    /// number, so those records cannot be found by id there.
    #[must_use]
    pub fn numbered(self) -> bool {
        self.table().numbered
    }

    /// The field of that name.
    #[must_use]
    pub fn field(self, name: &str) -> Option<&'static SourceField> {
        self.fields().iter().find(|f| f.name == name)
    }

    /// Whether only the two participants may ever see a record, so that even counts are secret.
    #[must_use]
    pub const fn is_private(self) -> bool {
        self.table().private
    }
}

impl fmt::Display for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The type of a field: what a written value has to be and how tools describe the argument. A value
/// of the wrong type is refused as `INVALID_ARGUMENT` before any rule is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FieldType {
    /// The identifier of a record.
    Id,
    /// Text of at most this many characters.
    /// Neither empty nor blank. Control characters are refused, except line breaks and tabs; a text
    /// of at most 300 characters is a single line.
    Text(usize),
    /// A whole number between two bounds.
    /// Both bounds are allowed values; digits in a text are accepted.
    Whole(i64, i64),
    /// A non-negative amount with at most two decimals.
    /// In records a JSON number; see [`Cents`](crate::value::Cents) for the forms that are read.
    Money,
    /// 0 to 5 with one decimal.
    Rating,
    /// A calendar day.
    /// ISO form in records; see [`Day`](crate::value::Day).
    Day,
    /// A day with a time.
    /// In the office's own time zone; see [`Moment`](crate::value::Moment).
    Moment,
    /// One of a few words.
    /// Compared without regard to case, stored in the spelling of the list.
    Choice(&'static [&'static str]),
    /// True or false.
    Flag,
    /// A list of short texts.
    /// At most 60 entries of at most 100 characters: a JSON list, or one text with commas.
    Words,
    /// The id of a record of another source.
    /// The record must exist and the caller must be able to read it; otherwise the reply is
    /// `FK_VIOLATION`.
    Link(TableId),
    /// A level code such as `EN10`.
    /// Two letters for the department and two digits; see [`level_code`](crate::org::level_code).
    Level,
}

/// When a tool may write a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    /// Never: filled or computed by the sandbox.
    /// For instance the sender's name on a mail, which follows from the sender.
    Derived,
    /// When the record is created, not afterwards.
    Create,
    /// Always.
    Change,
}

/// How two values of a field are compared in an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Compare {
    /// Equal without normalisation.
    Exact,
    /// Equal after normalisation of case, spacing and number form.
    Normal,
    /// Equal after removal of spaces at the ends of lines and of empty lines at the end.
    Code,
    /// Equal as sets.
    Set,
    /// Not compared (allocated ids, timestamps, derived values).
    /// Two runs that allocate different ids for the same record are equally right.
    Ignore,
}

/// One field of a source.
#[derive(Debug, Clone, Copy)]
pub struct SourceField {
    /// Name as tools show it; the published spelling where there is one.
    pub name: &'static str,
    /// Its type.
    pub kind: FieldType,
    /// When it may be written.
    pub write: Write,
    /// Whether a new record must have it.
    pub required: bool,
    /// Whether it may be null.
    /// A tool sets it to null to clear it.
    pub nullable: bool,
    /// Whether only some readers of the record may see it.
    /// Only employees have such fields: pay, leave, age, rating, marital status, gender and leaving
    /// date. They need [`Act::ReadSensitive`](crate::access::Act::ReadSensitive).
    pub restricted: bool,
    /// Whether full-text search includes it.
    pub searched: bool,
    /// How it is compared.
    pub compare: Compare,
    /// What a new record has if the caller gives no value.
    pub(crate) default: FieldDefault,
    /// The department of the person that it links to, who has to be active.
    pub(crate) member: Option<Department>,
    /// Whether a written day must not be after today.
    pub(crate) past: bool,
    /// Spellings of the name in native files, the usual one first; empty for the name itself.
    pub(crate) native: &'static [&'static str],
    /// The currency sign of amounts in native files.
    pub(crate) sign: Option<&'static str>,
    /// The repair of a text that is a bare number in some native files.
    pub(crate) bare_number: Option<&'static str>,
    /// The argument by which a tool finds records, if there is one.
    pub(crate) filter: Option<&'static str>,
    /// Its description as an argument.
    pub(crate) about: &'static str,
}

/// What a new record has in a field to which the caller gives no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldDefault {
    /// Nothing: another rule fills it, or it stays without a value.
    Absent,
    /// Null.
    Null,
    /// The day of the office clock.
    Today,
    /// A word.
    Word(&'static str),
}

/// Longest single-line text (characters).
const LINE: usize = 300;
/// Longest text of several lines (characters).
const PAGE: usize = 20_000;

/// The key of a table.
pub(crate) const fn id(name: &'static str) -> SourceField {
    SourceField::new(name, FieldType::Id).create().ignore()
}
/// A text of one line.
pub(crate) const fn line(name: &'static str) -> SourceField {
    SourceField::new(name, FieldType::Text(LINE)).normal()
}
/// A text of several lines.
pub(crate) const fn page(name: &'static str) -> SourceField {
    SourceField::new(name, FieldType::Text(PAGE)).normal()
}
/// The id of a record of a table.
pub(crate) const fn link(name: &'static str, to: TableId) -> SourceField {
    SourceField::new(name, FieldType::Link(to))
}
/// A calendar day.
pub(crate) const fn day(name: &'static str) -> SourceField {
    SourceField::new(name, FieldType::Day)
}

impl SourceField {
    pub(crate) const fn new(name: &'static str, kind: FieldType) -> Self {
        Self {
            name,
            kind,
            write: Write::Derived,
            required: false,
            nullable: false,
            restricted: false,
            searched: false,
            compare: Compare::Exact,
            default: FieldDefault::Absent,
            member: None,
            past: false,
            native: &[],
            sign: None,
            bare_number: None,
            filter: None,
            about: "",
        }
    }
    pub(crate) const fn change(mut self) -> Self {
        self.write = Write::Change;
        self
    }
    pub(crate) const fn create(mut self) -> Self {
        self.write = Write::Create;
        self
    }
    pub(crate) const fn required(mut self) -> Self {
        self.required = true;
        self
    }
    pub(crate) const fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }
    pub(crate) const fn restricted(mut self) -> Self {
        self.restricted = true;
        self
    }
    pub(crate) const fn searched(mut self) -> Self {
        self.searched = true;
        self
    }
    pub(crate) const fn ignore(mut self) -> Self {
        self.compare = Compare::Ignore;
        self
    }
    pub(crate) const fn normal(mut self) -> Self {
        self.compare = Compare::Normal;
        self
    }
    pub(crate) const fn code(mut self) -> Self {
        self.compare = Compare::Code;
        self
    }
    pub(crate) const fn set(mut self) -> Self {
        self.compare = Compare::Set;
        self
    }
    pub(crate) const fn default(mut self, default: FieldDefault) -> Self {
        self.default = default;
        self
    }
    pub(crate) const fn member(mut self, of: Department) -> Self {
        self.member = Some(of);
        self
    }
    pub(crate) const fn past(mut self) -> Self {
        self.past = true;
        self
    }
    pub(crate) const fn native(mut self, names: &'static [&'static str]) -> Self {
        self.native = names;
        self
    }
    pub(crate) const fn sign(mut self, sign: &'static str) -> Self {
        self.sign = Some(sign);
        self
    }
    pub(crate) const fn bare_number(mut self, repair: &'static str) -> Self {
        self.bare_number = Some(repair);
        self
    }
    pub(crate) const fn filter(mut self, argument: &'static str) -> Self {
        self.filter = Some(argument);
        self
    }
    pub(crate) const fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// Its name in native files.
    pub(crate) fn native_name(&self) -> &'static str {
        self.native.first().copied().unwrap_or(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_has_a_key_and_no_name_twice() {
        for s in TableId::ALL {
            assert_eq!(s.fields()[0].kind, FieldType::Id, "{s}");
            let mut names: Vec<_> = s.fields().iter().map(|f| f.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), s.fields().len(), "{s}");
            assert_eq!(serde_json::to_value(s).unwrap(), s.name());
        }
    }
}
