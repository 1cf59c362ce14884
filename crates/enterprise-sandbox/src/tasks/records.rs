//! Reads task records of other programs into one type.
//!
//! Six forms exist: message logs, generator output, the paper's prompt form, evaluation records,
//! the CRUD form, and the checkpoint form of the follow-up platform. Each is recognised by its
//! fields. Values that a form does not have stay empty; nothing is guessed.
//!
//! The forms come from the published release, the paper and earlier result files of its authors:
//!
//! | form | recognised by | what it has |
//! |---|---|---|
//! | message log | `messages` | the request, calls with results, the last answer; no expected result |
//! | checkpoint | `reward_checkpoints`, or `task_id` and `instruction` | required calls with expected outputs |
//! | CRUD | `api_call` or `operation_type` | one call and subgoals |
//! | evaluation | `evaluation`, `apps` or `answer` | a run with its judged score |
//! | generator | subtasks with `tools` | calls with recorded outputs |
//! | prompt | subtasks with `subgoal` | subgoals and their order |
//!
//! They are tested in this order, so a record with fields of two forms is read as the first one.
//!
//! ```
//! use enterprise_sandbox::tasks::records::{RecordForm, read_records};
//!
//! let text = r#"{"emp_id": "emp_0007", "task": "Find my manager.", "ground_truth": "emp_0002",
//!     "subtasks": [{"subtask": "read the record", "tools": [
//!         {"tool_name": "get_employee", "tool_arguments": {"emp_id": "emp_0007"}, "tool_output": "{}"}]}]}"#;
//! let tasks = read_records(text)?;
//! let task = tasks.first().ok_or("no task")?;
//! assert_eq!(task.form, RecordForm::Generator);
//! assert_eq!(task.calls.len(), 1);
//! assert_eq!(task.persona.as_deref(), Some("emp_0007"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::data::value::whole_number;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sim_core::error::clip;

/// The form of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum RecordForm {
    /// `messages[]` with tool calls and a time stamp.
    MessageLog,
    /// `emp_id`, `task`, `ground_truth`, `subtasks[{subtask, tools[]}]`.
    Generator,
    /// `task`, `subtasks[{subgoal, question, ..}]`, a dependency graph as text.
    Prompt,
    /// A run with its answer and `evaluation`.
    Evaluation,
    /// `api_call`, `operation_type`, `subgoals[]`.
    Crud,
    /// `task_id`, `instruction`, `reward_checkpoints[]`.
    Checkpoint,
}

/// A call in a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedCall {
    /// Tool, as the record names it.
    pub tool: String,
    /// Arguments; an empty object if the record has none, a text if they are no JSON.
    pub arguments: Value,
    /// Its result, if the record has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
}

/// A part of a recorded task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordedSubtask {
    /// Number in the dependency graph, from 1.
    pub id: u32,
    /// Its purpose.
    pub subgoal: String,
    /// Its wording.
    pub question: String,
    /// The expected result.
    pub ground_truth: String,
    /// Source that it touches, as the record names it.
    pub source: String,
    /// Subtasks that it needs.
    /// From the text of the dependency graph (`1->2; 1,3->4`), if there is one.
    pub depends_on: Vec<u32>,
}

/// A task from a record.
///
/// Tool names, domains and sources are those of the record and are not mapped to the tools of this
/// crate; the lists of [`crate::tools`] say which published name stands for which tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedTask {
    /// Form of the record.
    pub form: RecordForm,
    /// Identifier, if there is one.
    pub id: Option<String>,
    /// The person who makes the request, if the record has it.
    pub persona: Option<String>,
    /// The request.
    pub instruction: String,
    /// Domain, as the record names it.
    pub domain: Option<String>,
    /// Difficulty, as the record names it.
    pub difficulty: Option<String>,
    /// The expected result in words; for message logs the last message of the assistant.
    pub ground_truth: String,
    /// Subtasks.
    pub subtasks: Vec<RecordedSubtask>,
    /// Calls: those recorded, or those required.
    /// In the order of the record.
    pub calls: Vec<RecordedCall>,
    /// Sources or applications, as the record names them.
    pub sources: Vec<String>,
    /// A published score of a run, 0 to 1.
    pub score: Option<f64>,
}

