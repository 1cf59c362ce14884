//! Tasks: the request of a persona, the calls that fulfil it, and the expected outcome.
//!
//! Tasks are made backwards: first the data, then the question. A template draws rows that the
//! persona may see, states the conditions that identify them, and gives the plan. The plan is run
//! on the office as the persona, with access control on, and its reads and writes become the
//! expected outcome. Conditions are checked: together they leave exactly the drawn rows, and none
//! of them is superfluous.
//!
//! ```text
//!  template + persona + random stream ─► draft: wording, slots, plan, facts, claims
//!                                          │
//!             plan run as the persona ─────┼─► expected changes, facts, refusal
//!             claims tested on all rows ───┤
//!             wording checked ─────────────┴─► the seven checks ─► TaskSpec, or another draft
//! ```
//!
//! | part of a task | source in the paper |
//! |---|---|
//! | domains and departments | as in the released generator; Finance and BPO have data but no tasks |
//! | categories 65 : 30 : 5 | stated shares of search, CRUD and unanswerable tasks |
//! | easy below three subtasks | stated |
//! | the seven [`Checks`] | the validation prompt of appendix A.5, answered there by a model, then by people |
//! | templates | examples in table 9; the released goal configurations ([`TemplateInfo::goals`]), and more |
//! | ground truth | appendix A.1: written by a model; here the result of running the plan |
//!
//! Unanswerable tasks have three classes. The paper has only the first:
//! [denied](RefusalClass::Denied), because the rules forbid it; [missing](RefusalClass::Missing),
//! because there is no such record; [ambiguous](RefusalClass::Ambiguous), because several records
//! match.
//!
//! # Example
//!
//! The gold plan of a task, run by hand, gives success; leaving the answer out does not:
//!
//! ```
//! use enterprise_sandbox::tasks::evaluate::evaluate;
//! use enterprise_sandbox::tools::office::OfficeState;
//! use enterprise_sandbox::tasks::{TaskEnd, right};
//! use enterprise_sandbox::{Config, Spec};
//! use sim_core::Seed;
//!
//! let generator = Spec::default().generator(&Config::of(50))?;
//! let office = generator.office();
//! let task = generator.scheduled(Seed(3), 0)?;
//! let attempt = right(&task);
//!
//! let mut state = OfficeState::default();
//! let me = office.view(&state.overlay).employee(&task.persona).ok_or("no persona")?;
//! for (tool, arguments) in &attempt.calls {
//!     office.call(&mut state, me, tool, arguments)?;
//! }
//! assert!(evaluate(office, &task, &state, &attempt.ending).success);
//! assert!(!evaluate(office, &task, &state, &TaskEnd::None).success);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::access::{Act, Enforcement};
use crate::data::overlay::WriteKind;
use crate::data::tables::{Compare, TableId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

pub mod breakdown;
mod check;
mod draft;
pub mod evaluate;
mod functions;
mod generate;
pub mod judge;
mod mention;
mod mutate;
mod plan;
pub mod probe;
mod propose;
pub mod records;
mod rephrase;
mod stats;
mod templates;

pub use generate::{DroppedTask, Generator, TaskConfig};

pub(crate) use mutate::right_under;
pub use mutate::{Attempt, Mutation, Soundness, mutations, rewordings, right};
pub use propose::{
    ProposalCheck, ProposalFault, ProposedFact, ProposedRecord, ProposedStep, ProposedTask,
    ProposedWords, TaskSample,
};
pub use rephrase::{RephraseCache, Rephraser, rephrase};
pub use stats::TaskStats;
pub use templates::{TemplateInfo, templates};

/// A field of work, with the departments that its personas come from.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum TaskDomain {
    /// Human resources.
    Hr,
    /// Sales.
    Sales,
    /// Software engineering.
    Swe,
    /// Information technology.
    It,
    /// Business operations: Management and Business Development.
    /// The published templates of this domain are about mails and messages only; those about
    /// clients and vendors are this crate's.
    Business,
}

