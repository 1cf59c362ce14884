//! Import of the published file tree, with a report of all changes.
//!
//! The crate reads no files: the caller passes a [`NativeTree`] of (path, text). Every row is
//! imported, repaired (with the name of the rule) or quarantined; nothing is dropped silently.
//! Well-formed native spellings (numbers in strings, currency signs, three date forms) are not
//! repairs; they are counted by rule as coercions. Native fields without a typed field are stored
//! with the row and written again on export.
//!
//! ```text
//!  NativeTree (path, text) ─► files by name ─► rows one by one ─┬─► imported
//!                                                               ├─► repaired    (rule, before, after)
//!                                                               └─► quarantined (rule, field, value)
//!                      sources that are missing ─► filled from a seed, if wanted
//!                                                               └─► ImportReport
//! ```
//!
//! Both the current and the older shapes of the files are read: participants of mails as nested
//! objects or flat, conversations in one file or six, issues as one object or a list. Employees
//! come first, because nearly every other file refers to them; a row whose person, product or
//! customer does not exist is quarantined.
//!
//! | rule | what happened |
//! |---|---|
//! | `number_in_string`, `currency_in_string`, `percent_sign`, `day_first_date`, `truth_word` | coercion: a usual spelling of the published files |
//! | `department_from_level`, `leave_sum_recomputed`, `reportees_recomputed` | repair: a value that cannot be read, or is contradicted, is taken from a more reliable one |
//! | `word_trimmed`, `word_unknown`, `rating_unreadable`, `number_unreadable`, `number_out_of_range`, `text_unreadable`, `phone_was_a_number` | repair: a malformed value |
//! | `name_from_master`, `person_from_address` | repair: a copied name or id that disagrees with its record |
//! | `dangling_manager`, `reporting_cycle`, `dangling_post` | repair: a link without a target, or in a circle, is removed |
//! | `missing_field`, `duplicate_id`, `dangling_key`, `date_unreadable`, `label_unreadable`, ... | quarantine: the row cannot be used |
//!
//! # Example
//!
//! ```
//! use enterprise_sandbox::data::import::{ImportOptions, NativeTree, import};
//! use enterprise_sandbox::data::tables::TableId;
//! use serde_json::json;
//!
//! let ada = json!([{"emp_id": "emp_0007", "Name": "Ada Berg", "email": "ada.berg@example.com",
//!     "category": "Finance", "Level": "FI10", "DOJ": "14-03-2016", "DOL": "Present",
//!     "Salary": "84000", "Age": "34", "Performance Rating": "4", "is_valid": "TRUE",
//!     "Total Casual Leaves": "8", "Remaining Casual Leaves": "3",
//!     "Total Sick Leaves": "10", "Remaining Sick Leaves": "10",
//!     "Total Vacation Leaves": "15", "Remaining Vacation Leaves": "6",
//!     "reportees": [], "reports_to": null}]);
//! let mut tree = NativeTree::new();
//! tree.insert("Human_Resource_Management/Employees/employees.json", ada.to_string());
//! let (company, report) = import(&tree, &ImportOptions::default())?;
//! assert_eq!(company.find(TableId::Employees, "emp_0007"), Some(0));
//! assert_eq!(company.cell(TableId::Employees, 0, "DOJ"), "2016-03-14");
//! assert_eq!(report.coercions["day_first_date"], 1);
//! assert!(report.quarantined.is_empty());
//! # Ok::<(), enterprise_sandbox::data::import::ImportError>(())
//! ```

use crate::data::company::Company;
use crate::data::company::ids::Ids;
use crate::data::export::CARD;
use crate::data::synth;
use crate::data::synth::{VolumeProfile, Volumes};
use crate::data::tables::{SourceField, TableId};
use crate::data::value::{Day, row_no};
use serde::Serialize;
use serde_json::{Map, Value};
use sim_core::Seed;
use std::collections::{BTreeMap, BTreeSet};

mod rows;

/// Maximum number of people in an imported company.
const MOST_PEOPLE: u32 = 100_000;
/// Maximum number of rows of a file.
const MOST_ROWS: u32 = 10_000_000;

