//! Refusals that come from the template of a model, from a grammar, or from the limits of a field.

use super::{
    Anthropic, OpenAi, Quirk, Said, Seen, answer, call, chat, claude, claude_refuses, has_result,
    looks_first, may_call, ok, plays, refuse, roles,
};
use crate::server::{Act, Request};
use serde_json::{Value, json};

const WITH_LARGE_ROOM: &str =
    "run beer-game --set weeks=4 --episodes 1 --concurrency 1 --method direct --max-tokens 200000";

/// A template that knows no results of tools, and says so in these words.
fn without_results(request: &Request, status: u16, words: &str) -> Act {
    if roles(&request.body).contains(&"tool") {
        return refuse(status, words);
    }
    looks_first(request)
}

/// A server that cannot use the tools of a request, and says so in these words.
fn without_tools(request: &Request, status: u16, words: &str) -> Act {
    if request.body["tools"].is_array() {
        return refuse(status, words);
    }
    ok(request)
}

/// A server whose replies have at most `most` tokens.
fn short(request: &Request, most: u64, words: &str) -> Act {
    let limit = request.body["max_tokens"].as_u64();
    if limit.is_some_and(|limit| limit > most) {
        return refuse(400, &words.replace("LIMIT", &limit.unwrap().to_string()));
    }
    ok(request)
}

fn calls(message: &Value) -> usize {
    message["tool_calls"].as_array().map_or(0, Vec::len)
}

/// Two looks at once, then orders.
fn looks_twice(request: &Request) -> Act {
    if !may_call(&request.body) || has_result(&request.body) {
        return ok(request);
    }
    let look = |name: &str, id: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}});
    Act::Answer(chat(
        json!({"tool_calls": [look("get_stock", "c1"), look("get_history", "c2")]}),
    ))
}

/// Prose in place of every other reply.
fn in_prose(request: &Request, prose: Value) -> Act {
    if request.number.is_multiple_of(2) {
        return Act::Answer(prose);
    }
    ok(request)
}

fn of_templates() -> Vec<Quirk> {
    vec![
        plays(
            "one call in a message: the template of Llama",
            OpenAi,
            |r| {
                let messages = r.body["messages"].as_array().unwrap();
                if messages.iter().any(|message| calls(message) > 1) {
                    return refuse(400, "This model only supports single tool-calls at once!");
                }
                looks_twice(r)
            },
        ),
        plays(
            "one call in a message, status 500: llama.cpp",
            OpenAi,
            |r| {
                let messages = r.body["messages"].as_array().unwrap();
                if messages.iter().any(|message| calls(message) > 1) {
                    return refuse(500, "This model only supports single tool-calls at once!");
                }
                looks_twice(r)
            },
        ),
        plays("no results: the template of Gemma", OpenAi, |r| {
            without_results(
                r,
                400,
                "Conversation roles must alternate user/assistant/user/assistant/...",
            )
        }),
        plays("no results: only three roles, status 500", OpenAi, |r| {
            without_results(
                r,
                500,
                "Only user, system and assistant roles are supported!",
            )
        }),
        plays("no results: a list of places", OpenAi, |r| {
            if roles(&r.body).contains(&"tool") {
                return Act::Refuse(
                    422,
                    json!({"detail": [{"type": "literal_error", "loc": ["body", "messages", 3, "role"], "msg": "Input should be 'system', 'user' or 'assistant'", "input": "tool"}]}),
                );
            }
            looks_first(r)
        }),
        plays(
            "the last message must not have the role assistant: Mistral",
            OpenAi,
            |r| {
                if roles(&r.body).last() == Some(&"assistant") {
                    return refuse(
                        400,
                        "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
                    );
                }
                in_prose(r, chat(json!({"content": "I would order four."})))
            },
        ),
        plays(
            "the last message must not have the role assistant: Claude",
            Anthropic,
            |r| {
                if roles(&r.body).last() == Some(&"assistant") {
                    return claude_refuses(
                        400,
                        "invalid_request_error",
                        "This model does not support assistant message prefill. The conversation must end with a user message.",
                    );
                }
                in_prose(
                    r,
                    claude(json!([{"type": "text", "text": "I would order four."}])),
                )
            },
        ),
        plays("each call needs its result: Gemini", OpenAi, |r| {
            let messages = r.body["messages"].as_array().unwrap();
            let lacks = messages.iter().enumerate().any(|(at, message)| {
                let results = messages.iter().skip(at + 1);
                let results = results.take_while(|next| next["role"] == "tool").count();
                calls(message) > 0 && calls(message) != results
            });
            if lacks {
                return refuse(
                    400,
                    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
                );
            }
            if has_result(&r.body) || !may_call(&r.body) {
                return ok(r);
            }
            Act::Answer(chat(json!({"tool_calls": [
                call("get_stock", "{}"), call("no_such_tool", "{}"), call("get_history", "{")
            ]})))
        }),
        Quirk {
            name: "calls in the chat need the tools in the request: Bedrock",
            words: "run beer-game --set weeks=2 --episodes 1 --concurrency 1 --method debate",
            ..plays("", OpenAi, |r| {
                let messages = r.body["messages"].as_array().unwrap();
                let has = messages.iter().any(|m| calls(m) > 0 || m["role"] == "tool");
                if has && !r.body["tools"].is_array() {
                    return refuse(
                        400,
                        "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
                    );
                }
                looks_first(r)
            })
        },
        plays("no null beside calls: LM Studio", OpenAi, |r| {
            let messages = r.body["messages"].as_array().unwrap();
            if messages.iter().any(|m| m["content"].is_null()) {
                return Act::Refuse(
                    400,
                    json!({"error": "Invalid 'content': 'content' field must be a string or an array of objects."}),
                );
            }
            looks_first(r)
        }),
        plays("a gateway refuses the field `system`", Anthropic, |r| {
            if r.body["system"].is_null() {
                return ok(r);
            }
            claude_refuses(
                400,
                "invalid_request_error",
                "system: Extra inputs are not permitted",
            )
        }),
        plays("the signature of a thought is not taken", Anthropic, |r| {
            if r.body["messages"].to_string().contains("\"thinking\"") {
                return claude_refuses(
                    400,
                    "invalid_request_error",
                    "messages.1.content.0: Invalid `signature` in `thinking` block",
                );
            }
            let (name, input) = if has_result(&r.body) {
                ("place_order", json!({"quantity": 4}))
            } else {
                ("get_stock", json!({}))
            };
            Act::Answer(claude(json!([
                {"type": "thinking", "thinking": "hm", "signature": ""},
                {"type": "tool_use", "id": format!("toolu_{}", r.number), "name": name, "input": input}
            ])))
        }),
        plays("an empty thought must come back: Kimi", OpenAi, |r| {
            let messages = r.body["messages"].as_array().unwrap();
            let lacks = |m: &Value| calls(m) > 0 && m["reasoning_content"] != "";
            if messages.iter().any(lacks) {
                return refuse(
                    400,
                    "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
                );
            }
            let Act::Answer(mut reply) = looks_first(r) else {
                return ok(r);
            };
            reply["choices"][0]["message"]["reasoning_content"] = json!("");
            Act::Answer(reply)
        }),
    ]
}

