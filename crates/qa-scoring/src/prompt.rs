//! Prompts for a model; the wording is ours.
//!
//! They never contain the right answer or the program that computes it.

use crate::item::Item;
use crate::task::{Companion, Metric, Task};
use serde::{Deserialize, Serialize};

/// A prompt for a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionPrompt {
    /// The kind and form of the answer.
    pub system: String,
    /// The item: context, question, options.
    pub question: String,
}

/// The prompt of an item.
///
/// ```
/// use qa_scoring::{Gold, Item, LetterSet, prompt};
/// let item = Item {
///     context: Some("Rates rise.".into()),
///     options: vec!["Bond prices".into(), "Yields".into()],
///     ..Item::new("1", "Which falls?", Gold::Letters(LetterSet::of_letter('A')))
/// };
/// let asked = prompt::of(&item, "FRM".parse().unwrap());
/// assert_eq!(asked.question, "Rates rise.\n\nWhich falls?\n\nA. Bond prices\nB. Yields");
/// ```
#[must_use]
pub fn of(item: &Item, task: Task) -> QuestionPrompt {
    let mut parts: Vec<String> = Vec::new();
    let instruction = item.instruction.as_deref().unwrap_or_default().trim();
    if !instruction.is_empty() {
        parts.push(instruction.to_owned());
    }
    if let Some(context) = &item.context {
        parts.push(context.trim().to_owned());
    }
    parts.push(item.question.trim_matches('\n').to_owned());
    if !item.options.is_empty() {
        let lines: Vec<String> = ('A'..='Z')
            .zip(&item.options)
            .map(|(letter, option)| format!("{letter}. {option}"))
            .collect();
        parts.push(lines.join("\n"));
    }
    QuestionPrompt {
        system: system(task),
        question: parts.join("\n\n"),
    }
}

/// The instruction on the answer of a task.
///
/// Its form is the one that the strict rules of the task find first.
fn system(task: Task) -> String {
    let form = match task.metric() {
        Metric::Letter => {
            "Exactly one option is right. End your reply with a line of the form \"Answer: B\".".to_owned()
        }
        Metric::LetterSet => "Two or more options are right. End your reply with a line that names all of \
             them, of the form \"Answer: A, C\"."
            .to_owned(),
        Metric::Choice => {
            "Exactly one option is right. End your reply with a line of the form \"Answer: [[B]]\", its letter \
             in double brackets."
                .to_owned()
        }
        Metric::Label(labels) => format!(
            "Answer with one of these words and nothing else: {}.",
            labels.join(", ")
        ),
        Metric::Rouge => rouge_form(task).to_owned(),
        Metric::Judged => "Answer every part of the question under its number, with the reasoning that \
             leads to it. Use only what the question gives you."
            .to_owned(),
        Metric::JudgedLabel(companion) => companion_form(companion).to_owned(),
        Metric::Program => "Write a Python program in one fenced block whose last line is an expression \
             with the numeric answer, using the standard library only. A table of the question is there as \
             the dictionary df, df[row][column]. Behind the block end your reply with a line of the \
             form \"Answer: [[12.5]]\", the number in double brackets."
            .to_owned(),
        Metric::Quantity => "Find the quantity asked for and end your reply with a line of the form \"Answer: [[1,234]]\", \
             the quantity as it stands in the text in double brackets."
            .to_owned(),
        Metric::Formula => "Compute the answer and end your reply with a line of the form \"Answer: 12.5\", a \
             plain number with all units written out (5 million is 5000000)."
            .to_owned(),
        Metric::Tags => "Give the tags in the order of the questions, separated by commas, on the last line \
             of your reply and nothing else on it."
            .to_owned(),
        Metric::Completion => "Complete the function: reply with its missing body, and nothing but it, in \
             one fenced block of Python."
            .to_owned(),
    };
    format!("You answer questions of a business examination. {form}")
}

fn rouge_form(task: Task) -> &'static str {
    match task {
        Task::Application(crate::task::Application::EdtSum) => {
            "Reply with one headline for the article and nothing else."
        }
        Task::Application(crate::task::Application::AtAlgorithm) => {
            "Reply with the algorithm in structured pseudo-code, in one fenced block."
        }
        _ => "Answer in a few clear paragraphs, from the text given and nothing else.",
    }
}

fn companion_form(companion: Companion) -> &'static str {
    match companion {
        Companion::Number => {
            "Reply with the number, or with yes or no, and nothing else; a share as a decimal fraction."
        }
        Companion::Spans => {
            "Reply with the answer only: the spans of the text, one on each line, or the number."
        }
        Companion::Entities => {
            "List every entity in the order of the text, one on each line, as \"entity, TYPE\" with the \
             types PER, ORG and LOC, and nothing else."
        }
        Companion::TokenTags => {
            "List every token of the text in order, one on each line, as \"token:TAG\": the tag of the \
             financial statement item for numbers that report one, O for all others."
        }
    }
}