/// An import that failed before any row was read.
///
/// Faults of single rows are not errors: they are in the [`ImportReport`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The tree has no file of employees, to which all other files refer.
    #[error(
        "there is no employee file; `Human_Resource_Management/Employees/employees.json` is needed"
    )]
    NoEmployees,
    /// A file is not a list of JSON objects.
    #[error("`{path}` is not a JSON array of objects: {message}")]
    NotRows {
        /// The file.
        path: String,
        /// The parser's message.
        message: String,
    },
    /// A file has more rows than the maximum.
    /// 100,000 people, or 10,000,000 rows of another file: row numbers and memory are sized for
    /// these.
    #[error("`{path}` has more than {most} rows")]
    TooManyRows {
        /// The file.
        path: String,
        /// Maximum number of rows.
        most: u32,
    },
    /// A table has more cells than the maximum: each takes more memory than its text.
    #[error("`{path}` has more than {most} cells")]
    TooManyCells {
        /// The file.
        path: String,
        /// Maximum number of cells.
        most: usize,
    },
    /// A policy document is longer than the maximum.
    #[error("`{path}` is longer than {most} bytes")]
    TooLong {
        /// The file.
        path: String,
        /// Maximum length \[bytes\].
        most: usize,
    },
    /// `office.json` has other content than the office clock.
    #[error("`{path}` is not `{{\"clock\": \"2025-06-30\"}}`: {message}")]
    NotACard {
        /// The file.
        path: String,
        /// The parser's message.
        message: String,
    },
}

/// Settings of an import.
///
/// The default fills nothing: sources that the tree lacks stay empty, and templates that need them
/// draw no tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportOptions {
    /// Today on the office clock (default what the tree's `office.json` says, else 2025-06-30).
    pub clock: Option<Day>,
    /// Seed of generated data (identifiers, filled sources; default 1).
    pub seed: Seed,
    /// Generate the sources that the tree does not have, for its employees.
    pub fill: Option<VolumeProfile>,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            clock: None,
            seed: crate::data::synth::CompanyConfig::default().seed,
            fill: None,
        }
    }
}

/// Reads a native tree into a company.
///
/// # Errors
/// When there is no employee file, a file is not a JSON array of objects or has too many rows, or
/// `office.json` is invalid.
///
/// The company can be used like a generated one; register it with [`Spec::add`](crate::Spec::add)
/// to draw tasks from it. The same tree and options give the same company.
pub fn import(
    tree: &NativeTree,
    options: &ImportOptions,
) -> Result<(Company, ImportReport), ImportError> {
    // Read even if the caller names a day: a card that cannot be read is an error of the tree.
    let clock = options.clock.or(rows::card(tree)?.clock);
    let mut c = Company {
        seed: options.seed,
        clock: clock.unwrap_or_else(|| crate::data::synth::CompanyConfig::default().clock),
        ..Company::default()
    };
    let mut log = Log {
        clock: Some(c.clock),
        ..Log::default()
    };
    rows::employees(&mut c, tree, &mut log)?;
    // Sales and reviews link to customers.
    rows::customers(&mut c, tree, &mut log)?;
    for source in TableId::ALL {
        rows::rows(&mut c, tree, &mut log, source)?;
    }
    c.extras = std::mem::take(&mut log.extras);
    // Before missing tables are filled, because the report counts the rows of files.
    let mut report = log.finish(&c, tree);
    if let Some(profile) = options.fill {
        let missing: Vec<TableId> = report
            .sources
            .iter()
            .filter(|(_, s)| s.path.is_none())
            .map(|(s, _)| *s)
            .collect();
        let volumes = Volumes::new(c.rows(TableId::Employees), profile);
        synth::fill(&mut c, &volumes, &missing);
        for source in missing.into_iter().filter(|s| c.rows(*s) > 0) {
            report.sources.entry(source).or_default().made = c.rows(source);
            report.filled.push(source);
        }
    }
    c.finish();
    Ok((c, report))
}

type Done = Result<(), ImportError>;

/// Gives a table the identifiers of its file.
fn listed(c: &mut Company, source: TableId, names: Vec<Box<str>>) {
    c.ids.insert(source, Ids::listed(names));
}

