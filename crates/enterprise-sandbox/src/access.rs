//! Access control: which person may do what to which row.
//!
//! The rules are Cedar policies in `policies/office.cedar`, checked against
//! `policies/office.cedarschema`; both are text files that can be read, edited and compared. The
//! decisions are made by native predicates, which are compiled from the text of the policies at first
//! use. The feature `cedar` adds Cedar itself, for policies of your own and for single decisions by
//! the built-in policies; tests show that both agree. It decides on a small slice of entities: the principal with its chain of
//! managers, the row, and the people of the row with theirs.
//!
//! The principal always comes from the session. A request that no rule allows is refused.
//!
//! Who calls what:
//!
//! ```text
//!  tool call ─► Resource of the row ─┐
//!  session ───► principal ───────────┼─► AccessRequest ─► Access::decide ───► AccessDecision: allow, rules
//!  arguments ─► RequestContext ──────┘        (native predicates, or Cedar if the settings say so)
//!
//!  list, search, task generation ────────────► Access::may_read, once per row (native predicates)
//! ```
//!
//! # How rules combine
//!
//! As in Cedar: a request is allowed if at least one `permit` rule holds and no `forbid` rule does.
//! One rule, `inactive`, applies to every action and forbids all requests of a person who is not
//! active; see [`ActiveMeans`] for what that means. [`AccessDecision::rules`] names the rules that
//! decided; it is empty if nothing permitted the request, and [`Access::rules_for`] then tells
//! which rules could have.
//!
//! # The built-in rules
//!
//! "Chain" is every manager above the named person, at any distance; a number is the lowest level.
//! Trade means Sales, BPO, Business Development and Management.
//!
//! | records | read | create | update | delete |
//! |---|---|---|---|---|
//! | repositories, files, issues | owner, chain, Engineering 10 | repository: Engineering and IT, for themselves; file: as update; issue: as read | owner, chain at 10, Engineering 14 | owner, Engineering 14 |
//! | emails | sender, recipient | sender; a reply only inside a thread of one's own | sender | sender, recipient |
//! | conversations | both people | sender | sender | sender |
//! | employees, directory fields | everybody | HR, but not a report of one's own | HR; pay, level, rating and leaving date HR 10 | HR 10, not oneself |
//! | employees, restricted fields | the person, chain, HR | | as above, never one's own pay, level, rating, leaving date, department or manager | |
//! | resumes | the person, HR | HR | HR | HR 12 |
//! | products, reviews | trade, anyone at 12 | product: Sales 10; review: Sales, BPO | Sales 10 | Sales 12 |
//! | sales, customers | trade, Finance, anyone at 12 | Sales | Sales 10 | Sales 12 |
//! | order documents | as sales | | | |
//! | support chats | handler, chain, Sales 10 | Sales and BPO, as handler | handler | handler, chain |
//! | tickets | raiser, handler, chain of the handler, IT 10 | anyone, as raiser | handler, IT 10; the raiser only `Issue` and `priority` | handler, IT 12 |
//! | posts | everybody | author | author | author, HR 12 |
//! | overflow | everybody | author | author | author |
//! | clients | representative, Business Development, Management | Business Development 10 | representative, Business Development 12 | Business Development 12 |
//! | vendors | representative, Management, Finance | Management 10 | representative, Management 12 | Management 12 |
//! | policy documents | as their label says | | | |
//!
//! Tables that the published data do not have declare their rules with their fields; policies follow from
//! the declaration.
//!
//! The paper decides the rows on code, mail, conversations, tickets, posts and the overflow, at
//! least in part. Of the others it says at most that an access level is required; those rows are
//! this crate's. Where its text and its pseudo-code disagree (may every engineer at level 10 write to
//! every repository?), the text is followed, and [`AccessConfig::compat_pseudocode`] gives the
//! other reading.
//!
//! # Example
//!
//! Everybody may read the pay in their own record, and nobody may change it:
//!
//! ```
//! use enterprise_sandbox::access::{Access, AccessConfig, AccessRequest, Act, RequestContext, Resource};
//! use enterprise_sandbox::data::overlay::Overlay;
//! use enterprise_sandbox::data::row::EmployeeNo;
//! use enterprise_sandbox::data::tables::TableId;
//! use enterprise_sandbox::data::synth::{CompanyConfig, synthesise};
//! use enterprise_sandbox::data::view::{ActiveMeans, CompanyView};
//!
//! let company = synthesise(&CompanyConfig::of(50, 7))?;
//! let overlay = Overlay::default();
//! let view = CompanyView::new(&company, &overlay, ActiveMeans::default());
//! let access = Access::new(AccessConfig::default())?;
//!
//! let active = |p: &EmployeeNo| view.person(*p).is_some_and(|person| person.active);
//! let me = (0..50).map(EmployeeNo).find(active).ok_or("nobody is active")?;
//! let resource = Resource::of(&view, TableId::Employees, me.0);
//!
//! let none = RequestContext::default();
//! let read = AccessRequest { principal: me, act: Act::ReadSensitive, resource, context: &none };
//! let decision = access.decide(&view, &read);
//! assert!(decision.allow);
//! assert_eq!(decision.rules, ["hr-sensitive"]);
//!
//! let pay = RequestContext { fields: vec!["Salary".to_owned()], ..RequestContext::default() };
//! let write = AccessRequest { principal: me, act: Act::Update, resource, context: &pay };
//! let decision = access.decide(&view, &write);
//! assert!(!decision.allow);
//! assert_eq!(decision.rules, ["hr-no-self"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::data::row::{EmployeeNo, ReaderLabel};
use crate::data::tables::{TableId, VerbRule, Who};
use crate::data::view::{ActiveMeans, CompanyView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_core::ConfigError;
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

#[cfg(feature = "cedar")]
mod cedar;
mod native;

#[cfg(feature = "cedar")]
pub use cedar::CedarEngine;
pub use native::NativeEngine;

/// The built-in policies as Cedar text (`policies/office.cedar`).
///
/// Every policy has an `@id`, by which decisions and audit trails name it, and then an `@reason`, which
/// `explain_access` and refusals show. The native engine compiles this text.
///
/// Those of tables that the published data do not have come last; they follow from the declarations of
/// these tables.
pub static POLICIES: LazyLock<String> = LazyLock::new(|| {
    let own = TableId::verbs().map(|(source, rule)| policy(source, rule));
    std::iter::once(PUBLISHED_POLICIES.to_owned())
        .chain(own)
        .collect()
});
/// The policies of the tables of the published data.
const PUBLISHED_POLICIES: &str = include_str!("../policies/office.cedar");
/// The Cedar schema of the policies (`policies/office.cedarschema`): the types of entities, their
/// attributes, the actions, and what the context of an action has. A policy that uses a name that
/// is not in it is refused when it is loaded.
///
/// The chain of managers is a chain of `Seat` entities, beside the `Employee` entities. If the
/// manager were a parent of the employee, membership would be inherited along the chain: a rule for
/// `Department::"HR"` would hold for everybody who has a manager in HR.
///
/// Entity and actions of a table with policies of its own follow from the table.
pub static SCHEMA: LazyLock<String> = LazyLock::new(|| {
    let base = include_str!("../policies/office.cedarschema");
    let own = |s: &TableId| !s.table().verbs.is_empty();
    let more: String = TableId::ALL.into_iter().filter(own).map(types).collect();
    // The namespace of the file ends with the last brace.
    let (body, end) = base.rsplit_once('}').unwrap_or((base, ""));
    format!("{body}{more}}}{end}")
});

/// The policy behind `level14_reads_all`.
pub const LEVEL14_READS_ALL: &str = include_str!("../policies/optional/level14-reads-all.cedar");
/// The policy behind `compat_pseudocode`.
pub const COMPAT_PSEUDOCODE: &str = include_str!("../policies/optional/compat-pseudocode.cedar");

/// A kind of access.
///
/// The five kinds are the verbs of the policies; [`AccessAction`] adds the noun. A full-text search
/// is a [`Read`](Self::Read) of every record that it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum Act {
    /// See a record (of an employee: the directory fields).
    Read,
    /// See the restricted fields of an employee.
    /// A record that may be read but whose restricted fields may not is shown without them, unless
    /// [`AccessConfig::all_or_nothing`] is set.
    ReadSensitive,
    /// Create a record.
    /// The rules see the planned record with its owner already filled in ([`Resource::planned`]).
    Create,
    /// Change fields.
    /// The names of the fields are in [`RequestContext::fields`]; two rules depend on them.
    Update,
    /// Remove a record.
    /// An employee is never erased: the record gets a leaving date.
    Delete,
}

