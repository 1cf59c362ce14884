//! Compares the writes of a run with the expected writes.
//!
//! Comparing digests of two states would say only that they differ. Comparing change by change says
//! which record and which field, and lets every field have its own rule ([`Compare`]).
//!
//! Pairing: expected changes of existing records are paired by source, operation and id. New
//! records have no known id, so each takes the new record with the fewest differences; ties go to
//! the first. What is left over on the expected side is missing, on the other side extra. One
//! missing or extra change, or one different field, makes the state wrong.

use crate::mention::says;
use crate::office::Office;
use crate::overlay::{NetChange, Overlay, WriteKind, net_changes};
use crate::source::{Compare, FieldType, TableId};
use crate::task::{Expectation, ExpectedChange, TaskSpec};
use crate::value::{plain_text, scalar_text};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// A field with a wrong value.
///
/// For people who read a failed run: what was expected, what is there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FieldMiss {
    /// Source of the record.
    pub source: TableId,
    /// The record.
    pub id: String,
    /// The field.
    pub field: String,
    /// The expected value; `None` if the field should not have been written.
    pub expected: Option<Value>,
    /// The actual value.
    pub got: Value,
}

/// The comparison of two states, field by field.
///
/// `right` is true for a search task if nothing at all was written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StateCheck {
    /// Whether the state is right, and nothing else was written.
    pub right: bool,
    /// Expected changes without a counterpart.
    /// A record that was written with other values is not missing: its fields differ.
    pub missing: u32,
    /// Changes that were not requested: source, record, operation.
    pub extra: Vec<(TableId, String, WriteKind)>,
    /// Fields that differ.
    pub fields: Vec<FieldMiss>,
}

/// Whether two values are equal under a comparison rule.
pub(crate) fn same(compare: Compare, kind: Option<FieldType>, a: &Value, b: &Value) -> bool {
    match compare {
        Compare::Ignore => true,
        Compare::Exact => match kind {
            Some(FieldType::Money | FieldType::Rating | FieldType::Whole(_, _)) => {
                a.as_f64() == b.as_f64()
            }
            Some(FieldType::Id | FieldType::Link(_)) => scalar_text(a) == scalar_text(b),
            _ => a == b,
        },
        Compare::Normal => match (scalar_text(a), scalar_text(b)) {
            (Some(a), Some(b)) => plain_text(&a) == plain_text(&b),
            (None, None) => a == b,
            _ => false,
        },
        Compare::Code => {
            let trimmed = |v: &Value| {
                let text = scalar_text(v).unwrap_or_default();
                let lines: Vec<String> = text.lines().map(|l| l.trim_end().to_owned()).collect();
                lines.join("\n").trim_end().to_owned()
            };
            trimmed(a) == trimmed(b)
        }
        Compare::Set => {
            let set = |v: &Value| -> BTreeSet<String> {
                let list = v.as_array().map(Vec::as_slice).unwrap_or_default();
                list.iter()
                    .filter_map(scalar_text)
                    .map(|t| plain_text(&t))
                    .collect()
            };
            set(a) == set(b)
        }
    }
}

/// Whether a written value meets an expectation.
fn fits(source: TableId, field: &str, expected: &Expectation, got: &Value) -> bool {
    match expected {
        Expectation::Value { value, compare } => {
            same(*compare, source.field(field).map(|f| f.kind), value, got)
        }
        Expectation::Says(parts) => {
            let text = got.as_str().unwrap_or_default();
            !plain_text(text).is_empty() && says(text, parts)
        }
    }
}

/// The fields of a change that differ from the expectation.
fn misses(expected: &ExpectedChange, got: &NetChange) -> Vec<FieldMiss> {
    let miss = |field: &str, wanted: Option<&Expectation>, value: &Value| FieldMiss {
        source: got.source,
        id: got.id.clone(),
        field: field.to_owned(),
        expected: wanted.map(|w| match w {
            Expectation::Value { value, .. } => value.clone(),
            Expectation::Says(parts) => parts.clone().into(),
        }),
        got: value.clone(),
    };
    let mut out = Vec::new();
    for (field, wanted) in &expected.fields {
        let value = got.fields.get(field).unwrap_or(&Value::Null);
        if !fits(got.source, field, wanted, value) {
            out.push(miss(field, Some(wanted), value));
        }
    }
    // Fields that were written without a request. Of new records all fields are expected: a new
    // record has defaults in fields that the plan did not give, and an agent may fill in more.
    for (field, value) in &got.fields {
        let ignored = got
            .source
            .field(field)
            .is_some_and(|f| f.compare == Compare::Ignore);
        if !expected.fields.contains_key(field) && !ignored && got.op != WriteKind::Create {
            out.push(miss(field, None, value));
        }
    }
    out
}

/// Compares the writes with the expected ones.
#[must_use]
pub fn check_state(office: &Office, task: &TaskSpec, overlay: &Overlay) -> StateCheck {
    let mut open: Vec<NetChange> = net_changes(office.company(), overlay);
    let mut missing = 0;
    let mut fields = Vec::new();
    // Changes of existing records first, then new ones by the smallest number of differences.
    let (known, new): (Vec<_>, Vec<_>) = task.gold.changes.iter().partition(|e| e.id.is_some());
    for expected in known.into_iter().chain(new) {
        let candidates = open.iter().enumerate().filter(|(_, got)| {
            got.source == expected.source
                && got.op == expected.op
                && expected.id.as_ref().is_none_or(|id| *id == got.id)
        });
        let best = candidates
            .map(|(n, got)| (misses(expected, got), n))
            .min_by_key(|(m, n)| (m.len(), *n));
        match best {
            Some((missed, n)) => {
                fields.extend(missed);
                open.swap_remove(n);
            }
            None => missing += 1,
        }
    }
    let mut extra: Vec<(TableId, String, WriteKind)> =
        open.into_iter().map(|c| (c.source, c.id, c.op)).collect();
    extra.sort();
    StateCheck {
        right: missing == 0 && extra.is_empty() && fields.is_empty(),
        missing,
        extra,
        fields,
    }
}
