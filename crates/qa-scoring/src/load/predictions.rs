//! Predictions to be scored.

use super::Loaded;
use super::foreign::{Said, failed, is_chat, refuse_other_formats, said};
use super::record::{Reader, each_object, is_name, json_values, loaded, text_of};
use super::remark::Remarks;
use super::table::{Row, table_with};
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
const ID: [&str; 20] = [
    "custom_id",
    "record_id",
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
    "test_id",
    "problem_id",
    "prompt_id",
    "request_id",
    "uuid",
    "key",
    "index",
    "idx",
];

/// Accepted names of the reply, in this order: an `answer` beside any of those before it is the right answer.
const REPLY: [&str; 45] = [
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
    "resps",
    "filtered_resps",
    "output",
    "completion",
    "predictions",
    "responses",
    "outputs",
    "completions",
    "generations",
    "final_answer",
    "answer",
    "result",
    "messages",
    "conversations",
    "choices",
    "text",
    "content",
];

/// The names that a message offers.
const REPLY_OFFERED: [&str; 5] = ["prediction", "response", "output", "completion", "answer"];

/// Names of a list of replies to one item.
const SEVERAL: [&str; 7] = [
    "resps",
    "filtered_resps",
    "predictions",
    "responses",
    "outputs",
    "completions",
    "generations",
];

/// Names under which a file keeps its list of records.
const LISTS: [&str; 11] = [
    "predictions",
    "samples",
    "answers",
    "responses",
    "results",
    "records",
    "items",
    "data",
    "outputs",
    "request_states",
    "inlinedResponses",
];