impl Act {
    /// All acts.
    pub const ALL: [Self; 5] = [
        Self::Read,
        Self::ReadSensitive,
        Self::Create,
        Self::Update,
        Self::Delete,
    ];
}

/// A kind of access to a source. Not every pair exists: [`name`](Self::name) returns `None` then.
///
/// ```
/// use enterprise_sandbox::access::{AccessAction, Act};
/// use enterprise_sandbox::data::tables::TableId;
///
/// let read = AccessAction::new(Act::Read, TableId::Tickets);
/// assert_eq!(read.name().as_deref(), Some("readTicket"));
/// assert!(AccessAction::new(Act::Create, TableId::PolicyDocuments).name().is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccessAction {
    /// The kind of access.
    pub act: Act,
    /// The source of the records.
    pub source: TableId,
}

impl AccessAction {
    /// An action.
    #[must_use]
    pub fn new(act: Act, source: TableId) -> Self {
        Self { act, source }
    }

    /// All actions that exist.
    pub fn all() -> impl Iterator<Item = Self> {
        TableId::ALL
            .into_iter()
            .flat_map(|source| Act::ALL.into_iter().map(move |act| Self { act, source }))
            .filter(|a| a.name().is_some())
    }

    /// Its name in the policies (`readRepository`).
    #[must_use]
    pub fn name(self) -> Option<Cow<'static, str>> {
        let table = self.source.table();
        Some(match (self.source, self.act) {
            (TableId::Employees, Act::Read) => "readHrDirectory".into(),
            (TableId::Employees, Act::ReadSensitive) => "readHrSensitive".into(),
            (_, Act::ReadSensitive) => return None,
            (_, act) if table.read_only && act != Act::Read => return None,
            // Files and issues share the actions of their repository. Creating them is an action of
            // its own, because everybody who may read a repository may open an issue, but not add a file.
            (TableId::Files | TableId::Issues, Act::Create) => {
                format!("create{}", table.entity).into()
            }
            (_, act) => format!("{act}{}", table.action).into(),
        })
    }

    /// Its group in the policies.
    pub(crate) fn group(self) -> &'static str {
        match self.act {
            // Apart from the others, so that a policy for all reads, as that of `level14_reads_all`, gives away neither
            // mails nor conversations.
            Act::Read if self.source.is_private() => "privateRead",
            Act::Read | Act::ReadSensitive => "anyRead",
            _ => "anyWrite",
        }
    }
}

