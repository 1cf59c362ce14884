//! Which field of a file holds the replies.

use crate::error::LoadError;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The name under which a value without a field, such as that of `{id: answer}`, is kept as a record.
// With a zero byte, so that no column of a table and no usual key is taken for it.
pub(super) const VALUE: &str = "\0value";

/// Names of the reply, in this order.
const REPLY: [&str; 31] = [
    VALUE,
    "prediction",
    "reply",
    "response",
    "raw",
    "model_output",
    "model_response",
    "model_answer",
    "model_prediction",
    "model_reply",
    "predicted_answer",
    "predicted_text",
    "predicted",
    "pred",
    "generated_text",
    "generated_answer",
    "generated_response",
    "generation",
    "generated",
    "llm_response",
    "llm_output",
    "llm_answer",
    "raw_response",
    "raw_output",
    "raw_prediction",
    "response_text",
    "output_text",
    "actual_output",
    "assistant_response",
    "model_evaluation_result",
    "sage_maker_output",
];

/// Names of a list of replies to one item, which come behind those.
pub(super) const SEVERAL: [&str; 7] = [
    "resps",
    "filtered_resps",
    "predictions",
    "responses",
    "outputs",
    "completions",
    "generations",
];

/// Names that come after all others, in this order: the first five are also used for the right answer, `text`
/// and `content` for the question.
const EITHER: [&str; 12] = [
    "output",
    "completion",
    "final_answer",
    "answer",
    "result",
    "messages",
    "conversations",
    "choices",
    "text",
    "content",
    // EvalPlus; Ollama.
    "solution",
    "message",
];

/// The names that a message offers.
pub(super) const REPLY_OFFERED: [&str; 5] =
    ["prediction", "response", "output", "completion", "answer"];

/// Words of names that say that a field is not a reply but something about it, or belongs to the question.
const NOT_A_REPLY: [&str; 3] = [
    // Numbers and states of a request.
    "id ids idx index uuid key time timestamp created date seconds sec ms latency duration elapsed token \
     tokens length len count num number n cost price usd score scores prob probs probability logprob \
     logprobs logit logits confidence correct accuracy acc is has match matches error errors status code \
     finish stop type format name version config params temperature seed file path url hash size usage \
     rate role loss rank epoch attempt attempts",
    // What a model says beside its answer.
    "reason reasoning rationale explanation thought thoughts thinking cot justification analysis comment \
     comments note notes",
    // The question and its right answer.
    "question prompt input instruction instructions context sentence query passage document article \
     options topic category subject task dataset source gold target truth expected reference ref true \
     split",
];

/// Whether a field or column has a name, whatever its case and between its words: `Question ID`, `questionId` and
/// `question_id` are the same.
pub(super) fn is_name(key: &str, name: &str) -> bool {
    fn letters(text: &str) -> impl Iterator<Item = char> {
        let letters = text.trim().chars();
        letters
            // Without a copy: each field of each record is compared with some seventy names.
            .filter(|c| !matches!(c, ' ' | '_' | '-'))
            .map(|c| c.to_ascii_lowercase())
    }
    letters(key).eq(letters(name))
}

/// The words of a name in lower case: `predLabel_1` has `pred`, `label`, and `1`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut last = ' ';
    for c in name.chars() {
        let is_break = (c.is_uppercase() && last.is_lowercase())
            || (c.is_ascii_digit() != last.is_ascii_digit() && last.is_alphanumeric());
        if is_break || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        last = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

fn is_about_a_reply(words: &[String]) -> bool {
    let mut known = NOT_A_REPLY.iter().flat_map(|list| list.split(' '));
    known.any(|known| words.iter().any(|word| word == known))
}

/// Whether a name is of the kind of those of replies: `y_pred`, `predicted_label`, `gpt4_response`, `model_label`.
fn is_of_reply_kind(name: &str) -> bool {
    let words = words(name);
    if is_about_a_reply(&words) {
        return false;
    }
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let is_said = words.iter().any(|word| word.starts_with("predict"))
        || has(&[
            "pred",
            "preds",
            "hyp",
            "hyps",
            "hypothesis",
            "hypotheses",
            "hat",
            "yhat",
            "ypred",
            "reply",
            "replies",
            "response",
            "responses",
            "generated",
            "generation",
            "guess",
            "guesses",
        ]);
    let value = [
        "label",
        "answer",
        "class",
        "choice",
        "verdict",
        "sentiment",
        "result",
        "text",
        "decision",
        "value",
    ];
    let of_model = has(&[
        "model",
        "llm",
        "lm",
        "assistant",
        "agent",
        "bot",
        "student",
        "extracted",
        "parsed",
    ]) && (has(&value) || has(&["output", "completion"]));
    is_said || of_model || (has(&["output", "outputs", "completion"]) && has(&value))
}

/// The name of the reply's field among `names`; `None` if there is none.
///
/// # Errors
/// Those that it could be, where there are several.
pub(super) fn reply_name<'a>(
    names: &(impl Iterator<Item = &'a str> + Clone),
) -> Result<Option<&'a str>, Vec<&'a str>> {
    let known = |known: &[&str]| {
        let mut known = known.iter();
        known.find_map(|known| names.clone().find(|name| is_name(name, known)))
    };
    // Known names before kinds of names: beside a `model_label`, `prediction` is the reply.
    if let Some(name) = known(&REPLY).or_else(|| known(&SEVERAL)) {
        return Ok(Some(name));
    }
    let of_kind: Vec<&str> = names
        .clone()
        .filter(|name| is_of_reply_kind(name))
        .collect();
    match of_kind.as_slice() {
        // Last, because questions and right answers are called so as well.
        [] => Ok(known(&EITHER)),
        [name] => Ok(Some(name)),
        _ => Err(of_kind),
    }
}

/// Whether one of the names is exactly that of a reply.
pub(super) fn is_known_name<'a>(mut names: impl Iterator<Item = &'a str>) -> bool {
    names.any(|name| {
        let known = REPLY.iter().chain(&SEVERAL).chain(&EITHER);
        known.into_iter().any(|known| is_name(name, known))
    })
}

