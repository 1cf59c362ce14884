//! Replies that are not quite what the language says.

use super::{
    Anthropic, CALL_IN_TEXT, GAME, OpenAi, Quirk, Said, Seen, answer, call, chat, claude,
    has_result, is_anthropic, looks_first, may_call, ok, plays, plays_both, refuse,
};
use crate::server::{Act, Request};
use serde_json::{Value, json};

const JSON: &[&str] = &["content-type: application/json", "retry-after-ms: 1"];

/// The bytes of a good reply, changed.
fn bytes(request: &Request, lines: &'static [&'static str], change: fn(String) -> Vec<u8>) -> Act {
    let Act::Answer(reply) = ok(request) else {
        unreachable!()
    };
    Act::Bytes(200, lines, change(reply.to_string()))
}

/// A call whose name and arguments look like this.
pub(super) fn odd(request: &Request, name: &str, arguments: &Value) -> Act {
    if !may_call(&request.body) {
        return ok(request);
    }
    let call = json!({"id": "call_a1", "type": "function", "function": {"name": name, "arguments": arguments}});
    Act::Answer(chat(json!({"tool_calls": [call]})))
}

/// A call that a server without a parser leaves in the text.
pub(super) fn in_text(request: &Request, text: &'static str) -> Act {
    Act::Answer(answer(request, Said::Text(text)))
}

/// The order of the text was played, and no other.
pub(super) fn ordered_four(seen: &Seen) -> bool {
    let log = seen.file("episodes.jsonl");
    seen.played() && log.contains("\"quantity\":4}") && !log.contains("\"quantity\":400")
}

/// A refusal because the chat is too long; it ends when the results of tools are cut.
pub(super) fn overflows(request: &Request, act: Act) -> Act {
    let messages = request.body["messages"].as_array().unwrap();
    let whole = |m: &Value| {
        let is_result = m["role"] == "tool" || m["content"][0]["type"] == "tool_result";
        is_result && !m.to_string().contains("left out")
    };
    if messages.iter().any(whole) {
        act
    } else {
        looks_first(request)
    }
}

/// Bytes without compression: RFC 1951 with one stored block.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap();
    let mut out = vec![1];
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend(bytes);
    out
}

/// The same with the head and the sum of zlib (RFC 1950).
fn zlib(text: String) -> Vec<u8> {
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in text.bytes() {
        a = (a + u32::from(byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    let sum = (b << 16 | a).to_be_bytes();
    [&[0x78, 1], &*stored(text.as_bytes()), &sum].concat()
}

/// The same with the head and the sum of gzip (RFC 1952).
fn gzip(text: String) -> Vec<u8> {
    gzipped(text.as_bytes())
}

pub(super) fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    out.extend(stored(bytes));
    let mut crc = !0_u32;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                (crc >> 1) ^ 0xedb8_8320
            } else {
                crc >> 1
            };
        }
    }
    out.extend((!crc).to_le_bytes());
    out.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
    out
}