/// The attributes of a row that rules can use: its source and its people.
///
/// What the two people are depends on the source:
///
/// | source | first | second |
/// |---|---|---|
/// | employees, resumes | the person | |
/// | emails, conversations | sender | recipient |
/// | posts, overflow | author | |
/// | repositories, files, issues | owner of the repository | |
/// | tickets | handler | raiser |
/// | support chats | handler | |
/// | clients, vendors | representative | |
/// | others | | |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resource {
    /// Source.
    pub source: TableId,
    /// Row; `None` for a row that is about to be created.
    /// Native predicates do not use it; Cedar needs it for the name of the entity.
    pub row: Option<u32>,
    /// First person: owner, sender, subject, handler, author or representative.
    pub first: Option<EmployeeNo>,
    /// Second person: recipient of a mail or conversation, raiser of a ticket.
    pub second: Option<EmployeeNo>,
    /// Who may read a policy document.
    pub label: ReaderLabel,
}

impl Resource {
    /// A row that is about to be created, with its first person.
    #[must_use]
    pub fn planned(source: TableId, first: Option<EmployeeNo>) -> Self {
        Self {
            source,
            row: None,
            first,
            second: None,
            label: ReaderLabel::All,
        }
    }

    /// The record that represents an identifier that does not exist: it belongs to a person unknown
    /// to the company. A file belongs to the owner of the repository that its identifier names.
    ///
    /// Rules that allow access to every record of a source allow this one too, and no other rule does.
    /// So a decision about it says whether the caller may know that an identifier is not in use.
    #[must_use]
    pub fn absent(view: &CompanyView<'_>, source: TableId, id: &str) -> Self {
        let repository = match source {
            TableId::Files => id
                .split_once(':')
                .and_then(|(name, _)| view.find(TableId::Repositories, name)),
            _ => None,
        };
        let owner = repository.and_then(|row| people(view, TableId::Repositories, row).0);
        Self {
            second: Some(EmployeeNo::NOBODY),
            // No level reaches this one, so that a document that does not exist is open to nobody.
            label: match source {
                TableId::PolicyDocuments => ReaderLabel::Level(u8::MAX),
                _ => ReaderLabel::All,
            },
            ..Self::planned(source, Some(owner.unwrap_or(EmployeeNo::NOBODY)))
        }
    }

