//! Converts the JSON arguments of a tool to a checked call. The checks do not use the data of the
//! office, so an error discloses nothing about it.
//!
//! Order of the checks: unknown arguments, missing ones, the source of a code tool, each value by
//! its binding, then what concerns the call as a whole. The first fault is reported. The result is
//! a [`Call`], whose fields are typed and in range; the office relies on that.

use crate::data::org::parse_level_code;
use crate::data::tables::{FieldType, SourceField, TableId, Write};
use crate::data::value::{Cents, Day, Moment, scalar_text, whole_number};
use crate::tools::{Arg, ArgBinding, Filter, OfficeTool, Op};
use serde_json::{Map, Value, json};
use sim_core::ActionError;
use sim_core::error::clip;
use std::collections::BTreeMap;

/// The caller's claim about their identity: one of these names must be that of the session's user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    /// Ids, or addresses.
    pub(crate) names: Vec<String>,
    pub(crate) by_address: bool,
    /// Whether the names are the two participants of a mail or conversation.
    pub(crate) is_pair: bool,
}

/// A checked call. Fields that the tool does not use stay empty.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tool: &'static OfficeTool,
    /// For code tools determined by the arguments.
    pub(crate) source: TableId,
    /// Identifiers of the records; empty for a list.
    pub(crate) keys: Vec<String>,
    /// Conditions of a list.
    pub(crate) filters: Vec<(Filter, String)>,
    /// Fields of the record that the caller repeats.
    pub(crate) same: Vec<(&'static str, String)>,
    /// Values of a new record.
    pub(crate) values: BTreeMap<&'static str, Value>,
    pub(crate) new_id: Option<String>,
    /// Values to change.
    pub(crate) changes: BTreeMap<&'static str, Value>,
    /// The version that the caller has seen.
    pub(crate) version: Option<u32>,
    pub(crate) query: Option<String>,
    /// Page size, 20 unless the caller gave one.
    pub(crate) limit: usize,
    /// Rows of earlier pages.
    pub(crate) offset: usize,
    /// Fields to show; empty for the tool's own choice.
    pub(crate) fields: Vec<&'static str>,
    /// What the caller says about their identity.
    pub(crate) claims: Vec<Claim>,
    /// The field by which a read is restricted to the principal.
    pub(crate) my_own: Option<&'static str>,
    pub(crate) recipient_email: Option<String>,
    pub(crate) recipient_name: Option<String>,
    /// Number or heading of a section, in any case.
    pub(crate) section: Option<String>,
    pub(crate) text: String,
    pub(crate) class: Option<String>,
    pub(crate) facts: Map<String, Value>,
    /// The tool that `explain_access` asks about, and the call of it if arguments were given.
    pub(crate) about: Option<(&'static OfficeTool, Option<Box<Self>>)>,
}

/// A refusal because of the arguments alone.
pub(crate) fn invalid(message: impl Into<String>) -> ActionError {
    ActionError::new("INVALID_ARGUMENT", message)
}

/// A refusal of the value of an argument, which must be something else.
fn must_be(arg: &Arg, what: &str) -> ActionError {
    invalid(format!("`{}` must be {what}", arg.name))
}

/// Checks arguments against the table of the tool.
pub(crate) fn parse(tool: &'static OfficeTool, arguments: &Value) -> Result<Call, ActionError> {
    parse_at(tool, arguments, 0)
}

fn parse_at(tool: &'static OfficeTool, arguments: &Value, depth: u32) -> Result<Call, ActionError> {
    let empty = Map::new();
    let given = match arguments {
        Value::Object(map) => map,
        Value::Null => &empty,
        _ => {
            return Err(invalid(format!(
                "the arguments of `{}` must be an object",
                tool.name
            )));
        }
    };
    // Unknown names before missing ones: a slip in a name is both, and the message with the right names helps more.
    for name in given.keys() {
        if tool.args.iter().all(|a| a.name != name) {
            let known: Vec<&str> = tool.args.iter().map(|a| a.name).collect();
            let known = match known.as_slice() {
                [] => "none".to_owned(),
                names => names.join(", "),
            };
            return Err(invalid(format!(
                "`{}` has no argument `{}`; it takes {known}",
                tool.name,
                clip(name)
            )));
        }
    }
    for arg in tool.args.iter().filter(|a| a.required) {
        if given.get(arg.name).is_none_or(Value::is_null) && !may_be_null(tool, arg) {
            return Err(invalid(format!("`{}` needs `{}`", tool.name, arg.name)));
        }
    }
    let mut call = Call {
        tool,
        source: tool.source,
        keys: Vec::new(),
        filters: Vec::new(),
        same: Vec::new(),
        values: BTreeMap::new(),
        new_id: None,
        changes: BTreeMap::new(),
        version: None,
        query: None,
        limit: 20,
        offset: 0,
        fields: Vec::new(),
        claims: Vec::new(),
        my_own: None,
        recipient_email: None,
        recipient_name: None,
        section: None,
        text: String::new(),
        class: None,
        facts: Map::new(),
        about: None,
    };
    // Before the arguments, whose fields are looked up in the table that they are for.
    if tool.code {
        code_source(&mut call, given)?;
    }
    for arg in tool.args {
        match given.get(arg.name) {
            Some(value) if !value.is_null() || may_be_null(tool, arg) => {
                take(&mut call, arg, value, depth)?;
            }
            _ => {}
        }
    }
    if tool.code {
        code_keys(&mut call, given)?;
    }
    finish(&mut call)?;
    Ok(call)
}

/// Whether null is a value of this argument: it clears a nullable field.
fn may_be_null(tool: &OfficeTool, arg: &Arg) -> bool {
    match arg.binding {
        ArgBinding::Change(name) | ArgBinding::Field(name) => {
            tool.field(name).is_some_and(|f| f.nullable)
        }
        ArgBinding::Unused => true,
        _ => false,
    }
}

/// A text of one line, 1 to 300 characters.
fn line(arg: &Arg, value: &Value) -> Result<String, ActionError> {
    match scalar_text(value) {
        Some(text) if text.chars().count() > 300 => Err(invalid(format!(
            "`{}` is longer than 300 characters",
            arg.name
        ))),
        Some(text) if text.is_empty() || text.chars().any(char::is_control) => {
            Err(must_be(arg, "a line of text that is not empty"))
        }
        Some(text) => Ok(text),
        None => Err(must_be(arg, "a text")),
    }
}

/// An identifier, as text or number.
fn id(arg: &Arg, value: &Value) -> Result<String, ActionError> {
    match value {
        Value::String(_) | Value::Number(_) => {}
        _ => return Err(must_be(arg, "an id")),
    }
    scalar_text(value)
        .filter(|text| is_id(text))
        .ok_or_else(|| must_be(arg, "an id of at most 200 characters"))
}

/// A text of at most 20,000 characters.
fn long(arg: &Arg, value: &Value) -> Result<String, ActionError> {
    let text = value.as_str().ok_or_else(|| must_be(arg, "a text"))?;
    check_long(arg.name, text)?;
    Ok(text.to_owned())
}

/// Checks the length of a text that a model words freely: an answer, a reason, a prompt.
pub(crate) fn check_long(name: &str, text: &str) -> Result<(), ActionError> {
    if text.chars().count() > 20_000 {
        return Err(invalid(format!("`{name}` is longer than 20000 characters")));
    }
    Ok(())
}

/// Checks the number and the length of the facts of an answer.
pub(crate) fn check_facts(name: &str, facts: &Map<String, Value>) -> Result<(), ActionError> {
    if facts.len() > 60 {
        return Err(invalid(format!(
            "`{name}` must be an object of at most 60 facts"
        )));
    }
    for (key, fact) in facts {
        if key.chars().count() > 100 || fact.to_string().len() > 20_000 {
            return Err(invalid(format!("fact `{}` is too long", clip(key))));
        }
    }
    Ok(())
}

/// A whole number between two bounds, both allowed.
fn whole(arg: &Arg, value: &Value, low: i64, high: i64) -> Result<i64, ActionError> {
    whole_number(value)
        .filter(|n| (low..=high).contains(n))
        .ok_or_else(|| must_be(arg, &format!("a whole number from {low} to {high}")))
}

/// The value of a field, given under the name of its argument.
fn field_value(
    call: &Call,
    arg: &Arg,
    name: &'static str,
    value: &Value,
    change: bool,
) -> Result<Value, ActionError> {
    let Some(field) = call.source.field(name) else {
        return Err(invalid(format!(
            "`{}` does not belong to a {}",
            arg.name,
            call.source.noun()
        )));
    };
    if change && field.write != Write::Change {
        return Err(ActionError::new(
            "IMMUTABLE_FIELD",
            format!("`{name}` of a {} cannot be changed", call.source.noun()),
        ));
    }
    read_value(field, value).map_err(invalid)
}

/// Stores one argument in the call, as its binding says.
fn take(call: &mut Call, arg: &Arg, value: &Value, depth: u32) -> Result<(), ActionError> {
    match arg.binding {
        ArgBinding::Key => call.keys.push(id(arg, value)?),
        ArgBinding::Keys => {
            let list = value.as_array().filter(|l| (1..=200).contains(&l.len()));
            let list = list.ok_or_else(|| must_be(arg, "a list of 1 to 200 ids"))?;
            for one in list {
                call.keys.push(id(arg, one)?);
            }
        }
        ArgBinding::Filter(filter) => {
            let text = line(arg, value)?;
            let text = match filter {
                Filter::From(_) | Filter::To(_) => read_day(&text)
                    .ok_or_else(|| must_be(arg, "a date like 2024-03-31"))?
                    .to_string(),
                _ => text,
            };
            call.filters.push((filter, text));
        }
        ArgBinding::Same(field) => call.same.push((field, line(arg, value)?)),
        ArgBinding::Field(name) => {
            let value = field_value(call, arg, name, value, false)?;
            call.values.insert(name, value);
        }
        ArgBinding::NewId => call.new_id = Some(id(arg, value)?),
        ArgBinding::Change(name) => {
            let value = field_value(call, arg, name, value, true)?;
            call.changes.insert(name, value);
        }
        ArgBinding::Changes(names) => {
            let map = value.as_object().filter(|m| !m.is_empty() && m.len() <= 40);
            let map = map.ok_or_else(|| must_be(arg, "an object of 1 to 40 fields"))?;
            for (name, value) in map {
                let Some(known) = names.iter().find(|n| *n == name) else {
                    let message = format!(
                        "`{}` cannot be changed here; the fields are {}",
                        clip(name),
                        names.join(", ")
                    );
                    let known = call.source.field(name).is_some();
                    let code = if known {
                        "IMMUTABLE_FIELD"
                    } else {
                        "INVALID_ARGUMENT"
                    };
                    return Err(ActionError::new(code, message));
                };
                let value = field_value(call, arg, known, value, true)?;
                call.changes.insert(known, value);
            }
        }
        ArgBinding::Version => {
            call.version = u32::try_from(whole(arg, value, 1, 1_000_000_000)?).ok();
        }
        ArgBinding::Query => {
            let text = value
                .as_str()
                .filter(|t| !t.trim().is_empty() && t.chars().count() <= 400);
            let text = text.ok_or_else(|| must_be(arg, "a text of 1 to 400 characters"))?;
            call.query = Some(text.to_owned());
        }
        ArgBinding::Limit => {
            call.limit = usize::try_from(whole(arg, value, 1, 200)?).unwrap_or(20);
        }
        ArgBinding::TopK => call.limit = usize::try_from(whole(arg, value, 1, 10)?).unwrap_or(1),
        ArgBinding::Cursor => {
            let offset = value
                .as_str()
                .and_then(|t| t.strip_prefix("next-")?.parse().ok());
            call.offset = offset
                .filter(|n| *n <= 10_000_000)
                .ok_or_else(|| must_be(arg, "the `next_cursor` of an earlier reply"))?;
        }
        ArgBinding::Fields => {
            let list = value.as_array().filter(|l| l.len() <= 60);
            let list = list.ok_or_else(|| must_be(arg, "a list of names"))?;
            for one in list {
                let name = one.as_str().unwrap_or_default();
                let field = call.source.field(name).ok_or_else(|| {
                    let names: Vec<&str> = call.source.fields().iter().map(|f| f.name).collect();
                    invalid(format!(
                        "there is no field `{}`; the fields are {}",
                        clip(name),
                        names.join(", ")
                    ))
                })?;
                // A name that is given twice is shown once, so a reply cannot be made longer than the record.
                if !call.fields.contains(&field.name) {
                    call.fields.push(field.name);
                }
            }
        }
        ArgBinding::CodeKind
        | ArgBinding::Path
        | ArgBinding::IssueId
        | ArgBinding::Repo
        | ArgBinding::IssueStatus => {}
        ArgBinding::Me
        | ArgBinding::MyOwn(_)
        | ArgBinding::MyEmail
        | ArgBinding::Pair
        | ArgBinding::PairEmail => {
            let name = line(arg, value)?;
            if let ArgBinding::MyOwn(field) = arg.binding {
                call.my_own = Some(field);
            }
            let is_pair = matches!(arg.binding, ArgBinding::Pair | ArgBinding::PairEmail);
            match call.claims.last_mut() {
                Some(first) if is_pair && first.is_pair => first.names.push(name),
                _ => call.claims.push(Claim {
                    names: vec![name],
                    by_address: matches!(arg.binding, ArgBinding::MyEmail | ArgBinding::PairEmail),
                    is_pair,
                }),
            }
        }
        ArgBinding::RecipientEmail => call.recipient_email = Some(line(arg, value)?),
        ArgBinding::RecipientName => call.recipient_name = Some(line(arg, value)?),
        ArgBinding::Section => call.section = Some(line(arg, value)?),
        ArgBinding::Prompt | ArgBinding::Text => call.text = long(arg, value)?,
        ArgBinding::Tokens => {
            whole(arg, value, 1, 100_000)?;
        }
        ArgBinding::Tool => {
            let name = line(arg, value)?;
            let about = super::find(&name)
                .ok_or_else(|| invalid(format!("there is no tool `{}`", clip(&name))))?;
            call.about = Some((about, None));
        }
        ArgBinding::Arguments => {
            // `explain_access` asks about another call; asking about such a question in turn would
            // let arguments nest without limit.
            if !value.is_object() || depth > 0 {
                return Err(must_be(arg, "an object"));
            }
            if let Some((tool, slot)) = &mut call.about {
                *slot = Some(Box::new(parse_at(tool, value, depth + 1)?));
            }
        }
        ArgBinding::Class => {
            let word = value.as_str().unwrap_or_default();
            if !["denied", "missing", "ambiguous"].contains(&word) {
                return Err(invalid("`class` must be one of denied, missing, ambiguous"));
            }
            call.class = Some(word.to_owned());
        }
        ArgBinding::Facts => {
            let map = value.as_object();
            let map = map.ok_or_else(|| must_be(arg, "an object of at most 60 facts"))?;
            check_facts(arg.name, map)?;
            call.facts = map.clone();
        }
        ArgBinding::Unused => {
            if value.to_string().len() > 20_000 {
                return Err(invalid(format!("`{}` is too long", arg.name)));
            }
        }
    }
    Ok(())
}

/// The source of a code tool: repositories, files or issues.
fn code_source(call: &mut Call, given: &Map<String, Value>) -> Result<(), ActionError> {
    let has = |name: &str| given.get(name).is_some_and(|v| !v.is_null());
    call.source = match call.tool.op {
        Op::Read if has("issue_id") || has("issue_status") => TableId::Issues,
        Op::Read if has("path") => TableId::Files,
        Op::Read => TableId::Repositories,
        _ => match given.get("kind").and_then(Value::as_str) {
            Some("repository") => TableId::Repositories,
            Some("file") => TableId::Files,
            Some("issue") => TableId::Issues,
            _ => return Err(invalid("`kind` must be one of repository, file, issue")),
        },
    };
    Ok(())
}

/// Keys and filters of a code tool.
fn code_keys(call: &mut Call, given: &Map<String, Value>) -> Result<(), ActionError> {
    let read = |name: &str, binding: ArgBinding| -> Result<Option<String>, ActionError> {
        match (
            call.tool.args.iter().find(|a| a.binding == binding),
            given.get(name),
        ) {
            (Some(arg), Some(value)) if !value.is_null() => line(arg, value).map(Some),
            _ => Ok(None),
        }
    };
    let repository = read("repo_name", ArgBinding::Repo)?;
    let path = read("path", ArgBinding::Path)?;
    let issue = read("issue_id", ArgBinding::IssueId)?;
    let status = read("issue_status", ArgBinding::IssueStatus)?;
    if let Some(status) = &status
        && !["open", "closed"].contains(&status.as_str())
    {
        return Err(invalid("`issue_status` must be open or closed"));
    }
    let op = call.tool.op;
    if let (Op::Create, TableId::Repositories, Some(name)) = (op, call.source, &repository) {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
        if !name.chars().all(plain) || name.len() > 100 {
            return Err(invalid(
                "`repo_name` must be at most 100 letters, digits, dots, hyphens, underscores and slashes",
            ));
        }
    }
    let wrong_filter = call
        .filters
        .iter()
        .any(|(f, _)| matches!(f, Filter::Link("emp_id") | Filter::Same("license")))
        && call.source != TableId::Repositories;
    if wrong_filter {
        return Err(invalid(
            "`owner_emp_id` and `license` go with repositories alone",
        ));
    }
    let astray = match call.source {
        TableId::Repositories => path.as_ref().or(issue.as_ref()),
        TableId::Files => issue.as_ref(),
        _ => None,
    };
    if let Some(astray) = astray {
        let noun = call.source.noun();
        return Err(invalid(format!(
            "`{}` does not belong to a {noun}",
            clip(astray)
        )));
    }
    match (op, call.source) {
        (Op::Create, TableId::Repositories) => call.new_id = repository,
        (Op::Create, _) => {
            if let Some(name) = repository {
                call.values.insert("repo_name", name.into());
            }
            match (call.source, path) {
                (TableId::Files, Some(path)) => {
                    // It ends the name of the repository in the id of the file.
                    if path.contains(':') {
                        return Err(invalid("`path` must not contain a colon"));
                    }
                    call.values.insert("path", path.into());
                }
                (_, path) if path.is_some() => {
                    return Err(invalid("`path` goes with a file alone"));
                }
                _ => {}
            }
        }
        (_, TableId::Repositories) => call.keys.extend(repository),
        (Op::Read, TableId::Files) => match (repository, path) {
            (Some(r), Some(p)) => call.keys.push(format!("{r}:{p}")),
            (None, Some(p)) => call.filters.push((Filter::Same("path"), p)),
            _ => {}
        },
        (_, TableId::Files) => match (repository, path) {
            (Some(r), Some(p)) => call.keys.push(format!("{r}:{p}")),
            _ => return Err(invalid("a file needs `repo_name` and `path`")),
        },
        (Op::Read, _) => {
            call.keys.extend(issue);
            if let Some(r) = repository {
                call.filters.push((Filter::Link("repo_name"), r));
            }
            for (field, value) in [("status", status), ("path", path)] {
                call.filters.extend(value.map(|v| (Filter::Same(field), v)));
            }
        }
        (_, _) => {
            call.keys
                .push(issue.ok_or_else(|| invalid("an issue needs `issue_id`"))?);
            for (field, value) in [("repo_name", repository), ("path", path)] {
                call.same.extend(value.map(|v| (field, v)));
            }
        }
    }
    Ok(())
}

/// What no single argument shows: required fields of a new record, at least one change, dates in
/// order.
fn finish(call: &mut Call) -> Result<(), ActionError> {
    let missing = |name: &str| Err(invalid(format!("`{}` needs `{name}`", call.tool.name)));
    match call.tool.op {
        Op::Create => {
            for field in call.source.fields().iter().filter(|f| f.required) {
                let mail = field.name == "recipient_emp_id" && call.recipient_email.is_some();
                let named = matches!(field.kind, crate::data::tables::FieldType::Id);
                if !mail && !named && !call.values.contains_key(field.name) {
                    return missing(field.name);
                }
            }
        }
        Op::Update if call.changes.is_empty() => {
            return Err(invalid(format!(
                "`{}` needs at least one new value",
                call.tool.name
            )));
        }
        Op::Document if call.keys.is_empty() && call.query.is_none() => {
            return Err(invalid("`document_read` needs `query` or `document_id`"));
        }
        _ => {}
    }
    let day = |is: fn(&Filter) -> bool| call.filters.iter().find(|(filter, _)| is(filter));
    let from = day(|filter| matches!(filter, Filter::From(_)));
    let to = day(|filter| matches!(filter, Filter::To(_)));
    if let (Some((_, from)), Some((_, to))) = (from, to)
        && from > to
    {
        return Err(invalid(format!(
            "the first day `{from}` is after the last day `{to}`"
        )));
    }
    Ok(())
}

// ---------------------------------------------------------------- values
//
// Checks values that a caller sends for a field.
//
// A value is turned into the form in which records show it: a day as ISO text, an amount as a
// number, a word in the spelling of the list. So a written value compares equal to one that was
// always there. Messages state the allowed values, never the present ones.

/// Maximum number of entries of a list.
const MOST_WORDS: usize = 60;
/// Longest entry of a list (characters).
const LONGEST_WORD: usize = 100;

fn shown(value: &Value) -> String {
    clip(&scalar_text(value).unwrap_or_else(|| value.to_string()))
}

/// The canonical form of a value for a field, or a description of the allowed values.
fn read_value(field: &SourceField, value: &Value) -> Result<Value, String> {
    if value.is_null() {
        return if field.nullable {
            Ok(Value::Null)
        } else {
            Err(format!("`{}` must not be null", field.name))
        };
    }
    let wrong = |right: &str| {
        Err(format!(
            "`{}` must be {right}, not `{}`",
            field.name,
            shown(value)
        ))
    };
    match field.kind {
        FieldType::Id | FieldType::Link(_) => match scalar_text(value) {
            Some(id) if is_id(&id) => Ok(Value::from(id)),
            _ => wrong("an id of at most 200 characters"),
        },
        FieldType::Text(max) => match value {
            Value::String(text) if text.chars().count() > max => {
                Err(format!("`{}` is longer than {max} characters", field.name))
            }
            Value::String(text) if text.trim().is_empty() => wrong("a text that is not empty"),
            Value::String(text) if text.chars().any(is_odd_control) => {
                Err(format!("`{}` holds control characters", field.name))
            }
            // Short fields are lines: names, subjects, titles. A line break in a name would let a
            // record look like two in a list.
            Value::String(text) if max <= 300 && text.contains(['\n', '\r']) => {
                wrong("a single line")
            }
            Value::String(text) => Ok(text.as_str().into()),
            _ => wrong("a text"),
        },
        FieldType::Whole(low, high) => match whole_number(value) {
            Some(n) if (low..=high).contains(&n) => Ok(n.into()),
            _ => wrong(&format!("a whole number from {low} to {high}")),
        },
        FieldType::Money => match Cents::from_value(value) {
            Some(amount) if amount.0 <= 100_000_000_000 => Ok(amount.value()),
            _ => wrong("an amount of at least 0 with at most two decimals"),
        },
        FieldType::Rating => match value.as_f64().or_else(|| value.as_str()?.parse().ok()) {
            Some(r) if (0.0..=5.0).contains(&r) && (r * 10.0 - (r * 10.0).round()).abs() < 1e-9 => {
                Ok(((r * 10.0).round() / 10.0).into())
            }
            _ => wrong("a number from 0 to 5 with one decimal"),
        },
        FieldType::Day => match value.as_str().and_then(read_day) {
            Some(day) => Ok(day.to_string().into()),
            None => wrong("a date like 2024-03-31"),
        },
        FieldType::Moment => match value.as_str().and_then(Moment::parse) {
            Some((at, _)) if at.day().is_near() => Ok(format!("{at}+05:30").into()),
            _ => wrong("a date or a time like 2024-03-31 09:30:00"),
        },
        FieldType::Choice(words) => {
            let text = value.as_str().unwrap_or_default().trim();
            match words.iter().find(|w| w.eq_ignore_ascii_case(text)) {
                Some(word) => Ok((*word).into()),
                None => wrong(&format!("one of {}", words.join(", "))),
            }
        }
        FieldType::Flag => match value {
            Value::Bool(_) => Ok(value.clone()),
            _ => wrong("true or false"),
        },
        FieldType::Words => read_words(value).map_or_else(
            || wrong(&format!("a list of at most {MOST_WORDS} short texts")),
            |words| Ok(json!(words)),
        ),
        FieldType::Level => match value.as_str().and_then(parse_level_code) {
            Some((department, level)) => Ok(crate::data::org::level_code(department, level).into()),
            None => wrong("a department prefix and a level, like EN10"),
        },
    }
}

/// A list of texts, or a text with commas.
fn read_words(value: &Value) -> Option<Vec<String>> {
    let words: Vec<String> = match value {
        Value::String(text) if text.len() <= MOST_WORDS * LONGEST_WORD => {
            text.split(',').map(|w| w.trim().to_owned()).collect()
        }
        Value::Array(list) => list
            .iter()
            .map(|v| v.as_str().map(str::to_owned))
            .collect::<Option<_>>()?,
        _ => return None,
    };
    let fits = |w: &String| {
        !w.trim().is_empty()
            && w.chars().count() <= LONGEST_WORD
            // Stored lists are texts with commas.
            && !w.contains(',')
            && !w.chars().any(char::is_control)
    };
    (words.len() <= MOST_WORDS && words.iter().all(fits)).then_some(words)
}

/// A day in the range that an office supports.
pub(crate) fn read_day(text: &str) -> Option<Day> {
    Day::of(text).filter(|day| day.is_near())
}

/// Line breaks and tabs are part of texts, other control characters are not.
fn is_odd_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

/// Whether a text can be an identifier.
pub(crate) fn is_id(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= 200 && !text.chars().any(char::is_control)
}
