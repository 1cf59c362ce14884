//! Lookup tables of a complete company: rows by key, rows by name.
//!
//! The index is built once from complete tables. It knows nothing of the writes of an episode:
//! [`CompanyView::candidates`](crate::view::CompanyView::candidates) adds every written row of the
//! source and leaves the comparison of the actual value to the caller, so an index entry may be out
//! of date but no row is missing.

use crate::company::Company;
use crate::org::Department;
use crate::row::Employee;
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
    /// The people: decisions about access read them more often than a column could be looked up.
    pub(crate) people: Vec<Employee>,
    /// The links of tables, and their fields with numbers that are looked up.
    declared: BTreeMap<(TableId, &'static str), Groups>,
    /// Their fields whose texts are looked up.
    names: BTreeMap<(TableId, &'static str), Names>,
}

/// The links of tables, and their fields with numbers that are looked up. A private record is
/// found under both people, once if they are the same person.
fn declared(c: &Company) -> BTreeMap<(TableId, &'static str), Groups> {
    let mut out = BTreeMap::new();
    for source in TableId::ALL {
        let Some(rows) = c.declared(source) else {
            continue;
        };
        let all = 0..rows.count();
        for field in source.fields() {
            let Some(name) = name(source, field.name) else {
                continue;
            };
            let numbers = rows.numbers(field.name);
            let keys = match field.kind {
                FieldType::Link(target) => c.rows(target) as usize,
                _ if field.indexed => {
                    let all = all.clone().filter_map(|row| numbers?.get(row)).max();
                    all.and_then(|n| usize::try_from(n + 1).ok()).unwrap_or(0)
                }
                _ => continue,
            };
            let key = (source, name);
            if key.1 == PARTICIPANT {
                let pair = |row| {
                    let (one, other) = (rows.person(row, 0), rows.person(row, 1));
                    let other = other.filter(|_| one != other);
                    one.into_iter().chain(other).map(move |p| (p.0, row))
                };
                out.entry(key)
                    .or_insert_with(|| Groups::new(keys, all.clone().flat_map(pair)));
            } else if let Some(numbers) = numbers {
                let link = |row| Some((u32::try_from(numbers.get(row)?).ok()?, row));
                out.insert(key, Groups::new(keys, all.clone().filter_map(link)));
            }
        }
    }
    out
}

/// The texts that are looked up.
fn names(c: &Company) -> BTreeMap<(TableId, &'static str), Names> {
    let fields = TableId::ALL.into_iter();
    let fields = fields.flat_map(|s| s.fields().iter().map(move |f| (s, f)));
    let texts = fields.filter(|(_, field)| field.is_looked_up());
    let names = texts.map(|(source, field)| {
        let rows = 0..c.rows(source);
        let names = Names::new(rows.map(|row| c.shown(source, row, field.name)));
        ((source, field.name), names)
    });
    names.collect()
}

/// Both people of a private record.
const PARTICIPANT: &str = "participant";

/// The name of the lookup table for a field: one for both people of a private record.
fn name(source: TableId, field: &str) -> Option<&'static str> {
    let table = source.table();
    let person = |name| name == PARTICIPANT || table.people.iter().any(|(_, p)| *p == name);
    match table.private && person(field) {
        true => Some(PARTICIPANT),
        false => Some(source.field(field)?.name),
    }
}

impl Index {
    pub(crate) fn new(c: &Company) -> Self {
        Self {
            people: c.read_employees(),
            declared: declared(c),
            names: names(c),
        }
    }

    /// Rows of `source` whose `field` links to row `key` of the target, if there is a table for it;
    /// `None` means that all rows have to be searched.
    pub(crate) fn linked(&self, source: TableId, field: &str, key: u32) -> Option<&[u32]> {
        let groups = self.declared.get(&(source, name(source, field)?))?;
        Some(groups.of(key))
    }

    /// Rows of a table whose `field` may have this text, in any case, if there is a table for the field.
    pub(crate) fn named(
        &self,
        source: TableId,
        field: &str,
        name: &str,
    ) -> Option<impl Iterator<Item = u32> + '_> {
        Some(
            self.names
                .get(&(source, source.field(field)?.name))?
                .of(name),
        )
    }

    /// The people of a department, leavers included.
    pub(crate) fn staff(&self, department: Department) -> &[u32] {
        self.of(TableId::Employees, "category", department as u32)
    }

    /// Rows of a table whose `field` links to row `key` of the target.
    pub(crate) fn of(&self, source: TableId, field: &str, key: u32) -> &[u32] {
        self.linked(source, field, key).unwrap_or_default()
    }
}
