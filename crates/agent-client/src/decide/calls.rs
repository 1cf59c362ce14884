//! Tool calls, by the provider's tool calling or as JSON in the text.
//!
//! Not every model and server can call tools. With [`CallStyle::Json`] the tools are described in the
//! system message, and the calls are read from the text; with [`CallStyle::Native`] they are read from the
//! text only if the reply has no calls of its own.

use super::fit::fitted;
use super::{CallStyle, Choice, Ctx};
use crate::backend::Structured;
use crate::cause::Cause;
use crate::error::AgentError;
use crate::json_text;
use crate::message::{Arguments, Message, Said, ToolCall};
use crate::prompt;
use crate::reply::{Finish, Reply};
use crate::request::{Format, Request, Schema, Tool, ToolChoice};
use serde_json::{Map, Value, json};
use sim_core::bytes::canonical_text;
use sim_core::{ToolKind, ToolSpec};
use std::borrow::Cow;

/// Requests the next calls.
pub(super) async fn ask(
    cx: &Ctx<'_>,
    mut request: Request,
    tools: &[ToolSpec],
    style: CallStyle,
) -> Result<Choice, AgentError> {
    match style {
        CallStyle::Native => {
            request.tools = tools.iter().map(Tool::from).collect();
            // A call is demanded, as in the source of the loop: a reply in prose would cost a
            // query.
            request.choice = ToolChoice::Any;
        }
        CallStyle::Json => {
            tell_tools(&mut request.messages, tools)?;
            if cx.backend.structured() == Structured::Native {
                request.format = Format::Json(schema(tools));
            }
        }
    }
    let reply = cx.backend.ask(request).await?;
    Ok(read(&reply, tools))
}

/// The calls of a reply: its own, or those in its text.
pub(super) fn read(reply: &Reply, tools: &[ToolSpec]) -> Choice {
    let text = reply.said.text.clone();
    let native = !reply.said.calls.is_empty();
    let calls = if native {
        let calls = reply.said.calls.iter().cloned();
        // The name first, because the schema that the arguments are fitted to is found by it.
        let calls = calls.map(|call| renamed(call, tools));
        // What was cut off in the middle stays broken.
        let calls = calls.map(|call| match reply.finish {
            Finish::Length => call,
            _ => mended(call, tools),
        });
        let calls = calls.map(|call| unwrapped(call, tools));
        calls.map(|call| typed(call, tools)).collect()
    } else {
        let mut calls = in_text(&text, tools);
        // A server that takes the thoughts out of a text also takes a call out that stands before their end.
        let is_whole = reply.finish.cause() == Cause::Said;
        if let (true, Some(thinking)) = (reply.is_blank() && is_whole, &reply.thinking) {
            calls = in_text(last_block(thinking), tools);
        }
        if reply.finish == Finish::Length {
            // What one more character would change was cut off in the middle: 12 may have become 120.
            let longer = in_text(&format!("{text}0"), tools);
            let same = calls.iter().zip(&longer).take_while(|(a, b)| a == b);
            let whole = same.count();
            calls.truncate(whole);
        }
        calls
    };
    Choice {
        answer: text.clone(),
        said: Said {
            calls: if native { calls.clone() } else { Vec::new() },
            ..reply.said.clone()
        },
        text,
        calls,
        native,
        asked: 1,
        ..Choice::default()
    }
}

/// A call with the name of its tool, if that stands between other signs or behind the name of a space, and no other tool
/// does (`tools/order`, `repo_browser.order`, `order json`): parsers leave pieces of the chat format in a name.
fn renamed(mut call: ToolCall, tools: &[ToolSpec]) -> ToolCall {
    let is_tool = |name: &str| tools.iter().any(|tool| tool.name == name);
    if is_tool(&call.name) {
        return call;
    }
    let parts = call
        .name
        .split(|c: char| !(c.is_alphanumeric() || "_-".contains(c)));
    // `mcp__game__order`
    let parts = parts.flat_map(|part| [part, part.rsplit("__").next().unwrap_or(part)]);
    let mut named: Vec<&str> = parts.filter(|part| is_tool(part)).collect();
    // The parts overlap: one without `__` stands in the list twice.
    named.dedup();
    let spelled = || {
        let names = tools.iter().map(|tool| &*tool.name);
        spelled_as(&call.name, names)
    };
    // Two tools in one name: which one is meant is not known, so the environment refuses the call.
    let found = match *named {
        [only] => Some(only),
        [] => spelled(),
        _ => None,
    };
    if let Some(name) = found.map(str::to_owned) {
        call.name = name;
    }
    call
}

