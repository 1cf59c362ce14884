//! The engine behind the tools: executes a call of a principal on a state.
//!
//! The principal comes from the session. An argument that names the caller must match the session's
//! user; otherwise the call is refused and counted as an impersonation. Refusals that depend on the
//! data are replies with a code and are recorded in the audit trail; arguments that are invalid for
//! any data are errors and change nothing.
//!
//! ```text
//!  call(state, principal, tool, arguments)
//!    │ tools: find the tool, check the arguments without data ──────────► Err(ActionError)
//!    ▼
//!  claims: does an argument name another person? ─┐
//!  target: find the row, ask the rules ───────────┤
//!  check:  links and other rows ──────────────────┼──► CallReply with a Code, overlay as before
//!  write:  overlay, journal, version              │
//!    ▼                                            │
//!  CallReply with the record(s)                   │
//!    │                                            │
//!    └──────────────► AuditEntry in the state ◄───┘
//! ```
//!
//! | file | what it does |
//! |---|---|
//! | `run.rs` | one call from start to end: asks the rules, chooses the code of a refusal, restores after it; `whoami`, `explain_access`, `llm_call` |
//! | `read.rs` | one record, lists, search, pages |
//! | `write.rs` | new records with defaults, derived fields and identifiers; changes; removals; links, and agreement with other records |
//!
//! Invariants:
//!
//! - A refused call leaves overlay and journal exactly as they were. It adds one entry to the audit
//!   trail, as an answered call does; an error adds none.
//! - No reply depends on a record that the principal may not read, refusals, counts, orders and new
//!   identifiers included. One exception: names of repositories are unique, so a caller who creates
//!   one can find out that a name is taken.
//! - A call is a pure function of company, rules, state, principal and arguments. Nothing reads a
//!   clock or a generator with memory, so replaying the calls of a run gives its replies.
//!
//! # Example
//!
//! A caller who claims to be someone else is refused, and the claim is recorded:
//!
//! ```
//! use enterprise_sandbox::tools::office::{Code, OfficeState};
//! use enterprise_sandbox::data::tables::TableId;
//! use enterprise_sandbox::{Config, Instance, OfficeTask};
//! use serde_json::json;
//! use sim_core::{Episode, Seed};
//! use std::sync::Arc;
//!
//! let instance = Instance::generate(&Config::of(50), Episode::of_run(Seed(7), 0))?;
//! let env = OfficeTask::new(Arc::new(instance))?;
//! let office = env.office();
//! let mut state = OfficeState::default();
//! let view = office.view(&state.overlay);
//! let me = view.employee(&env.instance().task.persona).ok_or("no persona")?;
//! let other = view.id(TableId::Employees, u32::from(me.0 == 0));
//!
//! let claim = json!({"emp_id": other});
//! let reply = office.call(&mut state, me, "github_list_my_repositories", &claim)?;
//! assert_eq!(reply.refused, Some(Code::AccessDenied));
//! assert!(state.audit[0].impersonation);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::access::{Access, AccessAction, Act};
use crate::data::company::Company;
use crate::data::overlay::Overlay;
use crate::data::row::EmployeeNo;
use crate::data::search::SearchIndex;
use crate::data::tables::TableId;
use crate::data::view::CompanyView;
use crate::tools::embedding::{Embedder, Embedding};
use crate::tools::{self, Call, OfficeTool, Op};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::ActionError;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

mod read;
mod run;
mod write;

pub(crate) use read::{named as named_rows, named_people};
pub(crate) use write::formed;

/// Why a call was refused.
///
/// A refusal is an answer of the office and counts as a call; it is not an [`ActionError`]. Agents
/// see its name as `error.code`, with a message unless the rules refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[derive(strum::Display, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// The rules do not allow it, or would not allow it if the record existed.
    /// The message is empty on purpose: it would tell which rule was missing, or who owns the
    /// record.
    AccessDenied,
    /// There is no such record (or, where existence is hidden, none for the caller).
    /// Also for a record that the caller removed before.
    NotFound,
    /// The values do not fit the current state of the office.
    /// For instance a price above the list price, or a manager of another department.
    InvalidArgument,
    /// The identifier is in use.
    /// Apart from repositories and files, only callers who may read every record of the source
    /// learn this; others get a free identifier.
    DuplicateId,
    /// The target of a link does not exist, or other records still refer to a record.
    /// Deleting is refused for products and customers with sales, reviews or chats, unless
    /// [`AccessConfig::cascade`](crate::access::AccessConfig::cascade) is set.
    FkViolation,
    /// Another writer was faster.
    /// The caller stated the version that it had seen; it should read again.
    VersionConflict,
    /// The reply would be too long.
    /// At most 200,000 characters are sent.
    ResultTooLarge,
    /// The tool is not connected.
    /// A distractor, `llm_call`, `explain_access` when it is off, a search whose
    /// embedder fails, or a tool that ends a task.
    Unavailable,
}

/// One call in the audit trail.
///
/// The audit trail is what the [process statistics](crate::tasks::evaluate::Process) of a run are computed
/// from. It is not shown to agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditEntry {
    /// The caller.
    /// The user of the session, also if the call claimed to be from another person.
    pub by: String,
    /// The tool.
    pub tool: String,
    /// Source of the records.
    pub source: TableId,
    /// The code of the refusal; `None` for a call that was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Code>,
    /// Rules that decided.
    /// Of a refusal by the rules, the forbidding ones; empty if no rule permitted it.
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
    /// A 64-bit hash of the tool's name and the arguments with sorted keys.
    pub call: u64,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// The state of an office.
