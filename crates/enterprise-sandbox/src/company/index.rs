//! Lookup tables of a complete company: rows by key, rows by name.
//!
//! The index is built once from complete tables. It knows nothing of the writes of an episode:
//! [`CompanyView::candidates`](crate::view::CompanyView::candidates) adds every written row of the
//! source and leaves the comparison of the actual value to the caller, so an index entry may be out
//! of date but no row is missing.

use crate::company::Company;
use crate::source::{FieldType, TableId};
use crate::value::{fingerprint, row_no};
use std::collections::BTreeMap;

/// Rows grouped by a key that is itself a row number, in two arrays (compressed sparse rows): 4 bytes
/// for each row and each key. A map of lists would need several times that for millions of rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Groups {
    /// Where the rows of each key begin in `rows`, and one more entry for the end.
    offsets: Vec<u32>,
    /// The rows, key by key.
    rows: Vec<u32>,
}

impl Groups {
    /// Groups `(key, row)` pairs; keys are in `0..keys`. Rows keep their order within a group.
    pub(crate) fn new(keys: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut offsets = vec![0u32; keys + 1];
        for (key, _) in pairs.clone() {
            if let Some(n) = offsets.get_mut(key as usize + 1) {
                *n += 1;
            }
        }
        // A counting sort: counts become the places where each group begins, then each row goes to the
        // next free place of its group. It is stable, so rows ascend within a group.
        let mut sum = 0;
        for n in &mut offsets {
            sum += *n;
            *n = sum;
        }
        let mut next = offsets.clone();
        let mut rows = vec![0u32; sum as usize];
        for (key, row) in pairs {
            if let Some(at) = next.get_mut(key as usize)
                && let Some(slot) = rows.get_mut(*at as usize)
            {
                *slot = row;
                *at += 1;
            }
        }
        Self { offsets, rows }
    }

    /// The rows of `key`, ascending.
    pub(crate) fn of(&self, key: u32) -> &[u32] {
        let key = key as usize;
        match (self.offsets.get(key), self.offsets.get(key + 1)) {
            (Some(from), Some(to)) => self
                .rows
                .get(*from as usize..*to as usize)
                .unwrap_or_default(),
            _ => &[],
        }
    }
}

/// Rows by the lower-case form of a name.
///
/// It holds fingerprints instead of names: 16 bytes a row, whatever the length of the name, and names
/// that are generated when they are read need not be stored.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    /// (fingerprint, row), sorted.
    order: Vec<(u64, u32)>,
}

impl Names {
    /// The table of these names; the first one is that of row 0.
    pub(crate) fn new(names: impl Iterator<Item = String>) -> Self {
        let mut order: Vec<(u64, u32)> = names
            .enumerate()
            .map(|(i, n)| (fingerprint(&n.to_lowercase()), row_no(i)))
            .collect();
        order.sort_unstable();
        Self { order }
    }

    /// Candidates for a name, ascending; the caller has to compare the names, because fingerprints
    /// may collide.
    pub(crate) fn of(&self, name: &str) -> impl Iterator<Item = u32> + '_ {
        let key = fingerprint(&name.to_lowercase());
        let from = self.order.partition_point(|(k, _)| *k < key);
        self.order
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(move |(k, _)| *k == key)
            .map(|(_, row)| *row)
    }
}

/// All lookup tables of a company: `x_of_y` gives the rows of `x` that link to a row of `y`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    pub(crate) reports: Groups,
    pub(crate) staff: Groups,
    pub(crate) employee_names: Names,
    pub(crate) employee_emails: Names,
    pub(crate) mails_of: Groups,
    pub(crate) thread_mails: Groups,
    pub(crate) repositories_of: Groups,
    pub(crate) files_of: Groups,
    pub(crate) issues_of: Groups,
    pub(crate) product_names: Names,
    pub(crate) customer_names: Names,
    /// The links of tables with declared rows.
    declared: BTreeMap<(TableId, &'static str), Groups>,
}

/// Groups the rows of a table by a key of each row; rows without a key are left out.
fn groups<T>(keys: usize, rows: &[T], key: impl Fn(&T) -> Option<u32> + Clone) -> Groups {
    Groups::new(
        keys,
        rows.iter()
            .enumerate()
            .filter_map(move |(i, row)| key.clone()(row).map(|k| (k, row_no(i)))),
    )
}

