//! A call that is being executed: dispatch, writes, and the entry in the audit trail.
//!
//! A [`Run`] is the mutable side of a call: the state, the caller, and what goes into the audit
//! entry. Its methods are spread over the files of this folder, one operation each. Every method
//! returns an [`Outcome`]; a [`Refusal`] ends the call through `?`, and only [`Office::run`] turns
//! it into a reply, so no path can forget the audit entry or leave half a write behind.

use crate::access::{
    Access, AccessDecision, AccessRequest, Act, Enforcement, RequestContext, Resource,
};
use crate::data::overlay::{Change, FieldChange, WriteKind as Done};
use crate::data::row::EmployeeNo;
use crate::data::search::{places, rank, section_text};
use crate::data::tables::TableId;
use crate::data::value::{fingerprint, row_no};
use crate::data::view::CompanyView;
use crate::tools;
use crate::tools::office::read::NO_VECTORS;
use crate::tools::office::write::Values;
use crate::tools::office::{AuditEntry, CallReply, Code, Office, OfficeState, action_of};
use crate::tools::{Call, Op};
use serde_json::{Map, Value, json};
use sim_core::error::clip;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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

/// A refusal because of the values of a call.
pub(super) fn invalid<T>(message: impl Into<String>) -> Outcome<T> {
    refuse(Code::InvalidArgument, message)
}

/// The refusal for an id that does not exist.
pub(super) fn not_found<T>(source: TableId, id: &str) -> Outcome<T> {
    let message = format!("there is no {} `{}`", source.noun(), clip(id));
    refuse(Code::NotFound, message)
}

