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
//! use enterprise_sandbox::data::tables::{FieldType, TableId, Write};
//!
//! let priority = TableId::Tickets.field("priority").ok_or("no such field")?;
//! assert_eq!(priority.kind, FieldType::Choice(&["low", "medium", "high"]));
//! assert!(priority.required && priority.write == Write::Change);
//! assert!(TableId::Employees.field("Salary").is_some_and(|f| f.restricted));
//! assert_eq!(TableId::Sales.key(), "sales_record_id");
//! # Ok::<(), &str>(())
//! ```

use crate::data::org::Department;
use crate::data::org::Department::{Finance, Management};
use FieldDefault::{Today, Word};
use Make::{Ahead, Any, Between, During, Member, Phrases, Rotate, Turn};
use Who::{First, Of};
use serde::{Deserialize, Serialize};
use std::fmt;

#[rustfmt::skip] // One line a field.
mod published;

pub(crate) use published::POLARITIES;

// ---------------------------------------------------------------- field
//
// Fields of records: types, attributes, and the rules by which values are generated.

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
    /// In records a JSON number; see [`Cents`](crate::data::value::Cents) for the forms that are read.
    Money,
    /// 0 to 5 with one decimal.
    Rating,
    /// A calendar day.
    /// ISO form in records; see [`Day`](crate::data::value::Day).
    Day,
    /// A day with a time.
    /// In the office's own time zone; see [`Moment`](crate::data::value::Moment).
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
    /// Two letters for the department and two digits; see [`level_code`](crate::data::org::level_code).
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
    /// The word of a list that stands for one that is missing or unknown in a native file.
    pub(crate) unknown: Option<&'static str>,
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
    /// One of these texts, whose slots are those of `words/phrases.txt`.
    Phrases(&'static [&'static str]),
    /// A phrase, drawn from the stream of this name, of a section of `words/phrases.txt`.
    List(&'static str, &'static str),
}

impl Make {
    /// Whether a row has no number for it: its text is made when it is read.
    pub(crate) const fn is_text(self) -> bool {
        matches!(self, Self::Absent | Self::Phrases(_) | Self::List(..))
    }
}

