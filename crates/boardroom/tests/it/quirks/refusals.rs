//! What servers refuse, and the weaker way that is tried next.

use super::{
    Anthropic, CALL_IN_TEXT, GAME, OpenAi, Quirk, Said, Seen, answer, call, chat, claude_refuses,
    forces, looks_first, may_call, ok, plays, plays_both, refuse, roles,
};
use crate::server::{Act, Request};
use serde_json::json;

/// A server that cannot call tools, and says so in these words.
fn without_tools(request: &Request, status: u16, words: &str) -> Act {
    if request.body["tools"].is_array() {
        refuse(status, words)
    } else {
        ok(request)
    }
}

/// A server that calls tools if it wants to, and refuses to be forced.
fn unforced(request: &Request, words: &str) -> Act {
    if forces(&request.body) {
        refuse(400, words)
    } else {
        ok(request)
    }
}

/// A server that refuses a field of the request.
fn without(request: &Request, field: &str, words: &str) -> Act {
    if request.body[field].is_null() {
        ok(request)
    } else {
        refuse(400, words)
    }
}

/// A server that refuses `null` as the text beside calls.
fn no_null(request: &Request, words: &str) -> Act {
    let messages = request.body["messages"].as_array().unwrap();
    if messages.iter().any(|m| m["content"].is_null()) {
        refuse(400, words)
    } else {
        looks_first(request)
    }
}

/// The refusal was asked for once, although the game has four weeks and four episodes.
fn learnt(seen: &Seen) -> bool {
    seen.played() && seen.asked("\"tools\"") == 1
}

const FOUR_GAMES: &str = "run beer-game --set weeks=4 --episodes 4 --concurrency 1 --method direct";

/// A question-like use of temperature: a debate samples at .7.
const DEBATE: &str = "run beer-game --set weeks=2 --episodes 1 --concurrency 1 --method debate";

const WITH_TEMPERATURE: &str =
    "run beer-game --set weeks=4 --episodes 1 --concurrency 1 --method direct --temperature 0.5";

const WITH_ROOM: &str =
    "run beer-game --set weeks=4 --episodes 1 --concurrency 1 --method direct --max-tokens 900";

