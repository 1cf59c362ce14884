//! Numbers from servers and settings: a reply is kept although one of its counts cannot be used.

use crate::faults::{request, settings};
use crate::server::{Act, Server, completion};
use agent_client::cassette::{Cassette, CassetteMode};
use agent_client::client::{Client, Shared};
use agent_client::ledger::CostLedger;
use agent_client::money::{Money, PriceBook};
use agent_client::pace::{Pace, PaceSettings};
use agent_client::store::MemoryStore;
use agent_client::tokens::{CountName, Refusal, RefusedCount, TokenCount};
use agent_client::wire::{ApiKind, Dialect};
use agent_client::{AgentBackend as _, ErrorClass, Reply, Usage};
use proptest::prelude::*;
use serde_json::{Value, json};
use sim_core::scrub::Scrub;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

/// Any JSON value; awkward numbers are more frequent than other values.
fn any_json() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<u64>().prop_map(|n| json!(n)),
        any::<i64>().prop_map(|n| json!(n)),
        any::<f64>().prop_map(|n| json!(n)),
        Just(json!(1_u64 << 63)),
        Just(json!(u64::MAX)),
        Just(json!(1e300)),
        Just(json!(-0.0)),
        Just(json!(0.5)),
    ];
    let leaf = prop_oneof![
        4 => number,
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        2 => "[0-9eE+.\\- a-z]{0,12}".prop_map(Value::String),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::btree_map("[a-z_]{1,8}", inner, 0..3)
                .prop_map(|map| map.into_iter().collect::<Value>()),
        ]
    })
}

fn openai(usage: &Value) -> Value {
    json!({"choices": [{"message": {"content": "fine"}, "finish_reason": "stop"}], "usage": usage})
}

fn anthropic(usage: &Value) -> Value {
    json!({"content": [{"type": "text", "text": "fine"}], "stop_reason": "end_turn",
        "usage": usage})
}

fn sound(reply: &Reply) {
    let usage = reply.usage;
    assert_eq!(reply.said.text, "fine");
    assert!(usage.input <= 3 * TokenCount::MOST, "{usage:?}");
    assert!(usage.output <= TokenCount::MOST, "{usage:?}");
    assert!(usage.cached + usage.stored <= usage.input, "{usage:?}");
    assert!(usage.thinking <= usage.output, "{usage:?}");
}

proptest! {
    #[test]
    fn a_reply_survives_any_usage_of_chat_completions(
        [input, output, cached, hit, thinking] in prop::array::uniform5(any_json()),
        whole in any_json(),
    ) {
        let usage = json!({"prompt_tokens": input, "completion_tokens": output,
            "prompt_tokens_details": {"cached_tokens": cached},
            "prompt_cache_hit_tokens": hit,
            "completion_tokens_details": {"reasoning_tokens": thinking}});
        for usage in [usage, whole] {
            sound(&ApiKind::OpenAi.decode(openai(&usage)).unwrap());
        }
    }

    #[test]
    fn a_reply_survives_any_usage_of_messages(
        [input, output, cached, stored] in prop::array::uniform4(any_json()),
        whole in any_json(),
    ) {
        let usage = json!({"input_tokens": input, "output_tokens": output,
            "cache_read_input_tokens": cached, "cache_creation_input_tokens": stored});
        for usage in [usage, whole] {
            sound(&ApiKind::Anthropic.decode(anthropic(&usage)).unwrap());
        }
    }
}

#[test]
fn a_refused_count_is_named_and_the_others_count() {
    let refused = |count, reason| RefusedCount { count, reason };
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 1_000_000_000},
        "completion_tokens_details": {"reasoning_tokens": 0.5}});
    let reply = ApiKind::OpenAi.decode(openai(&usage)).unwrap();
    let usage = reply.usage;
    assert_eq!(
        (usage.input, usage.cached, usage.output, usage.thinking),
        (10, 0, 5, 0)
    );
    assert!(!usage.estimated);
    assert_eq!(
        reply.refused,
        [
            refused(CountName::Thinking, Refusal::Fractional),
            refused(CountName::Cached, Refusal::AboveTotal),
        ]
    );
    let usage = json!({"input_tokens": 10, "output_tokens": -5,
        "cache_read_input_tokens": 1e300, "cache_creation_input_tokens": "4"});
    let reply = ApiKind::Anthropic.decode(anthropic(&usage)).unwrap();
    let usage = reply.usage;
    assert!(usage.estimated && usage.output > 0, "{usage:?}");
    assert_eq!((usage.input, usage.cached, usage.stored), (0, 0, 0));
    assert_eq!(
        reply.refused,
        [
            refused(CountName::Cached, Refusal::AboveLimit),
            refused(CountName::Output, Refusal::Negative),
        ]
    );
}

#[tokio::test]
async fn a_reply_with_a_count_of_2_to_the_63_is_kept_and_noted() {
    let server = Server::start(|n, _| {
        let mut body = completion("fine");
        body["usage"] = if n == 0 {
            json!({"prompt_tokens": 1_u64 << 63, "completion_tokens": 1_u64 << 63})
        } else {
            json!({"prompt_tokens": 7, "completion_tokens": 3})
        };
        Act::json(200, &body)
    })
    .await;
    let mut settings = settings(&server);
    settings.pace.tokens_per_minute = NonZeroU32::new(1_000_000);
    let client = Client::new(settings, &Shared::default()).unwrap();
    let reply = client.ask(request()).await.unwrap();
    assert_eq!(reply.said.text, "fine");
    assert!(reply.usage.estimated && reply.usage.input > 0);
    assert!(client.ask(request()).await.unwrap().refused.is_empty());
    let spending = client.ledger().spending();
    assert_eq!(spending.refused.len(), 2, "{:?}", spending.refused);
    assert!(spending.refused.values().all(|count| *count == 1));
    assert!(spending.total().usage.output < 1_000);
}

