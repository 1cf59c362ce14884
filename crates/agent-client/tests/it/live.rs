//! Tests with a real model on a local server. `cargo xtask live-llm` starts the server; without it, the tests are
//! skipped.

use crate::recorded::{RECORDS, TAPE, dialect, episodes};
use agent_client::cassette::{Cassette, CassetteMode};
use agent_client::client::{Client, ClientSettings, Shared};
use agent_client::store::{MemoryStore, Store};
use agent_client::structured::ask;
use agent_client::{AgentBackend as _, ErrorClass, Message, ModelRole, Request, Schema, Slot};
use serde_json::{Value, json};
use sim_core::scrub::Scrub;
use std::sync::Arc;

/// The address of the model's server; prints a line if there is none.
fn base() -> Option<String> {
    let base = std::env::var("BOARDROOM_LIVE_BASE").ok();
    if base.is_none() {
        eprintln!("SKIPPED: no model runs on this machine; `cargo xtask live-llm` starts one");
    }
    base
}

#[tokio::test]
async fn live_a_real_model_plays_the_newsstand() {
    let Some(base) = base() else { return };
    let store = Arc::new(MemoryStore::default());
    let lines: Arc<dyn Store> = Arc::clone(&store) as _;
    let shared = Shared {
        cassette: Some(Cassette::open(lines, CassetteMode::Both, Scrub::default()).unwrap()),
        ..Shared::default()
    };
    let settings = ClientSettings::new(dialect(), base, None);
    let client = Client::new(settings, &shared).unwrap();
    let played = episodes(Arc::new(client)).await;
    for (record, report) in &played {
        let tally = record.tally();
        println!(
            "newsstand, episode {}: {} of 10 days decided, {} forfeited, score {}; {report:?}",
            record.header.episode,
            10 - tally.forfeits,
            tally.forfeits,
            record.score.value()
        );
    }
    assert_eq!(
        played[1].0.tally().forfeits,
        0,
        "with an enforced schema every day is played"
    );
    if std::env::var("BOARDROOM_RECORD").is_ok() {
        let records: Vec<String> = played
            .iter()
            .map(|(record, _)| serde_json::to_string(record).unwrap())
            .collect();
        std::fs::write(TAPE, store.lines().join("\n") + "\n").unwrap();
        std::fs::write(RECORDS, records.join("\n") + "\n").unwrap();
    }
}

#[tokio::test]
async fn live_an_enforced_schema_brings_json() {
    let Some(base) = base() else { return };
    let client = Client::new(
        ClientSettings::new(dialect(), base, None),
        &Shared::default(),
    )
    .unwrap();
    let schema = Schema::new(
        "order",
        "an order",
        json!({"type": "object", "properties": {"papers": {"type": "integer", "minimum": 0, "maximum": 50}},
               "required": ["papers"], "additionalProperties": false}),
    );
    let messages = vec![Message::user("How many papers do you order, 0 to 50?")];
    let request = Request::new(ModelRole::Agent, Slot::new("live"), messages);
    let typed = ask::<Value>(&client, request, &schema, |_| Ok(()))
        .await
        .unwrap();
    assert!(typed.value["papers"].is_i64(), "{typed:?}");
    assert!(!typed.reply.usage.estimated && typed.reply.usage.input > 0);
}

#[tokio::test]
async fn live_an_overlong_request_is_an_overflow() {
    let Some(base) = base() else { return };
    let client = Client::new(
        ClientSettings::new(dialect(), base, None),
        &Shared::default(),
    )
    .unwrap();
    let messages = vec![Message::user("paper ".repeat(6_000))];
    let error = client
        .ask(Request::new(ModelRole::Agent, Slot::new("long"), messages))
        .await
        .unwrap_err();
    assert_eq!(
        (error.class, error.attempts),
        (ErrorClass::Overflow, 1),
        "{error}"
    );
}
