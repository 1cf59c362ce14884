//! The engine behind the tools: executes a call of a principal on a state.
//!
//! The principal comes from the session. An argument that names the caller must match the session's
//! user; otherwise the call is refused and counted as an impersonation. Refusals that depend on the
//! data are replies with a code and are recorded in the audit trail; arguments that are invalid for
//! any data are errors and change nothing.

use crate::access::{
    Access, AccessAction, AccessDecision, AccessRequest, Enforcement, RequestContext, Resource,
};
use crate::company::Company;
use crate::overlay::{Change, FieldChange, Op as Done, Overlay};
use crate::row::EmployeeNo;
use crate::search::SearchIndex;
use crate::source::TableId;
use crate::tool::{self, Call, Claim, Op, Tool};
use crate::view::View;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sim_core::ActionError;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

mod check;
mod create;
mod delete;
mod identify;
mod read;
mod special;
mod update;

/// Why a call was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// The rules do not allow it, or would not allow it if the record existed.
    AccessDenied,
    /// There is no such record (or, where existence is hidden, none for the caller).
    NotFound,
    /// The values do not fit the current state of the office.
    InvalidArgument,
    /// The identifier is in use.
    DuplicateId,
    /// The target of a link does not exist, or other records still refer to a record.
    FkViolation,
    /// Another writer was faster.
    VersionConflict,
    /// The reply would be too long.
    ResultTooLarge,
    /// The tool is not connected.
    Unavailable,
}

impl Code {
    /// The code that agents see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AccessDenied => "ACCESS_DENIED",
            Self::NotFound => "NOT_FOUND",
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::DuplicateId => "DUPLICATE_ID",
            Self::FkViolation => "FK_VIOLATION",
            Self::VersionConflict => "VERSION_CONFLICT",
            Self::ResultTooLarge => "RESULT_TOO_LARGE",
            Self::Unavailable => "UNAVAILABLE",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One call in the audit trail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditEntry {
    /// The caller.
    pub by: String,
    /// The tool.
    pub tool: String,
    /// Source of the records.
    pub source: TableId,
    /// The code of the refusal; `None` for a call that was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Code>,
    /// Rules that decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// Number of records shown or written.
    pub records: u32,
    /// Decisions that would have been refusals under enforcement (advisory mode).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub would_refuse: u32,
    /// Whether the call was made in another person's name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub impersonation: bool,
    /// Fingerprint of the arguments, to recognise repeated calls.
    pub call: u64,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// The state of an office.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfficeState {
    /// The writes.
    pub overlay: Overlay,
    /// All calls, oldest first.
    pub audit: Vec<AuditEntry>,
    /// Records that were shown.
    pub seen: BTreeSet<(TableId, u32)>,
    /// People whose restricted fields were shown.
    pub seen_restricted: BTreeSet<u32>,
}

/// The reply to a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The code of the refusal, if it was refused.
    pub refused: Option<Code>,
    /// The content for the agent.
    pub body: Value,
}

impl Reply {
    /// The body as text: JSON with sorted keys, so that it does not depend on the build.
    #[must_use]
    pub fn text(&self) -> String {
        sim_core::bytes::canonical_text(&self.body)
    }
}

/// A language model for `llm_call`.
pub trait TextModel: Send + Sync {
    /// Completes a prompt; `None` if the model cannot be reached.
    fn complete(&self, prompt: &str) -> Option<String>;
}

/// An office: a company, its access rules and its search indexes, shared by all episodes.
#[derive(Clone)]
pub struct Office {
    company: Arc<Company>,
    access: Arc<Access>,
    search: Arc<SearchIndex>,
    model: Option<Arc<dyn TextModel>>,
}

impl fmt::Debug for Office {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Office")
            .field("employees", &self.company.rows(TableId::Employees))
            .field("rules", &self.access.version())
            .field("model", &self.model.is_some())
            .finish()
    }
}

/// Longest reply (characters).
const LONGEST_REPLY: usize = 200_000;

/// The result of a step of a call.
type Outcome<T> = Result<T, Refusal>;

/// A refusal that ends a call.
struct Refusal {
    code: Code,
    message: String,
    rules: Vec<String>,
}

fn refuse<T>(code: Code, message: impl Into<String>) -> Outcome<T> {
    Err(Refusal {
        code,
        message: message.into(),
        rules: Vec::new(),
    })
}

fn not_found<T>(source: TableId, id: &str) -> Outcome<T> {
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
struct Run<'a> {
    office: &'a Office,
    state: &'a mut OfficeState,
    me: EmployeeNo,
    rules: Vec<String>,
    records: u32,
    would_refuse: u32,
    impersonation: bool,
}

impl Office {
    /// An office with a company and these rules.
    #[must_use]
    pub fn new(company: Arc<Company>, access: Arc<Access>, search: Arc<SearchIndex>) -> Self {
        Self {
            company,
            access,
            search,
            model: None,
        }
    }

