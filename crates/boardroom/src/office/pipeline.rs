//! Tasks that a model writes: algorithm 1 of the paper, with the program's checks in it.
//!
//! ```text
//!  sample ─► entities ─► subgoals ─► question templates ─► draft ─► checks ─► critic ─► kept
//!                                                           ▲         │          │
//!                                                           └── improved, at most so many times ─► dropped
//! ```
//!
//! The model sees records that the persona may read. It names records and fields; the program reads the
//! values, runs the plan and tests every single mistake ([`Generator::accept`]). The critic answers the
//! seven questions of appendix A.5. The prompts are this program's own.

use agent_client::backend::AgentBackend;
use agent_client::message::Message;
use agent_client::parallel::in_order;
use agent_client::request::{ModelRole, Request, Schema, Slot};
use agent_client::{AgentError, ErrorClass, structured};
use enterprise_sandbox::tasks::{
    Generator, ProposalCheck, ProposalFault, ProposedTask, TaskSample, TaskSpec,
};
use run_engine::engine::model::ask::{CONCURRENCY, runtime};
use run_engine::error::RunError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::Seed;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The model of a pipeline.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// Writes and improves the drafts, and as the critic answers the seven questions.
    pub model: Arc<dyn AgentBackend>,
    /// How often a draft is improved before it is dropped.
    pub rounds: u32,
}

/// Number of tasks by stage.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PipelineCounts {
    /// Personas with a goal and records.
    pub sampled: u64,
    /// Those for which the model wrote a draft that can be read.
    pub drafted: u64,
    /// Those with a draft, the first or an improved one, that passed the checks.
    pub checked: u64,
    /// Those that the critic approved: the tasks that are kept.
    pub kept: u64,
    /// Those that were not kept, by the stage of their last fault: `reply`, `checks` or `critic`.
    pub dropped: BTreeMap<&'static str, u64>,
    /// Faults of all drafts by rule.
    pub faults: BTreeMap<ProposalCheck, u64>,
    /// Drafts that the critic refused.
    pub refused: u64,
    /// Requests for an improvement.
    pub improved: u64,
}

impl fmt::Display for PipelineCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dropped: Vec<String> = self
            .dropped
            .iter()
            .map(|(stage, n)| format!("{n} at {stage}"))
            .collect();
        writeln!(
            f,
            "{} sampled, {} drafted, {} passed the checks, {} kept; dropped: {}",
            self.sampled,
            self.drafted,
            self.checked,
            self.kept,
            if dropped.is_empty() {
                "none".to_owned()
            } else {
                dropped.join(", ")
            }
        )?;
        let faults: Vec<String> = self
            .faults
            .iter()
            .map(|(c, n)| format!("{c} {n}"))
            .collect();
        writeln!(
            f,
            "{} improvements; drafts refused by the critic: {}; faults by rule: {}",
            self.improved,
            self.refused,
            if faults.is_empty() {
                "none".to_owned()
            } else {
                faults.join(", ")
            }
        )
    }
}

const WRITER: &str = "You write requests that employees of a company send to an assistant. The assistant works \
in the company's systems with the tools that are listed, in the employee's name. Use only the records that \
are given. Write as a colleague would: name people, products and days, not ids; do not speak of records, \
data, context or systems.";

const CRITIC: &str = "You decide whether a request to an office assistant may be part of a test. Answer seven \
questions with true or false and a short reason:\n\
1. Does the request follow from the goal and the records?\n\
2. Is it specific, with exactly one right outcome, without guessing?\n\
3. Does it avoid speaking of records, data, context or systems?\n\
4. Do the steps and facts fulfil it completely, and nothing else?\n\
5. Are the keys of the facts plain names of what is asked for?\n\
6. Would an employee write it in this way to an assistant, in the first person?\n\
7. Does it ask only for what this person may see?";

const ENTITIES: &str = "Which of the records fit the goal? Name those that the request will be about, and say \
what it will ask for or change.";
const SUBGOALS: &str = "Split the goal into subgoals, in order. Each uses one of the tools on one source; a later \
one may need what an earlier one finds.";
const TEMPLATES: &str = "Write a question for each subgoal, as this employee would ask it, with placeholders such \
as <product> for values.";
const DRAFT: &str = "Now write the task. `request` is one request for all subgoals. `records` are the records that \
it describes, in the order in which they are found, with conditions that leave exactly these records among all \
that the person may read; none may be superfluous, and each value must be in the request or in a record before. \
`steps` are the tool calls; each value must be in the request or in an earlier reply. `facts` are the values to \
report, as fields of the records; a task that only writes has none. `says` are fields that the assistant words \
itself, such as the body of a mail, with words that they must contain.";

#[derive(Deserialize)]
struct Critique {
    answers: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    answer: bool,
    #[serde(default)]
    reason: String,
}

