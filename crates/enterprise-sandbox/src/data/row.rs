//! What rows of tables consist of beside numbers: texts, people, topics of mails, policy documents. Keys to other
//! rows are row numbers of the target table, so they cannot dangle; text that can be generated from the seed is
//! not stored.
//!
//! Tools see records, JSON objects with the fields of [`crate::data::tables`], which
//! [`Company::cell`](crate::data::company::Company::cell) makes from the columns of a table on demand.
//!
//! ```text
//!  native file ──import──► columns ──cell──► record shown by a tool
//!  seed ───────synthesise─► columns (texts not stored) ──cell──► record, text made from seed and row number
//! ```
//!
//! ```
//! use enterprise_sandbox::data::synth::{CompanyConfig, synthesise};
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

use crate::data::org::Department;
use crate::data::value::Day;

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
}

impl EmployeeNo {
    /// The owner of records that do not exist: no row has this number.
    pub(crate) const NOBODY: Self = Self(u32::MAX);
}

/// The three kinds of leave, in the order of the file: casual, sick, vacation.
///
/// Fields of records are built from these names: `Total Casual Leaves`, `Remaining Sick Leaves`.
pub const LEAVES: [&str; 3] = ["Casual", "Sick", "Vacation"];

/// Days of leave that a person has taken, given the days of each field. Of a kind of which more is left than there
/// was, none were taken.
pub(crate) fn leaves_taken(days: impl Fn(&str) -> Option<i64>) -> i64 {
    let taken = LEAVES.map(|kind| {
        let of = |what| days(&format!("{what} {kind} Leaves"));
        // Tools refuse more days than the allowance, but imported rows may have them.
        Some((of("Total")? - of("Remaining")?).max(0))
    });
    taken.into_iter().flatten().sum()
}

/// A person of the company: what access rules and generators ask for most. All fields are in the record.
///
/// Published: `employees.json`, 1,260 rows, all scalars as text. There are no published levels 11
/// and 15; see [`crate::data::org`] for the roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Employee {
    /// Department.
    pub department: Department,
    /// Level, one of [`crate::data::org::LEVELS`].
    pub level: u8,
    /// The manager, of the same department, at no lower level.
    pub manager: Option<EmployeeNo>,
    /// First day of work.
    pub joined: Day,
    /// Last day of work; `None` for current staff.
    pub left: Option<Day>,
    /// The flag `is_valid`; still true for leavers in the published file.
    pub valid: bool,
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

/// The kinds of order document with their titles. Each customer has one of each, in this order.
pub(crate) const ORDER_KINDS: [(&str, &str); 3] = [
    ("invoice", "Invoice"),
    ("purchase_order", "Purchase order"),
    ("shipping_order", "Shipping order"),
];
/// Number of order documents of a customer.
pub(crate) const ORDER_COUNT: u32 = 3;

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

    /// The label of a text, in the form of [`show`](Self::show).
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match (text, text.strip_prefix("level>=")) {
            ("" | "all", _) => Some(Self::All),
            (_, Some(level)) => level.parse().ok().map(Self::Level),
            (_, None) => Department::parse(text).map(Self::Department),
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
/// use enterprise_sandbox::data::synth::{CompanyConfig, synthesise};
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
    /// Reads a document: the title, an optional `label:` line, `1. Heading`, `1.1 rule`. Lines that are not numbered
    /// are rules of the section above them. A label names a department or `level>=12`, or is `all`; without one, all
    /// active staff may read the document.
    ///
    /// # Errors
    /// A label that cannot be read.
    pub(crate) fn parse(text: &str) -> Result<Self, &str> {
        let section = |heading: &str| SectionRow {
            heading: heading.into(),
            rules: Vec::new(),
        };
        let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
        let mut policy = Self {
            title: lines.next().unwrap_or_default().into(),
            label: ReaderLabel::All,
            sections: Vec::new(),
        };
        for line in lines {
            if let Some(label) = line.strip_prefix("label:") {
                policy.label = ReaderLabel::parse(label.trim()).ok_or(label)?;
                continue;
            }
            let (number, rest) = line.split_once(' ').unwrap_or(("", line));
            let numbered = |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
            let parts = number.split_once('.');
            let rule = parts.is_some_and(|(a, b)| numbered(a) && numbered(b));
            // Only the form of a number counts, not its value: sections are numbered again when they are shown.
            if !rule && number.strip_suffix('.').is_some_and(numbered) {
                policy.sections.push(section(rest));
                continue;
            }
            if policy.sections.is_empty() {
                policy.sections.push(section("Text"));
            }
            if let Some(section) = policy.sections.last_mut() {
                section.rules.push(if rule { rest } else { line }.into());
            }
        }
        Ok(policy)
    }

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
