//! The tables of the company, each declared once. What a table needs follows from its [`Table`]:
//! fields, identifiers, the order of lists, its file, its access rules, its tools and its tasks.
//!
//! ```text
//!  Table ─┬─ fields ──► checks of writes, search, withheld fields, comparison, arguments of tools
//!         ├─ people ──► access rules: attributes of the entity, first and second person of a row
//!         ├─ file ────► import and export
//!         ├─ rows ────► storage, generation, records, lookups by link
//!         ├─ rules, policies ──► native predicates, Cedar
//!         └─ tools, templates ─► what agents are offered and asked
//! ```
//!
//! The older tables keep typed rows ([`crate::row`]) with their own import and export. A table with
//! [declared rows](rows::DeclaredRows) has none of that: its rows are stored, read, written and generated
//! by its declaration. A new table touches three files: the list below, a file with its declaration, and
//! a file with the templates of its tasks.

use crate::access::Rule;
use crate::source::SourceField;
use crate::task::Template;
use serde::{Deserialize, Serialize};

mod clients;
mod published;
pub(crate) mod rows;
mod vendors;

pub(crate) use published::MAIL_CATEGORIES;

use rows::DeclaredRows;

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
    /// The field that gets the caller when a record is created.
    pub(crate) owner: Option<&'static str>,
    /// The date by which lists are ordered, latest first.
    pub(crate) dated: Option<&'static str>,
    /// Its file in the native tree, if it has one of its own.
    pub(crate) file: Option<&'static str>,
    /// How its rows are stored and generated; `None` for a table with typed rows.
    pub(crate) rows: Option<DeclaredRows>,
    /// Access rules beyond those of [`crate::access`].
    pub(crate) rules: &'static [Rule],
    /// The same as Cedar policies.
    pub(crate) policies: &'static str,
    /// Tools beyond those of the paper: operation, name, description. The arguments follow from the
    /// fields.
    pub(crate) tools: &'static [ToolLine],
    /// Templates of tasks beyond those of [`crate::task`].
    pub(crate) templates: &'static [Template],
}

/// Operation, name and description of a tool whose arguments follow from the fields of its table.
pub(crate) type ToolLine = (crate::toolset::Op, &'static str, &'static str);

impl Table {
    /// A table with typed rows and without people, file or order.
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
            owner: None,
            dated: None,
            file: None,
            rows: None,
            rules: &[],
            policies: "",
            tools: &[],
            templates: &[],
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
    Clients = clients::TABLE;
    /// Vendors.
    /// The published file calls their key `client_id`, like that of clients; here it is
    /// `vendor_id`.
    Vendors = vendors::TABLE;
    /// Policy documents.
    /// Read only; 24 in a generated company.
    PolicyDocuments = published::POLICY_DOCUMENTS;
}

impl TableId {
    /// The tables whose rows are declared, in the order of the enum.
    pub(crate) fn declared() -> impl Iterator<Item = (Self, &'static DeclaredRows)> {
        let all = Self::ALL.into_iter();
        all.filter_map(|source| Some((source, source.table().rows.as_ref()?)))
    }

    /// What the tables beyond the published ones add to the access rules.
    pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
        Self::ALL.into_iter().flat_map(|s| s.table().rules)
    }

    /// The templates of tasks that the tables bring along.
    pub(crate) fn templates() -> impl Iterator<Item = &'static Template> {
        Self::ALL.into_iter().flat_map(|s| s.table().templates)
    }
}