///
/// Everything that an episode changes. It can be stored and restored; its size grows with the
/// calls, not with the company.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfficeState {
    /// The writes.
    pub overlay: Overlay,
    /// All calls, oldest first.
    pub audit: Vec<AuditEntry>,
    /// Records that were shown.
    /// Values of these records are authorised in an answer.
    pub seen: BTreeSet<(TableId, u32)>,
    /// People whose restricted fields were shown.
    /// Row numbers of employees.
    pub seen_restricted: BTreeSet<u32>,
}

/// The reply to a call.
///
/// | call | body |
/// |---|---|
/// | read | `{"items": [..], "next_cursor": ..}`, with `filtered_count` where the settings tell it |
/// | create, update | `{"record": {..}, "version": n}`; updates of products `{"before": {..}, "after": {..}, "version": n}` |
/// | delete | `{"deleted_id": ..}`; of an employee the record, which stays |
/// | policy documents | `{"passages": [..]}` |
/// | refusal | `{"error": {"code": .., "message": ..}}` |
#[derive(Debug, Clone, PartialEq)]
pub struct CallReply {
    /// The code of the refusal, if it was refused.
    pub refused: Option<Code>,
    /// The content for the agent.
    pub body: Value,
}

impl CallReply {
    /// The body as text: JSON with sorted keys, so that it does not depend on the build.
    #[must_use]
    pub fn text(&self) -> String {
        sim_core::bytes::canonical_text(&self.body)
    }
}

/// An office: a company, its access rules and its search indexes, shared by all episodes. Cloning it is
/// cheap. It does not change: the state of an episode is an [`OfficeState`].
///
/// ```
/// use enterprise_sandbox::access::{Access, AccessConfig};
/// use enterprise_sandbox::tools::office::{Office, OfficeState};
/// use enterprise_sandbox::data::overlay::Overlay;
/// use enterprise_sandbox::data::row::EmployeeNo;
/// use enterprise_sandbox::data::search::SearchIndex;
/// use enterprise_sandbox::data::synth::{CompanyConfig, synthesise};
/// use serde_json::json;
/// use std::sync::Arc;
///
/// let company = Arc::new(synthesise(&CompanyConfig::of(50, 7))?);
/// let access = Arc::new(Access::new(AccessConfig::default())?);
/// let office = Office::new(company, access, Arc::new(SearchIndex::new()));
/// let mut state = OfficeState::default();
/// let post = json!({"Title": "Hello", "Post": "A note."});
/// let reply = office.call(&mut state, EmployeeNo(0), "social_platform_create", &post)?;
/// assert_eq!(reply.refused, None);
/// assert_eq!(state.overlay.journal().len(), 1);
/// assert!(office.view(&Overlay::default()).person(EmployeeNo(0)).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Office {
    company: Arc<Company>,
    access: Arc<Access>,
    search: Arc<SearchIndex>,
    embedding: Option<Embedding>,
}

impl fmt::Debug for Office {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Office")
            .field("employees", &self.company.rows(TableId::Employees))
            .field("rules", &self.access.version())
            .finish()
    }
}

impl Office {
    /// An office with a company and these rules.
    #[must_use]
    pub fn new(company: Arc<Company>, access: Arc<Access>, search: Arc<SearchIndex>) -> Self {
        Self {
            company,
            access,
            search,
            embedding: None,
        }
    }

    /// The same office with searches by the vectors that `model` makes.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Arc<dyn Embedder>, model: String) -> Self {
        self.embedding = Some(Embedding { embedder, model });
        self
    }

    /// The company.
    #[must_use]
    pub fn company(&self) -> &Company {
        &self.company
    }

    /// The access rules.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The office in a given state.
    /// Use `&Overlay::default()` for the company as it was made.
    #[must_use]
    pub fn view<'a>(&'a self, overlay: &'a Overlay) -> CompanyView<'a> {
        CompanyView::new(&self.company, overlay, self.access.config().active_means)
    }

    /// Executes one tool call of `principal`. A refused call changes nothing but the audit trail.
    ///
    /// # Errors
    /// When there is no such tool, or the arguments are invalid for any data (`INVALID_ARGUMENT`,
    /// `IMMUTABLE_FIELD`); nothing at all is changed then.
    ///
    /// The arguments are an object, or null for none. Whether the task is over is not checked here,
    /// but by the [environment](crate::OfficeTask).
    pub fn call(
        &self,
        state: &mut OfficeState,
        principal: EmployeeNo,
        tool: &str,
        arguments: &Value,
    ) -> Result<CallReply, ActionError> {
        self.call_tool(state, principal, tools::known(tool)?, arguments)
    }

    /// [`call`](Self::call) with a tool that was looked up before.
    pub(crate) fn call_tool(
        &self,
        state: &mut OfficeState,
        principal: EmployeeNo,
        tool: &'static OfficeTool,
        arguments: &Value,
    ) -> Result<CallReply, ActionError> {
        let call = tools::parse(tool, arguments)?;
        Ok(self.run(state, principal, &call, arguments))
    }

    /// Checks arguments without executing the call.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub fn check_call(tool: &str, arguments: &Value) -> Result<&'static OfficeTool, ActionError> {
        let tool = tools::known(tool)?;
        tools::parse(tool, arguments).map(|_| tool)
    }
}

/// The action of a tool in the rules, if it has one.
pub(crate) fn action_of(call: &Call) -> Option<AccessAction> {
    let act = match call.tool.op {
        Op::Read | Op::Document => Act::Read,
        Op::Create => Act::Create,
        Op::Update => Act::Update,
        Op::Delete => Act::Delete,
        _ => return None,
    };
    Some(AccessAction::new(act, call.source))
}
