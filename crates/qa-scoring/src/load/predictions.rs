//! Predictions to be scored.

use super::Loaded;
use super::foreign::{Said, failed, is_chat, refuse_other_formats, said};
use super::record::{Reader, each_object, json_values, loaded, text_of};
use super::remark::{Remark, RemarkKind, Remarks};
use super::reply_field::{
    REPLY_OFFERED, SEVERAL, Seen, VALUE, decided_by_items, is_known_name, is_name, reply_key,
    reply_name,
};
use super::table::{Row, Table, table_with};
use crate::error::{LoadError, kind_of};
use crate::task::{Companion, Metric, Task};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sim_core::error::clip;
use std::collections::BTreeSet;

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
    /// The place of the item in its file, counted from 0, where the answers name that and no identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
}

impl Prediction {
    /// The reply to the item `id`.
    pub fn new(id: impl Into<String>, reply: Option<String>) -> Self {
        Self {
            id: id.into(),
            reply,
            by_place: false,
            place: None,
        }
    }
}

/// The answers of a file to the items of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    /// Every answer, in order.
    pub records: Vec<Prediction>,
    /// Unusual content, each kind once with its count.
    pub remarks: Vec<Remark>,
    /// The fields from which the replies were read; none where the file has no names for them.
    pub fields: Vec<String>,
    /// A field with the name of a reply that holds the right answers, or the questions, in every record and was not
    /// read.
    pub set_aside: Option<String>,
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

fn is_id(name: &str) -> bool {
    ID.iter().any(|id| is_name(name, id))
}

/// Names under which a file keeps its list of records.
const LISTS: [&str; 16] = [
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
    // OpenCompass, DeepEval, simple-evals, BIG-bench, Hugging Face and Azure.
    "details",
    "testCases",
    "convos",
    "examples",
    "rows",
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
    let mut remarks = Remarks::default();
    let objects = objects_in(bytes, None, &mut remarks)?;
    let records = replies(&objects, &Reading::default(), &mut remarks)?;
    Ok(loaded(records, |prediction| &prediction.id, remarks))
}

/// Reads the answers to `items` items of `task`, for [`score::answers`](crate::score::answers): `seen` says what replies
/// are to the items, where the names of the fields leave open which one holds them.
///
/// # Errors
/// [`LoadError`] at the first record that cannot be read, or where several fields could hold the replies.
pub(crate) fn answers(
    task: Task,
    items: usize,
    bytes: &[u8],
    seen: impl Fn(&Vec<Prediction>) -> Vec<Seen>,
) -> Result<Answers, LoadError> {
    let mut remarks = Remarks::default();
    let objects = objects_in(bytes, Some(items), &mut remarks)?;
    let mut reading = Reading {
        field: None,
        lists: match task.metric() {
            Metric::LetterSet => Some(", "),
            Metric::JudgedLabel(Companion::Spans | Companion::Entities | Companion::TokenTags) => {
                Some("\n")
            }
            _ => None,
        },
    };
    let read = |field: &str| {
        let reading = Reading {
            field: Some(field),
            ..reading
        };
        // A trial: its remarks are thrown away, those of the reading that counts are kept below.
        replies(&objects, &reading, &mut Remarks::default())
    };
    let decided = decided_by_items(&objects, is_id, read, &seen)?;
    // For the summary alone, which says what was read and what was set aside.
    let mut fields: Vec<String> = Vec::new();
    let mut known = BTreeSet::new();
    let mut set_aside = None;
    for object in &objects {
        let Ok(Some(named)) = reply_key(object) else {
            continue;
        };
        let field = match decided.as_deref() {
            Some(decided) => {
                set_aside = Some(named.to_owned());
                decided
            }
            None => named,
        };
        if field != VALUE && known.insert(field) {
            fields.push(field.to_owned());
        }
    }
    reading.field = decided.as_deref();
    let records = replies(&objects, &reading, &mut remarks)?;
    let Loaded {
        mut records,
        remarks,
    } = loaded(records, |prediction| &prediction.id, remarks);
    // The right answers beside the replies tell places from identifiers.
    if !records.is_empty()
        && records.iter().all(|record| record.place.is_some())
        && let Ok(by_place) = read("target")
    {
        let right = |targets| seen(targets).iter().filter(|seen| seen.is_right).count();
        let targets = by_place.iter().cloned();
        let by_id = targets.map(|target| Prediction {
            place: None,
            ..target
        });
        if right(&by_id.collect()) > right(&by_place) {
            records.iter_mut().for_each(|record| record.place = None);
        }
    }
    Ok(Answers {
        records,
        remarks,
        fields,
        set_aside,
    })
}

