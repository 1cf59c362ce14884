//! Fields of records: types, attributes, and the rules by which values are generated.

use super::TableId;
use crate::org::Department;
use serde::{Deserialize, Serialize};

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

impl FieldType {
    /// Whether records show values of this type as texts that no number stands for.
    pub(crate) const fn is_text(self) -> bool {
        matches!(self, Self::Id | Self::Text(_) | Self::Words | Self::Level)
    }
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
    /// The currency sign of amounts in native files, or the per cent sign of numbers.
    pub(crate) sign: Option<&'static str>,
    /// Whether a row of a native file may lack it although a new record must have it.
    pub(crate) blank: bool,
    /// The repair of a text that is a bare number in some native files.
    pub(crate) bare_number: Option<&'static str>,
    /// The argument by which a tool finds records, if there is one.
    pub(crate) filter: Option<&'static str>,
    /// Its description as an argument.
    pub(crate) about: &'static str,
    /// The field with a link, and the field of the linked record of which this one is a copy.
    pub(crate) copy: Option<(&'static str, &'static str)>,
    /// The repair of a copy that differs in a native file; without it copies there are not compared.
    pub(crate) compared: Option<&'static str>,
    /// Whether its text is not stored: it follows from a number that is, or from other fields.
    pub(crate) coded: bool,
    /// Whether rows are looked up by its value, in any case.
    pub(crate) indexed: bool,
    /// How it is generated, if not by the generator of its table.
    pub(crate) make: Make,
}

/// How a field of a generated row gets its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Make {
    /// Not by a rule.
    Absent,
    /// Links to the rows of the target in turn.
    Turn,
    /// A word; another one each time that the turn comes back to the same target.
    Rotate,
    /// Any word.
    Any,
    /// A number between two bounds, times a factor (money: in cents).
    Between(i64, i64, i64),
    /// A member of the department that the field demands.
    Member,
    /// A day on which the person in this field was employed.
    During(&'static str),
    /// So many days after today.
    Ahead(i64, i64),
    /// One of these texts, with a number for each `{low-high}`.
    Phrases(&'static [&'static str]),
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

/// Functions that return the field with one attribute set.
macro_rules! attributes {
    ($($name:ident($($argument:ident: $type:ty)?) $field:ident = $value:expr;)*) => {
        impl SourceField {
            $(pub(crate) const fn $name(mut self $(, $argument: $type)?) -> Self {
                self.$field = $value;
                self
            })*
        }
    };
}

attributes! {
    change() write = Write::Change;
    create() write = Write::Create;
    required() required = true;
    nullable() nullable = true;
    restricted() restricted = true;
    searched() searched = true;
    ignore() compare = Compare::Ignore;
    normal() compare = Compare::Normal;
    code() compare = Compare::Code;
    set() compare = Compare::Set;
    default(default: FieldDefault) default = default;
    member(of: Department) member = Some(of);
    past() past = true;
    native(names: &'static [&'static str]) native = names;
    sign(sign: &'static str) sign = Some(sign);
    bare_number(repair: &'static str) bare_number = Some(repair);
    blank() blank = true;
    filter(argument: &'static str) filter = Some(argument);
    about(about: &'static str) about = about;
    copy(from: (&'static str, &'static str)) copy = Some(from);
    compared(repair: &'static str) compared = Some(repair);
    coded() coded = true;
    indexed() indexed = true;
    make(how: Make) make = how;
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
            blank: false,
            bare_number: None,
            filter: None,
            about: "",
            copy: None,
            compared: None,
            coded: false,
            indexed: false,
            make: Make::Absent,
        }
    }

    /// Whether its values are stored as texts.
    pub(crate) const fn is_stored_text(&self) -> bool {
        !self.coded && self.kind.is_text()
    }

    /// Whether rows are looked up by its text.
    pub(crate) const fn is_looked_up(&self) -> bool {
        self.indexed && self.is_stored_text()
    }

    /// Its name in native files.
    pub(crate) fn native_name(&self) -> &'static str {
        self.native.first().copied().unwrap_or(self.name)
    }
}