/// Number of the critic's questions.
const QUESTIONS: usize = 7;

fn critique_schema() -> Schema {
    Schema::new(
        "critique",
        "the answers to the seven questions, in order",
        json!({
            "type": "object",
            "properties": {"answers": {
                "type": "array", "minItems": QUESTIONS, "maxItems": QUESTIONS,
                "items": {
                    "type": "object",
                    "properties": {"answer": {"type": "boolean"}, "reason": {"type": "string"}},
                    "required": ["answer", "reason"],
                },
            }},
            "required": ["answers"],
        }),
    )
}

/// A schema of an object with one list.
fn list_schema(name: &str, about: &str, list: &str, item: &Value) -> Schema {
    Schema::new(
        name,
        about,
        json!({
            "type": "object",
            "properties": {list: {"type": "array", "items": item}},
            "required": [list],
        }),
    )
}

/// What became of one sample.
#[derive(Default)]
struct SampleOutcome {
    counts: PipelineCounts,
    task: Option<TaskSpec>,
}

/// A conversation with the writer about one task.
struct Writing<'a> {
    pipeline: &'a Pipeline,
    generator: &'a Generator,
    sample: &'a TaskSample,
    slot: Slot,
    /// What was asked and said so far.
    messages: Vec<Message>,
}

/// A reply that can be read, or nothing where the model has answered otherwise. Any other error ends the work.
pub(super) fn readable<T>(reply: Result<T, AgentError>) -> Result<Option<T>, AgentError> {
    match reply {
        Ok(value) => Ok(Some(value)),
        Err(e) if e.class == ErrorClass::Unusable || e.class.is_an_answer() => Ok(None),
        Err(e) => Err(e),
    }
}

impl Writing<'_> {
    /// Asks the writer; the question and the reply stay in the conversation.
    async fn ask<T: DeserializeOwned>(
        &mut self,
        stage: &str,
        words: String,
        schema: &Schema,
    ) -> Result<Option<T>, AgentError> {
        self.messages.push(Message::user(words));
        let slot = self.slot.child("", stage);
        let request = Request::new(ModelRole::Agent, slot, self.messages.clone());
        let asked = structured::ask(&*self.pipeline.model, request, schema, |_: &T| Ok(())).await;
        let Some(typed) = readable(asked)? else {
            return Ok(None);
        };
        // The last attempt alone: what had to be repaired is no part of the conversation.
        let said = typed.written.last().cloned().unwrap_or_default();
        self.messages.push(Message::assistant(said));
        Ok(Some(typed.value))
    }

    /// The problems that the critic sees; none if the task may be kept, `None` if it cannot be read.
    async fn criticise(
        &self,
        round: u32,
        task: &TaskSpec,
    ) -> Result<Option<Vec<String>>, AgentError> {
        let facts: Vec<Value> = task
            .gold
            .facts
            .iter()
            .map(|fact| json!({"key": fact.key, "value": fact.value}))
            .collect();
        let words = json!({
            "person": self.sample.person,
            "goal": self.sample.goal,
            "records": self.sample.records,
            "request": task.instruction,
            "steps": task.gold.calls,
            "facts": facts,
            "written": task.gold.changes,
        });
        // Outside the writer's conversation: the task is judged, and not what the writer says of
        // it.
        let messages = vec![Message::system(CRITIC), Message::user(words.to_string())];
        let slot = self.slot.child("critic", round);
        let request = Request::new(ModelRole::Judge, slot, messages);
        let check = |critique: &Critique| match critique.answers.len() {
            QUESTIONS => Ok(()),
            other => Err(format!(
                "{other} answers, but there are {QUESTIONS} questions"
            )),
        };
        let model = &*self.pipeline.model;
        let asked = structured::ask(model, request, &critique_schema(), check).await;
        let refused = |typed: structured::Typed<Critique>| {
            let answers = typed.value.answers.into_iter().zip(1..);
            let refused = answers.filter(|(answer, _)| !answer.answer);
            refused
                .map(|(answer, n)| format!("question {n}: {}", answer.reason))
                .collect()
        };
        Ok(readable(asked)?.map(refused))
    }

    /// The stages up to the first draft.
    async fn draft(&mut self, schema: &Schema) -> Result<Option<ProposedTask>, AgentError> {
        let record = json!({
            "type": "object",
            "properties": {
                "source": {"type": "string"}, "id": {"type": "string"}, "use": {"type": "string"},
            },
            "required": ["source", "id", "use"],
        });
        let subgoal = json!({
            "type": "object",
            "properties": {"subgoal": {"type": "string"}, "tool": {"type": "string"}},
            "required": ["subgoal", "tool"],
        });
        let given = json!(self.sample);
        let stages = [
            (
                "entities",
                format!("{given}\n\n{ENTITIES}"),
                list_schema("entities", "the chosen records", "records", &record),
            ),
            (
                "subgoals",
                SUBGOALS.to_owned(),
                list_schema("subgoals", "the subgoals", "subgoals", &subgoal),
            ),
            (
                "templates",
                TEMPLATES.to_owned(),
                list_schema(
                    "templates",
                    "a question for each subgoal",
                    "questions",
                    &json!({"type": "string"}),
                ),
            ),
        ];
        for (stage, words, schema) in stages {
            // Only the conversation needs these replies: the draft is written with them in view.
            if self.ask::<Value>(stage, words, &schema).await?.is_none() {
                return Ok(None);
            }
        }
        self.ask("draft", DRAFT.to_owned(), schema).await
    }

    async fn run(mut self) -> Result<SampleOutcome, AgentError> {
        let schema = Schema::new("task", "the task", ProposedTask::schema());
        let mut out = SampleOutcome::default();
        out.counts.sampled = 1;
        let dropped = |out: &mut SampleOutcome, stage| {
            out.counts.dropped.insert(stage, 1);
        };
        let Some(mut proposed) = self.draft(&schema).await? else {
            dropped(&mut out, "reply");
            return Ok(out);
        };
        out.counts.drafted = 1;
        for round in 0..=self.pipeline.rounds {
            // The program's checks come first, since they are exact and cost no request.
            let (stage, problems) = match self.generator.accept(self.sample, &proposed) {
                Err(faults) => {
                    for fault in &faults {
                        *out.counts.faults.entry(fault.check).or_default() += 1;
                    }
                    (
                        "checks",
                        faults.iter().map(ProposalFault::to_string).collect(),
                    )
                }
                Ok(task) => {
                    // Set and not added up, because several drafts of one sample may pass.
                    out.counts.checked = 1;
                    let Some(problems) = self.criticise(round, &task).await? else {
                        dropped(&mut out, "reply");
                        return Ok(out);
                    };
                    if problems.is_empty() {
                        out.counts.kept = 1;
                        out.task = Some(task);
                        return Ok(out);
                    }
                    out.counts.refused += 1;
                    ("critic", problems)
                }
            };
            if round == self.pipeline.rounds {
                dropped(&mut out, stage);
                break;
            }
            out.counts.improved += 1;
            let problems: Vec<String> = problems;
            let words = format!(
                "The task cannot be used yet:\n- {}\n\nWrite it again, without these faults.",
                problems.join("\n- ")
            );
            let stage = format!("improved{round}");
            match self.ask(&stage, words, &schema).await? {
                Some(better) => proposed = better,
                None => {
                    dropped(&mut out, "reply");
                    break;
                }
            }
        }
        Ok(out)
    }
}

