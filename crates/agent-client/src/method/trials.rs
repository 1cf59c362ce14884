//! Trying an instruction on the items of a search.
//!
//! [`Trials`] holds the items of both sets and finds the one to try; an [`ItemTrial`] tries it. The runner has one for
//! episodes.

use super::spec::{MemorySpec, MethodSpec};
use crate::error::AgentError;
use crate::request::Slot;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};

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