// ---------------------------------------------------------------- tree
//
// The input files, found in any spelling of their paths.

/// The texts of a native file tree by path. Paths may use `/` or `\`, spaces or underscores, any
/// case, and any folders in front.
///
/// A file is recognised by the end of its path. So the tree may hold a whole repository, or just
/// the files without folders.
///
/// ```
/// use enterprise_sandbox::data::import::NativeTree;
///
/// let tree: NativeTree = [("Data\\IT Service Management\\it_tickets.json", "[]")].into_iter().collect();
/// assert_eq!(tree.len(), 1);
/// assert_eq!(tree.iter().next().map(|(_, text)| text), Some("[]"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NativeTree {
    files: BTreeMap<String, (String, String)>,
}

impl NativeTree {
    /// An empty tree.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file; a second one with the same path replaces the first. A byte-order mark in front of the text is
    /// left out.
    pub fn insert(&mut self, path: impl Into<String>, text: impl Into<String>) {
        let (path, mut text): (String, String) = (path.into(), text.into());
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        self.files.insert(level(&path), (path, text));
    }

    /// Number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether the tree is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Paths and texts, in order of their normalised paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .values()
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The file whose normalised path ends in `wanted`, at a folder boundary.
    fn find(&self, wanted: &str) -> Option<(&str, &str)> {
        self.files
            .iter()
            .find(|(key, _)| {
                key.strip_suffix(wanted)
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            })
            .map(|(_, (path, text))| (path.as_str(), text.as_str()))
    }

    /// All files below the folder `folder` with one of these extensions.
    fn under(&self, folder: &str, ending: &str) -> Vec<(&str, &str)> {
        self.files
            .iter()
            .filter(|(key, _)| {
                key.ends_with(ending)
                    && (key.starts_with(&format!("{folder}/"))
                        || key.contains(&format!("/{folder}/")))
            })
            .map(|(_, (path, text))| (path.as_str(), text.as_str()))
            .collect()
    }
}

impl<P: Into<String>, T: Into<String>> FromIterator<(P, T)> for NativeTree {
    fn from_iter<I: IntoIterator<Item = (P, T)>>(files: I) -> Self {
        let mut tree = Self::new();
        for (path, text) in files {
            tree.insert(path, text);
        }
        tree
    }
}

/// A path in one spelling: lower case, slashes, underscores.
fn level(path: &str) -> String {
    path.trim_start_matches("./")
        .chars()
        .map(|c| match c {
            ' ' => '_',
            '\\' => '/',
            c => c.to_ascii_lowercase(),
        })
        .collect()
}

// ---------------------------------------------------------------- csv
//
// Comma-separated values with quoted fields that may span lines.
//
// Spreadsheets read a cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return as a
// formula. Such cells are written with an apostrophe in front, which spreadsheets hide. Reading removes
// the apostrophe, so that the original text comes back.

/// The records of a CSV text: fields separated by commas, quotes doubled inside quoted fields,
/// records separated by line breaks outside quotes. Empty lines are skipped. `None` if there are more than `most`
/// fields: a field takes 24 bytes in memory, and one in the text.
fn records(text: &str, most: usize) -> Option<Vec<Vec<String>>> {
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).flexible(true);
    let (mut out, mut left) = (Vec::new(), most);
    // A text is UTF-8, and records may differ in length, so no record is an error.
    for record in reader.from_reader(text.as_bytes()).records().flatten() {
        left = left.checked_sub(record.len())?;
        out.push(record.iter().map(str::to_owned).collect());
    }
    Some(out)
}

/// The lines behind the first one, by the names in that one. A cell without a name of its own is kept under its
/// number.
fn named_records(text: &str, most: usize) -> Option<impl Iterator<Item = Map<String, Value>>> {
    let mut records = records(text, most)?.into_iter();
    let header = records.next().unwrap_or_default().into_iter();
    let header: Vec<String> = header.map(meant).collect();
    let named = move |record: Vec<String>| {
        let mut fields = Map::new();
        for (n, cell) in record.into_iter().enumerate() {
            match header.get(n).filter(|name| !fields.contains_key(*name)) {
                Some(name) => fields.insert(name.clone(), meant(cell).into()),
                None if cell.is_empty() => None,
                None => fields.insert(format!("column {}", n + 1), meant(cell).into()),
            };
        }
        fields
    };
    Some(records.map(named))
}