/// A record that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// It is not a JSON object.
    #[error("record {place} is not a JSON object: {message}")]
    NotAnObject {
        /// Number of the record, from 0.
        place: usize,
        /// The parser's message.
        message: String,
    },
    /// Its fields match none of the six forms.
    #[error("record {place} has none of the known forms; its fields are {fields}")]
    UnknownForm {
        /// Number of the record, from 0.
        place: usize,
        /// Names of its fields.
        fields: String,
    },
    /// A field that its form needs is missing.
    #[error("record {place} lacks `{field}`")]
    Missing {
        /// Number of the record, from 0.
        place: usize,
        /// The field.
        field: &'static str,
    },
}

/// Reads a JSON array of records, one record, or one record a line.
///
/// # Errors
/// Names the first record that cannot be read, and why.
pub fn read_records(text: &str) -> Result<Vec<RecordedTask>, RecordError> {
    let values: Vec<Value> = match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(list)) => list,
        Ok(one) => vec![one],
        // A list with a fault in it is not one record a line.
        Err(e) if text.trim_start().starts_with('[') => {
            return Err(RecordError::NotAnObject {
                place: 0,
                message: e.to_string(),
            });
        }
        Err(_) => text
            .lines()
            .filter(|l| !l.trim().is_empty())
            .enumerate()
            .map(|(place, line)| {
                serde_json::from_str(line).map_err(|e| RecordError::NotAnObject {
                    place,
                    message: e.to_string(),
                })
            })
            .collect::<Result<_, _>>()?,
    };
    values
        .iter()
        .enumerate()
        .map(|(place, value)| read_record(place, value))
        .collect()
}

fn form_of(r: &Map<String, Value>) -> Option<RecordForm> {
    let has = |name: &str| r.contains_key(name);
    let subtasks = r.get("subtasks").and_then(Value::as_array);
    let first = subtasks.and_then(|s| s.first());
    Some(if has("messages") {
        RecordForm::MessageLog
    } else if has("reward_checkpoints") || (has("task_id") && has("instruction")) {
        RecordForm::Checkpoint
    } else if has("api_call") || has("operation_type") {
        RecordForm::Crud
    } else if has("evaluation") || has("apps") || has("answer") {
        RecordForm::Evaluation
    } else if first.is_some_and(|s| s.get("tools").is_some()) {
        RecordForm::Generator
    } else if first.is_some_and(|s| s.get("subgoal").is_some()) {
        RecordForm::Prompt
    } else {
        return None;
    })
}

fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(t)) => t.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

fn strings(value: Option<&Value>) -> Vec<String> {
    value
        .and_then(Value::as_array)
        .map(|l| l.iter().map(|v| text(Some(v))).collect())
        .unwrap_or_default()
}

fn objects(value: Option<&Value>) -> impl Iterator<Item = &Map<String, Value>> {
    value
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
}

/// Arguments as they are, or read from their JSON text.
fn arguments(value: Option<&Value>) -> Value {
    match value {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(Value::String(t)) if t.trim().is_empty() => Value::Object(Map::new()),
        Some(Value::String(t)) => serde_json::from_str(t).unwrap_or_else(|_| t.clone().into()),
        Some(other) => other.clone(),
    }
}

fn call(tool: &str, arguments: Value, output: Option<&Value>) -> RecordedCall {
    RecordedCall {
        tool: tool.to_owned(),
        arguments,
        output: output.cloned(),
    }
}

/// Edges of a graph in words: `1->2; 1,3->4`.
fn edges(graph: &str) -> Vec<(u32, u32)> {
    let numbers = |part: &str| -> Vec<u32> {
        part.split(',')
            .filter_map(|n| {
                n.trim()
                    .trim_matches(|c: char| !c.is_ascii_digit())
                    .parse()
                    .ok()
            })
            .collect()
    };
    graph
        .replace('\u{2192}', "->")
        .split([';', '\n'])
        .filter_map(|edge| edge.split_once("->"))
        .flat_map(|(from, to)| {
            let (from, to) = (numbers(from), numbers(to));
            from.into_iter()
                .flat_map(move |a| to.clone().into_iter().map(move |b| (a, b)))
        })
        .collect()
}

