//! The report of an import: findings, repairs and quarantined rows.

use super::{Counts, NativeTree};
use crate::company::Company;
use crate::export::CARD;
use crate::source::TableId;
use serde::Serialize;
use std::collections::BTreeMap;

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
/// `rows` = `imported` + `quarantined`. Order documents have no file: they count as imported with
/// their customers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct SourceReport {
    /// The file; `None` if the tree has none.
    pub path: Option<String>,
    /// Rows in the file.
    pub rows: u32,
    /// Rows in the company, repaired ones included.
    pub imported: u32,
    /// Of these, rows with at least one repair.
    pub repaired: u32,
    /// Quarantined rows.
    pub quarantined: u32,
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
    /// Files without an importer.
    /// PDF exports, scripts and the like; nothing in them is read.
    pub unknown_files: Vec<String>,
    /// Sources that were generated because the tree has none.
    pub filled: Vec<TableId>,
}

/// A report under construction.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) files: BTreeMap<TableId, Vec<String>>,
    pub(super) rows: BTreeMap<TableId, u32>,
    pub(super) coercions: Counts,
    pub(super) findings: Counts,
    pub(super) repairs: Vec<RowNote>,
    pub(super) quarantined: Vec<RowNote>,
    pub(super) extras: BTreeMap<(TableId, u32), Box<str>>,
}

impl Log {
    pub(super) fn coerced(&mut self, rule: &'static str) {
        *self.coercions.entry(rule).or_default() += 1;
    }

    pub(super) fn found(&mut self, what: &'static str, count: u32) {
        *self.findings.entry(what).or_default() += count;
    }

    pub(super) fn opened(&mut self, source: TableId, path: &str) {
        self.files.entry(source).or_default().push(path.to_owned());
    }

    pub(super) fn finish(mut self, c: &Company, tree: &NativeTree) -> ImportReport {
        people_findings(c, &mut self);
        let mut report = ImportReport {
            coercions: self.coercions,
            findings: self.findings,
            ..ImportReport::default()
        };
        for source in TableId::ALL {
            let mut touched: Vec<u32> = self
                .repairs
                .iter()
                .filter(|n| n.source == source)
                .map(|n| n.position)
                .collect();
            touched.sort_unstable();
            touched.dedup();
            let set_aside = self
                .quarantined
                .iter()
                .filter(|n| n.source == source)
                .count();
            report.sources.insert(
                source,
                SourceReport {
                    path: self.files.get(&source).map(|paths| paths.join(", ")),
                    rows: self.rows.get(&source).copied().unwrap_or(0),
                    imported: c.rows(source),
                    repaired: crate::value::row_no(touched.len()),
                    quarantined: crate::value::row_no(set_aside),
                },
            );
        }
        for note in &self.repairs {
            *report.repairs_by_rule.entry(note.rule).or_default() += 1;
        }
        report.repairs = self.repairs;
        report.quarantined = self.quarantined;
        let dangling = report
            .quarantined
            .iter()
            .filter(|n| n.rule == "dangling_key")
            .count()
            + report
                .repairs
                .iter()
                .filter(|n| n.rule.starts_with("dangling_"))
                .count();
        report
            .findings
            .insert("dangling_keys", crate::value::row_no(dangling));
        let known: Vec<&String> = self.files.values().flatten().collect();
        report.unknown_files = tree
            .iter()
            .map(|(path, _)| path.to_owned())
            .filter(|path| !known.contains(&path))
            .filter(|path| tree.find(CARD).is_none_or(|(card, _)| card != path))
            .collect();
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
    log.found("leavers_still_valid", crate::value::row_no(still));
    log.found("reports_to_leavers", crate::value::row_no(headless));
}