/// Whether a spreadsheet would read the text as a formula, ignoring apostrophes in front. Texts with
/// such apostrophes get another one, so that reading restores exactly what was written.
fn is_formula(text: &str) -> bool {
    text.trim_start_matches('\'')
        .starts_with(['=', '+', '-', '@', '\t', '\r'])
}

/// A cell in its written form: protected from being a formula, and quoted if necessary.
pub(crate) fn csv_cell(text: &str) -> String {
    let guard = if is_formula(text) { "'" } else { "" };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{guard}{}\"", text.replace('"', "\"\""))
    } else {
        format!("{guard}{text}")
    }
}

/// The original text of a cell that [`csv_cell`] wrote.
fn meant(cell: String) -> String {
    match cell.strip_prefix('\'') {
        Some(rest) if is_formula(rest) => rest.to_owned(),
        _ => cell,
    }
}

// ---------------------------------------------------------------- report
//
// The report of an import: findings, repairs and quarantined rows.

/// A note on one row.
///
/// `rule` is stable and can be counted; `before` and `after` are for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RowNote {
    /// Source.
    pub source: TableId,
    /// Position in the file, from 0.
    pub position: u32,
    /// Identifier, as far as it was readable.
    pub id: String,
    /// Name of the rule.
    pub rule: &'static str,
    /// The affected field.
    pub field: String,
    /// The original value, shortened to 200 characters.
    pub before: String,
    /// The new value; empty for a quarantined row.
    pub after: String,
}

/// Counts of one source.
///
/// `rows` = `imported` + `quarantined`. Order documents are read from the file of their customers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct SourceReport {
    /// The file; `None` if the tree has none.
    pub path: Option<String>,
    /// Rows in the file.
    pub rows: u32,
    /// Rows of the file that are in the company, repaired ones included.
    pub imported: u32,
    /// Of these, rows with at least one repair.
    pub repaired: u32,
    /// Quarantined rows.
    pub quarantined: u32,
    /// Rows that were generated because the tree has no file.
    pub made: u32,
}

/// The report of an import.
///
/// Serialise it to keep the evidence of what an import changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ImportReport {
    /// Counts by source.
    pub sources: BTreeMap<TableId, SourceReport>,
    /// Converted native spellings, by rule.
    pub coercions: BTreeMap<&'static str, u32>,
    /// Repairs by rule.
    pub repairs_by_rule: BTreeMap<&'static str, u32>,
    /// Every repair.
    pub repairs: Vec<RowNote>,
    /// All quarantined rows.
    pub quarantined: Vec<RowNote>,
    /// Properties of the data that are not faults of a single row: `email_collisions`,
    /// `dangling_keys`, `leavers_still_valid`, `reports_to_leavers`, `events_after_clock`.
    pub findings: BTreeMap<&'static str, u32>,
    /// Columns with a name that no field reads, by source, also of rows that are set aside.
    /// Those of imported rows are stored and exported again, and nothing in them counts.
    pub unknown_columns: BTreeMap<TableId, BTreeSet<String>>,
    /// Columns of the published form that no row has, by source.
    /// Copies and totals, which follow from other columns, may be absent.
    pub absent_columns: BTreeMap<TableId, Vec<&'static str>>,
    /// Files without an importer.
    /// PDF exports, scripts and the like; nothing in them is read.
    pub unknown_files: Vec<String>,
    /// Sources that were generated because the tree has none.
    pub filled: Vec<TableId>,
}

/// A report under construction.
#[derive(Debug, Default)]
struct Log {
    report: ImportReport,
    /// The files that were read.
    known: BTreeSet<String>,
    /// Today on the office clock.
    clock: Option<Day>,
    /// The expected columns that no row so far has.
    absent: BTreeMap<TableId, Vec<&'static SourceField>>,
    extras: BTreeMap<(TableId, u32), Box<str>>,
}

impl Log {
    fn coerced(&mut self, rule: &'static str) {
        *self.report.coercions.entry(rule).or_default() += 1;
    }