    /// The row of a source in its current state.
    ///
    /// The people are those of the overlay: after a ticket was given to another handler, the rules
    /// apply to the new one.
    #[must_use]
    pub fn of(view: &CompanyView<'_>, source: TableId, row: u32) -> Self {
        let (first, second) = people(view, source, row);
        let policy = match source {
            TableId::PolicyDocuments => view.company.policies.get(row as usize),
            _ => None,
        };
        Self {
            row: Some(row),
            second,
            label: policy.map_or(ReaderLabel::All, |policy| policy.label),
            ..Self::planned(source, first)
        }
    }
}

/// First and second person of a record.
type People = (Option<EmployeeNo>, Option<EmployeeNo>);

/// The people of a row in its current state. Lists ask this for every row, so a row without writes
/// is read from the company's columns, without texts and identifiers.
fn people(view: &CompanyView<'_>, source: TableId, row: u32) -> People {
    if source == TableId::Employees {
        return (Some(EmployeeNo(row)), None);
    }
    // The columns hold row numbers of people, so this path compares numbers. The path below
    // goes through the identifiers, because an overlay stores values as tools write them.
    if view.overlay.entry(source, row).is_none() {
        return base_people(view, source, row);
    }
    let person = |n: usize| {
        let (_, field) = source.table().people.get(n)?;
        let id = view.text(source, row, field);
        match source.target(field) {
            // Files and issues belong to the owner of their repository.
            Some(target) if target != TableId::Employees => {
                people(view, target, view.find(target, &id)?).0
            }
            _ => view.employee(&id),
        }
    };
    (person(0), person(1))
}

/// The people of a row that nobody has written to.
fn base_people(view: &CompanyView<'_>, source: TableId, row: u32) -> People {
    let Some(rows) = view.company.declared(source) else {
        return (None, None);
    };
    let first = rows.person(row, 0);
    // Files and issues belong to the owner of their repository.
    match (rows.through(), first) {
        (Some(target), Some(linked)) => people(view, target, linked.0),
        _ => (first, rows.person(row, 1)),
    }
}

/// Further attributes of a request that rules can use.
///
/// All fields default to empty or false, which is right for reads and deletions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestContext {
    /// Names of the fields that an update changes.
    /// Names as in [`TableId::fields`]; empty for everything but updates.
    pub fields: Vec<String>,
    /// Whether a mail belongs to an existing thread.
    /// Together with [`in_thread`](Self::in_thread) it keeps people from writing into threads of
    /// others, which would show them the thread.
    pub reply: bool,
    /// Whether the principal takes part in that thread.
    pub in_thread: bool,
    /// Whether the new or changed person reports to the principal.
    /// HR staff may create and change people, but not make them their own reports, because a
    /// manager may read the restricted fields of everybody below.
    pub to_self: bool,
}

/// A request to an engine.
///
/// The principal is the user of the session. A caller cannot choose it by an argument: the office
/// compares every argument that names the caller with the session first (see [`crate::tools::office`]).
#[derive(Debug, Clone)]
pub struct AccessRequest<'a> {
    /// The person who makes the request.
    pub principal: EmployeeNo,
    /// The kind of access.
    pub act: Act,
    /// The row.
    pub resource: Resource,
    /// Further attributes of the request.
    pub context: &'a RequestContext,
}

