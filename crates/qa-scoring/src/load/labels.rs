//! Reads labels of capability and difficulty.

use super::Loaded;
use super::record::{Reader, records};
use crate::error::LoadError;
use crate::taxonomy::TaxonomyLabel;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The label of an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Labelled {
    /// Identifier of the item; a full one, `Task:split:index`, is kept as it is.
    pub id: String,
    /// Its capability and difficulty.
    pub label: TaxonomyLabel,
}

/// What a message offers as capabilities.
const CAPABILITIES: &str = "Information Extraction (IE), Numerical Calculation (NC), Domain Knowledge (DK) or Complex Reasoning (CR)";

/// Reads labels: JSON lines or an array of `{id, capability, difficulty}` (`id` also `uid`,
/// `difficulty` also `difficulty_score` or `DifficultyScore`); a capability has its long or its short name.
///
/// # Errors
/// [`LoadError`] at the first record that cannot be read, or has a capability that is not one of
/// the four or a difficulty outside 0 to 10.
///
/// ```
/// use qa_scoring::load;
/// use qa_scoring::taxonomy::DifficultyBucket;
/// let line = br#"{"uid": "FinCode:test:3", "capability": "numerical calculation", "difficulty": 7}"#;
/// let labels = load::labels(line)?.records;
/// assert_eq!(labels[0].label.bucket(), Some(DifficultyBucket::Hard));
/// # Ok::<(), qa_scoring::LoadError>(())
/// ```
pub fn labels(bytes: &[u8]) -> Result<Loaded<Labelled>, LoadError> {
    records(bytes, |labelled: &Labelled| &labelled.id, label)
}

fn label(reader: &mut Reader<'_>) -> Result<Labelled, LoadError> {
    let id = reader.id(&["id", "uid"])?;
    let capability = match reader.value(&["capability"]) {
        None | Some(Value::Null) => None,
        Some(value) => {
            let known = value.as_str().and_then(|name| name.trim().parse().ok());
            Some(known.ok_or_else(|| reader.bad("capability", value, CAPABILITIES))?)
        }
    };
    let difficulty = match reader.value(&["difficulty", "difficulty_score", "DifficultyScore"]) {
        None | Some(Value::Null) => None,
        Some(value) => Some(
            value
                .as_f64()
                .filter(|score| (0.0..=10.0).contains(score))
                .ok_or_else(|| reader.bad("difficulty", value, "a number from 0 to 10"))?,
        ),
    };
    let reasoning = reader.optional_text(&["reasoning"])?;
    reader.finish(&["task", "bucket"]);
    Ok(Labelled {
        id,
        label: TaxonomyLabel {
            capability,
            difficulty,
            reasoning,
        },
    })
}