fn read_record(place: usize, value: &Value) -> Result<RecordedTask, RecordError> {
    let Some(r) = value.as_object() else {
        let message = format!("it is `{}`", clip(&value.to_string()));
        return Err(RecordError::NotAnObject { place, message });
    };
    let Some(form) = form_of(r) else {
        let fields: Vec<&str> = r.keys().map(String::as_str).collect();
        return Err(RecordError::UnknownForm {
            place,
            fields: clip(&fields.join(", ")),
        });
    };
    let optional = |name: &str| Some(text(r.get(name))).filter(|t| !t.is_empty());
    let mut task = RecordedTask {
        form,
        id: optional("task_id").or_else(|| optional("id")),
        persona: optional("emp_id"),
        instruction: optional("task")
            .or_else(|| optional("instruction"))
            .unwrap_or_default(),
        domain: optional("domain"),
        difficulty: optional("difficulty"),
        ground_truth: text(r.get("ground_truth")),
        subtasks: Vec::new(),
        calls: Vec::new(),
        sources: strings(r.get("apps").or_else(|| r.get("data_sources"))),
        score: None,
    };
    match form {
        RecordForm::MessageLog => message_log(r, &mut task),
        RecordForm::Generator => generator(r, &mut task),
        RecordForm::Prompt => subgoals(r, "subtasks", &mut task),
        RecordForm::Evaluation => {
            subgoals(r, "subtasks", &mut task);
            evaluation(r, &mut task);
        }
        RecordForm::Crud => {
            subgoals(r, "subgoals", &mut task);
            crud(r, &mut task);
        }
        RecordForm::Checkpoint => checkpoint(r, &mut task),
    }
    if task.instruction.is_empty() {
        let field = if form == RecordForm::Checkpoint {
            "instruction"
        } else {
            "task"
        };
        return Err(RecordError::Missing { place, field });
    }
    Ok(task)
}

fn message_log(r: &Map<String, Value>, task: &mut RecordedTask) {
    let mut pending: Vec<(String, usize)> = Vec::new();
    for message in objects(r.get("messages")) {
        match message.get("role").and_then(Value::as_str) {
            Some("user") if task.instruction.is_empty() => {
                task.instruction = text(message.get("content"));
            }
            Some("assistant") => {
                for made in objects(message.get("tool_calls")) {
                    let function = made
                        .get("function")
                        .and_then(Value::as_object)
                        .unwrap_or(made);
                    let name = text(function.get("name"));
                    pending.push((text(made.get("id")), task.calls.len()));
                    task.calls
                        .push(call(&name, arguments(function.get("arguments")), None));
                }
                let said = text(message.get("content"));
                if !said.trim().is_empty() {
                    task.ground_truth = said;
                }
            }
            Some("tool") => {
                let id = text(message.get("tool_call_id"));
                let by_id = pending.iter().position(|(p, _)| !id.is_empty() && *p == id);
                // Logs of some clients give no ids; then results come in the order of the calls.
                let at = by_id.or(if pending.is_empty() { None } else { Some(0) });
                if let Some(n) = at
                    && let Some(slot) = task.calls.get_mut(pending.remove(n).1)
                {
                    slot.output = message.get("content").cloned();
                }
            }
            _ => {}
        }
    }
}

fn generator(r: &Map<String, Value>, task: &mut RecordedTask) {
    for (part, id) in objects(r.get("subtasks")).zip(1u32..) {
        task.subtasks.push(RecordedSubtask {
            id,
            question: text(part.get("subtask")),
            ..RecordedSubtask::default()
        });
        for tool in objects(part.get("tools")) {
            let name = text(tool.get("tool_name"));
            let output = tool.get("tool_output");
            task.calls
                .push(call(&name, arguments(tool.get("tool_arguments")), output));
        }
    }
}

