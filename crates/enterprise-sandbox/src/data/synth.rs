//! Generates a company from a seed.
//!
//! Every row is a function of (seed, name of the table, row number), so tables can be built in any
//! order with identical results. Texts are not stored: `write` generates them from the seed when they are read.
//!
//! ```text
//!  CompanyConfig
//!    │ people: departments, roles, reporting tree, pay, leave        (people.rs)
//!    ▼
//!  Staff: who was employed when, who works with whom                  (staff.rs)
//!    │ trade: products ─► customers ─► sales ─► reviews ─► chats      (tables.rs)
//!    │ work:  tickets, code, posts, overflow, clients, vendors        (tables.rs)
//!    │ talk:  threads, mails, conversations                           (tables.rs)
//!    ▼
//!  defects, if wanted, with the true values as marks                  (defects.rs)
//!    ▼
//!  index ─► Company
//! ```
//!
//! Tables that refer to others come after them: a review belongs to a sale, a support chat to a
//! review that was not positive, a mail thread to a ticket, a product, a repository or a policy.
//!
//! What holds in every company without defects:
//!
//! - identifiers, names of employees and work addresses are unique;
//! - the reporting tree has one root per department (or one chief executive above them), stays
//!   inside departments, and nobody has a manager at a lower level;
//! - an event lies inside the employment of everybody who takes part in it, and not after
//!   [`CompanyConfig::clock`];
//! - a sale has the prices of its product, a review and a chat belong to a purchase and come after
//!   it;
//! - mails of a thread are in order of time and signed by their senders;
//! - an accepted answer belongs to its question, an issue to a file of its repository.
//!
//! Streams of random numbers are named after table and row. So a new field with a stream of its own
//! moves no other value, and a table can be made without those that do not matter to it.
//!
//! ```
//! use enterprise_sandbox::data::synth::{CompanyConfig, Ratio, synthesise};
//!
//! let config = CompanyConfig { ratio: Ratio::Pyramid, ..CompanyConfig::of(200, 7) };
//! let one = synthesise(&config)?;
//! let associates = one.employees().iter().filter(|person| person.level == 9).count();
//! assert_eq!(associates, 159); // 200 in the ratio 100 : 20 : 5 : 1
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use crate::data::company::Company;
use crate::data::company::ids::{Form, Ids, Scheme};
use crate::data::company::rows::Rows;
use crate::data::tables::TableId;
use crate::data::value::{Day, row_no};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Ranges, Seed};
pub(crate) mod code;
mod defects;
mod people;
pub(crate) mod phrases;
mod tables;
pub(crate) mod write;

pub use defects::DataDefects;
pub use people::apportion;
pub(crate) use people::{name as person_name, name_order};

use people::Staff;

/// How the four roles (associate, lead, manager, director) share the head-count of the whole company.
///
/// The paper states 4:3:2:1 for every department; the published file has other shares, and neither
/// looks like a company: with 4:3:2:1 a manager has 1.3 to 2 reports on average. The totals are
/// apportioned over the whole company, because rounding each department separately would miss the
/// ratio in small companies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ratio {
    /// Associates, leads, managers and directors as 4:3:2:1 (the paper's statement).
    #[default]
    Paper,
    /// As measured in the published file: 54 : 24 : 20 : 2.6.
    Upstream,
    /// As in most firms: 100 : 20 : 5 : 1.
    Pyramid,
}

impl Ratio {
    /// Weights of associate, lead, manager, director.
    #[must_use]
    pub fn weights(self) -> [u64; 4] {
        match self {
            Self::Paper => [4, 3, 2, 1],
            Self::Upstream => [540, 240, 200, 26],
            Self::Pyramid => [100, 20, 5, 1],
        }
    }
}

