//! The Messages API of Anthropic.
//!
//! Source: the public reference of `POST /v1/messages`. The model's content blocks are sent back
//! unchanged, because thinking blocks carry signatures that the server checks.
//!
//! | here | there |
//! |---|---|
//! | system messages | the field `system`, joined by blank lines |
//! | consecutive messages of one side | one message with several blocks |
//! | [`Format::Json`] | one tool that must be called |
//! | [`ToolChoice::Any`] | `{"type": "any"}` |
//! | input tokens | the sum of fresh, cached and stored ones |

use super::{Dialect, MESSAGES_TOKENS, finish, not_blank};
use crate::cause::Cause;
use crate::message::{Arguments, Message, Said, ToolCall, ToolResult};
use crate::reply::{Finish, Reply};
use crate::request::{Format, Request, ToolChoice};
use crate::tokens::{
    CountName, CountReader, Counted, RefusedCount, Reported, TokenCount, billed, billed_beside,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Value of the `anthropic-version` header.
pub const VERSION: &str = "2023-06-01";

/// The body of a request.
pub(super) fn encode(dialect: &Dialect, request: &Request) -> Value {
    let mut body = dialect.extra.clone();
    let mut set = |name: &str, value: Value| {
        body.insert(name.to_owned(), value);
    };
    set("model", json!(dialect.model));
    let thinking = dialect
        .extra
        .get("thinking")
        .and_then(|t| t.get("budget_tokens"));
    let thinking = thinking.and_then(Value::as_u64).unwrap_or(0);
    let most = request.max_tokens.or(dialect.max_tokens).map(u64::from);
    // This API demands a limit, and one above the budget of the thoughts.
    let most = most.unwrap_or_else(|| u64::from(MESSAGES_TOKENS).saturating_add(thinking));
    set("max_tokens", json!(most));
    let system: Vec<&str> = request
        .messages
        .iter()
        .filter_map(|m| match m {
            Message::System { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    if !system.is_empty() {
        set("system", json!(system.join("\n\n")));
    }
    set("messages", Value::Array(messages(&request.messages)));
    if let Some(temperature) = request.temperature.or(dialect.temperature) {
        set("temperature", json!(temperature));
    }
    if let Some(top_p) = dialect.top_p {
        set("top_p", json!(top_p));
    }
    let mut tools: Vec<Value> = request
        .tools
        .iter()
        .map(|t| json!({"name": t.name, "description": t.description, "input_schema": t.schema}))
        .collect();
    let mut choice = match &request.choice {
        ToolChoice::Auto => json!({"type": "auto"}),
        ToolChoice::Any => json!({"type": "any"}),
        ToolChoice::None => json!({"type": "none"}),
        ToolChoice::Named(name) => json!({"type": "tool", "name": name}),
    };
    if let Format::Json(schema) = &request.format {
        // This API has no schema for text; a tool that must be called has the same effect.
        tools = vec![json!({
            "name": schema.name, "description": schema.about, "input_schema": schema.schema,
        })];
        choice = json!({"type": "tool", "name": schema.name});
    }
    // No choice without tools: the server refuses it.
    if !tools.is_empty() {
        set("tools", Value::Array(tools));
        set("tool_choice", choice);
    }
    Value::Object(body)
}

/// Messages as turns: consecutive messages of the same side become one message with several blocks.
fn messages(messages: &[Message]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (side, blocks) = match message {
            Message::System { .. } => continue,
            Message::User { text } => ("user", vec![text_block(text)]),
            Message::Assistant(said) => ("assistant", said_blocks(said)),
            Message::Tools { results } => ("user", results.iter().map(result_block).collect()),
        };
        match turns.last_mut() {
            Some((last, all)) if *last == side => all.extend(blocks),
            _ => turns.push((side, blocks)),
        }
    }
    turns
        .into_iter()
        .map(|(side, blocks)| json!({"role": side, "content": blocks}))
        .collect()
}

fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": not_blank(text)})
}

/// The blocks of an assistant message: the server's own if they are faithful, else text and calls.
fn said_blocks(said: &Said) -> Vec<Value> {
    if let Some(Value::Array(blocks)) = &said.echo
        && !blocks.is_empty()
    {
        return blocks.iter().map(echoed).collect();
    }
    let mut blocks = Vec::new();
    if !said.text.trim().is_empty() || said.calls.is_empty() {
        blocks.push(text_block(&said.text));
    }
    for call in &said.calls {
        let input = match &call.arguments {
            Arguments::Json {
                value: Value::Object(map),
            } => map.clone(),
            _ => Map::new(),
        };
        let name = super::echoed_name(&call.name);
        blocks.push(json!({"type": "tool_use", "id": call.id, "name": name, "input": input}));
    }
    blocks
}

/// A block that goes back to the server. It refuses a history with a name that no tool can have.
fn echoed(block: &Value) -> Value {
    let mut block = block.clone();
    if block.get("type").and_then(Value::as_str) == Some("tool_use") {
        if let Some(Value::String(name)) = block.get_mut("name") {
            *name = super::echoed_name(name).into_owned();
        }
        if let Some(input) = block.get_mut("input").filter(|input| !input.is_object()) {
            *input = json!({});
        }
    }
    block
}

fn result_block(result: &ToolResult) -> Value {
    let mut block = json!({
        "type": "tool_result", "tool_use_id": result.id, "content": not_blank(&result.text),
    });
    if result.is_error
        && let Value::Object(map) = &mut block
    {
        map.insert("is_error".to_owned(), json!(true));
    }
    block
}

/// The body of an answer that contains `reply`. Thinking is left out: without its signature the server
/// would reject it in the next request.
pub(super) fn encode_reply(reply: &Reply) -> Value {
    let mut blocks = Vec::new();
    if !reply.said.text.is_empty() || reply.said.calls.is_empty() {
        blocks.push(text_block(&reply.said.text));
    }
    for call in &reply.said.calls {
        let input = call.arguments.value();
        blocks.push(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}));
    }
    let reason = match &reply.finish {
        Finish::Stop => "end_turn",
        Finish::Calls => "tool_use",
        Finish::Length => "max_tokens",
        Finish::NoRoom => "model_context_window_exceeded",
        Finish::Filter => "refusal",
        Finish::Malformed => "malformed_tool_use",
        Finish::Other(word) => word,
    };
    let mut body = json!({"content": blocks, "stop_reason": reason});
    let used = &reply.usage;
    let count = |name, tokens| RefusedCount::written(&reply.refused, name, tokens);
    if !(used.estimated && reply.refused.is_empty())
        && let Value::Object(map) = &mut body
    {
        // This provider counts the three separately.
        let others = used.cached.saturating_add(used.stored);
        map.insert(
            "usage".to_owned(),
            json!({
                "input_tokens": count(CountName::Input, used.input.saturating_sub(others)),
                "cache_read_input_tokens": count(CountName::Cached, used.cached),
                "cache_creation_input_tokens": count(CountName::Stored, used.stored),
                "output_tokens": count(CountName::Output, used.output),
            }),
        );
        if let Some(usage) = map.get_mut("usage") {
            super::also_counted(usage, used, "cache_creation", "ephemeral_1h_input_tokens");
        }
    }
    body
}

