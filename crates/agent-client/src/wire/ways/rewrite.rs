//! Rewrites the body of a request so that a server takes it.

use super::Way;
use crate::request::Schema;
use crate::structured::in_words;
use crate::wire::{ApiKind, OLD_TOKEN_FIELD, TOKEN_FIELD};
use serde_json::{Map, Value, json};
use sim_core::bytes::canonical_text;
use std::collections::{BTreeSet, VecDeque};

/// Fields of an assistant message that every server takes.
const PLAIN_FIELDS: [&str; 7] = [
    "role",
    "content",
    "tool_calls",
    "name",
    "tool_call_id",
    "refusal",
    "function_call",
];

/// What a body asks for, as far as servers refuse it.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent features of a request"
)]
pub(super) struct Asked {
    pub(super) tools: bool,
    /// A choice of tools is sent.
    pub(super) choice: bool,
    /// A call is demanded.
    pub(super) forced: bool,
    /// A form of the text is demanded.
    pub(super) form: bool,
    /// It is one with a schema.
    pub(super) schema: bool,
    pub(super) temperature: bool,
    pub(super) top_p: bool,
    /// The field with the limit on the reply.
    pub(super) limit: Option<&'static str>,
    pub(super) system: bool,
    /// A user message stands directly after results.
    pub(super) user_after_result: bool,
    /// Two messages of one side stand in a row.
    pub(super) twice: bool,
    /// A message of the model has several calls.
    pub(super) several: bool,
    /// A message of the model has calls.
    pub(super) calls: bool,
    /// Results stand in messages of their own role.
    pub(super) results: bool,
    /// Thoughts are sent back.
    pub(super) thoughts: bool,
    /// Names of the fields in which they are, and of others that only a server knows, in lower case.
    pub(super) echoed: BTreeSet<String>,
    /// A message of the model has `null` as its text.
    pub(super) null: bool,
}

