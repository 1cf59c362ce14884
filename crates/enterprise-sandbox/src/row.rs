//! Typed rows of the tables whose rows are not stored by the declared fields. Keys to other rows are row
//! numbers of the target table, so they cannot dangle; text that can be generated from the seed is not
//! stored.
//!
//! These are the tables in memory. Tools do not see them: they see records, JSON objects with the
//! fields of [`crate::source`], which [`Company::cell`](crate::company::Company::cell) makes from a
//! row on demand.
//!
//! ```text
//!  native file ──import──► row ──cell──► record shown by a tool
//!  seed ───────synthesise─► row (texts not stored) ──cell──► record, text made from seed and row number
//! ```
//!
//! The counts in the descriptions of the structs are those of the published data, as far as it was
//! published; where a file is missing from the release, its shape is known from third-party
//! descriptions.
//!
//! ```
//! use enterprise_sandbox::synth::{CompanyConfig, synthesise};
//!
//! let company = synthesise(&CompanyConfig::of(50, 7))?;
//! for person in company.employees() {
//!     // A manager belongs to the same department and is at no lower level.
//!     if let Some(manager) = person.manager.and_then(|m| company.employees().get(m.0 as usize)) {
//!         assert_eq!(manager.department, person.department);
//!         assert!(manager.level >= person.level);
//!     }
//! }
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use crate::org::Department;
use crate::value::{Day, Moment};

/// A text of a row: stored, or generated on demand from the company's seed and the row number by
/// the grammar of the field.
///
/// Imported texts are stored. Those of a generated company take no memory: a company of 100,000
/// people has more than a million mails and reviews, several gigabytes as JSON, of which an episode
/// reads a few.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Text {
    /// Generated on demand.
    #[default]
    Made,
    /// Stored.
    Own(Box<str>),
}

impl Text {
    /// A stored text.
    #[must_use]
    pub fn own(text: impl Into<Box<str>>) -> Self {
        Self::Own(text.into())
    }
}

macro_rules! row_numbers {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash,
                 serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);
    )*};
}

row_numbers! {
    /// Row number in the table of employees. Employees hired during an episode follow after it.
    EmployeeNo;
    /// Row number in the table of repositories.
    RepositoryNo;
    /// Row number in the table of files.
    FileNo;
    /// Row number in the table of mail threads.
    ThreadNo;
}

impl EmployeeNo {
    /// The owner of records that do not exist: no row has this number.
    pub(crate) const NOBODY: Self = Self(u32::MAX);
}

/// The three kinds of leave, in the order of the file: casual, sick, vacation.
///
/// Fields of records are built from these names: `Total Casual Leaves`, `Remaining Sick Leaves`.
pub const LEAVES: [&str; 3] = ["Casual", "Sick", "Vacation"];

/// A person of the company.
///
/// Published: `employees.json`, 1,260 rows, all scalars as text. There are no published levels 11
/// and 15; see [`crate::org`] for the roles.
#[derive(Debug, Clone, PartialEq)]
pub struct Employee {
    /// Full name.
    pub name: Box<str>,
    /// Work address; unique in a clean company.
    pub email: Box<str>,
    /// Department.
    pub department: Department,
    /// Level, one of [`crate::org::LEVELS`].
    pub level: u8,
    /// The manager, of the same department, at no lower level.
    pub manager: Option<EmployeeNo>,
    /// First day of work.
    pub joined: Day,
    /// Last day of work; `None` for current staff.
    pub left: Option<Day>,
    /// Yearly pay (whole currency units).
    /// In the published data pay hardly depends on the level; in a generated company it never falls
    /// with it.
    pub salary: u32,
    /// Yearly allowance of each leave (days), in the order of [`LEAVES`].
    pub leave_total: [u8; 3],
    /// Remaining allowance of each (days).
    /// At most the allowance.
    pub leave_left: [u8; 3],
    /// Age on the office clock (years).
    /// Generated people are 22 to 60 and joined at 20 or later.
    pub age: u8,
    /// Rating of the last review, 1 to 5.
    pub rating: u8,
    /// Marital status, as written.
    pub marital: Text,
    /// Gender, as written.
    pub gender: Text,
    /// The flag `is_valid`; still true for leavers in the published file.
    pub valid: bool,
    /// Skills, separated by commas.
    pub skills: Text,
    /// Profile.
    pub description: Text,
    /// Work history.
    pub experience: Text,
}

/// A thread of mails.
///
/// Only the topic is stored; the mails of a thread are found by an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Thread {
    /// Its topic; only for generated mails.
    pub topic: Topic,
}

/// The topic of a generated mail thread.
///
/// Subject and text of the mails are made from it, so that a request can lead from a mail to the
/// record that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Topic {
    /// No record.
    #[default]
    Plain,
    /// A ticket, by row.
    Ticket(u32),
    /// A product, by row.
    Product(u32),
    /// A repository, by row.
    Repository(u32),
    /// The sender's leave.
    Leave,
    /// A policy document, by row.
    Policy(u32),
}

