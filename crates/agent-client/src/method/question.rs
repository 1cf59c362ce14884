//! Questions as units of work of a stream.
//!
//! For each [`Item`]: the memory is rendered, the deliberator decides, the [`Grader`] scores the answer, and the
//! memory learns. The result is an [`ItemRecord`].

use super::item::{ItemHeader, ItemProgress, ItemSeries, ItemWork};
use super::stream::{LearningWork, UnitContext};
use crate::decide::{Choice, Ctx, Output};
use crate::error::{AgentError, ErrorClass};
use crate::json_text::spoken;
use crate::memory::{Experience, FeedbackMode, MemoryOp, WorkKind};
use crate::message::Message;
use crate::meter::Used;
use crate::prompt;
use crate::request::Slot;
use async_trait::async_trait;
use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::{Digest, Stored};

/// A question.
///
/// ```
/// use agent_client::method::Question;
/// let item = Question::new("q1", "What is 6 times 7?");
/// assert_eq!((item.id.as_str(), item.truth), ("q1", None));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Its name, unique in its set.
    pub id: String,
    /// The question, with everything needed to answer it.
    pub question: String,
    /// The right answer, if there is one.
    /// The model never sees it, unless the feedback is `ground_truth`; then the memory does, after the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truth: Option<String>,
    /// An instruction that replaces the common one (how to answer, in which form).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// The instruction in its place, if a setting of the run changes it (a role, examples). It is not part of the
    /// digest of the question, so that runs with different settings can be compared; headers of records have it
    /// in the digest of the settings.
    #[serde(skip)]
    pub put: Option<String>,
    /// The instruction for methods that reason step by step: it asks for the steps and says how the answer
    /// follows them. Without it, such a sentence is added to the instruction. Not part of the digest of the
    /// question either.
    #[serde(skip)]
    pub reasoned: Option<String>,
    /// Additional data for the grader.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub more: Value,
}

impl Question {
    /// A question without a known answer, with the common instruction.
    pub fn new(id: impl Into<String>, question: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            question: question.into(),
            truth: None,
            instruction: None,
            put: None,
            reasoned: None,
            more: Value::Null,
        }
    }
}

/// A verdict on an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerVerdict {
    /// Score, 0 to 1.
    pub score: f64,
    /// Whether it counts as correct.
    pub correct: bool,
    /// The grader's comment, which does not disclose the answer; may be empty.
    #[serde(default)]
    pub feedback: String,
}

/// Scores answers. Implemented by the runner, because this crate does not depend on a scorer.
///
/// See [`method`](crate::method) for an example.
#[async_trait]
pub trait AnswerGrader: Send + Sync {
    /// Name and version, for records.
    fn name(&self) -> String;

    /// Scores `answer`, which was extracted from `text`, the whole reply.
    ///
    /// # Errors
    /// When it cannot be scored; the item stays open then, and the run can be resumed.
    async fn grade(
        &self,
        item: &Question,
        answer: &str,
        text: &str,
    ) -> Result<AnswerVerdict, AgentError>;
}

/// An answered item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ItemRecord {
    /// Version of the record's form.
    pub schema: u32,
    /// What it is about.
    pub header: ItemHeader,
    /// The whole reply.
    pub text: String,
    /// The extracted answer.
    pub answer: String,
    /// The verdict; absent if the agent gave no answer that could be scored.
    pub grade: Option<AnswerVerdict>,
    /// Name of the grader.
    pub grader: String,
    /// Why there is no answer (`filtered`, `overflow`), if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ErrorClass>,
    /// Digest of the memory before the item.
    pub memory: Digest,
    /// Digest of the prompt.
    pub prompt: Digest,
    /// Changes of the memory by this item.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ops: Vec<MemoryOp>,
    /// Replies and tokens.
    pub used: Used,
}

impl Stored for ItemRecord {
    const WHAT: &'static str = "item record";
    const SCHEMA: u32 = 1;
}

/// The work on questions: answer, grade, learn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionWork {
    /// What the memory may learn from.
    pub feedback: FeedbackMode,
    /// The stream.
    pub series: ItemSeries,
}