/// What a new record has in a field to which the caller gives no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldDefault {
    /// Nothing: another rule fills it, or it stays without a value.
    Absent,
    /// Null.
    Null,
    /// A list without entries, or a text without characters.
    Empty,
    /// The day of the office clock.
    Today,
    /// The time of the office clock.
    Now,
    /// A word.
    Word(&'static str),
    /// A number.
    Number(i64),
    /// True.
    Yes,
    /// The value of another field.
    Same(&'static str),
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
    unknown(word: &'static str) unknown = Some(word);
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
            unknown: None,
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

    /// The table that it links to.
    pub(crate) const fn target(&self) -> Option<TableId> {
        match self.kind {
            FieldType::Link(target) => Some(target),
            _ => None,
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

// ---------------------------------------------------------------- tables
//
// The tables of the company, each declared once. What a table needs follows from its [`Table`]:
//
// ```text
//  Table ─┬─ fields ──► checks of writes, search, withheld fields, comparison, arguments of tools
//         ├─ people ──► access rules: attributes of the entity, first and second person of a row
//         ├─ file ────► import and export
//         ├─ rows ────► storage, records, lookups by link, generation
//         └─ verbs ───► tools; who may use them, as Cedar policies
// ```
//
// The tables of the published data have generators, and files of older forms imports, of their own, their rules in
// `policies/office.cedar` and their tools in the tables of the tool sets. A new table is declared at the end of
// this file; the templates of its tasks are the rest of it.

/// The declaration of a table.
pub(crate) struct Table {
    /// Name in snake case; the serialised form of its [`TableId`].
    pub(crate) name: &'static str,
    /// One record in messages.
    pub(crate) noun: &'static str,
    /// The fields of a record, key first.
    pub(crate) fields: &'static [SourceField],
    /// Whether record ids are whole numbers in JSON.
    pub(crate) numbered: bool,
    /// Whether only the two participants may ever see a record.
    pub(crate) private: bool,
    /// Whether no tool writes.
    pub(crate) read_only: bool,
    /// The noun in the names of its actions (`readTicket`).
    pub(crate) action: &'static str,
    /// The type of its records in the policies.
    pub(crate) entity: &'static str,
    /// The first and the second person of a record: the attribute in the policies, and the field. A field
    /// that links to another table stands for the first person there.
    pub(crate) people: &'static [(&'static str, &'static str)],
    /// Two fields of which an identifier consists, one of them a link, and the character between them.
    pub(crate) joined: Option<(&'static str, char, &'static str)>,
    /// The field that gets the caller when a record is created.
    pub(crate) owner: Option<&'static str>,
    /// The date by which lists are ordered, latest first.
    pub(crate) dated: Option<&'static str>,
    /// Its file in the native tree, if it has one of its own.
    pub(crate) file: Option<&'static str>,
    /// Whether fields without a value are left out of the file.
    pub(crate) sparse: bool,
    /// How many rows a company of 1,260 people has.
    pub(crate) rows: u32,
    /// What stands before the number in an identifier (`CLNT-0001`); without it identifiers are UUIDs.
    pub(crate) prefix: Option<&'static str>,
    /// Tools, and who may use them, beyond those of the published tables. The arguments follow from the
    /// fields.
    pub(crate) verbs: &'static [VerbRule],
}

/// The operation of a tool.
///
/// The first four are the paper's CRUD operations; each is bound to the access rules of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum Op {
    /// Finds records.
    Read,
    /// Creates a record.
    Create,
    /// Changes a record.
    Update,
    /// Removes a record.
    Delete,
    /// Finds passages of policy documents.
    /// Whole sections with their numbered rules, best match first.
    Document,
    /// Asks a language model.
    /// `llm_call`, the last entry of the paper's table.
    Model,
    /// Describes the principal.
    WhoAmI,
    /// Names the rule that decides about a call.
    /// Off in scored runs, because it would tell an agent what to expect.
    Explain,
    /// Ends the task with a refusal.
    Refuse,
    /// Ends the task with an answer.
    Answer,
    /// Does nothing; it is a distractor.
    /// Refused as `UNAVAILABLE`.
    Distract,
}

impl Op {
    /// Whether it creates, changes or removes records.
    pub(crate) const fn writes(self) -> bool {
        matches!(self, Self::Create | Self::Update | Self::Delete)
    }

    /// Whether it reads or writes records.
    pub(crate) const fn is_data(self) -> bool {
        self.writes() || matches!(self, Self::Read | Self::Document)
    }
}

/// The tool for an operation, what it is described as, the rule in words, and who may use it: anybody of these.
pub(crate) struct VerbRule {
    pub(crate) op: Op,
    pub(crate) tool: &'static str,
    pub(crate) about: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) allowed: &'static [Who],
}

/// People whom a rule allows something.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Who {
    /// The first person of the record.
    First,
    /// The departments, from a level on.
    Of(&'static [Department], u8),
}

impl Table {
    /// A table without rows, people, file or order.
    const fn new(
        name: &'static str,
        noun: &'static str,
        entity: &'static str,
        fields: &'static [SourceField],
    ) -> Self {
        Self {
            name,
            noun,
            fields,
            numbered: false,
            private: false,
            read_only: false,
            action: entity,
            entity,
            people: &[],
            joined: None,
            owner: None,
            dated: None,
            file: None,
            sparse: false,
            rows: 0,
            prefix: None,
            verbs: &[],
        }
    }
}

macro_rules! tables {
    ($($(#[$doc:meta])* $variant:ident = $table:path;)*) => {
        /// A kind of record; the company has one table for each.
        ///
        /// The order is that of the enum in every list: people, communication, code, the helpdesk, trade
        /// with customers, business partners, documents, and tables that the published data do not have.
        /// Mail threads are not records: a thread is an identifier that mails share. The serialised form
        /// is [`name`](Self::name).
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
            schemars::JsonSchema,
        )]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum TableId {
            $($(#[$doc])* $variant,)*
        }

        impl TableId {
            /// All sources, in the order of the enum.
            pub const ALL: [Self; [$(stringify!($variant)),*].len()] = [$(Self::$variant),*];

            /// Its declaration.
            pub(crate) const fn table(self) -> &'static Table {
                match self {
                    $(Self::$variant => const { &$table },)*
                }
            }
        }
    };
}

tables! {
    /// People of the company.
    /// The key is `emp_id`; every other source that names a person links to it.
    Employees = published::EMPLOYEES;
    /// Their curricula.
    /// At most one per person in a generated company; six people have two in the published file.
    Resumes = published::RESUMES;
    /// Mails between two employees, grouped into threads.
    /// Exactly one recipient each.
    Emails = published::EMAILS;
    /// Chats between two employees.
    Conversations = published::CONVERSATIONS;
    /// Posts on the social platform.
    Posts = published::POSTS;
    /// Questions and answers of the internal overflow.
    /// An answer links to its question by `ParentId`, and a question to its accepted answer.
    Overflow = published::OVERFLOW;
    /// Code repositories.
    Repositories = published::REPOSITORIES;
    /// Files in repositories.
    /// The key is `owner/name:path`.
    Files = published::FILES;
    /// Issues of repositories.
    Issues = published::ISSUES;
    /// Helpdesk tickets.
    Tickets = published::TICKETS;
    /// Products on sale.
    Products = published::PRODUCTS;
    /// Sales of products to customers.
    Sales = published::SALES;
    /// Customers.
    Customers = published::CUSTOMERS;
    /// Invoice, purchase order and shipping order of each customer.
    /// Three per customer, computed from the customer's purchases; read only.
    OrderDocuments = published::ORDER_DOCUMENTS;
    /// Reviews of products by customers (product sentiment).
    /// The paper calls them product sentiment; the published rows have no sentiment label.
    Reviews = published::REVIEWS;
    /// Support chats with customers.
    /// Each belongs to a product that the customer bought, and has an employee as handler.
    SupportChats = published::SUPPORT_CHATS;
    /// Business clients.
    Clients = published::CLIENTS;
    /// Vendors.
    /// The published file calls their key `client_id`, like that of clients; here it is
    /// `vendor_id`.
    Vendors = published::VENDORS;
    /// Policy documents.
    /// Read only; 24 in a generated company.
    PolicyDocuments = published::POLICY_DOCUMENTS;
    /// Contracts with vendors.
    /// A vendor has two or three, of different types. The published data have none.
    Contracts = CONTRACTS;
}

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

    /// Its file in the native tree, if it has one of its own.
    #[must_use]
    pub fn file(self) -> Option<&'static str> {
        self.table().file
    }

    /// Whether its file is a CSV table; all others are JSON.
    pub(crate) fn is_csv(self) -> bool {
        self.file().is_some_and(|file| file.ends_with(".csv"))
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

    /// The table that the field of that name links to.
    pub(crate) fn target(self, name: &str) -> Option<Self> {
        self.field(name)?.target()
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

impl TableId {
    /// What can be done with the tables that the published data do not have.
    pub(crate) fn verbs() -> impl Iterator<Item = (Self, &'static VerbRule)> {
        let all = Self::ALL.into_iter();
        all.flat_map(|s| s.table().verbs.iter().map(move |verb| (s, verb)))
    }
}

// ---------------------------------------------------------------- tables that the published data do not have

/// Each contract is in the care of somebody in Management.
#[rustfmt::skip]
const CONTRACTS: Table = Table {
    people: &[("care", CARE)],
    dated: Some("end_date"),
    file: Some("Business_and_Management/contracts.json"),
    rows: 900,
    prefix: Some("CTR-"),
    verbs: &[
        VerbRule {
            op: Op::Read,
            tool: "contracts_read",
            about: "Find contracts with vendors; those that end last come first.",
            reason: "Management, Finance, and who looks after it",
            allowed: &[First, Of(&[Management, Finance], 9)],
        },
        VerbRule {
            op: Op::Create,
            tool: "contracts_create",
            about: "Register a contract with a vendor.",
            reason: "Management from level 10",
            allowed: &[Of(&[Management], 10)],
        },
        VerbRule {
            op: Op::Update,
            tool: "contracts_update",
            about: "Change a contract.",
            reason: "who looks after it, and Management from level 12",
            allowed: &[First, Of(&[Management], 12)],
        },
        VerbRule {
            op: Op::Delete,
            tool: "contracts_delete",
            about: "Remove a contract.",
            reason: "Management from level 12",
            allowed: &[Of(&[Management], 12)],
        },
    ],
    ..Table::new("contracts", "contract", "Contract", &[
        id("contract_id").about("contract id"),
        link("vendor_id", TableId::Vendors).create().required().make(Turn).filter("vendor_id"),
        SourceField::new("contract_type", FieldType::Choice(CONTRACT_TYPES))
            .create().required().searched().make(Rotate).filter("contract_type"),
        page("scope").change().required().searched().make(Phrases(SCOPES)).about("what was agreed"),
        link(CARE, TableId::Employees).change().required().member(Management).make(Member)
            .filter(CARE).about("who looks after it, of Management"),
        day("start_date").create().default(Today).make(During(CARE)).about("default today"),
        day("end_date").change().required().make(Ahead(20, 900)).filter("ends").about("last day"),
        SourceField::new("notice_days", FieldType::Whole(0, 365))
            .change().required().make(Between(2, 24, 5)).about("days of notice before the end"),
        SourceField::new("yearly_value", FieldType::Money)
            .change().required().sign("$").make(Between(4, 900, 25_000)).about("what we pay a year"),
        SourceField::new("renewal", FieldType::Choice(&["on request", "automatic"]))
            .change().default(Word("on request")).make(Any).filter("renewal").about("how it goes on after its end"),
    ])
};
const CARE: &str = "managed_by_employee";
const CONTRACT_TYPES: &[&str] = &["maintenance", "supply", "licence", "cleaning", "transport"];
const SCOPES: &[&str] = &[
    "The vendor serves {2-30} sites. Prices hold for {1-24} months.",
    "{2-12} visits a year at most, settled every {1-6} months.",
    "Frame contract: up to {2-30} orders a quarter, each confirmed within {1-10} days.",
];

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
