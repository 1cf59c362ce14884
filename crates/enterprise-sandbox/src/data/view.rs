//! The current state of an office: a company with an overlay on top.
//!
//! A view is two references and a setting. Tools, access rules, search and evaluation read through
//! it and never through the company directly, so that a write is visible to the next read of any of
//! them. Within one call the view does not change: writes go to the overlay after all checks.
//!
//! Row numbers of a source run from 0 to [`rows`](CompanyView::rows); rows created in this episode
//! follow after those of the company. A removed row keeps its number, so loops have to ask
//! [`exists`](CompanyView::exists).

use crate::data::company::Company;
use crate::data::org::{Department, parse_level_code};
use crate::data::overlay::Overlay;
use crate::data::row::{EmployeeNo, leaves_taken};
use crate::data::tables::TableId;
use crate::data::value::{Day, scalar_text, whole_number};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What makes a person active.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ActiveMeans {
    /// The flag and no leaving date up to today (default).
    /// 951 of the 1,260 published people have no leaving date.
    #[default]
    FlagAndDate,
    /// The flag alone, as in the published data, where leavers are still flagged.
    /// All 1,260 published people have the flag, among them 309 with a leaving date.
    Flag,
}

/// The attributes of a person that access rules use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Person {
    /// Department.
    pub department: Department,
    /// Level.
    /// 9 to 15; see [`crate::data::org`].
    pub level: u8,
    /// Whether the person is an active employee.
    pub active: bool,
}

/// A company seen through an overlay: what a reader gets when some rows were written. Copying it is
/// free; it owns nothing.
///
/// ```
/// use enterprise_sandbox::data::overlay::Overlay;
/// use enterprise_sandbox::data::tables::TableId;
/// use enterprise_sandbox::data::synth::{CompanyConfig, synthesise};
/// use enterprise_sandbox::data::view::{ActiveMeans, CompanyView};
///
/// let company = synthesise(&CompanyConfig::of(50, 7))?;
/// let overlay = Overlay::default();
/// let view = CompanyView::new(&company, &overlay, ActiveMeans::FlagAndDate);
/// let id = view.id(TableId::Employees, 3);
/// assert_eq!(view.find(TableId::Employees, &id), Some(3));
/// assert_eq!(view.text(TableId::Employees, 3, "emp_id"), id);
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct CompanyView<'a> {
    /// The company.
    pub company: &'a Company,
    /// The writes of the episode.
    pub overlay: &'a Overlay,
    /// What makes a person active.
    pub active_means: ActiveMeans,
}

/// Maximum length of a chain of managers: imported or written data may contain a cycle.
const LONGEST_CHAIN: usize = 64;

impl<'a> CompanyView<'a> {
    /// A view of `company` with `overlay`.
    #[must_use]
    pub fn new(company: &'a Company, overlay: &'a Overlay, active_means: ActiveMeans) -> Self {
        Self {
            company,
            overlay,
            active_means,
        }
    }

    /// Number of rows of a source, including removed ones: valid row numbers are smaller.
    #[must_use]
    pub fn rows(&self, source: TableId) -> u32 {
        self.company.rows(source) + self.overlay.made(source)
    }

    /// Whether a row exists and is not removed.
    #[must_use]
    pub fn exists(&self, source: TableId, row: u32) -> bool {
        match self.overlay.entry(source, row) {
            Some(entry) => !entry.deleted,
            None => row < self.company.rows(source),
        }
    }

    /// Version of a row: 1 if nothing was written to it.
    #[must_use]
    pub fn version(&self, source: TableId, row: u32) -> u32 {
        self.overlay.entry(source, row).map_or(1, |e| e.version)
    }

    /// Identifier of a row.
    #[must_use]
    pub fn id(&self, source: TableId, row: u32) -> String {
        match self.overlay.entry(source, row).and_then(|e| e.id.clone()) {
            Some(id) => id,
            None => self.company.id(source, row),
        }
    }

    /// The row with an identifier, unless it is removed.
    ///
    /// Identifiers are compared as they are, with their case. For numbered sources pass the digits.
    #[must_use]
    pub fn find(&self, source: TableId, id: &str) -> Option<u32> {
        self.rows_named(source, id)
            .find(|row| self.exists(source, *row))
    }

    /// The row that had an identifier before it was removed.
    pub(crate) fn removed(&self, source: TableId, id: &str) -> Option<u32> {
        self.rows_named(source, id)
            .find(|row| !self.exists(source, *row))
    }

    /// Whether an identifier was ever used.
    pub(crate) fn is_taken(&self, source: TableId, id: &str) -> bool {
        self.rows_named(source, id).next().is_some()
    }

    /// The rows that have or had an identifier, those made in this episode first.
    fn rows_named(&self, source: TableId, id: &str) -> impl Iterator<Item = u32> {
        let made = self.overlay.of(source).into_iter().flatten();
        let made = made.filter(move |(_, e)| e.id.as_deref() == Some(id));
        let base = self.company.find(source, id);
        made.map(|(row, _)| *row).chain(base)
    }

    /// Value of a field; null if the row or field does not exist.
    #[must_use]
    pub fn get(&self, source: TableId, row: u32, field: &str) -> Value {
        // Most reads happen before anything is written; they skip the lookups.
        if self.overlay.is_empty() {
            return self.company.cell(source, row, field);
        }
        // Two fields of a person follow from other fields, of which each may have been written.
        if source == TableId::Employees {
            match field {
                "reportees" => return self.reportees(row),
                "Total Leaves Taken" => return self.leaves_taken(row),
                _ => {}
            }
        }
        match self.overlay.entry(source, row) {
            None => self.company.cell(source, row, field),
            Some(entry) => match (entry.values.get(field), &entry.id) {
                (Some(value), _) => value.clone(),
                (None, None) => self.company.cell(source, row, field),
                // A row made in this episode has nothing below it.
                (None, Some(_)) => Value::Null,
            },
        }
    }