impl TaskDomain {
    /// All domains.
    pub const ALL: [Self; 5] = [Self::Hr, Self::Sales, Self::Swe, Self::It, Self::Business];

    /// Departments of its personas.
    #[must_use]
    pub fn departments(self) -> &'static [crate::data::org::Department] {
        use crate::data::org::Department as D;
        match self {
            Self::Hr => &[D::HumanResources],
            Self::Sales => &[D::Sales],
            Self::Swe => &[D::Engineering],
            Self::It => &[D::InformationTechnology],
            Self::Business => &[D::Management, D::BusinessDevelopment],
        }
    }
}

/// What kind of outcome a task has.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Category {
    /// Facts are found; nothing is written.
    /// Default share 65 %.
    Search,
    /// Records are written.
    /// Default share 30 %; such a task may ask for facts as well.
    Crud,
    /// It cannot be done, and the right end is a refusal.
    /// Default share 5 %; nothing may be written.
    Unanswerable,
}

/// Why a task cannot be done.
///
/// The agent states one of these with a refusal. In an office that hides existence, denied and
/// missing cannot be told apart, and both are accepted ([`GoldRefusal::accepted`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum RefusalClass {
    /// The persona may not do it.
    /// The record exists, and the access rules refuse the act.
    Denied,
    /// There is no such record.
    /// The request names a record, by id or by its properties, that is not there.
    Missing,
    /// Several records match.
    /// The request would fit at least two records that the persona may read.
    Ambiguous,
}

impl RefusalClass {
    /// All classes.
    pub const ALL: [Self; 3] = [Self::Denied, Self::Missing, Self::Ambiguous];
}

/// How the agent ended a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case", tag = "end", deny_unknown_fields)]
pub enum TaskEnd {
    /// It has not ended, or ended without an answer.
    #[default]
    None,
    /// With an answer.
    Answer {
        /// The text.
        text: String,
        /// Facts by key.
        #[serde(default)]
        facts: Map<String, Value>,
    },
    /// With a refusal.
    Refusal {
        /// The reason.
        class: RefusalClass,
        /// The text.
        #[serde(default)]
        reason: String,
    },
}

impl TaskEnd {
    /// The text of the ending.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::None => "",
            Self::Answer { text, .. } => text,
            Self::Refusal { reason, .. } => reason,
        }
    }
}

/// Fewer than three subtasks, or more.
///
/// The paper's definition. [`TaskSpec::depth`] says more about how hard a task is: three
/// independent reads are hard by this definition and have depth 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Difficulty {
    /// One or two subtasks.
    Easy,
    /// Three or more.
    Hard,
}

/// How a fact is compared.
///
/// Comparison is lenient in form and strict in value;
/// [`fact_matches`](crate::tasks::evaluate::fact_matches) is the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// An identifier or a word of a fixed list.
    /// Case does not count.
    Id,
    /// A text; case and spacing do not count.
    Text,
    /// A number or an amount.
    /// Separators, currency and per cent signs do not count; amounts may differ by
    /// [`Fact::tolerance`].
    Number,
    /// A day.
    /// `2024-03-31` and `31-03-2024` are equal.
    Date,
    /// Yes or no.
    /// `YES`, `true` and `y` are equal.
    YesNo,
    /// A set of texts.
    /// The order does not count; a partly right list counts in part for precision and recall, but
    /// not as complete.
    List,
}

/// A fact that the answer is compared with.
///
/// Facts are the fields of records that the plan reads, or derived from them. Agents see key and
/// kind, never the value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// Key under which it is reported.
    pub key: String,
    /// How it is compared.
    pub kind: FactKind,
    /// Its value.
    pub value: Value,
    /// Largest difference of a number.
    /// 0.005 for amounts with decimals, else 0.
    #[serde(default)]
    pub tolerance: f64,
    /// Whether the task fails without it.
    /// True for every fact of a generated task that can be done. A task that cannot be done lists what
    /// the same request asks for elsewhere, not required and with the value null, so that its form does
    /// not give it away.
    pub required: bool,
    /// Whether it is derived (a count, a yes or no) and need not occur in a record.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub derived: bool,
}

