//! Forms of an answer that other rules than the strict ones read.

use crate::grade::{LetterReading, ReplyForm, Settings, TagRule};
use crate::letters::LetterSet;
use crate::profile::Profile;
use crate::python::float_text;
use crate::rules::program::right_number;
use crate::task::{Metric, Task};
use serde_json::json;

/// Where in a reply the rules look for the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerForm {
    /// Where the strict rules of the task find it.
    Strict,
    /// The whole reply is the answer.
    Alone,
    /// In a JSON object under `final_answer`, where the finance benchmark's code cuts it out.
    Final,
    /// Between the only double square brackets of the reply, as the BizBench pipeline reads it.
    Brackets,
}

/// The form of the answers to `task` that the rules of `settings` read.
pub(super) fn form_of(task: Task, settings: &Settings) -> AnswerForm {
    let profile = settings.profile;
    // The code of the finance benchmark cuts the answer out, unless that was done before.
    let authors = match settings.form {
        ReplyForm::Full => AnswerForm::Final,
        ReplyForm::Answer => AnswerForm::Alone,
    };
    let metric = task.metric();
    match metric {
        Metric::Letter | Metric::LetterSet => match (settings.letters, profile) {
            (Some(LetterReading::Strict), _) | (None, Profile::Strict | Profile::Paper) => {
                AnswerForm::Strict
            }
            (Some(_), _) | (None, Profile::Authors) => AnswerForm::Alone,
            (None, Profile::BizBench) if metric == Metric::Letter => AnswerForm::Brackets,
            // The pipeline has no sets of letters, so the paper's rule holds.
            (None, Profile::BizBench) => AnswerForm::Strict,
        },
        Metric::Choice | Metric::Program => match profile {
            Profile::Strict | Profile::Paper => AnswerForm::Strict,
            Profile::Authors => authors,
            Profile::BizBench => AnswerForm::Brackets,
        },
        Metric::Quantity => match profile {
            Profile::Strict => AnswerForm::Strict,
            Profile::Paper => AnswerForm::Alone,
            Profile::Authors => authors,
            Profile::BizBench => AnswerForm::Brackets,
        },
        Metric::Formula => match profile {
            Profile::Strict | Profile::Paper => AnswerForm::Strict,
            Profile::Authors => authors,
            Profile::BizBench => AnswerForm::Alone,
        },
        Metric::Tags => match (settings.tags, profile) {
            (Some(TagRule::Strict), _) | (None, Profile::Strict) => AnswerForm::Strict,
            (_, Profile::Authors) => authors,
            _ => AnswerForm::Alone,
        },
        // The strict form of a label is the whole reply or follows "Answer:", and all profiles read free text and
        // programs in the same way.
        Metric::Label(_)
        | Metric::Rouge
        | Metric::Judged
        | Metric::JudgedLabel(_)
        | Metric::Completion => AnswerForm::Strict,
    }
}

/// What is asked for, an example of its answer, and what the form of the answer must hold besides.
fn wanted(metric: Metric) -> Option<(&'static str, &'static str, &'static str)> {
    Some(match metric {
        Metric::Letter | Metric::Choice => ("Exactly one option is right.", "B", "its letter"),
        Metric::LetterSet => (
            "Two or more options are right.",
            "A, C",
            "the letters of all of them, separated by commas",
        ),
        Metric::Program => (
            "Compute the numeric answer.",
            "12.5",
            "the number without units",
        ),
        Metric::Quantity => (
            "Find the quantity asked for.",
            "1,234",
            "the quantity as it stands in the text",
        ),
        Metric::Formula => (
            "Compute the answer.",
            "12.5",
            "a plain number with all units written out (5 million is 5000000)",
        ),
        Metric::Tags => (
            "Give the tags in the order of the questions.",
            "Revenues, Goodwill",
            "the tags, separated by commas",
        ),
        _ => return None,
    })
}

/// The instruction for a form other than the strict one; `None` for the strict one. `reasoning` leaves room before
/// the answer.
pub(super) fn instruction(task: Task, form: AnswerForm, reasoning: bool) -> Option<String> {
    let metric = task.metric();
    let (what, example, content) = wanted(metric)?;
    Some(match (form, reasoning) {
        (AnswerForm::Strict, _) => return None,
        (AnswerForm::Alone, false) => {
            format!("{what} Reply with {content} and nothing else, such as \"{example}\".")
        }
        (AnswerForm::Alone, true) => format!(
            "{what} End your reply with a line of the form \"Answer: {example}\": {content}."
        ),
        (AnswerForm::Final, false) => format!(
            "{what} Reply with a JSON object and nothing else, of the form \
             {{\"final_answer\": \"{example}\"}}: {content}."
        ),
        (AnswerForm::Final, true) => format!(
            "{what} End your reply with a line that is a JSON object of the form \
             {{\"final_answer\": \"{example}\"}}: {content}."
        ),
        (AnswerForm::Brackets, _) => {
            let more = match metric {
                Metric::Letter | Metric::Choice => {
                    "its letter in double brackets, or from the fifth option on its place, counted from 0 \
                     ([[4]] for E)"
                }
                Metric::Program => {
                    "the number in double brackets. Or write, in place of that line, a Python program in one fenced \
                     block whose two lines of backticks begin at the start of a line and whose last line is \
                     an expression with the numeric answer; it sees the standard library and no table"
                }
                _ => {
                    "the quantity as it stands in the text in double brackets, a number without currency, units \
                     and round brackets"
                }
            };
            format!(
                "{what} End your reply with a line of the form \"Answer: [[{example}]]\", {more}. Use double \
                 brackets nowhere else{}.",
                match metric {
                    Metric::Program => ", and backticks for that program only",
                    _ => "",
                }
            )
        }
    })
}

/// The right letters in a form other than the strict one.
pub(super) fn letters(form: AnswerForm, letters: LetterSet) -> String {
    match form {
        AnswerForm::Brackets => {
            // Letters beyond D are not places in the pipeline.
            let place = (0..26).find(|&place| letters == LetterSet::of_index(place));
            match place {
                Some(place @ 4..) => format!("Answer: [[{place}]]"),
                _ => format!("Answer: [[{letters}]]"),
            }
        }
        form => text(form, Metric::Letter, &letters.to_string()),
    }
}

/// A right answer in a form other than the strict one.
pub(super) fn text(form: AnswerForm, metric: Metric, answer: &str) -> String {
    match form {
        AnswerForm::Strict | AnswerForm::Alone => answer.to_owned(),
        AnswerForm::Final => json!({"final_answer": answer}).to_string(),
        AnswerForm::Brackets => {
            let is_word = |c: char| c.is_alphabetic();
            // The pipeline reads a number in round brackets as none.
            match right_number(answer).filter(|_| !answer.contains(is_word)) {
                Some(number) if metric == Metric::Quantity => {
                    format!("Answer: [[{}]]", float_text(number))
                }
                _ => format!("Answer: [[{answer}]]"),
            }
        }
    }
}
