//! The key does not occur in any error, debug output or file.

use crate::faults::{request, settings};
use crate::server::{Act, Server, completion};
use agent_client::AgentBackend as _;
use agent_client::cassette::{Cassette, CassetteMode};
use agent_client::client::{Client, Shared};
use agent_client::layer::cache::Cache;
use agent_client::secret::ApiKey;
use agent_client::store::{MemoryStore, Store, StoredCall};
use agent_client::wire::{ApiKind, Dialect};
use serde_json::json;
use sim_core::scrub::Scrub;
use std::sync::Arc;

const KEY: &str = "sk-live-Zb81kQ0pLr7xW2";

/// Base64 as in RFC 4648, without padding.
fn base64(text: &str) -> String {
    let table = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let bits = chunk
            .iter()
            .chain([&0, &0])
            .take(3)
            .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        for place in 0..=chunk.len() {
            out.push(table[(bits >> (18 - 6 * place)) as usize & 63] as char);
        }
    }
    out
}

/// A server that quotes the key in every way it can.
#[tokio::test]
async fn a_server_that_quotes_the_key_is_scrubbed() {
    assert_eq!(base64("Man is"), "TWFuIGlz");
    let quoted = format!("{KEY} {} {}", base64(KEY), base64(&format!("user:{KEY}")));
    let server = Server::start(move |n, _| match n {
        // The key is tried in two headers.
        0 | 1 => Act::json(
            401,
            &json!({"error": {"message": format!("bad key {quoted}")}}),
        ),
        2 => Act::json(
            400,
            &json!({"error": {"code": "content_filter", "message": quoted}}),
        ),
        _ => Act::json(200, &completion(&quoted)),
    })
    .await;
    let (tape, pile) = (
        Arc::new(MemoryStore::default()),
        Arc::new(MemoryStore::default()),
    );
    let key = ApiKey::new(KEY).unwrap();
    let scrub = ApiKey::scrub([&key]);
    let store = |memory: &Arc<MemoryStore>| -> Arc<dyn Store> { Arc::clone(memory) as _ };
    let shared = Shared {
        cassette: Some(Cassette::open(store(&tape), CassetteMode::Both, scrub.clone()).unwrap()),
        cache: Some(Cache::open(store(&pile), scrub.clone()).unwrap()),
        scrub: Some(scrub),
        ..Shared::default()
    };
    let mut settings = settings(&server);
    settings.key = Some(key);
    let mut written = vec![format!("{settings:?} {settings:#?} {shared:?}")];
    let client = Client::new(settings, &shared).unwrap();
    written.push(format!("{client:?}"));
    for slot in ["a", "b", "c"] {
        let mut ask = request();
        ask.slot = agent_client::Slot::new(slot);
        // The agent itself may have been told the key in a text.
        ask.messages
            .push(agent_client::Message::user(format!("my key is {KEY}")));
        match client.ask(ask).await {
            Ok(reply) => written.push(format!("{reply:?}")),
            Err(error) => written.push(format!("{error} {error:?}")),
        }
    }
    written.extend(tape.lines());
    written.extend(pile.lines());
    assert_eq!(
        written.len(),
        2 + 3 + 2 + 1,
        "two errors and a reply, two recorded answers, one cached"
    );
    for text in &written {
        // From the third character on, so that a different start of the base64 is found too.
        for needle in [
            KEY,
            &KEY[4..],
            &base64(KEY)[..24],
            &base64(&KEY[1..])[4..24],
        ] {
            assert!(!text.contains(needle), "{needle} in {text}");
        }
    }
    assert!(
        server.seen()[0].head.contains(KEY),
        "the server itself gets it"
    );
}

