//! Replies in the form of another API than the one that was asked, put into the form of chat completions.
//!
//! A gateway may answer in the language of the server behind it. The reply was paid for, so it is read.
//!
//! | form | known by |
//! |---|---|
//! | Responses of OpenAI | a list `output` of items with a `type` |
//! | Gemini | `candidates` |
//! | Ollama, Cohere, Converse of Bedrock | a `message` with content |
//! | a message alone | the role `assistant` or `model` beside content |
//! | Ollama's `generate`, Cloudflare | `response` beside `done`, `tool_calls` or `usage` |
//! | TGI, llama.cpp | `generated_text`; `content` beside counts |
//! | Titan, Llama and Mistral of Bedrock, Claude's old API, Cohere's, `KoboldCpp` | `outputText`, `generation`, `completion`; `text` beside an ending |
//!
//! Source: the public references of these APIs.

use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The form of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Chat completions of OpenAI.
    Chat,
    /// Messages of Anthropic.
    Messages,
    Responses,
    Gemini,
    /// An object around a message.
    Around,
    /// A message alone.
    Message,
    /// A text under this name.
    Text(&'static str),
}

/// The form of the reply that `value` is; `None` if it is not a reply.
pub(crate) fn form(value: &Value) -> Option<Form> {
    let has = |name: &str| value.get(name).is_some_and(|field| !field.is_null());
    let word = |name: &str| value.get(name).and_then(Value::as_str);
    let is_group = |name: &str| {
        value
            .get(name)
            .is_some_and(|field| field.is_array() || field.is_object())
    };
    // From the forms that have a mark of their own to those that are a text under a common name: a
    // reply of the first kind may have such a text besides.
    if is_group("choices") {
        return Some(Form::Chat);
    }
    let items = value.get("output").and_then(Value::as_array);
    if word("object") == Some("response") || items.is_some_and(|items| items.iter().any(is_item)) {
        return Some(Form::Responses);
    }
    if is_group("candidates") {
        return Some(Form::Gemini);
    }
    // An item of the Responses API has this type too; the types of its parts tell them apart.
    if word("type") == Some("message") && has("content") && !is_item(value) {
        return Some(Form::Messages);
    }
    if let Some(message) = value.get("message").filter(|message| message.is_object()) {
        // A whole reply under this name has fields of its own.
        return (is_message(message) && form(message) != Some(Form::Messages))
            .then_some(Form::Around);
    }
    let blocks = value.get("content").and_then(Value::as_array);
    let is_blocks =
        blocks.is_some_and(|blocks| blocks.iter().any(|block| block.get("type").is_some()));
    match word("role") {
        Some("assistant") | None if has("stop_reason") && has("content") => {
            return Some(Form::Messages);
        }
        Some("assistant" | "model") if is_message(value) => return Some(Form::Message),
        // LangChain
        None if word("type") == Some("ai") && is_message(value) => return Some(Form::Message),
        None if is_blocks => return Some(Form::Messages),
        _ => {}
    }
    let is_told = ["usage", "tokens_predicted"].into_iter().any(has);
    if word("content").is_some() && value.get("role").is_none() && is_told {
        return Some(Form::Text("content"));
    }
    if word("response").is_some() && ["done", "tool_calls", "usage"].into_iter().any(has) {
        return Some(Form::Text("response"));
    }
    let is_ended = ["finish_reason", "stop_reason", "generation_id"]
        .into_iter()
        .any(has);
    if word("text").is_some() && is_ended {
        return Some(Form::Text("text"));
    }
    ["generated_text", "outputText", "generation", "completion"]
        .into_iter()
        .find(|name| word(name).is_some())
        .map(Form::Text)
}

