//! Recording, replaying, caching.

use crate::faults::{request, settings};
use crate::server::{Act, Server, completion};
use agent_client::cassette::{Cassette, CassetteMode};
use agent_client::client::{Client, Shared};
use agent_client::layer::cache::Cache;
use agent_client::store::{MemoryStore, Store};
use agent_client::{AgentBackend as _, ErrorClass, Message, ReplySource, Request, Slot};
use serde_json::json;
use sim_core::scrub::Scrub;
use std::sync::Arc;

fn cassette(store: &Arc<MemoryStore>, mode: CassetteMode) -> Cassette {
    let store: Arc<dyn Store> = Arc::clone(store) as _;
    Cassette::open(store, mode, Scrub::default()).unwrap()
}

fn with_cassette(cassette: Cassette) -> Shared {
    Shared {
        cassette: Some(cassette),
        ..Shared::default()
    }
}

fn ask(slot: &str, text: &str) -> Request {
    let mut ask = request();
    ask.slot = Slot::new(slot);
    ask.messages.push(Message::user(text));
    ask
}

#[tokio::test]
async fn what_is_recorded_is_replayed_without_a_server() {
    let store = Arc::new(MemoryStore::default());
    let server = Server::start(|n, _| match n {
        1 => Act::bytes(500, "once"),
        3 => Act::json(
            400,
            &json!({"error": {"code": "context_length_exceeded", "message": "long"}}),
        ),
        _ => Act::json(200, &completion(&format!("reply {n}"))),
    })
    .await;
    let mut settings = settings(&server);
    settings.dialect.temperature = Some(0.5);
    let client = Client::new(
        settings,
        &with_cassette(cassette(&store, CassetteMode::Both)),
    )
    .unwrap();
    let first = client.ask(ask("a", "x")).await.unwrap();
    let second = client.ask(ask("b", "x")).await.unwrap();
    let third = client.ask(ask("c", "x")).await.unwrap_err();
    assert_eq!(third.class, ErrorClass::Overflow);
    assert_eq!(second.attempts, 2);
    assert_eq!(
        client.ask(ask("a", "x")).await.unwrap().source,
        ReplySource::Cassette
    );
    assert_eq!(server.hits(), 4, "a recorded request is not sent again");
    assert_eq!(
        store.lines().len(),
        3,
        "failures on the way are not recorded"
    );
    drop(server);

    let tape = cassette(&store, CassetteMode::Replay);
    let replay = Client::replay(&tape, None, None).unwrap();
    assert_eq!(replay.name(), "openai:test-model");
    assert_eq!(replay.dialect().temperature, Some(0.5));
    let again = replay.ask(ask("a", "x")).await.unwrap();
    assert_eq!(
        (again.said, again.usage, again.raw),
        (first.said, first.usage, first.raw)
    );
    let again = replay.ask(ask("c", "x")).await.unwrap_err();
    assert_eq!((again.class, again.message), (third.class, third.message));
    assert_eq!(replay.ledger().spending().total().replayed, 2);
    let error = Client::replay(&tape, Some("openai:other"), None).unwrap_err();
    assert!(
        error
            .message
            .contains("it holds those of openai:test-model"),
        "{error}"
    );
}

#[tokio::test]
async fn a_miss_shows_the_nearest_request() {
    let store = Arc::new(MemoryStore::default());
    let server = Server::start(|_, _| Act::json(200, &completion("ok"))).await;
    let shared = with_cassette(cassette(&store, CassetteMode::Both));
    let client = Client::new(settings(&server), &shared).unwrap();
    client
        .ask(ask("day1", "You have 20 papers left."))
        .await
        .unwrap();
    client
        .ask(ask("day2", "You have 35 papers left."))
        .await
        .unwrap();
    let replay = Client::replay(&cassette(&store, CassetteMode::Replay), None, None).unwrap();
    let error = replay
        .ask(ask("day2", "You have 36 papers left."))
        .await
        .unwrap_err();
    assert_eq!(error.class, ErrorClass::Miss);
    let expected = "messages.2.content: recorded `You have 35 papers left.`, \
                    asked `You have 36 papers left.`";
    assert!(error.message.contains(expected), "{error}");
    let error = replay
        .ask(ask("day3", "You have 35 papers left."))
        .await
        .unwrap_err();
    let expected = "the recording has no answer to this request; the nearest recorded request differs in its place \
                    in the run: recorded at `day2`, asked at `day3`";
    assert_eq!(error.message, expected);
    // The `-` before the number of an episode is not a sign.
    let error = replay
        .ask(ask("episode/-3/after/json1", "You have 35 papers left."))
        .await
        .unwrap_err();
    let expected = "recorded at `day2`, asked at `after/json1` of episode 3";
    assert!(error.message.ends_with(expected), "{error}");
    let empty = Arc::new(MemoryStore::default());
    let error = Client::replay(&cassette(&empty, CassetteMode::Replay), None, None).unwrap_err();
    assert!(error.message.contains("holds no model calls"), "{error}");
}