/// What company to make. Equal settings give equal companies, to the last character of every text.
///
/// It is a recipe: a few bytes that stand for up to a million rows. Stored instances contain it
/// instead of the company. Missing fields take their defaults and unknown fields are an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(default, deny_unknown_fields)]
pub struct CompanyConfig {
    /// Head-count (default 1,260, the paper's).
    #[schemars(range(min = 50, max = 100_000))]
    pub employees: u32,
    /// Seed of the company (default 1). It is not the seed of the tasks: one company serves many.
    #[schemars(with = "u64")]
    pub seed: Seed,
    /// How roles share the head-count (default `paper`, 4:3:2:1).
    pub ratio: Ratio,
    /// How many rows each source has (default `upstream`, the published ratios).
    pub profile: VolumeProfile,
    /// Whether one chief executive stands above the heads of department (default false).
    /// The published company has none: it has 52 people without a manager.
    pub chief_executive: bool,
    /// Today on the office clock (default 2025-06-30).
    /// Leaving dates up to this day make a person inactive.
    pub clock: Day,
    /// The company's first day (default 2012-01-02; the published joining dates begin then).
    pub founded: Day,
    /// Mail domain (default `harborline.example`).
    pub domain: String,
    /// Which defects of the published data to copy (default none).
    pub dirt: DataDefects,
}

impl Default for CompanyConfig {
    fn default() -> Self {
        Self {
            employees: 1_260,
            seed: Seed(1),
            ratio: Ratio::Paper,
            profile: VolumeProfile::Upstream,
            chief_executive: false,
            clock: Day::from_date(2025, 6, 30).unwrap_or_default(),
            founded: Day::from_date(2012, 1, 2).unwrap_or_default(),
            domain: "harborline.example".to_owned(),
            dirt: DataDefects::None,
        }
    }
}

impl CompanyConfig {
    /// A company with this many people.
    #[must_use]
    pub fn of(employees: u32, seed: u64) -> Self {
        Self {
            employees,
            seed: Seed(seed),
            ..Self::default()
        }
    }

    /// Checks the ranges, at least eight years from `founded` to `clock`, both between 1950 and 2098, a plain
    /// mail domain of at most 100 characters, and rates of defects from 0 to 1.
    ///
    /// # Errors
    /// Names the first field at fault and its valid range.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_ranges()?;
        if self.clock < self.founded.plus_years(8) {
            let message = format!("`{}` is less than eight years after `founded`", self.clock);
            return Err(ConfigError::new("clock", message));
        }
        // Contracts end up to 900 days ahead, and a day that no tool takes could not be asked about.
        if !self.clock.plus(900).is_near() {
            let message = format!("`{}` is after 2098, and offices end with 2100", self.clock);
            return Err(ConfigError::new("clock", message));
        }
        if !self.founded.is_near() {
            let message = format!("`{}` is before 1950", self.founded);
            return Err(ConfigError::new("founded", message));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
        if self.domain.is_empty() || self.domain.len() > 100 || !self.domain.chars().all(plain) {
            let message = "must be a domain name of letters, digits, dots and hyphens";
            return Err(ConfigError::new("domain", message));
        }
        self.dirt.check().map_err(|e| e.within("dirt"))
    }
}

/// Makes the company of a configuration. Time and memory grow with the head-count; the
/// texts are not made before they are read.
///
/// # Errors
/// When the configuration is out of range; names the field.
///
/// ```
/// use enterprise_sandbox::data::tables::TableId;
/// use enterprise_sandbox::data::synth::{CompanyConfig, synthesise};
/// let office = synthesise(&CompanyConfig::of(50, 7))?;
/// assert_eq!(office.rows(TableId::Employees), 50);
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
pub fn synthesise(config: &CompanyConfig) -> Result<Company, ConfigError> {
    config.check()?;
    let mut company = Company {
        seed: config.seed,
        domain: config.domain.as_str().into(),
        clock: config.clock,
        ..Company::default()
    };
    company.declare(people::employees(config));
    made(
        &mut company,
        TableId::Employees,
        Form::Employee(config.employees),
    );
    let volumes = Volumes::new(config.employees, config.profile);
    fill(&mut company, &volumes, &TableId::ALL);
    defects::apply(&mut company, config);
    company.finish();
    Ok(company)
}

