//! Joins answers with items by identifier.

use super::BTreeMap;
use crate::item::Item;
use crate::load::Prediction;
use crate::task::Task;
use serde::{Deserialize, Serialize};
use sim_core::error::clip;
use std::collections::BTreeSet;
use std::fmt;

/// Answers to the items of a task.
///
/// An answer belongs to the item with its identifier. Where there is none, these are the same too: a whole number
/// that pandas wrote as `1.0` and `1`; a name over all tasks, `finance/FinCode:3`, and `3`. Answers without any
/// identifier are joined by their order, if there are as many as items. Of several answers to one item the first
/// counts.
///
/// ```
/// use qa_scoring::{Gold, Item, Task, load::Prediction, score::Join};
/// let task: Task = "FPB".parse()?;
/// let items = ["1", "2"].map(|id| Item::new(id, "?", Gold::Text("positive".into())));
/// let answers = ["1.0", "7"].map(|id| Prediction::new(id, Some("positive".into())));
/// let join = Join::of(task, &items, &answers);
/// assert_eq!((join.matched, join.unmatched), (1, 1));
/// let padded = ["001", "002"].map(|id| Prediction::new(id, None));
/// let fault = Join::of(task, &items, &padded).check().unwrap_err();
/// assert!(fault.to_string().contains("zeros in front"));
/// # Ok::<(), qa_scoring::task::UnknownTask>(())
/// ```
#[derive(Debug, Clone)]
pub struct Join<'a> {
    /// For each item its answer, if it has one, which may be empty.
    pub answers: Vec<Option<&'a Prediction>>,
    /// Number of items with an answer.
    pub matched: usize,
    /// Answers that belong to no item.
    pub unmatched: usize,
    /// Further answers to an item that has one.
    pub repeated: usize,
    /// Whether the answers have no identifiers and were joined by their order.
    pub by_order: bool,
    /// What may be the reason that answers belong to no item.
    pub cause: Option<JoinCause>,
    /// Identifiers to show in a message: of an answer without an item, and of an item without an answer.
    examples: (Option<String>, Option<String>),
}

/// What may be the reason that answers belong to no item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum JoinCause {
    /// The same numbers, with zeros in front on one side.
    Zeros,
    /// Numbers that begin at 0 on one side and at 1 on the other.
    CountedFromZero,
    /// The same letters in other cases.
    Case,
    /// The same numbers, with other text around them on one side.
    Affixed,
    /// Numbers that a spreadsheet has rounded.
    Rounded,
    /// The answers have no identifiers, and their number is not that of the items.
    NoIdentifiers,
}

impl fmt::Display for JoinCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zeros => "the identifiers differ in zeros in front, such as 001 and 1",
            Self::CountedFromZero => {
                "the identifiers of the answers seem to be places counted from 0, and those of the items begin at 1"
            }
            Self::Case => "the identifiers differ in upper and lower case",
            Self::Affixed => {
                "the identifiers differ in what stands beside the number, such as Q1 and 1"
            }
            Self::Rounded => {
                "a spreadsheet has rounded the identifiers of the answers, such as 1.23E+12; keep them as text"
            }
            Self::NoIdentifiers => {
                "the answers have no identifiers (a field or column `id`), and there are not as many as items"
            }
        })
    }
}

/// The error where no answer belongs to an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoMatch {
    answers: usize,
    items: usize,
    cause: Option<JoinCause>,
    examples: (Option<String>, Option<String>),
}

