//! Predictions to be scored.

use super::Loaded;
use super::record::{Reader, loaded, records, text_of};
use super::remark::Remarks;
use super::table::table;
use crate::error::LoadError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One answer to be scored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prediction {
    /// Identifier of the item; its index in the file, counted from 0, if none is given.
    pub id: String,
    /// The model's reply; `None` if there is no answer.
    pub reply: Option<String>,
}

/// Accepted names of the reply, in this order.
const REPLY: [&str; 7] = [
    "prediction",
    "reply",
    "response",
    "raw",
    "output",
    "final_answer",
    "answer",
];

/// Reads predictions: JSON lines or a JSON array of `{id, prediction}` (also `reply`, `response`,
/// `raw`, `output`, `final_answer`, `answer`; `id` also `qid`, `uid`, `index`), BizCompass result
/// records, or CSV with the columns `id` and `answer` as the BizBench pipeline writes it.
///
/// A reply that is a list or an object is kept as its JSON text, a number as its digits.
///
/// # Errors
/// [`LoadError`] at the first record that cannot be read.
///
/// ```
/// use qa_scoring::load;
/// let lines = load::predictions(b"{\"id\": 7, \"prediction\": 12.5}\n{\"id\": 8, \"answer\": null}")?;
/// assert_eq!(lines.records[0].reply.as_deref(), Some("12.5"));
/// assert_eq!(lines.records[1].reply, None);
/// let csv = load::predictions(b"id,answer\n7,12.5\n")?;
/// assert_eq!(csv.records[0], lines.records[0]);
/// # Ok::<(), qa_scoring::LoadError>(())
/// ```
pub fn predictions(bytes: &[u8]) -> Result<Loaded<Prediction>, LoadError> {
    let id: fn(&Prediction) -> &str = |prediction| &prediction.id;
    let text = text_of(bytes, &mut Remarks::default())?;
    if text.trim_start().starts_with(['[', '{']) || text.trim().is_empty() {
        return records(bytes, id, prediction);
    }
    Ok(loaded(from_table(bytes)?, id, Remarks::default()))
}

fn prediction(reader: &mut Reader<'_>) -> Result<Prediction, LoadError> {
    let id = reader.id_or_place(&["id", "qid", "uid", "index"])?;
    let value = match reader.value(&["model_evaluation_result"]) {
        Some(Value::Object(inner)) => {
            crate::extract::field(inner, "model_raw_response").unwrap_or(&Value::Null)
        }
        Some(other) => return Err(reader.bad("model_evaluation_result", other, "an object")),
        None => reader.needed(&REPLY)?,
    };
    let reply = match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    Ok(Prediction { id, reply })
}

fn from_table(bytes: &[u8]) -> Result<Vec<Prediction>, LoadError> {
    let rows = table(bytes)?;
    rows.into_iter()
        .enumerate()
        .map(|(index, mut row)| {
            let mut take = |names: &[&str]| {
                let key = names.iter().find_map(|name| {
                    row.keys()
                        .find(|key| key.eq_ignore_ascii_case(name))
                        .cloned()
                })?;
                row.remove(&key)
            };
            let id = take(&["id", "qid", "uid", "index"]).unwrap_or_else(|| index.to_string());
            let reply = take(&REPLY).ok_or(LoadError::BadTable {
                line: 1,
                message: format!("no column named {}", REPLY.join(" or ")),
            })?;
            Ok(Prediction {
                id: id.trim().to_owned(),
                reply: Some(reply),
            })
        })
        .collect()
}