#[tokio::test]
async fn the_cache_keeps_slots_apart_and_failures_out() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let server = Server::start(|n, _| match n {
        2 => Act::json(400, &json!({"error": {"code": "content_filter"}})),
        3 => {
            let mut body = completion("");
            body["choices"][0]["finish_reason"] = json!("content_filter");
            Act::json(200, &body)
        }
        _ => Act::json(200, &completion(&format!("reply {n}"))),
    })
    .await;
    let tape = Arc::new(MemoryStore::default());
    let shared = |tape: &Arc<MemoryStore>| Shared {
        cache: Some(Cache::open(Arc::clone(&store), Scrub::default()).unwrap()),
        ..with_cassette(cassette(tape, CassetteMode::Record))
    };
    let client = Client::new(settings(&server), &shared(&tape)).unwrap();
    let text =
        async |client: &Client, slot: &str| client.ask(ask(slot, "x")).await.unwrap().said.text;
    assert_eq!(text(&client, "a").await, "reply 0");
    assert_eq!(
        text(&client, "b").await,
        "reply 1",
        "equal words in another slot are sent"
    );
    assert_eq!(text(&client, "a").await, "reply 0");
    assert_eq!(server.hits(), 2);
    assert!(client.ask(ask("c", "x")).await.is_err());
    client.ask(ask("c", "x")).await.unwrap();
    client.ask(ask("c", "x")).await.unwrap();
    assert_eq!(
        server.hits(),
        5,
        "neither a failure nor a filtered reply is kept"
    );

    // Another run with the same cache: its own cassette gets a copy.
    let tape = Arc::new(MemoryStore::default());
    let client = Client::new(settings(&server), &shared(&tape)).unwrap();
    let reply = client.ask(ask("a", "x")).await.unwrap();
    assert_eq!(
        (reply.said.text.as_str(), reply.source),
        ("reply 0", ReplySource::Cache)
    );
    assert_eq!((server.hits(), tape.lines().len()), (5, 1));
    let replay = Client::replay(&cassette(&tape, CassetteMode::Replay), None, None).unwrap();
    assert_eq!(text(&replay, "a").await, "reply 0");
}

#[tokio::test]
async fn equal_requests_at_the_same_time_are_sent_once() {
    let server = Server::start(|n, _| Act::json(200, &completion(&format!("reply {n}")))).await;
    let shared = Shared {
        cache: Some(Cache::open(Arc::new(MemoryStore::default()), Scrub::default()).unwrap()),
        ..Shared::default()
    };
    let client = Client::new(settings(&server), &shared).unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..40 {
        let client = client.clone();
        tasks.spawn(async move {
            client
                .ask(ask(if n % 2 == 0 { "a" } else { "b" }, "x"))
                .await
        });
    }
    while let Some(reply) = tasks.join_next().await {
        reply.unwrap().unwrap();
    }
    assert_eq!(server.hits(), 2);
}

#[test]
fn foreign_lines_are_refused() {
    for line in ["{}", "not json", "{\"schema\":9}"] {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::of(vec![line.to_owned()]));
        let error = Cassette::open(store, CassetteMode::Both, Scrub::default()).unwrap_err();
        assert_eq!(error.class, ErrorClass::Store);
        assert!(
            error.message.starts_with("line 1 is not a model call"),
            "{error}"
        );
    }
}