/// Whether this is an item of the list `output`, and not a whole reply.
fn is_item(value: &Value) -> bool {
    let kinds = ["message", "function_call", "reasoning", "output_text"];
    let kind = value.get("type").and_then(Value::as_str);
    let is_whole = ["choices", "usage", "stop_reason"]
        .iter()
        .any(|name| value.get(*name).is_some());
    let parts = value.get("content").and_then(Value::as_array);
    let is_output = parts.is_none_or(|parts| {
        parts.iter().all(|part| {
            let kind = part.get("type").and_then(Value::as_str);
            matches!(kind, Some("output_text" | "refusal" | "reasoning_text"))
        })
    });
    kind.is_some_and(|kind| kinds.contains(&kind)) && !is_whole && is_output
}

/// Whether this is a message with something in it.
fn is_message(value: &Value) -> bool {
    let names = ["content", "tool_calls", "function_call", "parts"];
    names
        .iter()
        .any(|name| value.get(*name).is_some_and(|field| !field.is_null()))
}

/// `body` in the form of chat completions, where it has one of the other forms; the Messages API has a reader of its own.
pub(crate) fn as_chat(body: &Value) -> Cow<'_, Value> {
    let choice = match form(body) {
        None | Some(Form::Chat | Form::Messages) => return Cow::Borrowed(body),
        Some(Form::Responses) => of_responses(body),
        Some(Form::Gemini) => {
            let first = body.get("candidates").map(first).unwrap_or(&Value::Null);
            around(first, first.get("content"))
        }
        Some(Form::Around) => around(body, body.get("message")),
        Some(Form::Message) => {
            // Only what belongs to the message may go back to the server.
            let mut message = body.clone();
            if let Some(fields) = message.as_object_mut() {
                fields.retain(|name, _| !OF_ANSWERS.contains(&name.as_str()));
            }
            around(body, Some(&message))
        }
        Some(Form::Text(name)) => around(
            body,
            Some(&json!({"content": body.get(name), "tool_calls": body.get("tool_calls")})),
        ),
    };
    let mut out = body.as_object().cloned().unwrap_or_default();
    for name in [
        "output",
        "candidates",
        "message",
        "content",
        "response",
        "tool_calls",
        "text",
        "generation",
        "completion",
    ] {
        out.remove(name);
    }
    out.insert("usage".to_owned(), usage(body));
    out.insert("choices".to_owned(), json!([choice]));
    Cow::Owned(Value::Object(out))
}

/// Fields of an answer that are not fields of a message.
const OF_ANSWERS: [&str; 9] = [
    "id",
    "type",
    "model",
    "object",
    "created",
    "usage",
    "finish_reason",
    "stop_reason",
    "cost",
];

/// The first member of a list, or what stands in place of the list.
pub(super) fn first(value: &Value) -> &Value {
    match value {
        Value::Array(items) => items.first().unwrap_or(&Value::Null),
        value => value,
    }
}

/// A choice with `message` and the reason to stop that `outer` names.
fn around(outer: &Value, message: Option<&Value>) -> Value {
    let mut fields = message
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    if let Some(parts) = fields.remove("parts") {
        fields.insert("content".to_owned(), parts);
    }
    let reasons = [
        "finish_reason",
        "finishReason",
        "done_reason",
        "stopReason",
        "stop_reason",
        "stop_type",
        "completionReason",
    ];
    let reason = reasons.iter().find_map(|name| outer.get(*name));
    json!({"message": fields, "finish_reason": reason})
}

/// The choice in an answer of the Responses API: the parts of its messages and its calls are one message.
fn of_responses(body: &Value) -> Value {
    let mut parts = Vec::new();
    let mut refusal = Value::Null;
    for item in body
        .get("output")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        match (
            item.get("type").and_then(Value::as_str),
            item.get("content"),
        ) {
            (Some("message"), Some(Value::Array(inner))) => parts.extend(inner.iter().cloned()),
            (Some("message"), Some(inner)) => parts.push(json!({"text": inner})),
            _ => parts.push(item.clone()),
        }
    }
    for part in &parts {
        if let Some(words) = part.get("refusal").filter(|words| words.is_string()) {
            refusal = words.clone();
        }
    }
    let status = body.get("status").and_then(Value::as_str);
    let reason = match status {
        Some("incomplete") => body.pointer("/incomplete_details/reason").cloned(),
        Some("completed") | None => None,
        // `failed` and `cancelled` are failures, and the error stands at the top.
        Some(status) => Some(json!(status)),
    };
    json!({"message": {"content": parts, "refusal": refusal}, "finish_reason": reason})
}

