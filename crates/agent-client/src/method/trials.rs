//! Trying an instruction on the items of a search.
//!
//! [`Trials`] holds the items of both sets; an [`ItemTrial`] tries one. The runner has one for episodes.

use super::spec::{MemorySpec, MethodSpec};
use crate::error::AgentError;
use crate::request::Slot;
use async_trait::async_trait;

/// The set that the items of a trial belong to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Split {
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
///
/// Items are questions, or (scenario, seed) pairs of an environment, disjoint from those of the test.
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
    /// Tries `instruction` on one item: one metric call.
    pub(super) async fn run(
        &self,
        instruction: &str,
        split: Split,
        index: usize,
        slot: &Slot,
    ) -> Result<Trial, AgentError> {
        let items = match split {
            Split::Train => &self.train,
            Split::Validation => &self.validation,
        };
        let item = items.get(index);
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
