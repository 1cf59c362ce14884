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
//! | `word_trimmed`, `word_unknown`, `rating_unreadable`, `phone_was_a_number` | repair: a malformed value |
//! | `name_from_master`, `person_from_address` | repair: a copied name or id that disagrees with its record |
//! | `dangling_manager`, `reporting_cycle`, `dangling_post` | repair: a link without a target, or in a circle, is removed |
//! | `missing_field`, `duplicate_id`, `dangling_key`, `date_unreadable`, ... | quarantine: the row cannot be used |
//!
//! # Example
//!
//! ```
//! use enterprise_sandbox::import::{ImportOptions, NativeTree, import};
//! use enterprise_sandbox::source::TableId;
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
//! # Ok::<(), enterprise_sandbox::import::ImportError>(())
//! ```

use crate::company::Company;
use crate::company::ids::Ids;
use crate::source::TableId;
use crate::synth::{self, VolumeProfile, Volumes};
use crate::value::Day;
use sim_core::Seed;
use std::collections::BTreeMap;

pub(crate) mod csv;
mod declared;
mod forms;
mod reader;
mod report;
mod tree;

pub use csv::parse_csv;
pub use report::{ImportReport, RowNote, SourceReport};
pub use tree::NativeTree;

use report::Log;

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
            seed: crate::synth::CompanyConfig::default().seed,
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
    let clock = options.clock.or(forms::card(tree)?.clock);
    let mut c = Company {
        seed: options.seed,
        clock: clock.unwrap_or_else(|| crate::synth::CompanyConfig::default().clock),
        ..Company::default()
    };
    let mut log = Log::default();
    forms::employees(&mut c, tree, &mut log)?;
    // Sales and reviews link to customers.
    forms::customers(&mut c, tree, &mut log)?;
    for source in TableId::ALL {
        forms::rows(&mut c, tree, &mut log, source)?;
    }
    c.extras = std::mem::take(&mut log.extras);
    let mut report = log.finish(&c, tree);
    if let Some(profile) = options.fill {
        let missing: Vec<TableId> = report
            .sources
            .iter()
            .filter(|(_, s)| s.path.is_none())
            .map(|(s, _)| *s)
            .collect();
        let volumes = Volumes::new(c.rows(TableId::Employees), profile);
        synth::fill(&mut c, &volumes, profile, &missing, 1);
        report.filled = missing.into_iter().filter(|s| c.rows(*s) > 0).collect();
    }
    c.finish();
    Ok((c, report))
}

/// Looks up rows by identifier while tables are still being filled.
struct Lookup(Ids);

impl Lookup {
    fn find(&self, id: &str) -> Option<u32> {
        self.0.find(id, u32::MAX)
    }
}

/// Gives a table the identifiers of its file.
fn listed(c: &mut Company, source: TableId, names: Vec<Box<str>>) {
    c.ids.insert(source, Ids::listed(names));
}

/// The rows of a complete table by identifier.
fn lookup(c: &Company, source: TableId) -> Lookup {
    Lookup(c.ids.get(&source).cloned().unwrap_or_default())
}

/// Counts of something by name.
pub(crate) type Counts = BTreeMap<&'static str, u32>;