impl Pipeline {
    /// Writes tasks from `count` samples of a seed. Samples that are dropped are not replaced.
    ///
    /// # Errors
    /// When a model does not answer.
    pub fn write(
        &self,
        generator: &Arc<Generator>,
        seed: Seed,
        count: u64,
    ) -> Result<(Vec<TaskSpec>, PipelineCounts), RunError> {
        let work = (0..count).map(|index| {
            let (pipeline, generator) = (self.clone(), Arc::clone(generator));
            async move {
                let Some(sample) = generator.sample(seed, index) else {
                    return Ok(SampleOutcome::default());
                };
                let writing = Writing {
                    pipeline: &pipeline,
                    generator: &generator,
                    sample: &sample,
                    slot: Slot::new(format!("task{index}")),
                    messages: vec![Message::system(WRITER)],
                };
                writing.run().await
            }
        });
        let (mut tasks, mut counts) = (Vec::new(), PipelineCounts::default());
        let mut failed = None;
        runtime()?.block_on(in_order(work, CONCURRENCY, |_, done| match done {
            Ok(one) => {
                counts.add(&one.counts);
                tasks.extend(one.task);
            }
            // The other tasks are still written, because their requests may have been sent; the
            // first error is passed on.
            Err(e) => {
                failed.get_or_insert(e);
            }
        }));
        match failed {
            None => Ok((tasks, counts)),
            Some(e) => Err(RunError::Failed(format!("a task was not written: {e}"))),
        }
    }
}

impl PipelineCounts {
    fn add(&mut self, other: &Self) {
        self.sampled += other.sampled;
        self.drafted += other.drafted;
        self.checked += other.checked;
        self.kept += other.kept;
        self.refused += other.refused;
        self.improved += other.improved;
        for (stage, n) in &other.dropped {
            *self.dropped.entry(stage).or_default() += n;
        }
        for (check, n) in &other.faults {
            *self.faults.entry(*check).or_default() += n;
        }
    }
}
