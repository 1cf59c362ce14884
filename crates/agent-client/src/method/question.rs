//! Driver (a): questions, one after the other.

use super::{Method, Team, settings_digest};
use crate::decide::{Choice, Ctx, Output};
use crate::error::{AgentError, ErrorClass};
use crate::memory::{Experience, Feedback, MemoryOp, Work};
use crate::message::Message;
use crate::meter::{Metered, Used};
use crate::prompt;
use crate::request::{Role, Slot};
use async_trait::async_trait;
use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{Digest, Stored};
use std::sync::Arc;

/// A question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Its name, unique in its set.
    pub id: String,
    /// What is asked, with everything needed to answer it.
    pub question: String,
    /// The right answer, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truth: Option<String>,
    /// Instruction of its own in place of the common one (how to answer, in which form).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// Anything that a grader needs.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub more: Value,
}

/// A verdict on an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grade {
    /// Score, 0 to 1.
    pub score: f64,
    /// Whether it counts as right.
    pub correct: bool,
    /// What the grader says about it, without giving the answer away; may be empty.
    #[serde(default)]
    pub feedback: String,
}

/// Says how good an answer is. Filled by the runner, because this crate knows no scorer.
#[async_trait]
pub trait Grader: Send + Sync {
    /// Name and version, for records.
    fn name(&self) -> String;

    /// Judges `answer`, which was found in `text`, the whole reply.
    ///
    /// # Errors
    /// When it cannot be judged; the item is not scored then, and the run can be resumed.
    async fn grade(&self, item: &Item, answer: &str, text: &str) -> Result<Grade, AgentError>;
}

/// How questions are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuestionSettings {
    /// What the memory may learn from.
    pub feedback: Feedback,
}

/// What an item's record is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemHeader {
    /// Name of the set (`qa`, `consulting`).
    pub set: String,
    /// Name of the item.
    pub item: String,
    /// Digest of the item.
    pub digest: Digest,
    /// Who answered.
    pub agent: String,
    /// Digest of the agent's settings.
    pub settings: Digest,
    /// Method.
    pub method: String,
    /// What the memory learnt from.
    pub feedback: Feedback,
    /// Stream in which the item was met.
    pub stream: u64,
    /// Place in the stream, from 0.
    pub place: u64,
    /// Repetition of the same work.
    pub trial: u32,
}

impl ItemHeader {
    /// The key of this unit of work.
    #[must_use]
    pub fn key(&self) -> Digest {
        let value = sim_core::bytes::json(self);
        Digest::of_bytes(sim_core::bytes::canonical_text(&value).as_bytes())
    }
}

/// An answered item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemRecord {
    /// Form of this record.
    pub schema: u32,
    /// What it is about.
    pub header: ItemHeader,
    /// The whole reply.
    pub text: String,
    /// The answer in it.
    pub answer: String,
    /// The verdict; absent where the agent gave no answer that could be judged.
    pub grade: Option<Grade>,
    /// Who judged.
    pub grader: String,
    /// Why there is no answer (`filtered`, `overflow`), where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ErrorClass>,
    /// Digest of the memory before the item.
    pub memory: Digest,
    /// Digest of what the agent was shown.
    pub prompt: Digest,
    /// What the item did to the memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ops: Vec<MemoryOp>,
    /// Replies and tokens.
    pub used: Used,
}

impl Stored for ItemRecord {
    const WHAT: &'static str = "item record";
    const SCHEMA: u32 = 1;
}

/// A method that meets items in order.
///
/// Items of one stream are never met at the same time; several streams are. After each item the
/// runner stores the record and [`snapshot`](Self::snapshot); to resume, it restores the snapshot
/// and goes on with the next item.
#[derive(Debug)]
pub struct QuestionStream {
    team: Team,
    method: Method,
    settings: QuestionSettings,
    set: String,
    stream: u64,
    trial: u32,
    place: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    place: u64,
    memory: Value,
}

impl QuestionStream {
    /// Stream number `stream` of trial `trial` over the items of `set`.
    #[must_use]
    pub fn new(
        team: Team,
        method: Method,
        settings: QuestionSettings,
        set: impl Into<String>,
        stream: u64,
        trial: u32,
    ) -> Self {
        Self {
            team,
            method,
            settings,
            set: set.into(),
            stream,
            trial,
            place: 0,
        }
    }

