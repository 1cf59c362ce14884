//! Removes records. Employees remain with a leaving date; mails are removed from one mailbox.
//!
//! | record | what happens |
//! |---|---|
//! | employee | gets `is_valid` false and a leaving date; reports move to the manager above |
//! | mail | leaves the caller's mailbox; removed when both people have deleted it |
//! | repository | its files and issues go with it |
//! | question | its answers go with it |
//! | answer | the question loses it as accepted answer |
//! | post | comments stay, without their parent |
//! | product, customer | refused while sales, reviews or chats refer to it, or these go too |
//! | others | removed |

use super::Code;
use super::run::{Outcome, Run, not_found, refuse};
use crate::access::{Act, MailDelete, RequestContext};
use crate::overlay::{Change, FieldChange, WriteKind as Done};
use crate::source::{FieldType, TableId};
use crate::toolset::Call;
use crate::value::Day;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Records that cannot be without a record of a source: their source and field.
fn referrers(source: TableId) -> impl Iterator<Item = (TableId, &'static str)> {
    let links = TableId::ALL.into_iter().flat_map(|from| {
        let fields = from.fields().iter();
        fields.filter(|f| f.required).map(move |f| (from, f))
    });
    links
        .filter(move |(_, field)| field.kind == FieldType::Link(source))
        .map(|(from, field)| (from, field.name))
}

impl Run<'_> {
    /// Removes a record, and decides what happens to records that refer to it: files, issues and answers
    /// go with it, comments stay without their parent, and everything else is refused or cascades.
    pub(super) fn delete(&mut self, call: &Call) -> Outcome<Value> {
        let source = call.source;
        let Some(id) = call.keys.first() else {
            return not_found(source, "");
        };
        let row = self.target(Act::Delete, source, id, &RequestContext::default())?;
        self.agrees(call, row)?;
        match source {
            TableId::Employees => return self.deactivate(call, row),
            TableId::Emails => self.unmail(row),
            TableId::Repositories => {
                for (part, field) in [
                    (TableId::Files, "repo_name"),
                    (TableId::Issues, "repo_name"),
                ] {
                    for inner in self.referring(part, field, source, id) {
                        self.remove(part, inner);
                    }
                }
                self.remove(source, row);
            }
            TableId::Overflow => {
                for answer in self.referring(source, "ParentId", source, id) {
                    self.remove(source, answer);
                }
                self.remove(source, row);
                let parent = self.view().text(source, row, "ParentId");
                if let Some(question) = self.view().find(source, &parent)
                    && self.view().text(source, question, "AcceptedAnswerId") == *id
                {
                    let none = BTreeMap::from([("AcceptedAnswerId".to_owned(), Value::Null)]);
                    self.write(Done::Update, source, question, none);
                }
            }
            TableId::Posts => {
                for comment in self.referring(source, "parent_id", source, id) {
                    let none = BTreeMap::from([("parent_id".to_owned(), Value::Null)]);
                    self.write(Done::Update, source, comment, none);
                }
                self.remove(source, row);
            }
            _ => {
                let cascade = self.office.access().config().cascade;
                for (from, field) in referrers(source) {
                    let rows = self.referring(from, field, source, id);
                    if !rows.is_empty() && !cascade {
                        return refuse(
                            Code::FkViolation,
                            format!("the {} is referred to by {}", source.noun(), from.name()),
                        );
                    }
                    for inner in rows {
                        self.remove(from, inner);
                    }
                }
                self.remove(source, row);
            }
        }
        Ok(json!({"deleted_id": self.office.company().id_like(source, id)}))
    }

    /// Removes a mail from the caller's mailbox, or from the office.
    fn unmail(&mut self, row: u32) {
        let source = TableId::Emails;
        let me = self.my_id();
        let view = self.view();
        let sides = [
            view.text(source, row, "sender_emp_id"),
            view.text(source, row, "recipient_emp_id"),
        ];
        let global = self.office.access().config().mail_delete == MailDelete::Global;
        // Somebody who is neither sender nor recipient gets here only without enforcement, and has
        // no copy of the mail to remove.
        if global || !sides.contains(&me) {
            return self.remove(source, row);
        }
        let id = view.id(source, row);
        let entry = self.state.overlay.touch(source, row);
        let before = entry.hidden_from.clone();
        entry.hidden_from.push(me.clone());
        entry.version += 1;
        // Deleted for good once it is in no mailbox.
        entry.deleted = sides.iter().all(|s| entry.hidden_from.contains(s));
        let change = FieldChange {
            before: json!(before),
            after: json!(entry.hidden_from),
        };
        let version = entry.version;
        self.state.overlay.record(Change {
            by: me,
            op: Done::Delete,
            source,
            id,
            version,
            fields: BTreeMap::from([("hidden_from".to_owned(), change)]),
        });
        self.records += 1;
    }

    /// Marks a person as having left and assigns their reports to the next manager above.
    fn deactivate(&mut self, call: &Call, row: u32) -> Outcome<Value> {
        let source = TableId::Employees;
        let view = self.view();
        // A second deactivation would overwrite the first leaving date.
        if view.get(source, row, "is_valid") == Value::Bool(false) {
            return refuse(
                Code::InvalidArgument,
                "this employee is already deactivated",
            );
        }
        let today = Value::from(self.office.company().clock().to_string());
        let left = call
            .values
            .get("DOL")
            .filter(|v| !v.is_null())
            .cloned()
            .unwrap_or(today);
        let joined = Day::parse(&view.text(source, row, "DOJ"));
        if Day::parse(left.as_str().unwrap_or_default()) < joined {
            return refuse(
                Code::InvalidArgument,
                "`DOL` must not be before the joining date",
            );
        }
        let above = view.get(source, row, "reports_to");
        let reports: Vec<u32> = view
            .get(source, row, "reportees")
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|id| view.find(source, id.as_str()?))
            .collect();
        // Reports move first, so that at no entry of the journal anybody reports to a person who
        // left.
        for report in reports {
            let moved = BTreeMap::from([("reports_to".to_owned(), above.clone())]);
            self.write(Done::Update, source, report, moved);
        }
        let values = BTreeMap::from([
            ("is_valid".to_owned(), Value::Bool(false)),
            ("DOL".to_owned(), left),
        ]);
        self.write(Done::Update, source, row, values);
        Ok(self.written(source, row))
    }
}

impl crate::company::Company {
    /// An identifier in the JSON type of its source.
    fn id_like(&self, source: TableId, id: &str) -> Value {
        if source.numbered() {
            id.parse::<i64>().map_or_else(|_| id.into(), Value::from)
        } else {
            id.into()
        }
    }
}