fn subgoals(r: &Map<String, Value>, field: &str, task: &mut RecordedTask) {
    for (part, n) in objects(r.get(field)).zip(1u32..) {
        let id = part.get("id").and_then(whole_number);
        let truth = part
            .get("subtask_ground_truth")
            .or_else(|| part.get("expected_outcome"));
        task.subtasks.push(RecordedSubtask {
            id: id.and_then(|i| u32::try_from(i).ok()).unwrap_or(n),
            subgoal: text(part.get("subgoal")),
            question: text(part.get("question")),
            ground_truth: text(truth),
            source: text(part.get("data source").or_else(|| part.get("data_source"))),
            depends_on: Vec::new(),
        });
    }
    let graph = [
        "dependency_graph",
        "subtask_dependency_graph",
        "dependencies",
    ]
    .iter()
    .find_map(|f| r.get(*f))
    .map(|v| match v {
        Value::Array(list) => list
            .iter()
            .map(|e| text(Some(e)))
            .collect::<Vec<_>>()
            .join(";"),
        other => text(Some(other)),
    })
    .unwrap_or_default();
    for (from, to) in edges(&graph) {
        if let Some(part) = task.subtasks.iter_mut().find(|s| s.id == to) {
            part.depends_on.push(from);
        }
    }
}

fn evaluation(r: &Map<String, Value>, task: &mut RecordedTask) {
    let evaluation = r.get("evaluation");
    let parsed = match evaluation {
        Some(Value::String(t)) => serde_json::from_str(t).ok(),
        other => other.cloned(),
    };
    task.score = parsed
        .as_ref()
        .and_then(|e| e.get("document_match_score"))
        .and_then(Value::as_f64)
        .filter(|s| (0.0..=1.0).contains(s));
    let outputs = r.get("tool_outputs").and_then(Value::as_object);
    let output = |name: &str| outputs.and_then(|o| o.get(name));
    let tools = match r.get("chosen_tools").or_else(|| r.get("selected_tools")) {
        Some(Value::Object(map)) => {
            let mut numbered: Vec<(&String, &Value)> = map.iter().collect();
            // "10" is behind "9".
            numbered.sort_by_key(|(k, _)| (k.parse::<u32>().unwrap_or(u32::MAX), (*k).clone()));
            numbered.into_iter().map(|(_, tool)| tool).collect()
        }
        Some(Value::Array(list)) => list.iter().collect(),
        _ => Vec::new(),
    };
    for tool in tools {
        let name = text(tool.get("name").or(Some(tool)));
        let given = arguments(tool.get("parameters"));
        task.calls.push(call(&name, given, output(&name)));
    }
}

fn crud(r: &Map<String, Value>, task: &mut RecordedTask) {
    match r.get("api_call") {
        Some(Value::Object(map)) => {
            let name = text(map.get("name").or_else(|| map.get("tool")));
            let given = map.get("arguments").or_else(|| map.get("parameters"));
            task.calls.push(call(&name, arguments(given), None));
        }
        Some(Value::String(name)) => {
            let plain = name.split('(').next().unwrap_or(name).trim();
            task.calls.push(call(plain, arguments(None), None));
        }
        _ => {}
    }
}

fn checkpoint(r: &Map<String, Value>, task: &mut RecordedTask) {
    for (point, id) in objects(r.get("reward_checkpoints")).zip(1u32..) {
        let tool = text(point.get("tool").or_else(|| point.get("api_id")));
        let output = point.get("expected_output_parsed");
        task.calls
            .push(call(&tool, arguments(point.get("input_bindings")), output));
        task.subtasks.push(RecordedSubtask {
            id,
            subgoal: text(point.get("step")),
            ground_truth: text(output),
            ..RecordedSubtask::default()
        });
    }
    if task.calls.is_empty() {
        for tool in strings(r.get("required_tools")) {
            task.calls.push(call(&tool, arguments(None), None));
        }
    }
}