/// How the replies of records are read.
#[derive(Debug, Clone, Copy, Default)]
struct Reading<'a> {
    /// The field to read, where it is not the one that the names say.
    field: Option<&'a str>,
    /// What separates the parts of an answer, for tasks whose answers are lists: a list is then one answer.
    lists: Option<&'static str>,
}

/// The records of a file as objects; `expected` is the number of the items that they answer.
fn objects_in(
    bytes: &[u8],
    expected: Option<usize>,
    remarks: &mut Remarks,
) -> Result<Vec<Map<String, Value>>, LoadError> {
    // Before the bytes are decoded: most of these files would fail there, with a place in UTF-8.
    refuse_other_formats(bytes)?;
    let text = text_of(bytes, remarks)?;
    if text.trim_start().starts_with(['[', '{']) || text.trim().is_empty() {
        return objects_of(json_values(&text, remarks)?);
    }
    from_table(&text, expected, remarks)
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

/// A record whose reply stands one level deeper, with it beside its identifier: an item of OpenAI's evals (`sample`),
/// a run of LangSmith (`run` and `example`), a row of Hugging Face (`row`).
fn opened(mut fields: Map<String, Value>) -> Map<String, Value> {
    let has = |name: &str| fields.get(name).is_some_and(Value::is_object);
    if has("row") && fields.contains_key("row_idx") {
        if let Some(Value::Object(row)) = fields.remove("row") {
            return row;
        }
    } else if has("datasource_item") && has("sample") {
        let output = fields.get("sample").and_then(|sample| sample.get("output"));
        let item = fields.get("datasource_item").and_then(Value::as_object);
        let id = item
            .and_then(|item| named(item, &ID))
            .or_else(|| fields.get("datasource_item_id"));
        return Map::from_iter([
            ("id".to_owned(), id.cloned().unwrap_or_default()),
            ("response".to_owned(), output.cloned().unwrap_or_default()),
        ]);
    } else if has("run") && has("example") {
        let id = fields.get("example").and_then(|example| example.get("id"));
        let outputs = fields.get("run").and_then(|run| run.get("outputs"));
        let only = outputs
            .and_then(Value::as_object)
            .filter(|outputs| outputs.len() == 1);
        let reply = only.and_then(|outputs| outputs.values().next()).or(outputs);
        return Map::from_iter([
            ("id".to_owned(), id.cloned().unwrap_or_default()),
            ("response".to_owned(), reply.cloned().unwrap_or_default()),
        ]);
    }
    fields
}

/// A member of a list: a record, an answer without an identifier, or a pair of both.
fn record_of(value: Value, index: usize) -> Result<Map<String, Value>, LoadError> {
    match value {
        Value::Object(fields) => Ok(opened(fields)),
        Value::Array(parts) => match parts.as_slice() {
            [id @ (Value::String(_) | Value::Number(_)), answer] => Ok(Map::from_iter([
                ("id".to_owned(), id.clone()),
                (VALUE.to_owned(), answer.clone()),
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
            // A line of a pipeline of transformers, and a chat.
            parts
                if is_chat(parts)
                    || (!parts.is_empty()
                        && parts
                            .iter()
                            .all(|part| part.get("generated_text").is_some())) =>
            {
                Ok(Map::from_iter([(
                    VALUE.to_owned(),
                    Value::Array(parts.to_vec()),
                )]))
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
        answer => Ok(Map::from_iter([(VALUE.to_owned(), answer)])),
    }
}

/// The records of a file that is one object: a record, a list under one of the known names, columns, or answers by
/// identifier.
fn of_object(fields: Map<String, Value>) -> Result<Vec<Map<String, Value>>, LoadError> {
    if let Some(records) = columns(&fields) {
        return Ok(records);
    }
    let singles = fields.keys().map(String::as_str);
    // `responses` and its kin may be replies to one item, but also the list of all records.
    let singles = singles.filter(|key| !SEVERAL.iter().any(|name| is_name(key, name)));
    // Names of the kind of a reply's are not enough: the keys may be identifiers.
    if matches!(reply_name(&singles), Ok(Some(_)))
        && (named(&fields, &ID).is_some() || is_known_name(singles))
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
                Value::Object(inner) if !matches!(reply_key(&inner), Ok(None)) => inner,
                answer => Map::from_iter([(VALUE.to_owned(), answer)]),
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
    // Without identifiers it is not a table: `{id: answer}` has the same form where the answers are
    // lists of the same length.
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
    reading: &Reading<'_>,
    remarks: &mut Remarks,
) -> Result<Vec<Prediction>, LoadError> {
    Ok(each_object(objects, remarks, |reader| of_record(reader, reading))?.concat())
}

fn of_record(reader: &mut Reader<'_>, reading: &Reading<'_>) -> Result<Vec<Prediction>, LoadError> {
    // A record that holds its question names it better than its place in the run does.
    let mut inner = |names: &[&str]| match reader.value(names) {
        Some(Value::Object(inner)) => named(inner, &ID),
        _ => None,
    };
    let question = inner(&["doc"])
        .or_else(|| inner(&["vars"]))
        .or_else(|| inner(&["instance"]));
    let metadata = inner(&["metadata"]);
    let named_id = reader.named_value(&ID);
    let own = question.or(named_id.map(|(_, value)| value)).or(metadata);
    let (id, by_place) = match own {
        Some(value) => (reader.as_id(value)?, false),
        None => (reader.place().to_string(), true),
    };
    // lm-evaluation-harness counts the questions of a set from 0; the question beside it has no identifier.
    let is_counted = question.is_none()
        && named_id.is_some_and(|(name, _)| is_name(name, "doc_id"))
        && matches!(reader.value(&["doc"]), Some(Value::Object(_)));
    let place = id.parse::<usize>().ok().filter(|_| is_counted);
    // The input of a batch has the identifiers of its output, and is easily taken for it.
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
            let name = match reading.field {
                Some(field) => Some(field),
                None => reader.reply_key()?,
            };
            let found = name.and_then(|name| reader.named_value(&[name]));
            match (found, error) {
                (None, Some(error)) => vec![failed(Some(error), "provider")],
                (None, None) => {
                    reader.needed(&REPLY_OFFERED)?;
                    Vec::new()
                }
                (Some((name, value)), error) => {
                    let found = each_said(name, value, reading.lists);
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
            place,
        })
    };
    found.into_iter().map(prediction).collect()
}

/// The replies in the field `name`: those of a list, if the name is that of several, else one. A list of texts and
/// numbers is one answer, its parts separated by `lists`, where that is given.
fn each_said(name: &str, value: &Value, lists: Option<&str>) -> Vec<Said> {
    let whole = said(value);
    // `resps` and its kin have a list of replies for each request.
    let is_list_of_replies = || {
        ["resps", "filtered_resps"]
            .iter()
            .any(|own| is_name(name, own))
    };
    if let (Some(separator), Value::Array(parts)) = (lists, value)
        && !parts.is_empty()
        && !is_list_of_replies()
    {
        let part = |part: &Value| match part {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        if let Some(parts) = parts.iter().map(part).collect::<Option<Vec<String>>>() {
            return vec![Said::Text(parts.join(separator))];
        }
    }
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
                // Servers that give several replies wrap each in an object.
                .map(|value| said(value.get("text").unwrap_or(&value)))
                .collect()
        }
        _ => vec![whole],
    }
}

/// The rows of a table as records.
fn from_table(
    text: &str,
    expected: Option<usize>,
    remarks: &mut Remarks,
) -> Result<Vec<Map<String, Value>>, LoadError> {
    let is_reply = |name: &str| !matches!(reply_name(&std::iter::once(name)), Ok(None));
    let Table {
        columns,
        rows,
        left_out,
    } = table_with(text, &is_reply, &is_id, expected)?;
    let (first, count) = left_out;
    if count > 0 {
        remarks.note(RemarkKind::EmptyLines(first, count), 0);
    }
    if !columns.iter().any(|column| is_reply(column)) {
        let found: Vec<String> = columns
            .iter()
            .map(|name| format!("`{}`", clip(name)))
            .collect();
        let found = found.join(", ");
        return Err(LoadError::BadTable {
            line: 1,
            message: if columns.iter().any(|column| is_id(column)) {
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
