//! Changes records.
//!
//! An update names a record and new values. The rules see which fields change, but not their
//! values, apart from one: whether the new manager is the caller. Fields that do not differ from
//! the present value are not written, and an update that changes nothing leaves version and journal
//! alone.
//!
//! Concurrency is optimistic: a caller may state the version that it has read, and is refused with
//! `VERSION_CONFLICT` if the record has a later one.

use super::run::{Outcome, Run, not_found, refuse};
use super::{Code, check};
use crate::access::{Act, RequestContext};
use crate::overlay::WriteKind as Done;
use crate::source::TableId;
use crate::toolset::Call;
use crate::value::scalar_text;
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl Run<'_> {
    /// Changes fields of a record and returns the record with its new version.
    pub(super) fn update(&mut self, call: &Call) -> Outcome<Value> {
        let source = call.source;
        let Some(id) = call.keys.first() else {
            return not_found(source, "");
        };
        let mut c = RequestContext {
            fields: call.changes.keys().map(|k| (*k).to_owned()).collect(),
            ..RequestContext::default()
        };
        if source == TableId::Employees {
            let boss = call.changes.get("reports_to").and_then(scalar_text);
            c.to_self = boss.is_some_and(|b| b == self.my_id());
        }
        let row = self.target(Act::Update, source, id, &c)?;
        self.agrees(call, row)?;
        let version = self.view().version(source, row);
        if let Some(seen) = call.version.filter(|seen| *seen != version) {
            return refuse(
                Code::VersionConflict,
                format!(
                    "the {} is at version {version}, not {seen}; read it again",
                    source.noun()
                ),
            );
        }
        let links: Vec<(&str, &Value)> = call.changes.iter().map(|(k, v)| (*k, v)).collect();
        self.links(source, &links)?;
        let mut values: BTreeMap<String, Value> = call
            .changes
            .iter()
            .map(|(k, v)| ((*k).to_owned(), v.clone()))
            .collect();
        // Links arrive as text, but these ids are numbers in records: as text, the value would
        // differ from an equal one.
        if source == TableId::Overflow
            && let Some(id) = values
                .get("AcceptedAnswerId")
                .and_then(crate::value::whole_number)
        {
            values.insert("AcceptedAnswerId".to_owned(), id.into());
        }
        {
            let view = self.view();
            check::derive(source, &mut values, &|field| view.get(source, row, field));
            let after = |field: &str| {
                values
                    .get(field)
                    .cloned()
                    .unwrap_or_else(|| view.get(source, row, field))
            };
            self.consistent(source, Some(row), &after, &|field| {
                values.contains_key(field)
            })?;
        }
        // The published tool for products returns both states; the others return the record.
        let before = (source == TableId::Products).then(|| self.written(source, row));
        self.write(Done::Update, source, row, values);
        self.state.seen.insert((source, row));
        let after = self.written(source, row);
        let part = |v: &Value, key: &str| v.get(key).cloned().unwrap_or(Value::Null);
        Ok(match before {
            Some(before) => json!({
                "before": part(&before, "record"),
                "after": part(&after, "record"),
                "version": part(&after, "version"),
            }),
            None => after,
        })
    }

    /// Checks that arguments that only repeat a field of the record agree with it.
    pub(super) fn agrees(&self, call: &Call, row: u32) -> Outcome<()> {
        for (field, stated) in &call.same {
            let is = self.view().text(call.source, row, field);
            if is.to_lowercase() != stated.to_lowercase() {
                return refuse(
                    Code::InvalidArgument,
                    format!(
                        "`{field}` of this {} is not `{}`",
                        call.source.noun(),
                        sim_core::error::clip(stated)
                    ),
                );
            }
        }
        Ok(())
    }
}
