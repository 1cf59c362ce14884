//! Reading the model's replies at each step.
//!
//! Every reader removes thinking first and takes the last JSON object that has the needed field, as judges' replies are
//! read. What it refuses is sent back once with the reason.

use crate::judge::{UnreadableReply, bad, object};
use crate::quality::{Conversion, ErrorKind, Quality};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A question with its answer and the quotations that support it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionDraft {
    /// The question.
    pub question: String,
    /// Its answer.
    pub answer: String,
    /// Sentences of the source.
    pub evidence: Vec<String>,
}

impl QuestionDraft {
    /// The first quotation that is not in `text`, ignoring white space; `None` if all are.
    ///
    /// ```
    /// use qa_scoring::construct::QuestionDraft;
    /// let draft = QuestionDraft {
    ///     question: "Why?".to_owned(),
    ///     answer: "So.".to_owned(),
    ///     evidence: vec!["Prices  rise.".to_owned(), "Demand grows.".to_owned()],
    /// };
    /// assert_eq!(draft.missing_quotation("Prices rise.\nDemand falls."), Some("Demand grows."));
    /// ```
    #[must_use]
    pub fn missing_quotation(&self, text: &str) -> Option<&str> {
        let plain = |text: &str| text.split_whitespace().collect::<Vec<&str>>().join(" ");
        let text = plain(text);
        self.evidence
            .iter()
            .find(|quotation| {
                let quotation = plain(quotation);
                // An empty quotation is in every text.
                quotation.is_empty() || !text.contains(&quotation)
            })
            .map(String::as_str)
    }
}

/// Options for a question: the right one and the wrong ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerOptions {
    /// The question, asking for one option.
    pub question: String,
    /// The right option.
    pub right: String,
    /// The wrong ones.
    pub distractors: Vec<Distractor>,
}

/// A wrong option and the kind of mistake behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distractor {
    /// The option.
    pub text: String,
    /// The mistake.
    pub kind: ErrorKind,
}

fn text(fields: &Map<String, Value>, field: &str) -> Result<String, UnreadableReply> {
    let value = fields.get(field).unwrap_or(&Value::Null);
    value
        .as_str()
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .ok_or_else(|| bad(field, value))
}

/// A number from `low` to 10.
fn number(fields: &Map<String, Value>, field: &str, low: f64) -> Result<f64, UnreadableReply> {
    let value = fields.get(field).unwrap_or(&Value::Null);
    value
        .as_f64()
        .filter(|n| (low..=10.0).contains(n))
        .ok_or_else(|| bad(field, value))
}

/// The questions of a reply, at most `limit`.
///
/// # Errors
/// [`UnreadableReply`] when it has no list of them, or a part of one is missing.
pub fn read_drafts(reply: &str, limit: usize) -> Result<Vec<QuestionDraft>, UnreadableReply> {
    let fields = object(reply, "questions")?;
    let list = fields.get("questions").unwrap_or(&Value::Null);
    let items = list.as_array().ok_or_else(|| bad("questions", list))?;
    items
        .iter()
        // Before they are read, so that a fault in a superfluous question refuses nothing.
        .take(limit)
        .map(|item| {
            let fields = item.as_object().ok_or_else(|| bad("questions", item))?;
            let quotations = fields.get("evidence").unwrap_or(&Value::Null);
            let evidence: Option<Vec<String>> = quotations
                .as_array()
                .map(|list| list.iter().map(|q| q.as_str().map(str::to_owned)).collect())
                .unwrap_or_default();
            Ok(QuestionDraft {
                question: text(fields, "question")?,
                answer: text(fields, "answer")?,
                evidence: evidence
                    .filter(|list| !list.is_empty())
                    .ok_or_else(|| bad("evidence", quotations))?,
            })
        })
        .collect()
}

/// The three scores of a reply, whole numbers 1 to 10.
///
/// # Errors
/// [`UnreadableReply`] when one is missing, not a whole number, or out of range.
pub fn read_scores(reply: &str) -> Result<Quality, UnreadableReply> {
    let fields = object(reply, "A")?;
    let whole = |field: &str| -> Result<f64, UnreadableReply> {
        let score = number(&fields, field, 1.0)?;
        // The rubric has whole scores; a fraction shows that the model has a scale of its own.
        if score.fract() == 0.0 {
            Ok(score)
        } else {
            Err(bad(field, &score.into()))
        }
    };
    Ok(Quality {
        depth: whole("A")?,
        synthesis: whole("B")?,
        centrality: whole("C")?,
    })
}

/// The two suitability scores of a reply, 0 to 10 each.
///
/// # Errors
/// [`UnreadableReply`] when one is missing or out of range.
pub fn read_suitability(reply: &str) -> Result<Conversion, UnreadableReply> {
    let fields = object(reply, "clarity")?;
    Ok(Conversion {
        clarity: number(&fields, "clarity", 0.0)?,
        misconception: number(&fields, "misconception", 0.0)?,
    })
}

/// The options of a reply, with exactly `count` wrong ones of known kinds.
///
/// # Errors
/// [`UnreadableReply`] when a part is missing or a kind is not in the list.
pub fn read_distractors(reply: &str, count: usize) -> Result<AnswerOptions, UnreadableReply> {
    let fields = object(reply, "distractors")?;
    let list = fields.get("distractors").unwrap_or(&Value::Null);
    let distractors: Vec<Distractor> = list
        .as_array()
        // Exactly as many: with fewer options a guess is right more often.
        .filter(|items| items.len() == count)
        .ok_or_else(|| bad("distractors", list))?
        .iter()
        .map(|item| {
            let fields = item.as_object().ok_or_else(|| bad("distractors", item))?;
            let kind = fields.get("kind").unwrap_or(&Value::Null);
            Ok(Distractor {
                text: text(fields, "text")?,
                // Only known kinds, as each wrong option is to stand for a mistake.
                kind: serde_json::from_value(kind.clone()).map_err(|_| bad("kind", kind))?,
            })
        })
        .collect::<Result<_, UnreadableReply>>()?;
    Ok(AnswerOptions {
        question: text(&fields, "question")?,
        right: text(&fields, "right")?,
        distractors,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_that_is_refused_is_told() {
        for score in ["7.5", "11", "0"] {
            let reply = format!(r#"{{"A": 7, "B": {score}, "C": 8}}"#);
            let UnreadableReply::BadValue { field, found } = read_scores(&reply).unwrap_err()
            else {
                panic!("{score}");
            };
            assert_eq!((field.as_str(), found.as_str()), ("B", score));
        }
    }
}
