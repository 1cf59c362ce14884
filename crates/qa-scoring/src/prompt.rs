//! Prompts for a model; the wording is ours.
//!
//! They never contain the right answer or the program that computes it. The form of the answer is the one that the
//! rules by which it is graded read, so that a model that is always right scores 1 under every profile.

mod form;

use self::form::{AnswerForm, form_of};
use crate::grade::Settings;
use crate::item::{Gold, Item};
use crate::task::{Companion, Metric, Task};

/// An item as a model sees it: its own instruction, context, question and options.
///
/// ```
/// use qa_scoring::{Gold, Item, LetterSet, prompt};
/// let item = Item {
///     context: Some("Rates rise.".into()),
///     options: vec!["Bond prices".into(), "Yields".into()],
///     ..Item::new("1", "Which falls?", Gold::Letters(LetterSet::of_letter('A')))
/// };
/// let asked = prompt::question(&item);
/// assert_eq!(asked, "Rates rise.\n\nWhich falls?\n\nA. Bond prices\nB. Yields");
/// ```
#[must_use]
pub fn question(item: &Item) -> String {
    let mut parts: Vec<String> = Vec::new();
    let own = item.instruction.as_deref().unwrap_or_default().trim();
    if !own.is_empty() {
        parts.push(own.to_owned());
    }
    if let Some(context) = &item.context {
        parts.push(context.trim().to_owned());
    }
    // Line ends only: blanks at the front may be the indentation of code.
    parts.push(item.question.trim_matches('\n').to_owned());
    if !item.options.is_empty() {
        let lines: Vec<String> = ('A'..='Z')
            .zip(&item.options)
            .map(|(letter, option)| format!("{letter}. {option}"))
            .collect();
        parts.push(lines.join("\n"));
    }
    parts.join("\n\n")
}

/// How the questions of a task are put, where there is a choice. By default neither a role is told nor
/// reasoning asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PromptStyle {
    /// Whether the model is told its role, see [`role`].
    pub role: bool,
    /// Whether it is asked to reason step by step before the answer.
    pub reasoning: bool,
}

/// The instruction on the answer of a task.
///
/// The form of the answer is the one that the rules of `settings` read. With reasoning, the answer
/// comes last; where the rules read a whole reply ([`is_announced`]), it stands behind "Answer:".
///
/// ```
/// use qa_scoring::prompt::{PromptStyle, instruction};
/// use qa_scoring::{Profile, Settings};
/// let style = PromptStyle { role: true, reasoning: true };
/// let text = instruction("M&A".parse()?, style, &Settings::default());
/// assert!(text.starts_with("You are an expert trader in market trend analysis. Think step by step"));
/// let authors = Settings { profile: Profile::Authors, ..Settings::default() };
/// let text = instruction("FinKnow".parse()?, PromptStyle::default(), &authors);
/// assert!(text.contains(r#"{"final_answer": "B"}"#));
/// # Ok::<(), qa_scoring::task::UnknownTask>(())
/// ```
#[must_use]
pub fn instruction(task: Task, style: PromptStyle, settings: &Settings) -> String {
    let role = if style.role { role(task) } else { None };
    let who = match role {
        Some(role) => format!("You are an expert {role}."),
        None => "You answer questions of a business examination.".to_owned(),
    };
    // The strict forms of labels, free text and lists say "nothing else", which would forbid the
    // steps, so with reasoning the form is another one.
    let own = form::instruction(task, form_of(task, settings), style.reasoning);
    if style.reasoning {
        let form = own.unwrap_or_else(|| reasoned_form(task));
        format!("{who} {THINK} {form}")
    } else {
        format!("{who} {}", own.unwrap_or_else(|| strict_form(task)))
    }
}

// Some records bring an instruction of their own that asks for the label alone; the second sentence
// keeps it from forbidding the steps.
const THINK: &str = "Think step by step and write the steps down before you answer. If the question asks for the \
    answer alone, this holds for the end of your reply.";

/// The role in which BizCompass asks a task, such as "trader in market trend analysis"; `None` for the finance
/// sets, which have none.
///
/// Source: the prompts in the paper's appendix and, for tasks whose prompt it does not print, the folders of the
/// published data set, which are named by role and subject. The wording is ours.
#[must_use]
pub fn role(task: Task) -> Option<String> {
    match task {
        Task::Knowledge(domain, _) => Some(format!("researcher in {}", domain.subject())),
        Task::Application(task) => {
            let (folder, _) = task.file().split_once('/')?;
            let (role, subject) = folder.split_once('_')?;
            // The repository spells one of its folders so.
            let subject = subject
                .replace("Developmet", "Development")
                .replace('_', " ");
            Some(format!(
                "{} in {}",
                role.to_lowercase(),
                subject.to_lowercase()
            ))
        }
        Task::Finance(_) => None,
    }
}

