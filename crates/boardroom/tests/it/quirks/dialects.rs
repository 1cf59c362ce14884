//! How models write calls, arguments and thoughts where their server has no parser for them.

use super::reading::{in_text, odd, ordered_four};
use super::{
    CALL_IN_TEXT, GAME, OpenAi, Quirk, Seen, Wire, call, chat, may_call, ok, plays, refuse,
};
use crate::server::{Act, Request};
use serde_json::json;

/// A thought that names an order of 400, between these marks, and then the order of 4.
macro_rules! thought {
    ($name:literal, $open:literal, $close:literal) => {
        orders(concat!("a draft in the thoughts: ", $name), |r| {
            in_text(
                r,
                concat!(
                    $open,
                    r#"If I take {"tool": "place_order", "with": {"quantity": 400}} I drown."#,
                    "\n",
                    $close,
                    "\n",
                    r#"{"tool": "place_order", "with": {"quantity": 4}}"#
                ),
            )
        })
    };
}

/// A call in the text of a reply.
macro_rules! text {
    ($name:literal, $text:expr) => {
        orders(concat!("a call in text: ", $name), |r| in_text(r, $text))
    };
}

fn orders(name: &'static str, act: fn(&Request) -> Act) -> Quirk {
    on(name, OpenAi, act)
}

fn on(name: &'static str, wire: Wire, act: fn(&Request) -> Act) -> Quirk {
    Quirk {
        name,
        wire,
        act,
        words: GAME,
        good: ordered_four,
    }
}

/// A call in place of each reply that may have one.
fn calling(request: &Request, calls: serde_json::Value) -> Act {
    if !may_call(&request.body) {
        return ok(request);
    }
    Act::Answer(chat(json!({"tool_calls": calls})))
}

fn thoughts() -> Vec<Quirk> {
    vec![
        thought!("Gemini, Exaone", "<thought>\n", "</thought>"),
        thought!("Claude", "<thinking>\n", "</thinking>"),
        thought!("Reka", "<reasoning>\n", "</reasoning>"),
        thought!("Magistral", "[THINK]\n", "[/THINK]"),
        thought!("Seed-OSS", "<seed:think>\n", "</seed:think>"),
        thought!("Kimi-VL", "◁think▷\n", "◁/think▷"),
        thought!("Gemma 4", "<|channel>thought\n", "<channel|>"),
        thought!("Command A", "<|START_THINKING|>", "<|END_THINKING|>"),
        thought!(
            "Apriel",
            "Here are my reasoning steps:\n",
            "[BEGIN FINAL RESPONSE]"
        ),
        thought!(
            "gpt-oss",
            "<|channel|>analysis<|message|>",
            "<|end|><|start|>assistant<|channel|>final<|message|>"
        ),
        thought!("Sky-T1", "<|begin_of_thought|>", "<|end_of_thought|>"),
        orders("a draft in the thoughts: blocks of Mistral", |_| {
            let draft = r#"If I take {"tool": "place_order", "with": {"quantity": 400}} I drown."#;
            Act::Answer(chat(json!({"content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": draft}]},
                {"type": "text", "text": CALL_IN_TEXT}
            ]})))
        }),
    ]
}