/// Whether an answer without content says why there is none.
fn is_told(body: &Value) -> bool {
    let ended = body.get("stop_reason").and_then(Value::as_str);
    ended.is_some_and(|word| finish::read(word).cause() != Cause::Said)
}

/// `blocks` in which each call has an id of its own. Some gateways of other models give several calls one id, which no
/// server takes back.
fn distinct(mut blocks: Vec<Value>) -> Vec<Value> {
    let mut seen = BTreeSet::new();
    let mut next = 0_usize;
    for id in blocks.iter_mut().filter_map(|block| block.get_mut("id")) {
        let Some(first) = id.as_str().map(str::to_owned) else {
            continue;
        };
        let mut own = first.clone();
        while !seen.insert(own.clone()) {
            next += 1;
            own = super::numbered(&first, next);
        }
        *id = json!(own);
    }
    blocks
}

/// A call in the form of chat completions or of the Responses API as a block; any other block stays as it is.
fn of_openai(block: Value) -> Value {
    let kind = block.get("type").and_then(Value::as_str);
    if !matches!(
        kind,
        Some("function" | "function_call" | "tool_call" | "tool_use")
    ) {
        return block;
    }
    let function = block.get("function").unwrap_or(&block);
    let Some(with) = function
        .get("arguments")
        .filter(|_| function.get("input").is_none())
    else {
        return block;
    };
    json!({"type": "tool_use", "id": block.get("id"), "name": function.get("name"), "input": with})
}