/// Whether the rules of `settings` read the whole reply to a task as the answer, so that the answer has to be cut
/// out of a reply with reasoning: it is what follows the last "Answer:".
#[must_use]
pub fn is_announced(task: Task, settings: &Settings) -> bool {
    matches!(
        task.metric(),
        Metric::Label(_) | Metric::Rouge | Metric::JudgedLabel(_)
    ) || form_of(task, settings) == AnswerForm::Alone
}

/// Examples for an instruction: the questions of `items` with their right answers, in the form that
/// [`instruction`] asks for. Items without a right answer are left out.
///
/// ```
/// use qa_scoring::prompt::{PromptStyle, examples};
/// use qa_scoring::{Gold, Item, Settings};
/// let item = Item::new("1", "Profit rose.", Gold::Text("positive".into()));
/// let text = examples(&[&item], "FPB".parse()?, PromptStyle::default(), &Settings::default());
/// assert_eq!(text, "Examples:\n\nQuestion:\nProfit rose.\n\nReply:\npositive");
/// # Ok::<(), qa_scoring::task::UnknownTask>(())
/// ```
#[must_use]
pub fn examples(items: &[&Item], task: Task, style: PromptStyle, settings: &Settings) -> String {
    let title = if style.reasoning {
        "Examples; the steps before the answer are left out:"
    } else {
        "Examples:"
    };
    let pairs = items.iter().filter_map(|item| {
        let reply = example_reply(item, task, style, settings)?;
        let question = question(item);
        Some(format!("Question:\n{question}\n\nReply:\n{reply}"))
    });
    std::iter::once(title.to_owned())
        .chain(pairs)
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// The right answer of an item in the form that its [`instruction`] asks for; `None` for an item without one. This is
/// how a model that is always right answers.
///
/// ```
/// use qa_scoring::prompt::{PromptStyle, example_reply};
/// use qa_scoring::{Gold, Item, Profile, Settings};
/// let item = Item::new("1", "Current yield?", Gold::Text("7.5".into()));
/// let settings = Settings { profile: Profile::Authors, ..Settings::default() };
/// let reply = example_reply(&item, "FinCode".parse()?, PromptStyle::default(), &settings);
/// assert_eq!(reply.as_deref(), Some(r#"{"final_answer":"7.5"}"#));
/// # Ok::<(), qa_scoring::task::UnknownTask>(())
/// ```
#[must_use]
pub fn example_reply(
    item: &Item,
    task: Task,
    style: PromptStyle,
    settings: &Settings,
) -> Option<String> {
    let form = form_of(task, settings);
    let metric = task.metric();
    let answer = match (form, metric, &item.gold) {
        (_, _, Gold::Absent) => return None,
        (AnswerForm::Strict, Metric::Choice, Gold::Letters(letters)) => {
            format!("Answer: [[{letters}]]")
        }
        (AnswerForm::Strict, _, Gold::Letters(letters)) => format!("Answer: {letters}"),
        (AnswerForm::Strict, Metric::Program | Metric::Quantity, Gold::Text(text)) => {
            format!("Answer: [[{text}]]")
        }
        (AnswerForm::Strict, Metric::Formula, Gold::Text(text)) => format!("Answer: {text}"),
        (AnswerForm::Strict, Metric::Completion, Gold::Text(text)) => {
            format!("```python\n{text}\n```")
        }
        (_, _, Gold::Letters(letters)) => form::letters(form, *letters),
        (_, _, Gold::Text(text)) => form::text(form, metric, text),
    };
    Some(if style.reasoning && is_announced(task, settings) {
        format!("Answer: {answer}")
    } else {
        answer
    })
}

/// The form of a reply that is or ends with the answer.
fn strict_form(task: Task) -> String {
    match task.metric() {
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
    }
}

/// The form of a reply that begins with reasoning.
fn reasoned_form(task: Task) -> String {
    match task.metric() {
        Metric::Label(labels) => format!(
            "The answer is one of these words: {}. End your reply with a line of the form \"Answer: WORD\".",
            labels.join(", ")
        ),
        Metric::Rouge => reasoned_rouge_form(task).to_owned(),
        Metric::JudgedLabel(companion) => reasoned_companion_form(companion).to_owned(),
        Metric::Tags => "Give the tags in the order of the questions, separated by commas, on the last line \
             of your reply, which holds only the tags."
            .to_owned(),
        Metric::Completion => {
            "Complete the function. End your reply with its missing body in one fenced block of Python."
                .to_owned()
        }
        Metric::Letter
        | Metric::LetterSet
        | Metric::Choice
        | Metric::Judged
        | Metric::Program
        | Metric::Quantity
        | Metric::Formula => strict_form(task),
    }
}

fn reasoned_rouge_form(task: Task) -> &'static str {
    match task {
        Task::Application(crate::task::Application::EdtSum) => {
            "End your reply with one headline for the article, on a line of the form \"Answer: HEADLINE\"."
        }
        Task::Application(crate::task::Application::AtAlgorithm) => {
            "End your reply with the line \"Answer:\" and, below it, the algorithm in structured \
             pseudo-code, in one fenced block."
        }
        _ => {
            "Use only the text given. End your reply with the line \"Answer:\" and, below it, the answer \
             in a few clear paragraphs."
        }
    }
}