impl Fact {
    /// A required fact.
    pub(crate) fn new(key: &str, kind: FactKind, value: Value, derived: bool) -> Self {
        let is_amount = kind == FactKind::Number && value.as_i64().is_none();
        Self {
            key: key.to_owned(),
            kind,
            value,
            tolerance: if is_amount { 0.005 } else { 0.0 },
            required: true,
            derived,
        }
    }
}

/// A tool call of a plan.
///
/// An agent need not make this call: only the outcome is judged. The plan is used for the oracle
/// policies, for hints, and for statistics of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldCall {
    /// Name of the tool in the compact tool set.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
}

/// How a written field is compared with the expected one.
///
/// Which one applies is decided when the task is drawn: fields with given values are compared by
/// value, texts that the agent words itself (a mail, a ticket) by what they have to mention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expectation {
    /// The value, compared in one of the ways of fields.
    Value {
        /// The value.
        value: Value,
        /// The comparison.
        compare: Compare,
    },
    /// Any non-empty text that [says](crate::tasks::evaluate::says) all of these.
    /// Numbers, dates and names are compared as values; a value that the text denies is not said.
    Says(Vec<String>),
}

/// A record that must be written.
///
/// Compared with the [net changes](crate::data::overlay::net_changes) of a run, so detours that are
/// undone do not count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedChange {
    /// The operation.
    pub op: WriteKind,
    /// Source.
    pub source: TableId,
    /// The record; `None` for a new one, whose id does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Fields that are written.
    /// Fields that are compared with `Ignore` are left out.
    #[serde(default)]
    pub fields: BTreeMap<String, Expectation>,
}

/// A refusal as the right ending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldRefusal {
    /// The class.
    pub class: RefusalClass,
    /// Classes that count as right: several if the office hides the difference.
    pub accepted: Vec<RefusalClass>,
    /// The denied access, for a denial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<(Act, TableId)>,
}

/// The expected outcome of a run.
///
/// Either `refusal` is set and nothing may be written, or the changes and the facts are expected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldOutcome {
    /// The plan.
    pub calls: Vec<GoldCall>,
    /// Records that must be written, and no others.
    pub changes: Vec<ExpectedChange>,
    /// Facts that the answer must contain.
    pub facts: Vec<Fact>,
    /// The answer in words.
    pub answer: String,
    /// The refusal, for a task that cannot be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<GoldRefusal>,
}

/// One step of the plan.
///
/// A step of the plan in words, for hints and for the statistics. Each has exactly one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subtask {
    /// Number from 1.
    pub id: u32,
    /// Its purpose.
    pub subgoal: String,
    /// Its call, by number in [`GoldOutcome::calls`].
    pub call: u32,
    /// Tool that does it.
    pub tool: String,
    /// Sources that it touches.
    pub source: TableId,
    /// Subtasks whose result it needs.
    #[serde(default)]
    pub depends_on: Vec<u32>,
    /// Keys of the facts that it gives.
    #[serde(default)]
    pub facts: Vec<String>,
}

/// Whether calls of this tool write records.
pub(crate) fn is_write(tool: &str) -> bool {
    crate::tools::find(tool).is_some_and(|t| t.op.writes())
}

/// A row on which a task is based.
///
/// Names the rows so that a user can check a task against the data.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Source.
    pub source: TableId,
    /// Row.
    pub id: String,
}

/// The seven questions of the paper, answered by rules.
///
/// A task of the generator has passed all seven; a draft that fails one is dropped. They are stored
/// so that a reader of a task file can see that they were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checks {
    /// Every row that it names can be reached by the persona.
    pub reachable: bool,
    /// The conditions leave exactly one answer, and none is superfluous.
    pub unique: bool,
    /// The instruction does not talk about data or context.
    pub natural_question: bool,
    /// Every fact occurs in the results of the plan's reads.
    pub grounded: bool,
    /// The answer does not talk about data or context.
    pub natural_answer: bool,
    /// It is asked in the first person, with a suitable length.
    pub first_person: bool,
    /// Every read of the plan is allowed and withholds nothing.
    pub allowed: bool,
}

