//! Reads a judge's reply.

use crate::extract::{last_object_with, without_thinking};
use crate::python::parse_float;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Largest score of a sub-question.
const TOP: f64 = 5.0;

/// A score read from a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgedScore {
    /// The item's score, 0 to 5: the mean of the sub-questions if the judge gave them.
    pub score: f64,
    /// The score that the judge reported; absent if it is not a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<f64>,
    /// The judge's sub-scores by question.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, f64>,
    /// Whether the reported score is not the mean of the sub-scores (by more than 0.01).
    pub mismatch: bool,
}

/// Why a reply could not be read; the text goes into the repair request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UnreadableReply {
    /// No JSON object with the needed field.
    #[error("there was no json object with the field `{0}` in it")]
    NoObject(String),
    /// The value of the field is neither a number nor a truth value.
    #[error("the field `{field}` held {found}")]
    BadValue {
        /// Name of the field.
        field: String,
        /// Its value.
        found: String,
    },
    /// A number beyond the scale.
    #[error("the score was {0}, the scale is 0 to 5")]
    OffScale(String),
}

/// Reads a score by the strict rule: the last JSON object that has `score`; the mean of
/// `scores_per_question` when it is a non-empty map of numbers 0 to 5; else `score`, a number or a
/// number as text, 0 to 5. Thinking is removed first.
///
/// # Errors
/// [`UnreadableReply`] when there is none; the item is then unscored, not 0.
///
/// ```
/// use qa_scoring::judge::read_score;
/// let reply = "```json\n{\"score\": 3.5, \"scores_per_question\": {\"1\": 3, \"2(a)\": 4}}\n```";
/// assert_eq!(read_score(reply)?.score, 3.5);
/// assert!(read_score("{\"score\": \"high\"}").is_err());
/// assert!(read_score("{\"score\": 7}").is_err());
/// # Ok::<(), qa_scoring::judge::UnreadableReply>(())
/// ```
pub fn read_score(reply: &str) -> Result<JudgedScore, UnreadableReply> {
    let fields = object(reply, "score")?;
    let value = fields.get("score").unwrap_or(&Value::Null);
    let reported = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => parse_float(text).filter(|v| v.is_finite()),
        _ => None,
    };
    // Before the reported score, which is only their mean and may be added up wrongly.
    if let Some(parts) = fields.get("scores_per_question").and_then(part_scores) {
        let mean = parts.values().sum::<f64>() / parts.len() as f64;
        return Ok(JudgedScore {
            score: mean,
            reported,
            mismatch: reported.is_some_and(|r| (r - mean).abs() > 0.01),
            parts,
        });
    }
    let Some(score) = reported else {
        return Err(bad("score", value));
    };
    if !(0.0..=TOP).contains(&score) {
        return Err(UnreadableReply::OffScale(score.to_string()));
    }
    Ok(JudgedScore {
        score,
        reported: Some(score),
        parts: BTreeMap::new(),
        mismatch: false,
    })
}

/// Sub-scores when every one is a number on the scale.
fn part_scores(value: &Value) -> Option<BTreeMap<String, f64>> {
    let parts: BTreeMap<String, f64> = value
        .as_object()?
        .iter()
        .map(|(name, score)| {
            // One part off the scale makes all of them useless: what scale the others are on is not
            // known.
            let score = score.as_f64().filter(|s| (0.0..=TOP).contains(s))?;
            Some((name.clone(), score))
        })
        .collect::<Option<_>>()?;
    (!parts.is_empty()).then_some(parts)
}

/// Reads whether an answer is right: the last JSON object that has `correct`, a truth value or the
/// words yes, no, true, false.
///
/// # Errors
/// [`UnreadableReply`] when there is none.
///
/// ```
/// use qa_scoring::judge::read_label;
/// assert_eq!(read_label("It matches. {\"correct\": \"yes\"}"), Ok(true));
/// assert!(read_label("{\"correct\": 0.5}").is_err());
/// ```
pub fn read_label(reply: &str) -> Result<bool, UnreadableReply> {
    let fields = object(reply, "correct")?;
    let value = fields.get("correct").unwrap_or(&Value::Null);
    let word = value.as_str().map(|text| text.trim().to_lowercase());
    match (value, word.as_deref()) {
        (Value::Bool(truth), _) => Ok(*truth),
        // As words too, since models put quotes around them; numbers are another scale.
        (_, Some("yes" | "true")) => Ok(true),
        (_, Some("no" | "false")) => Ok(false),
        _ => Err(bad("correct", value)),
    }
}

/// The last object of a reply, after its thinking, that has `field`.
pub(crate) fn object(reply: &str, field: &str) -> Result<Map<String, Value>, UnreadableReply> {
    without_thinking(reply)
        .text()
        .and_then(|text| last_object_with(&text, field))
        .ok_or_else(|| UnreadableReply::NoObject(field.to_owned()))
}

/// The error for a field with a value of the wrong form.
pub(crate) fn bad(field: &str, found: &Value) -> UnreadableReply {
    UnreadableReply::BadValue {
        field: field.to_owned(),
        found: match found {
            // A number off the scale is the fault itself.
            Value::Number(number) => number.to_string(),
            _ => crate::error::kind_of(found).to_owned(),
        },
    }
}
