//! What servers do that no reference says.

use crate::faults::{request, settings};
use crate::server::{Act, Server, completion};
use agent_client::client::{Client, ClientSettings, Shared};
use agent_client::wire::{ApiKind, Dialect};
use agent_client::{AgentBackend as _, ErrorClass};
use serde_json::{Value, json};
use std::io::Write as _;

/// Client and server; the client asks with the settings that `change` makes of the usual ones.
async fn client(
    script: impl Fn(usize, &crate::server::Seen) -> Act + Send + Sync + 'static,
    change: impl FnOnce(&mut ClientSettings),
) -> (Client, Server) {
    let server = Server::start(script).await;
    let mut settings = settings(&server);
    change(&mut settings);
    (Client::new(settings, &Shared::default()).unwrap(), server)
}

#[tokio::test]
async fn the_whole_address_is_taken_as_the_base() {
    let script = |_: usize, seen: &crate::server::Seen| match seen
        .head
        .starts_with("POST /v1/chat/completions HTTP")
    {
        true => Act::json(200, &completion("4")),
        false => Act::json(404, &json!({"detail": "Not Found"})),
    };
    let (client, server) = client(script, |settings| {
        settings.base.push_str("/chat/completions");
    })
    .await;
    assert_eq!(client.ask(request()).await.unwrap().said.text, "4");
    assert_eq!(server.hits(), 1);
}

/// A gateway without a server behind it is an outage; where nothing ever answered, it is the wrong address.
#[tokio::test]
async fn a_line_of_a_gateway_under_404_is_an_outage() {
    let line = || Act::bytes(404, "default backend - 404");
    let script = move |hit: usize, _: &crate::server::Seen| match hit {
        1 | 2 => line(),
        _ => Act::json(200, &completion("4")),
    };
    let (asking, server) = client(script, |_| {}).await;
    assert_eq!(asking.ask(request()).await.unwrap().said.text, "4");
    assert_eq!(asking.ask(request()).await.unwrap().said.text, "4");
    assert_eq!(server.hits(), 4);
    // Answered once, then away for good: a failure of the server.
    let script = move |hit: usize, _: &crate::server::Seen| match hit {
        0 => Act::json(200, &completion("4")),
        _ => line(),
    };
    let (asking, _server) = client(script, |_| {}).await;
    asking.ask(request()).await.unwrap();
    let error = asking.ask(request()).await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Server, "{error}");
    assert!(error.attempts > 1, "{error}");
    let (asking, _server) = client(move |_, _| line(), |_| {}).await;
    let error = asking.ask(request()).await.unwrap_err();
    assert_eq!(error.class, ErrorClass::NotFound, "{error}");
    assert!(error.message.contains("/chat/completions"), "{error}");
}

#[tokio::test]
async fn compressed_answers_are_unpacked_or_named() {
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packed
        .write_all(completion("4").to_string().as_bytes())
        .unwrap();
    let packed = packed.finish().unwrap();
    for (encoding, is_read) in [("deflate", true), ("br", false)] {
        let packed = packed.clone();
        let script = move |_: usize, _: &crate::server::Seen| {
            Act::bytes(200, packed.clone()).with("content-encoding", encoding)
        };
        let (client, server) = client(script, |_| {}).await;
        let answer = client.ask(request()).await;
        if is_read {
            assert_eq!(answer.unwrap().said.text, "4");
        } else {
            let error = answer.unwrap_err();
            assert_eq!(error.class, ErrorClass::Garbled);
            assert!(error.message.contains("content-encoding: br"), "{error}");
        }
        let head = server.seen()[0].head.to_lowercase();
        assert!(head.contains("accept-encoding: identity"), "{head}");
    }
}

#[tokio::test]
async fn secrets_in_the_address_are_not_shown() {
    let secrets = ["pa55word-xyz", "qq+secret-123456"];
    let script = |_: usize, seen: &crate::server::Seen| {
        Act::bytes(200, format!("<html>{} pa55word-xyz</html>", seen.head))
    };
    let (client, server) = client(script, |settings| {
        let address = settings
            .base
            .replacen("http://", "http://bob:pa55word-xyz@", 1);
        settings.base = format!("{address}?key=qq%2Bsecret-123456&api-version=2024-10-21");
    })
    .await;
    let error = client.ask(request()).await.unwrap_err().to_string();
    for secret in secrets {
        assert!(
            !error.contains(secret) && !error.contains("qq%2B"),
            "{error}"
        );
    }
    let asked = server.seen()[0]
        .head
        .contains("key=qq%2Bsecret-123456&api-version");
    assert!(asked, "the query is sent");
}

