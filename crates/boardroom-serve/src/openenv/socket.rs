//! A rollout over a WebSocket.

use super::Serving;
use super::rollout::{Fault, Rollout};
use crate::message;
use crate::request_checks::ClientName;
use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use serde_json::{Map, Value, json};
use sim_core::error::clip;
use sim_core::strict::{MOST_VALUES, json_within};
use std::sync::Arc;

pub(super) async fn connect(
    State(serving): State<Serving>,
    Extension(ClientName(client)): Extension<ClientName>,
    upgrade: WebSocketUpgrade,
) -> Response {
    upgrade
        .max_message_size(message::LONGEST)
        .max_frame_size(message::LONGEST)
        .on_upgrade(move |socket| converse(socket, serving, client))
}

async fn converse(mut socket: WebSocket, serving: Serving, client: String) {
    let rollout = Rollout::new(Arc::clone(&serving.sessions), &client, serving.reward);
    let mut rollout = Some(rollout);
    while let Some(Ok(received)) = socket.recv().await {
        let text = match received {
            Message::Text(text) => text,
            Message::Close(_) => break,
            // The library answers pings by itself; binary messages are not a part of the protocol.
            Message::Binary(_) | Message::Ping(_) | Message::Pong(_) => continue,
        };
        let Some(mut held) = rollout.take() else {
            break;
        };
        // Opening a large company may take seconds: no other client waits for it.
        let answered = tokio::task::spawn_blocking(move || {
            let answer = answer(&mut held, text.as_bytes());
            (held, answer)
        });
        // After a panic the rollout is gone; its game was closed when it was dropped.
        let Ok((held, answer)) = answered.await else {
            break;
        };
        rollout = Some(held);
        let Some(answer) = answer else {
            break;
        };
        let answer = Message::Text(answer.to_string().into());
        if socket.send(answer).await.is_err() {
            break;
        }
    }
    // The end of the game is scored and recorded.
    let _ = tokio::task::spawn_blocking(move || drop(rollout)).await;
}

/// The answer to a message; `None` when the client ends the rollout.
fn answer(rollout: &mut Rollout, text: &[u8]) -> Option<Value> {
    let message = match json_within(text, MOST_VALUES) {
        Ok(Value::Object(message)) => message,
        // An error and no end of the connection: the next message may be right.
        Ok(_) => {
            let why = "a message is a JSON object";
            return Some(told(&Fault::new("VALIDATION_ERROR", why)));
        }
        Err(e) => {
            return Some(told(&Fault::new(
                "INVALID_JSON",
                format!("Invalid JSON: {e}"),
            )));
        }
    };
    let kind = message
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let data = message.get("data");
    let fields = || match data {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(fields)) => Ok(fields.clone()),
        Some(_) => Err(Fault::invalid("`data` must be an object".to_owned())),
    };
    let (kind, answered) = match kind {
        "reset" => (
            "observation",
            fields().and_then(|data| rollout.reset(&data)),
        ),
        "step" => ("observation", fields().and_then(|data| rollout.step(&data))),
        "state" => ("state", Ok(rollout.state())),
        "mcp" => ("mcp", Ok(rollout.mcp(data.unwrap_or(&Value::Null)))),
        "close" => return None,
        other => {
            let why = format!("Unknown message type: {}", clip(other));
            ("error", Err(Fault::new("UNKNOWN_TYPE", why)))
        }
    };
    Some(match answered {
        Ok(data) => json!({"type": kind, "data": data}),
        Err(fault) => told(&fault),
    })
}

fn told(fault: &Fault) -> Value {
    json!({"type": "error", "data": {"message": fault.message, "code": fault.code}})
}
