//! Predictions to be scored.

use super::Loaded;
use super::foreign::{Said, refuse_other_formats, said};
use super::record::{Reader, each_object, json_values, loaded, text_of};
use super::remark::Remarks;
use super::table::table_with;
use crate::error::{LoadError, kind_of};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sim_core::error::clip;

/// One answer to be scored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prediction {
    /// Identifier of the item; its index in the file, counted from 0, if none is given.
    pub id: String,
    /// The model's reply; `None` if there is no answer.
    pub reply: Option<String>,
    /// Whether the file gives no identifier, so that `id` is the place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_place: bool,
}

impl Prediction {
    /// The reply to the item `id`.
    pub fn new(id: impl Into<String>, reply: Option<String>) -> Self {
        Self {
            id: id.into(),
            reply,
            by_place: false,
        }
    }
}

/// Accepted names of the identifier, in this order. Batches give a request an `id` of their own beside the one of
/// the user, which is `custom_id` or `recordId`.
const ID: [&str; 15] = [
    "custom_id",
    "recordId",
    "id",
    "qid",
    "uid",
    "question_id",
    "item_id",
    "sample_id",
    "example_id",
    "instance_id",
    "doc_id",
    "task_id",
    "key",
    "index",
    "idx",
];

/// Accepted names of the reply, in this order; those after the seventh are of other programs.
const REPLY: [&str; 22] = [
    "prediction",
    "reply",
    "response",
    "raw",
    "output",
    "final_answer",
    "answer",
    "resps",
    "filtered_resps",
    "result",
    "modelOutput",
    "completion",
    "generated_text",
    "generation",
    "model_output",
    "model_response",
    "model_answer",
    "predicted_answer",
    "predicted",
    "pred",
    "messages",
    "choices",
];

/// Names under which a file keeps its list of records.
const LISTS: [&str; 9] = [
    "predictions",
    "samples",
    "answers",
    "responses",
    "results",
    "records",
    "items",
    "data",
    "outputs",
];

/// Reads predictions: JSON lines or a JSON array of `{id, prediction}` (also `reply`, `response`,
/// `raw`, `output`, `final_answer`, `answer`; `id` also `qid`, `uid`, `index`), an object
/// `{id: answer}`, BizCompass result records, or a table with the columns `id` and `answer`, separated by commas,
/// tabs, semicolons or upright bars.
///
/// Also read: the output of batches of `OpenAI`, Anthropic, Gemini and Bedrock, the samples of lm-evaluation-harness,
/// the logs of inspect as JSON, and the JSON that pandas writes. Files of other kinds are refused by name.
///
/// A reply that is a list or an object is kept as its JSON text, a number as its digits. A record without an
/// identifier has its place, counted from 0.
///
/// # Errors
/// [`LoadError`] at the first record that cannot be read.
///
/// ```
/// use qa_scoring::load;
/// let lines = load::predictions(b"{\"id\": 7, \"prediction\": 12.5}\n{\"id\": 8, \"answer\": null}")?;
/// assert_eq!(lines.records[0].reply.as_deref(), Some("12.5"));
/// assert_eq!(lines.records[1].reply, None);
/// for table in ["id,answer\n7,12.5\n", "id;answer\r\n7;12.5\r\n", "id\tanswer\n7\t12.5\n"] {
///     assert_eq!(load::predictions(table.as_bytes())?.records[0], lines.records[0]);
/// }
/// let map = load::predictions(b"{\"7\": 12.5, \"8\": null}")?;
/// assert_eq!(map.records, lines.records);
/// # Ok::<(), qa_scoring::LoadError>(())
/// ```
pub fn predictions(bytes: &[u8]) -> Result<Loaded<Prediction>, LoadError> {
    let id: fn(&Prediction) -> &str = |prediction| &prediction.id;
    refuse_other_formats(bytes)?;
    let mut remarks = Remarks::default();
    let text = text_of(bytes, &mut remarks)?;
    if text.trim_start().starts_with(['[', '{']) || text.trim().is_empty() {
        let objects = objects_of(json_values(&text)?)?;
        let records = each_object(&objects, &mut remarks, prediction)?;
        return Ok(loaded(records, id, remarks));
    }
    Ok(loaded(from_table(&text)?, id, Remarks::default()))
}