impl fmt::Display for NoMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { answers, items, .. } = self;
        if *answers == 0 {
            return write!(f, "there are no answers to the {items} items");
        }
        write!(
            f,
            "0 of {items} items have an answer: none of the {answers} answers has the identifier of an item"
        )?;
        if let (Some(answer), Some(item)) = &self.examples {
            write!(
                f,
                "; answers have identifiers such as `{answer}`, items such as `{item}`"
            )?;
        }
        match self.cause {
            Some(cause) => write!(f, "; {cause}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for NoMatch {}

impl<'a> Join<'a> {
    /// Joins `answers` with `items` of `task`.
    #[must_use]
    pub fn of(task: Task, items: &[Item], answers: &'a [Prediction]) -> Self {
        let places: BTreeMap<&str, usize> = items
            .iter()
            .enumerate()
            .map(|(place, item)| (item.id.as_str(), place))
            .rev()
            .collect();
        let wholes: BTreeMap<&str, usize> = items
            .iter()
            .enumerate()
            .map(|(place, item)| (whole(&item.id), place))
            .rev()
            .collect();
        let prefix = format!("{task}:");
        let place_of = |id: &str| {
            let id = id.trim();
            let exact = |id: &str| places.get(id).copied();
            exact(id)
                .or_else(|| wholes.get(whole(id)).copied())
                .or_else(|| exact(id.strip_prefix(&prefix)?))
        };
        let nameless = !answers.is_empty() && answers.iter().all(|answer| answer.by_place);
        // Where the items have no identifiers of their own either, both are places, and any number of answers fits.
        let items_are_places = items
            .iter()
            .enumerate()
            .all(|(place, item)| item.id == place.to_string());
        let by_order = nameless && !items_are_places && answers.len() == items.len();
        let mut join = Self {
            answers: vec![None; items.len()],
            matched: 0,
            unmatched: 0,
            repeated: 0,
            by_order,
            cause: None,
            examples: (None, None),
        };
        for (order, answer) in answers.iter().enumerate() {
            let place = if by_order {
                Some(order)
            } else if nameless && !items_are_places {
                None
            } else {
                place_of(&answer.id)
            };
            match place.and_then(|place| join.answers.get_mut(place)) {
                Some(slot @ None) => {
                    *slot = Some(answer);
                    join.matched += 1;
                }
                Some(Some(_)) => join.repeated += 1,
                None => {
                    join.unmatched += 1;
                    join.examples.0.get_or_insert_with(|| clip(&answer.id));
                }
            }
        }
        if join.unmatched > 0 {
            let free = items
                .iter()
                .zip(&join.answers)
                .filter(|(_, answer)| answer.is_none());
            let free: Vec<&str> = free.map(|(item, _)| item.id.as_str()).collect();
            join.examples.1 = free.first().map(|id| clip(id));
            let lost = answers
                .iter()
                .filter(|answer| place_of(&answer.id).is_none());
            let lost: Vec<&str> = lost.map(|answer| answer.id.trim()).collect();
            join.cause = if nameless && !items_are_places {
                join.examples = (None, None);
                Some(JoinCause::NoIdentifiers)
            } else {
                cause(&lost, &free)
            };
        }
        join
    }

    /// Makes sure that an answer belongs to an item.
    ///
    /// # Errors
    /// [`NoMatch`], which says what may be the reason.
    pub fn check(&self) -> Result<(), NoMatch> {
        if self.matched > 0 {
            return Ok(());
        }
        Err(NoMatch {
            answers: self.unmatched,
            items: self.answers.len(),
            cause: self.cause,
            examples: self.examples.clone(),
        })
    }
}

/// A whole number with decimals that are zero, without them; any other text as it is.
fn whole(id: &str) -> &str {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    // A decimal comma has fewer than three zeros behind it, a comma between thousands has three.
    let comma = || id.split_once(',').filter(|(_, zeros)| zeros.len() < 3);
    match id.split_once('.').or_else(comma) {
        Some((digits, zeros))
            if is_digits(digits.strip_prefix('-').unwrap_or(digits))
                && !zeros.is_empty()
                && zeros.bytes().all(|b| b == b'0') =>
        {
            digits
        }
        _ => id,
    }
}

/// What `lost` identifiers of answers have in common with `free` ones of items.
fn cause(lost: &[&str], free: &[&str]) -> Option<JoinCause> {
    let same = |form: &dyn Fn(&str) -> String| {
        let free: BTreeSet<String> = free.iter().map(|id| form(id)).collect();
        lost.iter().any(|id| free.contains(&form(id)))
    };
    let bare = |id: &str| {
        let id = whole(id);
        let bare = id.trim_start_matches('0');
        (if bare.is_empty() { id } else { bare }).to_owned()
    };
    if same(&bare) {
        return Some(JoinCause::Zeros);
    }
    if same(&|id| id.to_lowercase()) {
        return Some(JoinCause::Case);
    }
    // The only number of an identifier.
    let number = |id: &str| {
        let mut runs = id
            .split(|c: char| !c.is_ascii_digit())
            .filter(|run| !run.is_empty());
        match (runs.next(), runs.next()) {
            (Some(run), None) => bare(run),
            _ => id.to_owned(),
        }
    };
    if same(&number) {
        return Some(JoinCause::Affixed);
    }
    let is_rounded = |id: &&str| {
        let digits = id
            .split_once("E+")
            .filter(|(_, power)| power.parse::<u32>().is_ok());
        digits.is_some_and(|(digits, _)| digits.replace(',', ".").parse::<f64>().is_ok())
    };
    if lost.iter().any(is_rounded) {
        return Some(JoinCause::Rounded);
    }
    // All but the first place belong to an item, although it is the item before.
    let numbers = free.iter().filter_map(|id| id.parse::<u64>().ok());
    let is_shifted = lost == ["0"] && free.len() == 1 && numbers.min().is_some_and(|last| last > 0);
    is_shifted.then_some(JoinCause::CountedFromZero)
}