/// Where other APIs keep the counts for which chat completions have these names.
const COUNTS: [(&str, &[&str]); 6] = [
    (
        "prompt_tokens",
        &[
            "/usageMetadata/promptTokenCount",
            "/usage/inputTokens",
            "/usage/promptTokens",
            "/usage/tokens/input_tokens",
            "/prompt_eval_count",
            "/tokens_evaluated",
            "/prompt_token_count",
            "/meta/billed_units/input_tokens",
        ],
    ),
    (
        "completion_tokens",
        &[
            "/usageMetadata/candidatesTokenCount",
            "/usage/outputTokens",
            "/usage/completionTokens",
            "/usage/tokens/output_tokens",
            "/eval_count",
            "/tokens_predicted",
            "/generation_token_count",
            "/meta/billed_units/output_tokens",
        ],
    ),
    (
        "total_tokens",
        &["/usageMetadata/totalTokenCount", "/usage/totalTokens"],
    ),
    ("reasoning_tokens", &["/usageMetadata/thoughtsTokenCount"]),
    (
        "cache_creation_input_tokens",
        &["/usage/cacheWriteInputTokens"],
    ),
    (
        "cached_tokens",
        &[
            "/usageMetadata/cachedContentTokenCount",
            "/usage/cacheReadInputTokens",
        ],
    ),
];

/// The counts of `body` with the names of chat completions; null if it has none.
pub(super) fn usage(body: &Value) -> Value {
    let given = body.get("usage").and_then(Value::as_object);
    let mut out = given.cloned().unwrap_or_default();
    for (name, places) in COUNTS {
        let found = places.iter().find_map(|place| body.pointer(place));
        // A gateway may send the counts under both names; those of chat completions are its own.
        if let (Some(count), false) = (found, out.contains_key(name)) {
            out.insert(name.to_owned(), count.clone());
        }
    }
    match out.is_empty() {
        true => Value::Null,
        false => Value::Object(out),
    }
}

/// The call that a part of a content is, in the form of chat completions: `tool_use`, `function_call`, `functionCall`,
/// `toolUse`.
pub(super) fn call_of(part: &Value) -> Option<Value> {
    let nested = [
        "functionCall",
        "function_call",
        "toolUse",
        "tool_use",
        "tool_call",
        "toolCall",
    ];
    let inner = nested
        .iter()
        .find_map(|name| part.get(*name).filter(|inner| inner.is_object()));
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    let call = inner.or_else(|| nested.contains(&kind).then_some(part))?;
    if call.get("function").is_some_and(Value::is_object) {
        return Some(call.clone());
    }
    let of = |names: &[&str]| names.iter().find_map(|name| call.get(*name));
    let mut function = Map::new();
    function.insert("name".to_owned(), of(&["name"])?.clone());
    if let Some(with) = of(&["arguments", "input", "args"]) {
        function.insert("arguments".to_owned(), with.clone());
    }
    Some(json!({
        // `call_id` first: an item of the Responses API has an `id` too, which is that of the item.
        "id": of(&["call_id", "toolUseId", "id"]), "type": "function", "function": function,
    }))
}

