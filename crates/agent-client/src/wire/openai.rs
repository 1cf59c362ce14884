//! The chat completions API of OpenAI and the many servers compatible with it.
//!
//! Source: the public reference of `POST /v1/chat/completions`, and deviations of other servers
//! according to measurements and their issue trackers: unknown `finish_reason`, choices without
//! `index`, arguments as an object, calls without id, integer `error.code`, missing `usage`, an
//! `error` object under status 200.

use super::{Dialect, finish, joined_text, not_blank};
use crate::cause::Cause;
use crate::message::{Arguments, Message, Said, ToolCall};
use crate::reply::{Finish, Reply};
use crate::request::{Format, Request, Tool, ToolChoice};
use crate::tokens::{
    CountName, CountReader, Counted, RefusedCount, Reported, TokenCount, billed, billed_beside,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The body of a request.
pub(super) fn encode(dialect: &Dialect, request: &Request) -> Value {
    // First, so that a further field never replaces one of the request.
    let mut body = dialect.extra.clone();
    let mut set = |name: &str, value: Value| {
        body.insert(name.to_owned(), value);
    };
    set("model", json!(dialect.model));
    set(
        "messages",
        request.messages.iter().flat_map(message).collect(),
    );
    if let Some(most) = request.max_tokens.or(dialect.max_tokens) {
        set(&dialect.max_tokens_field, json!(most));
    }
    if let Some(temperature) = request.temperature.or(dialect.temperature) {
        set("temperature", json!(temperature));
    }
    if let Some(top_p) = dialect.top_p {
        set("top_p", json!(top_p));
    }
    // Both or neither: a choice without tools is refused.
    if !request.tools.is_empty() {
        set("tools", request.tools.iter().map(tool).collect());
        let choice = match &request.choice {
            ToolChoice::Auto => json!("auto"),
            ToolChoice::Any => json!("required"),
            ToolChoice::None => json!("none"),
            ToolChoice::Named(name) => json!({"type": "function", "function": {"name": name}}),
        };
        set("tool_choice", choice);
    }
    if let Format::Json(schema) = &request.format {
        set(
            "response_format",
            json!({"type": "json_schema", "json_schema": {
                "name": schema.name, "description": schema.about, "schema": schema.schema,
            }}),
        );
    }
    Value::Object(body)
}

fn tool(tool: &Tool) -> Value {
    json!({"type": "function", "function": {
        "name": tool.name, "description": tool.description, "parameters": tool.schema,
    }})
}

fn message(message: &Message) -> Vec<Value> {
    match message {
        Message::System { text } => vec![json!({"role": "system", "content": text})],
        Message::User { text } => vec![json!({"role": "user", "content": not_blank(text)})],
        Message::Assistant(said) => {
            let mut out = Map::new();
            out.insert("role".to_owned(), json!("assistant"));
            let silent = said.text.is_empty() && !said.calls.is_empty();
            let content = match said.calls.is_empty() {
                _ if silent => Value::Null,
                true => json!(not_blank(&said.text)),
                false => json!(said.text),
            };
            out.insert("content".to_owned(), content);
            if !said.calls.is_empty() {
                let calls = said.calls.iter().map(echoed).collect();
                out.insert("tool_calls".to_owned(), calls);
                // Thoughts and fields that only the server knows go back with the calls that they led to.
                if let Some(Value::Object(fields)) = &said.echo {
                    for (name, value) in fields {
                        out.entry(name.clone()).or_insert_with(|| value.clone());
                    }
                }
            }
            vec![Value::Object(out)]
        }
        Message::Tools { results } => results
            .iter()
            .map(|r| json!({"role": "tool", "tool_call_id": r.id, "content": not_blank(&r.text)}))
            .collect(),
    }
}

/// A call that goes back to the server. Many refuse a history with a name that no tool can have, or with arguments that
/// are not an object.
fn echoed(made: &ToolCall) -> Value {
    let arguments = match &made.arguments {
        Arguments::Json {
            value: value @ Value::Object(_),
        } => value.to_string(),
        _ => "{}".to_owned(),
    };
    call(made, &super::echoed_name(&made.name), &arguments)
}

fn call(call: &ToolCall, name: &str, arguments: &str) -> Value {
    let mut out = call.extra.clone();
    out.insert("id".to_owned(), json!(call.id));
    out.insert("type".to_owned(), json!("function"));
    out.insert(
        "function".to_owned(),
        json!({"name": name, "arguments": arguments}),
    );
    Value::Object(out)
}

/// The body of an answer that contains `reply`.
pub(super) fn encode_reply(reply: &Reply) -> Value {
    let calls: Vec<Value> = reply
        .said
        .calls
        .iter()
        .map(|made| {
            let arguments = match &made.arguments {
                Arguments::Json { value } => value.to_string(),
                Arguments::Broken { text, .. } => text.clone(),
            };
            call(made, &made.name, &arguments)
        })
        .collect();
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    message.insert("content".to_owned(), json!(reply.said.text));
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    if let Some(thinking) = &reply.thinking {
        message.insert("reasoning_content".to_owned(), json!(thinking));
    }
    // The other fields of the server are left out: a key can be spread over them.
    let finish = finish::written(&reply.finish);
    let mut body = json!({"choices": [{"index": 0, "finish_reason": finish, "message": message}]});
    let used = &reply.usage;
    let count = |name, tokens| RefusedCount::written(&reply.refused, name, tokens);
    // An estimate is left out: it is made again when the body is read, and written down it would look like a count. A
    // count that was refused is written, so that it is refused again.
    if !(used.estimated && reply.refused.is_empty())
        && let Value::Object(map) = &mut body
    {
        map.insert(
            "usage".to_owned(),
            json!({
                "prompt_tokens": count(CountName::Input, used.input),
                "completion_tokens": count(CountName::Output, used.output),
                "prompt_tokens_details": {
                    "cached_tokens": count(CountName::Cached, used.cached),
                },
                "completion_tokens_details": {
                    "reasoning_tokens": count(CountName::Thinking, used.thinking),
                },
            }),
        );
        if let Some(usage) = map.get_mut("usage") {
            super::also_counted(usage, used, "prompt_tokens_details", "cache_write_tokens");
        }
    }
    body
}

/// The reply in an answer.
pub(super) fn decode(body: Value) -> Result<Reply, String> {
    let choices = super::parts(body.get("choices").unwrap_or(&Value::Null));
    let joined = one_choice(choices);
    let choice = joined
        .as_ref()
        .or_else(|| choices.first())
        .ok_or("the answer has no `choices`")?;
    let empty = Value::Null;
    let given = choice.get("message").or_else(|| choice.get("delta"));
    let given = given.map(super::foreign::first);
    let message = given.filter(|m| m.is_object()).unwrap_or(&empty);
    let field = |name: &str| message.get(name).unwrap_or(&empty);
    let legacy = given
        .filter(|text| text.is_string())
        .or_else(|| choice.get("text"));
    let legacy = legacy.filter(|_| !message.is_object());
    let mut text = joined_text(legacy.unwrap_or_else(|| field("content")));
    let refusal = field("refusal").as_str().filter(|r| !r.is_empty());
    if let Some(refusal) = refusal.filter(|_| text.is_empty()) {
        refusal.clone_into(&mut text);
    }
    let mut calls = calls(field("tool_calls"));
    if calls.is_empty() && field("function_call").is_object() {
        calls.extend(one_call(&json!({"function": field("function_call")}), 0));
    }
    if calls.is_empty() {
        // Blocks of the Messages API and items of the Responses API.
        let blocks = super::parts(field("content")).iter();
        calls = self::calls(&blocks.filter_map(super::foreign::call_of).collect());
    }
    let is_silent = text.trim().is_empty() && calls.is_empty();
    let ended = finish::ended(choice, is_silent);
    // Without a message there may be a cause: the limit was used up by thoughts, or a filter took the message away.
    let is_told = ended.is_some_and(|word| finish::read(word).cause() != Cause::Said);
    if !message.is_object() && legacy.is_none() && !is_told {
        return Err("the answer's choice has no `message`".to_owned());
    }
    let finish = match ended {
        // Before the word, which is `stop` after a refusal too.
        _ if refusal.is_some() => Finish::Filter,
        Some(word) => finish::read(word),
        None if calls.is_empty() => Finish::Stop,
        None => Finish::Calls,
    };
    let echo = message
        .as_object()
        .map(own_fields)
        .filter(|fields| !fields.is_empty());
    let said = Said {
        text,
        calls,
        echo: echo.map(Value::Object),
    };
    let mut reported = usage(counted(&body));
    let billed = &mut reported.parts.billed;
    *billed = billed.or_else(|| billed_beside(&body));
    let thinking = thoughts(message);
    Ok(super::reply(said, finish, thinking, reported, body))
}

/// What the model thought: in a field of its own, of which some servers send two and leave one empty, or in parts of the
/// content.
fn thoughts(message: &Value) -> Option<String> {
    let names = ["reasoning_content", "reasoning", "thinking"];
    let fields = names.iter().filter_map(|name| message.get(*name)?.as_str());
    if let Some(text) = fields.into_iter().find(|text| !text.is_empty()) {
        return Some(text.to_owned());
    }
    let parts = super::parts(message.get("content")?).iter();
    let thoughts = parts.filter(|part| super::foreign::is_thought(part));
    let texts = thoughts.filter_map(|part| part.get("thinking").or_else(|| part.get("text")));
    let text: String = texts.map(joined_text).collect();
    (!text.is_empty()).then_some(text)
}

/// The one reply in several choices: gateways of Claude put the text into the first one and each call into one more.
/// `None` if the first choice has calls, or no other one has.
fn one_choice(choices: &[Value]) -> Option<Value> {
    let calls = |choice: &Value| {
        let found = choice.pointer("/message/tool_calls");
        found.and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let (first, others) = choices.split_first()?;
    if !calls(first).is_empty() {
        return None;
    }
    let with_calls: Vec<&Value> = others.iter().filter(|c| !calls(c).is_empty()).collect();
    let text = choices
        .iter()
        .filter_map(|choice| choice.pointer("/message/content"))
        .find(|content| !joined_text(content).is_empty());
    let mut out = (*with_calls.first()?).clone();
    let message = out.get_mut("message").and_then(Value::as_object_mut)?;
    let all = with_calls.iter().flat_map(|choice| calls(choice)).collect();
    message.insert("tool_calls".to_owned(), all);
    message.insert("content".to_owned(), text.cloned().unwrap_or_default());
    let fields = first.get("message").and_then(Value::as_object);
    for (name, value) in fields.into_iter().flatten() {
        message.entry(name.clone()).or_insert_with(|| value.clone());
    }
    Some(out)
}

/// The fields of a message that have no place here and go back unchanged: `reasoning_content`,
/// `reasoning_details` and what else a server adds. Empty ones and those that no server takes back are left out.
fn own_fields(message: &Map<String, Value>) -> Map<String, Value> {
    let read = [
        "role",
        "content",
        "tool_calls",
        "function_call",
        "refusal",
        "annotations",
        "audio",
        "parsed",
        "index",
    ];
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    };
    message
        .iter()
        .filter(|(name, value)| {
            // Servers that think ask for this field with every call, also where nothing was thought (Kimi, DeepSeek).
            let is_kept = name.as_str() == "reasoning_content" && value.is_string();
            !read.contains(&name.as_str()) && (is_kept || !is_empty(value))
        })
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The calls of a message, with distinct ids; entries that do not name a tool are left out. One call in place of the list,
/// and the text of a list, are read too.
fn calls(value: &Value) -> Vec<ToolCall> {
    let read = value
        .as_str()
        .and_then(|text| crate::json_text::strict(text).ok());
    let mut calls: Vec<ToolCall> = super::parts(read.as_ref().unwrap_or(value))
        .iter()
        .flat_map(|item| parallel(item).unwrap_or_else(|| vec![item.clone()]))
        .enumerate()
        .filter_map(|(index, item)| one_call(&item, index))
        .collect();
    let mut seen = BTreeSet::new();
    let mut next = 0_usize;
    for call in &mut calls {
        // Two calls with one id could not be told apart in the answers.
        let first = call.id.clone();
        while !seen.insert(call.id.clone()) {
            next += 1;
            call.id = super::numbered(&first, next);
        }
    }
    calls
}

/// The calls in one entry of the tool that models of OpenAI make up for several calls at a time:
/// `multi_tool_use.parallel({"tool_uses": [{"recipient_name": "functions.NAME", "parameters": {..}}]})`.
fn parallel(item: &Value) -> Option<Vec<Value>> {
    let function = item.get("function")?;
    let name = function.get("name").and_then(Value::as_str)?;
    if !name.trim().ends_with("multi_tool_use.parallel") {
        return None;
    }
    let arguments = function.get("arguments").and_then(Value::as_str)?;
    let uses = Arguments::read(arguments).value();
    let uses = uses.get("tool_uses").and_then(Value::as_array)?;
    let call = |used: &Value| {
        json!({"id": item.get("id"), "type": "function", "function": {
            "name": used.get("recipient_name"), "arguments": used.get("parameters"),
        }})
    };
    Some(uses.iter().map(call).collect())
}

/// A call; `None` when it does not even name a tool.
fn one_call(item: &Value, index: usize) -> Option<ToolCall> {
    let function = item.get("function").filter(|function| function.is_object());
    let function = function.unwrap_or(item);
    // Without an object, `function` may be the name.
    let name = ["name", "function", "tool"]
        .iter()
        .find_map(|name| function.get(*name)?.as_str())?;
    let is_given = |given: &&Value| match given {
        Value::String(text) => !text.trim().is_empty(),
        given => !given.is_null(),
    };
    // The other names are those of the templates of Llama and of the Messages API.
    let given = ["arguments", "parameters", "input", "args"]
        .iter()
        .find_map(|name| function.get(*name).filter(is_given));
    // Some parsers leave the arguments in the name: `order{"papers": 4}`, `order(papers=4)`.
    let is_nothing =
        given.is_none_or(|given| given.as_str().is_some_and(|text| text.trim() == "{}"));
    let (name, tail) = match name.find(['{', '(']).or_else(|| name.find("<arg_key>")) {
        Some(at) if is_nothing && at > 0 => name.split_at(at),
        _ => (name, ""),
    };
    // A call without arguments, as code; as a text it would count as broken.
    let tail = if tail.trim() == "()" { "" } else { tail };
    let given = given.filter(|_| tail.is_empty());
    let arguments = match given {
        None => Arguments::read(tail),
        Some(Value::String(text)) => Arguments::read(text),
        Some(value) => Arguments::Json {
            value: value.clone(),
        },
    };
    let id = item
        .get("id")
        .and_then(Value::as_str)
        .filter(|id| !id.is_empty())
        // Mistral takes no id but those of 9 letters and digits.
        .map_or_else(|| format!("call{index:05}"), str::to_owned);
    let known = ["id", "type", "function", "index"];
    let extra = item.as_object().map(|map| {
        map.iter()
            .filter(|(name, _)| !known.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect::<Map<_, _>>()
    });
    Some(ToolCall {
        id,
        name: crate::message::plain_name(name).to_owned(),
        arguments,
        // Without `function`, the item itself is the function.
        extra: extra
            .filter(|_| item.get("function").is_some_and(Value::is_object))
            .unwrap_or_default(),
    })
}

/// Where an answer has its counts: at its top; in its first choice (Moonshot, in streams); under `x_groq` (Groq, in
/// streams).
fn counted(body: &Value) -> Option<&Value> {
    let places = ["/usage", "/choices/0/usage", "/x_groq/usage"];
    let mut found = places.iter().filter_map(|place| body.pointer(place));
    found.find(|usage| usage.is_object())
}

/// The counts of an answer; cached tokens are read from either of two places.
///
/// Servers count differently what they call completion and prompt: thoughts stand inside `completion_tokens`
/// (OpenAI) or beside them (xAI, Gemini), cached tokens inside the prompt or beside it. The total decides:
/// `prompt + completion + thoughts = total` says that the thoughts stand beside. What a total has beyond all
/// counts was written by the model without being named, so it counts as output.
pub(super) fn usage(usage: Option<&Value>) -> Reported {
    let mut read = counts(usage);
    read.parts.billed = billed(usage);
    read
}

fn counts(usage: Option<&Value>) -> Reported {
    let mut counts = CountReader::default();
    let of = |name: &str| {
        usage
            .and_then(|usage| usage.get(name))
            .filter(|value| !value.is_null())
    };
    let detail = |group: &str, name: &str| {
        of(group)
            .and_then(|group| group.get(name))
            .filter(|value| !value.is_null())
    };
    let mut input = counts.read(
        CountName::Input,
        of("prompt_tokens").or_else(|| of("input_tokens")),
    );
    let output = of("completion_tokens").or_else(|| of("output_tokens"));
    let total = of("total_tokens").and_then(|total| TokenCount::read(total).ok());
    if input == Counted::Absent {
        let Some(total) = total.map(TokenCount::get) else {
            return counts.finish();
        };
        match counts.read(CountName::Output, output) {
            Counted::Tokens(written) => input = Counted::Tokens(total.saturating_sub(written)),
            // Only the sum is known: the parts follow from the length of the reply.
            _ => return counts.finish_with_total(total),
        }
    }
    let mut output = counts.read(CountName::Output, output);
    if let (Counted::Absent, Counted::Tokens(prompt), Some(total)) = (output, input, total) {
        output = Counted::Tokens(total.get().saturating_sub(prompt));
    }
    let cached = detail("prompt_tokens_details", "cached_tokens")
        .or_else(|| detail("input_tokens_details", "cached_tokens"))
        .or_else(|| of("prompt_cache_hit_tokens"))
        .or_else(|| of("cache_read_input_tokens"))
        // Moonshot.
        .or_else(|| of("cached_tokens"));
    let cached = counts.read(CountName::Cached, cached).or_zero();
    let stored = detail("prompt_tokens_details", "cache_write_tokens")
        .or_else(|| detail("prompt_tokens_details", "cache_creation_tokens"))
        // DashScope.
        .or_else(|| detail("prompt_tokens_details", "cache_creation_input_tokens"))
        .or_else(|| of("cache_creation_input_tokens"));
    let stored = counts.read(CountName::Stored, stored).or_zero();
    let thinking = detail("completion_tokens_details", "reasoning_tokens")
        .or_else(|| detail("output_tokens_details", "reasoning_tokens"))
        .or_else(|| of("reasoning_tokens"));
    let thinking = counts.read(CountName::Thinking, thinking).or_zero();
    let (Counted::Tokens(prompt), Counted::Tokens(written)) = (input, output) else {
        return counts.finish_with(input, output, [cached, stored], thinking);
    };
    let beyond = total.map_or(0, |total| total.get().saturating_sub(prompt + written));
    let parts = cached + stored;
    let (more_in, more_out) = match beyond {
        // More thoughts than output: they stand beside it, whatever the total says.
        0 if thinking > written => (0, thinking),
        0 => (0, 0),
        rest if rest == thinking => (0, thinking),
        rest if rest == parts => (parts, 0),
        rest if rest == parts + thinking => (parts, thinking),
        rest => (0, rest),
    };
    let (input, output) = (prompt + more_in, written + more_out);
    // What was written beside the output and has no name is taken for thoughts: the text that is
    // seen is in `completion_tokens`.
    let thinking = if thinking == 0 { more_out } else { thinking };
    counts.finish_with(
        Counted::Tokens(input),
        Counted::Tokens(output),
        [cached, stored],
        thinking,
    )
}
