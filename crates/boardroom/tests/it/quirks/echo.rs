//! What a server sent and wants back unchanged.

use super::{
    Anthropic, OpenAi, Quirk, Said, answer, call, chat, claude, claude_refuses, has_result,
    looks_first, ok, plays, refuse,
};
use crate::server::{Act, Request};
use serde_json::{Value, json};

/// Adds a field to the message of every reply, and refuses a request whose calls lack it.
fn wants_back(request: &Request, field: &str, value: &Value) -> Act {
    let messages = request.body["messages"].as_array().unwrap();
    let lacks = |message: &Value| message["tool_calls"].is_array() && message[field] != *value;
    if messages.iter().any(lacks) {
        return refuse(
            400,
            &format!("The {field} of the assistant message must be passed back to the API."),
        );
    }
    let Act::Answer(mut reply) = looks_first(request) else {
        return ok(request);
    };
    reply["choices"][0]["message"][field] = value.clone();
    Act::Answer(reply)
}

pub(super) fn rows() -> Vec<Quirk> {
    vec![
        plays("reasoning_content comes back", OpenAi, |r| {
            wants_back(r, "reasoning_content", &json!("First the stock."))
        }),
        plays("reasoning_details come back", OpenAi, |r| {
            wants_back(
                r,
                "reasoning_details",
                &json!([{"type": "reasoning.encrypted", "data": "c2ln", "id": "r1", "format": "x", "index": 0}]),
            )
        }),
        plays("a field that nobody knows comes back", OpenAi, |r| {
            wants_back(r, "provider_state", &json!({"token": "abc"}))
        }),
        plays("the signature of a call comes back", OpenAi, |r| {
            let messages = r.body["messages"].as_array().unwrap();
            let calls = messages
                .iter()
                .filter_map(|m| m["tool_calls"].as_array())
                .flatten();
            if calls
                .into_iter()
                .any(|one| one["extra_content"]["google"]["thought_signature"] != "c2ln")
            {
                return refuse(
                    400,
                    "Function call is missing a thought_signature in functionCall parts.",
                );
            }
            if !has_result(&r.body) {
                let mut look = call("get_stock", "{}");
                look["extra_content"] = json!({"google": {"thought_signature": "c2ln"}});
                return Act::Answer(chat(json!({"tool_calls": [look]})));
            }
            ok(r)
        }),
        plays("thinking with its signature comes back", Anthropic, |r| {
            let messages = r.body["messages"].as_array().unwrap();
            let blocks = |m: &Value| m["content"].as_array().cloned().unwrap_or_default();
            let bare = messages
                .iter()
                .filter(|m| m["role"] == "assistant")
                .map(blocks)
                .any(|all| {
                    all.iter().any(|b| b["type"] == "tool_use")
                        && all.first().is_none_or(|b| b["signature"] != "c2ln")
                });
            if bare {
                return claude_refuses(
                    400,
                    "invalid_request_error",
                    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
                );
            }
            let (name, input) = if has_result(&r.body) {
                ("place_order", json!({"quantity": 4}))
            } else {
                ("get_stock", json!({}))
            };
            Act::Answer(claude(json!([
                {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                {"type": "tool_use", "id": format!("toolu_{}", r.number), "name": name, "input": input}
            ])))
        }),
        plays("redacted thinking comes back", Anthropic, |r| {
            if has_result(&r.body) {
                if !r.body.to_string().contains("redacted_thinking") {
                    return claude_refuses(
                        400,
                        "invalid_request_error",
                        "Expected `thinking` or `redacted_thinking`",
                    );
                }
                return Act::Answer(answer(r, Said::Call));
            }
            Act::Answer(claude(json!([
                {"type": "redacted_thinking", "data": "c2ln"},
                {"type": "tool_use", "id": format!("toolu_{}", r.number), "name": "get_stock", "input": {}}
            ])))
        }),
        plays(
            "blank text beside a call does not come back",
            Anthropic,
            |r| {
                let text = r.body["messages"].to_string();
                if text.contains("\"text\":\"\\n\\n\"")
                    || text.contains("\"text\":\" \"")
                    || text.contains("\"text\":\"\"")
                {
                    return claude_refuses(
                        400,
                        "invalid_request_error",
                        "messages: text content blocks must contain non-whitespace text",
                    );
                }
                if has_result(&r.body) {
                    return ok(r);
                }
                Act::Answer(claude(json!([
                    {"type": "text", "text": "\n\n"},
                    {"type": "tool_use", "id": format!("toolu_{}", r.number), "name": "get_stock", "input": {}}
                ])))
            },
        ),
        plays("content of a message may not be null", OpenAi, |r| {
            let messages = r.body["messages"].as_array().unwrap();
            if messages.iter().any(|m| m.get("content").is_none()) {
                return refuse(400, "messages: content is required");
            }
            looks_first(r)
        }),
    ]
}
