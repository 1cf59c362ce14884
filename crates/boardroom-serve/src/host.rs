//! Calls of the host: the program that opens games for agents, and ends them. They are not tools, so no
//! agent sees them.
//!
//! ```text
//! POST /host/open   {"episode": 3, "trial": 1}     the identifiers of the game and of its seats; with
//!                   "client": "red" that client alone plays it, with "clients": {"retailer": "red"} the seat
//! POST /host/close  {"episode_id": ".."}           forfeits the rest; the result
//! POST /host/status {"episode_id": ".."}           the status, or the result
//! ```

use super::ServerMode;
use super::clients::HOST;
use super::replies::{json_response, read, refusal};
use super::request_checks::{ClientName, RequestChecks};
use super::sessions::{ClientAnswer, SessionManager};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::post;
use axum::{Extension, Router, extract::Path};
use serde::Deserialize;
use serde_json::Value;
use sim_core::error::clip;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone)]
struct Serving {
    sessions: Arc<SessionManager>,
    checks: Arc<RequestChecks>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Open {
    episode: Option<u64>,
    trial: Option<u32>,
    client: Option<String>,
    #[serde(default)]
    clients: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfGame {
    episode_id: String,
}

/// The paths of the host.
pub(super) fn router(sessions: &Arc<SessionManager>, checks: &Arc<RequestChecks>) -> Router {
    let serving = Serving {
        sessions: Arc::clone(sessions),
        checks: Arc::clone(checks),
    };
    Router::new()
        .route("/host/{call}", post(answer))
        .with_state(serving)
}

async fn answer(
    State(serving): State<Serving>,
    Path(call): Path<String>,
    Extension(client): Extension<ClientName>,
    body: Bytes,
) -> Response {
    if !may(&serving, &client.0) {
        let why = "only the host may do this: give its token, which the --token-file calls `host`";
        return json_response(StatusCode::FORBIDDEN, &refusal("forbidden", why));
    }
    // On a thread that may block: opening a game may take seconds.
    let work = move || respond(&serving, &call, &client.0, &body);
    let done = tokio::task::spawn_blocking(work).await;
    let (status, value) = done.unwrap_or_else(|_| {
        let why = "the call failed";
        (StatusCode::INTERNAL_SERVER_ERROR, refusal("failed", why))
    });
    json_response(status, &value)
}

/// Without tokens the host cannot be told from an agent. Where clients open games themselves, its calls
/// give them nothing new; where an agent is evaluated, they would.
fn may(serving: &Serving, client: &str) -> bool {
    if serving.checks.has_tokens() {
        client == HOST
    } else {
        serving.sessions.mode() == ServerMode::Play
    }
}

fn respond(serving: &Serving, call: &str, client: &str, body: &[u8]) -> (StatusCode, Value) {
    let sessions = &serving.sessions;
    let done = match call {
        "open" => read::<Open>(body).and_then(|wanted| {
            // Before the game is opened, which cannot be taken back: its trial is given out.
            check_names(serving, &wanted)?;
            let opened = sessions.open(client, wanted.episode, wanted.trial);
            Ok(opened.map_or_else(
                |refused| *refused,
                |opened| {
                    sessions.assign(&opened, wanted.client.as_deref(), &wanted.clients);
                    ClientAnswer::told(String::new(), opened.json())
                },
            ))
        }),
        "close" => read::<OfGame>(body).map(|game| sessions.close_episode(&game.episode_id)),
        "status" => read::<OfGame>(body).map(|game| sessions.status(&game.episode_id)),
        _ => Err("there is /host/open, /host/close and /host/status".to_owned()),
    };
    match done {
        // The call was understood and the games do not allow it, which other calls may change.
        Ok(answer) if answer.error => (StatusCode::CONFLICT, answer.value),
        Ok(answer) => (StatusCode::OK, answer.value),
        Err(why) => (StatusCode::BAD_REQUEST, refusal("bad_request", why)),
    }
}

/// Refuses unknown clients and seats. A game that names no client is played by everybody who is told its
/// identifiers.
fn check_names(serving: &Serving, wanted: &Open) -> Result<(), String> {
    for name in wanted.client.iter().chain(wanted.clients.values()) {
        if !serving.checks.knows(name) {
            return Err(format!("there is no client `{}`", clip(name)));
        }
    }
    for seat in wanted.clients.keys() {
        let mut seats = serving.sessions.seats().iter();
        if !seats.any(|known| known.name() == seat) {
            return Err(format!("there is no seat `{}`", clip(seat)));
        }
    }
    Ok(())
}
