//! Encoded requests and decoded replies of both APIs.

use crate::faults::{request, settings};
use crate::server::{Act, Server, completion};
use agent_client::client::{Client, Shared};
use agent_client::secret::ApiKey;
use agent_client::wire::{ApiKind, Dialect};
use agent_client::{
    AgentBackend as _, Finish, Format, Message, Schema, Tool, ToolChoice, ToolResult,
};
use serde_json::{Value, json};

fn tool() -> Tool {
    Tool {
        name: "order".to_owned(),
        description: "Order papers.".to_owned(),
        schema: json!({"type": "object", "properties": {"papers": {"type": "integer"}}}),
    }
}

#[tokio::test]
async fn chat_completions_carry_tools_and_results() {
    let server = Server::start(|_, _| {
        Act::json(
            200,
            &json!({"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": null, "reasoning_content": "hm",
                "tool_calls": [{"id": "x1", "type": "function",
                    "function": {"name": "order", "arguments": "{\"papers\": 7}"}}]}}],
                "usage": {"prompt_tokens": 50, "completion_tokens": 9,
                    "prompt_tokens_details": {"cached_tokens": 20},
                    "completion_tokens_details": {"reasoning_tokens": 4}}}),
        )
    })
    .await;
    let mut settings = settings(&server);
    settings.key = Some(ApiKey::new("sk-0123456789").unwrap());
    settings.dialect.temperature = Some(0.25);
    settings.dialect.max_tokens = Some(2048);
    settings.dialect.max_tokens_field = "max_completion_tokens".to_owned();
    settings.dialect.extra.insert("seed".to_owned(), json!(3));
    let client = Client::new(settings, &Shared::default()).unwrap();
    let mut ask = request();
    ask.tools = vec![tool()];
    ask.choice = ToolChoice::Any;
    let reply = client.ask(ask.clone()).await.unwrap();
    assert_eq!(reply.finish, Finish::Calls);
    assert_eq!(reply.thinking.as_deref(), Some("hm"));
    let usage = reply.usage;
    assert_eq!(
        (usage.input, usage.cached, usage.output, usage.thinking),
        (50, 20, 9, 4)
    );
    assert_eq!(
        reply.raw["choices"][0]["message"]["reasoning_content"],
        "hm"
    );
    ask.messages.push(reply.message());
    ask.messages.push(Message::Tools {
        results: vec![ToolResult {
            id: "x1".to_owned(),
            name: "order".to_owned(),
            text: "done".to_owned(),
            is_error: false,
        }],
    });
    ask.messages.push(Message::user("Go on."));
    client.ask(ask).await.unwrap();
    let seen = server.seen();
    assert!(
        seen[0].head.starts_with("POST /v1/chat/completions "),
        "{}",
        seen[0].head
    );
    assert!(seen[0].head.contains("authorization: Bearer sk-0123456789"));
    let body = &seen[0].body;
    assert_eq!(body["model"], "test-model");
    assert_eq!(body["max_completion_tokens"], 2048);
    assert_eq!(
        (&body["temperature"], &body["seed"]),
        (&json!(0.25), &json!(3))
    );
    assert_eq!(body["tool_choice"], "required");
    assert_eq!(body["tools"][0]["function"]["parameters"], tool().schema);
    let messages = seen[1].body["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages
        .iter()
        .map(|m| m["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "user"]);
    assert_eq!(
        messages[2],
        json!({"role": "assistant", "content": null, "reasoning_content": "hm", "tool_calls": [{"id": "x1",
            "type": "function", "function": {"name": "order", "arguments": "{\"papers\":7}"}}]})
    );
    assert_eq!(messages[3]["tool_call_id"], "x1");
}

#[tokio::test]
async fn messages_carry_blocks_and_come_back_as_they_were() {
    let blocks = json!([
        {"type": "thinking", "thinking": "hm", "signature": "s1"},
        {"type": "text", "text": "I order."},
        {"type": "tool_use", "id": "t1", "name": "order", "input": {"papers": 7}},
        {"type": "tool_use", "id": "t2", "name": "order", "input": {"papers": 8}},
    ]);
    let answer = json!({"type": "message", "role": "assistant", "content": blocks,
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 40, "cache_read_input_tokens": 6,
                  "cache_creation_input_tokens": 4, "output_tokens": 12}});
    let server = Server::start(move |_, _| Act::json(200, &answer)).await;
    let mut settings = settings(&server);
    settings.dialect = Dialect::new(ApiKind::Anthropic, "test-model");
    settings.key = Some(ApiKey::new("sk-0123456789").unwrap());
    let client = Client::new(settings, &Shared::default()).unwrap();
    let mut ask = request();
    ask.tools = vec![tool()];
    ask.choice = ToolChoice::Any;
    let reply = client.ask(ask.clone()).await.unwrap();
    assert_eq!(
        (reply.finish.clone(), reply.said.text.as_str()),
        (Finish::Calls, "I order.")
    );
    assert_eq!(reply.said.calls.len(), 2);
    let usage = reply.usage;
    assert_eq!(
        (usage.input, usage.cached, usage.stored, usage.output),
        (50, 6, 4, 12)
    );
    ask.messages.push(reply.message());
    let result = |id: &str, is_error| ToolResult {
        id: id.to_owned(),
        name: "order".to_owned(),
        text: "r".to_owned(),
        is_error,
    };
    ask.messages.push(Message::Tools {
        results: vec![result("t1", false), result("t2", true)],
    });
    ask.messages.push(Message::user("Go on."));
    client.ask(ask).await.unwrap();
    let seen = server.seen();
    assert!(seen[0].head.starts_with("POST /v1/messages "));
    assert!(seen[0].head.contains("x-api-key: sk-0123456789"));
    assert!(seen[0].head.contains("anthropic-version: 2023-06-01"));
    let body = &seen[1].body;
    assert_eq!(body["system"], "Be brief.");
    assert_eq!(body["tool_choice"], json!({"type": "any"}));
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 3, "neighbours of one side are one turn");
    assert_eq!(messages[1], json!({"role": "assistant", "content": blocks}));
    assert_eq!(
        messages[2]["content"],
        json!([
            {"type": "tool_result", "tool_use_id": "t1", "content": "r"},
            {"type": "tool_result", "tool_use_id": "t2", "content": "r", "is_error": true},
            {"type": "text", "text": "Go on."},
        ])
    );
}