pub(super) fn rows() -> Vec<Quirk> {
    let orders = |name, act| Quirk {
        name,
        wire: OpenAi,
        act,
        words: GAME,
        good: ordered_four,
    };
    let mut rows = vec![
        plays("arguments are encoded twice", OpenAi, |r| {
            odd(r, "place_order", &json!("\"{\\\"quantity\\\": 4}\""))
        }),
        plays("arguments are an object", OpenAi, |r| {
            odd(r, "place_order", &json!({"quantity": 4}))
        }),
        plays("arguments have spaces around", OpenAi, |r| {
            odd(r, "place_order", &json!("\n {\"quantity\": 4} \n"))
        }),
        plays("arguments are in a fence", OpenAi, |r| {
            odd(r, "place_order", &json!("```json\n{\"quantity\": 4}\n```"))
        }),
        plays("arguments are in single quotes", OpenAi, |r| {
            odd(r, "place_order", &json!("{'quantity': 4}"))
        }),
        plays("a mark stands behind the arguments", OpenAi, |r| {
            odd(r, "place_order", &json!("{\"quantity\": 4}<|call|>"))
        }),
        plays("arguments stand under `arguments`", OpenAi, |r| {
            odd(
                r,
                "place_order",
                &json!("{\"arguments\": {\"quantity\": 4}}"),
            )
        }),
        plays("arguments are in entities of HTML", OpenAi, |r| {
            odd(r, "place_order", &json!("{&quot;quantity&quot;: 4}"))
        }),
        orders("a number in the arguments is a text", |r| {
            odd(r, "place_order", &json!("{\"quantity\": \"4\"}"))
        }),
        plays(
            "two calls have one id, which must have 9 signs",
            OpenAi,
            |r| {
                let messages = r.body["messages"].as_array().unwrap();
                let ids = messages
                    .iter()
                    .filter_map(|m| m["tool_calls"].as_array())
                    .flatten()
                    .map(|call| call["id"].as_str().unwrap());
                let fits =
                    |id: &str| id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric());
                if !ids.clone().all(fits) {
                    return refuse(
                        422,
                        "Tool call id was x but must be a-z, A-Z, 0-9, with a length of 9.",
                    );
                }
                if has_result(&r.body) || !may_call(&r.body) {
                    return ok(r);
                }
                let look = |name: &str| json!({"id": "abcdefghi", "type": "function", "function": {"name": name, "arguments": "{}"}});
                Act::Answer(chat(
                    json!({"tool_calls": [look("get_stock"), look("get_history")]}),
                ))
            },
        ),
        plays("text and call are two choices", OpenAi, |r| {
            let Act::Answer(reply) = ok(r) else {
                unreachable!()
            };
            let text = chat(json!({"content": "I order four."}));
            let mut both = text.clone();
            both["choices"] = json!([text["choices"][0], reply["choices"][0]]);
            Act::Answer(both)
        }),
        plays("the error of a choice is empty", OpenAi, |r| {
            let Act::Answer(mut reply) = ok(r) else {
                unreachable!()
            };
            reply["choices"][0]["error"] = json!(if r.number % 2 == 0 {
                json!("")
            } else {
                json!(false)
            });
            Act::Answer(reply)
        }),
        plays("the reply is a stream of events", OpenAi, |r| {
            let Act::Answer(mut reply) = ok(r) else {
                unreachable!()
            };
            reply["choices"][0]["delta"] = reply["choices"][0]["message"].take();
            let text = format!("data: {reply}\n\ndata: [DONE]\n\n");
            Act::Bytes(200, &["content-type: text/event-stream"], text.into_bytes())
        }),
        plays("the name has a prefix", OpenAi, |r| {
            odd(r, "functions.place_order", &json!("{\"quantity\": 4}"))
        }),
        plays("the name has spaces", OpenAi, |r| {
            odd(r, " place_order ", &json!("{\"quantity\": 4}"))
        }),
        plays("the name has marks of a channel", OpenAi, |r| {
            odd(
                r,
                "place_order<|channel|>commentary",
                &json!("{\"quantity\": 4}"),
            )
        }),
        plays("the name has a number", OpenAi, |r| {
            odd(r, "functions.place_order:0", &json!("{\"quantity\": 4}"))
        }),
        plays(
            "empty arguments of a tool without parameters",
            OpenAi,
            |r| {
                if may_call(&r.body) && !has_result(&r.body) {
                    return Act::Answer(chat(json!({"tool_calls": [call("get_stock", "")]})));
                }
                ok(r)
            },
        ),
        plays("tool_calls is null, content is a list", OpenAi, |r| {
            if r.body["tools"].is_array() {
                return refuse(400, "m does not support tools");
            }
            Act::Answer(chat(
                json!({"tool_calls": null, "content": [{"type": "text", "text": CALL_IN_TEXT}]}),
            ))
        }),
        plays("the id of a call is missing", OpenAi, |r| {
            if !may_call(&r.body) {
                return ok(r);
            }
            Act::Answer(chat(
                json!({"tool_calls": [{"type": "function", "function": {"name": "place_order", "arguments": "{\"quantity\": 4}"}}]}),
            ))
        }),
        plays("usage is missing", OpenAi, |r| {
            let mut reply = answer(r, Said::Call);
            reply.as_object_mut().unwrap().remove("usage");
            Act::Answer(reply)
        }),
        plays("usage is null", OpenAi, |r| {
            let mut reply = answer(r, Said::Call);
            reply["usage"] = json!(null);
            Act::Answer(reply)
        }),
        plays("counts are fractions", OpenAi, |r| {
            let mut reply = answer(r, Said::Call);
            reply["usage"] =
                json!({"prompt_tokens": 100.0, "completion_tokens": 10.0, "total_tokens": 110.0});
            Act::Answer(reply)
        }),
        orders("a call in text: Hermes", |r| {
            in_text(
                r,
                "<tool_call>\n{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}\n</tool_call>",
            )
        }),
        orders("a call in text: Llama", |r| {
            in_text(
                r,
                "<|python_tag|>{\"name\": \"place_order\", \"parameters\": {\"quantity\": 4}}",
            )
        }),
        orders("a call in text: Llama's function", |r| {
            in_text(r, "<function=place_order>{\"quantity\": 4}</function>")
        }),
        orders("a call in text: Mistral", |r| {
            in_text(
                r,
                "[TOOL_CALLS][{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}]",
            )
        }),
        orders("a call in text: Mistral since v11", |r| {
            in_text(r, "[TOOL_CALLS]place_order[ARGS]{\"quantity\": 4}")
        }),
        orders("a call in text: Qwen3-Coder", |r| {
            in_text(
                r,
                "<tool_call>\n<function=place_order>\n<parameter=quantity>\n4\n</parameter>\n</function>\n</tool_call>",
            )
        }),
        orders("a call in text: pythonic", |r| {
            in_text(r, "[place_order(quantity=4)]")
        }),
        orders("a call in text: GLM", |r| {
            in_text(
                r,
                "<tool_call>place_order\n<arg_key>quantity</arg_key>\n<arg_value>4</arg_value>\n</tool_call>",
            )
        }),
        orders("a call in text: a fence of JSON", |r| {
            in_text(
                r,
                "I order four.\n```json\n{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}\n```",
            )
        }),
        orders("a draft in the thoughts is not played", |r| {
            in_text(
                r,
                "<think>\nIf I take {\"tool\": \"place_order\", \"with\": {\"quantity\": 400}} I drown.\n</think>\n{\"tool\": \"place_order\", \"with\": {\"quantity\": 4}}",
            )
        }),
        orders("thoughts that were never opened", |r| {
            in_text(
                r,
                "{\"tool\": \"place_order\", \"with\": {\"quantity\": 400}} is too much.\n</think>\n{\"tool\": \"place_order\", \"with\": {\"quantity\": 4}}",
            )
        }),
        orders("of two calls in prose the last is played", |r| {
            in_text(
                r,
                "{\"tool\": \"place_order\", \"with\": {\"quantity\": 400}} was my first idea. Better:\n{\"tool\": \"place_order\", \"with\": {\"quantity\": 4}}",
            )
        }),
        plays("too long: OpenAI", OpenAi, |r| {
            overflows(
                r,
                Act::Refuse(
                    400,
                    json!({"error": {"message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"}}),
                ),
            )
        }),
        plays("too long: Claude", Anthropic, |r| {
            overflows(
                r,
                super::claude_refuses(
                    400,
                    "invalid_request_error",
                    "prompt is too long: 208310 tokens > 200000 maximum",
                ),
            )
        }),
        plays("too long: Claude with its room", Anthropic, |r| {
            overflows(
                r,
                super::claude_refuses(
                    400,
                    "invalid_request_error",
                    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
                ),
            )
        }),
        plays("too long: Gemini", OpenAi, |r| {
            overflows(
                r,
                Act::Refuse(
                    400,
                    json!([{"error": {"code": 400, "message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", "status": "INVALID_ARGUMENT"}}]),
                ),
            )
        }),
        plays("too long: llama.cpp", OpenAi, |r| {
            overflows(
                r,
                Act::Refuse(
                    400,
                    json!({"error": {"code": 400, "message": "the request exceeds the available context size, try increasing it", "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 8192}}),
                ),
            )
        }),
        plays("too long: Mistral", OpenAi, |r| {
            overflows(
                r,
                Act::Refuse(
                    400,
                    json!({"object": "error", "message": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", "type": "invalid_request_error", "code": "3051"}),
                ),
            )
        }),
        plays("too long: Groq", OpenAi, |r| {
            overflows(
                r,
                Act::Refuse(
                    400,
                    json!({"error": {"message": "Please reduce the length of the messages or completion.", "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"}}),
                ),
            )
        }),
        plays("too long: xAI", OpenAi, |r| {
            overflows(
                r,
                Act::Refuse(
                    400,
                    json!({"code": "Client specified an invalid argument", "error": "This model's maximum prompt length is 131072 but the request contains 140000 tokens."}),
                ),
            )
        }),
        plays("too long: status 413", OpenAi, |r| {
            overflows(
                r,
                Act::Refuse(
                    413,
                    json!({"error": {"message": "Request too large for model `m`", "type": "request_too_large", "code": "request_too_large"}}),
                ),
            )
        }),
        plays("too long: vLLM", OpenAi, |r| {
            overflows(
                r,
                Act::Refuse(
                    400,
                    json!({"object": "error", "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens in the messages, Please reduce the length of the messages.", "type": "BadRequestError", "code": 400}),
                ),
            )
        }),
    ];
    rows.extend(plays_both(
        "a lone surrogate in a text that nobody reads",
        |r| {
            bytes(r, JSON, |text| {
                text.replace("\"model\":\"m\"", "\"model\":\"m\\ud83d\"")
                    .into_bytes()
            })
        },
    ));
    rows.extend(plays_both("NaN where nobody reads", |r| {
        bytes(r, JSON, |text| {
            text.replace("\"model\":\"m\"", "\"model\":\"m\",\"logprob\":NaN")
                .into_bytes()
        })
    }));
    rows.extend(plays_both("infinity where nobody reads", |r| {
        bytes(r, JSON, |text| {
            text.replace(
                "\"model\":\"m\"",
                "\"model\":\"m\",\"logprobs\":[-Infinity,Infinity]",
            )
            .into_bytes()
        })
    }));
    rows.extend(plays_both("a byte order mark", |r| {
        bytes(r, JSON, |text| [b"\xef\xbb\xbf", text.as_bytes()].concat())
    }));
    rows.extend(plays_both("gzip that was not asked for", |r| {
        bytes(
            r,
            &["content-type: application/json", "content-encoding: gzip"],
            gzip,
        )
    }));
    rows.extend(plays_both("deflate that was not asked for", |r| {
        bytes(
            r,
            &[
                "content-type: application/json",
                "content-encoding: deflate",
            ],
            zlib,
        )
    }));
    rows.extend(plays_both("bytes that are not UTF-8", |r| {
        bytes(r, JSON, |text| {
            let at = text.find("\"model\":\"m").unwrap() + 10;
            [&text.as_bytes()[..at], b"\xff\xfe", &text.as_bytes()[at..]].concat()
        })
    }));
    rows.extend(plays_both(
        "spaces and comments of a stream around the body",
        |r| bytes(r, JSON, |text| format!("\n\n   {text}\n\n").into_bytes()),
    ));
    rows.extend(plays_both("media type in another case", |r| {
        bytes(
            r,
            &["content-type: Application/JSON; Charset=UTF-8"],
            String::into_bytes,
        )
    }));
    rows.push(plays("a block that nobody knows", Anthropic, |r| {
        if !is_anthropic(r) { return ok(r); }
        Act::Answer(claude(json!([
            {"type": "server_note", "data": 1},
            {"type": "tool_use", "id": format!("toolu_{}", r.number), "name": "place_order", "input": {"quantity": 4}}
        ])))
    }));
    rows.push(plays("input of a call is text", Anthropic, |r| {
        Act::Answer(claude(json!([{"type": "tool_use", "id": format!("toolu_{}", r.number), "name": "place_order", "input": "{\"quantity\": 4}"}])))
    }));
    rows
}