    /// A field as text; empty if it has no value.
    #[must_use]
    pub fn text(&self, source: TableId, row: u32, field: &str) -> String {
        scalar_text(&self.get(source, row, field)).unwrap_or_default()
    }

    /// The fields of a record.
    ///
    /// Fields that the record does not have are null. Access is not checked here.
    #[must_use]
    pub fn record<'f>(
        &self,
        source: TableId,
        row: u32,
        fields: impl Iterator<Item = &'f str>,
    ) -> Map<String, Value> {
        fields
            .map(|f| (f.to_owned(), self.get(source, row, f)))
            .collect()
    }

    /// The ids of the people who report to a person, in row order: those of the company's table, and
    /// those whose record was written, as far as they still do.
    fn reportees(&self, row: u32) -> Value {
        let people = TableId::Employees;
        let changed = self.overlay.of(people);
        let index = &self.company.index;
        let base = index.of(people, "reports_to", row).iter().copied();
        let moved = changed.into_iter().flat_map(|rows| rows.keys().copied());
        let mut all: Vec<u32> = base.chain(moved).collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|r| {
            self.exists(people, *r) && self.manager(EmployeeNo(*r)) == Some(EmployeeNo(row))
        });
        all.into_iter()
            .map(|r| Value::from(self.id(people, r)))
            .collect()
    }

    /// Days of leave taken, over all kinds.
    fn leaves_taken(&self, row: u32) -> Value {
        leaves_taken(|field| whole_number(&self.get(TableId::Employees, row, field))).into()
    }

    /// The person behind an id, active or not.
    #[must_use]
    pub fn employee(&self, id: &str) -> Option<EmployeeNo> {
        self.find(TableId::Employees, id).map(EmployeeNo)
    }

    /// Whether a person's record was written to.
    fn is_written(&self, person: EmployeeNo) -> bool {
        self.overlay.entry(TableId::Employees, person.0).is_some()
    }

    /// The attributes of a person that access rules use.
    ///
    /// `None` if there is no such row, if the record was removed, or if a written level or
    /// department cannot be read.
    #[must_use]
    pub fn person(&self, person: EmployeeNo) -> Option<Person> {
        // Written fields are texts. Reading the company's row avoids parsing them for everybody who was
        // not written to, which is nearly everybody.
        if !self.is_written(person) {
            let e = self.company.employees().get(person.0 as usize)?;
            let here = match self.active_means {
                ActiveMeans::Flag => true,
                ActiveMeans::FlagAndDate => e.left.is_none_or(|d| d > self.company.clock),
            };
            return Some(Person {
                department: e.department,
                level: e.level,
                active: e.valid && here,
            });
        }
        let people = TableId::Employees;
        if !self.exists(people, person.0) {
            return None;
        }
        let text = |field| self.text(people, person.0, field);
        let (_, level) = parse_level_code(&text("Level"))?;
        let left = Day::parse(&text("DOL")).is_some_and(|d| d <= self.company.clock);
        let here = self.active_means == ActiveMeans::Flag || !left;
        let valid = self.get(people, person.0, "is_valid") == Value::Bool(true);
        Some(Person {
            department: Department::parse(&text("category"))?,
            level,
            active: valid && here,
        })
    }

    /// The manager of a person.
    #[must_use]
    pub fn manager(&self, person: EmployeeNo) -> Option<EmployeeNo> {
        if !self.is_written(person) {
            return self.company.employees().get(person.0 as usize)?.manager;
        }
        let id = self.text(TableId::Employees, person.0, "reports_to");
        self.employee(&id)
    }

    /// The managers above a person, nearest first.
    ///
    /// At most 64 of them: an imported company may contain a cycle of managers, and so may writes.
    pub fn chain(&self, person: EmployeeNo) -> impl Iterator<Item = EmployeeNo> {
        let view = *self;
        std::iter::successors(view.manager(person), move |p| view.manager(*p)).take(LONGEST_CHAIN)
    }

    /// Whether `above` is a manager of `person`, at any distance.
    ///
    /// Access rules ask this for most decisions. In a company of 1,260 people it takes 13 ns.
    /// `has_path_connecting` of `petgraph` over the same lookups took 176 ns (14 times), and over a graph
    /// built beforehand 51 ns (4 times); such a graph must be rebuilt when a manager changes.
    #[must_use]
    pub fn is_above(&self, above: EmployeeNo, person: EmployeeNo) -> bool {
        self.chain(person).any(|p| p == above)
    }

    /// The number by which [`candidates`](Self::candidates) looks up the rows whose field has this identifier: the
    /// row of a link, or a thread.
    pub(crate) fn key(&self, source: TableId, field: &str, id: &str) -> Option<u32> {
        match (source, field) {
            (_, "participant") => self.find(TableId::Employees, id),
            (TableId::Emails, "thread_id") => self.company.find_thread(id),
            _ => self.find(source.target(field)?, id),
        }
    }

    /// Rows of a source that may have `field` linking to row `key`; `None` if every row has to be
    /// searched. Written rows are always among them; the caller has to compare.
    #[must_use]
    pub fn candidates(&self, source: TableId, field: &str, key: u32) -> Option<Vec<u32>> {
        let base = self.company.index.linked(source, field, key)?;
        let mut rows = base.to_vec();
        if let Some(written) = self.overlay.of(source) {
            rows.extend(written.keys().copied());
            rows.sort_unstable();
            rows.dedup();
        }
        Some(rows)
    }
}