    /// The method, to look at.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Everything that the stream has learnt, and how far it is.
    #[must_use]
    pub fn snapshot(&self) -> Value {
        let saved = Saved {
            place: self.place,
            memory: self.method.memory.snapshot(),
        };
        serde_json::to_value(saved).unwrap_or_default()
    }

    /// Puts a snapshot in place.
    ///
    /// # Errors
    /// When it is none of this method.
    pub fn restore(&mut self, snapshot: &Value) -> Result<(), AgentError> {
        let saved: Saved = serde_path_to_error::deserialize(snapshot)
            .map_err(|e| AgentError::setup(format!("this is no snapshot of a stream: {e}")))?;
        self.method.memory.restore(&saved.memory)?;
        self.place = saved.place;
        Ok(())
    }

    /// The header that the record of `item` will have if it comes next.
    #[must_use]
    pub fn header(&self, item: &Item) -> ItemHeader {
        let value = sim_core::bytes::json(item);
        ItemHeader {
            set: self.set.clone(),
            item: item.id.clone(),
            digest: Digest::of_bytes(sim_core::bytes::canonical_text(&value).as_bytes()),
            agent: self.team.agent.name(),
            settings: settings_digest(
                &self.team,
                &self.method,
                self.settings.feedback,
                &self.settings,
            ),
            method: self.method.name.clone(),
            feedback: self.settings.feedback,
            stream: self.stream,
            place: self.place,
            trial: self.trial,
        }
    }

    /// Answers the next item and learns from it. On an error nothing is changed and the item can be
    /// met again.
    ///
    /// # Errors
    /// When a backend or the grader fails for good. A refused or overlong question is no error: it
    /// is recorded as a failure of the agent, with score 0.
    pub async fn next(
        &mut self,
        item: &Item,
        grader: &dyn Grader,
    ) -> Result<ItemRecord, AgentError> {
        let header = self.header(item);
        let slot = Slot::new(format!("{}{}", self.set, self.stream))
            .child("trial", self.trial)
            .child("place", self.place)
            .child("", &item.id);
        let agent = Metered::new(Arc::clone(&self.team.agent));
        let reflector = agent.with(Arc::clone(&self.team.reflector));
        let reflect = Ctx {
            backend: &reflector,
            role: Role::Reflector,
            slot: slot.clone(),
        };
        let before = self.method.memory.digest();
        let memory = self
            .method
            .memory
            .render(&reflect.child("before", ""), &item.question)
            .await?;
        let chat = chat(item, &memory)?;
        let prompt = Digest::of_bytes(format!("{chat:?}").as_bytes());
        let cx = Ctx::agent(&agent, slot.child("answer", ""));
        let decided = self
            .method
            .deliberator
            .decide(&cx, &chat, &Output::Answer)
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
            Some(class) => Grade {
                score: 0.0,
                correct: false,
                feedback: format!("no answer ({class})"),
            },
        };
        let experience = Experience {
            item: item.id.clone(),
            work: Work::Question,
            task: item.question.clone(),
            transcript: choice.text.clone(),
            decision: choice.answer.clone(),
            diagnostics: Some(grade.feedback.clone()).filter(|text| !text.is_empty()),
            score: Some(grade.score),
            success: Some(grade.correct),
            truth: item.truth.clone(),
        }
        .under(self.settings.feedback);
        let ops = self
            .method
            .memory
            .update(&reflect.child("after", ""), &experience)
            .await?;
        self.place += 1;
        Ok(ItemRecord {
            schema: ItemRecord::SCHEMA,
            header,
            text: choice.text,
            answer: choice.answer,
            grade: Some(grade),
            grader: grader.name(),
            failure,
            memory: before,
            prompt,
            ops,
            used: agent.used(),
        })
    }
}

/// What the agent is shown.
pub(super) fn chat(item: &Item, memory: &str) -> Result<Vec<Message>, AgentError> {
    let mut system = match &item.instruction {
        Some(own) => own.clone(),
        None => prompt::render("question", context! {})?,
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
