//! The published evaluation's reading of a judge's reply, including its errors.

use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::LazyLock;

/// One object of texts and values in which no value contains a comma.
static OBJECT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"\{\s*"[^"]+"\s*:\s*[^,]+(?:\s*,\s*"[^"]+"\s*:\s*[^,]+)*\s*\}"#).ok()
});

/// The published categories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PublishedCategory {
    /// Score of at least 0.8, on the judge's own scale.
    Correct,
    /// Score of at least 0.6.
    PartiallyCorrect,
    /// Anything less.
    Incorrect,
    /// No readable object, or a score that is not a number; counts as score 0.
    EvaluationError,
}

/// A published verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedVerdict {
    /// The object that was found in the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<String>,
    /// Its score, 0 if it has none or after an error; the range is not checked.
    pub score: f64,
    /// Its category.
    pub category: PublishedCategory,
}

/// Reads a reply as the published evaluation does: the pattern must match exactly once, which two
/// objects or a comma inside a text prevent.
///
/// ```
/// use qa_scoring::judge::{PublishedCategory, published_verdict};
/// assert_eq!(published_verdict(r#"{"score": 0.9}"#).category, PublishedCategory::Correct);
/// // Two objects cannot be read, and count as 0.
/// let two = published_verdict(r#"{"score": 0.9} {"score": 0.9}"#);
/// assert_eq!((two.category, two.score), (PublishedCategory::EvaluationError, 0.0));
/// ```
#[must_use]
pub fn published_verdict(reply: &str) -> PublishedVerdict {
    let mut found = OBJECT.iter().flat_map(|pattern| pattern.find_iter(reply));
    let json = match (found.next(), found.next()) {
        (Some(only), None) => Some(only.as_str()),
        _ => None,
    };
    let parsed = json.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let json = parsed.as_ref().and(json).map(str::to_owned);
    let score = match parsed.as_ref().map(|value| value.get("score")) {
        None => None,
        Some(None) => Some(0.0),
        // A truth value is a number in Python, whose code this follows.
        Some(Some(Value::Bool(truth))) => Some(f64::from(u8::from(*truth))),
        Some(Some(value)) => value.as_f64(),
    };
    let category = match score {
        None => PublishedCategory::EvaluationError,
        Some(score) if score >= 0.8 => PublishedCategory::Correct,
        Some(score) if score >= 0.6 => PublishedCategory::PartiallyCorrect,
        Some(_) => PublishedCategory::Incorrect,
    };
    PublishedVerdict {
        json,
        score: score.unwrap_or(0.0),
        category,
    }
}
