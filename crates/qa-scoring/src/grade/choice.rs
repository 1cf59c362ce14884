//! Letters and labels.
//!
//! | task | strict, paper | authors | bizbench |
//! |---|---|---|---|
//! | one letter | the strict cascade | first A to D anywhere | double brackets |
//! | a set of letters | the strict cascade | the capitals A to D that stand alone | the strict cascade |
//! | one option | the strict cascade | `[[X]]`, letter, place or text | double brackets |
//! | one label | strict: the only label that occurs as a word; paper: the whole text | the whole text | the whole text |

use super::{AnswerOutcome, Detail, Grade, LetterReading, Settings};
use crate::extract::{self, lettered_options, letters, plain_label, published, written_options};
use crate::item::{Gold, Item};
use crate::letters::LetterSet;
use crate::metric::set_f1;
use crate::profile::Profile;
use crate::rules::{choice, number};

/// One letter.
pub(super) fn letter(settings: &Settings, item: &Item, reply: &str) -> Grade {
    let Some(right) = item.gold_letters() else {
        return Grade::no_gold();
    };
    let given = match (settings.letters, settings.profile) {
        (Some(reading), _) => first_letter(reading, item, reply),
        (None, Profile::Strict | Profile::Paper) => {
            first_letter(LetterReading::Strict, item, reply)
        }
        (None, Profile::Authors) => first_letter(LetterReading::Published, item, reply),
        (None, Profile::BizBench) => bizbench_letter(reply),
    };
    Grade::letters(right, given)
}

fn first_letter(reading: LetterReading, item: &Item, reply: &str) -> LetterSet {
    let letter = match reading {
        LetterReading::Strict => return strict_letter(item, reply),
        LetterReading::Published => published::evaluator_letter(reply),
        LetterReading::Api => published::api_letter(reply),
        LetterReading::Local => published::local_letters(reply).first().copied(),
    };
    letter.map_or(LetterSet::EMPTY, LetterSet::of_letter)
}

/// The letters by the strict cascade; where it finds none, those of the options that the reply writes out. One of them
/// may be "None of the above".
fn strict_letters(item: &Item, reply: &str) -> LetterSet {
    let found = letters(reply, item.option_count());
    if !found.is_empty() {
        return found;
    }
    written_options(reply, &item.options).unwrap_or_default()
}

/// The same for an item with one right letter.
fn strict_letter(item: &Item, reply: &str) -> LetterSet {
    let letter = strict_letters(item, reply).single();
    letter.map_or(LetterSet::EMPTY, LetterSet::of_letter)
}

/// A set of letters.
pub(super) fn letter_set(settings: &Settings, item: &Item, reply: &str) -> Grade {
    let Some(right) = item.gold_letters() else {
        return Grade::no_gold();
    };
    let given = match (settings.letters, settings.profile) {
        // The published evaluator stops at every right answer that is a list, so it has no rule for sets. What the
        // published inference reads is compared as a set.
        (Some(LetterReading::Local), _) | (None, Profile::Authors) => published::local_set(reply),
        // The BizBench pipeline has no questions with several right options.
        (Some(LetterReading::Strict), _)
        | (None, Profile::Strict | Profile::Paper | Profile::BizBench) => {
            // Options behind their letters, of which the cascade would read the first or the last.
            lettered_options(reply, &item.options).unwrap_or_else(|| strict_letters(item, reply))
        }
        // Both take the first letter, also where several are asked for.
        (Some(reading), _) => first_letter(reading, item, reply),
    };
    let f1 = set_f1(right, given);
    let grade = Grade::letters(right, given);
    if grade.outcome == AnswerOutcome::Wrong && f1 > 0.0 {
        grade.note(format!("partly right, f1 {f1:.3}"))
    } else {
        grade
    }
}

fn bizbench_letter(reply: &str) -> LetterSet {
    number::bizbench_brace(reply)
        .and_then(place_of)
        .map_or(LetterSet::EMPTY, LetterSet::of_index)
}

/// A number as a place from 0 to 25.
fn place_of(value: f64) -> Option<usize> {
    (0..26).find(|&place| place as f64 == value)
}

/// One option, given by letter, and in double brackets by place.
pub(super) fn option(profile: Profile, item: &Item, reply: &str) -> Grade {
    let Some(right) = item.gold_letters() else {
        return Grade::no_gold();
    };
    let given = match profile {
        Profile::Strict | Profile::Paper => strict_letter(item, reply),
        Profile::Authors => {
            let options: Vec<&str> = item.options.iter().map(String::as_str).collect();
            let label = choice::authors_label(reply, &options);
            let mut letters = label.chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) => LetterSet::of_letter(letter),
                _ => LetterSet::EMPTY,
            }
        }
        Profile::BizBench => bizbench_letter(reply),
    };
    Grade::letters(right, given)
}

/// One label of a closed set.
pub(super) fn label(profile: Profile, labels: &[&str], item: &Item, reply: &str) -> Grade {
    let Gold::Text(right) = &item.gold else {
        return Grade::no_gold();
    };
    let right = plain_label(right);
    let given = match profile {
        Profile::Strict => extract::label(reply, labels).map(str::to_owned),
        _ => {
            let plain = plain_label(reply);
            labels.contains(&plain.as_str()).then_some(plain)
        }
    };
    let mut grade = Grade::verdict(given.as_deref() == Some(right.as_str()));
    match &given {
        Some(given) => grade = grade.read(given.clone()),
        None => grade = grade.without_answer(),
    }
    grade.detail(Detail::Label { right, given })
}
