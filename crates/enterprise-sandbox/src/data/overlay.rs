//! The writes of an episode: changed fields on top of an immutable company, with a journal.
//!
//! A row is copied field by field when it is first written; everything else is read from the
//! company. Dropping the overlay resets the office. Each written row has a version; a writer may
//! state the version that it has seen, and is refused if another writer was faster.
//!
//! ```text
//!              read                                write
//!  CompanyView ──► Overlay: WrittenRow? ──► value      tool ─► row touched ─► values, version + 1
//!                     │ no                                        └─► Change in the journal
//!                     ▼
//!                  Company::cell
//! ```
//!
//! Invariants:
//!
//! - A row below the company's row count has no `id` here, and a row from it on always has one.
//!   Restoring a stored state verifies this.
//! - Row numbers are never used again. A removed row keeps its place and its version.
//! - A row has version 1 when it is untouched or new, and one more with each later write. The last
//!   journal entry of a row has its version.
//! - The journal has every write in order, with the values before and after it.
//!
//! An evaluation does not look at the steps but at the [net effect](net_changes), so an agent may
//! correct itself.
//!
//! # Example
//!
//! A ticket that is raised through a tool, as the overlay keeps it:
//!
//! ```
//! use enterprise_sandbox::data::overlay::{WriteKind, net_changes};
//! use enterprise_sandbox::data::tables::TableId;
//! use enterprise_sandbox::{Action, Config, Instance, OfficeTask};
//! use serde_json::json;
//! use sim_core::{Environment as _, Episode, Seed};
//! use std::sync::Arc;
//!
//! let instance = Instance::generate(&Config::of(50), Episode::of_run(Seed(7), 0))?;
//! let mut env = OfficeTask::new(Arc::new(instance))?;
//! env.step(&Action::Call {
//!     tool: "it_service_management_create_issue".to_owned(),
//!     arguments: json!({"Issue": "The printer shows error 50.", "priority": "high"}),
//! })?;
//! let written = &env.state().office.overlay;
//! assert_eq!(written.journal().len(), 1);
//! let net = net_changes(env.office().company(), written);
//! assert_eq!((net[0].op, net[0].source), (WriteKind::Create, TableId::Tickets));
//! assert_eq!(net[0].fields["priority"], "high");
//! assert_eq!(written.made(TableId::Tickets), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::data::company::Company;
use crate::data::tables::TableId;
use crate::data::value::row_no;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The kind of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteKind {
    /// The row was created.
    Create,
    /// Fields were changed.
    Update,
    /// The row was removed (a mail: from one mailbox or for good).
    Delete,
}

/// A field before and after a write.
///
/// Both values have the form in which tools show them: dates as ISO text, money as a number, people
/// by id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldChange {
    /// Value before; null for a new row.
    pub before: Value,
    /// Value after; null for a removed row.
    pub after: Value,
}

/// One entry of the journal.
///
/// An entry stays when a later write undoes it. Refused calls write nothing and have no entry; they
/// are in the audit trail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Id of the writer.
    /// The user of the session, also for fields that follow from the write.
    pub by: String,
    /// The kind of write.
    pub op: WriteKind,
    /// Source of the row.
    pub source: TableId,
    /// The row.
    pub id: String,
    /// Version after the write.
    /// A new record has version 1.
    pub version: u32,
    /// Fields that changed.
    pub fields: BTreeMap<String, FieldChange>,
}

/// The written state of one row.
///
/// Only fields that were written are kept, so that 10,000 episodes on one company of 100,000 people
/// need memory for their own writes alone.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenRow {
    /// 1 for an untouched row, one more with every write.
    pub version: u32,
    /// Identifier of a row that was created in this episode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Whether the row was removed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
    /// People who removed a mail from their own mailbox.
    /// Each has a copy of the mail, as in a real mailbox; the mail is removed when both have
    /// deleted it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden_from: Vec<String>,
    /// Fields that differ from the company's row (all fields of a row created in this episode).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Value>,
}

/// All writes of an episode. Its size grows with the number of written fields, not with the company.
///
/// Two overlays are equal if the same rows have the same values and the journals agree. It is part
/// of the state of an episode and is stored with it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overlay {
    rows: BTreeMap<TableId, BTreeMap<u32, WrittenRow>>,
    journal: Vec<Change>,
}