/// The decision of an engine.
///
/// The names of the rules go into the audit trail of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccessDecision {
    /// Whether it is allowed.
    pub allow: bool,
    /// The rules that decided, in alphabetical order: those that allowed, or those that forbade.
    /// Empty if no rule allowed it.
    pub rules: Vec<Cow<'static, str>>,
}

/// A rule in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleText {
    /// Its name (`@id`).
    pub id: String,
    /// Its explanation (`@reason`).
    pub reason: String,
    /// Whether it forbids.
    pub forbids: bool,
}

/// An engine that makes access decisions.
///
/// Two implementations exist, [`NativeEngine`] and, with the feature `cedar`, `CedarEngine`;
/// property tests compare them on random requests of every action. Both are pure: the same view and
/// request give the same decision.
pub trait AccessEngine: Send + Sync + std::fmt::Debug {
    /// Decides one request. A principal who does not work in the company, and an action that does not
    /// exist, are refused without a rule.
    fn decide(&self, view: &CompanyView<'_>, request: &AccessRequest<'_>) -> AccessDecision;

    /// Whether [`decide`](Self::decide) allows the request. Lists ask this for every record and need no rules, so an
    /// engine may have a faster way.
    fn allows(&self, view: &CompanyView<'_>, request: &AccessRequest<'_>) -> bool {
        self.decide(view, request).allow
    }

    /// All rules, by name.
    fn rules(&self) -> Vec<RuleText>;

    /// The rules whose scope includes an action, by name.
    /// Empty for an action that does not exist.
    fn rules_for(&self, action: AccessAction) -> Vec<RuleText>;
}

/// Whether refusals count.
///
/// The three modes are an ablation of the paper: with enforcement off, a run measures how many
/// tasks that cannot be done are "solved" because nothing stopped the agent. Scores and audit
/// trails tell which decisions the rules would have made in the modes `on` and `advisory`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Enforcement {
    /// What is refused does not happen (default).
    #[default]
    On,
    /// What would be refused happens, and is logged as such.
    Advisory,
    /// Nothing is asked.
    Off,
}

/// Which engine makes single decisions. Lists always use the native predicates of the built-in
/// rules; with policies of your own, Cedar makes all decisions, which needs the feature `cedar`.
///
/// A decision by Cedar costs tens of microseconds, because it builds a set of entities first; a
/// native one costs tens of nanoseconds. Beside a call of a language model neither can be noticed;
/// in a search over thousands of rows the first one can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    /// Cedar policies. Without the feature `cedar` the native predicates take the place of the
    /// built-in policies, to which they are equal, so that stored runs can be read by every program.
    Cedar,
    /// Native predicates (default); a thousand times faster, and equal in every test.
    #[default]
    Native,
}

/// Who learns how many rows of a list were withheld. Of mails and conversations nobody ever does.
/// A count reveals whether a search matched records that the caller may not read. With any value but
/// `never`, callers who see the count can find out forbidden text word by word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FilteredCount {
    /// Nobody (default).
    #[default]
    Never,
    /// Level 12 and above.
    Senior,
    /// Everybody.
    Always,
}

/// What deleting a mail does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MailDelete {
    /// It leaves the mailbox of who deletes it; it is gone when both have (default).
    #[default]
    Mailbox,
    /// It is gone for both, as in the published code.
    Global,
}

