//! Tasks: the request of a persona, the calls that fulfil it, and the expected outcome.
//!
//! Tasks are made backwards: first the data, then the question. A template draws rows that the
//! persona may see, states the conditions that identify them, and gives the plan. The plan is run
//! on the office as the persona, with access control on, and its reads and writes become the
//! expected outcome. Conditions are checked: together they leave exactly the drawn rows, and none
//! of them is superfluous.

use crate::access::Act;
use crate::overlay::WriteKind;
use crate::source::{Compare, TableId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;

mod business;
mod check;
mod code;
mod compose;
mod draft;
mod generate;
mod helpdesk;
mod mutate;
mod own;
mod people;
mod refusals;
mod rephrase;
mod talk;
mod templates;
mod trade;

pub use generate::{DroppedTask, Generator, TaskConfig};
pub use mutate::{Attempt, Mutation, mutations, right};
pub use rephrase::{RephraseCache, Rephraser, rephrase};
pub use templates::{TemplateInfo, templates};

/// A field of work, with the departments that its personas come from.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
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
    Business,
}

impl TaskDomain {
    /// All domains.
    pub const ALL: [Self; 5] = [Self::Hr, Self::Sales, Self::Swe, Self::It, Self::Business];

    /// Departments of its personas.
    #[must_use]
    pub fn departments(self) -> &'static [crate::org::Department] {
        use crate::org::Department as D;
        match self {
            Self::Hr => &[D::HumanResources],
            Self::Sales => &[D::Sales],
            Self::Swe => &[D::Engineering],
            Self::It => &[D::InformationTechnology],
            Self::Business => &[D::Management, D::BusinessDevelopment],
        }
    }

    /// Name in snake case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hr => "hr",
            Self::Sales => "sales",
            Self::Swe => "swe",
            Self::It => "it",
            Self::Business => "business",
        }
    }
}

/// What kind of outcome a task has.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Facts are found; nothing is written.
    Search,
    /// Records are written.
    Crud,
    /// It cannot be done, and the right end is a refusal.
    Unanswerable,
}

/// Why a task cannot be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalClass {
    /// The persona may not do it.
    Denied,
    /// There is no such record.
    Missing,
    /// Several records match.
    Ambiguous,
}

impl RefusalClass {
    /// All classes.
    pub const ALL: [Self; 3] = [Self::Denied, Self::Missing, Self::Ambiguous];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::Missing => "missing",
            Self::Ambiguous => "ambiguous",
        }
    }
}

impl fmt::Display for RefusalClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difficulty {
    /// One or two subtasks.
    Easy,
    /// Three or more.
    Hard,
}

/// How a fact is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// An identifier or a word of a fixed list.
    Id,
    /// A text; case and spacing do not count.
    Text,
    /// A number or an amount.
    Number,
    /// A day.
    Date,
    /// Yes or no.
    YesNo,
    /// A set of texts.
    List,
}

/// A fact that the answer is compared with.
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
    #[serde(default)]
    pub tolerance: f64,
    /// Whether the task fails without it.
    pub required: bool,
    /// Whether it is derived (a count, a yes or no) and need not occur in a record.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub derived: bool,
}

/// A tool call of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldCall {
    /// Name of the tool in the compact tool set.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
}

/// How a written field is compared with the expected one.
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
    /// Any non-empty text that contains all of these.
    Says(Vec<String>),
}

/// A record that must be written.
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

/// A row on which a task is based.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Source.
    pub source: TableId,
    /// Row.
    pub id: String,
}

/// The seven questions of the paper, answered by rules.
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

/// A condition of a uniqueness claim: a field has a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The field, or `participant`.
    pub field: String,
    /// The comparison: `is`, `has`, `from`, `to`.
    pub is: String,
    /// The value.
    pub value: String,
}

/// The claim that the conditions leave exactly these rows among those that the persona may see.
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
    pub depth: u32,
}

impl TaskSpec {
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
