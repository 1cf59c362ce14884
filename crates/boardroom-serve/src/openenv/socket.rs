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
        // As each request over HTTP, so that many connections do not keep the requests of others waiting.
        let place = serving.checks.place(&client).await;
        // Opening a large company may take seconds: no other client waits for it.
        let answered = tokio::task::spawn_blocking(move || {
            let answer = answer(&mut held, text.as_bytes());
            drop(place);
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
    let _place = serving.checks.place(&client).await;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ServerMode;
    use crate::clients::{Clients, LOCAL};
    use crate::openenv::Reward;
    use crate::request_checks::{AT_A_TIME, RequestChecks};
    use crate::sessions::{SessionLimits, SessionManager};
    use axum::Router;
    use axum::routing::any;
    use boardroom_http::{Limits, ServerOptions, plain_error};
    use run_engine::plan::{Plan, RunRequest};
    use run_engine::registry::Registry;
    use std::time::Duration;

    fn serving() -> Serving {
        let registry = Registry::new().with_boxed(beer_game::Spec.boxed());
        let request = RunRequest {
            environment: "beer-game".to_owned(),
            agent: "mcp".to_owned(),
            ..RunRequest::default()
        };
        let plan = Plan::new(&registry, request).unwrap();
        let limits = SessionLimits::default();
        let sessions = SessionManager::new(registry, plan, ServerMode::Play, limits, None);
        Serving {
            sessions: Arc::new(sessions.unwrap()),
            checks: Arc::new(RequestChecks::new(Clients::default())),
            reward: Reward::Score,
            rollouts: Arc::default(),
        }
    }

    /// Otherwise thousands of connections could have thousands of games opened at a time.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_message_waits_for_its_place_among_the_requests() {
        let serving = serving();
        let checks = Arc::clone(&serving.checks);
        let router = Router::new()
            .route("/ws", any(connect))
            .layer(Extension(ClientName(LOCAL.to_owned())))
            .with_state(serving);
        let listener = boardroom_http::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        let options = ServerOptions {
            limits: Limits::default(),
            error_text: plain_error,
        };
        let stop = std::future::pending();
        tokio::spawn(boardroom_http::serve(listener, router, options, stop));
        let mut requests = Vec::new();
        for _ in 0..AT_A_TIME {
            requests.push(checks.place("other").await);
        }
        let client = move || {
            let stream = std::net::TcpStream::connect(address).unwrap();
            let (mut socket, _) =
                tungstenite::client(format!("ws://{address}/ws"), stream).unwrap();
            let message = json!({"type": "state"}).to_string();
            socket.send(tungstenite::Message::text(message)).unwrap();
            let wait = |time| Some(Duration::from_millis(time));
            socket.get_ref().set_read_timeout(wait(100)).unwrap();
            assert!(socket.read().is_err(), "all places are taken");
            drop(requests);
            socket.get_ref().set_read_timeout(wait(60_000)).unwrap();
            socket.read().unwrap();
        };
        tokio::task::spawn_blocking(client).await.unwrap();
    }
}
