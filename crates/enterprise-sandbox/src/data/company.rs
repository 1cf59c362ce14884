//! A company: tables, identifiers, lookup tables. It never changes once it is complete; the
//! writes of an episode are in an overlay on top of it.
//!
//! ```text
//!  Company
//!  ├─ tables       columns of the declared fields (company/rows.rs); keys are row numbers
//!  ├─ ids          identifier of each row, listed or computed (company/ids.rs)
//!  ├─ index        rows by key and by name (company/rows.rs)
//!  ├─ marks        true values where data defects were applied
//!  └─ extras       native fields that no declared field reads, for the exporter
//! ```
//!
//! A company is made by [`synthesise`](crate::data::synth::synthesise) or by the
//! [importer](crate::data::import), which fill the tables and then build the index. From then on it is
//! shared by all episodes behind an `Arc`. An access rule, a tool or a test of an outcome never
//! changes it.

use crate::data::org::Department;
use crate::data::row::{Employee, EmployeeNo, PolicyRow, SectionRow, Topic};
use crate::data::tables::TableId;
use crate::data::value::{Day, Moment, row_no};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_core::Seed;
use std::collections::BTreeMap;

pub(crate) mod ids;
pub(crate) mod rows;

use ids::Ids;
use rows::{Index, Rows, Stored};

/// A value that a data defect changed, with the true value.
///
/// Marks are for the evaluation of data cleaning and for tests. No tool shows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mark {
    /// The kind of defect.
    pub defect: Defect,
    /// Source of the row.
    pub source: TableId,
    /// The row's identifier.
    pub id: String,
    /// The wrong field.
    pub field: &'static str,
    /// The value in a company without defects.
    pub truth: serde_json::Value,
}

/// A kind of defect of the published data.
///
/// [`DataDefects`](crate::data::synth::DataDefects) sets how often each occurs. The counts below were
/// taken in the published files, or reported by users of the release where a file is missing.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Defect {
    /// A mail carries someone else's signature.
    /// Published share 81 %.
    WrongSignature,
    /// The mails of a thread are out of date order.
    /// Published share 61 % of threads.
    ThreadDisorder,
    /// A mail's category or importance is malformed in the native file.
    /// About 90 of 11,928 mails, with line breaks inside the word.
    MalformedEnum,
    /// A conversation of a person with themself.
    /// 34 of 2,897.
    SelfConversation,
    /// Two people share an address.
    /// Published: six surplus uses of five addresses, because names of three parts were cut to two.
    DuplicateEmail,
    /// A telephone number is a bare number in the native file.
    /// 27 of 400 clients.
    IntegerPhone,
    /// A product's rating is not a number.
    /// One product, whose rating is `|`.
    RatingNoise,
    /// A file's issue is missing.
    /// 3 of 750.
    NullIssue,
    /// A resume has neither name nor address.
    /// 12 of 1,013.
    MissingResumeName,
    /// A person left but is still flagged valid.
    /// All 309 leavers.
    LeaverStillValid,
    /// A manager has left.
    /// 223 people report to someone who left.
    LeftManager,
}

/// A simulated company: its tables. It does not change once it is made.
///
/// Rows are numbered from 0 in every table; the fields of a row that does not exist are null.
///
/// ```
/// use enterprise_sandbox::data::tables::TableId;
/// use enterprise_sandbox::data::synth::{CompanyConfig, synthesise};
///
/// let company = synthesise(&CompanyConfig::of(50, 7))?;
/// let id = company.id(TableId::Products, 2);
/// assert_eq!(company.find(TableId::Products, &id), Some(2));
/// assert!(company.cell(TableId::Products, 2, "product_name").is_string());
/// assert!(company.cell(TableId::Products, 2, "no such field").is_null());
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Company {
    /// Seed of all generated data.
    pub(crate) seed: Seed,
    /// Mail domain.
    pub(crate) domain: Box<str>,
    /// Today.
    pub(crate) clock: Day,
    /// The topics of mail threads. A thread is no record: its mails share its identifier.
    pub(crate) threads: Vec<Topic>,
    /// The tables whose rows are declared, at the place of their [`TableId`].
    pub(crate) declared: Vec<Option<Rows>>,
    pub(crate) policies: Vec<PolicyRow>,
    /// Identifiers by source.
    pub(crate) ids: BTreeMap<TableId, Ids>,
    /// Identifiers of threads.
    pub(crate) thread_ids: Ids,
    pub(crate) index: Index,
    /// Native fields that no declared field reads, as JSON, for export.
    pub(crate) extras: BTreeMap<(TableId, u32), Box<str>>,
    /// The values that data defects changed.
    pub(crate) marks: Vec<Mark>,
}

