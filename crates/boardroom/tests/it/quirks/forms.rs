//! Forms of calls and of whole replies that come where another form was asked for.

use super::reading::{in_text, odd, ordered_four};
use super::{
    Anthropic, GAME, OpenAi, Quirk, Said, Seen, Wire, answer, call, chat, claude, may_call, ok,
    plays,
};
use crate::server::{Act, Request};
use serde_json::{Value, json};

fn orders(name: &'static str, wire: Wire, act: fn(&Request) -> Act) -> Quirk {
    Quirk {
        name,
        wire,
        act,
        words: GAME,
        good: ordered_four,
    }
}

/// A call in the text of a reply.
macro_rules! text {
    ($name:literal, $text:expr) => {
        orders(concat!("a call in text: ", $name), OpenAi, |r| {
            in_text(r, $text)
        })
    };
}

fn texts() -> Vec<Quirk> {
    vec![
        text!(
            "Gemma in tags",
            "<tool_code>\nprint(place_order(quantity=4))\n</tool_code>"
        ),
        text!(
            "harmony as code",
            "functions.place_order({\"quantity\": 4})"
        ),
        text!(
            "harmony as code, behind prose",
            "Four are missing.\n\nfunctions.place_order({\"quantity\": 4})"
        ),
        text!(
            "harmony without marks",
            "to=functions.place_order json {\"quantity\": 4}"
        ),
        text!(
            "MiniMax with arrows",
            "[TOOL_CALL]\n{tool => \"place_order\", args => {\n  --quantity 4\n}}\n[/TOOL_CALL]"
        ),
        text!(
            "MiniMax with JSON",
            "[TOOL_CALL] { \"tool\": \"place_order\", \"args\": { \"quantity\": 4 } } [/TOOL_CALL]"
        ),
        text!(
            "Claude 2",
            "<function_calls>\n<invoke>\n<tool_name>place_order</tool_name>\n<parameters>\n<quantity>4</quantity>\n</parameters>\n</invoke>\n</function_calls>"
        ),
        text!("YAML", "tool: place_order\nwith:\n  quantity: 4"),
        text!(
            "YAML in a fence",
            "Four are missing.\n```yaml\nname: place_order\narguments:\n  quantity: 4\n```"
        ),
        text!(
            "YAML between marks",
            "<tool_call>\nname: place_order\narguments:\n  quantity: 4\n</tool_call>"
        ),
        text!(
            "a list of Python behind a mark",
            "<|python_tag|>place_order.call(quantity=4)"
        ),
        text!(
            "a name in an attribute",
            "<function name=\"place_order\"><parameter name=\"quantity\">4</parameter></function>"
        ),
        text!(
            "a name and arguments in tags",
            "<tool_use>\n<name>place_order</name>\n<arguments>{\"quantity\": 4}</arguments>\n</tool_use>"
        ),
        text!(
            "CDATA",
            "<invoke name=\"place_order\"><parameter name=\"quantity\"><![CDATA[4]]></parameter></invoke>"
        ),
        text!(
            "Hermes in single quotes",
            "<tool_call>{'name': 'place_order', 'arguments': {'quantity': 4}}</tool_call>"
        ),
        text!("a name with a colon", "place_order(quantity: 4)"),
        text!(
            "Kimi without its marks",
            "functions.place_order:0{\"quantity\": 4}"
        ),
        text!(
            "Functionary with all marks",
            "<|recipient|>place_order\n<|content|>{\"quantity\": 4}"
        ),
        text!(
            "MiniMax M3",
            "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"place_order\">\n]<]minimax[>[<quantity>4]<]minimax[>[</quantity>\n]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>"
        ),
        text!(
            "DeepSeek with other bars",
            "<|DSML|tool_calls>\n<|DSML|invoke name=\"place_order\">\n<|DSML|parameter name=\"quantity\" string=\"false\">4</|DSML|parameter>\n</|DSML|invoke>\n</|DSML|tool_calls>"
        ),
        text!(
            "GLM without a mark",
            "<tool_call>place_order<arg_key>quantity</arg_key>4</arg_value></tool_call>"
        ),
        text!(
            "at the end of thoughts: Qwen",
            "<think>{\"tool\": \"place_order\", \"with\": {\"quantity\": 400}}? No.\n<tool_call>\n{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}\n</tool_call>"
        ),
        text!(
            "lines with stars",
            "**Action:** `place_order`\n**Action Input:** {\"quantity\": 4}"
        ),
        orders("an example before the call: Hermes", OpenAi, |r| {
            in_text(
                r,
                "For instance you could call <tool_call>{\"name\": \"place_order\", \"arguments\": {\"quantity\": 400}}</tool_call> but that is too much.\n<tool_call>\n{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}\n</tool_call>",
            )
        }),
        orders("a call that is taken back", OpenAi, |r| {
            in_text(
                r,
                "<tool_call>{\"name\": \"place_order\", \"arguments\": {\"quantity\": 400}}</tool_call>\nWait, that is too much.\n<tool_call>{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}</tool_call>",
            )
        }),
        orders("a call that is refused, before the call", OpenAi, |r| {
            in_text(
                r,
                "I will not send <tool_call>{\"name\": \"place_order\", \"arguments\": {\"quantity\": 400}}</tool_call> because the stock is full.\n{\"tool\": \"place_order\", \"with\": {\"quantity\": 4}}",
            )
        }),
        orders("a turn of the user that the model made up", OpenAi, |r| {
            in_text(
                r,
                "{\"tool\": \"place_order\", \"with\": {\"quantity\": 4}}\n\nUser: Next week.\nAssistant: {\"tool\": \"place_order\", \"with\": {\"quantity\": 400}}",
            )
        }),
        orders("an example before the call: tags", OpenAi, |r| {
            in_text(
                r,
                "An order is written in tags, for example:\n<invoke name=\"place_order\">\n<parameter name=\"quantity\">400</parameter>\n</invoke>\n\nI order four.\n<invoke name=\"place_order\">\n<parameter name=\"quantity\">4</parameter>\n</invoke>",
            )
        }),
        orders("an example before the call: code", OpenAi, |r| {
            in_text(
                r,
                "I could call place_order, e.g.\n[place_order(quantity=400)]\nHere it is:\n[place_order(quantity=4)]",
            )
        }),
        orders("an example behind the call", OpenAi, |r| {
            in_text(
                r,
                "<tool_call>{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}</tool_call>\nAnother week one could call <tool_call>{\"name\": \"place_order\", \"arguments\": {\"quantity\": 400}}</tool_call>",
            )
        }),
        orders("a draft in the thoughts: a call of gpt-oss", OpenAi, |r| {
            in_text(
                r,
                "<think>I could write to=functions.place_order {\"quantity\": 400}, too much.</think>\n<tool_call>{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}</tool_call>",
            )
        }),
    ]
}