/// The records of a file, one object for each.
fn objects_of(values: Vec<Value>) -> Result<Vec<Map<String, Value>>, LoadError> {
    let list = match <[Value; 1]>::try_from(values) {
        Ok([Value::Array(list)]) => list,
        Ok([Value::Object(fields)]) => return of_object(fields),
        Ok([other]) => vec![other],
        Err(values) => values,
    };
    list.into_iter()
        .enumerate()
        .map(|(index, value)| record_of(value, index))
        .collect()
}

/// A member of a list: a record, an answer without an identifier, or a pair of both.
fn record_of(value: Value, index: usize) -> Result<Map<String, Value>, LoadError> {
    match value {
        Value::Object(fields) => Ok(fields),
        Value::Array(pair) => match <[Value; 2]>::try_from(pair) {
            Ok([id, answer]) if matches!(id, Value::String(_) | Value::Number(_)) => {
                Ok(Map::from_iter([
                    ("id".to_owned(), id),
                    ("prediction".to_owned(), answer),
                ]))
            }
            _ => Err(LoadError::NotAnObject {
                index,
                found: "a list that is not a pair of identifier and answer",
            }),
        },
        Value::Bool(_) => Err(LoadError::NotAnObject {
            index,
            found: kind_of(&value),
        }),
        answer => Ok(Map::from_iter([("prediction".to_owned(), answer)])),
    }
}

/// The records of a file that is one object: a record, a list under one of the known names, columns, or answers by
/// identifier.
fn of_object(fields: Map<String, Value>) -> Result<Vec<Map<String, Value>>, LoadError> {
    if let Some(records) = columns(&fields) {
        return Ok(records);
    }
    if named(&fields, &REPLY).is_some() || named(&fields, &["model_evaluation_result"]).is_some() {
        return Ok(vec![fields]);
    }
    if ["results", "configs", "versions"]
        .iter()
        .all(|name| fields.contains_key(*name))
    {
        return Err(LoadError::OtherFormat {
            found: "the summary of a run of lm-evaluation-harness",
            remedy: "pass the file of its samples (--log_samples)",
        });
    }
    let inner = LISTS.iter().find_map(|name| match fields.get(*name) {
        Some(inner @ (Value::Array(_) | Value::Object(_))) => Some(inner.clone()),
        _ => None,
    });
    if let Some(inner) = inner {
        return objects_of(vec![inner]);
    }
    if fields.contains_key("eval") && fields.contains_key("status") {
        return Err(LoadError::OtherFormat {
            found: "a log of inspect without its samples",
            remedy: "write it with them: inspect log dump FILE > log.json",
        });
    }
    // A record without a reply, which is an error later on.
    if named(&fields, &ID).is_some() {
        return Ok(vec![fields]);
    }
    fields
        .into_iter()
        .map(|(id, value)| {
            let mut record = match value {
                Value::Object(inner) if named(&inner, &REPLY).is_some() => inner,
                answer => Map::from_iter([("prediction".to_owned(), answer)]),
            };
            record.entry("id").or_insert(Value::String(id));
            Ok(record)
        })
        .collect()
}

/// The field under the first of `names`, in any case.
fn named<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| {
        let mut fields = fields.iter();
        fields.find_map(|(key, value)| key.trim().eq_ignore_ascii_case(name).then_some(value))
    })
}