/// A mail.
///
/// The published file is missing; it had 11,928 mails in 4,417 threads.
#[derive(Debug, Clone, PartialEq)]
pub struct Mail {
    /// Its thread.
    pub thread: ThreadNo,
    /// The sender.
    pub sender: EmployeeNo,
    /// The recipient.
    pub recipient: EmployeeNo,
    /// Time of sending.
    /// Ascending within a thread in a company without defects; 61 % of the published threads are
    /// out of order.
    pub at: Moment,
    /// Whether its importance is `High`.
    pub high: bool,
    /// Index into the list of categories.
    /// Most mails are `INTERNAL` or `FOLLOW-UP`.
    pub category: u8,
    /// The person whose name is in the signature of a generated mail; the sender in a company
    /// without defects.
    /// 81 % of the published mails carry someone else's signature.
    pub signer: EmployeeNo,
    /// Its texts, if they are stored; those of generated mails are generated on demand.
    pub own: Option<Box<MailTexts>>,
}

/// The texts of an imported mail.
#[derive(Debug, Clone, PartialEq)]
pub struct MailTexts {
    /// Subject.
    pub subject: Box<str>,
    /// Body.
    pub body: Box<str>,
    /// Signature.
    pub signature: Box<str>,
    /// Notice of confidentiality.
    pub notice: Option<Box<str>>,
}

/// A code repository.
///
/// The published file has one row per file, 750 rows over 726 repositories; the importer splits
/// them. The name (`owner/name`) is the identifier.
#[derive(Debug, Clone, PartialEq)]
pub struct Repository {
    /// Owner.
    pub owner: EmployeeNo,
    /// SPDX name of the licence, lower case.
    pub license: Option<Text>,
    /// Day of creation.
    pub created: Day,
    /// Programming language.
    pub language: Option<Text>,
}

/// A file in a repository.
///
/// The identifier is that of the repository, a colon and the path.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeFile {
    /// Its repository.
    pub repository: RepositoryNo,
    /// Path inside it.
    pub path: Text,
    /// Text.
    pub code: Text,
    /// Digest as stated in the file; computed for generated files.
    pub hash: Text,
    /// Stated size (bytes); `None` when it is that of the text.
    pub size: Option<u32>,
    /// Stated number of copies elsewhere.
    pub copies: u32,
}

/// An issue.
///
/// The published file has at most one issue per file.
#[derive(Debug, Clone, PartialEq)]
pub struct Issue {
    /// The file that it is about.
    pub file: FileNo,
    /// Title.
    pub title: Text,
    /// Description.
    pub description: Text,
    /// Whether it is closed.
    pub closed: bool,
    /// When it was opened.
    pub created: Moment,
    /// The patch; a generated issue has one if it is closed.
    /// For generated code it is the inverse of the fault in the file:
    /// [`apply_patch`](crate::synth::apply_patch) repairs the file with it.
    pub patch: Option<Text>,
}

/// A customer.
///
/// Published: 90 rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Customer {
    /// Name, lower case.
    pub name: Text,
    /// Paths of invoice, purchase order and shipping order, in that order.
    pub papers: [Text; 3],
}

/// The three kinds of order document.
///
/// Row `3 * customer + kind` of the order documents is the document of that kind.
pub const ORDER_KINDS: [&str; 3] = ["invoice", "purchase_order", "shipping_order"];

/// The readers of a policy document.
///
/// The published documents are PDF files without labels; imported ones are open to all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReaderLabel {
    /// All active staff.
    All,
    /// One department.
    Department(Department),
    /// A level and above.
    Level(u8),
}

impl ReaderLabel {
    /// `all`, the name of a department, or `level>=12`.
    #[must_use]
    pub fn show(self) -> String {
        match self {
            Self::All => "all".to_owned(),
            Self::Department(d) => d.name().to_owned(),
            Self::Level(l) => format!("level>={l}"),
        }
    }

    /// What policies see of it: the kind, the department and the level.
    pub(crate) fn attributes(self) -> (&'static str, &'static str, u8) {
        match self {
            Self::All => ("all", "", 0),
            Self::Department(d) => ("department", d.name(), 0),
            Self::Level(l) => ("level", "", l),
        }
    }
}

/// A policy document.
///
/// The paper's policy documents are PDF files; here they are sections with numbered rules, so that
/// a task can ask for one rule.
///
/// ```
/// use enterprise_sandbox::synth::{CompanyConfig, synthesise};
///
/// let company = synthesise(&CompanyConfig::of(50, 7))?;
/// let document = company.policies().first().ok_or("no document")?;
/// let text = document.text();
/// assert!(text.starts_with(&*document.title));
/// assert!(text.contains("\n1.1 ")); // the first rule of the first section
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyRow {
    /// Title.
    pub title: Box<str>,
    /// Its readers.
    pub label: ReaderLabel,
    /// Its sections.
    pub sections: Vec<SectionRow>,
}

/// A section of a policy document.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionRow {
    /// Heading.
    pub heading: Box<str>,
    /// Numbered rules.
    pub rules: Vec<Box<str>>,
}

impl PolicyRow {
    /// The whole document as text: title, headings, numbered rules.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::from(&*self.title);
        for (s, section) in self.sections.iter().enumerate() {
            out.push_str(&format!("\n\n{}. {}", s + 1, section.heading));
            for (r, rule) in section.rules.iter().enumerate() {
                out.push_str(&format!("\n{}.{} {rule}", s + 1, r + 1));
            }
        }
        out
    }
}
