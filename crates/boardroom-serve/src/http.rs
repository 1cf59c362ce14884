//! Requests over HTTP. Every answer is a JSON-RPC message with a matching status.
//!
//! This module is needed because the protocol library answers requests that it does not serve with a
//! line of text, accepts objects with the same key twice, and does not limit concurrent requests.

use super::Server;
use super::handler::Handler;
use super::media_types::{normalise, says_json};
use super::message;
use super::replies::{JSON, refuse, reply};
use super::request_checks::{self, RequestChecks};
use super::{host, openenv};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, FromRequest as _, Request, State};
use axum::http::header::ALLOW;
use axum::http::{StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::any;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use sim_core::error::clip;
use std::sync::Arc;

/// The path at which the server answers.
const PLACE: &str = "/mcp";

pub(super) type Service = StreamableHttpService<Handler, NeverSessionManager>;

#[derive(Clone)]
struct Serving {
    service: Service,
    /// Whether faults of messages are answered with status 200, as OpenEnv does.
    always_ok: bool,
}

/// The paths of a server.
pub(super) fn router(service: Service, server: &Server) -> Router {
    let checks = Arc::new(RequestChecks::new(server.clients.clone()));
    let serving = Serving {
        service,
        always_ok: server.openenv.is_some(),
    };
    let mut router = Router::new()
        .route(PLACE, any(answer))
        // With a slash as well, since many clients join addresses that way.
        .route("/mcp/", any(answer))
        .with_state(serving)
        .merge(host::router(&server.sessions, &checks));
    if let Some(reward) = server.openenv {
        router = router.merge(openenv::router(&server.sessions, &checks, reward));
    }
    router
        // Before the layers, which then cover it: without a token nobody learns which paths there
        // are.
        .fallback(elsewhere)
        // Bodies have arrived by then, within the limit of the server.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(checks, request_checks::check))
}

async fn answer(State(serving): State<Serving>, mut request: Request) -> Response {
    normalise(request.headers_mut());
    let is_json = says_json(request.headers());
    let (head, body) = request.into_parts();
    let (body, mut refusal) = match checked(Request::from_parts(head.clone(), body)).await {
        Ok(body) => (body, None),
        Err(refusal) => (Bytes::new(), Some(refusal)),
    };
    if let Some(refusal) = &mut refusal
        && serving.always_ok
        && refusal.status() == StatusCode::BAD_REQUEST
    {
        *refusal.status_mut() = StatusCode::OK;
    }
    // The library checks headers before it reads the body, and its refusals take precedence. So it always
    // gets the request, with an empty body if the body is refused here.
    let passed = Request::from_parts(head, Body::from(body));
    let response = serving.service.handle(passed).await.map(Body::new);
    match refusal {
        // The library refuses the empty body in this way, so the refusal of the real body takes its
        // place.
        Some(refusal) if is_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            refusal
        }
        _ => worded(response),
    }
}

/// The body of a request that holds one message.
async fn checked(request: Request) -> Result<Bytes, Response> {
    let Ok(body) = Bytes::from_request(request, &()).await else {
        let why = "the body ended early or cannot be read";
        return Err(refuse(StatusCode::BAD_REQUEST, why));
    };
    match message::read(&body) {
        Ok(Some(_)) => Ok(body),
        // A notification of another protocol is taken and not answered, as JSON-RPC asks.
        Ok(None) => {
            let mut accepted = Response::new(Body::empty());
            *accepted.status_mut() = StatusCode::ACCEPTED;
            Err(accepted)
        }
        Err(refused) => Err(reply(StatusCode::BAD_REQUEST, &refused)),
    }
}

/// A refusal of the protocol library, in words that say what would be right.
fn worded(response: Response) -> Response {
    let why = match response.status() {
        StatusCode::METHOD_NOT_ALLOWED => format!("{PLACE} accepts POST only"),
        StatusCode::NOT_ACCEPTABLE => format!("the header Accept must permit {JSON}"),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => format!("the header Content-Type must be {JSON}"),
        // Its own words are kept: the server makes JSON of errors in plain text.
        _ => return response,
    };
    let mut refused = refuse(response.status(), why);
    // A 405 without this header is no valid answer.
    if let Some(allow) = response.headers().get(ALLOW) {
        refused.headers_mut().insert(ALLOW, allow.clone());
    }
    refused
}

async fn elsewhere(uri: Uri) -> Response {
    let why = format!(
        "there is nothing at `{}`; the server is at {PLACE}",
        clip(uri.path())
    );
    refuse(StatusCode::NOT_FOUND, why)
}
