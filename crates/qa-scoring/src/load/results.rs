//! BizCompass result files: the answers of a model, and their published evaluation.

use super::Loaded;
use super::knowledge::{OptionList, item, letters};
use super::record::{Reader, records};
use crate::error::LoadError;
use crate::item::Item;
use crate::letters::{LetterSet, only_letter};
use crate::task::QuestionType;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One answered question of a published result file.
///
/// The options were shuffled again for every run, so the right letter is the one *in this record*.
/// Never join results with the data set by identifier: accuracy would drop to chance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultRecord {
    /// The question as this model saw it, with the right answer as shuffled for it.
    pub item: Item,
    /// The model's reply; empty if none was stored.
    pub reply: String,
    /// The answer that the published inference extracted from the reply.
    pub answer: StoredAnswer,
}

/// The answer stored beside a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StoredAnswer {
    /// Option letters.
    Letters(LetterSet),
    /// Any other text.
    Text(String),
    /// The provider failed; its error was stored as the answer ("Error_503").
    ProviderError(String),
    /// Nothing.
    None,
}

impl StoredAnswer {
    /// Reads the stored value: a letter, a list of letters, or an error text.
    #[must_use]
    pub fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::None,
            Value::String(text) => Self::of_text(text),
            // An empty list is no answer, a list of other things is a text.
            Value::Array(items) => match letters(items, only_letter) {
                Some(set) if !set.is_empty() => Self::Letters(set),
                Some(_) => Self::None,
                None => Self::Text(crate::python::value_text(value)),
            },
            other => Self::Text(crate::python::value_text(other)),
        }
    }

    fn of_text(text: &str) -> Self {
        if text.trim().is_empty() {
            Self::None
        } else if is_provider_error(text) {
            Self::ProviderError(text.to_owned())
        } else if let Some(letter) = only_letter(text) {
            Self::Letters(LetterSet::of_letter(letter))
        } else {
            Self::Text(text.to_owned())
        }
    }

    /// The letters for scoring: an error or another text counts as no letters.
    #[must_use]
    pub fn letters(&self) -> LetterSet {
        match self {
            Self::Letters(set) => *set,
            _ => LetterSet::EMPTY,
        }
    }
}

/// Whether a stored reply is an error of the provider and not an answer.
///
/// ```
/// assert!(qa_scoring::load::is_provider_error("Error_503: overloaded"));
/// assert!(qa_scoring::load::is_provider_error("404 Not Found"));
/// assert!(qa_scoring::load::is_provider_error("Error 500: Internal Server Error"));
/// assert!(!qa_scoring::load::is_provider_error("429 million"));
/// assert!(!qa_scoring::load::is_provider_error("Error terms are independent."));
/// ```
#[must_use]
pub fn is_provider_error(text: &str) -> bool {
    let text = text.trim();
    // Nobody answers a question with one of these words alone; the others may be labels or spans.
    let own = [
        "Too Many Requests",
        "Internal Server Error",
        "Bad Gateway",
        "Service Unavailable",
        "Gateway Timeout",
        "Gateway Time-out",
    ];
    let others = [
        "Not Found",
        "Bad Request",
        "Unauthorized",
        "Forbidden",
        "Gateway Time",
        "Rate limit",
        "rate limit",
    ];
    // With its words: three digits alone begin many right answers.
    let has_status = |text: &str| {
        text.split_once([' ', ':']).is_some_and(|(code, rest)| {
            let rest = rest.trim_start_matches([' ', ':']);
            code.len() == 3
                && code
                    .parse::<u16>()
                    .is_ok_and(|code| (400..600).contains(&code))
                && own
                    .iter()
                    .chain(&others)
                    .any(|words| rest.starts_with(words))
        })
    };
    // "openai.RateLimitError: Error code: 429": the class of the exception stands before the message.
    let raised = text.split_once(": ").is_some_and(|(class, message)| {
        class.ends_with("Error")
            && !class.contains(char::is_whitespace)
            && message.starts_with("Error code: ")
    });
    // With the sign behind the word: answers on statistics begin with "Error terms".
    text.starts_with("Error_")
        || text.starts_with("Error code: ")
        || text.starts_with("This model's maximum context length is")
        || raised
        || own.contains(&text.trim_end_matches('.'))
        || ["", "Error ", "Error: ", "HTTP "]
            .iter()
            .any(|opening| text.strip_prefix(opening).is_some_and(has_status))
        || is_error_object(text)
}

/// Whether a text is the JSON of an error and nothing else: `{"error": {"message": "overloaded"}}`.
fn is_error_object(text: &str) -> bool {
    if !text.starts_with('{') {
        return false;
    }
    let Ok(Value::Object(fields)) = serde_json::from_str(text) else {
        return false;
    };
    // Beside other fields it may belong to an answer.
    let alone = fields
        .iter()
        .all(|(name, value)| name == "error" || name == "type" && value == "error");
    let message = fields.get("error").and_then(|error| error.get("message"));
    alone && message.is_some_and(Value::is_string)
}

/// Reads a result file of a question type: a JSON array or JSON lines, with any file name.
///
/// # Errors
/// [`LoadError`] at the first record that cannot be read.
///
/// A record with an error and no answer is a [`StoredAnswer::ProviderError`].
pub fn results(kind: QuestionType, bytes: &[u8]) -> Result<Loaded<ResultRecord>, LoadError> {
    records(
        bytes,
        |record: &ResultRecord| &record.item.id,
        |reader| result(reader, kind),
    )
}

fn result(reader: &mut Reader<'_>, kind: QuestionType) -> Result<ResultRecord, LoadError> {
    let item = item(reader, kind, OptionList::Optional)?;
    let stored = reader.needed(&["model_evaluation_result"])?;
    let Value::Object(inner) = stored else {
        return Err(reader.bad("model_evaluation_result", stored, "an object"));
    };
    let part = |name: &str| crate::extract::field(inner, name).unwrap_or(&Value::Null);
    let reply = part("model_raw_response")
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let mut answer = StoredAnswer::of_value(part("model_answer"));
    // Only without an answer, which may come from a second attempt.
    if let (StoredAnswer::None, Some(error)) = (&answer, part("error").as_str())
        && !error.trim().is_empty()
    {
        answer = StoredAnswer::ProviderError(error.to_owned());
    }
    // The verdicts of the published evaluation are known and not read: answers are graded anew.
    reader.finish(&["qid", "question", "pi_justification", "evaluation_result"]);
    Ok(ResultRecord {
        item,
        reply,
        answer,
    })
}

#[cfg(test)]
mod tests {
    use super::is_provider_error;

    #[test]
    fn errors_and_answers() {
        for error in [
            "Error: 429 rate limit exceeded",
            "Error 500: Internal Server Error",
            "HTTP 502 Bad Gateway",
            "openai.RateLimitError: Error code: 429",
            "Service Unavailable",
            r#"{"error": {"message": "overloaded", "code": 503}}"#,
            r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#,
        ] {
            assert!(is_provider_error(error), "{error}");
        }
        for answer in [
            "429 million",
            "Error: 429 million",
            "Error 500",
            "Unauthorized",
            "The service is unavailable",
            "TypeError: the code does not run",
            r#"{"error": 0.05}"#,
            r#"{"answer": 5, "error": {"message": "rounded"}}"#,
        ] {
            assert!(!is_provider_error(answer), "{answer}");
        }
    }
}