/// The only one of `names` with the letters and digits of `written`, in any case: `placeOrder` for `place_order`.
fn spelled_as<'a>(written: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |name: &str| {
        let kept = name.chars().filter(|c| c.is_alphanumeric());
        kept.flat_map(char::to_lowercase).collect::<String>()
    };
    let wanted = plain(written);
    let mut fitting = names.filter(|name| !wanted.is_empty() && plain(name) == wanted);
    let only = fitting.next()?;
    fitting.next().is_none().then_some(only)
}

/// A call whose arguments are not JSON, with what they say: in the form in which a model writes them in text, behind a
/// sentence, or with signs of a chat format for quotes.
fn mended(mut call: ToolCall, tools: &[ToolSpec]) -> ToolCall {
    let Arguments::Broken { text, .. } = &call.arguments else {
        return call;
    };
    let spoken = json_text::spoken(text);
    let text = spoken.trim();
    // Gemma's quotes, and those of typography.
    let quotes = ["<|\"|>", "“", "”"];
    let plain = quotes
        .iter()
        .fold(text.to_owned(), |text, quote| text.replace(quote, "\""));
    let behind = text
        .find('{')
        .and_then(|at| text.get(at..))
        .unwrap_or_default();
    let is_open = !text.starts_with('{');
    // From the form that changes least to those that change more; the first that is an object
    // counts.
    let forms = [
        (true, plain),
        (true, text.replace("\\\"", "\"")),
        (
            text.starts_with("{{"),
            text.get(1..).unwrap_or_default().to_owned(),
        ),
        (is_open, format!("{{{text}}}")),
        // A draft may stand before the last one of several.
        (
            is_open && behind.matches('{').count() == 1,
            behind.to_owned(),
        ),
    ];
    let read = forms.into_iter().filter(|(is_tried, _)| *is_tried);
    let value = read
        .map(|(_, text)| Arguments::read(&text).value())
        .find(Value::is_object)
        .or_else(|| super::dialects::arguments(text, &call.name, tools));
    if let Some(value) = value {
        call.arguments = Arguments::Json { value };
    }
    call
}

/// A call whose arguments stand once more under `arguments` or the like, perhaps beside the name of the tool, or in a
/// list of one, without that level, unless the tool has an argument of this name.
fn unwrapped(mut call: ToolCall, tools: &[ToolSpec]) -> ToolCall {
    if let Arguments::Json {
        value: Value::Array(items),
    } = &call.arguments
        && let [only @ Value::Object(_)] = items.as_slice()
    {
        call.arguments = Arguments::Json {
            value: only.clone(),
        };
    }
    let tool = tools.iter().find(|tool| tool.name == call.name);
    // The value of the only argument, without its name.
    if let Arguments::Json {
        value: value @ (Value::Number(_) | Value::Bool(_)),
    } = &call.arguments
        && let Some(name) = tool.and_then(super::dialects::only_argument)
    {
        call.arguments = Arguments::Json {
            value: json!({name: value}),
        };
    }
    let Arguments::Json {
        value: Value::Object(map),
    } = &call.arguments
    else {
        return call;
    };
    let has = |name: &str| {
        tool.and_then(|tool| tool.arguments.get("properties")?.get(name))
            .is_some()
    };
    let is_level =
        |name: &str| ARGUMENT_NAMES.contains(&name) || name == "properties" || name == call.name;
    // The name of the tool may stand there once more.
    let is_own = |name: &str, value: &Value| match name {
        "name" | "tool" | "function" => value.as_str() == Some(&call.name) && !has(name),
        // A model that repeats the schema.
        "type" => value == "object" && !has(name),
        name => is_level(name) && value.is_object() && !has(name),
    };
    let mut inner = map.values().filter(|value| value.is_object());
    let inner = match (inner.next(), inner.next()) {
        (Some(inner), None)
            if tool.is_some() && map.iter().all(|(name, value)| is_own(name, value)) =>
        {
            inner.clone()
        }
        _ => return call,
    };
    call.arguments = Arguments::Json { value: inner };
    call
}