pub(super) fn rows() -> Vec<Quirk> {
    let mut rows = of_templates();
    rows.extend([
        plays("no tools: a schema without a type: Gemini", OpenAi, |r| {
            without_tools(
                r,
                400,
                "Unable to submit request because `place_order` functionDeclaration `parameters.quantity` schema didn't specify the schema type field.",
            )
        }),
        plays("no tools: no parser for the template: llama.cpp", OpenAi, |r| {
            without_tools(
                r,
                400,
                "Unable to generate parser for this template. Automatic parser generation failed: unknown",
            )
        }),
        plays("no tools: the grammar is refused, status 500", OpenAi, |r| {
            without_tools(
                r,
                500,
                "Failed to initialize samplers: failed to parse grammar",
            )
        }),
        plays("no tools: a model that thinks: OpenAI", OpenAi, |r| {
            without_tools(
                r,
                400,
                "Function tools with reasoning_effort are not supported for m in /v1/chat/completions. Please use /v1/responses instead.",
            )
        }),
        plays("no forced call: a gateway of Claude", Anthropic, |r| {
            if r.body["tool_choice"]["type"] == "any" {
                return refuse(400, "tool_choice: type 'any' is not supported");
            }
            Act::Answer(answer(r, Said::Call))
        }),
        Quirk {
            name: "temperature and top_p not together: Claude",
            wire: Anthropic,
            act: |r| {
                if r.body["temperature"].is_null() || r.body["top_p"].is_null() {
                    return ok(r);
                }
                claude_refuses(
                    400,
                    "invalid_request_error",
                    "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
                )
            },
            words: "run beer-game --set weeks=4 --episodes 1 --concurrency 1 --method direct --temperature 0.5 --model-arg top_p=0.9",
            good: Seen::played,
        },
    ]);
    let limited = |name, wire, act| Quirk {
        name,
        wire,
        act,
        words: WITH_LARGE_ROOM,
        good: Seen::played,
    };
    rows.extend([
        limited("the limit on a reply is too large: Claude", Anthropic, |r| {
            match r.body["max_tokens"].as_u64() {
                Some(limit) if limit > 64_000 => claude_refuses(
                    400,
                    "invalid_request_error",
                    &format!("max_tokens: {limit} > 64000, which is the maximum allowed number of output tokens for m"),
                ),
                _ => ok(r),
            }
        }),
        limited("the limit on a reply is too large: OpenAI", OpenAi, |r| {
            short(
                r,
                16_384,
                "max_tokens is too large: LIMIT. This model supports at most 16384 completion tokens, whereas you provided LIMIT.",
            )
        }),
        limited("the limit on a reply is too large: DeepSeek", OpenAi, |r| {
            short(
                r,
                8_192,
                "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
            )
        }),
        limited("the limit on a reply is too large: Groq", OpenAi, |r| {
            short(
                r,
                8_192,
                "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
            )
        }),
        limited("the limit on a reply is too large: DashScope", OpenAi, |r| {
            short(
                r,
                8_192,
                "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]",
            )
        }),
    ]);
    rows
}