/// Settings of access control: the open points of the source, each with its default.
///
/// Stored as JSON inside the configuration of an episode; missing fields take their defaults and
/// unknown fields are an error. The settings cannot change during an episode, and their
/// [version](Access::version) is recorded with each run.
///
/// ```
/// use enterprise_sandbox::access::{AccessConfig, Enforcement, FilteredCount};
///
/// let config: AccessConfig =
///     serde_json::from_str(r#"{"enforcement": "advisory", "report_filtered_count": "senior"}"#)?;
/// assert_eq!(config.enforcement, Enforcement::Advisory);
/// assert_eq!(config.report_filtered_count, FilteredCount::Senior);
/// assert!(!config.cascade);
/// assert!(serde_json::from_str::<AccessConfig>(r#"{"cascades": true}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AccessConfig {
    /// Whether refusals count (default on).
    pub enforcement: Enforcement,
    /// Which engine makes single decisions (default `native`).
    pub engine: EngineKind,
    /// Policies of your own in place of the built-in ones (Cedar text of at most 256 KiB, brackets
    /// nested at most 32 deep, at most 200 operators in one policy; default none). They need the
    /// feature `cedar`.
    pub policies: Option<String>,
    /// What makes a person active (default the flag and no leaving date up to today).
    pub active_means: ActiveMeans,
    /// Directors read everything but mails and conversations (default false).
    pub level14_reads_all: bool,
    /// Every engineer from level 10 writes to every repository (default false).
    pub compat_pseudocode: bool,
    /// The error code for a record that the caller may not read is `NOT_FOUND` instead of
    /// `ACCESS_DENIED` (default false). Either way, an unknown identifier gets the same reply as a
    /// forbidden one.
    pub hide_existence: bool,
    /// A record with a withheld field is withheld altogether (default false).
    pub all_or_nothing: bool,
    /// Who sees how many rows of a list were withheld (default nobody).
    pub report_filtered_count: FilteredCount,
    /// Deleting a row deletes what refers to it; else that is refused (default false).
    pub cascade: bool,
    /// What deleting a mail does (default own mailbox only).
    pub mail_delete: MailDelete,
    /// Whether `explain_access` answers; off in scored runs (default false).
    pub explain: bool,
}

impl AccessConfig {
    /// The text of all active policies.
    #[must_use]
    pub fn policy_text(&self) -> String {
        let mut text = self.policies.clone().unwrap_or_else(|| POLICIES.clone());
        for (on, more) in [
            (self.level14_reads_all, LEVEL14_READS_ALL),
            (self.compat_pseudocode, COMPAT_PSEUDOCODE),
        ] {
            if on {
                text.push('\n');
                text.push_str(more);
            }
        }
        text
    }
}

/// Access control of one office: the engines and the settings. Cloning it is cheap.
///
/// It holds two engines: one for single decisions, as the settings say, and one for lists, which is
/// native unless the policies are the caller's own. They agree, because the native predicates are
/// tested against the same policies.
///
/// ```
/// use enterprise_sandbox::access::{Access, AccessConfig};
///
/// let access = Access::new(AccessConfig::default())?;
/// assert!(access.rules().iter().any(|rule| rule.id == "email-read"));
/// let own = AccessConfig { policies: Some("permit".to_owned()), ..AccessConfig::default() };
/// assert_eq!(Access::new(own).unwrap_err().place, "policies");
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Access {
    config: AccessConfig,
    single: Arc<dyn AccessEngine>,
    bulk: Arc<dyn AccessEngine>,
}