impl Company {
    /// Today on the office clock.
    ///
    /// No event of a generated company is later. What an episode writes has this date; the date does
    /// not advance during an episode.
    #[must_use]
    pub fn clock(&self) -> Day {
        self.clock
    }

    /// The mail domain.
    pub(crate) fn domain(&self) -> &str {
        &self.domain
    }

    /// Number of rows of a source.
    #[must_use]
    pub fn rows(&self, source: TableId) -> u32 {
        self.declared(source).map_or(0, Rows::count)
    }

    /// The rows of a table whose rows are declared.
    pub(crate) fn declared(&self, source: TableId) -> Option<&Rows> {
        self.declared.get(source as usize)?.as_ref()
    }

    pub(crate) fn declared_mut(&mut self, source: TableId) -> Option<&mut Rows> {
        self.declared.get_mut(source as usize)?.as_mut()
    }

    /// Adds or replaces a table whose rows are declared.
    pub(crate) fn declare(&mut self, rows: Rows) {
        self.declared.resize_with(TableId::ALL.len(), || None);
        if let Some(table) = self.declared.get_mut(rows.source() as usize) {
            *table = Some(rows);
        }
    }

    /// The numbers of a field: a link is the row of its target, a day and
    /// a moment are those of [`Day`] and [`Moment`], a word is its place in the list.
    pub(crate) fn column(&self, source: TableId, field: &str) -> impl Fn(u32) -> Option<i64> {
        let numbers = self.declared(source).and_then(|rows| rows.numbers(field));
        move |row| numbers?.get(row)
    }

    /// The row that a field links to.
    pub(crate) fn link(&self, source: TableId, row: u32, field: &str) -> Option<u32> {
        u32::try_from(self.column(source, field)(row)?).ok()
    }

    /// The date of a row by which lists are ordered.
    pub(crate) fn dated(&self, source: TableId, row: u32) -> Option<Day> {
        Some(Moment(self.declared(source)?.stamp(row)?).day())
    }

    /// Whether a text is generated when it is read.
    pub(crate) fn is_made(&self, source: TableId, row: u32, field: &str) -> bool {
        let stored = self
            .declared(source)
            .and_then(|rows| rows.stored(row, field));
        matches!(stored, Some(Stored::Made))
    }

    /// Number of mail threads.
    #[must_use]
    pub fn thread_count(&self) -> u32 {
        row_no(self.threads.len())
    }

    /// The values that data defects changed, with the true values.
    #[must_use]
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The people as access rules and generators see them, in row order.
    #[must_use]
    pub fn employees(&self) -> &[Employee] {
        &self.index.people
    }

    /// The people, read from their table, which may not be complete.
    pub(crate) fn read_employees(&self) -> Vec<Employee> {
        let column = |field| self.column(TableId::Employees, field);
        let (department, level, manager) =
            (column("category"), column("Level"), column("reports_to"));
        let (joined, left, valid) = (column("DOJ"), column("DOL"), column("is_valid"));
        let day = |n: Option<i64>| n.and_then(|n| i32::try_from(n).ok()).map(Day);
        let all = 0..self.rows(TableId::Employees);
        let read = all.map(|row| Employee {
            department: department(row)
                .and_then(|n| Department::ALL.get(usize::try_from(n).ok()?).copied())
                .unwrap_or(Department::Management),
            level: level(row).and_then(|n| u8::try_from(n).ok()).unwrap_or(0),
            manager: manager(row)
                .and_then(|n| u32::try_from(n).ok())
                .map(EmployeeNo),
            joined: day(joined(row)).unwrap_or_default(),
            left: day(left(row)),
            valid: valid(row) == Some(1),
        });
        read.collect()
    }