/// A call that is being executed.
pub(super) struct Run<'a> {
    pub(super) office: &'a Office,
    pub(super) state: &'a mut OfficeState,
    /// The caller; without enforcement, the person whose name the caller gives.
    pub(super) me: EmployeeNo,
    /// What goes into the audit trail: the rules that decided, and what was shown or written so far.
    pub(super) entry: AuditEntry,
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
        // For restoring: a write may fail after its first rows, as a cascading deletion does. Reads are too frequent to
        // copy the overlay for each.
        let before = call.tool.op.writes().then(|| state.overlay.clone());
        let entry = AuditEntry {
            by,
            tool: call.tool.name.to_owned(),
            source: call.source,
            refused: None,
            rules: Vec::new(),
            records: 0,
            would_refuse: 0,
            impersonation: false,
            call: fingerprint(&format!(
                "{} {}",
                call.tool.name,
                sim_core::bytes::canonical_text(arguments)
            )),
        };
        let mut run = Run {
            office: self,
            state,
            me: principal,
            entry,
        };
        let outcome = run.claims(call).and_then(|()| run.dispatch(call));
        let mut entry = run.entry;
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
            Op::Model => refuse(
                Code::Unavailable,
                "no language model is connected in this office",
            ),
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
    pub(super) fn write(&mut self, done: Done, source: TableId, row: u32, values: Values) {
        let mut fields = BTreeMap::new();
        for (name, after) in values {
            let before = match done {
                Done::Create => Value::Null,
                _ => self.view().get(source, row, name),
            };
            if done != Done::Create && before == after {
                continue;
            }
            let entry = self.state.overlay.touch(source, row);
            entry.values.insert(name.to_owned(), after.clone());
            fields.insert(name.to_owned(), FieldChange { before, after });
        }
        if fields.is_empty() && done == Done::Update {
            return;
        }
        // A row that is touched for the first time has version 1; its creation is that first write.
        let entry = self.state.overlay.touch(source, row);
        entry.version += u32::from(done != Done::Create);
        self.record(done, source, row, fields);
    }

    /// Removes a row.
    pub(super) fn remove(&mut self, source: TableId, row: u32) {
        let entry = self.state.overlay.touch(source, row);
        entry.deleted = true;
        entry.version += 1;
        self.record(Done::Delete, source, row, BTreeMap::new());
    }

    /// Adds a write to the journal.
    pub(super) fn record(
        &mut self,
        op: Done,
        source: TableId,
        row: u32,
        fields: BTreeMap<String, FieldChange>,
    ) {
        let view = self.view();
        let change = Change {
            by: self.my_id(),
            op,
            source,
            id: view.id(source, row),
            version: view.version(source, row),
            fields,
        };
        self.state.overlay.record(change);
        self.entry.records += 1;
    }

    /// The record that a writer gets back, with its version.
    pub(super) fn written(&self, source: TableId, row: u32) -> Value {
        let view = self.view();
        let fields = source.fields().iter().filter(|f| !f.restricted);
        let fields = fields.map(|f| f.name);
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

// ---------------------------------------------------------------- decide
//
// Access decisions during a call: who the caller is, what the rules say, and which refusal a caller
// gets.
//
// Records that a caller may not read must not influence any reply to that caller, refusals included.
// So the code of a refusal is chosen by what the caller may know, not by what exists.
//
// Which refusal a caller gets:
//
// | the record | the caller | reply |
// |---|---|---|
// | exists, caller may read it | may not do this to it | `ACCESS_DENIED` |
// | does not exist | could read or act on records of any owner | `NOT_FOUND` |
// | does not exist, or caller may not read it | any other | `ACCESS_DENIED` |
// | the same, with `hide_existence` | any | `NOT_FOUND` |
//
// So trying identifiers one by one tells a caller nothing: for a caller who may read only some
// records, existing and missing identifiers give the same reply. Whether a caller "could read
// records of any owner" is decided by asking the rules about a record of an unknown person
// ([`Resource::absent`]).

impl Run<'_> {
    /// Whether refusals of the rules take effect (mode `on`).
    pub(super) fn enforced(&self) -> bool {
        self.office.access.config().enforcement == Enforcement::On
    }

    /// Whether records that the caller may not read are reported as missing. Only while rules are
    /// enforced: without enforcement nothing is hidden.
    pub(super) fn hides(&self) -> bool {
        self.enforced() && self.office.access.config().hide_existence
    }

    /// Checks that arguments that name the caller match the session's user.
    pub(super) fn claims(&mut self, call: &Call) -> Outcome<()> {
        for claim in &call.claims {
            let view = self.view();
            let mine = |field| {
                view.text(TableId::Employees, self.me.0, field)
                    .to_lowercase()
            };
            let honest = claim.names.iter().any(|name| match claim.by_address {
                true => name.to_lowercase() == mine("email"),
                false => *name == self.my_id(),
            });
            if honest {
                continue;
            }
            let name = claim.names.first().map_or("", String::as_str);
            let other = match claim.by_address {
                true => view.people_at(name).first().copied(),
                false => view.employee(name),
            };
            self.entry.impersonation = true;
            if self.enforced() {
                return refuse(Code::AccessDenied, "the caller must be named truly");
            }
            // Without enforcement the claimed identity is accepted, as in the published code.
            self.entry.would_refuse += 1;
            self.me = other.unwrap_or(self.me);
        }
        Ok(())
    }

    /// Evaluates the rules and applies the mode of enforcement: whether to continue.
    pub(super) fn ask(&mut self, act: Act, resource: Resource, c: &RequestContext) -> bool {
        let access = Arc::clone(&self.office.access);
        if access.config().enforcement == Enforcement::Off {
            return true;
        }
        let request = AccessRequest {
            principal: self.me,
            act,
            resource,
            context: c,
        };
        let AccessDecision { allow, rules } = access.decide(&self.view(), &request);
        for rule in rules {
            let rule = rule.into_owned();
            if !self.entry.rules.contains(&rule) {
                self.entry.rules.push(rule);
            }
        }
        if !allow && !self.enforced() {
            self.entry.would_refuse += 1;
            return true;
        }
        allow
    }

    /// A refusal by the rules.
    pub(super) fn denied<T>(&mut self) -> Outcome<T> {
        Err(Refusal {
            code: Code::AccessDenied,
            message: String::new(),
            rules: std::mem::take(&mut self.entry.rules),
        })
    }

    /// Whether the caller has a mail in their mailbox (other sources: always true).
    pub(super) fn in_mailbox(&self, source: TableId, row: u32) -> bool {
        source != TableId::Emails
            || self
                .state
                .overlay
                .entry(source, row)
                .is_none_or(|e| e.hidden_from.is_empty() || !e.hidden_from.contains(&self.my_id()))
    }

    /// Whether a row exists from the caller's point of view: records that callers may not read must
    /// not influence the replies to them.
    pub(super) fn knows(&self, source: TableId, row: u32) -> bool {
        !self.enforced()
            || self
                .office
                .access
                .may_read(&self.view(), self.me, source, row)
    }

    /// Whether the caller may read records of any owner, so that identifiers and the number of
    /// records are not secret.
    pub(super) fn knows_all(&self, source: TableId) -> bool {
        let view = self.view();
        let stranger = Resource::absent(&view, source, "");
        !self.enforced()
            || self
                .office
                .access
                .may_read_resource(&view, self.me, stranger)
    }

    /// The refusal for an id that does not exist, and for an id that the caller may not know: both
    /// must get the same reply. Callers who may read or change records of any owner are told that
    /// the record does not exist; all others, that they lack permission.
    pub(super) fn absent<T>(
        &mut self,
        act: Act,
        source: TableId,
        id: &str,
        c: &RequestContext,
    ) -> Outcome<T> {
        if !self.enforced() || self.hides() {
            return not_found(source, id);
        }
        let stranger = Resource::absent(&self.view(), source, id);
        // Rules about the real record would tell that it exists: only those about the record of the
        // unknown person may be reported.
        self.entry.rules.clear();
        let open = self.ask(act, stranger, c)
            || self
                .office
                .access
                .may_read_resource(&self.view(), self.me, stranger);
        if open {
            not_found(source, id)
        } else {
            self.denied()
        }
    }

    /// The existing row of an id on which the call may act, or the right refusal.
    pub(super) fn target(
        &mut self,
        act: Act,
        source: TableId,
        id: &str,
        c: &RequestContext,
    ) -> Outcome<u32> {
        let Some(row) = self.view().find(source, id) else {
            let removed = self.view().removed(source, id);
            return match removed.filter(|row| self.knows(source, *row)) {
                Some(_) => not_found(source, id),
                None => self.absent(act, source, id, c),
            };
        };
        if !self.in_mailbox(source, row) {
            return not_found(source, id);
        }
        let resource = Resource::of(&self.view(), source, row);
        if self.ask(act, resource, c) {
            return Ok(row);
        }
        if act != Act::Read && self.knows(source, row) {
            return self.denied();
        }
        self.absent(act, source, id, c)
    }
}