impl Asked {
    pub(super) fn of(kind: ApiKind, body: &Value) -> Self {
        let has = |name: &str| body.get(name).is_some_and(|value| !value.is_null());
        let messages = messages(body);
        let role = |message: &Value| {
            message
                .get("role")
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let pairs = || messages.iter().zip(messages.iter().skip(1));
        let choice = body.get("tool_choice");
        // Chat completions name a choice by a word and a single tool by an object; the Messages API
        // writes an object in both cases. An object without one of the two words demands a call.
        let forced = match choice {
            Some(Value::String(word)) => !matches!(word.as_str(), "auto" | "none"),
            Some(Value::Object(map)) => {
                let word = map.get("type").and_then(Value::as_str);
                !matches!(word, Some("auto" | "none"))
            }
            _ => false,
        };
        let is_openai = kind == ApiKind::OpenAi;
        Self {
            tools: has("tools"),
            choice: choice.is_some(),
            forced,
            form: has("response_format"),
            schema: body.pointer("/response_format/json_schema").is_some(),
            temperature: has("temperature"),
            top_p: has("top_p"),
            limit: [OLD_TOKEN_FIELD, TOKEN_FIELD]
                .into_iter()
                .find(|name| has(name)),
            system: has("system")
                || messages
                    .iter()
                    .any(|m| role(m).as_deref() == Some("system")),
            user_after_result: pairs().any(|(a, b)| {
                role(a).as_deref() == Some("tool") && role(b).as_deref() == Some("user")
            }) || (!is_openai && messages.iter().any(has_result_and_text)),
            // Results are left out: in chat completions the results of several calls are messages
            // of one role in a row, and that is their only form.
            twice: pairs().any(|(a, b)| role(a) == role(b) && role(a).as_deref() != Some("tool")),
            calls: messages.iter().any(has_calls),
            // Only what `single_calls` can change; it leaves the Messages API as it is.
            several: is_openai && messages.iter().any(|m| calls_of(m).len() > 1),
            results: is_openai && messages.iter().any(|m| role_of(m) == "tool"),
            thoughts: messages.iter().any(|m| has_thoughts(kind, m)),
            echoed: messages
                .iter()
                .filter(|m| kind == ApiKind::OpenAi && role_of(m) == "assistant")
                .flat_map(unknown_fields)
                .map(|name| name.to_lowercase())
                .collect(),
            null: messages.iter().any(|m| has_null(kind, m)),
        }
    }
}

fn messages(body: &Value) -> &[Value] {
    let found = body.get("messages").and_then(Value::as_array);
    found.map(Vec::as_slice).unwrap_or_default()
}

/// Whether a message of the Messages API holds a result of a tool and a text beside it.
fn has_result_and_text(message: &Value) -> bool {
    let blocks = message.get("content").and_then(Value::as_array);
    let of = |kind: &str| {
        blocks.is_some_and(|blocks| {
            blocks
                .iter()
                .any(|b| b.get("type").and_then(Value::as_str) == Some(kind))
        })
    };
    of("tool_result") && of("text")
}

/// Whether a message of the model has calls, in either language.
fn has_calls(message: &Value) -> bool {
    let blocks = message.get("content").and_then(Value::as_array);
    let is_call = |block: &Value| block.get("type").and_then(Value::as_str) == Some("tool_use");
    !calls_of(message).is_empty() || blocks.is_some_and(|blocks| blocks.iter().any(is_call))
}

fn is_thought(block: &Value) -> bool {
    let kind = block.get("type").and_then(Value::as_str);
    matches!(kind, Some("thinking" | "redacted_thinking"))
}

/// The fields of a message that not every server takes. Those of its calls stay: a signature must come back.
fn unknown_fields(message: &Value) -> Vec<&str> {
    let fields = message.as_object().into_iter().flatten();
    fields
        .map(|(name, _)| name.as_str())
        .filter(|name| !PLAIN_FIELDS.contains(name))
        .collect()
}

/// Whether a message of the model has calls and `null` as its text.
fn has_null(kind: ApiKind, message: &Value) -> bool {
    kind == ApiKind::OpenAi
        && role_of(message) == "assistant"
        && message.get("content").is_none_or(Value::is_null)
}

fn has_thoughts(kind: ApiKind, message: &Value) -> bool {
    let is_assistant = message.get("role").and_then(Value::as_str) == Some("assistant");
    let blocks = message.get("content").and_then(Value::as_array);
    let in_blocks = blocks.is_some_and(|blocks| blocks.iter().any(is_thought));
    let in_fields = kind == ApiKind::OpenAi && !unknown_fields(message).is_empty();
    is_assistant && (in_blocks || in_fields)
}

/// `body` asked for in the ways of `known`, and those of them that changed it.
pub(crate) fn weaker(kind: ApiKind, body: &Value, known: &BTreeSet<Way>) -> (Value, BTreeSet<Way>) {
    let mut out = body.clone();
    let mut used = BTreeSet::new();
    // Tools and forms first, because they write into the messages; the order of messages last.
    let order = [
        Way::Emulate,
        Way::JsonPrompt,
        Way::JsonObject,
        Way::NoChoice,
        Way::AutoChoice,
        Way::NoThoughts,
        Way::SingleCalls,
        // Behind `SingleCalls`, which gives the further calls of a message `null` as their text.
        Way::NoNull,
        Way::PlainIds,
        Way::NoSystem,
        // Behind `NoSystem`, which may put a user message at the head.
        Way::UserInResult,
        Way::Alternate,
        Way::NoTemperature,
        Way::NoTopP,
        // Before the names of the limit, so that one which was added is renamed as well.
        Way::NeedsLimit,
        Way::MaxCompletionTokens,
        Way::MaxTokens,
    ];
    for way in order.into_iter().filter(|way| known.contains(way)) {
        let changed = match out.as_object_mut() {
            Some(map) => one(kind, map, way),
            None => false,
        };
        if changed {
            used.insert(way);
        }
    }
    (out, used)
}

/// Rewrites `body` in one way; whether it changed.
fn one(kind: ApiKind, body: &mut Map<String, Value>, way: Way) -> bool {
    match way {
        Way::Emulate => emulate(kind, body),
        Way::JsonPrompt => form_in_words(kind, body, None),
        Way::JsonObject => form_in_words(kind, body, Some(json!({"type": "json_object"}))),
        Way::NoChoice => body.remove("tool_choice").is_some(),
        Way::AutoChoice => {
            if !Asked::of(kind, &Value::Object(body.clone())).forced {
                return false;
            }
            let auto = match kind {
                ApiKind::Anthropic => json!({"type": "auto"}),
                _ => json!("auto"),
            };
            body.insert("tool_choice".to_owned(), auto);
            true
        }
        Way::NoThoughts => no_thoughts(kind, body),
        Way::SingleCalls => single_calls(kind, body),
        Way::NoNull => {
            let mut changed = false;
            let messages = list(body).into_iter().flatten();
            for message in messages.filter(|m| has_null(kind, m)) {
                if let Some(map) = message.as_object_mut() {
                    map.insert("content".to_owned(), json!(""));
                    changed = true;
                }
            }
            changed
        }
        Way::PlainIds => plain_ids(body),
        Way::NoSystem => no_system(kind, body),
        Way::UserInResult => user_in_result(kind, body),
        Way::Alternate => joined(body),
        Way::NoTemperature => body.remove("temperature").is_some(),
        Way::NoTopP => body.remove("top_p").is_some(),
        Way::MaxCompletionTokens => renamed(body, OLD_TOKEN_FIELD, TOKEN_FIELD),
        Way::MaxTokens => renamed(body, TOKEN_FIELD, OLD_TOKEN_FIELD),
        Way::NeedsLimit => {
            let has = body.contains_key(OLD_TOKEN_FIELD) || body.contains_key(TOKEN_FIELD);
            if !has {
                body.insert(OLD_TOKEN_FIELD.to_owned(), json!(crate::wire::USUAL_TOKENS));
            }
            !has
        }
        // They change the address and a header, and not the body.
        Way::V1 | Way::KeyHeader => false,
    }
}

fn renamed(body: &mut Map<String, Value>, from: &str, to: &str) -> bool {
    match body.remove(from) {
        Some(value) => {
            body.insert(to.to_owned(), value);
            true
        }
        None => false,
    }
}

fn list(body: &mut Map<String, Value>) -> Option<&mut Vec<Value>> {
    body.get_mut("messages").and_then(Value::as_array_mut)
}

fn role_of(message: &Value) -> &str {
    message
        .get("role")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The text of a message whose content is a text or blocks.
fn text_of(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts = blocks
                .iter()
                .filter_map(|b| b.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n\n")
        }
        _ => String::new(),
    }
}

fn both(first: &str, second: &str) -> String {
    match (first.trim().is_empty(), second.trim().is_empty()) {
        (true, _) => second.to_owned(),
        (_, true) => first.to_owned(),
        _ => format!("{first}\n\n{second}"),
    }
}

/// Adds `words` to the rules of the chat.
fn add_rules(kind: ApiKind, body: &mut Map<String, Value>, words: &str) {
    if kind == ApiKind::Anthropic {
        let before = body
            .get("system")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let text = both(before, words);
        body.insert("system".to_owned(), json!(text));
        return;
    }
    let Some(messages) = list(body) else {
        return;
    };
    match messages.iter_mut().find(|m| role_of(m) == "system") {
        Some(message) => {
            let text = both(&text_of(message), words);
            *message = json!({"role": "system", "content": text});
        }
        None => messages.insert(0, json!({"role": "system", "content": words})),
    }
}

/// Puts the schema of the reply into the prompt, and asks for `form` in its place.
fn form_in_words(kind: ApiKind, body: &mut Map<String, Value>, form: Option<Value>) -> bool {
    let Some(asked) = body.remove("response_format") else {
        return false;
    };
    if let Some(schema) = asked.get("json_schema") {
        let text = |name: &str| schema.get(name).and_then(Value::as_str).unwrap_or_default();
        let schema = Schema::new(
            text("name"),
            text("description"),
            schema.get("schema").cloned().unwrap_or_default(),
        );
        add_rules(kind, body, &in_words(&schema));
    }
    if let Some(form) = form {
        body.insert("response_format".to_owned(), form);
    }
    true
}

/// Describes the tools in the prompt and turns calls and results of the chat into text.
fn emulate(kind: ApiKind, body: &mut Map<String, Value>) -> bool {
    let Some(Value::Array(tools)) = body.remove("tools") else {
        return false;
    };
    // With the tools, because a choice without tools is refused.
    let choice = body.remove("tool_choice").unwrap_or_default();
    let tool = |tool: &Value| {
        let at = tool.get("function").unwrap_or(tool);
        let text = |name: &str| {
            at.get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let schema = ["parameters", "input_schema"]
            .iter()
            .find_map(|name| at.get(*name));
        (
            text("name"),
            text("description"),
            schema.cloned().unwrap_or_default(),
        )
    };
    let tools: Vec<_> = tools.iter().map(tool).collect();
    let named = choice
        .get("name")
        .or_else(|| choice.pointer("/function/name"))
        .is_some();
    let words = match <[_; 1]>::try_from(tools) {
        // A tool that must be called is a schema for the reply (see `structured`).
        Ok([(name, about, schema)]) if named => in_words(&Schema::new(&name, &about, schema)),
        Ok(one) => told(&one),
        Err(tools) => told(&tools),
    };
    // Where no call is wanted, the last paragraph, which asks for one, is left out.
    let is_none = choice.as_str().or_else(|| choice.get("type")?.as_str()) == Some("none");
    let words = match words.rsplit_once("\n\nAnswer with") {
        Some((about, _)) if is_none => {
            about.replacen("You act by calling", "You will act by calling", 1)
        }
        _ => words,
    };
    add_rules(kind, body, &words);
    if let Some(messages) = list(body) {
        for message in messages.iter_mut() {
            spoken(message);
        }
    }
    // A result is a message of the user now and may stand beside another one.
    joined(body);
    true
}

/// The tools in words.
fn told(tools: &[(String, String, Value)]) -> String {
    let tools = tools
        .iter()
        .map(|(name, about, schema)| (&**name, &**about, schema));
    // The template is part of the program, and a test renders it.
    crate::prompt::tools_in_text(tools).unwrap_or_default()
}

/// Turns calls and results in a message into text.
fn spoken(message: &mut Value) {
    let role = role_of(message).to_owned();
    let call =
        |name: &str, arguments: Value| canonical_text(&json!({"tool": name, "with": arguments}));
    let mut texts = Vec::new();
    let text = text_of(message);
    if role != "tool" && !text.trim().is_empty() {
        texts.push(text);
    }
    let calls = message.get("tool_calls").and_then(Value::as_array);
    for made in calls.map(Vec::as_slice).unwrap_or_default() {
        let name = made
            .pointer("/function/name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let arguments = made.pointer("/function/arguments").and_then(Value::as_str);
        let arguments = arguments.and_then(|text| serde_json::from_str(text).ok());
        texts.push(call(name, arguments.unwrap_or_default()));
    }
    let blocks = message.get("content").and_then(Value::as_array);
    for block in blocks.map(Vec::as_slice).unwrap_or_default() {
        match block.get("type").and_then(Value::as_str) {
            Some("tool_use") => {
                let name = block
                    .get("name")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                texts.push(call(name, block.get("input").cloned().unwrap_or_default()));
            }
            Some("tool_result") => {
                let result = block
                    .get("content")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                texts.push(format!("Result: {result}"));
            }
            _ => {}
        }
    }
    if role == "tool" {
        texts.push(format!("Result: {}", text_of(message)));
    }
    let role = if role == "tool" {
        "user".to_owned()
    } else {
        role
    };
    *message = json!({"role": role, "content": texts.join("\n\n")});
}

/// Removes thoughts and unknown fields from the messages of the model.
fn no_thoughts(kind: ApiKind, body: &mut Map<String, Value>) -> bool {
    let mut changed = false;
    for message in list(body)
        .into_iter()
        .flatten()
        .filter(|m| role_of(m) == "assistant")
    {
        if !has_thoughts(kind, message) {
            continue;
        }
        changed = true;
        if let Some(blocks) = message.get_mut("content").and_then(Value::as_array_mut) {
            blocks.retain(|block| !is_thought(block));
        }
        if let Some(map) = message.as_object_mut().filter(|_| kind == ApiKind::OpenAi) {
            map.retain(|name, _| PLAIN_FIELDS.contains(&name.as_str()));
        }
    }
    changed
}

/// Gives the calls of a chat, and their results, ids of 9 letters and digits.
fn plain_ids(body: &mut Map<String, Value>) -> bool {
    let mut names: Vec<String> = Vec::new();
    let mut changed = false;
    let mut plain = |id: &mut Value| {
        let Some(name) = id.as_str() else { return };
        let place = names.iter().position(|known| known == name);
        let place = place.unwrap_or_else(|| {
            names.push(name.to_owned());
            names.len() - 1
        });
        // The nine letters and digits that Mistral takes. Numbered by their order in the chat, so
        // that a call and its result agree, and a chat that only grows keeps its ids.
        let short = json!(format!("call{place:05}"));
        changed |= *id != short;
        *id = short;
    };
    for message in list(body).into_iter().flatten() {
        let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
        let calls = calls.into_iter().flatten();
        calls
            .filter_map(|call| call.get_mut("id"))
            .for_each(&mut plain);
        message
            .get_mut("tool_call_id")
            .into_iter()
            .for_each(&mut plain);
        let blocks = message.get_mut("content").and_then(Value::as_array_mut);
        for block in blocks.into_iter().flatten() {
            let name = match block.get("type").and_then(Value::as_str) {
                Some("tool_use") => "id",
                Some("tool_result") => "tool_use_id",
                _ => continue,
            };
            block.get_mut(name).into_iter().for_each(&mut plain);
        }
    }
    changed
}

/// The calls of a message in the language of chat completions.
fn calls_of(message: &Value) -> &[Value] {
    let calls = message.get("tool_calls").and_then(Value::as_array);
    calls.map(Vec::as_slice).unwrap_or_default()
}

/// Puts each call of a message, with its result behind it, into a message of its own. The first one keeps text and
/// thoughts.
fn single_calls(kind: ApiKind, body: &mut Map<String, Value>) -> bool {
    let Some(messages) = list(body).filter(|_| kind == ApiKind::OpenAi) else {
        return false;
    };
    let mut changed = false;
    let mut out: Vec<Value> = Vec::with_capacity(messages.len());
    let mut rest: VecDeque<Value> = messages.drain(..).collect();
    while let Some(mut message) = rest.pop_front() {
        let calls = calls_of(&message).to_vec();
        if calls.len() < 2 {
            out.push(message);
            continue;
        }
        changed = true;
        let mut results: Vec<Value> = Vec::new();
        while rest.front().is_some_and(|next| role_of(next) == "tool") {
            results.extend(rest.pop_front());
        }
        for (place, call) in calls.into_iter().enumerate() {
            let id = call.get("id").cloned();
            if place > 0 {
                message = json!({"role": "assistant", "content": null});
            }
            if let Some(map) = message.as_object_mut() {
                map.insert("tool_calls".to_owned(), json!([call]));
            }
            out.push(message.clone());
            let of_call = |result: &Value| result.get("tool_call_id").cloned() == id;
            out.extend(results.iter().filter(|result| of_call(result)).cloned());
        }
    }
    *messages = out;
    changed
}

/// Puts the rules at the head of the first user message.
fn no_system(kind: ApiKind, body: &mut Map<String, Value>) -> bool {
    let mut rules = String::new();
    if kind == ApiKind::Anthropic
        && let Some(system) = body.remove("system")
    {
        system.as_str().unwrap_or_default().clone_into(&mut rules);
    }
    let Some(messages) = list(body) else {
        return false;
    };
    for message in messages.iter().filter(|m| role_of(m) == "system") {
        rules = both(&rules, &text_of(message));
    }
    messages.retain(|m| role_of(m) != "system");
    if rules.is_empty() {
        return false;
    }
    match messages.first_mut().filter(|m| role_of(m) == "user") {
        Some(first) => prepend(first, &rules),
        None => messages.insert(0, json!({"role": "user", "content": rules})),
    }
    true
}

/// Puts `words` before the text of a message.
fn prepend(message: &mut Value, words: &str) {
    match message.get_mut("content") {
        Some(Value::Array(blocks)) => blocks.insert(0, json!({"type": "text", "text": words})),
        Some(Value::String(text)) => *text = both(words, text),
        _ => {}
    }
}

/// Puts a user message directly after results into the last result.
fn user_in_result(kind: ApiKind, body: &mut Map<String, Value>) -> bool {
    let Some(messages) = list(body) else {
        return false;
    };
    let mut changed = false;
    if kind == ApiKind::Anthropic {
        for message in messages.iter_mut().filter(|m| has_result_and_text(m)) {
            let text = text_of(message);
            let Some(blocks) = message.get_mut("content").and_then(Value::as_array_mut) else {
                continue;
            };
            let kind = |block: &Value| block.get("type").and_then(Value::as_str).map(str::to_owned);
            blocks.retain(|block| kind(block).as_deref() != Some("text"));
            let last = blocks
                .iter_mut()
                .rev()
                .find(|b| kind(b).as_deref() == Some("tool_result"));
            if let Some(Value::String(result)) = last.and_then(|block| block.get_mut("content")) {
                *result = both(result, &text);
                changed = true;
            }
        }
        return changed;
    }
    let mut out: Vec<Value> = Vec::with_capacity(messages.len());
    for message in messages.drain(..) {
        if role_of(&message) == "user"
            && let Some(last) = out.last_mut().filter(|last| role_of(last) == "tool")
        {
            let text = both(&text_of(last), &text_of(&message));
            if let Some(map) = last.as_object_mut() {
                map.insert("content".to_owned(), json!(text));
            }
            changed = true;
            continue;
        }
        out.push(message);
    }
    *messages = out;
    changed
}

/// Joins consecutive messages of one side.
fn joined(body: &mut Map<String, Value>) -> bool {
    let Some(messages) = list(body) else {
        return false;
    };
    let before = messages.len();
    let mut out: Vec<Value> = Vec::with_capacity(before);
    for message in messages.drain(..) {
        let role = role_of(&message);
        // Only plain texts are joined: results stand directly behind the message with their calls,
        // and blocks have an order of their own.
        let plain = |m: &Value| {
            m.get("content").is_some_and(Value::is_string) && m.get("tool_calls").is_none()
        };
        let fits = matches!(role, "user" | "assistant" | "system") && plain(&message);
        match out.last_mut() {
            Some(last) if fits && role_of(last) == role && plain(last) => {
                let text = both(&text_of(last), &text_of(&message));
                if let Some(map) = last.as_object_mut() {
                    map.insert("content".to_owned(), json!(text));
                }
            }
            _ => out.push(message),
        }
    }
    *messages = out;
    messages.len() != before
}
