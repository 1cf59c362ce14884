//! Calls of the host: the program that opens games for agents, and ends them. They are not tools, so no
//! agent sees them.
//!
//! ```text
//! POST /host/open   {"episode": 3, "trial": 1}     the identifiers of the game and of its seats
//! POST /host/close  {"episode_id": ".."}           forfeits the rest; the result
//! POST /host/status {"episode_id": ".."}           the status, or the result
//! ```

use super::clients::HOST;
use super::door::{Admitted, Door};
use super::guard;
use super::mode::ServerMode;
use super::replies::{read, refusal, told};
use super::sessions::{ClientAnswer, SessionManager};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::post;
use axum::{Router, extract::Path};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

#[derive(Clone)]
struct Serving {
    sessions: Arc<SessionManager>,
    door: Arc<Door>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Open {
    episode: Option<u64>,
    trial: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfGame {
    episode_id: String,
}

/// The paths of the host.
pub(super) fn router(sessions: &Arc<SessionManager>, door: &Arc<Door>) -> Router {
    let serving = Serving {
        sessions: Arc::clone(sessions),
        door: Arc::clone(door),
    };
    Router::new()
        .route("/host/{call}", post(answer))
        .with_state(serving)
}

async fn answer(
    State(serving): State<Serving>,
    Path(call): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Err(why) = guard::check(&headers, serving.door.has_tokens()) {
        return told(StatusCode::FORBIDDEN, &refusal("forbidden", why));
    }
    let admitted = match serving.door.admit(&headers).await {
        Ok(admitted) => admitted,
        Err(refused) => return refused,
    };
    if !may(&serving, &admitted) {
        let why = "only the host may do this: give its token, which the --token-file calls `host`";
        return told(StatusCode::FORBIDDEN, &refusal("forbidden", why));
    }
    let work = move || respond(&serving.sessions, &call, &admitted.client, &body);
    let done = tokio::task::spawn_blocking(work).await;
    let (status, value) = done.unwrap_or_else(|_| {
        let why = "the call failed";
        (StatusCode::INTERNAL_SERVER_ERROR, refusal("failed", why))
    });
    told(status, &value)
}

/// Without tokens the host cannot be told from an agent. Where clients open games themselves, its calls
/// give them nothing new; where an agent is evaluated, they would.
fn may(serving: &Serving, admitted: &Admitted) -> bool {
    if serving.door.has_tokens() {
        admitted.client == HOST
    } else {
        serving.sessions.mode() == ServerMode::Play
    }
}

fn respond(
    sessions: &SessionManager,
    call: &str,
    client: &str,
    body: &[u8],
) -> (StatusCode, Value) {
    let done = match call {
        "open" => read::<Open>(body).map(|wanted| {
            let opened = sessions.open(client, wanted.episode, wanted.trial);
            opened.map_or_else(|refused| *refused, |opened| plain(opened.json()))
        }),
        "close" => read::<OfGame>(body).map(|game| sessions.close_episode(&game.episode_id)),
        "status" => read::<OfGame>(body).map(|game| sessions.status(&game.episode_id)),
        _ => Err("there is /host/open, /host/close and /host/status".to_owned()),
    };
    match done {
        Ok(answer) if answer.error => (StatusCode::CONFLICT, answer.value),
        Ok(answer) => (StatusCode::OK, answer.value),
        Err(why) => (StatusCode::BAD_REQUEST, refusal("bad_request", why)),
    }
}

fn plain(value: Value) -> ClientAnswer {
    ClientAnswer {
        text: String::new(),
        reminder: None,
        value,
        error: false,
    }
}
