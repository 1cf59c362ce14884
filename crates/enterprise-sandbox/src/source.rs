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

use serde::{Deserialize, Serialize};
use std::fmt;

mod fields;

pub(crate) use fields::MAIL_CATEGORIES;

/// A kind of record; the company has one table for each.
///
/// The order is that of the enum in every list: people, communication, code, the helpdesk, trade
/// with customers, business partners, documents. Mail threads are not records: a thread is an
/// identifier that mails share. The serialised form is [`name`](Self::name).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TableId {
    /// People of the company.
    /// The key is `emp_id`; every other source that names a person links to it.
    Employees,
    /// Their curricula.
    /// At most one per person in a generated company; six people have two in the published file.
    Resumes,
    /// Mails between two employees, grouped into threads.
    /// Exactly one recipient each.
    Emails,
    /// Chats between two employees.
    Conversations,
    /// Posts on the social platform.
    Posts,
    /// Questions and answers of the internal overflow.
    /// An answer links to its question by `ParentId`, and a question to its accepted answer.
    Overflow,
    /// Code repositories.
    Repositories,
    /// Files in repositories.
    /// The key is `owner/name:path`.
    Files,
    /// Issues of repositories.
    Issues,
    /// Helpdesk tickets.
    Tickets,
    /// Products on sale.
    Products,
    /// Sales of products to customers.
    Sales,
    /// Customers.
    Customers,
    /// Invoice, purchase order and shipping order of each customer.
    /// Three per customer, computed from the customer's purchases; read only.
    OrderDocuments,
    /// Reviews of products by customers (product sentiment).
    /// The paper calls them product sentiment; the published rows have no sentiment label.
    Reviews,
    /// Support chats with customers.
    /// Each belongs to a product that the customer bought, and has an employee as handler.
    SupportChats,
    /// Business clients.
    Clients,
    /// Vendors.
    /// The published file calls their key `client_id`, like that of clients; here it is
    /// `vendor_id`.
    Vendors,
    /// Policy documents.
    /// Read only; 24 in a generated company.
    PolicyDocuments,
}

impl TableId {
    /// All sources, in the order of the enum.
    pub const ALL: [Self; 19] = [
        Self::Employees,
        Self::Resumes,
        Self::Emails,
        Self::Conversations,
        Self::Posts,
        Self::Overflow,
        Self::Repositories,
        Self::Files,
        Self::Issues,
        Self::Tickets,
        Self::Products,
        Self::Sales,
        Self::Customers,
        Self::OrderDocuments,
        Self::Reviews,
        Self::SupportChats,
        Self::Clients,
        Self::Vendors,
        Self::PolicyDocuments,
    ];

    /// Name in snake case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Employees => "employees",
            Self::Resumes => "resumes",
            Self::Emails => "emails",
            Self::Conversations => "conversations",
            Self::Posts => "posts",
            Self::Overflow => "overflow",
            Self::Repositories => "repositories",
            Self::Files => "files",
            Self::Issues => "issues",
            Self::Tickets => "tickets",
            Self::Products => "products",
            Self::Sales => "sales",
            Self::Customers => "customers",
            Self::OrderDocuments => "order_documents",
            Self::Reviews => "reviews",
            Self::SupportChats => "support_chats",
            Self::Clients => "clients",
            Self::Vendors => "vendors",
            Self::PolicyDocuments => "policy_documents",
        }
    }

    /// The name of one record in messages.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Employees => "employee",
            Self::Resumes => "resume",
            Self::Emails => "email",
            Self::Conversations => "conversation",
            Self::Posts => "post",
            Self::Overflow => "overflow post",
            Self::Repositories => "repository",
            Self::Files => "file",
            Self::Issues => "issue",
            Self::Tickets => "ticket",
            Self::Products => "product",
            Self::Sales => "sale",
            Self::Customers => "customer",
            Self::OrderDocuments => "order document",
            Self::Reviews => "review",
            Self::SupportChats => "support chat",
            Self::Clients => "client",
            Self::Vendors => "vendor",
            Self::PolicyDocuments => "policy document",
        }
    }

    /// The fields of a record, key first.
    #[must_use]
    pub fn fields(self) -> &'static [SourceField] {
        fields::of(self)
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
        matches!(
            self,
            Self::Sales | Self::Reviews | Self::SupportChats | Self::Overflow
        )
    }

    /// The field of that name.
    #[must_use]
    pub fn field(self, name: &str) -> Option<&'static SourceField> {
        self.fields().iter().find(|f| f.name == name)
    }

    /// Whether only the two participants may ever see a record, so that even counts are secret.
    #[must_use]
    pub fn is_private(self) -> bool {
        matches!(self, Self::Emails | Self::Conversations)
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
}

impl SourceField {
    const fn new(name: &'static str, kind: FieldType) -> Self {
        Self {
            name,
            kind,
            write: Write::Derived,
            required: false,
            nullable: false,
            restricted: false,
            searched: false,
            compare: Compare::Exact,
        }
    }
    const fn change(mut self) -> Self {
        self.write = Write::Change;
        self
    }
    const fn create(mut self) -> Self {
        self.write = Write::Create;
        self
    }
    const fn required(mut self) -> Self {
        self.required = true;
        self
    }
    const fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }
    const fn restricted(mut self) -> Self {
        self.restricted = true;
        self
    }
    const fn searched(mut self) -> Self {
        self.searched = true;
        self
    }
    const fn ignore(mut self) -> Self {
        self.compare = Compare::Ignore;
        self
    }
    const fn normal(mut self) -> Self {
        self.compare = Compare::Normal;
        self
    }
    const fn code(mut self) -> Self {
        self.compare = Compare::Code;
        self
    }
    const fn set(mut self) -> Self {
        self.compare = Compare::Set;
        self
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