/// A call whose arguments have the types that its tool asks for, where they say them in a text.
fn typed(mut call: ToolCall, tools: &[ToolSpec]) -> ToolCall {
    let tool = tools.iter().find(|tool| tool.name == call.name);
    if let (Some(tool), Arguments::Json { value }) = (tool, &mut call.arguments) {
        if let (Value::Object(map), Some(properties)) = (
            &mut *value,
            tool.arguments.get("properties").and_then(Value::as_object),
        ) {
            // Models that must name every argument give null for those that they leave out.
            let required = tool.arguments.get("required").and_then(Value::as_array);
            let is_required = |key: &str| {
                required.is_some_and(|names| names.iter().any(|name| name.as_str() == Some(key)))
            };
            let takes_null = |key: &str| properties.get(key).is_some_and(takes_null);
            map.retain(|key, value| !value.is_null() || is_required(key) || takes_null(key));
            let strange = map.keys().filter(|key| !properties.contains_key(*key));
            for key in strange.cloned().collect::<Vec<_>>() {
                let names = properties.keys().map(|name| &**name);
                let name = spelled_as(&key, names).filter(|name| !map.contains_key(*name));
                if let Some((name, value)) = name.and_then(|name| Some((name, map.remove(&key)?))) {
                    map.insert(name.to_owned(), value);
                }
            }
        }
        *value = fitted(value, &tool.arguments);
    }
    call
}

/// Whether a schema allows `null` by name.
fn takes_null(schema: &Value) -> bool {
    let any = |key: &str, of: &dyn Fn(&Value) -> bool| {
        let all = schema.get(key).and_then(Value::as_array);
        all.is_some_and(|all| all.iter().any(of))
    };
    let is_name = |kind: &Value| kind == "null";
    schema.get("type").is_some_and(is_name)
        || schema.get("const").is_some_and(Value::is_null)
        || any("type", &is_name)
        || any("enum", &Value::is_null)
        || any("anyOf", &takes_null)
        || any("oneOf", &takes_null)
}

/// Adds a description of the tools to the system message.
pub(super) fn tell_tools(
    messages: &mut Vec<Message>,
    tools: &[ToolSpec],
) -> Result<(), AgentError> {
    let words = prompt::tools_in_text(
        tools
            .iter()
            .map(|tool| (&*tool.name, &*tool.description, &tool.arguments)),
    )?;
    match messages.first_mut() {
        Some(Message::System { text }) => *text = format!("{text}\n\n{words}"),
        _ => messages.insert(0, Message::system(words)),
    }
    Ok(())
}

/// The JSON form of a call: `{"reason": .., "tool": .., "with": {..}}`. The names are in
/// alphabetical order, because servers that enforce a schema make the model write in its order,
/// and the reason should come before the decision.
#[must_use]
pub fn schema(tools: &[ToolSpec]) -> Schema {
    let forms: Vec<Value> = tools
        .iter()
        .map(|tool| {
            json!({
                "type": "object",
                "properties": {
                    "reason": {"type": "string"},
                    "tool": {"const": tool.name},
                    "with": tool.arguments,
                },
                "required": ["reason", "tool", "with"],
                "additionalProperties": false,
            })
        })
        .collect();
    let schema = match <[Value; 1]>::try_from(forms) {
        Ok([only]) => only,
        // No `anyOf` at the root, which OpenAI and servers like it refuse.
        Err(forms) => json!({
            "type": "object",
            "properties": {"call": {"anyOf": forms}},
            "required": ["call"],
            "additionalProperties": false,
        }),
    };
    Schema::new("call", "the call of one tool", schema)
}

/// The calls in a text as JSON; none if there are none.
///
/// These forms are read, because models write all of them: `{"tool": .., "with": {..}}` and its synonyms
/// (`name`, `function`, `action`, `tool_name`; `arguments`, `args`, `parameters`, `input`, `action_input`), a nested
/// `{"function": {"name": .., "arguments": ..}}`, also in a list under `tool_calls`,
/// `{"<tool>": {..}}`, a call whose arguments stand beside its name, and the bare arguments if there is only one tool that acts. A list holds several calls. Of several pieces of
/// JSON the last one that is a call counts, and none in the model's thoughts: models write drafts first.
///
/// # Example
/// ```
/// use agent_client::decide::calls::{in_text, shown};
/// use sim_core::{ToolKind, ToolSpec};
///
/// let order = ToolSpec::new("order", ToolKind::Action, "Orders papers.");
/// let text = "Demand grows, so:\n```json\n{\"tool\": \"order\", \"with\": {\"papers\": 4}}\n```";
/// let calls = in_text(text, &[order]);
/// assert_eq!(calls.iter().map(shown).collect::<Vec<_>>(), [r#"order({"papers":4})"#]);
/// ```
#[must_use]
pub fn in_text(text: &str, tools: &[ToolSpec]) -> Vec<ToolCall> {
    let calls = as_written(text, tools).into_iter();
    calls
        .map(|call| typed(unwrapped(renamed(call, tools), tools), tools))
        .collect()
}