fn texts() -> Vec<Quirk> {
    vec![
        text!(
            "Qwen2.5-Coder",
            "<tools>\n{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}\n</tools>"
        ),
        text!(
            "Hermes without its end",
            "<tool_call>\n{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}"
        ),
        text!(
            "Phi-4",
            "<|tool_call|>[{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}]<|/tool_call|>"
        ),
        text!(
            "Phi-4 with functools",
            "functools[{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}]"
        ),
        text!(
            "Granite",
            "<tool_call>[{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}]"
        ),
        text!(
            "Command A",
            "<|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"place_order\", \"parameters\": {\"quantity\": 4}}\n]<|END_ACTION|>"
        ),
        text!(
            "xLAM",
            "[{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}]"
        ),
        text!("Functionary", ">>>place_order\n{\"quantity\": 4}"),
        text!(
            "Nemotron",
            "<TOOLCALL>[{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}]</TOOLCALL>"
        ),
        text!(
            "Jamba",
            "<tool_calls>[\n{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}\n]</tool_calls>"
        ),
        text!(
            "InternLM",
            "<|action_start|><|plugin|>\n{\"name\": \"place_order\", \"parameters\": {\"quantity\": 4}}<|action_end|>"
        ),
        text!(
            "Seed-OSS",
            "<seed:tool_call>\n<function=place_order>\n<parameter=quantity>4</parameter>\n</function>\n</seed:tool_call>"
        ),
        text!(
            "LFM2",
            "<|tool_call_start|>[place_order(quantity=4)]<|tool_call_end|>I order four."
        ),
        text!(
            "Claude",
            "<function_calls>\n<invoke name=\"place_order\">\n<parameter name=\"quantity\">4</parameter>\n</invoke>\n</function_calls>"
        ),
        text!(
            "Claude, with its prefix",
            "<antml:function_calls>\n<antml:invoke name=\"place_order\">\n<antml:parameter name=\"quantity\">4</antml:parameter>\n</antml:invoke>\n</antml:function_calls>"
        ),
        text!(
            "Llama 4, behind prose",
            "To order I call the tool.\n\n[place_order(quantity=4)]"
        ),
        text!(
            "Llama without its last bracket",
            r#"{"type": "function", "function": {"name": "place_order", "parameters": {"quantity": 4}}"#
        ),
        text!(
            "Qwen3.6 with another wrapper",
            "<function_invocation>\n<function=place_order>\n<parameter=quantity>\n4\n</parameter>\n</function>\n</function_invocation>"
        ),
        text!(
            "Qwen3-Coder without the end of a parameter",
            "<function=place_order>\n<parameter=quantity>\n4\n</function>\n</tool_call>"
        ),
        text!(
            "Hermes, a result that the model made up follows",
            "<tool_call>\n{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}\n</tool_call>\n<tool_response>\n{\"ok\": true, \"quantity\": 400}\n</tool_response>"
        ),
        text!(
            "LM Studio",
            r#"[TOOL_REQUEST]{"name": "place_order", "arguments": {"quantity": 4}}[END_TOOL_REQUEST]"#
        ),
        text!(
            "Solar",
            r#"<|tool_calls|><|tool_call:begin|>abc<|tool_call:name|>place_order<|tool_call:args|>{"quantity": 4}<|tool_call:end|>"#
        ),
        text!("Mistral without its mark", r#"place_order{"quantity": 4}"#),
        text!(
            "Gemini's code",
            "```tool_code\nprint(default_api.place_order(quantity=4))\n```"
        ),
        text!(
            "ReAct in a line",
            "Thought: four are missing\nAction: place_order(quantity=4)"
        ),
        text!(
            "a use of `multi_tool_use`",
            r#"{"recipient_name": "functions.place_order", "parameters": {"quantity": 4}}"#
        ),
        text!(
            "tool_name and tool_args",
            r#"{"tool_name": "place_order", "tool_args": {"quantity": 4}}"#
        ),
        text!(
            "a message of OpenAI",
            r#"{"tool_calls": [{"id": "c", "type": "function", "function": {"name": "place_order", "arguments": "{\"quantity\": 4}"}}]}"#
        ),
        text!(
            "GigaChat",
            r#"{"function_call": {"name": "place_order", "arguments": {"quantity": 4}}}"#
        ),
        text!(
            "LangChain",
            r#"{"action": "place_order", "action_input": {"quantity": 4}}"#
        ),
        text!(
            "ReAct",
            "Thought: four are missing\nAction: place_order\nAction Input: {\"quantity\": 4}"
        ),
    ]
}

pub(super) fn rows() -> Vec<Quirk> {
    let mut rows = thoughts();
    rows.extend(texts());
    rows.extend([
        orders("arguments stand behind an empty object", |r| {
            odd(r, "place_order", &json!("{}{\"quantity\": 4}"))
        }),
        orders("arguments are a list of one object: Ollama", |r| {
            odd(r, "place_order", &json!([{"quantity": 4}]))
        }),
        orders("arguments stand under the name of the tool", |r| {
            odd(r, "place_order", &json!("{\"place_order\": {\"quantity\": 4}}"))
        }),
        orders("arguments are called `parameters`", |r| {
            calling(r, json!([{"id": "c1", "type": "function", "function": {"name": "place_order", "parameters": {"quantity": 4}}}]))
        }),
        orders("a call without `function`: Cloudflare", |r| {
            calling(r, json!([{"name": "place_order", "arguments": {"quantity": 4}}]))
        }),
        orders("the name has another space: gpt-oss", |r| {
            odd(r, "repo_browser.place_order", &json!("{\"quantity\": 4}"))
        }),
        orders("the type of the arguments stands in the name: gpt-oss", |r| {
            odd(r, "place_order json", &json!("{\"quantity\": 4}"))
        }),
        orders("the name begins with `<tool_call>`", |r| {
            odd(r, "<tool_call>place_order", &json!("{\"quantity\": 4}"))
        }),
        orders("arguments are repeated", |r| {
            odd(r, "place_order", &json!("{\"quantity\": 4}{\"quantity\": 4}"))
        }),
        orders("an extra bracket follows the arguments", |r| {
            odd(r, "place_order", &json!("{\"quantity\": 4}}"))
        }),
        orders("bytes of 0 stand behind the arguments", |r| {
            odd(r, "place_order", &json!("{\"quantity\": 4}\u{0}\u{0}"))
        }),
        orders("the name stands once more in the arguments", |r| {
            odd(
                r,
                "place_order",
                &json!("{\"name\": \"place_order\", \"arguments\": {\"quantity\": 4}}"),
            )
        }),
        orders("the arguments stand in the name", |r| {
            odd(r, "place_order{\"quantity\": 4}", &json!(""))
        }),
        orders("the name has Gemini's prefix `default_api`", |r| {
            odd(r, "default_api.place_order", &json!("{\"quantity\": 4}"))
        }),
        orders("the name begins with `<function=`", |r| {
            odd(r, "<function=place_order>", &json!("{\"quantity\": 4}"))
        }),
        orders("the call is inside `multi_tool_use.parallel`", |r| {
            calling(
                r,
                json!([call(
                    "multi_tool_use.parallel",
                    r#"{"tool_uses": [{"recipient_name": "functions.place_order", "parameters": {"quantity": 4}}]}"#
                )]),
            )
        }),
        orders("a call in the older field `function_call`", |r| {
            if !may_call(&r.body) {
                return ok(r);
            }
            Act::Answer(chat(
                json!({"function_call": {"name": "place_order", "arguments": "{\"quantity\": 4}"}}),
            ))
        }),
        Quirk {
            name: "a forced call is made twelve times: GLM",
            // Eleven are dropped: one order a week.
            good: |seen: &Seen| ordered_four(seen) && seen.requests.len() == 4,
            ..orders("", |r| {
                let calls = (0..12).map(|n| json!({"id": format!("c{n}"), "type": "function", "function": {"name": "place_order", "arguments": "{\"quantity\": 4}"}}));
                calling(r, calls.collect())
            })
        },
        plays("an entry without a call stands beside one: LM Studio", OpenAi, |r| {
            calling(
                r,
                json!([{"id": "", "type": "function"}, call("place_order", "{\"quantity\": 4}")]),
            )
        }),
        plays("content is an empty list: Groq", OpenAi, |r| {
            if !may_call(&r.body) {
                return ok(r);
            }
            Act::Answer(chat(
                json!({"content": [], "tool_calls": [call("place_order", "{\"quantity\": 4}")]}),
            ))
        }),
        plays("no results of tools may be empty: Z.ai", OpenAi, |r| {
            let messages = r.body["messages"].as_array().unwrap();
            let is_empty = |m: &serde_json::Value| m["content"].as_str().is_some_and(|t| t.trim().is_empty());
            if messages.iter().any(is_empty) {
                return refuse(400, "未正常接收到prompt参数。");
            }
            super::looks_first(r)
        }),
    ]);
    rows
}