#[test]
fn odd_message_replies_are_read_or_refused() {
    type Read = Option<(&'static str, usize, Finish)>;
    let cases: &[(Value, Read)] = &[
        (
            json!({"content": [{"type": "text", "text": "a"}]}),
            Some(("a", 0, Finish::Stop)),
        ),
        (
            json!({"content": "a", "stop_reason": "end_turn"}),
            Some(("a", 0, Finish::Stop)),
        ),
        (
            json!({"content": [], "stop_reason": "refusal"}),
            Some(("", 0, Finish::Filter)),
        ),
        (
            json!({"content": [{"type": "new_kind"}, {"type": "tool_use", "name": "x"}], "stop_reason": "novel"}),
            Some(("", 1, Finish::Other("novel".to_owned()))),
        ),
        (
            json!({"content": [{"type": "tool_use", "input": {}}], "stop_reason": "max_tokens"}),
            Some(("", 0, Finish::Length)),
        ),
        (json!({"id": 1}), None),
        (json!([]), None),
        (json!(null), None),
    ];
    for (body, expected) in cases {
        let found = ApiKind::Anthropic.decode(body.clone()).ok();
        let found = found.map(|r| (r.said.text, r.said.calls.len(), r.finish));
        let expected = expected.clone().map(|(t, n, f)| (t.to_owned(), n, f));
        assert_eq!(found, expected, "{body}");
    }
}

#[test]
fn a_history_with_broken_arguments_can_be_sent() {
    let broken = completion("x");
    let mut body = broken.clone();
    body["choices"][0]["message"]["tool_calls"] =
        json!([{"id": "a", "function": {"name": "order", "arguments": "{oops"}}]);
    let reply = ApiKind::OpenAi.decode(body).unwrap();
    let mut ask = request();
    ask.messages.push(reply.message());
    for kind in [ApiKind::OpenAi, ApiKind::Anthropic] {
        let sent = kind.encode(&Dialect::new(kind, "m"), &ask).to_string();
        assert!(!sent.contains("oops"), "{sent}");
    }
}

#[test]
fn json_is_asked_for_in_the_words_of_each() {
    let mut ask = request();
    let schema = json!({"type": "object"});
    ask.format = Format::Json(Schema::new("decision", "the decision", schema.clone()));
    let openai = ApiKind::OpenAi.encode(&Dialect::new(ApiKind::OpenAi, "m"), &ask);
    assert_eq!(openai["response_format"]["json_schema"]["schema"], schema);
    let anthropic = ApiKind::Anthropic.encode(&Dialect::new(ApiKind::Anthropic, "m"), &ask);
    assert_eq!(
        anthropic["tool_choice"],
        json!({"type": "tool", "name": "decision"})
    );
    assert_eq!(anthropic["tools"][0]["input_schema"], schema);
}

/// Gateways before Azure look for the key where Azure does, and gateways of Claude where OpenAI does.
#[tokio::test]
async fn a_refused_key_is_sent_in_the_other_header_from_then_on() {
    for (kind, wanted, reply) in [
        (ApiKind::OpenAi, "api-key: sk-", completion("4")),
        (
            ApiKind::Anthropic,
            "authorization: Bearer sk-",
            json!({"content": [{"type": "text", "text": "4"}], "stop_reason": "end_turn"}),
        ),
    ] {
        let server = Server::start(move |_, seen| {
            let head = seen.head.replace("x-api-key", "");
            if head.contains(wanted) {
                return Act::json(200, &reply);
            }
            Act::json(401, &json!({"error": {"message": "no key"}}))
        })
        .await;
        let mut settings = settings(&server);
        settings.dialect = Dialect::new(kind, "test-model");
        settings.key = Some(ApiKey::new("sk-0123456789").unwrap());
        let client = Client::new(settings, &Shared::default()).unwrap();
        for _ in 0..2 {
            client.ask(request()).await.unwrap();
        }
        assert_eq!(server.hits(), 3, "{kind}: the first header is tried once");
    }
}

/// The thoughts of a chat completion, and its text, wherever a server puts them.
#[test]
fn thoughts_and_texts_are_read_from_any_field() {
    let read = |message: Value| {
        let body = json!({"choices": [{"message": message}]});
        let reply = ApiKind::OpenAi.decode(body).unwrap();
        (reply.thinking.unwrap_or_default(), reply.said.text)
    };
    for message in [
        json!({"content": "4", "reasoning_content": "", "reasoning": "hm"}),
        json!({"content": "4", "reasoning_content": null, "thinking": "hm"}),
        json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "4"}]}),
        json!({"content": [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "4"}]}),
        json!({"content": 4, "reasoning": "hm"}),
    ] {
        assert_eq!(read(message), ("hm".to_owned(), "4".to_owned()));
    }
}

