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
    /// Whether the answers name the places of their items in the file, counted from 0.
    pub by_place: bool,
    /// What is added to the identifiers of the answers, where they are counted from 0 and those of the items from 1 (1), or
    /// the other way round (-1); 0 otherwise.
    pub shift: i64,
    /// Whether the identifiers may be counted from 0 on one side and from 1 on the other, without certainty.
    is_open: bool,
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
    /// Numbers that may begin at 0 on one side and at 1 on the other.
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
                "the identifiers of one side seem to be counted from 0 and those of the other from 1; give the answers the identifiers of the items"
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

/// The error where no answer belongs to an item, or it is not certain to which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoMatch {
    is_open: bool,
    answers: usize,
    items: usize,
    cause: Option<JoinCause>,
    examples: (Option<String>, Option<String>),
}

impl fmt::Display for NoMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { answers, items, .. } = self;
        if self.is_open {
            f.write_str("it is not certain to which items the answers belong")?;
        } else if *answers == 0 {
            return write!(f, "there are no answers to the {items} items");
        } else {
            write!(
                f,
                "0 of {items} items have an answer: none of the {answers} answers has the identifier of an item"
            )?;
        }
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
            // In reverse, so that of several items with one identifier the first stays.
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
            // As it is written first: `1.0` may be an identifier of its own.
            exact(id)
                .or_else(|| wholes.get(whole(id)).copied())
                .or_else(|| exact(id.strip_prefix(&prefix)?))
        };
        let by_place = !answers.is_empty() && answers.iter().all(|answer| answer.place.is_some());
        let nameless = !answers.is_empty() && answers.iter().all(|answer| answer.by_place);
        // Where the items have no identifiers of their own either, both are places, and any number of answers fits.
        let items_are_places = items
            .iter()
            .enumerate()
            .all(|(place, item)| item.id == place.to_string());
        // Only as many as items: one answer too few, and all behind it would be shifted.
        let by_order = nameless && !items_are_places && answers.len() == items.len();
        let shift = if nameless || by_place {
            Some(0)
        } else {
            shift(items, answers, items_are_places)
        };
        let mut join = Self {
            by_place,
            shift: shift.unwrap_or(0),
            is_open: shift.is_none(),
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
            } else if by_place {
                answer.place
            } else if nameless && !items_are_places {
                None
            } else if join.shift != 0 {
                let shifted = counted(&answer.id).map(|id| id.saturating_add(join.shift));
                shifted.and_then(|id| place_of(&id.to_string()))
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
        if join.is_open {
            join.cause = Some(JoinCause::CountedFromZero);
            join.examples = (
                answers.first().map(|answer| clip(&answer.id)),
                items.first().map(|item| clip(&item.id)),
            );
        } else if join.unmatched > 0 {
            let free = items
                .iter()
                .zip(&join.answers)
                .filter(|(_, answer)| answer.is_none());
            let free: Vec<&str> = free.map(|(item, _)| item.id.as_str()).collect();
            join.examples.1 = free.first().map(|id| clip(id));
            let lost = answers
                .iter()
                // Without the shift: it is used only where every answer has an item by it, and then
                // none is lost.
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
        if self.matched > 0 && !self.is_open {
            return Ok(());
        }
        Err(NoMatch {
            is_open: self.is_open,
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
    // From the narrowest form to the widest: 001 and 1 would also be the same by their only number,
    // and the message would say less.
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
            // As spreadsheets write it; a program that rounds writes a small e.
            .split_once("E+")
            .filter(|(_, power)| power.parse::<u32>().is_ok());
        digits.is_some_and(|(digits, _)| digits.replace(',', ".").parse::<f64>().is_ok())
    };
    if lost.iter().any(is_rounded) {
        return Some(JoinCause::Rounded);
    }
    None
}

/// An identifier that is a whole number.
fn counted(id: &str) -> Option<i64> {
    whole(id.trim()).parse().ok()
}

/// What to add to the identifiers of `answers` so that they are those of their items; `None` where it is not certain.
///
/// All are whole numbers. 0 among the answers, and not among the items, says that the answers are counted from 0; the
/// number behind that of the last item, and no 0, that they are counted from 1. If a further answer then has no item, it
/// is not certain; nor are the numbers 1 to k as answers to more items without identifiers.
fn shift(items: &[Item], answers: &[Prediction], items_are_places: bool) -> Option<i64> {
    let all =
        |ids: &mut dyn Iterator<Item = &str>| ids.map(counted).collect::<Option<BTreeSet<i64>>>();
    let wanted = all(&mut items.iter().map(|item| item.id.as_str()));
    let given = all(&mut answers.iter().map(|answer| answer.id.as_str()));
    let (Some(wanted), Some(given)) = (wanted, given) else {
        return Some(0);
    };
    let (Some(first), Some(last)) = (wanted.first().copied(), wanted.last().copied()) else {
        return Some(0);
    };
    let fits = |shift: i64| {
        given
            .iter()
            .all(|id| wanted.contains(&id.saturating_add(shift)))
    };
    let has_one = given.iter().any(|id| wanted.contains(id));
    // Items with gaps are a selection: an answer without an item may then belong to one that was
    // left out, and gives no reason for a doubt.
    let is_count =
        i64::try_from(wanted.len()).is_ok_and(|count| last.saturating_sub(first) == count - 1);
    let shift = match first {
        1 if given.contains(&0) => 1,
        0 if !given.contains(&0) && given.contains(&last.saturating_add(1)) => -1,
        // One answer alone is not a count, and as many answers as items would reach beyond the last
        // one.
        0 if items_are_places && given.len() > 1 && given.len() < wanted.len() => {
            let from_one = given.iter().zip(1..).all(|(id, place)| *id == place);
            return (!from_one).then_some(0);
        }
        _ => return Some(0),
    };
    if fits(shift) {
        Some(shift)
    } else if has_one && is_count {
        None
    } else {
        Some(0)
    }
}