/// Whether a part of a content is a thought.
pub(super) fn is_thought(part: &Value) -> bool {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    kind.contains("thinking")
        || kind.contains("reasoning")
        || part.get("thought").and_then(Value::as_bool) == Some(true)
        || part.get("reasoningContent").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::Finish;
    use crate::wire::ApiKind;

    /// The text, the calls, the ending and the counts of `body`.
    fn read(body: &Value) -> (String, Vec<String>, Finish, [u64; 3]) {
        let reply = ApiKind::OpenAi.decode(as_chat(body).into_owned()).unwrap();
        let calls = reply.said.calls.iter();
        let calls =
            calls.map(|call| format!("{} {}{}", call.id, call.name, call.arguments.value()));
        let used = reply.usage;
        let counts = [used.input, used.output, used.thinking];
        (reply.said.text, calls.collect(), reply.finish, counts)
    }

    #[test]
    fn replies_of_other_interfaces_are_read() {
        let call = |id: &str| vec![format!("{id} order{{\"n\":4}}")];
        let four = json!({"n": 4});
        for (body, expected) in [
            (
                json!({"object": "response", "status": "completed", "error": null, "output": [
                    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "40?"}]},
                    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Four."}]},
                    {"type": "function_call", "id": "f", "call_id": "c", "name": "order", "arguments": "{\"n\": 4}"}
                ], "usage": {"input_tokens": 7, "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 2}}}),
                ("Four.", call("c"), Finish::Calls, [7, 5, 2]),
            ),
            (
                json!({"object": "response", "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"},
                    "output": [], "usage": {"input_tokens": 7, "output_tokens": 5}}),
                ("", vec![], Finish::Length, [7, 5, 0]),
            ),
            (
                json!({"candidates": [{"content": {"role": "model", "parts": [
                    {"text": "40?", "thought": true}, {"text": "Four."},
                    {"functionCall": {"id": "g", "name": "order", "args": four}}
                ]}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3,
                    "thoughtsTokenCount": 2, "totalTokenCount": 12}}),
                ("Four.", call("g"), Finish::Stop, [7, 5, 2]),
            ),
            (
                json!({"model": "m", "message": {"role": "assistant", "content": "Four.", "tool_calls": [
                    {"function": {"name": "order", "arguments": four}}]}, "done": true, "done_reason": "stop",
                    "prompt_eval_count": 7, "eval_count": 5}),
                ("Four.", call("call00000"), Finish::Stop, [7, 5, 0]),
            ),
            (
                json!({"message": {"role": "assistant", "content": [{"text": "Four."},
                    {"toolUse": {"toolUseId": "u", "name": "order", "input": four}}]}, "stopReason": "max_tokens",
                    "usage": {"inputTokens": 7, "outputTokens": 5, "totalTokens": 12}}),
                ("Four.", call("u"), Finish::Length, [7, 5, 0]),
            ),
            (
                json!({"text": "Four.", "generation_id": "g", "finish_reason": "COMPLETE",
                    "tool_calls": [{"name": "order", "parameters": four}], "meta": {"billed_units": {"input_tokens": 7, "output_tokens": 5}}}),
                ("Four.", call("call00000"), Finish::Stop, [7, 5, 0]),
            ),
            (
                json!({"generation": "Four.", "prompt_token_count": 7, "generation_token_count": 5, "stop_reason": "length"}),
                ("Four.", vec![], Finish::Length, [7, 5, 0]),
            ),
            (
                json!({"content": "", "type": "ai", "tool_calls": [{"name": "order", "args": four, "id": "x", "type": "tool_call"}],
                    "usage": {"input_tokens": 7, "output_tokens": 5}}),
                ("", call("x"), Finish::Calls, [7, 5, 0]),
            ),
            (
                json!({"response": "Four.", "tool_calls": [{"name": "order", "arguments": four}],
                    "usage": {"prompt_tokens": 7, "completion_tokens": 5}}),
                ("Four.", call("call00000"), Finish::Calls, [7, 5, 0]),
            ),
        ] {
            let (text, calls, finish, counts) = expected;
            assert_eq!(
                read(&body),
                (text.to_owned(), calls, finish, counts),
                "{body}"
            );
        }
        let message = json!({"role": "assistant", "content": "Four."});
        assert_eq!(read(&message).0, "Four.");
        // Converse: what is stored is a part of the input, and no output.
        let stored = json!({"output": {"message": {"role": "assistant", "content": [{"text": "Four."}]}},
            "stopReason": "end_turn", "usage": {"inputTokens": 7, "outputTokens": 5, "cacheWriteInputTokens": 100,
            "totalTokens": 112}});
        let (_, _, _, counts) = read(&crate::wire::envelope::opened(stored));
        assert_eq!(counts, [107, 5, 0]);
    }
}
