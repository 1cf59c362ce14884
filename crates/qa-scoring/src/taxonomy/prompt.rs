//! The prompt of a classifier; the wording is ours.

use crate::item::Item;
use crate::judge::JudgeRequest;
use crate::span::first_chars;
use serde::Serialize;

/// Maximum number of characters of an item's context that a classifier sees.
// The limits of the published classifier: with others its labels would not be comparable.
pub const CONTEXT_LIMIT: usize = 3_500;

/// Maximum number of characters of an item's program that a classifier sees.
pub const PROGRAM_LIMIT: usize = 1_200;

const SYSTEM: &str = "\
You label examination questions: which ability does a question mainly test, and how hard is it? You do not \
answer the question.

Abilities, choose exactly one:
- Information Extraction: the answer stands in the given text or table and only has to be found and copied.
- Numerical Calculation: some computation is needed, be it one subtraction, a ratio, a sum, a comparison of \
figures, a formula, or a program that computes. A value that must be looked up and then used in a \
computation belongs here.
- Domain Knowledge: the question tests what a specialist knows: concepts, standards, tags of financial \
statements, formulas as such.
- Complex Reasoning: the question asks for a judgement or a decision in a situation, weighing constraints.

Difficulty, from 0 (trivial) to 10 (extremely hard); use the whole scale:
- 0 to 3 for a single look-up or a plain recall;
- 6 and more for long contexts, several dependent steps, easily confused concepts, or a real decision;
- a choice among dozens of similar labels is hard (7 to 10) even where the text is short, and several \
questions in one make it harder.

Reply with exactly these three lines, plain text:
Capability: <one of the four names>
DifficultyScore: <number>
Reasoning: <at most four sentences>";

/// The parts of an item that a classifier sees, in this order.
#[derive(Serialize)]
struct Block<'a> {
    question: String,
    context: Option<String>,
    context_characters: usize,
    options: &'a [String],
    program: Option<String>,
}

/// The request that labels an item. Contexts and programs are cut off at [`CONTEXT_LIMIT`] and
/// [`PROGRAM_LIMIT`] characters; the prompt then states their full length.
#[must_use]
pub fn classify_request(task: &str, item: &Item) -> JudgeRequest {
    let context = item.context.as_deref().unwrap_or_default();
    let shown = |text: &str, limit: usize| -> Option<String> {
        (!text.is_empty()).then(|| clipped(text, limit))
    };
    let block = Block {
        // Twice the length, because in two of the sets the question is the whole prompt.
        question: clipped(&item.question, 2 * CONTEXT_LIMIT),
        context: shown(context, CONTEXT_LIMIT),
        context_characters: context.chars().count(),
        options: &item.options,
        // Though no model that answers may see it: its steps show what the question needs, and a
        // classifier does not answer.
        program: item
            .program
            .as_deref()
            .and_then(|p| shown(p, PROGRAM_LIMIT)),
    };
    let text = serde_json::to_string_pretty(&block).unwrap_or_default();
    JudgeRequest::first(0, SYSTEM, format!("Task: {task}\n\n{text}"))
}

/// At most `limit` characters, the last three of them dots if something was cut off.
fn clipped(text: &str, limit: usize) -> String {
    if text.chars().nth(limit).is_none() {
        text.to_owned()
    } else {
        format!("{}...", first_chars(text, limit - 3))
    }
}