/// Marks between which a call stands as an object, or several in a list.
const MARKS: [(&str, &str); 7] = [
    // Hermes, Qwen
    ("<tool_call>", "</tool_call>"),
    // MiniMax
    ("[TOOL_CALL]", "[/TOOL_CALL]"),
    // LM Studio
    ("[TOOL_REQUEST]", "[END_TOOL_REQUEST]"),
    // Granite
    ("<function_call>", "</function_call>"),
    ("<|tool_call|>", "<|/tool_call|>"),
    ("<tool_use>", "</tool_use>"),
    // Nemotron
    ("<TOOLCALL>", "</TOOLCALL>"),
];

/// The calls that stand between the marks of [`MARKS`].
fn between_marks(text: &str, tools: &[ToolSpec]) -> Vec<ToolCall> {
    let read = |&(open, close): &(&str, &str)| {
        let parts = text.split(open).skip(1);
        let parts = parts.filter_map(|part| {
            let part = part.split(close).next()?;
            json_text::find(part)
                .ok()
                .or_else(|| json_text::relaxed(part))
        });
        let items = parts.flat_map(|value| match value {
            Value::Array(items) => items,
            value => vec![value],
        });
        let calls: Vec<ToolCall> = items
            .enumerate()
            .filter_map(|(index, item)| one(&item, tools, index))
            .collect();
        (!calls.is_empty()).then_some(calls)
    };
    MARKS.iter().find_map(read).unwrap_or_default()
}

/// As [`in_text`], with arguments in the types in which they stand there.
fn as_written(text: &str, tools: &[ToolSpec]) -> Vec<ToolCall> {
    // The channels of Harmony do not count as thoughts where they hold calls.
    let is_harmony = text.contains("<|channel|>") || text.trim_start().starts_with("analysis");
    let spoken = match is_harmony && text.contains("to=functions.") {
        true => Cow::Borrowed(text),
        false => json_text::spoken(text),
    };
    // Qwen and Kimi end their thoughts with the call itself.
    let spoken = match spoken.trim().is_empty() {
        true => Cow::Borrowed(last_block(text)),
        false => spoken,
    };
    let is_call = |part: &str| !read_text(part, tools).is_empty();
    let spoken = super::examples::meant(&spoken, is_call);
    let others = super::examples::without(spoken, is_call);
    let others = others.map(|others| read_text(&others, tools));
    match others.filter(|calls| !calls.is_empty()) {
        Some(calls) => calls,
        // An example alone: some models call in this way.
        None => read_text(spoken, tools),
    }
}

