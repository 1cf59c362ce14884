//! One question with what is needed to judge an answer to it.

use crate::letters::LetterSet;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One question of any task, in one form.
///
/// ```
/// use qa_scoring::{Gold, Item, LetterSet};
/// let item = Item {
///     options: vec!["rises".into(), "falls".into()],
///     ..Item::new("7", "What does the price do?", Gold::Letters(LetterSet::of_letter('B')))
/// };
/// assert_eq!(item.option_count(), 2);
/// assert!(item.gold_text().is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Identifier inside its file, always as text: the published results write 22 and "22".
    pub id: String,
    /// The question; for a completion the beginning of the program.
    pub question: String,
    /// The context of the question: a page, an article, a list of tags. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The instruction for the model, if the record has one (FOMC, CIKM18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// A table that programs see as `df`: rows by name, in them columns by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Value>,
    /// Options in order, without their letters; empty for open questions, and for choices whose
    /// options are part of the question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The right answer.
    pub gold: Gold,
    /// A program that computes the right answer. Never shown to a model: the published evaluation
    /// puts it into the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

/// The right answer of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gold {
    /// Option letters.
    Letters(LetterSet),
    /// A text: a label, a number, tags, a reference answer.
    Text(String),
    /// The record has no answer, so replies to it cannot be scored.
    Absent,
}

impl Item {
    /// A question with nothing but its right answer; set the other fields as far as they are known.
    pub fn new(id: impl Into<String>, question: impl Into<String>, gold: Gold) -> Self {
        Self {
            id: id.into(),
            question: question.into(),
            context: None,
            instruction: None,
            table: None,
            options: Vec::new(),
            gold,
            program: None,
        }
    }

    /// Number of options for reading letters: as many as the item has, four if they are part of the
    /// question, and never fewer than the right letters need (the published FRM item 33 lists three
    /// options and has a fourth as the right one).
    #[must_use]
    pub fn option_count(&self) -> usize {
        let listed = if self.options.is_empty() {
            4
        } else {
            self.options.len()
        };
        let needed = self.gold_letters().map_or(0, |set| set.span());
        listed.max(needed)
    }

    /// The right letters, `None` for items without.
    #[must_use]
    pub fn gold_letters(&self) -> Option<LetterSet> {
        match self.gold {
            Gold::Letters(set) => Some(set),
            _ => None,
        }
    }

    /// The right answer as text, `None` where it is letters or absent.
    #[must_use]
    pub fn gold_text(&self) -> Option<&str> {
        match &self.gold {
            Gold::Text(text) => Some(text),
            _ => None,
        }
    }
}
