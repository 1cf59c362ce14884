//! Access control: which person may do what to which row.
//!
//! The rules are Cedar policies in `policies/office.cedar`, checked against
//! `policies/office.cedarschema`; both are text files that can be read, edited and compared. The
//! decisions are made by native predicates, one per rule; tests show that they agree with the
//! policies. The feature `cedar` adds Cedar itself, for policies of your own and for single decisions by
//! the built-in policies. It decides on a small slice of entities: the principal with its chain of
//! managers, the row, and the people of the row with theirs.
//!
//! The principal always comes from the session. A request that no rule allows is refused.

use crate::company::Company;
use crate::row::{EmployeeNo, ReaderLabel};
use crate::source::TableId;
use crate::view::{ActiveMeans, CompanyView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_core::ConfigError;
use std::borrow::Cow;
use std::sync::Arc;

#[cfg(feature = "cedar")]
mod cedar;
#[cfg(feature = "cedar")]
mod limits;
mod native;

#[cfg(feature = "cedar")]
pub use cedar::CedarEngine;
pub use native::NativeEngine;

/// The policies of the office.
pub const POLICIES: &str = include_str!("../policies/office.cedar");
/// What policies may talk about.
pub const SCHEMA: &str = include_str!("../policies/office.cedarschema");
/// The policy behind `level14_reads_all`.
pub const LEVEL14_READS_ALL: &str = include_str!("../policies/optional/level14-reads-all.cedar");
/// The policy behind `compat_pseudocode`.
pub const COMPAT_PSEUDOCODE: &str = include_str!("../policies/optional/compat-pseudocode.cedar");

/// A kind of access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// See a record (of an employee: the directory fields).
    Read,
    /// See the restricted fields of an employee.
    ReadSensitive,
    /// Create a record.
    Create,
    /// Change fields.
    Update,
    /// Remove a record.
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
/// use enterprise_sandbox::source::TableId;
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
        let noun = match self.source {
            TableId::Employees => match self.act {
                Act::Read => return Some("readHrDirectory".into()),
                Act::ReadSensitive => return Some("readHrSensitive".into()),
                _ => "Hr",
            },
            TableId::Files if self.act == Act::Create => return Some("createFile".into()),
            TableId::Issues if self.act == Act::Create => return Some("createIssue".into()),
            TableId::Repositories | TableId::Files | TableId::Issues => "Repository",
            TableId::Resumes => "Resume",
            TableId::Emails => "Email",
            TableId::Conversations => "Conversation",
            TableId::Posts => "Post",
            TableId::Overflow => "Overflow",
            TableId::Tickets => "Ticket",
            TableId::Products => "Product",
            TableId::Sales => "Sale",
            TableId::Customers => "Customer",
            TableId::OrderDocuments if self.act == Act::Read => "Customer",
            TableId::PolicyDocuments if self.act == Act::Read => "Policy",
            TableId::OrderDocuments | TableId::PolicyDocuments => return None,
            TableId::Reviews => "Review",
            TableId::SupportChats => "SupportChat",
            TableId::Clients => "Client",
            TableId::Vendors => "Vendor",
        };
        let verb = match self.act {
            Act::Read => "read",
            Act::Create => "create",
            Act::Update => "update",
            Act::Delete => "delete",
            Act::ReadSensitive => return None,
        };
        Some(format!("{verb}{noun}").into())
    }
}

/// The attributes of a row that rules can use: its source and its people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resource {
    /// Source.
    pub source: TableId,
    /// Row; `None` for a row that is about to be created.
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
            source,
            row: None,
            first: Some(owner.unwrap_or(EmployeeNo::NOBODY)),
            second: Some(EmployeeNo::NOBODY),
            label: match source {
                TableId::PolicyDocuments => ReaderLabel::Level(u8::MAX),
                _ => ReaderLabel::All,
            },
        }
    }

    /// The row of a source in its current state.
    #[must_use]
    pub fn of(view: &CompanyView<'_>, source: TableId, row: u32) -> Self {
        let (first, second) = people(view, source, row);
        let label = match source {
            TableId::PolicyDocuments => view
                .company
                .policies
                .get(row as usize)
                .map_or(ReaderLabel::All, |p| p.label),
            _ => ReaderLabel::All,
        };
        Self {
            source,
            row: Some(row),
            first,
            second,
            label,
        }
    }
}

/// First and second person of a record.
type People = (Option<EmployeeNo>, Option<EmployeeNo>);

/// Fields with the first and second person of a record.
fn person_fields(source: TableId) -> (Option<&'static str>, Option<&'static str>) {
    match source {
        TableId::Resumes | TableId::Posts | TableId::Repositories | TableId::SupportChats => {
            (Some("emp_id"), None)
        }
        TableId::Emails | TableId::Conversations => {
            (Some("sender_emp_id"), Some("recipient_emp_id"))
        }
        TableId::Overflow => (Some("employee_id"), None),
        TableId::Tickets => (Some("emp_id"), Some("raised_by_emp_id")),
        TableId::Clients => (Some("business_representative_employee"), None),
        TableId::Vendors => (Some("management_representative_employee"), None),
        _ => (None, None),
    }
}