/// Reads predictions: JSON lines or a JSON array of `{id, prediction}` (also `reply`, `response`,
/// `raw`, `output`, `final_answer`, `answer`; `id` also `qid`, `uid`, `index`), an object
/// `{id: answer}`, BizCompass result records, or a table with the columns `id` and `answer`, separated by commas,
/// tabs, semicolons or upright bars.
///
/// Also read: the output of batches of `OpenAI`, Anthropic, Gemini and Bedrock, the samples of lm-evaluation-harness,
/// the logs of inspect as JSON, and the JSON that pandas writes. Files of other kinds are refused by name.
///
/// A reply that is a list or an object is kept as its JSON text, a number as its digits; a list of several replies
/// gives a prediction for each. A record without an identifier has its place, counted from 0.
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
        let objects = objects_of(json_values(&text, &mut remarks)?)?;
        return Ok(loaded(replies(&objects, &mut remarks)?, id, remarks));
    }
    let records = replies(&from_table(&text)?, &mut Remarks::default())?;
    Ok(loaded(records, id, Remarks::default()))
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
        Value::Array(parts) => match parts.as_slice() {
            [id @ (Value::String(_) | Value::Number(_)), answer] => Ok(Map::from_iter([
                ("id".to_owned(), id.clone()),
                ("prediction".to_owned(), answer.clone()),
            ])),
            // A line of OpenAI's script for many requests: request, response, metadata.
            [Value::Object(request), response, rest @ ..]
                if request.contains_key("messages") || request.contains_key("input") =>
            {
                let metadata = rest.first().or_else(|| request.get("metadata"));
                Ok(Map::from_iter([
                    ("response".to_owned(), response.clone()),
                    ("metadata".to_owned(), metadata.cloned().unwrap_or_default()),
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
    let single = || REPLY.iter().filter(|name| !SEVERAL.contains(name));
    if single().any(|name| named(&fields, &[name]).is_some())
        || named(&fields, &["model_evaluation_result"]).is_some()
    {
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
        fields.find_map(|(key, value)| is_name(key, name).then_some(value))
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

/// The replies of every record.
fn replies(
    objects: &[Map<String, Value>],
    remarks: &mut Remarks,
) -> Result<Vec<Prediction>, LoadError> {
    Ok(each_object(objects, remarks, of_record)?.concat())
}

fn of_record(reader: &mut Reader<'_>) -> Result<Vec<Prediction>, LoadError> {
    // A record that holds its question names it better than its place in the run does.
    let mut inner = |names: &[&str]| match reader.value(names) {
        Some(Value::Object(inner)) => named(inner, &ID),
        _ => None,
    };
    let question = inner(&["doc"])
        .or_else(|| inner(&["vars"]))
        .or_else(|| inner(&["instance"]));
    let metadata = inner(&["metadata"]);
    let own = question.or_else(|| reader.value(&ID)).or(metadata);
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
    let found = match reader.value(&["model_evaluation_result"]) {
        Some(Value::Object(inner)) => {
            vec![said(
                crate::extract::field(inner, "model_raw_response").unwrap_or(&Value::Null),
            )]
        }
        Some(other) => return Err(reader.bad("model_evaluation_result", other, "an object")),
        None => {
            let error = reader.value(&["error"]);
            let error = error.filter(|error| match error {
                Value::Object(fields) => !fields.is_empty(),
                Value::String(text) => !text.trim().is_empty(),
                _ => false,
            });
            match (reader.named_value(&REPLY), error) {
                (None, Some(error)) => vec![failed(Some(error), "provider")],
                (None, None) => {
                    reader.needed(&REPLY_OFFERED)?;
                    Vec::new()
                }
                (Some((name, value)), error) => {
                    let found = each_said(name, value);
                    let is_blank = |said: &Said| match said {
                        Said::Nothing => true,
                        Said::Text(text) => text.trim().is_empty(),
                        Said::Failed(_) | Said::Likelihoods => false,
                    };
                    match error {
                        // What a request failed at.
                        Some(error) if found.iter().all(is_blank) => {
                            vec![failed(Some(error), "provider")]
                        }
                        _ => found,
                    }
                }
            }
        }
    };
    let prediction = |said: Said| {
        let reply = match said {
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
            id: id.clone(),
            reply,
            by_place,
        })
    };
    found.into_iter().map(prediction).collect()
}

/// The replies in the field `name`: those of a list, if the name is that of several, else one.
fn each_said(name: &str, value: &Value) -> Vec<Said> {
    let whole = said(value);
    let several = SEVERAL.iter().any(|several| is_name(name, several));
    match value {
        Value::Array(list)
            if several && !list.is_empty() && !is_chat(list) && whole != Said::Likelihoods =>
        {
            // `resps` has a list of replies for each request.
            let texts = |value: &Value| {
                value
                    .as_array()
                    .filter(|l| l.iter().all(Value::is_string))
                    .cloned()
            };
            list.iter()
                .flat_map(|value| texts(value).unwrap_or_else(|| vec![value.clone()]))
                .map(|value| said(value.get("text").unwrap_or(&value)))
                .collect()
        }
        _ => vec![whole],
    }
}

/// The rows of a table as records.
fn from_table(text: &str) -> Result<Vec<Map<String, Value>>, LoadError> {
    let (columns, rows) = table_with(text, &REPLY)?;
    let has = |names: &[&str]| {
        let mut columns = columns.iter();
        columns.any(|column| names.iter().any(|name| is_name(column, name)))
    };
    if !has(&REPLY) {
        let found: Vec<String> = columns
            .iter()
            .map(|name| format!("`{}`", clip(name)))
            .collect();
        let found = found.join(", ");
        return Err(LoadError::BadTable {
            line: 1,
            message: if has(&ID) {
                format!(
                    "no column named {}; the columns are {found}; name the one with the replies `prediction`",
                    REPLY_OFFERED.join(" or ")
                )
            } else {
                format!(
                    "the first line must name the columns, such as `id,prediction`; it holds {found}"
                )
            },
        });
    }
    let cells = |row: Row| {
        row.into_iter()
            .map(|(name, cell)| (name, Value::String(cell)))
    };
    Ok(rows.into_iter().map(|row| cells(row).collect()).collect())
}