fn reasoned_companion_form(companion: Companion) -> &'static str {
    match companion {
        Companion::Number => {
            "The answer is a number (a share as a decimal fraction), or yes or no. End your reply with a \
             line of the form \"Answer: 12.5\"."
        }
        Companion::Spans => {
            "End your reply with the line \"Answer:\" and, below it, only the spans of the text, one on \
             each line, or the number."
        }
        Companion::Entities => {
            "End your reply with the line \"Answer:\" and, below it, every entity in the order of the \
             text, one on each line, as \"entity, TYPE\" with the types PER, ORG and LOC."
        }
        Companion::TokenTags => {
            "End your reply with the line \"Answer:\" and, below it, every token of the text in order, \
             one on each line, as \"token:TAG\": the tag of the financial statement item for numbers that \
             report one, O for all others."
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoned_instructions_ask_for_steps_and_leave_room_for_them() {
        let style = |reasoning| PromptStyle {
            reasoning,
            ..PromptStyle::default()
        };
        for task in Task::all() {
            let reasoned = instruction(task, style(true), &Settings::default());
            assert!(reasoned.contains("step by step"), "{task}: {reasoned}");
            assert!(!reasoned.contains("nothing else"), "{task}: {reasoned}");
            assert!(!reasoned.contains("nothing but"), "{task}: {reasoned}");
            let announced = reasoned.contains("\"Answer:");
            assert!(
                announced || !is_announced(task, &Settings::default()),
                "{task}: {reasoned}"
            );
            let direct = instruction(task, style(false), &Settings::default());
            assert!(!direct.contains("step by step"), "{task}: {direct}");
            let judged = task.metric() == Metric::Judged;
            let ends = reasoned.to_lowercase().contains("end your reply");
            assert!(
                judged || ends || reasoned.contains("last line"),
                "{task}: {reasoned}"
            );
        }
    }

    #[test]
    fn every_bizcompass_task_has_a_role() {
        let roles: Vec<(String, Option<String>)> = Task::all()
            .map(|task| (task.to_string(), role(task)))
            .collect();
        let of = |name: &str| {
            let found = roles.iter().find(|(task, _)| task == name).unwrap();
            found.1.clone()
        };
        assert_eq!(
            of("knowledge/om/table").unwrap(),
            "researcher in operations management"
        );
        assert_eq!(
            of("application/Taiwan").unwrap(),
            "consultant in fraud detection"
        );
        assert_eq!(
            of("application/AT_T_Strategy").unwrap(),
            "trader in algorithm trading"
        );
        assert_eq!(
            of("application/SD_C").unwrap(),
            "consultant in strategy development"
        );
        for (task, role) in roles {
            assert_eq!(role.is_none(), task.starts_with("finance/"), "{task}");
        }
    }

    #[test]
    fn examples_answer_in_the_form_that_is_asked_for() {
        use crate::letters::LetterSet;
        let reply = |task: &str, gold: Gold, reasoning| {
            let item = Item::new("1", "Q", gold);
            let style = PromptStyle {
                role: false,
                reasoning,
            };
            example_reply(&item, task.parse().unwrap(), style, &Settings::default()).unwrap()
        };
        let text = |text: &str| Gold::Text(text.to_owned());
        assert_eq!(reply("FPB", text("neutral"), false), "neutral");
        assert_eq!(reply("FPB", text("neutral"), true), "Answer: neutral");
        assert_eq!(
            reply("FRM", Gold::Letters(LetterSet::of_letter('B')), true),
            "Answer: B"
        );
        assert_eq!(reply("FinCode", text("12.5"), false), "Answer: [[12.5]]");
        assert_eq!(reply("formula", text("12.5"), false), "Answer: 12.5");
        let absent = Item::new("1", "Q", Gold::Absent);
        let frm = "FRM".parse().unwrap();
        assert_eq!(
            examples(
                &[&absent],
                frm,
                PromptStyle::default(),
                &Settings::default()
            ),
            "Examples:"
        );
    }
}