impl Checks {
    /// Whether all seven hold.
    #[must_use]
    pub fn pass(self) -> bool {
        self.reachable
            && self.unique
            && self.natural_question
            && self.grounded
            && self.natural_answer
            && self.first_person
            && self.allowed
    }
}

/// A condition on a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProposedCondition")]
pub struct Condition {
    /// The field, or `participant` for either person of a mail or conversation.
    pub field: String,
    /// `is`, `has`, `starts`, `ends`, `mentions`, `from` or `to` (days).
    #[schemars(schema_with = "propose::comparison_schema")]
    pub is: String,
    /// The value. It must be in the request, or in a record before this one.
    pub value: String,
}

/// The claim that the conditions leave exactly these rows among those that the persona may see.
///
/// Checked when the task is drawn, with code that shares nothing with the filters of the tools: the
/// conditions leave `rows` and no others, and without any one condition there would be more (a
/// single condition on the record's id is exempt). It is stored so that others can check it too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Uniqueness {
    /// Source.
    pub source: TableId,
    /// The conditions.
    pub conditions: Vec<Condition>,
    /// The rows that they leave.
    pub rows: Vec<String>,
}

/// A task: the request, and everything that is needed to judge a run. Agents see `instruction`, `persona`
/// and the keys of the facts only ([`Observation`](crate::Observation)).
///
/// It can be stored as JSON and read back. `gold`, `forbidden`, `unique`, `slots` and `provenance`
/// tell the outcome and must not reach an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskSpec {
    /// Identifier: domain, template and a digest of the rest, so equal ids mean equal tasks.
    pub id: String,
    /// Domain.
    pub domain: TaskDomain,
    /// Category.
    pub category: Category,
    /// Difficulty.
    pub difficulty: Difficulty,
    /// Id of the employee who makes the request, and in whose name the agent works.
    pub persona: String,
    /// The request.
    pub instruction: String,
    /// Other wordings of it.
    pub variants: Vec<String>,
    /// Template that it was made from.
    pub template: String,
    /// Values in the wording that must survive a rephrasing, by the name of their slot.
    pub slots: BTreeMap<String, String>,
    /// The plan, step by step.
    pub subtasks: Vec<Subtask>,
    /// The expected outcome.
    pub gold: GoldOutcome,
    /// Values that must not be disclosed.
    /// For a denial, the values that the persona must not learn, of at least three characters.
    #[serde(default)]
    pub forbidden: Vec<String>,
    /// Claims that make the answer unique.
    #[serde(default)]
    pub unique: Vec<Uniqueness>,
    /// The seven checks.
    pub checks: Checks,
    /// Rows on which it is based.
    pub provenance: Vec<Provenance>,
    /// Longest chain of dependent steps; 1 when no step needs the result of another.
    /// Single reads have 1, a plan that finds a person, reads the record and mails the manager 3.
    pub depth: u32,
}

impl TaskSpec {
    /// Whether a step that calls `tool` is part of the plan where the rules are enforced as
    /// `enforcement` says.
    ///
    /// Nothing may be written in a task that cannot be done. Only enforced rules stop a writing call of
    /// its plan, so it is left out where they are not enforced. That it would be refused still follows
    /// from the rules, so the refusal stays right.
    pub(crate) fn has_step(&self, tool: &str, enforcement: Enforcement) -> bool {
        enforcement == Enforcement::On || self.gold.refusal.is_none() || !is_write(tool)
    }

    /// Keys and kinds of the facts that the agent is asked for.
    pub fn asks(&self) -> impl Iterator<Item = (&str, FactKind)> {
        self.gold.facts.iter().map(|f| (f.key.as_str(), f.kind))
    }

    /// Sources that the plan touches.
    #[must_use]
    pub fn sources(&self) -> std::collections::BTreeSet<TableId> {
        self.subtasks.iter().map(|s| s.source).collect()
    }
}