/// The people of a row in its current state. Lists ask this for every row, so a row without writes
/// is read from the company's typed tables, without texts and identifiers.
fn people(view: &CompanyView<'_>, source: TableId, row: u32) -> People {
    if source == TableId::Employees {
        return (Some(EmployeeNo(row)), None);
    }
    if view.overlay.entry(source, row).is_none() {
        return base_people(view, source, row);
    }
    if matches!(source, TableId::Files | TableId::Issues) {
        let name = view.text(source, row, "repo_name");
        let repository = view.find(TableId::Repositories, &name);
        return repository.map_or((None, None), |r| people(view, TableId::Repositories, r));
    }
    let (first, second) = person_fields(source);
    let person = |field: Option<&str>| view.employee(&view.text(source, row, field?));
    (person(first), person(second))
}

/// The people of a row that nobody has written to.
fn base_people(view: &CompanyView<'_>, source: TableId, row: u32) -> People {
    let c: &Company = view.company;
    let at = row as usize;
    let one = |p: Option<EmployeeNo>| (p, None);
    let owner = |repository: u32| people(view, TableId::Repositories, repository);
    match source {
        TableId::Resumes => one(c.resumes.get(at).map(|r| r.subject)),
        TableId::Emails => c
            .mails
            .get(at)
            .map_or((None, None), |m| (Some(m.sender), Some(m.recipient))),
        TableId::Conversations => c
            .conversations
            .get(at)
            .map_or((None, None), |m| (Some(m.sender), Some(m.recipient))),
        TableId::Posts => one(c.posts.get(at).map(|r| r.author)),
        TableId::Overflow => one(c.overflow.get(at).map(|r| r.author)),
        TableId::Repositories => one(c.repositories.get(at).map(|r| r.owner)),
        TableId::Files => c
            .files
            .get(at)
            .map_or((None, None), |f| owner(f.repository.0)),
        TableId::Issues => {
            let file = c
                .issues
                .get(at)
                .and_then(|i| c.files.get(i.file.0 as usize));
            file.map_or((None, None), |f| owner(f.repository.0))
        }
        TableId::Tickets => c
            .tickets
            .get(at)
            .map_or((None, None), |t| (Some(t.handler), Some(t.raiser))),
        TableId::SupportChats => one(c.chats.get(at).map(|r| r.handler)),
        TableId::Clients => one(c.clients.get(at).map(|r| r.representative)),
        TableId::Vendors => one(c.vendors.get(at).map(|r| r.representative)),
        _ => (None, None),
    }
}

/// Further attributes of a request that rules can use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestContext {
    /// Names of the fields that an update changes.
    pub fields: Vec<String>,
    /// Whether a mail belongs to an existing thread.
    pub reply: bool,
    /// Whether the principal takes part in that thread.
    pub in_thread: bool,
    /// Whether the new or changed person reports to the principal.
    pub to_self: bool,
}

/// A request to an engine.
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
pub trait AccessEngine: Send + Sync + std::fmt::Debug {
    /// Decides one request. A principal who does not work in the company, and an action that does not
    /// exist, are refused without a rule.
    fn decide(&self, view: &CompanyView<'_>, request: &AccessRequest<'_>) -> AccessDecision;

    /// All rules, by name.
    fn rules(&self) -> Vec<RuleText>;

    /// The rules whose scope includes an action, by name.
    fn rules_for(&self, action: AccessAction) -> Vec<RuleText>;
}

/// Whether refusals count.
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
    /// The settings nearest to the published release: leavers are active, deletion of a mail is
    /// global.
    #[must_use]
    pub fn compat() -> Self {
        Self {
            active_means: ActiveMeans::Flag,
            mail_delete: MailDelete::Global,
            compat_pseudocode: true,
            ..Self::default()
        }
    }

    /// The text of all active policies.
    #[must_use]
    pub fn policy_text(&self) -> String {
        let mut text = self.policies.clone().unwrap_or_else(|| POLICIES.to_owned());
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
        self.bulk.decide(view, &request).allow
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
    #[must_use]
    pub fn version(&self) -> String {
        sim_core::Digest::of_bytes(self.config.policy_text().as_bytes()).short()
    }
}

/// Cedar with the policies of these settings; `_place` is the setting that needs it.
#[cfg(feature = "cedar")]
fn cedar(config: &AccessConfig, _place: &str) -> Result<Arc<dyn AccessEngine>, ConfigError> {
    Ok(Arc::new(CedarEngine::new(&config.policy_text(), SCHEMA)?))
}

/// The error that names the feature; `place` is the setting that needs it.
#[cfg(not(feature = "cedar"))]
fn cedar(_: &AccessConfig, place: &str) -> Result<Arc<dyn AccessEngine>, ConfigError> {
    let message = sim_core::error::feature_is_off("cedar", "deciding by Cedar policies");
    Err(ConfigError::new(place, message))
}