/// What the provider behind a gateway says counts where the gateway says only that the model failed, or that an empty
/// reply is complete.
#[test]
fn a_choice_ends_as_its_provider_says() {
    let finish = |choice: Value| {
        ApiKind::OpenAi
            .decode(json!({"choices": [choice]}))
            .unwrap()
            .finish
    };
    let after = |text: &str, own: Value, native: &str| {
        finish(
            json!({"message": {"content": text}, "finish_reason": own, "native_finish_reason": native}),
        )
    };
    let ended = |own: Value, native: &str| after("", own, native);
    assert_eq!(
        ended(json!("error"), "MALFORMED_FUNCTION_CALL"),
        Finish::Malformed
    );
    assert_eq!(ended(json!(null), "SAFETY"), Finish::Filter);
    // A reply that says something is as complete as the gateway says; an empty one is not.
    assert_eq!(after("4", json!("stop"), "MAX_TOKENS"), Finish::Stop);
    assert_eq!(ended(json!("stop"), "MAX_TOKENS"), Finish::Length);
    assert_eq!(ended(json!("stop"), "content_filter"), Finish::Filter);
    assert_eq!(ended(json!("stop"), "end_turn"), Finish::Stop);
    assert_eq!(ended(json!(""), "end_turn"), Finish::Stop);
}

/// Blocks without a type, of the Responses API and of Converse; an empty text says nothing.
#[test]
fn blocks_of_other_forms_are_read() {
    let read = |content: Value| {
        let body = json!({"type": "message", "content": content, "stop_reason": "end_turn"});
        let reply = ApiKind::Anthropic.decode(body).unwrap();
        let calls = reply.said.calls.iter();
        let calls =
            calls.map(|call| format!("{} {}{}", call.id, call.name, call.arguments.value()));
        (reply.said.text, calls.collect::<Vec<_>>().join("; "))
    };
    let four = || ("Four".to_owned(), String::new());
    assert_eq!(read(json!([{"text": "Four"}])), four());
    assert_eq!(
        read(json!([{"text": "Five?", "thought": true}, {"text": "Four"}])),
        four()
    );
    assert_eq!(
        read(json!([{"type": "output_text", "text": "Four"}])),
        four()
    );
    assert_eq!(read(json!("Four")), four());
    assert_eq!(read(json!("")), (String::new(), String::new()));
    let call = json!([{"toolUse": {"toolUseId": "u", "name": "order", "input": {"n": 4}}}]);
    assert_eq!(read(call), (String::new(), "u order{\"n\":4}".to_owned()));
}