/// The reply in an answer.
pub(super) fn decode(body: Value) -> Result<Reply, String> {
    let blocks = match body.get("content") {
        Some(Value::Array(blocks)) => blocks.clone(),
        Some(block @ (Value::Object(_) | Value::String(_))) => vec![block.clone()],
        // Gateways leave the text out where the limit was used up or a filter stopped the reply.
        _ if is_told(&body) => Vec::new(),
        _ => return Err("the answer has no `content`".to_owned()),
    };
    // A text in place of a block, and blocks of Converse and the Responses API.
    let blocks = blocks.into_iter().map(|block| {
        let kind = block.get("type").and_then(Value::as_str);
        let text = block.as_str().or_else(|| block.get("text")?.as_str());
        match (kind, text) {
            _ if super::foreign::is_thought(&block) => block,
            (None | Some("output_text"), Some(text)) => json!({"type": "text", "text": text}),
            (None, None) => super::foreign::call_of(&block).unwrap_or(block),
            _ => block,
        }
    });
    let mut blocks: Vec<Value> = blocks.map(of_openai).collect();
    // Gateways that put the calls where chat completions have them.
    let beside = super::parts(body.get("tool_calls").unwrap_or(&Value::Null));
    if blocks.iter().all(|block| block.get("name").is_none()) {
        blocks.extend(beside.iter().map(|call| of_openai(call.clone())));
    }
    let blocks = distinct(blocks);
    let mut said = Said::default();
    let mut thinking = String::new();
    // Blocks go back unchanged only if nothing had to be mended: thoughts carry signatures that the
    // server checks.
    let mut faithful = true;
    for (index, block) in blocks.iter().enumerate() {
        let field = |name: &str| block.get(name).and_then(Value::as_str);
        match field("type") {
            Some("text") => said.text.push_str(field("text").unwrap_or_default()),
            Some("thinking") => thinking.push_str(field("thinking").unwrap_or_default()),
            Some("tool_use") => {
                let Some(name) = field("name") else {
                    faithful = false;
                    continue;
                };
                let input = block.get("input").cloned().unwrap_or(Value::Null);
                faithful &= crate::message::plain_name(name) == name;
                faithful &= input.is_object() && field("id").is_some();
                let arguments = match input {
                    Value::Null => Arguments::read(""),
                    Value::String(text) => Arguments::read(&text),
                    value => Arguments::Json { value },
                };
                said.calls.push(ToolCall {
                    id: field("id").map_or_else(|| format!("call_{index}"), str::to_owned),
                    name: crate::message::plain_name(name).to_owned(),
                    arguments,
                    extra: Map::new(),
                });
            }
            _ => {}
        }
    }
    // Blocks that the server itself would refuse are rebuilt instead of sent back.
    // So are blank text blocks, and thoughts without an answer.
    let is_blank = |block: &Value| {
        let text = block.get("text").and_then(Value::as_str);
        block.get("type").and_then(Value::as_str) == Some("text")
            && text.is_none_or(|text| text.trim().is_empty())
    };
    let is_thought = |block: &Value| {
        let kind = block.get("type").and_then(Value::as_str);
        matches!(kind, Some("thinking" | "redacted_thinking"))
    };
    let kept: Vec<Value> = blocks
        .into_iter()
        .filter(|block| !is_blank(block))
        .collect();
    let answers = kept.iter().any(|block| !is_thought(block));
    said.echo = (faithful && answers).then_some(Value::Array(kept));
    let finish = match body.get("stop_reason").and_then(Value::as_str) {
        Some(word) => finish::read(word),
        None if said.calls.is_empty() => Finish::Stop,
        None => Finish::Calls,
    };
    let mut reported = usage(body.get("usage"));
    let billed = &mut reported.parts.billed;
    *billed = billed.or_else(|| billed_beside(&body));
    let thinking = (!thinking.is_empty()).then_some(thinking);
    Ok(super::reply(said, finish, thinking, reported, body))
}

/// The counts of an answer.
fn usage(usage: Option<&Value>) -> Reported {
    let mut read = counts(usage);
    let hour = usage.and_then(|usage| usage.pointer("/cache_creation/ephemeral_1h_input_tokens"));
    let hour = hour
        .and_then(|hour| TokenCount::read(hour).ok())
        .map_or(0, TokenCount::get);
    let parts = &mut read.parts;
    parts.stored_hour = hour.min(parts.stored);
    parts.billed = billed(usage);
    read
}

fn counts(usage: Option<&Value>) -> Reported {
    let mut counts = CountReader::default();
    let of = |name: &str| usage.and_then(|usage| usage.get(name));
    // Gateways that translate the language of OpenAI, and leave the names of its counts.
    if of("input_tokens").is_none() && of("prompt_tokens").is_some() {
        return super::openai::usage(usage);
    }
    let fresh = counts.read(CountName::Input, of("input_tokens"));
    if fresh == Counted::Absent {
        return counts.finish();
    }
    let cached = counts.read(CountName::Cached, of("cache_read_input_tokens"));
    let stored = counts.read(CountName::Stored, of("cache_creation_input_tokens"));
    // The parts of a sum that a gateway leaves out.
    let part = |name: &str| {
        let parts = of("cache_creation")?;
        TokenCount::read(parts.get(name)?).ok()
    };
    let parts = ["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"];
    let parts = parts.into_iter().filter_map(part);
    let stored = match stored {
        Counted::Absent => Counted::Tokens(parts.map(TokenCount::get).sum()),
        stored => stored,
    };
    let output = counts.read(CountName::Output, of("output_tokens"));
    // This provider counts the three separately, so their sum is known only if all three are.
    let input = if [fresh, cached, stored].contains(&Counted::Refused) {
        Counted::Refused
    } else {
        Counted::Tokens(fresh.or_zero() + cached.or_zero() + stored.or_zero())
    };
    counts.finish_with(input, output, [cached.or_zero(), stored.or_zero()], 0)
}