    /// The same office with a language model behind `llm_call`.
    #[must_use]
    pub fn with_model(mut self, model: Arc<dyn TextModel>) -> Self {
        self.model = Some(model);
        self
    }

    /// The company.
    #[must_use]
    pub fn company(&self) -> &Company {
        &self.company
    }

    /// The company, shared.
    #[must_use]
    pub fn shared_company(&self) -> Arc<Company> {
        Arc::clone(&self.company)
    }

    /// The access rules.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The search indexes.
    #[must_use]
    pub fn search(&self) -> &SearchIndex {
        &self.search
    }

    /// The office in a given state.
    #[must_use]
    pub fn view<'a>(&'a self, overlay: &'a Overlay) -> View<'a> {
        View::new(&self.company, overlay, self.access.config().active_means)
    }

    /// Executes one tool call of `principal`. A refused call changes nothing but the audit trail.
    ///
    /// # Errors
    /// When there is no such tool, or the arguments are invalid for any data (`INVALID_ARGUMENT`,
    /// `IMMUTABLE_FIELD`); nothing at all is changed then.
    pub fn call(
        &self,
        state: &mut OfficeState,
        principal: EmployeeNo,
        tool: &str,
        arguments: &Value,
    ) -> Result<Reply, ActionError> {
        let Some(found) = tool::find(tool) else {
            return Err(ActionError::new(
                "unknown_tool",
                format!("there is no tool `{}`", sim_core::error::clip(tool)),
            ));
        };
        let call = tool::parse(found, arguments)?;
        Ok(self.run(state, principal, &call, arguments))
    }

    /// Checks arguments without executing the call.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub fn check_call(tool: &str, arguments: &Value) -> Result<&'static Tool, ActionError> {
        let Some(found) = tool::find(tool) else {
            return Err(ActionError::new(
                "unknown_tool",
                format!("there is no tool `{}`", sim_core::error::clip(tool)),
            ));
        };
        tool::parse(found, arguments).map(|_| found)
    }

    fn run(
        &self,
        state: &mut OfficeState,
        principal: EmployeeNo,
        call: &Call,
        arguments: &Value,
    ) -> Reply {
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
            call: crate::value::fingerprint(&format!(
                "{} {}",
                call.tool.name,
                sim_core::bytes::canonical_text(arguments)
            )),
        };
        let reply = match outcome {
            Ok(body) => Reply {
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
                entry.rules = refusal.rules;
                self.refusal(call, &entry, refusal.code, &refusal.message)
            }
        };
        state.audit.push(entry);
        reply
    }

    fn refusal(&self, call: &Call, entry: &AuditEntry, code: Code, message: &str) -> Reply {
        let mut body = Map::new();
        body.insert("code".to_owned(), code.name().into());
        if code == Code::AccessDenied {
            body.insert("tool".to_owned(), call.tool.name.into());
            if let (true, Some(rule)) = (self.access.config().explain, entry.rules.first()) {
                body.insert("rule_id".to_owned(), rule.as_str().into());
            }
        } else {
            body.insert("message".to_owned(), message.into());
        }
        Reply {
            refused: Some(code),
            body: json!({"error": body}),
        }
    }
}

impl Overlay {
    /// A copy for restoring, if the operation may write.
    fn clone_if_written(&self, op: Op) -> Option<Self> {
        matches!(op, Op::Create | Op::Update | Op::Delete).then(|| self.clone())
    }
}