/// The links of tables with declared rows. A private record is found under both people, once if they are
/// the same person.
fn declared(c: &Company) -> BTreeMap<(TableId, &'static str), Groups> {
    let mut out = BTreeMap::new();
    for (source, _) in TableId::declared() {
        let Some(rows) = c.declared(source) else {
            continue;
        };
        let all = 0..rows.count();
        for field in source.fields() {
            let FieldType::Link(target) = field.kind else {
                continue;
            };
            let (key, keys) = ((source, name(source, field.name)), c.rows(target) as usize);
            if key.1 == PARTICIPANT {
                let pair = |row| {
                    let (one, other) = (rows.person(row, 0), rows.person(row, 1));
                    let other = other.filter(|_| one != other);
                    one.into_iter().chain(other).map(move |p| (p.0, row))
                };
                out.entry(key)
                    .or_insert_with(|| Groups::new(keys, all.clone().flat_map(pair)));
            } else if let Some(numbers) = rows.numbers(field.name) {
                let link = |row| Some((u32::try_from(numbers.get(row)?).ok()?, row));
                out.insert(key, Groups::new(keys, all.clone().filter_map(link)));
            }
        }
    }
    out
}

/// Both people of a private record.
const PARTICIPANT: &str = "participant";

/// The name of the lookup table for a field: one for both people of a private record.
fn name(source: TableId, field: &str) -> &str {
    let table = source.table();
    match table.private && table.people.iter().any(|(_, person)| *person == field) {
        true => PARTICIPANT,
        false => field,
    }
}

impl Index {
    pub(crate) fn new(c: &Company) -> Self {
        let people = c.employees.len();
        // A message is found under both participants, once if they are the same person.
        let pair = |a: u32, b: u32, row: usize| {
            let second = (a != b).then(|| (b, row_no(row)));
            std::iter::once((a, row_no(row))).chain(second)
        };
        let files_repo = |file: u32| c.files.get(file as usize).map(|f| f.repository.0);
        Self {
            reports: groups(people, &c.employees, |e| e.manager.map(|m| m.0)),
            staff: groups(8, &c.employees, |e| Some(e.department as u32)),
            employee_names: Names::new(c.employees.iter().map(|e| e.name.to_string())),
            employee_emails: Names::new(c.employees.iter().map(|e| e.email.to_string())),
            mails_of: Groups::new(
                people,
                c.mails
                    .iter()
                    .enumerate()
                    .flat_map(|(i, m)| pair(m.sender.0, m.recipient.0, i)),
            ),
            thread_mails: groups(c.threads.len(), &c.mails, |m| Some(m.thread.0)),
            repositories_of: groups(people, &c.repositories, |r| Some(r.owner.0)),
            files_of: groups(c.repositories.len(), &c.files, |f| Some(f.repository.0)),
            issues_of: groups(c.repositories.len(), &c.issues, |i| files_repo(i.file.0)),
            product_names: Names::new((0..c.rows(TableId::Products)).map(|r| c.product_name(r))),
            customer_names: Names::new((0..c.rows(TableId::Customers)).map(|r| c.customer_name(r))),
            declared: declared(c),
        }
    }

    /// Rows of `source` whose `field` links to row `key` of the target, if there is a table for it;
    /// `None` means that all rows have to be searched.
    pub(crate) fn linked(&self, source: TableId, field: &str, key: u32) -> Option<&[u32]> {
        let groups = match (source, field) {
            (TableId::Employees, "reports_to") => &self.reports,
            (TableId::Emails, "participant" | "sender_emp_id" | "recipient_emp_id") => {
                &self.mails_of
            }
            (TableId::Emails, "thread_id") => &self.thread_mails,
            (TableId::Repositories, "emp_id") => &self.repositories_of,
            (TableId::Files, "repo_name") => &self.files_of,
            (TableId::Issues, "repo_name") => &self.issues_of,
            _ => {
                let (_, groups) = self
                    .declared
                    .iter()
                    .find(|((s, f), _)| *s == source && *f == name(source, field))?;
                groups
            }
        };
        Some(groups.of(key))
    }

    /// Rows of a table with declared rows whose `field` links to row `key` of the target.
    pub(crate) fn of(&self, source: TableId, field: &str, key: u32) -> &[u32] {
        self.linked(source, field, key).unwrap_or_default()
    }
}
