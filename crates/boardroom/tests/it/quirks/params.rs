//! Refusals of schemas, of ids, of calls that come back, and of settings.

use super::{
    Anthropic, OpenAi, Quirk, Seen, call, chat, claude, claude_refuses, forces, has_result,
    looks_first, may_call, ok, plays, refuse,
};
use crate::server::{Act, Request};
use serde_json::{Value, json};

const COOL: &str =
    "run beer-game --set weeks=4 --episodes 1 --concurrency 1 --method direct --temperature 0";

/// Refused with this answer while a call is forced.
macro_rules! unforced {
    ($name:literal, $status:literal, $body:tt) => {
        plays($name, OpenAi, |r| {
            if forces(&r.body) {
                return Act::Refuse($status, json!($body));
            }
            ok(r)
        })
    };
}

/// Refused with this answer while there are tools.
macro_rules! without_tools {
    ($name:literal, $body:tt) => {
        plays($name, OpenAi, |r| {
            if r.body["tools"].is_array() {
                return Act::Refuse(400, json!($body));
            }
            ok(r)
        })
    };
}

/// Refused with this answer where JSON is asked for with a schema, by a model without tools.
macro_rules! without_schema {
    ($name:literal, $body:tt) => {
        plays($name, OpenAi, |r| {
            if r.body["tools"].is_array() {
                return refuse(400, "m does not support tools");
            }
            if r.body["response_format"]["json_schema"].is_object() {
                return Act::Refuse(400, json!($body));
            }
            ok(r)
        })
    };
}

fn schemas() -> Vec<Quirk> {
    vec![
        unforced!("no forced call: the schema has more than the grammar: vLLM", 400, {"object": "error", "message": "The provided JSON schema contains features not supported by xgrammar.", "type": "BadRequestError", "param": null, "code": 400}),
        unforced!("no forced call: keys that the grammar lacks: vLLM", 400, {"object": "error", "message": "Grammar error: Unimplemented keys: [\"minimum\"]", "type": "BadRequestError", "code": 400}),
        plays(
            "no forced call: keys that the grammar lacks, status 500: vLLM",
            Anthropic,
            |r| {
                if forces(&r.body) {
                    return claude_refuses(
                        500,
                        "internal_error",
                        "Grammar error: Unimplemented keys: [\"propertyNames\"]",
                    );
                }
                ok(r)
            },
        ),
        unforced!("no forced call: Cerebras", 400, {"message": "Unsupported tool_choice: type='required'. Expected 'auto' or 'none'.", "type": "invalid_request_error", "param": "tool_choice", "code": "wrong_api_format"}),
        unforced!("no forced call: a list of values", 422, {"object": "error", "message": {"detail": [{"type": "enum", "loc": ["body", "tool_choice"], "msg": "Input should be 'auto', 'none' or 'any'", "input": "required"}]}, "type": "invalid_request_error"}),
        without_tools!("no tools: an object without properties: OpenAI", {"error": {"message": "Invalid schema for function 'get_stock': In context=(), object schema missing properties.", "type": "invalid_request_error", "param": "tools[1].function.parameters", "code": "invalid_function_parameters"}}),
        plays(
            "no tools: another draft of JSON Schema: Claude",
            Anthropic,
            |r| {
                if r.body["tools"].is_array() {
                    return claude_refuses(
                        400,
                        "invalid_request_error",
                        "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12",
                    );
                }
                ok(r)
            },
        ),
        without_schema!("schemas are not supported: Cerebras", {"message": "Unsupported JSON schema fields: {'minimum', 'maximum'}", "type": "invalid_request_error", "param": "response_format", "code": "wrong_api_format"}),
        without_schema!("schemas are not supported: OpenAI", {"error": {"message": "Invalid schema for response_format 'call': In context=(), 'additionalProperties' is required to be supplied and to be false.", "type": "invalid_request_error", "param": "response_format"}}),
    ]
}

/// A server that gives calls ids of the form `given` and takes back only those that `fits`.
fn takes_ids(request: &Request, given: &str, fits: fn(&str) -> bool, refusal: Act) -> Act {
    let messages = request.body["messages"].as_array().unwrap();
    let calls = messages
        .iter()
        .filter_map(|m| m["tool_calls"].as_array())
        .flatten();
    let results = messages.iter().filter_map(|m| m["tool_call_id"].as_str());
    let ids: Vec<&str> = calls.map(|call| call["id"].as_str().unwrap()).collect();
    if !ids.iter().all(|id| fits(id)) {
        return refusal;
    }
    if !results.into_iter().all(|id| ids.contains(&id)) {
        return refuse(400, "a result belongs to no call");
    }
    if !may_call(&request.body) {
        return ok(request);
    }
    let (name, arguments) = if has_result(&request.body) {
        ("place_order", "{\"quantity\": 4}")
    } else {
        ("get_stock", "{}")
    };
    let mut made = call(name, arguments);
    made["id"] = json!(given.replace("N", &request.number.to_string()));
    Act::Answer(chat(json!({"tool_calls": [made]})))
}

fn is_short(id: &str) -> bool {
    id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric())
}