impl ItemWork for QuestionWork {
    type Item = Question;

    fn id(item: &Question) -> &str {
        &item.id
    }

    fn put_as(item: &Question, reasons: bool) -> Option<Digest> {
        let reasoned = item.reasoned.as_ref().filter(|_| reasons);
        let put = reasoned.or(item.put.as_ref())?;
        Some(Digest::of_bytes(put.as_bytes()))
    }

    fn series(&self) -> &ItemSeries {
        &self.series
    }
}

#[async_trait]
impl LearningWork for QuestionWork {
    /// A question, and the grader of its answer.
    type Unit<'a> = (&'a Question, &'a dyn AnswerGrader);
    type Record = ItemRecord;
    type Progress = ItemProgress;

    fn feedback(&self) -> FeedbackMode {
        self.feedback
    }

    fn settings(&self) -> Value {
        json!({"feedback": self.feedback})
    }

    fn slot(&self, (item, _): &Self::Unit<'_>, place: &ItemProgress) -> Slot {
        self.series.slot(*place, &item.id)
    }

    /// A question that the model refuses or that is too long for it is not an error: it is recorded as a
    /// failure of the agent, with score 0.
    async fn run(
        &self,
        (item, grader): Self::Unit<'_>,
        cx: &mut UnitContext<'_, ItemProgress>,
    ) -> Result<ItemRecord, AgentError> {
        let header = cx.header(self, item);
        let memory = cx.recall("before", "", &item.question).await?;
        let chat = chat(item, &memory, cx.method.deliberator.reasons())?;
        let prompt = Digest::of_bytes(format!("{chat:?}").as_bytes());
        let answer = Ctx::agent(&cx.agent, cx.slot.child("answer", ""));
        let decided = cx
            .method
            .deliberator
            .decide(&answer, &chat, &Output::Answer)
            .await;
        let (choice, failure) = match decided {
            Ok(choice) => (choice, None),
            Err(e) if e.class.is_an_answer() || e.class == ErrorClass::Unusable => {
                (Choice::default(), Some(e.class))
            }
            Err(e) => return Err(e),
        };
        let grade = match failure {
            None => grader.grade(item, &choice.answer, &choice.text).await?,
            Some(class) => AnswerVerdict {
                score: 0.0,
                correct: false,
                feedback: format!("no answer ({class})"),
            },
        };
        let experience = Experience {
            item: item.id.clone(),
            work: WorkKind::Question,
            task: item.question.clone(),
            // What it thought is its own: no reflector or memory gets it.
            transcript: spoken(&choice.text).into_owned(),
            decision: choice.answer.clone(),
            diagnostics: Some(grade.feedback.clone()).filter(|text| !text.is_empty()),
            score: Some(grade.score),
            success: Some(grade.correct),
            truth: item.truth.clone(),
        };
        cx.learn("after", "", experience).await?;
        cx.progress.place += 1;
        Ok(ItemRecord {
            schema: ItemRecord::SCHEMA,
            header,
            text: choice.text,
            answer: choice.answer,
            grade: Some(grade),
            grader: grader.name(),
            failure,
            memory: cx.before,
            prompt,
            ops: std::mem::take(&mut cx.ops),
            used: cx.agent.used(),
        })
    }
}

/// The prompt of an agent; if it `reasons`, the prompt asks for the steps before the answer.
fn chat(item: &Question, memory: &str, reasons: bool) -> Result<Vec<Message>, AgentError> {
    let own = item.put.as_ref().or(item.instruction.as_ref());
    let mut system = match (reasons, &item.reasoned, own) {
        (true, Some(reasoned), _) => reasoned.clone(),
        (true, None, Some(own)) => {
            let think = prompt::render("think_answer", context! {})?;
            format!("{own}\n\n{think}")
        }
        (false, _, Some(own)) => own.clone(),
        // It asks for the steps in any case.
        (_, _, None) => prompt::render("question", context! {})?,
    };
    if !memory.is_empty() {
        let section = prompt::render("memory_section", context! { memory => memory })?;
        system = format!("{section}\n\n{system}");
    }
    Ok(vec![
        Message::system(system),
        Message::user(item.question.clone()),
    ])
}