pub(super) fn rows() -> Vec<Quirk> {
    let row = |name, wire, act, words| Quirk {
        name,
        wire,
        act,
        words,
        good: Seen::played,
    };
    let mut rows = vec![
        plays("no tools: Ollama", OpenAi, |r| {
            without_tools(
                r,
                400,
                "registry.ollama.ai/library/small:latest does not support tools",
            )
        }),
        plays("no tools: vLLM without a parser", OpenAi, |r| {
            without_tools(
                r,
                400,
                "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
            )
        }),
        plays("no tools: llama.cpp without --jinja", OpenAi, |r| {
            without_tools(r, 500, "tools param requires --jinja flag")
        }),
        plays("no tools: OpenRouter", OpenAi, |r| {
            without_tools(
                r,
                404,
                "No endpoints found that support tool use. To learn more about provider routing, visit the documentation",
            )
        }),
        plays("no tools: a reasoning model", OpenAi, |r| {
            without_tools(r, 400, "m does not support Function Calling")
        }),
        plays("no tools: function calling is not enabled", OpenAi, |r| {
            without_tools(r, 400, "Function calling is not enabled for models/m")
        }),
        plays("no tools: an unknown field", OpenAi, |r| {
            if r.body["tools"].is_array() {
                return Act::Refuse(
                    422,
                    json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "tools"], "msg": "Extra inputs are not permitted"}]}),
                );
            }
            ok(r)
        }),
        Quirk {
            name: "an unknown field, also where it is left out",
            wire: OpenAi,
            act: |_| {
                Act::Refuse(
                    422,
                    json!({"detail": [{"loc": ["body", "tools"], "msg": "extra fields not permitted"}]}),
                )
            },
            words: FOUR_GAMES,
            good: |seen| {
                seen.code == 1
                    && seen.asked("\"tools\"") < seen.requests.len()
                    && seen.err.matches("--weaker emulate").count() == 1
                    && !seen.says("--retries")
            },
        },
        Quirk {
            name: "no counts of tokens at all",
            wire: OpenAi,
            act: |r| match ok(r) {
                Act::Answer(mut body) => {
                    body["usage"].take();
                    Act::Answer(body)
                }
                other => other,
            },
            words: GAME,
            good: |seen| seen.played() && seen.says("4 of 4 replies came without usable counts"),
        },
        Quirk {
            name: "every call is of an unknown tool",
            wire: OpenAi,
            act: |_| Act::Answer(chat(json!({"tool_calls": [call("order_beer", "{}")]}))),
            words: GAME,
            good: |seen| seen.code == 0 && seen.err.contains("all 4 turns were forfeited"),
        },
        Quirk {
            name: "no tools is learnt once",
            wire: OpenAi,
            act: |r| without_tools(r, 400, "m does not support tools"),
            words: FOUR_GAMES,
            good: learnt,
        },
        plays("no forced call: the thinking mode", OpenAi, |r| {
            unforced(
                r,
                "The tool_choice parameter does not support being set to required or object in thinking mode",
            )
        }),
        plays("no forced call: only auto", OpenAi, |r| {
            unforced(
                r,
                "Invalid tool_choice type: 'required'. Supported string values: none, auto",
            )
        }),
        plays("no forced call: a backend without grammars", OpenAi, |r| {
            unforced(
                r,
                "tool_choice=\"required\" requires a structured output backend",
            )
        }),
        plays("no forced call: Claude with thinking", Anthropic, |r| {
            if forces(&r.body) {
                claude_refuses(
                    400,
                    "invalid_request_error",
                    "Thinking may not be enabled when tool_choice forces tool use.",
                )
            } else {
                ok(r)
            }
        }),
        plays("a forced call is ignored: prose", OpenAi, |r| {
            if r.body["tools"].is_array() {
                Act::Answer(chat(json!({"content": "I would order four."})))
            } else {
                ok(r)
            }
        }),
        plays("schemas are not supported", OpenAi, |r| {
            if r.body["tools"].is_array() {
                return refuse(400, "m does not support tools");
            }
            if r.body["response_format"]["type"] == "json_schema" {
                return refuse(400, "This response_format type is unavailable now");
            }
            ok(r)
        }),
        plays("no response_format at all", OpenAi, |r| {
            if r.body["tools"].is_array() {
                return refuse(400, "m does not support tools");
            }
            without(
                r,
                "response_format",
                "response_format is not supported by this model",
            )
        }),
        plays("only json_schema or text", OpenAi, |r| {
            if r.body["tools"].is_array() {
                return refuse(400, "m does not support tools");
            }
            let kind = r.body["response_format"]["type"]
                .as_str()
                .unwrap_or_default();
            if kind == "json_object"
                || !(kind.is_empty()
                    || r.body["response_format"]["json_schema"]["schema"]["type"] == "object")
            {
                return refuse(
                    400,
                    "'response_format.type' must be 'json_schema' or 'text'",
                );
            }
            ok(r)
        }),
        row(
            "temperature has one value",
            OpenAi,
            |r| {
                if r.body["temperature"].is_null() || r.body["temperature"] == 1 {
                    return ok(r);
                }
                Act::Refuse(
                    400,
                    json!({"error": {"message": "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.", "type": "invalid_request_error", "param": "temperature", "code": "unsupported_value"}}),
                )
            },
            WITH_TEMPERATURE,
        ),
        row(
            "temperature is unknown",
            OpenAi,
            |r| {
                without(
                    r,
                    "temperature",
                    "Unsupported parameter: 'temperature' is not supported with this model.",
                )
            },
            DEBATE,
        ),
        row(
            "temperature is unknown",
            Anthropic,
            |r| {
                if r.body["temperature"].is_null() {
                    ok(r)
                } else {
                    claude_refuses(
                        400,
                        "invalid_request_error",
                        "`temperature` is deprecated for this model.",
                    )
                }
            },
            DEBATE,
        ),
        row(
            "temperature must be 1 while thinking",
            Anthropic,
            |r| {
                if r.body["temperature"].is_null() || r.body["temperature"] == 1 {
                    ok(r)
                } else {
                    claude_refuses(
                        400,
                        "invalid_request_error",
                        "`temperature` may only be set to 1 when thinking is enabled.",
                    )
                }
            },
            WITH_TEMPERATURE,
        ),
        row(
            "max_completion_tokens in place of max_tokens",
            OpenAi,
            |r| {
                without(
                    r,
                    "max_tokens",
                    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                )
            },
            WITH_ROOM,
        ),
        row(
            "max_tokens in place of max_completion_tokens",
            OpenAi,
            |r| {
                if r.body["max_completion_tokens"].is_null() {
                    return ok(r);
                }
                Act::Refuse(
                    422,
                    json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "max_completion_tokens"], "msg": "Extra inputs are not permitted"}]}),
                )
            },
            "run beer-game --set weeks=4 --episodes 1 --concurrency 1 --method direct --max-tokens 900 --token-field max_completion_tokens",
        ),
        plays("no system role: vLLM", OpenAi, |r| {
            if roles(&r.body)[0] == "system" {
                refuse(400, "System role not supported")
            } else {
                ok(r)
            }
        }),
        plays(
            "no system role: instructions are not enabled",
            OpenAi,
            |r| {
                if roles(&r.body)[0] == "system" {
                    refuse(400, "Developer instruction is not enabled for models/m")
                } else {
                    ok(r)
                }
            },
        ),
        plays("no system role: roles must alternate", OpenAi, |r| {
            let roles = roles(&r.body);
            if roles[0] != "user" {
                return refuse(
                    400,
                    "Conversation roles must alternate user/assistant/user/assistant/...",
                );
            }
            ok(r)
        }),
        plays("no user message after a result", OpenAi, |r| {
            let all = roles(&r.body);
            if all.windows(2).any(|pair| pair == ["tool", "user"]) {
                return Act::Refuse(
                    400,
                    json!({"object": "error", "message": "Unexpected role 'user' after role 'tool'", "type": "invalid_request_message_order", "code": "3230"}),
                );
            }
            looks_first(r)
        }),
        plays("thinking must be enabled to be forced", Anthropic, |r| {
            if forces(&r.body) {
                claude_refuses(
                    400,
                    "invalid_request_error",
                    "tool_choice: Thinking may not be enabled when tool_choice forces tool use.",
                )
            } else {
                ok(r)
            }
        }),
        plays("no system role: o1-mini", OpenAi, |r| {
            if roles(&r.body).contains(&"system") {
                return refuse(
                    400,
                    "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
                );
            }
            ok(r)
        }),
        plays("no null beside calls: a list of places", OpenAi, |r| {
            no_null(
                r,
                "[{'type': 'string_type', 'loc': ('body', 'messages', 2, 'content'), 'msg': 'Input should be a valid string'}]",
            )
        }),
        plays("no null beside calls: Ollama", OpenAi, |r| {
            no_null(r, "invalid message content type: <nil>")
        }),
        plays(
            "a field that only the server knows may not come back",
            OpenAi,
            |r| {
                let messages = r.body["messages"].as_array().unwrap();
                if messages.iter().any(|m| !m["executed_tools"].is_null()) {
                    return refuse(
                        400,
                        "'messages.2' : property 'executed_tools' is unsupported",
                    );
                }
                let Act::Answer(mut reply) = looks_first(r) else {
                    return ok(r);
                };
                reply["choices"][0]["message"]["executed_tools"] = json!([{"index": 0}]);
                Act::Answer(reply)
            },
        ),
        plays(
            "a name that no tool can have may not come back",
            OpenAi,
            |r| {
                let fits = |name: &str| {
                    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                };
                let messages = r.body["messages"].as_array().unwrap();
                let calls = messages
                    .iter()
                    .filter_map(|m| m["tool_calls"].as_array())
                    .flatten();
                let mut names = calls.map(|call| call["function"]["name"].as_str().unwrap());
                if !names.all(fits) {
                    return refuse(400, "Invalid 'messages[2].tool_calls[0].function.name'");
                }
                if r.number == 1 {
                    return Act::Answer(chat(
                        json!({"tool_calls": [call("place the order", "[4]")]}),
                    ));
                }
                ok(r)
            },
        ),
        Quirk {
            name: "one failure that names tool_choice changes nothing",
            wire: OpenAi,
            act: |r| {
                if r.number == 2 {
                    return refuse(
                        500,
                        "Internal error while applying tool_choice; please retry",
                    );
                }
                ok(r)
            },
            words: GAME,
            good: |seen| seen.played() && !seen.says("refused a forced call"),
        },
        plays("parallel calls cannot be turned off", OpenAi, |r| {
            without(
                r,
                "parallel_tool_calls",
                "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
            )
        }),
    ];
    rows.extend(plays_both("the address is given without /v1", |r| {
        if r.path.starts_with("/v1/") {
            return ok(r);
        }
        Act::Bytes(
            404,
            &["content-type: text/plain"],
            b"404 page not found".to_vec(),
        )
    }));
    rows.extend(plays_both("the address is given with the path", ok));
    rows.push(Quirk {
        name: "the limit on a reply is above that of the model: Bedrock",
        wire: Anthropic,
        act: |r| {
            if r.body["max_tokens"].as_u64().is_some_and(|most| most > 4_096) {
                return claude_refuses(
                    400,
                    "invalid_request_error",
                    "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum \
                     tokens value that is lower than 4096.",
                );
            }
            ok(r)
        },
        words: "run beer-game --set weeks=4 --episodes 1 --concurrency 1 --method direct --max-tokens 8192",
        good: Seen::played,
    });
    rows.push(Quirk {
        name: "a judge with a fixed temperature",
        wire: OpenAi,
        act: |r| {
            if !r.body["temperature"].is_null() {
                return refuse(
                    400,
                    "Unsupported parameter: 'temperature' is not supported with this model.",
                );
            }
            ok(r)
        },
        words: GAME,
        good: Seen::played,
    });
    rows.push(plays(
        "calls as JSON in text where tools are forbidden",
        OpenAi,
        |r| {
            if may_call(&r.body) {
                return refuse(400, "tool use is not supported");
            }
            Act::Answer(answer(r, Said::Text(CALL_IN_TEXT)))
        },
    ));
    rows
}
