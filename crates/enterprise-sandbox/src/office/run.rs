//! A call that is being executed: dispatch, writes, and the entry in the audit trail.
//!
//! A [`Run`] is the mutable side of a call: the state, the caller, and what goes into the audit
//! entry. Its methods are spread over the files of this folder, one operation each. Every method
//! returns an [`Outcome`]; a [`Refusal`] ends the call through `?`, and only [`Office::run`] turns
//! it into a reply, so no path can forget the audit entry or leave half a write behind.

use super::{AuditEntry, CallReply, Code, Office, OfficeState};
use crate::overlay::{Change, FieldChange, Overlay, WriteKind as Done};
use crate::row::EmployeeNo;
use crate::source::TableId;
use crate::toolset::{Call, Op};
use crate::value::fingerprint;
use crate::view::CompanyView;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Longest reply (characters).
pub(super) const LONGEST_REPLY: usize = 200_000;

/// The result of a step of a call.
pub(super) type Outcome<T> = Result<T, Refusal>;

/// A refusal that ends a call.
///
/// `message` is for the agent and stays empty for a refusal by the rules; `rules` are for the audit
/// trail and, if the settings allow it, for `explain`.
pub(super) struct Refusal {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) rules: Vec<String>,
}

/// A refusal with a code and a message, before any rule was asked.
pub(super) fn refuse<T>(code: Code, message: impl Into<String>) -> Outcome<T> {
    Err(Refusal {
        code,
        message: message.into(),
        rules: Vec::new(),
    })
}

/// The refusal for an id that does not exist.
pub(super) fn not_found<T>(source: TableId, id: &str) -> Outcome<T> {
    refuse(
        Code::NotFound,
        format!(
            "there is no {} `{}`",
            source.noun(),
            sim_core::error::clip(id)
        ),
    )
}

/// A call that is being executed.
pub(super) struct Run<'a> {
    pub(super) office: &'a Office,
    pub(super) state: &'a mut OfficeState,
    /// The caller; without enforcement, the person whose name the caller gives.
    pub(super) me: EmployeeNo,
    /// Rules that decided so far.
    pub(super) rules: Vec<String>,
    /// Records shown or written so far.
    pub(super) records: u32,
    /// Decisions that would have been refusals under enforcement.
    pub(super) would_refuse: u32,
    /// Whether the call was made in another person's name.
    pub(super) impersonation: bool,
}

impl Office {
    /// Executes a call whose arguments are valid.
    pub(super) fn run(
        &self,
        state: &mut OfficeState,
        principal: EmployeeNo,
        call: &Call,
        arguments: &Value,
    ) -> CallReply {
        // The session's user, taken before the call: without enforcement a claim changes `me` to
        // the person who is claimed.
        let by = self
            .view(&state.overlay)
            .id(TableId::Employees, principal.0);
        let before = state.overlay.clone_if_written(call.tool.op);
        let mut run = Run {
            office: self,
            state,
            me: principal,
            rules: Vec::new(),
            records: 0,
            would_refuse: 0,
            impersonation: false,
        };
        let outcome = run.claims(call).and_then(|()| run.dispatch(call));
        let (rules, records) = (std::mem::take(&mut run.rules), run.records);
        let (would_refuse, impersonation) = (run.would_refuse, run.impersonation);
        let mut entry = AuditEntry {
            by,
            tool: call.tool.name.to_owned(),
            source: call.source,
            refused: None,
            rules,
            records,
            would_refuse,
            impersonation,
            call: fingerprint(&format!(
                "{} {}",
                call.tool.name,
                sim_core::bytes::canonical_text(arguments)
            )),
        };
        let reply = match outcome {
            Ok(body) => CallReply {
                refused: None,
                body,
            },
            Err(refusal) => {
                // Restoring the state also removes incomplete writes.
                if let Some(before) = before {
                    state.overlay = before;
                }
                entry.refused = Some(refusal.code);
                entry.records = 0;
                // Not those collected before: a call may ask about several records, and the rules
                // that permitted an earlier one did not decide the refusal.
                entry.rules = refusal.rules;
                self.refusal(call, &entry, refusal.code, &refusal.message)
            }
        };
        state.audit.push(entry);
        reply
    }