/// Fills the tables of `missing` with generated rows that refer to existing data; there must be
/// people.
pub(crate) fn fill(c: &mut Company, volumes: &Volumes, missing: &[TableId]) {
    let staff = Staff::new(c);
    let mut tables: Vec<_> = missing.to_vec();
    // The people are there.
    tables.retain(|s| *s != TableId::Employees);
    // Sales link to customers, and mails are about rows of other tables.
    tables.sort_by_key(|s| (*s == TableId::Emails, *s != TableId::Customers));
    for source in tables {
        // An imported company may have a table without rows, to which rows of this one would link; and one person
        // writes no mails.
        let linked = source.fields().iter().filter(|f| !f.nullable);
        let least = if source.is_private() { 2 } else { 1 };
        let mut targets = linked.filter_map(|f| f.target());
        let count = match targets.any(|target| c.rows(target) < least) {
            true => 0,
            false => volumes.rows(source),
        };
        let mut rows = match source {
            TableId::Resumes => tables::resumes(c, count),
            TableId::Emails => {
                let conversations = volumes.threads().min(count);
                tables::mails(c, &staff, (conversations, count))
            }
            TableId::Repositories => tables::repositories(c, &staff, count),
            TableId::Files => tables::files(c, count),
            TableId::Issues => tables::issues(c, &staff, count),
            TableId::Posts => tables::posts(c, &staff, count),
            TableId::Tickets => tables::tickets(c, &staff, count),
            TableId::Products => tables::products(c, count),
            TableId::Conversations => tables::conversations(c, &staff, count),
            TableId::Overflow => tables::overflow(c, &staff, count),
            TableId::Customers => Rows::made(source, count),
            TableId::OrderDocuments => tables::order_documents(c),
            TableId::Sales => tables::sales(c, count, volumes.profile),
            TableId::Reviews => tables::reviews(c, count),
            TableId::SupportChats => tables::chats(c, &staff, count),
            TableId::Clients => tables::clients(c, &staff, count),
            TableId::Vendors => tables::vendors(c, &staff, count),
            TableId::PolicyDocuments => {
                let (policies, ids) = people::policies(c.seed);
                c.ids.insert(source, Ids::listed(ids));
                c.policies = policies;
                Rows::made(source, row_no(c.policies.len()))
            }
            _ => tables::by_fields(c, &staff, source, count),
        };
        if source.table().verbs.is_empty() {
            tables::added_fields(c, &staff, &mut rows);
        }
        c.declare(rows);
        let form = match (source, source.table().prefix) {
            // They have the names with which they were made.
            (TableId::Repositories | TableId::PolicyDocuments, _) => continue,
            (TableId::Posts, _) => Form::Post,
            (TableId::Customers, _) => Form::Customer,
            (TableId::Tickets, _) => Form::Ticket(count),
            (TableId::Products, _) => Form::Product,
            (_, Some(prefix)) => Form::Serial(prefix),
            (_, None) if source.numbered() => Form::Number,
            (_, None) => Form::Uuid,
        };
        made(c, source, form);
    }
    if missing.contains(&TableId::Emails) {
        let seed = c.seed.child("id.threads", 0);
        c.thread_ids = Ids::Made(Scheme::new(seed, Form::Thread(c.clock)));
    }
}

/// Gives a table identifiers that are computed from the row number.
fn made(c: &mut Company, source: TableId, form: Form) {
    let seed = c.seed.child("id", source as u64);
    c.ids.insert(source, Ids::Made(Scheme::new(seed, form)));
}

/// A table of `count` rows with these numbers.
fn numbers<R: AsRef<[i64]>>(
    source: TableId,
    fields: &[&str],
    count: u32,
    make: impl Fn(u32) -> R,
) -> Rows {
    let mut table = Rows::generated(source, fields, count);
    table.extend(fields, (0..count).map(make));
    table
}