#[tokio::test]
async fn a_reply_with_a_number_beyond_every_range_is_kept() {
    let server = Server::start(|_, _| {
        let text = completion("fine").to_string();
        let text = text.replacen("\"prompt_tokens\":100", "\"prompt_tokens\":1e999", 1);
        assert!(text.contains("1e999"));
        Act::bytes(200, text)
    })
    .await;
    let client = Client::new(settings(&server), &Shared::default()).unwrap();
    let reply = client.ask(request()).await.unwrap();
    assert_eq!((reply.said.text.as_str(), server.hits()), ("fine", 1));
    assert_eq!(reply.refused.len(), 1);
}

#[tokio::test]
async fn a_run_that_paid_more_than_a_million_goes_on() {
    let server = Server::start(|_, _| {
        let mut body = completion("fine");
        body["usage"] = json!({"prompt_tokens": 999_999_999, "completion_tokens": 123_456_789});
        Act::json(200, &body)
    })
    .await;
    let prices = "[models.test-model]\ninput = 999999.999999\noutput = 1000000\n";
    let store = Arc::new(MemoryStore::default());
    let open = || Cassette::open(store.clone(), CassetteMode::Both, Scrub::default());
    let shared = Shared {
        ledger: Some(CostLedger::new(None)),
        prices: Some(Arc::new(PriceBook::parse(prices).unwrap())),
        cassette: Some(open().unwrap()),
        ..Shared::default()
    };
    let client = Client::new(settings(&server), &shared).unwrap();
    client.ask(request()).await.unwrap();
    let spent = client.ledger().spending().spent;
    assert!(spent > "1123000000".parse::<Money>().unwrap());
    // As in `resume`: the recording is read again, and its cost is carried over.
    assert_eq!(open().unwrap().spent().spent, spent);
}

#[test]
fn settings_outside_their_range_are_refused() {
    let fresh = || {
        let dialect = Dialect::new(ApiKind::OpenAi, "m");
        agent_client::client::ClientSettings::new(dialect, "http://127.0.0.1:1/v1", None)
    };
    type Change = fn(&mut agent_client::client::ClientSettings);
    let changes: [Change; 13] = [
        |s| s.dialect.temperature = Some(f64::NAN),
        |s| s.dialect.temperature = Some(-0.1),
        |s| s.dialect.temperature = Some(1e300),
        |s| s.dialect.max_tokens = Some(0),
        |s| s.dialect.max_tokens = Some(u32::MAX),
        |s| s.pace.concurrency = NonZeroU32::MAX,
        |s| s.retry.attempts = u32::MAX,
        |s| s.retry.longest_pause = f64::NAN,
        |s| s.retry.first_pause = f64::INFINITY,
        |s| s.transport.attempt_timeout = 1e18,
        |s| s.transport.connect_timeout = f64::NAN,
        |s| s.transport.largest_answer = 0,
        |s| s.transport.largest_answer = usize::MAX,
    ];
    assert!(Client::new(fresh(), &Shared::default()).is_ok());
    for (number, change) in changes.into_iter().enumerate() {
        let mut settings = fresh();
        change(&mut settings);
        let error = Client::new(settings, &Shared::default()).unwrap_err();
        assert_eq!(error.class, ErrorClass::Setup, "{number}: {error}");
    }
}

#[test]
fn numbers_in_arguments_that_nothing_holds_leave_the_call_to_be_refused_by_its_tool() {
    let called = |arguments: &str| {
        let body = json!({"choices": [{"message": {"tool_calls": [
            {"id": "a", "function": {"name": "order", "arguments": arguments}}]}}]});
        let reply = ApiKind::OpenAi.decode(body).unwrap();
        reply.said.calls[0].arguments.value()
    };
    assert_eq!(called("{\"n\": 1e999}"), json!("{\"n\": 1e999}"));
    assert_eq!(called("{\"n\": -0}"), json!({"n": -0.0}));
    let n = &called("{\"n\": 18446744073709551616}")["n"];
    assert_eq!((n.as_u64(), n.as_f64()), (None, Some(2.0_f64.powi(64))));
    let text = r#"{"content":[{"type":"tool_use","id":"a","name":"order","input":{"n":1e999}}]}"#;
    let body = agent_client::json_text::read(text).unwrap();
    let reply = ApiKind::Anthropic.decode(body).unwrap();
    assert_eq!(reply.said.calls[0].arguments.value(), json!({"n": "1e999"}));
}

/// Counts of a part that do not come from a reply are charged as a part, too.
#[test]
fn parts_above_the_total_cost_no_more_than_the_total() {
    let book = PriceBook::parse("[models.m]\ninput = 1000\noutput = 0\n").unwrap();
    let price = book.price("m").unwrap();
    let cost = |cached, stored| {
        price.of(&Usage {
            input: 7,
            cached,
            stored,
            ..Usage::default()
        })
    };
    for (cached, stored) in [(1_000_000, 0), (0, 1_000_000), (u64::MAX, u64::MAX), (5, 5)] {
        assert_eq!(cost(cached, stored), cost(0, 0), "{cached} {stored}");
    }
}

#[tokio::test]
async fn a_pause_that_the_clock_cannot_hold_is_ignored() {
    let pace = Pace::new(&PaceSettings::default());
    let before = pace.allowed();
    pace.slow_down(Some(Duration::MAX));
    assert!(pace.allowed() < before);
    tokio::time::timeout(Duration::from_secs(5), pace.wait(1))
        .await
        .unwrap();
}
