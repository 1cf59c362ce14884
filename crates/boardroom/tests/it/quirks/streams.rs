//! Replies as streams of events that nobody asked for, and how the bytes of a reply come.

use super::causes::fails;
use super::reading::{gzipped as gzip, ordered_four};
use super::{
    Anthropic, CALL_IN_TEXT, GAME, OpenAi, Quirk, Seen, Wire, call, chat, is_anthropic, may_call,
    ok, plays, refuse,
};
use crate::server::{Act, Request};
use serde_json::{Value, json};

const EVENTS: &[&str] = &["content-type: text/event-stream", "retry-after-ms: 1"];

fn orders(name: &'static str, wire: Wire, act: fn(&Request) -> Act) -> Quirk {
    Quirk {
        name,
        wire,
        act,
        words: GAME,
        good: ordered_four,
    }
}

/// One event of a chat completion.
fn piece(delta: Value) -> Value {
    json!({"id": "x", "object": "chat.completion.chunk", "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

/// A piece of a call.
fn of_call(call: Value) -> Value {
    piece(json!({"tool_calls": [call]}))
}

/// The last events: why the reply ended, and the counts.
fn end(reason: &str) -> [Value; 2] {
    let mut last = piece(json!({}));
    last["choices"][0]["finish_reason"] = json!(reason);
    let counts = json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110});
    [
        last,
        json!({"id": "x", "object": "chat.completion.chunk", "choices": [], "usage": counts}),
    ]
}

fn written(events: &[Value]) -> String {
    let lines = events.iter().map(|event| format!("data: {event}\n\n"));
    lines.chain(["data: [DONE]\n\n".to_owned()]).collect()
}

/// The reply to a request that may be a call, as these events.
fn streamed(request: &Request, events: &[Value]) -> Act {
    if !may_call(&request.body) {
        return ok(request);
    }
    let all: Vec<Value> = events.iter().cloned().chain(end("tool_calls")).collect();
    Act::Bytes(200, EVENTS, written(&all).into_bytes())
}

/// A stream of the Messages API that counts so.
fn counted(request: &Request, start: Value, last: Value) -> Act {
    let events = [
        json!({"type": "message_start", "message": {"type": "message", "role": "assistant", "model": "m", "content": [], "usage": start}}),
        json!({"type": "ping"}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": format!("t{}", request.number), "name": "place_order", "input": {}}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{\"quantity\": 4}"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": last}),
        json!({"type": "message_stop"}),
    ];
    let lines = events.iter().map(|event| {
        format!(
            "event: {}\ndata: {event}\n\n",
            event["type"].as_str().unwrap()
        )
    });
    Act::Bytes(200, EVENTS, lines.collect::<String>().into_bytes())
}

fn streams() -> Vec<Quirk> {
    vec![
        orders(
            "a stream numbers no call: Ollama, Databricks",
            OpenAi,
            |r| {
                streamed(
                    r,
                    &[
                        of_call(
                            json!({"id": "c1", "type": "function", "function": {"name": "place_order", "arguments": ""}}),
                        ),
                        of_call(json!({"function": {"arguments": "{\"quant"}})),
                        of_call(json!({"function": {"arguments": "ity\": 4}"}})),
                    ],
                )
            },
        ),
        orders(
            "a stream numbers the first piece of a call alone",
            OpenAi,
            |r| {
                streamed(
                    r,
                    &[
                        of_call(
                            json!({"index": 0, "id": "c1", "type": "function", "function": {"name": "place_order", "arguments": ""}}),
                        ),
                        of_call(json!({"function": {"arguments": "{\"quantity\": 4}"}})),
                    ],
                )
            },
        ),
        Quirk {
            good: |seen: &Seen| ordered_four(seen) && seen.requests.len() == 4,
            ..orders("a stream gives all calls one number: Gemini", OpenAi, |r| {
                streamed(
                    r,
                    &[
                        of_call(
                            json!({"index": 0, "id": "c1", "type": "function", "function": {"name": "get_stock", "arguments": "{}"}}),
                        ),
                        of_call(
                            json!({"index": 0, "id": "c2", "type": "function", "function": {"name": "place_order", "arguments": "{\"quantity\": 4}"}}),
                        ),
                    ],
                )
            })
        },
        orders(
            "a stream gives each piece of a call an id of its own",
            OpenAi,
            |r| {
                streamed(
                    r,
                    &[
                        of_call(
                            json!({"index": 0, "id": "c1", "type": "function", "function": {"name": "place_order", "arguments": "{\"quan"}}),
                        ),
                        of_call(
                            json!({"index": 0, "id": "c2", "type": "function", "function": {"name": null, "arguments": "tity\": 4}"}}),
                        ),
                    ],
                )
            },
        ),
        orders("a stream repeats id and name of a call", OpenAi, |r| {
            streamed(
                r,
                &[
                    of_call(
                        json!({"index": 0, "id": "c1", "type": "function", "function": {"name": "place_order", "arguments": "{\"quan"}}),
                    ),
                    of_call(
                        json!({"index": 0, "id": "c1", "type": "function", "function": {"name": "place_order", "arguments": "tity\": 4}"}}),
                    ),
                ],
            )
        }),
        orders(
            "a stream has what was said so far beside each piece: Perplexity",
            OpenAi,
            |r| {
                if r.body["tools"].is_array() {
                    return refuse(400, "m does not support tools");
                }
                let (first, second) = CALL_IN_TEXT.split_at(20);
                let mut events = vec![
                    piece(json!({"content": first})),
                    piece(json!({"content": second})),
                ];
                events[0]["choices"][0]["message"] = json!({"role": "assistant", "content": first});
                events[1]["choices"][0]["message"] =
                    json!({"role": "assistant", "content": CALL_IN_TEXT});
                events.extend(end("stop"));
                Act::Bytes(200, EVENTS, written(&events).into_bytes())
            },
        ),
        orders("a stream begins with a pause and a comment", OpenAi, |r| {
            let Act::Bytes(status, lines, bytes) =
                streamed(r, &[of_call(call("place_order", "{\"quantity\": 4}"))])
            else {
                return ok(r);
            };
            Act::Bytes(
                status,
                lines,
                [b"retry: 3000\n\n: ping\n\n", &*bytes].concat(),
            )
        }),
        orders(
            "a stream begins with the results of a filter: Azure",
            OpenAi,
            |r| {
                streamed(
                    r,
                    &[
                        json!({"id": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {"hate": {"filtered": false}}}]}),
                        of_call(call("place_order", "{\"quantity\": 4}")),
                    ],
                )
            },
        ),
        plays(
            "outage: an error in the middle of a stream: OpenRouter",
            OpenAi,
            |r| {
                let events = [
                    piece(json!({"content": "I"})),
                    json!({"id": "x", "error": {"code": 502, "message": "Upstream idle timeout exceeded"}, "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]}),
                ];
                fails(r, Act::Bytes(200, EVENTS, written(&events).into_bytes()))
            },
        ),
        plays("outage: an error in place of a stream: vLLM", OpenAi, |r| {
            let error = json!({"object": "error", "message": "EngineCore encountered an issue", "type": "InternalServerError", "code": 500});
            fails(r, Act::Bytes(200, EVENTS, written(&[error]).into_bytes()))
        }),
        plays(
            "outage: an error in the middle of a stream",
            Anthropic,
            |r| {
                let text = "event: message_start\ndata: {\"type\": \"message_start\", \"message\": {\"type\": \"message\", \"content\": [], \"usage\": {\"input_tokens\": 7, \"output_tokens\": 1}}}\n\nevent: error\ndata: {\"type\": \"error\", \"error\": {\"type\": \"overloaded_error\", \"message\": \"Overloaded\"}}\n\n";
                fails(r, Act::Bytes(200, EVENTS, text.as_bytes().to_vec()))
            },
        ),
        plays("outage: a stream is cut", OpenAi, |r| {
            let text = format!("data: {}\n\n", piece(json!({"content": "I think"})));
            fails(r, Act::Bytes(200, EVENTS, text.into_bytes()))
        }),
        Quirk {
            words: super::money::CAPPED,
            good: |seen: &Seen| super::money::stopped_at(seen, 0.01),
            ..plays("the end of a stream counts no input", Anthropic, |r| {
                counted(
                    r,
                    json!({"input_tokens": 5000, "output_tokens": 1}),
                    json!({"input_tokens": 0, "output_tokens": 500}),
                )
            })
        },
        Quirk {
            words: super::money::CAPPED,
            good: |seen: &Seen| super::money::stopped_at(seen, 0.01),
            ..plays("the begin of a stream counts no input", Anthropic, |r| {
                counted(
                    r,
                    json!({"input_tokens": 0, "output_tokens": 0}),
                    json!({"input_tokens": 5000, "output_tokens": 500}),
                )
            })
        },
    ]
}

/// The bytes of a good reply.
fn good(request: &Request) -> Vec<u8> {
    let Act::Answer(reply) = ok(request) else {
        unreachable!()
    };
    reply.to_string().into_bytes()
}

/// `bytes` in pieces of 40, up to `most` of them.
fn chunked(bytes: &[u8], most: usize, end: &str) -> Act {
    let mut out =
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
            .to_vec();
    for chunk in bytes.chunks(40).take(most) {
        out.extend(format!("{:x}\r\n", chunk.len()).bytes());
        out.extend_from_slice(chunk);
        out.extend(b"\r\n");
    }
    out.extend(end.bytes());
    Act::Raw(out)
}

fn with_head(head: &str, bytes: &[u8]) -> Act {
    let head = head.replace("LENGTH", &bytes.len().to_string());
    Act::Raw([head.as_bytes(), bytes].concat())
}

fn bytes() -> Vec<Quirk> {
    vec![
        plays(
            "the connection is closed after each reply without a word",
            OpenAi,
            |r| {
                with_head(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: LENGTH\r\n\r\n",
                    &good(r),
                )
            },
        ),
        plays(
            "HTTP/1.0, the end of the connection ends the body",
            OpenAi,
            |r| {
                with_head(
                    "HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n",
                    &good(r),
                )
            },
        ),
        plays("the body comes in chunks, with a trailer", OpenAi, |r| {
            chunked(&good(r), usize::MAX, "0\r\nx-sum: 1\r\n\r\n")
        }),
        plays("outage: the chunks of a body are cut", OpenAi, |r| {
            if (1..3).contains(&r.number) {
                chunked(&good(r), 3, "")
            } else {
                ok(r)
            }
        }),
        plays(
            "outage: the connection is closed before the head",
            OpenAi,
            |r| {
                if (1..3).contains(&r.number) {
                    Act::Raw(Vec::new())
                } else {
                    ok(r)
                }
            },
        ),
        plays("hints come before the head: status 103", OpenAi, |r| {
            with_head(
                "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: LENGTH\r\n\r\n",
                &good(r),
            )
        }),
        plays("the head says gzip, the body is none", OpenAi, |r| {
            Act::Bytes(
                200,
                &["content-type: application/json", "content-encoding: gzip"],
                good(r),
            )
        }),
        plays("gzip that nothing says", OpenAi, |r| {
            Act::Bytes(200, &["content-type: application/json"], gzip(&good(r)))
        }),
        plays("gzip in gzip", OpenAi, |r| {
            Act::Bytes(
                200,
                &[
                    "content-type: application/json",
                    "content-encoding: gzip, gzip",
                ],
                gzip(&gzip(&good(r))),
            )
        }),
        plays("a refusal in gzip", OpenAi, |r| {
            if !r.body["tools"].is_array() {
                return ok(r);
            }
            let refusal = gzip(b"{\"error\": {\"message\": \"m does not support tools\"}}");
            Act::Bytes(
                400,
                &["content-type: application/json", "content-encoding: gzip"],
                refusal,
            )
        }),
        plays("status 201", OpenAi, |r| {
            Act::Bytes(201, &["content-type: text/plain"], good(r))
        }),
        plays("a line break in a text that nobody reads", OpenAi, |r| {
            let text = String::from_utf8(good(r)).unwrap();
            Act::Bytes(
                200,
                &["content-type: application/json"],
                text.replace("\"model\":\"m\"", "\"model\":\"m\nx\"")
                    .into_bytes(),
            )
        }),
        plays(
            "the error of a choice has fields without values",
            OpenAi,
            |r| {
                let Act::Answer(mut reply) = ok(r) else {
                    unreachable!()
                };
                reply["choices"][0]["error"] = json!({"code": if r.number.is_multiple_of(2) { json!(null) } else { json!(0) }, "message": ""});
                Act::Answer(reply)
            },
        ),
        Quirk {
            good: |seen: &Seen| seen.ended() && seen.says("cut off"),
            ..plays("a reply without content is cut off", Anthropic, |r| {
                told(r, "max_tokens", json!(null))
            })
        },
        Quirk {
            good: |seen: &Seen| seen.ended() && seen.says("filtered"),
            ..plays("a reply without content is a refusal", Anthropic, |r| {
                told(r, "refusal", json!(null))
            })
        },
        orders(
            "a draft in the thoughts: parts with their texts",
            OpenAi,
            |r| {
                if r.body["tools"].is_array() {
                    return refuse(400, "m does not support tools");
                }
                let draft = r#"I could {"tool": "place_order", "with": {"quantity": 400}}"#;
                Act::Answer(chat(json!({"content": [
                    {"type": "text", "text": CALL_IN_TEXT}, {"type": "reasoning", "text": draft}
                ]})))
            },
        ),
    ]
}

/// The third reply has this content and says this of its end.
fn told(request: &Request, reason: &str, content: Value) -> Act {
    if request.number != 2 || !is_anthropic(request) {
        return ok(request);
    }
    Act::Answer(
        json!({"type": "message", "role": "assistant", "content": content, "stop_reason": reason, "usage": {"input_tokens": 100, "output_tokens": 10}}),
    )
}

pub(super) fn rows() -> Vec<Quirk> {
    let mut rows = streams();
    rows.extend(bytes());
    rows
}
