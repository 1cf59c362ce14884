//! Replies of a real, small model, recorded once and replayed by the tests.
//!
//! SmolLM2-135M-Instruct does not support tool calling: asked for a call it writes prose; asked for
//! JSON with an enforced schema it plays. Both are in the recording; see `tests/golden/README.md`.

use crate::episodes::{case, session};
use agent_client::cassette::{Cassette, CassetteMode};
use agent_client::client::Client;
use agent_client::decide::CallStyle;
use agent_client::play::{Agent, PlayReport, PlaySettings, play};
use agent_client::store::{CallTime, MemoryStore, Store};
use agent_client::wire::{ApiKind, Dialect};
use agent_client::{AgentBackend, Slot};
use serde_json::{Value, json};
use sim_core::bytes::canonical_text;
use sim_core::scrub::Scrub;
use sim_core::{Digest, EpisodeRecord, Limits};
use std::sync::Arc;
use std::time::Duration;

pub const TAPE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/golden/smollm2_newsstand.jsonl"
);
pub const RECORDS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/golden/smollm2_newsstand_records.jsonl"
);

pub fn dialect() -> Dialect {
    let mut dialect = Dialect::new(ApiKind::OpenAi, "smollm2");
    dialect.temperature = Some(0.0);
    dialect.max_tokens = Some(120);
    dialect.extra.insert("seed".to_owned(), json!(1));
    dialect
}

/// One episode with tools, one with JSON from the start.
pub async fn episodes(backend: Arc<dyn AgentBackend>) -> Vec<(EpisodeRecord, PlayReport)> {
    let limits = Limits {
        calls_per_period: 6,
        tries_per_period: 3,
        ..Limits::default()
    };
    let mut out = Vec::new();
    for (index, style) in [(0, CallStyle::Native), (1, CallStyle::Json)] {
        let case = case(index);
        let mut game = session(&*case, index, limits);
        let minds = Agent::new(Arc::clone(&backend));
        let settings = PlaySettings {
            style,
            ..PlaySettings::default()
        };
        let slot = Slot::new(format!("episode{index}"));
        let report = play(&mut game, &minds, &settings, &slot, &mut |_| ())
            .await
            .unwrap();
        let record = game.finish().unwrap();
        record.verify(case.open().unwrap()).unwrap();
        out.push((record, report));
    }
    out
}

/// A recorded line as the request is sent now: the schema of calls was recorded with its `anyOf` at the root.
fn asked_now(line: &str) -> String {
    let mut line: Value = serde_json::from_str(line).unwrap();
    if let Some(schema) = line.pointer_mut("/request/response_format/json_schema/schema")
        && schema.get("anyOf").is_some()
    {
        *schema = json!({
            "type": "object", "properties": {"call": schema.clone()},
            "required": ["call"], "additionalProperties": false,
        });
        let text = canonical_text(&line["request"]);
        let key = canonical_text(&json!(["openai", line["slot"], text]));
        let time = CallTime::new(Digest::of_bytes(key.as_bytes()), Duration::ZERO);
        line["key"] = json!(time)["key"].clone();
    }
    line.to_string()
}

#[tokio::test]
async fn a_real_model_is_replayed_to_the_byte() {
    let lines = std::fs::read_to_string(TAPE).unwrap();
    let store = MemoryStore::of(lines.lines().map(asked_now).collect());
    let store: Arc<dyn Store> = Arc::new(store);
    let tape = Cassette::open(store, CassetteMode::Replay, Scrub::default()).unwrap();
    assert_eq!(tape.dialects(), [dialect()]);
    let client = Client::replay(&tape, None, None).unwrap();
    let ledger = Arc::clone(client.ledger());
    let played = episodes(Arc::new(client)).await;
    let records: Vec<String> = played
        .iter()
        .map(|(record, _)| serde_json::to_string(record).unwrap())
        .collect();
    let expected = std::fs::read_to_string(RECORDS).unwrap();
    assert_eq!(records, expected.lines().collect::<Vec<_>>());
    let total = ledger.spending().total();
    assert_eq!(total.requests, total.replayed);
    assert_eq!(
        total.requests as usize,
        tape.len(),
        "every recorded request is asked for"
    );
    let (native, json) = (&played[0].1, &played[1].1);
    assert!(
        native.style_changes > 0,
        "prose, until JSON is asked for: {native:?}"
    );
    assert_eq!(json.style_changes, 0);
}