/// A reply with these fields where a call is wanted.
fn message(request: &Request, fields: Value) -> Act {
    match may_call(&request.body) {
        true => Act::Answer(chat(fields)),
        false => ok(request),
    }
}

fn fields() -> Vec<Quirk> {
    const FOUR: &str = "{\"quantity\": 4}";
    vec![
        orders("tool_calls is one call, no list", OpenAi, |r| {
            message(r, json!({"tool_calls": call("place_order", FOUR)}))
        }),
        orders("tool_calls is a text", OpenAi, |r| {
            message(
                r,
                json!({"tool_calls": json!([call("place_order", FOUR)]).to_string()}),
            )
        }),
        orders("content is one part, no list", OpenAi, |r| {
            message(
                r,
                json!({"content": {"type": "text", "text": "{\"tool\": \"place_order\", \"with\": {\"quantity\": 4}}"}}),
            )
        }),
        orders("content is the object that was asked for", OpenAi, |r| {
            message(
                r,
                json!({"content": {"tool": "place_order", "with": {"quantity": 4}}}),
            )
        }),
        orders("content holds a block `tool_use`", OpenAi, |r| {
            message(
                r,
                json!({"content": [{"type": "text", "text": "Four."}, {"type": "tool_use", "id": "t", "name": "place_order", "input": {"quantity": 4}}]}),
            )
        }),
        orders("the function is its name", OpenAi, |r| {
            message(
                r,
                json!({"tool_calls": [{"id": "c", "type": "function", "function": "place_order", "arguments": {"quantity": 4}}]}),
            )
        }),
        orders("choices is one choice, no list", OpenAi, |r| {
            if !may_call(&r.body) {
                return ok(r);
            }
            let mut body = answer(r, Said::Call);
            body["choices"] = body["choices"][0].clone();
            Act::Answer(body)
        }),
        orders("the message is a text", OpenAi, |_| {
            Act::Answer(
                json!({"choices": [{"index": 0, "finish_reason": "stop", "message": "{\"tool\": \"place_order\", \"with\": {\"quantity\": 4}}"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}}),
            )
        }),
        orders("content is one block, no list", Anthropic, |r| {
            if !may_call(&r.body) {
                return ok(r);
            }
            let mut body = answer(r, Said::Call);
            body["content"] = body["content"][0].clone();
            Act::Answer(body)
        }),
        orders(
            "calls stand where chat completions have them",
            Anthropic,
            |r| {
                if !may_call(&r.body) {
                    return ok(r);
                }
                let made = call("place_order", "{\"quantity\": 4}");
                let mut body = claude(json!([{"type": "text", "text": "Four."}]));
                match r.number % 2 {
                    0 => body["tool_calls"] = json!([made]),
                    _ => {
                        body["content"] = json!([{"type": "function_call", "call_id": "c", "name": "place_order", "arguments": "{\"quantity\": 4}"}])
                    }
                }
                Act::Answer(body)
            },
        ),
        orders("arguments are a line of code", OpenAi, |r| {
            odd(r, "place_order", &json!("quantity=4"))
        }),
        orders("arguments have Gemma's quotes", OpenAi, |r| {
            odd(r, "place_order", &json!("{\"quantity\": <|\"|>4<|\"|>}"))
        }),
        orders("the name is a line of code", OpenAi, |r| {
            odd(r, "place_order(quantity=4)", &json!(""))
        }),
        orders("a text stands in place of a block", Anthropic, |r| {
            if !may_call(&r.body) {
                return ok(r);
            }
            Act::Answer(claude(
                json!([{"type": "tool_use", "id": "t", "name": "place_order", "input": "{\"quantity\": 4}"}]),
            ))
        }),
        orders("the name has the prefix of a server of MCP", OpenAi, |r| {
            odd(r, "mcp__game__place_order", &json!(FOUR))
        }),
        orders("the name is in another case", OpenAi, |r| {
            odd(r, "placeOrder", &json!(FOUR))
        }),
        orders("an argument is in another case", OpenAi, |r| {
            odd(r, "place_order", &json!("{\"Quantity\": 4}"))
        }),
        orders("comments in the arguments", OpenAi, |r| {
            odd(r, "place_order", &json!("{\"quantity\": 4 // of 9\n}"))
        }),
        Quirk {
            name: "arguments are null",
            // The tool refuses it, and the model is asked again.
            good: |seen: &Seen| seen.ended() && seen.requests.len() > 4,
            ..orders("", OpenAi, |r| match r.number {
                1 => odd(r, "place_order", &Value::Null),
                _ => ok(r),
            })
        },
    ]
}

/// A row for both APIs; what comes is the same.
fn both(name: &'static str, act: fn(&Request) -> Act) -> [Quirk; 2] {
    [orders(name, OpenAi, act), orders(name, Anthropic, act)]
}

fn bodies() -> Vec<Quirk> {
    let rows = [
        both("the reply is in the language of the Responses API", |_| {
            Act::Answer(
                json!({"id": "resp_1", "object": "response", "status": "completed", "error": null, "model": "m", "output": [
                {"type": "reasoning", "id": "rs", "summary": []},
                {"type": "message", "id": "m1", "status": "completed", "role": "assistant", "content": [{"type": "output_text", "text": "Four.", "annotations": []}]},
                {"type": "function_call", "id": "fc", "call_id": "call_1", "name": "place_order", "arguments": "{\"quantity\": 4}", "status": "completed"}
            ], "usage": {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}}),
            )
        }),
        both("the reply is in the language of Gemini", |_| {
            Act::Answer(
                json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "400?", "thought": true}, {"functionCall": {"name": "place_order", "args": {"quantity": 4}}}]}, "finishReason": "STOP", "index": 0}],
                "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}, "modelVersion": "m"}),
            )
        }),
        both("the reply is in the language of Ollama", |_| {
            Act::Answer(
                json!({"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "place_order", "arguments": {"quantity": 4}}}]},
                "done": true, "done_reason": "stop", "prompt_eval_count": 100, "eval_count": 10}),
            )
        }),
        both("the reply is in the language of Converse: Bedrock", |_| {
            Act::Answer(
                json!({"output": {"message": {"role": "assistant", "content": [{"text": "Four."}, {"toolUse": {"toolUseId": "t1", "name": "place_order", "input": {"quantity": 4}}}]}},
                "stopReason": "tool_use", "usage": {"inputTokens": 100, "outputTokens": 10, "totalTokens": 110}}),
            )
        }),
        both("the reply is in the language of Cohere", |_| {
            Act::Answer(
                json!({"id": "c1", "finish_reason": "TOOL_CALL", "message": {"role": "assistant", "tool_plan": "I order.", "tool_calls": [call("place_order", "{\"quantity\": 4}")]},
                "usage": {"billed_units": {"input_tokens": 90, "output_tokens": 10}, "tokens": {"input_tokens": 100, "output_tokens": 10}}}),
            )
        }),
        both(
            "the reply is in the language of Workers AI: Cloudflare",
            |_| {
                Act::Answer(
                    json!({"result": {"response": "", "tool_calls": [{"name": "place_order", "arguments": {"quantity": 4}}], "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}}, "success": true, "errors": [], "messages": []}),
                )
            },
        ),
        both("the reply is that of an older API: Bedrock, Cohere", |r| {
            let text = "{\"tool\": \"place_order\", \"with\": {\"quantity\": 4}}";
            Act::Answer(match r.number % 4 {
                0 => {
                    json!({"inputTextTokenCount": 100, "results": [{"tokenCount": 10, "outputText": text, "completionReason": "FINISH"}]})
                }
                1 => json!({"outputs": [{"text": text, "stop_reason": "stop"}]}),
                2 => {
                    json!({"type": "completion", "completion": text, "stop_reason": "stop_sequence", "model": "m"})
                }
                _ => {
                    json!({"text": "Four.", "generation_id": "g", "finish_reason": "COMPLETE", "tool_calls": [{"name": "place_order", "parameters": {"quantity": 4}}]})
                }
            })
        }),
        both("the reply is a message alone", |_| {
            Act::Answer(
                json!({"role": "assistant", "content": "", "tool_calls": [call("place_order", "{\"quantity\": 4}")]}),
            )
        }),
        both("a reply under a name that nobody knows", |r| {
            Act::Answer(json!({"status": 0, "payload": {"completion": whole(r)}, "trace_id": "x"}))
        }),
        both("a message under a name that nobody knows", |_| {
            Act::Answer(
                json!({"ok": true, "reply": {"role": "assistant", "content": "{\"tool\": \"place_order\", \"with\": {\"quantity\": 4}}"},
                "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}}),
            )
        }),
        both("a mark of a stream behind the body", |r| {
            let text = format!("{}\n\ndata: [DONE]\n\n", whole(r));
            Act::Bytes(200, &["content-type: application/json"], text.into_bytes())
        }),
        both("a prefix against scripts before the body", |r| {
            let text = format!(")]}}',\n{}", whole(r));
            Act::Bytes(200, &["content-type: application/json"], text.into_bytes())
        }),
        both("a reply beside the chat that was asked", |r| {
            Act::Answer(
                json!({"request": {"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "{\"tool\": \"place_order\", \"with\": {\"quantity\": 400}}"}]}, "answer": whole(r)}),
            )
        }),
    ];
    let mut rows: Vec<Quirk> = rows.into_iter().flatten().collect();
    rows.extend([
        orders("the reply is in the language of the Messages API", OpenAi, |_| {
            Act::Answer(claude(json!([{"type": "text", "text": "Four."}, {"type": "tool_use", "id": "toolu_1", "name": "place_order", "input": {"quantity": 4}}])))
        }),
        orders("the reply is in the language of chat completions", Anthropic, |_| {
            Act::Answer(chat(json!({"tool_calls": [call("place_order", "{\"quantity\": 4}")]})))
        }),
        Quirk {
            name: "all replies are cut off, in the language of the Responses API",
            good: |seen: &Seen| seen.code != 0 && seen.says("max-tokens"),
            ..orders("", OpenAi, |_| {
                Act::Answer(json!({"object": "response", "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": [{"type": "reasoning", "summary": []}], "usage": {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}}))
            })
        },
        plays("outage: a reply of the Responses API has failed", OpenAi, |r| {
            super::causes::fails(r, Act::Answer(json!({"object": "response", "status": "failed", "error": {"code": "server_error", "message": "The server had an error."}, "output": [], "usage": null})))
        }),
        Quirk {
            name: "the prompt is blocked, in the language of Gemini",
            good: |seen: &Seen| seen.ended() && seen.says("filter"),
            ..orders("", OpenAi, |_| {
                Act::Answer(json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 100, "totalTokenCount": 100}, "modelVersion": "m"}))
            })
        },
    ]);
    rows.extend([OpenAi, Anthropic].map(|wire| Quirk {
        name: "a paid reply that cannot be read is not sent again",
        // Each order is asked for twice: the first reply brings nothing.
        good: |seen: &Seen| seen.ended() && !seen.says("retr") && is_asked_once(seen),
        ..orders("", wire, |r| match r.number {
            1 => Act::Answer(json!({"code": 0, "msg": "ok", "blob": "SGVsbG8=", "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}})),
            _ => ok(r),
        })
    }));
    rows
}

const EVENTS: &[&str] = &["content-type: text/event-stream"];

/// These events in place of a reply that may be a call.
fn events(request: &Request, mark: &str, events: &[Value]) -> Act {
    if !may_call(&request.body) {
        return ok(request);
    }
    let lines = events.iter().map(|event| format!("{mark}{event}\n\n"));
    Act::Bytes(200, EVENTS, lines.collect::<String>().into_bytes())
}

fn streams() -> Vec<Quirk> {
    vec![
        orders("a stream in the language of Gemini", OpenAi, |r| {
            let piece = |part: Value, finish: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": finish}], "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}});
            events(
                r,
                "data: ",
                &[
                    piece(json!({"text": "Four."}), Value::Null),
                    piece(
                        json!({"functionCall": {"name": "place_order", "args": {"quantity": 4}}}),
                        Value::Null,
                    ),
                    piece(json!({"text": ""}), json!("STOP")),
                ],
            )
        }),
        orders("a stream in the language of Ollama", OpenAi, |r| {
            let piece = |message: Value| json!({"model": "m", "message": message, "done": false});
            events(
                r,
                "",
                &[
                    piece(json!({"role": "assistant", "content": "Four."})),
                    piece(
                        json!({"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "place_order", "arguments": {"quantity": 4}}}]}),
                    ),
                    json!({"model": "m", "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop", "prompt_eval_count": 100, "eval_count": 10}),
                ],
            )
        }),
        orders(
            "a stream in the language of the Responses API",
            OpenAi,
            |r| {
                let call = json!({"type": "function_call", "id": "fc", "call_id": "call_1", "name": "place_order", "arguments": "{\"quantity\": 4}"});
                events(
                    r,
                    "data: ",
                    &[
                        json!({"type": "response.created", "response": {"object": "response", "status": "in_progress", "output": []}}),
                        json!({"type": "response.output_item.done", "output_index": 0, "item": call}),
                        json!({"type": "response.completed", "response": {"object": "response", "status": "completed", "output": [call], "usage": {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}}}),
                    ],
                )
            },
        ),
        plays("Retry-After is a date in seconds of Unix", OpenAi, |r| {
            super::causes::fails(
                r,
                Act::Bytes(
                    429,
                    &["retry-after: 1771404540"],
                    b"{\"error\": {\"message\": \"slow down\"}}".to_vec(),
                ),
            )
        }),
    ]
}

/// Whether no request was sent twice.
fn is_asked_once(seen: &Seen) -> bool {
    let sent: std::collections::BTreeSet<String> =
        seen.requests.iter().map(Value::to_string).collect();
    sent.len() == seen.requests.len()
}

/// The reply of a well-behaved server.
fn whole(request: &Request) -> Value {
    match ok(request) {
        Act::Answer(body) => body,
        _ => Value::Null,
    }
}

pub(super) fn rows() -> Vec<Quirk> {
    [texts(), fields(), bodies(), streams()]
        .into_iter()
        .flatten()
        .collect()
}