impl Access {
    /// Access control with these settings.
    ///
    /// # Errors
    /// When custom policies cannot be parsed or do not fit the schema; the message names the
    /// policy. When the settings need Cedar and the feature `cedar` is off.
    pub fn new(config: AccessConfig) -> Result<Self, ConfigError> {
        let native: Arc<dyn AccessEngine> = Arc::new(NativeEngine::new(
            config.level14_reads_all,
            config.compat_pseudocode,
        ));
        // The native predicates are equal to the built-in policies only.
        // Three cases: with policies of the caller's own there is nothing to compare them with, so
        // Cedar decides everything, lists included. With `engine: cedar` it makes single decisions
        // only. A stored run that asks for Cedar can be read by a program that was built without
        // it, because the native engine gives the same decisions; policies of one's own have no
        // such replacement and are an error.
        let (single, bulk) = if config.policies.is_some() {
            let own = cedar(&config, "policies")?;
            (Arc::clone(&own), own)
        } else if config.engine == EngineKind::Cedar && cfg!(feature = "cedar") {
            (cedar(&config, "engine")?, native)
        } else {
            (Arc::clone(&native), native)
        };
        Ok(Self {
            config,
            single,
            bulk,
        })
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &AccessConfig {
        &self.config
    }

    /// Decides one request with the engine of the settings. The mode of enforcement is not applied
    /// here: a decision says what the rules say.
    #[must_use]
    pub fn decide(&self, view: &CompanyView<'_>, request: &AccessRequest<'_>) -> AccessDecision {
        self.single.decide(view, request)
    }

    /// Whether a principal may read a row, as lists decide it: natively, unless the policies are the
    /// caller's own.
    ///
    /// This is the check behind every list, search and count. It asks for [`Act::Read`] only;
    /// whether restricted fields are shown is decided for each record that passes.
    #[must_use]
    pub fn may_read(
        &self,
        view: &CompanyView<'_>,
        principal: EmployeeNo,
        source: TableId,
        row: u32,
    ) -> bool {
        self.may_read_resource(view, principal, Resource::of(view, source, row))
    }

    /// Whether a principal may read a record with these attributes, as lists decide it.
    #[must_use]
    pub fn may_read_resource(
        &self,
        view: &CompanyView<'_>,
        principal: EmployeeNo,
        resource: Resource,
    ) -> bool {
        let context = RequestContext::default();
        let request = AccessRequest {
            principal,
            act: Act::Read,
            resource,
            context: &context,
        };
        self.bulk.allows(view, &request)
    }

    /// The explanations of the rules that apply to an action: the reasons of a refusal if no single
    /// rule forbade it.
    #[must_use]
    pub fn rules_for(&self, action: AccessAction) -> Vec<RuleText> {
        self.bulk.rules_for(action)
    }

    /// All active rules.
    #[must_use]
    pub fn rules(&self) -> Vec<RuleText> {
        self.bulk.rules()
    }

    /// Digest of the active policies: part of an instance, so that a run records the rules under
    /// which it was played.
    ///
    /// The digest covers the text of the policies, not the other settings. It is the first digits
    /// of a SHA-256.
    #[must_use]
    pub fn version(&self) -> String {
        sim_core::Digest::of_bytes(self.config.policy_text().as_bytes()).short()
    }
}

/// Cedar with the policies of these settings; `_place` is the setting that needs it.
#[cfg(feature = "cedar")]
fn cedar(config: &AccessConfig, _place: &str) -> Result<Arc<dyn AccessEngine>, ConfigError> {
    Ok(Arc::new(CedarEngine::new(&config.policy_text(), &SCHEMA)?))
}

/// The error that names the feature; `place` is the setting that needs it.
#[cfg(not(feature = "cedar"))]
fn cedar(_: &AccessConfig, place: &str) -> Result<Arc<dyn AccessEngine>, ConfigError> {
    let message = sim_core::error::feature_is_off("cedar", "deciding by Cedar policies");
    Err(ConfigError::new(place, message))
}

// ---------------------------------------------------------------- declared
//
// The rules of tables that the published data do not have, in the language of the policies.

/// The name of a rule: `contract-read`.
fn id(source: TableId, rule: &VerbRule) -> String {
    format!("{}-{}", source.noun().replace(' ', "-"), rule.op)
}

/// The policy of a rule.
fn policy(source: TableId, rule: &VerbRule) -> String {
    let table = source.table();
    let role = table.people.first().map_or("", |(role, _)| role);
    let allowed = rule.allowed.iter().map(|who| match who {
        Who::First => format!("resource.{role} == principal"),
        Who::Of(departments, level) => {
            let names: Vec<String> = departments
                .iter()
                .map(|d| format!("{:?}", d.name()))
                .collect();
            format!(
                "([{}].contains(principal.dept) && principal.level >= {level})",
                names.join(", ")
            )
        }
    });
    let allowed: Vec<String> = allowed.collect();
    format!(
        "\n@id(\"{}\")\n@reason(\"{}\")\npermit (principal, action == Office::Action::\"{}{}\", resource)\nwhen {{ {} }};\n",
        id(source, rule),
        rule.reason,
        rule.op,
        table.action,
        allowed.join(" || "),
    )
}

/// Entity and actions of a table in the language of the schema.
fn types(source: TableId) -> String {
    let table = source.table();
    let (entity, action) = (table.entity, table.action);
    let people: Vec<String> = table
        .people
        .iter()
        .map(|(role, _)| format!("{role}: Employee"))
        .collect();
    let on = |group: &str, context: &str| {
        format!("in [{group}] appliesTo {{ principal: Employee, resource: {entity}{context} }};\n")
    };
    format!(
        "  entity {entity} = {{ {} }};\n  action read{action} {}  action create{action}, delete{action} {}  action update{action} {}",
        people.join(", "),
        on("anyRead", ""),
        on("anyWrite", ""),
        on("anyWrite", ", context: Fields"),
    )
}
