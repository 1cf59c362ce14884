//! Tasks that a model drafts: what it gets, and the rules that its drafts have to pass.
//!
//! The paper's tasks are written by a model, which also writes the right answers; other models and
//! people check them. Here a draft names records and fields, and the program reads the values. So the
//! right answer is always that of the data, and the same rules hold as for drawn tasks: the conditions
//! leave exactly the named records, the plan runs as the persona, and each single mistake fails.
//!
//! ```text
//!  seed, index ─► TaskSample: persona, goal, records that the persona may read
//!                     │  a model
//!                     ▼
//!                ProposedTask: request, records by conditions, steps, facts as fields of the records
//!                     │  Generator::accept
//!                     ▼
//!                TaskSpec, or the faults of the draft
//! ```

use super::check::examine;
use super::draft::Ctx;
use super::generate::task_of;
use super::mutate::{mutations, right};
use super::{Category, Condition, Generator, TaskDomain, TaskSpec};
use crate::data::overlay::Overlay;
use crate::data::tables::TableId;
use reading::Reading;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sim_core::Seed;
use std::collections::BTreeMap;

mod reading;
mod sample;

/// Template of the tasks that a model drafted.
const TEMPLATE: &str = "proposed";

/// What a model drafts a task from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskSample {
    /// Id of the employee who makes the request.
    pub persona: String,
    /// Directory entry of that person.
    pub person: Value,
    /// Today on the office clock.
    pub today: String,
    /// Domain.
    pub domain: TaskDomain,
    /// Category: search or CRUD.
    pub category: Category,
    /// The kind of request, in words.
    pub goal: &'static str,
    /// Records that the person may read, by source.
    pub records: BTreeMap<TableId, Vec<Value>>,
    /// Tools for these records: name, purpose, arguments.
    pub tools: Vec<Value>,
}

/// A task as a model drafts it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposedTask {
    /// The request, in the first person.
    pub request: String,
    /// The records that the request is about, in the order in which they are found.
    pub records: Vec<ProposedRecord>,
    /// The steps.
    pub steps: Vec<ProposedStep>,
    /// The facts that are asked for.
    pub facts: Vec<ProposedFact>,
    /// Fields that the assistant words itself, with the words that they must contain.
    pub says: Vec<ProposedWords>,
}

impl ProposedTask {
    /// JSON Schema of a draft, for the model that writes it.
    #[must_use]
    pub fn schema() -> Value {
        schemars::schema_for!(Self).to_value()
    }
}

/// Records that a request describes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposedRecord {
    /// Source.
    pub source: TableId,
    /// Conditions that leave exactly these records; none may be superfluous.
    pub conditions: Vec<Condition>,
    /// Their ids.
    pub ids: Vec<String>,
}

pub(super) fn comparison_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": reading::COMPARISONS})
}

/// A step of the plan: one tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposedStep {
    /// Its purpose.
    pub subgoal: String,
    /// The tool.
    pub tool: String,
    /// Its arguments. Each value must be in the request or in an earlier reply.
    pub arguments: Map<String, Value>,
}

/// A fact that is asked for: a field of described records. The program reads its value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposedFact {
    /// Key under which it is reported.
    pub key: String,
    /// The records, by number in `records` from 1; of several records the fact is a list.
    pub record: usize,
    /// The field.
    pub field: String,
}

/// A text that the assistant words itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposedWords {
    /// The step, from 1.
    pub step: usize,
    /// The field.
    pub field: String,
    /// Words that it must contain; each must be in the request or in an earlier reply.
    pub words: Vec<String>,
}

/// A rule that a draft has to pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum ProposalCheck {
    /// Sources, fields, tools, ids and numbers exist.
    Form,
    /// The plan runs as the persona and is allowed.
    Plan,
    /// Every value in a call is known by then.
    Known,
    /// The facts are short values of records that the plan reads.
    Facts,
    /// It writes if and only if it is a task that writes.
    Writes,
    /// The conditions leave exactly the named records, and none is superfluous.
    Unique,
    /// The request is worded as a person would.
    Wording,
    /// Every single mistake in the right run fails.
    Mistakes,
}

/// Why a draft was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct ProposalFault {
    /// The rule.
    pub check: ProposalCheck,
    /// What is wrong, for the model that wrote the draft.
    pub message: String,
}

impl Generator {
    /// Makes a task of a draft.
    ///
    /// # Errors
    /// All faults that were found, for the model that wrote it.
    pub fn accept(
        &self,
        sample: &TaskSample,
        proposed: &ProposedTask,
    ) -> Result<TaskSpec, Vec<ProposalFault>> {
        let overlay = Overlay::default();
        let view = self.office().view(&overlay);
        let fault = |check, message: String| vec![ProposalFault { check, message }];
        let me = view.employee(&sample.persona).ok_or_else(|| {
            fault(
                ProposalCheck::Form,
                format!("`{}` does not work here", sample.persona),
            )
        })?;
        let c = Ctx {
            office: self.office(),
            view,
            me,
            domain: sample.domain,
            s: Seed(0).stream("proposed", 0),
            coin: false,
        };
        let draft = Reading::new(&c, proposed).read(sample.category)?;
        let request = proposed.request.trim();
        let (gold, checks) = examine(&c, &draft, request, sample.category).ok_or_else(|| {
            let message = match sample.category {
                Category::Crud => "the plan changes no record, but the task has to write",
                _ => "the plan changes a record, but the task has to look something up only",
            };
            fault(ProposalCheck::Writes, message.to_owned())
        })?;
        let failed: Vec<ProposalFault> = [
            (
                checks.reachable && checks.unique,
                ProposalCheck::Unique,
                "the conditions do not leave exactly the named records, or one of them is superfluous",
            ),
            (
                checks.natural_question && checks.natural_answer && checks.first_person,
                ProposalCheck::Wording,
                "the request must be in the first person, of 12 to 900 characters, and must not speak of \
                 data, context or a database",
            ),
            (
                checks.grounded,
                ProposalCheck::Facts,
                "a fact does not occur in the replies of the plan",
            ),
            (
                checks.allowed,
                ProposalCheck::Plan,
                "a call of the plan is refused, or a field is withheld",
            ),
        ]
        .into_iter()
        .filter(|(holds, ..)| !holds)
        .map(|(_, check, message)| ProposalFault {
            check,
            message: message.to_owned(),
        })
        .collect();
        if !failed.is_empty() {
            return Err(failed);
        }
        let wording = (request.to_owned(), Vec::new());
        let kind = (TEMPLATE, sample.category);
        let task = task_of(&c, draft, kind, wording, (gold, checks));
        let task =
            task.ok_or_else(|| fault(ProposalCheck::Form, "the task cannot be stored".to_owned()))?;
        // Drawn templates are known to be right; of a draft both have to be shown, that its plan succeeds and that no
        // mistake does.
        if !right(&task).is_success(self.office(), &task) {
            let message = "the plan with its facts does not fulfil the task";
            return Err(fault(ProposalCheck::Mistakes, message.to_owned()));
        }
        let passing = mutations(&task)
            .into_iter()
            .find(|attempt| attempt.is_success(self.office(), &task));
        if let Some(attempt) = passing {
            let message = format!(
                "a run with one mistake ({}) would count as right",
                json!(attempt.mutation).as_str().unwrap_or_default()
            );
            return Err(fault(ProposalCheck::Mistakes, message));
        }
        Ok(task)
    }
}