/// The block of calls with which a text of thoughts ends; empty if it ends with something else. Calls before it are
/// drafts.
pub(crate) fn last_block(text: &str) -> &str {
    let marks = [
        ("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
        ("<tool_call>", "</tool_call>"),
        ("<function_calls>", "</function_calls>"),
    ];
    let bare = text.trim_end();
    let begin = marks
        .iter()
        .find_map(|(open, close)| bare.ends_with(close).then(|| bare.rfind(open))?);
    begin.and_then(|at| bare.get(at..)).unwrap_or_default()
}

/// The calls in a text without thoughts, also inside a text of JSON and with the quotes of typography.
fn read_text(spoken: &str, tools: &[ToolSpec]) -> Vec<ToolCall> {
    let found = read_plain(spoken, tools);
    let is_odd = spoken.contains("\\\"") || spoken.contains(['“', '”']);
    if !found.is_empty() || !is_odd {
        return found;
    }
    let plain = spoken.replace("\\\"", "\"").replace(['“', '”'], "\"");
    read_plain(&plain, tools)
}

fn read_plain(spoken: &str, tools: &[ToolSpec]) -> Vec<ToolCall> {
    let marked = super::dialects::marked(spoken, tools);
    if !marked.is_empty() {
        return marked;
    }
    let calls = between_marks(spoken, tools);
    if !calls.is_empty() {
        return calls;
    }
    let found = json_text::all(spoken).unwrap_or_default();
    let calls = found.into_iter().map(|value| {
        let items = match value {
            Value::Array(items) => items,
            // A message in the language of OpenAI, written as text.
            Value::Object(mut map) => {
                // The list may also be an argument of a call.
                let is_argument = |list: &str| {
                    let has = |tool: &ToolSpec| {
                        tool.arguments
                            .pointer(&format!("/properties/{list}"))
                            .is_some()
                    };
                    ["tool", "name"].iter().any(|name| map.contains_key(*name))
                        || tools.iter().any(has)
                };
                let list = LISTS
                    .into_iter()
                    .find(|list| map.get(*list).is_some_and(Value::is_array) && !is_argument(list));
                match list.and_then(|list| map.remove(list)) {
                    Some(Value::Array(items)) => items,
                    _ => vec![Value::Object(map)],
                }
            }
            value => vec![value],
        };
        let calls = items.iter().enumerate();
        calls
            .filter_map(|(index, item)| one(item, tools, index))
            .collect::<Vec<ToolCall>>()
    });
    // The last piece that is a call: an example or a note may follow it.
    calls
        .into_iter()
        .find(|calls| !calls.is_empty())
        .or_else(|| {
            let (from, to) = (spoken.find('{')?, spoken.rfind('}')?);
            let value = json_text::relaxed(spoken.get(from..=to)?)?;
            Some(one(&value, tools, 0).into_iter().collect())
        })
        .unwrap_or_default()
}

/// Names under which a message written as text has its list of calls.
const LISTS: [&str; 4] = ["tool_calls", "function_calls", "actions", "action"];

/// Names under which a model gives the name of a tool.
pub(super) const TOOL_NAMES: [&str; 7] = [
    "tool",
    "name",
    "function",
    "action",
    "tool_name",
    "function_name",
    "method",
];

/// Names under which it gives the arguments.
pub(super) const ARGUMENT_NAMES: [&str; 10] = [
    "with",
    "arguments",
    "args",
    "kwargs",
    "parameters",
    "params",
    "input",
    "action_input",
    "tool_input",
    "tool_args",
];

/// Names around a call: the root of [`schema`], Gemini, Converse, AutoGPT.
const WRAPPERS: [&str; 7] = [
    "call",
    "function_call",
    "functionCall",
    "tool_call",
    "toolCall",
    "toolUse",
    "command",
];

/// The call in one JSON value, in any of the forms of [`in_text`].
fn one(item: &Value, tools: &[ToolSpec], index: usize) -> Option<ToolCall> {
    let map = item.as_object()?;
    let call = |name: &str, arguments: Value| {
        Some(ToolCall::new(format!("text_{index}"), name, arguments))
    };
    let first = |names: &[&str]| names.iter().find_map(|name| map.get(*name));
    let named = first(&TOOL_NAMES).or_else(|| map.get("recipient_name"));
    // Also `{"function": {"name": .., "arguments": ..}}`, and `{"call": {..}}`, the root of [`schema`].
    for wrapper in WRAPPERS {
        if let (None, Some(inner @ Value::Object(_))) = (named, map.get(wrapper))
            && !tools.iter().any(|tool| tool.name == wrapper)
        {
            return one(inner, tools, index);
        }
    }
    // JSON-RPC, as MCP sends it.
    if let (Some("tools/call"), Some(inner)) = (named.and_then(Value::as_str), map.get("params")) {
        return one(inner, tools, index);
    }
    if let Some(inner @ Value::Object(_)) = named {
        return one(inner, tools, index);
    }
    if let Some(name) = named.and_then(Value::as_str)
        && let Some(arguments) = first(&ARGUMENT_NAMES)
    {
        let arguments = match arguments {
            Value::String(text) => Arguments::read(text).value(),
            value => value.clone(),
        };
        return call(crate::message::plain_name(name), arguments);
    }
    // `{"order": {"papers": 4}}`, or the arguments of the only decision there is.
    if let Some((name, arguments)) = map.iter().next()
        && map.len() == 1
        && let Some(tool) = tools.iter().find(|tool| tool.name == *name)
    {
        return call(name, under_name(arguments, tool));
    }
    if let Some(name) = named.and_then(Value::as_str)
        && tools.iter().any(|tool| tool.name == name)
    {
        let is_about = |key: &str| key == "reason" || TOOL_NAMES.contains(&key);
        let rest = map.iter().filter(|(key, _)| !is_about(key));
        return call(name, rest.map(|(k, v)| (k.clone(), v.clone())).collect());
    }
    let mut actions = tools.iter().filter(|tool| tool.kind == ToolKind::Action);
    let (only, None) = (actions.next()?, actions.next()) else {
        return None;
    };
    let properties = only
        .arguments
        .get("properties")
        .and_then(Value::as_object)?;
    let fits = !map.is_empty() && map.keys().all(|key| properties.contains_key(key));
    if fits {
        call(&only.name, item.clone())
    } else {
        None
    }
}

/// The arguments of a call of `tool` that is written as `{"<tool>": value}`.
fn under_name(value: &Value, tool: &ToolSpec) -> Value {
    let properties = tool.arguments.get("properties").and_then(Value::as_object);
    let read = match value {
        Value::String(text) => Arguments::read(text).value(),
        value => value.clone(),
    };
    match (read, super::dialects::only_argument(tool)) {
        (read @ Value::Object(_), _) => read,
        (Value::Null, _) => json!({}),
        // `{"look": true}`: there is nothing that the value could say.
        _ if properties.is_none_or(Map::is_empty) => json!({}),
        // As it stands: a text that is a number may be meant as a text.
        (_, Some(only)) => json!({only: value}),
        // Left as it is: the environment says what it expects.
        (read, None) => read,
    }
}

/// Calls in the JSON form of [`schema`].
pub(super) fn as_text(calls: &[ToolCall]) -> String {
    let items: Vec<Value> = calls
        .iter()
        .map(|call| json!({"tool": call.name, "with": call.arguments.value()}))
        .collect();
    match <[Value; 1]>::try_from(items) {
        Ok([only]) => canonical_text(&only),
        Err(items) => canonical_text(&Value::Array(items)),
    }
}

/// A call as text for people and other agents.
#[must_use]
pub fn shown(call: &ToolCall) -> String {
    let arguments = match &call.arguments {
        Arguments::Json { value } => canonical_text(value),
        Arguments::Broken { text, .. } => text.clone(),
    };
    format!("{}({arguments})", call.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools() -> Vec<ToolSpec> {
        vec![
            ToolSpec::new("look", ToolKind::Getter, "Look."),
            ToolSpec::new("order", ToolKind::Action, "Order.")
                .with("papers", json!({"type": "integer"})),
        ]
    }

    /// What stands at the end of a reply that was cut off may have gone on.
    #[test]
    fn a_call_that_was_cut_off_is_not_played() {
        let found = |text: &str, finish| {
            let reply = Reply {
                finish,
                ..Reply::text(text)
            };
            read(&reply, &tools()).calls.len()
        };
        let half =
            "{\n  \"reason\": \"why\",\n  \"tool\": \"order\",\n  \"with\": {\n    \"papers\": 1";
        for (text, whole, cut) in [
            (half, 0, 0),
            ("{\n  \"tool\": \"order\",\n  \"papers\": \"1", 0, 0),
            ("tool: order\npapers: 1", 1, 0),
            ("tool: order\npapers: 1\n", 1, 1),
            (r#"{"tool": "order", "with": {"papers": 4}}"#, 1, 1),
            (
                r#"{"tool": "order", "with": {"papers": 4}} and then {"tool": "or"#,
                1,
                1,
            ),
        ] {
            assert_eq!(found(text, Finish::Stop), whole, "{text}");
            assert_eq!(found(text, Finish::Length), cut, "{text}, cut off");
        }
    }

    /// If the thoughts have no end mark, a server returns the whole reply as thoughts.
    #[test]
    fn a_call_at_the_end_of_thoughts_is_played() {
        let found = |text: &str, thinking: &str| {
            let reply = Reply {
                thinking: Some(thinking.to_owned()),
                ..Reply::text(text)
            };
            let calls = read(&reply, &tools()).calls;
            calls.iter().map(shown).collect::<Vec<_>>()
        };
        let call = |papers: u32| {
            format!(
                "<tool_call>{{\"name\": \"order\", \"arguments\": {{\"papers\": {papers}}}}}</tool_call>"
            )
        };
        let thoughts = format!("{} is too much.\n{}", call(40), call(4));
        assert_eq!(found("", &thoughts), [r#"order({"papers":4})"#]);
        assert_eq!(found(&call(5), &thoughts), [r#"order({"papers":5})"#]);
        let none: [&str; 0] = [];
        assert_eq!(found("I wait.", &thoughts), none);
        assert_eq!(found("", &format!("{} or not?", call(4))), none);
        let filtered = Reply {
            thinking: Some(call(4)),
            finish: Finish::Filter,
            ..Reply::text("")
        };
        assert!(read(&filtered, &tools()).calls.is_empty());
    }

    #[test]
    fn calls_are_found_in_what_models_write() {
        let four = || Some(("order", json!({"papers": 4})));
        let cases = [
            (
                r#"{"reason": "r", "tool": "order", "with": {"papers": 4}}"#,
                four(),
            ),
            (
                r#"```json
{"name": "order", "arguments": {"papers": 4}}
```"#,
                four(),
            ),
            (
                r#"{"name": "order", "arguments": "{\"papers\": 4}"}"#,
                four(),
            ),
            (
                r#"{"type":"function","function": {"name": "order", "parameters": {"papers": 4}}}"#,
                four(),
            ),
            (r#"{"order": {"papers": 4}}"#, four()),
            (r#"{"order": 4}"#, four()),
            (r#"{"order": "4"}"#, four()),
            (r#"{"order": "{\"papers\": 4}"}"#, four()),
            (r#"{"tool": "order", "with": 4}"#, four()),
            (
                r#"{"tool": "order", "with": {"arguments": {"papers": 4}}}"#,
                four(),
            ),
            (
                r#"{"order": "four"}"#,
                Some(("order", json!({"papers": "four"}))),
            ),
            (r#"{"order": null}"#, Some(("order", json!({})))),
            (r#"{"look": true}"#, Some(("look", json!({})))),
            (r#"{"tool": "order", "with": {"papers": "4"}}"#, four()),
            (r#"{"tool": "order", "papers": 4}"#, four()),
            (r#"{"tool": "order", "with": {"Papers": 4}}"#, four()),
            (
                "{\"tool\": \"order\", // four\n\"with\": {\"papers\": 4 /* of 9 */}}",
                four(),
            ),
            (
                "<tool_call>{'name': 'order', 'arguments': {'papers': 4}}</tool_call>",
                four(),
            ),
            ("So: {tool: 'order', with: {papers: 4,},}", four()),
            (r#"I order {"papers": 4}."#, four()),
            (r#"{"tool": "look"}"#, Some(("look", json!({})))),
            (r#"{"look": null}"#, Some(("look", json!({})))),
            (r#"{"tool": "fly", "with": {}}"#, Some(("fly", json!({})))),
            (r#"{"papers": 4, "why": "x"}"#, None),
            ("{}", None),
            ("I would order 4 papers.", None),
        ];
        for (text, expected) in cases {
            let calls = in_text(text, &tools());
            let found = calls
                .first()
                .map(|c| (c.name.as_str(), c.arguments.value()));
            assert_eq!(found, expected, "{text}");
        }
        let sell = [ToolSpec::new("sell", ToolKind::Action, "Sell.")
            .with("actions", json!({"type": "array"}))];
        for text in [
            r#"{"tool": "sell", "actions": [1]}"#,
            r#"{"actions": [1]}"#,
            r#"{"tool": "sell", "with": {"actions": [1]}}"#,
        ] {
            let found: Vec<String> = in_text(text, &sell).iter().map(shown).collect();
            assert_eq!(found, [r#"sell({"actions":[1]})"#], "{text}");
        }
        let both = r#"[{"tool": "look", "with": {}}, {"tool": "order", "with": {"papers": 1}}]"#;
        assert_eq!(in_text(both, &tools()).len(), 2);
        let call = r#"{"call": {"reason": "r", "tool": "order", "with": {"papers": 4}}}"#;
        assert_eq!(in_text(call, &tools()).len(), 1);
    }

    /// An argument that is left out as `null` is removed unless its schema allows `null`; its description does not
    /// count.
    #[test]
    fn null_is_kept_where_the_schema_takes_it() {
        for (schema, is_kept) in [
            (
                json!({"type": "integer", "description": "null to keep it"}),
                false,
            ),
            (json!({"type": "string", "enum": ["null"]}), false),
            (json!({"type": ["integer", "null"]}), true),
            (json!({"enum": [1, null]}), true),
            (json!({"const": null}), true),
            (
                json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
                true,
            ),
        ] {
            let tool = ToolSpec {
                arguments: json!({"type": "object", "properties": {"price": schema}}),
                ..ToolSpec::new("order", ToolKind::Action, "Order.")
            };
            let call = typed(
                ToolCall::new("c", "order", json!({"price": null})),
                std::slice::from_ref(&tool),
            );
            let wanted = if is_kept {
                json!({"price": null})
            } else {
                json!({})
            };
            assert_eq!(call.arguments.value(), wanted, "{}", tool.arguments);
        }
    }

    #[test]
    fn arguments_are_taken_out_of_another_level() {
        let of = |value: Value| unwrapped(ToolCall::new("c", "order", value), &tools());
        for value in [
            json!({"arguments": {"papers": 4}}),
            json!({"parameters": {"papers": 4}}),
            json!({"papers": 4}),
        ] {
            assert_eq!(of(value).arguments.value(), json!({"papers": 4}));
        }
        for value in [
            json!([{"papers": 4}]),
            json!({"order": {"papers": 4}}),
            json!({"kwargs": {"papers": 4}}),
        ] {
            assert_eq!(of(value).arguments.value(), json!({"papers": 4}));
        }
        let two = json!([{"papers": 4}, {"papers": 5}]);
        assert_eq!(of(two.clone()).arguments.value(), two);
        let other = json!({"arguments": {"papers": 4}, "papers": 5});
        assert_eq!(of(other.clone()).arguments.value(), other);
    }

    /// Arguments that are not JSON are read where they have one meaning.
    #[test]
    fn broken_arguments_are_mended() {
        let with = |text: &str, finish: Finish| {
            let call = ToolCall {
                arguments: Arguments::read(text),
                ..ToolCall::new("c", "order", Value::Null)
            };
            let reply = Reply {
                said: Said {
                    calls: vec![call],
                    ..Said::default()
                },
                finish,
                ..Reply::text("")
            };
            read(&reply, &tools())
                .calls
                .first()
                .map(|call| call.arguments.value())
        };
        for text in [
            r#"{"papers": <|"|>4<|"|>}"#,
            "<parameter name=\"papers\">4</parameter>",
            "\n<arg_key>papers</arg_key>\n<arg_value>4</arg_value>",
            "papers=4",
            "papers: 4",
            "order(papers=4)",
            "4",
            "[4]",
            "\"papers\": 4",
            "{{\"papers\": 4}}",
            "{{\"papers\": 4}",
            "json\n{\"papers\": 4}",
            "I order four. {\"papers\": 4}",
            "<think>40?</think>{\"papers\": 4}",
            "{“papers”: 4}",
            r#"{\"papers\": 4}"#,
            r#"{"papers": [4]}"#,
            r#"{"papers": {"value": 4}}"#,
            r#"{"papers": 4, "why": null}"#,
            r#"{"params": {"papers": 4}}"#,
            r#"{"type": "object", "properties": {"papers": 4}}"#,
        ] {
            let found = with(text, Finish::Calls);
            let wanted = match text {
                // A list is not the value of the argument.
                "[4]" => json!([4]),
                _ => json!({"papers": 4}),
            };
            assert_eq!(found, Some(wanted), "{text}");
        }
        for text in [
            "{\"papers\": 4",
            "{\"papers\": 4} or 5",
            "{\"papers\": 4} {\"papers\": 5}",
            "{\"papers\": 4, \"papers\": 5}",
            "four",
            "papers=four",
            "3 or {\"papers\": 4} or {\"papers\": 5}",
        ] {
            assert_eq!(with(text, Finish::Calls), Some(json!(text)), "{text}");
        }
        assert_eq!(with("papers=1", Finish::Length), Some(json!("papers=1")));
    }

    #[test]
    fn a_tool_is_found_between_signs_of_the_chat_format() {
        let name = |name: &str| renamed(ToolCall::new("c", name, json!({})), &tools()).name;
        for written in [
            "order.",
            "tools/order",
            "repo_browser.order",
            "order json",
            "[order]",
        ] {
            assert_eq!(name(written), "order", "{written}");
        }
        // Two tools, or none.
        for written in ["mcp__game__order", "Order", "ORDER", "or-der"] {
            assert_eq!(name(written), "order", "{written}");
        }
        for other in ["order.look", "reorder", "order_all", "orders", "buy"] {
            assert_eq!(name(other), other);
        }
    }

    #[test]
    fn the_schema_names_each_tool() {
        let two = schema(&tools()).schema;
        assert_eq!(
            two["properties"]["call"]["anyOf"][1]["properties"]["tool"],
            json!({"const": "order"})
        );
        let one = schema(&tools()[1..]).schema;
        assert_eq!(one["properties"]["with"]["required"], json!(["papers"]));
    }
}