/// The recording of a reply that contained the key gives the same reply when it is replayed without
/// the key: the environment got the text that is in the recording.
#[tokio::test]
async fn a_reply_that_held_the_key_replays_as_it_was_used() {
    let escaped: String = KEY.bytes().map(|b| format!("\\u{b:04x}")).collect();
    let halves = KEY.split_at(9);
    let openai = json!({
        "id": KEY, "model": KEY, "usage": {"prompt_tokens": 100, "completion_tokens": 10},
        "choices": [{"index": 0, "finish_reason": KEY, "message": {
            "role": "assistant", "reasoning_content": base64(KEY),
            "content": [{"type": "text", "text": halves.0}, halves.1],
            "tool_calls": [
                {"id": KEY, "function": {"name": KEY, "arguments": format!("{{\"n\": \"{escaped}\"}}")}},
                {"id": "b", "function": {"name": "b", "arguments": {KEY: 1}}},
                {"id": "c", "function": {"name": "c", "arguments": format!("{{\"n\": {KEY}")}},
            ]}}],
    });
    let anthropic = json!({
        "id": KEY, "stop_reason": "tool_use", "usage": {"input_tokens": 100, "output_tokens": 10},
        "content": [
            {"type": "thinking", "thinking": KEY, "signature": base64(KEY)},
            {"type": "text", "text": halves.0}, {"type": "text", "text": halves.1},
            {"type": "tool_use", "id": KEY, "name": "a", "input": {"n": 4}},
            {"type": "tool_use", "id": "b", "name": KEY, "input": {KEY: escaped}},
        ],
    });
    for (kind, body) in [(ApiKind::OpenAi, openai), (ApiKind::Anthropic, anthropic)] {
        let server = Server::start(move |_, _| Act::json(200, &body)).await;
        let tape = Arc::new(MemoryStore::default());
        let key = ApiKey::new(KEY).unwrap();
        let scrub = ApiKey::scrub([&key]);
        let shared = Shared {
            cassette: Some(
                Cassette::open(Arc::clone(&tape) as _, CassetteMode::Both, scrub.clone()).unwrap(),
            ),
            scrub: Some(scrub),
            ..Shared::default()
        };
        let mut settings = settings(&server);
        settings.dialect = Dialect::new(kind, "mock");
        settings.key = Some(key);
        let client = Client::new(settings, &shared).unwrap();
        let first = client.ask(request()).await.unwrap();
        assert_eq!(first.usage.input, 100, "{kind}");
        assert!(first.said.calls.len() >= 2 && first.said.calls.iter().any(|c| c.name == "[key]"));
        // The second request repeats the first reply.
        let mut next = request();
        next.slot = agent_client::Slot::new("test").child("turn", 2);
        next.messages.push(first.message());
        let second = client.ask(next.clone()).await.unwrap();
        let lines = tape.lines();
        for text in lines
            .iter()
            .cloned()
            .chain([format!("{first:?} {second:?}")])
        {
            for part in ["Zb81kQ0p", "0pLr7xW2", &base64(KEY)[8..], "005a\\\\u0062"] {
                assert!(!text.contains(part), "{kind} {part}: {text}");
            }
        }
        let store: Arc<dyn Store> = Arc::new(MemoryStore::of(lines));
        let cassette = Cassette::open(store, CassetteMode::Replay, Scrub::default()).unwrap();
        let replay = Client::replay(&cassette, None, None).unwrap();
        for (asked, expected) in [(request(), first), (next, second)] {
            let reply = replay.ask(asked).await.unwrap();
            assert_eq!(
                (reply.said, reply.finish),
                (expected.said, expected.finish),
                "{kind}"
            );
            assert_eq!(reply.usage, expected.usage, "{kind}");
        }
    }
}

/// Two programs may read such a line differently, so neither of the values is used.
#[tokio::test]
async fn a_recording_that_names_a_key_twice_is_not_read() {
    let server = Server::start(|_, _| Act::json(200, &completion("fine"))).await;
    let tape = Arc::new(MemoryStore::default());
    let cassette = Cassette::open(Arc::clone(&tape) as _, CassetteMode::Both, Scrub::default());
    let shared = Shared {
        cassette: Some(cassette.unwrap()),
        ..Shared::default()
    };
    let client = Client::new(settings(&server), &shared).unwrap();
    client.ask(request()).await.unwrap();
    let line = tape.lines().remove(0);
    assert!(StoredCall::read(&line).is_ok());
    let twice = line.replacen("\"answer\":{", "\"answer\":{\"choices\":[],", 1);
    assert!(twice != line && serde_json::from_str::<serde_json::Value>(&twice).is_ok());
    let error = StoredCall::read(&twice).unwrap_err();
    assert!(error.contains("twice"), "{error}");
    let store: Arc<dyn Store> = Arc::new(MemoryStore::of(vec![twice]));
    Cassette::open(store, CassetteMode::Replay, Scrub::default()).unwrap_err();
}