fn ids() -> Vec<Quirk> {
    vec![
        plays(
            "the ids of its own calls are too long: the template of Mistral",
            OpenAi,
            |r| {
                takes_ids(
                    r,
                    "chatcmpl-tool-0123456789abcdefN",
                    is_short,
                    refuse(
                        400,
                        "Tool call IDs should be alphanumeric strings with length 9!",
                    ),
                )
            },
        ),
        plays(
            "the ids of its own calls are too long, status 500",
            OpenAi,
            |r| {
                takes_ids(
                    r,
                    "call_49c89afN",
                    is_short,
                    refuse(
                        500,
                        "Tool call id was call_49c89af0 but must be a-z, A-Z, 0-9, with a length of 9.",
                    ),
                )
            },
        ),
        plays("ids in the form of Kimi do not fit: Bedrock", OpenAi, |r| {
            let fits = |id: &str| {
                id.bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
            };
            takes_ids(
                r,
                "functions.get_stock:N",
                fits,
                refuse(
                    400,
                    "messages.2.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
                ),
            )
        }),
        plays(
            "ids of more than 40 signs do not fit: OpenAI",
            OpenAi,
            |r| {
                takes_ids(
                    r,
                    "call_0123456789012345678901234567890123456789N",
                    |id| id.len() <= 40,
                    refuse(
                        400,
                        "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 46 instead.",
                    ),
                )
            },
        ),
        plays("two calls have one id", Anthropic, |r| {
            let messages = r.body["messages"].as_array().unwrap();
            let blocks = messages
                .iter()
                .filter_map(|m| m["content"].as_array())
                .flatten();
            let mut ids: Vec<&str> = blocks
                .filter(|b| b["type"] == "tool_use")
                .map(|b| b["id"].as_str().unwrap())
                .collect();
            let all = ids.len();
            ids.sort_unstable();
            ids.dedup();
            if ids.len() < all {
                return claude_refuses(
                    400,
                    "invalid_request_error",
                    "messages.1.content.1: `tool_use` ids must be unique",
                );
            }
            let block = |name: &str, input: Value| json!({"type": "tool_use", "id": format!("toolu_{}", r.number), "name": name, "input": input});
            Act::Answer(claude(if has_result(&r.body) {
                json!([block("place_order", json!({"quantity": 4}))])
            } else {
                json!([
                    block("get_stock", json!({})),
                    block("get_history", json!({}))
                ])
            }))
        }),
    ]
}

/// A template that cannot write a call into the chat.
fn no_calls_back(request: &Request, refusal: Act) -> Act {
    let messages = request.body["messages"].as_array().unwrap();
    if messages
        .iter()
        .any(|message| message["tool_calls"].is_array())
    {
        return refusal;
    }
    looks_first(request)
}

fn templates() -> Vec<Quirk> {
    vec![
        plays(
            "no calls may come back: the template of Qwen3-Coder",
            OpenAi,
            |r| no_calls_back(r, refuse(400, "Can only get item pairs from a mapping.")),
        ),
        plays(
            "no calls may come back, status 500: llama.cpp",
            OpenAi,
            |r| {
                no_calls_back(
                    r,
                    refuse(
                        500,
                        "Unknown (built-in) filter 'items' for type String (hint: '')",
                    ),
                )
            },
        ),
        plays("no calls may come back: Ollama", OpenAi, |r| {
            no_calls_back(
                r,
                Act::Refuse(
                    400,
                    json!({"error": "Value looks like object, but can't find closing '}' symbol"}),
                ),
            )
        }),
    ]
}

/// A setting of the run that the server refuses: the run stops at once and names it.
fn stops(name: &'static str, words: &'static str, act: fn(&Request) -> Act) -> Quirk {
    Quirk {
        words,
        good: |seen: &Seen| seen.code != 0 && seen.requests.len() < 5,
        ..plays(name, OpenAi, act)
    }
}

fn settings() -> Vec<Quirk> {
    let cool = |name, act| Quirk {
        words: COOL,
        ..plays(name, OpenAi, act)
    };
    vec![
        stops(
            "a seed is refused",
            "run beer-game --set weeks=4 --episodes 5 --concurrency 1 --method direct --model-arg seed=1",
            |r| {
                if r.body["seed"].is_null() {
                    return ok(r);
                }
                Act::Refuse(
                    400,
                    json!({"error": {"message": "Unsupported parameter: 'seed' is not supported with this model.", "type": "invalid_request_error", "param": "seed", "code": "unsupported_parameter"}}),
                )
            },
        ),
        stops(
            "an effort is refused",
            "run beer-game --set weeks=4 --episodes 5 --concurrency 1 --method direct --model-arg reasoning_effort=minimal",
            |r| {
                if r.body["reasoning_effort"].is_null() {
                    return ok(r);
                }
                Act::Refuse(
                    400,
                    json!({"error": {"message": "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model.", "type": "invalid_request_error", "param": "reasoning_effort", "code": "unsupported_value"}}),
                )
            },
        ),
        cool("temperature must be above 0: TGI", |r| {
            if r.body["temperature"] != 0.0 {
                return ok(r);
            }
            Act::Refuse(
                422,
                json!({"error": "Input validation error: `temperature` must be strictly positive", "error_type": "validation"}),
            )
        }),
        cool("temperature has one value: Moonshot", |r| {
            if r.body["temperature"].is_null() || r.body["temperature"] == 1.0 {
                return ok(r);
            }
            refuse(400, "invalid temperature: only 1 is allowed for this model")
        }),
        Quirk {
            words: "run beer-game --set weeks=4 --episodes 1 --concurrency 1 --method direct --model-arg top_p=0.5",
            ..plays("top_p while thinking: Claude", Anthropic, |r| {
                if r.body["top_p"].is_null() {
                    return ok(r);
                }
                claude_refuses(
                    400,
                    "invalid_request_error",
                    "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.",
                )
            })
        },
    ]
}

pub(super) fn rows() -> Vec<Quirk> {
    let mut rows = schemas();
    rows.extend(ids());
    rows.extend(templates());
    rows.extend(settings());
    rows
}
