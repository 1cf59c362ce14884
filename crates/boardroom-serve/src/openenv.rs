//! The protocol of OpenEnv (0.10): one WebSocket per rollout, and a few requests over HTTP.
//!
//! ```text
//! GET  /health /metadata /schema /openapi.json
//! WS   /ws      {"type": "reset" | "step" | "state" | "mcp" | "close", "data": {..}}
//! POST /reset, POST /step, GET /state?episode_id=..    the same without a connection that stays open
//! ```
//!
//! `reset` with a seed opens the episode with that number (modulo the number of episodes of the server),
//! so the same seed gives the same game; without a seed it opens the next one. A rollout that is reset,
//! closed or cut off before its end is closed as [`SessionManager::close_episode`] does it: the rest is
//! forfeited, scored and recorded. A game begins at its start: one of an earlier server is closed in the same
//! way when its episode is opened.

mod rollout;
mod socket;

use super::clients::HOST;
use super::replies::{json_response, read};
use super::request_checks::{ClientName, RequestChecks};
use super::sessions::{SessionManager, add};
use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{any, get, post};
use axum::{Extension, Router};
use boardroom_http::{lock, query_value};
use rollout::{Fault, Rollout, schemas};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Version of the HTTP protocol of OpenEnv.
const API: &str = "1.0.0";

/// The reward of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reward {
    /// How much the score improved \[unit of the score\]: the rewards add up to the score, or minus
    /// the score where lower is better.
    Score,
    /// Nothing before the end; then the unit score, from 0 to 1 and 1 for the reference. For games that have
    /// one ([`SessionManager::has_unit_score`]).
    Unit,
}

#[derive(Clone)]
struct Serving {
    sessions: Arc<SessionManager>,
    checks: Arc<RequestChecks>,
    reward: Reward,
    /// Rollouts over HTTP, by the identifier of their game.
    rollouts: Arc<Mutex<BTreeMap<String, Held>>>,
}

/// A rollout that is kept between requests.
struct Held {
    client: String,
    /// The identifier that the client chose, which is its own alone.
    named: Option<String>,
    /// With a lock of its own, so that a step of one rollout keeps no other waiting.
    rollout: Arc<Mutex<Rollout>>,
}

/// The paths of OpenEnv.
pub(super) fn router(
    sessions: &Arc<SessionManager>,
    checks: &Arc<RequestChecks>,
    reward: Reward,
) -> Router {
    let serving = Serving {
        sessions: Arc::clone(sessions),
        checks: Arc::clone(checks),
        reward,
        rollouts: Arc::default(),
    };
    Router::new()
        .route("/ws", any(socket::connect))
        .route("/health", get(health))
        .route("/metadata", get(metadata))
        .route("/schema", get(schema))
        .route("/openapi.json", get(openapi))
        .route("/reset", post(reset))
        .route("/step", post(step))
        .route("/state", get(state))
        .with_state(serving)
}

type Client = Extension<ClientName>;

async fn health() -> Response {
    json_response(StatusCode::OK, &json!({"status": "healthy"}))
}

async fn metadata(State(serving): State<Serving>) -> Response {
    let sessions = &serving.sessions;
    let value = json!({
        "name": sessions.environment(),
        "description": sessions.about(),
        "version": sessions.plan().version.to_string(),
        "readme_content": null,
        "author": null,
        "documentation_url": null,
    });
    json_response(StatusCode::OK, &value)
}

async fn schema(State(serving): State<Serving>) -> Response {
    json_response(StatusCode::OK, &schemas(&serving.sessions))
}

async fn openapi(State(serving): State<Serving>) -> Response {
    let operation =
        |summary: &str| json!({"summary": summary, "responses": {"200": {"description": "OK"}}});
    let value = json!({
        "openapi": "3.1.0",
        "info": {
            "title": format!("{} of Boardroom", serving.sessions.environment()),
            "version": API,
        },
        "paths": {
            "/reset": {"post": operation("Open an episode")},
            "/step": {"post": operation("Call a tool")},
            "/state": {"get": operation("Episode and number of steps")},
            "/health": {"get": operation("Whether the server answers")},
            "/metadata": {"get": operation("Name and description of the environment")},
            "/schema": {"get": operation("JSON Schemas of action, observation and state")},
            "/mcp": {"post": operation("MCP (JSON-RPC)")},
        },
    });
    json_response(StatusCode::OK, &value)
}