#[tokio::test]
async fn a_limit_above_that_of_the_model_is_cut() {
    let script = |_: usize, seen: &crate::server::Seen| match seen.body["max_tokens"].as_u64() {
        Some(most) if most > 4_096 => Act::json(
            400,
            &json!({"message": "The maximum tokens you requested exceeds the model limit of 4096. Try again with a \
                     maximum tokens value that is lower than 4096."}),
        ),
        _ => Act::json(
            200,
            &json!({"content": [{"type": "text", "text": "4"}], "stop_reason": "end_turn",
                    "usage": {"input_tokens": 1, "output_tokens": 1}}),
        ),
    };
    let (client, server) = client(script, |settings| {
        settings.dialect = Dialect::new(ApiKind::Anthropic, "claude");
        settings.dialect.max_tokens = Some(32_000);
    })
    .await;
    for _ in 0..2 {
        assert_eq!(client.ask(request()).await.unwrap().said.text, "4");
    }
    let limits: Vec<Value> = server
        .seen()
        .iter()
        .map(|seen| seen.body["max_tokens"].clone())
        .collect();
    assert_eq!(limits, [json!(32_000), json!(4_096), json!(4_096)]);
}

#[tokio::test]
async fn a_limit_that_is_demanded_is_sent_under_the_name_that_is_demanded() {
    let refused = |words: &str| Act::json(400, &json!({"error": {"message": words}}));
    let script = move |_: usize, seen: &crate::server::Seen| {
        if seen.body.get("max_tokens").is_some() {
            refused("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        } else if seen.body.get("max_completion_tokens").is_none() {
            refused("max_tokens is required")
        } else {
            Act::json(200, &completion("4"))
        }
    };
    let (client, server) = client(script, |settings| settings.dialect.max_tokens = None).await;
    assert_eq!(client.ask(request()).await.unwrap().said.text, "4");
    let last = server.seen().pop().unwrap().body;
    assert_eq!(
        last["max_completion_tokens"],
        agent_client::wire::USUAL_TOKENS
    );
}

#[test]
fn ids_of_calls_keep_their_form() {
    let call = |id: Value| json!({"id": id, "function": {"name": "look", "arguments": "{}"}});
    let ids = |calls: Vec<Value>| -> Vec<String> {
        let body = json!({"choices": [{"message": {"tool_calls": calls}}]});
        let said = ApiKind::OpenAi.decode(body).unwrap().said;
        said.calls.into_iter().map(|call| call.id).collect()
    };
    for given in [json!("abcdefghi"), json!(null), json!("")] {
        let found = ids(vec![call(given.clone()), call(given.clone()), call(given)]);
        for (place, id) in found.iter().enumerate() {
            let is_plain = id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric());
            assert!(is_plain && !found[..place].contains(id), "{found:?}");
        }
    }
    assert_eq!(ids(vec![call(json!("a")), call(json!("a"))]), ["a", "1"]);
}

#[tokio::test]
async fn empty_replies_and_those_of_another_model_are_remarked() {
    let script = |number: usize, _: &crate::server::Seen| {
        let mut body = completion(if number == 0 { "4" } else { "" });
        body["model"] = json!(if number < 2 {
            "test-model-2025-01-31"
        } else {
            "small"
        });
        Act::json(200, &body)
    };
    let (client, _server) = client(script, |_| {}).await;
    for number in 0..3 {
        let mut request = request();
        request.slot = request.slot.child("turn", number);
        client.ask(request).await.unwrap();
    }
    let remarks = client.ledger().spending().remarks();
    let [empty, other] = &remarks[..] else {
        panic!("{remarks:?}");
    };
    assert!(
        empty.starts_with("2 of 3 replies of openai:test-model are empty"),
        "{empty}"
    );
    assert!(
        other.starts_with("1 of 3 replies") && other.contains("`small`"),
        "{other}"
    );
}