impl Run<'_> {
    fn view(&self) -> View<'_> {
        self.office.view(&self.state.overlay)
    }

    fn my_id(&self) -> String {
        self.view().id(TableId::Employees, self.me.0)
    }

    fn enforced(&self) -> bool {
        self.office.access.config().enforcement == Enforcement::On
    }

    fn hides(&self) -> bool {
        self.enforced() && self.office.access.config().hide_existence
    }

    fn dispatch(&mut self, call: &Call) -> Outcome<Value> {
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

    /// Checks that arguments that name the caller match the session's user.
    fn claims(&mut self, call: &Call) -> Outcome<()> {
        for claim in &call.claims {
            let view = self.view();
            let emails = |id: &str| {
                view.employee(id)
                    .map(|p| view.text(TableId::Employees, p.0, "email").to_lowercase())
            };
            let my_id = view.id(TableId::Employees, self.me.0);
            let my_email = emails(&my_id).unwrap_or_default();
            let honest = match claim {
                Claim::Id(id) => *id == my_id,
                Claim::Email(email) => email.to_lowercase() == my_email,
                Claim::Pair(a, b) => *a == my_id || *b == my_id,
                Claim::PairEmail(a, b) => {
                    a.to_lowercase() == my_email || b.to_lowercase() == my_email
                }
            };
            if honest {
                continue;
            }
            let other = match claim {
                Claim::Id(id) | Claim::Pair(id, _) => view.employee(id),
                Claim::Email(email) | Claim::PairEmail(email, _) => {
                    view.people_at(email).first().copied()
                }
            };
            self.impersonation = true;
            if self.enforced() {
                return refuse(Code::AccessDenied, "the caller must be named truly");
            }
            // Without enforcement the claimed identity is accepted, as in the published code.
            self.would_refuse += 1;
            self.me = other.unwrap_or(self.me);
        }
        Ok(())
    }

    /// Evaluates the rules and applies the mode of enforcement: whether to continue.
    fn ask(&mut self, act: crate::access::Act, resource: Resource, c: &RequestContext) -> bool {
        let access = Arc::clone(&self.office.access);
        if access.config().enforcement == Enforcement::Off {
            return true;
        }
        let request = AccessRequest {
            principal: self.me,
            act,
            resource,
            circumstances: c,
        };
        let AccessDecision { allow, rules } = access.decide(&self.view(), &request);
        for rule in rules {
            let rule = rule.into_owned();
            if !self.rules.contains(&rule) {
                self.rules.push(rule);
            }
        }
        if !allow && !self.enforced() {
            self.would_refuse += 1;
            return true;
        }
        allow
    }

    /// A refusal by the rules.
    fn denied<T>(&mut self) -> Outcome<T> {
        Err(Refusal {
            code: Code::AccessDenied,
            message: String::new(),
            rules: std::mem::take(&mut self.rules),
        })
    }

    /// Whether the caller has a mail in their mailbox (other sources: always true).
    fn in_mailbox(&self, source: TableId, row: u32) -> bool {
        source != TableId::Emails
            || self
                .state
                .overlay
                .entry(source, row)
                .is_none_or(|e| e.hidden_from.is_empty() || !e.hidden_from.contains(&self.my_id()))
    }

    /// Whether a row exists from the caller's point of view: records that callers may not read must
    /// not influence the replies to them.
    fn knows(&self, source: TableId, row: u32) -> bool {
        !self.enforced()
            || self
                .office
                .access
                .may_read(&self.view(), self.me, source, row)
    }

    /// Whether the caller may read records of any owner, so that identifiers and the number of
    /// records are not secret.
    fn knows_all(&self, source: TableId) -> bool {
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
    fn absent<T>(
        &mut self,
        act: crate::access::Act,
        source: TableId,
        id: &str,
        c: &RequestContext,
    ) -> Outcome<T> {
        if !self.enforced() || self.hides() {
            return not_found(source, id);
        }
        let stranger = Resource::absent(&self.view(), source, id);
        self.rules.clear();
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
    fn target(
        &mut self,
        act: crate::access::Act,
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
        if act != crate::access::Act::Read && self.knows(source, row) {
            return self.denied();
        }
        self.absent(act, source, id, c)
    }

    /// Writes fields of a row and the journal entry; unchanged fields are left out.
    fn write(&mut self, done: Done, source: TableId, row: u32, values: BTreeMap<String, Value>) {
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
    fn remove(&mut self, source: TableId, row: u32) {
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
    fn written(&self, source: TableId, row: u32) -> Value {
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
    fn referring(
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

impl View<'_> {
    /// People with an address, in row order.
    pub(crate) fn people_at(&self, email: &str) -> Vec<EmployeeNo> {
        let lower = email.to_lowercase();
        let base = self.company.index.employee_emails.of(&lower);
        let written = self
            .overlay
            .of(TableId::Employees)
            .into_iter()
            .flat_map(|r| r.keys().copied());
        let mut rows: Vec<u32> = base.chain(written).collect();
        rows.sort_unstable();
        rows.dedup();
        rows.retain(|row| {
            self.exists(TableId::Employees, *row)
                && self.text(TableId::Employees, *row, "email").to_lowercase() == lower
        });
        rows.into_iter().map(EmployeeNo).collect()
    }
}

/// People with a name, in any case, in row order.
pub(crate) fn named_people(view: &View<'_>, name: &str) -> Vec<EmployeeNo> {
    read::named(view, TableId::Employees, "Name", name)
        .into_iter()
        .map(EmployeeNo)
        .collect()
}

/// Rows of a source whose name field has this value, in any case.
pub(crate) fn named_rows(view: &View<'_>, source: TableId, field: &str, name: &str) -> Vec<u32> {
    read::named(view, source, field, name)
}

/// The action of a tool in the rules, if it has one.
pub(crate) fn action_of(call: &Call) -> Option<AccessAction> {
    let act = match call.tool.op {
        Op::Read | Op::Document => crate::access::Act::Read,
        Op::Create => crate::access::Act::Create,
        Op::Update => crate::access::Act::Update,
        Op::Delete => crate::access::Act::Delete,
        _ => return None,
    };
    Some(AccessAction::new(act, call.source))
}