#[derive(Deserialize)]
struct StepRequest {
    action: Map<String, Value>,
    episode_id: Option<String>,
}

async fn reset(State(serving): State<Serving>, Extension(client): Client, body: Bytes) -> Response {
    over_http(serving, client, move |serving, client| {
        let data = read::<Map<String, Value>>(&body).map_err(Fault::invalid)?;
        let mut rollout = Rollout::new(Arc::clone(&serving.sessions), client, serving.reward);
        let mut value = rollout.reset(&data)?;
        if let Some(id) = rollout.id().map(str::to_owned) {
            add(&mut value, "metadata", json!({"episode_id": id}));
            serving.keep(client, id, rollout);
        }
        Ok(value)
    })
    .await
}

async fn step(State(serving): State<Serving>, Extension(client): Client, body: Bytes) -> Response {
    over_http(serving, client, move |serving, client| {
        let request = read::<StepRequest>(&body).map_err(Fault::invalid)?;
        let rollout = serving.find(client, request.episode_id.as_deref())?;
        lock(&rollout).step(&request.action)
    })
    .await
}

async fn state(
    State(serving): State<Serving>,
    Extension(client): Client,
    RawQuery(query): RawQuery,
) -> Response {
    over_http(serving, client, move |serving, client| {
        // OpenEnv asks without an identifier as well, before anything is opened.
        let Some(id) = query.and_then(|query| query_value(&query, "episode_id")) else {
            return Ok(json!({"episode_id": null, "step_count": 0}));
        };
        let rollout = serving.find(client, Some(&id))?;
        Ok(lock(&rollout).state())
    })
    .await
}

impl Serving {
    /// Keeps a rollout between requests, because over HTTP nothing else says that it goes on.
    fn keep(&self, client: &str, id: String, rollout: Rollout) {
        let mut all = lock(&self.rollouts);
        // Rollouts that ended are forgotten with their games.
        all.retain(|id, _| self.sessions.is_open(id));
        let named = rollout.named().map(str::to_owned);
        // Of the games that a client gives one name, the last one has it.
        for held in all.values_mut() {
            if held.client == client && held.named == named {
                held.named = None;
            }
        }
        let held = Held {
            client: client.to_owned(),
            named,
            rollout: Arc::new(Mutex::new(rollout)),
        };
        // To drop it would close its game, so it is kept as long as the game is open.
        all.insert(id, held);
    }

    /// The rollout of `client` with an identifier: that of its game, or the one that the client chose. Those of others do
    /// not exist for it.
    fn find(&self, client: &str, id: Option<&str>) -> Result<Arc<Mutex<Rollout>>, Fault> {
        let all = lock(&self.rollouts);
        let found = id.and_then(|id| {
            let of_game = all.get(id);
            let of_game = of_game.filter(|held| client == HOST || held.client == client);
            // Also for the host only its own: two clients may have chosen one name.
            of_game.or_else(|| {
                let mut own = all.values().filter(|held| held.client == client);
                own.find(|held| held.named.as_deref() == Some(id))
            })
        });
        found.map(|held| Arc::clone(&held.rollout)).ok_or_else(|| {
            Fault::invalid(
                "`episode_id` must be that of an open game, as /reset gave it".to_owned(),
            )
        })
    }
}

async fn over_http(
    serving: Serving,
    ClientName(client): ClientName,
    work: impl FnOnce(&Serving, &str) -> Result<Value, Fault> + Send + 'static,
) -> Response {
    let done = tokio::task::spawn_blocking(move || work(&serving, &client)).await;
    match done {
        Ok(Ok(value)) => json_response(StatusCode::OK, &value),
        Ok(Err(fault)) => {
            let status = match fault.code {
                // The one fault that passes by itself, so clients may try again.
                "CAPACITY_REACHED" => StatusCode::SERVICE_UNAVAILABLE,
                _ => StatusCode::UNPROCESSABLE_ENTITY,
            };
            json_response(status, &json!({"detail": fault.message}))
        }
        Err(_) => {
            let detail = json!({"detail": "the call failed"});
            json_response(StatusCode::INTERNAL_SERVER_ERROR, &detail)
        }
    }
}