impl Overlay {
    /// Whether nothing was written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The journal, oldest first.
    #[must_use]
    pub fn journal(&self) -> &[Change] {
        &self.journal
    }

    /// The written rows of a source, by row number.
    #[must_use]
    pub fn of(&self, source: TableId) -> Option<&BTreeMap<u32, WrittenRow>> {
        self.rows.get(&source)
    }

    /// The written state of a row.
    #[must_use]
    pub fn entry(&self, source: TableId, row: u32) -> Option<&WrittenRow> {
        self.rows.get(&source)?.get(&row)
    }

    /// All written rows.
    pub fn entries(&self) -> impl Iterator<Item = (TableId, u32, &WrittenRow)> {
        self.rows
            .iter()
            .flat_map(|(s, rows)| rows.iter().map(|(row, e)| (*s, *row, e)))
    }

    /// The written state of a row, created if necessary.
    pub(crate) fn touch(&mut self, source: TableId, row: u32) -> &mut WrittenRow {
        let entry = self.rows.entry(source).or_default().entry(row).or_default();
        // The default is 0, which is no version of a row.
        if entry.version == 0 {
            entry.version = 1;
        }
        entry
    }

    /// Number of rows of a source that were created in this episode, including removed ones.
    #[must_use]
    pub fn made(&self, source: TableId) -> u32 {
        let rows = self.rows.get(&source);
        row_no(rows.map_or(0, |rows| rows.values().filter(|e| e.id.is_some()).count()))
    }

    pub(crate) fn record(&mut self, change: Change) {
        self.journal.push(change);
    }

    /// Checks that a stored overlay fits a company: the numbers of created rows follow the
    /// company's rows.
    ///
    /// # Errors
    /// Names the row that does not fit.
    pub(crate) fn check(&self, company: &Company) -> Result<(), String> {
        for (source, row, entry) in self.entries() {
            let base = company.rows(source);
            let is_last = row >= base + self.made(source);
            if (row >= base) != entry.id.is_some() || is_last {
                return Err(format!(
                    "{source} row {row} does not fit a table of {base} rows"
                ));
            }
        }
        Ok(())
    }
}

/// The net effect on one record, independent of the steps.
///
/// A mail that the writer removed from the own mailbox counts as a [`Delete`](WriteKind::Delete)
/// although the other person keeps it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NetChange {
    /// The operation.
    pub op: WriteKind,
    /// Source.
    pub source: TableId,
    /// The record.
    pub id: String,
    /// Fields that differ from before.
    pub fields: BTreeMap<String, Value>,
}

/// The net effect of all writes. Records that were created and removed again have no effect, nor do
/// fields that were set back to their old value.
///
/// Sorted by source and row, so two outcomes can be compared entry by entry.
#[must_use]
pub fn net_changes(company: &Company, overlay: &Overlay) -> Vec<NetChange> {
    let mut out = Vec::new();
    for (source, row, entry) in overlay.entries() {
        let made = entry.id.is_some();
        let hidden = !entry.hidden_from.is_empty();
        let differs = |name: &str, value: &Value| company.cell(source, row, name) != *value;
        let values = entry.values.iter();
        let values = values.filter(|(name, value)| made || differs(name, value));
        let mut fields: BTreeMap<String, Value> = values
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let op = match (entry.deleted, made) {
            // A mail that was sent and then deleted by both people was still sent.
            (true, true) if hidden => WriteKind::Create,
            (true, true) => continue,
            (true, false) => {
                fields.clear();
                WriteKind::Delete
            }
            // The company's row is unchanged when a mail leaves one mailbox, but what was done is a
            // deletion.
            (false, false) if hidden && fields.is_empty() => WriteKind::Delete,
            (false, false) if fields.is_empty() => continue,
            (false, false) => WriteKind::Update,
            (false, true) => WriteKind::Create,
        };
        if hidden && !entry.deleted {
            // Not a field of the record, but two runs that removed a mail from different mailboxes
            // differ.
            fields.insert("hidden_from".to_owned(), entry.hidden_from.clone().into());
        }
        out.push(NetChange {
            op,
            source,
            id: entry.id.clone().unwrap_or_else(|| company.id(source, row)),
            fields,
        });
    }
    out
}
