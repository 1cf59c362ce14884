//! Trying an instruction on the items of a search: questions, interviews, episodes.
//!
//! [`Trials`] holds the items of both sets and finds the one to try; an [`ItemTrial`] tries it. There is one
//! for questions ([`QuestionTrial`]) and one for interviews ([`InterviewTrial`]); the runner has one for
//! episodes.
//!
//! [`InterviewTrial`]: crate::interview::InterviewTrial

use super::item::ItemSeries;
use super::question::{AnswerGrader, Question, QuestionWork};
use super::spec::{MemorySpec, Method, MethodSpec};
use super::stream::{LearningStream, LearningWork, Team};
use crate::backend::AgentBackend;
use crate::error::AgentError;
use crate::json_text::spoken;
use crate::memory::FeedbackMode;
use crate::request::Slot;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The set that the items of a trial belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// Items from which new instructions are made.
    Train,
    /// Items on which instructions are compared.
    Validation,
}

/// The result of an instruction on one item.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Score; 1 is perfect.
    /// It must be finite. The source chooses the scale, because only sums of scores on the same items are
    /// compared.
    pub score: f64,
    /// Messages and actions.
    pub transcript: String,
    /// Feedback for the reflector.
    pub feedback: String,
}

/// Items to try instructions on: questions, or (scenario, seed) pairs of an environment, disjoint
/// from those of the test.
///
/// Training items are numbered `0..len(Split::Train)`, validation items likewise.
#[async_trait]
pub trait TrialSource: Send + Sync {
    /// Number of items.
    fn len(&self, split: Split) -> usize;

    /// Whether there are none.
    fn is_empty(&self, split: Split) -> bool {
        self.len(split) == 0
    }

    /// Tries `instruction` on one item: one metric call.
    ///
    /// # Errors
    /// When the backend cannot answer.
    async fn run(
        &self,
        instruction: &str,
        split: Split,
        index: usize,
        slot: &Slot,
    ) -> Result<Trial, AgentError>;
}

/// How an instruction is tried on one item.
#[async_trait]
pub trait ItemTrial: Send + Sync {
    /// An item.
    type Item: Send + Sync;

    /// Tries `instruction` on `item`: one metric call.
    ///
    /// # Errors
    /// When the backend cannot answer.
    async fn run(
        &self,
        item: &Self::Item,
        instruction: &str,
        slot: &Slot,
    ) -> Result<Trial, AgentError>;
}

/// The items of a search in two sets, and how an instruction is tried on each.
pub struct Trials<T: ItemTrial> {
    /// How an instruction is tried on an item.
    pub how: T,
    /// Training items.
    pub train: Vec<T::Item>,
    /// Validation items.
    pub validation: Vec<T::Item>,
}

impl<T: ItemTrial> std::fmt::Debug for Trials<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trials")
            .field("train", &self.train.len())
            .field("validation", &self.validation.len())
            .finish_non_exhaustive()
    }
}

impl<T: ItemTrial> Trials<T> {
    fn items(&self, split: Split) -> &[T::Item] {
        match split {
            Split::Train => &self.train,
            Split::Validation => &self.validation,
        }
    }
}

#[async_trait]
impl<T: ItemTrial> TrialSource for Trials<T> {
    fn len(&self, split: Split) -> usize {
        self.items(split).len()
    }

    async fn run(
        &self,
        instruction: &str,
        split: Split,
        index: usize,
        slot: &Slot,
    ) -> Result<Trial, AgentError> {
        let item = self.items(split).get(index);
        let item = item.ok_or_else(|| AgentError::setup(format!("there is no item {index}")))?;
        self.how.run(item, instruction, slot).await
    }
}

/// The method that follows an evolved instruction.
const METHOD: &str = "gepa";

/// The method of runs with an evolved instruction (`gepa`), with the text `instruction`.
///
/// # Errors
/// When there is no such method: a fault of this program.
pub fn instructed(instruction: &str) -> Result<MethodSpec, AgentError> {
    Ok(MethodSpec {
        memory: MemorySpec::Instruction(Some(instruction.to_owned())),
        ..METHOD.parse()?
    })
}

/// The record of `unit`, done at `slot` as in a run with this evolved instruction.
pub(crate) async fn tried<W: LearningWork>(
    agent: &Arc<dyn AgentBackend>,
    work: W,
    unit: W::Unit<'_>,
    instruction: &str,
    slot: &Slot,
) -> Result<W::Record, AgentError> {
    let method: Method = instructed(instruction)?.make()?;
    let mut stream = LearningStream::new(Team::of(Arc::clone(agent)), method, work);
    stream.next_at(unit, slot.clone()).await
}

/// Trials on questions, each answered as in a run of the method `gepa`.
pub struct QuestionTrial {
    /// The backend that answers.
    pub agent: Arc<dyn AgentBackend>,
    /// Judges the answers.
    pub grader: Arc<dyn AnswerGrader>,
}

impl std::fmt::Debug for QuestionTrial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QuestionTrial").finish_non_exhaustive()
    }
}

#[async_trait]
impl ItemTrial for QuestionTrial {
    type Item = Question;

    async fn run(
        &self,
        item: &Question,
        instruction: &str,
        slot: &Slot,
    ) -> Result<Trial, AgentError> {
        let work = QuestionWork {
            feedback: FeedbackMode::None,
            series: ItemSeries::new("evolve", 0, 0),
        };
        let record = tried(&self.agent, work, (item, &*self.grader), instruction, slot).await?;
        let (score, feedback) = record
            .grade
            .map_or((0.0, String::new()), |grade| (grade.score, grade.feedback));
        Ok(Trial {
            score,
            transcript: format!(
                "Question: {}\n\nAnswer: {}",
                item.question,
                spoken(&record.text)
            ),
            feedback: match &item.truth {
                Some(truth) => format!("{feedback} The right answer: {truth}"),
                None => feedback,
            },
        })
    }
}