/// Records of a table by columns, as `DataFrame.to_json` and `Dataset.to_dict` write it: every column an object of
/// cells by row or a list of cells; or `columns` and `data`.
fn columns(fields: &Map<String, Value>) -> Option<Vec<Map<String, Value>>> {
    if let (Some(Value::Array(names)), Some(Value::Array(rows))) =
        (fields.get("columns"), fields.get("data"))
    {
        let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
        let names = names?;
        let record = |row: &Value| -> Option<Map<String, Value>> {
            let cells = names.iter().zip(row.as_array()?);
            Some(
                cells
                    .map(|(name, cell)| ((*name).to_owned(), cell.clone()))
                    .collect(),
            )
        };
        return rows.iter().map(record).collect();
    }
    named(fields, &ID)?;
    let cells = |column: &Value| -> Option<Vec<Value>> {
        match column {
            Value::Array(cells) => Some(cells.clone()),
            Value::Object(cells) => Some(cells.values().cloned().collect()),
            _ => None,
        }
    };
    let columns: Option<Vec<(&String, Vec<Value>)>> = fields
        .iter()
        .map(|(name, column)| Some((name, cells(column)?)))
        .collect();
    let columns = columns?;
    let rows = columns.first()?.1.len();
    if columns.iter().any(|(_, cells)| cells.len() != rows) {
        return None;
    }
    let record = |row: usize| {
        let cells = columns.iter();
        cells
            .filter_map(|(name, cells)| Some(((*name).clone(), cells.get(row)?.clone())))
            .collect()
    };
    Some((0..rows).map(record).collect())
}

fn prediction(reader: &mut Reader<'_>) -> Result<Prediction, LoadError> {
    // A record that holds its question names it better than its place in the run does.
    let inner = match reader.value(&["doc"]) {
        Some(Value::Object(doc)) => named(doc, &["id", "qid", "uid"]),
        _ => None,
    };
    let own = inner.or_else(|| reader.value(&ID));
    let (id, by_place) = match own {
        Some(value) => (reader.as_id(value)?, false),
        None => (reader.place().to_string(), true),
    };
    if let Some(Value::Object(body)) = reader.value(&["body"])
        && body.contains_key("messages")
    {
        return Err(LoadError::OtherFormat {
            found: "the requests of a batch",
            remedy: "pass the file of its output",
        });
    }
    let value = match reader.value(&["model_evaluation_result"]) {
        Some(Value::Object(inner)) => {
            crate::extract::field(inner, "model_raw_response").unwrap_or(&Value::Null)
        }
        Some(other) => return Err(reader.bad("model_evaluation_result", other, "an object")),
        None => {
            let error = reader.value(&["error"]);
            match (reader.value(&REPLY), error) {
                // What a batch failed at.
                (None | Some(Value::Null), Some(error @ (Value::Object(_) | Value::String(_)))) => {
                    error
                }
                (Some(value), _) => value,
                (None, _) => reader.needed(&REPLY)?,
            }
        }
    };
    let reply = match said(value) {
        Said::Nothing => None,
        Said::Text(text) => Some(text),
        Said::Failed(error) => Some(format!("Error_{error}")),
        Said::Likelihoods => {
            return Err(LoadError::OtherFormat {
                found: "likelihoods of options of lm-evaluation-harness, which are not replies",
                remedy: "run the task with generate_until",
            });
        }
    };
    Ok(Prediction {
        id,
        reply,
        by_place,
    })
}

fn from_table(text: &str) -> Result<Vec<Prediction>, LoadError> {
    let rows = table_with(text, &REPLY)?;
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
            let id = take(&ID);
            let by_place = id.is_none();
            let id = id.unwrap_or_else(|| index.to_string());
            let Some(reply) = take(&REPLY) else {
                let found: Vec<String> = row.keys().map(|key| format!("`{}`", clip(key))).collect();
                return Err(LoadError::BadTable {
                    line: 1,
                    message: format!(
                        "no column named {}; the other columns are {}",
                        REPLY.join(" or "),
                        found.join(", ")
                    ),
                });
            };
            Ok(Prediction {
                id: id.trim().to_owned(),
                reply: Some(reply),
                by_place,
            })
        })
        .collect()
}
