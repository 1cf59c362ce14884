//! JSON replies: valid ones, invalid ones that can be repaired, and those that cannot.

use crate::faults::request;
use agent_client::backends::{Func, Scripted};
use agent_client::structured::ask;
use agent_client::{AgentError, ErrorClass, Format, Message, Reply, Schema, Structured, ToolCall};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Plan {
    orders: Vec<u32>,
    why: String,
}

fn schema() -> Schema {
    Schema::new("plan", "the plan", schemars::schema_for!(Plan).to_value())
}

fn fits(plan: &Plan) -> Result<(), String> {
    if plan.orders.len() <= 2 {
        Ok(())
    } else {
        Err("at `orders`: at most 2".to_owned())
    }
}

#[tokio::test]
async fn values_are_repaired_at_most_twice() {
    let good = "{\"orders\": [1], \"why\": \"x\"}";
    let cases: &[(&[&str], Option<u32>, &str)] = &[
        (&[good], Some(0), ""),
        (
            &["Here:\n```json\n{\"orders\": [1], \"why\": \"x\",}\n```"],
            Some(0),
            "",
        ),
        (&["no idea", good], Some(1), "holds no JSON"),
        (
            &["{\"orders\": [1, \"a\"], \"why\": \"x\"}", good],
            Some(1),
            "at `orders[1]`",
        ),
        (
            &["{\"orders\": [1, 2, 3], \"why\": \"x\"}", "", good],
            Some(2),
            "at most 2",
        ),
        (
            &["{\"orders\": [1]}", "[]", "{}", good],
            None,
            "missing field `why`",
        ),
    ];
    for (texts, repairs, told) in cases {
        let backend = Scripted::texts(texts.iter().copied());
        let result = ask(&backend, request(), &schema(), fits).await;
        let asked = backend.asked();
        match (result, repairs) {
            (Ok(typed), Some(repairs)) => {
                assert_eq!(typed.value.orders, [1], "{texts:?}");
                assert_eq!(typed.repairs(), *repairs, "{texts:?}");
                assert_eq!(typed.written.len(), texts.len());
            }
            (Err(error), None) => assert_eq!(error.class, ErrorClass::Unusable),
            other => panic!("{texts:?}: {other:?}"),
        }
        let Message::System { text } = &asked[0].messages[0] else {
            panic!("no system message");
        };
        assert!(text.contains("JSON Schema") && text.contains("orders"));
        if asked.len() > 1 {
            let Some(Message::User { text }) = asked[1].messages.last() else {
                panic!("no repair message");
            };
            assert!(text.contains(told), "{texts:?}: {text}");
            assert_ne!(asked[0].slot, asked[1].slot);
        }
    }
}

/// A server that supports neither schemas nor tools is asked in words.
#[tokio::test]
async fn the_way_of_asking_steps_down() {
    let count = AtomicU32::new(0);
    let backend = Func::new("picky", move |request| {
        count.fetch_add(1, Ordering::Relaxed);
        let refuse = || Err(AgentError::new(ErrorClass::BadRequest, "unknown field"));
        if request.format != Format::Text {
            return refuse();
        }
        if !request.tools.is_empty() {
            assert_eq!(request.tools[0].name, "plan");
            return refuse();
        }
        Ok(Reply::text("{\"orders\": [], \"why\": \"\"}"))
    })
    .asked_for_json(Structured::Native);
    let typed = ask(&backend, request(), &schema(), fits).await.unwrap();
    assert_eq!((typed.asked, typed.value.orders.len()), (1, 0));
}

#[tokio::test]
async fn a_forced_tool_brings_the_value() {
    let backend = Func::new("tools", |_| {
        let arguments = json!({"orders": [4], "why": "y"});
        Ok(Reply::calls(vec![ToolCall::new("1", "plan", arguments)]))
    })
    .asked_for_json(Structured::Tool);
    let typed = ask(&backend, request(), &schema(), fits).await.unwrap();
    assert_eq!(typed.value.orders, [4]);
}
