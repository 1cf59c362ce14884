//! The tables of the company, each declared once. What a table needs follows from its [`Table`]:
//!
//! ```text
//!  Table ─┬─ fields ──► checks of writes, search, withheld fields, comparison, arguments of tools
//!         ├─ people ──► access rules: attributes of the entity, first and second person of a row
//!         ├─ file ────► import and export
//!         ├─ rows ────► storage, records, lookups by link, generation
//!         └─ verbs ───► tools; who may use them, as Cedar policies
//! ```
//!
//! The tables of the published data have generators, and files of older forms imports, of their own, their rules in
//! `policies/office.cedar` and their tools in the tables of the tool sets. A new table is declared at the end of
//! this file; the templates of its tasks are the rest of it.

use super::field::FieldDefault::{Today, Word};
use super::field::Make::{Ahead, Any, Between, During, Member, Phrases, Rotate, Turn};
use super::field::{FieldType, SourceField, day, id, link, page};
use crate::org::Department::{self, Finance, Management};
use Who::{First, Of};
use serde::{Deserialize, Serialize};
use std::fmt;

#[rustfmt::skip] // One line a field.
mod published;

pub(crate) use published::POLARITIES;

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

/// What can be done with the records of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Verb {
    Read,
    Create,
    Update,
    Delete,
}

/// The tool for a verb, what it is described as, the rule in words, and who may use it: anybody of these.
pub(crate) struct VerbRule {
    pub(crate) verb: Verb,
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
            verb: Verb::Read,
            tool: "contracts_read",
            about: "Find contracts with vendors; those that end last come first.",
            reason: "Management, Finance, and who looks after it",
            allowed: &[First, Of(&[Management, Finance], 9)],
        },
        VerbRule {
            verb: Verb::Create,
            tool: "contracts_create",
            about: "Register a contract with a vendor.",
            reason: "Management from level 10",
            allowed: &[Of(&[Management], 10)],
        },
        VerbRule {
            verb: Verb::Update,
            tool: "contracts_update",
            about: "Change a contract.",
            reason: "who looks after it, and Management from level 12",
            allowed: &[First, Of(&[Management], 12)],
        },
        VerbRule {
            verb: Verb::Delete,
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