/// As [`numbers`], for rows of so many fields that each number is named where it is computed.
fn named_numbers<const N: usize>(
    source: TableId,
    count: u32,
    make: impl Fn(u32) -> [(&'static str, i64); N],
) -> Rows {
    // Not without rows: a table that is empty, because another one is, has no first row to compute.
    let first = (count > 0).then(|| make(0));
    let fields: Vec<&str> = first.iter().flatten().map(|(field, _)| *field).collect();
    let unnamed = |row| make(row).map(|(_, number)| number);
    numbers(source, &fields, count, unnamed)
}

// ---------------------------------------------------------------- volumes
//
// Number of rows of each source.
//
// The published counts belong to 1,260 people, and the ratios are kept at every size: about 11
// sales, 10 mails and 9 overflow posts per person. Floors keep small companies usable: with 50
// people the ratio would give four customers.

/// A set of ratios of rows to people.
///
/// `Lite` and `Ops` also draw the product of a sale at random, so products differ in how often they
/// were sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VolumeProfile {
    /// The ratios of the published data; every product is sold ten times.
    #[default]
    Upstream,
    /// The same with four reviews to ten sales.
    Lite,
    /// The same with one ticket to two people.
    Ops,
}

/// Number of rows of each table.
///
/// ```
/// use enterprise_sandbox::data::synth::{VolumeProfile, Volumes};
/// use enterprise_sandbox::data::tables::TableId;
///
/// let paper = Volumes::new(1_260, VolumeProfile::Upstream);
/// let counts = [TableId::Emails, TableId::Tickets].map(|table| paper.rows(table));
/// assert_eq!(counts, [11_928, 163]); // the published counts
/// assert_eq!(Volumes::new(1_260, VolumeProfile::Ops).rows(TableId::Tickets), 630);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Volumes {
    employees: u32,
    profile: VolumeProfile,
}

/// Head-count of the published company, to which its row counts belong.
const PUBLISHED: u64 = 1_260;
/// Mail threads of the published company.
const THREADS: u32 = 4_417;

impl Volumes {
    /// The row counts of a company of `employees` people.
    #[must_use]
    pub fn new(employees: u32, profile: VolumeProfile) -> Self {
        Self { employees, profile }
    }

    /// The rows of a table: the published count in proportion, rounded, with a floor of 20 customers, 60
    /// products and 7 tickets.
    #[must_use]
    pub fn rows(&self, table: TableId) -> u32 {
        let share = share_of(self.employees, table.table().rows);
        match table {
            TableId::Customers => share.max(20),
            TableId::Products => share.max(60),
            TableId::Tickets if self.profile == VolumeProfile::Ops => (self.employees / 2).max(7),
            TableId::Tickets => share.max(7),
            TableId::Reviews if self.profile == VolumeProfile::Lite => share / 5 * 2,
            TableId::Repositories => share.max(1),
            TableId::Resumes => share.min(self.employees),
            _ => share,
        }
    }

    /// Number of mail threads.
    #[must_use]
    pub fn threads(&self) -> u32 {
        share_of(self.employees, THREADS)
    }
}

/// `rows` of the published company in proportion to the people, rounded half up in whole numbers, so
/// that no platform rounds an exact half differently.
fn share_of(employees: u32, rows: u32) -> u32 {
    let (n, rows) = (u64::from(employees), u64::from(rows));
    u32::try_from((n * rows * 2 + PUBLISHED) / (2 * PUBLISHED)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_counts_at_the_published_size() {
        let v = Volumes::new(1_260, VolumeProfile::Upstream);
        for table in TableId::ALL {
            assert_eq!(v.rows(table), table.table().rows, "{table}");
        }
        assert_eq!((v.rows(TableId::Emails), v.threads()), (11_928, 4_417));
        let big = Volumes::new(100_000, VolumeProfile::Upstream);
        let tables = [TableId::Customers, TableId::Overflow, TableId::Tickets];
        assert_eq!(tables.map(|t| big.rows(t)), [7_143, 858_968, 12_937]);
        let small = Volumes::new(50, VolumeProfile::Upstream);
        assert_eq!(small.rows(TableId::Customers), 20);
    }
}