    /// The reply to a refused call. Its text is the same for every record that the rules withhold.
    fn refusal(&self, call: &Call, entry: &AuditEntry, code: Code, message: &str) -> CallReply {
        let mut body = Map::new();
        body.insert("code".to_owned(), code.to_string().into());
        if code == Code::AccessDenied {
            body.insert("tool".to_owned(), call.tool.name.into());
            if let (true, Some(rule)) = (self.access.config().explain, entry.rules.first()) {
                body.insert("rule_id".to_owned(), rule.as_str().into());
            }
        } else {
            body.insert("message".to_owned(), message.into());
        }
        CallReply {
            refused: Some(code),
            body: json!({"error": body}),
        }
    }
}

impl Overlay {
    /// A copy for restoring, if the operation may write. A write may fail after its first rows (a
    /// cascading deletion), and reads are too frequent to copy the overlay for each.
    fn clone_if_written(&self, op: Op) -> Option<Self> {
        matches!(op, Op::Create | Op::Update | Op::Delete).then(|| self.clone())
    }
}

impl Run<'_> {
    /// The office as it is at this point of the call, writes of the call included.
    pub(super) fn view(&self) -> CompanyView<'_> {
        self.office.view(&self.state.overlay)
    }

    /// The id of the caller, as records show it.
    pub(super) fn my_id(&self) -> String {
        self.view().id(TableId::Employees, self.me.0)
    }

    /// Executes the operation of the tool.
    pub(super) fn dispatch(&mut self, call: &Call) -> Outcome<Value> {
        match call.tool.op {
            Op::Read => self.read(call),
            Op::Create => self.create(call),
            Op::Update => self.update(call),
            Op::Delete => self.delete(call),
            Op::Document => self.document(call),
            Op::Model => self.model(call),
            Op::WhoAmI => Ok(self.who_am_i()),
            Op::Explain => self.explain(call),
            Op::Distract => refuse(
                Code::Unavailable,
                "this tool is not connected in this office",
            ),
            Op::Answer | Op::Refuse => refuse(
                Code::Unavailable,
                "this tool ends a task; there is none here",
            ),
        }
    }

    /// Writes fields of a row and the journal entry; unchanged fields are left out.
    pub(super) fn write(
        &mut self,
        done: Done,
        source: TableId,
        row: u32,
        values: BTreeMap<String, Value>,
    ) {
        let by = self.my_id();
        let mut fields = BTreeMap::new();
        for (name, after) in values {
            let before = match done {
                Done::Create => Value::Null,
                _ => self.view().get(source, row, &name),
            };
            if done != Done::Create && before == after {
                continue;
            }
            self.state
                .overlay
                .touch(source, row)
                .values
                .insert(name.clone(), after.clone());
            fields.insert(name, FieldChange { before, after });
        }
        if fields.is_empty() && done == Done::Update {
            return;
        }
        let entry = self.state.overlay.touch(source, row);
        // A row that is touched for the first time has version 1; its creation is that first write.
        entry.version += u32::from(done != Done::Create);
        let version = entry.version;
        let id = self.view().id(source, row);
        self.state.overlay.record(Change {
            by,
            op: done,
            source,
            id,
            version,
            fields,
        });
        self.records += 1;
    }

    /// Removes a row.
    pub(super) fn remove(&mut self, source: TableId, row: u32) {
        let by = self.my_id();
        let id = self.view().id(source, row);
        let entry = self.state.overlay.touch(source, row);
        entry.deleted = true;
        entry.version += 1;
        let version = entry.version;
        let fields = BTreeMap::new();
        self.state.overlay.record(Change {
            by,
            op: Done::Delete,
            source,
            id,
            version,
            fields,
        });
        self.records += 1;
    }

    /// The record that a writer gets back, with its version.
    pub(super) fn written(&self, source: TableId, row: u32) -> Value {
        let view = self.view();
        let fields = source
            .fields()
            .iter()
            .filter(|f| !f.restricted)
            .map(|f| f.name);
        let mut record = view.record(source, row, fields);
        if let Some(entry) = self.state.overlay.entry(source, row) {
            for (name, value) in &entry.values {
                record.insert(name.clone(), value.clone());
            }
        }
        json!({"record": record, "version": view.version(source, row)})
    }

    /// Rows of a source that link to a record by its id.
    pub(super) fn referring(
        &self,
        source: TableId,
        field: &'static str,
        target: TableId,
        id: &str,
    ) -> Vec<u32> {
        let view = self.view();
        let key = view.find(target, id).unwrap_or(u32::MAX);
        let rows = view
            .candidates(source, field, key)
            .unwrap_or_else(|| (0..view.rows(source)).collect());
        rows.into_iter()
            .filter(|row| view.exists(source, *row) && view.text(source, *row, field) == id)
            .collect()
    }
}