    /// The policy documents, in row order.
    #[must_use]
    pub fn policies(&self) -> &[PolicyRow] {
        &self.policies
    }

    /// A section of a policy document.
    pub(crate) fn section(&self, row: u32, n: usize) -> Option<&SectionRow> {
        self.policies.get(row as usize)?.sections.get(n)
    }

    /// The identifier of a row that exists. Beyond the table, listed and joined identifiers are empty and
    /// computed ones go on.
    #[must_use]
    pub fn id(&self, source: TableId, row: u32) -> String {
        if let Some((one, between, other)) = source.table().joined {
            let part = |field| self.shown(source, row, field);
            return match row < self.rows(source) {
                true => format!("{}{between}{}", part(one), part(other)),
                false => String::new(),
            };
        }
        let ids = self.ids.get(&source);
        ids.map(|ids| ids.name(row)).unwrap_or_default()
    }

    /// The row with an identifier.
    ///
    /// A binary search or the inverse of the rule that computes the identifiers; for joined ones a walk
    /// over the rows that link to the same row, such as the files of one repository.
    #[must_use]
    pub fn find(&self, source: TableId, id: &str) -> Option<u32> {
        let Some((one, between, other)) = source.table().joined else {
            return self.ids.get(&source)?.find(id, self.rows(source));
        };
        // Each part may contain the character between them.
        id.match_indices(between).find_map(|(at, _)| {
            let parts = (id.get(..at)?, id.get(at + between.len_utf8()..)?);
            let (link, key, text, wanted) = match source.target(one) {
                Some(to) => (one, self.find(to, parts.0)?, other, parts.1),
                None => (
                    other,
                    self.find(source.target(other)?, parts.1)?,
                    one,
                    parts.0,
                ),
            };
            let mut rows = self.index.of(source, link, key).iter().copied();
            rows.find(|row| self.cell(source, *row, text) == *wanted)
        })
    }

    /// The identifier of a thread.
    pub(crate) fn thread_id(&self, thread: u32) -> String {
        self.thread_ids.name(thread)
    }

    /// The thread with an identifier.
    pub(crate) fn find_thread(&self, id: &str) -> Option<u32> {
        self.thread_ids.find(id, self.thread_count())
    }

    /// Builds the lookup tables; to be called once all tables are filled, because a table that grows
    /// afterwards would have rows that no lookup finds.
    pub(crate) fn finish(&mut self) {
        self.index = Index::new(self);
    }

    /// Number of rows by source.
    ///
    /// For the paper's size, 1,260 people, a generated company has the published counts; see
    /// [`crate::data::synth`].
    #[must_use]
    pub fn row_counts(&self) -> BTreeMap<TableId, u32> {
        TableId::ALL
            .into_iter()
            .map(|s| (s, self.rows(s)))
            .collect()
    }

    /// SHA-256 over every record in order, as shown to a reader without restrictions. Two companies
    /// with the same digest are indistinguishable to every tool and task.
    ///
    /// It renders every text of the company, so it is slow for large ones; call it once and keep
    /// the result. A table that the published data do not have counts only if it has rows, so that adding
    /// one does not change the digests of imported companies.
    #[must_use]
    pub fn digest(&self) -> sim_core::Digest {
        let mut digest = sim_core::Digest::of_bytes(self.clock.to_string().as_bytes());
        let counts = |s: &TableId| *s <= TableId::PolicyDocuments || self.rows(*s) > 0;
        for source in TableId::ALL.into_iter().filter(counts) {
            let mut block = String::new();
            for row in 0..self.rows(source) {
                for field in source.fields() {
                    block.push_str(&sim_core::bytes::canonical_text(
                        &self.cell(source, row, field.name),
                    ));
                    block.push('\u{1f}');
                }
                if block.len() > 1 << 20 {
                    digest = digest.chain(block.as_bytes());
                    block.clear();
                }
            }
            digest = digest.chain(block.as_bytes());
        }
        digest
    }
}