/// [`reply_name`] of a record.
pub(super) fn reply_key(fields: &Map<String, Value>) -> Result<Option<&str>, Vec<&str>> {
    reply_name(&fields.keys().map(String::as_str))
}

/// Most fields that an error names.
const MOST_NAMED: usize = 6;

/// The error for several fields that could hold the replies.
pub(super) fn several(names: &[&str]) -> LoadError {
    LoadError::SeveralReplies {
        names: names
            .iter()
            .take(MOST_NAMED)
            .map(|name| (*name).to_owned())
            .collect(),
        more: names.len().saturating_sub(MOST_NAMED),
    }
}

/// Most fields that are tried in place of the one that the names say. With more, the file must name the replies.
// For each of them the whole file is read and all of its records are graded. With a fixed number of them the time stays
// proportional to the file; a limit on fields times records would let a record of a million fields take their square.
const MOST_RIVALS: usize = 50;

/// The field of the replies where the name alone leaves it open, by the items: a field with the right answer, or the
/// question, in every record is not the reply if another one could be.
///
/// `read` reads the replies of one field, and `seen` says what they are to the items. `None` where the name decides.
///
/// # Errors
/// [`LoadError::SeveralReplies`] when the items leave it open too, or more than [`MOST_RIVALS`] fields could be the reply.
pub(super) fn decided_by_items<R>(
    objects: &[Map<String, Value>],
    is_id: impl Fn(&str) -> bool,
    read: impl Fn(&str) -> Result<R, LoadError>,
    seen: impl Fn(&R) -> Vec<Seen>,
) -> Result<Option<String>, LoadError> {
    let Some(Ok(Some(named))) = objects.first().map(reply_key) else {
        return Ok(None);
    };
    if !EITHER.iter().any(|name| is_name(named, name)) {
        return Ok(None);
    }
    let is_free = |name: &str| {
        let words = words(name);
        name != named && !words.is_empty() && !is_id(name) && !is_about_a_reply(&words)
    };
    let is_filled = |cell: &Value| match cell {
        Value::String(text) => !text.trim().is_empty(),
        Value::Number(_) | Value::Array(_) => true,
        _ => false,
    };
    let filled = objects.iter().flatten();
    let filled = filled.filter_map(|(name, cell)| is_filled(cell).then_some(name.as_str()));
    let mut known = BTreeSet::new();
    let rivals: Vec<&str> = filled
        .filter(|name| known.insert(*name) && is_free(name))
        .collect();
    // Doubted only where it holds what the items have anyway.
    if rivals.is_empty() || !is_given(&seen(&read(named)?)) {
        return Ok(None);
    }
    if rivals.len() > MOST_RIVALS {
        return Err(several(&[&[named], rivals.as_slice()].concat()));
    }
    let mut could_be = Vec::new();
    let mut is_open = false;
    for rival in rivals {
        // What cannot be read as replies is no rival.
        let Ok(replies) = read(rival) else { continue };
        let seen = seen(&replies);
        let read = seen.iter().filter(|seen| seen.is_read).count();
        if is_given(&seen) || read == 0 {
            continue;
        }
        // A field from which fewer than half of the answers can be read may be something else, so
        // it does not decide alone.
        is_open |= 2 * read < seen.len();
        could_be.push(rival);
    }
    match could_be.as_slice() {
        [] => Ok(None),
        [name] if !is_open => Ok(Some((*name).to_owned())),
        _ => {
            could_be.insert(0, named);
            Err(several(&could_be))
        }
    }
}

/// What a text says to an item.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    /// Whether it is right.
    pub(crate) is_right: bool,
    /// Whether it is part of the question.
    pub(crate) is_asked: bool,
    /// Whether an answer is read from it.
    pub(crate) is_read: bool,
}

/// Whether the texts are the right answers, or the questions.
fn is_given(seen: &[Seen]) -> bool {
    !seen.is_empty()
        && (seen.iter().all(|seen| seen.is_right) || seen.iter().all(|seen| seen.is_asked))
}