    fn found(&mut self, what: &'static str, count: u32) {
        *self.report.findings.entry(what).or_default() += count;
    }

    fn opened(&mut self, source: TableId, path: &str) {
        self.known.insert(path.to_owned());
        let of_source = self.report.sources.entry(source).or_default();
        of_source.path = match of_source.path.take() {
            Some(before) => Some(format!("{before}, {path}")),
            None => Some(path.to_owned()),
        };
    }

    fn finish(mut self, c: &Company, tree: &NativeTree) -> ImportReport {
        people_findings(c, &mut self);
        let mut report = self.report;
        for source in TableId::ALL {
            let of_source = |n: &&RowNote| n.source == source;
            let repaired = report.repairs.iter().filter(of_source);
            let repaired: BTreeSet<u32> = repaired.map(|n| n.position).collect();
            let counts = report.sources.entry(source).or_default();
            counts.imported = c.rows(source);
            counts.repaired = row_no(repaired.len());
            counts.quarantined = row_no(report.quarantined.iter().filter(of_source).count());
        }
        let aside = report.quarantined.iter();
        let mut dangling = row_no(aside.filter(|n| n.rule == "dangling_key").count());
        for note in &report.repairs {
            *report.repairs_by_rule.entry(note.rule).or_default() += 1;
            dangling += u32::from(note.rule.starts_with("dangling_"));
        }
        report.findings.insert("dangling_keys", dangling);
        let card = tree.find(CARD).map(|(card, _)| card);
        let known = |path: &str| self.known.contains(path) || card == Some(path);
        let unknown = tree.iter().filter(|(path, _)| !known(path));
        report.unknown_files = unknown.map(|(path, _)| path.to_owned()).collect();
        let absent = self.absent.into_iter().filter(|(_, f)| !f.is_empty());
        let names = |fields: Vec<&SourceField>| fields.iter().map(|f| f.native_name()).collect();
        let absent = absent.map(|(source, fields)| (source, names(fields)));
        report.absent_columns = absent.collect();
        report
    }
}

fn people_findings(c: &Company, log: &mut Log) {
    let mut emails: BTreeMap<String, u32> = BTreeMap::new();
    let people = c.read_employees();
    let mut left = vec![false; people.len()];
    for ((e, left), row) in people.iter().zip(&mut left).zip(0u32..) {
        let email = c.shown(TableId::Employees, row, "email");
        *emails.entry(email).or_default() += 1;
        *left = e.left.is_some_and(|d| d <= c.clock);
    }
    log.found("email_collisions", emails.values().map(|n| n - 1).sum());
    let staying = people.iter().zip(&left);
    let still = staying
        .clone()
        .filter(|(e, left)| **left && e.valid)
        .count();
    let headless = staying
        .filter(|(e, own)| {
            !**own
                && e.manager
                    .and_then(|m| left.get(m.0 as usize))
                    .is_some_and(|l| *l)
        })
        .count();
    log.found("leavers_still_valid", row_no(still));
    log.found("reports_to_leavers", row_no(headless));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_while_they_are_read() {
        let text = "a,b\nc,\"d,e\"\n";
        let read = records("a,\"b\nc\"\"d\"\n", 2).unwrap();
        assert_eq!(read, vec![vec!["a", "b\nc\"d"]]);
        let read = records(text, 4).unwrap();
        assert_eq!(read, vec![vec!["a", "b"], vec!["c", "d,e"]]);
        assert_eq!(records(text, 3), None);
        assert_eq!(records(&"1,".repeat(1_000), 999), None);
    }

    #[test]
    fn formulas_are_guarded_and_come_back() {
        for (text, cell) in [
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@a", "'@a"),
            ("\tx", "'\tx"),
            ("\rx", "\"'\rx\""),
            ("'=x", "''=x"),
            ("''", "''"),
            ("'tis", "'tis"),
            ("a\rb", "\"a\rb\""),
            ("=a,\"b\"", "\"'=a,\"\"b\"\"\""),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(csv_cell(text), cell);
            let line = format!("first,{cell}\n");
            let read = records(&line, 2).unwrap().remove(0).remove(1);
            assert_eq!(meant(read), text, "{cell}");
        }
    }
}