// ---------------------------------------------------------------- special
//
// Tools that are not about the records of one source.
//
// | tool | what it does | recorded |
// |---|---|---|
// | `document_read` | sections of policy documents, by words, by document, by heading or number | yes |
// | `llm_call` | nothing: no model is connected, because its answers could not be proven when a run is verified | yes |
// | `whoami` | the caller's directory entry and today | no |
// | `explain_access` | the rules that decide about another call | no |
//
// The last two are questions about the session. Agents get them as getters, answered from a copy
// of the state (`prompt.rs`); a script that sends one as an action makes a recorded call.

impl Run<'_> {
    /// Passages of policy documents: whole sections.
    pub(super) fn document(&mut self, call: &Call) -> Outcome<Value> {
        let source = TableId::PolicyDocuments;
        let only = match call.keys.first() {
            Some(id) => Some(self.target(Act::Read, source, id, &RequestContext::default())?),
            None => None,
        };
        let company = Arc::clone(&self.office.company);
        let embedding = self.office.embedding.clone();
        let sections: Vec<(u32, usize)> = places(&company).collect();
        let place = |at: u32| sections.get(at as usize).copied();
        // By words, a query selects the sections that have one of them; by vectors, it ranks all of them.
        let hits = match (&call.query, &embedding) {
            (Some(query), None) => {
                let words = crate::data::search::words(query);
                Some(self.office.search.sections(&company, &words))
            }
            _ => None,
        };
        let found: Vec<u32> = match &hits {
            Some(hits) => hits.iter().map(|hit| hit.row).collect(),
            None => (0..row_no(sections.len())).collect(),
        };
        let mut wanted = Vec::new();
        for at in found {
            let Some((row, n)) = place(at).filter(|(row, _)| only.is_none_or(|o| o == *row)) else {
                continue;
            };
            let named = call.section.as_ref().is_none_or(|section| {
                let heading = company.section(row, n).map(|s| s.heading.to_lowercase());
                *section == (n + 1).to_string() || heading == Some(section.to_lowercase())
            });
            if !named {
                continue;
            }
            // Without rules there is nothing that would have been refused, so nothing is counted.
            let access = &self.office.access;
            let off = access.config().enforcement == Enforcement::Off;
            let allowed = off || access.may_read(&self.view(), self.me, source, row);
            if allowed || !self.enforced() {
                self.entry.would_refuse += u32::from(!allowed);
                wanted.push(at);
            }
        }
        // Rank only now, so that scores depend only on text that the caller may read. Without a query,
        // the whole document is returned.
        let mut ranked: Vec<(i64, u32)> = match (&call.query, &embedding, hits) {
            (Some(query), Some(embedding), _) => {
                let texts = wanted.iter().filter_map(|at| place(*at));
                let texts =
                    texts.map(|(row, n)| section_text(&company, row, n).unwrap_or_default());
                let Ok(ranked) = embedding.rank(query, texts.collect()) else {
                    return refuse(Code::Unavailable, NO_VECTORS);
                };
                ranked
                    .into_iter()
                    .filter_map(|(score, n)| Some((score, *wanted.get(n)?)))
                    .collect()
            }
            (_, _, Some(mut hits)) => {
                hits.retain(|hit| wanted.binary_search(&hit.row).is_ok());
                rank(&hits)
            }
            _ => wanted.into_iter().map(|at| (0, at)).collect(),
        };
        if call.query.is_some() {
            ranked.truncate(call.limit_of_passages());
        }
        let mut passages = Vec::new();
        for (score, at) in ranked {
            let Some((row, n)) = place(at) else { continue };
            let (Some(policy), Some(section)) =
                (company.policies.get(row as usize), company.section(row, n))
            else {
                continue;
            };
            let rules: Vec<String> = section
                .rules
                .iter()
                .enumerate()
                .map(|(r, rule)| format!("{}.{} {rule}", n + 1, r + 1))
                .collect();
            self.state.seen.insert((source, row));
            passages.push(json!({
                "document_id": company.id(source, row),
                "title": &*policy.title,
                "section": format!("{} {}", n + 1, section.heading),
                "page": n + 1,
                "text": rules.join("\n"),
                "score": score,
            }));
        }
        self.entry.records += row_no(passages.len());
        if let (true, None, Some(id)) = (passages.is_empty(), &call.query, call.keys.first()) {
            let message = match &call.section {
                Some(section) => format!("`{}` has no section `{}`", clip(id), clip(section)),
                None => format!("`{}` has no sections", clip(id)),
            };
            return refuse(Code::NotFound, message);
        }
        Ok(json!({"passages": passages}))
    }

    /// The caller's own directory entry, and today.
    pub(super) fn who_am_i(&self) -> Value {
        let view = self.view();
        let row = self.me.0;
        let get = |field| view.get(TableId::Employees, row, field);
        json!({
            "emp_id": get("emp_id"),
            "name": get("Name"),
            "email": get("email"),
            "department": get("category"),
            "level": get("Level"),
            "reports_to": get("reports_to"),
            "today": self.office.company.clock().to_string(),
        })
    }

    /// The rules that decide about a call. A record that the caller cannot see gets the same
    /// explanation as one that does not exist.
    pub(super) fn explain(&mut self, call: &Call) -> Outcome<Value> {
        let access = std::sync::Arc::clone(&self.office.access);
        if !access.config().explain {
            return refuse(
                Code::Unavailable,
                "explanations are switched off in this office",
            );
        }
        let Some((tool, given)) = &call.about else {
            return refuse(Code::InvalidArgument, "`tool` is needed");
        };
        let none;
        let inner = match given {
            Some(inner) => inner,
            None => match tools::parse(tool, &Value::Null) {
                Ok(inner) => {
                    none = inner;
                    &none
                }
                Err(e) => return refuse(Code::InvalidArgument, e.message),
            },
        };
        let Some(action) = action_of(inner) else {
            return Ok(json!({"tool": tool.name, "decision": "always", "rules": []}));
        };
        let decision = match inner.keys.first() {
            Some(id) => self.explain_record(&access, inner, action.act, id),
            None => None,
        };
        let rules: Vec<Value> = access
            .rules_for(action)
            .into_iter()
            .map(|r| json!({"id": r.id, "says": r.reason, "forbids": r.forbids}))
            .collect();
        let named = action.name().unwrap_or_default();
        Ok(json!({"tool": tool.name, "action": named, "decision": decision, "rules": rules}))
    }

    /// The decision about one record; `None` if the caller may know that it does not exist, or if
    /// existence is hidden. A record that the caller may neither act on nor read is explained with the
    /// rules for an absent record: the rules for the record itself would tell who its people are.
    fn explain_record(&self, access: &Access, inner: &Call, act: Act, id: &str) -> Option<Value> {
        let view = self.view();
        let c = RequestContext {
            fields: inner.changes.keys().map(|k| (*k).to_owned()).collect(),
            ..RequestContext::default()
        };
        let ask = |resource: Resource| {
            let request = AccessRequest {
                principal: self.me,
                act,
                resource,
                context: &c,
            };
            access.decide(&view, &request)
        };
        let reads = |resource: Resource| access.may_read_resource(&view, self.me, resource);
        let known = view.find(inner.source, id).and_then(|row| {
            let resource = Resource::of(&view, inner.source, row);
            let decided = ask(resource);
            (decided.allow || reads(resource)).then_some(decided)
        });
        let decided = match known {
            Some(decided) => decided,
            None if access.config().hide_existence => return None,
            None => {
                let stranger = Resource::absent(&view, inner.source, id);
                let decided = ask(stranger);
                if decided.allow || reads(stranger) {
                    return None;
                }
                decided
            }
        };
        let rules: BTreeSet<_> = decided.rules.into_iter().collect();
        Some(json!({"allow": decided.allow, "rules": rules}))
    }
}

impl Call {
    /// Number of passages: one by default.
    fn limit_of_passages(&self) -> usize {
        // 20 is the default of lists and above the maximum of this tool, so it means that no number
        // was given.
        let told = self.tool.op == Op::Document && self.limit != 20;
        if told { self.limit } else { 1 }
    }
}
