//! What gateways put around a reply, and where they say what it costs.

use super::causes::fails;
use super::money::{CAPPED, stopped_at};
use super::reading::{in_text, ordered_four};
use super::{Anthropic, GAME, OpenAi, Quirk, Said, Wire, answer, may_call, ok, plays};
use crate::server::{Act, Request};
use serde_json::{Value, json};

const JSON: &[&str] = &["content-type: application/json"];

fn orders(name: &'static str, wire: Wire, act: fn(&Request) -> Act) -> Quirk {
    Quirk {
        name,
        wire,
        act,
        words: GAME,
        good: ordered_four,
    }
}

/// The reply of a well-behaved server.
fn reply(request: &Request) -> Value {
    match may_call(&request.body) {
        true => answer(request, Said::Call),
        false => match ok(request) {
            Act::Answer(body) => body,
            _ => Value::Null,
        },
    }
}

fn bytes(lines: &'static [&'static str], body: Vec<u8>) -> Act {
    Act::Bytes(200, lines, body)
}

fn utf16(request: &Request, mark: &[u8]) -> Act {
    let text = reply(request).to_string();
    let units = text.encode_utf16().flat_map(u16::to_le_bytes);
    bytes(JSON, mark.iter().copied().chain(units).collect())
}

fn around() -> Vec<Quirk> {
    type Case = (&'static str, fn(&Request) -> Act);
    let cases: [Case; 6] = [
        ("a reply within `data`", |r| {
            Act::Answer(json!({"code": 0, "msg": "success", "data": reply(r)}))
        }),
        ("a reply within `result`: Cloudflare", |r| {
            Act::Answer(json!({"result": reply(r), "success": true, "errors": [], "messages": []}))
        }),
        ("a reply in a list of one", |r| {
            Act::Answer(json!([reply(r)]))
        }),
        ("a reply as text within `body`: AWS", |r| {
            Act::Answer(json!({"statusCode": 200, "headers": {}, "body": reply(r).to_string()}))
        }),
        ("a reply in UTF-16 with its mark", |r| {
            utf16(r, &[0xff, 0xfe])
        }),
        ("a reply in UTF-16 without a mark", |r| utf16(r, &[])),
    ];
    let mut rows: Vec<Quirk> = cases
        .into_iter()
        .flat_map(|(name, act)| [orders(name, OpenAi, act), orders(name, Anthropic, act)])
        .collect();
    rows.extend([
        orders("a stream as lines of JSON without `data:`", OpenAi, |r| {
            if !may_call(&r.body) {
                return ok(r);
            }
            let piece = |delta: Value, finish: Value| json!({"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
            let call = json!({"index": 0, "id": "c1", "type": "function", "function": {"name": "place_order", "arguments": "{\"quantity\":"}});
            let rest = json!({"index": 0, "function": {"arguments": " 4}"}});
            let lines = [
                piece(json!({"role": "assistant", "tool_calls": [call]}), Value::Null),
                piece(json!({"tool_calls": [rest]}), Value::Null),
                piece(json!({}), json!("tool_calls")),
            ];
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            bytes(&["content-type: application/x-ndjson"], text.into_bytes())
        }),
        plays("outage: a code and words under 200", OpenAi, |r| {
            fails(r, bytes(JSON, json!({"code": 500, "msg": "internal error", "data": null}).to_string().into_bytes()))
        }),
        plays("outage: no success under 200", OpenAi, |r| {
            fails(r, bytes(JSON, json!({"success": false, "message": "upstream is busy"}).to_string().into_bytes()))
        }),
    ]);
    rows
}

/// A reply of 2 cents, of which the answer says so in this place.
fn with(request: &Request, fields: Value) -> Act {
    let mut body = answer(request, Said::Call);
    if let (Value::Object(body), Value::Object(fields)) = (&mut body, fields) {
        body.extend(fields);
    }
    Act::Answer(body)
}

fn costs() -> Vec<Quirk> {
    let row = |name, wire, act| Quirk {
        name,
        wire,
        act,
        words: CAPPED,
        good: |seen| stopped_at(seen, 0.02),
    };
    vec![
        row("the cost in the message: Vercel", OpenAi, |r| {
            let mut body = answer(r, Said::Call);
            body["choices"][0]["message"]["provider_metadata"] =
                json!({"gateway": {"cost": "0.02", "marketCost": "0.03", "generationId": "gen_1"}});
            Act::Answer(body)
        }),
        row("the cost beside the choices: Vercel", OpenAi, |r| {
            with(
                r,
                json!({"provider_metadata": {"gateway": {"cost": "0.02"}}}),
            )
        }),
        row("the cost beside the content: Vercel", Anthropic, |r| {
            with(
                r,
                json!({"providerMetadata": {"gateway": {"cost": "0.02"}}}),
            )
        }),
        row("the cost in a head line: LiteLLM", OpenAi, |r| {
            let body = answer(r, Said::Call).to_string();
            bytes(
                &[
                    "content-type: application/json",
                    "x-litellm-response-cost: 0.02",
                ],
                body.into_bytes(),
            )
        }),
        row("the cost in dollars beside the choices", OpenAi, |r| {
            with(r, json!({"total_cost_usd": 0.02}))
        }),
        row("the cost in the metadata: Routstr", OpenAi, |r| {
            with(
                r,
                json!({"metadata": {"routstr": {"cost": {"total_usd": 0.02}}}}),
            )
        }),
    ]
}

fn tags() -> Vec<Quirk> {
    vec![
        orders("a call in text: tags of Cline", OpenAi, |r| {
            in_text(
                r,
                "I order four.\n<place_order>\n<quantity>4</quantity>\n</place_order>",
            )
        }),
        orders(
            "a call in text: MCP in tags of Cline and Roo",
            OpenAi,
            |r| {
                in_text(
                    r,
                    "<thinking>400 is too much.</thinking>\n<use_mcp_tool>\n<server_name>game</server_name>\n<tool_name>place_order</tool_name>\n<arguments>\n{\"quantity\": 4}\n</arguments>\n</use_mcp_tool>",
                )
            },
        ),
        orders(
            "a call in text: an object in the tag of a tool",
            OpenAi,
            |r| in_text(r, "<place_order>{\"quantity\": 4}</place_order>"),
        ),
    ]
}

pub(super) fn rows() -> Vec<Quirk> {
    [around(), costs(), tags()].into_iter().flatten().collect()
}
